/* runtime_shares.h - demands on the query budget that tests make up. */
#ifndef RICO_TESTS_RUNTIME_SHARES_H
#define RICO_TESTS_RUNTIME_SHARES_H

#include "shares.h"
#include "stages.h"

/* Begins a frame with so many effects, none of which wants a query yet. */
static inline void begin_wants(rico_world *world, uint32_t effects)
{
    world->sums_count = (effects + RICO__EFFECT_GRAIN - 1) / RICO__EFFECT_GRAIN;
    world->sleep.active_count = world->sums_count;
    for (uint32_t place = 0; place < world->sums_count; ++place) {
        world->sleep.active[place] = place;
        world->sums[place] = (rico__sums){0};
    }
}

static inline void want(rico_world *world, uint32_t slot, uint32_t units)
{
    rico__shares_begin(world, slot, units, &world->sums[slot / RICO__EFFECT_GRAIN]);
}

#endif
