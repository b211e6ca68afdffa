/* Casts captured rays again, in scenes made of the triangles that they met. */
#include "capture.h"

#include <stdlib.h>
#include <string.h>

static void say_nothing(void *user, rico_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

static rico_scene *create_scene(float cell_size)
{
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = NULL;
    def.cell_size = cell_size;
    def.log.write = say_nothing; /* an invalid triangle is reported by its absence */
    return rico_scene_create(&def, &scene) == RICO_OK ? scene : NULL;
}

/* Returns false when memory ran out. */
static bool add_triangles(rico_scene *scene, const rico_triangle *triangles, uint32_t count)
{
    float *positions = malloc(count * 9u * sizeof *positions);
    uint32_t *indices = malloc(count * 3u * sizeof *indices);
    rico_result result = RICO_OUT_OF_MEMORY;
    if (positions && indices) {
        for (uint32_t i = 0; i < count; ++i)
            memcpy(positions + 9u * i, &triangles[i].a, 9 * sizeof *positions);
        for (uint32_t i = 0; i < 3u * count; ++i)
            indices[i] = i;
        rico_mesh mesh = {.positions = positions,
                          .vertex_count = 3u * count,
                          .indices = indices,
                          .triangle_count = count};
        result = rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL);
    }
    free(positions);
    free(indices);
    return result == RICO_OK;
}

_Static_assert(offsetof(rico_triangle, collider) == 9 * sizeof(float),
               "three corners in a row");

/* The number of triangles from `first` on that belong to one collider. */
static uint32_t run_of(const capture_query *q, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < q->triangle_count &&
           q->triangles[end].collider == q->triangles[first].collider)
        ++end;
    return end - first;
}

rico_scene *capture_scene(const capture_query *query, float cell_size)
{
    rico_scene *scene = create_scene(cell_size);
    bool made = scene != NULL;
    for (uint32_t i = 0; made && i < query->triangle_count;) {
        uint32_t count = run_of(query, i);
        made = add_triangles(scene, query->triangles + i, count);
        i += count;
    }
    if (made)
        return scene;
    rico_scene_destroy(scene);
    return NULL;
}

rico_hit capture_rename(const capture_query *query, const rico_hit *hit)
{
    rico_hit named = *hit;
    uint32_t slot = 1;
    if (hit->collider == 0)
        return named;
    for (uint32_t i = 0; i < query->triangle_count; i += run_of(query, i), ++slot)
        if (slot == hit->collider) {
            named.collider = query->triangles[i].collider;
            named.triangle = query->triangles[i + hit->triangle].triangle;
        }
    return named;
}

rico_ray capture_ray_for_scene(const capture_query *query)
{
    rico_ray ray = query->ray;
    uint32_t slot = 1;
    ray.ignore = 0;
    for (uint32_t i = 0; i < query->triangle_count; i += run_of(query, i), ++slot)
        if (query->triangles[i].collider == query->ray.ignore)
            ray.ignore = slot;
    return ray;
}

static bool comes_before(const rico_hit *a, const rico_hit *b)
{
    if (b->collider == 0 || a->t != b->t)
        return b->collider == 0 || a->t < b->t;
    return a->collider < b->collider ||
           (a->collider == b->collider && a->triangle < b->triangle);
}

bool capture_brute(const capture_query *query, rico_hit *hit)
{
    rico_filter filter = query->filter;
    rico_ray ray = query->ray;
    filter.layers = RICO_LAYER_DEFAULT; /* what was gathered has passed the filter */
    filter.ignored_layers = 0;
    ray.ignore = 0;
    *hit = (rico_hit){.t = ray.t_max, .triangle = RICO_NO_TRIANGLE};
    for (uint32_t i = 0; i < query->triangle_count; ++i) {
        const rico_triangle *t = &query->triangles[i];
        if (t->collider == query->ray.ignore)
            continue;
        rico_scene *scene = create_scene(0.0f);
        bool made = scene && add_triangles(scene, t, 1);
        rico_hit one = made ? rico_scene_raycast(scene, &filter, &ray) : *hit;
        rico_scene_destroy(scene);
        if (!made)
            return false;
        if (one.collider == 0)
            continue;
        one.collider = t->collider;
        one.triangle = t->triangle;
        if (comes_before(&one, hit))
            *hit = one;
    }
    return true;
}

bool capture_same(const rico_hit *a, const rico_hit *b)
{
    return memcmp(&a->t, &b->t, sizeof a->t) == 0 && a->collider == b->collider &&
           a->triangle == b->triangle && a->back_face == b->back_face &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}
