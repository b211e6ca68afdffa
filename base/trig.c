#include "trig.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Adding 1.5 * 2^23 rounds to the nearest integer (ties to even) for |x| < 2^22; needs no
 * libm and no conversion whose rounding a CPU mode could change. */
static float round_nearest(float x)
{
    const float magic = 12582912.0f;
    return (x + magic) - magic;
}

/* Taylor polynomials, for [-pi/4, pi/4]. */
static float sin_piece(float r)
{
    float r2 = r * r;
    float p = 2.7557319e-6f;
    p = p * r2 - 1.9841270e-4f;
    p = p * r2 + 8.3333333e-3f;
    p = p * r2 - 1.6666667e-1f;
    return r + r * r2 * p;
}

static float cos_piece(float r)
{
    float r2 = r * r;
    float p = 2.4801587e-5f;
    p = p * r2 - 1.3888889e-3f;
    p = p * r2 + 4.1666667e-2f;
    p = p * r2 - 0.5f;
    return 1.0f + r2 * p;
}

/* The quarter turn that x is nearest to, and the rest; false: x is NaN or too large. */
static bool reduce(float x, int32_t *quarters, float *rest)
{
    if (!(x > -3.0e6f && x < 3.0e6f))
        return false;
    float turns = round_nearest(x * 0.636619772f);
    /* pi/2 in three parts; the first two have few bits, so that turns * part is exact for
     * |x| <= 8192 (Cody and Waite). */
    float r = x - turns * 1.5703125f;
    r = r - turns * 4.8351288e-4f;
    r = r - turns * 3.1391648e-7f;
    *quarters = (int32_t)turns;
    *rest = r;
    return r > -1.0f && r < 1.0f;
}

/* The sine of `quarters` quarter turns and the rest. */
static float sin_of(int32_t quarters, float rest)
{
    float value = (quarters & 1) != 0 ? cos_piece(rest) : sin_piece(rest);
    return (quarters & 2) != 0 ? -value : value;
}

float rico__sin(float x)
{
    int32_t quarters;
    float rest;
    return reduce(x, &quarters, &rest) ? sin_of(quarters, rest) : 0.0f;
}

float rico__cos(float x)
{
    int32_t quarters;
    float rest;
    return reduce(x, &quarters, &rest) ? sin_of(quarters + 1, rest) : 0.0f;
}

static float with_sign(float value, uint32_t negative)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= negative << 31;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* yes where the mask is all ones, no where it is 0. */
static float select_bits(uint32_t mask, float yes, float no)
{
    uint32_t a, b;
    memcpy(&a, &yes, sizeof a);
    memcpy(&b, &no, sizeof b);
    a = (a & mask) | (b & ~mask);
    memcpy(&yes, &a, sizeof yes);
    return yes;
}

/* Has no branches on the quarter: which one it is cannot be predicted, and each birth draws
 * one. The reduction is exact: u has 24 bits. */
void rico__circle(float u, float *x, float *y)
{
    uint32_t quarter = (uint32_t)(int32_t)(u * 4.0f);
    float rest = (u * 4.0f - (float)(int32_t)quarter - 0.5f) * 1.57079633f;
    float s = sin_piece(rest), c = cos_piece(rest);
    uint32_t odd = 0u - (quarter & 1u);
    *y = with_sign(select_bits(odd, c, s), quarter >> 1);
    *x = with_sign(select_bits(odd, s, c), (quarter + 1u) >> 1 & 1u);
}

float rico__exp(float x)
{
    if (!(x == x))
        return 1.0f;
    if (x < -87.0f)
        x = -87.0f;
    if (x > 88.0f)
        x = 88.0f;
    float n = round_nearest(x * 1.44269504f);
    float r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    float p = 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = r * r * p + r + 1.0f;
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}
