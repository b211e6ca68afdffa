/* vec4.h - four floats side by side: what is done on three axes, without a branch per axis that nobody can guess. The
 * fourth is what its maker put there. Results are those of the scalar forms in vec.h, bit for bit.
 */
#ifndef RICO_VEC4_H
#define RICO_VEC4_H

#include "vec.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef float vec4 __attribute__((vector_size(16)));
typedef int32_t ivec4 __attribute__((vector_size(16)));

static inline vec4 vec4_of(rico_vec3 v)
{
    return (vec4){v.x, v.y, v.z, 0.0f};
}

static inline vec4 vec4_all(float x)
{
    return (vec4){x, x, x, x};
}

/* Four floats from here, of whatever alignment. */
static inline vec4 vec4_load(const float *from)
{
    vec4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* mask: all bits or none, as comparisons give. */
static inline vec4 vec4_select(ivec4 mask, vec4 a, vec4 b)
{
    return (vec4)(((ivec4)a & mask) | ((ivec4)b & ~mask));
}

static inline vec4 vec4_min(vec4 a, vec4 b)
{
#if defined(__SSE2__)
    return _mm_min_ps(a, b);
#else
    return vec4_select(a < b, a, b);
#endif
}

static inline vec4 vec4_max(vec4 a, vec4 b)
{
#if defined(__SSE2__)
    return _mm_max_ps(a, b);
#else
    return vec4_select(a > b, a, b);
#endif
}

static inline vec4 vec4_abs(vec4 a)
{
    return (vec4)((ivec4)a & INT32_MAX);
}

static inline vec4 vec4_sqrt(vec4 a)
{
#if defined(__SSE2__)
    return _mm_sqrt_ps(a);
#else
    return (vec4){__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]),
                  __builtin_sqrtf(a[3])};
#endif
}

/* Bit i: lane i of a mask. */
static inline uint32_t vec4_bits(ivec4 mask)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((vec4)mask);
#else
    return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

/* Of the first three. */
static inline float vec4_least(vec4 a)
{
    return float_min(a[0], float_min(a[1], a[2]));
}

#endif
