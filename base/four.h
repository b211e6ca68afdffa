/* four.h - vectors of four floats, whatever RICO_LANES is: x, y, z of one thing, and one more.
 *
 * They are for kernel files where there is one ray, and so no lanes to fill. They are also for
 * work on three axes where a branch per axis would be mispredicted. Semantics are as in simd.h:
 * results are those of vec.h's forms, to the bit.
 */
#ifndef RICO_FOUR_H
#define RICO_FOUR_H

#include "intrinsics.h"

#include <ricochet/types.h>

#include <stdint.h>
#include <string.h>

typedef float v4 __attribute__((vector_size(16)));
typedef int32_t v4i __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));

/* Picks lanes of a (0..3) and b (4..7) by constant indices. */
#if defined(__clang__)
#define V4_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define V4_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (v4i){__VA_ARGS__})
#endif

/* The vector, with 0 in the last lane. */
static inline v4 v4_of(rico_vec3 v)
{
    return (v4){v.x, v.y, v.z, 0.0f};
}

static inline v4 v4_set(float x)
{
    return (v4){x, x, x, x};
}

/* Loads 16 bytes of anything, of any alignment. */
static inline v4 v4_load(const void *from)
{
    v4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void v4_store(float to[4], v4 v)
{
    memcpy(to, &v, sizeof v);
}

/* Loads the four lanes in another order, by indices in 0..3. */
static inline v4 v4_load_ordered(const void *from, const int32_t order[4])
{
#if defined(__AVX__)
    return (v4)_mm_permutevar_ps((__m128)v4_load(from), (__m128i)v4_load(order));
#elif defined(__aarch64__)
    const v4i places = (v4i)v4_load(order) * 0x04040404 + 0x03020100; /* byte indices */
    return (v4)vqtbl1q_u8((uint8x16_t)v4_load(from), (uint8x16_t)places);
#else
    v4 v = v4_load(from);
    return (v4){v[order[0]], v[order[1]], v[order[2]], v[order[3]]};
#endif
}

/* Masks have either all bits of a lane set, or none. */
static inline v4 v4_select(v4i mask, v4 yes, v4 no)
{
    return (v4)((mask & (v4i)yes) | (~mask & (v4i)no));
}

/* Bit k: lane k of a mask. Of any other vector, the sign of lane k. */
static inline uint32_t v4_bits(v4i mask)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif defined(__aarch64__)
    return vaddvq_u32((uint32x4_t)((mask < 0) & (v4i){1, 2, 4, 8}));
#else
    uint32_t bits = 0;
    for (int k = 0; k < 4; ++k)
        bits |= ((uint32_t)mask[k] >> 31) << k;
    return bits;
#endif
}

/* Bit k: lo[k] <= a[k] < hi[k]. False for NaN. */
static inline uint32_t v4_within(v4 a, v4 lo, v4 hi)
{
#ifdef __AVX512VL__
    __mmask8 low = _mm_cmp_ps_mask((__m128)lo, (__m128)a, _CMP_LE_OQ);
    return _mm_mask_cmp_ps_mask(low, (__m128)a, (__m128)hi, _CMP_LT_OQ);
#else
    return v4_bits((lo <= a) & (a < hi));
#endif
}

static inline v4 v4_min(v4 a, v4 b)
{
#ifdef __SSE2__
    return (v4)_mm_min_ps((__m128)a, (__m128)b);
#else
    return v4_select(a < b, a, b);
#endif
}

static inline v4 v4_max(v4 a, v4 b)
{
#ifdef __SSE2__
    return (v4)_mm_max_ps((__m128)a, (__m128)b);
#else
    return v4_select(a > b, a, b);
#endif
}

static inline v4 v4_abs(v4 a)
{
    return (v4)((v4i)a & 0x7fffffff);
}

static inline v4 v4_sqrt(v4 a)
{
#ifdef __SSE2__
    return (v4)_mm_sqrt_ps((__m128)a);
#else
    return (v4){__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]),
                __builtin_sqrtf(a[3])};
#endif
}

static inline v4 v4_from_int(v4i a)
{
    return __builtin_convertvector(a, v4);
}

/* Converts by truncation. */
static inline v4i v4_to_int(v4 a)
{
    return __builtin_convertvector(a, v4i);
}

/* The smallest and the largest of all four lanes, in every lane. */
static inline v4 v4_least(v4 a)
{
    a = v4_min(a, (v4){a[2], a[3], a[0], a[1]});
    return v4_min(a, (v4){a[1], a[0], a[3], a[2]});
}

static inline v4 v4_most(v4 a)
{
    a = v4_max(a, (v4){a[2], a[3], a[0], a[1]});
    return v4_max(a, (v4){a[1], a[0], a[3], a[2]});
}

/* The smallest of the first three lanes. */
static inline float v4_least3(v4 a)
{
    const v4 least =
        v4_min(a, v4_min((v4){a[1], a[1], a[1], a[1]}, (v4){a[2], a[2], a[2], a[2]}));
    return least[0];
}

/* The largest of all lanes, in every lane, of numbers without a sign; NaN if one is NaN.
 * Compares their bits as integers, which are in the same order. */
static inline v4 v4_most_or_nan(v4 a)
{
#if defined(__SSE4_1__)
    v4i x = (v4i)a;
    x = (v4i)_mm_max_epi32((__m128i)x, (__m128i)(v4i){x[2], x[3], x[0], x[1]});
    return (v4)_mm_max_epi32((__m128i)x, (__m128i)(v4i){x[1], x[0], x[3], x[2]});
#elif defined(__aarch64__)
    return (v4)vdupq_n_s32(vmaxvq_s32((int32x4_t)a));
#else
    v4 b = {a[2], a[3], a[0], a[1]};
    a = v4_select((v4i)a > (v4i)b, a, b);
    b = (v4){a[1], a[0], a[3], a[2]};
    return v4_select((v4i)a > (v4i)b, a, b);
#endif
}

/* Transposes three points. In the first three lanes, *x is a[0], b[0], c[0], and so on for *y
 * and *z. */
static inline void v4_turn3(v4 a, v4 b, v4 c, v4 *x, v4 *y, v4 *z)
{
#ifdef __SSE2__
    __m128 low = _mm_unpacklo_ps((__m128)a, (__m128)b);
    __m128 high = _mm_unpackhi_ps((__m128)a, (__m128)b);
    *x = (v4)_mm_movelh_ps(low, (__m128)c);
    *y = (v4)_mm_shuffle_ps(low, (__m128)c, _MM_SHUFFLE(1, 1, 3, 2));
    *z = (v4)_mm_shuffle_ps(high, (__m128)c, _MM_SHUFFLE(2, 2, 1, 0));
#else
    *x = (v4){a[0], b[0], c[0], c[0]};
    *y = (v4){a[1], b[1], c[1], c[1]};
    *z = (v4){a[2], b[2], c[2], c[2]};
#endif
}

/* Written out because compilers convert one half after the other. */
static inline v4d v4_to_double(v4 a)
{
#ifdef __AVX__
    return (v4d)_mm256_cvtps_pd((__m128)a);
#else
    return __builtin_convertvector(a, v4d);
#endif
}

static inline v4 v4_from_double(v4d a)
{
#ifdef __AVX__
    return (v4)_mm256_cvtpd_ps((__m256d)a);
#else
    return __builtin_convertvector(a, v4);
#endif
}

/* Bit k: a[k] >= b[k]. False for NaN. */
static inline uint32_t v4d_ge(v4d a, v4d b)
{
#ifdef __AVX__
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GE_OQ));
#else
    uint32_t bits = 0;
    for (int k = 0; k < 4; ++k)
        bits |= (uint32_t)(a[k] >= b[k]) << k;
    return bits;
#endif
}

/* The sum of the first three lanes, added in this order. */
static inline double v4d_sum3(v4d a)
{
    return a[0] + a[1] + a[2];
}

/* The sums of two vectors at once, as v4d_sum3. */
static inline void v4d_sums3(v4d a, v4d b, double *a_sum, double *b_sum)
{
#ifdef __AVX__
    __m256d low = _mm256_unpacklo_pd((__m256d)a, (__m256d)b);
    __m256d high = _mm256_unpackhi_pd((__m256d)a, (__m256d)b);
    __m128d sum = _mm_add_pd(_mm256_castpd256_pd128(low), _mm256_castpd256_pd128(high));
    sum = _mm_add_pd(sum, _mm256_extractf128_pd(low, 1));
    *a_sum = _mm_cvtsd_f64(sum);
    *b_sum = _mm_cvtsd_f64(_mm_unpackhi_pd(sum, sum));
#else
    *a_sum = v4d_sum3(a);
    *b_sum = v4d_sum3(b);
#endif
}

/* The cross product of the first three lanes. */
static inline v4d v4d_cross(v4d a, v4d b)
{
    v4d left = (v4d){a[1], a[2], a[0], a[3]} * (v4d){b[2], b[0], b[1], b[3]};
    v4d right = (v4d){a[2], a[0], a[1], a[3]} * (v4d){b[1], b[2], b[0], b[3]};
    return left - right;
}

#endif
