/* Colliders: what is placed, where, and how it moves. Each edit prepares all that it needs
 * beside the present state, and puts it in place when nothing can fail any more. */
#include "check.h"
#include "clock.h"
#include "float_mode.h"
#include "limit.h"
#include "log.h"
#include "scene_private.h"
#include "vec.h"

#include <float.h>
#include <stdio.h>

#define COLLIDER_COOKIE 0x434f4c4cu
#define LEAST_SCALE 1.0e-6f

/* How far a ray in the world is rounded, per extent of what it meets (ray_triangle.h), and per
 * coordinate. */
#define GROW_EXTENT (64.0f / 16777216.0f)
#define GROW_COORDINATE (4.0f / 16777216.0f)

rico_collider_def rico_collider_def_default(void)
{
    return (rico_collider_def){.cookie = COLLIDER_COOKIE,
                               .motion = {.transform = RICO_TRANSFORM_IDENTITY},
                               .layers = RICO_LAYER_DEFAULT};
}

uint32_t rico__collider_slot(const rico_scene *scene, rico_collider_id id)
{
    uint32_t slot = id.index1 - 1;
    bool live = id.index1 != 0 && slot < scene->collider_capacity &&
                scene->colliders[slot].used &&
                scene->colliders[slot].generation == id.generation;
    return live ? slot : RICO_NO_SLOT;
}

static rico_result fail_stale(const rico_scene *scene, const char *call, rico_collider_id id)
{
    return rico__fail(&scene->log, RICO_STALE_ID, call,
                      "there is no collider %u of generation %u", id.index1, id.generation);
}

/* --- room --- */

typedef struct collider_room {
    uint32_t slot;
    rico__grown colliders, layers, planes;
    rico__bodies_room bodies;
} collider_room;

static void room_abandon(rico_scene *scene, collider_room *room)
{
    rico__grow_abandon(&room->colliders, &scene->memory, sizeof *scene->colliders);
    rico__grow_abandon(&room->layers, &scene->memory, sizeof *scene->layers);
    rico__grow_abandon(&room->planes, &scene->memory, sizeof *scene->planes);
    rico__bodies_abandon(&scene->memory, &room->bodies);
}

/* Makes room for a collider in a slot, whatever the collider will be. */
static bool room_prepare(rico_scene *scene, uint32_t slot, collider_room *room)
{
    rico__memory *memory = &scene->memory;
    *room = (collider_room){.slot = slot};
    uint64_t needed = (uint64_t)slot + 1;
    if (rico__grow_prepare(&room->colliders, memory, scene->collider_capacity, needed,
                           sizeof *scene->colliders) &&
        rico__grow_prepare(&room->layers, memory, scene->layer_capacity, needed,
                           sizeof *scene->layers) &&
        rico__grow_prepare(&room->planes, memory, scene->plane_capacity,
                           (uint64_t)scene->plane_count + 1, sizeof *scene->planes) &&
        rico__bodies_prepare(&scene->bodies, memory, slot, scene->bodies.count + 1,
                             &room->bodies))
        return true;
    room_abandon(scene, room);
    return false;
}

static void room_commit(rico_scene *scene, collider_room *room)
{
    rico__memory *memory = &scene->memory;
    rico__grow_commit(&room->colliders, memory, (void **)&scene->colliders,
                      &scene->collider_capacity, sizeof *scene->colliders);
    rico__grow_commit(&room->layers, memory, (void **)&scene->layers, &scene->layer_capacity,
                      sizeof *scene->layers);
    rico__grow_commit(&room->planes, memory, (void **)&scene->planes, &scene->plane_capacity,
                      sizeof *scene->planes);
    rico__bodies_commit(&scene->bodies, memory, &room->bodies);
}

static uint32_t free_slot(rico_scene *scene)
{
    while (scene->free_slot < scene->collider_capacity &&
           scene->colliders[scene->free_slot].used)
        scene->free_slot += 1;
    return scene->free_slot;
}

/* --- placing --- */

static bool is_without_end(const rico_box *box)
{
    return box->lo.x > box->hi.x;
}

static float farthest(rico_vec3 p)
{
    rico_vec3 a = rico__vec3_abs(p);
    float most = a.x > a.y ? a.x : a.y;
    return most > a.z ? most : a.z;
}

/* All checks of a motion in one expression, because a move checks many motions. It also returns
 * false for shapes that may reach too far. reach: distance of the shape's farthest point from
 * its origin, or more. */
static bool motion_is_plain(const rico_motion *motion, float reach)
{
    rico_vec3 p = motion->transform.position, v = motion->velocity,
              w = motion->angular_velocity;
    float scale = motion->transform.scale;
    bool turned = quat_is_unit(motion->transform.rotation);
    /* Zero, or NaN when one is not finite. */
    float zero = (p.x * 0.0f + p.y * 0.0f + p.z * 0.0f) +
                 (v.x * 0.0f + v.y * 0.0f + v.z * 0.0f) +
                 (w.x * 0.0f + w.y * 0.0f + w.z * 0.0f);
    float far = farthest(p) + reach * scale;
    return (zero == 0.0f) & turned & (scale >= LEAST_SCALE) & (scale <= RICO__MOST_SCALE) &
           (far < 0.999f * RICO__MOST_COORDINATE);
}

static rico_result check_numbers(const rico_scene *scene, const char *call, const char *name,
                                 const rico_motion *motion)
{
    char member[80];
    snprintf(member, sizeof member, "%s.transform", name);
    rico_result result = rico__limit_transform(&scene->log, call, member, &motion->transform);
    snprintf(member, sizeof member, "%s.transform.scale", name);
    if (result == RICO_OK)
        result = rico__limit_number(&scene->log, call, member, motion->transform.scale,
                                    LEAST_SCALE, RICO__MOST_SCALE);
    snprintf(member, sizeof member, "%s.transform.position", name);
    if (result == RICO_OK)
        result = rico__limit_vec3(&scene->log, call, member, motion->transform.position,
                                  RICO__MOST_COORDINATE);
    snprintf(member, sizeof member, "%s.velocity", name);
    if (result == RICO_OK)
        result = rico__limit_vec3(&scene->log, call, member, motion->velocity, FLT_MAX);
    snprintf(member, sizeof member, "%s.angular_velocity", name);
    if (result == RICO_OK)
        result = rico__limit_vec3(&scene->log, call, member, motion->angular_velocity, FLT_MAX);
    return result;
}

/* Grids, cells and sums of coordinates rely on coordinates that are near the origin. */
static rico_result check_motion(const rico_scene *scene, const char *call, const char *name,
                                const rico__shape *shape, const rico_motion *motion)
{
    bool endless = is_without_end(&shape->bounds);
    if (motion_is_plain(motion, endless ? 0.0f : shape->middle.reach))
        return RICO_OK;
    rico_result result = check_numbers(scene, call, name, motion);
    if (result != RICO_OK || endless)
        return result;
    rico__placement placement = rico__placement_of(&motion->transform);
    rico_box box = rico__placement_box(&placement, &shape->middle);
    float far = farthest(vec3_max(rico__vec3_abs(box.lo), rico__vec3_abs(box.hi)));
    if (far <= RICO__MOST_COORDINATE)
        return RICO_OK;
    return rico__fail(&scene->log, RICO_OUT_OF_RANGE, call,
                      "%s.transform takes the shape %g m from the origin, expected at most %g",
                      name, (double)far, (double)RICO__MOST_COORDINATE);
}

static bool is_zero(rico_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

rico_box rico__collider_body_box(const rico__collider *c)
{
    if (!c->placed) /* its box has that room already */
        return c->box;
    rico_vec3 lo = c->box.lo, hi = c->box.hi, size = vec3_sub(hi, lo);
    float extent = (size.x + size.y + size.z) * GROW_EXTENT;
    rico_vec3 grow = vec3_max(rico__vec3_abs(lo), rico__vec3_abs(hi));
    grow = vec3_mad(vec3(extent, extent, extent), grow, GROW_COORDINATE);
    return (rico_box){vec3_sub(lo, grow), vec3_add(hi, grow)};
}

void rico__collider_place(const rico_scene *scene, rico__collider *c, const rico_motion *motion)
{
    const rico__shape *shape = &scene->shapes[c->shape];
    c->motion = *motion;
    c->moving = !is_zero(motion->velocity) || !is_zero(motion->angular_velocity);
    c->box = shape->bounds;
    if (c->placed)
        return;
    c->placement = rico__placement_of(&motion->transform);
    if (!is_without_end(&shape->bounds))
        c->box = rico__placement_box(&c->placement, &shape->middle);
}

/* --- adding --- */

static void keep_plane(rico_scene *scene, uint32_t slot)
{
    uint32_t at = scene->plane_count++;
    for (; at > 0 && scene->planes[at - 1] > slot; --at)
        scene->planes[at] = scene->planes[at - 1];
    scene->planes[at] = slot;
}

/* Puts a collider of the shape into its slot. There must be room. */
static rico_collider_id place_new(rico_scene *scene, uint32_t slot, uint32_t shape,
                                  const rico_motion *motion, uint32_t layers)
{
    rico__collider *c = &scene->colliders[slot];
    uint32_t generation = c->generation == 0 ? 1 : c->generation;
    scene->version += 1;
    *c = (rico__collider){.generation = generation,
                          .version = scene->version,
                          .used = true,
                          .placed = scene->shapes[shape].added,
                          .shape = shape};
    rico__collider_place(scene, c, motion);
    scene->layers[slot] = layers;
    scene->collider_count += 1;
    scene->shapes[shape].user_count += 1;
    if (is_without_end(&c->box)) {
        keep_plane(scene, slot);
    } else {
        rico_box box = rico__collider_body_box(c);
        rico__bodies_put(&scene->bodies, slot, &box);
    }
    rico__scene_settle(scene);
    return (rico_collider_id){slot + 1, generation};
}

rico_result rico_scene_add(rico_scene *scene, const rico_collider_def *def,
                           rico_collider_id *id)
{
    RICO__FLOAT_MODE();
    static const char call[] = "rico_scene_add";
    if (id != NULL)
        *id = (rico_collider_id){0, 0};
    if (!RICO_REQUIRE(scene != NULL && def != NULL))
        return RICO_OUT_OF_RANGE;
    if (def->cookie != COLLIDER_COOKIE)
        return rico__fail(&scene->log, RICO_UNINITIALIZED_DEF, call,
                          "make the definition with rico_collider_def_default()");
    uint32_t shape = rico__shape_slot(scene, def->shape);
    if (shape == RICO_NO_SLOT)
        return rico__fail(&scene->log, RICO_STALE_ID, call,
                          "there is no shape %u of generation %u", def->shape.index1,
                          def->shape.generation);
    rico_result result =
        check_motion(scene, call, "def.motion", &scene->shapes[shape], &def->motion);
    if (result != RICO_OK)
        return result;
    collider_room room;
    if (!room_prepare(scene, free_slot(scene), &room))
        return rico__fail(&scene->log, RICO_OUT_OF_MEMORY, call, "no memory for a collider");
    room_commit(scene, &room);
    rico_collider_id added = place_new(scene, room.slot, shape, &def->motion, def->layers);
    if (id != NULL)
        *id = added;
    return RICO_OK;
}

static rico_result add_placed(rico_scene *scene, const rico_mesh *mesh,
                              const rico_transform *transform, uint32_t kept,
                              rico_collider_id *id)
{
    const rico_motion still = {.transform = RICO_TRANSFORM_IDENTITY};
    rico__shape shape = {.kind = RICO_SHAPE_MESH, .added = true};
    collider_room room;
    rico__grown shape_room;
    uint32_t slot = free_slot(scene), at;
    uint64_t start = rico__clock_ns();
    rico_result result = rico__shape_make(scene, &shape, mesh, transform, kept, slot + 1);
    if (result != RICO_OK)
        return result;
    if (!room_prepare(scene, slot, &room)) {
        rico__shape_release(scene, &shape);
        return RICO_OUT_OF_MEMORY;
    }
    at = rico__shape_prepare(scene, &shape_room);
    if (at == RICO_NO_SLOT) {
        room_abandon(scene, &room);
        rico__shape_release(scene, &shape);
        return RICO_OUT_OF_MEMORY;
    }
    room_commit(scene, &room);
    rico__shape_commit(scene, at, &shape, &shape_room);
    rico_collider_id added = place_new(scene, slot, at, &still, RICO_LAYER_DEFAULT);
    scene->build_ns = rico__clock_ns() - start;
    if (id != NULL)
        *id = added;
    return RICO_OK;
}

rico_result rico_scene_add_mesh(rico_scene *scene, const rico_mesh *mesh,
                                rico_transform transform, rico_mesh_report *report,
                                rico_collider_id *id)
{
    RICO__FLOAT_MODE();
    static const char call[] = "rico_scene_add_mesh";
    rico_mesh_report counted = {0, 0, 0};
    if (report != NULL)
        *report = counted;
    if (id != NULL)
        *id = (rico_collider_id){0, 0};
    if (!RICO_REQUIRE(scene != NULL && mesh != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result = rico__limit_transform(&scene->log, call, "transform", &transform);
    if (result == RICO_OK)
        result = rico__limit_vec3(&scene->log, call, "transform.position", transform.position,
                                  RICO__MOST_COORDINATE);
    if (result != RICO_OK)
        return result;
    result = rico__mesh_check(scene, call, mesh, &transform, &counted);
    if (report != NULL)
        *report = counted;
    if (result != RICO_OK)
        return result;
    result = add_placed(scene, mesh, &transform, counted.kept, id);
    if (result != RICO_OK)
        return rico__fail(&scene->log, result, call, "no memory for %u more triangles",
                          counted.kept);
    return RICO_OK;
}

/* --- removing --- */

static void forget_plane(rico_scene *scene, uint32_t slot)
{
    uint32_t at = 0;
    while (scene->planes[at] != slot)
        ++at;
    scene->plane_count -= 1;
    for (; at < scene->plane_count; ++at)
        scene->planes[at] = scene->planes[at + 1];
}

static void leave_merged(rico_scene *scene, const rico__collider *c)
{
    rico__part_punch(&scene->merged, c->face_first, scene->shapes[c->shape].triangle_count);
    scene->merged_count -= 1;
    if (scene->merged_count == 0)
        rico__part_release(&scene->merged, &scene->memory);
}

rico_result rico_scene_remove(rico_scene *scene, rico_collider_id id)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL))
        return RICO_OUT_OF_RANGE;
    uint32_t slot = rico__collider_slot(scene, id);
    if (slot == RICO_NO_SLOT)
        return fail_stale(scene, "rico_scene_remove", id);
    rico__collider *c = &scene->colliders[slot];
    if (c->merged)
        leave_merged(scene, c);
    else if (is_without_end(&c->box))
        forget_plane(scene, slot);
    else
        rico__bodies_take(&scene->bodies, slot);
    scene->shapes[c->shape].user_count -= 1;
    if (c->placed)
        rico__shape_remove(scene, c->shape);
    scene->version += 1;
    scene->collider_count -= 1;
    scene->free_slot = slot < scene->free_slot ? slot : scene->free_slot;
    c->used = false;
    c->generation += 1;
    c->version = scene->version;
    rico__scene_settle(scene);
    return RICO_OK;
}

/* --- changing --- */

static rico_result check_moves(const rico_scene *scene, const rico_collider_id *ids,
                               const rico_motion *motions, uint32_t count)
{
    static const char call[] = "rico_scene_move";
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t slot = rico__collider_slot(scene, ids[i]);
        if (slot == RICO_NO_SLOT)
            return fail_stale(scene, call, ids[i]);
        if (scene->colliders[slot].placed)
            return rico__fail(&scene->log, RICO_OUT_OF_RANGE, call,
                              "collider %u was added as a mesh and cannot move, expected a "
                              "collider of a shape",
                              ids[i].index1);
        const rico__shape *shape = &scene->shapes[scene->colliders[slot].shape];
        char name[32];
        if (motion_is_plain(&motions[i],
                            is_without_end(&shape->bounds) ? 0.0f : shape->middle.reach))
            continue;
        snprintf(name, sizeof name, "motions[%u]", i);
        rico_result result = check_motion(scene, call, name, shape, &motions[i]);
        if (result != RICO_OK)
            return result;
    }
    return RICO_OK;
}

rico_result rico_scene_move(rico_scene *scene, const rico_collider_id *ids,
                            const rico_motion *motions, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (ids != NULL && motions != NULL))))
        return RICO_OUT_OF_RANGE;
    rico_result result = check_moves(scene, ids, motions, count);
    if (result != RICO_OK || count == 0)
        return result;
    scene->version += 1;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t slot = ids[i].index1 - 1;
        rico__collider *c = &scene->colliders[slot];
        rico__collider_place(scene, c, &motions[i]);
        c->version = scene->version;
        if (is_without_end(&c->box))
            continue;
        rico_box box = rico__collider_body_box(c);
        rico__bodies_move(&scene->bodies, slot, &box);
    }
    rico__bodies_tighten(&scene->bodies);
    return RICO_OK;
}

rico_result rico_scene_set_layers(rico_scene *scene, rico_collider_id id, uint32_t layers)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL))
        return RICO_OUT_OF_RANGE;
    uint32_t slot = rico__collider_slot(scene, id);
    if (slot == RICO_NO_SLOT)
        return fail_stale(scene, "rico_scene_set_layers", id);
    scene->version += 1;
    scene->colliders[slot].version = scene->version;
    scene->layers[slot] = layers;
    if (scene->colliders[slot].merged)
        scene->merged_layers &= layers;
    rico__scene_settle(scene);
    return RICO_OK;
}

/* --- asking --- */

uint32_t rico_scene_collider_layers(const rico_scene *scene, rico_collider_id id)
{
    if (!RICO_REQUIRE(scene != NULL))
        return 0;
    uint32_t slot = rico__collider_slot(scene, id);
    return slot != RICO_NO_SLOT ? scene->layers[slot] : 0;
}

uint32_t rico_scene_collider_version(const rico_scene *scene, uint32_t slot)
{
    if (!RICO_REQUIRE(scene != NULL) || slot == 0 || slot > scene->collider_capacity)
        return 0;
    return scene->colliders[slot - 1].version;
}

uint16_t rico_scene_surface_number(const rico_scene *scene, uint32_t slot, uint32_t triangle)
{
    if (!RICO_REQUIRE(scene != NULL) || slot == 0 || slot > scene->collider_capacity ||
        !scene->colliders[slot - 1].used)
        return 0;
    const rico__shape *shape = &scene->shapes[scene->colliders[slot - 1].shape];
    if (shape->surfaces != NULL && triangle >= shape->surface_count)
        return 0;
    return rico__shape_surface(shape, triangle);
}

uint32_t rico_scene_slot_layers(const rico_scene *scene, uint32_t slot)
{
    if (!RICO_REQUIRE(scene != NULL) || slot == 0 || slot > scene->collider_capacity ||
        !scene->colliders[slot - 1].used)
        return 0;
    return scene->layers[slot - 1];
}

rico_collider_id rico_scene_collider_id(const rico_scene *scene, uint32_t slot)
{
    if (!RICO_REQUIRE(scene != NULL) || slot == 0 || slot > scene->collider_capacity ||
        !scene->colliders[slot - 1].used)
        return (rico_collider_id){0, 0};
    return (rico_collider_id){slot, scene->colliders[slot - 1].generation};
}

rico_result rico_scene_collider_state(const rico_scene *scene, rico_collider_id id,
                                      rico_box *box, rico_motion *motion)
{
    if (!RICO_REQUIRE(scene != NULL))
        return RICO_OUT_OF_RANGE;
    uint32_t slot = rico__collider_slot(scene, id);
    if (slot == RICO_NO_SLOT)
        return fail_stale(scene, "rico_scene_collider_state", id);
    if (box != NULL)
        *box = scene->colliders[slot].box;
    if (motion != NULL)
        *motion = scene->colliders[slot].motion;
    return RICO_OK;
}
