/* Recipes from the host's side: adding them, changing them while effects run them, removing
 * them. */
#include "births.h"
#include "check.h"
#include "float_mode.h"
#include "host_rays.h"
#include "log.h"
#include "looks.h"
#include "pace.h"
#include "planes.h"
#include "preparation.h"
#include "response.h"
#include "rotation.h"
#include "space.h"
#include "sprite.h"
#include "stages.h"
#include "sub_emitters.h"

#include <string.h>

static const char unknown[] = "the recipe id is null, stale or not of this world";

/* The log to write to, and the call that the host made. */
typedef struct caller {
    const rico_log *log;
    const char *call;
} caller;

static void say_as_call(void *user, rico_log_level level, const char *text)
{
    const caller *by = user;
    const char *what = strchr(text, ':');
    rico__log(by->log, level, "%s%s", by->call, what != NULL ? what : "");
}

static rico_result check(rico_world *world, const rico_recipe *recipe, const char *call)
{
    caller by = {&world->def.log, call};
    const rico_log log = {say_as_call, &by};
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    rico_result result = rico_recipe_check(recipe, &log);
    if (result == RICO_OK && recipe->mode == RICO_COLLIDE_EXACT &&
        world->def.ray_caster.deferred)
        result = rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                            "recipe.mode is exact, which needs immediate answers, but "
                            "world_def.ray_caster is deferred");
    if (result == RICO_OK && recipe->ignored_layers != 0 && rico__has_caster(world) &&
        (recipe->mode == RICO_COLLIDE_CACHED || recipe->mode == RICO_COLLIDE_EXACT))
        result = rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                            "recipe.ignored_layers is %u, expected 0: what "
                            "world_def.ray_caster meets has no layers",
                            recipe->ignored_layers);
    return result;
}

static rico_result prepare(rico_world *world, const rico_recipe *recipe, uint32_t inherits,
                           const char *call, rico__recipe *out)
{
    rico__recipe_prepare(out, recipe);
    if (inherits != 0)
        rico__recipe_inherit(out, inherits);
    rico_result result = rico__faces_create(out, &world->memory);
    if (result != RICO_OK)
        rico__fail(&world->def.log, result, call, "recipe.mesh: %s", rico_result_text(result));
    return result;
}

/* Reserves what the world needs for its first recipe of mode exact. Without memory, the new
 * recipe is dropped. */
static rico_result reserve(rico_world *world, rico__recipe *recipe, const char *call)
{
    if (recipe->def.mode != RICO_COLLIDE_EXACT || world->extents.cells != NULL)
        return RICO_OK;
    rico__edits_settle(world, &world->memory);
    rico_result result =
        rico__extents_init(&world->extents, &world->memory, !rico__has_caster(world));
    if (result == RICO_OK) {
        rico__extents_clear(&world->extents, &world->coverage, &world->memory);
        return RICO_OK;
    }
    rico__faces_release(recipe, &world->memory);
    return rico__fail(&world->def.log, result, call, "recipe.mode is exact: %s",
                      rico_result_text(result));
}

/* Makes records reach as far as the recipe's particles do, and takes memory for them. Records
 * are never made narrower again: they also do for smaller particles, and a large one may come
 * again. */
static void make_room(rico_world *world, const rico__recipe *recipe)
{
    if (recipe->def.mode != RICO_COLLIDE_CACHED)
        return;
    rico__edit_radius(world, recipe->contact_radius);
    if (!rico__has_caster(world))
        rico_cache_prefault(world->records);
}

rico__recipe *rico__recipe_find(const rico_world *world, rico_recipe_id id)
{
    if (id.index1 == 0 || id.index1 > world->recipe_count)
        return NULL;
    rico__recipe *recipe = &world->recipes[id.index1 - 1];
    return recipe->alive && recipe->generation == id.generation ? recipe : NULL;
}

bool rico_world_get_recipe(const rico_world *world, rico_recipe_id id, rico_recipe *recipe)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL && recipe != NULL))
        return false;
    const rico__recipe *found = rico__recipe_find(world, id);
    if (found != NULL)
        *recipe = found->def;
    return found != NULL;
}

/* The first free slot; max_recipes: none is free. */
static uint32_t free_slot(const rico_world *world)
{
    uint32_t slot = 0;
    while (slot < world->recipe_count && world->recipes[slot].alive)
        ++slot;
    return slot;
}

rico_recipe_id rico_world_add_recipe(rico_world *world, const rico_recipe *recipe)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, recipe != NULL))
        return (rico_recipe_id){0};
    static const char call[] = "rico_world_add_recipe";
    rico__recipe next;
    rico_result result = check(world, recipe, call);
    const uint32_t slot = free_slot(world);
    if (result == RICO_OK && slot == world->def.max_recipes)
        result = rico__fail(&world->def.log, RICO_FULL, call,
                            "world_def.max_recipes (%u) recipes exist already",
                            world->def.max_recipes);
    if (result == RICO_OK)
        result = rico__sub_emitters_link(world, recipe, slot, call);
    if (result == RICO_OK)
        result = prepare(world, recipe, 0, call, &next);
    if (result == RICO_OK)
        result = reserve(world, &next, call);
    if (result != RICO_OK) {
        world->last_result = result;
        return (rico_recipe_id){0};
    }
    next.generation = slot < world->recipe_count ? world->recipes[slot].generation + 1 : 1;
    next.alive = true;
    world->recipes[slot] = next;
    world->recipe_count = uint_max(world->recipe_count, slot + 1);
    make_room(world, &next);
    rico__sub_emitters_feed(world, recipe);
    return (rico_recipe_id){slot + 1, next.generation};
}

/* --- Changes ------------------------------------------------------------------------------ */

static bool runs(const rico_world *world, uint32_t slot, uint32_t recipe)
{
    return world->effects[slot].alive && world->effects[slot].recipe == recipe;
}

static bool is_range(const rico_range *range)
{
    return range->lo != range->hi;
}

/* The field that differs, of those that need an id per particle. */
static const char *differs_in_ids(const rico_recipe *a, const rico_recipe *b)
{
    if (rico__response_draws(a) != rico__response_draws(b))
        return (a->restitution_random > 0.0f) != (b->restitution_random > 0.0f)
                   ? "restitution_random"
                   : "friction_random";
    if (rico__rotation_draws(a) != rico__rotation_draws(b))
        return is_range(&a->start_rotation) != is_range(&b->start_rotation) ? "start_rotation"
                                                                            : "spin";
    if (rico__sprite_draws(a) != rico__sprite_draws(b))
        return "start_frame";
    if (a->particle_ids != b->particle_ids)
        return "particle_ids";
    return (a->events != 0) != (b->events != 0) ? "events" : "sub_emitters";
}

static const char *differs_in_sizes(const rico__recipe *a, const rico__recipe *b)
{
    if (a->draws_size == b->draws_size)
        return "particle_size";
    return memcmp(&a->def.start_size, &b->def.start_size, sizeof a->def.start_size) != 0
               ? "start_size"
               : "size_over_duration";
}

static const char *differs_in_colors(const rico__recipe *a, const rico__recipe *b)
{
    if (a->draws_color != b->draws_color)
        return "start_color";
    return (a->def.color.key_count > 1) != (b->def.color.key_count > 1) ? "color"
                                                                        : "alpha_over_life";
}

/* The field by which the memory of a particle differs; NULL = none. */
static const char *differs(const rico__recipe *a, const rico__recipe *b)
{
    if (a->def.mode != b->def.mode)
        return "mode";
    for (uint32_t f = 0; f < FIELD_COUNT; ++f) {
        if ((a->stream[f] == RICO__NO_STREAM) == (b->stream[f] == RICO__NO_STREAM))
            continue;
        if (f == FIELD_SIZE || f == FIELD_SCALE)
            return differs_in_sizes(a, b);
        if (f == FIELD_WX)
            return "rolls";
        if (f == FIELD_LAST_PX)
            return "interpolate";
        if (f == FIELD_COLLIDER)
            return "events";
        if (f == FIELD_COLOR || f == FIELD_TINT)
            return differs_in_colors(a, b);
        return differs_in_ids(&a->def, &b->def);
    }
    return NULL;
}

static bool same_schedule(const rico_recipe *a, const rico_recipe *b)
{
    return a->delay == b->delay && a->duration == b->duration && a->loops == b->loops &&
           a->burst_count == b->burst_count && a->burst_interval == b->burst_interval &&
           memcmp(a->bursts, b->bursts, sizeof a->bursts) == 0;
}

static bool same_slopes(const rico_curve *a, const rico_curve *b)
{
    const size_t bytes = a->key_count * sizeof a->slope_in[0];
    return memcmp(a->slope_in, b->slope_in, bytes) == 0 &&
           memcmp(a->slope_out, b->slope_out, bytes) == 0;
}

static bool same_curve(const rico_curve *a, const rico_curve *b)
{
    return a->key_count == b->key_count && a->interpolation == b->interpolation &&
           memcmp(a->at, b->at, a->key_count * sizeof a->at[0]) == 0 &&
           memcmp(a->value, b->value, a->key_count * sizeof a->value[0]) == 0 &&
           (a->interpolation != RICO_CUBIC || same_slopes(a, b));
}

static bool same_forces(const rico_recipe *a, const rico_recipe *b)
{
    for (uint32_t i = 0; i < RICO_MAX_FORCES; ++i) {
        const rico_force *x = &a->forces[i], *y = &b->forces[i];
        bool same = x->strength == y->strength && x->speed == y->speed &&
                    x->reach == y->reach && x->scale == y->scale &&
                    x->world_space == y->world_space &&
                    memcmp(&x->position, &y->position, sizeof x->position) == 0 &&
                    memcmp(&x->axis, &y->axis, sizeof x->axis) == 0 &&
                    memcmp(&x->scroll, &y->scroll, sizeof x->scroll) == 0;
        if (x->kind != y->kind || (x->kind != RICO_FORCE_NONE && !same))
            return false;
    }
    return memcmp(&a->wind, &b->wind, sizeof a->wind) == 0 &&
           same_curve(&a->drag_over_life, &b->drag_over_life) &&
           a->drag_quadratic == b->drag_quadratic && a->limit_speed == b->limit_speed &&
           a->field_layers == b->field_layers;
}

static bool same_planes(const rico_recipe *a, const rico_recipe *b)
{
    return a->plane_count == b->plane_count &&
           memcmp(a->planes, b->planes, a->plane_count * sizeof a->planes[0]) == 0;
}

static bool same_motion(const rico_recipe *a, const rico_recipe *b)
{
    return memcmp(&a->gravity, &b->gravity, sizeof a->gravity) == 0 && a->drag == b->drag &&
           same_forces(a, b) && a->radius == b->radius && a->restitution == b->restitution &&
           a->friction == b->friction && a->rest_speed == b->rest_speed &&
           a->rolling_friction == b->rolling_friction && a->on_collision == b->on_collision &&
           a->by_surface == b->by_surface && a->ignored_layers == b->ignored_layers &&
           rico__response_is_plain(a) == rico__response_is_plain(b) && same_planes(a, b);
}

/* What the effect has begun goes on: fractions of births, and numbers drawn. An effect whose
 * emission has ended does not look at the schedule again. */
static void restart_schedule(rico__effect *effect, const rico__recipe *recipe)
{
    rico__emitter old = effect->emitter;
    effect->emitter = rico__emitter_start(&recipe->emission, &recipe->def, old.rate_scale);
    effect->emitter.rate_credit = old.rate_credit;
    effect->emitter.due_base = old.rate_credit;
    effect->emitter.distance_credit = old.distance_credit;
    effect->emitter.manual = old.manual;
    memcpy(effect->emitter.burst_draws, old.burst_draws, sizeof old.burst_draws);
}

void rico__choose_planes(rico_world *world, const rico__recipe *recipe, rico__block *block,
                         bool wakes)
{
    float *life = rico__stream(recipe, rico__block_data(world, block), FIELD_LIFE);
    for (uint32_t i = 0; i < block->count; ++i)
        life[i] = rico__life_with_plane(life[i], rico__planes_number(recipe));
    if (wakes)
        memset(block->asleep, 0, sizeof block->asleep);
}

/* Lets the effect forget its paths in its next step, as after an edit that it has missed. held:
 * what held particles that stick is still there. */
static void forget_paths(rico_world *world, rico__effect *effect, const rico__recipe *recipe,
                         bool held)
{
    const bool stops = recipe->def.on_collision == RICO_ON_COLLISION_STOP;
    const bool wakes = !(stops || (held && rico__response_stays(&recipe->def)));
    effect->missed_edits = true;
    rico__pace_renew(effect);
    if (recipe->def.mode != RICO_COLLIDE_FIXED)
        return;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        rico__choose_planes(world, recipe, &world->blocks[b], wakes);
}

/* The effect's next step may not ask for anything, or not report anything. Then what the last
 * step left would stay. */
static void forget_results(rico_world *world, const rico__effect *effect)
{
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next) {
        rico__block *block = &world->blocks[b];
        block->request_count = 0;
        memset(block->event_counts, 0, sizeof block->event_counts);
    }
}

/* What particles inherit after the change. Living particles keep what they have inherited. */
static uint32_t inherits_after(const rico_world *world, uint32_t index)
{
    return rico__has_blocks(world, index) ? world->recipes[index].inherits
                                          : rico__looks_handed_on(world, index);
}

/* Puts the new recipe into the slot of the old one. */
static void replace(rico_world *world, uint32_t index, rico__recipe *next)
{
    rico__recipe *recipe = &world->recipes[index];
    bool schedule = !same_schedule(&recipe->def, &next->def);
    bool motion = !same_motion(&recipe->def, &next->def);
    bool held = same_planes(&recipe->def, &next->def);
    bool comes_along = recipe->def.space != next->def.space; /* from now on */
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot)
        if (runs(world, slot, index)) {
            rico__sleep_wake(world, slot);
            rico__sleep_settle(world, slot);
        }
    rico__faces_release(recipe, &world->memory);
    *recipe = *next;
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot) {
        if (!runs(world, slot, index))
            continue;
        forget_results(world, &world->effects[slot]);
        if (comes_along)
            rico__space_begin(&world->effects[slot]);
        if (schedule)
            restart_schedule(&world->effects[slot], recipe);
        if (motion)
            forget_paths(world, &world->effects[slot], recipe, held);
    }
}

/* The log for calls that ask and do not change anything. */
static void say_nothing(void *user, rico_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

const char *rico_world_recipe_conflict(const rico_world *world, rico_recipe_id id,
                                       const rico_recipe *recipe)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL && recipe != NULL))
        return NULL;
    const rico_log silent = {say_nothing, NULL};
    if (rico_recipe_check(recipe, &silent) != RICO_OK)
        return NULL;
    const char *handed = rico__looks_conflict(world, recipe);
    const rico__recipe *old = rico__recipe_find(world, id);
    if (handed != NULL || old == NULL || !rico__has_blocks(world, id.index1 - 1))
        return handed;
    rico__recipe next;
    rico__recipe_prepare(&next, recipe);
    if (old->inherits != 0)
        rico__recipe_inherit(&next, old->inherits);
    return differs(old, &next);
}

rico_result rico_world_change_recipe(rico_world *world, rico_recipe_id id,
                                     const rico_recipe *recipe)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, recipe != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_change_recipe";
    rico__recipe next;
    rico_result result = check(world, recipe, call);
    if (result == RICO_OK && rico__recipe_find(world, id) == NULL)
        result = rico__fail(&world->def.log, RICO_STALE_ID, call, unknown);
    if (result == RICO_OK)
        result = rico__sub_emitters_link(world, recipe, id.index1 - 1, call);
    if (result == RICO_OK)
        result = prepare(world, recipe, inherits_after(world, id.index1 - 1), call, &next);
    if (result != RICO_OK)
        return world->last_result = result;
    const rico__recipe *old = &world->recipes[id.index1 - 1];
    if (rico__has_blocks(world, id.index1 - 1)) {
        const char *field = differs(old, &next);
        if (field != NULL) {
            rico__faces_release(&next, &world->memory);
            return world->last_result = rico__fail(
                       &world->def.log, RICO_IN_USE, call,
                       "recipe.%s: the change needs other memory per particle, expected no "
                       "living particles, or a new recipe (rico_world_add_recipe)",
                       field);
        }
        next.block_capacity = old->block_capacity; /* as the existing blocks are */
        next.stream_floats = old->stream_floats;
        next.block_units = old->block_units;
        next.request_capacity = old->request_capacity;
    }
    next.sub_effect1 = old->sub_effect1;
    next.feed = old->feed;
    next.emitted = old->emitted;
    next.emitted_births = old->emitted_births;
    next.host_feeds = old->host_feeds;
    next.generation = old->generation;
    next.alive = true;
    result = reserve(world, &next, call);
    if (result != RICO_OK)
        return world->last_result = result;
    make_room(world, &next);
    replace(world, id.index1 - 1, &next);
    rico__sub_emitters_resize(world, &world->recipes[id.index1 - 1]);
    rico__sub_emitters_feed(world, recipe);
    return RICO_OK;
}

/* --- Removal ------------------------------------------------------------------------------ */

/* The slot of a recipe whose sub-emitters name this one; UINT32_MAX: none. */
static uint32_t named_by(const rico_world *world, uint32_t index)
{
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
            const rico_sub_emitter *sub = &world->recipes[r].def.sub_emitters[k];
            if (world->recipes[r].alive && sub->on != 0 && sub->recipe.index1 == index + 1)
                return r;
        }
    return UINT32_MAX;
}

/* Whether particles born from seeds exist, or will in the next step. */
static bool owes_births(const rico_world *world, const rico__recipe *recipe)
{
    return recipe->sub_effect1 != 0 &&
           (rico__owes_births(recipe) ||
            world->effects[recipe->sub_effect1 - 1].particle_count > 0);
}

static rico_result check_unused(const rico_world *world, uint32_t index, const rico_log *log)
{
    static const char call[] = "rico_world_remove_recipe";
    const rico__recipe *recipe = &world->recipes[index];
    uint32_t parent = named_by(world, index);
    if (parent != UINT32_MAX)
        return rico__fail(log, RICO_IN_USE, call,
                          "a sub-emitter of recipe %u names recipe %u: remove recipe %u first",
                          parent + 1, index + 1, parent + 1);
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot)
        if (runs(world, slot, index) && !world->effects[slot].fed)
            return rico__fail(log, RICO_IN_USE, call, "effect %u uses recipe %u", slot + 1,
                              index + 1);
    if (owes_births(world, recipe))
        return rico__fail(log, RICO_IN_USE, call,
                          "particles of recipe %u from sub-emitters or rico_world_emit are "
                          "alive, or are to be born",
                          index + 1);
    return RICO_OK;
}

bool rico_world_recipe_in_use(const rico_world *world, rico_recipe_id id)
{
    RICO__FLOAT_MODE();
    const rico_log silent = {say_nothing, NULL};
    return RICO_REQUIRE(world != NULL) && rico__recipe_find(world, id) != NULL &&
           check_unused(world, id.index1 - 1, &silent) != RICO_OK;
}

rico_result rico_world_remove_recipe(rico_world *world, rico_recipe_id id)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_remove_recipe";
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    rico__recipe *recipe = rico__recipe_find(world, id);
    if (recipe == NULL)
        return rico__refuse(world, RICO_STALE_ID, call, unknown);
    rico_result result = check_unused(world, id.index1 - 1, &world->def.log);
    if (result != RICO_OK)
        return world->last_result = result;
    if (recipe->sub_effect1 != 0)
        rico__effect_remove(world, recipe->sub_effect1 - 1);
    rico__faces_release(recipe, &world->memory);
    *recipe = (rico__recipe){.generation = id.generation};
    return RICO_OK;
}
