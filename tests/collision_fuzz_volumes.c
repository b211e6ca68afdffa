#include "collision_fuzz_questions.h"
#include "collision_volumes.h"

#include <float.h>

/* How deep a triangle may be inside before a contact, in radii. */
#define INSIDE 1.0e-6L

/* A relative step of doubles. Data that is far away, or placed from far away, is no more exact. */
#define DOUBLE_STEP 0x1p-49L

enum { SWEEPS_MAX = 6, POINTS_MAX = 6 };

/* --- long doubles --- */

static point64 wide(rico_vec3 v)
{
    return (point64){(long double)v.x, (long double)v.y, (long double)v.z};
}

static point64 less(point64 a, point64 b)
{
    return (point64){a.x - b.x, a.y - b.y, a.z - b.z};
}

static point64 mad(point64 a, point64 d, long double s)
{
    return (point64){a.x + d.x * s, a.y + d.y * s, a.z + d.z * s};
}

static long double length_of(point64 a)
{
    return sqrtl(a.x * a.x + a.y * a.y + a.z * a.z);
}

/* The axes turned by q, which may have any length. */
static void axes_of(rico_quat q, point64 axis[3])
{
    long double x = (long double)q.x, y = (long double)q.y, z = (long double)q.z,
                w = (long double)q.w, n = x * x + y * y + z * z + w * w;
    axis[0] = (point64){(w * w + x * x - y * y - z * z) / n, 2 * (x * y + w * z) / n,
                        2 * (x * z - w * y) / n};
    axis[1] = (point64){2 * (x * y - w * z) / n, (w * w - x * x + y * y - z * z) / n,
                        2 * (y * z + w * x) / n};
    axis[2] = (point64){2 * (x * z + w * y) / n, 2 * (y * z - w * x) / n,
                        (w * w - x * x - y * y + z * z) / n};
}

/* --- triangles in the world --- */

typedef struct placing {
    const world *w;
    const fuzz_body *body;
    point64 axis[3], position;
    long double scale;
} placing;

static placing placing_of(const world *w, const fuzz_body *b)
{
    placing p = {w, b, .position = wide(b->motion.transform.position)};
    p.scale = (long double)b->motion.transform.scale;
    axes_of(b->motion.transform.rotation, p.axis);
    return p;
}

static void corners_of(const placing *p, uint32_t i, point64 corner[3])
{
    for (uint32_t j = 0; j < 3; ++j) {
        const float *v = p->w->vertices[3 * i + j].at;
        point64 at = {0, 0, 0};
        for (int k = 0; k < 3; ++k)
            at = mad(at, p->axis[k], (long double)v[k]);
        corner[j] =
            p->body->added ? wide(vec3(v[0], v[1], v[2])) : mad(p->position, at, p->scale);
    }
}

/* Queries may not see such triangles. */
static bool is_far(const point64 corner[3])
{
    bool far = false;
    for (int j = 0; j < 3; ++j)
        far |= !(fabsl(corner[j].x) <= 1.0e9L && fabsl(corner[j].y) <= 1.0e9L &&
                 fabsl(corner[j].z) <= 1.0e9L);
    return far;
}

/* The largest magnitude of the numbers that doubles computed with. */
static long double reach_of(const placing *p, rico_vec3 from)
{
    return length_of(wide(from)) + (p->body->added ? 0 : length_of(p->position));
}

/* --- sweeps --- */

typedef struct probe {
    point64 axis[3], center, motion; /* axes in the world; motion in radii */
    long double radius[3], length, least;
} probe;

static point64 in_radii(const probe *b, point64 v)
{
    long double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = (b->axis[k].x * v.x + b->axis[k].y * v.y + b->axis[k].z * v.z) / b->radius[k];
    return (point64){d[0], d[1], d[2]};
}

static probe probe_of(const rico_sweep *sweep)
{
    probe b = {.center = wide(sweep->center)};
    axes_of(sweep->rotation, b.axis);
    for (int k = 0; k < 3; ++k)
        b.radius[k] = (long double)(&sweep->radii.x)[k];
    b.least = fminl(fminl(b.radius[0], b.radius[1]), b.radius[2]);
    b.motion = in_radii(&b, wide(sweep->motion));
    b.length = length_of(b.motion);
    return b;
}

static long double level_at(const probe *b, const point64 corner[3], long double t)
{
    return volume_distance(corner, (point64){b->motion.x * t, b->motion.y * t, b->motion.z * t},
                           NULL);
}

/* The least distance of the centre from the triangle up to t. The distance from a convex set is
 * convex along a line, so ternary search finds the minimum. */
static long double least_level(const probe *b, const point64 corner[3], long double t)
{
    long double lo = 0, hi = t, least = level_at(b, corner, t / 2);
    if (least - b->length * t / 2 > 1)
        return least - b->length * t / 2;
    for (int i = 0; i < 60; ++i) {
        long double a = lo + (hi - lo) / 3, c = hi - (hi - lo) / 3;
        long double at_a = level_at(b, corner, a), at_c = level_at(b, corner, c);
        least = fminl(least, fminl(at_a, at_c));
        if (fminl(at_a, at_c) - b->length * (hi - lo) > 1)
            break; /* it can come no nearer than that */
        if (at_a < at_c)
            hi = c;
        else
            lo = a;
    }
    return fminl(least, fminl(level_at(b, corner, 0), level_at(b, corner, t)));
}

/* Whether the sweep is in range for any rounding. A length at a limit is neither valid nor
 * surely refused. */
static bool sweep_is_valid(const rico_sweep *s)
{
    float least = fminf(fminf(s->radii.x, s->radii.y), s->radii.z);
    float most = fmaxf(fmaxf(s->radii.x, s->radii.y), s->radii.z);
    rico_vec3 c = s->center;
    rico_quat q = s->rotation;
    float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return fabsf(square - 1.0f) < 0.00199f && s->radii.x >= 1.0e-4f && s->radii.y >= 1.0e-4f &&
           s->radii.z >= 1.0e-4f && most <= 1.0e3f && most <= 100.0f * least &&
           fabsf(c.x) <= 1.0e9f && fabsf(c.y) <= 1.0e9f && fabsf(c.z) <= 1.0e9f &&
           length_of(wide(s->motion)) <= 1.0e4L;
}

static rico_sweep take_sweep(const world *w, source *s)
{
    static const float radii[] = {0.5f, 0.125f, 1.0f, 0.01f, 1.0e-4f, 100.0f, 1.0e3f, 0.3f};
    rico_sweep sweep = {.center = take_vec3(s), .rotation = take_rotation(s)};
    uint32_t how = take(s, 1);
    float radius = radii[how % 8];
    sweep.radii = vec3(radius, radius, radius);
    if (how & 8u)
        sweep.radii.y *= how & 16u ? 0.5f : 0.01f;
    if (how >= 240)
        sweep.radii = take_vec3(s);
    rico_vec3 near = take_corner(w, s);
    if (how & 32u) /* beside a corner */
        sweep.center = vec3_add(near, vec3_scale(sweep.radii, (float)(how % 5)));
    uint32_t way = take(s, 1);
    sweep.motion = way < 160 ? vec3_sub(take_corner(w, s), sweep.center) : take_vec3(s);
    if (way < 80)
        sweep.motion = vec3_scale(sweep.motion, 0.5f);
    sweep.ignore = way % 16 == 0 ? way / 16 : 0;
    return sweep;
}

static void describe(const rico_sweep *s, const rico_sweep_hit *hit)
{
    fprintf(stderr,
            "sweep {{%a, %a, %a}, {%a, %a, %a}, {%a, %a, %a, %a}, {%a, %a, %a}}: t %a on %u of "
            "%u\n",
            (double)s->center.x, (double)s->center.y, (double)s->center.z, (double)s->radii.x,
            (double)s->radii.y, (double)s->radii.z, (double)s->rotation.x,
            (double)s->rotation.y, (double)s->rotation.z, (double)s->rotation.w,
            (double)s->motion.x, (double)s->motion.y, (double)s->motion.z, (double)hit->t,
            hit->triangle, hit->collider);
}

static void require_body(const placing *p, uint32_t slot, const rico_sweep *sweep,
                         const probe *b, const rico_sweep_hit *hit, bool late_matters)
{
    const fuzz_shape *shape = &p->w->shapes[p->body->shape];
    long double slack = INSIDE + reach_of(p, sweep->center) * DOUBLE_STEP / b->least;
    long double end = (long double)hit->t;
    for (uint32_t i = shape->first; i < shape->first + shape->count; ++i) {
        point64 corner[3];
        bool met = hit->collider == slot + 1 && hit->triangle == p->w->faces[i].triangle;
        if (p->w->faces[i].corner[0] & RICO_FACE_FLAT)
            continue;
        corners_of(p, i, corner);
        bool far = is_far(corner);
        for (int j = 0; j < 3; ++j)
            corner[j] = in_radii(b, less(corner[j], b->center));
        if (met) {
            long double level = level_at(b, corner, end);
            if (level > 1 + slack + end * 0x1p-23L * b->length)
                describe(sweep, hit);
            REQUIRE(level <= 1 + slack + end * 0x1p-23L * b->length, "%Lg early", level - 1);
        }
        if (!late_matters || far || (hit->overlaps && hit->t == 0.0f))
            continue;
        long double least = least_level(b, corner, end);
        if (least < 1 - slack)
            describe(sweep, hit);
        REQUIRE(least >= 1 - slack, "%u of %u is inside by %Lg", p->w->faces[i].triangle,
                slot + 1, 1 - least);
    }
}

static void require_sweep(const world *w, const rico_filter *filter, const rico_sweep *sweep,
                          const rico_sweep_hit *hit)
{
    probe b = probe_of(sweep);
    REQUIRE(hit->t >= 0.0f && hit->t <= 1.0f, "%g", (double)hit->t);
    REQUIRE(!hit->overlaps || (hit->collider != 0 && hit->t == 0.0f), "%g", (double)hit->t);
    REQUIRE(hit->steps <= world_steps(w), "%u steps", hit->steps);
    if (hit->collider == 0)
        REQUIRE(hit->t == 1.0f && hit->triangle == RICO_NO_TRIANGLE, "%g", (double)hit->t);
    else
        REQUIRE(body_is_seen(&w->bodies[hit->collider - 1], filter, hit->collider - 1,
                             sweep->ignore),
                "%u is not there", hit->collider);
    if (!sweep_is_valid(sweep)) {
        bool near_border = length_of(wide(sweep->motion)) < 1.01e4L;
        REQUIRE(hit->collider == 0 || near_border, "%u is met", hit->collider);
        return;
    }
    for (uint32_t slot = 0; slot < FUZZ_BODIES; ++slot) {
        const fuzz_body *body = &w->bodies[slot];
        if (!body_is_seen(body, filter, slot, sweep->ignore) || body_is_formula(w, body))
            continue;
        placing p = placing_of(w, body);
        require_body(&p, slot, sweep, &b, hit, !filter->skip_back_faces);
    }
}

static bool sweep_hits_same(const rico_sweep_hit *a, const rico_sweep_hit *b)
{
    return memcmp(&a->t, &b->t, sizeof a->t) == 0 && a->collider == b->collider &&
           a->triangle == b->triangle && a->surface == b->surface &&
           a->overlaps == b->overlaps && a->moving == b->moving && a->steps == b->steps &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
           memcmp(&a->depth, &b->depth, sizeof a->depth) == 0;
}

void ask_sweeps(const world *w, source *s)
{
    rico_sweep sweeps[SWEEPS_MAX];
    rico_sweep_hit hits[SWEEPS_MAX];
    rico_filter filter = take_filter(s);
    uint32_t count = 1 + take_below(s, SWEEPS_MAX);
    for (uint32_t i = 0; i < count; ++i)
        sweeps[i] = take_sweep(w, s);
    rico_scene_sweep_batch(w->scene, &filter, sweeps, hits, count);
    for (uint32_t i = 0; i < count; ++i) {
        rico_sweep_hit alone = rico_scene_sweep(w->scene, &filter, &sweeps[i]);
        REQUIRE(sweep_hits_same(&alone, &hits[i]), "alone %a, in a batch %a", (double)alone.t,
                (double)hits[i].t);
        require_sweep(w, &filter, &sweeps[i], &alone);
    }
}

/* --- nearest points --- */

/* Least distances of surfaces in the world; near: only surfaces that must be found. */
typedef struct distances {
    long double all, near;
} distances;

static void take_distance(distances *d, long double distance, bool far)
{
    d->all = fminl(d->all, distance);
    if (!far)
        d->near = fminl(d->near, distance);
}

static void take_formula(const placing *p, rico_vec3 point, distances *d)
{
    const rico__shape *shape = &p->w->shapes[p->body->shape].formula;
    const rico__primitive formula = {shape->kind, shape->radius, shape->half_length};
    point64 apart = less(wide(point), p->position);
    long double size = (long double)shape->radius + (long double)shape->half_length;
    point64 end = mad(p->position, (point64){1, 1, 1}, size * p->scale), ends[3];
    double local[3];
    ends[0] = ends[1] = end;
    ends[2] = mad(p->position, (point64){1, 1, 1}, -size * p->scale);
    for (int k = 0; k < 3; ++k)
        local[k] = (double)((p->axis[k].x * apart.x + p->axis[k].y * apart.y +
                             p->axis[k].z * apart.z) /
                            p->scale);
    take_distance(d,
                  (long double)rico__primitive_nearest_to(&formula, local).distance * p->scale,
                  is_far(ends));
}

static void take_body(const placing *p, rico_vec3 point, distances *d)
{
    const fuzz_shape *shape = &p->w->shapes[p->body->shape];
    if (body_is_formula(p->w, p->body)) {
        take_formula(p, point, d);
        return;
    }
    for (uint32_t i = shape->first; i < shape->first + shape->count; ++i) {
        point64 corner[3];
        if (p->w->faces[i].corner[0] & RICO_FACE_FLAT)
            continue;
        corners_of(p, i, corner);
        take_distance(d, volume_distance(corner, wide(point), NULL), is_far(corner));
    }
}

static void require_nearest(const world *w, const rico_filter *filter, rico_vec3 point,
                            float radius, uint32_t ignore)
{
    rico_nearest found = rico_scene_nearest(w->scene, filter, point, radius, ignore);
    bool valid = fabsf(point.x) <= 1.0e9f && fabsf(point.y) <= 1.0e9f &&
                 fabsf(point.z) <= 1.0e9f && radius > 0.0f;
    long double slack = FLT_MIN;
    distances least = {INFINITY, INFINITY};
    for (uint32_t slot = 0; slot < FUZZ_BODIES && valid; ++slot) {
        const fuzz_body *body = &w->bodies[slot];
        if (!body_is_seen(body, filter, slot, ignore))
            continue;
        placing p = placing_of(w, body);
        take_body(&p, point, &least);
        slack = fmaxl(slack, reach_of(&p, point) * DOUBLE_STEP);
    }
    long double answer = (long double)found.distance,
                most = least.near * (1 + 0x1p-22L) + slack;
    if (filter->skip_back_faces)
        most = INFINITY;
    if (found.collider == 0) {
        REQUIRE(memcmp(&found.distance, &radius, sizeof radius) == 0 &&
                    found.triangle == RICO_NO_TRIANGLE,
                "%g away is nothing", (double)found.distance);
        REQUIRE(!valid || most >= (long double)radius,
                "%Lg away from (%a %a %a) was not seen within %g", least.near, (double)point.x,
                (double)point.y, (double)point.z, (double)radius);
        return;
    }
    REQUIRE(valid && found.distance <= radius, "%g is not within %g", (double)found.distance,
            (double)radius);
    REQUIRE(body_is_seen(&w->bodies[found.collider - 1], filter, found.collider - 1, ignore),
            "%u is not there", found.collider);
    REQUIRE(answer >= least.all * (1 - 0x1p-22L) - slack && answer <= most,
            "%Lg away from (%a %a %a) on %u of %u, expected %Lg", answer, (double)point.x,
            (double)point.y, (double)point.z, found.triangle, found.collider, least.near);
}

void ask_nearest(const world *w, source *s)
{
    static const float radii[] = {INFINITY, 1.0f, 10.0f, 0.01f, 1.0e6f, FLT_MAX, 0.0f, NAN};
    rico_filter filter = take_filter(s);
    for (uint32_t i = 1 + take_below(s, POINTS_MAX); i > 0; --i) {
        uint32_t how = take(s, 1);
        rico_vec3 point = take_vec3(s);
        if (how & 1u)
            point = take_corner(w, s);
        if ((how & 3u) == 3u)
            point = vec3_add(point, vec3(0.01f, 0.0f, 0.5f));
        float radius = how < 248 ? radii[how / 4 % 8] : take_float(s);
        require_nearest(w, &filter, point, radius, how >= 240 ? 1 + take_below(s, 4) : 0);
    }
}
