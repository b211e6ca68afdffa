/* hull.h - the convex hull of points, exactly. */
#ifndef RICO_HULL_H
#define RICO_HULL_H

#include "shape_mesh.h"

/* Quickhull (Barber, Dobkin and Huhdanpaa 1996) on whole numbers: points are rounded to 2^-29 of
 * the power of two above their largest coordinate, which floats can hold (those over 1/32 of it are
 * not moved), and every "is it above" is exact. So duplicates, points in a line or plane and
 * slivers need no tolerance: the result is closed, and no point is above any face. Vertices are in
 * the order of the points, and all are used.
 * The points are finite. RICO_EMPTY_MESH: they are within 2^-22 of the largest coordinate of one
 * plane (floats cannot tell). RICO_OUT_OF_MEMORY. *mesh is then nothing. */
rico_result rico__hull_make(rico__shape_mesh *mesh, rico__memory *memory, const float *points,
                            uint32_t count);

#endif
