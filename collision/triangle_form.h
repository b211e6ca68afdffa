/* triangle_form.h - a triangle as bounds of coordinates by coordinates, for queries of many
 * boxes of one size about it.
 *
 * Threads: pure functions.
 */
#ifndef RICO_TRIANGLE_FORM_H
#define RICO_TRIANGLE_FORM_H

#include "grid.h"

/* The boxes of a query. Places are relative to a middle. */
typedef struct rico__form_frame {
    double middle[3]; /* in the grid's space */
    float half;       /* half the size of each box */
    float pad;        /* how much calculation in floats may be off */
} rico__form_frame;

/* The coordinate `of` is at least (upper: at most) at + per_other times the coordinate
 * `other`. */
typedef struct rico__form_bound {
    int of, other;
    bool upper;
    float at, per_other;
} rico__form_bound;

/* On the triangle's plane, the coordinate is at + per[...] times the next two, give or take
 * `spread`. */
typedef struct rico__form_level {
    bool holds;
    float at, per[2], spread;
} rico__form_level;

typedef struct rico__form {
    double corner[3][3];
    double pad; /* how far from all of these a hit may be */
    float lo[3], hi[3];
    rico__form_level levels[3];
    rico__form_bound bounds[6];
    uint32_t bound_count;
} rico__form;

static inline int rico__axis_after(int axis)
{
    return axis < 2 ? axis + 1 : 0;
}

rico__form rico__form_of(const rico__form_frame *frame, const rico__triangles *triangles,
                         const rico__face *face);

#endif
