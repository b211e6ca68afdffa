/* What a host can learn of its effects: their state, which exist, and which have ended. */
#include "runtime_births.h"

#define EFFECTS 40u
#define MOST 512u

/* A burst of `count` particles, of which the last dies after `seconds`. */
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

/* --- State ------------------------------------------------------------------------------ */

/* The first effect's recipe allows too few particles; the third effect finds the world full.
 * Each effect must report its own starved births. */
TEST(effects, tell_of_the_births_that_found_no_room)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 300;
    def.worker_count = 1;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.lifetime = (rico_range){1000.0f, 1000.0f};
    r.rate = 60.0f;
    r.max_particles = 20;
    rico_effect_id e[3];
    e[0] = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    r.max_particles = 1000;
    rico_recipe_id plenty = rico_world_add_recipe(world, &r);
    e[1] = rico_effect_spawn(world, plenty, at(1, 0, 0));
    r.rate = 300.0f;
    e[2] = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(2, 0, 0));
    uint32_t starved[3] = {0, 0, 0};
    for (int step = 0; step < 60; ++step) {
        rico_world_step(world, 1.0f / 60.0f);
        uint32_t sum = 0;
        for (int k = 0; k < 3; ++k) {
            rico_effect_info info;
            CHECK(rico_effect_get(world, e[k], &info));
            starved[k] += info.births_starved;
            sum += info.births_starved;
        }
        CHECK_EQ(sum, rico_world_get_stats(world).births_starved);
        CHECK(step > 18 || sum == 0); /* by then the first effect has 19 */
        CHECK(step < 22 || sum > 0);
    }
    CHECK(starved[0] > 35 && starved[1] < 20 && starved[2] > 50);
    rico_world_destroy(world);
}

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

/* --- Several at once ------------------------------------------------------------------------ */

/* A recipe that is prewarmed for a second, in which deaths have births. */
static rico_recipe_id add_warm(rico_world *world)
{
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), r = child;
    child.rate = 0.0f;
    r.rate = 20.0f;
    r.lifetime = (rico_range){0.2f, 0.3f};
    r.prewarm = 1.0f;
    r.sub_emitters[0] = (rico_sub_emitter){
        .on = RICO_EVENT_BIT_DEATH, .recipe = {0}, .count = 3, .probability = 1.0f};
    r.sub_emitters[0].recipe = rico_world_add_recipe(world, &child);
    return rico_world_add_recipe(world, &r);
}

TEST(effects, that_begin_at_once_are_as_if_they_began_one_by_one)
{
    rico_effect_id ids[2][3];
    uint64_t hashes[2];
    for (int all = 0; all < 2; ++all) {
        rico_world *world = small_world(1, false);
        rico_recipe r = puff(20, 1.0f);
        rico_recipe_id recipes[3] = {rico_world_add_recipe(world, &r), add_warm(world)};
        rico_effect_def defs[3];
        recipes[2] = recipes[0];
        for (int i = 0; i < 3; ++i) {
            defs[i] = rico_effect_def_default();
            defs[i].transform = at((float)i, 0, 1);
        }
        if (all == 1)
            CHECK_EQ(rico_effect_spawn_all(world, recipes, defs, 3, ids[1]), RICO_OK);
        else
            for (int i = 0; i < 3; ++i)
                ids[0][i] = rico_effect_spawn_def(world, recipes[i], &defs[i]);
        CHECK(rico_effect_particle_count(world, ids[all][1]) > 2);
        for (int i = 0; i < 10; ++i)
            rico_world_step(world, 1.0f / 60.0f);
        hashes[all] = rico_world_hash(world);
        rico_world_destroy(world);
    }
    for (int i = 0; i < 3; ++i)
        CHECK(ids[0][i].index1 != 0 && same_id(ids[0][i], ids[1][i]));
    CHECK(hashes[0] == hashes[1]);
}

TEST(effects, that_cannot_all_begin_leave_no_trace)
{
    kept_log log = {.text = ""};
    rico_world_def def = rico_world_def_default();
    def.max_effects = 4;
    def.max_particles = 4096;
    def.worker_count = 1;
    def.cache_bytes = 1 << 20;
    def.log = kept_log_hook(&log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    const rico_recipe_id warm = add_warm(world); /* and an effect for its births */
    rico_recipe_id recipes[4] = {warm, warm, warm, warm};
    rico_effect_def defs[4];
    rico_effect_id ids[4];
    for (int i = 0; i < 4; ++i)
        defs[i] = rico_effect_def_default();
    const uint64_t before = rico_world_hash(world);
    CHECK_EQ(rico_effect_spawn_all(world, recipes, defs, 4, ids), RICO_FULL);
    CHECK_MSG(strstr(log.text, "1 more effects would be alive than") != NULL, "%s", log.text);
    defs[2].time_scale = 11.0f;
    CHECK_EQ(rico_effect_spawn_all(world, recipes, defs, 3, ids), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "number 2: def.time_scale is 11, expected 0 to 10") != NULL,
              "%s", log.text);
    CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
    defs[2].time_scale = 1.0f;
    recipes[2].generation += 1;
    memset(ids, 255, sizeof ids);
    CHECK_EQ(rico_effect_spawn_all(world, recipes, defs, 3, ids), RICO_STALE_ID);
    for (int i = 0; i < 3; ++i)
        CHECK_EQ(ids[i].index1, 0);
    CHECK_EQ(rico_effect_spawn_all(world, recipes, defs, 0, ids), RICO_OK);
    CHECK(rico_world_hash(world) == before);
    const rico_effect_id next = rico_effect_spawn(world, warm, RICO_TRANSFORM_IDENTITY);
    rico_effect_info info;
    CHECK(rico_effect_get(world, next, &info) && next.generation == 1);
    rico_world_destroy(world);
}

/* --- Which effects exist ---------------------------------------------------------------- */

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

/* --- Which effects have ended ----------------------------------------------------------- */

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
