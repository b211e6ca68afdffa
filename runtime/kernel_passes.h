/* kernel_passes.h - what each block goes through in each step: ages, motion, bounces. Included
 * by kernel_body.h. */
#ifndef RICO_KERNEL_PASSES_H
#define RICO_KERNEL_PASSES_H

#include "kernel_bounces.h"

#define WORLD_LIMIT 1.0e6f   /* metres; beyond it a particle is gone */
#define STILL_SPEED 1.0e-12f /* m/s */

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

/* Whether the next step may lead past what is known of the path. */
ALWAYS_INLINE vm is_due(vf age, vf until, const rico__step *step)
{
    return vf_gt(age + vf_set(step->ahead), until);
}

/* near: must be a constant. */
ALWAYS_INLINE void fetch_lines(const rico__streams *s, bool near, uint32_t begin, uint32_t end)
{
    const size_t stride = s->ahead_stride;
    for (uint32_t i = begin; i < end && i < s->ahead_floats; i += 32) {
        const float *line = s->ahead + i;
        const size_t more = i + 16 < s->ahead_floats ? 16 : 0;
        uint32_t k = 0;
        for (; k + 2 <= s->ahead_count; k += 2, line += 2 * stride) {
            fetch_line(line, near);
            fetch_line(line + more, near);
            fetch_line(line + stride, near);
            fetch_line(line + stride + more, near);
        }
        if (k < s->ahead_count) {
            fetch_line(line, near);
            fetch_line(line + more, near);
        }
    }
}

/* Fetches the lines of lanes begin..end of a block that comes soon. A few at a time: all at
 * once, they would wait for each other. */
ALWAYS_INLINE void fetch_ahead(const rico__streams *s, uint32_t begin, uint32_t end)
{
    if (begin >= s->ahead_floats)
        return;
    if (s->ahead_near)
        fetch_lines(s, true, begin, end);
    else
        fetch_lines(s, false, begin, end);
}

/* Every pass begins with this: the lanes grow older, and some of them die. Particles that left
 * the world were given the age for it by tidy. */
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

/* Whether as many lanes bounce as one in every second vector, or more. */
ALWAYS_INLINE bool many_bounce(uint32_t bounces, uint32_t of_lanes)
{
    return bounces * (2 * RICO_LANES) > of_lanes;
}

/* The places and velocities of lanes: six streams, at equal distances. Four registers reach all
 * of them. They are hidden from the compiler, which would make six pointers of them again, and
 * keep these in memory. */
typedef struct moved_streams {
    char *p, *v;             /* of the first axis */
    ptrdiff_t second, third; /* bytes to the others */
} moved_streams;

ALWAYS_INLINE uint32_t axis_after(uint32_t axis)
{
    return axis == 2 ? 0 : axis + 1;
}

/* last: the third axis; the first two are the next ones in cyclic order. */
ALWAYS_INLINE moved_streams moved_of(const rico__streams *s, uint32_t last)
{
    const ptrdiff_t one = (s->py - s->px) * (ptrdiff_t)sizeof(float);
    const ptrdiff_t first = (ptrdiff_t)axis_after(last);
    const ptrdiff_t second = (ptrdiff_t)axis_after(axis_after(last));
    moved_streams g = {(char *)s->px + first * one, (char *)s->vx + first * one,
                       (second - first) * one, ((ptrdiff_t)last - first) * one};
    __asm__("" : "+r"(g.second), "+r"(g.third));
    return g;
}

static void turn3(float *x, float *y, float *z, uint32_t axis)
{
    const float of[3] = {*x, *y, *z};
    *x = of[axis_after(axis)];
    *y = of[axis_after(axis_after(axis))];
    *z = of[axis];
}

static void turn_step(rico__step *step, uint32_t axis)
{
    turn3(&step->gx, &step->gy, &step->gz, axis);
    turn3(&step->hold_x, &step->hold_y, &step->hold_z, axis);
}

ALWAYS_INLINE float *stream_at(char *at)
{
    return (float *)(void *)at;
}

ALWAYS_INLINE vf3 load_places(const moved_streams *g)
{
    return vf3_load(stream_at(g->p), stream_at(g->p + g->second), stream_at(g->p + g->third),
                    0);
}

ALWAYS_INLINE vf3 load_velocities(const moved_streams *g)
{
    return vf3_load(stream_at(g->v), stream_at(g->v + g->second), stream_at(g->v + g->third),
                    0);
}

ALWAYS_INLINE void store_motion(const moved_streams *g, const motion *to)
{
    vf3_store(stream_at(g->p), stream_at(g->p + g->second), stream_at(g->p + g->third), 0,
              to->p);
    vf3_store(stream_at(g->v), stream_at(g->v + g->second), stream_at(g->v + g->third), 0,
              to->v);
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
    if (kind != PASS_MOVE && kind != PASS_SINGLE && kind != PASS_LEVEL)
        plane = find_planes(kind, s, i, vf_load(s->life + i));
    plane_test t = test_plane(kind, &plane, p, v, &c->step);
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

/* Fetches the lines of lane i while ages are worked on: lines that come late then wait beside
 * each other. */
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

/* Those of the lanes that meet planes bounce off the first one, and get its number. */
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
        plane_test of = test_plane(PASS_PLANES, &plane, p, to->v, &c->step);
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
    if (kind == PASS_SINGLE || kind == PASS_LEVEL)
        same = find_planes(kind, &c->s, begin, vf_set(0.0f));
    moved_streams g = moved_of(&c->s, kind == PASS_LEVEL ? c->s.palette->level : 2);
    g.p += begin * sizeof(float);
    g.v += begin * sizeof(float);
    for (uint32_t i = begin; i < end; i += RICO_LANES) {
        if (kind == PASS_PLANES || kind == PASS_HOLD)
            move_among_planes(kind, who, c, i, &g, m);
        else
            move_lanes(kind, who, c, i, &g, &same, m);
        g.p += RICO_LANES * sizeof(float);
        g.v += RICO_LANES * sizeof(float);
    }
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

/* Guard pass: live lanes stay where they are, to be searched; lanes that die go on as usual. */
ALWAYS_INLINE void hold_word(const pass_context *c, uint32_t begin, uint32_t end, mask_word *m)
{
    const uint64_t asleep = m->asleep;
    if (m->dead != 0) {
        m->asleep |= ~m->dead;
        move_word(PASS_GUARD, SOME_ASLEEP, c, begin, end, m);
        m->asleep = asleep;
    }
    m->hit |= ~(asleep | m->dead);
}

/* Clears what all passes write, for a word behind the block's last particle. */
ALWAYS_INLINE void clear_word(rico__masks *masks, uint32_t w)
{
    masks->dead[w] = masks->asleep[w] = masks->hit[w] = masks->look[w] = 0;
}

ALWAYS_INLINE void run_pass(pass kind, const pass_context *context, uint32_t count,
                            rico__masks *masks)
{
    const pass_context c = *context;
    /* The first word goes by the block before, which is taken to be as long. */
    uint32_t last = masks->bounces, of_lanes = count, w = 0;
    masks->bounces = 0;
    memset(masks->dead, 0, sizeof masks->dead);
    memset(masks->bounced, 0, sizeof masks->bounced);
    memset(masks->hit, 0, sizeof masks->hit);
    memset(masks->look, 0, sizeof masks->look);
    for (; w * 64 < count; ++w) {
        mask_word m = {.asleep = masks->asleep[w], .rebound = masks->rebound[w]};
        uint32_t begin = w * 64, end = count < begin + 64 ? count : begin + 64;
        if (kind != PASS_GUARD)
            fetch_ahead(&c.s, begin, begin + 32);
        for (uint32_t i = begin; i < end; i += RICO_LANES) {
            fetch_moved(kind, &c.s, i);
            grow_older(&c, i, &m);
        }
        if (kind != PASS_GUARD)
            fetch_ahead(&c.s, begin + 32, begin + 64);
        if (kind == PASS_GUARD && c.step.chord)
            hold_word(&c, begin, end, &m);
        else if (m.asleep != 0)
            move_word(kind, SOME_ASLEEP, &c, begin, end, &m);
        else if (kind != PASS_MOVE && kind < PASS_GUARD && many_bounce(last, of_lanes))
            move_many(kind, &c, begin, end, &m);
        else
            move_word(kind, ALL_AWAKE, &c, begin, end, &m);
        uint64_t valid = rico__first_bits(count, w), alive = valid & ~m.dead;
        masks->dead[w] = m.dead & valid;
        masks->asleep[w] = m.asleep & valid;
        masks->hit[w] = m.hit & (kind == PASS_GUARD ? valid : alive);
        masks->look[w] = m.look & alive;
        masks->bounced[w] = m.bounced & (kind == PASS_PLANES ? valid : alive);
        last = kind == PASS_MOVE ? 0 : bits_count64(m.bounced & alive);
        masks->bounces += last;
        of_lanes = 64;
        masks->rebound[w] = m.rebound & valid;
    }
    for (; w < RICO__MASK_WORDS; ++w) {
        masks->asleep[w] = masks->rebound[w] = 0;
        __asm__(""); /* for a few words, compilers would call memset twice */
    }
    if (kind != PASS_GUARD) /* the next block may be longer than this one */
        fetch_ahead(&c.s, (count + 63) / 64 * 64, RICO__MAX_BLOCK);
}

static void pass_move(const rico__streams *s, uint32_t count, const rico__step *step,
                      rico__masks *masks)
{
    run_pass(PASS_MOVE, &(pass_context){.s = *s, .step = *step}, count, masks);
}

static void pass_fixed(const rico__streams *s, uint32_t count, const rico__step *step,
                       rico__masks *masks, const rico__impacts *impacts)
{
    /* Copied where it is used, because each of the passes needs only some of it. */
    if (s->palette->level != RICO__NOT_LEVEL) {
        pass_context c = {*s, *step, *impacts};
        turn_step(&c.step, s->palette->level);
        run_pass(PASS_LEVEL, &c, count, masks);
    } else if (s->palette->single) {
        const pass_context c = {*s, *step, *impacts};
        run_pass(PASS_SINGLE, &c, count, masks);
    } else {
        const pass_context c = {*s, *step, *impacts};
        run_pass(PASS_FIXED, &c, count, masks);
    }
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
