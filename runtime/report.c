/* Stages merge and report. */
#include "host_rays.h"
#include "stages.h"
#include "sub_emitters.h"

static void merge_records(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    rico_cache_merge_range(context, begin, end);
}

void rico__merge_cache(rico_world *world, rico_cache *cache)
{
    const bool was = rico__begin_work(world);
    rico_cache_merge_begin(cache, world->frame);
    rico__work_for(world, 0, rico_cache_shard_count(cache), 4, merge_records, cache);
    rico_cache_merge_end(cache);
    rico__end_work(world, was);
}

/* Merges shards of both caches, one after the other. */
static void merge_both(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    const rico_world *world = context;
    uint32_t first = rico_cache_shard_count(world->records);
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t shard = i < first ? i : i - first;
        rico_cache_merge_range(i < first ? world->records : world->planes, shard, shard + 1);
    }
}

static void charge(rico_worker *worker, void *world)
{
    (void)worker;
    rico__query_charge(world);
}

/* Meanwhile effects are charged for the answers; for a host's rays that was done when they
 * came. */
static void merge_all(rico_worker *worker, void *context)
{
    const rico_world *world = context;
    uint32_t shards =
        rico_cache_shard_count(world->records) + rico_cache_shard_count(world->planes);
    rico_job job;
    bool charges = !rico__has_caster(world);
    if (charges)
        rico_job_fork(worker, &job, charge, context);
    rico_worker_for(worker, 0, shards, 1, merge_both, context);
    if (charges)
        rico_job_join(worker, &job);
}

void rico__stage_merge(rico_world *world)
{
    bool records = rico_cache_merge_begin(world->records, world->frame);
    bool planes = rico_cache_merge_begin(world->planes, world->frame);
    if (records || planes || world->query_count > 0)
        rico__work(world, merge_all, world);
    else if (!rico__has_caster(world))
        rico__query_charge(world);
    rico_cache_merge_end(world->records);
    rico_cache_merge_end(world->planes);
}

/* Gives blocks that became empty back to the pool. */
static void return_blocks(rico_world *world, rico__effect *effect)
{
    uint32_t *link = &effect->first_block;
    effect->listed = 0;
    effect->last_block = RICO__NO_BLOCK;
    while (*link != RICO__NO_BLOCK) {
        uint32_t index = *link;
        rico__block *block = &world->blocks[index];
        if (block->count == 0) {
            *link = block->next;
            effect->block_count -= 1;
            rico__pool_release(&world->pool, index, world->recipes[effect->recipe].block_units);
            continue;
        }
        effect->last_block = index;
        link = &block->next;
    }
}

/* Whether an effect that was moved goes its way in its next step. A paused or frozen effect
 * does not: it is there at once. */
static bool keeps_way(const rico_world *world, uint32_t slot)
{
    const rico__effect *effect = &world->effects[slot];
    return !rico__takes_part(world, slot) || !(world->dt > 0.0f) || effect->saves ||
           rico__detail_owes(world, effect);
}

static void tell_of_end(rico_world *world, uint32_t slot)
{
    const rico__effect *effect = &world->effects[slot];
    if (world->alone == 0)
        world->ended[world->ended_count++] =
            (rico_ended_effect){{slot + 1, effect->generation},
                                {effect->recipe + 1, world->recipes[effect->recipe].generation},
                                effect->user};
}

static void tidy_effect(rico_world *world, uint32_t slot)
{
    rico__effect *effect = &world->effects[slot];
    effect->moved = effect->moved && keeps_way(world, slot);
    if (world->outcomes[slot].any_empty)
        return_blocks(world, effect);
    if (rico__takes_part(world, slot) && effect->particle_count == 0 && !effect->emitting &&
        effect->emitter.manual == 0 && !effect->fed) {
        tell_of_end(world, slot);
        rico__effect_remove(world, slot);
    } else if (world->outcomes[slot].sleeps)
        rico__sleep_fall(world, slot);
}

/* In effect order, because slots of effects are used again in an order that depends on that in
 * which they ended. */
static void tidy_effects(rico_world *world)
{
    if (world->alone == 0)
        world->ended_count = 0;
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        world->particle_count += world->sums[place].particles;
        if (!world->sums[place].untidy)
            continue;
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot)
            if (world->outcomes[slot].untidy)
                tidy_effect(world, slot);
    }
}

/* Collects the events that the host wants; the rest are for sub-emitters. Returns how many do
 * not fit. */
static uint64_t collect_part(rico_world *world, const rico__block *block, rico__event_part part)
{
    const uint32_t wanted = world->recipes[block->recipe].def.events;
    uint32_t count;
    uint64_t dropped = 0;
    const rico_event *events = rico__events_of(world, block, part, &count);
    for (uint32_t e = 0; e < count; ++e) {
        if ((wanted & RICO__EVENT_BIT(events[e].type)) == 0)
            continue;
        if (world->event_count < world->def.max_events)
            world->events[world->event_count++] = events[e];
        else
            dropped += 1;
    }
    return dropped;
}

/* In effect order, and cut in that order when there are more than fit. */
static void collect_events(rico_world *world)
{
    const uint64_t raised = rico__events_settle(world);
    uint64_t dropped = raised - (raised < world->event_limit ? raised : world->event_limit);
    world->any_raised = raised > 0;
    if (world->alone != 0)
        return; /* the host is told only of events in the world's own steps */
    world->event_count = 0;
    for (uint32_t i = 0; raised > 0 && i < world->block_list_count; ++i) {
        const rico__block *block = &world->blocks[world->block_list[i]];
        dropped += collect_part(world, block, EVENTS_OF_MOVE);
        dropped += collect_part(world, block, EVENTS_OF_END);
    }
    world->stats.events_dropped = dropped < UINT32_MAX ? (uint32_t)dropped : UINT32_MAX;
}

static void add_tally(rico__tally *sum, const rico__tally *t)
{
    sum->births += t->births;
    sum->deaths += t->deaths;
    sum->bounces += t->bounces;
    sum->sleeping += t->sleeping;
    sum->lookups += t->lookups;
    sum->lookup_hits += t->lookup_hits;
    sum->requests += t->requests;
    sum->rays += t->rays;
    sum->gathers += t->gathers;
    sum->contact_rays += t->contact_rays;
}

void rico__stage_report(rico_world *world)
{
    rico__tally sum = {.sleeping = world->dt > 0.0f ? (uint32_t)world->sleep.resting : 0};
    for (uint32_t w = 0; w < world->worker_count; ++w)
        add_tally(&sum, &world->scratch[w].tally);
    collect_events(world);
    /* Set before births wake effects that are in no walk of this step. */
    world->particle_count = (uint32_t)(world->sleep.particles + world->sleep.left_out);
    rico__sub_emitters_sow(world);
    tidy_effects(world);
    rico_world_stats *stats = &world->stats;
    stats->frame = world->frame;
    stats->effects = world->effect_count;
    stats->particles = world->particle_count;
    stats->blocks = world->pool.run_count;
    stats->births = sum.births;
    stats->deaths = sum.deaths;
    stats->bounces = sum.bounces;
    stats->sleeping = sum.sleeping;
    stats->sleeping_effects = world->sleep.effects;
    stats->lookups = sum.lookups;
    stats->lookup_hits = sum.lookup_hits;
    stats->requests = sum.requests;
    stats->rays = sum.rays + sum.contact_rays;
    stats->query_units += (sum.contact_rays + RICO__RAYS_PER_UNIT - 1) / RICO__RAYS_PER_UNIT;
    stats->gathers = sum.gathers;
    stats->events = world->event_count;
}
