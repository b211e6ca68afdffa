/* How far particles are turned, in outputs and by id. */
#include "curve.h"
#include "random.h"
#include "runtime_written.h"

#include "vec.h"

static const double whole_turn = 6.283185307179586;

static rico_effect_id throw_up(rico_world *world, rico_range start, rico_range spin)
{
    rico_recipe r = flying_recipe();
    r.start_rotation = start;
    r.spin = spin;
    return begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
}

/* The difference of two angles, without whole turns. */
static double apart(double a, double b)
{
    double turns = (a - b) / whole_turn;
    return fabs(turns - floor(turns + 0.5)) * whole_turn;
}

TEST(rotation, is_the_angle_at_birth_and_what_spin_adds_with_age)
{
    static _Alignas(64) rico_billboard records[MANY];
    const float spins[] = {0.0f, 2.5f, -40.0f, 1000.0f};
    for (int k = 0; k < 4; ++k) {
        rico_world *world = small_world(1, false);
        rico_effect_id e =
            throw_up(world, (rico_range){0.5f, 0.5f}, (rico_range){spins[k], spins[k]});
        for (int n = 1; n < 40; n += 13) {
            run_steps(world, 13);
            write_all(world, e, RICO_OUTPUT_BILLBOARDS, records);
            rico_view v = rico_effect_view(world, e);
            CHECK(rico_view_next(&v) && v.id == NULL); /* nothing is drawn, so no ids */
            double expected = 0.5 + (double)spins[k] * (double)v.age[0];
            for (uint32_t i = 0; i < MANY; ++i) {
                CHECK(records[i].rotation >= 0.0f && records[i].rotation <= 6.2831855f);
                CHECK_MSG(apart((double)records[i].rotation, expected) < 5e-3, "%g, not %g",
                          (double)records[i].rotation, expected);
            }
        }
        rico_world_destroy(world);
    }
}

TEST(rotation, is_drawn_for_each_particle_and_stays_its_own)
{
    static _Alignas(64) rico_billboard first[MANY], second[MANY];
    rico_world *world = small_world(1, false);
    rico_effect_id e = throw_up(world, (rico_range){1.0f, 3.0f}, (rico_range){-4.0f, 4.0f});
    run_steps(world, 20);
    write_all(world, e, RICO_OUTPUT_BILLBOARDS, first);
    run_steps(world, 10);
    write_all(world, e, RICO_OUTPUT_BILLBOARDS, second);
    uint32_t left = 0, seen = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++seen) {
            CHECK(rico_particle_rotation(world, e, v.id[i], v.age[i]) == second[seen].rotation);
            double start = (double)rico_particle_rotation(world, e, v.id[i], 0.0f);
            CHECK(start >= 1.0 && start <= 3.0);
            double later = (double)second[seen].rotation - (double)first[seen].rotation;
            double spin = later / (10.0 * (double)DT); /* less than half a turn */
            if (later > 3.0)
                spin = (later - whole_turn) / (10.0 * (double)DT);
            if (later < -3.0)
                spin = (later + whole_turn) / (10.0 * (double)DT);
            CHECK_MSG(fabs(spin) <= 4.001, "%g", spin);
            CHECK(apart(start + spin * (double)v.age[i], (double)second[seen].rotation) < 1e-3);
            left += spin < 0.0;
        }
    CHECK(seen == MANY && left > MANY / 3 && left < 2 * MANY / 3);
    rico_world_destroy(world);
}

TEST(rotation, turns_instances_around_their_way)
{
    static _Alignas(64) rico_instance turned[MANY], plain[MANY];
    rico_range none = {0.0f, 0.0f}, angle = {0.7f, 0.7f};
    rico_world *world = small_world(1, false), *other = small_world(1, false);
    rico_effect_id a = throw_up(world, angle, none), b = throw_up(other, none, none);
    run_steps(world, 3);
    run_steps(other, 3);
    write_all(world, a, RICO_OUTPUT_INSTANCES, turned);
    write_all(other, b, RICO_OUTPUT_INSTANCES, plain);
    for (uint32_t i = 0; i < MANY; ++i)
        for (int r = 0; r < 3; ++r) {
            const float *t = turned[i].rows[r], *p = plain[i].rows[r];
            CHECK(t[2] == p[2] && t[3] == p[3]);
            CHECK(fabsf(t[0] - (p[0] * cosf(0.7f) + p[1] * sinf(0.7f))) < 1e-6f);
            CHECK(fabsf(t[1] - (p[1] * cosf(0.7f) - p[0] * sinf(0.7f))) < 1e-6f);
        }
    rico_world_destroy(world);
    rico_world_destroy(other);
}

/* --- Over life ---------------------------------------------------------------------------- */

static const rico_curve turning = {3,          {0.0f, 0.25f, 0.75f}, {0.0f, -9.0f, 3.0f},
                                   RICO_CUBIC, {0.0f, 4.0f, 0.0f},   {-60.0f, 4.0f, 0.0f}};

/* Computes it with Hermite's four polynomials. */
static double slow_turn(double x)
{
    int i = x < 0.25 ? 0 : 1;
    double h = (double)turning.at[i + 1] - (double)turning.at[i];
    double t = (x - (double)turning.at[i]) / h;
    if (x >= 0.75)
        return 3.0;
    return (1.0 + 2.0 * t) * (1.0 - t) * (1.0 - t) * (double)turning.value[i] +
           t * (1.0 - t) * (1.0 - t) * h * (double)turning.slope_out[i] +
           t * t * (3.0 - 2.0 * t) * (double)turning.value[i + 1] +
           t * t * (t - 1.0) * h * (double)turning.slope_in[i + 1];
}

static rico_recipe turning_recipe(bool draws)
{
    rico_recipe r = flying_recipe();
    r.lifetime = (rico_range){1.0f, 2.0f};
    r.start_rotation = (rico_range){0.5f, draws ? 2.0f : 0.5f};
    r.spin = (rico_range){draws ? -3.0f : 2.0f, 2.0f};
    r.particle_ids = draws;
    return r;
}

TEST(rotation, over_life_is_added_to_what_spin_makes_of_the_one_at_birth)
{
    static _Alignas(64) rico_billboard records[MANY];
    static _Alignas(64) rico_sprite sprites[MANY];
    for (int draws = 0; draws < 2; ++draws) {
        rico_world *world = small_world(1, false);
        rico_recipe r = turning_recipe(draws == 1);
        r.rotation_over_life = turning;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        for (int n = 0; n < 4; ++n) {
            run_steps(world, 13);
            write_all(world, e, RICO_OUTPUT_BILLBOARDS, records);
            write_all(world, e, RICO_OUTPUT_SPRITES, sprites);
            rico_view v = rico_effect_view(world, e);
            CHECK(rico_view_next(&v) && v.count == MANY);
            for (uint32_t i = 0; i < MANY; ++i) {
                uint32_t id = v.id != NULL ? v.id[i] : 0;
                float rest = rico_particle_rotation(world, e, id, v.age[i]);
                double turn = slow_turn((double)v.age[i] / (double)v.lifetime[i]);
                CHECK_MSG(apart((double)records[i].rotation, (double)rest + turn) < 1e-5,
                          "%g, not %g and %g", (double)records[i].rotation, (double)rest, turn);
                CHECK(records[i].rotation >= 0.0f && records[i].rotation <= 6.2831855f);
                CHECK(sprites[i].rotation == records[i].rotation);
                CHECK(rico_particle_rotation_over_life(world, e, id, v.age[i], v.lifetime[i]) ==
                      records[i].rotation);
            }
        }
        CHECK(rico_particle_rotation_over_life(world, (rico_effect_id){9, 9}, 0, 0.5f, 1.0f) ==
              0.0f);
        rico_world_destroy(world);
    }
}

/* A random curve of a given form, with jumps, and with slopes that lead out of the range of
 * values. */
static rico_curve some_curve(rico_interpolation form, uint32_t keys, uint32_t round)
{
    rico_curve c = {.key_count = keys, .interpolation = form};
    for (uint32_t k = 0; k < keys; ++k) {
        float steep = rico__random_range(1, k, 40 * round, -1.0f, 1.0f);
        c.at[k] = 0.1f + 0.1f * (float)(k == 3 ? 2 : k);
        c.value[k] = rico__random_range(1, k, 40 * round + 1, -900.0f, 900.0f);
        c.slope_in[k] = 1.0e6f * steep;
        c.slope_out[k] = -1.0e4f * steep;
    }
    return c;
}

/* For steep cubics the tolerance is larger: their terms are a hundred times their sum. */
static void check_turn(const rico_curve *curve, float x, float turned, float rest)
{
    float turn = rico__curve_at(curve, x, RICO__TURNS);
    CHECK_MSG(apart((double)turned, (double)rest + (double)turn) <
                  (curve->interpolation == RICO_CUBIC ? 0.05 : 5e-4),
              "%g, not %g and %g", (double)turned, (double)rest, (double)turn);
}

TEST(rotation, over_life_in_outputs_is_that_of_one_particle_to_the_bit_and_follows_the_curve)
{
    static _Alignas(64) rico_billboard records[MANY];
    static const rico_interpolation forms[3] = {RICO_LINEAR, RICO_SMOOTH, RICO_CUBIC};
    for (uint32_t round = 0; round < 24; ++round) {
        rico_world *world = small_world(1, false);
        rico_recipe r = turning_recipe(false);
        rico_curve c = some_curve(forms[round % 3], 1 + round / 3, round);
        r.rotation_over_life = c;
        rico__curve_prepare(&c);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        for (int n = 0; n < 4; ++n) {
            run_steps(world, n == 0 ? 3 : 15);
            write_all(world, e, RICO_OUTPUT_BILLBOARDS, records);
            rico_view v = rico_effect_view(world, e);
            CHECK(rico_view_next(&v) && v.count == MANY);
            for (uint32_t i = 0; i < MANY; ++i) {
                float turned =
                    rico_particle_rotation_over_life(world, e, 0, v.age[i], v.lifetime[i]);
                CHECK(turned == records[i].rotation);
                check_turn(&c, v.age[i] / v.lifetime[i], turned,
                           rico_particle_rotation(world, e, 0, v.age[i]));
            }
        }
        for (uint32_t k = 0; k < c.key_count; ++k)
            check_turn(&c, c.at[k],
                       rico_particle_rotation_over_life(world, e, 0, c.at[k], 1.0f),
                       rico_particle_rotation(world, e, 0, c.at[k]));
        rico_world_destroy(world);
    }
}

/* Some end just within a whole turn, for which outputs have a fast way, others just outside. */
TEST(rotation, that_leaves_a_whole_turn_by_little_is_brought_back)
{
    static _Alignas(64) rico_billboard records[MANY];
    const struct {
        float start, from, to;
    } ways[] = {{0.0f, 0.0f, 6.2f},  {0.0f, 0.0f, 6.6f},  {0.0f, -1.0f, 6.0f},
                {0.5f, 0.0f, 5.7f},  {0.5f, 0.0f, 5.9f},  {0.5f, -0.4f, 5.0f},
                {0.5f, -0.6f, 5.0f}, {-0.5f, 0.1f, 3.0f}, {6.2f, 0.0f, 0.0f},
                {6.4f, 0.0f, 0.0f}};
    for (uint32_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
        rico_world *world = small_world(1, false);
        rico_recipe r = flying_recipe();
        r.lifetime = (rico_range){1.01f, 1.1f}; /* they reach the end of life */
        r.start_rotation = (rico_range){ways[k].start, ways[k].start};
        r.rotation_over_life = (rico_curve){.key_count = ways[k].to == 0.0f ? 1 : 2,
                                            .at = {0.0f, 1.0f},
                                            .value = {ways[k].from, ways[k].to}};
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        for (int n = 0; n < 2; ++n) {
            run_steps(world, n == 0 ? 3 : 57);
            write_all(world, e, RICO_OUTPUT_BILLBOARDS, records);
            rico_view v = rico_effect_view(world, e);
            CHECK(rico_view_next(&v) && v.count == MANY);
            for (uint32_t i = 0; i < MANY; ++i) {
                double life = (double)v.age[i] / (double)v.lifetime[i];
                double expected = (double)ways[k].start + (double)ways[k].from +
                                  ((double)ways[k].to - (double)ways[k].from) * life;
                CHECK(records[i].rotation >= 0.0f && records[i].rotation <= 6.2831855f);
                CHECK_MSG(apart((double)records[i].rotation, expected) < 1e-5,
                          "%g, not %g, of way %u", (double)records[i].rotation, expected, k);
            }
        }
        rico_world_destroy(world);
    }
}

/* At both ends the angle is within one turn, in between it is not. */
TEST(rotation, that_leaves_a_whole_turn_in_the_midst_of_life_is_brought_back)
{
    static const float peaks[][2] = {{0.5f, 6.0f}, {0.0f, -0.5f}}; /* start, over life */
    for (int k = 0; k < 2; ++k) {
        rico_world *world = small_world(1, false);
        rico_recipe r = flying_recipe();
        r.start_rotation = (rico_range){peaks[k][0], peaks[k][0]};
        r.rotation_over_life = (rico_curve){
            .key_count = 3, .at = {0.0f, 0.5f, 1.0f}, .value = {0.1f, peaks[k][1], 0.1f}};
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        for (int n = 0; n <= 20; ++n) {
            float turned =
                rico_particle_rotation_over_life(world, e, 0, 0.05f * (float)n, 1.0f);
            CHECK_MSG(turned >= 0.0f && turned <= 6.2831855f, "%g", (double)turned);
        }
        rico_world_destroy(world);
    }
}

/* Rotation over life concerns outputs only: particles have no more streams, and fly no other
 * way. */
TEST(rotation, over_life_is_nothing_to_a_step_and_turns_no_streak)
{
    static _Alignas(64) rico_streak streaks[2][208];
    static _Alignas(64) rico_instance instances[2][208];
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        rico_world *world = small_world(1, false);
        rico_recipe r = flying_recipe();
        r.lifetime = (rico_range){1.0f, 2.0f};
        if (k == 1)
            r.rotation_over_life = turning;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        run_steps(world, 20);
        write_all(world, e, RICO_OUTPUT_STREAKS, streaks[k]);
        write_all(world, e, RICO_OUTPUT_INSTANCES, instances[k]);
        hash[k] = rico_world_hash(world);
        rico_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
    CHECK(memcmp(streaks[0], streaks[1], sizeof streaks[0]) == 0);
    for (uint32_t i = 0; i < MANY; ++i) {
        double turn = slow_turn((double)instances[0][i].life);
        for (int r = 0; r < 3; ++r) {
            const float *p = instances[0][i].rows[r], *t = instances[1][i].rows[r];
            CHECK(t[2] == p[2] && t[3] == p[3]);
            CHECK_NEAR(t[0], (double)p[0] * cos(turn) + (double)p[1] * sin(turn), 1e-5);
            CHECK_NEAR(t[1], (double)p[1] * cos(turn) - (double)p[0] * sin(turn), 1e-5);
        }
    }
}

/* The rotation must be about the mesh's own z axis, before the rotation by rolling. */
TEST(rotation, over_life_turns_who_rolls_around_its_own_axis)
{
    static _Alignas(64) rico_instance plain[MANY], turned[MANY];
    for (int k = 0; k < 2; ++k) {
        rico_world *world = small_world(1, true);
        rico_recipe r = flying_recipe();
        r.mode = RICO_COLLIDE_EXACT;
        r.rolls = true;
        r.gravity.z = -9.81f;
        r.lifetime = (rico_range){3.0f, 3.0f};
        if (k == 1)
            r.rotation_over_life = turning;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.5f));
        run_steps(world, 90);
        write_all(world, e, RICO_OUTPUT_INSTANCES, k == 0 ? plain : turned);
        rico_world_destroy(world);
    }
    uint32_t tilted = 0;
    for (uint32_t i = 0; i < MANY; ++i) {
        double turn = slow_turn((double)plain[i].life);
        tilted += plain[i].rows[2][2] < 0.9f;
        for (int r = 0; r < 3; ++r) {
            const float *p = plain[i].rows[r], *t = turned[i].rows[r];
            CHECK(t[2] == p[2] && t[3] == p[3]);
            CHECK_NEAR(t[0], (double)p[0] * cos(turn) + (double)p[1] * sin(turn), 1e-5);
            CHECK_NEAR(t[1], (double)p[1] * cos(turn) - (double)p[0] * sin(turn), 1e-5);
        }
    }
    CHECK(tilted > MANY / 3);
}

TEST(rotation, out_of_range_is_refused_by_name)
{
    kept_log log;
    rico_log hook = kept_log_hook(&log);
    rico_recipe r = rico_recipe_default();
    r.spin.lo = 1.0f;
    CHECK_EQ(rico_recipe_check(&r, &hook), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "recipe.spin.lo is 1, expected at most its hi of 0") != NULL,
              "%s", log.text);
    r.spin = (rico_range){0.0f, 1001.0f};
    CHECK_EQ(rico_recipe_check(&r, &hook), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(log.text, "recipe.spin.hi is 1001") != NULL, "%s", log.text);
    r.spin.hi = 0.0f;
    r.start_rotation.lo = NAN;
    CHECK_EQ(rico_recipe_check(&r, &hook), RICO_NOT_FINITE);
    CHECK_MSG(strstr(log.text, "recipe.start_rotation.lo") != NULL, "%s", log.text);
}
