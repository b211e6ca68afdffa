/* test_scene_io.c - meshes, pictures, the courtyard, the slow checker. */
#include "testing.h"

#include "courtyard.h"
#include "float_bvh.h"
#include "image.h"
#include "mesh_file.h"
#include "painter.h"
#include "spots.h"
#include "truth.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory of the test's own, and what it leaves there. */
static void make_dir(char *path, size_t bytes)
{
    const char *place = getenv("TMPDIR");
    snprintf(path, bytes, "%s/rio-test-XXXXXX", place != NULL ? place : "/tmp");
    CHECK(mkdtemp(path) != NULL);
}

static unsigned count_entries(const char *path)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    CHECK(dir != NULL);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += entry->d_name[0] != '.' ? 1u : 0u;
    closedir(dir);
    return count;
}

static void remove_dir(const char *path)
{
    char file[512];
    DIR *dir = opendir(path);
    CHECK(dir != NULL);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        remove(file);
    }
    closedir(dir);
    rmdir(path);
}

static void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(bytes, 1, count, file), count);
    int closed = fclose(file);
    CHECK_EQ(closed, 0);
}

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 40) / (double)(1 << 24);
}

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

/* One triangle by another method than truth.c's: plane, then same side of each edge. */
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
    /* A fan of triangles around a middle; segments through its spokes and its middle. */
    enum { SPOKES = 12 };
    float positions[(SPOKES + 1) * 3] = {0.1f, 0.2f, 0.3f};
    uint32_t indices[SPOKES * 3];
    for (uint32_t i = 0; i < SPOKES; i++) {
        double a = 6.283185307179586 * (double)i / SPOKES;
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

TEST(scene_io, a_picture_that_cannot_be_written_leaves_nothing_and_says_why)
{
    char dir[256], path[512], error[RIO_ERROR_BYTES] = "";
    make_dir(dir, sizeof dir);
    rio_image image;
    CHECK_EQ(rio_image_create(8, 8, &image), RICO_OK);
    snprintf(path, sizeof path, "%s/none/picture.png", dir);
    CHECK_EQ(rio_image_write_png(&image, path, error, sizeof error), RICO_NOT_WRITTEN);
    CHECK_MSG(strstr(error, path) != NULL && strstr(error, "No such file") != NULL, "%s",
              error);
    CHECK_EQ(rio_image_write_png(&image, dir, error, sizeof error), RICO_NOT_WRITTEN);
    CHECK_MSG(strstr(error, "directory") != NULL, "%s", error);
    CHECK_EQ(rio_image_write_png(&image, "/dev/full", error, sizeof error), RICO_NOT_WRITTEN);
    CHECK_MSG(strstr(error, "No space left") != NULL, "%s", error);
    CHECK_EQ(count_entries(dir), 0);
    if (geteuid() != 0) { /* root may write anywhere */
        CHECK_EQ(chmod(dir, 0500), 0);
        snprintf(path, sizeof path, "%s/picture.png", dir);
        CHECK_EQ(rio_image_write_png(&image, path, error, sizeof error), RICO_NOT_WRITTEN);
        CHECK_MSG(strstr(error, "Permission denied") != NULL, "%s", error);
        CHECK_EQ(chmod(dir, 0700), 0);
        CHECK_EQ(count_entries(dir), 0);
    }
    rio_image_free(&image);
    remove_dir(dir);
}

TEST(scene_io, a_picture_replaces_the_file_of_that_name)
{
    char dir[256], path[512], error[RIO_ERROR_BYTES] = "";
    unsigned char start[8] = {0};
    make_dir(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/picture.png", dir);
    write_bytes(path, "old", 3);
    rio_image image;
    CHECK_EQ(rio_image_create(8, 4, &image), RICO_OK);
    CHECK_MSG(rio_image_write_png(&image, path, error, sizeof error) == RICO_OK, "%s", error);
    CHECK_EQ(count_entries(dir), 1);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK_EQ(fread(start, 1, 8, file), 8);
    fclose(file);
    CHECK(memcmp(start, "\x89PNG\r\n\x1a\n", 8) == 0);
    rio_image_free(&image);
    CHECK_EQ(rio_image_create(0, 4, &image), RICO_OUT_OF_RANGE);
    remove_dir(dir);
}

static void expect_refused(const char *path, rico_result expected)
{
    char error[RIO_ERROR_BYTES] = "";
    rio_mesh mesh;
    rico_result result = rio_mesh_load(path, NULL, &mesh, error, sizeof error);
    CHECK_MSG(result == expected, "%s: code %d, expected %d: %s", path, (int)result,
              (int)expected, error);
    CHECK_MSG(strstr(error, path) != NULL && strstr(error, "expected") != NULL, "%s", error);
    CHECK_MSG(strchr(error, '\n') == NULL, "%s", error);
    CHECK(mesh.positions == NULL && mesh.triangle_count == 0);
}

TEST(scene_io, files_that_are_no_mesh_are_refused_by_name)
{
    char dir[256], path[512];
    unsigned char noise[4096];
    uint64_t state = 3;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)(256.0 * random_unit(&state));
    make_dir(dir, sizeof dir);
    expect_refused(dir, RICO_NOT_FOUND);
    snprintf(path, sizeof path, "%s/missing.obj", dir);
    expect_refused(path, RICO_NOT_FOUND);
    snprintf(path, sizeof path, "%s/empty.obj", dir);
    write_bytes(path, "", 0);
    expect_refused(path, RICO_BAD_FILE);
    snprintf(path, sizeof path, "%s/text.txt", dir);
    write_bytes(path, "Dear diary,\nno mesh today.\n", 27);
    expect_refused(path, RICO_BAD_FILE);
    static const char *const kinds[] = {"bin", "glb", "ply", "stl", "fbx", "3ds"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        snprintf(path, sizeof path, "%s/noise.%s", dir, kinds[i]);
        write_bytes(path, noise, sizeof noise);
        expect_refused(path, RICO_BAD_FILE);
    }
    snprintf(path, sizeof path, "%s/points.obj", dir);
    write_bytes(path, "v 0 0 0\nv 1 0 0\nl 1 2\n", 22);
    expect_refused(path, RICO_EMPTY_MESH);
    if (geteuid() != 0) {
        CHECK_EQ(chmod(path, 0), 0);
        expect_refused(path, RICO_NOT_FOUND);
    }
    remove_dir(dir);
}

TEST(scene_io, reads_an_obj_file_with_quads_negative_numbers_and_broken_parts)
{
    static const char text[] = "# a tool made this\no thing\n"
                               "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nv 5 5 5\n"
                               "f 1 2 3 4\n" /* a quad */
                               "v 0 2 0\n"
                               "f -1 -6 -5\n" /* counts back: 6 1 2 */
                               "v nan 0 0\n"
                               "f 1 2 7\n"  /* kept, for the scene to drop */
                               "f 1 2 99\n" /* no such vertex */
                               "f 1 2 -40\n";
    char dir[256], path[512], error[RIO_ERROR_BYTES] = "";
    make_dir(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/small.obj", dir);
    write_bytes(path, text, sizeof text - 1);
    rio_mesh_options options = {RIO_UP_Y, 2.0f};
    rio_mesh mesh;
    rico_result result = rio_mesh_load(path, &options, &mesh, error, sizeof error);
    CHECK_MSG(result == RICO_OK, "%s", error);
    CHECK_EQ(mesh.triangle_count, 4);
    CHECK_EQ(mesh.dropped_index, 2);
    CHECK_EQ(mesh.dropped_faces, 0);
    unsigned broken = 0;
    for (uint32_t t = 0; t < 4; t++) {
        const uint32_t *v = mesh.indices + (size_t)t * 3;
        float sum = 0.0f;
        for (int c = 0; c < 3; c++) {
            CHECK(v[c] < mesh.vertex_count);
            for (size_t k = 0; k < 3; k++)
                sum += mesh.positions[(size_t)v[c] * 3 + k];
        }
        broken += isfinite(sum) ? 0u : 1u;
    }
    CHECK_EQ(broken, 1);
    /* y up: the quad in y = 0 lies in z = 0, from y = 0 to 2; twice as large. The corner (5 5
     * 5) is in no face. */
    rico_box box = rio_mesh_bounds(&mesh);
    CHECK_NEAR(box.lo.x, 0, 0);
    CHECK_NEAR(box.lo.y, 0, 0);
    CHECK_NEAR(box.hi.x, 2, 0);
    CHECK_NEAR(box.hi.y, 2, 0);
    CHECK_NEAR(box.hi.z, 4, 0);
    rio_mesh_free(&mesh);
    remove_dir(dir);
}

TEST(scene_io, scenes_are_looked_for_in_the_given_place_then_the_environment_then_shared)
{
    char path[256];
    unsetenv("RICO_SCENES");
    CHECK(strcmp(rio_scene_path(NULL, "a.obj", path, sizeof path), "../shared/scenes/a.obj") ==
          0);
    setenv("RICO_SCENES", "/env", 1);
    CHECK(strcmp(rio_scene_path(NULL, "a.obj", path, sizeof path), "/env/a.obj") == 0);
    CHECK(strcmp(rio_scene_path("/dir", "a.obj", path, sizeof path), "/dir/a.obj") == 0);
    CHECK(strcmp(rio_scene_path("/dir", "/b/a.obj", path, sizeof path), "/b/a.obj") == 0);
}

/* Last part first, in ranges of 7: the picture must not depend on it. */
static void odd_parallel(void *user, uint32_t count, rio_range_fn *fn, void *context)
{
    (void)user;
    for (uint32_t end = count; end > 0;) {
        uint32_t begin = end > 7 ? end - 7 : 0;
        fn(context, begin, end);
        end = begin;
    }
}

TEST(scene_io, the_same_picture_whatever_the_split_of_the_work)
{
    rio_mesh mesh;
    rio_bvh *bvh;
    CHECK_EQ(rio_courtyard_create(1, &mesh), RICO_OK);
    rico_mesh view = rio_mesh_view(&mesh);
    CHECK_EQ(rio_bvh_create(&view, &bvh), RICO_OK);
    rio_particle particles[40] = {{{0, 0, 0}, {0, 0, 0}, 0, {0, 0, 0, 0}, RIO_PARTICLE_GLOW}};
    for (uint32_t i = 0; i < 40; i++)
        particles[i] = (rio_particle){{(float)(i % 8) - 4.0f, (float)(i / 8) - 8.0f, 2.0f},
                                      {1.0f, 2.0f, 3.0f},
                                      0.3f,
                                      {2.0f, 1.0f, 0.3f, 0.5f},
                                      (rio_particle_kind)(i % 4)};
    particles[3].position.x = NAN;
    rio_picture_def def = rio_picture_def_default();
    def.mesh = &mesh;
    def.caster = (rio_caster){rio_bvh_cast, bvh};
    def.camera = rio_courtyard_camera();
    def.particles = particles;
    def.particle_count = 40;
    def.width = 96;
    def.height = 54;
    rio_image a, b;
    CHECK_EQ(rio_paint(&def, &a), RICO_OK);
    def.parallel = odd_parallel;
    CHECK_EQ(rio_paint(&def, &b), RICO_OK);
    CHECK(memcmp(a.pixels, b.pixels, 96 * 54 * 3) == 0);
    def.camera.fov_degrees = NAN;
    rio_image_free(&b);
    CHECK_EQ(rio_paint(&def, &b), RICO_OUT_OF_RANGE);
    rio_image_free(&a);
    rio_bvh_destroy(bvh);
    rio_mesh_free(&mesh);
}
