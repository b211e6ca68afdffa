/* kernel_births.h - particles that begin: their direction, and where they are at the end of the
 * step. Included by kernel_body.h. The same operations, in the same order, as births.c and
 * emit.c have for one particle. */
#ifndef RICO_KERNEL_BIRTHS_H
#define RICO_KERNEL_BIRTHS_H

#include "kernel_lanes.h"

/* As rico__circle, which says how good it is. */
ALWAYS_INLINE void circle_at(vf u, vf *x, vf *y)
{
    const vi one = vi_set(1);
    vi quarter = vf_to_int(u * vf_set(4.0f));
    vf r = (u * vf_set(4.0f) - vi_to_float(quarter) - vf_set(0.5f)) * vf_set(1.57079633f);
    vf r2 = r * r;
    vf s = vf_set(2.7557319e-6f), c = vf_set(2.4801587e-5f);
    s = s * r2 - vf_set(1.9841270e-4f);
    s = s * r2 + vf_set(8.3333333e-3f);
    s = s * r2 - vf_set(1.6666667e-1f);
    s = r + r * r2 * s;
    c = c * r2 - vf_set(1.3888889e-3f);
    c = c * r2 + vf_set(4.1666667e-2f);
    c = c * r2 - vf_set(0.5f);
    c = vf_set(1.0f) + r2 * c;
    vi odd = -(quarter & one);
    vi along = ((vi)c & odd) | ((vi)s & ~odd), across = ((vi)s & odd) | ((vi)c & ~odd);
    *y = (vf)(along ^ (vi)((vu)(quarter >> 1) << 31));
    *x = (vf)(across ^ (vi)((vu)((quarter + one) >> 1 & one) << 31));
}

/* Uniform over the cone around +z, then turned. */
ALWAYS_INLINE vf3 birth_direction(const rico__newborns *n, uint32_t i)
{
    const vf one = vf_set(1.0f);
    vf3 d;
    d.z = one - vf_load(n->tilt + i) * (one - vf_set(n->lowest));
    vf r = vf_sqrt(vf_max(one - d.z * d.z, vf_set(0.0f)));
    circle_at(vf_load(n->around + i), &d.x, &d.y);
    d.x = r * d.x;
    d.y = r * d.y;
    vf3 u = vf3_set(n->rotation), t = vf3_scale(vf3_cross(u, d), vf_set(2.0f));
    vf3 turned = vf3_mad(d, t, vf_set(n->rotation[3])), more = vf3_cross(u, t);
    return (vf3){turned.x + more.x, turned.y + more.y, turned.z + more.z};
}

/* As rico__fade (free_motion.h), where the series is enough: in the lanes left in *enough. */
ALWAYS_INLINE vf fade_soon(vf x, vm *enough)
{
    const vf one = vf_set(1.0f);
    *enough = vm_and(*enough, vf_lt(x, vf_set(0.0625f)));
    return one - x * (one - x * (vf_set(0.5f) -
                                 x * (vf_set(0.16666667f) - x * vf_set(0.041666668f))));
}

/* Moves on for the rest of the step. False for lanes that need more than that. */
ALWAYS_INLINE vm live_on(const rico__newborns *n, const rico__step *step, vf rest, vf3 *p,
                         vf3 *v)
{
    vf3 pull = vf3_set(n->gravity);
    vf middle = vf_set(0.5f) * (rest + vf_set(step->dt));
    vf3 mean = vf3_mad(*v, pull, middle), after = vf3_mad(*v, pull, rest);
    vm free = vf_ge(rest, rest);
    if (n->drag > 0.0f) {
        vf drag = vf_set(n->drag);
        mean = vf3_scale(mean, fade_soon(drag * middle, &free));
        after = vf3_scale(after, fade_soon(drag * rest, &free));
    }
    if (n->plane) {
        vf3 normal = vf3_set(n->normal);
        vf distance = vf3_dot(normal, *p) - vf_set(n->offset), speed = vf3_dot(normal, mean);
        vm meets = vf_lt(distance + speed * rest, vf_set(step->radius));
        meets = vm_and(meets, vf_lt(speed, vf_set(0.0f)));
        meets = vm_and(meets, vf_gt(distance, vf_set(-step->depth)));
        free = vm_and(free, vm_not(meets));
    }
    *p = vf3_mad(*p, mean, rest);
    *v = after;
    return free;
}

static uint32_t bear(rico__newborns *n, uint32_t count, const rico__step *step)
{
    uint32_t alone = 0;
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        vf rest = vf_load(n->age + i);
        vf3 p = vf3_load(n->p[0], n->p[1], n->p[2], i);
        vf3 d = birth_direction(n, i);
        vf3 v = vf3_mad(vf3_set(n->inherited), d, vf_load(n->speed + i));
        vm free = vf_lt(rest, vf_load(n->life + i));
        if (n->moves_on)
            free = vm_and(free, live_on(n, step, rest, &p, &v));
        vf3_store(n->p[0], n->p[1], n->p[2], i, p);
        vf3_store(n->v[0], n->v[1], n->v[2], i, v);
        alone |= (uint32_t)bits_of(vm_not(free), i);
    }
    return alone & (uint32_t)rico__first_bits(count, 0);
}

#endif
