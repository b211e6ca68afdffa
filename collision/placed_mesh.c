#include "placed_mesh.h"

#include "hash.h"
#include "ranges.h"
#include "ray_triangle.h"
#include "vec.h"

#include <string.h>

#define COORDINATE_MAX 1.0e6f
#define SMALLEST_TABLE 16u
#define RANGE_TRIANGLES 4096u

/* A corner as placed; the same bits whichever triangle asks. transform NULL: as it is. */
static rico_vec3 placed_vertex(const rico_mesh *mesh, const rico_transform *transform,
                               uint32_t index)
{
    const float *p = mesh->positions + 3 * (size_t)index;
    rico_vec3 at = vec3(p[0], p[1], p[2]);
    return transform == NULL ? at : transform_point(transform, at);
}

static bool in_range(rico_vec3 p)
{
    return __builtin_fabsf(p.x) <= COORDINATE_MAX && __builtin_fabsf(p.y) <= COORDINATE_MAX &&
           __builtin_fabsf(p.z) <= COORDINATE_MAX;
}

/* Corners of triangle i of the mesh as placed; false and counted in the report when it is
 * dropped. */
static bool place_triangle(const rico_mesh *mesh, const rico_transform *transform, uint32_t i,
                           rico__triangle *triangle, rico_mesh_report *report)
{
    uint32_t index[3];
    for (size_t k = 0; k < 3; ++k)
        index[k] = mesh->indices != NULL ? mesh->indices[3 * (size_t)i + k]
                                         : mesh->indices16[3 * (size_t)i + k];
    if (index[0] >= mesh->vertex_count || index[1] >= mesh->vertex_count ||
        index[2] >= mesh->vertex_count) {
        report->dropped_index += 1;
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        rico_vec3 p = placed_vertex(mesh, transform, index[k]);
        if (!in_range(p)) { /* NaN is in no range */
            report->dropped_not_finite += 1;
            return false;
        }
        triangle->v[3 * k] = p.x;
        triangle->v[3 * k + 1] = p.y;
        triangle->v[3 * k + 2] = p.z;
    }
    report->kept += 1;
    return true;
}

typedef struct counting {
    const rico_mesh *mesh;
    const rico_transform *transform;
    uint32_t count;
    rico_mesh_report reports[RICO_RANGES_MAX];
} counting;

static void count_range(void *context, uint32_t index)
{
    counting *c = context;
    uint32_t triangles = c->mesh->triangle_count;
    uint32_t end = rico__range_begin(triangles, index + 1, c->count);
    rico_mesh_report report = {0, 0, 0};
    rico__triangle unused;
    for (uint32_t i = rico__range_begin(triangles, index, c->count); i < end; ++i)
        place_triangle(c->mesh, c->transform, i, &unused, &report);
    c->reports[index] = report;
}

rico_mesh_report rico__placed_mesh_count(const rico_mesh *mesh, const rico_transform *transform,
                                         const rico_scene_runner *runner)
{
    counting c = {.mesh = mesh, .transform = transform};
    rico_mesh_report sum = {0, 0, 0};
    c.count = rico__ranges_count(runner, mesh->triangle_count, RANGE_TRIANGLES);
    rico__ranges_run(runner, c.count, count_range, &c);
    for (uint32_t i = 0; i < c.count; ++i) {
        sum.kept += c.reports[i].kept;
        sum.dropped_index += c.reports[i].dropped_index;
        sum.dropped_not_finite += c.reports[i].dropped_not_finite;
    }
    return sum;
}

/* Vertex + 1 by its bits, or 0; open addressing, at most half full. */
typedef struct vertex_table {
    uint32_t *slots;
    uint32_t slot_count, shift; /* slot_count = 2^(64 - shift) */
} vertex_table;

static uint32_t table_slot(const vertex_table *table, const float at[3])
{
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    uint64_t mixed = rico__mix64(bits[0] | (uint64_t)bits[1] << 32);
    return (uint32_t)(((mixed ^ bits[2]) * 0x9e3779b97f4a7c15u) >> table->shift);
}

/* The vertex with these bits, added when there is none. */
static uint32_t find_vertex(vertex_table *table, rico__placed_mesh *placed, const float at[3],
                            uint32_t collider)
{
    uint32_t slot = table_slot(table, at);
    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        uint32_t found = table->slots[slot] - 1;
        if (memcmp(placed->vertices[found].at, at, sizeof placed->vertices[found].at) == 0)
            return found;
    }
    uint32_t added = placed->vertex_count++;
    memcpy(placed->vertices[added].at, at, sizeof placed->vertices[added].at);
    placed->vertices[added].collider = collider;
    table->slots[slot] = added + 1;
    return added;
}

static void add_face(vertex_table *table, rico__placed_mesh *placed,
                     const rico__triangle *triangle, uint32_t index, uint32_t collider)
{
    rico__face *face = &placed->faces[placed->face_count++];
    for (uint32_t j = 0; j < 3; ++j)
        face->corner[j] = find_vertex(table, placed, triangle->v + 3 * j, collider);
    face->triangle = index;
    if (rico__triangle_is_flat(triangle))
        face->corner[0] |= RICO_FACE_FLAT;
}

bool rico__placed_mesh_make(rico__placed_mesh *placed, rico__memory *memory,
                            const rico_mesh *mesh, const rico_transform *transform,
                            uint32_t kept, uint32_t collider)
{
    /* Different corners have different indices. */
    uint64_t most = 3 * (uint64_t)kept;
    most = most < mesh->vertex_count ? most : mesh->vertex_count;
    vertex_table table = {.slot_count = SMALLEST_TABLE, .shift = 60};
    for (; table.slot_count < 2 * most; table.slot_count *= 2)
        table.shift -= 1;
    *placed = (rico__placed_mesh){.vertex_capacity = (uint32_t)most, .face_capacity = kept};
    placed->vertices = rico__memory_allocate(memory, placed->vertex_capacity,
                                             sizeof *placed->vertices, RICO_CACHE_LINE);
    placed->faces = rico__memory_allocate(memory, kept, sizeof *placed->faces, RICO_CACHE_LINE);
    table.slots =
        rico__memory_allocate(memory, table.slot_count, sizeof *table.slots, RICO_CACHE_LINE);
    bool made = placed->vertices != NULL && placed->faces != NULL && table.slots != NULL;
    rico_mesh_report again = {0, 0, 0};
    for (uint32_t i = 0; made && i < mesh->triangle_count && placed->face_count < kept; ++i) {
        rico__triangle triangle;
        if (place_triangle(mesh, transform, i, &triangle, &again))
            add_face(&table, placed, &triangle, i, collider);
    }
    rico__memory_release(memory, table.slots, table.slot_count, sizeof *table.slots,
                         RICO_CACHE_LINE);
    if (!made)
        rico__placed_mesh_release(placed, memory);
    return made;
}

void rico__placed_mesh_release(rico__placed_mesh *placed, rico__memory *memory)
{
    rico__memory_release(memory, placed->vertices, placed->vertex_capacity,
                         sizeof *placed->vertices, RICO_CACHE_LINE);
    rico__memory_release(memory, placed->faces, placed->face_capacity, sizeof *placed->faces,
                         RICO_CACHE_LINE);
    *placed = (rico__placed_mesh){.face_count = 0};
}
