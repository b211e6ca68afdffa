/* simd.h - vectors of RICO_LANES floats, for kernel files only.
 *
 * A kernel is written once against this header and compiled once per ISA with another
 * RICO_LANES (and that ISA's compiler flags); lane-wise arithmetic in the same order gives the
 * same bits in each. The vectors are the compiler's own vector extension; masks (vm) are the
 * ISA's. Semantics that differ between CPUs are defined here:
 *   min/max     a op b ? a : b, so a NaN in a gives b
 *   to integer  truncation; the caller keeps |x| < 2^31 (NaN must be replaced before)
 */
#ifndef RICO_SIMD_H
#define RICO_SIMD_H

#ifndef RICO_LANES
#error "define RICO_LANES (1, 4, 8 or 16) before including simd.h"
#endif

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef float vf __attribute__((vector_size(4 * RICO_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * RICO_LANES)));

static inline vf vf_set(float x)
{
    return x - (vf){0};
}

/* 0, 1, 2, ... */
static inline vf vf_lanes(void)
{
    vf v = {0};
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = (float)i;
    return v;
}

static inline vi vi_set(int32_t x)
{
    return x - (vi){0};
}

/* Aligned to 4 bytes is enough. */
static inline vf vf_load(const float *from)
{
    vf v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void vf_store(float *to, vf v)
{
    memcpy(to, &v, sizeof v);
}

/* Masks: one truth per lane. AVX-512 keeps them in registers of their own, a bit per lane; the
 * others as all-ones or all-zero lanes. Comparisons with NaN are false, but for vi_ne. */
#if RICO_LANES == 16 && defined(__AVX512DQ__)

typedef __mmask16 vm;

#define RICO__COMPARE(name, predicate)                                                         \
    static inline vm name(vf a, vf b)                                                          \
    {                                                                                          \
        return _mm512_cmp_ps_mask((__m512)a, (__m512)b, predicate);                            \
    }
RICO__COMPARE(vf_lt, _CMP_LT_OQ)
RICO__COMPARE(vf_le, _CMP_LE_OQ)
RICO__COMPARE(vf_gt, _CMP_GT_OQ)
RICO__COMPARE(vf_ge, _CMP_GE_OQ)
#undef RICO__COMPARE

static inline vm vi_ne(vi a, vi b)
{
    return _mm512_cmpneq_epi32_mask((__m512i)a, (__m512i)b);
}

static inline vm vm_and(vm a, vm b)
{
    return (vm)(a & b);
}

static inline vm vm_or(vm a, vm b)
{
    return (vm)(a | b);
}

static inline vm vm_not(vm a)
{
    return (vm)~a;
}

static inline vf vf_select(vm mask, vf yes, vf no)
{
    return (vf)_mm512_mask_blend_ps(mask, (__m512)no, (__m512)yes);
}

/* Bit i = lane i of the mask. */
static inline uint32_t vm_bits(vm mask)
{
    return mask;
}

/* The inverse: true where the low bits are set. */
static inline vm vm_from_bits(uint32_t bits)
{
    return (vm)bits;
}

#else

typedef vi vm;

static inline vm vf_lt(vf a, vf b)
{
    return a < b;
}

static inline vm vf_le(vf a, vf b)
{
    return a <= b;
}

static inline vm vf_gt(vf a, vf b)
{
    return a > b;
}

static inline vm vf_ge(vf a, vf b)
{
    return a >= b;
}

static inline vm vi_ne(vi a, vi b)
{
    return a != b;
}

static inline vm vm_and(vm a, vm b)
{
    return a & b;
}

static inline vm vm_or(vm a, vm b)
{
    return a | b;
}

static inline vm vm_not(vm a)
{
    return ~a;
}

static inline vf vf_select(vm mask, vf yes, vf no)
{
    return (vf)((mask & (vi)yes) | (~mask & (vi)no));
}

/* Bit i = lane i of the mask. */
static inline uint32_t vm_bits(vm mask)
{
#if RICO_LANES == 8 && defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif RICO_LANES == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < RICO_LANES; ++i)
        bits |= ((uint32_t)mask[i] & 1u) << i;
    return bits;
#endif
}

/* The inverse: true where the low bits are set. */
static inline vm vm_from_bits(uint32_t bits)
{
    vi lane_bit;
    for (int i = 0; i < RICO_LANES; ++i)
        lane_bit[i] = (int32_t)(1u << i);
    return (vi_set((int32_t)bits) & lane_bit) != 0;
}

#endif

static inline vf vf_min(vf a, vf b)
{
    return vf_select(vf_lt(a, b), a, b);
}

static inline vf vf_max(vf a, vf b)
{
    return vf_select(vf_gt(a, b), a, b);
}

static inline vf vf_abs(vf a)
{
    return (vf)((vi)a & vi_set(0x7fffffff));
}

/* Correctly rounded. */
static inline vf vf_sqrt(vf a)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vf)_mm512_sqrt_ps((__m512)a);
#elif RICO_LANES == 8 && defined(__AVX__)
    return (vf)_mm256_sqrt_ps((__m256)a);
#elif RICO_LANES == 4 && defined(__SSE2__)
    return (vf)_mm_sqrt_ps((__m128)a);
#elif RICO_LANES == 4 && defined(__aarch64__)
    return (vf)vsqrtq_f32((float32x4_t)a);
#else
    for (int i = 0; i < RICO_LANES; ++i)
        a[i] = __builtin_sqrtf(a[i]);
    return a;
#endif
}

/* So many 16-bit integers as floats. Written out where compilers make a detour. */
static inline vf vf_load_shorts(const int16_t *from)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    __m256i shorts = _mm256_loadu_si256((const __m256i *)(const void *)from);
    return (vf)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(shorts));
#elif RICO_LANES == 8 && defined(__AVX2__)
    __m128i shorts = _mm_loadu_si128((const __m128i *)(const void *)from);
    return (vf)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(shorts));
#elif RICO_LANES == 4 && defined(__SSE2__)
    __m128i shorts = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return (vf)_mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(shorts, shorts), 16));
#else
    vf v;
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = (float)from[i];
    return v;
#endif
}

static inline vi vf_to_int(vf a)
{
    return __builtin_convertvector(a, vi);
}

static inline vf vi_to_float(vi a)
{
    return __builtin_convertvector(a, vf);
}

/* Largest integer <= a; |a| < 2^31. */
static inline vi vf_floor_int(vf a)
{
    vi truncated = vf_to_int(a);
    return truncated + (vi)(vi_to_float(truncated) > a);
}

#endif
