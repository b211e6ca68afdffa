/* kernel_planes.h - which of a recipe's planes particles meet first. Included by kernel_body.h. */
#ifndef RICO_KERNEL_PLANES_H
#define RICO_KERNEL_PLANES_H

#include "kernel_passes.h"

ALWAYS_INLINE lane_planes palette_plane(const rico__palette *palette, uint32_t number)
{
    return (lane_planes){{vf_set(palette->x[number]), vf_set(palette->y[number]),
                          vf_set(palette->z[number])},
                         vf_set(palette->offset[number]),
                         1.0f};
}

/* The lanes for which the step ends behind a plane: hardly any. */
ALWAYS_INLINE vm end_behind(const rico__palette *palette, uint32_t planes, vf3 to, vf radius)
{
    vm behind = vm_from_bits(0);
    for (uint32_t k = 0; k < planes; ++k) {
        lane_planes plane = palette_plane(palette, k);
        behind = vm_or(behind, vf_lt(vf3_dot(plane.n, to) - plane.offset, radius));
    }
    return behind;
}

/* By the test and the times of the pass itself. */
ALWAYS_INLINE void watch_first(const rico__streams *s, uint32_t planes, uint32_t i, vm lanes,
                               vf3 p, vf3 v, const rico__step *step)
{
    const vi ones = vi_set((int32_t)RICO__PALETTE_SIZE - 1);
    vf dt = vf_set(step->dt), soonest = vf_set(RICO__NEVER);
    vi life = (vi)vf_load(s->life + i), number = life & ones;
    for (uint32_t k = 0; k < planes; ++k) {
        lane_planes plane = palette_plane(s->palette, k);
        plane_test t = test_plane(&plane, p, v, step);
        vf after = (vf_set(step->radius) - t.distance) / t.speed;
        after = vf_max(vf_min(after, dt), vf_set(0.0f));
        vm sooner = vm_and(vm_and(t.hit, lanes), vf_lt(after, soonest));
        soonest = vf_select(sooner, after, soonest);
        number = vi_select(sooner, vi_set((int32_t)k), number);
    }
    vf_store(s->life + i, (vf)((life & ~ones) | number));
}

static void watch(const rico__streams *s, uint32_t count, uint32_t planes,
                  const rico__step *step, const uint64_t *asleep)
{
    const vf dt = vf_set(step->dt), radius = vf_set(step->radius);
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        vf3 p = vf3_load(s->px, s->py, s->pz, i);
        vf3 v = accelerate(vf3_load(s->vx, s->vy, s->vz, i), step);
        vm lanes = vm_and(end_behind(s->palette, planes, vf3_mad(p, v, dt), radius),
                          vm_not(lanes_of(asleep[i / 64], i % 64)));
        if (vm_bits(lanes) != 0)
            watch_first(s, planes, i, lanes, p, v, step);
    }
}

#endif
