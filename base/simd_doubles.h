/* simd_doubles.h - the part of simd.h for doubles; included by it. */
#ifndef RICO_SIMD_DOUBLES_H
#define RICO_SIMD_DOUBLES_H

/* Doubles: half as many lanes as floats, or one when there is one. A vector of floats has a low
 * and a high half. Comparisons give bits. With one lane only the low half counts. */
#define RICO_HALF (RICO_LANES > 1 ? RICO_LANES / 2 : 1)

typedef double vd __attribute__((vector_size(8 * RICO_HALF)));

static inline vd vd_set(double x)
{
    return x - (vd){0};
}

/* The lanes of a from half * RICO_HALF on, as doubles. */
static inline vd vd_from(vf a, int half)
{
#if RICO_LANES == 16 && defined(__AVX512DQ__)
    __m512 all = (__m512)a;
    return (vd)_mm512_cvtps_pd(half ? _mm512_extractf32x8_ps(all, 1)
                                    : _mm512_castps512_ps256(all));
#elif RICO_LANES == 8 && defined(__AVX__)
    __m256 all = (__m256)a;
    return (vd)_mm256_cvtps_pd(half ? _mm256_extractf128_ps(all, 1)
                                    : _mm256_castps256_ps128(all));
#elif RICO_LANES == 4 && defined(__SSE2__)
    __m128 all = (__m128)a;
    return (vd)_mm_cvtps_pd(half ? _mm_movehl_ps(all, all) : all);
#elif RICO_LANES == 4 && defined(__aarch64__)
    float32x4_t all = (float32x4_t)a;
    return (vd)(half ? vcvt_high_f64_f32(all) : vcvt_f64_f32(vget_low_f32(all)));
#else
    vd v;
    for (int i = 0; i < RICO_HALF; ++i)
        v[i] = (double)a[(i + half * RICO_HALF) % RICO_LANES];
    return v;
#endif
}

/* Stores the doubles as floats. `to` may also be memory that holds the floats as bits. */
static inline void vd_store_floats(float *to, vd a)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)a));
#elif RICO_LANES == 8 && defined(__AVX__)
    _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)a));
#elif RICO_LANES == 4 && defined(__aarch64__)
    vst1_f32(to, vcvt_f32_f64((float64x2_t)a));
#else
    for (int i = 0; i < RICO_HALF; ++i) {
        float x = (float)a[i];
        memcpy(&to[i], &x, sizeof x);
    }
#endif
}

static inline vd vd_sqrt(vd a)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vd)_mm512_sqrt_pd((__m512d)a);
#elif RICO_LANES == 8 && defined(__AVX__)
    return (vd)_mm256_sqrt_pd((__m256d)a);
#elif RICO_LANES == 4 && defined(__SSE2__)
    return (vd)_mm_sqrt_pd((__m128d)a);
#elif RICO_LANES == 4 && defined(__aarch64__)
    return (vd)vsqrtq_f64((float64x2_t)a);
#else
    for (int i = 0; i < RICO_HALF; ++i)
        a[i] = __builtin_sqrt(a[i]);
    return a;
#endif
}

/* Lane i is that of yes where bit i is set, else that of no. */
static inline vd vd_choose(uint32_t bits, vd yes, vd no)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return (vd)_mm512_mask_blend_pd((__mmask8)bits, (__m512d)no, (__m512d)yes);
#else
    typedef int64_t vl __attribute__((vector_size(8 * RICO_HALF)));
    int64_t lanes[RICO_HALF]; /* gcc 14 cannot compile a choice between lanes of a vector */
    vl mask;
    for (int i = 0; i < RICO_HALF; ++i)
        lanes[i] = -(int64_t)(bits >> i & 1u);
    memcpy(&mask, lanes, sizeof mask);
    return (vd)(((vl)yes & mask) | ((vl)no & ~mask));
#endif
}

/* Bit i: a[i] >= b[i]. False for NaN. */
static inline uint32_t vd_ge(vd a, vd b)
{
#if RICO_LANES == 16 && defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GE_OQ);
#elif RICO_LANES == 8 && defined(__AVX__)
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GE_OQ));
#elif RICO_LANES == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_pd(_mm_cmpge_pd((__m128d)a, (__m128d)b));
#else
    uint32_t bits = 0;
    for (int i = 0; i < RICO_HALF; ++i)
        bits |= (uint32_t)(a[i] >= b[i]) << i;
    return bits;
#endif
}

#endif
