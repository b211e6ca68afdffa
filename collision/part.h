/* part.h - triangles with their grid: the content of a shape, of an added mesh, or of all
 * merged meshes.
 *
 * Owner:   a shape or the scene; an edit makes it beside the present one, and puts it in place.
 * Threads: immutable between edits.
 * Order:   faces by (collider slot, triangle); in a shape's own part, by triangle.
 */
#ifndef RICO_PART_H
#define RICO_PART_H

#include "grid.h"

#include <ricochet/scene_query.h>

typedef struct rico__part {
    rico__vertex *vertices; /* of collider slot + 1; of 1 in a shape that colliders place */
    rico__face *faces;
    uint32_t vertex_count, face_count; /* as allocated; faces include holes */
    uint32_t hole_count;               /* faces of removed colliders */
    rico__grid grid;
} rico__part;

/* Prepares a mesh, of which `kept` triangles are valid (1 to 2^27). transform NULL: corners
 * stay as they are. Errors: RICO_OUT_OF_MEMORY; *part then owns nothing. */
rico_result rico__part_make(rico__part *part, rico__memory *memory, const rico_mesh *mesh,
                            const rico_transform *transform, uint32_t kept, uint32_t collider,
                            const rico__grid_options *options);

/* Makes zeroed room for the vertices and faces, to be filled and built. Returns whether there
 * is memory. */
bool rico__part_reserve(rico__part *part, rico__memory *memory, uint32_t vertex_count,
                        uint32_t face_count);

/* Builds the grid over the faces. On an error the part owns nothing. */
rico_result rico__part_build(rico__part *part, rico__memory *memory,
                             const rico__grid_options *options);

void rico__part_release(rico__part *part, rico__memory *memory);

/* Copies faces first..first + count of `from` to `at`, and its vertices from `vertex` on to
 * vertex_at. */
void rico__part_copy(rico__part *to, uint32_t at, uint32_t vertex_at, const rico__part *from,
                     uint32_t first, uint32_t count, uint32_t vertex, uint32_t vertex_count);

/* Makes holes of the faces: nothing meets them any more. Their memory comes back with the
 * part. */
void rico__part_punch(rico__part *part, uint32_t first, uint32_t count);

#endif
