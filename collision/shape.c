/* Shapes: the geometry that colliders place. */
#include "check.h"
#include "clock.h"
#include "float_mode.h"
#include "formula.h"
#include "limit.h"
#include "placed_mesh.h"
#include "scene_private.h"
#include "shape_mesh.h"
#include "vec.h"

#include <string.h>

#define SHAPE_COOKIE 0x53484150u
#define TRIANGLES_MAX 0x08000000u /* kernels index their words with 31 bits */
#define SMOOTH_MAX 3.1415927f

rico_shape_def rico_shape_def_default(void)
{
    return (rico_shape_def){.cookie = SHAPE_COOKIE};
}

uint32_t rico__shape_slot(const rico_scene *scene, rico_shape_id id)
{
    uint32_t at = id.index1 - 1;
    bool live = id.index1 != 0 && at < scene->shape_capacity && scene->shapes[at].used &&
                !scene->shapes[at].added && scene->shapes[at].generation == id.generation;
    return live ? at : RICO_NO_SLOT;
}

rico_result rico__mesh_check(const rico_scene *scene, const char *call, const rico_mesh *mesh,
                             const rico_transform *transform, rico_mesh_report *report)
{
    if (mesh->indices != NULL && mesh->indices16 != NULL)
        return rico__fail(&scene->log, RICO_OUT_OF_RANGE, call,
                          "mesh.indices and mesh.indices16 are both set, expected one of them");
    if (!RICO_REQUIRE(mesh->triangle_count == 0 ||
                      ((mesh->indices != NULL || mesh->indices16 != NULL) &&
                       (mesh->positions != NULL || mesh->vertex_count == 0))))
        return RICO_OUT_OF_RANGE;
    rico_result result = rico__limit_number(&scene->log, call, "mesh.smooth_angle",
                                            mesh->smooth_angle, 0.0f, SMOOTH_MAX);
    if (result != RICO_OK)
        return result;
    *report = rico__placed_mesh_count(mesh, transform, &scene->grid_options.runner);
    if (report->kept == 0)
        return rico__fail(&scene->log, RICO_EMPTY_MESH, call,
                          "none of %u triangles is valid: %u with an index out of range, %u "
                          "not finite or beyond 1e6 m",
                          mesh->triangle_count, report->dropped_index,
                          report->dropped_not_finite);
    if ((uint64_t)scene->triangle_count + report->kept > TRIANGLES_MAX)
        return rico__fail(&scene->log, RICO_FULL, call,
                          "%u triangles and %u more, expected at most 2^27 in all",
                          scene->triangle_count, report->kept);
    return RICO_OK;
}

static bool take_surfaces(rico_scene *scene, rico__shape *shape, const rico_mesh *mesh)
{
    if (mesh->surfaces == NULL)
        return true;
    shape->surfaces = rico__memory_allocate(&scene->memory, mesh->triangle_count,
                                            sizeof *shape->surfaces, RICO_CACHE_LINE);
    if (shape->surfaces == NULL)
        return false;
    shape->surface_count = mesh->triangle_count;
    memcpy(shape->surfaces, mesh->surfaces, mesh->triangle_count * sizeof *shape->surfaces);
    return true;
}

static bool take_smooth(rico_scene *scene, rico__shape *shape, float angle)
{
    const rico__part *part = &shape->part;
    if (angle == 0.0f)
        return true;
    shape->smooth_count = part->face_count;
    shape->smooth = rico__smooth_make(&scene->memory, &part->grid.triangles, part->face_count,
                                      part->vertex_count, angle);
    return shape->smooth != NULL;
}

rico_result rico__shape_make(rico_scene *scene, rico__shape *shape, const rico_mesh *mesh,
                             const rico_transform *transform, uint32_t kept, uint32_t collider)
{
    rico_result result = rico__part_make(&shape->part, &scene->memory, mesh, transform, kept,
                                         collider, &scene->grid_options);
    if (result == RICO_OK &&
        !(take_surfaces(scene, shape, mesh) && take_smooth(scene, shape, mesh->smooth_angle)))
        result = RICO_OUT_OF_MEMORY;
    if (result != RICO_OK) {
        rico__shape_release(scene, shape);
        return result;
    }
    shape->triangle_count = kept;
    shape->bounds = shape->part.grid.bounds;
    shape->middle = rico__middle_of(&shape->bounds);
    return RICO_OK;
}

void rico__shape_release(rico_scene *scene, rico__shape *shape)
{
    rico__part_release(&shape->part, &scene->memory);
    rico__memory_release(&scene->memory, shape->surfaces, shape->surface_count,
                         sizeof *shape->surfaces, RICO_CACHE_LINE);
    rico__memory_release(&scene->memory, shape->smooth, shape->smooth_count,
                         sizeof *shape->smooth, RICO_CACHE_LINE);
    shape->surfaces = NULL;
    shape->smooth = NULL;
    shape->surface_count = shape->smooth_count = 0;
}

/* Whether answers need more of the shape than kernels fill in. */
static bool is_dressed(const rico__shape *shape)
{
    return shape->surfaces != NULL || shape->surface != 0 || shape->smooth != NULL;
}

uint32_t rico__shape_prepare(rico_scene *scene, rico__grown *room)
{
    uint32_t at = scene->free_shape;
    while (at < scene->shape_capacity && scene->shapes[at].used)
        ++at;
    scene->free_shape = at;
    bool room_made = rico__grow_prepare(room, &scene->memory, scene->shape_capacity,
                                        (uint64_t)at + 1, sizeof *scene->shapes);
    return room_made ? at : RICO_NO_SLOT;
}

void rico__shape_commit(rico_scene *scene, uint32_t at, const rico__shape *shape,
                        rico__grown *room)
{
    rico__grow_commit(room, &scene->memory, (void **)&scene->shapes, &scene->shape_capacity,
                      sizeof *scene->shapes);
    uint32_t generation = scene->shapes[at].generation;
    scene->shapes[at] = *shape;
    scene->shapes[at].used = true;
    scene->shapes[at].generation = generation == 0 ? 1 : generation;
    scene->triangle_count += shape->triangle_count;
    scene->shape_count += !shape->added;
    scene->dressed_count += is_dressed(shape);
}

void rico__shape_remove(rico_scene *scene, uint32_t at)
{
    rico__shape *shape = &scene->shapes[at];
    scene->triangle_count -= shape->triangle_count;
    scene->shape_count -= !shape->added;
    scene->dressed_count -= is_dressed(shape);
    rico__shape_release(scene, shape);
    shape->used = false;
    shape->generation += 1;
    scene->free_shape = at < scene->free_shape ? at : scene->free_shape;
}

/* Sets the bounds of a formula's surface, and of the triangles that stand for it. */
static void take_bounds(rico__shape *shape)
{
    rico__primitive primitive = rico__shape_primitive(shape);
    rico_box box = rico__primitive_bounds(&primitive);
    shape->bounds.lo = vec3_min(shape->bounds.lo, box.lo);
    shape->bounds.hi = vec3_max(shape->bounds.hi, box.hi);
    shape->middle = rico__middle_of(&shape->bounds);
    if (shape->kind == RICO_SHAPE_PLANE)
        shape->bounds = (rico_box){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
}

/* Makes the shape's triangles, if it has any, and its bounds. */
static rico_result fill_shape(rico_scene *scene, const char *call, rico__shape *shape,
                              const rico_mesh *mesh, rico_mesh_report *report)
{
    rico_result result = RICO_OK;
    if (shape->kind != RICO_SHAPE_PLANE) {
        result = rico__mesh_check(scene, call, mesh, NULL, report);
        if (result != RICO_OK)
            return result;
        result = rico__shape_make(scene, shape, mesh, NULL, report->kept, 1);
    }
    if (result != RICO_OK)
        return rico__fail(&scene->log, result, call, "no memory for %u more triangles",
                          report->kept);
    if (rico__shape_is_formula(shape))
        take_bounds(shape);
    return RICO_OK;
}

static rico_result add_shape(rico_scene *scene, const char *call, rico__shape *shape,
                             const rico_mesh *mesh, rico_mesh_report *report, rico_shape_id *id)
{
    rico__grown room;
    uint64_t start = rico__clock_ns();
    rico_result result = fill_shape(scene, call, shape, mesh, report);
    if (result != RICO_OK)
        return result;
    uint32_t at = rico__shape_prepare(scene, &room);
    if (at == RICO_NO_SLOT) {
        rico__shape_release(scene, shape);
        return rico__fail(&scene->log, RICO_OUT_OF_MEMORY, call, "no memory for a shape");
    }
    rico__shape_commit(scene, at, shape, &room);
    rico__scene_settle(scene); /* the shapes may lie elsewhere now */
    scene->build_ns = rico__clock_ns() - start;
    *id = (rico_shape_id){at + 1, scene->shapes[at].generation};
    return RICO_OK;
}

rico_result rico_scene_add_shape(rico_scene *scene, const rico_shape_def *def,
                                 rico_mesh_report *report, rico_shape_id *id)
{
    RICO__FLOAT_MODE();
    static const char call[] = "rico_scene_add_shape";
    rico_mesh_report counted = {0, 0, 0};
    if (!RICO_REQUIRE(scene != NULL && def != NULL && id != NULL))
        return RICO_OUT_OF_RANGE;
    *id = (rico_shape_id){0, 0};
    if (report != NULL)
        *report = counted;
    if (def->cookie != SHAPE_COOKIE)
        return rico__fail(&scene->log, RICO_UNINITIALIZED_DEF, call,
                          "make the definition with rico_shape_def_default()");
    rico__shape_maker maker = {&scene->memory, &scene->log, call};
    rico__shape_mesh made;
    rico_result result = rico__shape_mesh_make(&made, &maker, def);
    if (result != RICO_OK)
        return result;
    rico__shape shape = {.kind = def->kind,
                         .surface = def->surface,
                         .radius = def->radius,
                         .half_length = def->half_length};
    bool given = def->kind == RICO_SHAPE_MESH;
    rico_mesh mesh = given ? def->mesh : rico__shape_mesh_view(&made);
    result = add_shape(scene, call, &shape, &mesh, &counted, id);
    rico__shape_mesh_release(&made, &scene->memory);
    if (report != NULL)
        *report = counted;
    return result;
}

rico_result rico_scene_remove_shape(rico_scene *scene, rico_shape_id id)
{
    RICO__FLOAT_MODE();
    static const char call[] = "rico_scene_remove_shape";
    if (!RICO_REQUIRE(scene != NULL))
        return RICO_OUT_OF_RANGE;
    uint32_t at = rico__shape_slot(scene, id);
    if (at == RICO_NO_SLOT)
        return rico__fail(&scene->log, RICO_STALE_ID, call,
                          "there is no shape %u of generation %u", id.index1, id.generation);
    if (scene->shapes[at].user_count > 0)
        return rico__fail(&scene->log, RICO_IN_USE, call, "%u colliders use the shape",
                          scene->shapes[at].user_count);
    rico__shape_remove(scene, at);
    rico__scene_settle(scene);
    return RICO_OK;
}
