/* mesh_join.h - small edits of meshes: one put into another, the unusable left out. */
#ifndef RIO_MESH_JOIN_H
#define RIO_MESH_JOIN_H

#include "mesh_file.h"

/* Appends part to mesh, its positions scaled and then moved. Its triangles follow those of mesh
 * in their order. Errors: RICO_OUT_OF_MEMORY, RICO_FULL (over 2^31 corners or vertices); mesh is
 * then as before. */
rico_result rio_mesh_join(rio_mesh *mesh, const rio_mesh *part, float scale, rico_vec3 offset);

/* Takes out, in place, triangles with a corner that is not finite or not there, and returns how
 * many they were. Vertices stay. */
uint32_t rio_mesh_drop_broken(rio_mesh *mesh);

#endif
