/* quads.h - vectors of quads (fours): points, and their corners. For kernel files only.
 *
 * A quad is four floats: x, y, z and one more. A vq holds as many quads as a vector of
 * RICO_LANES has room for, at least one. Reading a whole point takes one load, where lanes of
 * coordinates take three gathers.
 */
#ifndef RICO_QUADS_H
#define RICO_QUADS_H

#include "simd.h"

#define RICO_QUADS (RICO_LANES >= 4 ? RICO_LANES / 4 : 1)

typedef float vq __attribute__((vector_size(16 * RICO_QUADS)));

/* Loads quad q from from[q]. */
static inline vq vq_load(const float *const from[RICO_QUADS])
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(from[0]));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[1]), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[2]), 2);
    return (vq)_mm512_insertf32x4(v, _mm_loadu_ps(from[3]), 3);
#elif RICO_LANES == 8 && defined(__AVX__)
    __m256 v = _mm256_castps128_ps256(_mm_loadu_ps(from[0]));
    return (vq)_mm256_insertf128_ps(v, _mm_loadu_ps(from[1]), 1);
#else
    vq v;
    for (int q = 0; q < RICO_QUADS; ++q)
        memcpy((char *)&v + 16 * q, from[q], 16);
    return v;
#endif
}

/* Loads quad q from from[q], its elements in the order order[q]: four indices in 0..3. */
static inline vq vq_load_ordered(const float *const from[RICO_QUADS],
                                 const int32_t *const order[RICO_QUADS])
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    const float *bits[4] = {(const float *)order[0], (const float *)order[1],
                            (const float *)order[2], (const float *)order[3]};
    return (vq)_mm512_permutevar_ps((__m512)vq_load(from), (__m512i)vq_load(bits));
#elif RICO_LANES == 8 && defined(__AVX__)
    const float *bits[2] = {(const float *)order[0], (const float *)order[1]};
    return (vq)_mm256_permutevar_ps((__m256)vq_load(from), (__m256i)vq_load(bits));
#else
    vq v;
    for (int i = 0; i < 4 * RICO_QUADS; ++i)
        v[i] = from[i / 4][order[i / 4][i % 4]];
    return v;
#endif
}

/* Makes each quad of elements a and b of u, and c and d of v. */
#if RICO_LANES == 16 && defined(__AVX512F__)
#define VQ_SHUFFLE(u, v, a, b, c, d)                                                           \
    ((vq)_mm512_shuffle_ps((__m512)(u), (__m512)(v), _MM_SHUFFLE(d, c, b, a)))
#elif RICO_LANES == 8 && defined(__AVX__)
#define VQ_SHUFFLE(u, v, a, b, c, d)                                                           \
    ((vq)_mm256_shuffle_ps((__m256)(u), (__m256)(v), _MM_SHUFFLE(d, c, b, a)))
#elif RICO_QUADS == 1 && defined(__SSE2__)
#define VQ_SHUFFLE(u, v, a, b, c, d)                                                           \
    ((vq)_mm_shuffle_ps((__m128)(u), (__m128)(v), _MM_SHUFFLE(d, c, b, a)))
#elif RICO_QUADS == 1
#define VQ_SHUFFLE(u, v, a, b, c, d) ((vq)V4_SHUFFLE((v4)(u), (v4)(v), a, b, 4 + (c), 4 + (d)))
#else
#define VQ_SHUFFLE(u, v, a, b, c, d) vq__shuffle(u, v, a, b, c, d)
static inline vq vq__shuffle(vq u, vq v, int a, int b, int c, int d)
{
    vq to;
    for (int q = 0; q < 4 * RICO_QUADS; q += 4) {
        to[q] = u[q + a];
        to[q + 1] = u[q + b];
        to[q + 2] = v[q + c];
        to[q + 3] = v[q + d];
    }
    return to;
}
#endif

/* Stores quad q to to[q], in order. */
static inline void vq_store(float *const to[RICO_QUADS], vq v)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    _mm_storeu_ps(to[0], _mm512_castps512_ps128((__m512)v));
    _mm_storeu_ps(to[1], _mm512_extractf32x4_ps((__m512)v, 1));
    _mm_storeu_ps(to[2], _mm512_extractf32x4_ps((__m512)v, 2));
    _mm_storeu_ps(to[3], _mm512_extractf32x4_ps((__m512)v, 3));
#elif RICO_LANES == 8 && defined(__AVX__)
    _mm_storeu_ps(to[0], _mm256_castps256_ps128((__m256)v));
    _mm_storeu_ps(to[1], _mm256_extractf128_ps((__m256)v, 1));
#else
    for (int q = 0; q < RICO_QUADS; ++q)
        memcpy(to[q], (const char *)&v + 16 * q, 16);
#endif
}

/* Stores lanes as quads: to[stride * i] = {a[i], b[i], c[i], d[i]}. */
static inline void vf_store_quads(float *to, size_t stride, vf a, vf b, vf c, vf d)
{
#if RICO_LANES >= 4
    vq ab = VQ_SHUFFLE(a, b, 0, 1, 0, 1), ab2 = VQ_SHUFFLE(a, b, 2, 3, 2, 3);
    vq cd = VQ_SHUFFLE(c, d, 0, 1, 0, 1), cd2 = VQ_SHUFFLE(c, d, 2, 3, 2, 3);
    float *at[4][RICO_QUADS];
    for (size_t i = 0; i < RICO_LANES; ++i)
        at[i % 4][i / 4] = to + stride * i;
    vq_store(at[0], VQ_SHUFFLE(ab, cd, 0, 2, 0, 2));
    vq_store(at[1], VQ_SHUFFLE(ab, cd, 1, 3, 1, 3));
    vq_store(at[2], VQ_SHUFFLE(ab2, cd2, 0, 2, 0, 2));
    vq_store(at[3], VQ_SHUFFLE(ab2, cd2, 1, 3, 1, 3));
#else
    (void)stride;
    to[0] = a[0];
    to[1] = b[0];
    to[2] = c[0];
    to[3] = d[0];
#endif
}

/* Transposes four vectors of quads. to[k] holds element k of the quads of v[0], v[1], v[2],
 * v[3], then of their next quads, and so on. With one lane there is one quad. */
static inline void vq_turn(const vq v[4], vf to[4])
{
#if RICO_LANES >= 4
    vq xy = VQ_SHUFFLE(v[0], v[1], 0, 1, 0, 1), zw = VQ_SHUFFLE(v[0], v[1], 2, 3, 2, 3);
    vq xy2 = VQ_SHUFFLE(v[2], v[3], 0, 1, 0, 1), zw2 = VQ_SHUFFLE(v[2], v[3], 2, 3, 2, 3);
    to[0] = (vf)VQ_SHUFFLE(xy, xy2, 0, 2, 0, 2);
    to[1] = (vf)VQ_SHUFFLE(xy, xy2, 1, 3, 1, 3);
    to[2] = (vf)VQ_SHUFFLE(zw, zw2, 0, 2, 0, 2);
    to[3] = (vf)VQ_SHUFFLE(zw, zw2, 1, 3, 1, 3);
#else
    for (int k = 0; k < 4; ++k)
        to[k][0] = v[0][k];
#endif
}

/* Lane i of to[k] is element k of the quad at from[i]. */
static inline void vf_load_quads(const float *const from[RICO_LANES], vf to[4])
{
    vq v[4];
    RICO_UNROLL
    for (int m = 0; m < (RICO_LANES >= 4 ? 4 : 1); ++m) {
        const float *each[RICO_QUADS];
        RICO_UNROLL
        for (int q = 0; q < RICO_QUADS; ++q)
            each[q] = from[4 * q + m];
        v[m] = vq_load(each);
    }
    vq_turn(v, to);
}

/* Lane i of to[k] is element k of quad number at[i]. Cheaper than a gather for each: DECISIONS
 * 182. */
static inline void vf_get_quads(const float (*quads)[4], vi at, vf to[4])
{
    const float *from[RICO_LANES];
#if RICO_LANES == 8 && defined(__AVX2__) && defined(__x86_64__)
    /* Two places at a time, since taking each out of a vector costs more. */
    const __m256i bytes = _mm256_slli_epi32((__m256i)at, 4);
    const __m128i low = _mm256_castsi256_si128(bytes),
                  high = _mm256_extracti128_si256(bytes, 1);
    const uint64_t two[4] = {
        (uint64_t)_mm_cvtsi128_si64(low), (uint64_t)_mm_extract_epi64(low, 1),
        (uint64_t)_mm_cvtsi128_si64(high), (uint64_t)_mm_extract_epi64(high, 1)};
    RICO_UNROLL
    for (int i = 0; i < RICO_LANES; ++i) {
        const uint64_t place = i % 2 == 0 ? (uint32_t)two[i / 2] : two[i / 2] >> 32;
        from[i] = (const float *)(const void *)((const char *)quads + place);
    }
#else
    RICO_UNROLL
    for (int i = 0; i < RICO_LANES; ++i)
        from[i] = quads[at[i]];
#endif
    vf_load_quads(from, to);
}

/* As vf_load_quads, but each lane has an order of elements of its own. */
static inline void vf_load_quads_ordered(const float *const from[RICO_LANES],
                                         const int32_t *const order[RICO_LANES], vf to[4])
{
    vq v[4];
    RICO_UNROLL
    for (int m = 0; m < (RICO_LANES >= 4 ? 4 : 1); ++m) {
        const float *each[RICO_QUADS];
        const int32_t *how[RICO_QUADS];
        RICO_UNROLL
        for (int q = 0; q < RICO_QUADS; ++q) {
            each[q] = from[4 * q + m];
            how[q] = order[4 * q + m];
        }
        v[m] = vq_load_ordered(each, how);
    }
    vq_turn(v, to);
}

#endif
