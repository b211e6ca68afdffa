/* random.h - counter-based random numbers.
 *
 * A number is a pure function of (seed, serial, use). There is no generator state, so it does
 * not matter which thread draws a number, or when. seed is the effect's. serial is the
 * particle's number within the effect. use is a constant per purpose, so that two purposes
 * never share a number.
 */
#ifndef RICO_RANDOM_H
#define RICO_RANDOM_H

#include "hash.h"

static inline uint64_t rico__random_u64(uint64_t seed, uint32_t serial, uint32_t use)
{
    uint64_t counter = ((uint64_t)use << 32) | serial;
    return rico__mix64(rico__mix64(counter + 0x9e3779b97f4a7c15ULL) ^ seed);
}

static inline uint32_t rico__random_u32(uint64_t seed, uint32_t serial, uint32_t use)
{
    return (uint32_t)(rico__random_u64(seed, serial, use) >> 32);
}

/* Uniform in [0, 1): multiples of 2^-24. */
static inline float rico__random_unit(uint64_t seed, uint32_t serial, uint32_t use)
{
    return (float)(int32_t)(rico__random_u32(seed, serial, use) >> 8) * 0x1p-24f;
}

/* Two numbers as of rico__random_unit, for the price of one. */
typedef struct rico__random_pair {
    float first, second;
} rico__random_pair;

static inline rico__random_pair rico__random_units(uint64_t seed, uint32_t serial, uint32_t use)
{
    uint64_t bits = rico__random_u64(seed, serial, use);
    return (rico__random_pair){(float)(int32_t)(bits >> 40) * 0x1p-24f,
                               (float)(int32_t)(bits >> 8 & 0xffffffu) * 0x1p-24f};
}

/* Uniform between lo and hi. */
static inline float rico__random_range(uint64_t seed, uint32_t serial, uint32_t use, float lo,
                                       float hi)
{
    return lo + (hi - lo) * rico__random_unit(seed, serial, use);
}

#endif
