/* Plan: which effects get births and blocks, compared with a slow walk over effects in their
 * order. */
#include "runtime_terrain.h"

#include "random.h"
#include "state.h"

#include <string.h>

/* Enough effects for more than one job. */
enum { EFFECTS = 40, MOST_OF_ONE = 150, MOST = 2300, STEPS = 80 };

static rico_world *crowded_world(uint32_t workers, rico_effect_id ids[EFFECTS])
{
    rico_world_def def = rico_world_def_default();
    def.cache_bytes = def.classic_cache_bytes = 4 << 20;
    def.max_particles = MOST;
    def.max_effects = EFFECTS;
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 0.0f;
    r.lifetime = (rico_range){0.02f, 0.4f};
    r.max_particles = MOST_OF_ONE;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (uint32_t i = 0; i < EFFECTS; ++i)
        ids[i] = rico_effect_spawn(world, id, at((float)i, 0.0f, 5.0f));
    return world;
}

/* Takes units away until so many blocks are left. */
static void leave_blocks(rico_world *world, uint32_t blocks)
{
    uint32_t left = blocks * world->recipes[0].block_units;
    while (world->pool.unit_count - world->pool.used_units > left) {
        uint32_t spare = world->pool.unit_count - world->pool.used_units - left;
        CHECK(rico__pool_acquire(&world->pool, spare < 8 ? spare : 8) != RICO__NO_BLOCK);
    }
}

static uint32_t room_in(const rico_world *world, const rico__effect *effect)
{
    uint32_t room = 0;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        room += world->recipes[0].block_capacity - world->blocks[b].count;
    return room;
}

typedef struct given {
    uint32_t births[EFFECTS], starved;
    bool short_of_blocks, short_of_particles;
} given;

static given give_slowly(const rico_world *world, const uint32_t due[EFFECTS])
{
    given g = {.starved = 0};
    uint32_t capacity = world->recipes[0].block_capacity, particles = world->particle_count;
    uint32_t blocks =
        (world->pool.unit_count - world->pool.used_units) / world->recipes[0].block_units;
    for (uint32_t i = 0; i < EFFECTS; ++i) {
        uint32_t births = due[i], alive = world->effects[i].particle_count;
        uint32_t room = room_in(world, &world->effects[i]);
        births = births < MOST_OF_ONE - alive ? births : MOST_OF_ONE - alive;
        g.short_of_particles |= births > MOST - particles;
        births = births < MOST - particles ? births : MOST - particles;
        while (room < births && blocks > 0) {
            room += capacity;
            blocks -= 1;
        }
        g.short_of_blocks |= room < births;
        g.births[i] = births < room ? births : room;
        g.starved += due[i] - g.births[i];
        particles += g.births[i];
    }
    return g;
}

static bool has_empty_block(const rico_world *world, const rico__effect *effect)
{
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        if (world->blocks[b].count == 0)
            return true;
    return false;
}

static void run_crowded(uint32_t workers, uint32_t blocks, uint32_t times[2])
{
    rico_effect_id ids[EFFECTS];
    rico_world *world = crowded_world(workers, ids);
    leave_blocks(world, blocks);
    for (uint32_t step = 0; step < STEPS; ++step) {
        uint32_t due[EFFECTS], before[EFFECTS], sum = 0;
        for (uint32_t i = 0; i < EFFECTS; ++i) {
            due[i] =
                rico__random_u32(3, step, i) % 3 == 0 ? 0 : rico__random_u32(4, step, i) % 60;
            before[i] = world->effects[i].next_serial;
            if (due[i] > 0)
                CHECK_EQ(rico_effect_emit(world, ids[i], due[i]), RICO_OK);
        }
        given g = give_slowly(world, due);
        rico_world_step(world, 1.0f / 60.0f);
        for (uint32_t i = 0; i < EFFECTS; ++i) {
            CHECK_EQ(world->effects[i].next_serial - before[i], g.births[i]);
            CHECK(!has_empty_block(world, &world->effects[i]));
            sum += g.births[i];
        }
        CHECK_EQ(rico_world_get_stats(world).births, sum);
        CHECK_EQ(rico_world_get_stats(world).births_starved, g.starved);
        times[0] += g.short_of_blocks;
        times[1] += g.short_of_particles;
    }
    rico_world_destroy(world);
}

TEST(plan, gives_births_and_blocks_in_the_order_of_effects_while_there_are_any)
{
    uint32_t few[2] = {0, 0}, many[2] = {0, 0};
    run_crowded(1, 46, few);
    run_crowded(3, 200, many);
    CHECK_MSG(few[0] > 20, "short of blocks in %u steps", few[0]);
    CHECK_MSG(many[0] == 0 && many[1] > 20, "short of particles in %u steps", many[1]);
}

TEST(plan, removes_an_effect_that_ends_before_it_had_particles)
{
    rico_effect_id ids[EFFECTS];
    rico_world *world = crowded_world(1, ids);
    rico_world_step(world, 0.01f);
    CHECK_EQ(rico_effect_stop(world, ids[3]), RICO_OK);
    rico_world_step(world, 0.01f);
    CHECK_EQ(rico_world_get_stats(world).effects, EFFECTS - 1);
    CHECK(!rico_effect_is_alive(world, ids[3]));
    rico_world_destroy(world);
}
