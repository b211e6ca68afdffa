/* sweep.h - an ellipsoid that moves through one grid.
 *
 * Everything is computed in a space where the ellipsoid, at its start, is the unit sphere at
 * the origin. A frame has the transforms to it from the world and from the space of one grid.
 * Results are in that space, so that those of several grids compare, whatever their places.
 *
 * Order of contacts: t as a float, rounded down; for an overlap at the start, the distance of
 * the touched point from the centre in radii, as a float; then the collider, then the triangle.
 */
#ifndef RICO_SWEEP_H
#define RICO_SWEEP_H

#include "cast.h"
#include "triangle_near.h"
#include "volume.h"

typedef struct rico__sweep_frame {
    /* The sweep. */
    double world[3];   /* centre at the start */
    double axis[3][3]; /* unit half axes */
    double radius[3];  /* of the half axes */
    double motion[3];  /* in the unit sphere's space */
    double length;     /* of motion */
    uint32_t ignore;   /* slot, 0 = none */
    /* The grid's place in the world. */
    double center[3];    /* in the grid's space */
    double matrix[3][3]; /* from the grid's space to the unit sphere's */
} rico__sweep_frame;

/* The best contact so far. Starts as rico__sweep_none. */
typedef struct rico__sweep_best {
    float t;     /* 1 when there is none */
    float level; /* of an overlap: distance from the centre, 0..1; else 1 */
    uint32_t collider, triangle;
    uint32_t id;     /* face, in the grid that last lowered the best contact */
    uint32_t steps;  /* summed over all grids */
    double point[3]; /* of contact */
    /* From the point to the centre at t; about unit length, except for overlaps. */
    double normal[3];
} rico__sweep_best;

rico__sweep_best rico__sweep_none(void);

/* Makes the frame of a sweep in the world, for a grid in the world's own space. False when the
 * sweep is not in range: it meets nothing. */
bool rico__sweep_frame_init(rico__sweep_frame *frame, const rico_sweep *sweep);

/* Changes the frame for a grid that is placed by a transform (a valid one). */
void rico__sweep_frame_place(rico__sweep_frame *frame, const rico_transform *place);

/* Lowers *best by what is met in the grid. collider: the slot of all of it, or 0 = each
 * triangle's own. The grid may be empty. */
void rico__grid_sweep(const rico__grid *grid, const rico__volume_kernel *kernel,
                      const rico__cast_filter *filter, const rico__sweep_frame *frame,
                      uint32_t collider, rico__sweep_best *best);

/* The answer in the world. The caller fills in surface, moving and velocity. */
rico_sweep_hit rico__sweep_answer(const rico__sweep_frame *frame, const rico__sweep_best *best);

/* Whether a contact comes before the best one. */
static inline bool rico__sweep_is_better(const rico__sweep_best *best, float t, float level,
                                         uint32_t collider, uint32_t triangle)
{
    if (best->collider == 0)
        return true;
    if (t != best->t)
        return t < best->t;
    if (level != best->level)
        return level < best->level;
    if (collider != best->collider)
        return collider < best->collider;
    return triangle < best->triangle;
}

/* Takes over what another kind of shape found, if it is better. Point and normal are in the
 * unit sphere's space. */
void rico__sweep_take(rico__sweep_best *best, const rico__sweep_best *found);

#endif
