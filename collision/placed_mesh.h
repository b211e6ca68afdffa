/* placed_mesh.h - a mesh on its way into the scene: it is placed and checked, and equal corners
 * are made one. */
#ifndef RICO_PLACED_MESH_H
#define RICO_PLACED_MESH_H

#include "memory.h"
#include "triangle.h"

#include <ricochet/scene_query.h>

/* Owner: the edit that adds it. Order: faces as in the mesh, vertices as faces first use
 * them. */
typedef struct rico__placed_mesh {
    rico__vertex *vertices;
    rico__face *faces; /* corners count from the mesh's own first vertex */
    uint32_t vertex_count, vertex_capacity;
    uint32_t face_count, face_capacity;
} rico__placed_mesh;

/* Counts how many triangles are kept, and why others are not. transform NULL: corners stay as
 * they are. */
rico_mesh_report rico__placed_mesh_count(const rico_mesh *mesh, const rico_transform *transform,
                                         const rico_scene_runner *runner);

/* Places the mesh, of which `kept` triangles are valid (1 to 2^27). Corners are the same when
 * their bits are, so that hits do not depend on it; so -0 is not 0. False: no memory, and
 * *placed owns nothing. */
bool rico__placed_mesh_make(rico__placed_mesh *placed, rico__memory *memory,
                            const rico_mesh *mesh, const rico_transform *transform,
                            uint32_t kept, uint32_t collider);

void rico__placed_mesh_release(rico__placed_mesh *placed, rico__memory *memory);

#endif
