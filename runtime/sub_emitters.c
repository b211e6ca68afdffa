#include "sub_emitters.h"
#include "check.h"

#include "block_layout.h"
#include "float_mode.h"
#include "force_list.h"
#include "looks.h"
#include "preparation.h"
#include "random.h"
#include "stages.h"
#include "vec.h"

#include <stdio.h>
#include <string.h>

/* --- Recipes ------------------------------------------------------------------------------ */

static rico_result check_one(const rico_sub_emitter *sub, uint32_t k, const rico_log *log)
{
    static const char call[] = "rico_recipe_check";
    char names[3][48];
    if ((sub->on & ~RICO__EVENT_BITS) != 0 || (sub->on & (sub->on - 1)) != 0)
        return rico__fail(log, RICO_OUT_OF_RANGE, call,
                          "recipe.sub_emitters[%u].on is 0x%x, expected one RICO_EVENT_BIT_...",
                          k, sub->on);
    if (sub->count < 1 || sub->count > 1000)
        return rico__fail(log, RICO_OUT_OF_RANGE, call,
                          "recipe.sub_emitters[%u].count is %u, expected 1 to 1000", k,
                          sub->count);
    if ((unsigned)sub->orientation >= RICO_ORIENTATION_COUNT)
        return rico__fail(log, RICO_OUT_OF_RANGE, call,
                          "recipe.sub_emitters[%u].orientation is %d, expected 0 to %d", k,
                          (int)sub->orientation, RICO_ORIENTATION_COUNT - 1);
    snprintf(names[0], sizeof names[0], "sub_emitters[%u].probability", k);
    snprintf(names[1], sizeof names[1], "sub_emitters[%u].inherit_velocity", k);
    snprintf(names[2], sizeof names[2], "sub_emitters[%u].min_impact_speed", k);
    const rico__bound bounds[] = {{names[0], sub->probability, 0.0f, 1.0f},
                                  {names[1], sub->inherit_velocity, -10.0f, 10.0f},
                                  {names[2], sub->min_impact_speed, 0.0f, 1000.0f}};
    const rico_result result = rico__check_bounds(bounds, 3, log);
    if (result != RICO_OK || sub->on == RICO_EVENT_BIT_COLLISION ||
        sub->min_impact_speed == 0.0f)
        return result;
    return rico__fail(log, RICO_OUT_OF_RANGE, call,
                      "recipe.sub_emitters[%u].min_impact_speed is %g, expected 0: on is not "
                      "collision",
                      k, (double)sub->min_impact_speed);
}

rico_result rico__sub_emitters_check(const rico_recipe *recipe, const rico_log *log)
{
    rico_result result = RICO_OK;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS && result == RICO_OK; ++k)
        if (recipe->sub_emitters[k].on != 0)
            result = check_one(&recipe->sub_emitters[k], k, log);
    return result;
}

uint32_t rico__sub_emitter_bits(const rico_recipe *recipe)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        bits |= recipe->sub_emitters[k].on;
    return bits;
}

/* The recipes as they are, or as they will be once number `index` is changed. */
typedef struct plan {
    const rico_world *world;
    const rico_recipe *next;
    uint32_t index;
} plan;

/* Whether the recipe's sub-emitters, those of their recipes, and so on, come to an end within
 * so many levels. */
static bool ends(const plan *p, uint32_t recipe, uint32_t levels)
{
    const rico_recipe *def = recipe == p->index ? p->next : &p->world->recipes[recipe].def;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const rico_sub_emitter *sub = &def->sub_emitters[k];
        if (sub->on != 0 && (levels == 0 || !ends(p, sub->recipe.index1 - 1, levels - 1)))
            return false;
    }
    return true;
}

/* The same for the changed recipe and all that lead to it. */
static bool all_end(const plan *p)
{
    for (uint32_t r = 0; r < p->world->recipe_count; ++r)
        if (!ends(p, r, RICO_MAX_SUB_DEPTH))
            return false;
    return ends(p, p->index, RICO_MAX_SUB_DEPTH);
}

/* Effects that are to begin. UINT32_MAX: sub-emitter *unknown names a recipe that is not of
 * this world. */
static uint32_t effects_to_begin(const rico_world *world, const rico_recipe *recipe,
                                 uint32_t *unknown)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        if (recipe->sub_emitters[k].on == 0)
            continue;
        *unknown = k;
        const rico_recipe_id id = recipe->sub_emitters[k].recipe;
        const rico__recipe *named = rico__recipe_find(world, id);
        if (named == NULL)
            return UINT32_MAX;
        bool first = named->sub_effect1 == 0;
        for (uint32_t j = 0; j < k; ++j)
            first &= recipe->sub_emitters[j].on == 0 ||
                     recipe->sub_emitters[j].recipe.index1 != id.index1;
        count += first;
    }
    return count;
}

rico_result rico__seeds_reserve(rico_world *world, const char *call)
{
    if (world->seeds != NULL)
        return RICO_OK;
    world->seed_capacity = uint_max(1, 2 * world->def.max_events);
    world->seeds = rico__memory_allocate(&world->memory, 3 * (size_t)world->seed_capacity,
                                         sizeof *world->seeds, RICO_CACHE_LINE);
    world->emitted = rico__memory_allocate(&world->memory, world->seed_capacity,
                                           sizeof *world->emitted, RICO_CACHE_LINE);
    world->kept = rico__memory_allocate(&world->memory, world->def.max_recipes,
                                        sizeof *world->kept, RICO_CACHE_LINE);
    if (world->seeds != NULL && world->emitted != NULL && world->kept != NULL)
        return RICO_OK;
    rico__sub_emitters_free(world);
    return rico__fail(&world->def.log, RICO_OUT_OF_MEMORY, call,
                      "no memory for births at events and by rico_world_emit");
}

rico_result rico__sub_emitters_link(rico_world *world, const rico_recipe *recipe,
                                    uint32_t index, const char *call)
{
    const rico_log *log = &world->def.log;
    uint32_t unknown = 0;
    if (rico__sub_emitter_bits(recipe) == 0)
        return RICO_OK;
    uint32_t effects = effects_to_begin(world, recipe, &unknown);
    if (effects == UINT32_MAX)
        return rico__fail(log, RICO_STALE_ID, call,
                          "recipe.sub_emitters[%u].recipe is null, stale or not of this world",
                          unknown);
    if (!all_end(&(plan){world, recipe, index}))
        return rico__fail(
            log, RICO_OUT_OF_RANGE, call,
            "recipe.sub_emitters: births lead to births in more than %u levels, or in a circle",
            RICO_MAX_SUB_DEPTH);
    if (effects > world->def.max_effects - world->effect_count)
        return rico__fail(log, RICO_FULL, call,
                          "recipe.sub_emitters: %u more effects would be alive than "
                          "world_def.max_effects (%u)",
                          effects - (world->def.max_effects - world->effect_count),
                          world->def.max_effects);
    const rico_result result = rico__seeds_reserve(world, call);
    return result == RICO_OK ? rico__looks_link(world, recipe, call) : result;
}

bool rico__has_blocks(const rico_world *world, uint32_t recipe)
{
    for (uint32_t slot = 0; slot < world->effect_high_water; ++slot) {
        const rico__effect *effect = &world->effects[slot];
        if (effect->alive && effect->recipe == recipe && effect->first_block != RICO__NO_BLOCK)
            return true;
    }
    return false;
}

void rico__sub_emitters_resize(const rico_world *world, rico__recipe *recipe)
{
    if (recipe->sub_effect1 != 0 &&
        !rico__has_blocks(world, (uint32_t)(recipe - world->recipes)))
        rico__block_lay_out(recipe, rico__block_capacity(recipe->def.max_particles));
}

void rico__fed_begin(rico_world *world, uint32_t recipe)
{
    const rico_effect_def def = rico_effect_def_default();
    if (world->recipes[recipe].sub_effect1 != 0)
        return;
    uint32_t slot = rico__effect_begin(world, recipe, &def);
    world->effects[slot].emitting = false;
    world->effects[slot].fed = true;
    world->recipes[recipe].sub_effect1 = slot + 1;
    rico__sub_emitters_resize(world, &world->recipes[recipe]);
}

void rico__sub_emitters_feed(rico_world *world, const rico_recipe *recipe)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        if (recipe->sub_emitters[k].on != 0)
            rico__fed_begin(world, recipe->sub_emitters[k].recipe.index1 - 1);
    rico__looks_feed(world, recipe);
}

rico_effect_id rico_world_sub_effect(const rico_world *world, rico_recipe_id recipe)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return (rico_effect_id){0};
    const rico__recipe *fed = rico__recipe_find(world, recipe);
    uint32_t slot1 = fed != NULL ? fed->sub_effect1 : 0;
    if (slot1 == 0)
        return (rico_effect_id){0};
    return (rico_effect_id){slot1, world->effects[slot1 - 1].generation};
}

void rico__sub_emitters_free(rico_world *world)
{
    rico__looks_free(world);
    rico__memory_release(&world->memory, world->seeds, 3 * (size_t)world->seed_capacity,
                         sizeof *world->seeds, RICO_CACHE_LINE);
    rico__memory_release(&world->memory, world->emitted, world->seed_capacity,
                         sizeof *world->emitted, RICO_CACHE_LINE);
    rico__memory_release(&world->memory, world->kept, world->def.max_recipes,
                         sizeof *world->kept, RICO_CACHE_LINE);
    world->seeds = NULL;
    world->emitted = NULL;
    world->kept = NULL;
}

/* --- From events to seeds ----------------------------------------------------------------- */

static uint32_t mix_float(uint32_t bits, float x)
{
    uint32_t more;
    memcpy(&more, &x, sizeof more);
    return (bits ^ more) * 0x9e3779b1u;
}

/* Whether the event is enough of an impact, and then by chance: draws a number for the event and
 * the sub-emitter. No two events of a particle are at the same place and time. */
static bool fires(const rico_sub_emitter *sub, uint32_t k, const rico__effect *effect,
                  const rico_event *e)
{
    if (e->impact_speed < sub->min_impact_speed) /* other events than collisions: 0 and 0 */
        return false;
    if (sub->probability >= 1.0f)
        return true;
    uint32_t use = (uint32_t)e->type * 16u + k;
    use = mix_float(mix_float(use, e->time), e->position.x);
    use = mix_float(mix_float(use, e->position.y), e->position.z);
    return rico__random_unit(effect->seed, e->particle, use) < sub->probability;
}

/* The first walk counts, the next one plants. Both leave out seeds for which there is no room. */
typedef struct walk {
    rico_world *world;
    uint32_t seeds;
    bool plants;
} walk;

/* No faster than forces may make a particle, because a chain of births multiplies. */
static rico_vec3 inherited(rico_vec3 v, float share)
{
    const rico_vec3 most = {RICO__MOST_SPEED, RICO__MOST_SPEED, RICO__MOST_SPEED};
    return vec3_max(vec3_min(vec3_scale(v, share), most), vec3_neg(most));
}

/* The shortest rotation of +z to `up`; to the opposite of +z, the one about x. */
static rico_quat turn_to(rico_vec3 up)
{
    float length = __builtin_sqrtf(up.x * up.x + up.y * up.y + (1.0f + up.z) * (1.0f + up.z));
    if (!(length > 1.0e-3f))
        return (rico_quat){1.0f, 0.0f, 0.0f, 0.0f};
    float scale = 1.0f / length;
    return (rico_quat){-up.y * scale, up.x * scale, 0.0f, (1.0f + up.z) * scale};
}

#define SLOW 1.0e-6f /* m/s: slower events have no direction */

static rico_transform place_of_births(const rico_sub_emitter *sub, const rico__effect *effect,
                                      const rico_event *e)
{
    const float speed2 = vec3_dot(e->velocity, e->velocity);
    if (sub->orientation == RICO_ORIENT_EFFECT)
        return (rico_transform){e->position, effect->transform.rotation,
                                effect->transform.scale};
    if (sub->orientation == RICO_ORIENT_VELOCITY && speed2 > SLOW * SLOW)
        return (rico_transform){
            e->position, turn_to(vec3_scale(e->velocity, 1.0f / __builtin_sqrtf(speed2))),
            1.0f};
    return (rico_transform){e->position, turn_to(e->normal), 1.0f};
}

static void plant(rico_world *world, rico__feed *feed, const rico_sub_emitter *sub,
                  const rico__effect *effect, const rico_event *e)
{
    const uint32_t at = feed->first + feed->count;
    if (world->seed_looks != NULL)
        world->seed_looks[at] =
            rico__look_of_seed(sub, effect, world->raw_looks[e - world->raw_events]);
    world->seeds[at] = (rico__seed){
        .where = place_of_births(sub, effect, e),
        .velocity = inherited(e->velocity, sub->inherit_velocity),
        .late = float_clamp(1.0f - e->time / effect->dt, 0.0f, 1.0f) *
                rico__detail_seconds(world, effect),
        .end = feed->births + sub->count,
    };
}

static void take(walk *w, const rico_sub_emitter *sub, const rico__effect *effect,
                 const rico_event *e)
{
    rico__recipe *recipe = &w->world->recipes[sub->recipe.index1 - 1];
    rico__feed *feed = &recipe->feed;
    if (!rico__takes_part(w->world, recipe->sub_effect1 - 1))
        return;
    if (w->seeds == w->world->seed_capacity || sub->count > UINT32_MAX - feed->births) {
        w->world->stats.births_starved += w->plants ? sub->count : 0;
        return;
    }
    w->seeds += 1;
    if (w->plants)
        plant(w->world, feed, sub, effect, e);
    feed->births += sub->count;
    feed->count += 1;
}

static void walk_part(walk *w, const rico__block *block, rico__event_part part)
{
    rico_world *world = w->world;
    const rico_recipe *def = &world->recipes[block->recipe].def;
    const rico__effect *effect = &world->effects[block->effect];
    uint32_t count;
    const rico_event *events = rico__events_of(world, block, part, &count);
    for (uint32_t n = 0; n < count; ++n)
        for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
            if (def->sub_emitters[k].on == RICO__EVENT_BIT(events[n].type) &&
                fires(&def->sub_emitters[k], k, effect, &events[n]))
                take(w, &def->sub_emitters[k], effect, &events[n]);
}

static void walk_events(rico_world *world, bool plants)
{
    walk w = {.world = world, .plants = plants};
    for (uint32_t i = 0; world->any_raised && i < world->block_list_count; ++i) {
        const rico__block *block = &world->blocks[world->block_list[i]];
        if (world->recipes[block->recipe].sub_bits == 0)
            continue;
        walk_part(&w, block, EVENTS_OF_MOVE);
        walk_part(&w, block, EVENTS_OF_END);
    }
}

/* The recipe's effect has had these births in this step, unless it is paused. */
static void forget_feed(rico_world *world, rico__recipe *recipe)
{
    if (recipe->feed.births > 0 && !(world->effects[recipe->sub_effect1 - 1].dt > 0.0f))
        world->stats.births_starved += recipe->feed.births;
    recipe->feed = (rico__feed){0};
}

void rico__sub_emitters_sow(rico_world *world)
{
    const bool alone = world->alone != 0;
    if (world->seeds == NULL || (alone && world->along_count == 0) || !(world->dt > 0.0f))
        return;
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        forget_feed(world, &world->recipes[r]);
    walk_events(world, false);
    uint32_t first = alone ? world->seed_capacity : 0;
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        rico__feed *feed = &world->recipes[r].feed;
        uint32_t count = feed->count;
        *feed = (rico__feed){.first = first};
        first += count;
    }
    walk_events(world, true);
    if (!alone)
        world->seed_count = first;
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        if (world->recipes[r].feed.births > 0)
            rico__sleep_wake(world, world->recipes[r].sub_effect1 - 1);
}

void rico__seeds_put_aside(rico_world *world)
{
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        world->kept[r].feed = world->recipes[r].feed;
        world->recipes[r].feed = (rico__feed){0};
    }
}

/* Drops the seeds past the room, and those with births past what can be counted. Returns how
 * many births that are. */
static uint32_t shorten(const rico_world *world, rico__feed *feed, uint32_t room,
                        uint32_t most_births)
{
    const rico__seed *seeds = world->seeds + feed->first;
    const uint32_t births = feed->births;
    feed->count = uint_min(feed->count, room);
    while (feed->count > 0 && seeds[feed->count - 1].end > most_births)
        --feed->count;
    feed->births = feed->count > 0 ? seeds[feed->count - 1].end : 0;
    return births - feed->births;
}

/* Copies seeds to a place that does not overlap theirs. */
static void copy_seeds(rico_world *world, uint32_t to, uint32_t from, uint32_t count)
{
    memcpy(world->seeds + to, world->seeds + from, count * sizeof *world->seeds);
    if (world->seed_looks != NULL)
        memcpy(world->seed_looks + to, world->seed_looks + from,
               count * sizeof *world->seed_looks);
}

/* Puts the recipe's waiting seeds and then its new ones at `to`; returns how many they are. */
static uint32_t join_feed(rico_world *world, uint32_t r, uint32_t to)
{
    const rico__feed *kept = &world->kept[r].feed, *more = &world->recipes[r].feed;
    copy_seeds(world, to, kept->first, kept->count);
    copy_seeds(world, to + kept->count, more->first, more->count);
    for (uint32_t s = 0; s < more->count; ++s)
        world->seeds[to + kept->count + s].end += kept->births;
    return kept->count + more->count;
}

uint32_t rico__seeds_join(rico_world *world)
{
    const uint32_t together = 2 * world->seed_capacity;
    uint32_t count = 0, lost = 0, first = 0;
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        count += world->kept[r].feed.count;
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        rico__recipe *recipe = &world->recipes[r];
        lost +=
            shorten(world, &recipe->feed, world->seed_capacity - world->emitted_count - count,
                    UINT32_MAX - world->kept[r].feed.births - recipe->emitted_births);
        count += recipe->feed.count;
    }
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        rico__feed *feed = &world->recipes[r].feed;
        feed->count = join_feed(world, r, together + first);
        feed->births += world->kept[r].feed.births;
        feed->first = first;
        first += feed->count;
    }
    copy_seeds(world, 0, together, count);
    world->seed_count = count;
    return lost;
}

/* --- From the host ------------------------------------------------------------------------ */

/* Puts the recipe's seeds at `first`, with room behind them for what the host has emitted.
 * Returns the place after that room. */
static uint32_t make_room(rico_world *world, rico__recipe *recipe, uint32_t first)
{
    rico__feed *feed = &recipe->feed;
    copy_seeds(world, first, feed->first, feed->count);
    feed->first = first;
    first += feed->count + recipe->emitted;
    recipe->emitted = recipe->emitted_births = 0;
    return first;
}

void rico__seeds_gather(rico_world *world)
{
    uint32_t first = 2 * world->seed_capacity;
    for (uint32_t r = 0; world->emitted_count > 0 && r < world->recipe_count; ++r)
        if (world->recipes[r].emitted > 0)
            first = make_room(world, &world->recipes[r], first);
    for (uint32_t i = 0; i < world->emitted_count; ++i) {
        rico__feed *feed = &world->recipes[world->emitted[i].recipe].feed;
        const uint32_t at = feed->first + feed->count++;
        world->seeds[at] = world->emitted[i].seed;
        world->seeds[at].end = feed->births += world->seeds[at].end;
        if (world->seed_looks != NULL)
            world->seed_looks[at] = RICO__OWN_LOOK;
    }
    world->emitted_count = 0;
}

/* --- From seeds to births ----------------------------------------------------------------- */

const rico__seed *rico__seed_at(const rico_world *world, const rico__recipe *recipe,
                                uint32_t number)
{
    const rico__seed *seeds = world->seeds + recipe->feed.first;
    uint32_t low = 0, high = recipe->feed.count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (seeds[middle].end > number)
            high = middle;
        else
            low = middle + 1;
    }
    return &seeds[low];
}
