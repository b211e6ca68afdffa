/* Cell records against slow, obvious references. */
#include "testing.h"

#include "contact.h"
#include "random.h"

static float number(uint32_t serial, uint32_t use, float lo, float hi)
{
    return rico__random_range(11, serial, use, lo, hi);
}

/* A triangle near the origin, by number. */
static rico_triangle random_triangle(uint32_t serial)
{
    rico_triangle t = {.collider = 1, .triangle = serial};
    rico_vec3 *corner[3] = {&t.a, &t.b, &t.c};
    for (uint32_t k = 0; k < 3; ++k)
        *corner[k] = (rico_vec3){number(serial, 10 + k, -0.6f, 0.6f),
                                 number(serial, 20 + k, -0.6f, 0.6f),
                                 number(serial, 30 + k, -0.6f, 0.6f)};
    return t;
}

typedef struct dvec {
    double x, y, z;
} dvec;

static dvec d(rico_vec3 v)
{
    return (dvec){(double)v.x, (double)v.y, (double)v.z};
}

static dvec sub(dvec a, dvec b)
{
    return (dvec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(dvec a, dvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static dvec cross(dvec a, dvec b)
{
    return (dvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* How far inside the triangle (in its plane, metres; negative = outside) q's projection is. */
static double inside_by(const rico_triangle *t, dvec q)
{
    dvec c[3] = {d(t->a), d(t->b), d(t->c)};
    dvec n = cross(sub(c[1], c[0]), sub(c[2], c[0]));
    double least = 1.0e30, length = sqrt(dot(n, n));
    for (int k = 0; k < 3; ++k) {
        dvec edge = sub(c[(k + 1) % 3], c[k]);
        dvec inward = cross(n, edge);
        double distance = dot(inward, sub(q, c[k])) / (length * sqrt(dot(edge, edge)));
        if (distance < least)
            least = distance;
    }
    return least;
}

static dvec mad(dvec a, dvec b, double s)
{
    return (dvec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static rico_vec3 f(dvec v)
{
    return (rico_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static dvec unit_normal(const rico_triangle *t)
{
    dvec n = cross(sub(d(t->b), d(t->a)), sub(d(t->c), d(t->a)));
    return mad((dvec){0.0, 0.0, 0.0}, n, 1.0 / sqrt(dot(n, n)));
}

static double plane_distance(const rico_triangle *t, dvec q)
{
    return fabs(dot(unit_normal(t), sub(q, d(t->a))));
}

/* Records round planes and edges: within this. */
#define ROUNDING 1.0e-4

static const rico__cell cube = {.state = CELL_RECORDED, .half = 0.38f};

static rico__cell cell_of(rico__record *record, const rico_triangle *triangles, uint32_t count)
{
    rico__cell cell = cube;
    rico__record_build(record, &cube, triangles, count, count);
    cell.record = record;
    return cell;
}

/* Time of contact with the triangle's plane within the step, or 2. */
static double plane_time(const rico_triangle *t, rico_vec3 p, rico_vec3 step, double radius)
{
    dvec n = unit_normal(t);
    double distance = dot(n, sub(d(p), d(t->a)));
    double change = dot(n, d(step));
    if (distance < 0.0) {
        distance = -distance;
        change = -change;
    }
    if (change >= 0.0 || distance + change >= radius)
        return 2.0;
    double time = (distance - radius) / -change;
    return time < 0.0 ? 0.0 : time;
}

/* From contact until the centre is in the plane, the first of 100 looks at which it is over it. */
static double time_within(const rico_triangle *t, rico_vec3 p, rico_vec3 step, double radius,
                          double least)
{
    double time = plane_time(t, p, step, radius), end = plane_time(t, p, step, 0.0);
    end = end < 1.0 ? end : 1.0;
    for (int i = 0; time <= 1.0 && i <= 100; ++i) {
        double at = time + (end - time) * (double)i / 100.0;
        if (inside_by(t, mad(d(p), d(step), at)) > least)
            return at;
    }
    return 2.0;
}

/* Of a step: what it surely hits first, and the first that it could hit, and when. */
typedef struct expectation {
    uint32_t sure, possible;
    double sure_time, possible_time;
    bool vague; /* it begins in a plane: on which side is a matter of rounding */
} expectation;

static expectation expect(const rico_triangle *triangles, uint32_t count, rico_vec3 p,
                          rico_vec3 step, double radius)
{
    expectation e = {.sure_time = 2.0, .possible_time = 2.0};
    for (uint32_t i = 0; i < count; ++i) {
        double sure = time_within(&triangles[i], p, step, radius - ROUNDING, 0.0);
        double possible = time_within(&triangles[i], p, step, radius + ROUNDING, -0.02);
        e.vague |= plane_distance(&triangles[i], d(p)) < 2.0 * ROUNDING;
        if (sure < e.sure_time) {
            e.sure_time = sure;
            e.sure = i;
        }
        if (possible < e.possible_time) {
            e.possible_time = possible;
            e.possible = i;
        }
    }
    for (uint32_t i = 0; i < count; ++i)
        e.vague |= i != e.possible &&
                   time_within(&triangles[i], p, step, radius + ROUNDING, -0.02) <= e.sure_time;
    return e;
}

TEST(runtime, finds_the_contacts_that_the_triangles_themselves_give)
{
    const double radius = 0.01;
    uint32_t hits = 0, clear_misses = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        rico_triangle triangles[6];
        for (uint32_t i = 0; i < 6; ++i)
            triangles[i] = random_triangle(round * 6 + i);
        rico__record record;
        rico__cell cell = cell_of(&record, triangles, 6);
        rico_vec3 p = {number(round, 1, -0.25f, 0.25f), number(round, 2, -0.25f, 0.25f),
                       number(round, 3, -0.25f, 0.25f)};
        rico_vec3 v = {number(round, 4, -9.0f, 9.0f), number(round, 5, -9.0f, 9.0f),
                       number(round, 6, -9.0f, 9.0f)};
        rico_vec3 step = {v.x / 60.0f, v.y / 60.0f, v.z / 60.0f};
        expectation e = expect(triangles, 6, p, step, radius);
        rico__contact contact;
        bool found = rico__record_contact(rico__kernels_for_cpu(), &cell, p, v, 1.0f / 60.0f,
                                          (float)radius, &contact);
        if (e.possible_time > 1.0) {
            CHECK_MSG(!found, "round %u: contact with nothing at %g", round,
                      (double)contact.time);
            clear_misses += 1;
        } else if (e.sure_time <= 1.0 && e.sure == e.possible && !e.vague) {
            CHECK_MSG(found, "round %u: missed a contact at %g", round, e.sure_time);
            CHECK((double)contact.time >= e.possible_time - 1.0e-4 &&
                  (double)contact.time <= e.sure_time + 1.0e-4);
            CHECK_EQ(contact.triangle, triangles[e.sure].triangle);
            hits += 1;
        }
    }
    CHECK(hits > 300);
    CHECK(clear_misses > 300);
}

/* Two coordinates of the normal are equal but for rounding: edges are kept and asked for in the
 * same projection all the same. */
TEST(runtime, surfaces_at_45_degrees_are_met_like_others)
{
    uint32_t hits = 0, misses = 0;
    for (uint32_t round = 0; round < 6000; ++round) {
        rico_triangle t = {.collider = 1};
        rico_vec3 *corner[3] = {&t.a, &t.b, &t.c};
        float offset = number(round, 1, -0.1f, 0.1f), sign = round % 2 ? 1.0f : -1.0f;
        for (uint32_t k = 0; k < 3; ++k) {
            float x = number(round, 2 + k, -0.3f, 0.3f), y = number(round, 5 + k, -0.3f, 0.3f);
            float z = x * sign + offset;
            *corner[k] = round % 3 == 0   ? (rico_vec3){x, y, z}
                         : round % 3 == 1 ? (rico_vec3){y, x, z}
                                          : (rico_vec3){x, z, y};
        }
        rico__record record;
        rico__cell cell = cell_of(&record, &t, 1);
        double wb = (double)number(round, 8, -0.4f, 0.7f),
               wc = (double)number(round, 9, -0.4f, 0.7f);
        dvec q = mad(mad(d(t.a), sub(d(t.b), d(t.a)), wb), sub(d(t.c), d(t.a)), wc);
        double by = inside_by(&t, q);
        if (!(fabs(q.x) < 0.25 && fabs(q.y) < 0.25 && fabs(q.z) < 0.25 && isfinite(by)))
            continue;
        dvec n = unit_normal(&t);
        rico__contact contact;
        bool found =
            rico__record_contact(rico__kernels_for_cpu(), &cell, f(mad(q, n, 0.05)),
                                 f(mad((dvec){0.0, 0.0, 0.0}, n, -1.0)), 0.1f, 0.01f, &contact);
        CHECK_MSG(found || by < 0.0, "round %u: fell through, %g m inside", round, by);
        CHECK_MSG(!found || by > -0.02, "round %u: contact %g m outside", round, -by);
        hits += by > 0.0;
        misses += by < -0.02;
    }
    CHECK(hits > 300 && misses > 300);
}

/* ---- What the path meets ---- */

static rico__path path_from(rico_vec3 p, rico_vec3 v, float gravity)
{
    return (rico__path){.p = {p.x, p.y, p.z},
                        .v = {v.x, v.y, v.z},
                        .accel = {0.0f, 0.0f, -gravity},
                        .radius = 0.01f};
}

static rico__choice choose(const rico__cell *cell, rico__path path)
{
    float time[RICO__RECORD_TIMES];
    const rico__kernels *k = rico__kernels_for_cpu();
    uint32_t found = rico__record_search(k, cell, &path, 4.0f, time);
    return rico__record_choose(k, cell, &path, found, time);
}

TEST(runtime, watches_the_plane_that_the_ballistic_path_meets_first)
{
    /* A floor and a ceiling; thrown upwards, the ceiling comes first only when it is reached. */
    rico_triangle triangles[2] = {
        {{-9, -9, -0.2f}, {9, -9, -0.2f}, {0, 9, -0.2f}, 1, 0},
        {{-9, -9, 0.2f}, {9, -9, 0.2f}, {0, 9, 0.2f}, 1, 1},
    };
    rico__record record;
    rico__cell cell = cell_of(&record, triangles, 2);
    rico_vec3 p = {0.0f, 0.0f, 0.0f};
    rico__choice low = choose(&cell, path_from(p, (rico_vec3){0, 0, 1.9f}, 9.81f));
    rico__choice high = choose(&cell, path_from(p, (rico_vec3){0, 0, 2.1f}, 9.81f));
    /* 1.9^2 / 2g = 0.184 m: turns before 0.19 m */
    CHECK_NEAR(low.plane.normal.z, 1.0f, ROUNDING);
    CHECK_NEAR(low.plane.offset, -0.2f, ROUNDING);
    CHECK_NEAR(low.time, (1.9 + sqrt(1.9 * 1.9 + 2.0 * 9.81 * 0.19)) / 9.81, ROUNDING);
    CHECK_NEAR(high.plane.normal.z, -1.0f, ROUNDING);
    CHECK_NEAR(high.plane.offset, -0.2f, ROUNDING);
    CHECK_NEAR(high.time, (2.1 - sqrt(2.1 * 2.1 - 2.0 * 9.81 * 0.19)) / 9.81, 2.0e-4);
    rico__choice beyond = choose(&cell, path_from(p, (rico_vec3){9, 0, 0}, 9.81f));
    CHECK(beyond.plane.offset == RICO_NO_PLANE_OFFSET); /* leaves the box before the floor */
    CHECK(beyond.time == RICO__NEVER);
}

static rico_vec3 turned(double angle, double x, double y, double z)
{
    double c = cos(angle), s = sin(angle);
    return f((dvec){c * x - s * y, s * x + c * y, z});
}

/* The path crosses the height of a table at x = rise and, falling, at x = fall; the table is
 * where x > edge. All turned round z. */
typedef struct throw_case {
    double angle, height, edge, rise, fall;
    double rise_time, fall_time;
    rico__choice choice;
} throw_case;

static throw_case throw_past_table(uint32_t round, double edge, double rise, double fall)
{
    const double g = 9.81, radius = 0.01;
    throw_case c = {.edge = edge, .rise = rise, .fall = fall};
    c.angle = (double)number(round, 50, 0.0f, 6.2832f);
    c.height = (double)number(round, 51, -0.1f, 0.1f);
    double below = (double)number(round, 52, 0.02f, 0.1f),
           above = (double)number(round, 53, 0.03f, 0.2f);
    double vz = sqrt(2.0 * g * (below + above));
    c.rise_time = (vz - sqrt(vz * vz - 2.0 * g * (below - radius))) / g;
    c.fall_time = (vz + sqrt(vz * vz - 2.0 * g * (below + radius))) / g;
    double vx = (fall - rise) / (c.fall_time - c.rise_time);
    rico_triangle table = {turned(c.angle, edge, -9.0, c.height),
                           turned(c.angle, edge, 9.0, c.height),
                           turned(c.angle, 9.0, 0.0, c.height), 1, 0};
    rico__record record;
    rico__cell cell = cell_of(&record, &table, 1);
    c.choice =
        choose(&cell, path_from(turned(c.angle, rise - vx * c.rise_time, 0.0, c.height - below),
                                turned(c.angle, vx, 0.0, vz), (float)g));
    return c;
}

TEST(runtime, a_path_that_rises_past_a_tables_edge_and_falls_back_on_it_is_found)
{
    for (uint32_t round = 0; round < 2000; ++round) {
        double edge = (double)number(round, 60, -0.05f, 0.05f);
        throw_case c =
            throw_past_table(round, edge, edge - (double)number(round, 61, 0.04f, 0.1f),
                             edge + (double)number(round, 62, 0.01f, 0.15f));
        CHECK_NEAR(c.choice.time, c.fall_time, 5.0e-4);
        CHECK_NEAR(c.choice.plane.normal.z, 1.0f, ROUNDING); /* against the velocity there */
        CHECK_NEAR(c.choice.plane.offset, c.height, ROUNDING);
    }
}

TEST(runtime, a_path_that_rises_under_a_table_meets_it_from_below)
{
    for (uint32_t round = 0; round < 2000; ++round) {
        double edge = (double)number(round, 60, -0.05f, 0.05f);
        throw_case c =
            throw_past_table(round, edge, edge + (double)number(round, 61, 0.0f, 0.1f),
                             edge + (double)number(round, 62, -0.1f, 0.15f));
        CHECK_NEAR(c.choice.time, c.rise_time, 5.0e-4);
        CHECK_NEAR(c.choice.plane.normal.z, -1.0f, ROUNDING);
        CHECK_NEAR(c.choice.plane.offset, -c.height, ROUNDING);
    }
}

TEST(runtime, a_path_that_rises_and_falls_beside_a_table_meets_nothing)
{
    for (uint32_t round = 0; round < 2000; ++round) {
        double edge = (double)number(round, 60, -0.05f, 0.05f);
        throw_case c =
            throw_past_table(round, edge, edge - (double)number(round, 61, 0.04f, 0.1f),
                             edge - (double)number(round, 62, 0.04f, 0.15f));
        CHECK(c.choice.time == RICO__NEVER);
        CHECK(c.choice.plane.offset == RICO_NO_PLANE_OFFSET);
    }
}

/* ---- Clearance ---- */

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

TEST(runtime, what_a_choice_says_of_its_surroundings_is_true)
{
    uint32_t ample = 0, sure = 0;
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
            CHECK((double)c.clearance <= border_of(center));
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
}
