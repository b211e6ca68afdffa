/* Which events of a step are kept, whichever worker raises them and in whatever order. */
#include "runtime_births.h"

#include "event_arena.h"
#include "simulate.h"

/* A world with made-up blocks for the arena, whose events tell their block and number. */
typedef struct stage_play {
    rico_world *world;
    uint32_t random;
} stage_play;

static uint32_t next_number(stage_play *p, uint32_t below)
{
    p->random = p->random * 1664525u + 1013904223u;
    return (p->random >> 8) % below;
}

static uint32_t made_up(uint32_t place, uint32_t part)
{
    uint32_t mix = (2 * place + part + 1) * 2654435761u;
    return (mix >> 24) < 60 ? 0 : (mix >> 12) % (part == 0 ? 700 : 1100);
}

static void raise_part(stage_play *p, uint32_t worker, uint32_t place, rico__event_part part)
{
    static rico__block_context c;
    c.world = p->world;
    c.scratch = &p->world->scratch[worker];
    c.place = place;
    c.block = &p->world->blocks[p->world->block_list[place]];
    rico__events_begin(&c, part);
    for (uint32_t n = 0; n < made_up(place, part); ++n)
        *rico__event_raise(&c.scratch->events) =
            (rico_event){.particle = place, .triangle = 10000 * part + n};
    rico__events_end(&c, part);
}

/* Workers take blocks in a random order, four at a time. */
static void play(stage_play *p, uint32_t workers)
{
    rico_world *w = p->world;
    uint32_t order[64];
    for (uint32_t i = 0; i < w->block_list_count; ++i) {
        uint32_t k = next_number(p, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < w->block_list_count; i += 4) {
        const uint32_t worker = next_number(p, workers);
        for (uint32_t k = i; k < i + 4; ++k)
            raise_part(p, worker, order[k], EVENTS_OF_MOVE);
        for (uint32_t k = i; k < i + 4; ++k)
            raise_part(p, worker, order[k], EVENTS_OF_END);
    }
}

static void check_kept(const rico_world *w, uint32_t limit)
{
    uint32_t total = 0, count;
    for (uint32_t i = 0; i < w->block_list_count; ++i)
        for (uint32_t part = 0; part < EVENT_PARTS; ++part) {
            const rico_event *e = rico__events_of(w, &w->blocks[w->block_list[i]],
                                                  (rico__event_part)part, &count);
            uint32_t made = made_up(i, part);
            CHECK_EQ(count, made < limit - total ? made : limit - total);
            for (uint32_t n = 0; n < count; ++n)
                CHECK(e[n].particle == i && e[n].triangle == 10000 * part + n);
            total += count;
        }
}

TEST(events, of_blocks_in_any_order_by_any_workers_are_the_first_that_are_kept)
{
    for (uint32_t round = 0; round < test_few_rounds(40, 8); ++round) {
        rico_world_def def = rico_world_def_default();
        def.max_particles = 16384;
        def.max_effects = 16;
        def.max_events = round % 8 == 0 ? 0 : 1u << (round % 8 * 2);
        def.worker_count = 3;
        def.cache_bytes = def.classic_cache_bytes = 64 << 10;
        stage_play p = {.random = round};
        CHECK_EQ(rico_world_create(&def, &p.world), RICO_OK);
        uint64_t raised = 0;
        p.world->block_list_count = 64;
        for (uint32_t i = 0; i < 64; ++i) {
            p.world->block_list[i] = 8 * (i * 7 % 64);
            rico__block *block = &p.world->blocks[p.world->block_list[i]];
            *block = (rico__block){.count = 200, .birth_count = 56};
            raised += made_up(i, 0) + made_up(i, 1);
        }
        rico__events_reset(p.world);
        play(&p, 1 + round % 3);
        CHECK_EQ(rico__events_settle(p.world), raised);
        check_kept(p.world, 2 * def.max_events);
        p.world->block_list_count = 0;
        rico_world_destroy(p.world);
    }
}
