/* simd.h - vectors of RICO_LANES floats, for kernel files only.
 *
 * A kernel is written once against this header. It is compiled once per ISA, with another
 * RICO_LANES and that ISA's compiler flags. Lane-wise arithmetic in the same order gives the
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

#include "intrinsics.h"

#include <stdint.h>
#include <string.h>

/* Stands before a loop over lanes whose arrays should be registers: they are once the loop is
 * unrolled. */
#if defined(__GNUC__) && !defined(__clang__)
#define RICO_UNROLL _Pragma("GCC unroll 16")
#else
#define RICO_UNROLL
#endif

typedef float vf __attribute__((vector_size(4 * RICO_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * RICO_LANES)));
typedef uint32_t vu __attribute__((vector_size(4 * RICO_LANES)));

static inline vf vf_set(float x)
{
    return x - (vf){0};
}

/* The vector 0, 1, 2, ... */
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

/* An alignment to 4 bytes is enough. */
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

static inline vi vi_load(const int32_t *from)
{
    vi v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void vi_store(int32_t *to, vi v)
{
    memcpy(to, &v, sizeof v);
}

/* Loads all lanes from one place, by a broadcasting load. From vf_set the compiler would make
 * arithmetic on single floats and then broadcast the result. That would cost the ports that
 * compute. */
static inline vf vf_load_same(const float *from)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    __m512 v;
    __asm__("vbroadcastss %1, %0" : "=v"(v) : "m"(*from));
    return (vf)v;
#elif RICO_LANES == 8 && defined(__AVX__)
    __m256 v;
    __asm__("vbroadcastss %1, %0" : "=x"(v) : "m"(*from));
    return (vf)v;
#else
    return vf_set(*from);
#endif
}

/* Lane i is from[at[i]]: each lane from a place of its own. */
static inline vf vf_gather(const float *from, vi at)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vf)_mm512_i32gather_ps((__m512i)at, from, 4);
#elif RICO_LANES == 8 && defined(__AVX2__)
    return (vf)_mm256_i32gather_ps(from, (__m256i)at, 4);
#elif RICO_LANES == 4 && defined(__aarch64__)
    float32x4_t v = vld1q_dup_f32(from + at[0]);
    v = vld1q_lane_f32(from + at[1], v, 1);
    v = vld1q_lane_f32(from + at[2], v, 2);
    return (vf)vld1q_lane_f32(from + at[3], v, 3);
#else
    vf v;
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = from[at[i]];
    return v;
#endif
}

static inline vi vi_gather(const int32_t *from, vi at)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vi)_mm512_i32gather_epi32((__m512i)at, from, 4);
#elif RICO_LANES == 8 && defined(__AVX2__)
    return (vi)_mm256_i32gather_epi32(from, (__m256i)at, 4);
#elif RICO_LANES == 4 && defined(__aarch64__)
    int32x4_t v = vld1q_dup_s32(from + at[0]);
    v = vld1q_lane_s32(from + at[1], v, 1);
    v = vld1q_lane_s32(from + at[2], v, 2);
    return (vi)vld1q_lane_s32(from + at[3], v, 3);
#else
    vi v;
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = from[at[i]];
    return v;
#endif
}

static inline vi vi_max(vi a, vi b)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vi)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif RICO_LANES == 8 && defined(__AVX2__)
    return (vi)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    vi more = a > b;
    return (more & a) | (~more & b);
#endif
}

/* Lane i is from[at[i]], with at in 0..7. All 16 floats must be readable. */
static inline vf vf_pick8(const float from[16], vi at)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vf)_mm512_permutexvar_ps((__m512i)at, _mm512_loadu_ps(from));
#elif RICO_LANES == 8 && defined(__AVX2__)
    return (vf)_mm256_permutevar8x32_ps(_mm256_loadu_ps(from), (__m256i)at);
#elif RICO_LANES == 4 && defined(__aarch64__)
    const uint8x16x2_t bytes = {
        {vreinterpretq_u8_f32(vld1q_f32(from)), vreinterpretq_u8_f32(vld1q_f32(from + 4))}};
    const vi places = at * 0x04040404 + 0x03020100; /* byte indices */
    return (vf)vqtbl2q_u8(bytes, (uint8x16_t)places);
#else
    vf v;
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = from[at[i]];
    return v;
#endif
}

/* Loads one byte per lane. */
static inline vi vi_load_u8(const uint8_t *from)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vi)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
#elif RICO_LANES == 8 && defined(__AVX2__)
    return (vi)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
#elif RICO_LANES == 4 && defined(__SSE2__)
    int32_t word;
    memcpy(&word, from, sizeof word);
    __m128i zero = _mm_setzero_si128(), bytes = _mm_cvtsi32_si128(word);
    return (vi)_mm_unpacklo_epi16(_mm_unpacklo_epi8(bytes, zero), zero);
#elif RICO_LANES == 4 && defined(__aarch64__)
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return (vi)vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(word))));
#else
    vi v;
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = from[i];
    return v;
#endif
}

/* Loads 16-bit words as floats, one per lane. */
static inline vf vf_load_u16(const uint16_t *from)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)from);
    return (vf)_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(words));
#elif RICO_LANES == 8 && defined(__AVX2__)
    __m128i words = _mm_loadu_si128((const __m128i *)(const void *)from);
    return (vf)_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(words));
#elif RICO_LANES == 4 && defined(__SSE2__)
    __m128i words = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return (vf)_mm_cvtepi32_ps(_mm_unpacklo_epi16(words, _mm_setzero_si128()));
#elif RICO_LANES == 4 && defined(__aarch64__)
    return (vf)vcvtq_f32_u32(vmovl_u16(vld1_u16(from)));
#else
    vf v;
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = (float)from[i];
    return v;
#endif
}

/* Loads floats whose upper halves are in memory; the lower halves are 0. */
static inline vf vf_load_upper(const uint16_t *from)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)from);
    return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(words), 16);
#elif RICO_LANES == 8 && defined(__AVX2__)
    __m128i words = _mm_loadu_si128((const __m128i *)(const void *)from);
    return (vf)_mm256_slli_epi32(_mm256_cvtepu16_epi32(words), 16);
#elif RICO_LANES == 4 && defined(__SSE2__)
    __m128i words = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return (vf)_mm_unpacklo_epi16(_mm_setzero_si128(), words);
#elif RICO_LANES == 4 && defined(__aarch64__)
    return (vf)vshlq_n_u32(vmovl_u16(vld1_u16(from)), 16);
#else
    vu v;
    for (int i = 0; i < RICO_LANES; ++i)
        v[i] = (uint32_t)from[i] << 16;
    return (vf)v;
#endif
}

/* a * b + c and c - a * b, rounded once or twice. Use them only for what is compared with room
 * for error, never for a result. */
static inline vf vf_mad_loose(vf a, vf b, vf c)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif RICO_LANES == 8 && defined(__FMA__)
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

static inline vf vf_nmad_loose(vf a, vf b, vf c)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vf)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif RICO_LANES == 8 && defined(__FMA__)
    return (vf)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return c - a * b;
#endif
}

#if RICO_LANES == 8 && defined(__AVX2__) && defined(__BMI2__) && defined(__x86_64__)
/* The indices of the bits that are set in an 8-bit mask, in order, as the first lanes. pdep
 * spreads the bits of the mask to bytes; these choose the bytes of 0..7 that pext keeps. */
static inline __m256i lanes8_kept(uint32_t mask)
{
    uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 255u;
    uint64_t kept = _pext_u64(0x0706050403020100u, bytes);
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)kept));
}
#endif

/* Appends from[i] + add for each bit i of a 16-bit mask, in order. `to` must have room for 16
 * words; the words behind the last one that is appended are undefined. */
static inline void lanes16_pack(uint32_t *to, const uint32_t *from, uint32_t add, uint32_t mask)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    __m512i words = _mm512_add_epi32(_mm512_loadu_si512(from), _mm512_set1_epi32((int)add));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, words));
#elif RICO_LANES == 8 && defined(__AVX2__) && defined(__BMI2__) && defined(__x86_64__)
    for (uint32_t half = 0; half < 16; half += 8) {
        const __m256i *words = (const __m256i *)(const void *)(from + half);
        __m256i sum = _mm256_add_epi32(_mm256_loadu_si256(words), _mm256_set1_epi32((int)add));
        __m256i kept = _mm256_permutevar8x32_epi32(sum, lanes8_kept(mask >> half & 255u));
        _mm256_storeu_si256((__m256i *)(void *)to, kept);
        to += __builtin_popcount(mask >> half & 255u);
    }
#else
    for (; mask != 0; mask &= mask - 1)
        *to++ = from[__builtin_ctz(mask)] + add;
#endif
}

/* Appends the value once for each bit of a 16-bit mask. Returns how often. `to`: as in
 * lanes16_pack. */
static inline uint32_t lanes16_fill(uint32_t *to, uint32_t value, uint32_t mask)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    _mm512_storeu_si512(to, _mm512_set1_epi32((int)value));
    return (uint32_t)__builtin_popcount(mask);
#elif RICO_LANES == 1
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1)
        to[count++] = value;
    return count;
#else
    vi all = vi_set((int32_t)value);
    for (uint32_t i = 0; i < 16; i += RICO_LANES)
        memcpy(to + i, &all, sizeof all);
    return (uint32_t)__builtin_popcount(mask);
#endif
}

/* Masks: one truth value per lane. AVX-512 keeps them in registers of their own, a bit per
 * lane. The other ISAs keep them as lanes of all ones or all zeros. Comparisons of floats are
 * false for NaN; vi_ne compares integers. */
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

/* a where the mask is true, 0 elsewhere. */
static inline vf vf_where(vm mask, vf a)
{
    return (vf)_mm512_maskz_mov_ps(mask, (__m512)a);
}

/* Bit i is lane i of the mask. */
static inline uint32_t vm_bits(vm mask)
{
    return mask;
}

/* The inverse of vm_bits: true where the low bits are set. */
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
#if RICO_LANES == 8 && defined(__AVX__)
    return (vf)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
    return (vf)((mask & (vi)yes) | (~mask & (vi)no));
#endif
}

/* a where the mask is true, 0 elsewhere. */
static inline vf vf_where(vm mask, vf a)
{
    return (vf)(mask & (vi)a);
}

/* Bit i is lane i of the mask. */
static inline uint32_t vm_bits(vm mask)
{
#if RICO_LANES == 8 && defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif RICO_LANES == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif RICO_LANES == 4 && defined(__aarch64__)
    return vaddvq_u32((uint32x4_t)(mask & (vi){1, 2, 4, 8}));
#else
    uint32_t bits = 0;
    for (int i = 0; i < RICO_LANES; ++i)
        bits |= ((uint32_t)mask[i] & 1u) << i;
    return bits;
#endif
}

/* The inverse of vm_bits: true where the low bits are set. */
static inline vm vm_from_bits(uint32_t bits)
{
    vi lane_bit;
    for (int i = 0; i < RICO_LANES; ++i)
        lane_bit[i] = (int32_t)(1u << i);
    return (vi_set((int32_t)bits) & lane_bit) != 0;
}

#endif

static inline vi vi_select(vm mask, vi yes, vi no)
{
    return (vi)vf_select(mask, (vf)yes, (vf)no);
}

/* The instructions of x86 are defined in just this way. */
static inline vf vf_min(vf a, vf b)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif RICO_LANES == 8 && defined(__AVX__)
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#elif RICO_LANES == 4 && defined(__SSE2__)
    return (vf)_mm_min_ps((__m128)a, (__m128)b);
#else
    return vf_select(vf_lt(a, b), a, b);
#endif
}

static inline vf vf_max(vf a, vf b)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif RICO_LANES == 8 && defined(__AVX__)
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#elif RICO_LANES == 4 && defined(__SSE2__)
    return (vf)_mm_max_ps((__m128)a, (__m128)b);
#else
    return vf_select(vf_gt(a, b), a, b);
#endif
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

/* Loads signed 16-bit integers as floats, one per lane. Written out because compilers make a
 * detour. */
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
#elif RICO_LANES == 4 && defined(__aarch64__)
    return (vf)vcvtq_f32_s32(vmovl_s16(vld1_s16(from)));
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

/* The largest integer <= a. Where |a| < 2^31 does not hold, any integer. */
static inline vi vf_floor_int(vf a)
{
    vi truncated = vf_to_int(a);
    return (vi)((vu)truncated + (vu)(vi_to_float(truncated) > a));
}

/* The least of all lanes, of which none is NaN. */
static inline float vf_least(vf a)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return _mm512_reduce_min_ps((__m512)a);
#elif RICO_LANES == 8 && defined(__AVX__)
    __m256 all = (__m256)a;
    __m128 v = _mm_min_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    v = _mm_min_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_min_ss(v, _mm_shuffle_ps(v, v, 1)));
#elif RICO_LANES == 4 && defined(__SSE2__)
    __m128 v = _mm_min_ps((__m128)a, _mm_movehl_ps((__m128)a, (__m128)a));
    return _mm_cvtss_f32(_mm_min_ss(v, _mm_shuffle_ps(v, v, 1)));
#elif RICO_LANES == 4 && defined(__aarch64__)
    return vminvq_f32((float32x4_t)a);
#else
    float least = a[0];
    for (int i = 1; i < RICO_LANES; ++i)
        least = a[i] < least ? a[i] : least;
    return least;
#endif
}

#include "simd_doubles.h"
#include "simd_sixes.h"
#include "simd_table.h"

#endif
