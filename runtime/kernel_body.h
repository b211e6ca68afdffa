/* kernel_body.h - the inner loops, written once.
 *
 * Included by kernel_<isa>.c, which defines RICO_LANES and KERNEL(name) before. Each lane does
 * the same operations in the same order whatever the lane count, so all ISAs give the same bits.
 * Lanes past `count` hold stale values: they are computed with and never reported.
 */
#include "kernel.h"
#include "simd.h"

#include <stddef.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define WORLD_LIMIT 1.0e6f /* metres; beyond it a particle is gone */
#define CELL_LIMIT 5.0e5f  /* cells; keeps the conversion to integers defined */
#define STILL_SPEED                                                                            \
    1.0e-12f /* m/s; slower is zero: drag must not make denormals, which cost 5x */

typedef enum pass { PASS_MOVE, PASS_PLANE, PASS_GUARD, PASS_AGE } pass;

typedef struct vf3 {
    vf x, y, z;
} vf3;

ALWAYS_INLINE vf3 vf3_load(const float *x, const float *y, const float *z, uint32_t i)
{
    return (vf3){vf_load(x + i), vf_load(y + i), vf_load(z + i)};
}

ALWAYS_INLINE void vf3_store(float *x, float *y, float *z, uint32_t i, vf3 v)
{
    vf_store(x + i, v.x);
    vf_store(y + i, v.y);
    vf_store(z + i, v.z);
}

ALWAYS_INLINE vf vf3_dot(vf3 a, vf3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

ALWAYS_INLINE vf3 vf3_mad(vf3 a, vf3 b, vf s)
{
    return (vf3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

ALWAYS_INLINE vf3 vf3_select(vm mask, vf3 yes, vf3 no)
{
    return (vf3){vf_select(mask, yes.x, no.x), vf_select(mask, yes.y, no.y),
                 vf_select(mask, yes.z, no.z)};
}

ALWAYS_INLINE vf flush(vf v)
{
    return vf_select(vf_gt(vf_abs(v), vf_set(STILL_SPEED)), v, vf_set(0.0f));
}

ALWAYS_INLINE vf3 accelerate(vf3 v, const rico__step *step)
{
    vf factor = vf_set(step->drag_factor);
    return (vf3){flush((v.x + vf_set(step->gx)) * factor),
                 flush((v.y + vf_set(step->gy)) * factor),
                 flush((v.z + vf_set(step->gz)) * factor)};
}

/* One comparison for all three coordinates; NaN and infinity are outside. */
ALWAYS_INLINE vm outside_world(vf3 p)
{
    return vm_not(vf_lt(vf_abs(p.x) + vf_abs(p.y) + vf_abs(p.z), vf_set(WORLD_LIMIT)));
}

ALWAYS_INLINE vi cell_of(vf p, vf rate)
{
    vf cell = p * rate;
    cell = vf_max(cell, vf_set(-CELL_LIMIT));
    cell = vf_min(cell, vf_set(CELL_LIMIT));
    return vf_floor_int(cell);
}

/* The masks of 64 lanes, in registers while those are worked on. */
typedef struct mask_word {
    uint64_t asleep, dead, hit, moved, bounced, rebound, level[2], choose;
} mask_word;

/* Mask of the lanes whose bits are set from lane `shift` of the word on. */
ALWAYS_INLINE vm lanes_of(uint64_t word, uint32_t shift)
{
    const uint32_t lane_bits = (1u << RICO_LANES) - 1u;
    return vm_from_bits((uint32_t)(word >> shift) & lane_bits);
}

ALWAYS_INLINE uint64_t bits_of(vm mask, uint32_t shift)
{
    return (uint64_t)vm_bits(mask) << shift;
}

/* Cells per metre of each lane's level. */
ALWAYS_INLINE vf cell_rates(const mask_word *m, uint32_t shift, const rico__step *step)
{
    vf rate = vf_set(step->cell_rate);
    rate = vf_select(lanes_of(m->level[0], shift), rate * vf_set(2.0f), rate);
    return vf_select(lanes_of(m->level[1], shift), rate * vf_set(4.0f), rate);
}

ALWAYS_INLINE vm other_cell(vf3 from, vf3 to, vf rate)
{
    return vm_or(vm_or(vi_ne(cell_of(from.x, rate), cell_of(to.x, rate)),
                       vi_ne(cell_of(from.y, rate), cell_of(to.y, rate))),
                 vi_ne(cell_of(from.z, rate), cell_of(to.z, rate)));
}

/* Distance to the plane now, and its change over the step. */
typedef struct plane_test {
    vf3 n;
    vf distance, speed; /* speed along the normal */
    vm hit;
} plane_test;

ALWAYS_INLINE plane_test test_plane(const rico__streams *s, uint32_t i, vf3 p, vf3 v,
                                    const rico__step *step)
{
    plane_test t;
    t.n = vf3_load(s->nx, s->ny, s->nz, i);
    t.distance = vf3_dot(t.n, p) - vf_load(s->nd + i);
    t.speed = vf3_dot(t.n, v);
    vf after = t.distance + t.speed * vf_set(step->dt);
    t.hit = vm_and(vm_and(vf_lt(after, vf_set(step->radius)), vf_lt(t.speed, vf_set(0.0f))),
                   vf_gt(t.distance, vf_set(-step->depth)));
    return t;
}

typedef struct response {
    vf3 p, v;
    vf time;
    vm rests;
} response;

/* Contact at the time of impact along the path, then the rest of the step with the new
 * velocity. Lanes that did not hit carry garbage here. */
ALWAYS_INLINE response respond(const plane_test *t, vf3 p, vf3 v, const rico__step *step)
{
    response r;
    vf dt = vf_set(step->dt);
    vf time = (vf_set(step->radius) - t->distance) / (t->speed * dt);
    time = vf_max(vf_min(time, vf_set(1.0f)), vf_set(0.0f));
    r.time = time;
    vf3 contact = vf3_mad(p, v, time * dt);
    vf3 tangential = vf3_mad(v, t->n, -t->speed);
    vf slip = vf_set(step->slip);
    vf normal_speed = t->speed * vf_set(-step->restitution);
    r.v = (vf3){tangential.x * slip + t->n.x * normal_speed,
                tangential.y * slip + t->n.y * normal_speed,
                tangential.z * slip + t->n.z * normal_speed};
    vf3 hold = {vf_set(step->hold_x), vf_set(step->hold_y), vf_set(step->hold_z)};
    r.rests = vm_and(vf_lt(vf3_dot(r.v, r.v), vf_set(step->rest_speed2)),
                     vf_gt(vf3_dot(t->n, hold), vf_set(0.7f)));
    vf3 zero = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
    r.v = vf3_select(r.rests, zero, r.v);
    r.p = vf3_mad(contact, r.v, (vf_set(1.0f) - time) * dt);
    return r;
}

/* What a pass works on, by value: a store to a stream could otherwise be one to these. */
typedef struct pass_context {
    rico__streams s;
    rico__step step;
    float *impact_time, *impact_speed;
} pass_context;

/* A lane's step: where it is going, and whether it stays as it was. */
typedef struct motion {
    vf3 p, v;
    vm keep;
} motion;

ALWAYS_INLINE void bounce(const pass_context *c, uint32_t i, vm bounces, const plane_test *t,
                          vf3 p, vf3 v, motion *to, mask_word *m)
{
    uint32_t shift = i % 64;
    uint64_t bits = bits_of(bounces, shift);
    if (bits == 0)
        return;
    response r = respond(t, p, v, &c->step);
    to->p = vf3_select(bounces, r.p, to->p);
    to->v = vf3_select(bounces, r.v, to->v);
    vf_store(c->impact_time + i, r.time);
    vf_store(c->impact_speed + i, -t->speed);
    m->asleep |= bits_of(vm_and(r.rests, bounces), shift);
    m->bounced |= bits;
    m->rebound |= bits;
}

ALWAYS_INLINE void guard(const pass_context *c, uint32_t i, const plane_test *t, vm asleep,
                         vf3 p, vf3 v, motion *to, mask_word *m)
{
    uint32_t shift = i % 64;
    vf3 path = {to->p.x - p.x, to->p.y - p.y, to->p.z - p.z};
    vf length2 = vf3_dot(path, path);
    vf clearance = vf_load(c->s.clearance + i) - vf_sqrt(length2);
    vf_store(c->s.clearance + i, clearance);
    vm fast = vf_gt(length2, vf_set(c->step.fast_step2));
    vm clear = vm_and(vf_gt(clearance, vf_set(0.0f)), vm_not(fast));
    vm awake = vm_not(asleep);
    vm hit = vm_and(vm_or(vm_and(t->hit, vm_not(clear)), fast), awake);
    m->hit |= bits_of(hit, shift);
    to->keep = vm_or(to->keep, hit);
    bounce(c, i, vm_and(vm_and(t->hit, clear), awake), t, p, v, to, m);
    vm rebound = lanes_of(m->rebound, shift), goes = vm_not(to->keep);
    vm crossed = vm_and(other_cell(p, to->p, cell_rates(m, shift, &c->step)), goes);
    m->moved |= bits_of(vm_and(crossed, vm_not(rebound)), shift);
    m->choose |= bits_of(vm_and(vm_and(rebound, goes), vm_or(crossed, vm_not(clear))), shift);
}

/* One cache line of each stream of the block that comes next, at lane i: spread over the pass,
 * because all at once they would wait for each other. */
ALWAYS_INLINE void fetch_ahead(const rico__streams *s, uint32_t i)
{
    if (s->ahead == NULL || i % 16 != 0)
        return;
    const float *line = s->ahead + i;
    for (uint32_t k = 0; k < s->ahead_count; ++k, line += s->ahead_stride)
        __builtin_prefetch(line, 1);
}

ALWAYS_INLINE void pass_lanes(pass kind, const pass_context *c, uint32_t i, mask_word *m)
{
    const rico__streams *s = &c->s;
    uint32_t shift = i % 64;
    fetch_ahead(s, i);
    vf dt = vf_set(c->step.dt);
    vf age = vf_load(s->age + i) + dt;
    vf_store(s->age + i, age);
    vf3 p = vf3_load(s->px, s->py, s->pz, i);
    m->dead |= bits_of(vm_or(vf_ge(age, vf_load(s->life + i)), outside_world(p)), shift);
    if (kind == PASS_AGE)
        return;
    vm asleep = lanes_of(m->asleep, shift);
    vf3 v0 = vf3_load(s->vx, s->vy, s->vz, i);
    vf3 v = accelerate(v0, &c->step);
    motion to = {vf3_mad(p, v, dt), v, asleep};
    if (kind == PASS_PLANE || kind == PASS_GUARD) {
        plane_test t = test_plane(s, i, p, v, &c->step);
        if (kind == PASS_PLANE)
            bounce(c, i, vm_and(t.hit, vm_not(asleep)), &t, p, v, &to, m);
        else
            guard(c, i, &t, asleep, p, v, &to, m);
    }
    vf3_store(s->px, s->py, s->pz, i, vf3_select(to.keep, p, to.p));
    vf3_store(s->vx, s->vy, s->vz, i, vf3_select(to.keep, v0, to.v));
}

/* Bits of word w that are below count. */
ALWAYS_INLINE uint64_t valid_lanes(uint32_t count, uint32_t w)
{
    if (count >= (w + 1) * 64)
        return UINT64_MAX;
    return count <= w * 64 ? 0 : ((uint64_t)1 << (count - w * 64)) - 1;
}

ALWAYS_INLINE void run_pass(pass kind, const pass_context *context, uint32_t count,
                            rico__masks *masks)
{
    const pass_context c = *context;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        mask_word m = {.asleep = masks->asleep[w],
                       .rebound = masks->rebound[w],
                       .level = {masks->level[0][w], masks->level[1][w]}};
        uint32_t end = count < (w + 1) * 64 ? count : (w + 1) * 64;
        for (uint32_t i = w * 64; i < end; i += RICO_LANES)
            pass_lanes(kind, &c, i, &m);
        uint64_t valid = valid_lanes(count, w), alive = valid & ~m.dead;
        masks->dead[w] = m.dead & valid;
        masks->asleep[w] = m.asleep & valid;
        masks->rebound[w] = m.rebound & valid;
        masks->hit[w] = m.hit & alive;
        masks->moved[w] = m.moved & alive;
        masks->bounced[w] = m.bounced & alive;
        masks->choose[w] = m.choose & alive;
    }
}

static void pass_move(const rico__streams *s, uint32_t count, const rico__step *step,
                      rico__masks *masks)
{
    run_pass(PASS_MOVE, &(pass_context){*s, *step, NULL, NULL}, count, masks);
}

static void pass_plane(const rico__streams *s, uint32_t count, const rico__step *step,
                       rico__masks *masks, float *impact_time, float *impact_speed)
{
    run_pass(PASS_PLANE, &(pass_context){*s, *step, impact_time, impact_speed}, count, masks);
}

static void pass_guard(const rico__streams *s, uint32_t count, const rico__step *step,
                       rico__masks *masks, float *impact_time, float *impact_speed)
{
    run_pass(PASS_GUARD, &(pass_context){*s, *step, impact_time, impact_speed}, count, masks);
}

static void pass_age(const rico__streams *s, uint32_t count, const rico__step *step,
                     rico__masks *masks)
{
    run_pass(PASS_AGE, &(pass_context){*s, *step, NULL, NULL}, count, masks);
}

static void curve_index(const float *age, const float *life, uint32_t count, uint32_t entries,
                        int32_t *index)
{
    vf scale = vf_set((float)entries), top = vf_set((float)(entries - 1));
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        vf entry = vf_load(age + i) / vf_load(life + i) * scale;
        entry = vf_max(entry, vf_set(0.0f));
        vi result = vf_to_int(vf_min(entry, top));
        memcpy(index + i, &result, sizeof result);
    }
}

/* Distances, speeds and accelerations of a path towards planes, seen from the side it is on. */
typedef struct approach {
    vf distance, speed, accel; /* distance: to contact */
} approach;

ALWAYS_INLINE vf3 vf3_set(const float *v)
{
    return (vf3){vf_set(v[0]), vf_set(v[1]), vf_set(v[2])};
}

ALWAYS_INLINE approach approach_planes(const rico__surfaces *surfaces, const rico__path *path,
                                       vf3 n, uint32_t i)
{
    vf distance = vf3_dot(n, vf3_set(path->p)) - vf_load(surfaces->offset + i);
    vf side = vf_select(vf_lt(distance, vf_set(0.0f)), vf_set(-1.0f), vf_set(1.0f));
    return (approach){distance * side - vf_set(path->radius),
                      vf3_dot(n, vf3_set(path->v)) * side,
                      vf3_dot(n, vf3_set(path->gravity)) * side};
}

/* ballistic.h explains the two forms of the root. */
ALWAYS_INLINE vm ballistic_times(approach a, vf horizon, vf *time)
{
    vf zero = vf_set(0.0f);
    vm falling = vf_le(a.speed, zero);
    vm touching = vm_and(vf_le(a.distance, zero), falling);
    vf discriminant = a.speed * a.speed - vf_set(2.0f) * a.accel * a.distance;
    vf root = vf_sqrt(vf_max(discriminant, zero));
    vf numerator = vf_select(falling, vf_set(2.0f) * a.distance, -a.speed - root);
    vf denominator = vf_select(falling, root - a.speed, a.accel);
    vm signs = vm_or(vm_and(falling, vf_gt(denominator, zero)),
                     vm_and(vm_not(falling), vf_lt(denominator, zero)));
    vm defined = vm_and(vf_ge(discriminant, zero), signs);
    *time = vf_select(touching, zero, numerator / denominator);
    return vm_and(vm_or(touching, defined), vm_and(vf_ge(*time, zero), vf_le(*time, horizon)));
}

ALWAYS_INLINE vf load_shorts(const int16_t *from)
{
    typedef int16_t shorts __attribute__((vector_size(2 * RICO_LANES)));
    shorts v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, vf);
}

/* Lanes whose plane's point nearest to q is within the outline; the same as record.c's. */
ALWAYS_INLINE vm within_outlines(const rico__surfaces *surfaces, vf3 n, vf3 q, float margin,
                                 uint32_t i)
{
    q = vf3_mad(q, n, vf_load(surfaces->offset + i) - vf3_dot(n, q));
    vf x = vf_abs(n.x), y = vf_abs(n.y), z = vf_abs(n.z);
    vm along_z = vm_and(vf_ge(z, x), vf_ge(z, y)), along_x = vf_ge(x, y);
    vf u = vf_select(along_z, q.x, vf_select(along_x, q.y, q.z));
    vf v = vf_select(along_z, q.y, vf_select(along_x, q.z, q.x));
    const int16_t *edge = surfaces->outline + i;
    vm inside = vf_ge(x, vf_set(0.0f));
    for (int k = 0; k < 3; ++k, edge += 3 * surfaces->stride) {
        vf across = load_shorts(edge) * u + load_shorts(edge + surfaces->stride) * v;
        vf reach = load_shorts(edge + 2 * surfaces->stride);
        inside = vm_and(inside, vf_le(across, reach + vf_set(margin * RICO__OUTLINE_UNIT)));
    }
    return inside;
}

static uint32_t count_mask(uint32_t count)
{
    return count >= 32 ? 0xffffffffu : (1u << count) - 1u;
}

ALWAYS_INLINE vm within_box(vf3 q, float half)
{
    vf most = vf_set(half);
    return vm_and(vm_and(vf_le(vf_abs(q.x), most), vf_le(vf_abs(q.y), most)),
                  vf_le(vf_abs(q.z), most));
}

static uint32_t ballistic(const rico__surfaces *surfaces, const rico__path *path, float horizon,
                          float half, float margin, float *time)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < surfaces->count; i += RICO_LANES) {
        vf t;
        vf3 n = vf3_load(surfaces->nx, surfaces->ny, surfaces->nz, i);
        vm reached =
            ballistic_times(approach_planes(surfaces, path, n, i), vf_set(horizon), &t);
        vf_store(time + i, t);
        if (vm_bits(reached) != 0) {
            vf3 q = vf3_mad(vf3_set(path->p), vf3_set(path->v), t);
            q = vf3_mad(q, vf3_set(path->gravity), vf_set(0.5f) * t * t);
            reached = vm_and(reached, vm_and(within_box(q, half),
                                             within_outlines(surfaces, n, q, margin, i)));
        }
        bits |= vm_bits(reached) << i;
    }
    return bits & count_mask(surfaces->count);
}

static uint32_t straight(const rico__surfaces *surfaces, const rico__path *path, float dt,
                         float half, float margin, float *time)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < surfaces->count; i += RICO_LANES) {
        vf3 n = vf3_load(surfaces->nx, surfaces->ny, surfaces->nz, i);
        approach a = approach_planes(surfaces, path, n, i);
        vf step = a.speed * vf_set(dt);
        vm reached =
            vm_and(vf_lt(a.speed, vf_set(0.0f)), vf_lt(a.distance + step, vf_set(0.0f)));
        vf t = vf_max(vf_min(-a.distance / step, vf_set(1.0f)), vf_set(0.0f));
        vf_store(time + i, t);
        if (vm_bits(reached) != 0) {
            vf3 q = vf3_mad(vf3_set(path->p), vf3_set(path->v), t * vf_set(dt));
            reached = vm_and(reached, vm_and(within_box(q, half),
                                             within_outlines(surfaces, n, q, margin, i)));
        }
        bits |= vm_bits(reached) << i;
    }
    return bits & count_mask(surfaces->count);
}

const rico__kernels KERNEL(rico__kernels) = {
    .isa = KERNEL_ISA,
    .move = pass_move,
    .plane = pass_plane,
    .guard = pass_guard,
    .age = pass_age,
    .ballistic = ballistic,
    .straight = straight,
    .curve_index = curve_index,
};
