/* kernel_flights.h - paths through cells. Included by kernel_body.h. */
#ifndef RICO_KERNEL_FLIGHTS_H
#define RICO_KERNEL_FLIGHTS_H

#include "kernel_passes.h"

/* --- Aiming --------------------------------------------------------------------------------- */

/* A parabola leaves out what drag does to the acceleration: it is off by jerk t^3 / 6. x^(3/8)
 * is near the cube root, and less for x < 1. */
ALWAYS_INLINE vf parabola_time(vf jerk, vf most)
{
    vf horizon = vf_set(RICO__HORIZON), drift = vf_set(6.0f) * most;
    vm shorter = vf_gt(jerk * horizon * horizon * horizon, drift);
    vf root = vf_sqrt(vf_sqrt(drift / jerk));
    return vf_select(shorter, vf_min(root * vf_sqrt(root), horizon), horizon);
}

/* The series of the whole path leaves out jerk drag^5 t^8 / 8! at most. */
ALWAYS_INLINE vf series_time(vf jerk, vf drag, vf most)
{
    vf horizon = vf_set(RICO__HORIZON), drift = vf_set(40320.0f) * most;
    vf drag2 = drag * drag, rest = jerk * (drag2 * drag2) * drag;
    vf horizon2 = horizon * horizon, horizon4 = horizon2 * horizon2;
    vm shorter = vf_gt(rest * (horizon4 * horizon4), drift);
    vf root = vf_sqrt(vf_sqrt(vf_sqrt(drift / rest)));
    return vf_select(shorter, vf_min(root, horizon), horizon);
}

ALWAYS_INLINE void store_lanes(float *to, vm lanes, vf v)
{
    vf_store(to, vf_select(lanes, v, vf_load(to)));
}

ALWAYS_INLINE void store3_lanes(float to[3][RICO__FLIGHT_COLUMNS], uint32_t i, vm lanes, vf3 v)
{
    store_lanes(to[0] + i, lanes, v.x);
    store_lanes(to[1] + i, lanes, v.y);
    store_lanes(to[2] + i, lanes, v.z);
}

/* As accelerate does for a block. */
ALWAYS_INLINE vf3 push(const rico__flights *f, uint32_t i, vf3 v)
{
    vf factor = vf_load(f->factor + i);
    return (vf3){(v.x + vf_load(f->push[0] + i)) * factor,
                 (v.y + vf_load(f->push[1] + i)) * factor,
                 (v.z + vf_load(f->push[2] + i)) * factor};
}

ALWAYS_INLINE void aim(rico__flights *f, uint32_t i, vm lanes)
{
    vf dt = vf_load(f->dt + i), per_second = vf_set(1.0f) / dt, drag = vf_load(f->drag + i);
    vf3 v = vf3_load(f->v[0], f->v[1], f->v[2], i), next = push(f, i, v);
    vf3 a = {(next.x - v.x) * per_second, (next.y - v.y) * per_second,
             (next.z - v.z) * per_second};
    vf jerk = drag * vf_sqrt(vf3_dot(a, a)), most = vf_load(f->drift + i);
    store_lanes(f->speed + i, lanes, vf_sqrt(vf3_dot(v, v)));
    store_lanes(f->jerk + i, lanes, jerk);
    store3_lanes(f->a, i, lanes, a);
    store3_lanes(f->v, i, lanes, vf3_mad(v, a, vf_set(0.5f) * dt));
    store_lanes(f->stretch + i, lanes, parabola_time(jerk, most));
    vf end = vf_min(series_time(jerk, drag, most), vf_load(f->life_left + i));
    store_lanes(f->end + i, lanes, end);
    store_lanes(f->cells + i, lanes, vf_set(0.0f));
}

/* --- Following ------------------------------------------------------------------------------ */

/* The series of e^-x (n = 0), of its integral divided by x (1), and of that one's integral
 * divided by x^2 (2): up to x^5. */
ALWAYS_INLINE vf decay(vf x, int n)
{
    static const float over_factorial[] = {1.0f,          1.0f,          1.0f / 2.0f,
                                           1.0f / 6.0f,   1.0f / 24.0f,  1.0f / 120.0f,
                                           1.0f / 720.0f, 1.0f / 5040.0f};
    vf sum = vf_set(over_factorial[n + 5]);
    for (int k = 4; k >= 0; --k)
        sum = vf_set(over_factorial[n + k]) - x * sum;
    return sum;
}

/* Goes to the place on the path at `time`, and to the finest cell there. False where that is
 * too far out for cells: the path is finished. */
ALWAYS_INLINE vm place(rico__flights *f, uint32_t i, vf time, vf rate)
{
    vm inside = vf_ge(time, time);
    vf slow = vf_load(f->drag + i) * time;
    vf fade = decay(slow, 0), once = time * decay(slow, 1);
    vf twice = time * time * decay(slow, 2);
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

/* When x + s t + a t^2 / 2 is half, or -half if it turns round before; s >= 0, and a > 0 where
 * s is 0. The way to there counts as `least` at least. */
ALWAYS_INLINE vf exit_time(vf x, vf s, vf a, vf half, vf least)
{
    vf zero = vf_set(0.0f), two = vf_set(2.0f);
    vf way = vf_max(half - x, least), back = vf_max(half + x, least);
    vf discriminant = s * s + two * a * way;
    vm turns = vf_lt(discriminant, zero);
    /* One root and one division for both, because these take the longest. */
    discriminant = vf_select(turns, s * s - two * a * back, vf_max(discriminant, zero));
    vf sum = s + vf_sqrt(vf_max(discriminant, zero));
    vf out = vf_select(turns, sum, two * way) / vf_select(turns, -a, sum);
    return vf_select(vm_or(turns, vf_gt(sum, zero)), out, vf_set(RICO__NEVER));
}

/* How long paths stay in the cubes, or count as parabolas, if that is shorter. */
ALWAYS_INLINE vf stay(const rico__flights *f, uint32_t i, vf3 center, vf half)
{
    vf zero = vf_set(0.0f), inside = vf_load(f->stretch + i);
    const vf c[3] = {center.x, center.y, center.z};
    for (int k = 0; k < 3; ++k) {
        vf s = vf_load(f->velocity[k] + i), a = vf_load(f->accel[k] + i);
        vf x = vf_load(f->at[k] + i) - c[k];
        vm still = vm_and(vf_le(s, zero), vf_ge(s, zero));
        vm back = vm_or(vf_lt(s, zero), vm_and(still, vf_lt(a, zero)));
        vf side = vf_select(back, vf_set(-1.0f), vf_set(1.0f));
        vf least = vf_abs(c[k]) * vf_set(RICO__BORDER_ROUNDING);
        inside = vf_min(exit_time(x * side, s * side, a * side, half, least), inside);
    }
    return inside;
}

/* The times when paths have just left their cells, or are at their ends. Where a parabola ends
 * within its cell, the path goes on from there at once: neither parabola would meet what is in
 * between. */
ALWAYS_INLINE vf leaving_time(const rico__flights *f, uint32_t i)
{
    vf speed2 = vf_set(0.0f), zero = vf_set(0.0f);
    vf3 center = vf3_load(f->center[0], f->center[1], f->center[2], i);
    vf inside = stay(f, i, center, vf_load(f->half + i));
    for (int k = 0; k < 3; ++k) {
        vf v = vf_load(f->velocity[k] + i) + vf_load(f->accel[k] + i) * inside;
        speed2 = speed2 + v * v;
    }
    vf speed = vf_max(vf_sqrt(speed2), vf_set(RICO__NUDGE_SPEED));
    vm leaves = vf_lt(inside, vf_load(f->stretch + i));
    vf nudge = vf_select(leaves, vf_set(RICO__BORDER_NUDGE) / speed, zero);
    vf time = vf_load(f->time + i) + inside + nudge;
    vf end = vf_load(f->end + i);
    return vf_select(vf_lt(time, end), time, end);
}

/* Coverage's cell: how far it is from geometry, what is noted of it, its box, and its place. */
typedef struct covered {
    vf distance;
    vi notes, box, index; /* beyond the range: of cell 0 */
} covered;

ALWAYS_INLINE covered look_around(const rico__flights *f, uint32_t i,
                                  const rico__coverage *coverage)
{
    vi index = vi_set(0), out = vi_set(0);
    for (int k = 2; k >= 0; --k) {
        vi cell = vi_load(f->finest[k] + i) >> (int)(coverage->shift + RICO__FINEST_LEVEL);
        vi x = cell - vi_set(coverage->lo[k]);
        out = vi_max(vi_max(out, -x), x - vi_set((int32_t)coverage->size[k] - 1));
        index = (vi)((vu)index * (vu)vi_set((int32_t)coverage->size[k]) +
                     (vu)x); /* may wrap if beyond */
    }
    vm beyond = vi_ne(out, vi_set(0));
    index = vi_select(beyond, vi_set(0), index);
    vi word = vi_gather(coverage->cells, index);
    vf near = vi_to_float((word >> (int)RICO__COVERAGE_DISTANCE) & vi_set(255));
    vf far = vf_min(vi_to_float(out), vf_set((float)RICO__COVERAGE_FAR));
    return (covered){vf_select(beyond, far, near), word, vi_gather(coverage->boxes, index),
                     index};
}

/* The lanes in cells of level 1 that are noted as empty. Asked where coverage's cells are not
 * empty. */
ALWAYS_INLINE vm look_closer(const rico__flights *f, uint32_t i, vi notes)
{
    vi bit = vi_set(1 << RICO__NOTE_EMPTY);
    for (int k = 0; k < 3; ++k) {
        vi odd = vi_load(f->finest[k] + i) & vi_set(1 << (RICO__FINEST_LEVEL - 1));
        bit = vi_select(vi_ne(odd, vi_set(0)), bit << vi_set(1 << k), bit);
    }
    return vi_ne(notes & bit, vi_set(0));
}

/* The lanes whose paths keep clear of everything in their cells of coverage. */
ALWAYS_INLINE vm keep_clear(const rico__flights *f, uint32_t i, vi box, vf3 center,
                            const rico__coverage *coverage)
{
    const float edge = coverage->edge, margin = coverage->margin;
    const vf half = vf_set(0.5f * edge), reach = vf_load(f->reach + i), zero = vf_set(0.0f);
    const vf room = vf_set(0.5f * edge + margin);
    const vf step = vf_set((edge + 2.0f * margin) / (float)RICO__BOX_STEPS);
    const vi steps = vi_set(RICO__BOX_STEPS);
    const vf c[3] = {center.x, center.y, center.z};
    vf t = vf_min(stay(f, i, center, half), vf_load(f->end + i) - vf_load(f->time + i));
    vm apart = vf_lt(zero, zero);
    for (int k = 0; k < 3; ++k) {
        vf from = vf_load(f->at[k] + i);
        vf s = vf_load(f->velocity[k] + i), a = vf_load(f->accel[k] + i);
        vf to = from + (s + vf_set(0.5f) * a * t) * t;
        vm turns = vf_lt(s * (s + a * t), zero);
        vf farthest = vf_select(turns, from - vf_set(0.5f) * s * s / a, from);
        vf lo = vf_min(vf_min(from, to), farthest), hi = vf_max(vf_max(from, to), farthest);
        vi before = box >> 2 * RICO__BOX_BITS * k & steps;
        vi after = box >> (2 * k + 1) * RICO__BOX_BITS & steps;
        vf begin = c[k] - room + vi_to_float(before) * step;
        vf end = c[k] + room - vi_to_float(after) * step;
        apart = vm_or(apart, vm_or(vf_lt(hi + reach, begin), vf_gt(lo - reach, end)));
    }
    return apart;
}

/* The lanes enter the cells that they are in. Returns those that surely meet nothing there. */
ALWAYS_INLINE vm enter(rico__flights *f, uint32_t i, vm lanes, covered c,
                       const rico__coverage *coverage)
{
    vm whole = vf_gt(c.distance, vf_set(0.0f));
    vm empty = vm_and(lanes, vm_or(whole, look_closer(f, i, c.notes)));
    int shift = (int)(coverage->shift + RICO__FINEST_LEVEL),
        child = (int)RICO__FINEST_LEVEL - 1;
    vf edge = vf_set(coverage->edge), part = edge * vf_set(0.5f), middle = vf_set(0.5f);
    vf center[3], of_part[3];
    for (int k = 0; k < 3; ++k) {
        vi finest = vi_load(f->finest[k] + i);
        center[k] = (vi_to_float(finest >> shift) + middle) * edge;
        of_part[k] = (vi_to_float(finest >> child) + middle) * part;
    }
    vf3 at = {center[0], center[1], center[2]};
    vf half = (vf_max(c.distance, vf_set(1.0f)) - middle) * edge;
    vm bounded = vm_and(vm_and(lanes, vm_not(empty)), vi_ne(c.box, vi_set(0)));
    if (vm_bits(bounded) != 0) {
        vm by = vm_and(bounded, keep_clear(f, i, c.box, at, coverage));
        whole = vm_or(whole, by);
        empty = vm_or(empty, by);
    }
    vf3 in_part = {of_part[0], of_part[1], of_part[2]};
    store3_lanes(f->center, i, empty, vf3_select(whole, at, in_part));
    store_lanes(f->half + i, empty, vf_select(whole, half, part * middle));
    vi_store(f->covered + i, vi_select(lanes, c.index, vi_load(f->covered + i)));
    return empty;
}

static rico__flown fly(rico__flights *f, uint64_t set, uint64_t starting,
                       const rico__coverage *coverage)
{
    rico__flown flown = {0, 0};
    uint64_t entering = 0;
    for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; i += RICO_LANES) {
        vm lanes = lanes_of(set, i), start = lanes_of(starting, i);
        if (vm_bits(lanes) == 0)
            continue;
        if (vm_bits(start) != 0)
            aim(f, i, start);
        vm leave = vm_and(lanes, vm_not(start));
        vf time = vf_select(leave, leaving_time(f, i), vf_load(f->time + i));
        vf cells = vf_load(f->cells + i) + vf_set(1.0f);
        store_lanes(f->cells + i, leave, cells);
        vf_store(f->time + i, time);
        /* For lanes that stay, the same comes out again. */
        vm goes_on = place(f, i, time, vf_set(coverage->rate));
        vm ends =
            vm_or(vf_ge(time, vf_load(f->end + i)), vf_gt(cells, vf_set(RICO__MOST_CELLS)));
        goes_on = vm_and(goes_on, vm_not(vm_and(leave, ends)));
        flown.finished |= bits_of(vm_and(lanes, vm_not(goes_on)), i);
        entering |= bits_of(vm_and(lanes, goes_on), i);
    }
    /* All at once, and before any is needed, because this waits for memory. */
    covered around[RICO__FLIGHT_COLUMNS / RICO_LANES];
    for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; i += RICO_LANES)
        around[i / RICO_LANES] = look_around(f, i, coverage);
    for (uint32_t i = 0; i < RICO__FLIGHT_COLUMNS; i += RICO_LANES)
        flown.empty |=
            bits_of(enter(f, i, lanes_of(entering, i), around[i / RICO_LANES], coverage), i);
    return flown;
}

#endif
