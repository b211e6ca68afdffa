/* Effects from the host's side: spawn, move, stop, destroy, look at. */
#include "curve.h"
#include "float_mode.h"
#include "host_rays.h"
#include "limit.h"
#include "stages.h"
#include "vec.h"

#include "check.h"
#include "hash.h"

#include <stdio.h>

#define EFFECT_COOKIE 0x45464645u
#define MAX_TIME_SCALE 10.0f
#define MAX_RATE_SCALE 100.0f

rico_effect_def rico_effect_def_default(void)
{
    return (rico_effect_def){
        .cookie = EFFECT_COOKIE,
        .transform = RICO_TRANSFORM_IDENTITY,
        .time_scale = 1.0f,
        .rate_scale = 1.0f,
        .tint = {1.0f, 1.0f, 1.0f, 1.0f},
    };
}

rico__effect *rico__effect_find(const rico_world *world, rico_effect_id id)
{
    if (id.index1 == 0 || id.index1 > world->effect_high_water)
        return NULL;
    rico__effect *effect = &world->effects[id.index1 - 1];
    return effect->alive && effect->generation == id.generation ? effect : NULL;
}

rico_result rico__refuse(rico_world *world, rico_result result, const char *call,
                         const char *text)
{
    rico__fail(&world->def.log, result, call, "%s", text);
    return world->last_result = result; /* set last: the log's hook may be refused something */
}

bool rico__is_busy(rico_world *world, const char *call)
{
    if (world->busy)
        rico__refuse(world, RICO_BUSY, call,
                     "not while a step runs, nor during another call that uses workers or "
                     "calls the host");
    return world->busy;
}

bool rico__cannot_run(rico_world *world, const char *call)
{
    if (rico__is_busy(world, call))
        return true;
    if (RICO_REQUIRE(!rico_jobs_is_running(world->jobs)))
        return false;
    rico__refuse(world, RICO_BUSY, call, "not from inside a job of the world's pool");
    return true;
}

static rico_result noted(rico_world *world, rico_result result)
{
    if (result != RICO_OK)
        world->last_result = result;
    return result;
}

rico_result rico__check_transform(rico_world *world, const rico_transform *transform,
                                  const char *call, const char *name)
{
    char member[80];
    if (rico__is_placed(transform))
        return RICO_OK;
    rico_result result = rico__limit_transform(&world->def.log, call, name, transform);
    snprintf(member, sizeof member, "%s.position", name);
    if (result == RICO_OK)
        result = rico__limit_vec3(&world->def.log, call, member, transform->position,
                                  RICO__MOST_COORDINATE);
    return noted(world, result);
}

rico_result rico__check_count(rico_world *world, uint32_t value, uint32_t most,
                              const char *call, const char *name)
{
    if (value <= most)
        return RICO_OK;
    return noted(world, rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                                   "%s is %u, expected 0 to %u", name, value, most));
}

rico_result rico__check_number(rico_world *world, float value, float lo, float hi,
                               const char *call, const char *name)
{
    return noted(world, rico__limit_number(&world->def.log, call, name, value, lo, hi));
}

static rico_result check_tint(rico_world *world, const rico_color *tint, const char *call,
                              const char *name)
{
    const float parts[4] = {tint->r, tint->g, tint->b, tint->a};
    rico_result result = RICO_OK;
    for (int k = 0; k < 4 && result == RICO_OK; ++k) {
        char part[16];
        if (parts[k] >= 0.0f && parts[k] <= 1.0f) /* making a name takes longer than a spawn */
            continue;
        snprintf(part, sizeof part, "%s.%c", name, "rgba"[k]);
        result = rico__check_number(world, parts[k], 0.0f, 1.0f, call, part);
    }
    return result;
}

static rico_result check_spawn(rico_world *world, rico_recipe_id recipe,
                               const rico_effect_def *def, const char *call)
{
    if (def->cookie != EFFECT_COOKIE)
        return rico__refuse(world, RICO_UNINITIALIZED_DEF, call,
                            "the def was not made by rico_effect_def_default()");
    if (rico__recipe_find(world, recipe) == NULL)
        return rico__refuse(world, RICO_STALE_ID, call,
                            "the recipe id is null, stale or not of this world");
    rico_result result = rico__check_number(world, def->time_scale, 0.0f, MAX_TIME_SCALE, call,
                                            "def.time_scale");
    if (result == RICO_OK)
        result = rico__check_number(world, def->rate_scale, 0.0f, MAX_RATE_SCALE, call,
                                    "def.rate_scale");
    if (result == RICO_OK)
        result = check_tint(world, &def->tint, call, "def.tint");
    if (result != RICO_OK)
        return result;
    return rico__check_transform(world, &def->transform, call, "def.transform");
}

static uint32_t take_slot(rico_world *world)
{
    uint32_t slot = world->effect_high_water;
    if (world->first_free_effect != 0) {
        slot = world->first_free_effect - 1;
        world->first_free_effect = world->effects[slot].next_free;
    } else {
        world->effect_high_water += 1;
    }
    world->effect_count += 1;
    return slot;
}

/* No life is 0: an effect of life 0 would have no trails. */
static uint32_t next_life(rico_world *world)
{
    world->life_count += world->life_count < UINT32_MAX ? 1 : 2;
    return world->life_count;
}

uint32_t rico__effect_begin(rico_world *world, uint32_t recipe, const rico_effect_def *def)
{
    uint32_t slot = take_slot(world);
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *shared = &world->recipes[recipe];
    world->spawn_count += 1;
    *effect = (rico__effect){
        .generation = effect->generation + 1,
        .recipe = recipe,
        .alive = true,
        .emitting = true,
        .time_scale = def->time_scale,
        .transform = def->transform,
        .place = def->transform,
        .came_from = def->transform,
        .user = def->user,
        .tint = rico__pack_color(def->tint),
        .seed = def->seed != 0 ? def->seed : rico__mix64(world->def.seed + world->spawn_count),
        .emitter = rico__emitter_start(&shared->emission, &shared->def, def->rate_scale),
        .first_block = RICO__NO_BLOCK,
        .last_block = RICO__NO_BLOCK,
        .life = next_life(world),
    };
    world->accounts[slot] = (rico__account){0};
    world->outcomes[slot] = (rico__outcome){0};
    rico__sleep_enter(world, slot);
    return slot;
}

/* Checks that all of them can begin. Nothing has changed until that is known. */
static rico_result check_spawns(rico_world *world, const rico_recipe_id *recipes,
                                const rico_effect_def *defs, uint32_t count)
{
    const uint32_t room = world->def.max_effects - world->effect_count;
    char numbered[48];
    bool runs = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (count > 1)
            snprintf(numbered, sizeof numbered, "rico_effect_spawn_all: number %u", i);
        rico_result result = check_spawn(world, recipes[i], &defs[i],
                                         count > 1 ? numbered : "rico_effect_spawn");
        if (result != RICO_OK)
            return result;
        runs |= world->recipes[recipes[i].index1 - 1].def.prewarm > 0.0f;
    }
    if (count > room && room == 0)
        return world->last_result =
                   rico__fail(&world->def.log, RICO_FULL, "rico_effect_spawn",
                              "world_def.max_effects (%u) effects are alive already",
                              world->def.max_effects);
    if (count > room)
        return world->last_result =
                   rico__fail(&world->def.log, RICO_FULL, "rico_effect_spawn_all",
                              "%u more effects would be alive than world_def.max_effects (%u)",
                              count - room, world->def.max_effects);
    return runs && rico__cannot_run(world, "rico_effect_spawn") ? RICO_BUSY : RICO_OK;
}

rico_result rico_effect_spawn_all(rico_world *world, const rico_recipe_id *recipes,
                                  const rico_effect_def *defs, uint32_t count,
                                  rico_effect_id *ids)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world,
                         (count == 0 || (recipes != NULL && defs != NULL && ids != NULL))))
        return RICO_OUT_OF_RANGE;
    for (uint32_t i = 0; i < count; ++i)
        ids[i] = (rico_effect_id){0};
    if (rico__is_busy(world, "rico_effect_spawn"))
        return RICO_BUSY;
    rico_result result = check_spawns(world, recipes, defs, count);
    if (result != RICO_OK)
        return result;
    rico__edits_settle_exact(world);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t slot = rico__effect_begin(world, recipes[i].index1 - 1, &defs[i]);
        ids[i] = (rico_effect_id){slot + 1, world->effects[slot].generation};
        rico__effect_prewarm(world, slot);
    }
    return RICO_OK;
}

rico_effect_id rico_effect_spawn_def(rico_world *world, rico_recipe_id recipe,
                                     const rico_effect_def *def)
{
    rico_effect_id id = {0};
    if (RICO_REQUIRE_OF(world, def != NULL))
        (void)rico_effect_spawn_all(world, &recipe, def, 1, &id);
    return id;
}

rico_effect_id rico_effect_spawn(rico_world *world, rico_recipe_id recipe,
                                 rico_transform transform)
{
    rico_effect_def def = rico_effect_def_default();
    def.transform = transform;
    return rico_effect_spawn_def(world, recipe, &def);
}

rico_result rico__effect_is_gone(rico_world *world, rico_effect_id id, const char *call)
{
    const bool was = id.index1 != 0 && id.index1 <= world->effect_high_water &&
                     id.generation - 1 < world->effects[id.index1 - 1].generation;
    if (!was)
        return rico__refuse(
            world, RICO_STALE_ID, call,
            "the effect id is null or stale, and no effect of this world ever had it");
    world->last_result = RICO_STALE_ID;
    return RICO_STALE_ID;
}

/* Finds the live effect that a call may change. NULL: the reason has been told. */
static rico__effect *editable(rico_world *world, rico_effect_id id, const char *call)
{
    if (rico__is_busy(world, call)) {
        return NULL;
    }
    rico__effect *effect = rico__effect_find(world, id);
    if (effect == NULL) {
        rico__effect_is_gone(world, id, call);
        return NULL;
    }
    if (world->extents.lacks_room)
        rico__edits_settle_exact(world);
    rico__sleep_wake(world, id.index1 - 1);
    rico__sleep_settle(world, id.index1 - 1);
    return effect;
}

rico_result rico_effect_move(rico_world *world, rico_effect_id id, rico_transform transform)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__effect *effect = editable(world, id, "rico_effect_move");
    if (effect == NULL)
        return world->last_result;
    rico_result result =
        rico__check_transform(world, &transform, "rico_effect_move", "transform");
    if (result != RICO_OK)
        return result;
    if (!effect->moved)
        effect->before = effect->transform;
    effect->moved = true;
    effect->transform = transform;
    return RICO_OK;
}

rico_result rico_effect_teleport(rico_world *world, rico_effect_id id, rico_transform transform)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__effect *effect = editable(world, id, "rico_effect_teleport");
    if (effect == NULL)
        return world->last_result;
    rico_result result =
        rico__check_transform(world, &transform, "rico_effect_teleport", "transform");
    if (result != RICO_OK)
        return result;
    effect->moved = false;
    effect->jumped = true;
    effect->transform = transform;
    return RICO_OK;
}

#define MAX_MANUAL 1000000u

rico_result rico_effect_emit(rico_world *world, rico_effect_id id, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__effect *effect = editable(world, id, "rico_effect_emit");
    if (effect == NULL)
        return world->last_result;
    if (effect->fed)
        return rico__refuse(world, RICO_IN_USE, "rico_effect_emit",
                            "the effect has births of sub-emitters or of rico_world_emit, "
                            "expected another effect");
    rico_result result =
        rico__check_count(world, count, MAX_MANUAL - effect->emitter.manual, "rico_effect_emit",
                          "count (at most 1000000 in all between two steps)");
    if (result == RICO_OK)
        effect->emitter.manual += count;
    return result;
}

rico_result rico_effect_set_time_scale(rico_world *world, rico_effect_id id, float time_scale)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__effect *effect = editable(world, id, "rico_effect_set_time_scale");
    if (effect == NULL)
        return world->last_result;
    rico_result result = rico__check_number(world, time_scale, 0.0f, MAX_TIME_SCALE,
                                            "rico_effect_set_time_scale", "time_scale");
    if (result == RICO_OK)
        effect->time_scale = time_scale;
    return result;
}

rico_result rico_effect_set_rate_scale(rico_world *world, rico_effect_id id, float rate_scale)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_effect_set_rate_scale";
    rico__effect *effect = editable(world, id, call);
    if (effect == NULL)
        return world->last_result;
    rico_result result =
        rico__check_number(world, rate_scale, 0.0f, MAX_RATE_SCALE, call, "rate_scale");
    if (result == RICO_OK)
        effect->emitter.rate_scale = rate_scale + 0.0f; /* no -0 */
    return result;
}

rico_result rico_effect_set_tint(rico_world *world, rico_effect_id id, rico_color tint)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_effect_set_tint";
    rico__effect *effect = editable(world, id, call);
    if (effect == NULL)
        return world->last_result;
    rico_result result = check_tint(world, &tint, call, "tint");
    if (result == RICO_OK)
        effect->tint = rico__pack_color(tint);
    return result;
}

rico_result rico_effect_stop(rico_world *world, rico_effect_id id)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__effect *effect = editable(world, id, "rico_effect_stop");
    if (effect == NULL)
        return world->last_result;
    effect->emitting = false;
    return RICO_OK;
}

static void release_blocks(rico_world *world, rico__effect *effect)
{
    uint32_t units = world->recipes[effect->recipe].block_units;
    uint32_t index = effect->first_block;
    while (index != RICO__NO_BLOCK) {
        uint32_t next = world->blocks[index].next;
        rico__pool_release(&world->pool, index, units);
        index = next;
    }
    effect->first_block = effect->last_block = RICO__NO_BLOCK;
    effect->block_count = 0;
}

void rico__effect_restart(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    rico__sleep_wake(world, slot);
    release_blocks(world, effect);
    rico__host_forget(world, slot);
    world->particle_count -= effect->particle_count;
    *effect = (rico__effect){
        .generation = effect->generation,
        .recipe = effect->recipe,
        .alive = true,
        .emitting = true,
        .time_scale = effect->time_scale,
        .transform = effect->transform,
        .place = effect->transform,
        .came_from = effect->transform,
        .user = effect->user,
        .tint = effect->tint,
        .seed = effect->seed,
        .emitter =
            rico__emitter_start(&recipe->emission, &recipe->def, effect->emitter.rate_scale),
        .first_block = RICO__NO_BLOCK,
        .last_block = RICO__NO_BLOCK,
        .life = next_life(world),
    };
    world->accounts[slot] = (rico__account){0};
    world->outcomes[slot] = (rico__outcome){0};
}

void rico__effect_remove(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    rico__sleep_leave(world, slot);
    release_blocks(world, effect);
    effect->alive = false;
    world->demands[slot] = (rico__demand){0};
    world->accounts[slot] = (rico__account){0};
    world->outcomes[slot] = (rico__outcome){0};
    effect->next_free = world->first_free_effect;
    world->first_free_effect = slot + 1;
    world->effect_count -= 1;
}

rico_result rico_effect_destroy(rico_world *world, rico_effect_id id)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__effect *effect = editable(world, id, "rico_effect_destroy");
    if (effect == NULL)
        return world->last_result;
    world->particle_count -= effect->particle_count;
    if (!effect->fed) {
        rico__effect_remove(world, id.index1 - 1);
        return RICO_OK;
    }
    release_blocks(world, effect);
    rico__host_forget(world, id.index1 - 1);
    effect->particle_count = 0;
    return RICO_OK;
}

bool rico_effect_is_alive(const rico_world *world, rico_effect_id id)
{
    if (!RICO_REQUIRE(world != NULL))
        return false;
    return rico__effect_find(world, id) != NULL;
}

uint32_t rico_effect_particle_count(const rico_world *world, rico_effect_id id)
{
    if (!RICO_REQUIRE(world != NULL))
        return 0;
    const rico__effect *effect = rico__effect_find(world, id);
    return effect != NULL ? effect->particle_count : 0;
}

bool rico_effect_get(const rico_world *world, rico_effect_id id, rico_effect_info *info)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL && info != NULL))
        return false;
    const rico__effect *effect = rico__effect_find(world, id);
    if (effect == NULL)
        return false;
    *info = (rico_effect_info){
        .recipe = {effect->recipe + 1, world->recipes[effect->recipe].generation},
        .transform = effect->transform,
        .seed = effect->seed,
        .user = effect->user,
        .time_scale = effect->time_scale,
        .rate_scale = effect->emitter.rate_scale,
        .tint = rico__unpack_color(effect->tint),
        .particles = effect->particle_count,
        .births_starved = world->demands[id.index1 - 1].refused,
        .emits = effect->emitting,
    };
    return true;
}

rico_result rico_effect_set_user(rico_world *world, rico_effect_id id, void *user)
{
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__effect *effect = editable(world, id, "rico_effect_set_user");
    if (effect == NULL)
        return world->last_result;
    effect->user = user;
    return RICO_OK;
}

rico_effect_id rico_world_next_effect(const rico_world *world, rico_effect_id after)
{
    if (!RICO_REQUIRE(world != NULL))
        return (rico_effect_id){0};
    for (uint32_t slot = after.index1; slot < world->effect_high_water; ++slot)
        if (world->effects[slot].alive)
            return (rico_effect_id){slot + 1, world->effects[slot].generation};
    return (rico_effect_id){0};
}

rico_view rico_effect_view(const rico_world *world, rico_effect_id id)
{
    if (!RICO_REQUIRE(world != NULL))
        return (rico_view){.next_block = RICO__NO_BLOCK};
    const rico__effect *effect = rico__effect_find(world, id);
    rico_view view = {.world = world, .next_block = RICO__NO_BLOCK};
    if (effect == NULL)
        return view;
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    rico__sleep_settle(world, id.index1 - 1);
    view.next_block = effect->first_block;
    view.constant_size = recipe->tables.size[0];
    view.constant_color = recipe->tables.color[0];
    view.tint = effect->tint;
    return view;
}

static void show_last_places(rico_view *view, const rico__block *block, float *data)
{
    const rico__recipe *recipe = &view->world->recipes[block->recipe];
    const bool stood = view->world->effects[block->effect].ways == RICO__STOOD;
    view->last_px = rico__stream(recipe, data, stood ? FIELD_PX : FIELD_LAST_PX);
    view->last_py = rico__stream(recipe, data, stood ? FIELD_PY : FIELD_LAST_PY);
    view->last_pz = rico__stream(recipe, data, stood ? FIELD_PZ : FIELD_LAST_PZ);
}

bool rico_view_next(rico_view *view)
{
    if (!RICO_REQUIRE(view != NULL) || view->next_block == RICO__NO_BLOCK ||
        !RICO_REQUIRE(view->world != NULL))
        return false;
    const rico_world *world = view->world;
    const rico__block *block = &world->blocks[view->next_block];
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    view->next_block = block->next;
    view->count = block->count;
    view->px = rico__stream(recipe, data, FIELD_PX);
    view->py = rico__stream(recipe, data, FIELD_PY);
    view->pz = rico__stream(recipe, data, FIELD_PZ);
    view->vx = rico__stream(recipe, data, FIELD_VX);
    view->vy = rico__stream(recipe, data, FIELD_VY);
    view->vz = rico__stream(recipe, data, FIELD_VZ);
    view->age = rico__stream(recipe, data, FIELD_AGE);
    view->lifetime = rico__stream(recipe, data, FIELD_LIFE);
    view->size = rico__stream(recipe, data, FIELD_SIZE);
    view->color = (const uint32_t *)(const void *)rico__stream(recipe, data, FIELD_COLOR);
    view->wx = rico__stream(recipe, data, FIELD_WX);
    view->wy = rico__stream(recipe, data, FIELD_WY);
    view->wz = rico__stream(recipe, data, FIELD_WZ);
    view->qx = rico__stream(recipe, data, FIELD_QX);
    view->qy = rico__stream(recipe, data, FIELD_QY);
    view->qz = rico__stream(recipe, data, FIELD_QZ);
    view->qw = rico__stream(recipe, data, FIELD_QW);
    view->id = (const uint32_t *)(const void *)rico__stream(recipe, data, FIELD_ID);
    if (recipe->def.interpolate)
        show_last_places(view, block, data);
    return true;
}
