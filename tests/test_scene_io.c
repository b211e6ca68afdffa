/* test_scene_io.c - mesh files and pictures. */
#include "testing.h"

#include "courtyard.h"
#include "float_bvh.h"
#include "image.h"
#include "mesh_file.h"
#include "painter.h"
#include "scene_io_fixture.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes a directory for this test and the files that it needs. */
static void make_dir(char *path, size_t bytes)
{
    const char *place = getenv("TMPDIR");
    snprintf(path, bytes, "%s/rio-test-XXXXXX", place != NULL ? place : "/tmp");
    CHECK(mkdtemp(path) != NULL);
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

TEST(scene_io, a_picture_becomes_a_png_file)
{
    rio_image image;
    size_t bytes = 0;
    CHECK_EQ(rio_image_create(8, 4, &image), RICO_OK);
    char *png = rio_image_png(&image, &bytes);
    CHECK(png != NULL && bytes > 20);
    CHECK(memcmp(png, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK(memcmp(png + bytes - 8, "IEND", 4) == 0);
    free(png);
    rio_image_free(&image);
    CHECK_EQ(rio_image_create(0, 4, &image), RICO_OUT_OF_RANGE);
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
                               "f 1 2 7\n"  /* kept here; the scene drops it */
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
    /* The input is y up: the quad in y = 0 lies in z = 0, from y = 0 to 2; twice as large. The
     * corner (5 5 5) is in no face. */
    rico_box box = rio_mesh_bounds(&mesh);
    CHECK_NEAR(box.lo.x, 0, 0);
    CHECK_NEAR(box.lo.y, 0, 0);
    CHECK_NEAR(box.hi.x, 2, 0);
    CHECK_NEAR(box.hi.y, 2, 0);
    CHECK_NEAR(box.hi.z, 4, 0);
    rio_mesh_free(&mesh);
    remove_dir(dir);
}

/* The first word of the file is the vertex from which all numbers count. */
TEST(scene_io, passes_over_a_byte_order_mark_with_and_without_broken_faces)
{
    static const char *const texts[] = {
        "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 3 4\n",
        "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 3 4\nf 1 2 5\n"};
    char dir[256], path[512], error[RIO_ERROR_BYTES] = "";
    make_dir(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/marked.obj", dir);
    for (uint32_t i = 0; i < 2; i++) {
        rio_mesh mesh;
        write_bytes(path, texts[i], strlen(texts[i]));
        rico_result result = rio_mesh_load(path, NULL, &mesh, error, sizeof error);
        CHECK_MSG(result == RICO_OK, "%s", error);
        CHECK_EQ(mesh.triangle_count, 2);
        CHECK_EQ(mesh.vertex_count, 4);
        CHECK_EQ(mesh.dropped_index, i);
        rico_box box = rio_mesh_bounds(&mesh);
        CHECK(box.lo.x == 0 && box.lo.y == 0 && box.lo.z == 0);
        rio_mesh_free(&mesh);
    }
    remove_dir(dir);
}

/* Materials are found beside the mesh, whatever the working directory is. */
TEST(scene_io, keeps_the_names_of_files_that_a_mesh_names_and_their_colours)
{
    static const char text[] = "mtllib one.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
                               "usemtl red\nf 1 2 3\nf 1 2 9\n";
    static const char materials[] = "\xef\xbb\xbfnewmtl red\nKd 1 0 0\n";
    char dir[256], path[512], other[512], error[RIO_ERROR_BYTES] = "";
    rio_mesh mesh;
    make_dir(dir, sizeof dir);
    snprintf(other, sizeof other, "%s/one.mtl", dir);
    write_bytes(other, materials, sizeof materials - 1);
    snprintf(path, sizeof path, "%s/named.obj", dir);
    write_bytes(path, text, sizeof text - 1);
    rico_result result = rio_mesh_load(path, NULL, &mesh, error, sizeof error);
    CHECK_MSG(result == RICO_OK, "%s", error);
    CHECK_EQ(mesh.dropped_index, 1);
    CHECK_EQ(mesh.other_count, 1);
    CHECK_MSG(strcmp(mesh.others[0], other) == 0, "%s", mesh.others[0]);
    CHECK(mesh.colors[0] == 1.0f && mesh.colors[1] == 0.0f);
    rio_mesh_free(&mesh);
    remove_dir(dir);
}

TEST(scene_io, a_mesh_of_broken_faces_alone_is_refused_with_their_count)
{
    char dir[256], path[512], error[RIO_ERROR_BYTES] = "";
    rio_mesh mesh;
    make_dir(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/broken.obj", dir);
    write_bytes(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n", 33);
    CHECK_EQ(rio_mesh_load(path, NULL, &mesh, error, sizeof error), RICO_EMPTY_MESH);
    CHECK_MSG(strstr(error, "dropped 1 face with a vertex that is not in the file") != NULL,
              "%s", error);
    CHECK(mesh.other_count == 0 && mesh.dropped_index == 0);
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

/* Runs the last part first, in ranges of 7: the picture must not depend on that. */
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
