/* stress_random.h - random numbers of a host under stress: splitmix64 (Steele et al. 2014). */
#ifndef RICO_BENCH_STRESS_RANDOM_H
#define RICO_BENCH_STRESS_RANDOM_H

#include <stdint.h>

static inline uint64_t stress_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* 0..count - 1; count > 0. */
static inline uint32_t stress_random_below(uint64_t *state, uint32_t count)
{
    return (uint32_t)((stress_random(state) >> 32) * count >> 32);
}

/* 0 <= x < 1. */
static inline float stress_random_share(uint64_t *state)
{
    return (float)(stress_random(state) >> 40) * (1.0f / 16777216.0f);
}

#endif
