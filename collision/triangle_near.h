/* triangle_near.h - a triangle against a point and against a moving unit sphere, in double.
 *
 * The triangle is given relative to the point, or to where the sphere starts. Distance decides,
 * so each part of the triangle may err where another part is as near. A face that leaves out
 * its border is no gap, because the edge there has the same distance to second order.
 *
 * Errors are a few 2^-52 of the triangle's distance and size. Corners are floats, and their
 * differences from a point of 24 bits are exact in double: nothing is lost far from the origin.
 */
#ifndef RICO_TRIANGLE_NEAR_H
#define RICO_TRIANGLE_NEAR_H

#include "double3.h"

#include <ricochet/types.h>

/* Corners a, b, c relative to the query. */
typedef struct rico__corners {
    double p[3][3];
} rico__corners;

/* The triangle's unit normal, on its front. False for a flat triangle, whose face is within
 * 1e-13 of its longest edge, as a share of that edge: such a triangle has only its edges. */
bool rico__corners_normal(const rico__corners *corners, double normal[3]);

/* The point of the triangle nearest to the origin; returns its distance. */
double rico__corners_nearest(const rico__corners *corners, double point[3]);

/* The unit sphere starts at the origin, where it does not touch the triangle, and moves by
 * `motion`. True when it meets the triangle: *t is the first time, in 0..1, and point is
 * where. */
bool rico__corners_sweep(const rico__corners *corners, const double motion[3], double *t,
                         double point[3]);

/* The images of the axes under q. False unless q has about length 1; the axes are computed as
 * if it were exactly 1. */
bool rico__rotation_axes(rico_quat q, double axis[3][3]);

#endif
