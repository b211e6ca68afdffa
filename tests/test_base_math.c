/* test_base_math.c - random numbers, own elementary functions, vectors and transforms. */
#include "hash.h"
#include "random.h"
#include "testing.h"
#include "trig.h"
#include "vec.h"

/* --- Random numbers ----------------------------------------------------------------------- */

TEST(base, random_numbers_stay_in_their_range)
{
    float lo = 1.0f, hi = 0.0f;
    for (uint32_t i = 0; i < 200000; ++i) {
        float unit = rico__random_unit(9, i, 1);
        CHECK(unit >= 0.0f && unit < 1.0f);
        CHECK(unit * 16777216.0f == floorf(unit * 16777216.0f));
        lo = float_min(lo, unit);
        hi = float_max(hi, unit);
        float range = rico__random_range(9, i, 2, -3.0f, 5.5f);
        CHECK(range >= -3.0f && range <= 5.5f);
    }
    CHECK(lo < 1.0e-4f && hi > 1.0f - 1.0e-4f);
    CHECK(rico__random_range(9, 1, 2, 4.0f, 4.0f) == 4.0f);
}

enum { BINS = 16, DRAWS = 1 << 16 };

/* Chi-square of DRAWS pairs over BINS x BINS cells, in standard deviations from its mean. */
static double pair_deviation(uint64_t seed_a, uint32_t use_a, uint64_t seed_b, uint32_t use_b,
                             uint32_t serial_offset)
{
    static uint32_t cells[BINS][BINS];
    memset(cells, 0, sizeof cells);
    for (uint32_t i = 0; i < DRAWS; ++i) {
        uint32_t a = rico__random_u32(seed_a, i, use_a) >> 28;
        uint32_t b = rico__random_u32(seed_b, i + serial_offset, use_b) >> 28;
        cells[a][b] += 1;
    }
    double expected = (double)DRAWS / (BINS * BINS), chi = 0.0;
    for (int i = 0; i < BINS; ++i)
        for (int j = 0; j < BINS; ++j)
            chi += pow((double)cells[i][j] - expected, 2.0) / expected;
    double freedom = BINS * BINS - 1;
    return (chi - freedom) / sqrt(2.0 * freedom);
}

TEST(base, random_numbers_are_uniform_and_independent_of_their_neighbours)
{
    for (uint32_t lag = 1; lag <= 8; ++lag)
        CHECK_NEAR(pair_deviation(1, 0, 1, 0, lag), 0.0, 5.0);
}

TEST(base, random_numbers_of_two_uses_are_independent)
{
    for (uint32_t use = 1; use <= 8; ++use)
        CHECK_NEAR(pair_deviation(1, 0, 1, use, 0), 0.0, 5.0);
}

TEST(base, random_numbers_of_two_seeds_are_independent)
{
    for (uint32_t bit = 0; bit < 64; bit += 7)
        CHECK_NEAR(pair_deviation(5, 0, 5 ^ 1ULL << bit, 0, 0), 0.0, 5.0);
    CHECK_NEAR(pair_deviation(0, 0, 1, 0, 0), 0.0, 5.0);
}

/* The two numbers of a pair are independent of each other. */
TEST(base, random_pairs_are_uniform_and_independent)
{
    uint32_t seen[16][16] = {{0}};
    for (uint32_t i = 0; i < 256000; ++i) {
        rico__random_pair pair = rico__random_units(3, i, 2);
        CHECK(pair.first >= 0.0f && pair.first < 1.0f && pair.second >= 0.0f &&
              pair.second < 1.0f);
        seen[(int)(pair.first * 16.0f)][(int)(pair.second * 16.0f)] += 1;
    }
    double chi = 0.0;
    for (int i = 0; i < 256; ++i) {
        double off = seen[i / 16][i % 16] - 1000.0;
        chi += off * off / 1000.0;
    }
    CHECK_NEAR((chi - 255.0) / sqrt(2.0 * 255.0), 0.0, 5.0);
    CHECK(rico__random_units(3, 7, 2).first == rico__random_unit(3, 7, 2));
}

TEST(base, random_numbers_keep_their_golden_values)
{
    CHECK_EQ(rico__random_u32(0, 0, 0), 0x6393d51c);
    CHECK_EQ(rico__random_u32(1, 2, 3), 0x5a3d755f);
    CHECK_EQ(rico__random_u32(0x123456789abcdefULL, 0xffffffffu, 0xffffffffu), 0xe56b2323);
}

/* --- Sine, cosine, exponential ------------------------------------------------------------ */

TEST(base, sine_and_cosine_are_within_their_error_bound)
{
    double worst_sin = 0.0, worst_cos = 0.0;
    const float ranges[] = {0.001f, 1.0f, 7.0f, 100.0f, 8192.0f};
    for (int r = 0; r < 5; ++r)
        for (int i = -400000; i <= 400000; ++i) {
            float x = ranges[r] * (float)i / 400000.0f;
            worst_sin = fmax(worst_sin, fabs((double)rico__sin(x) - sin((double)x)));
            worst_cos = fmax(worst_cos, fabs((double)rico__cos(x) - cos((double)x)));
        }
    CHECK_MSG(worst_sin < 3.0e-7, "sine is off by %g", worst_sin);
    CHECK_MSG(worst_cos < 3.0e-7, "cosine is off by %g", worst_cos);
    CHECK(rico__sin(0.0f) == 0.0f && rico__cos(0.0f) == 1.0f);
}

TEST(base, the_circle_is_gone_round_evenly_once)
{
    double worst = 0.0;
    for (uint32_t n = 0; n < 1u << 24; n += 61) {
        double angle = 2.0 * 3.14159265358979 * (n / 16777216.0 - 0.125);
        float x, y;
        rico__circle((float)n * 0x1p-24f, &x, &y);
        worst = fmax(worst, fmax(fabs((double)x - cos(angle)), fabs((double)y - sin(angle))));
    }
    CHECK_MSG(worst < 3.0e-7, "off by %g", worst);
    float x, y;
    rico__circle(16777215.0f * 0x1p-24f, &x, &y);
    CHECK_NEAR(x, sqrt(0.5), 1e-6);
    CHECK_NEAR(y, -sqrt(0.5), 1e-6);
}

TEST(base, exponential_is_within_its_error_bound)
{
    double worst = 0.0;
    for (int i = -870000; i <= 880000; ++i) {
        float x = (float)i / 10000.0f;
        worst = fmax(worst, fabs((double)rico__exp(x) / exp((double)x) - 1.0));
    }
    CHECK_MSG(worst < 4.0e-7, "the exponential is off by %g", worst);
    CHECK(rico__exp(0.0f) == 1.0f);
}

TEST(base, sine_and_cosine_stay_within_one_for_every_float)
{
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 9973) {
        uint32_t word = (uint32_t)bits;
        float x;
        memcpy(&x, &word, sizeof x);
        float s = rico__sin(x), c = rico__cos(x);
        CHECK_MSG(s >= -1.0f && s <= 1.0f && c >= -1.0f && c <= 1.0f, "at %g: %g, %g",
                  (double)x, (double)s, (double)c);
    }
}

TEST(base, elementary_functions_of_nan_and_infinity_are_defined)
{
    const float odd[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 4; ++i) {
        CHECK(rico__sin(odd[i]) == 0.0f);
        CHECK(rico__cos(odd[i]) == 0.0f);
    }
    CHECK(rico__exp(NAN) == 1.0f);
    CHECK(rico__exp(INFINITY) == rico__exp(88.0f));
    CHECK(rico__exp(-INFINITY) == rico__exp(-87.0f));
    CHECK(rico__exp(1.0e30f) == rico__exp(88.0f));
    CHECK(rico__exp(-1.0e30f) == rico__exp(-87.0f));
    CHECK(rico__exp(88.0f) < INFINITY);
    CHECK(rico__exp(-87.0f) >= 1.17549435e-38f); /* normal, not denormal */
}

TEST(base, exponential_never_falls_by_more_than_rounding)
{
    float before = 0.0f;
    for (int i = -9000; i <= 9000; ++i) {
        float value = rico__exp((float)i / 100.0f);
        CHECK(value >= before);
        before = value;
    }
}

TEST(base, elementary_functions_keep_their_golden_bits)
{
    rico__hash hash;
    rico__hash_init(&hash, 0);
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 65521) {
        uint32_t word = (uint32_t)bits;
        float x;
        memcpy(&x, &word, sizeof x);
        const float values[3] = {rico__sin(x), rico__cos(x), rico__exp(x)};
        rico__hash_floats(&hash, values, 3);
    }
    for (int i = -100000; i < 100000; ++i) {
        float x = (float)i / 1024.0f;
        const float values[3] = {rico__sin(x), rico__cos(x), rico__exp(x)};
        rico__hash_floats(&hash, values, 3);
    }
    CHECK_EQ(rico__hash_value(&hash), 0xb76d660d9ea94e4cULL);
}

/* --- Vectors and transforms --------------------------------------------------------------- */

static float signed_unit(uint32_t serial, uint32_t use)
{
    return rico__random_range(77, serial, use, -1.0f, 1.0f);
}

static rico_quat random_rotation(uint32_t serial)
{
    float x = signed_unit(serial, 1), y = signed_unit(serial, 2);
    float z = signed_unit(serial, 3), w = signed_unit(serial, 4) + 1.5f;
    float scale = 1.0f / sqrtf(x * x + y * y + z * z + w * w);
    rico_quat q = {x * scale, y * scale, z * scale, w * scale};
    return q;
}

static rico_vec3 random_vector(uint32_t serial, uint32_t use)
{
    return vec3(10.0f * signed_unit(serial, use), 10.0f * signed_unit(serial, use + 1),
                10.0f * signed_unit(serial, use + 2));
}

TEST(base, rotation_preserves_lengths_angles_and_handedness)
{
    for (uint32_t i = 0; i < 1000; ++i) {
        rico_quat q = random_rotation(i);
        rico_vec3 a = random_vector(i, 10), b = random_vector(i, 20);
        rico_vec3 ra = quat_rotate(q, a), rb = quat_rotate(q, b);
        CHECK_NEAR(vec3_length(ra), vec3_length(a), 2.0e-5);
        CHECK_NEAR(vec3_dot(ra, rb), vec3_dot(a, b), 2.0e-4);
        rico_vec3 difference = vec3_sub(vec3_cross(ra, rb), quat_rotate(q, vec3_cross(a, b)));
        CHECK_NEAR(vec3_length(difference), 0.0, 3.0e-4);
    }
    rico_quat quarter_about_z = {0.0f, 0.0f, sqrtf(0.5f), sqrtf(0.5f)};
    rico_vec3 turned = quat_rotate(quarter_about_z, vec3(1.0f, 0.0f, 0.0f));
    CHECK_NEAR(turned.x, 0.0, 1.0e-6);
    CHECK_NEAR(turned.y, 1.0, 1.0e-6);
}

TEST(base, transform_rotates_scales_then_moves)
{
    rico_transform t = RICO_TRANSFORM_IDENTITY;
    rico_vec3 p = transform_point(&t, vec3(1.0f, -2.0f, 3.0f));
    CHECK(p.x == 1.0f && p.y == -2.0f && p.z == 3.0f);
    t.rotation = (rico_quat){0.0f, 0.0f, sqrtf(0.5f), sqrtf(0.5f)};
    t.scale = 2.0f;
    t.position = vec3(10.0f, 20.0f, 30.0f);
    p = transform_point(&t, vec3(1.0f, 0.0f, 5.0f));
    CHECK_NEAR(p.x, 10.0, 1.0e-5);
    CHECK_NEAR(p.y, 22.0, 1.0e-5);
    CHECK_NEAR(p.z, 40.0, 1.0e-5);
    CHECK_NEAR(vec3_length(transform_direction(&t, vec3(0.0f, 3.0f, 4.0f))), 5.0, 1.0e-5);
}

TEST(base, transform_is_valid_only_when_finite_with_unit_rotation_and_positive_scale)
{
    const rico_transform identity = RICO_TRANSFORM_IDENTITY;
    CHECK(transform_is_valid(&identity));
    const float bad_scales[] = {0.0f, -1.0f, NAN, INFINITY, 1.1e6f};
    for (int i = 0; i < 5; ++i) {
        rico_transform t = identity;
        t.scale = bad_scales[i];
        CHECK_MSG(!transform_is_valid(&t), "scale %g", (double)bad_scales[i]);
    }
    const float bad_numbers[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        rico_transform t = identity;
        t.position.y = bad_numbers[i];
        CHECK(!transform_is_valid(&t));
        t = identity;
        t.rotation.x = bad_numbers[i];
        CHECK(!transform_is_valid(&t));
    }
    rico_transform zero = {0};
    CHECK(!transform_is_valid(&zero));
    rico_transform stretched = identity;
    stretched.rotation.w = 1.01f;
    CHECK(!transform_is_valid(&stretched));
    stretched.rotation.w = 1.0005f;
    CHECK(transform_is_valid(&stretched));
}

TEST(base, vectors_follow_their_definitions)
{
    rico_vec3 a = vec3(1.0f, 2.0f, 3.0f), b = vec3(-4.0f, 5.0f, 0.5f);
    CHECK(vec3_dot(a, b) == 7.5f);
    CHECK(vec3_dot(vec3_cross(a, b), a) == 0.0f && vec3_dot(vec3_cross(a, b), b) == 0.0f);
    rico_vec3 c = vec3_mad(a, b, 2.0f);
    CHECK(c.x == -7.0f && c.y == 12.0f && c.z == 4.0f);
    rico_vec3 lo = vec3_min(a, b), hi = vec3_max(a, b);
    CHECK(lo.x == -4.0f && lo.y == 2.0f && lo.z == 0.5f);
    CHECK(hi.x == 1.0f && hi.y == 5.0f && hi.z == 3.0f);
    CHECK(vec3_neg(a).x == -1.0f && vec3_add(a, b).y == 7.0f && vec3_sub(a, b).z == 2.5f);
    CHECK_NEAR(vec3_length(vec3_normalize(b)), 1.0, 1.0e-6);
    rico_vec3 none = vec3_normalize(vec3(0.0f, 0.0f, 0.0f));
    CHECK(none.x == 0.0f && none.y == 0.0f && none.z == 1.0f);
}

TEST(base, clamp_and_finiteness_are_defined_for_nan)
{
    CHECK(float_clamp(NAN, 2.0f, 3.0f) == 2.0f);
    CHECK(float_clamp(INFINITY, 2.0f, 3.0f) == 3.0f);
    CHECK(float_clamp(2.5f, 2.0f, 3.0f) == 2.5f);
    CHECK(float_min(NAN, 1.0f) == 1.0f && float_max(NAN, 1.0f) == 1.0f);
    CHECK(float_is_finite(3.4e38f) && float_is_finite(-0.0f));
    CHECK(!float_is_finite(NAN) && !float_is_finite(INFINITY));
    CHECK(!vec3_is_finite(vec3(0.0f, -INFINITY, 0.0f)));
}
