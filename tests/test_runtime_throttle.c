/* Emission rates that the host scales, effect by effect. */
#include "runtime_births.h"

#include "emitter.h"

#define DT 0.0625f /* so that rates times steps are exact */

static rico_recipe rain(float rate)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = 0;
    r.rate = rate;
    r.lifetime = (rico_range){0.5f, 1.0f};
    r.speed = (rico_range){1.0f, 3.0f};
    r.max_particles = 4096;
    return r;
}

static uint32_t births_of(rico_world *world, int steps)
{
    uint32_t births = 0;
    for (int k = 0; k < steps; ++k) {
        rico_world_step(world, DT);
        births += rico_world_get_stats(world).births;
    }
    return births;
}

TEST(throttle, makes_births_as_many_as_it_says)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rain(64.0f);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_def def = rico_effect_def_default();
    rico_effect_info info;
    def.rate_scale = 0.5f;
    rico_effect_id e = rico_effect_spawn_def(world, recipe, &def);
    CHECK_EQ(births_of(world, 32), 64);
    CHECK_EQ(rico_effect_set_rate_scale(world, e, 8.0f), RICO_OK);
    CHECK_EQ(births_of(world, 16), 512);
    CHECK_EQ(rico_effect_set_rate_scale(world, e, 0.0f), RICO_OK);
    CHECK_EQ(births_of(world, 32), 0);
    CHECK(rico_effect_get(world, e, &info) && info.emits && info.rate_scale == 0.0f);
    CHECK_EQ(rico_world_get_stats(world).sleeping_effects, 1); /* no particle is left */
    CHECK_EQ(rico_effect_emit(world, e, 3), RICO_OK);
    CHECK_EQ(births_of(world, 2), 3);
    births_of(world, 32);
    CHECK_EQ(rico_world_get_stats(world).sleeping_effects, 1);
    CHECK_EQ(rico_effect_set_rate_scale(world, e, 1.0f), RICO_OK);
    CHECK_EQ(births_of(world, 16), 64);
    CHECK_EQ(rico_effect_seek(world, e, 0.0f, 0.1f), RICO_OK);
    CHECK_EQ(rico_effect_set_rate_scale(world, e, 0.25f), RICO_OK);
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, 0.125f), RICO_OK);
    CHECK(rico_effect_get(world, e, &info) && info.rate_scale == 0.25f);
    CHECK(info.particles <= 16 && info.particles >= 8);
    rico_world_destroy(world);
}

/* A recipe with a rate, and one with twice that rate at scale 0.5, must have the same
 * particles. */
TEST(throttle, gives_the_births_that_a_recipe_of_that_rate_has)
{
    for (int kind = 0; kind < 4; ++kind) {
        rico_world *worlds[2];
        rico_effect_id e[2];
        for (int k = 0; k < 2; ++k) {
            worlds[k] = small_world(1, false);
            rico_recipe r = rain(kind == 3 ? 0.0f : k == 0 ? 40.0f : 80.0f);
            r.rate_per_metre = kind < 2 ? 0.0f : k == 0 ? 5.0f : 10.0f;
            r.duration = kind == 1 ? 0.7f : 0.0f;
            r.loops = kind == 1 ? 4 : 1;
            r.delay = kind == 2 ? 0.3f : 0.0f;
            rico_effect_def def = rico_effect_def_default();
            def.seed = 5;
            def.rate_scale = k == 0 ? 1.0f : 0.5f;
            e[k] = rico_effect_spawn_def(worlds[k], rico_world_add_recipe(worlds[k], &r), &def);
        }
        for (int step = 0; step < 60; ++step) {
            rico_view v[2];
            for (int k = 0; k < 2; ++k) {
                rico_effect_move(worlds[k], e[k], at(0.1f * (float)step, 0.0f, 0.0f));
                rico_world_step(worlds[k], 0.05f);
                v[k] = rico_effect_view(worlds[k], e[k]);
            }
            for (;;) {
                bool more = rico_view_next(&v[0]);
                CHECK_EQ(rico_view_next(&v[1]), more);
                if (!more)
                    break;
                CHECK_EQ(v[0].count, v[1].count);
                CHECK(memcmp(v[0].px, v[1].px, v[0].count * sizeof(float)) == 0);
                CHECK(memcmp(v[0].age, v[1].age, v[0].count * sizeof(float)) == 0);
            }
        }
        CHECK(kind == 1 || rico_effect_particle_count(worlds[0], e[0]) > 3);
        CHECK_EQ(rico_effect_particle_count(worlds[0], e[0]),
                 rico_effect_particle_count(worlds[1], e[1]));
        rico_world_destroy(worlds[0]);
        rico_world_destroy(worlds[1]);
    }
}

/* With a duration, each second must have its share of births, whatever the steps, also when the
 * scale goes to 0 and back. */
TEST(throttle, is_followed_through_a_duration)
{
    static const float steps[] = {0.1f, 0.25f, 0.01f, 1.0f / 60.0f};
    for (int k = 0; k < 4; ++k) {
        rico_recipe def = rain(100.0f);
        def.duration = 3.0f;
        def.loops = 2;
        rico__emission emission;
        rico__emission_prepare(&emission, &def);
        rico__emitter e = rico__emitter_start(&emission, &def, 1.0f);
        bool emits = true;
        uint64_t births = 0, at_second[7] = {0};
        const uint32_t per_second = (uint32_t)(1.0f / steps[k] + 0.5f);
        for (uint32_t n = 0; n < 6 * per_second + 1; ++n) {
            static const float scales[] = {1.0f, 0.25f, 2.0f, 0.0f, 3.0f, 0.0f, 0.0f};
            if (n % per_second == 0)
                at_second[n / per_second] = births;
            e.rate_scale = scales[n / per_second];
            births += rico__emitter_step(&e, &emission, &def, 1, steps[k], 0.0f, &emits);
        }
        CHECK(!emits);
        CHECK_EQ(births, 325 + 300);
        for (int second = 0; second < 6; ++second) {
            static const double due[] = {0, 100, 125, 325, 325, 625};
            CHECK_NEAR((double)at_second[second], due[second], 1.01);
        }
    }
}

TEST(throttle, stays_when_the_recipe_changes)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rain(64.0f);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_def def = rico_effect_def_default();
    def.rate_scale = 0.5f;
    rico_effect_spawn_def(world, recipe, &def);
    births_of(world, 4);
    r.rate = 32.0f;
    r.duration = 2.0f;
    r.loops = 0;
    CHECK_EQ(rico_world_change_recipe(world, recipe, &r), RICO_OK);
    CHECK_EQ(births_of(world, 32), 32);
    CHECK_EQ(births_of(world, 32), 32);
    rico_world_destroy(world);
}
