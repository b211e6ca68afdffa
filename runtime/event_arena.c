#include "event_arena.h"

#include "simulate.h"

#include "check.h"

#include <string.h>

/* The most events of one particle in one step: a birth, contacts and a death. A particle near
 * bodies makes twice as many contacts (ride.c). */
#define MOST_OF_ONE (2u * RICO__CONTACTS_PER_STEP + 2u)
_Static_assert(MOST_OF_ONE *RICO__MAX_BLOCK <= UINT16_MAX, "its counts are 16 bits");

/* Room beyond the limit, in full blocks. At least one is needed, or the next block would not
 * fit. A full arena is cut once for this many more. */
#define SPARE_BLOCKS 2u

uint32_t rico__event_limit(const rico_world_def *def)
{
    return uint_min(2 * def->max_events, MOST_OF_ONE * def->max_particles);
}

uint32_t rico__event_arena_capacity(const rico_world_def *def)
{
    return rico__event_limit(def) +
           SPARE_BLOCKS * MOST_OF_ONE * uint_min(def->max_particles, RICO__MAX_BLOCK);
}

void rico__events_reset(rico_world *world)
{
    const uint32_t capacity = rico__event_arena_capacity(&world->def);
    for (uint32_t w = 0; w < world->worker_count; ++w) {
        uint32_t first = w * capacity;
        world->scratch[w].events = (rico__event_arena){
            .events = world->raw_events + first,
            .looks = world->raw_looks != NULL ? world->raw_looks + first : NULL,
            .runs = world->event_runs + first,
            .first = first,
            .capacity = capacity,
            .end = world->event_limit > 0 ? UINT32_MAX : 0};
    }
}

static rico__block *block_of_run(const rico_world *world, uint32_t run)
{
    return &world->blocks[world->block_list[run / EVENT_PARTS]];
}

/* Events in the arena of blocks before this place in the list. */
static uint32_t events_before(const rico_world *world, const rico__event_arena *a,
                              uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < a->run_count; ++r)
        if (a->runs[r] / EVENT_PARTS < place)
            count += block_of_run(world, a->runs[r])->event_counts[a->runs[r] % EVENT_PARTS];
    return count;
}

/* The place of the block in which the first `limit` events end. */
static uint32_t place_of_end(const rico_world *world, const rico__event_arena *a,
                             uint32_t limit)
{
    uint32_t low = 0, high = uint_min(a->end, world->block_list_count);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (events_before(world, a, middle) < limit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Works in the order of writing, in which a block's first part comes before its second. What is
 * kept moves down. Headers that change are those of the worker's own blocks. */
static void cut(const rico_world *world, rico__event_arena *a)
{
    const uint32_t end = place_of_end(world, a, world->event_limit);
    uint32_t left = world->event_limit - events_before(world, a, end);
    uint32_t used = 0, runs = 0;
    for (uint32_t r = 0; r < a->run_count; ++r) {
        const uint32_t place = a->runs[r] / EVENT_PARTS, part = a->runs[r] % EVENT_PARTS;
        rico__block *block = block_of_run(world, a->runs[r]);
        uint32_t count = place < end ? block->event_counts[part] : 0;
        if (place == end) {
            count = uint_min(block->event_counts[part], left);
            left -= count;
        }
        const uint32_t from = block->events_at[part] - a->first;
        memmove(a->events + used, a->events + from, count * sizeof *a->events);
        if (a->looks != NULL)
            memmove(a->looks + used, a->looks + from, count * sizeof *a->looks);
        block->events_at[part] = a->first + used;
        block->event_counts[part] = (uint16_t)count;
        used += count;
        if (count > 0)
            a->runs[runs++] = a->runs[r];
    }
    a->used = used;
    a->run_count = runs;
    a->end = end;
}

void rico__events_begin(rico__block_context *c, rico__event_part part)
{
    rico__event_arena *a = &c->scratch->events;
    const uint32_t most = MOST_OF_ONE * ((uint32_t)c->block->count + c->block->birth_count);
    if (c->place < a->end && a->capacity - a->used < most)
        cut(c->world, a);
    a->open = c->place < a->end;
    RICO_ASSERT(!a->open || a->capacity - a->used >= most);
    c->block->events_at[part] = a->first + a->used;
}

void rico__events_end(rico__block_context *c, rico__event_part part)
{
    rico__event_arena *a = &c->scratch->events;
    rico__block *block = c->block;
    block->event_counts[part] = (uint16_t)(a->used - (block->events_at[part] - a->first));
    if (block->event_counts[part] > 0)
        a->runs[a->run_count++] = EVENT_PARTS * c->place + part;
}

uint64_t rico__events_settle(rico_world *world)
{
    uint64_t raised = 0;
    uint32_t left = world->event_limit;
    for (uint32_t w = 0; w < world->worker_count; ++w)
        raised += world->scratch[w].events.raised;
    if (raised <= world->event_limit)
        return raised;
    for (uint32_t i = 0; i < world->block_list_count; ++i) {
        rico__block *block = &world->blocks[world->block_list[i]];
        for (uint32_t part = 0; part < EVENT_PARTS; ++part) {
            uint32_t count = uint_min(block->event_counts[part], left);
            block->event_counts[part] = (uint16_t)count;
            left -= count;
        }
    }
    return raised;
}

const rico_event *rico__events_of(const rico_world *world, const rico__block *block,
                                  rico__event_part part, uint32_t *count)
{
    *count = block->event_counts[part];
    return world->raw_events + block->events_at[part];
}
