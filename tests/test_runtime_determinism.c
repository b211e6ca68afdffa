/* The same bits for any number of workers, any instruction set and in every run. */
#include "runtime_isa.h"
#include "runtime_terrain.h"

static bool full(void)
{
    return getenv("RICO_TEST_FULL") != NULL;
}

/* Adds one recipe per collision mode, with curves, events and bursts. */
static void add_effects(rico_world *world)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe recipe = rico_recipe_default();
        recipe.mode = (rico_collision_mode)mode;
        recipe.rate = mode == RICO_COLLIDE_EXACT ? 20.0f : 120.0f;
        recipe.burst_count = 30;
        recipe.burst_interval = 0.7f;
        recipe.spread = 1.2f;
        recipe.drag = 0.1f;
        recipe.queries_per_frame = 2.0f;
        recipe.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
        recipe.particle_size.key_count = 2;
        recipe.particle_size.at[1] = 1.0f;
        recipe.color.key_count = 2;
        recipe.color.at[1] = 1.0f;
        if (mode == RICO_COLLIDE_FIXED) {
            recipe.plane_count = 2;
            recipe.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
            recipe.planes[1] = (rico_plane){{0.6f, 0.0f, 0.8f}, -1.0f};
        }
        rico_recipe_id id = rico_world_add_recipe(world, &recipe);
        CHECK(id.index1 != 0);
        for (int i = 0; i < 12; ++i)
            CHECK(rico_effect_spawn(world, id,
                                    at((float)(i % 4) * 3.0f - 5.0f + (float)mode * 0.3f,
                                       (float)(i / 4) * 3.0f - 4.0f, 1.5f))
                      .index1 != 0);
    }
}

static uint64_t hash_after(uint32_t workers, const float *lengths, int length_count, int steps)
{
    rico_world *world = small_world(workers, true);
    add_effects(world);
    uint64_t hash = 0;
    for (int i = 0; i < steps; ++i) {
        rico_world_step(world, lengths[i % length_count]);
        if (i % 16 == 0)
            hash = hash * 31 + rico_world_hash(world);
    }
    hash = hash * 31 + rico_world_hash(world);
    rico_world_stats stats = rico_world_get_stats(world);
    CHECK(stats.particles > 5000);
    CHECK(stats.gathers + stats.rays > 0);
    rico_world_destroy(world);
    return hash;
}

static uint64_t final_hash(uint32_t workers, int steps)
{
    static const float even = 1.0f / 60.0f;
    return hash_after(workers, &even, 1, steps);
}

TEST(determinism, is_the_same_for_any_number_of_workers_and_every_run)
{
    static const uint32_t workers[] = {3, 2, 4, 8};
    int steps = full() ? 600 : 120;
    uint64_t expected = final_hash(1, steps);
    for (int run = 0; run < (full() ? 5 : 1); ++run)
        for (size_t i = 0; i < test_few_rounds(4, 1); ++i)
            CHECK_MSG(final_hash(workers[i], steps) == expected, "differs with %u workers",
                      workers[i]);
}

TEST(determinism, is_the_same_for_every_isa)
{
    uint64_t expected = 0;
    for (int isa = -1; on_next_isa(&isa);) {
        uint64_t hash = final_hash(1, 120);
        if (expected == 0)
            expected = hash;
        CHECK_MSG(hash == expected, "differs with %s", rico__isa_name((rico__isa)isa));
    }
}

/* The expected hash changes only with a commit that says why. */
TEST(determinism, gives_the_golden_hash)
{
    uint64_t hash = final_hash(1, 120);
    CHECK_MSG(hash == 0x5056017b25f65b1aULL, "the hash is 0x%016llx", (unsigned long long)hash);
}

/* Steps that are much longer than paths expect, as after a hitch, take other branches of mode
 * cached. */
static void check_uneven(uint32_t workers)
{
    static const float uneven[] = {0.1f, 1.0f / 60.0f, 0.1f, 0.25f, 1.0f / 30.0f};
    for (int isa = -1; on_next_isa(&isa);) {
        uint64_t hash = hash_after(workers, uneven, 5, 60);
        CHECK_MSG(hash == 0x7a81aac539fc31a3ULL, "the hash is 0x%016llx with %s, %u workers",
                  (unsigned long long)hash, rico__isa_name((rico__isa)isa), workers);
    }
}

TEST(determinism, of_long_and_uneven_steps_gives_the_golden_hash_on_every_isa)
{
    check_uneven(1);
}

TEST(determinism, is_the_same_for_two_workers_in_long_and_uneven_steps)
{
    check_uneven(2);
}

TEST(determinism, does_not_depend_on_other_worlds)
{
    rico_world *other = small_world(2, true);
    add_effects(other);
    run_steps(other, 30);
    uint64_t alone = final_hash(1, 60);
    run_steps(other, 30);
    CHECK(final_hash(2, 60) == alone);
    rico_world_destroy(other);
}
