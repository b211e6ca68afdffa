/* Curves and gradients: their values between keys, and what tables make of them. */
#include "runtime_curves.h"

#include "curve.h"
#include "kernel.h"
#include "random.h"

#define POINTS 1000u

static const rico_range any_value = {-1000.0f, 1000.0f};

static float unit(uint32_t round, uint32_t use)
{
    return rico__random_unit(77, round, use);
}

/* A curve with keys anywhere, often also at 0 and 1. Some keys share a place, some a value. */
static rico_curve random_curve(uint32_t round, rico_interpolation kind, float most)
{
    rico_curve c = {.key_count = 1 + (uint32_t)(unit(round, 0) * 7.99f), .interpolation = kind};
    for (uint32_t i = 0; i < c.key_count; ++i) {
        float from = i > 0 ? c.at[i - 1] : 0.0f;
        c.at[i] = from + (1.0f - from) * unit(round, 10 + i) / (float)(c.key_count - i);
        c.value[i] = most * unit(round, 20 + i);
        c.slope_in[i] = (unit(round, 30 + i) - 0.5f) * 10.0f * most;
        c.slope_out[i] = (unit(round, 40 + i) - 0.5f) * 10.0f * most;
        if (i > 0 && unit(round, 50 + i) < 0.15f)
            c.at[i] = c.at[i - 1];
        if (i > 0 && unit(round, 60 + i) < 0.15f)
            c.value[i] = c.value[i - 1];
    }
    if (round % 3 == 0)
        c.at[0] = 0.0f;
    if (round % 5 < 2)
        c.at[c.key_count - 1] = 1.0f;
    return c;
}

/* The plain formula for linear curves, in floats. */
static float plain_linear(const rico_curve *c, float x)
{
    float f = 0.0f;
    uint32_t i = segment_of(c, (double)x), j = i + 1 < c->key_count ? i + 1 : i;
    if (j > i && x > c->at[i])
        f = (x - c->at[i]) / (c->at[j] - c->at[i]);
    return c->value[i] + (c->value[j] - c->value[i]) * f;
}

/* By how much rounding of a place within a segment can change the value. */
static double rounding(const rico_curve *c, double x, double steepest)
{
    uint32_t i = segment_of(c, x);
    double h = i + 1 < c->key_count ? (double)c->at[i + 1] - (double)c->at[i] : 1.0;
    double slope = steepest;
    if (i + 1 < c->key_count && h > 0.0)
        slope += 3.0 * fabs((double)c->value[i + 1] - (double)c->value[i]) / h;
    return 1e-6 * (1.0 + fabs((double)c->value[i])) + 4e-7 * slope * (h + 0.1);
}

/* --- Between keys ------------------------------------------------------------------------- */

TEST(curves, that_are_linear_have_the_bits_that_they_always_had)
{
    for (uint32_t round = 0; round < test_rounds(2000); ++round) {
        rico_curve c = random_curve(round, RICO_LINEAR, 9.0f);
        rico_curve prepared = c;
        rico__curve_prepare(&prepared);
        CHECK(memcmp(&prepared, &c, sizeof c) == 0);
        for (uint32_t n = 0; n <= 200; ++n) {
            float x = (float)n / 200.0f;
            CHECK(rico__curve_at(&c, x, any_value) == plain_linear(&c, x));
        }
    }
}

TEST(curves, that_are_cubic_have_the_slopes_that_they_are_given)
{
    for (uint32_t round = 0; round < test_rounds(2000); ++round) {
        rico_curve c = random_curve(round, RICO_CUBIC, 9.0f), prepared = c;
        rico__curve_prepare(&prepared);
        CHECK(memcmp(&prepared, &c, sizeof c) == 0);
        for (uint32_t n = 0; n <= 200; ++n) {
            float x = (float)n / 200.0f;
            double expected = slow_cubic(&c, (double)x);
            CHECK_NEAR(rico__curve_at(&c, x, any_value), expected,
                       rounding(&c, (double)x, 90.0));
            expected = fmin(fmax(expected, 0.0), 9.0); /* the range of the keys' values */
            CHECK_NEAR(rico__curve_at(&c, x, (rico_range){0.0f, 9.0f}), expected,
                       rounding(&c, (double)x, 90.0));
        }
    }
}

static void check_monotone(const rico_curve *c)
{
    float last = rico__curve_at(c, 0.0f, any_value);
    uint32_t in = segment_of(c, 0.0);
    for (uint32_t n = 1; n <= POINTS; ++n) {
        float x = (float)n / (float)POINTS, y = rico__curve_at(c, x, any_value);
        uint32_t i = segment_of(c, (double)x), j = i + 1 < c->key_count ? i + 1 : i;
        float a = c->value[i], b = c->value[j];
        CHECK_MSG(y >= fminf(a, b) && y <= fmaxf(a, b), "%.9g at %g, of %.9g to %.9g",
                  (double)y, (double)x, (double)a, (double)b);
        if (i == in && b >= a)
            CHECK(y >= last - 1e-6f * fabsf(last));
        if (i == in && b <= a)
            CHECK(y <= last + 1e-6f * fabsf(last));
        last = y;
        in = i;
    }
}

TEST(curves, that_are_smooth_are_steffen_s_and_never_go_beyond_their_keys)
{
    for (uint32_t round = 0; round < test_rounds(2000); ++round) {
        rico_curve c = random_curve(round, RICO_SMOOTH, 9.0f);
        rico__curve_prepare(&c);
        for (uint32_t n = 0; n <= 200; ++n) {
            float x = (float)n / 200.0f;
            CHECK_NEAR(rico__curve_at(&c, x, any_value), slow_smooth(&c, (double)x),
                       rounding(&c, (double)x, 0.0));
        }
        check_monotone(&c);
        for (uint32_t i = 1; i + 1 < c.key_count; ++i)
            if (c.at[i - 1] < c.at[i] && c.at[i] < c.at[i + 1])
                CHECK(c.slope_in[i] == c.slope_out[i]); /* no kink */
    }
}

/* Keys that are as near to each other as floats can be, or as far as they can be, with the
 * greatest values. */
TEST(curves, that_are_smooth_stay_between_keys_however_near_these_are)
{
    const float tiny = 1.0e-45f, one = nextafterf(1.0f, 0.0f);
    rico_curve curves[] = {
        {3, {0.0f, tiny, 1.0f}, {0.0f, 1000.0f, 1.0f}, RICO_SMOOTH, {0}, {0}},
        {4, {0.0f, one, 1.0f, 1.0f}, {1000.0f, 0.0f, 900.0f, 3.0f}, RICO_SMOOTH, {0}, {0}},
        {4, {0.5f, 0.5f, 0.5f, 0.5f}, {1.0f, 2.0f, 3.0f, 4.0f}, RICO_SMOOTH, {0}, {0}},
        {3, {0.0f, 0.5f, 1.0f}, {0.0f, tiny, 1000.0f}, RICO_SMOOTH, {0}, {0}},
    };
    for (uint32_t k = 0; k < 4; ++k) {
        rico__curve_prepare(&curves[k]);
        check_monotone(&curves[k]);
    }
    CHECK(rico__curve_at(&curves[2], 0.49f, any_value) == 1.0f);
    CHECK(rico__curve_at(&curves[2], 0.5f, any_value) == 4.0f);
}

TEST(curves, of_colours_are_as_smooth_in_each_channel)
{
    for (uint32_t round = 0; round < test_rounds(400); ++round) {
        rico_curve channel[4];
        rico_gradient g = {.interpolation = RICO_SMOOTH};
        for (uint32_t k = 0; k < 4; ++k) {
            channel[k] = random_curve(round, RICO_SMOOTH, 1.0f);
            for (uint32_t i = 0; i < channel[k].key_count; ++i)
                channel[k].value[i] = unit(round, 100 + 10 * k + i);
            for (uint32_t i = 0; i < channel[k].key_count; ++i)
                g.rgba[i][k] = channel[k].value[i];
        }
        g.key_count = channel[0].key_count;
        memcpy(g.at, channel[0].at, sizeof g.at);
        for (uint32_t n = 0; n <= 64; ++n) {
            float x = (float)n / 64.0f;
            uint32_t packed = rico__gradient_at(&g, x);
            for (uint32_t k = 0; k < 4; ++k)
                CHECK_NEAR(packed >> (8 * k) & 255, 255.0 * slow_smooth(&channel[k], (double)x),
                           0.502);
        }
    }
}

/* --- Tables ------------------------------------------------------------------------------- */

static double second_derivative(const rico_curve *c, uint32_t i)
{
    double h = (double)c->at[i + 1] - (double)c->at[i];
    double rise = (double)c->value[i + 1] - (double)c->value[i];
    double p = h * (double)c->slope_out[i], q = h * (double)c->slope_in[i + 1];
    if (c->interpolation == RICO_LINEAR || !(h > 0.0))
        return 0.0;
    return fmax(fabs(6.0 * rise - 4.0 * p - 2.0 * q), fabs(6.0 * rise - 2.0 * p - 4.0 * q)) /
           (h * h);
}

static double slope_beside(const rico_curve *c, uint32_t key, bool after)
{
    uint32_t i = after ? key : key - 1;
    if ((after && key + 1 == c->key_count) || (!after && key == 0))
        return 0.0;
    if (c->interpolation != RICO_LINEAR)
        return (double)(after ? c->slope_out : c->slope_in)[key];
    return ((double)c->value[i + 1] - (double)c->value[i]) /
           ((double)c->at[i + 1] - (double)c->at[i]);
}

/* The bound that recipe_curve.h states for a size at x (rico_curve). */
static double stated_bound(const rico_curve *c, double x)
{
    double from = floor(x * 128.0) / 128.0, to = from + 1.0 / 128.0, bend = 0.0, kinks = 0.0;
    for (uint32_t i = 0; i < c->key_count; ++i) {
        double at = (double)c->at[i];
        if (i + 1 < c->key_count && at < to && (double)c->at[i + 1] > from)
            bend = fmax(bend, second_derivative(c, i));
        if (at > from && at < to)
            kinks += fabs(slope_beside(c, i, true) - slope_beside(c, i, false));
    }
    return kinks / 512.0 + bend / 131072.0 + 2e-5;
}

/* Whether no two keys are so near that slopes are huge, and there is no jump. */
static bool is_fair(const rico_curve *c)
{
    for (uint32_t i = 1; i < c->key_count; ++i)
        if (c->at[i] - c->at[i - 1] < 0.02f)
            return false;
    return true;
}

static void bake(const rico_curve *curve, rico__tables *tables)
{
    rico_recipe r = rico_recipe_default();
    r.particle_size = *curve;
    rico__bake_looks(tables, &r);
}

TEST(curves, of_sizes_are_as_near_to_their_tables_as_is_stated)
{
    static rico__tables tables;
    static float age[4096], life[4096], size[4096];
    uint32_t fair = 0;
    for (uint32_t round = 0; round < test_rounds(2000); ++round) {
        rico_interpolation kind = (rico_interpolation)(round % 3);
        rico_curve c = random_curve(round, kind, 9.0f);
        for (uint32_t i = 0; i < c.key_count; ++i) /* for no kinks at the range's end */
            c.value[i] += kind == RICO_CUBIC ? 10.0f : 0.0f;
        rico__curve_prepare(&c);
        if (!is_fair(&c))
            continue;
        fair += 1;
        bake(&c, &tables);
        for (uint32_t n = 0; n < 4096; ++n) {
            age[n] = 2.0f * (float)n / 4096.0f;
            life[n] = 2.0f;
        }
        rico__kernels_for_cpu()->curves(age, life, 4096, &tables, size, NULL);
        for (uint32_t n = 0; n < 4096; ++n) {
            float x = (float)n / 4096.0f;
            double bound = stated_bound(&c, (double)x);
            CHECK_MSG(fabs((double)size[n] - (double)rico__curve_at(&c, x, RICO__SIZES)) <=
                          bound,
                      "%.9g at %g, not %.9g within %g", (double)size[n], (double)x,
                      (double)rico__curve_at(&c, x, RICO__SIZES), bound);
        }
    }
    CHECK(fair > test_rounds(2000) / 8);
}

static uint64_t mix_floats(uint64_t hash, const void *floats, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, (const char *)floats + 4 * i, 4);
        hash = rico__mix64(hash ^ bits);
    }
    return hash;
}

/* The expected hash changes only with a commit that says why. */
TEST(curves, have_the_same_bits_from_any_compiler)
{
    static rico__tables tables;
    uint64_t hash = 0;
    for (uint32_t round = 0; round < 600; ++round) {
        rico_recipe r = rico_recipe_default();
        rico_curve c = random_curve(round, (rico_interpolation)(round % 3), 1.0f);
        rico__curve_prepare(&c);
        r.particle_size = r.alpha_over_life = c;
        r.color = (rico_gradient){.key_count = c.key_count, .interpolation = RICO_SMOOTH};
        memcpy(r.color.at, c.at, sizeof c.at);
        for (int i = 0; i < 32; ++i)
            r.color.rgba[i / 4][i % 4] = unit(round, 100u + (uint32_t)i);
        rico__bake_looks(&tables, &r);
        hash = mix_floats(hash, tables.size, RICO__TABLE_SIZE);
        hash = mix_floats(hash, tables.size_change, RICO__TABLE_SIZE);
        hash = mix_floats(hash, tables.color, RICO__TABLE_SIZE);
    }
    CHECK_MSG(hash == 0x09994c1ed7e85400ULL, "the hash is 0x%016llx", (unsigned long long)hash);
}

TEST(curves, of_sizes_jump_in_no_time_where_a_part_of_the_table_begins)
{
    static rico__tables tables;
    float age[16], life[16], size[16];
    const rico_curve c = {.key_count = 6,
                          .at = {0.0f, 0.0f, 0.25f, 0.25f, 1.0f, 1.0f},
                          .value = {9.0f, 1.0f, 2.0f, 5.0f, 5.0f, 7.0f}};
    bake(&c, &tables);
    for (uint32_t n = 0; n < 16; ++n)
        life[n] = 1.0f;
    memset(age, 0, sizeof age);
    age[1] = nextafterf(0.25f, 0.0f);
    age[2] = 0.25f;
    age[3] = nextafterf(1.0f, 0.0f);
    age[4] = NAN;
    rico__kernels_for_cpu()->curves(age, life, 16, &tables, size, NULL);
    CHECK_NEAR(size[0], 1.0, 0.0);
    CHECK_NEAR(size[1], 2.0, 1e-5);
    CHECK_NEAR(size[2], 5.0, 0.0);
    CHECK_NEAR(size[3], 5.0, 0.0);
    CHECK_NEAR(size[4], 1.0, 0.0);
}

/* Without slopes in the table, a size would stand still for five frames and then jump by 8 cm.
 * It must change a little in every frame. */
TEST(curves, of_sizes_over_ten_seconds_change_a_little_in_every_frame)
{
    /* By how much the slope changes at a key, in metres per life. A part of the table with such
     * a kink is off by up to that much more in a frame. */
    const double kinks[] = {40.0 / 3.0 - 60.0 / 7.0, 0.0, 10.0};
    for (int kind = 0; kind < (int)RICO_INTERPOLATION_COUNT; ++kind) {
        rico_world *world = small_world(1, false);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.burst_count = 1;
        r.lifetime = (rico_range){10.0f, 10.0f};
        r.particle_size = (rico_curve){.key_count = 3,
                                       .at = {0.0f, 0.3f, 1.0f},
                                       .value = {0.0f, 4.0f, 10.0f},
                                       .interpolation = (rico_interpolation)kind,
                                       .slope_out = {5.0f, 30.0f},
                                       .slope_in = {0.0f, 20.0f, 2.0f}};
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        rico_curve prepared = r.particle_size;
        rico__curve_prepare(&prepared);
        run_steps(world, 1);
        float last = -1.0f, exact = 0.0f;
        for (int n = 0; n < 590; ++n) {
            rico_view v = rico_effect_view(world, e);
            CHECK(rico_view_next(&v) && v.count == 1);
            float now = rico__curve_at(&prepared, v.age[0] / v.lifetime[0], RICO__SIZES);
            if (last >= 0.0f) {
                CHECK_NEAR(v.size[0] - last, now - exact, kinks[kind] / 600.0 + 2e-4);
                CHECK(v.size[0] > last);
            }
            last = v.size[0];
            exact = now;
            run_steps(world, 1);
        }
        CHECK(last > 9.5f);
        rico_world_destroy(world);
    }
}
