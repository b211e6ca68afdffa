/* runtime_numbers.h - the numbers that tests feed to kernels, and how results are compared. */
#ifndef RUNTIME_NUMBERS_H
#define RUNTIME_NUMBERS_H

#include "random.h"
#include "testing.h"

/* Returns signed zeros, denormals, huge numbers, infinities, NaN, but mostly ordinary numbers. */
static inline float hostile(uint32_t serial, uint32_t use)
{
    static const float values[] = {0.0f,     -0.0f,    1.0e-40f, -1.0e-40f, 1.0e30f,
                                   -1.0e30f, NAN,      INFINITY, -INFINITY, 1.0e6f,
                                   -1.0e6f,  1.0e-12f, 3.0e38f};
    uint32_t pick = rico__random_u32(7, serial, use) % 64;
    if (pick < sizeof values / sizeof values[0])
        return values[pick];
    return rico__random_range(9, serial, use, -5.0f, 5.0f);
}

/* Whether the bits of all live lanes are equal. A NaN equals any NaN, because the library does
 * not fix its payload. */
static inline bool same(const float *a, const float *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (memcmp(&a[i], &b[i], 4) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

#endif
