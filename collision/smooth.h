/* smooth.h - normals that vary over a mesh's triangles, so that a ball rolls over a faceted
 * curve without bumps.
 *
 * Threads: making them is part of an edit; queries are pure functions.
 */
#ifndef RICO_SMOOTH_H
#define RICO_SMOOTH_H

#include "memory.h"
#include "triangle.h"

/* A unit vector in 32 bits: its place on an octahedron, 16 bits each way (Meyer et al. 2010).
 * It is exact within 7e-5 radians. */
typedef uint32_t rico__packed_normal;

rico__packed_normal rico__normal_pack(const double unit[3]);
void rico__normal_unpack(rico__packed_normal packed, double unit[3]);

/* The normals of a triangle's three corners, on its front. */
typedef struct rico__smooth_face {
    rico__packed_normal corner[3];
} rico__smooth_face;

/* Makes one entry per face, in the order of faces. A corner's normal is the mean of the normals
 * of the faces that share the corner and turn by less than crease_angle (radians, 0..pi) from
 * the face's own. Each is weighted so that it does not matter how faces are cut into triangles:
 * by the cross product of two edges over the squares of their lengths (Max, Weights for
 * Computing Vertex Normals from Facet Normals, 1999). Sums are in the order of faces. Where
 * more than 512 faces share a corner, the 512 around each in that order count.
 *
 * The corners of faces are below vertex_count. NULL: no memory. Release: face_count of them, by
 * rico__memory_release with RICO_CACHE_LINE. */
rico__smooth_face *rico__smooth_make(rico__memory *memory, const rico__triangles *triangles,
                                     uint32_t face_count, uint32_t vertex_count,
                                     float crease_angle);

/* The normal at a point of the triangle, unit. The point may be any: the nearest weights of one
 * sign are taken. The normal is on the side of `normal`, which is the triangle's own towards
 * the ray's origin. It is never turned away from where the ray comes from: where it would be,
 * it is bent back towards `normal`. A direction of zero means no ray: then only the side
 * counts. */
rico_vec3 rico__smooth_normal(const rico__smooth_face *face, const rico__triangle *triangle,
                              const double point[3], rico_vec3 normal, rico_vec3 direction);

#endif
