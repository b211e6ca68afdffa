/* kernel_forces.h - forces other than gravity on the particles of a block. Included by
 * kernel_body.h. */
#ifndef RICO_KERNEL_FORCES_H
#define RICO_KERNEL_FORCES_H

#include "kernel_lanes.h"

ALWAYS_INLINE vf3 vf3_of(rico_vec3 v)
{
    return (vf3){vf_set(v.x), vf_set(v.y), vf_set(v.z)};
}

ALWAYS_INLINE vf3 vf3_less(vf3 a, vf3 b)
{
    return (vf3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* --- Turbulence --------------------------------------------------------------------------- */

/* Each corner of a lattice has a random vector h. The potential of a corner is that of a
 * rotation about h: h x d / 2 at d from the corner. It is blended between the eight corners of
 * a cell by weights w. Its curl is the sum of h (w + grad w . d / 2) - d (grad w . h) / 2. So
 * the noise is h at each corner, and has no divergence anywhere. The weights are Perlin's
 * (Improving Noise, 2002), with two continuous derivatives. */
typedef struct lattice {
    vu corner[3][2]; /* their part of the hash */
    vf weight[3][2]; /* per axis: of the lower and the upper side */
    vf slope[3];     /* of the upper weight */
    vf away[3][2];   /* from the sides */
} lattice;

ALWAYS_INLINE lattice find_lattice(const rico__force *f, vf3 p)
{
    static const uint32_t primes[3] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du};
    const float shift[3] = {f->shift.x, f->shift.y, f->shift.z};
    const vf at[3] = {p.x, p.y, p.z};
    lattice l;
    RICO_UNROLL
    for (int k = 0; k < 3; ++k) {
        vf x = at[k] * vf_set(f->per_metre) - vf_set(shift[k]);
        x = vf_select(vf_lt(vf_abs(x), vf_set(1.0e9f)), x, vf_set(0.0f));
        vi cell = vf_floor_int(x);
        vf u = x - vi_to_float(cell);
        vu number = (vu)(cell - vi_set(f->cells[k])) * (vu)vi_set((int32_t)primes[k]);
        vf u2 = u * u, less = u - vf_set(1.0f);
        vf up = u2 * u * (u * (u * vf_set(6.0f) - vf_set(15.0f)) + vf_set(10.0f));
        l.corner[k][0] = number;
        l.corner[k][1] = number + (vu)vi_set((int32_t)primes[k]);
        l.weight[k][0] = vf_set(1.0f) - up;
        l.weight[k][1] = up;
        l.slope[k] = vf_set(30.0f) * u2 * (less * less);
        l.away[k][0] = u;
        l.away[k][1] = less;
    }
    return l;
}

/* 1 or -1, by the highest bit. */
ALWAYS_INLINE vf side(vu bits)
{
    return (vf)((vi)(bits & (vu)vi_set(INT32_MIN)) | (vi)vf_set(1.0f));
}

/* The hashes of the eight corners; x changes first. Only the three highest bits of each count. */
ALWAYS_INLINE void hash_corners(const lattice *l, vu hash[8])
{
    RICO_UNROLL
    for (int c = 0; c < 8; ++c) {
        vu n = l->corner[0][c & 1] + l->corner[1][c >> 1 & 1] + l->corner[2][c >> 2];
        hash[c] = (n ^ (n >> 16)) * (vu)vi_set(0x7feb352d);
    }
}

/* One axis's part of all corner vectors. These are diagonals, all of one length, so that the
 * noise is never much more than its mean. at[i][k]: of the lower corners along the axis, by
 * their sides i and k along the next two axes. step: by how much the part of the upper corners
 * is more. */
typedef struct component {
    vf at[2][2], step[2][2];
} component;

ALWAYS_INLINE component component_of(const vu hash[8], int axis)
{
    const int along = 1 << axis, next = 1 << (axis + 1) % 3, after = 1 << (axis + 2) % 3;
    component h;
    RICO_UNROLL
    for (int c = 0; c < 4; ++c) {
        const int i = c & 1, k = c >> 1, lower = i * next + k * after;
        h.at[i][k] = side(hash[lower] << axis);
        h.step[i][k] = side(hash[lower + along] << axis) - h.at[i][k];
    }
    return h;
}

/* The sum over the corners, put together by axes. Let b be an axis, and a and c the others.
 * - Component b of the noise gets that of the corner vectors, blended along b, times the
 *   weights along a and c. To these weights, half the way from the corner is added, times the
 *   slope there.
 * - Components a and c lose what component b of the corner vectors changes by along b, times
 *   the slope along b and half the way from the corner.
 * - What an axis's slope makes of its own component cancels out. */
ALWAYS_INLINE vf3 swirl(const rico__force *f, vf3 p)
{
    const lattice l = find_lattice(f, p);
    vu hash[8];
    vf half_way[3][2], bent[3][2], sum[3];
    hash_corners(&l, hash);
    RICO_UNROLL
    for (int k = 0; k < 3; ++k) {
        sum[k] = vf_set(0.0f);
        const vf lower = vf_set(0.5f) * l.away[k][0], upper = vf_set(0.5f) * l.away[k][1];
        half_way[k][0] = lower * l.weight[k][0];
        half_way[k][1] = upper * l.weight[k][1];
        bent[k][0] = -(lower * l.slope[k]);
        bent[k][1] = upper * l.slope[k];
    }
    RICO_UNROLL
    for (int b = 0; b < 3; ++b) {
        const int a = (b + 1) % 3, c = (b + 2) % 3;
        const component h = component_of(hash, b);
        const vf *wa = l.weight[a], *wc = l.weight[c];
        vf along_a = vf_set(0.0f), along_c[2] = {vf_set(0.0f), vf_set(0.0f)};
        RICO_UNROLL
        for (int i = 0; i < 2; ++i) {
            RICO_UNROLL
            for (int k = 0; k < 2; ++k) {
                vf part = (wa[i] + bent[a][i]) * wc[k] + wa[i] * bent[c][k];
                sum[b] = sum[b] + part * (h.at[i][k] + l.weight[b][1] * h.step[i][k]);
                along_c[k] = along_c[k] + wa[i] * h.step[i][k];
            }
            along_a = along_a + half_way[a][i] * (wc[0] * h.step[i][0] + wc[1] * h.step[i][1]);
        }
        sum[a] = sum[a] - l.slope[b] * along_a;
        sum[c] =
            sum[c] - l.slope[b] * (half_way[c][0] * along_c[0] + half_way[c][1] * along_c[1]);
    }
    return (vf3){sum[0], sum[1], sum[2]};
}

/* --- Each kind ---------------------------------------------------------------------------- */

/* How much of a force acts at p, 0..1. */
ALWAYS_INLINE vf presence(const rico__force *f, vf3 p)
{
    if (f->everywhere)
        return vf_set(1.0f);
    vf3 r = vf3_less(p, vf3_of(f->middle));
    vf x = vf3_dot(r, vf3_of(f->rows[0])), y = vf3_dot(r, vf3_of(f->rows[1]));
    vf z = vf3_dot(r, vf3_of(f->rows[2]));
    vf out = f->ball ? vf_sqrt(x * x + y * y + z * z)
                     : vf_max(vf_max(vf_abs(x), vf_abs(y)), vf_abs(z));
    vf part = (vf_set(1.0f) - out) * vf_set(f->fade);
    return vf_max(vf_min(part, vf_set(1.0f)), vf_set(0.0f));
}

/* v plus `amount` along the direction. */
ALWAYS_INLINE vf3 push_along(vf3 v, vf3 direction, vf amount)
{
    vf length = vf_sqrt(vf3_dot(direction, direction));
    return vf3_mad(v, direction, amount / vf_max(length, vf_set(RICO__FORCE_CORE)));
}

/* The share that a step loses. amount: the loss per second, times the step. By 1 / (1 + x),
 * which is stable. */
ALWAYS_INLINE vf share_of(vf amount)
{
    return amount / (vf_set(1.0f) + amount);
}

ALWAYS_INLINE vf3 circle(const rico__force *f, vf3 r, vf3 v, vf amount, vf part, float dt)
{
    vf3 axis = vf3_of(f->axis);
    vf3 out = vf3_mad(r, axis, -vf3_dot(axis, r)), across = vf3_mad(v, axis, -vf3_dot(axis, v));
    vf3 around = vf3_scale(vf3_cross(axis, r), vf_set(f->speed));
    v = vf3_mad(v, vf3_less(around, across), share_of(amount));
    return vf3_mad(v, out, -(part * vf_set(f->speed * f->speed * dt)));
}

/* Uneven steps: adds what they owe to a particle that has lost `share` of its speed to drag in
 * one. Gravity comes after that, so a fall ends faster in longer steps, by what one step adds.
 * With this it ends as in even steps. */
ALWAYS_INLINE vf3 pay(const rico__forces *f, vf3 v, vf share)
{
    return vf3_mad(v, vf3_of(f->gravity), share * vf_set(f->even_dt - f->dt));
}

ALWAYS_INLINE vf3 act(const rico__force *f, vf3 p, vf3 v, vf part, const rico__forces *all,
                      bool uneven)
{
    const float dt = all->dt;
    vf amount = part * vf_set(f->strength * dt);
    vf3 r = vf3_less(p, vf3_of(f->center)), axis = vf3_of(f->axis);
    switch (f->kind) {
    case RICO_FORCE_DIRECTION:
        return vf3_mad(v, axis, amount);
    case RICO_FORCE_ATTRACTOR:
        return push_along(v, r, -amount);
    case RICO_FORCE_VORTEX:
        return push_along(v, vf3_cross(axis, r), amount);
    case RICO_FORCE_ORBIT:
        return circle(f, r, v, amount, part, dt);
    case RICO_FORCE_DRAG:
        v = vf3_mad(v, vf3_less(vf3_scale(axis, vf_set(f->speed)), v), share_of(amount));
        return uneven ? pay(all, v, share_of(amount)) : v;
    case RICO_FORCE_TURBULENCE:
        return vf3_mad(v, swirl(f, p), amount * vf_set(1.0f / RICO__SWIRL_MEAN));
    default:
        return v;
    }
}

/* --- All ---------------------------------------------------------------------------------- */

/* Drag of the air: v' = -k |v - wind| (v - wind), whose solution over a step is exact. */
ALWAYS_INLINE vf3 slow_by_square(const rico__forces *f, vf3 v, bool uneven)
{
    vf3 wind = vf3_of(f->wind), through = vf3_less(v, wind);
    vf speed = vf_sqrt(vf3_dot(through, through));
    vf rest = vf_set(1.0f) / (vf_set(1.0f) + vf_set(f->drag_quadratic * f->dt) * speed);
    v = vf3_mad(wind, through, rest);
    return uneven ? pay(f, v, vf_set(1.0f) - rest) : v;
}

/* Drag at that age over life. Where that is not a number, it is the drag at birth. */
ALWAYS_INLINE vf drag_over_life(const float *table, vf age, vf life)
{
    const float last = (float)(RICO__TABLE_SIZE - 1);
    vf at = vf_min(vf_max(age / life * vf_set(last), vf_set(0.0f)), vf_set(last));
    vi index = vf_to_int(vf_min(at, vf_set(last - 1.0f)));
    vf here = vf_gather(table, index), next = vf_gather(table + 1, index);
    return here + (next - here) * (at - vi_to_float(index));
}

/* e^-x for x >= 0, as rico__exp. */
ALWAYS_INLINE vf fade(vf x)
{
    x = vf_min(vf_max(x, vf_set(0.0f)), vf_set(87.0f));
    vi n = vf_floor_int(x * vf_set(1.44269504f) + vf_set(0.5f));
    vf whole = vi_to_float(n);
    vf r = (whole * vf_set(0.693359375f) - x) - whole * vf_set(2.12194440e-4f);
    vf p = vf_set(1.3888889e-3f);
    p = p * r + vf_set(8.3333333e-3f);
    p = p * r + vf_set(4.1666667e-2f);
    p = p * r + vf_set(1.6666667e-1f);
    p = p * r + vf_set(0.5f);
    p = r * r * p + r + vf_set(1.0f);
    return p * (vf)((vi_set(127) - n) << 23);
}

/* Uneven steps: what a fall lacks to end as in even ones. As pace.c has it where drag stays the
 * same, with its limits. rest: e^-x. */
ALWAYS_INLINE vf seconds_owed(const rico__forces *f, vf drag, vf rest)
{
    const vf one = vf_set(1.0f), dt = vf_set(f->dt), even_dt = vf_set(f->even_dt);
    vf even = fade(drag * even_dt);
    vf seconds = even_dt * even * (one - rest) / ((one - even) * rest);
    seconds = vf_min(seconds, vf_set(RICO__MOST_GRAVITY) * dt);
    vm strong = vm_and(vf_ge(drag, vf_set(RICO__STRONG_DRAG)), vf_lt(even, one));
    return vf_select(strong, seconds - dt, vf_set(0.0f));
}

/* As if the step did it: applies to the velocity that gravity has already changed. */
ALWAYS_INLINE vf3 slow_over_life(const rico__forces *f, const rico__streams *s, uint32_t i,
                                 vf3 v, bool uneven)
{
    vf3 push = vf3_of(f->push), wind = vf3_of(f->wind);
    vf age = vf_load(s->age + i) + vf_set(0.5f * f->dt);
    vf drag = drag_over_life(f->drags, age, vf_load(s->life + i));
    vf3 through = {v.x + push.x - wind.x, v.y + push.y - wind.y, v.z + push.z - wind.z};
    vf rest = fade(drag * vf_set(f->dt));
    if (uneven)
        through = vf3_mad(through, vf3_of(f->gravity), seconds_owed(f, drag, rest));
    return vf3_mad(vf3_less(wind, push), through, rest);
}

/* Slows v so that what the step will make of it is not faster than the limit. */
ALWAYS_INLINE vf3 limit(const rico__forces *f, vf3 v)
{
    vf3 push = vf3_of(f->push);
    vf factor = vf_set(f->factor), most = vf_set(f->limit_speed);
    vf3 after = vf3_scale((vf3){v.x + push.x, v.y + push.y, v.z + push.z}, factor);
    vf speed = vf_sqrt(vf3_dot(after, after));
    vf3 slower = vf3_less(vf3_scale(after, most / speed / factor), push);
    return vf3_select(vf_gt(speed, most), slower, v);
}

/* Within RICO__MOST_SPEED along each axis; what is not a number, too. */
ALWAYS_INLINE vf3 within(vf3 v)
{
    const vf lo = vf_set(-RICO__MOST_SPEED), hi = vf_set(RICO__MOST_SPEED);
    return (vf3){vf_max(vf_min(v.x, hi), lo), vf_max(vf_min(v.y, hi), lo),
                 vf_max(vf_min(v.z, hi), lo)};
}

ALWAYS_INLINE void force_lanes(const rico__streams *s, const rico__forces *f, uint32_t i,
                               vm awake, bool uneven, vf *most)
{
    vf3 p = vf3_load(s->px, s->py, s->pz, i), v0 = vf3_load(s->vx, s->vy, s->vz, i), v = v0;
    vf sum = vf_set(0.0f);
    for (uint32_t k = 0; k < f->count; ++k) {
        const rico__force *one = f->items[k];
        vf part = presence(one, p);
        sum = sum + part * vf_set(one->most);
        v = act(one, p, v, part, f, uneven);
    }
    if (f->drag_quadratic > 0.0f)
        v = slow_by_square(f, v, uneven);
    if (f->drags != NULL)
        v = slow_over_life(f, s, i, v, uneven);
    if (f->limit_speed > 0.0f)
        v = limit(f, v);
    v = within(v);
    vf3_store(s->vx, s->vy, s->vz, i, vf3_select(awake, v, v0));
    *most = vf_max(vf_select(awake, sum, vf_set(0.0f)), *most);
}

ALWAYS_INLINE float force_all(const rico__streams *streams, uint32_t count,
                              const rico__forces *forces, const uint64_t *asleep, bool uneven)
{
    const rico__streams s = *streams;
    vf most = vf_set(0.0f);
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        uint32_t w = i / 64;
        uint64_t awake = rico__first_bits(count, w) & ~asleep[w];
        vm lanes = lanes_of(awake, i % 64);
        if (vm_bits(lanes) != 0)
            force_lanes(&s, forces, i, lanes, uneven, &most);
    }
    return -vf_least(-most);
}

/* A function of its own, so that even steps do not pay for its registers. */
static __attribute__((noinline)) float force_unevenly(const rico__streams *s, uint32_t count,
                                                      const rico__forces *forces,
                                                      const uint64_t *asleep)
{
    return force_all(s, count, forces, asleep, true);
}

static float force(const rico__streams *s, uint32_t count, const rico__forces *forces,
                   const uint64_t *asleep)
{
    if (forces->even_dt > 0.0f)
        return force_unevenly(s, count, forces, asleep);
    return force_all(s, count, forces, asleep, false);
}

/* The least and the greatest value of a stream; NaN is left out. */
ALWAYS_INLINE void range_of(const float *stream, uint32_t count, float *lo, float *hi)
{
    uint32_t whole = count - count % RICO_LANES;
    vf least = vf_set(RICO__NEVER), most = vf_set(-RICO__NEVER);
    for (uint32_t i = 0; i < whole; i += RICO_LANES) {
        vf x = vf_load(stream + i);
        least = vf_min(x, least);
        most = vf_max(x, most);
    }
    if (whole < count) {
        vm valid = vm_from_bits((1u << (count - whole)) - 1u);
        vf x = vf_load(stream + whole);
        least = vf_select(valid, vf_min(x, least), least);
        most = vf_select(valid, vf_max(x, most), most);
    }
    *lo = vf_least(least);
    *hi = -vf_least(-most);
}

static void bounds(const rico__streams *s, uint32_t count, rico_box *box)
{
    range_of(s->px, count, &box->lo.x, &box->hi.x);
    range_of(s->py, count, &box->lo.y, &box->hi.y);
    range_of(s->pz, count, &box->lo.z, &box->hi.z);
}

#endif
