/* How far around a contact nothing else is, by a record, against the triangles themselves. */
#include "runtime_record.h"

#define PATCH_TRIANGLES 6u

/* Triangles 0 and 1 are a flat quadrilateral; 2 goes on from one of its outer edges, folded,
 * or lies on them; the rest is anywhere. inner: the edges from corner k on that are within a
 * flat piece. */
typedef struct patch {
    rico_triangle t[PATCH_TRIANGLES];
    bool inner[PATCH_TRIANGLES][3];
    uint32_t piece[PATCH_TRIANGLES];
    uint32_t count;
} patch;

/* The corners in another order, and other way round. */
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
        p->inner[i][k] = (is_corner(from, a) && is_corner(to, b)) ||
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

static void make_patch(patch *p, uint32_t round)
{
    memset(p, 0, sizeof *p);
    dvec n = random_unit(round, 100), e = random_unit(round, 103), e1 = cross(n, e);
    e1 = mad((dvec){0.0, 0.0, 0.0}, e1, 1.0 / sqrt(dot(e1, e1)));
    dvec e2 = cross(n, e1), middle = {0.0, 0.0, 0.0};
    double r = 0.4 * (double)number(round, 110, 0.1f, 1.5f);
    double left = (double)number(round, 111, 0.05f, 0.6f),
           right = (double)number(round, 112, 0.05f, 0.6f);
    middle = mad(middle, n, (double)number(round, 113, -0.2f, 0.2f));
    middle = mad(middle, e1, (double)number(round, 114, -0.2f, 0.2f));
    rico_vec3 a = f(mad(middle, e1, -r)), c = f(mad(middle, e1, r));
    rico_vec3 b = f(mad(mad(middle, e2, left), e1, (double)number(round, 115, -0.3f, 0.3f)));
    rico_vec3 z = f(mad(mad(middle, e2, -right), e1, (double)number(round, 116, -0.3f, 0.3f)));
    /* On from the edge a b: away from c and out of the plane, often by hardly more than what is
     * still taken for flat; or back over the first triangle. */
    double out = round % 3 == 0 ? (double)number(round, 117, 0.0006f, 0.004f)
                                : (double)number(round, 117, 0.05f, 0.4f);
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

/* From q, a point of triangle `own`, to other pieces and to where its own ends. */
static double true_clearance(const patch *p, uint32_t own, dvec q)
{
    double least = 1.0e30;
    for (uint32_t i = 0; i < p->count; ++i) {
        bool other = p->piece[i] != p->piece[own];
        if (other && inside_by(&p->t[i], q) > 0.0)
            least = fmin(least, plane_distance(&p->t[i], q));
        for (int k = 0; k < 3; ++k)
            if (other || !p->inner[i][k])
                least = fmin(least, edge_distance(&p->t[i], k, q));
    }
    return least;
}

/* A point of the triangle; every other one near its edges. */
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
    return (double)cube.half + (double)RICO__RECORD_MARGIN -
           fmax(fabs(q.x), fmax(fabs(q.y), fabs(q.z)));
}

TEST(runtime, clearance_is_never_more_than_the_true_distance_to_anything_else)
{
    uint32_t checked = 0, ample = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        patch p;
        make_patch(&p, round);
        rico__record record;
        cell_of(&record, p.t, p.count);
        CHECK_EQ(record.count, p.count);
        uint32_t own = rico__random_u32(42, round, 0) % p.count;
        dvec q = point_of(&p.t[own], round);
        if (border_of(q) < 0.05)
            continue;
        rico__surfaces s = rico__record_surfaces(&record);
        const float at[3] = {(float)q.x, (float)q.y, (float)q.z};
        double clear = (double)rico__kernels_for_cpu()->clearance(&s, at, own);
        double most = true_clearance(&p, own, q);
        CHECK_MSG(fmin(clear, border_of(q)) <= most + 2.0 * ROUNDING, "round %u: %g m is %g m",
                  round, clear, most);
        checked += 1;
        ample += clear > 0.02;
    }
    CHECK(checked > 10000 && ample > 3000);
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
        q = mad(c, sub(q, c), 1.6); /* in its plane */
        if (border_of(q) < 0.0)
            continue;
        double by = fmax(inside_by(&p.t[0], q), inside_by(&p.t[1], q));
        rico__surfaces s = rico__record_surfaces(&record);
        const float at[3] = {(float)q.x, (float)q.y, (float)q.z};
        float clear = rico__kernels_for_cpu()->clearance(&s, at, 0);
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
        e1 = mad(zero, e1, 1.0 / sqrt(dot(e1, e1)));
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
        double clear = (double)rico__kernels_for_cpu()->clearance(&s, at, own);
        double most = true_clearance(&p, own, q);
        /* A projection shortens what is in a plane to 1 / sqrt(3) at most. */
        CHECK_MSG(clear <= most + 2.0 * ROUNDING && clear >= 0.577 * most - 3.0 * ROUNDING,
                  "round %u: %g m is %g m", round, clear, most);
        over_the_edge += segment_distance(q, d(corner[0]), d(corner[2])) < 0.2 * most;
        checked += 1;
    }
    CHECK(checked > 1000 && over_the_edge > 100);
}

/* Whether the record knows all that is within the radius in front of the plane through the centre. */
static bool half_ball_is_covered(dvec center, dvec n, double radius, uint32_t round)
{
    bool covered = true;
    for (uint32_t k = 0; k < 40; ++k) {
        dvec way = random_unit(round, 200 + 3 * k);
        double front = dot(way, n);
        if (k % 2 == 0) { /* on the rim */
            way = mad(way, n, -front);
            way = mad((dvec){0.0, 0.0, 0.0}, way, 1.0 / sqrt(dot(way, way)));
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
        /* A little beyond the end, at times. */
        dvec q = mad(corner, sub(point_of(&p.t[own], round), corner), 1.02);
        dvec center = mad(q, n, 0.01), begin = mad(q, n, 0.06);
        if (border_of(q) < 0.05 || border_of(begin) < 0.0)
            continue;
        rico__choice c =
            choose(&cell, path_from(f(begin), f(mad((dvec){0.0, 0.0, 0.0}, n, -1.0)), 0.0f));
        if (inside_by(&p.t[own], q) > 0.0)
            CHECK_MSG((double)c.time <= 0.05 + ROUNDING, "round %u: %g", round, (double)c.time);
        /* Something else may come first. */
        if (fabs((double)c.time - 0.05) > ROUNDING || dot(d(c.plane.normal), n) < 0.9999)
            continue;
        if (c.clearance > 0.0f) {
            CHECK_MSG((double)c.clearance + 0.01 <= true_clearance(&p, own, center),
                      "round %u: %g m is %g m", round, (double)c.clearance,
                      true_clearance(&p, own, center) - 0.01);
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
