/* Edits. Each prepares everything that the scene will be (slots, triangles, grid) beside what
 * it is, and puts it in place when nothing can fail any more. */
#include "check.h"
#include "clock.h"
#include "log.h"
#include "placed_mesh.h"
#include "scene_private.h"
#include "vec.h"

#include <string.h>

#define TRIANGLES_MAX 0x08000000u /* kernels index their words with 31 bits */
#define FIRST_COLLIDER_CAPACITY 4u

typedef struct edit {
    rico__collider *colliders; /* the scene's own, or larger ones */
    uint32_t collider_capacity;
    rico__face *faces;
    rico__vertex *vertices;
    uint32_t triangle_count, vertex_count;
    rico__grid grid;
} edit;

static void edit_abandon(rico_scene *scene, edit *e)
{
    rico__grid_release(&e->grid, &scene->memory);
    rico__memory_release(&scene->memory, e->faces, e->triangle_count, sizeof *e->faces,
                         RICO_CACHE_LINE);
    rico__memory_release(&scene->memory, e->vertices, e->vertex_count, sizeof *e->vertices,
                         RICO_CACHE_LINE);
    if (e->colliders != scene->colliders)
        rico__memory_release(&scene->memory, e->colliders, e->collider_capacity,
                             sizeof *e->colliders, RICO_CACHE_LINE);
}

/* Frees what the edit replaced. */
static void edit_commit(rico_scene *scene, const edit *e, uint64_t build_ns)
{
    rico__grid_release(&scene->grid, &scene->memory);
    rico__memory_release(&scene->memory, scene->faces, scene->face_capacity,
                         sizeof *scene->faces, RICO_CACHE_LINE);
    rico__memory_release(&scene->memory, scene->vertices, scene->vertex_capacity,
                         sizeof *scene->vertices, RICO_CACHE_LINE);
    if (e->colliders != scene->colliders)
        rico__memory_release(&scene->memory, scene->colliders, scene->collider_capacity,
                             sizeof *scene->colliders, RICO_CACHE_LINE);
    scene->colliders = e->colliders;
    scene->collider_capacity = e->collider_capacity;
    scene->faces = e->faces;
    scene->vertices = e->vertices;
    scene->face_capacity = scene->triangle_high = scene->triangle_count = e->triangle_count;
    scene->vertex_capacity = e->vertex_count;
    scene->grid = e->grid;
    scene->build_ns = build_ns;
    scene->version += 1;
    uint32_t face = 0, vertex = 0;
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        scene->colliders[slot].triangle_first = face;
        scene->colliders[slot].vertex_first = vertex;
        face += scene->colliders[slot].triangle_count;
        vertex += scene->colliders[slot].vertex_count;
    }
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

/* Faces whose vertices move by so many places, down by wrapping. */
static void copy_faces(rico__face *to, const rico__face *from, uint32_t count, uint32_t move)
{
    for (uint32_t i = 0; i < count; ++i) {
        to[i] = from[i];
        for (uint32_t j = 0; j < 3; ++j)
            to[i].corner[j] += move; /* flags stay: vertices are fewer than 2^30 */
    }
}

static void copy_vertices(rico__vertex *to, const rico__vertex *from, uint32_t count)
{
    if (count > 0)
        memcpy(to, from, count * sizeof *to);
}

/* The scene's triangles in the order of slots, with those of the mesh instead of those that the
 * slot has. */
static bool edit_copy_triangles(rico_scene *scene, edit *e, uint32_t slot,
                                const rico__placed_mesh *mesh)
{
    rico__collider has = {.triangle_first = scene->triangle_count,
                          .vertex_first = scene->vertex_capacity};
    if (slot < scene->collider_capacity)
        has = scene->colliders[slot];
    uint32_t face = has.triangle_first, vertex = has.vertex_first;
    uint32_t faces_after = face + has.triangle_count,
             vertices_after = vertex + has.vertex_count;
    uint32_t more_faces = scene->triangle_count - faces_after;
    uint32_t more_vertices = scene->vertex_capacity - vertices_after;
    uint32_t face_count = face + mesh->face_count + more_faces;
    uint32_t vertex_count = vertex + mesh->vertex_count + more_vertices;
    if (face_count == 0)
        return true;
    e->triangle_count = face_count;
    e->vertex_count = vertex_count;
    e->faces =
        rico__memory_allocate(&scene->memory, face_count, sizeof *e->faces, RICO_CACHE_LINE);
    e->vertices = rico__memory_allocate(&scene->memory, vertex_count, sizeof *e->vertices,
                                        RICO_CACHE_LINE);
    if (e->faces == NULL || e->vertices == NULL)
        return false;
    copy_faces(e->faces, scene->faces, face, 0);
    copy_faces(e->faces + face, mesh->faces, mesh->face_count, vertex);
    copy_faces(e->faces + face + mesh->face_count, scene->faces + faces_after, more_faces,
               mesh->vertex_count - has.vertex_count);
    copy_vertices(e->vertices, scene->vertices, vertex);
    copy_vertices(e->vertices + vertex, mesh->vertices, mesh->vertex_count);
    copy_vertices(e->vertices + vertex + mesh->vertex_count, scene->vertices + vertices_after,
                  more_vertices);
    return true;
}

/* Last step of an edit: builds the grid, and commits or leaves the scene as it was. */
static rico_result edit_finish(rico_scene *scene, edit *e)
{
    uint64_t start = rico__clock_ns();
    const rico__triangles triangles = {e->vertices, e->faces};
    rico_result result =
        rico__grid_build(&e->grid, &scene->memory, &triangles, e->triangle_count,
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
    edit e = {.colliders = scene->colliders};
    rico__placed_mesh placed;
    uint32_t slot = free_slot(scene);
    if (!rico__placed_mesh_make(&placed, &scene->memory, mesh, transform, kept, slot + 1))
        return RICO_OUT_OF_MEMORY;
    bool copied =
        edit_reserve_slot(scene, &e, slot) && edit_copy_triangles(scene, &e, slot, &placed);
    uint32_t vertex_count = placed.vertex_count;
    rico__placed_mesh_release(&placed, &scene->memory);
    if (!copied) {
        edit_abandon(scene, &e);
        return RICO_OUT_OF_MEMORY;
    }
    rico__collider before = e.colliders[slot];
    e.colliders[slot].used = true;
    e.colliders[slot].triangle_count = kept;
    e.colliders[slot].vertex_count = vertex_count;
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
    counted = rico__placed_mesh_count(mesh, &transform);
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
    const rico__placed_mesh none = {.face_count = 0};
    rico__collider before = scene->colliders[slot];
    rico_result result = RICO_OUT_OF_MEMORY;
    if (edit_copy_triangles(scene, &e, slot, &none)) {
        scene->colliders[slot].used = false;
        scene->colliders[slot].triangle_count = 0;
        scene->colliders[slot].vertex_count = 0;
        scene->colliders[slot].generation += 1;
        result = edit_finish(scene, &e);
    } else {
        edit_abandon(scene, &e);
    }
    if (result != RICO_OK) {
        scene->colliders[slot] = before;
        return rico__fail(&scene->log, result, call, "no memory to rebuild %u triangles",
                          scene->triangle_count);
    }
    scene->collider_count -= 1;
    return RICO_OK;
}
