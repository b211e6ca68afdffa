#include "check.h"
#include "log.h"
#include "ray_triangle.h"
#include "scene_private.h"

#define SCENE_COOKIE 0x5343454eu
#define CELL_SIZE_MIN 0.01f
#define CELL_SIZE_MAX 100.0f

rico_scene_def rico_scene_def_default(void)
{
    return (rico_scene_def){.cookie = SCENE_COOKIE};
}

rico_result rico_scene_create(const rico_scene_def *def, rico_scene **out)
{
    if (!RICO_REQUIRE(def != NULL && out != NULL))
        return RICO_OUT_OF_RANGE;
    *out = NULL;
    if (def->cookie != SCENE_COOKIE)
        return rico__fail(NULL, RICO_UNINITIALIZED_DEF, "rico_scene_create",
                          "make the definition with rico_scene_def_default()");
    float size = def->cell_size;
    if (size != 0.0f && !(size >= CELL_SIZE_MIN && size <= CELL_SIZE_MAX))
        return rico__fail(&def->log, RICO_OUT_OF_RANGE, "rico_scene_create",
                          "def.cell_size is %g, expected 0 or %g..%g", (double)size,
                          (double)CELL_SIZE_MIN, (double)CELL_SIZE_MAX);
    rico__memory memory;
    rico__memory_init(&memory, &def->allocator);
    rico_scene *scene = rico__memory_allocate(&memory, 1, sizeof *scene, RICO_CACHE_LINE);
    if (scene == NULL)
        return rico__fail(&def->log, RICO_OUT_OF_MEMORY, "rico_scene_create",
                          "no memory for %zu bytes", sizeof *scene);
    scene->memory = memory;
    scene->log = def->log;
    scene->cell_size = size;
    scene->cast = rico__cast_for_cpu();
    rico__grid_build(&scene->grid, &scene->memory, NULL, 0, 0, size);
    *out = scene;
    return RICO_OK;
}

void rico_scene_destroy(rico_scene *scene)
{
    if (scene == NULL)
        return;
    rico__memory memory = scene->memory;
    rico__grid_release(&scene->grid, &memory);
    rico__memory_release(&memory, scene->faces, scene->face_capacity, sizeof *scene->faces,
                         RICO_CACHE_LINE);
    rico__memory_release(&memory, scene->vertices, scene->vertex_capacity,
                         sizeof *scene->vertices, RICO_CACHE_LINE);
    rico__memory_release(&memory, scene->colliders, scene->collider_capacity,
                         sizeof *scene->colliders, RICO_CACHE_LINE);
    rico__memory_release(&memory, scene, 1, sizeof *scene, RICO_CACHE_LINE);
}

rico_filter rico_filter_default(void)
{
    return (rico_filter){.layers = UINT32_MAX};
}

/* Rays are asked about in runs that stay in a cache: whether one ignores a collider is then known
 * at no cost, and most do not. */
#define RUN 1024u

/* The kernels' filter for a run; NULL when everything is there. */
static const rico__cast_filter *cast_filter(rico__cast_filter *to, const rico_filter *filter,
                                            const rico_ray *rays, uint32_t count)
{
    uint32_t ignored = 0;
    for (uint32_t i = 0; i < count; ++i)
        ignored |= rays[i].ignore;
    bool skips = filter != NULL && filter->skip_back_faces;
    *to = (rico__cast_filter){.skip_back_faces = skips, .ignores = ignored != 0};
    return skips || ignored != 0 ? to : NULL;
}

static void raycast(const rico_scene *scene, const rico_filter *filter, const rico_ray *rays,
                    rico_hit *hits, uint32_t count)
{
    rico__cast_filter made;
    const rico__ray_best none = {0.0f, RICO_NO_TRIANGLE};
    for (uint32_t i = 0; i < count && scene->triangle_count == 0; ++i)
        hits[i] = rico__ray_hit(&rays[i], none, NULL, 0);
    for (uint32_t i = 0; i < count && scene->triangle_count > 0; i += RUN) {
        uint32_t run = uint_min(count - i, RUN);
        scene->cast->closest(&scene->grid, cast_filter(&made, filter, rays + i, run), rays + i,
                             hits + i, run);
    }
}

static void block(const rico_scene *scene, const rico_filter *filter, const rico_ray *rays,
                  bool *blocked, uint32_t count)
{
    rico__cast_filter made;
    for (uint32_t i = 0; i < count && scene->triangle_count == 0; ++i)
        blocked[i] = false;
    for (uint32_t i = 0; i < count && scene->triangle_count > 0; i += RUN) {
        uint32_t run = uint_min(count - i, RUN);
        scene->cast->blocked(&scene->grid, cast_filter(&made, filter, rays + i, run), rays + i,
                             blocked + i, run);
    }
}

rico_hit rico_scene_raycast(const rico_scene *scene, const rico_filter *filter,
                            const rico_ray *ray)
{
    rico_hit hit = {.triangle = RICO_NO_TRIANGLE};
    if (RICO_REQUIRE(scene != NULL && ray != NULL))
        raycast(scene, filter, ray, &hit, 1);
    return hit;
}

void rico_scene_raycast_batch(const rico_scene *scene, const rico_filter *filter,
                              const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (rays != NULL && hits != NULL))))
        return;
    raycast(scene, filter, rays, hits, count);
}

bool rico_scene_blocked(const rico_scene *scene, const rico_filter *filter, const rico_ray *ray)
{
    bool blocked = false;
    if (RICO_REQUIRE(scene != NULL && ray != NULL))
        block(scene, filter, ray, &blocked, 1);
    return blocked;
}

void rico_scene_blocked_batch(const rico_scene *scene, const rico_filter *filter,
                              const rico_ray *rays, bool *blocked, uint32_t count)
{
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (rays != NULL && blocked != NULL))))
        return;
    block(scene, filter, rays, blocked, count);
}

uint32_t rico_scene_version(const rico_scene *scene)
{
    return RICO_REQUIRE(scene != NULL) ? scene->version : 0;
}

rico_scene_stats rico_scene_get_stats(const rico_scene *scene)
{
    if (!RICO_REQUIRE(scene != NULL))
        return (rico_scene_stats){0};
    return (rico_scene_stats){.collider_count = scene->collider_count,
                              .triangle_count = scene->triangle_count,
                              .cell_count = (uint32_t)scene->grid.cell_count,
                              .reference_count = scene->grid.reference_count,
                              .bytes = scene->memory.live_bytes,
                              .build_ns = scene->build_ns,
                              .cell_size = scene->grid.cell_size,
                              .bounds = scene->grid.bounds};
}
