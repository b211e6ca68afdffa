/* shape_mesh.h - the triangles of shapes that are not given as triangles. */
#ifndef RICO_SHAPE_MESH_H
#define RICO_SHAPE_MESH_H

#include "memory.h"

#include <ricochet/scene.h>

/* Owner: the edit that adds the shape. Zero-initialised = empty. */
typedef struct rico__shape_mesh {
    float *positions; /* 3 per vertex */
    uint32_t *indices;
    uint32_t vertex_count, triangle_count;
} rico__shape_mesh;

/* The caller, for memory and messages. */
typedef struct rico__shape_maker {
    rico__memory *memory;
    const rico_log *log;
    const char *call; /* the public function */
} rico__shape_maker;

/* Makes the triangles of any shape except a mesh or a plane, in the shape's own space, fronts
 * outside or up. Those of spheres and capsules are closed, and within 1 % of the radius on both
 * sides of the surface. They are also within 4 mm up to a radius of 11.8 m. They have 24 to 128
 * meridians.
 *
 * Fields are checked for all kinds, also for meshes (their smooth_angle and widths of indices)
 * and planes; those two give no triangles here. A height field keeps triangles with a NaN: a
 * mesh on its way into the scene drops what is not finite, and others keep their indices.
 *
 * Errors: RICO_NOT_FINITE, RICO_OUT_OF_RANGE, RICO_EMPTY_MESH (a hull's points are in one plane
 * within the rounding of floats), RICO_OUT_OF_MEMORY. All are logged, and *mesh is then
 * empty. */
rico_result rico__shape_mesh_make(rico__shape_mesh *mesh, const rico__shape_maker *maker,
                                  const rico_shape_def *def);

/* The mesh, to be placed; without surfaces and smooth_angle. */
rico_mesh rico__shape_mesh_view(const rico__shape_mesh *mesh);

void rico__shape_mesh_release(rico__shape_mesh *mesh, rico__memory *memory);

/* Makes room for the mesh. False: no memory, and *mesh is empty. */
bool rico__shape_mesh_reserve(rico__shape_mesh *mesh, rico__memory *memory,
                              uint32_t vertex_count, uint32_t triangle_count);

#endif
