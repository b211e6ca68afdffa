/* The budget of bytes for particles: what it holds, what it refuses, and which births it
 * starves. */
#include "block_layout.h"
#include "runtime_terrain.h"

#include <string.h>

static rico_world *world_within(uint64_t bytes, uint32_t workers)
{
    rico_world_def def = rico_world_def_default();
    def.particle_bytes = bytes;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.max_effects = 256;
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

static uint64_t world_bytes(uint64_t budget)
{
    rico_world *world = world_within(budget, 1);
    uint64_t bytes = rico_world_get_stats(world).bytes;
    rico_world_destroy(world);
    return bytes;
}

/* A world's memory for particles must not exceed the budget, and be at most one unit with its
 * lists below it. All other memory must be the same for every budget. */
TEST(particle_bytes, are_honoured_to_the_byte)
{
    static const uint64_t budgets[] = {64 << 10, 100000, 1000001, 12345678, 64 << 20};
    uint64_t rest = 0;
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; ++i) {
        rico_world *world = world_within(budgets[i], 1);
        uint64_t lists = (uint64_t)world->block_limit *
                         (sizeof *world->block_list + sizeof *world->block_costs +
                          sizeof *world->block_counts + sizeof *world->batches);
        uint64_t taken = rico__pool_bytes(world->pool.unit_count) + lists;
        CHECK(taken <= budgets[i] && taken + RICO__UNIT_BYTES + 8 + 16 > budgets[i]);
        CHECK(world->block_limit * RICO__LEAST_BLOCK_BYTES >=
              (world->pool.unit_count - 9) * RICO__UNIT_BYTES);
        rico_world_destroy(world);
        uint64_t others = world_bytes(budgets[i]) - taken;
        CHECK(i == 0 || others == rest);
        rest = others;
    }
}

/* More effects than fit. The first ones must get all blocks, and the births of the others are
 * counted as starved. */
static void starve(uint32_t workers, uint64_t *hash)
{
    enum { EFFECTS = 64, BURST = 100, BLOCKS = 20 };
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 0.0f;
    r.burst_count = BURST;
    r.lifetime = (rico_range){1.0f, 1.0f};
    const uint32_t units = (128 + 8 * 112 * 4) / 128; /* header, and streams of 112 */
    rico_world *world = world_within(BLOCKS * units * 128 + (BLOCKS * units + 63) / 64 * 8 +
                                         BLOCKS * units / 9 * 16,
                                     workers);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK_EQ(world->recipes[0].block_units, units);
    rico_effect_id ids[EFFECTS];
    for (uint32_t i = 0; i < EFFECTS; ++i)
        ids[i] = rico_effect_spawn(world, id, at((float)i, 0.0f, 0.0f));
    rico_world_step(world, 1.0f / 60.0f);
    rico_world_stats stats = rico_world_get_stats(world);
    CHECK_EQ(stats.blocks, BLOCKS);
    CHECK_EQ(stats.particles, BLOCKS * BURST);
    CHECK_EQ(stats.births_starved, (EFFECTS - BLOCKS) * BURST);
    for (uint32_t i = 0; i < BLOCKS; ++i)
        CHECK_EQ(rico_effect_particle_count(world, ids[i]), BURST);
    *hash = rico_world_hash(world);
    run_steps(world, 61);
    CHECK_EQ(rico_world_get_stats(world).blocks, 0); /* all blocks are free again */
    rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, 1.0f / 60.0f);
    CHECK_EQ(rico_world_get_stats(world).births_starved, 0);
    rico_world_destroy(world);
}

TEST(particle_bytes, that_are_used_up_starve_births_which_are_counted)
{
    uint64_t one, three;
    starve(1, &one);
    starve(3, &three);
    CHECK(one == three);
}

TEST(particle_bytes, are_refused_when_too_few_and_when_too_many)
{
    kept_log log;
    rico_world_def def = rico_world_def_default();
    def.log = kept_log_hook(&log);
    rico_world *world;
    def.particle_bytes = (64 << 10) - 1;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(world == NULL);
    CHECK_MSG(strstr(log.text, "def.particle_bytes is 65535, expected 0 or 65536 to "
                               "68719476736") != NULL,
              "%s", log.text);
    def.particle_bytes = ((uint64_t)64 << 30) + 1;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(strstr(log.text, "def.particle_bytes is 68719476737") != NULL);
}

/* A block of the recipe with the most streams must fit into the smallest budget. */
TEST(particle_bytes, are_never_too_few_for_a_block_of_any_recipe)
{
    rico_world *world = world_within(64 << 10, 1);
    rico_recipe r = rico_recipe_default();
    r.rolls = r.particle_ids = r.interpolate = true;
    r.particle_size.key_count = r.color.key_count = 2;
    r.particle_size.at[1] = r.color.at[1] = 1.0f;
    r.start_size = (rico_range){0.5f, 1.0f};
    r.start_color.key_count = 2;
    r.start_color.at[1] = 1.0f;
    r.events = RICO_EVENT_BIT_COLLISION;
    r.rate = 0.0f;
    r.burst_count = 256;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK(id.index1 != 0 && world->recipes[0].stream_count == FIELD_COUNT);
    CHECK(world->recipes[0].block_units * RICO__UNIT_BYTES <= RICO__MOST_BLOCK_BYTES + 127);
    rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, 1.0f / 60.0f);
    CHECK_EQ(rico_world_get_stats(world).particles, 256);
    rico_world_destroy(world);
}

/* --- What the world reports of its memory ----------------------------------------------- */

static void check_memory(const rico_world *world, const counting_allocator *counter)
{
    rico_world_stats stats = rico_world_get_stats(world);
    CHECK_EQ(stats.bytes, counter->live_bytes);
    CHECK_EQ(stats.allocations, counter->calls);
}

static void account_for(uint32_t workers, bool exact)
{
    static terrain ground;
    counting_allocator counter;
    kept_log log;
    rico_world_def def = counted_def(&counter, &log);
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    check_memory(world, &counter);
    terrain_build(&ground);
    rico_collider_id id = rico_world_add_mesh(world, &ground.mesh, RICO_TRANSFORM_IDENTITY);
    check_memory(world, &counter);
    CHECK_EQ(rico_world_merge(world), RICO_OK);
    check_memory(world, &counter);
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = exact ? RICO_COLLIDE_EXACT : RICO_COLLIDE_CACHED;
    rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0.0f, 0.0f, 2.0f));
    run_steps(world, 30);
    check_memory(world, &counter);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
    check_memory(world, &counter);
    rico_world_destroy(world);
    CHECK_EQ(counter.live_bytes, 0);
    CHECK_EQ(counter.live_blocks, 0);
}

TEST(world_memory, is_all_that_the_allocator_was_asked_for)
{
    account_for(1, true);
    account_for(4, false);
}

TEST(world_memory, is_not_had_from_half_an_allocator)
{
    counting_allocator counter;
    kept_log log;
    rico_world_def def = counted_def(&counter, &log);
    rico_world *world;
    def.allocator.release = NULL;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(world == NULL && counter.calls == 0);
}
