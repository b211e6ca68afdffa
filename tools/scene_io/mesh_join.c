#include "mesh_join.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool grow(void **memory, size_t items, size_t item_bytes)
{
    void *larger = realloc(*memory, items > 0 ? items * item_bytes : 1);
    if (larger != NULL)
        *memory = larger;
    return larger != NULL;
}

rico_result rio_mesh_join(rio_mesh *mesh, const rio_mesh *part, float scale, rico_vec3 offset)
{
    size_t vertices = (size_t)mesh->vertex_count + part->vertex_count;
    size_t triangles = (size_t)mesh->triangle_count + part->triangle_count;
    const float move[3] = {offset.x, offset.y, offset.z};
    if (vertices > INT32_MAX || triangles > INT32_MAX / 3)
        return RICO_FULL;
    void *positions = mesh->positions, *indices = mesh->indices, *colors = mesh->colors;
    bool room = grow(&positions, vertices, 3 * sizeof(float));
    mesh->positions = positions;
    room = grow(&indices, triangles, 3 * sizeof(uint32_t)) && room;
    mesh->indices = indices;
    room = grow(&colors, triangles, 3 * sizeof(float)) && room;
    mesh->colors = colors;
    if (!room)
        return RICO_OUT_OF_MEMORY;
    float *to = mesh->positions + (size_t)mesh->vertex_count * 3;
    for (size_t i = 0; i < (size_t)part->vertex_count * 3; i++)
        to[i] = part->positions[i] * scale + move[i % 3];
    uint32_t *corner = mesh->indices + (size_t)mesh->triangle_count * 3;
    for (size_t i = 0; i < (size_t)part->triangle_count * 3; i++)
        corner[i] = part->indices[i] + mesh->vertex_count;
    memcpy(mesh->colors + (size_t)mesh->triangle_count * 3, part->colors,
           (size_t)part->triangle_count * 3 * sizeof(float));
    mesh->vertex_count = (uint32_t)vertices;
    mesh->triangle_count = (uint32_t)triangles;
    return RICO_OK;
}

static bool is_whole(const rio_mesh *mesh, const uint32_t *corners)
{
    for (int c = 0; c < 3; c++) {
        if (corners[c] >= mesh->vertex_count)
            return false;
        const float *p = mesh->positions + (size_t)corners[c] * 3;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return false;
    }
    return true;
}

uint32_t rio_mesh_drop_broken(rio_mesh *mesh)
{
    uint32_t kept = 0, before = mesh->triangle_count;
    for (uint32_t i = 0; i < before; i++) {
        size_t from = (size_t)i * 3, to = (size_t)kept * 3;
        if (!is_whole(mesh, mesh->indices + from))
            continue;
        memmove(mesh->indices + to, mesh->indices + from, 3 * sizeof(uint32_t));
        memmove(mesh->colors + to, mesh->colors + from, 3 * sizeof(float));
        kept++;
    }
    mesh->triangle_count = kept;
    return before - kept;
}
