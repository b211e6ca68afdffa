/* Effects that are prewarmed or that seek must be as if the world had been stepped. */
#include "runtime_births.h"

#include "state.h"

static rico_recipe lively_recipe(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 150.0f;
    r.spread = 1.5f;
    r.drag = 0.2f;
    r.delay = 0.1f;
    r.duration = 0.8f;
    r.loops = 0;
    r.bursts[0] = (rico_burst){.count = 9, .cycles = 3, .interval = 0.2f, .probability = 0.7f};
    r.particle_ids = true;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 1 : 0;
    r.planes[0] = (rico_plane){{0, 0, 1}, 0};
    return r;
}

/* Spawns the mode's recipe, prewarmed for so long, in a world with a terrain. */
static rico_effect_id spawn_lively(rico_world *world, rico_collision_mode mode, float prewarm)
{
    rico_recipe r = lively_recipe(mode);
    r.prewarm = prewarm;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_def def = rico_effect_def_default();
    def.transform = at(0.5f, 0.3f, 1.3f);
    def.seed = 99;
    rico_effect_id e = rico_effect_spawn_def(world, id, &def);
    CHECK(e.index1 != 0);
    return e;
}

TEST(seek, makes_prewarmed_effects_the_same_as_stepped_ones)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode)
        for (uint32_t workers = 1; workers <= 2; ++workers) {
            rico_world *stepped = small_world(1, true), *warm = small_world(workers, true);
            spawn_lively(stepped, (rico_collision_mode)mode, 0.0f);
            run_steps(stepped, 120);
            rico_effect_id e = spawn_lively(warm, (rico_collision_mode)mode, 2.0f);
            CHECK(rico_effect_particle_count(warm, e) > 100);
            CHECK(rico_world_hash(warm) == rico_world_hash(stepped));
            run_steps(stepped, 7);
            run_steps(warm, 7);
            CHECK(rico_world_hash(warm) == rico_world_hash(stepped));
            rico_world_destroy(stepped);
            rico_world_destroy(warm);
        }
}

#define MOST 4096u

static born before[MOST], after[MOST];

/* Compares field by field: gaps between fields and what is left of dead particles have no
 * meaning. */
static void check_collected(void)
{
    for (uint32_t n = 0; n < MOST; ++n) {
        CHECK_EQ(before[n].alive, after[n].alive);
        if (!before[n].alive)
            continue;
        CHECK(before[n].age == after[n].age && before[n].life == after[n].life);
        for (int k = 0; k < 3; ++k)
            CHECK(before[n].p[k] == after[n].p[k] && before[n].v[k] == after[n].v[k]);
    }
}

static void check_equal(const rico_world *a, rico_effect_id ea, const rico_world *b,
                        rico_effect_id eb)
{
    uint32_t count = collect_born(a, ea, before, MOST);
    CHECK(count > 100);
    CHECK_EQ(collect_born(b, eb, after, MOST), count);
    check_collected();
}

/* Seeks forwards, backwards, and to a time between two steps. */
TEST(seek, goes_to_any_time_with_the_bits_of_stepping)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_NONE, RICO_COLLIDE_FIXED,
                                                RICO_COLLIDE_EXACT};
    for (int m = 0; m < 3; ++m) {
        rico_world *a = small_world(1, true), *b = small_world(1, true);
        rico_effect_id ea = spawn_lively(a, modes[m], 0.0f);
        rico_effect_id eb = spawn_lively(b, modes[m], 0.0f);
        for (int i = 0; i < 60; ++i)
            rico_world_step(a, 0.03125f);
        CHECK_EQ(rico_effect_seek(b, eb, 1.875f, 0.03125f), RICO_OK);
        check_equal(a, ea, b, eb);
        run_steps(b, 200);
        rico_effect_stop(b, eb);
        CHECK_EQ(rico_effect_seek(b, eb, 1.875f, 0.03125f), RICO_OK);
        check_equal(a, ea, b, eb);
        rico_world_step(a, 0.0078125f);
        CHECK_EQ(rico_effect_seek(b, eb, 1.8828125f, 0.03125f), RICO_OK);
        check_equal(a, ea, b, eb);
        CHECK_EQ(rico_effect_seek(b, eb, 0.0f, 0.03125f), RICO_OK);
        CHECK_EQ(rico_effect_particle_count(b, eb), 0);
        CHECK_EQ(rico_world_get_stats(b).particles, 0);
        rico_world_destroy(a);
        rico_world_destroy(b);
    }
}

TEST(seek, leaves_all_others_and_the_last_step_s_report_alone)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = lively_recipe(RICO_COLLIDE_CACHED);
    r.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
    rico_effect_id other = begin_effect(world, &r, at(0, 0, 1));
    rico_effect_id e = begin_effect(world, &r, at(2, 0, 1));
    uint32_t count = 0;
    for (int i = 0; i < 200 && count < 3; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_world_events(world, &count);
    }
    CHECK(count >= 3);
    static rico_event kept[1000];
    memcpy(kept, rico_world_events(world, &count), count * sizeof *kept);
    rico_world_stats stats = rico_world_get_stats(world);
    uint32_t alive = collect_born(world, other, before, MOST), again;
    CHECK_EQ(rico_effect_move(world, other, at(1, 0, 1)), RICO_OK);
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, 1.0f / 60.0f), RICO_OK);
    CHECK_EQ(collect_born(world, other, after, MOST), alive);
    check_collected();
    CHECK(memcmp(kept, rico_world_events(world, &again), count * sizeof *kept) == 0);
    CHECK_EQ(again, count);
    CHECK_EQ(rico_world_get_stats(world).births, stats.births);
    CHECK_EQ(rico_world_get_stats(world).events, stats.events);
    /* The move is still to come: newborns appear along its way. */
    rico_world_step(world, 1.0f / 60.0f);
    uint32_t along = 0;
    const double dt = 1.0 / 60.0;
    collect_born(world, other, after, MOST);
    for (uint32_t n = 0; n < MOST; ++n) {
        if (!after[n].alive || before[n].alive || after[n].age > dt)
            continue;
        double start = after[n].p[0] - after[n].v[0] * after[n].age;
        CHECK_NEAR(start, 1.0 - after[n].age / dt, 1.0e-4);
        along += 1;
    }
    CHECK(along > 0);
    rico_world_destroy(world);
}

TEST(seek, refuses_what_has_no_end_and_stale_effects)
{
    rico_world *world = small_world(1, false);
    kept_log log;
    world->def.log = kept_log_hook(&log);
    rico_effect_id e = spawn_lively(world, RICO_COLLIDE_NONE, 0.0f);
    CHECK_EQ(rico_effect_seek(world, e, NAN, 0.1f), RICO_NOT_FINITE);
    CHECK(strstr(log.text, "seconds") != NULL);
    CHECK_EQ(rico_effect_seek(world, e, 3601.0f, 0.1f), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, 0.0f), RICO_OUT_OF_RANGE);
    CHECK(strstr(log.text, "step") != NULL);
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, NAN), RICO_NOT_FINITE);
    world->busy = true;
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, 0.1f), RICO_BUSY);
    world->busy = false;
    rico_effect_destroy(world, e);
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, 0.1f), RICO_STALE_ID);
    rico_recipe r = lively_recipe(RICO_COLLIDE_NONE);
    r.prewarm = 101.0f;
    CHECK_EQ(rico_world_add_recipe(world, &r).index1, 0);
    CHECK(strstr(log.text, "prewarm") != NULL);
    /* An effect that is over before its prewarm ends is gone. */
    r.prewarm = 10.0f;
    r.loops = 1;
    r.lifetime = (rico_range){0.5f, 1.0f};
    e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    CHECK(e.index1 != 0 && !rico_effect_is_alive(world, e));
    rico_world_destroy(world);
}

/* A particle has come to rest on the terrain, and another effect is still in the air. */
static rico_world *rested_world(rico_collider_id *ground, rico_effect_id *e,
                                rico_effect_id *other)
{
    rico_world *world = small_world(1, false);
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    *ground = rico_world_add_mesh(world, &t->mesh, RICO_TRANSFORM_IDENTITY);
    free(t);
    rico_recipe r = still_recipe(RICO_COLLIDE_CACHED);
    r.burst_count = 1;
    r.gravity.z = -9.81f;
    *e = begin_effect(world, &r, at(0.3f, 0.2f, 1.6f));
    *other = begin_effect(world, &r, at(0, 0, 50));
    run_steps(world, 240);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 1);
    return world;
}

static void check_fell(rico_world *world, rico_effect_id e)
{
    run_steps(world, 60);
    collect_born(world, e, after, 1);
    CHECK(after[0].alive && after[0].p[2] < -2.0);
}

/* The ground is removed while an effect is paused, or while another one is run by itself. The
 * effect must notice it afterwards. */
TEST(seek, wakes_paused_effects_whose_collider_went_meanwhile)
{
    for (int alone = 0; alone <= 1; ++alone) {
        rico_collider_id ground;
        rico_effect_id e, other;
        rico_world *world = rested_world(&ground, &e, &other);
        CHECK_EQ(rico_world_remove_collider(world, ground), RICO_OK);
        if (alone) {
            CHECK_EQ(rico_effect_seek(world, other, 0.5f, 0.1f), RICO_OK);
        } else {
            CHECK_EQ(rico_effect_set_time_scale(world, e, 0.0f), RICO_OK);
            run_steps(world, 5);
            CHECK_EQ(rico_effect_set_time_scale(world, e, 1.0f), RICO_OK);
        }
        check_fell(world, e);
        rico_world_destroy(world);
    }
}

/* By then steps skip the paused effect, so the removal must be remembered for it. */
TEST(seek, wakes_effects_whose_collider_goes_some_steps_after_they_were_paused)
{
    rico_collider_id ground;
    rico_effect_id e, other;
    rico_world *world = rested_world(&ground, &e, &other);
    CHECK_EQ(rico_effect_set_time_scale(world, e, 0.0f), RICO_OK);
    run_steps(world, 5);
    CHECK_EQ(rico_world_remove_collider(world, ground), RICO_OK);
    run_steps(world, 5);
    CHECK_EQ(rico_effect_set_time_scale(world, e, 1.0f), RICO_OK);
    check_fell(world, e);
    rico_world_destroy(world);
}

/* A particle of mode exact rests on the terrain, and a new field lifts it. Before the next step
 * another effect is run by itself, or not. Returns how high the particle comes. */
static double lift_of(bool prewarms)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = still_recipe(RICO_COLLIDE_EXACT);
    r.burst_count = 1;
    r.gravity.z = -9.81f;
    r.field_layers = 1;
    rico_effect_id e = begin_effect(world, &r, at(0.3f, 0.2f, 1.6f));
    run_steps(world, 240);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 1);
    rico_field_def field = rico_field_def_default();
    field.force.kind = RICO_FORCE_DIRECTION;
    field.force.strength = 40.0f;
    field.force.axis = (rico_vec3){0.0f, 0.0f, 1.0f};
    field.size = (rico_vec3){5.0f, 5.0f, 5.0f};
    CHECK(rico_world_add_field(world, &field).index1 != 0);
    if (prewarms)
        spawn_lively(world, RICO_COLLIDE_NONE, 1.0f);
    run_steps(world, 20);
    collect_born(world, e, after, 1);
    rico_world_destroy(world);
    return after[0].p[2];
}

TEST(seek, keeps_news_of_fields_for_all_others)
{
    double lifted = lift_of(false);
    CHECK(lifted > 1.5);
    CHECK(lift_of(true) == lifted);
}

/* A seek's steps must visit only the effect's own place in the list. Otherwise a level with
 * thousands of prewarmed effects would take time with the square of their number. */
TEST(seek, walks_in_its_steps_where_the_effect_is_and_nowhere_else)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = 3;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id e = {0, 0};
    for (int i = 0; i < 60; ++i)
        e = rico_effect_spawn(world, id, at(0.1f * (float)i, 0, 1));
    world->sleep.off = true;
    run_steps(world, 2);
    CHECK_EQ(world->sleep.active_count, 4);
    CHECK_EQ(rico_effect_seek(world, e, 0.5f, 0.1f), RICO_OK);
    CHECK_EQ(world->sleep.active_count, 1);
    spawn_lively(world, RICO_COLLIDE_CACHED, 0.5f);
    CHECK_EQ(world->sleep.active_count, 1);
    run_steps(world, 1);
    CHECK_EQ(world->sleep.active_count, 4);
    rico_world_destroy(world);
}

/* Particles of other effects count all the while. */
TEST(seek, leaves_the_bound_and_the_count_of_particles_to_all_effects)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 100;
    def.max_effects = 64;
    def.worker_count = 1;
    def.cache_bytes = 65536;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = 1;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int i = 0; i < 40; ++i)
        rico_effect_spawn(world, id, RICO_TRANSFORM_IDENTITY);
    run_steps(world, 1);
    r.burst_count = 90;
    r.prewarm = 0.5f;
    rico_effect_id e = begin_effect(world, &r, RICO_TRANSFORM_IDENTITY);
    CHECK_EQ(rico_effect_particle_count(world, e), 60);
    CHECK_EQ(rico_world_get_stats(world).particles, 100);
    CHECK_EQ(rico_effect_seek(world, e, 1.0f, 0.1f), RICO_OK);
    CHECK_EQ(rico_effect_particle_count(world, e), 60);
    run_steps(world, 1);
    CHECK_EQ(rico_world_get_stats(world).particles, 100);
    rico_world_destroy(world);
}
