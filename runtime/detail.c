#include "detail.h"

#include "check.h"
#include "float_mode.h"
#include "log.h"
#include "packing.h"
#include "preparation.h"
#include "stages.h"
#include "vec.h"

#include <stdio.h>

/* --- Recipes ------------------------------------------------------------------------------ */

#define LEAST_STEPS 2u
#define MOST_STEPS 16u

bool rico__detail_wanted(const rico_recipe *recipe)
{
    return recipe->hidden != RICO_HIDDEN_RUNS || recipe->cull_distance > 0.0f ||
           recipe->lod_distance > 0.0f || recipe->lod_below > 0.0f;
}

rico_result rico__detail_check(const rico_recipe *r, const rico_log *log)
{
    static const char call[] = "rico_recipe_check";
    const rico__bound bounds[] = {
        {"cull_distance", r->cull_distance, 0.0f, 1.0e6f},
        {"lod_distance", r->lod_distance, 0.0f, 1.0e6f},
        {"lod_below", r->lod_below, 0.0f, 1.0f},
        {"lod_births", r->lod_births, 0.0f, 1.0f},
    };
    if ((unsigned)r->hidden >= RICO_HIDDEN_COUNT)
        return rico__fail(log, RICO_OUT_OF_RANGE, call, "recipe.hidden is %d, expected 0 to %d",
                          (int)r->hidden, RICO_HIDDEN_COUNT - 1);
    if (r->hidden_steps < LEAST_STEPS || r->hidden_steps > MOST_STEPS)
        return rico__fail(log, RICO_OUT_OF_RANGE, call,
                          "recipe.hidden_steps is %u, expected %u to %u", r->hidden_steps,
                          LEAST_STEPS, MOST_STEPS);
    return rico__check_bounds(bounds, sizeof bounds / sizeof bounds[0], log);
}

/* --- The host's side ---------------------------------------------------------------------- */

rico_result rico_world_set_viewers(rico_world *world, const rico_vec3 *places, uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, (count == 0 || places != NULL)))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_set_viewers";
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    if (rico__check_count(world, count, RICO_MAX_VIEWERS, call, "count") != RICO_OK)
        return world->last_result;
    for (uint32_t k = 0; k < count; ++k) {
        char name[24];
        snprintf(name, sizeof name, "places[%u]", k);
        rico_result result =
            rico__limit_vec3(&world->def.log, call, name, places[k], __builtin_inff());
        if (result != RICO_OK)
            return world->last_result = result;
    }
    for (uint32_t k = 0; k < count; ++k)
        world->detail.viewers[k] = places[k];
    world->detail.viewer_count = count;
    return RICO_OK;
}

rico_result rico_world_set_detail_hook(rico_world *world, const rico_detail_hook *hook)
{
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_set_detail_hook";
    rico__detail *detail = &world->detail;
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    if (hook == NULL || hook->judge == NULL) {
        detail->hook = (rico_detail_hook){0};
        return RICO_OK;
    }
    if (detail->items == NULL)
        detail->items = rico__memory_allocate(&world->memory, world->def.max_effects,
                                              sizeof *detail->items, RICO_CACHE_LINE);
    if (detail->items == NULL)
        return rico__refuse(world, RICO_OUT_OF_MEMORY, call, "no memory");
    detail->hook = *hook;
    return RICO_OK;
}

void rico__detail_free(rico_world *world)
{
    rico__memory_release(&world->memory, world->detail.items, world->def.max_effects,
                         sizeof *world->detail.items, RICO_CACHE_LINE);
}

bool rico_effect_is_hidden(const rico_world *world, rico_effect_id id)
{
    if (!RICO_REQUIRE(world != NULL))
        return false;
    const rico__effect *effect = rico__effect_find(world, id);
    return effect != NULL && world->recipes[effect->recipe].detail && effect->regard.hidden;
}

/* --- Which effects are hidden, and which matter ------------------------------------------- */

/* A hidden effect is seen again within this share of the distance. On the very border it would
 * change with each step of a viewer, and look for all its paths anew each time. */
#define SEEN_AGAIN 0.9f

static float distance_to_viewer(const rico__detail *detail, rico_vec3 p)
{
    float least = 0.0f;
    for (uint32_t k = 0; k < detail->viewer_count; ++k) {
        float distance = vec3_length(vec3_sub(detail->viewers[k], p));
        least = k == 0 ? distance : float_min(least, distance);
    }
    return least;
}

/* Judges the effect as the world does, by distance alone. Returns the distance. */
static float measure(const rico_world *world, rico__effect *effect)
{
    const rico_recipe *def = &world->recipes[effect->recipe].def;
    rico__regard *regard = &effect->regard;
    float distance = distance_to_viewer(&world->detail, effect->transform.position);
    float reach = regard->far ? SEEN_AGAIN * def->cull_distance : def->cull_distance;
    regard->far = def->cull_distance > 0.0f && distance > reach;
    regard->hidden = regard->far;
    regard->significance = 1.0f;
    if (def->lod_distance > 0.0f && distance > def->lod_distance)
        regard->significance = def->lod_distance / distance;
    return distance;
}

static bool is_asked(const rico_world *world, const rico__effect *effect)
{
    return effect->alive && !effect->fed && world->recipes[effect->recipe].detail;
}

static rico_box bounds_of(const rico_world *world, const rico__effect *effect)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const rico__packed_from none = {0};
    rico__extent all = rico__extent_of(&none, 0);
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        float *data = rico__block_data(world, &world->blocks[b]);
        const rico__packed_from from = {.px = rico__stream(recipe, data, FIELD_PX),
                                        .py = rico__stream(recipe, data, FIELD_PY),
                                        .pz = rico__stream(recipe, data, FIELD_PZ),
                                        .size = rico__stream(recipe, data, FIELD_SIZE),
                                        .constant_size = recipe->tables.size[0]};
        const rico__extent one = rico__extent_of(&from, world->blocks[b].count);
        rico__extent_join(&all, &one);
    }
    return rico__extent_box(&all);
}

bool rico_effect_bounds(const rico_world *world, rico_effect_id id, rico_box *box)
{
    RICO__FLOAT_MODE();
    if (box != NULL) {
        const rico__packed_from none = {0};
        const rico__extent nothing = rico__extent_of(&none, 0);
        *box = rico__extent_box(&nothing);
    }
    if (!RICO_REQUIRE(world != NULL && box != NULL))
        return false;
    const rico__effect *effect = rico__effect_find(world, id);
    if (effect == NULL || effect->particle_count == 0)
        return false;
    rico__sleep_settle(world, id.index1 - 1);
    *box = bounds_of(world, effect);
    return true;
}

static void bounds_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    (void)worker;
    for (uint32_t n = begin; n < end; ++n) {
        rico_detail *item = &world->detail.items[n];
        item->bounds = bounds_of(world, &world->effects[item->effect.index1 - 1]);
    }
}

static void take_answer(rico__regard *regard, const rico_detail *answer)
{
    float significance = answer->significance > 0.0f ? answer->significance : 0.0f;
    regard->significance = float_min(significance, 1.0f);
    regard->hidden = answer->hidden;
}

void rico__detail_ask(rico_world *world)
{
    rico__detail *detail = &world->detail;
    uint32_t count = 0;
    if (!detail->any || detail->hook.judge == NULL || world->alone != 0)
        return;
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot) {
        rico__effect *effect = &world->effects[slot];
        if (!is_asked(world, effect))
            continue;
        float distance = measure(world, effect);
        detail->items[count++] = (rico_detail){
            .effect = {slot + 1, effect->generation},
            .recipe = {effect->recipe + 1, world->recipes[effect->recipe].generation},
            .position = effect->transform.position,
            .distance = distance,
            .particles = effect->particle_count,
            .significance = effect->regard.significance,
            .hidden = effect->regard.hidden,
        };
    }
    if (count == 0)
        return;
    rico__work_for(world, 0, count, RICO__EFFECT_GRAIN, bounds_range, world);
    detail->hook.judge(detail->hook.user, detail->items, count);
    for (uint32_t slot = 0, n = 0; slot < world->effect_high_water; ++slot)
        if (is_asked(world, &world->effects[slot]))
            take_answer(&world->effects[slot].regard, &detail->items[n++]);
}

/* --- What follows from it ----------------------------------------------------------------- */

/* Seconds of the effect's own time. A slow effect's steps are not longer, unless the world's
 * are. */
#define MOST_OWED 0.25f

/* own: seconds that the effect owes, this step included. One more step must not make them too
 * many. */
static bool waits_its_turn(const rico_world *world, uint32_t slot, float own)
{
    const rico__effect *effect = &world->effects[slot];
    uint32_t steps = world->recipes[effect->recipe].def.hidden_steps;
    return (world->turn + slot) % steps != 0 &&
           own + world->dt * effect->time_scale <= MOST_OWED;
}

static void live_on(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    rico__regard *regard = &effect->regard;
    const rico_recipe *def = &world->recipes[effect->recipe].def;
    const float own = regard->owed_own + world->dt * effect->time_scale;
    regard->seconds = regard->owed + world->dt;
    if (regard->hidden && def->hidden == RICO_HIDDEN_FREEZES) {
        effect->dt = 0.0f;
    } else if (regard->hidden && def->hidden == RICO_HIDDEN_RUNS_SLOWLY &&
               waits_its_turn(world, slot, own)) {
        regard->owed = regard->seconds;
        regard->owed_own = own;
        effect->dt = 0.0f;
    } else {
        regard->owed = regard->owed_own = 0.0f;
        effect->dt = own;
    }
}

void rico__detail_time(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    rico__regard *regard = &effect->regard;
    if (effect->fed || world->alone == slot + 1) {
        *regard = (rico__regard){.seconds = world->dt, .significance = 1.0f};
        return;
    }
    if (world->alone != 0)
        return;
    if (world->detail.hook.judge == NULL)
        measure(world, effect);
    if (effect->dt > 0.0f)
        live_on(world, slot);
}

/* How many of the step's births before this number are kept: one whenever the share, added up
 * over all serials, reaches a whole number. */
static uint64_t kept_before(const rico__regard *regard, uint32_t first_serial, uint32_t number)
{
    uint32_t begun = first_serial * regard->keep;
    return (begun + (uint64_t)number * regard->keep) >> 32;
}

void rico__detail_thin(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    const rico_recipe *def = &world->recipes[effect->recipe].def;
    rico__regard *regard = &effect->regard;
    regard->thins = false;
    if (!(regard->significance < def->lod_below))
        return;
    float share =
        def->lod_births + (1.0f - def->lod_births) * (regard->significance / def->lod_below);
    if (!(share < 1.0f))
        return;
    regard->thins = true;
    regard->keep = (uint32_t)(share * 4294967296.0f);
    regard->due = effect->births_due;
    effect->births_due =
        (uint32_t)kept_before(regard, effect->emitter.first_serial, regard->due);
    if (effect->births_due == 0)
        rico__detail_count(effect);
}

void rico__detail_count(rico__effect *effect)
{
    if (effect->regard.thins)
        effect->next_serial = effect->emitter.first_serial + effect->regard.due;
}

uint32_t rico__detail_number(const rico__effect *effect, uint32_t n)
{
    const rico__regard *regard = &effect->regard;
    uint32_t begun = effect->emitter.first_serial * regard->keep;
    uint64_t whole = ((uint64_t)n + 1) << 32;
    return (uint32_t)((whole - begun + regard->keep - 1) / regard->keep) - 1;
}

bool rico__detail_owes(const rico_world *world, const rico__effect *effect)
{
    return world->recipes[effect->recipe].detail && effect->regard.owed > 0.0f;
}

float rico__detail_seconds(const rico_world *world, const rico__effect *effect)
{
    return world->recipes[effect->recipe].detail ? effect->regard.seconds : world->dt;
}

void rico__detail_hash(rico__hash *hash, const rico__regard *regard)
{
    rico__hash_floats(hash, &regard->owed, 1);
    rico__hash_floats(hash, &regard->owed_own, 1);
    rico__hash_u32(hash, regard->far);
}
