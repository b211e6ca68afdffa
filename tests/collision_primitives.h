/* collision_primitives.h - points of spheres, capsules and planes. */
#ifndef COLLISION_PRIMITIVES_H
#define COLLISION_PRIMITIVES_H

#include "primitive.h"

#include <math.h>

/* A point of the surface from two numbers in 0..1: one along the outline, one around the axis.
 * For planes: a point of a square with this half side. */
static inline void surface_point(const rico__primitive *p, double half_side, double along,
                                 double around, double out[3])
{
    if (p->kind == RICO_SHAPE_PLANE) {
        out[0] = half_side * (2.0 * along - 1.0);
        out[1] = half_side * (2.0 * around - 1.0);
        out[2] = 0.0;
        return;
    }
    double radius = (double)p->radius, quarter = 1.57079632679489662 * radius;
    double half = p->kind == RICO_SHAPE_CAPSULE ? (double)p->half_length : 0.0;
    double way = (2.0 * along - 1.0) * (quarter + half);
    double over = fmax(0.0, fabs(way) - half) / radius;
    double angle = 6.28318530717958648 * around;
    out[0] = radius * cos(over) * cos(angle);
    out[1] = radius * cos(over) * sin(angle);
    out[2] = copysign(fmin(fabs(way), half) + radius * sin(over), way);
}

#endif
