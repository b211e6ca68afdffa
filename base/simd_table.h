/* simd_table.h - tables that lanes look up. Part of simd.h. */
#ifndef RICO_SIMD_TABLE_H
#define RICO_SIMD_TABLE_H

#if RICO_LANES == 16 && defined(__AVX512F__)
#define RICO_TABLES_IN_REGISTERS 1

/* A table of 128 words that is looked up many times. It stays in registers where these are wide
 * and many enough, which is faster than gathering (DECISIONS 146). Elsewhere whole rows are
 * gathered: vf_get_quads. */
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

/* `at` is in 0..127. */
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
#endif

#endif
