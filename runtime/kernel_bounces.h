/* kernel_bounces.h - the planes that lanes watch, and how they bounce off these. Included by
 * kernel_body.h. */
#ifndef RICO_KERNEL_BOUNCES_H
#define RICO_KERNEL_BOUNCES_H

#include "kernel_lanes.h"

typedef enum pass {
    PASS_MOVE,
    PASS_FIXED,
    PASS_SINGLE,
    PASS_LEVEL, /* the single plane's normal is an axis, which is passed as the third one */
    PASS_PLANE,
    PASS_GUARD,   /* lanes that hit stay as they were */
    PASS_REBOUND, /* lanes that hit bounce while they have clearance */
    PASS_PLANES,
    PASS_HOLD /* as PASS_PLANES, but no lane bounces */
} pass;

/* The masks of 64 lanes, in registers while these lanes are worked on. */
typedef struct mask_word {
    uint64_t asleep, dead, hit, look, bounced, rebound, ground;
} mask_word;

/* Planes of lanes: where n unit p = offset. */
typedef struct lane_planes {
    vf3 n;
    vf offset;
    float unit;
} lane_planes;

/* Along the normal: the way to contact with the plane, 0 from there on, and the speed. Both are
 * against the normal. A lane that hits has gone the way after way / speed, which is within the
 * step. */
typedef struct plane_test {
    vf way, speed;
    vf depth; /* by how much it is nearer than the radius; of PASS_REBOUND */
    vm hit;
} plane_test;

/* The part of v along n. */
ALWAYS_INLINE vf along_normal(pass kind, vf3 n, vf3 v)
{
    return kind == PASS_LEVEL ? v.z : vf3_dot(n, v);
}

ALWAYS_INLINE plane_test test_plane(pass kind, const lane_planes *plane, vf3 p, vf3 v,
                                    const rico__step *step)
{
    plane_test t;
    vf unit = vf_set(plane->unit);
    vf way = plane->offset + vf_set(step->radius) - along_normal(kind, plane->n, p) * unit;
    t.way = vf_min(way, vf_set(0.0f));
    t.depth = kind == PASS_REBOUND ? vf_max(way, vf_set(0.0f)) : vf_set(0.0f);
    t.speed = along_normal(kind, plane->n, v) * unit;
    t.hit = vm_and(vf_lt(t.speed * vf_set(step->dt), t.way),
                   vf_lt(way, vf_set(step->radius + step->depth)));
    return t;
}

/* What a pass works on, by value: otherwise a store to a stream could be one to these. */
typedef struct pass_context {
    rico__streams s;
    rico__step step;
    rico__impacts impacts;
} pass_context;

typedef struct response {
    vf3 p, v;
    vf after, travel; /* seconds to the contact; the way that is left then */
    vm rests;
} response;

/* What is known of 64 lanes before they move: a constant of their loop. */
typedef enum word_state {
    SOME_ASLEEP,
    ALL_AWAKE,
    /* All are awake. Whether any lane of a vector hits is not worth a branch that often goes
     * the other way. */
    MANY_BOUNCE,
    /* The same, impacts are not asked for, and slow particles may come to rest. */
    MANY_QUIET,
    MANY_LIVELY /* the same, but no particle comes to rest */
} word_state;

/* Whether a bounce must test if it ends in rest. */
ALWAYS_INLINE bool may_rest(word_state who, const rico__step *step)
{
    if (who >= MANY_QUIET)
        return who == MANY_QUIET;
    /* Else the code for rest is placed out of the way. */
    return __builtin_expect(step->rest_speed2 > 0.0f, 1);
}

/* As rico__rebound_speed. speed: along the normal; upright: how far the normal points upwards. */
ALWAYS_INLINE vf rebound_speed(vf speed, vf after, vf upright, const rico__step *step)
{
    vf sink = vf_set(step->fall * step->drag_factor) * upright;
    vf late = sink * (after - vf_set(step->middle));
    vf off = (late - speed) * vf_set(step->restitution);
    return vf_max(off + vf_min(late, off), vf_set(0.0f));
}

/* Goes back from where the step would have ended without the plane, by what the bounce takes
 * off the velocity for the rest of the step. A lane that hits nothing has nothing taken off,
 * and goes where it would have gone, to the bit: x - (+0) is x, -0 too. */
ALWAYS_INLINE response respond(pass kind, word_state who, const plane_test *t, vf3 n, vf3 p,
                               vf3 v, const rico__step *step)
{
    response r;
    vf dt = vf_set(step->dt);
    vf after = t->way / t->speed, left = vf_where(t->hit, dt - after);
    /* All of the velocity is slowed, and its part into the plane is turned round. */
    vf3 hold = {vf_set(step->hold_x), vf_set(step->hold_y), vf_set(step->hold_z)};
    vf upright = along_normal(kind, n, hold), lost = vf_set(1.0f - step->slip);
    vf rebound = rebound_speed(t->speed, after, upright, step);
    vf3 off = vf3_scale(v, lost);
    if (kind == PASS_LEVEL)
        off.z = v.z - rebound;
    else
        off = vf3_mad(off, n, t->speed * vf_set(step->slip) - rebound);
    r.rests = vm_from_bits(0);
    if (may_rest(who, step)) {
        vf3 then = {v.x - off.x, v.y - off.y, v.z - off.z};
        r.rests = vm_and(vm_and(vf_lt(vf3_dot(then, then), vf_set(step->rest_speed2)),
                                vf_gt(upright, vf_set(step->hold_cosine))),
                         t->hit);
        off = vf3_select(r.rests, v, off);
    }
    off = (vf3){vf_where(t->hit, off.x), vf_where(t->hit, off.y), vf_where(t->hit, off.z)};
    r.v = (vf3){v.x - off.x, v.y - off.y, v.z - off.z};
    r.p = (vf3){p.x + v.x * dt - off.x * left, p.y + v.y * dt - off.y * left,
                p.z + v.z * dt - off.z * left};
    if (kind == PASS_REBOUND) { /* rico__contact_place */
        vf far = vf_max(vf_max(vf_abs(p.x), vf_abs(p.y)), vf_abs(p.z));
        r.p = vf3_mad(r.p, n, vf_where(t->hit, vf_min(t->depth, far * vf_set(RICO__PUT_OUT))));
    }
    r.after = after;
    r.travel = vf_sqrt(vf3_dot(r.v, r.v)) * left;
    return r;
}

/* A lane's step: where it goes, and whether it stays as it was. */
typedef struct motion {
    vf3 p, v;
    vm keep;
} motion;

/* The most by which gravity speeds up a particle that bounces on the plane and nowhere else: it
 * falls no farther than the plane goes down on its way. A plane that overhangs lets it fall. */
ALWAYS_INLINE vf fall_along(vf3 n, const rico__step *step)
{
    vf3 hold = {vf_set(step->hold_x), vf_set(step->hold_y), vf_set(step->hold_z)};
    vf upright = vf_max(vf3_dot(n, hold), vf_set(0.0f));
    return vf_set(step->fall) * vf_sqrt(vf_max(vf_set(1.0f) - upright * upright, vf_set(0.0f)));
}

/* How fast it can go along the plane while it hops, if all of the hop is within `left`; else
 * RICO__NEVER. When it comes down again it has only gone that way along the plane, however high
 * it was. */
ALWAYS_INLINE vf hop_rate(vf3 n, vf3 v, vf left, const rico__step *step)
{
    vf3 hold = {vf_set(step->hold_x), vf_set(step->hold_y), vf_set(step->hold_z)};
    vf upright = vf3_dot(n, hold), up = vf3_dot(v, n);
    vf time = vf_set(2.0f) * up / (vf_set(step->fall) * upright) + vf_set(step->dt);
    vf along = vf_sqrt(vf_max(vf3_dot(v, v) - up * up, vf_set(0.0f)));
    vf gain = fall_along(n, step) * time, fastest = along + gain;
    vf way = (along + vf_set(0.5f) * gain) * time, height = vf_set(0.25f) * up * time;
    vm within =
        vm_and(vf_gt(upright, vf_set(0.0f)), vf_lt(way * way + height * height, left * left));
    return vf_select(within, fastest, vf_set(RICO__NEVER));
}

/* Guarded bounces: returns which of the lanes have clearance enough, and stores what remains of
 * it. kernel.h says what the two numbers are. */
ALWAYS_INLINE vm use_clearance(const pass_context *c, uint32_t i, vm lanes, vf age, vf3 n,
                               const response *r, mask_word *m)
{
    uint32_t shift = i % 64;
    const rico__step *step = &c->step;
    if (c->s.until == NULL)
        return vm_from_bits(0);
    const vi upper = vi_set((int32_t)0xffff0000u);
    vi known = (vi)vf_load(c->s.nz_known + i);
    vf until = vf_load(c->s.until + i), clearance = (vf)(known & upper);
    vf left = vf_select(lanes_of(m->rebound, shift), clearance * (until - age),
                        clearance - r->travel);
    lanes = vm_and(lanes, vf_gt(left, vf_set(0.0f)));
    /* It cannot have gone farther within this time: speed t + fall t^2 / 2 = left. */
    vf speed = vf_sqrt(vf3_dot(r->v, r->v)) + vf_set(0.5f * step->fall * step->dt);
    vf fall = fall_along(n, step);
    vf root = vf_sqrt(vf_max(speed * speed + vf_set(2.0f) * fall * left, vf_set(0.0f)));
    vf rate = vf_min(hop_rate(n, r->v, left, step), vf_set(0.5f) * (speed + root));
    rate = vf_max(rate, vf_set(RICO__LEAST_RATE));
    vi rated = (known & ~upper) | ((vi)rate & upper);
    vf_store(c->s.nz_known + i, (vf)vi_select(lanes, rated, known));
    vf_store(c->s.until + i, vf_select(lanes, age + left / rate, until));
    m->rebound |= bits_of(lanes, shift);
    return lanes;
}

/* Normals of length 1. */
ALWAYS_INLINE vf3 unit_normals(pass kind, const lane_planes *plane)
{
    if (kind <= PASS_LEVEL || kind == PASS_PLANES)
        return plane->n;
    vf unit = vf_set(plane->unit);
    vf3 n = {plane->n.x * unit, plane->n.y * unit, plane->n.z * unit};
    vf scale = vf_set(1.5f) - vf_set(0.5f) * vf3_dot(n, n); /* near length 1, that is 1 / length */
    return (vf3){n.x * scale, n.y * scale, n.z * scale};
}

/* The lanes that hit their planes bounce; in PASS_REBOUND, those of them that have clearance. */
ALWAYS_INLINE void bounce(pass kind, word_state who, const pass_context *c, uint32_t i,
                          const lane_planes *plane, const plane_test *t, vf age, vf3 p,
                          motion *to, mask_word *m)
{
    uint32_t shift = i % 64;
    const vf3 n = unit_normals(kind, plane), came = to->v;
    response r = respond(kind, who, t, n, p, came, &c->step);
    vm lanes = t->hit;
    to->p = r.p;
    to->v = r.v;
    if (kind == PASS_REBOUND) {
        lanes = use_clearance(c, i, t->hit, age, n, &r, m);
        vm stays = vm_and(t->hit, vm_not(lanes));
        to->keep = vm_or(to->keep, stays);
        m->hit |= bits_of(stays, shift);
    }
    if (who < MANY_QUIET && c->impacts.time != NULL) {
        vf_store(c->impacts.time + i, r.after / vf_set(c->step.dt));
        vf_store(c->impacts.speed + i, vf_sqrt(vf3_dot(came, came)));
        vf_store(c->impacts.into + i, vf_set(0.0f) - t->speed);
    }
    m->bounced |= bits_of(lanes, shift);
    m->asleep |= bits_of(vm_and(r.rests, lanes), shift);
}

ALWAYS_INLINE lane_planes pick_planes(const rico__palette *palette, vf life)
{
    vi number = (vi)life & vi_set((int32_t)RICO__PALETTE_SIZE - 1);
    return (lane_planes){{vf_pick8(palette->x, number), vf_pick8(palette->y, number),
                          vf_pick8(palette->z, number)},
                         vf_pick8(palette->offset, number),
                         1.0f};
}

/* Own planes, as in own_plane.h. */
ALWAYS_INLINE lane_planes load_own_planes(const rico__streams *s, uint32_t i)
{
    vi xy = (vi)vf_load(s->nxy + i), z = (vi)vf_load(s->nz_known + i);
    return (lane_planes){{vi_to_float((vi)((vu)xy << 16) >> 16), vi_to_float(xy >> 16),
                          vi_to_float((vi)((vu)z << 16) >> 16)},
                         vf_load(s->nd + i),
                         1.0f / RICO__NORMAL_UNIT};
}

ALWAYS_INLINE lane_planes one_plane(const rico__palette *palette, uint32_t number)
{
    return (lane_planes){
        {vf_set(palette->x[number]), vf_set(palette->y[number]), vf_set(palette->z[number])},
        vf_set(palette->offset[number]),
        1.0f};
}

/* The single plane, with its axis as the third one. */
ALWAYS_INLINE lane_planes level_plane(const rico__palette *palette)
{
    vf zero = vf_set(0.0f);
    return (lane_planes){{zero, zero, vf_set(1.0f)}, vf_set(palette->offset[0]), 1.0f};
}

/* The planes that the lanes watch. */
ALWAYS_INLINE lane_planes find_planes(pass kind, const rico__streams *s, uint32_t i, vf life)
{
    if (kind == PASS_LEVEL)
        return level_plane(s->palette);
    if (kind == PASS_SINGLE)
        return one_plane(s->palette, 0);
    if (kind == PASS_FIXED || (kind == PASS_GUARD && s->nxy == NULL))
        return pick_planes(s->palette, life);
    return load_own_planes(s, i);
}

#endif
