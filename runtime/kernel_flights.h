/* kernel_flights.h - paths through cells. Included by kernel_body.h. */
#ifndef RICO_KERNEL_FLIGHTS_H
#define RICO_KERNEL_FLIGHTS_H

#include "kernel_passes.h"

/* --- Aiming --------------------------------------------------------------------------------- */

/* A parabola leaves out what drag does to the acceleration: it is off by jerk t^3 / 6. x^(3/8) is
 * near the cube root, and less for x < 1. */
ALWAYS_INLINE vf parabola_time(vf jerk)
{
    vf horizon = vf_set(RICO__HORIZON), drift = vf_set(6.0f * RICO__MOST_DRIFT);
    vm shorter = vf_gt(jerk * horizon * horizon * horizon, drift);
    vf root = vf_sqrt(vf_sqrt(drift / jerk));
    return vf_select(shorter, vf_min(root * vf_sqrt(root), horizon), horizon);
}

/* The series of the whole path leaves out no more than jerk drag^2 t^5 / 120. x^(3/16) is near
 * the fifth root. */
ALWAYS_INLINE vf series_time(vf jerk, vf drag)
{
    vf horizon = vf_set(RICO__HORIZON), drift = vf_set(120.0f * RICO__MOST_DRIFT);
    vf rest = jerk * drag * drag;
    vm shorter = vf_gt(rest * horizon * horizon * horizon * horizon * horizon, drift);
    vf root = vf_sqrt(vf_sqrt(vf_sqrt(drift / rest)));
    return vf_select(shorter, vf_min(root * vf_sqrt(root), horizon), horizon);
}

static void aim_flights(rico__flights *f, uint32_t first, uint32_t count,
                        const rico__step *step)
{
    vf per_second = vf_set(1.0f / step->dt);
    for (uint32_t i = first; i < first + count; i += RICO_LANES) {
        vf drag = vf_load(f->drag + i);
        vf3 v = vf3_load(f->v[0], f->v[1], f->v[2], i), next = accelerate(v, step);
        vf3 a = {(next.x - v.x) * per_second, (next.y - v.y) * per_second,
                 (next.z - v.z) * per_second};
        vf jerk = drag * vf_sqrt(vf3_dot(a, a));
        vf_store(f->speed + i, vf_sqrt(vf3_dot(v, v)));
        vf_store(f->jerk + i, jerk);
        vf3_store(f->a[0], f->a[1], f->a[2], i, a);
        vf3_store(f->v[0], f->v[1], f->v[2], i, vf3_mad(v, a, vf_set(0.5f * step->dt)));
        vf_store(f->stretch + i, parabola_time(jerk));
        vf_store(f->end + i, vf_min(series_time(jerk, drag), vf_load(f->life_left + i)));
    }
}

/* --- Following ------------------------------------------------------------------------------ */

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

/* When x + s t + a t^2 / 2 is half, or -half where it turns round before; s >= 0, and a > 0 where
 * s is 0. */
ALWAYS_INLINE vf exit_time(vf x, vf s, vf a, vf half)
{
    vf zero = vf_set(0.0f), two = vf_set(2.0f);
    vf way = vf_max(half - x, zero), back = vf_max(half + x, zero);
    vf discriminant = s * s + two * a * way;
    vm turns = vf_lt(discriminant, zero);
    /* One root and one division for both: they take the longest. */
    discriminant = vf_select(turns, s * s - two * a * back, vf_max(discriminant, zero));
    vf sum = s + vf_sqrt(vf_max(discriminant, zero));
    vf out = vf_select(turns, sum, two * way) / vf_select(turns, -a, sum);
    return vf_select(vm_or(turns, vf_gt(sum, zero)), out, vf_set(RICO__NEVER));
}

/* The lanes leave what is within `half` of the centre. Returns those of them that are finished. */
ALWAYS_INLINE vm leave(rico__flights *f, uint32_t i, vm lanes, vf3 center, vf half, vf rate)
{
    vf zero = vf_set(0.0f), inside = vf_load(f->stretch + i), speed2 = zero;
    const vf centers[3] = {center.x, center.y, center.z};
    for (int k = 0; k < 3; ++k) {
        vf s = vf_load(f->velocity[k] + i), a = vf_load(f->accel[k] + i);
        vf x = vf_load(f->at[k] + i) - centers[k];
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
    /* The others stay where they are: what is worked out again for them is what is there. */
    time = vf_select(lanes, vf_select(goes_on, time, end), begin);
    vf_store(f->time + i, time);
    goes_on = vm_and(goes_on, place(f, i, time, rate));
    return vm_and(lanes, vm_not(goes_on));
}

/* What is empty around: a cube. half is negative where geometry may be near. */
typedef struct emptiness {
    vf3 center;
    vf half;
    vi index; /* of coverage's cell */
} emptiness;

/* In coverage's cells. */
ALWAYS_INLINE emptiness look_around(rico__flights *f, uint32_t i, vm lanes,
                                    const rico__coverage *coverage)
{
    vi index = vi_set(0), out = vi_set(0);
    vf center[3], edge = vf_set(coverage->edge);
    for (int k = 2; k >= 0; --k) {
        vi cell = vi_load(f->finest[k] + i) >> (int)(coverage->shift + RICO__FINEST_LEVEL);
        vi x = cell - vi_set(coverage->lo[k]);
        out = vi_max(vi_max(out, -x), x - vi_set((int32_t)coverage->size[k] - 1));
        index = (vi)((vu)index * (vu)vi_set((int32_t)coverage->size[k]) +
                     (vu)x); /* may wrap, beyond */
        center[k] = (vi_to_float(cell) + vf_set(0.5f)) * edge;
    }
    vm beyond = vi_ne(out, vi_set(0));
    index = vi_select(beyond, vi_set(0), index);
    vi_store(f->covered + i, vi_select(lanes, index, vi_load(f->covered + i)));
    vf near = vi_to_float(vi_gather_bytes(coverage->distance, index));
    vf far = vf_min(vi_to_float(out), vf_set((float)RICO__COVERAGE_FAR));
    vf distance = vf_select(beyond, far, near);
    return (emptiness){
        {center[0], center[1], center[2]}, (distance - vf_set(0.5f)) * edge, index};
}

/* In those that are not empty: the children that are. */
ALWAYS_INLINE void look_closer(const rico__flights *f, uint32_t i,
                               const rico__coverage *coverage, emptiness *e)
{
    vi notes = vi_gather(coverage->notes, e->index);
    vi bit = vi_set(1 << RICO__NOTE_EMPTY);
    vf center[3], edge = vf_set(coverage->edge * 0.5f), zero = vf_set(0.0f);
    for (int k = 0; k < 3; ++k) {
        vi cell = vi_load(f->finest[k] + i) >> (int)(RICO__FINEST_LEVEL - 1);
        vm upper = vi_ne(cell & vi_set(1), vi_set(0));
        bit = vi_select(upper, bit << (1 << k), bit);
        center[k] = (vi_to_float(cell) + vf_set(0.5f)) * edge;
    }
    vm empty = vm_and(vf_lt(e->half, zero), vi_ne(notes & bit, vi_set(0)));
    e->center = vf3_select(empty, (vf3){center[0], center[1], center[2]}, e->center);
    e->half = vf_select(empty, edge * vf_set(0.5f), e->half);
}

/* Over all that is empty. Returns the lanes that are finished. */
ALWAYS_INLINE vm fly_over(rico__flights *f, uint32_t i, vm lanes,
                          const rico__coverage *coverage)
{
    vm finished = vm_and(lanes, vm_not(lanes));
    for (uint32_t n = 0; n < RICO__MOST_CELLS; ++n) {
        emptiness e = look_around(f, i, lanes, coverage);
        look_closer(f, i, coverage, &e);
        lanes = vm_and(lanes, vf_gt(e.half, vf_set(0.0f)));
        if (vm_bits(lanes) == 0)
            return finished;
        vm ended = leave(f, i, lanes, e.center, e.half, vf_set(coverage->rate));
        finished = vm_or(finished, ended);
        lanes = vm_and(lanes, vm_not(ended));
    }
    return vm_or(finished, lanes);
}

static uint64_t start_flights(rico__flights *f, uint64_t set, const rico__coverage *coverage)
{
    uint64_t finished = 0;
    for (uint32_t i = 0; i < RICO__MAX_FLIGHTS; i += RICO_LANES) {
        vm lanes = lanes_of(set, i);
        if (vm_bits(lanes) == 0)
            continue;
        vm in = vm_and(lanes, place(f, i, vf_load(f->time + i), vf_set(coverage->rate)));
        vm done = vm_or(vm_and(lanes, vm_not(in)), fly_over(f, i, in, coverage));
        finished |= bits_of(done, i);
    }
    return finished;
}

static uint64_t leave_cells(rico__flights *f, uint64_t set, const rico__coverage *coverage)
{
    uint64_t finished = 0;
    for (uint32_t i = 0; i < RICO__MAX_FLIGHTS; i += RICO_LANES) {
        vm lanes = lanes_of(set, i);
        if (vm_bits(lanes) == 0)
            continue;
        vf3 center = vf3_load(f->center[0], f->center[1], f->center[2], i);
        vf half = vf_load(f->half + i);
        vm done = leave(f, i, lanes, center, half, vf_set(coverage->rate));
        done = vm_or(done, fly_over(f, i, vm_and(lanes, vm_not(done)), coverage));
        finished |= bits_of(done, i);
    }
    return finished;
}

#endif
