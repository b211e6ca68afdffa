/* The world's colliders: what the host adds, moves and removes, and what follows from it. */
#include "host_rays.h"

#include "float_mode.h"
#include "limit.h"
#include "stages.h"

/* RICO_OK if the scene may be edited now. Else the result is also the world's last result. */
static rico_result refuse(rico_world *world, const char *call)
{
    if (rico__is_busy(world, call))
        return RICO_BUSY; /* the call in progress keeps its name in edit_call */
    world->edit_call = call;
    if (rico__has_caster(world))
        return rico__refuse(world, RICO_NO_SCENE, call,
                            "world_def.ray_caster is used instead of a scene");
    return RICO_OK;
}

/* The same for calls that use workers. */
static rico_result refuse_run(rico_world *world, const char *call)
{
    rico_result result = refuse(world, call);
    return result == RICO_OK && rico__cannot_run(world, call) ? RICO_BUSY : result;
}

static rico_result ended(rico_world *world, rico_result result)
{
    if (result != RICO_OK)
        world->last_result = result;
    return result;
}

static bool is_endless(const rico_box *box)
{
    return box->lo.x > box->hi.x;
}

/* Logs nothing: the call that uses the id says what is wrong. */
static bool is_alive(const rico_world *world, rico_collider_id id)
{
    rico_collider_id there = rico_scene_collider_id(world->scene, id.index1);
    return id.index1 != 0 && there.index1 != 0 && there.generation == id.generation;
}

/* --- Static geometry ---------------------------------------------------------------------- */

/* Warns a caller that asks for no report. */
static void tell_of_dropped(const rico_world *world, const char *call,
                            const rico_mesh_report *report)
{
    const uint32_t dropped = report->dropped_index + report->dropped_not_finite;
    if (dropped > 0)
        rico__log(&world->def.log, RICO_LOG_WARNING,
                  "%s: %u of %u triangles are left out: %u with an index out of range, %u not "
                  "finite or beyond 1e6 m",
                  call, dropped, report->kept + dropped, report->dropped_index,
                  report->dropped_not_finite);
}

rico_result rico_world_add_mesh_report(rico_world *world, const rico_mesh *mesh,
                                       rico_transform transform, rico_mesh_report *report,
                                       rico_collider_id *id)
{
    RICO__FLOAT_MODE();
    rico_collider_id added;
    rico_mesh_report own;
    rico_box box;
    if (id != NULL)
        *id = (rico_collider_id){0, 0};
    if (report != NULL)
        *report = (rico_mesh_report){0, 0, 0};
    if (!RICO_REQUIRE_OF(world, mesh != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result = refuse_run(world, "rico_world_add_mesh");
    if (result != RICO_OK)
        return result;
    result = rico_scene_add_mesh(world->scene, mesh, transform, report != NULL ? report : &own,
                                 &added);
    if (result != RICO_OK)
        return ended(world, result);
    if (report == NULL)
        tell_of_dropped(world, "rico_world_add_mesh", &own);
    rico_scene_collider_state(world->scene, added, &box, NULL);
    rico__edit_cells(world, &box, true, false);
    if (id != NULL)
        *id = added;
    return RICO_OK;
}

rico_collider_id rico_world_add_mesh(rico_world *world, const rico_mesh *mesh,
                                     rico_transform transform)
{
    rico_collider_id id = {0};
    if (rico_world_add_mesh_report(world, mesh, transform, NULL, &id) != RICO_OK)
        return (rico_collider_id){0};
    return id;
}

/* A merge changes no surface, so records stay. But occupancy sees the same surfaces through
 * other cells, and all workers must know the same of it. */
rico_result rico_world_merge(rico_world *world)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result = refuse_run(world, "rico_world_merge");
    if (result != RICO_OK)
        return result;
    result = rico_scene_merge(world->scene);
    if (result != RICO_OK)
        return ended(world, result);
    rico__edit_coverage(world, &world->memory);
    for (uint32_t w = 0; w < world->worker_count; ++w)
        for (uint32_t i = 0; i < 1u << RICO__EMPTY_CELL_BITS; ++i)
            world->scratch[w].empty[i] = RICO_NO_KEY;
    return RICO_OK;
}

/* --- Shapes and colliders made of them ---------------------------------------------------- */

rico_result rico_world_add_shape(rico_world *world, const rico_shape_def *def,
                                 rico_mesh_report *report, rico_shape_id *id)
{
    RICO__FLOAT_MODE();
    if (id != NULL)
        *id = (rico_shape_id){0, 0};
    if (report != NULL)
        *report = (rico_mesh_report){0, 0, 0};
    if (!RICO_REQUIRE_OF(world, def != NULL && id != NULL))
        return RICO_OUT_OF_RANGE;
    rico_mesh_report own = {0, 0, 0};
    rico_result result = refuse_run(world, "rico_world_add_shape");
    if (result == RICO_OK)
        result = rico_scene_add_shape(world->scene, def, report != NULL ? report : &own, id);
    if (result == RICO_OK)
        tell_of_dropped(world, "rico_world_add_shape", &own);
    return ended(world, result);
}

rico_result rico_world_remove_shape(rico_world *world, rico_shape_id id)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result = refuse(world, "rico_world_remove_shape");
    if (result == RICO_OK)
        result = rico_scene_remove_shape(world->scene, id);
    return ended(world, result);
}

static uint32_t still_layers(uint32_t layers)
{
    return (layers & ~RICO_LAYER_MOVING) | RICO_LAYER_DEFAULT;
}

static uint32_t moving_layers(uint32_t layers)
{
    return (layers & ~RICO_LAYER_DEFAULT) | RICO_LAYER_MOVING;
}

static bool reserve_bodies(rico_world *world, uint32_t count)
{
    return rico__movers_reserve(&world->movers, &world->memory, count) ||
           rico__refuse(world, RICO_OUT_OF_MEMORY, world->edit_call,
                        "no memory for colliders that move") == RICO_OK;
}

/* Endless planes would be in every record, so they are bodies from the start. */
rico_collider_id rico_world_add_collider(rico_world *world, const rico_collider_def *def)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, def != NULL))
        return (rico_collider_id){0};
    const rico_collider_id none = {0};
    rico_collider_id id;
    rico_box box;
    if (refuse(world, "rico_world_add_collider") != RICO_OK)
        return none;
    if (!reserve_bodies(world, 1))
        return none;
    rico_collider_def still = *def;
    still.layers = still_layers(def->layers);
    if (ended(world, rico_scene_add(world->scene, &still, &id)) != RICO_OK)
        return none;
    rico_scene_collider_state(world->scene, id, &box, NULL);
    if (is_endless(&box)) {
        rico_scene_set_layers(world->scene, id, moving_layers(def->layers));
        rico__movers_add(world, id, def->layers);
    } else {
        rico__edit_cells(world, &box, true, false);
    }
    return id;
}

rico_result rico_world_remove_collider(rico_world *world, rico_collider_id id)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico_box box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    rico_result result = refuse(world, "rico_world_remove_collider");
    if (result != RICO_OK)
        return result;
    if (is_alive(world, id))
        rico_scene_collider_state(world->scene, id, &box, NULL);
    result = rico_scene_remove(world->scene, id);
    if (result != RICO_OK)
        return ended(world, result);
    rico__mover *body = rico__movers_find(&world->movers, id.index1);
    if (body == NULL) {
        rico__edit_cells(world, &box, true, false);
        return RICO_OK;
    }
    if (body->endless)
        rico__edit_all(world);
    else
        rico__edit_wake(world, &body->from_box);
    rico__movers_drop(&world->movers, body);
    return RICO_OK;
}

/* Records hold what all recipes see, so they stay. Paths and rest of particles that the change
 * concerns do not. */
rico_result rico_world_set_layers(rico_world *world, rico_collider_id id, uint32_t layers)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico_box box;
    rico_result result = refuse(world, "rico_world_set_layers");
    if (result != RICO_OK)
        return result;
    const bool alive = is_alive(world, id);
    rico__mover *body = alive ? rico__movers_find(&world->movers, id.index1) : NULL;
    uint32_t all = body != NULL ? moving_layers(layers) : still_layers(layers);
    const uint32_t before = alive ? rico_scene_collider_layers(world->scene, id) : 0;
    if (alive && before == all)
        return RICO_OK;
    result = rico_scene_set_layers(world->scene, id, all);
    if (result != RICO_OK)
        return ended(world, result);
    if (body != NULL)
        body->layers = layers;
    rico_scene_collider_state(world->scene, id, &box, NULL);
    if (is_endless(&box)) {
        rico__edit_all(world);
        return RICO_OK;
    }
    rico__edit_layers(world, body != NULL ? &body->from_box : &box, before,
                      all); /* resting particles have not gone along yet */
    return RICO_OK;
}

/* --- Moving ------------------------------------------------------------------------------- */

/* Tidies when more than half are gone, so that a host that removes and moves by turns does not
 * pay for all of them each time. */
static uint32_t tidy_count(rico_world *world)
{
    if (2 * world->movers.gone > world->movers.count)
        rico__movers_tidy(&world->movers);
    return world->movers.count;
}

/* Makes bodies of the colliders that are none yet; nothing else learns of it. False: one of the
 * colliders does not exist. */
static bool list_new_bodies(rico_world *world, const rico_collider_id *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_alive(world, ids[i]))
            return false;
        if (rico__movers_find(&world->movers, ids[i].index1) == NULL)
            rico__movers_add(world, ids[i], rico_scene_collider_layers(world->scene, ids[i]));
    }
    return true;
}

/* Bodies from number `first` on stood still until now: they leave the records of where they
 * were. Particles that rest on them go along. */
static void set_going(rico_world *world, uint32_t first)
{
    const rico__movers *bodies = &world->movers;
    for (uint32_t b = first; b < bodies->count; ++b)
        rico_scene_set_layers(world->scene, bodies->items[b].id,
                              moving_layers(bodies->items[b].layers));
    for (uint32_t b = first; b < bodies->count; ++b)
        rico__edit_cells(world, &bodies->items[b].from_box, false, false);
}

static rico_result move(rico_world *world, const rico_collider_id *ids,
                        const rico_motion *motions, uint32_t count)
{
    uint32_t before = world->movers.count;
    if (!reserve_bodies(world, count))
        return RICO_OUT_OF_MEMORY;
    bool all = list_new_bodies(world, ids, count);
    rico_result result = rico_scene_move(world->scene, ids, motions, count);
    if (result != RICO_OK || !all)
        rico__movers_cut(&world->movers, before);
    return result;
}

/* *before: how many bodies were known before the call added any. */
static rico_result move_all(rico_world *world, const rico_collider_id *ids,
                            const rico_motion *motions, uint32_t count, const char *call,
                            uint32_t *before)
{
    if (!RICO_REQUIRE_OF(world, (count == 0 || (ids != NULL && motions != NULL))))
        return RICO_OUT_OF_RANGE;
    rico_result result = refuse(world, call);
    if (result != RICO_OK)
        return result;
    *before = tidy_count(world);
    return ended(world, move(world, ids, motions, count));
}

rico_result rico_world_move_colliders(rico_world *world, const rico_collider_id *ids,
                                      const rico_motion *motions, uint32_t count)
{
    RICO__FLOAT_MODE();
    uint32_t before;
    rico_result result =
        move_all(world, ids, motions, count, "rico_world_move_colliders", &before);
    if (result != RICO_OK)
        return result;
    set_going(world, before);
    for (uint32_t i = 0; i < count; ++i)
        rico__mover_follow(world, rico__movers_find(&world->movers, ids[i].index1), false);
    return RICO_OK;
}

rico_result rico_world_place_colliders(rico_world *world, const rico_collider_id *ids,
                                       const rico_motion *motions, uint32_t count)
{
    RICO__FLOAT_MODE();
    uint32_t before;
    rico_result result =
        move_all(world, ids, motions, count, "rico_world_place_colliders", &before);
    if (result != RICO_OK)
        return result;
    for (uint32_t i = 0; i < count; ++i) {
        rico__mover *body = rico__movers_find(&world->movers, ids[i].index1);
        bool moves = body < world->movers.items + before;
        rico_box old = body->from_box;
        rico__mover_follow(world, body, true);
        if (body->endless) {
            rico__edit_all(world);
        } else if (moves) {
            rico__edit_wake(world, &old);
            rico__edit_wake(world, &body->box);
        } else {
            rico__edit_cells(world, &old, true, false);
            rico__edit_cells(world, &body->box, true, false);
        }
    }
    rico__movers_cut(&world->movers, before); /* those that stood still do so again */
    return RICO_OK;
}

/* --- Surfaces ----------------------------------------------------------------------------- */

#define MOST_FACTOR 100.0f

rico_result rico_world_set_surface(rico_world *world, uint32_t number, float restitution,
                                   float friction)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_set_surface";
    rico_result result = RICO_OK;
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    if (number >= RICO_MAX_SURFACES)
        result = rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                            "number is %u, expected 0 to %u", number, RICO_MAX_SURFACES - 1);
    if (result == RICO_OK)
        result = rico__limit_number(&world->def.log, call, "restitution", restitution, 0.0f,
                                    MOST_FACTOR);
    if (result == RICO_OK)
        result =
            rico__limit_number(&world->def.log, call, "friction", friction, 0.0f, MOST_FACTOR);
    if (result == RICO_OK)
        world->surfaces[number] = (rico__surface_factors){restitution, friction};
    return ended(world, result);
}
