/* Edits. Each prepares everything that the scene will be (slots, triangles, grid) beside what
 * it is, and puts it in place when nothing can fail any more. */
#include "check.h"
#include "clock.h"
#include "log.h"
#include "ray_triangle.h"
#include "scene_private.h"
#include "vec.h"

#include <string.h>

#define COORDINATE_MAX 1.0e6f
#define TRIANGLES_MAX 0x08000000u /* kernels index their words with 31 bits */
#define FIRST_COLLIDER_CAPACITY 4u

typedef struct edit {
    rico__collider *colliders; /* the scene's own, or larger ones */
    uint32_t collider_capacity;
    rico__triangle *triangles;
    uint32_t triangle_count;
    rico__grid grid;
} edit;

static void edit_abandon(rico_scene *scene, edit *e)
{
    rico__grid_release(&e->grid, &scene->memory);
    rico__memory_release(&scene->memory, e->triangles, e->triangle_count, sizeof *e->triangles,
                         RICO_CACHE_LINE);
    if (e->colliders != scene->colliders)
        rico__memory_release(&scene->memory, e->colliders, e->collider_capacity,
                             sizeof *e->colliders, RICO_CACHE_LINE);
}

/* Frees what the edit replaced. */
static void edit_commit(rico_scene *scene, const edit *e, uint64_t build_ns)
{
    rico__grid_release(&scene->grid, &scene->memory);
    rico__memory_release(&scene->memory, scene->triangles, scene->triangle_capacity,
                         sizeof *scene->triangles, RICO_CACHE_LINE);
    if (e->colliders != scene->colliders)
        rico__memory_release(&scene->memory, scene->colliders, scene->collider_capacity,
                             sizeof *scene->colliders, RICO_CACHE_LINE);
    scene->colliders = e->colliders;
    scene->collider_capacity = e->collider_capacity;
    scene->triangles = e->triangles;
    scene->triangle_capacity = scene->triangle_high = scene->triangle_count = e->triangle_count;
    scene->grid = e->grid;
    scene->build_ns = build_ns;
    scene->version += 1;
    uint32_t first = 0;
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        scene->colliders[slot].triangle_first = first;
        first += scene->colliders[slot].triangle_count;
    }
}

/* A corner as placed; the same bits whichever triangle asks. */
static rico_vec3 placed_vertex(const rico_mesh *mesh, const rico_transform *transform,
                               uint32_t index)
{
    const float *p = mesh->positions + 3 * (size_t)index;
    return transform_point(transform, vec3(p[0], p[1], p[2]));
}

static bool in_range(rico_vec3 p)
{
    return __builtin_fabsf(p.x) <= COORDINATE_MAX && __builtin_fabsf(p.y) <= COORDINATE_MAX &&
           __builtin_fabsf(p.z) <= COORDINATE_MAX;
}

/* Triangle i of the mesh as placed; false and counted in the report when it is dropped. */
static bool place_triangle(const rico_mesh *mesh, const rico_transform *transform, uint32_t i,
                           rico__triangle *triangle, rico_mesh_report *report)
{
    const uint32_t *index = mesh->indices + 3 * (size_t)i;
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
    triangle->triangle = i;
    triangle->flat = rico__triangle_is_flat(triangle);
    report->kept += 1;
    return true;
}

static rico_mesh_report count_triangles(const rico_mesh *mesh, const rico_transform *transform)
{
    rico_mesh_report report = {0, 0, 0};
    rico__triangle unused;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
        place_triangle(mesh, transform, i, &unused, &report);
    return report;
}

static uint32_t free_slot(const rico_scene *scene)
{
    uint32_t slot = 0;
    while (slot < scene->collider_capacity && scene->colliders[slot].used)
        ++slot;
    return slot;
}

/* Makes room for the slot, in a copy when the array must grow. */
static bool edit_reserve_slot(rico_scene *scene, edit *e, uint32_t slot)
{
    e->colliders = scene->colliders;
    e->collider_capacity = scene->collider_capacity;
    if (slot < scene->collider_capacity)
        return true;
    uint32_t capacity = slot == 0 ? FIRST_COLLIDER_CAPACITY : 2 * slot;
    rico__collider *larger =
        rico__memory_allocate(&scene->memory, capacity, sizeof *larger, RICO_CACHE_LINE);
    if (larger == NULL)
        return false;
    if (slot > 0)
        memcpy(larger, scene->colliders, slot * sizeof *larger);
    for (uint32_t i = slot; i < capacity; ++i)
        larger[i].generation = 1;
    e->colliders = larger;
    e->collider_capacity = capacity;
    return true;
}

/* The scene's triangles in the order of slots, with room for count ones of the slot instead of
 * those it has; *hole is where they go. */
static bool edit_copy_triangles(rico_scene *scene, edit *e, uint32_t slot, uint32_t count,
                                uint32_t *hole)
{
    uint32_t before = 0, has = 0;
    if (slot < scene->collider_capacity) {
        before = scene->colliders[slot].triangle_first;
        has = scene->colliders[slot].triangle_count;
    } else {
        before = scene->triangle_count;
    }
    uint32_t after = scene->triangle_count - before - has;
    uint32_t total = before + count + after;
    *hole = before;
    if (total == 0)
        return true;
    e->triangles =
        rico__memory_allocate(&scene->memory, total, sizeof *e->triangles, RICO_CACHE_LINE);
    if (e->triangles == NULL)
        return false;
    e->triangle_count = total;
    if (before > 0)
        memcpy(e->triangles, scene->triangles, before * sizeof *e->triangles);
    if (after > 0)
        memcpy(e->triangles + before + count, scene->triangles + before + has,
               after * sizeof *e->triangles);
    return true;
}

/* Last step of an edit: builds the grid, and commits or leaves the scene as it was. */
static rico_result edit_finish(rico_scene *scene, edit *e)
{
    uint64_t start = rico__clock_ns();
    rico_result result =
        rico__grid_build(&e->grid, &scene->memory, e->triangles, e->triangle_count,
                         e->triangle_count, scene->cell_size);
    if (result != RICO_OK)
        edit_abandon(scene, e);
    else
        edit_commit(scene, e, rico__clock_ns() - start);
    return result;
}

static rico_result add_placed(rico_scene *scene, const rico_mesh *mesh,
                              const rico_transform *transform, uint32_t kept,
                              rico_collider_id *id)
{
    edit e = {.triangles = NULL};
    uint32_t slot = free_slot(scene), at = 0;
    if (!edit_reserve_slot(scene, &e, slot) ||
        !edit_copy_triangles(scene, &e, slot, kept, &at)) {
        edit_abandon(scene, &e);
        return RICO_OUT_OF_MEMORY;
    }
    rico_mesh_report again = {0, 0, 0};
    uint32_t end = at + kept;
    for (uint32_t i = 0; i < mesh->triangle_count && at < end; ++i) {
        e.triangles[at].collider = slot + 1;
        at += place_triangle(mesh, transform, i, &e.triangles[at], &again);
    }
    rico__collider before = e.colliders[slot];
    e.colliders[slot].used = true;
    e.colliders[slot].triangle_count = kept;
    bool shared = e.colliders == scene->colliders;
    rico_result result = edit_finish(scene, &e);
    if (result != RICO_OK) {
        if (shared)
            scene->colliders[slot] = before;
        return result;
    }
    scene->collider_count += 1;
    if (id != NULL)
        *id = (rico_collider_id){slot + 1, scene->colliders[slot].generation};
    return RICO_OK;
}

rico_result rico_scene_add_mesh(rico_scene *scene, const rico_mesh *mesh,
                                rico_transform transform, rico_mesh_report *report,
                                rico_collider_id *id)
{
    static const char call[] = "rico_scene_add_mesh";
    rico_mesh_report counted = {0, 0, 0};
    if (report != NULL)
        *report = counted;
    if (id != NULL)
        *id = (rico_collider_id){0, 0};
    if (!RICO_REQUIRE(scene != NULL && mesh != NULL) ||
        !RICO_REQUIRE(
            mesh->triangle_count == 0 ||
            (mesh->indices != NULL && (mesh->positions != NULL || mesh->vertex_count == 0))))
        return RICO_OUT_OF_RANGE;
    if (!transform_is_valid(&transform))
        return rico__fail(&scene->log, RICO_NOT_FINITE, call,
                          "the transform is not finite, its rotation not of length 1, or its "
                          "scale %g not in 0..1e6",
                          (double)transform.scale);
    counted = count_triangles(mesh, &transform);
    if (report != NULL)
        *report = counted;
    if (counted.kept == 0)
        return rico__fail(
            &scene->log, RICO_EMPTY_MESH, call,
            "none of %u triangles is valid: %u with a bad index, %u not finite or "
            "beyond 1e6 m",
            mesh->triangle_count, counted.dropped_index, counted.dropped_not_finite);
    if ((uint64_t)scene->triangle_count + counted.kept > TRIANGLES_MAX)
        return rico__fail(&scene->log, RICO_FULL, call, "%u + %u triangles are over 2^27",
                          scene->triangle_count, counted.kept);
    rico_result result = add_placed(scene, mesh, &transform, counted.kept, id);
    if (result != RICO_OK)
        return rico__fail(&scene->log, result, call, "no memory for %u more triangles",
                          counted.kept);
    return RICO_OK;
}

rico_result rico_scene_remove(rico_scene *scene, rico_collider_id id)
{
    static const char call[] = "rico_scene_remove";
    if (!RICO_REQUIRE(scene != NULL))
        return RICO_OUT_OF_RANGE;
    uint32_t slot = id.index1 - 1;
    if (id.index1 == 0 || slot >= scene->collider_capacity || !scene->colliders[slot].used ||
        scene->colliders[slot].generation != id.generation)
        return rico__fail(&scene->log, RICO_STALE_ID, call, "no collider %u of generation %u",
                          id.index1, id.generation);
    edit e = {.colliders = scene->colliders, .collider_capacity = scene->collider_capacity};
    uint32_t hole = 0;
    rico__collider before = scene->colliders[slot];
    rico_result result = RICO_OUT_OF_MEMORY;
    if (edit_copy_triangles(scene, &e, slot, 0, &hole)) {
        scene->colliders[slot].used = false;
        scene->colliders[slot].triangle_count = 0;
        scene->colliders[slot].generation += 1;
        result = edit_finish(scene, &e);
    }
    if (result != RICO_OK) {
        scene->colliders[slot] = before;
        return rico__fail(&scene->log, result, call, "no memory to rebuild %u triangles",
                          scene->triangle_count);
    }
    scene->collider_count -= 1;
    return RICO_OK;
}
