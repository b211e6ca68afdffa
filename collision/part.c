#include "part.h"
#include "placed_mesh.h"

#include <string.h>

void rico__part_release(rico__part *part, rico__memory *memory)
{
    rico__grid_release(&part->grid, memory);
    rico__memory_release(memory, part->vertices, part->vertex_count, sizeof *part->vertices,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, part->faces, part->face_count, sizeof *part->faces,
                         RICO_CACHE_LINE);
    *part = (rico__part){.vertices = NULL};
    part->grid.bounds = (rico_box){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
}

bool rico__part_reserve(rico__part *part, rico__memory *memory, uint32_t vertex_count,
                        uint32_t face_count)
{
    *part = (rico__part){.vertex_count = vertex_count, .face_count = face_count};
    part->vertices =
        rico__memory_allocate(memory, vertex_count, sizeof *part->vertices, RICO_CACHE_LINE);
    part->faces =
        rico__memory_allocate(memory, face_count, sizeof *part->faces, RICO_CACHE_LINE);
    if (part->vertices != NULL && part->faces != NULL)
        return true;
    rico__part_release(part, memory);
    return false;
}

rico_result rico__part_build(rico__part *part, rico__memory *memory,
                             const rico__grid_options *options)
{
    const rico__triangles triangles = {part->vertices, part->faces};
    rico_result result = rico__grid_build(&part->grid, memory, &triangles, part->face_count,
                                          part->face_count - part->hole_count, options);
    if (result != RICO_OK)
        rico__part_release(part, memory);
    return result;
}

void rico__part_copy(rico__part *to, uint32_t at, uint32_t vertex_at, const rico__part *from,
                     uint32_t first, uint32_t count, uint32_t vertex, uint32_t vertex_count)
{
    memcpy(to->vertices + vertex_at, from->vertices + vertex,
           vertex_count * sizeof *to->vertices);
    for (uint32_t i = 0; i < count; ++i) {
        to->faces[at + i] = from->faces[first + i];
        /* The difference may be negative: the sum wraps. Flags stay, because vertices are fewer
         * than 2^30. */
        for (uint32_t j = 0; j < 3; ++j)
            to->faces[at + i].corner[j] += vertex_at - vertex;
    }
}

void rico__part_punch(rico__part *part, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; ++i) {
        part->faces[i].corner[0] |= RICO_FACE_FLAT;
        part->faces[i].triangle = RICO_NO_TRIANGLE;
    }
    part->hole_count += count;
}

rico_result rico__part_make(rico__part *part, rico__memory *memory, const rico_mesh *mesh,
                            const rico_transform *transform, uint32_t kept, uint32_t collider,
                            const rico__grid_options *options)
{
    rico__placed_mesh placed;
    *part = (rico__part){.vertices = NULL};
    if (!rico__placed_mesh_make(&placed, memory, mesh, transform, kept, collider))
        return RICO_OUT_OF_MEMORY;
    bool reserved = rico__part_reserve(part, memory, placed.vertex_count, placed.face_count);
    if (reserved) {
        memcpy(part->vertices, placed.vertices, placed.vertex_count * sizeof *part->vertices);
        memcpy(part->faces, placed.faces, placed.face_count * sizeof *part->faces);
    }
    rico__placed_mesh_release(&placed, memory);
    return reserved ? rico__part_build(part, memory, options) : RICO_OUT_OF_MEMORY;
}
