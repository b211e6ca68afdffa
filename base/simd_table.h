/* simd_table.h - tables that lanes look up. Part of simd.h. */
#ifndef RICO_SIMD_TABLE_H
#define RICO_SIMD_TABLE_H

#include "four.h"

#if RICO_LANES == 16 && defined(__AVX512F__)

#define RICO_TABLES_IN_REGISTERS 1

/* A table of 128 words, to be looked up many times: in registers, which is faster than gathering (DECISIONS 146). */
typedef struct vi_table {
    __m512i words[8];
} vi_table;

static inline vi_table vi_table_of(const void *words)
{
    vi_table t;
    RICO_UNROLL
    for (int k = 0; k < 8; ++k)
        t.words[k] = _mm512_loadu_si512((const char *)words + 64 * k);
    return t;
}

/* at in 0..127 */
static inline vi vi_table_get(const vi_table *t, vi at)
{
    const __m512i i = (__m512i)at;
    const __mmask16 odd = _mm512_test_epi32_mask(i, _mm512_set1_epi32(32));
    const __mmask16 upper = _mm512_test_epi32_mask(i, _mm512_set1_epi32(64));
    __m512i a = _mm512_permutex2var_epi32(t->words[0], i, t->words[1]);
    __m512i b = _mm512_permutex2var_epi32(t->words[4], i, t->words[5]);
    a = _mm512_mask_mov_epi32(a, odd, _mm512_permutex2var_epi32(t->words[2], i, t->words[3]));
    b = _mm512_mask_mov_epi32(b, odd, _mm512_permutex2var_epi32(t->words[6], i, t->words[7]));
    return (vi)_mm512_mask_mov_epi32(a, upper, b);
}

#else

#define RICO_TABLES_IN_REGISTERS 0

#if RICO_LANES == 8 && defined(__AVX2__) && defined(__x86_64__)
static inline __m128 load_row(const void *rows, uint64_t byte)
{
    return _mm_loadu_ps((const float *)(const void *)((const char *)rows + byte));
}

static inline __m256 load_two_rows(const void *rows, uint64_t low, uint64_t high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(load_row(rows, low)),
                                load_row(rows, high), 1);
}
#endif

/* column[k][i] = rows[at[i]][k], of the first three columns. By loads of whole rows: AVX2 gathers the same at the
 * cost of three times the instructions, and the others cannot (DECISIONS 182). */
static inline void vf_rows_get(const float (*rows)[4], vi at, vf column[3])
{
#if RICO_LANES == 8 && defined(__AVX2__) && defined(__x86_64__)
    const __m256i bytes = _mm256_slli_epi32((__m256i)at, 4);
    /* Two at a time, as taking each out of a vector costs more. */
    const __m128i low = _mm256_castsi256_si128(bytes),
                  high = _mm256_extracti128_si256(bytes, 1);
    const uint64_t at01 = (uint64_t)_mm_cvtsi128_si64(low),
                   at23 = (uint64_t)_mm_extract_epi64(low, 1);
    const uint64_t at45 = (uint64_t)_mm_cvtsi128_si64(high),
                   at67 = (uint64_t)_mm_extract_epi64(high, 1);
    const __m256 r0 = load_two_rows(rows, (uint32_t)at01, (uint32_t)at45);
    const __m256 r1 = load_two_rows(rows, at01 >> 32, at45 >> 32);
    const __m256 r2 = load_two_rows(rows, (uint32_t)at23, (uint32_t)at67);
    const __m256 r3 = load_two_rows(rows, at23 >> 32, at67 >> 32);
    const __m256d lo01 = (__m256d)_mm256_unpacklo_ps(r0, r1),
                  lo23 = (__m256d)_mm256_unpacklo_ps(r2, r3);
    const __m256d hi01 = (__m256d)_mm256_unpackhi_ps(r0, r1),
                  hi23 = (__m256d)_mm256_unpackhi_ps(r2, r3);
    column[0] = (vf)_mm256_unpacklo_pd(lo01, lo23);
    column[1] = (vf)_mm256_unpackhi_pd(lo01, lo23);
    column[2] = (vf)_mm256_unpacklo_pd(hi01, hi23);
#elif RICO_LANES == 4
    const v4 r0 = v4_load(rows[at[0]]), r1 = v4_load(rows[at[1]]);
    const v4 r2 = v4_load(rows[at[2]]), r3 = v4_load(rows[at[3]]);
    const v4 lo01 = V4_SHUFFLE(r0, r1, 0, 4, 1, 5), lo23 = V4_SHUFFLE(r2, r3, 0, 4, 1, 5);
    const v4 hi01 = V4_SHUFFLE(r0, r1, 2, 6, 3, 7), hi23 = V4_SHUFFLE(r2, r3, 2, 6, 3, 7);
    column[0] = (vf)V4_SHUFFLE(lo01, lo23, 0, 1, 4, 5);
    column[1] = (vf)V4_SHUFFLE(lo01, lo23, 2, 3, 6, 7);
    column[2] = (vf)V4_SHUFFLE(hi01, hi23, 0, 1, 4, 5);
#else
    for (int i = 0; i < RICO_LANES; ++i)
        for (int k = 0; k < 3; ++k)
            column[k][i] = rows[at[i]][k];
#endif
}

#endif

#endif
