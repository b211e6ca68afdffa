/* When particles are born, and how they move for the rest of that step. */
#include "runtime_births.h"
#include "runtime_isa.h"
#include "runtime_refused.h"

#include "emitter.h"

#define MOST 4096u

static born particles[MOST];

/* --- Within the step ------------------------------------------------------------------------ */

TEST(emission, spreads_births_over_the_step_by_their_due_times)
{
    static const float steps[] = {0.1f, 1.0f / 60.0f, 1.0f / 3.0f};
    for (size_t k = 0; k < 3; ++k) {
        rico_world *world = small_world(1, false);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.rate = 130.0f;
        r.speed = (rico_range){2.0f, 2.0f};
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
        double now = 0.0;
        for (int i = 0; i < 12; ++i) {
            rico_world_step(world, steps[k]);
            now += (double)steps[k];
            uint32_t count = collect_born(world, e, particles, MOST);
            CHECK(fabs(count - floor(now * 130.0)) <= 1.0);
            for (uint32_t n = 0; n < count; ++n) {
                CHECK_NEAR(particles[n].age, now - (n + 1) / 130.0, 1.0e-5);
                CHECK_NEAR(particles[n].p[2], 2.0 * particles[n].age, 1.0e-5);
            }
        }
        rico_world_destroy(world);
    }
}

static void check_even_trail(rico_collision_mode mode)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(mode);
    r.rate = 600.0f;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    for (int i = 1; i <= 60; ++i) {
        CHECK_EQ(rico_effect_move(world, e, at(9.0f, 9.0f, 9.0f)), RICO_OK); /* is replaced */
        CHECK_EQ(rico_effect_move(world, e, at(0.5f * (float)i, 0, 0)), RICO_OK);
        rico_world_step(world, 1.0f / 60.0f);
    }
    CHECK(collect_born(world, e, particles, MOST) >= 599);
    for (uint32_t n = 0; n < 599; ++n) {
        CHECK_NEAR(particles[n].p[0], 0.05 * (n + 1), 1.0e-4);
        CHECK(particles[n].p[1] == 0.0 && particles[n].p[2] == 0.0);
    }
    rico_world_destroy(world);
}

TEST(emission, leaves_no_gaps_behind_a_moving_emitter)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode)
        check_even_trail((rico_collision_mode)mode);
}

TEST(emission, turns_and_scales_on_the_way_and_jumps_when_teleported)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 100.0f;
    r.shape = RICO_EMIT_DISC;
    r.speed = (rico_range){1.0f, 1.0f};
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    rico_transform to = at(0, 0, 0);
    to.rotation = (rico_quat){-0.70710678f, 0, 0, -0.70710678f}; /* 90 degrees: +z to -y */
    CHECK_EQ(rico_effect_move(world, e, to), RICO_OK);
    rico_world_step(world, 1.0f);
    CHECK(collect_born(world, e, particles, MOST) >= 99);
    for (uint32_t n = 0; n < 99; ++n) {
        double angle = atan2(-particles[n].v[1], particles[n].v[2]);
        CHECK_NEAR(angle, (n + 1) / 100.0 * 1.5707963, 0.08); /* not quite linear */
        CHECK_NEAR(hypot(particles[n].v[1], particles[n].v[2]), 1.0, 1.0e-5);
    }
    CHECK_EQ(rico_effect_teleport(world, e, at(50, 0, 0)), RICO_OK);
    rico_world_step(world, 0.5f);
    uint32_t count = collect_born(world, e, particles, MOST);
    for (uint32_t n = 101; n < count; ++n)
        CHECK(particles[n].p[0] == 50.0);
    rico_world_destroy(world);
}

/* Particles are thrown with drag. Each must move as if a step had begun at its birth, wherever
 * in a step that was. */
TEST(emission, moves_newborns_as_if_a_step_had_begun_with_them)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    const double k = 0.8, g = 9.81, u = 5.0;
    r.rate = 1000.0f;
    r.drag = (float)k;
    r.gravity.z = -9.81f;
    r.speed = (rico_range){5.0f, 5.0f};
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    const double dt = 1.0 / 60.0;
    for (int i = 0; i < 30; ++i)
        rico_world_step(world, (float)dt);
    uint32_t count = collect_born(world, e, particles, MOST);
    CHECK(count >= 499);
    double off[2] = {1.0, -1.0}, last = 0.0, dv[2] = {1.0, -1.0};
    for (uint32_t n = 0; n < count; ++n) {
        double t = particles[n].age, d = exp(-k * t);
        double v = (u + g / k) * d - g / k, z = ((u + g / k) * (1.0 - d) - g * t) / k;
        /* The integrator's own error grows evenly, so no birth may differ from the next by more
         * than 0.2 mm. */
        double error = particles[n].p[2] - z;
        if (n > 0)
            CHECK_NEAR(error - last, 0.0, 2.0e-4);
        last = error;
        off[0] = fmin(off[0], error);
        off[1] = fmax(off[1], error);
        dv[0] = fmin(dv[0], particles[n].v[2] - v);
        dv[1] = fmax(dv[1], particles[n].v[2] - v);
    }
    /* A step's own gravity is damped, too, so speeds are up to g dt / 2 (1 - d) too high. */
    CHECK_MSG(off[0] > -0.042 && off[1] < 1.0e-6, "%g to %g m", off[0], off[1]);
    CHECK_MSG(dv[0] > -1.0e-6 && dv[1] < 0.029, "%g to %g m/s", dv[0], dv[1]);
    rico_world_destroy(world);
}

/* Particles are fired at the floor from so near that most reach it within their first step.
 * None may get below it. */
static void check_none_below(rico_collision_mode mode)
{
    rico_world *world = small_world(1, false);
    const float floor[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    const uint32_t quad[6] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = floor, .vertex_count = 4, .indices = quad, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    rico_recipe r = still_recipe(mode);
    r.rate = 900.0f;
    r.spread = 0.4f;
    r.lifetime = (rico_range){0.3f, 0.6f};
    r.speed = (rico_range){-20.0f, -10.0f}; /* downwards */
    r.gravity.z = -9.81f;
    r.queries_per_frame = 50.0f;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 2 : 0;
    r.planes[0] = (rico_plane){{0, 0, 1}, 0};
    r.planes[1] = (rico_plane){{1, 0, 0}, -100};
    r.events = RICO_EVENT_BIT_COLLISION;
    rico_effect_id e = begin_effect(world, &r, at(0.3f, 0.2f, 0.05f));
    uint32_t up = 0, moved = 0;
    for (int i = 0; i < 90; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        collect_born(world, e, particles, MOST);
        for (uint32_t n = 0; i > 60 && n < MOST; ++n) {
            const born *b = &particles[n];
            CHECK_MSG(!b->alive || b->p[2] > 0.0, "mode %d: at %g", (int)mode, b->p[2]);
            bool newborn = b->alive && b->age < 1.0 / 61.0;
            up += newborn && b->v[2] > 0.0;
            moved += newborn && b->p[2] != 0.05f;
        }
    }
    bool at_once = mode == RICO_COLLIDE_FIXED || mode == RICO_COLLIDE_EXACT;
    CHECK_MSG(!at_once || up > 200, "mode %d: only %u bounced", (int)mode, up);
    CHECK_MSG(moved > 60, "mode %d: only %u moved", (int)mode, moved);
    rico_world_destroy(world);
}

TEST(emission, does_not_take_newborns_through_a_floor)
{
    check_none_below(RICO_COLLIDE_FIXED);
    check_none_below(RICO_COLLIDE_CACHED);
    check_none_below(RICO_COLLIDE_EXACT);
}

TEST(emission, counts_those_who_die_in_the_step_of_their_birth)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate = 500.0f;
    r.lifetime = (rico_range){0.02f, 0.3f};
    r.events = RICO_EVENT_BIT_DEATH;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    uint64_t births = 0, deaths = 0, early = 0;
    static bool seen[MOST];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < 25; ++i) {
        rico_world_step(world, 0.25f);
        rico_world_stats stats = rico_world_get_stats(world);
        births += stats.births;
        deaths += stats.deaths;
        uint32_t count, alive = collect_born(world, e, particles, MOST);
        CHECK_EQ(births - deaths, alive);
        const rico_event *events = rico_world_events(world, &count);
        CHECK_EQ(count, stats.deaths);
        for (uint32_t n = 0; n < count; ++n) {
            CHECK(events[n].particle < MOST && !seen[events[n].particle]);
            early += events[n].particle >= births - stats.births;
            seen[events[n].particle] = true;
        }
        for (uint32_t n = 0; n < MOST; ++n)
            CHECK(!particles[n].alive || particles[n].age < particles[n].life);
    }
    CHECK(early > 500 && births > 3000);
    rico_world_destroy(world);
}

/* --- By hand, by distance, inherited -------------------------------------------------------- */

TEST(emission, emits_by_hand_where_the_emitter_is)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.speed = (rico_range){1.0f, 1.0f};
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    rico_world_step(world, 0.1f);
    CHECK_EQ(rico_effect_particle_count(world, e), 0);
    CHECK_EQ(rico_effect_move(world, e, at(3, 0, 0)), RICO_OK);
    CHECK_EQ(rico_effect_emit(world, e, 4), RICO_OK);
    CHECK_EQ(rico_effect_emit(world, e, 3), RICO_OK);
    CHECK_EQ(rico_effect_emit(world, e, 1000000), RICO_OUT_OF_RANGE);
    rico_world_step(world, 0.1f);
    rico_world_step(world, 0.1f);
    CHECK_EQ(collect_born(world, e, particles, MOST), 7);
    for (uint32_t n = 0; n < 7; ++n) {
        CHECK(particles[n].p[0] == 3.0);
        CHECK_NEAR(particles[n].age, 0.2, 1.0e-6);
        CHECK_NEAR(particles[n].p[2], 0.2, 1.0e-6);
    }
    CHECK_EQ(rico_effect_set_time_scale(world, e, 0.0f), RICO_OK);
    CHECK_EQ(rico_effect_stop(world, e), RICO_OK);
    CHECK_EQ(rico_effect_emit(world, e, 2), RICO_OK); /* also when it has been stopped */
    rico_world_step(world, 0.1f);
    CHECK_EQ(rico_effect_set_time_scale(world, e, 1.0f), RICO_OK);
    rico_world_step(world, 0.1f);
    CHECK_EQ(rico_effect_particle_count(world, e), 9);
    CHECK_EQ(rico_effect_destroy(world, e), RICO_OK);
    CHECK_EQ(rico_effect_emit(world, e, 1), RICO_STALE_ID);
    CHECK_EQ(rico_effect_teleport(world, e, at(0, 0, 0)), RICO_STALE_ID);
    rico_world_destroy(world);
}

TEST(emission, emits_by_the_way_that_the_emitter_goes)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.rate_per_metre = 8.1f;
    r.inherit_velocity = 0.5f;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
    rico_world_step(world, 0.1f);
    CHECK_EQ(rico_effect_particle_count(world, e), 0);
    double y = 0.0, births[MOST], speeds[MOST];
    uint32_t expected = 0;
    for (int i = 0; i < 40; ++i) {
        double step = 0.07 * (double)(i % 5);
        while ((expected + 1) / 8.1 <= y + step + 1.0e-6) {
            double at_time = (double)i * 0.1 + ((expected + 1) / 8.1 - y) / step * 0.1;
            births[expected] = 4.0 - at_time;
            speeds[expected++] = 0.5 * step / 0.1;
        }
        y += step;
        CHECK_EQ(rico_effect_move(world, e, at(0, (float)y, 0)), RICO_OK);
        rico_world_step(world, 0.1f);
    }
    CHECK_EQ(collect_born(world, e, particles, MOST), expected);
    CHECK(expected >= 40);
    for (uint32_t n = 0; n < expected; ++n) {
        CHECK_NEAR(particles[n].age, births[n], 1.0e-4);
        CHECK_NEAR(particles[n].v[1], speeds[n], 1.0e-4);
        CHECK_NEAR(particles[n].p[1] - particles[n].v[1] * births[n], (n + 1) / 8.1, 1.0e-3);
    }
    rico_world_destroy(world);
}

/* --- Schedules ------------------------------------------------------------------------------ */

/* Lists all times of births up to `end`, in the slow way. */
static uint32_t list_births(const rico_recipe *r, double end, double *times)
{
    uint32_t n = 0;
    double run = (double)r->duration > 0.0 ? (double)r->duration : 1.0e9;
    uint32_t runs = (double)r->duration > 0.0 ? (r->loops ? r->loops : 1000000u) : 1u;
    for (uint32_t k = 1; r->rate > 0.0f; ++k) {
        double t = k / (double)r->rate;
        if (t > run * runs || t + (double)r->delay > end)
            break;
        times[n++] = t + (double)r->delay;
    }
    for (uint32_t loop = 0; loop < runs; ++loop) {
        double start = (double)r->delay + loop * run;
        if (start > end)
            break;
        for (int b = 0; b < (int)RICO_MAX_BURSTS; ++b)
            for (uint32_t f = 0; r->bursts[b].count; ++f) {
                const rico_burst *burst = &r->bursts[b];
                double t = (double)burst->time + f * (double)burst->interval;
                if ((burst->cycles && f == burst->cycles) || t >= run || start + t > end)
                    break;
                for (uint32_t c = 0; c < burst->count; ++c)
                    times[n++] = start + t;
            }
    }
    return n;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_schedule(const rico_recipe *r, int steps_per_second)
{
    static double expected[60000], seen[60000];
    static born all[60000];
    rico_world *world = small_world(1, false);
    rico_effect_id e = begin_effect(world, r, at(0, 0, 0));
    const double end = 6.0;
    for (int i = 0; i < (int)end * steps_per_second; ++i)
        rico_world_step(world, 1.0f / (float)steps_per_second);
    uint32_t count = list_births(r, end, expected), alive = collect_born(world, e, all, 60000);
    CHECK_EQ(alive, count);
    for (uint32_t n = 0; n < count; ++n)
        seen[n] = end - all[n].age;
    qsort(expected, count, sizeof *expected, by_value);
    qsort(seen, count, sizeof *seen, by_value);
    for (uint32_t n = 0; n < count; ++n)
        CHECK_NEAR(seen[n], expected[n], 1.0e-3);
    rico_world_destroy(world);
}

/* Times are multiples of 1/64 s or fall between steps, so rounding does not decide which births
 * are due. */
TEST(emission, keeps_delays_loops_and_bursts_at_any_step)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.max_particles = 60000;
    r.bursts[0] = (rico_burst){.count = 7, .cycles = 1, .probability = 1, .time = 0.25f};
    r.bursts[1] =
        (rico_burst){.count = 3, .cycles = 0, .interval = 0.015625f, .probability = 1};
    r.bursts[3] = (rico_burst){
        .count = 2, .cycles = 5, .interval = 0.0625f, .time = 0.5f, .probability = 1};
    static const int rates[] = {64, 8, 1};
    for (int k = 0; k < 3; ++k) {
        r.rate = 0.0f;
        r.delay = r.duration = 0.0f;
        r.loops = 1;
        check_schedule(&r, rates[k]);
        r.rate = 33.0f;
        r.delay = 0.703125f;
        check_schedule(&r, rates[k]);
        r.duration = 1.09375f;
        r.loops = 3;
        check_schedule(&r, rates[k]);
        r.loops = 0;
        check_schedule(&r, rates[k]);
        r.loops = 1;
        r.bursts[2] = (rico_burst){
            .count = 1, .cycles = 2, .interval = 0.5f, .time = 0.75f, .probability = 1};
        check_schedule(&r, rates[k]);
        r.bursts[2].count = 0;
    }
}

/* Returns how many of 3 x 300 firings there were, and checks that each burst is complete. */
static uint32_t count_firings(float dt, uint64_t seed)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    for (int b = 0; b < 3; ++b)
        r.bursts[b] =
            (rico_burst){.count = 5, .cycles = 300, .interval = 0.015625f, .probability = 0.3f};
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    rico_effect_def def = rico_effect_def_default();
    def.seed = seed;
    rico_effect_id e = rico_effect_spawn_def(world, recipe, &def);
    for (float t = 0.0f; t < 5.0f; t += dt)
        rico_world_step(world, dt);
    uint32_t count = rico_effect_particle_count(world, e);
    CHECK(count % 5 == 0);
    rico_world_destroy(world);
    return count / 5;
}

TEST(emission, fires_bursts_by_their_probability_whatever_the_step)
{
    uint32_t sum = 0, differ = 0, last = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        uint32_t fine = count_firings(1.0f / 64.0f, seed);
        CHECK_EQ(fine, count_firings(0.25f, seed));
        sum += fine;
        differ += fine != last;
        last = fine;
    }
    CHECK_NEAR(sum / 9000.0, 0.3, 0.02); /* 4 standard deviations */
    CHECK(differ > 5);
}

/* --- Limits --------------------------------------------------------------------------------- */

typedef struct bad {
    const char *field;
    rico_recipe recipe;
    rico_result result;
} bad;

static bad cases[64];
static size_t case_count;

static rico_recipe *add_bad(const char *field, rico_result result)
{
    bad *b = &cases[case_count++];
    *b = (bad){field, rico_recipe_default(), result};
    return &b->recipe;
}

TEST(emission, refuses_every_field_out_of_range_and_names_it)
{
    const rico_burst good = {.count = 1, .cycles = 1, .probability = 1};
    case_count = 0;
    add_bad("rate_per_metre", RICO_OUT_OF_RANGE)->rate_per_metre = -1.0f;
    add_bad("delay", RICO_NOT_FINITE)->delay = NAN;
    add_bad("duration is 0, expected 0.01 to 1e+06, because loops is 0", RICO_OUT_OF_RANGE)
        ->loops = 0;
    add_bad("duration is 1e+07, expected 0 to 1e+06", RICO_OUT_OF_RANGE)->duration = 1.0e7f;
    rico_recipe *r = add_bad("because loops is 2", RICO_OUT_OF_RANGE);
    r->loops = 2;
    r->duration = 0.001f;
    add_bad("inherit_velocity", RICO_OUT_OF_RANGE)->inherit_velocity = 11.0f;
    for (uint32_t b = 0; b < RICO_MAX_BURSTS; b += RICO_MAX_BURSTS - 1) {
        bool last = b > 0;
        r = add_bad(last ? "bursts[3].count" : "bursts[0].count", RICO_OUT_OF_RANGE);
        r->bursts[b] = good;
        r->bursts[b].count = 1000001;
        r = add_bad(last ? "bursts[3].time" : "bursts[0].time", RICO_OUT_OF_RANGE);
        r->bursts[b] = good;
        r->bursts[b].time = -1.0f;
        r = add_bad(
            last ? "bursts[3].interval is 0, expected 0.001 to 1e+06, because cycles is 2"
                 : "bursts[0].interval",
            RICO_OUT_OF_RANGE);
        r->bursts[b] = good;
        r->bursts[b].cycles = 2;
        r = add_bad(last ? "bursts[3].probability" : "bursts[0].probability", RICO_NOT_FINITE);
        r->bursts[b] = good;
        r->bursts[b].probability = NAN;
    }
    for (size_t i = 0; i < case_count; ++i)
        refuse(&cases[i].recipe, cases[i].field, cases[i].result);
}

/* --- Determinism ---------------------------------------------------------------------------- */

static uint64_t hash_of_moving_effects(uint32_t workers)
{
    rico_world *world = small_world(workers, true);
    rico_effect_id effects[30];
    for (int i = 0; i < 30; ++i) {
        rico_recipe r = rico_recipe_default();
        r.mode = (rico_collision_mode)(i % RICO_COLLISION_MODE_COUNT);
        r.rate = 300.0f;
        r.rate_per_metre = 40.0f;
        r.inherit_velocity = 0.3f;
        r.delay = 0.1f;
        r.duration = 0.4f;
        r.loops = 0;
        r.spread = 2.0f;
        r.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
        r.bursts[0] =
            (rico_burst){.count = 20, .cycles = 0, .interval = 0.013f, .probability = 0.4f};
        effects[i] = begin_effect(world, &r, at((float)(i % 6) - 3.0f, 0.5f, 1.2f));
    }
    uint64_t hash = 0;
    for (int step = 1; step <= 60; ++step) {
        for (int i = 0; i < 30; ++i)
            rico_effect_move(world, effects[i],
                             at((float)(i % 6) - 3.0f + 0.05f * (float)step,
                                0.5f + 0.02f * (float)(step * (i % 3)), 1.2f));
        if (step % 10 == 0)
            rico_effect_emit(world, effects[step % 30], 50);
        rico_world_step(world, step % 7 ? 1.0f / 60.0f : 0.05f);
        hash = hash * 31 + rico_world_hash(world);
    }
    CHECK(rico_world_get_stats(world).particles > 5000);
    rico_world_destroy(world);
    return hash;
}

TEST(emission, is_the_same_for_any_number_of_workers_and_isa)
{
    uint64_t expected = hash_of_moving_effects(1);
    CHECK(hash_of_moving_effects(2) == expected);
    CHECK(!test_has_time() || hash_of_moving_effects(5) == expected);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(hash_of_moving_effects(1) == expected, "differs with %s",
                  rico__isa_name((rico__isa)isa));
}

/* --- Long runs ---------------------------------------------------------------------------- */

/* Steps of 1/144 s until the emitter ends: times of the first and last birth, how many births
 * there were, and the most in one step. */
typedef struct long_run {
    double first, last;
    uint32_t births, most;
} long_run;

static long_run run_long(const rico_recipe *def)
{
    const float dt = 1.0f / 144.0f;
    rico__emission emission;
    rico__emission_prepare(&emission, def);
    rico__emitter e = rico__emitter_start(&emission, def, 1.0f);
    long_run run = {0};
    bool emitting = true;
    for (uint32_t step = 0; emitting && step < 144u * 8000u; ++step) {
        uint32_t births = rico__emitter_step(&e, &emission, def, 1, dt, 0.0f, &emitting);
        double now = (double)(step + 1) * (double)dt;
        if (births == 0)
            continue;
        run.first = run.births == 0 ? now : run.first;
        run.last = now;
        run.births += births;
        run.most = births > run.most ? births : run.most;
    }
    return run;
}

TEST(emission, of_hours_keeps_to_the_clock)
{
    rico_recipe def = rico_recipe_default();
    def.rate = 10.0f;
    def.delay = 3600.0f;
    def.duration = 3600.0f;
    def.loops = 1;
    long_run run = run_long(&def);
    CHECK_NEAR(run.first, 3600.1, 0.01);
    CHECK_NEAR(run.last, 7200.0, 0.01);
    CHECK_EQ(run.births, 36000);
    CHECK_EQ(run.most, 1);
    def.rate = 0.0f;
    def.delay = 0.0f;
    def.bursts[0] = (rico_burst){
        .time = 1800.0f, .count = 1, .cycles = 2, .interval = 1700.0f, .probability = 1.0f};
    run = run_long(&def);
    CHECK_NEAR(run.first, 1800.0, 0.01);
    CHECK_NEAR(run.last, 3500.0, 0.01);
    CHECK_EQ(run.births, 2);
}
