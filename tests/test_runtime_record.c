/* Cell records compared with slow, simple references. */
#include "runtime_record.h"

/* The time of contact with the triangle's plane within the step, or 2 if there is none. */
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

/* Of 100 times between contact and the centre's arrival in the plane, the first at which the
 * particle is over the triangle. */
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

/* What a step surely hits first, what it could hit first, and when. */
typedef struct expectation {
    uint32_t sure, possible;
    double sure_time, possible_time;
    bool vague; /* begins in a plane: rounding decides on which side */
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
        bool found = rico__record_contact(rico__kernels_for_cpu(), &cell, NULL, p, v,
                                          1.0f / 60.0f, (float)radius, &contact);
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

/* Two coordinates of the normal are equal but for rounding. Edges must still be stored and
 * tested in the same projection. */
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
            rico__record_contact(rico__kernels_for_cpu(), &cell, NULL, f(mad(q, n, 0.05)),
                                 f(mad((dvec){0.0, 0.0, 0.0}, n, -1.0)), 0.1f, 0.01f, &contact);
        CHECK_MSG(found || by < 0.0, "round %u: fell through, %g m inside", round, by);
        CHECK_MSG(!found || by > -0.02, "round %u: contact %g m outside", round, -by);
        hits += by > 0.0;
        misses += by < -0.02;
    }
    CHECK(hits > 300 && misses > 300);
}

/* ---- What the path meets ---- */

TEST(runtime, watches_the_plane_that_the_ballistic_path_meets_first)
{
    /* A floor and a ceiling. A particle that is thrown upwards meets the ceiling first only if
     * it reaches it. */
    rico_triangle triangles[2] = {
        {{-9, -9, -0.2f}, {9, -9, -0.2f}, {0, 9, -0.2f}, 1, 0},
        {{-9, -9, 0.2f}, {9, -9, 0.2f}, {0, 9, 0.2f}, 1, 1},
    };
    rico__record record;
    rico__cell cell = cell_of(&record, triangles, 2);
    rico_vec3 p = {0.0f, 0.0f, 0.0f};
    rico__choice low = choose(&cell, path_from(p, (rico_vec3){0, 0, 1.9f}, 9.81f));
    rico__choice high = choose(&cell, path_from(p, (rico_vec3){0, 0, 2.1f}, 9.81f));
    /* 1.9^2 / 2g = 0.184 m: it turns before 0.19 m */
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

/* A path that crosses the height of a table at x = rise and, falling, at x = fall. The table is
 * where x > edge. All is turned about z. */
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

/* A level triangle; above a floor or under a ceiling, the normal follows from the side. */
static rico_triangle level(float height)
{
    return (rico_triangle){.a = {-0.9f, -0.9f, height},
                           .b = {0.9f, -0.9f, height},
                           .c = {0.0f, 0.9f, height},
                           .collider = 1};
}

/* A ball of 2 mm comes half a millimetre into a ceiling at 0.1 m for 20 ms, then falls. Returns
 * the z of the chosen plane's normal. */
static float chosen_up(float floor, float dt)
{
    rico__record record;
    const rico_triangle both[2] = {level(0.1f), level(floor)};
    const rico__cell cell = cell_of(&record, both, 2);
    rico__path path =
        path_from((rico_vec3){0.0f, 0.0f, 0.095f}, (rico_vec3){0.0f, 0.0f, 0.262f}, 9.81f);
    path.radius = 0.002f;
    float time[RICO__RECORD_TIMES];
    const rico__kernels *k = rico__kernels_for_cpu();
    uint32_t found = rico__record_search(k, &cell, NULL, &path, 4.0f, time);
    CHECK_EQ(found, 3u);
    return rico__record_choose_in_steps(k, &cell, &path, found, time, NULL, dt, 1.5f)
        .plane.normal.z;
}

TEST(record, planes_that_a_step_passes_by_hide_none_that_come_soon)
{
    CHECK(chosen_up(0.09f, 1.0f / 30.0f) > 0.9f);
    CHECK(chosen_up(0.09f, 1.0f / 240.0f) < -0.9f); /* a step ends in it */
    CHECK(chosen_up(-0.2f, 1.0f / 30.0f) < -0.9f);  /* looks again before */
}

/* A ball of 2 mm has just left the level side of a crest, 22 mm before the crest. It passes the
 * plane of the other side, which falls by 8 degrees. When it would bounce off that plane it is
 * already in front of it, so it must not be bounced down. */
TEST(record, who_rises_through_the_plane_beyond_a_crest_is_not_bounced_down_by_it)
{
    const float fall = 0.14054f;
    const rico_triangle both[2] = {{.a = {0.0f, -0.1f, 0.0f},
                                    .b = {0.0f, 0.1f, 0.0f},
                                    .c = {-0.1f, 0.0f, 0.0f},
                                    .collider = 1},
                                   {.a = {0.0f, -0.1f, 0.0f},
                                    .b = {0.1f, 0.0f, -0.1f * fall},
                                    .c = {0.0f, 0.1f, 0.0f},
                                    .collider = 1}};
    rico__record record;
    const rico__cell cell = cell_of(&record, both, 2);
    rico__path path =
        path_from((rico_vec3){-0.0217f, 0.0f, 0.0027f}, (rico_vec3){1.5f, 0.0f, 0.06f}, 9.81f);
    path.radius = 0.002f;
    float time[RICO__RECORD_TIMES];
    const rico__kernels *k = rico__kernels_for_cpu();
    const uint32_t found = rico__record_search(k, &cell, NULL, &path, 0.0167f, time);
    CHECK_EQ(found, 2u);
    const rico__choice choice = rico__record_choose(k, &cell, &path, found, time, NULL);
    CHECK(choice.plane.normal.z < -0.9f);
    CHECK_MSG(choice.clearance == 0.0f, "%g m", (double)choice.clearance);
}
