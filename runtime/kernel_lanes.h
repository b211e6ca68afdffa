/* kernel_lanes.h - vectors of points, and masks of 64 lanes, for the kernels. */
#ifndef RICO_KERNEL_LANES_H
#define RICO_KERNEL_LANES_H

#include "bits.h"
#include "kernel.h"
#include "simd.h"

#include <stdbool.h>
#include <stddef.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct vf3 {
    vf x, y, z;
} vf3;

ALWAYS_INLINE vf3 vf3_load(const float *x, const float *y, const float *z, uint32_t i)
{
    return (vf3){vf_load(x + i), vf_load(y + i), vf_load(z + i)};
}

ALWAYS_INLINE void vf3_store(float *x, float *y, float *z, uint32_t i, vf3 v)
{
    vf_store(x + i, v.x);
    vf_store(y + i, v.y);
    vf_store(z + i, v.z);
}
ALWAYS_INLINE vf3 vf3_set(const float *v)
{
    return (vf3){vf_set(v[0]), vf_set(v[1]), vf_set(v[2])};
}

ALWAYS_INLINE vf vf3_dot(vf3 a, vf3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

ALWAYS_INLINE vf3 vf3_cross(vf3 a, vf3 b)
{
    return (vf3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

ALWAYS_INLINE vf3 vf3_scale(vf3 a, vf s)
{
    return (vf3){a.x * s, a.y * s, a.z * s};
}

ALWAYS_INLINE vf3 vf3_mad(vf3 a, vf3 b, vf s)
{
    return (vf3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

ALWAYS_INLINE vf3 vf3_select(vm mask, vf3 yes, vf3 no)
{
    return (vf3){vf_select(mask, yes.x, no.x), vf_select(mask, yes.y, no.y),
                 vf_select(mask, yes.z, no.z)};
}
/* The mask of the lanes whose bits are set, from bit `shift` of the word on. */
ALWAYS_INLINE vm lanes_of(uint64_t word, uint32_t shift)
{
    const uint32_t lane_bits = (1u << RICO_LANES) - 1u;
    return vm_from_bits((uint32_t)(word >> shift) & lane_bits);
}

ALWAYS_INLINE uint64_t bits_of(vm mask, uint32_t shift)
{
    return (uint64_t)vm_bits(mask) << shift;
}

/* Fetches a line into the first cache (near), or into the second. */
ALWAYS_INLINE void fetch_line(const float *line, bool near)
{
    if (near)
        __builtin_prefetch(line, 0, 3);
    else
        __builtin_prefetch(line, 0, 2);
}

#endif
