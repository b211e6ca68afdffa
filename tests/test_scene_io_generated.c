/* test_scene_io_generated.c - worlds that need no file, and joined meshes. */
#include "testing.h"

#include "forest.h"
#include "mesh_join.h"
#include "rock.h"

static bool same_mesh(const rio_mesh *a, const rio_mesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->positions, b->positions, (size_t)a->vertex_count * 3 * sizeof(float)) ==
               0 &&
           memcmp(a->indices, b->indices, (size_t)a->triangle_count * 3 * sizeof(uint32_t)) ==
               0;
}

static void corners_of(const rio_mesh *mesh, uint32_t triangle, double out[3][3])
{
    for (size_t c = 0; c < 3; c++) {
        uint32_t v = mesh->indices[(size_t)triangle * 3 + c];
        CHECK(v < mesh->vertex_count);
        for (size_t k = 0; k < 3; k++) {
            out[c][k] = (double)mesh->positions[(size_t)v * 3 + k];
            CHECK(isfinite(out[c][k]));
        }
    }
}

/* A vector along the normal, twice the area long. */
static void area_vector(double corner[3][3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = (corner[1][i] - corner[0][i]) * (corner[2][j] - corner[0][j]) -
                 (corner[1][j] - corner[0][j]) * (corner[2][i] - corner[0][i]);
    }
}

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* --- Rock ---------------------------------------------------------------------------------- */

TEST(scene_io, a_rock_is_the_same_for_a_seed_and_another_for_another)
{
    rio_mesh a, b, c;
    CHECK_EQ(rio_rock_create(1, &a), RICO_OK);
    CHECK_EQ(rio_rock_create(1, &b), RICO_OK);
    CHECK_EQ(rio_rock_create(2, &c), RICO_OK);
    CHECK(same_mesh(&a, &b));
    CHECK(!same_mesh(&a, &c));
    rio_mesh_free(&a);
    rio_mesh_free(&b);
    rio_mesh_free(&c);
}

TEST(scene_io, a_rock_is_dense_fits_a_hand_and_stands_on_the_ground)
{
    rio_mesh mesh;
    CHECK_EQ(rio_rock_create(1, &mesh), RICO_OK);
    CHECK(mesh.triangle_count >= 250000);
    rico_box box = rio_mesh_bounds(&mesh);
    double widest = fmax((double)(box.hi.x - box.lo.x), (double)(box.hi.y - box.lo.y));
    CHECK_NEAR(fmax(widest, (double)(box.hi.z - box.lo.z)), RIO_ROCK_SIZE, 1e-6);
    CHECK_NEAR(box.lo.z, 0, 0);
    double smallest = 1.0, largest = 0.0, corner[3][3], n[3];
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        corners_of(&mesh, t, corner);
        area_vector(corner, n);
        smallest = fmin(smallest, length3(n));
        largest = fmax(largest, length3(n));
    }
    /* Half a square millimetre, more or less by the bumps. */
    CHECK_MSG(smallest > 1e-8 && largest < 1e-5, "%g..%g", smallest, largest);
    rio_mesh_free(&mesh);
}

/* The two corners in the order of their bits, and the direction of the edge in that order. */
typedef struct edge {
    float end[2][3];
    int direction;
} edge;

static int compare_edges(const void *a, const void *b)
{
    return memcmp(((const edge *)a)->end, ((const edge *)b)->end, sizeof(((edge *)0)->end));
}

static edge make_edge(const rio_mesh *mesh, uint32_t from, uint32_t to)
{
    const float *p = mesh->positions + (size_t)from * 3, *q = mesh->positions + (size_t)to * 3;
    bool forward = memcmp(p, q, 3 * sizeof(float)) < 0;
    edge e = {.direction = forward ? 1 : -1};
    memcpy(e.end[0], forward ? p : q, sizeof e.end[0]);
    memcpy(e.end[1], forward ? q : p, sizeof e.end[1]);
    return e;
}

TEST(scene_io, a_rock_is_closed_and_its_faces_look_outwards)
{
    rio_mesh mesh;
    CHECK_EQ(rio_rock_create(1, &mesh), RICO_OK);
    size_t count = (size_t)mesh.triangle_count * 3;
    edge *edges = malloc(count * sizeof *edges);
    double volume = 0.0, corner[3][3], n[3];
    CHECK(edges != NULL);
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        const uint32_t *v = mesh.indices + (size_t)t * 3;
        for (size_t c = 0; c < 3; c++)
            edges[(size_t)t * 3 + c] = make_edge(&mesh, v[c], v[(c + 1) % 3]);
        corners_of(&mesh, t, corner);
        area_vector(corner, n);
        volume += (n[0] * corner[0][0] + n[1] * corner[0][1] + n[2] * corner[0][2]) / 6.0;
    }
    CHECK_MSG(volume > 0.0005 && volume < 0.008, "%g m3", volume);
    qsort(edges, count, sizeof *edges, compare_edges);
    CHECK_EQ(count % 2, 0);
    for (size_t i = 0; i < count; i += 2) {
        CHECK(compare_edges(&edges[i], &edges[i + 1]) == 0);
        CHECK_EQ(edges[i].direction + edges[i + 1].direction, 0);
        CHECK(i + 2 >= count || compare_edges(&edges[i], &edges[i + 2]) != 0);
    }
    free(edges);
    rio_mesh_free(&mesh);
}

/* --- Forest -------------------------------------------------------------------------------- */

TEST(scene_io, a_forest_is_the_same_for_a_seed_and_large_enough_for_each)
{
    rio_mesh a, b;
    rio_forest_parts parts;
    for (uint64_t seed = 5; seed > 1; seed--) {
        CHECK_EQ(rio_forest_create(seed, &a, &parts), RICO_OK);
        CHECK_MSG(parts.foliage >= 300000, "%u", parts.foliage);
        rio_mesh_free(&a);
    }
    CHECK_EQ(rio_forest_create(1, &a, NULL), RICO_OK);
    CHECK_EQ(rio_forest_create(1, &b, NULL), RICO_OK);
    CHECK(same_mesh(&a, &b));
    rio_mesh_free(&a);
    rio_mesh_free(&b);
}

TEST(scene_io, a_forest_has_a_hundred_trees_of_small_triangles_on_a_ground)
{
    rio_mesh mesh;
    rio_forest_parts parts;
    CHECK_EQ(rio_forest_create(1, &mesh, &parts), RICO_OK);
    CHECK_MSG(parts.trees >= 100 && parts.trees <= 200, "%u", parts.trees);
    CHECK_MSG(parts.foliage >= 300000, "%u", parts.foliage);
    CHECK_EQ(parts.ground + parts.wood + parts.foliage, mesh.triangle_count);
    rico_box box = rio_mesh_bounds(&mesh);
    CHECK(box.lo.x >= -RIO_FOREST_HALF - 4.0f && box.hi.x <= RIO_FOREST_HALF + 4.0f);
    CHECK(box.hi.z - box.lo.z > 8.0f && box.hi.z - box.lo.z < 20.0f);
    uint32_t large = 0;
    double corner[3][3], n[3];
    for (uint32_t t = parts.ground; t < mesh.triangle_count; t++) {
        corners_of(&mesh, t, corner);
        area_vector(corner, n);
        CHECK(length3(n) > 0.0);
        large += length3(n) > 0.5 ? 1u : 0u; /* trunks */
    }
    CHECK_MSG(large * 100 < mesh.triangle_count, "%u", large);
    rio_mesh_free(&mesh);
}

TEST(scene_io, a_forests_ground_looks_up_and_is_where_it_says)
{
    rio_mesh mesh;
    rio_forest_parts parts;
    CHECK_EQ(rio_forest_create(1, &mesh, &parts), RICO_OK);
    double corner[3][3], n[3], area = 0.0;
    for (uint32_t t = 0; t < parts.ground; t++) {
        corners_of(&mesh, t, corner);
        area_vector(corner, n);
        CHECK(n[2] > 0.0);
        area += n[2] * 0.5;
        CHECK_NEAR(rio_forest_ground(1, (float)corner[0][0], (float)corner[0][1]), corner[0][2],
                   1e-5);
    }
    CHECK_NEAR(area, 4.0f * RIO_FOREST_HALF * RIO_FOREST_HALF, 0.1);
    rio_mesh_free(&mesh);
}

/* --- Joining ------------------------------------------------------------------------------- */

static const float three[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, NAN, 0, 0};
static const uint32_t corners[] = {0, 1, 2, 0, 1, 3, 0, 2, 9, 2, 1, 0};

/* Four triangles: good, not finite, with a missing corner, good. */
static rio_mesh make_mixed(void)
{
    rio_mesh mesh = {.vertex_count = 4, .triangle_count = 4};
    mesh.positions = malloc(sizeof three);
    mesh.indices = malloc(sizeof corners);
    mesh.colors = calloc(12, sizeof(float));
    CHECK(mesh.positions != NULL && mesh.indices != NULL && mesh.colors != NULL);
    memcpy(mesh.positions, three, sizeof three);
    memcpy(mesh.indices, corners, sizeof corners);
    for (size_t i = 0; i < 12; i++)
        mesh.colors[i] = (float)i;
    return mesh;
}

TEST(scene_io, a_joined_mesh_keeps_both_parts_in_order)
{
    rio_mesh mesh, part = make_mixed();
    memset(&mesh, 0, sizeof mesh);
    rico_vec3 none = {0, 0, 0}, up = {0, 0, 5};
    CHECK_EQ(rio_mesh_join(&mesh, &part, 1.0f, none), RICO_OK);
    CHECK(mesh.triangle_count == 4 && mesh.vertex_count == 4);
    CHECK_EQ(rio_mesh_join(&mesh, &part, 2.0f, up), RICO_OK);
    CHECK(mesh.triangle_count == 8 && mesh.vertex_count == 8);
    CHECK_EQ(mesh.indices[12], 4);
    CHECK_EQ(mesh.indices[13], 5);
    CHECK_NEAR(mesh.positions[5 * 3], 2, 0);
    CHECK_NEAR(mesh.positions[5 * 3 + 2], 5, 0);
    CHECK_NEAR(mesh.positions[3], 1, 0);
    CHECK_NEAR(mesh.colors[12 + 4], 4, 0);
    rio_mesh_free(&mesh);
    rio_mesh_free(&part);
}

TEST(scene_io, broken_triangles_are_taken_out_and_counted)
{
    rio_mesh mesh = make_mixed();
    CHECK_EQ(rio_mesh_drop_broken(&mesh), 2);
    CHECK_EQ(mesh.triangle_count, 2);
    CHECK_EQ(mesh.indices[3], 2);
    CHECK_NEAR(mesh.colors[3], 9, 0);
    CHECK_EQ(rio_mesh_drop_broken(&mesh), 0);
    rio_mesh_free(&mesh);
}
