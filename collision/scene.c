/* The scene object: its lifetime, its version and its statistics. */
#include "check.h"
#include "float_mode.h"
#include "limit.h"
#include "scene_private.h"
#include "vec.h"

#define SCENE_COOKIE 0x5343454eu
#define CELL_SIZE_MIN 0.01f
#define CELL_SIZE_MAX 100.0f

rico_scene_def rico_scene_def_default(void)
{
    return (rico_scene_def){.cookie = SCENE_COOKIE};
}

rico_result rico_scene_create(const rico_scene_def *def, rico_scene **out)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(def != NULL && out != NULL))
        return RICO_OUT_OF_RANGE;
    *out = NULL;
    if (def->cookie != SCENE_COOKIE)
        return rico__fail(NULL, RICO_UNINITIALIZED_DEF, "rico_scene_create",
                          "make the definition with rico_scene_def_default()");
    const float size = def->cell_size;
    rico_result result = rico__memory_check(&def->allocator, &def->log, "rico_scene_create");
    if (result == RICO_OK && size != 0.0f)
        result = rico__limit_number(&def->log, "rico_scene_create", "def.cell_size (unless 0)",
                                    size, CELL_SIZE_MIN, CELL_SIZE_MAX);
    if (result != RICO_OK)
        return result;
    rico__memory memory;
    rico__memory_init(&memory, &def->allocator);
    rico_scene *scene = rico__memory_allocate(&memory, 1, sizeof *scene, RICO_CACHE_LINE);
    if (scene == NULL)
        return rico__fail(&def->log, RICO_OUT_OF_MEMORY, "rico_scene_create",
                          "no memory for %zu bytes", sizeof *scene);
    scene->memory = memory;
    scene->log = def->log;
    scene->grid_options = (rico__grid_options){size, def->runner};
    scene->cast = rico__cast_for_cpu();
    rico__part_release(&scene->merged, &scene->memory);
    *out = scene;
    return RICO_OK;
}

void rico_scene_destroy(rico_scene *scene)
{
    if (scene == NULL)
        return;
    rico__memory memory = scene->memory;
    for (uint32_t i = 0; i < scene->shape_capacity; ++i)
        if (scene->shapes[i].used)
            rico__shape_release(scene, &scene->shapes[i]);
    rico__part_release(&scene->merged, &memory);
    rico__bodies_release(&scene->bodies, &memory);
    rico__memory_release(&memory, scene->shapes, scene->shape_capacity, sizeof *scene->shapes,
                         RICO_CACHE_LINE);
    rico__memory_release(&memory, scene->colliders, scene->collider_capacity,
                         sizeof *scene->colliders, RICO_CACHE_LINE);
    rico__memory_release(&memory, scene->layers, scene->layer_capacity, sizeof *scene->layers,
                         RICO_CACHE_LINE);
    rico__memory_release(&memory, scene->planes, scene->plane_capacity, sizeof *scene->planes,
                         RICO_CACHE_LINE);
    rico__memory_release(&memory, scene, 1, sizeof *scene, RICO_CACHE_LINE);
}

/* The slot of the only body, if there is one only and it lies in the world as it is; else
 * RICO_NO_SLOT. */
static uint32_t lone_slot(const rico_scene *scene)
{
    uint32_t node = scene->bodies.root;
    if (scene->plane_count > 0 || scene->merged_count > 0 || scene->bodies.count != 1 ||
        scene->bodies.level > 0)
        return RICO_NO_SLOT;
    uint32_t slot = scene->bodies.nodes[node].child[0];
    return scene->colliders[slot].placed ? slot : RICO_NO_SLOT;
}

void rico__scene_settle(rico_scene *scene)
{
    scene->only = NULL;
    uint32_t lone = lone_slot(scene);
    if (lone != RICO_NO_SLOT) {
        scene->only = &scene->shapes[scene->colliders[lone].shape].part;
        scene->only_layers = scene->layers[lone];
    } else if (scene->plane_count == 0 && scene->bodies.count == 0 && scene->merged_count > 0) {
        scene->only = &scene->merged;
        scene->only_layers = scene->merged_layers;
    }
    scene->plain = scene->only != NULL && scene->dressed_count == 0;
}

uint32_t rico_scene_version(const rico_scene *scene)
{
    return RICO_REQUIRE(scene != NULL) ? scene->version : 0;
}

static void add_part(rico_scene_stats *stats, const rico__part *part, uint32_t *most)
{
    stats->cell_count += (uint32_t)part->grid.cell_count;
    stats->reference_count += part->grid.reference_count;
    stats->node_count += part->grid.counts.nodes;
    stats->bundle_count += part->grid.counts.bundles;
    stats->level_count = uint_max(stats->level_count, part->grid.counts.levels);
    stats->hole_count += part->hole_count;
    uint32_t count = part->face_count - part->hole_count;
    if (count > *most) {
        *most = count;
        stats->cell_size = part->grid.cell_size;
    }
}

rico_scene_stats rico_scene_get_stats(const rico_scene *scene)
{
    if (!RICO_REQUIRE(scene != NULL))
        return (rico_scene_stats){0};
    rico_scene_stats stats = {.shape_count = scene->shape_count,
                              .collider_count = scene->collider_count,
                              .triangle_count = scene->triangle_count,
                              .bytes = scene->memory.live_bytes,
                              .build_ns = scene->build_ns,
                              .bounds = {{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}}};
    uint32_t most = 0;
    add_part(&stats, &scene->merged, &most);
    for (uint32_t i = 0; i < scene->shape_capacity; ++i)
        if (scene->shapes[i].used)
            add_part(&stats, &scene->shapes[i].part, &most);
    bool any = false;
    for (uint32_t i = 0; i < scene->collider_capacity; ++i) {
        const rico__collider *c = &scene->colliders[i];
        if (!c->used || c->box.lo.x > c->box.hi.x)
            continue;
        stats.bounds.lo = any ? vec3_min(stats.bounds.lo, c->box.lo) : c->box.lo;
        stats.bounds.hi = any ? vec3_max(stats.bounds.hi, c->box.hi) : c->box.hi;
        any = true;
    }
    return stats;
}
