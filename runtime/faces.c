/* The triangles of shape mesh, picked by their area. */
#include "births.h"

#include "vec.h"

#include <ricochet/result.h>

static rico_vec3 corner_of(const rico_emitter_mesh *mesh, uint32_t triangle, uint32_t corner)
{
    const float *p = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)triangle + corner];
    return vec3(p[0], p[1], p[2]);
}

/* Twice the triangle's area; 0 if it has none, or one too large for a float. */
static double area_of(const rico_emitter_mesh *mesh, uint32_t triangle, rico_vec3 *normal)
{
    rico_vec3 a = corner_of(mesh, triangle, 0);
    rico_vec3 u = vec3_sub(corner_of(mesh, triangle, 1), a);
    rico_vec3 v = vec3_sub(corner_of(mesh, triangle, 2), a);
    *normal = vec3_cross(u, v);
    float length = vec3_length(*normal);
    if (!(length > 1.0e-18f) || !float_is_finite(length))
        return 0.0;
    *normal = vec3_scale(*normal, 1.0f / length);
    return (double)length;
}

/* Counts the triangles that have an area. Returns the sum of area_of. */
static double measure(const rico_emitter_mesh *mesh, uint32_t *count)
{
    double sum = 0.0;
    rico_vec3 normal;
    *count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        double area = area_of(mesh, t, &normal);
        sum += area;
        *count += area > 0.0;
    }
    return sum;
}

static void fill_faces(rico__face *faces, const rico_emitter_mesh *mesh, double whole)
{
    double sum = 0.0;
    uint32_t n = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        rico_vec3 normal;
        double area = area_of(mesh, t, &normal);
        if (!(area > 0.0))
            continue;
        rico_vec3 a = corner_of(mesh, t, 0);
        sum += area;
        double share = sum / whole * 4294967296.0;
        faces[n++] = (rico__face){.corner = a,
                                  .u = vec3_sub(corner_of(mesh, t, 1), a),
                                  .v = vec3_sub(corner_of(mesh, t, 2), a),
                                  .normal = normal,
                                  .up_to = share < 4294967295.0 ? (uint32_t)share : UINT32_MAX};
    }
}

rico_result rico__faces_create(rico__recipe *recipe, rico__memory *memory)
{
    const rico_emitter_mesh mesh = recipe->def.mesh;
    recipe->faces = NULL;
    recipe->face_count = 0;
    recipe->def.mesh = (rico_emitter_mesh){.positions = NULL}; /* the host's: not kept */
    if (recipe->def.shape != RICO_EMIT_MESH)
        return RICO_OK;
    uint32_t count;
    double whole = measure(&mesh, &count);
    if (count == 0)
        return RICO_EMPTY_MESH;
    recipe->faces =
        rico__memory_allocate(memory, count, sizeof *recipe->faces, RICO_CACHE_LINE);
    if (recipe->faces == NULL)
        return RICO_OUT_OF_MEMORY;
    recipe->face_count = count;
    fill_faces(recipe->faces, &mesh, whole);
    return RICO_OK;
}

void rico__faces_release(rico__recipe *recipe, rico__memory *memory)
{
    rico__memory_release(memory, recipe->faces, recipe->face_count, sizeof *recipe->faces,
                         RICO_CACHE_LINE);
    recipe->faces = NULL;
    recipe->face_count = 0;
}

const rico__face *rico__face_pick(const rico__recipe *recipe, uint32_t number)
{
    uint32_t low = 0, high = recipe->face_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (number < recipe->faces[middle].up_to)
            high = middle;
        else
            low = middle + 1;
    }
    return &recipe->faces[low];
}
