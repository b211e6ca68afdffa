/* Stage plan: births, blocks and batches. What effects compete for is given out in effect order
 * and on one thread, so that no race decides which effect gets the last of anything. What each
 * effect does for itself, jobs over effects do before and after that. Nothing here depends on
 * the number of workers. */
#include "host_rays.h"
#include "pace.h"
#include "preparation.h"
#include "space.h"
#include "stages.h"
#include "sub_emitters.h"
#include "vec.h"

#include "bits.h"

#include <ricochet/relaxed.h>
#include <string.h>

/* A batch is at most this much work, in units of 4 ns, or one block. That is 4 us, long against
 * the cost of handing it out. Where particles bounce all the time it takes five times as long,
 * and the longest batch bounds a frame on many workers. Workers do not ask for each batch:
 * while there are many, one takes several at once. */
#define BATCH_COST 1024u

/* False: no block is left. */
static bool append_block(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    uint32_t index = rico__pool_acquire(&world->pool, recipe->block_units);
    if (index == RICO__NO_BLOCK)
        return false;
    rico__block *block = &world->blocks[index];
    *block = (rico__block){
        .next = RICO__NO_BLOCK, .effect = slot, .recipe = (uint16_t)effect->recipe};
    if (effect->last_block == RICO__NO_BLOCK)
        effect->first_block = index;
    else
        world->blocks[effect->last_block].next = index;
    effect->last_block = index;
    effect->block_count += 1;
    effect->listed = 0;
    return true;
}

/* Effects that stand still have no blocks in this step's list. */
static bool takes_time(const rico__effect *effect)
{
    return effect->alive && effect->dt > 0.0f;
}

/* An effect's blocks in the step's list, oldest first; for each block, how many particles it
 * has and what it costs. */
typedef struct listed {
    const uint32_t *blocks;
    const uint16_t *counts;
    uint16_t *costs;
    uint32_t count;
} listed;

/* What work costs, in units of 4 ns. */
#define BLOCK_COST 32u
#define BIRTH_COST 96u

/* Gives births to block i of the list; returns how many it has room for. */
static uint32_t fill(rico_world *world, rico__effect *effect, listed list, uint32_t i,
                     uint32_t births)
{
    rico__block *block = &world->blocks[list.blocks[i]];
    uint32_t capacity = world->recipes[effect->recipe].block_capacity;
    uint32_t room = uint_min(capacity - list.counts[i], births);
    list.costs[i] = (uint16_t)(list.costs[i] + room * BIRTH_COST);
    block->birth_count = (uint16_t)room;
    block->birth_serial = effect->next_serial;
    effect->next_serial += room;
    return room;
}

/* Effects with at least this many blocks give birth in litters (kernel.h), in vectors. While
 * other blocks have room, a block with less room than a litter waits until more of its
 * particles have died. */
#define BLOCKS_WITH_LITTERS 4u

/* Gives births to blocks that have at least this much room and no births yet; returns how many
 * births are left. */
static uint32_t place_in(rico_world *world, rico__effect *effect, listed list, uint32_t births,
                         uint32_t least)
{
    uint32_t capacity = world->recipes[effect->recipe].block_capacity;
    for (uint32_t i = 0; i < list.count && births > 0; ++i) {
        if (capacity - list.counts[i] >= least &&
            world->blocks[list.blocks[i]].birth_count == 0)
            births -= fill(world, effect, list, i, births);
    }
    return births;
}

/* A new block comes first. Otherwise it might stay empty, and would be given back at the end of
 * the step. */
static void place_births(rico_world *world, rico__effect *effect, listed list, uint32_t births)
{
    if (births > 0 && list.count >= BLOCKS_WITH_LITTERS) {
        const uint32_t last = list.count - 1;
        if (list.counts[last] == 0)
            births -= fill(world, effect, list, last, births);
        births = place_in(world, effect, list, births, RICO__LITTER);
    }
    place_in(world, effect, list, births, 1);
}

static float distance_moved(const rico__effect *effect)
{
    if (!effect->moved)
        return 0.0f;
    return vec3_length(vec3_sub(effect->transform.position, effect->before.position));
}

/* Births that the recipe wants in this step. */
static uint32_t births_due(rico__effect *effect, const rico__recipe *recipe)
{
    effect->emitter.first_serial = effect->next_serial;
    return rico__emitter_step(&effect->emitter, &recipe->emission, &recipe->def, effect->seed,
                              effect->dt, distance_moved(effect), &effect->emitting);
}

static uint32_t total_room(const rico_world *world, const rico__effect *effect)
{
    const uint32_t in_blocks = effect->particle_count - rico__aside(world, effect);
    return effect->block_count * world->recipes[effect->recipe].block_capacity - in_blocks;
}

/* How many more blocks the births need. There are litters only if blocks have room for half a
 * litter on average. So one more block is asked for, while the pool has plenty. */
static uint32_t missing_blocks(const rico_world *world, const rico__effect *effect,
                               uint32_t births)
{
    const rico__pool *pool = &world->pool;
    uint32_t capacity = world->recipes[effect->recipe].block_capacity;
    uint32_t room = total_room(world, effect);
    if (room < births)
        return (births - room + capacity - 1) / capacity;
    bool cramped = effect->block_count >= BLOCKS_WITH_LITTERS &&
                   room < births + effect->block_count * (RICO__LITTER / 2);
    return cramped && pool->used_units < pool->unit_count - pool->unit_count / 8 ? 1 : 0;
}

/* Of the births that are due, as many as may be alive by max_particles. After a change of the
 * recipe that may be fewer than are alive. */
static rico__demand demand_of(const rico_world *world, rico__effect *effect)
{
    rico__demand demand = {.blocks = effect->block_count};
    if (effect->births_due == 0)
        return demand;
    uint32_t most = world->recipes[effect->recipe].def.max_particles;
    demand.births = uint_min(effect->births_due, most - uint_min(most, effect->particle_count));
    demand.refused = effect->births_due - demand.births;
    demand.new_blocks = missing_blocks(world, effect, demand.births);
    return demand;
}

/* Whether this step brings the effect more than the passing of time. */
static bool has_news(const rico_world *world, const rico__effect *effect,
                     const rico__recipe *recipe)
{
    bool edited = world->scene_changed || world->edits.list.count > 0;
    return (edited && !rico__knows_edits(world, effect)) || world->movers.any_moved ||
           (recipe->pushed && world->fields.scrolls);
}

/* Seconds. Shorter steps count as none. */
#define NO_STEP 1.0e-12f
/* The shortest step of an effect that saves its time. It makes one when births wait or when the
 * world around it changes. It is long enough that quotients by a step's length stay finite. */
#define LEAST_STEP 0x1p-20f

/* Saves short steps until they add up to one of RICO__SHORT_STEP. */
static void save_short_step(const rico_world *world, rico__effect *effect,
                            const rico__recipe *recipe)
{
    const float dt = effect->dt;
    effect->saves = false;
    if (!(dt < RICO__SHORT_STEP) || !(dt > 0.0f))
        return;
    const bool fed = effect->fed && recipe->feed.births > 0;
    effect->saved += dt < NO_STEP ? 0.0 : (double)dt;
    effect->dt = 0.0f;
    if (effect->saved >= (double)RICO__SHORT_STEP)
        effect->dt = RICO__SHORT_STEP;
    else if (fed || (has_news(world, effect, recipe) && effect->saved >= (double)LEAST_STEP))
        effect->dt = float_max((float)effect->saved, LEAST_STEP); /* births do not wait */
    effect->saved -= (double)effect->dt;
    if (effect->saved < 0.0) /* by rounding */
        effect->saved = 0.0;
    effect->saves = !(effect->dt > 0.0f);
}

/* What an effect does before anything is given out. */
static void begin_effect(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const bool takes_part = rico__takes_part(world, slot);
    if (effect->dozes)
        rico__sleep_settle(world, slot);
    effect->dt = takes_part ? world->dt * effect->time_scale : 0.0f;
    effect->births_due = 0;
    if (recipe->detail)
        rico__detail_time(world, slot);
    save_short_step(world, effect, recipe);
    if (takes_part) {
        effect->ways = effect->dt > 0.0f ? RICO__MOVED : RICO__STOOD;
        effect->lived = effect->dt;
        if (recipe->def.space == RICO_SPACE_LOCAL)
            rico__space_carry(world, slot);
    }
    if (!(effect->dt > 0.0f)) {
        world->demands[slot] = (rico__demand){0};
        effect->missed_edits |= rico__goes_on(world) && has_news(world, effect, recipe);
        return;
    }
    effect->forgets =
        effect->missed_edits || (world->scene_changed && !rico__knows_edits(world, effect));
    effect->missed_edits = false;
    rico__pace_step(world, effect);
    if (recipe->pushes)
        effect->clock += (double)effect->dt;
    effect->births_due = births_due(effect, recipe);
    effect->bears = effect->emitting && recipe->def.rate * effect->emitter.rate_scale > 0.0f;
    if (effect->fed)
        effect->births_due = recipe->feed.births;
    else if (recipe->detail)
        rico__detail_thin(world, slot);
    world->demands[slot] = demand_of(world, effect);
}

static void begin_place(rico_world *world, uint32_t place)
{
    rico__sums sums = {0};
    uint32_t left = rico__sleep_walkers(&world->sleep, place);
    for (; left != 0; left &= left - 1) {
        const uint32_t slot = rico__first_slot(place) + bits_lowest64(left);
        const rico__demand *demand = &world->demands[slot];
        rico__walk_births_ahead(world, slot);
        begin_effect(world, slot);
        sums.births += demand->births;
        sums.refused += demand->refused;
        sums.new_blocks += demand->new_blocks;
        sums.blocks += demand->blocks;
    }
    world->sums[place] = sums;
}

static void begin_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        begin_place(world, world->sleep.active[i]);
}

static void limit_births(rico__demand *demand, uint32_t most)
{
    uint32_t births = uint_min(demand->births, most);
    demand->refused += demand->births - births;
    demand->births = births;
}

static void append_blocks(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    rico__demand *demand = &world->demands[slot];
    uint32_t added = 0;
    while (added < demand->new_blocks && append_block(world, slot))
        ++added;
    if (added < demand->new_blocks)
        limit_births(demand, total_room(world, effect));
    demand->blocks = effect->block_count;
}

/* In effect order: gives out as many births as the world has room for, and the blocks that they
 * need. */
static void give_to_each(rico_world *world, uint32_t place, uint32_t room)
{
    rico__sums *sums = &world->sums[place];
    sums->births = sums->refused = sums->blocks = 0;
    for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place); ++slot) {
        rico__demand *demand = &world->demands[slot];
        if (demand->births > room) {
            limit_births(demand, room);
            demand->new_blocks = missing_blocks(world, &world->effects[slot], demand->births);
        }
        if (demand->new_blocks > 0)
            append_blocks(world, slot);
        room -= demand->births;
        sums->births += demand->births;
        sums->refused += demand->refused;
        sums->blocks += demand->blocks;
    }
}

/* In effect order, looking only at effects that take something: gives out particles, blocks,
 * and places in the list of blocks. */
static void give_out(rico_world *world)
{
    uint32_t room = world->def.max_particles - world->particle_count;
    world->stats.births_starved = 0;
    world->block_list_count = 0;
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        rico__sums *sums = &world->sums[place];
        if (sums->births > room || sums->new_blocks > 0)
            give_to_each(world, place, room);
        room -= (uint32_t)sums->births;
        world->stats.births_starved += (uint32_t)sums->refused;
        sums->list_begin = world->block_list_count;
        world->block_list_count += sums->blocks;
    }
}

static uint32_t particle_cost(const rico__recipe *recipe)
{
    static const uint32_t per_particle[RICO_COLLISION_MODE_COUNT] = {
        [RICO_COLLIDE_NONE] = 1,    [RICO_COLLIDE_FIXED] = 1,  [RICO_COLLIDE_CACHED] = 4,
        [RICO_COLLIDE_CLASSIC] = 2, [RICO_COLLIDE_EXACT] = 16,
    };
    return per_particle[recipe->def.mode];
}

_Static_assert(BLOCK_COST + (16 + BIRTH_COST) * RICO__MAX_BLOCK <= UINT16_MAX,
               "a cost is 16 bits");

static void take_births(rico_world *world, uint32_t slot, listed list)
{
    rico__effect *effect = &world->effects[slot];
    if (effect->births_due == 0)
        return;
    place_births(world, effect, list, world->demands[slot].births);
    effect->particle_count += world->demands[slot].births;
    if (world->recipes[effect->recipe].detail)
        rico__detail_count(effect);
}

/* Along an effect's chain of blocks, each header would wait for the one before. So headers are
 * prefetched this far ahead along the list as it is. It is mostly the last step's list, with
 * the same blocks a little farther up or down. Another worker may be writing there meanwhile. */
#define LIST_AHEAD 16u

static void list_blocks(rico_world *world, uint32_t first, uint32_t at)
{
    for (uint32_t b = first; b != RICO__NO_BLOCK; b = world->blocks[b].next, ++at) {
        if (at + LIST_AHEAD < world->block_limit)
            prefetch_line(
                &world->blocks[RICO__LOAD_RELAXED(&world->block_list[at + LIST_AHEAD])]);
        RICO__STORE_RELAXED(&world->block_list[at], b);
        world->block_counts[at] = world->blocks[b].count;
    }
}

/* Whether the effect was at the same place in the last step's list. Then all of that still
 * holds, with the counts that simulate left. */
static bool is_listed(const rico_world *world, const rico__effect *effect, uint32_t at)
{
    return effect->listed != 0 && effect->listed + 1 == world->listing &&
           effect->list_begin == at;
}

/* Puts the effect's blocks into the list from `at` on, and gives births to them. Returns the
 * next place. */
static uint32_t list_effect(rico_world *world, uint32_t slot, uint32_t at)
{
    rico__effect *effect = &world->effects[slot];
    const uint32_t each = particle_cost(&world->recipes[effect->recipe]);
    const listed list = {world->block_list + at, world->block_counts + at,
                         world->block_costs + at, effect->block_count};
    if (!is_listed(world, effect, at))
        list_blocks(world, effect->first_block, at);
    effect->list_begin = at;
    effect->listed = world->listing;
    for (uint32_t i = 0; i < list.count; ++i) {
        RICO_ASSERT_SLOW(list.counts[i] == world->blocks[list.blocks[i]].count);
        list.costs[i] = (uint16_t)(BLOCK_COST + list.counts[i] * each);
    }
    take_births(world, slot, list);
    return at + list.count;
}

static void list_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t place = world->sleep.active[i];
        uint32_t at = world->sums[place].list_begin;
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot) {
            rico__walk_ahead(world, slot);
            rico__walk_blocks_ahead(world, slot);
            if (takes_time(&world->effects[slot]))
                at = list_effect(world, slot, at);
        }
    }
}

/* Without branches, which would mostly be mispredicted where a batch ends. */
void rico__cut_batches(rico_world *world)
{
    uint32_t begin = 0, cost = 0, count = 0;
    for (uint32_t i = 0; i < world->block_list_count; ++i) {
        const uint32_t more = world->block_costs[i];
        const bool ends = cost + more > BATCH_COST && i > begin;
        world->batches[count] = (rico__batch){begin, i};
        count += ends;
        begin = ends ? i : begin;
        cost = ends ? more : cost + more;
    }
    if (begin < world->block_list_count)
        world->batches[count++] = (rico__batch){begin, world->block_list_count};
    world->batch_count = count;
}

static void update_recipes(rico_world *world)
{
    world->any_scene = world->any_records = false;
    world->detail.any = false;
    for (uint32_t i = 0; i < world->recipe_count; ++i) {
        rico__recipe *recipe = &world->recipes[i];
        if (!recipe->alive)
            continue;
        recipe->pushed =
            recipe->pushes || (world->fields.layers & recipe->def.field_layers) != 0;
        world->any_scene |=
            recipe->def.mode != RICO_COLLIDE_NONE && recipe->def.mode != RICO_COLLIDE_FIXED;
        world->any_records |= recipe->def.mode == RICO_COLLIDE_CACHED;
        world->detail.any |= recipe->detail;
        if (recipe->step.dt != world->dt)
            recipe->step = rico__recipe_step(recipe, world->dt, world->def.cell_size);
    }
}

static void reset_scratch(const rico_world *world, rico__scratch *scratch)
{
    scratch->tally = (rico__tally){0};
    if (scratch->empty_version == world->scene_version)
        return;
    scratch->empty_version = world->scene_version;
    for (uint32_t i = 0; i < 1u << RICO__EMPTY_CELL_BITS; ++i)
        scratch->empty[i] = RICO_NO_KEY;
}

static void plan_effects(rico_worker *worker, void *context)
{
    rico_world *world = context;
    const uint32_t places = world->sleep.active_count;
    rico_worker_for(worker, 0, places, 1, begin_range, world);
    give_out(world);
    world->listing += 1;
    rico_worker_for(worker, 0, places, 1, list_range, world);
}

void rico__stage_plan(rico_world *world)
{
    world->frame += world->frame < UINT32_MAX ? 1 : 2; /* 0 is before the first */
    uint32_t version = world->edits.version + world->host.changes;
    world->turn += rico__goes_on(world);
    world->lived += world->dt > 0.0f;
    world->scene_changed =
        rico__goes_on(world) &&
        (world->edits.all || world->host.changes != world->host.seen_changes);
    world->scene_version = version;
    if (rico__goes_on(world))
        world->host.seen_changes = world->host.changes;
    rico__movers_begin(world);
    for (uint32_t w = 0; w < world->worker_count; ++w)
        reset_scratch(world, &world->scratch[w]);
    rico__edits_settle(world, NULL);
    if (rico__goes_on(world))
        rico__seeds_gather(world);
    rico__host_take(world);
    rico__fields_begin(world);
    update_recipes(world);
    rico__detail_ask(world);
    world->sums_count =
        (world->effect_high_water + RICO__EFFECT_GRAIN - 1) / RICO__EFFECT_GRAIN;
    rico__sleep_begin(world);
    if (rico__goes_on(world))
        rico__bake_again(world);
    rico__events_reset(world);
    rico__work(world, plan_effects, world);
    rico__sleep_pass(world);
}
