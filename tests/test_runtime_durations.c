/* A rate over a duration gives an exact number of births, and so do bursts within it, whatever
 * the steps. */
#include "runtime_movers.h"

#include "random.h"

/* Steps of one length, or of random lengths up to it. */
static float step_of(float most, bool random, uint32_t n)
{
    return random ? most * rico__random_unit(7, n, 1) : most;
}

static uint32_t births_of(rico_recipe r, float most, bool random)
{
    rico_world *world = little_world();
    uint32_t births = 0;
    r.mode = RICO_COLLIDE_NONE;
    r.lifetime = (rico_range){0.05f, 0.05f};
    r.max_particles = 8192;
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    CHECK(e.index1 != 0);
    for (uint32_t n = 0; rico_effect_is_alive(world, e); ++n) {
        rico_world_step(world, step_of(most, random, n));
        births += rico_world_get_stats(world).births;
        CHECK_EQ(rico_world_get_stats(world).births_starved, 0);
    }
    rico_world_destroy(world);
    return births;
}

/* Runs a rate in tenths of births per second for a duration in hundredths of seconds. A
 * fraction of a birth that is left after one run counts for the next. */
static void check_births(uint32_t tenths, uint32_t hundredths, uint32_t loops)
{
    static const float steps[] = {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 144.0f, 0.0042f,
                                  0.0137f,      0.1f,         0.5f,          1.0f};
    rico_recipe r = rico_recipe_default();
    r.rate = (float)tenths / 10.0f;
    r.duration = (float)hundredths / 100.0f;
    r.loops = loops;
    uint32_t expected = tenths * hundredths * loops / 1000;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k)
        for (int random = 0; random < 2; ++random) {
            uint32_t births = births_of(r, steps[k], random);
            CHECK_MSG(births == expected, "%g/s, %u times %g s, in steps %s %g s: %u of %u",
                      (double)r.rate, loops, (double)r.duration, random ? "up to" : "of",
                      (double)steps[k], births, expected);
        }
}

TEST(durations, have_as_many_births_as_their_rate_says)
{
    check_births(500, 100, 1);
    check_births(300, 200, 1);
    check_births(10000, 50, 1);
    check_births(100, 70, 1);
    check_births(33, 30, 1);
    check_births(1, 500, 1);
}

TEST(durations, carry_what_is_left_over_into_the_next_run)
{
    check_births(500, 25, 4); /* 12.5 each */
    check_births(70, 10, 10);
    check_births(100, 70, 3);
    check_births(13, 10, 100);
    check_births(10000, 3, 7);
}

/* When a recipe's rate changes, each rate must count for its own time. */
TEST(durations, count_a_changed_rate_from_then_on)
{
    for (int down = 0; down < 2; ++down) {
        rico_world *world = little_world();
        rico_recipe r = rico_recipe_default();
        uint32_t births = 0;
        r.mode = RICO_COLLIDE_NONE;
        r.rate = down ? 200.0f : 0.0f;
        r.duration = 2.0f;
        r.lifetime = (rico_range){0.05f, 0.05f};
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        rico_effect_id e = rico_effect_spawn(world, id, at(0, 0, 0));
        for (int n = 0; rico_effect_is_alive(world, e); ++n) {
            r.rate = 80.0f;
            if (n == 10)
                CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
            rico_world_step(world, 0.1f);
            births += rico_world_get_stats(world).births;
        }
        CHECK_EQ(births, down ? 280 : 80);
        rico_world_destroy(world);
    }
}

/* --- Bursts ------------------------------------------------------------------------------- */

static void check_firings(const rico_recipe *r, uint32_t expected)
{
    static const float steps[] = {0.25f,  1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 120.0f, 0.005f,
                                  0.001f, 1.0f / 64.0f, 0.2f,         0.1f,          1.0f};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k)
        for (int random = 0; random < 2; ++random) {
            uint32_t births = births_of(*r, steps[k], random);
            CHECK_MSG(births == expected, "%g s, %u times, in steps %s %g s: %u of %u",
                      (double)r->duration, r->loops, random ? "up to" : "of", (double)steps[k],
                      births, expected);
        }
}

static rico_recipe bursting(float duration, rico_burst burst)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.duration = duration;
    r.bursts[0] = burst;
    r.bursts[0].probability = 1.0f;
    return r;
}

TEST(durations, end_before_the_bursts_that_are_due_at_their_end)
{
    rico_recipe r = bursting(2.0f, (rico_burst){.count = 0});
    r.burst_count = 5;
    r.burst_interval = 0.5f;
    check_firings(&r, 20);
    r.loops = 3;
    check_firings(&r, 60);
    r = bursting(2.0f, (rico_burst){.count = 5, .interval = 0.5f});
    check_firings(&r, 20);
    r.delay = 0.5f;
    check_firings(&r, 20);
    r.bursts[0].time = 0.5f;
    r.loops = 3;
    check_firings(&r, 45);
    r.bursts[0].cycles = 4;
    check_firings(&r, 45);
    r.bursts[0].cycles = 2;
    check_firings(&r, 30);
}

TEST(durations, have_a_single_burst_just_before_their_end_and_none_at_it)
{
    rico_recipe r = bursting(1.1f, (rico_burst){.count = 5, .cycles = 1, .time = 1.1f});
    r.loops = 2;
    check_firings(&r, 0);
    r.bursts[0].time = 1.2f;
    check_firings(&r, 0);
    r.bursts[0].time = 1.09999f;
    check_firings(&r, 10);
}

/* As floats, three times 0.9 is below 2.7, but three times 0.3 is above 0.9. Bursts must fire
 * as decimal numbers say. */
TEST(durations, take_the_times_of_bursts_for_decimal_numbers)
{
    static const float intervals[] = {0.9f, 0.3f, 0.1f, 0.7f},
                       durations[] = {2.7f, 0.9f, 0.7f, 2.1f};
    static const uint32_t firings[] = {3, 3, 7, 3};
    for (int k = 0; k < 4; ++k) {
        rico_recipe r =
            bursting(durations[k], (rico_burst){.count = 2, .interval = intervals[k]});
        check_firings(&r, 2 * firings[k]);
        r.duration += 0.001f;
        check_firings(&r, 2 * firings[k] + 2);
    }
}

/* Waiting times that are sums of steps would be wrong by more than one interval after so many
 * steps. */
TEST(durations, have_all_their_bursts_however_often_they_fire)
{
    rico_recipe r = bursting(20.0f, (rico_burst){.count = 1, .interval = 0.001f});
    check_firings(&r, 20000);
}

static uint32_t alive_after(rico_recipe r, float prewarm, float seek, float step,
                            uint32_t steps)
{
    rico_world *world = little_world();
    r.mode = RICO_COLLIDE_NONE;
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.prewarm = prewarm;
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    if (seek > 0.0f)
        CHECK_EQ(rico_effect_seek(world, e, seek, step), RICO_OK);
    for (uint32_t n = 0; n < steps; ++n)
        rico_world_step(world, step);
    uint32_t alive = rico_effect_particle_count(world, e);
    rico_world_destroy(world);
    return alive;
}

TEST(durations, have_the_same_bursts_when_prewarmed_or_sought)
{
    rico_recipe r = bursting(2.0f, (rico_burst){.count = 5, .interval = 0.5f});
    for (r.loops = 1; r.loops <= 3; ++r.loops) {
        const float whole = 2.0f * (float)r.loops;
        CHECK_EQ(alive_after(r, whole + 0.1f, 0.0f, 0.1f, 0), 20 * r.loops);
        CHECK_EQ(alive_after(r, 0.0f, whole, 0.25f, 0), 20 * r.loops);
        CHECK_EQ(alive_after(r, 0.0f, whole + 0.1f, 0.1f, 0), 20 * r.loops);
        CHECK_EQ(alive_after(r, 1.0f, 0.0f, 0.25f, 4 * 2 * r.loops), 20 * r.loops);
        CHECK_EQ(alive_after(r, 0.0f, 0.0f, 0.25f, 4 * 2 * r.loops), 20 * r.loops);
    }
}
