/* kernel_passes.h - what each block goes through in each step: motion, plane test, bounces. Included by
 * kernel_body.h. */
#ifndef RICO_KERNEL_PASSES_H
#define RICO_KERNEL_PASSES_H

#include "kernel_lanes.h"

#define WORLD_LIMIT 1.0e6f   /* metres; beyond it a particle is gone */
#define STILL_SPEED 1.0e-12f /* m/s */

typedef enum pass {
    PASS_MOVE,
    PASS_FIXED,
    PASS_SINGLE,
    PASS_PLANE,
    PASS_GUARD,   /* who hits stays as it was */
    PASS_REBOUND, /* bounces those, while they have clearance */
    PASS_PLANES,
    PASS_HOLD /* as PASS_PLANES, but nobody bounces */
} pass;

ALWAYS_INLINE vf3 accelerate(vf3 v, const rico__step *step)
{
    vf factor = vf_set(step->drag_factor);
    return (vf3){(v.x + vf_set(step->gx)) * factor, (v.y + vf_set(step->gy)) * factor,
                 (v.z + vf_set(step->gz)) * factor};
}

/* One comparison for all three coordinates; NaN and infinity are outside. */
ALWAYS_INLINE vm outside_world(vf3 p)
{
    return vm_not(vf_lt(vf_abs(p.x) + vf_abs(p.y) + vf_abs(p.z), vf_set(WORLD_LIMIT)));
}

/* The masks of 64 lanes, in registers while those are worked on. */
typedef struct mask_word {
    uint64_t asleep, dead, hit, look, bounced, rebound;
} mask_word;

/* Planes of lanes: where n unit p = offset. */
typedef struct lane_planes {
    vf3 n;
    vf offset;
    float unit;
} lane_planes;

/* Along the normal: the way to contact with the plane, 0 from there on, and the speed. Both are against it: who
 * hits has gone the way after way / speed, which is within the step. */
typedef struct plane_test {
    vf way, speed;
    vm hit;
} plane_test;

ALWAYS_INLINE plane_test test_plane(const lane_planes *plane, vf3 p, vf3 v,
                                    const rico__step *step)
{
    plane_test t;
    vf unit = vf_set(plane->unit);
    vf way = plane->offset + vf_set(step->radius) - vf3_dot(plane->n, p) * unit;
    t.way = vf_min(way, vf_set(0.0f));
    t.speed = vf3_dot(plane->n, v) * unit;
    t.hit = vm_and(vf_lt(t.speed * vf_set(step->dt), t.way),
                   vf_lt(way, vf_set(step->radius + step->depth)));
    return t;
}

/* What a pass works on, by value: a store to a stream could otherwise be one to these. */
typedef struct pass_context {
    rico__streams s;
    rico__step step;
    rico__impacts impacts;
} pass_context;

/* The next step may lead past what is known of the path. */
ALWAYS_INLINE vm is_due(vf age, vf until, const rico__step *step)
{
    return vf_gt(age + vf_set(step->ahead), until);
}

/* near: a constant. */
ALWAYS_INLINE void fetch_lines(const rico__streams *s, bool near, uint32_t begin, uint32_t end)
{
    const size_t stride = s->ahead_stride;
    for (uint32_t i = begin; i < end && i < s->ahead_floats; i += 16) {
        const float *line = s->ahead + i;
        uint32_t k = 0;
        for (; k + 4 <= s->ahead_count; k += 4, line += 4 * stride) {
            fetch_line(line, near);
            fetch_line(line + stride, near);
            fetch_line(line + 2 * stride, near);
            fetch_line(line + 3 * stride, near);
        }
        for (; k < s->ahead_count; ++k, line += stride)
            fetch_line(line, near);
    }
}

/* The lines of lanes begin..end of a block that comes soon: a few now and a few then, because all at once they
 * would wait for each other. */
ALWAYS_INLINE void fetch_ahead(const rico__streams *s, uint32_t begin, uint32_t end)
{
    if (s->ahead == NULL)
        return;
    if (s->ahead_near)
        fetch_lines(s, true, begin, end);
    else
        fetch_lines(s, false, begin, end);
}

typedef struct response {
    vf3 p, v;
    vf after, travel; /* seconds to the contact; the way that is left then */
    vm rests;
} response;

/* What is known of 64 lanes before they move: a constant of their loop. */
typedef enum word_state {
    SOME_ASLEEP,
    ALL_AWAKE,
    MANY_BOUNCE, /* all are awake; whether any of a vector hits is not worth a branch that often goes
                    the other way */
    MANY_QUIET, /* the same, nobody asks for impacts, and whoever is slow comes to rest */
    MANY_LIVELY /* the same, but nobody comes to rest */
} word_state;

/* Whether a bounce must see if it ends in rest. */
ALWAYS_INLINE bool may_rest(word_state who, const rico__step *step)
{
    if (who >= MANY_QUIET)
        return who == MANY_QUIET;
    return __builtin_expect(step->rest_speed2 > 0.0f, 1); /* else it is placed out of the way */
}

/* Contact at the time of impact along the path, then the rest of the step with the new velocity. Who hits
 * nothing has the whole step before it, and none left: it goes where it would have gone, to the bit. */
ALWAYS_INLINE response respond(word_state who, const plane_test *t, vf3 n, vf3 p, vf3 v,
                               const rico__step *step)
{
    response r;
    vf dt = vf_set(step->dt);
    r.after = vf_select(t->hit, t->way / t->speed, dt);
    vf3 contact = vf3_mad(p, v, r.after);
    /* All of the velocity is slowed, and what goes into the plane turned round. */
    vf slip = vf_set(step->slip);
    vf turned = t->speed * vf_set(-step->restitution - step->slip);
    r.v =
        (vf3){v.x * slip + n.x * turned, v.y * slip + n.y * turned, v.z * slip + n.z * turned};
    r.rests = vm_from_bits(0);
    if (may_rest(who, step)) {
        vf3 hold = {vf_set(step->hold_x), vf_set(step->hold_y), vf_set(step->hold_z)};
        r.rests = vm_and(vm_and(vf_lt(vf3_dot(r.v, r.v), vf_set(step->rest_speed2)),
                                vf_gt(vf3_dot(n, hold), vf_set(step->hold_cosine))),
                         t->hit);
        vm goes_on = vm_not(r.rests);
        r.v =
            (vf3){vf_where(goes_on, r.v.x), vf_where(goes_on, r.v.y), vf_where(goes_on, r.v.z)};
    }
    r.v = vf3_select(t->hit, r.v, v);
    vf left = dt - r.after;
    r.p = vf3_mad(contact, r.v, left);
    r.travel = vf_sqrt(vf3_dot(r.v, r.v)) * left;
    return r;
}

/* A lane's step: where it is going, and whether it stays as it was. */
typedef struct motion {
    vf3 p, v;
    vm keep;
} motion;

/* The most by which gravity speeds up a particle that bounces on the plane and nowhere else: it falls no
 * farther than the plane goes down on its way. A plane that overhangs lets it fall. */
ALWAYS_INLINE vf fall_along(vf3 n, const rico__step *step)
{
    vf3 hold = {vf_set(step->hold_x), vf_set(step->hold_y), vf_set(step->hold_z)};
    vf upright = vf_max(vf3_dot(n, hold), vf_set(0.0f));
    return vf_set(step->fall) * vf_sqrt(vf_max(vf_set(1.0f) - upright * upright, vf_set(0.0f)));
}

/* How fast it can go along the plane while it hops, if all of the hop is within `left`; else RICO__NEVER. Where it
 * comes down again it has only gone that way, however high it was. */
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

/* Guarded bounces: which of the lanes have clearance enough, and what remains of it. kernel.h says
 * what the two numbers are. */
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
    /* Within this time it cannot have gone farther: speed t + fall t^2 / 2 = left. */
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

/* Of length 1. */
ALWAYS_INLINE vf3 unit_normals(pass kind, const lane_planes *plane)
{
    if (kind == PASS_FIXED || kind == PASS_SINGLE || kind == PASS_PLANES)
        return plane->n;
    vf unit = vf_set(plane->unit);
    vf3 n = {plane->n.x * unit, plane->n.y * unit, plane->n.z * unit};
    vf scale = vf_set(1.5f) - vf_set(0.5f) * vf3_dot(n, n); /* near to 1, that is 1 / length */
    return (vf3){n.x * scale, n.y * scale, n.z * scale};
}

/* The lanes that hit their planes, or those of them that have clearance, bounce. */
ALWAYS_INLINE void bounce(pass kind, word_state who, const pass_context *c, uint32_t i,
                          const lane_planes *plane, const plane_test *t, vf age, vf3 p,
                          motion *to, mask_word *m)
{
    uint32_t shift = i % 64;
    const vf3 n = unit_normals(kind, plane);
    response r = respond(who, t, n, p, to->v, &c->step);
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
        vf_store(c->impacts.speed + i, -t->speed);
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

/* own_plane.h */
ALWAYS_INLINE lane_planes load_own_planes(const rico__streams *s, uint32_t i)
{
    vi xy = (vi)vf_load(s->nxy + i), z = (vi)vf_load(s->nz_known + i);
    return (lane_planes){{vi_to_float((vi)((vu)xy << 16) >> 16), vi_to_float(xy >> 16),
                          vi_to_float((vi)((vu)z << 16) >> 16)},
                         vf_load(s->nd + i),
                         1.0f / RICO__NORMAL_UNIT};
}

/* What the lanes watch. */
ALWAYS_INLINE lane_planes find_planes(pass kind, const rico__streams *s, uint32_t i, vf life)
{
    if (kind == PASS_SINGLE)
        return (lane_planes){
            {vf_set(s->palette->x[0]), vf_set(s->palette->y[0]), vf_set(s->palette->z[0])},
            vf_set(s->palette->offset[0]),
            1.0f};
    if (kind == PASS_FIXED || (kind == PASS_GUARD && s->nxy == NULL))
        return pick_planes(s->palette, life);
    return load_own_planes(s, i);
}

/* What every pass begins with: the lanes are older, and some of them dead. Who left the world was given the age
 * for it: tidy. */
ALWAYS_INLINE vm grow_older(const pass_context *c, uint32_t i, mask_word *m)
{
    const rico__streams *s = &c->s;
    vf age = vf_load(s->age + i) + vf_set(c->step.dt);
    vf_store(s->age + i, age);
    vm dead = vf_ge(age, vf_load(s->life + i));
    m->dead |= bits_of(dead, i % 64);
    return dead;
}

ALWAYS_INLINE void note_due(const pass_context *c, uint32_t i, vm stays, mask_word *m)
{
    vm due = is_due(vf_load(c->s.age + i), vf_load(c->s.until + i), &c->step);
    m->look |= bits_of(vm_and(due, vm_not(stays)), i % 64);
}

ALWAYS_INLINE bool many_bounce(uint32_t of_word)
{
    return of_word > 32 / RICO_LANES;
}

/* The places and velocities of lanes: six streams, one behind the other. A load adds up to twice or four times a
 * register by itself, so four of them reach all six, and are hidden from the compiler, which would make six
 * pointers of them again; those then went to memory and back. */
typedef struct moved_streams {
    char *px;
    size_t one, three, five; /* bytes from stream to stream */
} moved_streams;

ALWAYS_INLINE moved_streams moved_of(const rico__streams *s)
{
    const size_t one = (size_t)(s->py - s->px) * sizeof(float);
    moved_streams g = {(char *)s->px, one, 3 * one, 5 * one};
    __asm__("" : "+r"(g.one), "+r"(g.three), "+r"(g.five));
    return g;
}

ALWAYS_INLINE float *stream_at(char *at)
{
    return (float *)(void *)at;
}

ALWAYS_INLINE vf3 load_places(const moved_streams *g)
{
    return vf3_load(stream_at(g->px), stream_at(g->px + g->one), stream_at(g->px + 2 * g->one),
                    0);
}

ALWAYS_INLINE vf3 load_velocities(const moved_streams *g)
{
    return vf3_load(stream_at(g->px + g->three), stream_at(g->px + 4 * g->one),
                    stream_at(g->px + g->five), 0);
}

ALWAYS_INLINE void store_motion(const moved_streams *g, const motion *to)
{
    vf3_store(stream_at(g->px), stream_at(g->px + g->one), stream_at(g->px + 2 * g->one), 0,
              to->p);
    vf3_store(stream_at(g->px + g->three), stream_at(g->px + 4 * g->one),
              stream_at(g->px + g->five), 0, to->v);
}

ALWAYS_INLINE void move_lanes(pass kind, word_state who, const pass_context *c, uint32_t i,
                              const moved_streams *g, const lane_planes *same, mask_word *m)
{
    const rico__streams *s = &c->s;
    const uint32_t shift = i % 64;
    vf3 p = load_places(g);
    vf3 v = accelerate(load_velocities(g), &c->step);
    motion to = {.v = v,
                 .keep = who == SOME_ASLEEP ? lanes_of(m->asleep, shift) : vm_from_bits(0)};
    lane_planes plane = *same;
    if (kind != PASS_MOVE && kind != PASS_SINGLE)
        plane = find_planes(kind, s, i, vf_load(s->life + i));
    plane_test t = test_plane(&plane, p, v, &c->step);
    if (who == SOME_ASLEEP)
        t.hit = vm_and(t.hit, vm_not(to.keep));
    if (kind == PASS_GUARD) {
        to.p = vf3_mad(p, v, vf_set(c->step.dt));
        to.keep = vm_or(to.keep, t.hit);
        m->hit |= bits_of(t.hit, shift);
    } else if (kind == PASS_REBOUND ||
               (kind != PASS_MOVE && (who >= MANY_BOUNCE || vm_bits(t.hit) != 0)))
        bounce(kind, who, c, i, &plane, &t, vf_load(s->age + i), p, &to, m);
    else
        to.p = vf3_mad(p, v, vf_set(c->step.dt));
    if (kind == PASS_GUARD || kind == PASS_REBOUND ||
        (who == SOME_ASLEEP && vm_bits(to.keep) != 0)) {
        to.p = vf3_select(to.keep, p, to.p);
        to.v = vf3_select(to.keep, load_velocities(g), to.v);
    }
    store_motion(g, &to);
    if ((kind == PASS_GUARD || kind == PASS_REBOUND) && s->until != NULL)
        note_due(c, i, vm_or(lanes_of(m->asleep, shift), lanes_of(m->hit, shift)), m);
}

ALWAYS_INLINE lane_planes one_plane(const rico__palette *palette, uint32_t number)
{
    return (lane_planes){
        {vf_set(palette->x[number]), vf_set(palette->y[number]), vf_set(palette->z[number])},
        vf_set(palette->offset[number]),
        1.0f};
}

/* The line of lane i is on its way while ages are worked on: what comes late then waits beside the others. */
ALWAYS_INLINE void fetch_moved(pass kind, const rico__streams *s, uint32_t i)
{
    if (RICO_LANES < 16 && i % 16 != 0)
        return;
    fetch_line(s->px + i, true);
    fetch_line(s->py + i, true);
    fetch_line(s->pz + i, true);
    fetch_line(s->vx + i, true);
    fetch_line(s->vy + i, true);
    fetch_line(s->vz + i, true);
    if ((kind != PASS_PLANE && kind != PASS_GUARD) || s->nxy == NULL)
        return;
    fetch_line(s->nxy + i, true);
    fetch_line(s->nz_known + i, true);
    fetch_line(s->nd + i, true);
    if (kind == PASS_GUARD && s->until != NULL)
        fetch_line(s->until + i, true);
}

/* The lanes whose step ends behind any of the planes. */
ALWAYS_INLINE vm ends_behind(const rico__palette *palette, vf3 to, vf radius)
{
    vm behind = vm_from_bits(0);
    for (uint32_t k = 0; k < palette->count; ++k) {
        lane_planes plane = one_plane(palette, k);
        behind = vm_or(behind, vf_lt(vf3_dot(plane.n, to) - plane.offset, radius));
    }
    return behind;
}

/* Those of the lanes that meet planes bounce off the first one, and have its number. */
ALWAYS_INLINE void bounce_off_first(const pass_context *c, uint32_t i, vm lanes, vf3 p,
                                    motion *to, mask_word *m)
{
    const rico__streams *s = &c->s;
    const vi ones = vi_set((int32_t)RICO__PALETTE_SIZE - 1);
    vi life = (vi)vf_load(s->life + i), number = life & ones;
    lane_planes first = one_plane(s->palette, 0);
    plane_test t = {.hit = vm_from_bits(0)};
    vf soonest = vf_set(RICO__NEVER);
    for (uint32_t k = 0; k < s->palette->count; ++k) {
        lane_planes plane = one_plane(s->palette, k);
        plane_test of = test_plane(&plane, p, to->v, &c->step);
        vf after = of.way / of.speed;
        vm sooner = vm_and(vm_and(of.hit, lanes), vf_lt(after, soonest));
        soonest = vf_select(sooner, after, soonest);
        first.n = vf3_select(sooner, plane.n, first.n);
        t.way = vf_select(sooner, of.way, t.way);
        t.speed = vf_select(sooner, of.speed, t.speed);
        t.hit = vm_or(t.hit, sooner);
        number = vi_select(sooner, vi_set((int32_t)k), number);
    }
    vf_store(s->life + i, (vf)((life & ~ones) | number));
    bounce(PASS_PLANES, ALL_AWAKE, c, i, &first, &t, vf_set(0.0f), p, to, m);
}

ALWAYS_INLINE void move_among_planes(pass kind, word_state who, const pass_context *c,
                                     uint32_t i, const moved_streams *g, mask_word *m)
{
    const rico__streams *s = &c->s;
    const uint32_t shift = i % 64;
    vf3 p = load_places(g), old = load_velocities(g);
    vf3 v = accelerate(old, &c->step);
    motion to = {vf3_mad(p, v, vf_set(c->step.dt)), v, vm_from_bits(0)};
    vm lanes = ends_behind(s->palette, to.p, vf_set(c->step.radius));
    if (who == SOME_ASLEEP) {
        to.keep = lanes_of(m->asleep, shift);
        lanes = vm_and(lanes, vm_not(to.keep));
    }
    if (kind == PASS_HOLD) {
        to.keep = vm_or(to.keep, lanes);
        m->hit |= bits_of(lanes, shift);
    } else if (vm_bits(lanes) != 0) {
        bounce_off_first(c, i, lanes, p, &to, m);
    }
    if (who == SOME_ASLEEP || kind == PASS_HOLD) {
        to.p = vf3_select(to.keep, p, to.p);
        to.v = vf3_select(to.keep, old, to.v);
    }
    store_motion(g, &to);
}

ALWAYS_INLINE void move_word(pass kind, word_state who, const pass_context *c, uint32_t begin,
                             uint32_t end, mask_word *m)
{
    lane_planes same = {.unit = 1.0f};
    if (kind == PASS_SINGLE)
        same = find_planes(kind, &c->s, begin, vf_set(0.0f));
    moved_streams g = moved_of(&c->s);
    g.px += begin * sizeof(float);
    for (uint32_t i = begin; i < end; i += RICO_LANES, g.px += RICO_LANES * sizeof(float))
        if (kind == PASS_PLANES || kind == PASS_HOLD)
            move_among_planes(kind, who, c, i, &g, m);
        else
            move_lanes(kind, who, c, i, &g, &same, m);
}

ALWAYS_INLINE void move_many(pass kind, const pass_context *c, uint32_t begin, uint32_t end,
                             mask_word *m)
{
    if (c->impacts.time != NULL)
        move_word(kind, MANY_BOUNCE, c, begin, end, m);
    else if (c->step.rest_speed2 > 0.0f)
        move_word(kind, MANY_QUIET, c, begin, end, m);
    else
        move_word(kind, MANY_LIVELY, c, begin, end, m);
}

ALWAYS_INLINE void run_pass(pass kind, const pass_context *context, uint32_t count,
                            rico__masks *masks)
{
    const pass_context c = *context;
    uint32_t last = masks->bounces / RICO__MASK_WORDS;
    masks->bounces = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        mask_word m = {.asleep = masks->asleep[w], .rebound = masks->rebound[w]};
        uint32_t begin = w * 64, end = count < begin + 64 ? count : begin + 64;
        fetch_ahead(&c.s, begin, begin + 32);
        for (uint32_t i = begin; i < end; i += RICO_LANES) {
            fetch_moved(kind, &c.s, i);
            grow_older(&c, i, &m);
        }
        fetch_ahead(&c.s, begin + 32, begin + 64);
        if (m.asleep != 0)
            move_word(kind, SOME_ASLEEP, &c, begin, end, &m);
        else if (kind != PASS_MOVE && kind < PASS_GUARD && many_bounce(last))
            move_many(kind, &c, begin, end, &m);
        else
            move_word(kind, ALL_AWAKE, &c, begin, end, &m);
        uint64_t valid = rico__first_bits(count, w), alive = valid & ~m.dead;
        masks->dead[w] = m.dead & valid;
        masks->asleep[w] = m.asleep & valid;
        masks->hit[w] = m.hit & (kind == PASS_GUARD ? valid : alive);
        masks->look[w] = m.look & alive;
        masks->bounced[w] = m.bounced & alive;
        last = kind == PASS_MOVE ? 0 : bits_count64(m.bounced & alive);
        masks->bounces += last;
        masks->rebound[w] = m.rebound & valid;
    }
}

static void pass_move(const rico__streams *s, uint32_t count, const rico__step *step,
                      rico__masks *masks)
{
    run_pass(PASS_MOVE, &(pass_context){.s = *s, .step = *step}, count, masks);
}

static void pass_fixed(const rico__streams *s, uint32_t count, const rico__step *step,
                       rico__masks *masks, const rico__impacts *impacts)
{
    if (s->palette->single)
        run_pass(PASS_SINGLE, &(pass_context){*s, *step, *impacts}, count, masks);
    else
        run_pass(PASS_FIXED, &(pass_context){*s, *step, *impacts}, count, masks);
}

static void pass_planes(const rico__streams *s, uint32_t count, const rico__step *step,
                        rico__masks *masks, const rico__impacts *impacts)
{
    if (impacts == NULL)
        run_pass(PASS_HOLD, &(pass_context){.s = *s, .step = *step}, count, masks);
    else
        run_pass(PASS_PLANES, &(pass_context){*s, *step, *impacts}, count, masks);
}

static void pass_plane(const rico__streams *s, uint32_t count, const rico__step *step,
                       rico__masks *masks, const rico__impacts *impacts)
{
    run_pass(PASS_PLANE, &(pass_context){*s, *step, *impacts}, count, masks);
}

ALWAYS_INLINE void stop_axis(float *speeds, uint32_t i)
{
    vf v = vf_load(speeds + i);
    vf_store(speeds + i, vf_where(vf_gt(vf_abs(v), vf_set(STILL_SPEED)), v));
}

static void tidy(const rico__streams *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        vf age = vf_load(s->age + i), life = vf_load(s->life + i);
        vm gone = outside_world(vf3_load(s->px, s->py, s->pz, i));
        vf_store(s->age + i, vf_select(gone, life, age));
        stop_axis(s->vx, i);
        stop_axis(s->vy, i);
        stop_axis(s->vz, i);
    }
}

#endif
