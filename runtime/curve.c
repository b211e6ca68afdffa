#include "curve.h"
#include "preparation.h"

#include "vec.h"

#include <stdio.h>

#define CALL "rico_recipe_check"

/* --- What curves may be ------------------------------------------------------------------- */

#define MOST_SLOPE 1.0e6f

static rico_result check_keys(const char *name, uint32_t count, const float *at,
                              const rico_log *log)
{
    if (count < 1 || count > RICO_MAX_KEYS)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.%s.key_count is %u, expected 1 to %u", name, count,
                          RICO_MAX_KEYS);
    for (uint32_t i = 0; i < count; ++i)
        if (!(at[i] >= 0.0f && at[i] <= 1.0f) || (i > 0 && at[i] < at[i - 1]))
            return rico__fail(log, float_is_finite(at[i]) ? RICO_OUT_OF_RANGE : RICO_NOT_FINITE,
                              CALL,
                              "recipe.%s.at[%u] is %g, expected 0 to 1, not below the last",
                              name, i, (double)at[i]);
    return RICO_OK;
}

static rico_result check_interpolation(const char *name, rico_interpolation kind,
                                       rico_interpolation last, const rico_log *log)
{
    if ((unsigned)kind <= (unsigned)last)
        return RICO_OK;
    return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                      "recipe.%s.interpolation is %d, expected 0 to %d", name, (int)kind,
                      (int)last);
}

static rico_result check_key(const char *name, const char *member, uint32_t key, float value,
                             rico_range values, const rico_log *log)
{
    char field[64];
    snprintf(field, sizeof field, "%s.%s[%u]", name, member, key);
    return rico__check_bounds(&(rico__bound){field, value, values.lo, values.hi}, 1, log);
}

rico_result rico__check_curve(const char *name, const rico_curve *curve, rico_range values,
                              const rico_log *log)
{
    const rico_range slopes = {-MOST_SLOPE, MOST_SLOPE};
    rico_result result = check_keys(name, curve->key_count, curve->at, log);
    if (result == RICO_OK)
        result = check_interpolation(name, curve->interpolation, RICO_CUBIC, log);
    for (uint32_t i = 0; result == RICO_OK && i < curve->key_count; ++i) {
        result = check_key(name, "value", i, curve->value[i], values, log);
        if (result == RICO_OK && curve->interpolation == RICO_CUBIC)
            result = check_key(name, "slope_in", i, curve->slope_in[i], slopes, log);
        if (result == RICO_OK && curve->interpolation == RICO_CUBIC)
            result = check_key(name, "slope_out", i, curve->slope_out[i], slopes, log);
    }
    return result;
}

rico_result rico__check_gradient(const char *name, const rico_gradient *gradient,
                                 const rico_log *log)
{
    char field[64];
    rico_result result = check_keys(name, gradient->key_count, gradient->at, log);
    if (result == RICO_OK)
        result = check_interpolation(name, gradient->interpolation, RICO_SMOOTH, log);
    for (uint32_t i = 0; result == RICO_OK && i < gradient->key_count * 4; ++i) {
        snprintf(field, sizeof field, "%s.rgba[%u][%u]", name, i / 4, i % 4);
        result = rico__check_bounds(
            &(rico__bound){field, gradient->rgba[i / 4][i % 4], 0.0f, 1.0f}, 1, log);
    }
    return result;
}

/* --- Smooth curves: slopes at the keys ----------------------------------------------------- */

/* Keys of a curve, or of one channel of a gradient: `stride` floats from one value to the
 * next. */
typedef struct keys {
    const float *at, *value;
    uint32_t count, stride;
} keys;

/* The segment between two keys. Without width, there is no segment, or the curve jumps. */
typedef struct segment {
    double width, slope;
} segment;

/* The segment that ends at key i; i = count: the one behind the last key. Before the first key
 * and after the last the curve is constant, which is a flat segment. */
static segment segment_to(const keys *k, uint32_t i)
{
    segment s = {0.0, 0.0};
    if (i > k->count)
        return s;
    double from = i == 0 ? 0.0 : (double)k->at[i - 1];
    s.width = (i == k->count ? 1.0 : (double)k->at[i]) - from;
    if (i > 0 && i < k->count && s.width > 0.0)
        s.slope =
            ((double)k->value[i * k->stride] - (double)k->value[(i - 1) * k->stride]) / s.width;
    return s;
}

static double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Steffen's slope where two segments meet: that of a parabola through the three keys, but at
 * most twice either segment's slope, and 0 where the curve turns. */
static double slope_between(segment a, segment b)
{
    if (!(a.slope * b.slope > 0.0))
        return 0.0;
    double parabola = (a.slope * b.width + b.slope * a.width) / (a.width + b.width);
    double size =
        2.0 * least(least(magnitude(a.slope), magnitude(b.slope)), 0.5 * magnitude(parabola));
    return a.slope < 0.0 ? -size : size;
}

/* The same where the curve begins, ends or jumps. beyond: the segment on the other side of
 * `own`. */
static double slope_at_end(segment own, segment beyond)
{
    if (!(beyond.width > 0.0))
        return own.slope;
    double share = own.width / (own.width + beyond.width);
    double parabola = own.slope * (1.0 + share) - beyond.slope * share;
    if (!(parabola * own.slope > 0.0))
        return 0.0;
    return magnitude(parabola) > 2.0 * magnitude(own.slope) ? 2.0 * own.slope : parabola;
}

/* The slope at key i of the segment that comes to it, or of the one that leaves it. */
static double smooth_slope(const keys *k, uint32_t i, bool leaves)
{
    segment own = segment_to(k, leaves ? i + 1 : i), other = segment_to(k, leaves ? i : i + 1);
    if (!(own.width > 0.0))
        return 0.0;
    if (other.width > 0.0)
        return slope_between(own, other);
    if (leaves)
        return slope_at_end(own, segment_to(k, i + 2));
    return slope_at_end(own, i > 0 ? segment_to(k, i - 1) : (segment){0.0, 0.0});
}

/* Keys may be as close together as floats can be. A slope that is less steep than the true one
 * still keeps the curve monotone. */
static float slope_as_float(double slope)
{
    const double most = 1.0e30;
    return (float)(slope < -most ? -most : least(slope, most));
}

void rico__curve_prepare(rico_curve *curve)
{
    if (curve->interpolation != RICO_SMOOTH)
        return;
    const keys k = {curve->at, curve->value, curve->key_count, 1};
    for (uint32_t i = 0; i < curve->key_count; ++i) {
        curve->slope_in[i] = slope_as_float(smooth_slope(&k, i, false));
        curve->slope_out[i] = slope_as_float(smooth_slope(&k, i, true));
    }
}

/* --- Values ------------------------------------------------------------------------------- */

/* Which side of a jump is meant, exactly at the jump. */
typedef enum side { BEFORE, AFTER } side;

/* Finds the segment of the keys `at` that x lies in, and how far along it. */
static uint32_t find_key(const float *at, uint32_t count, float x, side which, float *fraction)
{
    uint32_t i = 0;
    while (i + 1 < count && (which == AFTER ? x >= at[i + 1] : x > at[i + 1]))
        ++i;
    *fraction = 0.0f;
    if (i + 1 < count && x > at[i])
        *fraction = (x - at[i]) / (at[i + 1] - at[i]);
    return i;
}

/* Hermite's cubic from a to b over `width`, with these slopes at its ends: a + t (c[0] + t
 * (c[1] + t c[2])). In doubles, because its terms may be much larger than its value. */
static void find_cubic(float a, float b, double slope_a, double slope_b, double width,
                       double c[3])
{
    double rise = (double)b - (double)a, p = slope_a * width, q = slope_b * width;
    c[0] = p;
    c[1] = 3.0 * rise - 2.0 * p - q;
    c[2] = p + q - 2.0 * rise;
}

static float hermite(float a, float b, double slope_a, double slope_b, double width, double t)
{
    double c[3];
    find_cubic(a, b, slope_a, slope_b, width, c);
    return (float)((double)a + t * (c[0] + t * (c[1] + t * c[2])));
}

static rico_range range_between(float a, float b)
{
    return a < b ? (rico_range){a, b} : (rico_range){b, a};
}

static float value_at(const rico_curve *curve, float x, side which, rico_range values)
{
    float f;
    uint32_t i = find_key(curve->at, curve->key_count, x, which, &f);
    uint32_t j = i + 1 < curve->key_count ? i + 1 : i;
    float a = curve->value[i], b = curve->value[j];
    if (curve->interpolation == RICO_LINEAR || i == j)
        return a + (b - a) * f;
    rico_range held = curve->interpolation == RICO_SMOOTH ? range_between(a, b) : values;
    float y = hermite(a, b, (double)curve->slope_out[i], (double)curve->slope_in[j],
                      (double)curve->at[j] - (double)curve->at[i], (double)f);
    return float_clamp(y, held.lo, held.hi);
}

float rico__curve_at(const rico_curve *curve, float x, rico_range values)
{
    return value_at(curve, x, AFTER, values);
}

_Static_assert(RICO__CURVE_KEYS == RICO_MAX_KEYS, "each has a place");

/* 1 / width, limited because the width may be as small as floats get. */
static float rate_of(float width)
{
    const double most = 1.0e38;
    return width > 0.0f ? (float)least(1.0 / (double)width, most) : 0.0f;
}

void rico__curve_keys(const rico_curve *curve, rico_range values, rico__keys *out)
{
    *out = (rico__keys){.count = curve->key_count};
    for (uint32_t i = 0; i < curve->key_count; ++i) {
        const uint32_t j = i + 1 < curve->key_count ? i + 1 : i;
        const float a = curve->value[i], b = curve->value[j];
        const double rise = (double)b - (double)a;
        double c[3] = {rise, 0.0, 0.0};
        if (curve->interpolation != RICO_LINEAR)
            find_cubic(a, b, (double)curve->slope_out[i], (double)curve->slope_in[j],
                       (double)curve->at[j] - (double)curve->at[i], c);
        rico_range held = curve->interpolation == RICO_CUBIC ? values : range_between(a, b);
        out->from[i] = curve->at[i];
        out->rate[i] = rate_of(curve->at[j] - curve->at[i]);
        out->a[i] = a;
        for (int n = 0; n < 3; ++n)
            out->b[n][i] = (float)c[n];
        out->lo[i] = held.lo;
        out->hi[i] = held.hi;
    }
}

/* Keeps no slopes: a gradient is evaluated once per birth at most, and for a whole table when
 * the recipe is prepared. */
static float smooth_channel(const keys *k, uint32_t i, float f)
{
    float a = k->value[i * k->stride], b = k->value[(i + 1) * k->stride];
    double width = (double)k->at[i + 1] - (double)k->at[i];
    float y = hermite(a, b, (double)slope_as_float(smooth_slope(k, i, true)),
                      (double)slope_as_float(smooth_slope(k, i + 1, false)), width, (double)f);
    rico_range held = range_between(a, b);
    return float_clamp(y, held.lo, held.hi);
}

static void rgba_at(const rico_gradient *gradient, float x, float rgba[4])
{
    float f;
    uint32_t i = find_key(gradient->at, gradient->key_count, x, AFTER, &f);
    uint32_t j = i + 1 < gradient->key_count ? i + 1 : i;
    for (uint32_t c = 0; c < 4; ++c) {
        const keys k = {gradient->at, &gradient->rgba[0][c], gradient->key_count, 4};
        if (gradient->interpolation == RICO_SMOOTH && i != j)
            rgba[c] = smooth_channel(&k, i, f);
        else
            rgba[c] = gradient->rgba[i][c] + (gradient->rgba[j][c] - gradient->rgba[i][c]) * f;
    }
}

uint32_t rico__pack_color(rico_color color)
{
    const float part[4] = {color.r, color.g, color.b, color.a};
    uint32_t packed = 0;
    for (uint32_t c = 0; c < 4; ++c)
        packed |= (uint32_t)(float_clamp(part[c], 0.0f, 1.0f) * 255.0f + 0.5f) << (8 * c);
    return packed;
}

rico_color rico__unpack_color(uint32_t packed)
{
    float part[4];
    for (uint32_t c = 0; c < 4; ++c)
        part[c] = (float)(packed >> (8 * c) & 255u) / 255.0f;
    return (rico_color){part[0], part[1], part[2], part[3]};
}

uint32_t rico__gradient_at(const rico_gradient *gradient, float x)
{
    float rgba[4];
    rgba_at(gradient, x, rgba);
    return rico__pack_color((rico_color){rgba[0], rgba[1], rgba[2], rgba[3]});
}

uint32_t rico__color_at(const rico_recipe *recipe, float x)
{
    float rgba[4];
    rgba_at(&recipe->color, x, rgba);
    rgba[3] *= rico__curve_at(&recipe->alpha_over_life, x, RICO__SHARES);
    return rico__pack_color((rico_color){rgba[0], rgba[1], rgba[2], rgba[3]});
}

bool rico__color_varies(const rico_recipe *recipe)
{
    return recipe->color.key_count > 1 || recipe->alpha_over_life.key_count > 1;
}

/* --- Tables ------------------------------------------------------------------------------- */

void rico__lay_rows(rico__tables *tables)
{
    for (uint32_t i = 0; i < RICO__TABLE_SIZE; ++i) {
        tables->rows[i][0] = tables->size[i];
        tables->rows[i][1] = tables->size_change[i];
        memcpy(&tables->rows[i][2], &tables->color[i], sizeof tables->color[i]);
    }
}

/* The change of size between two entries is kept apart from the size, so that a size that jumps
 * at an entry does so exactly there. */
void rico__bake_looks(rico__tables *tables, const rico_recipe *recipe)
{
    for (uint32_t i = 0; i < RICO__TABLE_SIZE; ++i) {
        const float part = 1.0f / (float)RICO__TABLE_SIZE, x = (float)i * part;
        float from = value_at(&recipe->particle_size, x, AFTER, RICO__SIZES);
        float to = value_at(&recipe->particle_size, x + part, BEFORE, RICO__SIZES);
        tables->size[i] = from;
        tables->size_change[i] = to - from;
        tables->color[i] = rico__color_at(recipe, x + 0.5f * part);
    }
    rico__lay_rows(tables);
}
