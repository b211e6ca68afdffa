#include "crowding.h"

#include "cache_records.h"
#include "log.h"
#include "state.h"

/* Over fewer steps, as when a whole world comes into sight, crowding may end by itself. */
#define CROWDED_STEPS 60u

static void tell(const rico_world *world)
{
    const uint64_t bytes = rico__cache_bytes_for(world, world->crowding.most);
    rico__log(&world->def.log, RICO_LOG_WARNING,
              "rico_world_step: most records that the last %u steps made did not fit into "
              "def.cache_bytes, which is %llu, and particles pass through surfaces without "
              "records; it takes %llu (%llu MiB) or more",
              CROWDED_STEPS, (unsigned long long)world->def.cache_bytes,
              (unsigned long long)bytes, (unsigned long long)bytes >> 20);
}

void rico__crowding_look(rico_world *world)
{
    rico__crowding *c = &world->crowding;
    if (c->told || world->stats.gathers == 0)
        return;
    const rico_cache_stats stats = rico_cache_get_stats(world->records);
    const uint64_t deposits = stats.deposits - c->deposits,
                   dropped = stats.dropped - c->dropped;
    const bool crowded = 2 * dropped > deposits;
    c->deposits = stats.deposits;
    c->dropped = stats.dropped;
    c->steps = crowded ? c->steps + 1 : 0;
    c->most = crowded ? (c->most > stats.record_count + dropped ? c->most
                                                                : stats.record_count + dropped)
                      : 0;
    c->told = c->steps == CROWDED_STEPS;
    if (c->told)
        tell(world);
}
