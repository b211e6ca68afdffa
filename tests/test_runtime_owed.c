/* What effects owe: time that they have not lived through, births at events, and room that
 * resting particles take. */
#include "runtime_births.h"

#include "emitter.h"

#include <ricochet/world_detail.h>

#define DT (1.0f / 60.0f)
#define MOST 4096u

static rico_world *bounded_world(uint32_t max_particles, uint32_t queries)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = max_particles;
    def.max_effects = 32;
    def.cache_bytes = 1 << 20;
    def.classic_cache_bytes = 64 << 10;
    def.queries_per_frame = queries;
    def.shared_queries_per_frame = 0;
    def.worker_count = 1;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

static void steps(rico_world *world, int count)
{
    for (int i = 0; i < count; ++i)
        rico_world_step(world, DT);
}

/* --- Births at events ----------------------------------------------------------------------- */

/* Each birth of the parent leads to `count` births of the child. */
static rico_effect_id spawn_parent(rico_world *world, const rico_recipe *child, uint32_t count,
                                   rico_effect_id *of_child)
{
    rico_recipe_id id = rico_world_add_recipe(world, child);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.sub_emitters[0] = (rico_sub_emitter){
        .on = RICO_EVENT_BIT_BIRTH, .recipe = id, .count = count, .probability = 1.0f};
    rico_effect_id parent = begin_effect(world, &r, at(0.0f, 0.0f, 0.02f));
    *of_child = rico_world_sub_effect(world, id);
    return parent;
}

TEST(owed, births_that_wake_a_sub_effect_count_those_that_rested_in_it)
{
    rico_world *world = bounded_world(1000, 100);
    rico_recipe child = still_recipe(RICO_COLLIDE_FIXED);
    child.gravity.z = -9.81f;
    child.plane_count = 1;
    child.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    child.restitution = 0.0f;
    child.friction = 1.0f;
    rico_effect_id of_child, parent = spawn_parent(world, &child, 301, &of_child);
    for (int round = 0; round < 5; ++round) {
        CHECK_EQ(rico_effect_emit(world, parent, 1), RICO_OK);
        for (int i = 0; i < 120; ++i) {
            rico_world_step(world, DT);
            rico_world_stats stats = rico_world_get_stats(world);
            uint32_t alive = rico_effect_particle_count(world, parent) +
                             rico_effect_particle_count(world, of_child);
            CHECK_MSG(stats.particles == alive && alive <= 1000, "round %d, step %d: %u of %u",
                      round, i, stats.particles, alive);
        }
        CHECK_EQ(rico_world_get_stats(world).sleeping_effects, 1);
    }
    CHECK_EQ(rico_effect_emit(world, parent, 1), RICO_OK);
    rico_world_step(world, DT);
    rico_effect_destroy(world, of_child);
    CHECK_EQ(rico_world_get_stats(world).particles, rico_effect_particle_count(world, parent));
    rico_world_destroy(world);
}

/* Even when the child's own time hardly passes, births at events must come in the next step. */
TEST(owed, births_at_events_come_in_the_shortest_of_steps)
{
    static const float scales[] = {1.0f, 1.0e-3f, 1.0e-5f, 1.0e-9f};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        rico_world *world = bounded_world(MOST, 100);
        const rico_recipe child = still_recipe(RICO_COLLIDE_NONE);
        rico_effect_id of_child, parent = spawn_parent(world, &child, 3, &of_child);
        CHECK_EQ(rico_effect_set_time_scale(world, of_child, scales[k]), RICO_OK);
        for (int i = 0; i < 60; ++i) {
            CHECK_EQ(rico_effect_emit(world, parent, 5), RICO_OK);
            rico_world_step(world, i % 3 == 0 ? 1.0e-7f : DT);
            CHECK_EQ(rico_world_get_stats(world).births_starved, 0);
        }
        steps(world, 1);
        CHECK_EQ(rico_effect_particle_count(world, of_child), 60 * 5 * 3);
        rico_view v = rico_effect_view(world, of_child);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                CHECK(v.age[i] <= scales[k] * 1.05f + 2.0e-4f);
        rico_world_destroy(world);
    }
}

/* The rates are so low that a step's share of a birth is less than a float's rounding. */
TEST(owed, births_at_low_rates_come_when_they_are_due)
{
    static const float rates[] = {0.001f, 0.0003f, 0.0001f};
    const float dt = 1.0f / 500.0f;
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        rico__emission emission;
        r.rate = rates[k];
        rico__emission_prepare(&emission, &r);
        rico__emitter e = rico__emitter_start(&emission, &r, 1.0f);
        bool emits = true;
        uint64_t count = 0;
        const double due = 1.0 / (double)rates[k];
        while ((double)count * (double)dt < 2.0 * due &&
               rico__emitter_step(&e, &emission, &r, 1, dt, 0.0f, &emits) == 0)
            count += 1;
        double time = (double)(count + 1) * (double)dt;
        CHECK_MSG(fabs(time - due) < 1.0e-4 * due, "rate %g: at %g s, due at %g",
                  (double)rates[k], time, due);
    }
}

/* --- Slowly while hidden -------------------------------------------------------------------- */

static float oldest(const rico_world *world, rico_effect_id e)
{
    float age = 0.0f;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            age = fmaxf(age, v.age[i]);
    return age;
}

static rico_effect_id spawn_slow(rico_world *world, float dt)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    const rico_vec3 far = {100.0f, 0.0f, 0.0f};
    r.hidden = RICO_HIDDEN_RUNS_SLOWLY;
    r.hidden_steps = 16;
    r.cull_distance = 1.0f;
    r.burst_count = 1;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, dt);
    CHECK_EQ(rico_world_set_viewers(world, &far, 1), RICO_OK);
    return e;
}

TEST(owed, steps_of_slow_hidden_effects_are_no_longer_than_a_quarter_of_a_second)
{
    static const float dts[] = {0.01f, DT, 0.1f, 0.2f, 0.25f, 0.5f};
    for (size_t k = 0; k < sizeof dts / sizeof *dts; ++k) {
        rico_world *world = bounded_world(100, 10);
        rico_effect_id e = spawn_slow(world, dts[k]);
        float longest = 0.0f, last = oldest(world, e), now = last;
        double world_time = (double)last;
        for (int i = 0; i < 100; ++i) {
            rico_world_step(world, dts[k]);
            world_time += (double)dts[k];
            now = oldest(world, e);
            longest = fmaxf(longest, now - last);
            last = now;
            CHECK(world_time - (double)now < 0.2501);
        }
        CHECK_MSG(longest <= fmaxf(0.2501f, dts[k]), "dt %g: %g s", (double)dts[k],
                  (double)longest);
        CHECK(longest >= fminf(0.1f, 15.0f * dts[k]));
        rico_world_destroy(world);
    }
}

TEST(owed, time_is_owed_at_the_scale_that_it_had)
{
    rico_world *world = bounded_world(100, 10);
    rico_effect_id e = spawn_slow(world, DT);
    static const float scales[] = {0.1f, 10.0f, 1.0f, 0.0f, 3.0f};
    double own = (double)DT;
    for (int i = 0; i < 200; ++i) {
        const float scale = scales[i / 7 % 5];
        CHECK_EQ(rico_effect_set_time_scale(world, e, scale), RICO_OK);
        rico_world_step(world, DT);
        own += (double)(DT * scale);
        double late = own - (double)oldest(world, e);
        CHECK_MSG(late > -1.0e-3 && late < 0.2501, "step %d: %g s late", i, late);
    }
    rico_world_destroy(world);
}

/* --- Queries ---------------------------------------------------------------------------------- */

static rico_world *slope_world(uint32_t queries)
{
    static const float corners[] = {-50, -50, 0, 50, -50, 0, 50, 50, 0, -50, 50, 0.5f};
    static const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    rico_world *world = bounded_world(20000, queries);
    CHECK(rico_world_add_mesh(world, &mesh, at(0, 0, 0)).index1 != 0);
    return world;
}

/* An effect that seeks must owe no more queries than one that has just been spawned. */
TEST(owed, queries_are_forgotten_by_a_seek)
{
    static born sought[MOST], spawned[MOST];
    for (uint32_t k = 0; k < 12; ++k) {
        rico_recipe r = rico_recipe_default();
        r.rate = 100.0f;
        r.spread = 1.0f;
        r.queries_per_frame = 0.25f * (float)(k + 1);
        r.speed = (rico_range){5.0f, 8.0f};
        r.particle_ids = true;
        rico_recipe warm = r;
        warm.prewarm = 0.3f + 0.07f * (float)k;
        rico_world *worlds[2];
        rico_effect_id e[2];
        rico_effect_def def = rico_effect_def_default();
        def.seed = 5;
        for (int w = 0; w < 2; ++w) {
            worlds[w] = slope_world(1 + k % 5);
            rico_recipe_id plain = rico_world_add_recipe(worlds[w], &r);
            rico_recipe_id warmed = rico_world_add_recipe(worlds[w], &warm);
            def.transform = at(0, 0, 1);
            e[w] = rico_effect_spawn_def(worlds[w], plain, &def);
            rico_effect_spawn(worlds[w], plain, at(-30, -30, 1));
            steps(worlds[w], 200);
            def.transform = at(30, 30, 1);
            if (w == 0) {
                rico_effect_destroy(worlds[w], e[w]);
                e[w] = rico_effect_spawn_def(worlds[w], warmed, &def);
            } else {
                rico_effect_teleport(worlds[w], e[w], def.transform);
                rico_effect_seek(worlds[w], e[w], warm.prewarm, DT);
            }
        }
        uint32_t count = collect_born(worlds[0], e[0], spawned, MOST);
        CHECK_EQ(collect_born(worlds[1], e[1], sought, MOST), count);
        for (uint32_t i = 0; i < count; ++i)
            CHECK_MSG(memcmp(spawned[i].p, sought[i].p, sizeof sought[i].p) == 0,
                      "run %u, particle %u", k, i);
        rico_world_destroy(worlds[0]);
        rico_world_destroy(worlds[1]);
    }
}
