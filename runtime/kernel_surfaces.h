/* kernel_surfaces.h - searching the surfaces of a record. Included by kernel_body.h. */
#ifndef RICO_KERNEL_SURFACES_H
#define RICO_KERNEL_SURFACES_H

#include "kernel_lanes.h"

/* Distances, speeds and accelerations of a path towards planes, seen from the side that the
 * path is on. */
typedef struct approach {
    vf distance, speed, accel; /* distance: to contact; negative inside it */
} approach;

/* Planes from surface i on. */
typedef struct planes {
    vf3 n;
    vf offset;
} planes;

ALWAYS_INLINE planes load_planes(const rico__surfaces *surfaces, uint32_t i)
{
    const int16_t *from = surfaces->planes + i;
    size_t stride = surfaces->count;
    vf scale = vf_set(1.0f / RICO__NORMAL_UNIT);
    return (planes){{vf_load_shorts(from) * scale, vf_load_shorts(from + stride) * scale,
                     vf_load_shorts(from + 2 * stride) * scale},
                    vf_load_shorts(from + 3 * stride) * vf_set(1.0f / RICO__LENGTH_UNIT)};
}

ALWAYS_INLINE approach approach_planes(const planes *s, const rico__path *path)
{
    vf3 n = s->n;
    vf distance = vf3_dot(n, vf3_set(path->p)) - s->offset;
    vf side = vf_select(vf_lt(distance, vf_set(0.0f)), vf_set(-1.0f), vf_set(1.0f));
    return (approach){distance * side - vf_set(path->radius),
                      vf3_dot(n, vf3_set(path->v)) * side,
                      vf3_dot(n, vf3_set(path->accel)) * side};
}

/* Slower approaches are noise, which must not use up a step's contacts. Metres per second. */
#define LEAST_APPROACH 1.0e-4f

/* A particle that would not get faster towards a plane than PRESS_SPEED in PRESS_TIME is not on
 * its way to it, even if it touches it: a wall beside the path must not hide the floor. It
 * meets the plane where it is at least PRESS_DEPTH deep. Seconds, metres per second, metres. */
#define PRESS_TIME 0.1f
#define PRESS_SPEED 0.001f
#define PRESS_DEPTH 0.001f

/* ballistic.h explains the two forms of the root. */
ALWAYS_INLINE vm ballistic_times(approach a, bool pulled, vf horizon, vf *time, vf *impact)
{
    vf zero = vf_set(0.0f);
    vm falling = vf_le(a.speed, zero);
    vm slow = vf_ge(a.speed + a.accel * vf_set(PRESS_TIME), vf_set(-PRESS_SPEED));
    vf least = vf_select(vm_and(falling, slow), vf_set(PRESS_DEPTH), zero);
    if (!pulled) /* else it would sink on, as much again by each look */
        least = least + vf_where(vf_lt(a.speed, vf_set(-LEAST_APPROACH)), vf_min(a.distance, zero));
    vf distance = vf_max(a.distance, least);
    vm touching = vm_and(vf_le(distance, zero), falling);
    vf discriminant = a.speed * a.speed - vf_set(2.0f) * a.accel * distance;
    vf root = vf_sqrt(vf_max(discriminant, zero));
    *impact = root;
    vf numerator = vf_select(falling, vf_set(2.0f) * distance, -a.speed - root);
    vf denominator = vf_select(falling, root - a.speed, a.accel);
    vm signs = vm_or(vm_and(falling, vf_gt(denominator, zero)),
                     vm_and(vm_not(falling), vf_lt(denominator, zero)));
    vm defined = vm_and(vf_ge(discriminant, zero), signs);
    *time = vf_select(touching, zero, numerator / denominator);
    return vm_and(vm_or(touching, defined), vm_and(vf_ge(*time, zero), vf_le(*time, horizon)));
}

/* A path that rises through a plane, beside the surface, may fall back on it from the other
 * side, where contact is a diameter farther on. Whether it turns round in time needs no root to
 * tell; most paths do not. */
ALWAYS_INLINE vm returns(approach a, float radius, vf horizon, vf *discriminant)
{
    vf beyond = a.distance + vf_set(2.0f * radius);
    *discriminant = a.speed * a.speed - vf_set(2.0f) * a.accel * beyond;
    vm turns = vm_and(vf_gt(a.accel, vf_set(0.0f)), vf_le(-a.speed, a.accel * horizon));
    return vm_and(vm_and(vf_lt(a.speed, vf_set(0.0f)), turns),
                  vf_ge(*discriminant, vf_set(0.0f)));
}

/* A point in the projection of each lane's plane along its main axis. */
typedef struct projected {
    vf u, v;
} projected;

ALWAYS_INLINE projected project(vf3 n, vf3 q)
{
    vf x = vf_abs(n.x), y = vf_abs(n.y), z = vf_abs(n.z);
    vm along_z = vm_and(vf_ge(z, x), vf_ge(z, y)), along_x = vf_ge(x, y);
    return (projected){vf_select(along_z, q.x, vf_select(along_x, q.y, q.z)),
                       vf_select(along_z, q.y, vf_select(along_x, q.z, q.x))};
}

/* Outlines of lanes' surfaces: each edge's normal, and how far out the edge is. */
typedef struct outline {
    vf u[3], v[3], out[3];
} outline;

ALWAYS_INLINE outline load_outline(const rico__surfaces *surfaces, uint32_t i)
{
    outline o;
    for (int k = 0; k < 3; ++k) {
        const int16_t *edge = surfaces->outlines + i + 3 * (size_t)k * surfaces->count;
        o.u[k] = vf_load_shorts(edge);
        o.v[k] = vf_load_shorts(edge + surfaces->count);
        o.out[k] = vf_load_shorts(edge + 2 * (size_t)surfaces->count);
    }
    return o;
}

/* How far the way leads outwards across edge k, in 1 / RICO__LENGTH_UNIT metres. */
ALWAYS_INLINE vf along_edge(const outline *o, int k, projected way)
{
    return o->u[k] * way.u + o->v[k] * way.v;
}

/* How far outside edge k the point is, in 1 / RICO__LENGTH_UNIT metres; negative inside. */
ALWAYS_INLINE vf outside_edge(const outline *o, int k, projected q)
{
    return along_edge(o, k, q) - o->out[k];
}

/* Edges' lengths up to a factor; 0 beside an edge that is not there. The ways out across all
 * three edges, times these lengths, add up to the same at any place: `all`. */
typedef struct lengths {
    vf edge[3], all;
} lengths;

ALWAYS_INLINE lengths find_lengths(const outline *o, const vf outside[3])
{
    lengths l = {.all = vf_set(0.0f)};
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        l.edge[k] = vf_abs(o->u[i] * o->v[j] - o->v[i] * o->u[j]);
        l.all = l.all + outside[k] * l.edge[k];
    }
    return l;
}

/* How far a place is beyond the corner that is opposite to edge k, times the edge's length.
 * outside: how far it is outside edge k. Without this, an outline that a margin makes larger
 * would reach out at a sharp corner by many times the margin. */
ALWAYS_INLINE vf beyond_corner(const lengths *l, int k, vf outside)
{
    return l->all - l->edge[k] * outside;
}

ALWAYS_INLINE projected project_on(const planes *s, vf3 q)
{
    return project(s->n, vf3_mad(q, s->n, s->offset - vf3_dot(s->n, q)));
}

/* How far outside the outline the plane's point nearest to q is, by the edge that it is
 * farthest from, in 1 / RICO__LENGTH_UNIT metres; negative inside. within: those of the lanes
 * in which that is no more than the margin, in metres. */
ALWAYS_INLINE vf outside_outlines(const outline *o, const planes *s, vf3 q, float margin,
                                  vm lanes, vm *within)
{
    projected at = project_on(s, q);
    const vf most = vf_set(margin * RICO__LENGTH_UNIT);
    const vf outside[3] = {outside_edge(o, 0, at), outside_edge(o, 1, at),
                           outside_edge(o, 2, at)};
    const vf farthest = vf_max(vf_max(outside[0], outside[1]), outside[2]);
    *within = vm_and(lanes, vf_le(farthest, most));
    if (vm_bits(vm_and(*within, vf_gt(farthest, vf_set(0.0f)))) == 0)
        return farthest; /* as nearly always */
    lengths l = find_lengths(o, outside);
    for (int k = 0; k < 3; ++k)
        *within = vm_and(*within, vf_le(beyond_corner(&l, k, outside[k]), most * l.edge[k]));
    return farthest;
}

/* Lanes whose plane's point nearest to q is within the outline, or comes there on the way. Each
 * edge is tested by itself, so that ways past a corner count, too. */
ALWAYS_INLINE vm comes_within(const outline *o, const planes *s, vf3 q, vf3 way, float margin)
{
    projected at = project_on(s, q);
    projected go = project(s->n, vf3_mad(way, s->n, -vf3_dot(s->n, way)));
    vf most = vf_set(margin * RICO__LENGTH_UNIT), zero = vf_set(0.0f);
    const vf outside[3] = {outside_edge(o, 0, at), outside_edge(o, 1, at),
                           outside_edge(o, 2, at)};
    lengths l = find_lengths(o, outside);
    vm near = vf_le(zero, zero);
    for (int k = 0; k < 3; ++k) {
        vf along = along_edge(o, k, go);
        vf nearest = outside[k] + vf_min(along, zero),
           farthest = outside[k] + vf_max(along, zero);
        near = vm_and(near, vf_le(nearest, most));
        near = vm_and(near, vf_le(beyond_corner(&l, k, farthest), most * l.edge[k]));
    }
    return near;
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

/* Metres per second: at an edge, a centre counts as coming from contact to the plane at least
 * this fast. */
#define LEAST_SINKING 0.1f

/* How far off the path may still be where it comes over an edge, metres. */
#define EDGE_MARGIN 0.01f

/* Squared speed on the path: (accel2 t + cross) t + speed2. least: LEAST_SINKING, or less. */
typedef struct pace {
    vf speed2, cross, accel2;
    float least;
} pace;

static float dot_of(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS_INLINE pace pace_of(const rico__path *path)
{
    return (pace){vf_set(dot_of(path->v, path->v)), vf_set(2.0f * dot_of(path->v, path->accel)),
                  vf_set(dot_of(path->accel, path->accel)), LEAST_SINKING};
}

/* A slow particle that is not pulled may come over an edge later than that: as late as if it
 * sank at SINKING_SHARE of its speed, or at SLOWEST_SINKING if that is more. Less pull than
 * ANY_PULL is none. m/s, m/s^2. */
#define SLOWEST_SINKING 0.002f
#define SINKING_SHARE 0.05f
#define ANY_PULL 1.0f

static bool is_pulled(const rico__path *path)
{
    return dot_of(path->accel, path->accel) >= ANY_PULL * ANY_PULL;
}

static float least_sinking(const rico__path *path)
{
    if (is_pulled(path))
        return LEAST_SINKING;
    float share = SINKING_SHARE * __builtin_sqrtf(dot_of(path->v, path->v));
    share = share > SLOWEST_SINKING ? share : SLOWEST_SINKING;
    return share < LEAST_SINKING ? share : LEAST_SINKING;
}

/* A path that is at contact distance beside a surface may come over it before its centre meets
 * the plane, by what it goes along the plane meanwhile. Most paths are too far from it. impact:
 * speed towards the plane. */
ALWAYS_INLINE vm meets_outlines(const rico__surfaces *surfaces, const planes *s,
                                const rico__path *path, const pace *speeds, vm lanes, vf t,
                                vf impact, float half, float margin, uint32_t i)
{
    vf3 v = vf3_set(path->v), accel = vf3_set(path->accel);
    vf3 q = vf3_mad(vf3_mad(vf3_set(path->p), v, t), accel, vf_set(0.5f) * t * t);
    lanes = vm_and(lanes, within_box(q, half));
    const outline o = load_outline(surfaces, i);
    vm within;
    vf outside = outside_outlines(&o, s, q, margin, lanes, &within);
    vf sinking = vf_set(path->radius) / vf_max(impact, vf_set(speeds->least));
    vf middle = vf_set(0.5f) * sinking + t;
    vf speed2 = (speeds->accel2 * middle + speeds->cross) * middle + speeds->speed2;
    vf along = sinking * vf_set(RICO__LENGTH_UNIT);
    vf beyond = vf_max(outside - vf_set(EDGE_MARGIN * RICO__LENGTH_UNIT), vf_set(0.0f));
    vm near = vf_le(beyond * beyond, along * along * speed2);
    if (vm_bits(vm_and(vm_and(lanes, near), vm_not(within))) != 0) {
        v = vf3_mad(v, accel, middle);
        vf3 way = {v.x * sinking, v.y * sinking, v.z * sinking};
        vm comes = comes_within(&o, s, q, way, EDGE_MARGIN);
        within = vm_or(within, vm_and(near, comes));
    }
    return vm_and(lanes, within);
}

static uint32_t ballistic(const rico__surfaces *surfaces, const rico__path *path, float horizon,
                          float half, float margin, float *time)
{
    uint32_t bits = 0;
    pace speeds = pace_of(path);
    speeds.least = least_sinking(path);
    const bool pulled = is_pulled(path);
    for (uint32_t i = 0; i < surfaces->count; i += RICO_LANES) {
        vf first, impact;
        planes s = load_planes(surfaces, i);
        approach a = approach_planes(&s, path);
        vm falls = ballistic_times(a, pulled, vf_set(horizon), &first, &impact);
        /* There is no branch on whether any plane is reached: half of the time one is, and a
         * wrong guess costs as much as the test. */
        vm reached =
            meets_outlines(surfaces, &s, path, &speeds, falls, first, impact, half, margin, i);
        vf discriminant, end = vf_set(horizon);
        vm again = vm_and(returns(a, path->radius, end, &discriminant), vm_not(reached));
        if (vm_bits(again) != 0) {
            impact = vf_sqrt(vf_max(discriminant, vf_set(0.0f)));
            vf second = (impact - a.speed) / a.accel;
            again = vm_and(again, vf_le(second, end));
            again = meets_outlines(surfaces, &s, path, &speeds, again, second, impact, half,
                                   margin, i);
            first = vf_select(again, second, first);
            reached = vm_or(reached, again);
        }
        vf_store(time + i, first);
        bits |= vm_bits(reached) << i;
    }
    return bits & count_mask(surfaces->count);
}

/* A plane that is watched, seen from q's side, and how far others may be above and below it. */
typedef struct watched {
    vf3 n;
    vf height; /* of q */
    vf rise, fall;
} watched;

ALWAYS_INLINE watched watch(const rico__surfaces *surfaces, uint32_t own, const float *q,
                            float radius)
{
    const int16_t *plane = surfaces->planes + own;
    const size_t stride = surfaces->count;
    const float scale = 1.0f / RICO__NORMAL_UNIT;
    const float x = (float)plane[0] * scale, y = (float)plane[stride] * scale;
    const float z = (float)plane[2 * stride] * scale;
    const float offset = (float)plane[3 * stride] * (1.0f / RICO__LENGTH_UNIT);
    const float distance = x * q[0] + y * q[1] + z * q[2] - offset;
    const float side = distance < 0.0f ? -1.0f : 1.0f, height = distance * side;
    float rise = 0.5f * radius < RICO__MOST_RISE ? 0.5f * radius : RICO__MOST_RISE;
    rise -= radius - height; /* by how much it is in it already */
    rise = rise > RICO__SAME_PLANE ? rise : RICO__SAME_PLANE;
    return (watched){{vf_set(x * side), vf_set(y * side), vf_set(z * side)},
                     vf_set(height),
                     vf_set(rise),
                     vf_set(RICO__MOST_FALL)};
}

/* Slope up to this may be rounding. */
#define LEAST_SLOPE 1.0e-4f

/* How far around q the planes stay near enough to the watched one; negative where they never
 * are. distance: of q from them. */
ALWAYS_INLINE vf stay_near(const watched *w, vf3 n, vf distance)
{
    vf3 across = vf3_cross(n, w->n);
    vf slope = vf_sqrt(vf3_dot(across, across)) + vf_set(LEAST_SLOPE);
    vf at = w->height - vf3_dot(n, w->n) * distance; /* height of their points nearest to q */
    return vf_min(w->rise - at, w->fall + at) / slope;
}

/* Distances of q from other surfaces, as far as these do not stay near the watched plane;
 * within the own sheet also from the edges where it ends. What lies in an edge is no nearer
 * than the edge's line, and no nearer than the surface. */
static float clearance(const rico__surfaces *surfaces, const float *q, uint32_t own,
                       float radius)
{
    const vf3 at = vf3_set(q);
    const vf far = vf_set(1.0e30f), unit = vf_set(1.0f / RICO__LENGTH_UNIT);
    const watched w = watch(surfaces, own, q, radius);
    const vi sheet = vi_set(surfaces->tags[own] >> RICO__TAG_SHIFT);
    vf clear = far, inside = far;
    for (uint32_t i = 0; i < surfaces->count; i += RICO_LANES) {
        planes s = load_planes(surfaces, i);
        projected p = project(s.n, at);
        const outline o = load_outline(surfaces, i);
        vi tag = vi_load_u8(surfaces->tags + i);
        vf outside = vf_set(-1.0e30f), ends = far;
        vf edge[3];
        for (int k = 0; k < 3; ++k) {
            edge[k] = outside_edge(&o, k, p) * unit;
            outside = vf_max(edge[k], outside);
        }
        for (int k = 0; k < 3; ++k) {
            vm open = vi_ne(tag & vi_set(1 << k), vi_set(0));
            vf end = vf_max(vf_abs(edge[k]), outside);
            ends = vf_min(vf_select(open, far, end), ends);
        }
        vm used = vf_lt(vf_lanes() + vf_set((float)i), vf_set((float)surfaces->count));
        vm other = vi_ne(tag >> RICO__TAG_SHIFT, sheet);
        vf distance = vf3_dot(s.n, at) - s.offset, near = stay_near(&w, s.n, distance);
        vf differs = vf_max(vf_max(vf_abs(distance), outside), near);
        vf here = vf_select(other, differs, vf_min(differs, ends));
        clear = vf_min(vf_select(used, here, far), clear);
        vm goes_on = vm_and(vm_and(used, vm_not(other)), vf_ge(near, vf_set(0.0f)));
        inside = vf_min(vf_select(goes_on, outside, far), inside);
    }
    float beyond = vf_least(inside);
    return beyond > 0.0f ? -beyond : vf_least(clear);
}

/* Times at which a value that is `out` at 0 and changes at `rate` is not above 0. over: there
 * are any. */
typedef struct times {
    vf first, last;
    vm over;
} times;

ALWAYS_INLINE void cut_times(times *t, vf out, vf rate)
{
    const vf zero = vf_set(0.0f), border = -out / rate;
    vm enters = vf_lt(rate, zero), leaves = vf_gt(rate, zero);
    t->first = vf_select(enters, vf_max(t->first, border), t->first);
    t->last = vf_select(leaves, vf_min(t->last, border), t->last);
    t->over = vm_and(t->over, vm_or(vm_or(enters, leaves), vf_le(out, zero)));
}

/* Finds, of the times *first..last of a straight step, those at which the path is over the
 * outlines. */
ALWAYS_INLINE vm over_outlines(const rico__surfaces *surfaces, const planes *s,
                               const rico__path *path, float dt, float margin, uint32_t i,
                               vf *first, vf last)
{
    const outline o = load_outline(surfaces, i);
    vf3 v = vf3_set(path->v), way = {v.x * vf_set(dt), v.y * vf_set(dt), v.z * vf_set(dt)};
    projected at = project_on(s, vf3_set(path->p));
    projected go = project(s->n, vf3_mad(way, s->n, -vf3_dot(s->n, way)));
    const vf most = vf_set(margin * RICO__LENGTH_UNIT);
    const vf outside[3] = {outside_edge(&o, 0, at), outside_edge(&o, 1, at),
                           outside_edge(&o, 2, at)};
    const lengths l = find_lengths(&o, outside);
    times t = {*first, last, vf_le(last, last)};
    for (int k = 0; k < 3; ++k) {
        vf rate = along_edge(&o, k, go), length = l.edge[k];
        cut_times(&t, outside[k] - most, rate);
        cut_times(&t, beyond_corner(&l, k, outside[k]) - most * length, -(length * rate));
    }
    *first = t.first;
    return vm_and(t.over, vf_le(t.first, t.last));
}

static uint32_t straight(const rico__surfaces *surfaces, const rico__path *path, float dt,
                         float half, float margin, float *time)
{
    uint32_t bits = 0;
    vf zero = vf_set(0.0f), one = vf_set(1.0f);
    for (uint32_t i = 0; i < surfaces->count; i += RICO_LANES) {
        planes s = load_planes(surfaces, i);
        approach a = approach_planes(&s, path);
        vf step = a.speed * vf_set(dt);
        vm reached =
            vm_and(vf_lt(a.speed, vf_set(-LEAST_APPROACH)), vf_lt(a.distance + step, zero));
        vf t = vf_max(vf_min(-a.distance / step, one), zero);
        if (vm_bits(reached) != 0) {
            vf last = vf_min((a.distance + vf_set(path->radius)) / -step, one);
            reached =
                vm_and(reached, over_outlines(surfaces, &s, path, dt, margin, i, &t, last));
            vf3 q = vf3_mad(vf3_set(path->p), vf3_set(path->v), t * vf_set(dt));
            reached = vm_and(reached, within_box(q, half));
        }
        vf_store(time + i, t);
        bits |= vm_bits(reached) << i;
    }
    return bits & count_mask(surfaces->count);
}

#endif
