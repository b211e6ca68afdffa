/* How far from a contact no other surface is, by records and, as a reference, by the triangles
 * themselves. */
#include "runtime_record.h"

#define PATCH_TRIANGLES 6u

/* Triangles 0 and 1 are a flat quadrilateral. Triangle 2 continues from one of its outer edges,
 * folded or nearly flat, or lies on it. The others are anywhere. inner: edge k, from corner k
 * on, lies within a sheet. piece: the number of the sheet. */
typedef struct patch {
    rico_triangle t[PATCH_TRIANGLES];
    bool inner[PATCH_TRIANGLES][3];
    uint32_t piece[PATCH_TRIANGLES];
    uint32_t count;
    bool unsure; /* triangle 2 is bent by almost the limit */
} patch;

/* Makes a triangle with its corners in any order, facing either way. */
static rico_triangle triangle_of(uint32_t serial, rico_vec3 a, rico_vec3 b, rico_vec3 c)
{
    rico_vec3 corner[3] = {a, b, c};
    uint32_t first = rico__random_u32(41, serial, 1) % 3;
    uint32_t step = 1 + rico__random_u32(41, serial, 2) % 2;
    return (rico_triangle){corner[first], corner[(first + step) % 3],
                           corner[(first + 2 * step) % 3], 1, serial};
}

static bool is_corner(rico_vec3 a, rico_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void mark_inner(patch *p, uint32_t i, rico_vec3 a, rico_vec3 b)
{
    const rico_vec3 corner[3] = {p->t[i].a, p->t[i].b, p->t[i].c};
    for (int k = 0; k < 3; ++k) {
        rico_vec3 from = corner[k], to = corner[(k + 1) % 3];
        p->inner[i][k] |= (is_corner(from, a) && is_corner(to, b)) ||
                          (is_corner(from, b) && is_corner(to, a));
    }
}

static dvec random_unit(uint32_t round, uint32_t use)
{
    dvec v = {(double)number(round, use, -1.0f, 1.0f),
              (double)number(round, use + 1, -1.0f, 1.0f),
              (double)number(round, use + 2, -1.0f, 1.0f)};
    return mad((dvec){0.0, 0.0, 0.0}, v, 1.0 / sqrt(dot(v, v) + 1.0e-9));
}

/* Triangle 2 continues beyond the edge a b; c is the third corner of the first triangle. */
static void join_third(patch *p, rico_vec3 a, rico_vec3 b, rico_vec3 c, rico_vec3 on)
{
    dvec n = unit_normal(&p->t[0]), outward = cross(n, sub(d(b), d(a)));
    double bend = fabs(dot(n, unit_normal(&p->t[2])));
    double there = dot(outward, sub(d(on), d(a))), here = dot(outward, sub(d(c), d(a)));
    p->unsure = fabs(bend - 0.98) < 0.001;
    if (bend < 0.98 || there * here > 0.0)
        return;
    mark_inner(p, 0, a, b);
    mark_inner(p, 2, a, b);
    p->piece[2] = 0;
}

static void make_patch(patch *p, uint32_t round)
{
    memset(p, 0, sizeof *p);
    dvec n = random_unit(round, 100), e = random_unit(round, 103), e1 = cross(n, e);
    e1 = unit_of(e1);
    dvec e2 = cross(n, e1), middle = {0.0, 0.0, 0.0};
    double r = 0.4 * (double)number(round, 110, 0.1f, 1.5f);
    double left = (double)number(round, 111, 0.05f, 0.6f),
           right = (double)number(round, 112, 0.05f, 0.6f);
    middle = mad(middle, n, (double)number(round, 113, -0.2f, 0.2f));
    middle = mad(middle, e1, (double)number(round, 114, -0.2f, 0.2f));
    rico_vec3 a = f(mad(middle, e1, -r)), c = f(mad(middle, e1, r));
    rico_vec3 b = f(mad(mad(middle, e2, left), e1, (double)number(round, 115, -0.3f, 0.3f)));
    rico_vec3 z = f(mad(mad(middle, e2, -right), e1, (double)number(round, 116, -0.3f, 0.3f)));
    /* From the edge a b it leads away from c and out of the plane, by much or by little, or
     * back over the first triangle. */
    static const float least[3] = {0.0006f, 0.004f, 0.05f}, most[3] = {0.004f, 0.08f, 0.4f};
    double out = (double)number(round, 117, least[round % 3], most[round % 3]);
    dvec away = mad(mad(mad(d(a), e1, -0.2), e2, left), n, round % 2 != 0 ? out : -out);
    rico_vec3 on = f(round % 7 == 0 ? mad(middle, e1, 0.6 * r) : away);
    p->t[0] = triangle_of(round * 8, a, b, c);
    p->t[1] = triangle_of(round * 8 + 1, a, c, z);
    p->t[2] = triangle_of(round * 8 + 2, a, b, on);
    mark_inner(p, 0, a, c);
    mark_inner(p, 1, a, c);
    p->count = 2 + round % 5;
    for (uint32_t i = 2; i < p->count; ++i) {
        p->piece[i] = i;
        if (i > 2)
            p->t[i] = random_triangle(round * 8 + i);
    }
    if (p->count > 2)
        join_third(p, a, b, c, on);
}

static double segment_distance(dvec q, dvec a, dvec b)
{
    dvec along = sub(b, a);
    double at = fmin(fmax(dot(sub(q, a), along) / dot(along, along), 0.0), 1.0);
    dvec off = sub(q, mad(a, along, at));
    return sqrt(dot(off, off));
}

static double edge_distance(const rico_triangle *t, int k, dvec q)
{
    const dvec corner[3] = {d(t->a), d(t->b), d(t->c)};
    return segment_distance(q, corner[k], corner[(k + 1) % 3]);
}

typedef struct polygon {
    dvec corner[5];
    uint32_t count;
} polygon;

/* The part of a polygon that is at least `height` above the plane through a. */
static polygon above(const polygon *of, dvec a, dvec n, double height)
{
    polygon p = {.count = 0};
    for (uint32_t k = 0; k < of->count; ++k) {
        dvec from = of->corner[k], to = of->corner[(k + 1) % of->count];
        double begin = dot(n, sub(from, a)) - height, end = dot(n, sub(to, a)) - height;
        if (begin >= 0.0)
            p.corner[p.count++] = from;
        if ((begin < 0.0) != (end < 0.0))
            p.corner[p.count++] = mad(from, sub(to, from), begin / (begin - end));
    }
    return p;
}

/* Distance from q to the polygon, which is a part of the triangle. */
static double polygon_distance(const polygon *p, const rico_triangle *t, dvec q)
{
    double least = 1.0e30;
    dvec n = unit_normal(t), c = p->corner[0], middle = c;
    bool over = p->count > 2;
    for (uint32_t k = 1; k < p->count; ++k)
        middle = mad(middle, sub(p->corner[k], middle), 1.0 / (double)(k + 1));
    for (uint32_t k = 0; k < p->count; ++k) {
        dvec from = p->corner[k], to = p->corner[(k + 1) % p->count];
        dvec inward = cross(n, sub(to, from));
        over = over && dot(inward, sub(q, from)) * dot(inward, sub(middle, from)) >= 0.0;
        if (dot(sub(to, from), sub(to, from)) > 1.0e-24)
            least = fmin(least, segment_distance(q, from, to));
    }
    return over ? fmin(least, fabs(dot(n, sub(q, c)))) : least;
}

/* Centre of a particle that touches a triangle or is partly in it, on either side. */
typedef struct toucher {
    dvec at, n; /* n: the triangle's normal, on the particle's side */
    double radius, depth;
} toucher;

/* How far other triangles may rise above or fall below the plane. Rounding may shift these
 * limits. */
static double most_rise(const toucher *q)
{
    return fmax(fmin(0.008, 0.5 * q->radius) - q->depth, 0.0005) + 4.0 * ROUNDING;
}

#define MOST_FALL (0.008 + 4.0 * ROUNDING)

/* Distance from q, which touches triangle `own`, to the next triangle away from the plane, or
 * to the end of its own sheet if that is nearer. */
static double true_clearance(const patch *p, uint32_t own, const toucher *q)
{
    double least = 1.0e30;
    const dvec zero = {0.0, 0.0, 0.0}, down = mad(zero, q->n, -1.0), on = d(p->t[own].a);
    for (uint32_t i = 0; i < p->count; ++i) {
        const rico_triangle *t = &p->t[i];
        const polygon whole = {{d(t->a), d(t->b), d(t->c)}, 3};
        const polygon far[2] = {above(&whole, on, q->n, most_rise(q)),
                                above(&whole, on, down, MOST_FALL)};
        for (int k = 0; k < 2; ++k)
            least = fmin(least, polygon_distance(&far[k], t, q->at));
        for (int k = 0; k < 3; ++k)
            if (p->piece[i] == p->piece[own] && !p->inner[i][k])
                least = fmin(least, edge_distance(t, k, q->at));
    }
    return least;
}

/* A point of the triangle; in every other round it is near an edge. */
static dvec point_of(const rico_triangle *t, uint32_t round)
{
    double u = (double)number(round, 120, 0.0f, 1.0f),
           w = (double)number(round, 121, 0.0f, 1.0f);
    if (round % 2 == 0)
        u *= u * u;
    if (u + w > 1.0) {
        u = 1.0 - u;
        w = 1.0 - w;
    }
    return mad(mad(d(t->a), sub(d(t->b), d(t->a)), u), sub(d(t->c), d(t->a)), w);
}

static double border_of(dvec q)
{
    return (double)cube.half + (double)RICO__CELL_ROOM -
           fmax(fabs(q.x), fmax(fabs(q.y), fabs(q.z)));
}

static toucher random_toucher(const rico_triangle *t, uint32_t round)
{
    static const double radii[3] = {0.001, 0.01, 0.05};
    toucher q = {.n = unit_normal(t), .radius = radii[rico__random_u32(43, round, 0) % 3]};
    if (rico__random_u32(43, round, 1) % 2 != 0)
        q.n = mad((dvec){0.0, 0.0, 0.0}, q.n, -1.0);
    if (rico__random_u32(43, round, 2) % 4 == 0)
        q.depth = 0.4 * q.radius;
    q.at = mad(point_of(t, round), q.n, q.radius - q.depth);
    return q;
}

/* Distance to the edge between triangles 0 and 2, where they form one sheet. */
static double bent_edge_distance(const patch *p, dvec q)
{
    double least = 1.0e30;
    for (int k = 0; k < 3 && p->count > 2 && p->piece[2] == 0; ++k)
        if (p->inner[2][k])
            least = edge_distance(&p->t[2], k, q);
    return least;
}

TEST(runtime, clearance_is_never_more_than_the_true_distance_to_anything_else)
{
    uint32_t checked = 0, ample = 0, over_the_bend = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        patch p;
        make_patch(&p, round);
        rico__record record;
        cell_of(&record, p.t, p.count);
        CHECK_EQ(record.count, p.count);
        uint32_t own = rico__random_u32(42, round, 0) % p.count;
        toucher q = random_toucher(&p.t[own], round);
        if (border_of(q.at) < 0.05 || p.unsure)
            continue;
        rico__surfaces s = rico__record_surfaces(&record);
        const float at[3] = {(float)q.at.x, (float)q.at.y, (float)q.at.z};
        double clear = (double)rico__kernels_for_cpu()->clearance(&s, at, own, (float)q.radius);
        double most = true_clearance(&p, own, &q);
        CHECK_MSG(fmin(clear, border_of(q.at)) <= most + 2.0 * ROUNDING,
                  "round %u: %g m is %g m", round, clear, most);
        checked += 1;
        ample += clear > 0.02;
        over_the_bend += own % 2 == 0 && clear > bent_edge_distance(&p, q.at) + 0.01;
    }
    CHECK(checked > 10000 && ample > 3000);
    CHECK_MSG(over_the_bend > 300, "%u reach beyond a bent edge", over_the_bend);
}

TEST(runtime, clearance_is_negative_where_the_surface_has_ended)
{
    uint32_t beyond = 0, checked = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        patch p;
        make_patch(&p, round);
        rico__record record;
        cell_of(&record, p.t, p.count);
        dvec q = point_of(&p.t[0], round), c = d(p.t[0].a);
        q = mad(c, sub(q, c), 1.6); /* still in its plane */
        if (border_of(q) < 0.0 || p.unsure)
            continue;
        double by = fmax(inside_by(&p.t[0], q), inside_by(&p.t[1], q));
        if (p.count > 2 && p.piece[2] == 0)
            by = fmax(by, inside_by(&p.t[2], q));
        rico__surfaces s = rico__record_surfaces(&record);
        const float at[3] = {(float)q.x, (float)q.y, (float)q.z};
        float clear = rico__kernels_for_cpu()->clearance(&s, at, 0, 0.0f);
        CHECK_MSG(clear < 0.0f || by > -0.001, "round %u: %g m beyond", round, -by);
        beyond += by < -0.001;
        checked += 1;
    }
    CHECK(checked > 1000 && beyond > 200);
}

TEST(runtime, clearance_counts_the_end_of_a_flat_piece_and_not_the_edges_within_it)
{
    uint32_t checked = 0, over_the_edge = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        dvec n = random_unit(round, 130), e = random_unit(round, 133), zero = {0.0, 0.0, 0.0};
        dvec e1 = cross(n, e);
        e1 = unit_of(e1);
        dvec e2 = cross(n, e1);
        rico_vec3 corner[4];
        double r = (double)number(round, 136, 0.1f, 0.3f);
        for (int k = 0; k < 4; ++k)
            corner[k] = f(mad(mad(zero, e1, k == 0 || k == 3 ? -r : r), e2, k < 2 ? -r : r));
        patch p = {.count = 2};
        p.t[0] = triangle_of(round * 2, corner[0], corner[1], corner[2]);
        p.t[1] = triangle_of(round * 2 + 1, corner[0], corner[2], corner[3]);
        mark_inner(&p, 0, corner[0], corner[2]);
        mark_inner(&p, 1, corner[0], corner[2]);
        rico__record record;
        cell_of(&record, p.t, 2);
        uint32_t own = round % 2;
        dvec q = point_of(&p.t[own], round);
        if (border_of(q) < 0.15)
            continue;
        rico__surfaces s = rico__record_surfaces(&record);
        const float at[3] = {(float)q.x, (float)q.y, (float)q.z};
        double clear = (double)rico__kernels_for_cpu()->clearance(&s, at, own, 0.0f);
        double most = true_clearance(&p, own, &(toucher){.at = q, .n = n});
        /* A projection shortens lengths in a plane to 1 / sqrt(3) at most. */
        CHECK_MSG(clear <= most + 2.0 * ROUNDING && clear >= 0.577 * most - 3.0 * ROUNDING,
                  "round %u: %g m is %g m", round, clear, most);
        over_the_edge += segment_distance(q, d(corner[0]), d(corner[2])) < 0.2 * most;
        checked += 1;
    }
    CHECK(checked > 1000 && over_the_edge > 100);
}

/* Whether the record covers the half ball in front of the plane through `center`. */
static bool half_ball_is_covered(dvec center, dvec n, double radius, uint32_t round)
{
    bool covered = true;
    for (uint32_t k = 0; k < 40; ++k) {
        dvec way = random_unit(round, 200 + 3 * k);
        double front = dot(way, n);
        if (k % 2 == 0) { /* on the rim */
            way = mad(way, n, -front);
            way = unit_of(way);
        } else if (front < 0.0) {
            way = mad((dvec){0.0, 0.0, 0.0}, way, -1.0);
        }
        covered = covered && border_of(mad(center, way, radius)) > -1.0e-3;
    }
    return covered;
}

TEST(runtime, what_a_choice_says_of_its_surroundings_is_true)
{
    uint32_t ample = 0, sure = 0, farther = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        patch p;
        make_patch(&p, round);
        rico__record record;
        rico__cell cell = cell_of(&record, p.t, p.count);
        uint32_t own = rico__random_u32(42, round, 0) % p.count;
        dvec n = unit_normal(&p.t[own]), corner = d(p.t[own].a);
        /* Some are a little beyond the end. */
        dvec q = mad(corner, sub(point_of(&p.t[own], round), corner), 1.02);
        dvec center = mad(q, n, 0.01), begin = mad(q, n, 0.06);
        if (border_of(q) < 0.05 || border_of(begin) < 0.0 || p.unsure)
            continue;
        rico__choice c =
            choose(&cell, path_from(f(begin), f(mad((dvec){0.0, 0.0, 0.0}, n, -1.0)), 0.0f));
        if (inside_by(&p.t[own], q) > 0.0)
            CHECK_MSG((double)c.time <= 0.05 + ROUNDING, "round %u: %g", round, (double)c.time);
        /* Another surface may come first. */
        if (fabs((double)c.time - 0.05) > ROUNDING || c.surface != own)
            continue;
        if (c.clearance > 0.0f) {
            const toucher touching = {.at = center, .n = n, .radius = 0.01};
            double most = true_clearance(&p, own, &touching) - touching.radius;
            CHECK_MSG((double)c.clearance <= most, "round %u: %g m is %g m", round,
                      (double)c.clearance, most);
            CHECK(half_ball_is_covered(center, n, (double)c.clearance, round));
            farther += (double)c.clearance > border_of(center) + 0.01;
            ample += 1;
        } else if (c.clearance == RICO__SURE_CONTACT) {
            double by = inside_by(&p.t[own], q);
            for (uint32_t i = 0; i < p.count; ++i) /* it may be a surface in the same place */
                if (plane_distance(&p.t[i], q) < ROUNDING)
                    by = fmax(by, inside_by(&p.t[i], q));
            CHECK_MSG(by > 0.004, "round %u: %g m inside", round, by);
            sure += 1;
        } else {
            CHECK(c.clearance == 0.0f);
        }
    }
    CHECK(ample > 1000 && sure > 500);
    CHECK_MSG(farther > 20, "%u reach farther than the border behind them", farther);
}

/* Whether the record covers all places that are `length` away from `center` in directions
 * between `along` and n. */
static bool way_is_covered(dvec center, dvec along, dvec n, double length)
{
    bool covered = true;
    for (int k = 0; k <= 16; ++k) {
        double angle = 1.5707963 / 16.0 * k;
        dvec way = mad(mad((dvec){0.0, 0.0, 0.0}, along, cos(angle)), n, sin(angle));
        covered = covered && border_of(mad(center, way, length)) > -1.0e-3;
    }
    return covered;
}

/* A plane through the whole cell, and in half of all rounds a second triangle. */
static void make_plane(patch *p, uint32_t round)
{
    memset(p, 0, sizeof *p);
    dvec n = random_unit(round, 100), e1 = cross(n, random_unit(round, 103));
    e1 = unit_of(e1);
    dvec e2 = cross(n, e1),
         middle = mad((dvec){0.0, 0.0, 0.0}, n, (double)number(round, 113, -0.3f, 0.3f));
    p->t[0] = triangle_of(round * 8, f(mad(mad(middle, e1, -3.0), e2, -2.0)),
                          f(mad(mad(middle, e1, 3.0), e2, -2.0)), f(mad(middle, e2, 4.0)));
    p->t[1] = random_triangle(round * 8 + 1);
    p->piece[1] = 1;
    p->count = 1 + round % 2;
}

TEST(runtime, who_is_pulled_nowhere_along_its_plane_needs_to_know_what_is_ahead)
{
    uint32_t farther = 0, askew = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        patch p;
        make_plane(&p, round);
        rico__record record;
        rico__cell cell = cell_of(&record, p.t, p.count);
        const dvec within = {(double)number(round, 310, -0.38f, 0.38f),
                             (double)number(round, 311, -0.38f, 0.38f),
                             (double)number(round, 312, -0.38f, 0.38f)};
        dvec n = unit_normal(&p.t[0]);
        dvec q = mad(within, n, -dot(n, sub(within, d(p.t[0].a))));
        dvec center = mad(q, n, 0.01), along = cross(n, random_unit(round, 300));
        along = unit_of(along);
        dvec v = mad(mad((dvec){0.0, 0.0, 0.0}, n, -1.0), along, 0.1);
        dvec begin = mad(center, v, -0.05);
        if (border_of(q) < 0.05 || border_of(begin) < 0.0 || p.unsure)
            continue;
        const rico__path path = path_from(f(begin), f(v), 0.0f);
        rico__choice any = choose(&cell, path);
        if (fabs((double)any.time - 0.05) > ROUNDING || any.surface != 0 ||
            !(any.clearance > 0.0f))
            continue;
        float strength = number(round, 306, -20.0f, 0.0f);
        rico_vec3 pull = vec3_scale(any.plane.normal, strength);
        rico__choice c = choose_pulled(&cell, path, &pull);
        const toucher touching = {.at = center, .n = n, .radius = 0.01};
        double most = true_clearance(&p, 0, &touching) - touching.radius;
        CHECK_MSG((double)c.clearance <= most, "round %u: %g m is %g m", round,
                  (double)c.clearance, most);
        CHECK(way_is_covered(center, along, n, (double)c.clearance));
        farther += c.clearance > any.clearance + 0.05f;
        pull = vec3_mad(pull, f(cross(n, along)), 0.001f * strength);
        CHECK(choose_pulled(&cell, path, &pull).clearance == any.clearance);
        askew += 1;
    }
    CHECK_MSG(farther > 2000 && askew > 2000, "%u of %u reach farther", farther, askew);
}
