/* mesh_join.h - small edits of meshes: appending one to another, dropping unusable triangles. */
#ifndef RIO_MESH_JOIN_H
#define RIO_MESH_JOIN_H

#include "mesh_file.h"

/* Appends part to mesh, its positions scaled and then moved. Its triangles follow those of mesh
 * in their order. Errors: RICO_OUT_OF_MEMORY, RICO_FULL (over 2^31 corners or vertices); mesh is
 * then unchanged. */
rico_result rio_mesh_join(rio_mesh *mesh, const rio_mesh *part, float scale, rico_vec3 offset);

/* Removes, in place, triangles with a corner that is not finite or does not exist. Returns their
 * number. Vertices stay. */
uint32_t rio_mesh_drop_broken(rio_mesh *mesh);

#endif
