/* Draws the surfaces of records as lines: each plane within its outline and its record's
 * box. */
#include "cache_records.h"
#include "float_mode.h"
#include "stages.h"
#include "vec.h"

#define MOST_CORNERS 16u /* four of the square, and at most one more for each of nine cuts */

typedef struct drawing {
    const rico_world *world;
    const rico_box *box;
    rico_cache_line *line;
    void *user;
} drawing;

/* A convex polygon, relative to the cell's centre. */
typedef struct polygon {
    rico_vec3 corner[MOST_CORNERS];
    uint32_t count;
} polygon;

/* Keeps the part on the side normal . p <= limit. */
static void cut(polygon *all, rico_vec3 normal, float limit)
{
    polygon kept = {.count = 0};
    for (uint32_t i = 0; i < all->count; ++i) {
        rico_vec3 a = all->corner[i], b = all->corner[(i + 1) % all->count];
        float out_a = vec3_dot(normal, a) - limit, out_b = vec3_dot(normal, b) - limit;
        if (out_a <= 0.0f && kept.count < MOST_CORNERS)
            kept.corner[kept.count++] = a;
        if ((out_a <= 0.0f) != (out_b <= 0.0f) && kept.count < MOST_CORNERS)
            kept.corner[kept.count++] = vec3_mad(a, vec3_sub(b, a), out_a / (out_a - out_b));
    }
    *all = kept;
}

/* A square of the plane, larger than the record's box. */
static polygon square_of(rico_vec3 normal, float offset, float half)
{
    rico_vec3 other =
        __builtin_fabsf(normal.z) < 0.7f ? vec3(0.0f, 0.0f, 1.0f) : vec3(1.0f, 0.0f, 0.0f);
    rico_vec3 u = vec3_cross(normal, other), middle = vec3_scale(normal, offset);
    u = vec3_scale(u, 4.0f * half / vec3_length(u));
    rico_vec3 v = vec3_cross(normal, u);
    return (polygon){{vec3_add(middle, vec3_add(u, v)), vec3_add(middle, vec3_sub(v, u)),
                      vec3_sub(middle, vec3_add(u, v)), vec3_add(middle, vec3_sub(u, v))},
                     4};
}

/* Cuts by the half plane of an edge, in space: seen along the main axis of the normal (project
 * in record.c). */
static void cut_edge(polygon *all, rico_vec3 normal, const int16_t *edge, uint32_t stride)
{
    float x = __builtin_fabsf(normal.x), y = __builtin_fabsf(normal.y);
    float z = __builtin_fabsf(normal.z);
    float u = edge[0], v = edge[stride], out = edge[2 * stride];
    rico_vec3 across = z >= x && z >= y ? vec3(u, v, 0.0f)
                       : x >= y         ? vec3(0.0f, u, v)
                                        : vec3(v, 0.0f, u);
    if (edge[0] != 0 || edge[stride] != 0)
        cut(all, vec3_scale(across, 1.0f / RICO__LENGTH_UNIT), out / RICO__LENGTH_UNIT);
}

static void draw_surface(const drawing *d, const rico__cell *cell, const rico__surfaces *s,
                         uint32_t i)
{
    const int16_t *plane = s->planes + i, *edge = s->outlines + i;
    float half = cell->half + d->world->coverage.margin;
    rico_vec3 normal = vec3_scale(vec3(plane[0], plane[s->count], plane[2 * s->count]),
                                  1.0f / RICO__NORMAL_UNIT);
    polygon all = square_of(normal, (float)plane[3 * s->count] / RICO__LENGTH_UNIT, half);
    for (int k = 0; k < 3; ++k)
        cut_edge(&all, normal, edge + 3 * (uint32_t)k * s->count, s->count);
    for (int sign = -1; sign <= 1; sign += 2) {
        cut(&all, vec3((float)sign, 0.0f, 0.0f), half);
        cut(&all, vec3(0.0f, (float)sign, 0.0f), half);
        cut(&all, vec3(0.0f, 0.0f, (float)sign), half);
    }
    for (uint32_t k = 0; k < all.count; ++k)
        d->line(d->user, vec3_add(cell->center, all.corner[k]),
                vec3_add(cell->center, all.corner[(k + 1) % all.count]), normal);
}

static void draw_record(void *user, rico_cache_key key, const rico_cache_info *info,
                        const void *payload, uint32_t bytes)
{
    const drawing *d = user;
    uint32_t level;
    (void)info;
    if (bytes == 0 || rico__key_is_mark(key, &level))
        return;
    const rico__record *record = payload;
    rico__cell cell = rico__record_cell(key, d->world->def.cell_size);
    rico_box box = rico__record_box(&cell, d->world->coverage.margin);
    if (box.lo.x > d->box->hi.x || box.hi.x < d->box->lo.x || box.lo.y > d->box->hi.y ||
        box.hi.y < d->box->lo.y || box.lo.z > d->box->hi.z || box.hi.z < d->box->lo.z)
        return;
    rico__surfaces surfaces = rico__record_surfaces(record);
    for (uint32_t i = 0; i < surfaces.count; ++i)
        draw_surface(d, &cell, &surfaces, i);
}

rico_result rico_world_draw_cache(rico_world *world, const rico_box *box, rico_cache_line *line,
                                  void *user)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, box != NULL && line != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_draw_cache";
    rico_result result = rico__cache_is_there(world, call);
    if (result == RICO_OK)
        result = rico__check_box(world, box, call);
    if (result != RICO_OK)
        return world->last_result = result;
    drawing d = {world, box, line, user};
    const bool was = rico__begin_work(world); /* edits by the host's function are refused */
    rico_cache_walk(world->records, draw_record, &d);
    rico__end_work(world, was);
    return RICO_OK;
}
