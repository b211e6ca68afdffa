/* test_scene_io_truth.c - the slow checker by itself, and the courtyard checked by it. */
#include "testing.h"

#include "courtyard.h"
#include "scene_io_fixture.h"
#include "spots.h"
#include "truth.h"

enum { SOUP = 300 };

/* Triangles of many sizes in a cube of 10 m. */
static void make_soup(float *positions, uint32_t *indices)
{
    uint64_t state = 7;
    for (uint32_t t = 0; t < SOUP; t++) {
        double size = t % 10 == 0 ? 6.0 : 0.8, at[3];
        for (int k = 0; k < 3; k++)
            at[k] = 10.0 * random_unit(&state);
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t k = 0; k < 3; k++)
                positions[t * 9 + c * 3 + k] =
                    (float)(at[k] + size * (random_unit(&state) - 0.5));
        for (uint32_t c = 0; c < 3; c++)
            indices[t * 3 + c] = t * 3 + c;
    }
}

/* Tests one triangle by another method than truth.c: the plane, then the side of each edge. */
static bool crosses(const float *p, const double from[3], const double to[3], double *t)
{
    double e1[3], e2[3], n[3], d[3], fall = 0.0, height = 0.0;
    for (int k = 0; k < 3; k++) {
        e1[k] = (double)p[3 + k] - (double)p[k];
        e2[k] = (double)p[6 + k] - (double)p[k];
        d[k] = to[k] - from[k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = e1[(k + 1) % 3] * e2[(k + 2) % 3] - e1[(k + 2) % 3] * e2[(k + 1) % 3];
    for (int k = 0; k < 3; k++) {
        fall += n[k] * d[k];
        height += n[k] * ((double)p[k] - from[k]);
    }
    *t = height / fall;
    if (!(*t >= 0.0 && *t <= 1.0))
        return false;
    for (int c = 0; c < 3; c++) {
        const float *a = p + c * 3, *b = p + (c + 1) % 3 * 3;
        double side = 0.0;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            double hit_i = from[i] + d[i] * *t - (double)a[i];
            double hit_j = from[j] + d[j] * *t - (double)a[j];
            side += n[k] * (((double)b[i] - (double)a[i]) * hit_j -
                            ((double)b[j] - (double)a[j]) * hit_i);
        }
        if (side < 0.0)
            return false;
    }
    return true;
}

TEST(scene_io, truth_agrees_with_every_triangle_asked_in_turn)
{
    static float positions[SOUP * 9];
    static uint32_t indices[SOUP * 3];
    make_soup(positions, indices);
    rio_truth *truth;
    CHECK_EQ(rio_truth_create(positions, SOUP * 3, indices, SOUP, &truth), RICO_OK);
    uint64_t state = 99;
    unsigned hits = 0;
    for (int i = 0; i < 3000; i++) {
        double from[3], to[3], best_t = 2.0, t;
        uint32_t best = RICO_NO_TRIANGLE;
        for (int k = 0; k < 3; k++) {
            from[k] = 10.0 * random_unit(&state);
            to[k] = i % 3 != 0 ? 10.0 * random_unit(&state)
                               : from[k] + 0.5 * (random_unit(&state) - 0.5);
        }
        for (uint32_t j = 0; j < SOUP; j++)
            if (crosses(positions + (size_t)j * 9, from, to, &t) && t < best_t) {
                best_t = t;
                best = j;
            }
        rio_truth_hit hit;
        bool found = rio_truth_segment(truth, from, to, &hit);
        CHECK_EQ(found, best != RICO_NO_TRIANGLE);
        if (!found)
            continue;
        hits++;
        CHECK_EQ(hit.triangle, best);
        CHECK_NEAR(hit.t, best_t, 1e-9);
    }
    CHECK_MSG(hits > 500, "only %u hits", hits);
    rio_truth_destroy(truth);
}

TEST(scene_io, truth_leaves_no_gap_where_triangles_share_an_edge)
{
    /* A fan of triangles around a middle point; segments pass through its spokes and its middle. */
    enum { SPOKES = 12 };
    float positions[(SPOKES + 1) * 3] = {0.1f, 0.2f, 0.3f};
    uint32_t indices[SPOKES * 3];
    for (uint32_t i = 0; i < SPOKES; i++) {
        double a = 6.283185307179586 * (double)i / (double)SPOKES;
        positions[3 + i * 3] = (float)(0.1 + 3.0 * cos(a));
        positions[4 + i * 3] = (float)(0.2 + 3.0 * sin(a));
        positions[5 + i * 3] = (float)(0.3 * sin(5.0 * a));
        indices[i * 3] = 0;
        indices[i * 3 + 1] = 1 + i;
        indices[i * 3 + 2] = 1 + (i + 1) % SPOKES;
    }
    rio_truth *truth;
    CHECK_EQ(rio_truth_create(positions, SPOKES + 1, indices, SPOKES, &truth), RICO_OK);
    for (uint32_t i = 0; i < SPOKES; i++)
        for (int step = 0; step < 100; step++) {
            double s = 0.0099 * step, from[3], to[3];
            for (uint32_t k = 0; k < 3; k++) {
                double middle = (double)positions[k], end = (double)positions[3 + i * 3 + k];
                from[k] = to[k] = middle + (end - middle) * s;
            }
            from[2] += 5.0;
            to[2] -= 4.0;
            CHECK_MSG(rio_truth_segment(truth, from, to, NULL), "spoke %u, %g of it", i, s);
        }
    rio_truth_destroy(truth);
}

TEST(scene_io, truth_knows_the_distance_to_the_nearest_triangle)
{
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t indices[3] = {0, 1, 2};
    const double points[4][3] = {{0.2, 0.2, 2.0}, {-3.0, 0.5, 0.0}, {4.0, 0.0, 4.0}, {9, 9, 9}};
    const double distances[4] = {2.0, 3.0, 5.0, 6.0};
    rio_truth *truth;
    CHECK_EQ(rio_truth_create(positions, 3, indices, 1, &truth), RICO_OK);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(rio_truth_distance(truth, points[i], 6.0, NULL), distances[i], 1e-12);
    rio_truth_destroy(truth);
    const uint32_t bad[3] = {0, 1, 9};
    CHECK_EQ(rio_truth_create(positions, 3, bad, 1, &truth), RICO_EMPTY_MESH);
    CHECK(truth == NULL);
}

TEST(scene_io, courtyard_is_large_finite_and_the_same_each_time)
{
    rio_mesh a, b, other;
    CHECK_EQ(rio_courtyard_create(3, &a), RICO_OK);
    CHECK_EQ(rio_courtyard_create(3, &b), RICO_OK);
    CHECK_EQ(rio_courtyard_create(4, &other), RICO_OK);
    CHECK_MSG(a.triangle_count >= 50000, "%u triangles", a.triangle_count);
    CHECK_EQ(a.triangle_count, b.triangle_count);
    CHECK_EQ(a.vertex_count, b.vertex_count);
    CHECK(memcmp(a.positions, b.positions, (size_t)a.vertex_count * 12) == 0);
    CHECK(memcmp(a.indices, b.indices, (size_t)a.triangle_count * 12) == 0);
    CHECK(memcmp(a.colors, b.colors, (size_t)a.triangle_count * 12) == 0);
    CHECK(a.vertex_count != other.vertex_count ||
          memcmp(a.positions, other.positions, (size_t)a.vertex_count * 12) != 0);
    for (size_t i = 0; i < (size_t)a.vertex_count * 3; i++)
        CHECK(isfinite(a.positions[i]));
    for (size_t i = 0; i < (size_t)a.triangle_count * 3; i++) {
        CHECK(a.indices[i] < a.vertex_count);
        CHECK(a.colors[i] >= 0.0f && a.colors[i] <= 1.0f);
    }
    rico_box box = rio_mesh_bounds(&a);
    CHECK_NEAR(box.lo.x, -RIO_COURTYARD_HALF, 1e-4);
    CHECK_NEAR(box.hi.y, RIO_COURTYARD_HALF, 1e-4);
    rio_mesh_free(&a);
    rio_mesh_free(&b);
    rio_mesh_free(&other);
}

static rio_truth *courtyard_truth(void)
{
    rio_mesh mesh;
    rio_truth *truth;
    CHECK_EQ(rio_courtyard_create(1, &mesh), RICO_OK);
    CHECK_EQ(rio_truth_create(mesh.positions, mesh.vertex_count, mesh.indices,
                              mesh.triangle_count, &truth),
             RICO_OK);
    rio_mesh_free(&mesh);
    return truth;
}

TEST(scene_io, courtyard_has_no_hole_to_fall_through_and_shows_its_front_faces)
{
    rio_truth *truth = courtyard_truth();
    uint64_t state = 5;
    for (int i = 0; i < 40000; i++) {
        double x = 47.9 * (random_unit(&state) - 0.5), y = 47.9 * (random_unit(&state) - 0.5);
        double lean_x = 0.2 * (random_unit(&state) - 0.5);
        double from[3] = {x, y, 30.0}, to[3] = {x, y, -4.0};
        if (i % 2 == 0 && fabs(x) < 18.0)
            to[0] += lean_x * 34.0;
        rio_truth_hit hit;
        CHECK_MSG(rio_truth_segment(truth, from, to, &hit), "hole at %g %g", x, y);
        CHECK_MSG(!hit.back_face, "triangle %u at %g %g is inside out", hit.triangle, x, y);
    }
    rio_truth_destroy(truth);
}

TEST(scene_io, courtyard_spots_are_not_inside_a_body)
{
    static const double ways[3][3] = {{0.01, 0.02, 40.0}, {60.0, 0.5, 7.0}, {-3.0, -60.0, 9.0}};
    rio_truth *truth = courtyard_truth();
    for (int kind = 0; kind < RIO_SPOT_KIND_COUNT; kind++)
        for (uint32_t i = 0; i < 700; i++) {
            rio_spot spot = rio_courtyard_spot(1, (rio_spot_kind)kind, i);
            rico_vec3 p = spot.position, d = spot.direction;
            CHECK_NEAR(d.x * d.x + d.y * d.y + d.z * d.z, 1.0f, 1e-5);
            double from[3] = {(double)p.x, (double)p.y, (double)p.z};
            for (int w = 0; w < 3; w++) {
                double to[3] = {from[0] + ways[w][0], from[1] + ways[w][1],
                                from[2] + ways[w][2]};
                rio_truth_hit hit;
                bool met = rio_truth_segment(truth, from, to, &hit);
                CHECK_MSG(!met || !hit.back_face, "%s %u at %g %g %g is inside triangle %u",
                          rio_spot_kind_name((rio_spot_kind)kind), i, from[0], from[1], from[2],
                          hit.triangle);
            }
        }
    rio_truth_destroy(truth);
}
