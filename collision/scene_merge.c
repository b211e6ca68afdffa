/* Puts all added meshes into one grid. */
#include "check.h"
#include "clock.h"
#include "float_mode.h"
#include "log.h"
#include "scene_private.h"

#include <string.h>

typedef struct merge_counts {
    uint32_t faces, vertices, colliders;
    bool news; /* some are not in the merged part yet */
} merge_counts;

static uint32_t vertices_of(const rico_scene *scene, const rico__collider *c)
{
    return c->merged ? c->vertex_count : scene->shapes[c->shape].part.vertex_count;
}

static merge_counts count_added(const rico_scene *scene)
{
    merge_counts counts = {0, 0, 0, false};
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        const rico__collider *c = &scene->colliders[slot];
        if (!c->used || !c->placed)
            continue;
        counts.faces += scene->shapes[c->shape].triangle_count;
        counts.vertices += vertices_of(scene, c);
        counts.colliders += 1;
        counts.news |= !c->merged;
    }
    return counts;
}

/* Copies every added mesh in the order of slots. */
static void copy_added(const rico_scene *scene, rico__part *part)
{
    uint32_t face = 0, vertex = 0;
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        const rico__collider *c = &scene->colliders[slot];
        if (!c->used || !c->placed)
            continue;
        uint32_t faces = scene->shapes[c->shape].triangle_count;
        uint32_t vertices = vertices_of(scene, c);
        rico__part_copy(part, face, vertex, rico__collider_part(scene, c),
                        c->merged ? c->face_first : 0, faces, c->merged ? c->vertex_first : 0,
                        vertices);
        face += faces;
        vertex += vertices;
    }
}

/* Makes the new part the merged one. No added mesh keeps a grid of its own. */
static void commit(rico_scene *scene, rico__part *part, const merge_counts *counts)
{
    uint32_t face = 0, vertex = 0;
    scene->merged_layers = UINT32_MAX;
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        rico__collider *c = &scene->colliders[slot];
        if (!c->used || !c->placed)
            continue;
        c->vertex_count = vertices_of(scene, c);
        c->face_first = face;
        c->vertex_first = vertex;
        if (!c->merged) {
            rico__bodies_take(&scene->bodies, slot);
            rico__part_release(&scene->shapes[c->shape].part, &scene->memory);
        }
        c->merged = true;
        scene->merged_end = slot + 1;
        face += scene->shapes[c->shape].triangle_count;
        vertex += c->vertex_count;
        scene->merged_layers &= scene->layers[slot];
    }
    rico__part_release(&scene->merged, &scene->memory);
    scene->merged = *part;
    scene->merged_count = counts->colliders;
    rico__scene_settle(scene);
}

rico_result rico_scene_merge(rico_scene *scene)
{
    RICO__FLOAT_MODE();
    static const char call[] = "rico_scene_merge";
    if (!RICO_REQUIRE(scene != NULL))
        return RICO_OUT_OF_RANGE;
    uint64_t start = rico__clock_ns();
    merge_counts counts = count_added(scene);
    if (!counts.news && scene->merged.hole_count == 0)
        return RICO_OK;
    rico__part part = {.vertices = NULL};
    rico_result result = RICO_OUT_OF_MEMORY;
    if (rico__part_reserve(&part, &scene->memory, counts.vertices, counts.faces)) {
        copy_added(scene, &part);
        result = rico__part_build(&part, &scene->memory, &scene->grid_options);
    }
    if (result != RICO_OK)
        return rico__fail(&scene->log, result, call, "no memory for %u triangles",
                          counts.faces);
    commit(scene, &part, &counts);
    scene->build_ns = rico__clock_ns() - start;
    return RICO_OK;
}
