/* hull.h - the convex hull of points, exactly. */
#ifndef RICO_HULL_H
#define RICO_HULL_H

#include "shape_mesh.h"

/* Makes the convex hull of finite points, by Quickhull (Barber, Dobkin and Huhdanpaa 1996) on
 * whole numbers. Points are rounded to 2^-29 of the power of two above their largest
 * coordinate, which floats can hold. Those over 1/32 of it are not moved. Every "is it above"
 * is exact. So duplicates, points in a line or plane, and slivers need no tolerance: the result
 * is closed, and no point is above any face. Vertices are in the order of the points, and all
 * are used.
 *
 * Errors: RICO_EMPTY_MESH: the points are within 2^-22 of the largest coordinate of one plane
 * (floats cannot tell). RICO_OUT_OF_MEMORY. On an error *mesh is empty. */
rico_result rico__hull_make(rico__shape_mesh *mesh, rico__memory *memory, const float *points,
                            uint32_t count);

#endif
