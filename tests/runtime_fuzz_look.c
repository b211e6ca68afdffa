/* What a host can see of a world, from outside: numbers, views, events and ended effects agree. */
#include "runtime_fuzz.h"

uint32_t fuzz_check_view(const rico_world *world, rico_effect_id id)
{
    rico_view v = rico_effect_view(world, id);
    uint32_t count = 0;
    for (; rico_view_next(&v); count += v.count)
        for (uint32_t n = 0; n < v.count; ++n) {
            REQUIRE(v.age[n] >= 0.0f && v.age[n] < v.lifetime[n] * (1.0f + 1.0e-6f),
                    "age %g of %g", (double)v.age[n], (double)v.lifetime[n]);
            REQUIRE(isfinite(v.px[n] + v.py[n] + v.pz[n]) &&
                        isfinite(v.vx[n] + v.vy[n] + v.vz[n]),
                    "particle %u of effect %u", n, id.index1);
        }
    REQUIRE(count == rico_effect_particle_count(world, id), "%u", count);
    return count;
}

static bool has_ended(const rico_world *world, rico_effect_id id)
{
    uint32_t count;
    const rico_ended_effect *ended = rico_world_ended(world, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (ended[i].effect.index1 == id.index1 && ended[i].effect.generation == id.generation)
            return true;
    return false;
}

static void check_ended(const rico_world *world)
{
    uint32_t count, last = 0;
    const rico_ended_effect *ended = rico_world_ended(world, &count);
    for (uint32_t i = 0; i < count; last = ended[i++].effect.index1)
        REQUIRE(!rico_effect_is_alive(world, ended[i].effect) && ended[i].effect.index1 > last,
                "effect %u ended", ended[i].effect.index1);
}

/* Particles come and go once, and a contact happens once: at most two surfaces that are the same
 * to within rounding make it twice. */
static void check_events(const rico_world *world, uint32_t expected)
{
    uint32_t count, same = 0;
    const rico_event *e = rico_world_events(world, &count);
    REQUIRE(count == expected, "%u events, not %u", count, expected);
    for (uint32_t i = 0; i < count; ++i) {
        REQUIRE(rico_effect_is_alive(world, e[i].effect) || has_ended(world, e[i].effect),
                "an event of effect %u", e[i].effect.index1);
        REQUIRE(i == 0 || e[i].effect.index1 >= e[i - 1].effect.index1, "order of events");
        same = i > 0 && memcmp(&e[i], &e[i - 1], sizeof e[i]) == 0 ? same + 1 : 0;
        REQUIRE(same < (e[i].type == RICO_EVENT_COLLISION ? 2u : 1u),
                "event %d of particle %u of effect %u again", (int)e[i].type, e[i].particle,
                e[i].effect.index1);
    }
}

void fuzz_check_step(const rico_world *world, const rico_world_stats *before)
{
    const rico_world_stats now = rico_world_get_stats(world);
    REQUIRE(now.allocations == before->allocations && now.bytes == before->bytes,
            "a step allocates");
    REQUIRE(now.particles - before->particles == now.births - now.deaths,
            "%u and %u particles, %u births, %u deaths", before->particles, now.particles,
            now.births, now.deaths);
    REQUIRE(now.sleeping <= now.particles && now.lookup_hits <= now.lookups &&
                now.queries_granted <= now.queries_wanted,
            "%u sleep, %u of %u, %u of %u", now.sleeping, now.lookup_hits, now.lookups,
            now.queries_granted, now.queries_wanted);
    check_ended(world);
    check_events(world, now.events);
}
