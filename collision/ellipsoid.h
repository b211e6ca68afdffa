/* ellipsoid.h - an ellipsoid near or within a capsule: how far apart, how far out.
 *
 * Both numbers are maxima over unit vectors u of something linear in the ellipsoid's place c:
 *   gap(u)  = u.c - |A u| - h |u.z|   least distance of the ellipsoid from the capsule's segment
 *   over(u) = u.c + |A u| - h |u.z|   farthest distance of a point of the ellipsoid from it
 * A's columns are the half axes, and h is half the segment's length. So for any u, however
 * found, each is a bound on the safe side, and both are convex along a motion. That is why the
 * sweep in primitive_sweep.c is never late.
 *
 * Threads: pure functions.
 */
#ifndef RICO_ELLIPSOID_H
#define RICO_ELLIPSOID_H

#include <ricochet/scene_query.h>

typedef struct rico__ellipsoid {
    double center[3];
    double axis[3][3]; /* unit, at right angles to each other */
    double radius[3];  /* along each, > 0 */
} rico__ellipsoid;

/* The sweep's ellipsoid at its start. A rotation of any length but zero counts as one of length
 * 1. */
rico__ellipsoid rico__ellipsoid_of(const rico_sweep *sweep);

bool rico__ellipsoid_is_ball(const rico__ellipsoid *ellipsoid);

/* |A u|: how far the ellipsoid reaches from its centre along a unit vector. */
double rico__ellipsoid_reach(const rico__ellipsoid *ellipsoid, const double u[3]);

/* The ellipsoid's farthest point along u. */
void rico__ellipsoid_support(const rico__ellipsoid *ellipsoid, const double u[3],
                             double point[3]);

/* The largest gap to the segment on z from -half_length to +half_length, and the unit vector u
 * from the segment to the ellipsoid. Negative when they meet: then u points towards the centre,
 * and the number is only a bound. */
double rico__ellipsoid_gap(const rico__ellipsoid *ellipsoid, double half_length, double u[3]);

/* The largest `over`, and its u. */
double rico__ellipsoid_over(const rico__ellipsoid *ellipsoid, double half_length, double u[3]);

#endif
