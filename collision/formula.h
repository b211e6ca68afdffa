/* formula.h - shapes without triangles of their own (primitive.h), as a scene queries them: in
 * their place, with the scene's kinds of answers.
 *
 * Threads: pure functions.
 */
#ifndef RICO_FORMULA_H
#define RICO_FORMULA_H

#include "nearest.h"
#include "primitive.h"
#include "scene_private.h"
#include "sweep.h"

static inline rico__primitive rico__shape_primitive(const rico__shape *shape)
{
    return (rico__primitive){shape->kind, shape->radius, shape->half_length};
}

/* The closest hit of a ray in the shape's space. collider is not 0 when there is a hit. */
rico_hit rico__formula_raycast(const rico__shape *shape, const rico_ray *ray, bool skip_backs);

/* Lowers *best by the shape. frame: placed by the collider's transform. */
void rico__formula_nearest(const rico__shape *shape, const rico__nearest_frame *frame,
                           bool skip_backs, uint32_t collider, rico__nearest_best *best);

/* The same for a sweep. *hit, the answer, is written when it is the best. */
void rico__formula_sweep(const rico__shape *shape, const rico__collider *c,
                         const rico__sweep_frame *frame, uint32_t collider,
                         rico__sweep_best *best, rico_sweep_hit *hit);

/* Whether a plane, placed by the collider, may touch the box of the world. */
bool rico__formula_plane_touches(const rico__collider *c, const rico_box *box);

#endif
