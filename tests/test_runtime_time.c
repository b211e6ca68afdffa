/* Steps of no time, and of very little time. */
#include "runtime_births.h"
#include "runtime_movers.h"

#define MOST 4096u

static born seen[MOST];

static uint32_t not_finite(const rico_world *world, rico_effect_id e)
{
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            float sum = v.px[i] + v.py[i] + v.pz[i] + v.vx[i] + v.vy[i] + v.vz[i] + v.age[i];
            count += !(sum - sum == 0.0f);
        }
    return count;
}

/* --- No time ---------------------------------------------------------------------------- */

static uint32_t births_on_ways(bool pauses)
{
    rico_world *world = bare_world(1);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate_per_metre = 10.0f;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    for (int n = 1; n <= 10; ++n) {
        CHECK_EQ(rico_effect_move(world, e, at((float)n, 0, 0)), RICO_OK);
        if (pauses)
            rico_world_step(world, 0.0f);
        rico_world_step(world, DT);
    }
    uint32_t count = collect_born(world, e, seen, MOST);
    for (uint32_t i = 0; i < count; ++i)
        CHECK(fabs(seen[i].p[0] - 0.1 * (i + 1)) < 1e-4);
    rico_world_destroy(world);
    return count;
}

TEST(time, of_no_length_takes_no_way_from_an_emitter)
{
    CHECK(births_on_ways(false) >= 99);
    CHECK_EQ(births_on_ways(true), births_on_ways(false));
}

/* Records and planes remember frames, so in their modes only particles are hashed. */
static uint64_t hash_of_places(const rico_world *world, rico_effect_id e)
{
    rico__hash hash;
    rico__hash_init(&hash, 1);
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v)) {
        rico__hash_floats(&hash, v.px, v.count);
        rico__hash_floats(&hash, v.pz, v.count);
        rico__hash_floats(&hash, v.vx, v.count);
    }
    return rico__hash_value(&hash);
}

/* Does everything a host can do between steps, with steps of 0 s before the next step or
 * without. */
static uint64_t lively_hash(rico_collision_mode mode, bool pauses)
{
    rico_world *world = small_world(1, true);
    rico_collider_id box = add_box(world, 0.5f, 0.5f, 0.5f, at(0.0f, 0.0f, 3.0f));
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 200.0f;
    r.rate_per_metre = 50.0f;
    r.lifetime = (rico_range){2.0f, 3.0f};
    r.inherit_velocity = 0.2f;
    r.bursts[0] = (rico_burst){.count = 5, .cycles = 0, .interval = 0.2f, .probability = 0.5f};
    r.plane_count = mode == RICO_COLLIDE_FIXED;
    r.planes[0] = (rico_plane){{0, 0, 1}, 0};
    r.queries_per_frame = 50.0f;
    r.field_layers = 1;
    rico_effect_id e = begin_effect(world, &r, at(0.5f, 0.3f, 1.3f));
    rico_field_def field = rico_field_def_default();
    field.force.kind = RICO_FORCE_DIRECTION;
    field.force.strength = 3.0f;
    rico_field_id f = rico_world_add_field(world, &field);
    for (int n = 0; n < 100; ++n) {
        float x = 0.3f * sinf(0.2f * (float)n);
        CHECK_EQ(rico_effect_move(world, e, at(x, 0.3f, 1.3f)), RICO_OK);
        if (n == 30)
            CHECK_EQ(rico_effect_emit(world, e, 20), RICO_OK);
        if (n > 40)
            move_to(world, box, at(x, 0.0f, 3.0f - 0.03f * (float)(n - 40)));
        if (n == 60)
            CHECK_EQ(rico_world_move_field(world, f, at(1, 0, 0)), RICO_OK);
        if (n == 70)
            CHECK(add_box(world, 0.2f, 0.2f, 0.2f, at(2.0f, 2.0f, 0.5f)).index1 != 0);
        for (int k = 0; pauses && k < n % 3; ++k)
            rico_world_step(world, 0.0f);
        rico_world_step(world, DT);
    }
    world->frame = 0; /* counts those steps, too */
    const bool dated = mode == RICO_COLLIDE_CLASSIC || mode == RICO_COLLIDE_CACHED;
    uint64_t hash = dated ? hash_of_places(world, e) : rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(time, of_no_length_changes_nothing)
{
    static const rico_collision_mode all[] = {RICO_COLLIDE_NONE, RICO_COLLIDE_FIXED,
                                              RICO_COLLIDE_EXACT, RICO_COLLIDE_CLASSIC,
                                              RICO_COLLIDE_CACHED};
    for (int m = 0; m < 5; ++m)
        CHECK_MSG(lively_hash(all[m], true) == lively_hash(all[m], false), "mode %d", all[m]);
}

/* After an edit far away and steps of 0 s, all particles must still be at rest. */
TEST(time, of_no_length_wakes_nobody_up)
{
    rico_world *world = small_world(1, true);
    rico_effect_id e = drop_grains(world, RICO_COLLIDE_CACHED, 50, 0.5f, at(0, 0, 2));
    run_steps(world, 400);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
    CHECK_EQ(rico_world_get_stats(world).sleeping_effects, 1);
    add_box(world, 0.2f, 0.2f, 0.2f, at(7.0f, 7.0f, 3.0f));
    rico_world_step(world, 0.0f);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 0); /* none is counted in 0 s */
    rico_world_step(world, 0.0f);
    rico_world_step(world, DT);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
    CHECK_EQ(rico_effect_particle_count(world, e), 50);
    rico_world_destroy(world);
}

TEST(time, that_stands_still_for_an_effect_takes_its_way)
{
    rico_world *world = bare_world(1);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate_per_metre = 10.0f;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_set_time_scale(world, e, 0.0f), RICO_OK);
    CHECK_EQ(rico_effect_move(world, e, at(5, 0, 0)), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_set_time_scale(world, e, 1.0f), RICO_OK);
    CHECK_EQ(rico_effect_move(world, e, at(6.05f, 0, 0)), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(collect_born(world, e, seen, MOST), 10);
    for (uint32_t i = 0; i < 10; ++i)
        CHECK(seen[i].p[0] > 5.0);
    rico_world_destroy(world);
}

/* --- Very many steps -------------------------------------------------------------------- */

/* Hashes places in a world that believes it has made so many steps before. */
static uint64_t places_after(rico_collision_mode mode, uint32_t steps)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 200.0f;
    rico_effect_id e = begin_effect(world, &r, at(0.5f, 0.3f, 1.3f));
    for (int n = 0; n < 2; ++n) { /* a jump by 2^31 would look like a step back */
        run_steps(world, 15);
        world->frame += steps / 2;
    }
    for (int n = 0; n < 120; ++n) {
        if (n % 30 == 7)
            CHECK(add_box(world, 0.2f, 0.2f, 0.2f, at(0.02f * (float)n, 0.3f, 0.5f)).index1 !=
                  0);
        rico_world_step(world, DT);
        CHECK(world->frame != 0); /* or edits would count as loading */
    }
    CHECK(rico_effect_particle_count(world, e) > 200);
    uint64_t hash = hash_of_places(world, e);
    rico_world_destroy(world);
    return hash;
}

/* Two years at 60 Hz; a spawn with a prewarm takes thousands of steps. */
TEST(time, goes_on_when_steps_are_more_than_32_bits_count)
{
    for (int m = 0; m < RICO_COLLISION_MODE_COUNT; ++m) {
        const rico_collision_mode mode = (rico_collision_mode)m;
        CHECK_MSG(places_after(mode, UINT32_MAX - 60) == places_after(mode, 0), "mode %d", m);
    }
}

/* --- Very little time ------------------------------------------------------------------- */

/* Recipes with what divides by a step: births per metre, inherited velocity, forces at birth,
 * and wind. */
static rico_recipe hasty_recipe(int kind)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.speed = (rico_range){1.0f, 2.0f};
    r.rate_per_metre = kind == 0 ? 10.0f : 0.0f;
    r.inherit_velocity = kind == 1 ? 0.1f : 0.0f;
    r.burst_count = kind > 0 ? 10 : 0;
    if (kind == 2) {
        r.forces[0] = rico_force_default();
        r.forces[0].kind = RICO_FORCE_ATTRACTOR;
        r.forces[0].strength = 5.0f;
    }
    r.drag = kind == 3 ? 1.0f : 0.0f;
    r.wind.x = 3.0f;
    return r;
}

TEST(time, however_short_makes_no_births_of_nothing_and_no_numbers_that_are_none)
{
    static const float lengths[] = {1e-4f,  1e-6f,  1e-9f,  1e-20f,
                                    1e-30f, 1e-36f, 1e-38f, 1e-45f};
    for (int kind = 0; kind < 4; ++kind)
        for (int k = 0; k < 8; ++k)
            for (int scaled = 0; scaled < 2; ++scaled) {
                rico_world *world = little_world();
                rico_recipe r = hasty_recipe(kind);
                rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
                if (scaled)
                    CHECK_EQ(rico_effect_set_time_scale(world, e, lengths[k]), RICO_OK);
                for (int n = 0; n < 4; ++n) {
                    CHECK_EQ(rico_effect_move(world, e, at(0.2525f * (float)(n + 1), 0, 0)),
                             RICO_OK);
                    rico_world_step(world, scaled ? 1.0f : lengths[k]);
                }
                CHECK_EQ(rico_effect_set_time_scale(world, e, 1.0f), RICO_OK);
                rico_world_step(world, DT);
                CHECK_EQ(not_finite(world, e), 0);
                CHECK_EQ(rico_effect_particle_count(world, e), 10);
                CHECK_EQ(rico_world_get_stats(world).births_starved, 0);
                rico_world_destroy(world);
            }
}

/* After 300 s, 8000 steps follow that are an eighth of the shortest step. Time must go on as in
 * longer steps. */
TEST(time, in_steps_that_are_too_short_goes_by_as_in_longer_ones)
{
    for (int scaled = 0; scaled < 2; ++scaled) {
        rico_world *world = bare_world(1);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.speed = (rico_range){1.0f, 1.0f};
        r.burst_count = 1;
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
        for (int n = 0; n < 300; ++n)
            rico_world_step(world, 1.0f);
        if (scaled)
            CHECK_EQ(rico_effect_set_time_scale(world, e, 0.125f * RICO__SHORT_STEP), RICO_OK);
        collect_born(world, e, seen, MOST);
        double age = seen[0].age, z = seen[0].p[2];
        for (int n = 0; n < 8000; ++n)
            rico_world_step(world, scaled ? 1.0f : 0.125f * RICO__SHORT_STEP);
        collect_born(world, e, seen, MOST);
        CHECK_MSG(fabs(seen[0].age - age - 1000.0 / 8192.0) < 1e-9, "%.9f", seen[0].age - age);
        CHECK(fabs(seen[0].p[2] - z - 1000.0 / 8192.0) < 1e-3);
        rico_world_destroy(world);
    }
}

TEST(time, in_steps_that_are_long_enough_is_not_saved)
{
    rico_world *world = bare_world(1);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = 1;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    for (int n = 1; n <= 10; ++n) {
        rico_world_step(world, 0.001f);
        CHECK_EQ(collect_born(world, e, seen, MOST), 1);
        CHECK(seen[0].age > 0.00099 * n);
    }
    rico_world_destroy(world);
}

/* A wall moves while the effect's time is saved up. It must not pass through the particles. */
TEST(time, that_is_saved_lets_nothing_pass_that_moves)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id wall = add_box(world, 0.05f, 3.0f, 3.0f, at(-3.0f, 0.0f, 0.0f));
        rico_recipe r = still_recipe(modes[m]);
        r.shape = RICO_EMIT_BOX;
        r.size = (rico_vec3){1.0f, 1.0f, 1.0f};
        r.burst_count = 100;
        r.queries_per_frame = 1000.0f;
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
        run_steps(world, 3);
        CHECK_EQ(rico_effect_set_time_scale(world, e, 0.001f), RICO_OK);
        float x = -3.0f;
        for (int n = 0; n < 20; ++n) {
            x += 0.3f;
            move_to(world, wall, at(x, 0.0f, 0.0f));
            rico_world_step(world, DT);
        }
        x -= 0.06f;
        CHECK_EQ(count_grains(world, e, is_beyond, &x), 100);
        rico_world_destroy(world);
    }
}
