/* A rate over a duration is a number of births, however the time is cut. */
#include "runtime_movers.h"

#include "random.h"

/* Steps of one length, or of any up to it. */
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

/* Tenths of births per second, and hundredths of seconds; what is left over of a run goes to the next. */
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

/* A recipe that is changed owes what both rates make of their times. */
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
