/* bits.h - small helpers on words of bits. */
#ifndef RICO_BITS_H
#define RICO_BITS_H

#include <stdint.h>

/* The number of set bits. It is written out where the target has no such instruction: there the
 * builtin is a call into libgcc. */
static inline uint32_t bits_count64(uint64_t x)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return (uint32_t)__builtin_popcountll(x);
#else
    x = x - (x >> 1 & 0x5555555555555555u);
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
#endif
}

/* The index of the lowest set bit; x must not be 0. */
static inline uint32_t bits_lowest64(uint64_t x)
{
    return (uint32_t)__builtin_ctzll(x);
}

/* The index of the highest set bit; x must not be 0. */
static inline uint32_t bits_highest64(uint64_t x)
{
    return 63u - (uint32_t)__builtin_clzll(x);
}

/* The smallest power of two >= x, for 1 <= x <= 2^31. */
static inline uint32_t bits_ceil_power2(uint32_t x)
{
    return x <= 1 ? 1u : 1u << (32 - __builtin_clz(x - 1));
}

static inline uint32_t uint_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t uint_max(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

#endif
