/* simd_sixes.h - lanes laid out as records of six floats. Part of simd.h. */
#ifndef RICO_SIMD_SIXES_H
#define RICO_SIMD_SIXES_H

#include "four.h"

#include <stdbool.h>

/* Whether it pays to store past the caches. With four lanes it does not (DECISIONS 137). */
#if RICO_LANES == 16 && defined(__AVX512F__)
#define RICO_STREAMS 1
#elif RICO_LANES == 8 && defined(__AVX__)
#define RICO_STREAMS 1
#else
#define RICO_STREAMS 0
#endif

#if RICO_LANES == 16 && defined(__AVX512F__)
/* Stores eight records of three pairs, which are three vectors. */
static inline void store_eight_sixes(float *to, const __m512d pairs[3], bool streamed)
{
    const __m512i two[3] = {_mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10),
                            _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5),
                            _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0)};
    const __m512i all[3] = {_mm512_setr_epi64(0, 1, 8, 3, 4, 9, 6, 7),
                            _mm512_setr_epi64(10, 1, 2, 11, 4, 5, 12, 7),
                            _mm512_setr_epi64(0, 13, 2, 3, 14, 5, 6, 15)};
    for (int k = 0; k < 3; ++k) {
        __m512d line = _mm512_permutex2var_pd(pairs[0], two[k], pairs[1]);
        line = _mm512_permutex2var_pd(line, all[k], pairs[2]);
        if (streamed)
            _mm512_stream_pd((void *)(to + 16 * k), line);
        else
            _mm512_storeu_pd((void *)(to + 16 * k), line);
    }
}
#elif RICO_LANES >= 4
static inline void store_four(float *to, v4 v, bool streamed)
{
#if RICO_STREAMS
    if (streamed) {
        _mm_stream_ps(to, (__m128)v);
        return;
    }
#endif
    (void)streamed;
    v4_store(to, v);
}

/* Stores four records, which are six vectors of four. */
static inline void store_four_sixes(float *to, const v4 v[6], bool streamed)
{
    v4 ab = V4_SHUFFLE(v[0], v[1], 0, 4, 1, 5), ab2 = V4_SHUFFLE(v[0], v[1], 2, 6, 3, 7);
    v4 cd = V4_SHUFFLE(v[2], v[3], 0, 4, 1, 5), cd2 = V4_SHUFFLE(v[2], v[3], 2, 6, 3, 7);
    v4 ef = V4_SHUFFLE(v[4], v[5], 0, 4, 1, 5), ef2 = V4_SHUFFLE(v[4], v[5], 2, 6, 3, 7);
    store_four(to, V4_SHUFFLE(ab, cd, 0, 1, 4, 5), streamed);
    store_four(to + 4, V4_SHUFFLE(ef, ab, 0, 1, 6, 7), streamed);
    store_four(to + 8, V4_SHUFFLE(cd, ef, 2, 3, 6, 7), streamed);
    store_four(to + 12, V4_SHUFFLE(ab2, cd2, 0, 1, 4, 5), streamed);
    store_four(to + 16, V4_SHUFFLE(ef2, ab2, 0, 1, 6, 7), streamed);
    store_four(to + 20, V4_SHUFFLE(cd2, ef2, 2, 3, 6, 7), streamed);
}
#endif

/* Stores lane i of each vector as record i. With `streamed` the stores go past the caches; `to`
 * is then the start of a cache line. */
static inline void vf_store_sixes(float *to, const vf v[6], bool streamed)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    const __m512i low =
        _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    __m512d first[3], last[3];
    for (int k = 0; k < 3; ++k) {
        const __m512 a = (__m512)v[2 * k], b = (__m512)v[2 * k + 1];
        first[k] = (__m512d)_mm512_permutex2var_ps(a, low, b);
        last[k] = (__m512d)_mm512_permutex2var_ps(a, high, b);
    }
    store_eight_sixes(to, first, streamed);
    store_eight_sixes(to + 48, last, streamed);
#elif RICO_LANES >= 4
    for (int n = 0; n < RICO_LANES; n += 4) {
        v4 fours[6];
        for (int k = 0; k < 6; ++k)
            fours[k] = v4_load((const float *)&v[k] + n);
        store_four_sixes(to + 6 * n, fours, streamed);
    }
#else
    (void)streamed;
    for (int n = 0; n < RICO_LANES; ++n)
        for (int k = 0; k < 6; ++k)
            to[6 * n + k] = v[k][n];
#endif
}

#endif
