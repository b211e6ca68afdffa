/* kernel_exact.h - mode exact: steps that surely meet nothing, by extents. Included by kernel_body.h. */
#ifndef RICO_KERNEL_EXACT_H
#define RICO_KERNEL_EXACT_H

#include "kernel_passes.h"

/* Ways are asked about in so many pieces at most, each half as long per axis as this at most; what
 * rounding may add is left. In parts. */
#define MOST_PIECES 4.0f
#define HALF_PIECE 0.3f
#define MOST_ROUNDING (RICO__EXTENT_ROOM - HALF_PIECE)
#define LEAST_ROUNDING (1.0f / 1024.0f)
#define ROUNDING_PER_COORDINATE (1.0f / 2097152.0f)

/* Where contact rays go, in parts. Lanes that are not `valid` are nowhere. */
typedef struct stretch {
    vf3 from, along;
    vf rounding;
    vm valid;
} stretch;

ALWAYS_INLINE vf3 vf3_scale(vf3 a, vf s)
{
    return (vf3){a.x * s, a.y * s, a.z * s};
}

ALWAYS_INLINE vf vf3_sum_abs(vf3 a)
{
    return vf_abs(a.x) + vf_abs(a.y) + vf_abs(a.z);
}

/* As rico__contact_ray: some radii farther than the step. */
ALWAYS_INLINE stretch find_stretch(const rico__extents *x, vf3 p, vf3 v, vf dt, float radius)
{
    stretch w;
    vf rate = vf_set(x->rate), zero = vf_set(0.0f);
    vf length = vf_max(vf_sqrt(vf3_dot(v, v)) * dt, vf_set(1.0e-30f));
    vf reach = vf_set(1.0f) + vf_set(RICO__RAY_REACH_RADII * radius) / length;
    vf3 none = {zero, zero, zero};
    w.from = vf3_scale(p, rate);
    w.along = vf3_scale(v, dt * reach * rate);
    w.rounding = (vf3_sum_abs(w.from) + vf3_sum_abs(w.along)) * vf_set(ROUNDING_PER_COORDINATE);
    w.rounding = w.rounding + vf_set(LEAST_ROUNDING);
    w.valid = vf_lt(w.rounding, vf_set(MOST_ROUNDING));
    w.from = vf3_select(w.valid, w.from, none);
    w.along = vf3_select(w.valid, w.along, none);
    return w;
}

/* Numbers of the words of the cells that parts are in. */
ALWAYS_INLINE vi find_numbers(const rico__extents *x, const vi part[3])
{
    vi index = vi_set(0), out = vi_set(0);
    for (int k = 2; k >= 0; --k) {
        vi at = (part[k] >> (int)RICO__EXTENT_SHIFT) - vi_set(x->lo[k]);
        out = vi_max(vi_max(out, -at), at - vi_set((int32_t)x->size[k] - 1));
        index =
            (vi)((vu)index * (vu)vi_set((int32_t)x->size[k]) + (vu)at); /* may wrap, beyond */
    }
    vm beyond = vi_ne(out, vi_set(0));
    index = vi_select(beyond, vi_set(0), index);
    return vi_select(beyond, vi_set(x->beyond), vi_gather(x->cells, index));
}

/* Whether boxes end before those of the words begin, or the other way round. All in steps. */
ALWAYS_INLINE vm miss(vi words, const vf lo[3], const vf hi[3])
{
    vm apart = vm_from_bits(0);
    for (int k = 0; k < 3; ++k) {
        vi mask = vi_set(RICO__EXTENT_STEPS(k));
        vf begin = vi_to_float((words >> 8 * k) & mask);
        vf end = vi_to_float((words >> (8 * k + RICO__EXTENT_BITS(k))) & mask);
        apart = vm_or(apart, vm_or(vf_lt(hi[k], begin), vf_gt(lo[k], end)));
    }
    return apart;
}

/* The lanes whose piece of a way, by its middle and half its size, meets nothing. unknown: gets those of
 * whose cell nothing is known. */
ALWAYS_INLINE vm piece_is_free(const rico__extents *x, const vf middle[3], const vf half[3],
                               vm *unknown)
{
    const vi in_cell = vi_set((1 << RICO__EXTENT_SHIFT) - 1);
    vi part[3], index = vi_set(0);
    vf lo[3], hi[3];
    for (int k = 2; k >= 0; --k) {
        part[k] = vf_floor_int(middle[k]);
        index = (index << (int)RICO__EXTENT_SHIFT) + (part[k] & in_cell);
        vf at = middle[k] - vi_to_float(part[k]) + vf_set(RICO__EXTENT_ROOM);
        vf per_part = vf_set((float)RICO__EXTENT_STEPS(k) / (1.0f + 2.0f * RICO__EXTENT_ROOM));
        lo[k] = (at - half[k]) * per_part;
        hi[k] = (at + half[k]) * per_part;
    }
    vi number = find_numbers(x, part);
    index = number * vi_set((int32_t)RICO__EXTENT_PARTS) + index;
    *unknown = vm_not(vi_ne(number, vi_set(RICO__EXTENT_UNKNOWN)));
    return miss(vi_gather(x->words, index), lo, hi);
}

/* The lanes, of those given, whose rays surely meet nothing. */
ALWAYS_INLINE vm are_free(const rico__extents *x, const stretch *w, vm lanes, vm *unknown)
{
    vf from[3] = {w->from.x, w->from.y, w->from.z},
       along[3] = {w->along.x, w->along.y, w->along.z};
    vf largest = vf_max(vf_max(vf_abs(along[0]), vf_abs(along[1])), vf_abs(along[2]));
    vf count = vi_to_float(vf_to_int(largest * vf_set(0.5f / HALF_PIECE))) + vf_set(1.0f);
    vf share = vf_set(1.0f) / count, done = vf_set(0.5f);
    vm free = vm_and(lanes, vm_and(w->valid, vf_le(count, vf_set(MOST_PIECES)))), left = free;
    *unknown = vm_from_bits(0);
    while (vm_bits(left) != 0) {
        vf middle[3], half[3];
        vm strange;
        for (int k = 0; k < 3; ++k) {
            middle[k] = from[k] + along[k] * (done * share);
            half[k] = vf_abs(along[k]) * (vf_set(0.5f) * share) + w->rounding;
        }
        vm passes = piece_is_free(x, middle, half, &strange);
        *unknown = vm_or(*unknown, vm_and(left, strange));
        free = vm_and(free, vm_or(passes, vm_not(left)));
        done = done + vf_set(1.0f);
        left = vm_and(free, vf_lt(done, count));
    }
    return free;
}

ALWAYS_INLINE void exact_lanes(const pass_context *c, const rico__extents *x, uint32_t i,
                               mask_word *m)
{
    const rico__streams *s = &c->s;
    uint32_t shift = i % 64;
    const aged a = grow_older(c, i, m);
    vf dt = vf_set(c->step.dt);
    vf3 p = a.p;
    vm moves = vm_not(vm_or(a.dead, lanes_of(m->asleep, shift)));
    vf3 v0 = vf3_load(s->vx, s->vy, s->vz, i);
    vf3 v = vf3_select(moves, accelerate(v0, &c->step), v0);
    stretch w = find_stretch(x, p, v, dt, c->step.radius);
    vm unknown, free = are_free(x, &w, moves, &unknown);
    vf3_store(s->vx, s->vy, s->vz, i, v);
    vf3 to = vf3_select(free, vf3_mad(p, v, dt), p);
    vf3_store(s->px, s->py, s->pz, i, to);
    m->hit |= bits_of(vm_and(moves, vm_not(free)), shift);
    m->look |= bits_of(vm_and(unknown, vm_not(free)), shift);
}

static void pass_exact(const rico__streams *s, uint32_t count, const rico__step *step,
                       const rico__extents *extents, rico__masks *masks)
{
    const pass_context c = {.s = *s, .step = *step};
    const rico__extents x = *extents;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        mask_word m = {.asleep = masks->asleep[w]};
        uint32_t end = count < (w + 1) * 64 ? count : (w + 1) * 64;
        for (uint32_t i = w * 64; i < end; i += RICO_LANES)
            exact_lanes(&c, &x, i, &m);
        uint64_t valid = rico__first_bits(count, w), alive = valid & ~m.dead;
        masks->dead[w] = m.dead & valid;
        masks->asleep[w] = m.asleep & valid;
        masks->hit[w] = m.hit & alive;
        masks->look[w] = m.look & alive;
    }
}

static void clear_ways(const rico__ways *ways, uint32_t count, float radius,
                       const rico__extents *extents, rico__mask clear)
{
    const rico__extents x = *extents;
    for (uint32_t word = 0; word < RICO__MASK_WORDS; ++word) {
        uint32_t end = count < (word + 1) * 64 ? count : (word + 1) * 64;
        uint64_t valid = rico__first_bits(count, word), found = 0;
        for (uint32_t i = word * 64; i < end; i += RICO_LANES) {
            vf3 p = vf3_load(ways->p[0], ways->p[1], ways->p[2], i);
            vf3 v = vf3_load(ways->v[0], ways->v[1], ways->v[2], i);
            stretch w = find_stretch(&x, p, v, vf_load(ways->time + i), radius);
            vm unknown;
            found |= bits_of(are_free(&x, &w, lanes_of(valid, i % 64), &unknown), i % 64);
        }
        clear[word] = found & valid;
    }
}

#endif
