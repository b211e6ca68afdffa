/* Cell records and the block pool against slow, obvious references. */
#include "testing.h"

#include "contact.h"
#include "pool.h"
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

/* Time of contact with the triangle's plane within the step, or 2. */
static double plane_time(const rico_triangle *t, rico_vec3 p, rico_vec3 step, double radius)
{
    dvec n = cross(sub(d(t->b), d(t->a)), sub(d(t->c), d(t->a)));
    double length = sqrt(dot(n, n));
    double distance = dot(n, sub(d(p), d(t->a))) / length;
    double change = dot(n, d(step)) / length;
    if (distance < 0.0) {
        distance = -distance;
        change = -change;
    }
    if (change >= 0.0 || distance + change >= radius)
        return 2.0;
    double time = (distance - radius) / -change;
    return time < 0.0 ? 0.0 : time;
}

TEST(runtime, finds_the_contacts_that_the_triangles_themselves_give)
{
    const rico__cell cube = {.state = CELL_RECORDED, .half = 0.38f};
    const double radius = 0.01;
    uint32_t hits = 0, clear_misses = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        rico_triangle triangles[6];
        for (uint32_t i = 0; i < 6; ++i)
            triangles[i] = random_triangle(round * 6 + i);
        rico__record record;
        rico__record_build(&record, &cube, triangles, 6, 6);
        rico__cell cell = cube;
        cell.record = &record;
        rico_vec3 p = {number(round, 1, -0.25f, 0.25f), number(round, 2, -0.25f, 0.25f),
                       number(round, 3, -0.25f, 0.25f)};
        rico_vec3 v = {number(round, 4, -9.0f, 9.0f), number(round, 5, -9.0f, 9.0f),
                       number(round, 6, -9.0f, 9.0f)};
        rico_vec3 step = {v.x / 60.0f, v.y / 60.0f, v.z / 60.0f};
        /* Surely hit first, and the first that could be hit at all. */
        double sure = 2.0, possible = 2.0;
        for (uint32_t i = 0; i < 6; ++i) {
            double t = plane_time(&triangles[i], p, step, radius);
            dvec q = {(double)p.x + t * (double)step.x, (double)p.y + t * (double)step.y,
                      (double)p.z + t * (double)step.z};
            double by = inside_by(&triangles[i], q);
            if (t <= 1.0 && by > 0.0 && t < sure)
                sure = t;
            if (t <= 1.0 && by > -0.02 && t < possible)
                possible = t;
        }
        rico__contact contact;
        bool found = rico__record_contact(rico__kernels_for_cpu(), &cell, p, v, 1.0f / 60.0f,
                                          (float)radius, &contact);
        if (sure <= 1.0 && sure == possible) {
            CHECK_MSG(found, "round %u: missed a contact at %g", round, sure);
            CHECK_NEAR(contact.time, sure, 2.0e-3);
            hits += 1;
        }
        if (possible > 1.0) {
            CHECK_MSG(!found, "round %u: contact with nothing at %g", round,
                      (double)contact.time);
            clear_misses += 1;
        }
    }
    CHECK(hits > 300);
    CHECK(clear_misses > 300);
}

TEST(runtime, watches_the_plane_that_the_ballistic_path_meets_first)
{
    /* A floor and a ceiling; thrown upwards, the ceiling comes first only when it is reached. */
    const rico__cell cube = {.state = CELL_RECORDED, .half = 0.38f};
    rico_triangle triangles[2] = {
        {{-9, -9, -0.2f}, {9, -9, -0.2f}, {0, 9, -0.2f}, 1, 0},
        {{-9, -9, 0.2f}, {9, -9, 0.2f}, {0, 9, 0.2f}, 1, 1},
    };
    rico__record record;
    rico__record_build(&record, &cube, triangles, 2, 2);
    rico__cell cell = cube;
    cell.record = &record;
    const rico__kernels *k = rico__kernels_for_cpu();
    rico_vec3 p = {0.0f, 0.0f, 0.0f}, g = {0.0f, 0.0f, -9.81f};
    rico_plane low = rico__record_choose(k, &cell, p, (rico_vec3){0, 0, 1.9f}, g, 0.01f).plane;
    rico_plane high = rico__record_choose(k, &cell, p, (rico_vec3){0, 0, 2.1f}, g, 0.01f).plane;
    CHECK_NEAR(low.normal.z, 1.0f, 1.0e-5); /* 1.9^2 / 2g = 0.184 m: turns before 0.19 m */
    CHECK_NEAR(low.offset, -0.2f, 1.0e-5);
    CHECK_NEAR(high.normal.z, -1.0f, 1.0e-5);
    CHECK_NEAR(high.offset, -0.2f, 1.0e-5);
    rico_plane beyond = rico__record_choose(k, &cell, p, (rico_vec3){9, 0, 0}, g, 0.01f).plane;
    CHECK(beyond.offset == RICO_NO_PLANE_OFFSET); /* leaves the box before it meets the floor */
}

TEST(runtime, gives_out_pool_units_once_and_takes_them_back)
{
    enum { UNITS = 1000, HEADERS = 200 };
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    rico__pool pool;
    CHECK_EQ(rico__pool_init(&pool, &memory, UNITS, HEADERS), RICO_OK);
    static uint32_t owner[UNITS]; /* header + 1 */
    static uint32_t unit_of[HEADERS], units_of[HEADERS];
    memset(owner, 0, sizeof owner);
    memset(units_of, 0, sizeof units_of);
    uint32_t refused = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        uint32_t pick = rico__random_u32(3, round, 1) % HEADERS;
        if (units_of[pick] != 0 && round % 3 != 0) {
            for (uint32_t i = 0; i < units_of[pick]; ++i)
                owner[unit_of[pick] + i] = 0;
            rico__pool_release(&pool, pick, unit_of[pick], units_of[pick]);
            units_of[pick] = 0;
            continue;
        }
        uint32_t want = 1 + rico__random_u32(3, round, 2) % 17, unit = 0;
        uint32_t header = rico__pool_acquire(&pool, want, &unit);
        if (header == RICO__NO_BLOCK) {
            refused += 1;
            continue;
        }
        CHECK(header < HEADERS && units_of[header] == 0 && unit + want <= UNITS);
        for (uint32_t i = 0; i < want; ++i) {
            CHECK(owner[unit + i] == 0);
            owner[unit + i] = header + 1;
        }
        unit_of[header] = unit;
        units_of[header] = want;
    }
    CHECK(refused > 0); /* the pool was full at times */
    for (uint32_t h = 0; h < HEADERS; ++h)
        if (units_of[h] != 0)
            rico__pool_release(&pool, h, unit_of[h], units_of[h]);
    CHECK_EQ(pool.used_units, 0);
    uint32_t unit;
    CHECK(rico__pool_acquire(&pool, UNITS, &unit) != RICO__NO_BLOCK);
    rico__pool_free(&pool, &memory);
    CHECK_EQ(memory.live_bytes, 0);
}
