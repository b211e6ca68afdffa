#include "placed_mesh.h"

#include "bits.h"
#include "hash.h"
#include "limit.h"
#include "ranges.h"
#include "ray_triangle.h"
#include "vec.h"

#include <string.h>

#define SMALLEST_TABLE 16u
#define RANGE_TRIANGLES 4096u

/* A mesh may use only a small part of its vertices. Above this ratio its indices are not
 * remembered. */
#define KNOWN_PER_VERTEX 4u

/* A vertex as placed: the same bits for every triangle that uses it. transform NULL: as it
 * is. */
static rico_vec3 placed_vertex(const rico_mesh *mesh, const rico_transform *transform,
                               uint32_t index)
{
    const float *p = mesh->positions + 3 * (size_t)index;
    rico_vec3 at = vec3(p[0], p[1], p[2]);
    return transform == NULL ? at : transform_point(transform, at);
}

static inline void read_indices(const rico_mesh *mesh, uint32_t i, uint32_t index[3])
{
    for (size_t k = 0; k < 3; ++k)
        index[k] = mesh->indices != NULL ? mesh->indices[3 * (size_t)i + k]
                                         : mesh->indices16[3 * (size_t)i + k];
}

static inline bool are_vertices(const rico_mesh *mesh, const uint32_t index[3])
{
    uint32_t most = uint_max(index[0], uint_max(index[1], index[2]));
    return most < mesh->vertex_count;
}

/* Returns false, and counts it in the report, when the triangle is dropped. */
static bool count_triangle(const rico_mesh *mesh, const rico_transform *transform, uint32_t i,
                           rico_mesh_report *report)
{
    uint32_t index[3];
    read_indices(mesh, i, index);
    if (!are_vertices(mesh, index)) {
        report->dropped_index += 1;
        return false;
    }
    for (int k = 0; k < 3; ++k)
        if (!rico__is_within(placed_vertex(mesh, transform, index[k]),
                             RICO__MOST_COORDINATE)) { /* NaN is in no range */
            report->dropped_not_finite += 1;
            return false;
        }
    report->kept += 1;
    return true;
}

typedef struct counting {
    const rico_mesh *mesh;
    const rico_transform *transform;
    uint32_t count;
    bool clean; /* no vertex is out of range */
    rico_mesh_report reports[RICO_RANGES_MAX];
    bool strays[RICO_RANGES_MAX]; /* the range has vertices that are out of range */
} counting;

static void look_for_strays(void *context, uint32_t index)
{
    counting *c = context;
    uint32_t vertices = c->mesh->vertex_count, inside = 1;
    uint32_t end = rico__range_begin(vertices, index + 1, c->count);
    for (uint32_t i = rico__range_begin(vertices, index, c->count); i < end; ++i)
        inside &=
            rico__is_within(placed_vertex(c->mesh, c->transform, i), RICO__MOST_COORDINATE);
    c->strays[index] = !inside;
}

static bool is_clean(counting *c, const rico_scene_runner *runner)
{
    if (c->mesh->vertex_count > c->mesh->triangle_count)
        return false; /* not worth it */
    rico__ranges_run(runner, c->count, look_for_strays, c);
    for (uint32_t i = 0; i < c->count; ++i)
        if (c->strays[i])
            return false;
    return true;
}

static void count_range(void *context, uint32_t index)
{
    counting *c = context;
    uint32_t triangles = c->mesh->triangle_count;
    uint32_t end = rico__range_begin(triangles, index + 1, c->count);
    rico_mesh_report report = {0, 0, 0};
    for (uint32_t i = rico__range_begin(triangles, index, c->count); i < end; ++i) {
        uint32_t corners[3];
        read_indices(c->mesh, i, corners);
        if (c->clean && are_vertices(c->mesh, corners))
            report.kept += 1;
        else
            count_triangle(c->mesh, c->transform, i, &report);
    }
    c->reports[index] = report;
}

rico_mesh_report rico__placed_mesh_count(const rico_mesh *mesh, const rico_transform *transform,
                                         const rico_scene_runner *runner)
{
    counting c = {.mesh = mesh, .transform = transform};
    rico_mesh_report sum = {0, 0, 0};
    c.count = rico__ranges_count(runner, mesh->triangle_count, RANGE_TRIANGLES);
    c.clean = is_clean(&c, runner);
    rico__ranges_run(runner, c.count, count_range, &c);
    for (uint32_t i = 0; i < c.count; ++i) {
        sum.kept += c.reports[i].kept;
        sum.dropped_index += c.reports[i].dropped_index;
        sum.dropped_not_finite += c.reports[i].dropped_not_finite;
    }
    return sum;
}

/* Finds vertex + 1 by its bits, or 0. Open addressing, at most half full. */
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

typedef struct placing {
    const rico_mesh *mesh;
    const rico_transform *transform;
    rico__placed_mesh *placed;
    uint32_t collider;
    vertex_table table;
    uint32_t
        *known; /* vertex + 1 by the mesh's index, or 0; NULL: there are too many indices */
} placing;

/* The vertex with these bits. It is added when there is none. slot: its table_slot. */
static uint32_t find_vertex(placing *p, const float at[3], uint32_t slot)
{
    vertex_table *table = &p->table;
    rico__vertex *vertices = p->placed->vertices;
    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        uint32_t found = table->slots[slot] - 1;
        if (memcmp(vertices[found].at, at, sizeof vertices[found].at) == 0)
            return found;
    }
    uint32_t added = p->placed->vertex_count++;
    memcpy(vertices[added].at, at, sizeof vertices[added].at);
    vertices[added].collider = p->collider;
    table->slots[slot] = added + 1;
    return added;
}

static bool is_known(const placing *p, uint32_t index)
{
    return p->known != NULL && p->known[index] != 0;
}

/* A triangle that is kept, on its way to the table. */
typedef struct waiting {
    uint32_t triangle, index[3], slot[3];
    float at[3][3];
} waiting;

/* Places the corners that are not known yet, and fetches their slots. */
static void prepare(const placing *p, uint32_t triangle, waiting *w)
{
    w->triangle = triangle;
    read_indices(p->mesh, triangle, w->index);
    for (uint32_t j = 0; j < 3; ++j) {
        if (is_known(p, w->index[j]))
            continue;
        rico_vec3 at = placed_vertex(p->mesh, p->transform, w->index[j]);
        w->at[j][0] = at.x;
        w->at[j][1] = at.y;
        w->at[j][2] = at.z;
        w->slot[j] = table_slot(&p->table, w->at[j]);
        __builtin_prefetch(&p->table.slots[w->slot[j]]);
    }
}

static uint32_t find_corner(placing *p, const waiting *w, uint32_t j)
{
    if (is_known(p, w->index[j]))
        return p->known[w->index[j]] - 1;
    uint32_t found = find_vertex(p, w->at[j], w->slot[j]);
    if (p->known != NULL)
        p->known[w->index[j]] = found + 1;
    return found;
}

static void add_face(placing *p, const waiting *w)
{
    rico__face *face = &p->placed->faces[p->placed->face_count++];
    for (uint32_t j = 0; j < 3; ++j)
        face->corner[j] = find_corner(p, w, j);
    face->triangle = w->triangle;
    rico__triangle corners;
    for (uint32_t j = 0; j < 3; ++j)
        memcpy(corners.v + 3 * j, p->placed->vertices[face->corner[j]].at, 3 * sizeof(float));
    if (rico__triangle_is_flat(&corners))
        face->corner[0] |= RICO_FACE_FLAT;
}

/* So many triangles wait for the table at the same time. */
#define TOGETHER 16u

static void place_all(placing *p, uint32_t kept)
{
    waiting group[TOGETHER];
    rico_mesh_report again = {0, 0, 0};
    bool all = kept == p->mesh->triangle_count;
    for (uint32_t i = 0; i < p->mesh->triangle_count && p->placed->face_count < kept;) {
        uint32_t count = 0, room = uint_min(TOGETHER, kept - p->placed->face_count);
        for (; i < p->mesh->triangle_count && count < room; ++i)
            if (all || count_triangle(p->mesh, p->transform, i, &again))
                prepare(p, i, &group[count++]);
        for (uint32_t n = 0; n < count; ++n)
            add_face(p, &group[n]);
    }
}

bool rico__placed_mesh_make(rico__placed_mesh *placed, rico__memory *memory,
                            const rico_mesh *mesh, const rico_transform *transform,
                            uint32_t kept, uint32_t collider)
{
    /* Different corners have different indices, so there are no more corners than vertices. */
    uint64_t most = 3 * (uint64_t)kept;
    most = most < mesh->vertex_count ? most : mesh->vertex_count;
    uint32_t known_count =
        mesh->vertex_count <= most * KNOWN_PER_VERTEX ? mesh->vertex_count : 0;
    placing p = {mesh, transform, placed, collider, {NULL, SMALLEST_TABLE, 60}, NULL};
    for (; p.table.slot_count < 2 * most; p.table.slot_count *= 2)
        p.table.shift -= 1;
    *placed = (rico__placed_mesh){.vertex_capacity = (uint32_t)most, .face_capacity = kept};
    placed->vertices = rico__memory_allocate(memory, placed->vertex_capacity,
                                             sizeof *placed->vertices, RICO_CACHE_LINE);
    placed->faces = rico__memory_allocate(memory, kept, sizeof *placed->faces, RICO_CACHE_LINE);
    p.table.slots = rico__memory_allocate(memory, p.table.slot_count, sizeof *p.table.slots,
                                          RICO_CACHE_LINE);
    p.known = rico__memory_allocate(memory, known_count, sizeof *p.known, RICO_CACHE_LINE);
    bool made = placed->vertices != NULL && placed->faces != NULL && p.table.slots != NULL &&
                (known_count == 0 || p.known != NULL);
    if (made)
        place_all(&p, kept);
    rico__memory_release(memory, p.known, known_count, sizeof *p.known, RICO_CACHE_LINE);
    rico__memory_release(memory, p.table.slots, p.table.slot_count, sizeof *p.table.slots,
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
