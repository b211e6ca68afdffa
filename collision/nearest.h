/* nearest.h - the point of one grid that is nearest to a point.
 *
 * Order: the distance as a float, then the collider, then the triangle. So the best of several
 * grids does not depend on the order in which they are queried.
 */
#ifndef RICO_NEAREST_H
#define RICO_NEAREST_H

#include "cast.h"
#include "triangle_near.h"
#include "volume.h"

typedef struct rico__nearest_frame {
    double world[3]; /* the point */
    float radius;
    uint32_t ignore; /* slot, 0 = none */
    /* The grid's place in the world. */
    double center[3];    /* the point in the grid's space */
    double matrix[3][3]; /* directions and sizes, from the grid's space to the world */
    double scale;        /* the grid's metres in the world */
} rico__nearest_frame;

/* The best point so far. Starts as rico__nearest_none. */
typedef struct rico__nearest_best {
    float distance;              /* metres in the world; the radius when there is none */
    uint32_t collider, triangle; /* collider 0 = none */
    bool back_face;
    double point[3];  /* relative to the point of the query, along world axes */
    double normal[3]; /* unit, on the front */
} rico__nearest_best;

/* Makes the frame for a grid in the world's own space. False when the point is not within 1e9
 * m, or the radius not above 0: then nothing is near. */
bool rico__nearest_frame_init(rico__nearest_frame *frame, rico_vec3 point, float radius,
                              uint32_t ignore);

/* Changes the frame for a grid that is placed by a transform (a valid one). */
void rico__nearest_frame_place(rico__nearest_frame *frame, const rico_transform *place);

rico__nearest_best rico__nearest_none(const rico__nearest_frame *frame);

/* Lowers *best by the grid's triangles. collider: the slot of all of them, or 0 = each
 * triangle's own. The grid may be empty. */
void rico__grid_nearest(const rico__grid *grid, const rico__volume_kernel *kernel,
                        const rico__cast_filter *filter, const rico__nearest_frame *frame,
                        uint32_t collider, rico__nearest_best *best);

/* The answer in the world. The caller fills in surface, moving and velocity. */
rico_nearest rico__nearest_answer(const rico__nearest_frame *frame,
                                  const rico__nearest_best *best);

static inline bool rico__nearest_is_better(const rico__nearest_best *best, float distance,
                                           uint32_t collider, uint32_t triangle)
{
    if (distance != best->distance)
        return distance < best->distance;
    if (best->collider == 0)
        return true;
    return collider != best->collider ? collider < best->collider : triangle < best->triangle;
}

#endif
