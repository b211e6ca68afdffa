/* What a host is told of its effects: what they are, which there are, and which have ended. */
#include "runtime_births.h"

#define EFFECTS 40u
#define MOST 512u

/* A puff of that many, whose last one dies after so many seconds. */
static rico_recipe puff(uint32_t count, float seconds)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = count;
    r.burst_interval = 0.0f;
    r.duration = 0.01f;
    r.loops = 1;
    r.lifetime = (rico_range){0.5f * seconds, seconds};
    r.speed = (rico_range){1.0f, 3.0f};
    r.spread = 1.0f;
    return r;
}

static rico_effect_id spawn_for(rico_world *world, rico_recipe_id recipe, void *user)
{
    rico_effect_def def = rico_effect_def_default();
    def.user = user;
    rico_effect_id id = rico_effect_spawn_def(world, recipe, &def);
    CHECK(id.index1 != 0);
    return id;
}

static bool same_id(rico_effect_id a, rico_effect_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

static uint32_t ended_count(const rico_world *world)
{
    uint32_t count;
    (void)rico_world_ended(world, &count);
    return count;
}

/* --- What it is ----------------------------------------------------------------------------- */

TEST(effects, are_what_they_were_spawned_as_and_what_calls_made_of_them)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 60.0f;
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_def def = rico_effect_def_default();
    int own = 0;
    def.transform = at(1, 2, 3);
    def.seed = 77;
    def.time_scale = 0.5f;
    def.user = &own;
    rico_effect_id e = rico_effect_spawn_def(world, recipe, &def);
    rico_effect_info info;
    CHECK(rico_effect_get(world, e, &info));
    CHECK(info.recipe.index1 == recipe.index1 && info.recipe.generation == recipe.generation);
    CHECK(info.transform.position.y == 2.0f && info.seed == 77 && info.user == &own);
    CHECK(info.time_scale == 0.5f && info.particles == 0 && info.emits);
    CHECK(info.rate_scale == 1.0f);
    CHECK_EQ(rico_effect_set_user(world, e, &info), RICO_OK);
    CHECK(rico_effect_get(world, e, &info) && info.user == &info);
    CHECK_EQ(rico_effect_set_user(world, e, &own), RICO_OK);
    for (int i = 0; i < 60; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    rico_effect_move(world, e, at(4, 5, 6));
    rico_effect_set_time_scale(world, e, 0.0f);
    rico_effect_stop(world, e);
    CHECK(rico_effect_get(world, e, &info));
    CHECK(info.transform.position.y == 5.0f && info.time_scale == 0.0f && !info.emits);
    CHECK(info.particles >= 29 && info.particles == rico_effect_particle_count(world, e));
    CHECK_EQ(rico_effect_set_time_scale(world, e, 1.0f), RICO_OK);
    CHECK_EQ(rico_effect_seek(world, e, 0.5f, 0.1f), RICO_OK);
    CHECK(rico_effect_get(world, e, &info) && info.user == &own && info.seed == 77 &&
          info.emits);
    rico_effect_destroy(world, e);
    info.seed = 5;
    CHECK(!rico_effect_get(world, e, &info) && info.seed == 5);
    CHECK(!rico_effect_get(world, (rico_effect_id){0}, &info));
    rico_world_destroy(world);
}

TEST(effects, spawned_with_the_seed_of_another_draw_the_same)
{
    static born first[MOST], second[MOST];
    rico_world *world = small_world(1, false);
    rico_recipe r = puff(200, 5.0f);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_id a = spawn_for(world, recipe, NULL);
    rico_effect_info info;
    CHECK(rico_effect_get(world, a, &info));
    rico_effect_def def = rico_effect_def_default();
    def.seed = info.seed;
    rico_effect_id b = rico_effect_spawn_def(world, recipe, &def);
    for (int i = 0; i < 20; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    CHECK_EQ(collect_born(world, a, first, MOST), 200);
    CHECK_EQ(collect_born(world, b, second, MOST), 200);
    CHECK(memcmp(first, second, 200 * sizeof *first) == 0);
    rico_world_destroy(world);
}

/* --- Which there are ------------------------------------------------------------------------ */

TEST(effects, are_all_met_on_a_walk_that_destroys_them)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_id all[EFFECTS];
    CHECK_EQ(rico_world_next_effect(world, (rico_effect_id){0}).index1, 0);
    for (uint32_t i = 0; i < EFFECTS; ++i)
        all[i] = spawn_for(world, recipe, NULL);
    for (uint32_t i = 0; i < EFFECTS; i += 3)
        rico_effect_destroy(world, all[i]);
    rico_effect_id e = {0};
    for (uint32_t i = 0; i < EFFECTS; ++i) {
        if (i % 3 == 0)
            continue;
        e = rico_world_next_effect(world, e);
        CHECK(same_id(e, all[i]));
        if (i % 2 == 0)
            rico_effect_destroy(world, e);
    }
    CHECK_EQ(rico_world_next_effect(world, e).index1, 0);
    CHECK_EQ(rico_world_next_effect(world, (rico_effect_id){UINT32_MAX, 1}).index1, 0);
    uint32_t left = 0;
    for (e = rico_world_next_effect(world, (rico_effect_id){0}); e.index1 != 0;
         e = rico_world_next_effect(world, e))
        left += rico_effect_is_alive(world, e);
    CHECK_EQ(left, rico_world_get_stats(world).effects);
    rico_world_destroy(world);
}

/* --- Which have ended ----------------------------------------------------------------------- */

TEST(effects, that_end_are_told_of_once_with_what_the_host_gave_them)
{
    rico_world *world = small_world(2, false);
    rico_recipe_id recipes[2];
    int own[EFFECTS], told[EFFECTS] = {0};
    bool was[EFFECTS];
    rico_effect_id all[EFFECTS];
    for (uint32_t k = 0; k < 2; ++k) {
        rico_recipe r = puff(10, 0.3f + 0.2f * (float)k);
        recipes[k] = rico_world_add_recipe(world, &r);
    }
    for (uint32_t i = 0; i < EFFECTS; ++i)
        all[i] = spawn_for(world, recipes[i % 2], &own[i]);
    CHECK_EQ(ended_count(world), 0);
    for (int frame = 0; frame < 60; ++frame) {
        for (uint32_t i = 0; i < EFFECTS; ++i)
            was[i] = rico_effect_is_alive(world, all[i]);
        rico_world_step(world, 1.0f / 60.0f);
        uint32_t count, last = 0;
        const rico_ended_effect *ended = rico_world_ended(world, &count);
        for (uint32_t n = 0; n < count; ++n) {
            uint32_t i = (uint32_t)((int *)ended[n].user - own);
            CHECK(ended[n].effect.index1 > last && same_id(ended[n].effect, all[i]));
            CHECK(ended[n].recipe.index1 == recipes[i % 2].index1 &&
                  ended[n].recipe.generation == recipes[i % 2].generation);
            last = ended[n].effect.index1;
            told[i] += 1;
            CHECK(was[i] && !rico_effect_is_alive(world, all[i]));
        }
    }
    for (uint32_t i = 0; i < EFFECTS; ++i)
        CHECK(told[i] == 1);
    CHECK_EQ(ended_count(world), 0);
    rico_world_destroy(world);
}

TEST(effects, that_all_end_in_one_step_are_all_told_of)
{
    rico_world_def def = rico_world_def_default();
    def.max_effects = 300;
    def.worker_count = 1;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    for (uint32_t i = 0; i < def.max_effects; ++i)
        CHECK_EQ(rico_effect_stop(world, spawn_for(world, recipe, NULL)), RICO_OK);
    rico_world_step(world, 0.1f);
    CHECK_EQ(ended_count(world), def.max_effects);
    CHECK_EQ(rico_world_get_stats(world).effects, 0);
    rico_world_step(world, 0.0f);
    CHECK_EQ(ended_count(world), 0);
    rico_world_destroy(world);
}

TEST(effects, that_were_destroyed_or_are_over_after_a_seek_are_not_told_of)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = puff(10, 0.2f);
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_id destroyed = spawn_for(world, recipe, NULL);
    rico_effect_id sought = spawn_for(world, recipe, NULL);
    rico_effect_id paused = spawn_for(world, recipe, NULL);
    rico_effect_id told = spawn_for(world, recipe, NULL);
    rico_effect_set_time_scale(world, paused, 0.0f);
    for (int frame = 0; ended_count(world) == 0; ++frame) {
        CHECK(frame < 60);
        if (frame == 3)
            CHECK_EQ(rico_effect_destroy(world, destroyed), RICO_OK);
        if (frame == 3)
            CHECK_EQ(rico_effect_seek(world, sought, 1.0f, 0.1f), RICO_OK);
        rico_world_step(world, 1.0f / 60.0f);
    }
    uint32_t count;
    CHECK(same_id(rico_world_ended(world, &count)->effect, told) && count == 1);
    CHECK_EQ(rico_effect_seek(world, paused, 1.0f, 0.1f), RICO_OK);
    CHECK(rico_effect_is_alive(world, paused) && !rico_effect_is_alive(world, sought));
    rico_effect_set_time_scale(world, paused, 1.0f);
    CHECK_EQ(rico_effect_seek(world, paused, 1.0f, 0.1f), RICO_OK);
    CHECK(!rico_effect_is_alive(world, paused));
    CHECK(same_id(rico_world_ended(world, &count)->effect, told) && count == 1);
    rico_world_destroy(world);
}
