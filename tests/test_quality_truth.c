/* test_quality_truth.c - compares the ground truth of bench_quality with a test of every face by
 * other formulas, and checks that its emitters are in free space. */
#include "testing.h"

#include "quality_emitters.h"
#include "quality_truth.h"
#include "quality_vec.h"
#include "scene_io_fixture.h"

typedef struct soup {
    float positions[3 * 3 * 600];
    uint32_t indices[3 * 600];
    rico_mesh mesh;
} soup;

/* Small and large triangles, some long and thin, in a cube of 10 m. */
static void make_soup(soup *s, uint64_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        double size = i % 3 == 0 ? 5.0 : i % 3 == 1 ? 0.5 : 0.02;
        double at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = 10.0 * random_unit(&seed);
        for (uint32_t c = 0; c < 3; ++c)
            for (uint32_t a = 0; a < 3; ++a)
                s->positions[(i * 3 + c) * 3 + a] =
                    (float)(at[a] + size * (random_unit(&seed) - 0.5) *
                                        (i % 5 == 0 && a == 1 ? 0.001 : 1.0));
    }
    for (uint32_t i = 0; i < 3 * count; ++i)
        s->indices[i] = i;
    s->mesh = (rico_mesh){.positions = s->positions,
                          .vertex_count = 3 * count,
                          .indices = s->indices,
                          .triangle_count = count};
}

static void corner(const rico_mesh *m, uint32_t face, uint32_t c, double out[3])
{
    const float *p = m->positions + (size_t)m->indices[face * 3 + c] * 3;
    for (int a = 0; a < 3; ++a)
        out[a] = (double)p[a];
}

/* The test of Moller and Trumbore, which the truth does not use. */
static bool brute_crossing(const rico_mesh *m, uint32_t face, const double from[3],
                           const double to[3], double *t)
{
    double a[3], b[3], c[3], e1[3], e2[3], d[3], p[3], s[3], q[3];
    corner(m, face, 0, a);
    corner(m, face, 1, b);
    corner(m, face, 2, c);
    qv_sub(b, a, e1);
    qv_sub(c, a, e2);
    qv_sub(to, from, d);
    qv_cross(d, e2, p);
    double det = qv_dot(e1, p);
    if (det == 0.0)
        return false;
    qv_sub(from, a, s);
    double u = qv_dot(s, p) / det;
    qv_cross(s, e1, q);
    double v = qv_dot(d, q) / det;
    *t = qv_dot(e2, q) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && *t >= 0.0 && *t <= 1.0;
}

static bool brute_first(const rico_mesh *m, const double from[3], const double to[3],
                        double *first, uint32_t *face)
{
    bool any = false;
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        double t;
        if (brute_crossing(m, i, from, to, &t) && (!any || t < *first)) {
            any = true;
            *first = t;
            *face = i;
        }
    }
    return any;
}

/* The distance to the nearest of many points of the face, on a grid that is refined step by
 * step. */
static double brute_face_distance(const rico_mesh *m, uint32_t face, const double p[3])
{
    double a[3], e1[3], e2[3], best = INFINITY, u0 = 0.0, v0 = 0.0, size = 1.0;
    corner(m, face, 0, a);
    corner(m, face, 1, e1);
    corner(m, face, 2, e2);
    qv_sub(e1, a, e1);
    qv_sub(e2, a, e2);
    for (int round = 0; round < 24; ++round, size *= 0.5) {
        double u_best = u0, v_best = v0;
        for (int i = -4; i <= 4; ++i)
            for (int j = -4; j <= 4; ++j) {
                double u = qv_min(qv_max(u0 + size * i / 4.0, 0.0), 1.0);
                double v = qv_min(qv_max(v0 + size * j / 4.0, 0.0), 1.0 - u);
                double at[3];
                qv_mad(a, u, e1, at);
                qv_mad(at, v, e2, at);
                double d = qv_distance(at, p);
                if (d < best) {
                    best = d;
                    u_best = u;
                    v_best = v;
                }
            }
        u0 = u_best;
        v0 = v_best;
    }
    return best;
}

static void random_point(uint64_t *seed, double out[3])
{
    for (int a = 0; a < 3; ++a)
        out[a] = 10.0 * random_unit(seed);
}

TEST(quality, crossings_of_the_truth_are_those_of_every_face_in_turn)
{
    static soup s;
    uint64_t seed = 7;
    uint32_t hits = 0;
    for (uint32_t count = 1; count <= 600; count = count * 3 + 1) {
        make_soup(&s, count, count);
        quality_truth *truth = quality_truth_create(&s.mesh);
        CHECK(truth != NULL);
        for (uint32_t i = 0; i < 3000; ++i) {
            double from[3], to[3], t = 0.0;
            uint32_t face = 0;
            quality_hit hit;
            random_point(&seed, from);
            random_point(&seed, to);
            if (i % 2 == 0) /* short, as the steps of particles are */
                qv_mad(from, 0.05 * random_unit(&seed), to, to);
            bool wanted = brute_first(&s.mesh, from, to, &t, &face);
            CHECK_EQ(quality_truth_segment(truth, from, to, &hit), wanted);
            if (!wanted)
                continue;
            hits += 1;
            CHECK_NEAR(hit.t, t, 1e-9);
            CHECK_EQ(hit.triangle, face);
            CHECK_NEAR(qv_length(hit.normal), 1.0, 1e-12);
            qv_sub(to, from, to);
            CHECK(qv_dot(hit.normal, to) < 0.0);
        }
        quality_truth_destroy(truth);
    }
    CHECK(hits > 1000);
}

TEST(quality, distances_of_the_truth_are_those_of_every_face_in_turn)
{
    static soup s;
    uint64_t seed = 11;
    make_soup(&s, 3, 120);
    quality_truth *truth = quality_truth_create(&s.mesh);
    for (uint32_t i = 0; i < 60; ++i) {
        double p[3], wanted = INFINITY;
        random_point(&seed, p);
        for (uint32_t f = 0; f < s.mesh.triangle_count; ++f)
            wanted = qv_min(wanted, brute_face_distance(&s.mesh, f, p));
        CHECK_NEAR(quality_truth_distance(truth, p, 100.0), wanted, 1e-4);
        CHECK_NEAR(quality_truth_distance(truth, p, 0.5 * wanted), 0.5 * wanted, 1e-12);
    }
    quality_truth_destroy(truth);
}

/* A bumpy sheet: random heights at whole-number places. */
static void make_sheet(soup *s, uint64_t seed)
{
    enum { SIDE = 12 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        s->positions[3 * i] = (float)(i % SIDE);
        s->positions[3 * i + 1] = (float)(i / SIDE);
        s->positions[3 * i + 2] = (float)random_unit(&seed);
    }
    for (uint32_t y = 0; y + 1 < SIDE; ++y)
        for (uint32_t x = 0; x + 1 < SIDE; ++x) {
            uint32_t v = y * SIDE + x;
            const uint32_t quad[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
            memcpy(s->indices + 3 * n, quad, sizeof quad);
            n += 2;
        }
    s->mesh = (rico_mesh){.positions = s->positions,
                          .vertex_count = SIDE * SIDE,
                          .indices = s->indices,
                          .triangle_count = n};
}

TEST(quality, no_segment_slips_between_faces_that_share_an_edge_or_corner)
{
    static soup s;
    make_sheet(&s, 5);
    quality_truth *truth = quality_truth_create(&s.mesh);
    uint64_t seed = 13;
    for (uint32_t i = 0; i < 20000; ++i) {
        uint32_t f = (uint32_t)(random_unit(&seed) * (double)s.mesh.triangle_count);
        double a[3], b[3], at[3], from[3], to[3];
        corner(&s.mesh, f, 0, a);
        corner(&s.mesh, f, 1 + i % 2, b);
        qv_sub(b, a, b);
        qv_mad(a, i % 7 == 0 ? 0.0 : random_unit(&seed), b, at);
        if (at[0] < 0.5 || at[0] > 10.5 || at[1] < 0.5 || at[1] > 10.5)
            continue; /* there is nothing beyond the border */
        double lean[3] = {random_unit(&seed) - 0.5, random_unit(&seed) - 0.5, 3.0};
        qv_mad(at, 1.0, lean, from);
        qv_mad(at, -1.0, lean, to);
        quality_hit hit;
        CHECK(
            quality_truth_segment(truth, i % 3 == 0 ? to : from, i % 3 == 0 ? from : to, &hit));
    }
    quality_truth_destroy(truth);
}

TEST(quality, emitters_are_in_free_space_above_a_floor_and_always_the_same)
{
    static quality_scene scene;
    quality_emitter emitters[24], again[24];
    ray_scenes files = {.dir = NULL};
    char why[RIO_ERROR_BYTES];
    CHECK(quality_scene_make(&scene, &quality_scene_infos[2], &files, why, sizeof why));
    CHECK(quality_emitters_place(&scene, emitters, 24));
    CHECK(quality_emitters_place(&scene, again, 24));
    CHECK_EQ(memcmp(emitters, again, sizeof emitters), 0);
    for (uint32_t i = 0; i < 24; ++i) {
        rico_vec3 p = emitters[i].transform.position;
        double at[3] = {(double)p.x, (double)p.y, (double)p.z};
        double below[3] = {at[0], at[1], at[2] - 4.01};
        double far[3] = {at[0] + 3.0, at[1] + 2.0, at[2] + 300.0};
        quality_hit hit;
        CHECK_EQ(emitters[i].kind, i % QUALITY_KIND_COUNT);
        CHECK(quality_truth_distance(scene.still, at, 1.0) >= 0.149);
        CHECK(quality_truth_segment(scene.still, at, below, &hit) && !hit.back_face);
        /* The courtyard consists of closed bodies: from inside one of them, the first face met
         * would be a back face. */
        if (quality_truth_segment(scene.still, at, far, &hit))
            CHECK(!hit.back_face);
    }
    quality_scene_free(&scene);
}
