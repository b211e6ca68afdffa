/* kernel_flights.h - paths through cells. Included by kernel_body.h. */
#ifndef RICO_KERNEL_FLIGHTS_H
#define RICO_KERNEL_FLIGHTS_H

#include "kernel_lanes.h"

/* To the place on its path at `time`, and the finest cell there. Too far out for cells, it is
 * nowhere: finished. */
ALWAYS_INLINE vm place(rico__flights *f, uint32_t i, vf time, vf rate)
{
    vm inside = vf_ge(time, time);
    vf one = vf_set(1.0f), slow = vf_load(f->drag + i) * time;
    /* The series of e^-x, of its integral and of that one's. */
    vf fade = one - slow * (one - slow * vf_set(0.5f));
    vf once = time * (one - slow * (vf_set(0.5f) - slow * vf_set(1.0f / 6.0f)));
    vf twice = time * time *
               (vf_set(0.5f) - slow * (vf_set(1.0f / 6.0f) - slow * vf_set(1.0f / 24.0f)));
    for (int k = 0; k < 3; ++k) {
        vf v = vf_load(f->v[k] + i), a = vf_load(f->a[k] + i);
        vf at = vf_load(f->p[k] + i) + v * time + a * twice;
        vf_store(f->at[k] + i, at);
        vf_store(f->velocity[k] + i, v + a * once);
        vf_store(f->accel[k] + i, a * fade);
        vf cell = at * rate;
        vm in = vf_lt(vf_abs(cell), vf_set(RICO__FINEST_LIMIT));
        vi index = vf_floor_int(vf_select(in, cell, vf_set(0.0f)));
        memcpy(f->finest[k] + i, &index, sizeof index);
        inside = vm_and(inside, in);
    }
    return inside;
}

static uint64_t start_flights(rico__flights *f, uint32_t count, float rate)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < count; i += RICO_LANES)
        lost |= (uint64_t)vm_bits(vm_not(place(f, i, vf_load(f->time + i), vf_set(rate)))) << i;
    return lost & valid_lanes(count, 0);
}

/* When x + s t + a t^2 / 2 is half, or -half where it turns round before; s >= 0, and a > 0 where
 * s is 0. */
ALWAYS_INLINE vf exit_time(vf x, vf s, vf a, vf half)
{
    vf zero = vf_set(0.0f), two = vf_set(2.0f);
    vf way = vf_max(half - x, zero), back = vf_max(half + x, zero);
    vf discriminant = s * s + two * a * way;
    vf sum = s + vf_sqrt(vf_max(discriminant, zero));
    vf out = vf_select(vf_gt(sum, zero), two * way / sum, vf_set(RICO__NEVER));
    vm turns = vf_lt(discriminant, zero);
    if (vm_bits(turns) == 0)
        return out;
    vf turned = (s + vf_sqrt(vf_max(s * s - two * a * back, zero))) / -a;
    return vf_select(turns, turned, out);
}

static uint64_t leave_cells(rico__flights *f, uint32_t count, float rate)
{
    uint64_t finished = 0;
    vf zero = vf_set(0.0f);
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        vf inside = vf_load(f->stretch + i), speed2 = zero;
        vf half = vf_load(f->half + i);
        for (int k = 0; k < 3; ++k) {
            vf s = vf_load(f->velocity[k] + i), a = vf_load(f->accel[k] + i);
            vf x = vf_load(f->at[k] + i) - vf_load(f->center[k] + i);
            vm still = vm_and(vf_le(s, zero), vf_ge(s, zero));
            vm back = vm_or(vf_lt(s, zero), vm_and(still, vf_lt(a, zero)));
            vf side = vf_select(back, vf_set(-1.0f), vf_set(1.0f));
            inside = vf_min(exit_time(x * side, s * side, a * side, half), inside);
        }
        for (int k = 0; k < 3; ++k) {
            vf v = vf_load(f->velocity[k] + i) + vf_load(f->accel[k] + i) * inside;
            speed2 = speed2 + v * v;
        }
        vf speed = vf_max(vf_sqrt(speed2), vf_set(RICO__NUDGE_SPEED));
        vf end = vf_load(f->end + i), begin = vf_load(f->time + i);
        vf time = begin + inside + vf_set(RICO__BORDER_NUDGE) / speed;
        vm goes_on = vf_lt(time, end);
        time = vf_select(goes_on, time, end);
        /* Columns past count are somebody else's: they stay where they are. */
        vm used = vf_lt(vf_lanes() + vf_set((float)i), vf_set((float)count));
        time = vf_select(used, time, begin);
        vf_store(f->time + i, time);
        goes_on = vm_and(goes_on, place(f, i, time, vf_set(rate)));
        finished |= (uint64_t)vm_bits(vm_not(goes_on)) << i;
    }
    return finished & valid_lanes(count, 0);
}

#endif
