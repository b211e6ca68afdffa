/* Shapes that are turned into triangles: hulls, boxes, height fields, spheres, capsules. */
#include "collision_fixture.h"
#include "memory.h"
#include "shape_mesh.h"

static char last_message[256];

static void keep_message(void *user, rico_log_level level, const char *text)
{
    (void)user;
    (void)level;
    snprintf(last_message, sizeof last_message, "%s", text);
}

static rico_result make(rico__shape_mesh *mesh, rico__memory *memory, const rico_shape_def *def)
{
    static const rico_log log = {keep_message, NULL};
    rico__memory_init(memory, NULL);
    const rico__shape_maker maker = {memory, &log, "call"};
    last_message[0] = 0;
    return rico__shape_mesh_make(mesh, &maker, def);
}

static void release(rico__shape_mesh *mesh, rico__memory *memory)
{
    rico__shape_mesh_release(mesh, memory);
    CHECK_EQ(memory->live_bytes, 0);
}

static rico_shape_def hull_of(const float *points, uint32_t count)
{
    return (rico_shape_def){.kind = RICO_SHAPE_HULL, .hull = {points, count}};
}

/* --- closed surfaces --- */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every edge occurs once in each direction, every vertex is used, and the Euler characteristic
 * is 2. */
static void check_closed(const rico__shape_mesh *mesh)
{
    uint32_t count = 3 * mesh->triangle_count, used = 0;
    uint64_t *there = malloc(2 * count * sizeof *there), *back = there + count;
    uint8_t *seen = calloc(mesh->vertex_count, 1);
    CHECK(there != NULL && seen != NULL);
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
        CHECK(a < mesh->vertex_count && a != b);
        there[i] = a << 32 | b;
        back[i] = b << 32 | a;
        used += !seen[a];
        seen[a] = 1;
    }
    qsort(there, count, sizeof *there, compare_u64);
    qsort(back, count, sizeof *back, compare_u64);
    CHECK(memcmp(there, back, count * sizeof *there) == 0);
    for (uint32_t i = 1; i < count; ++i)
        CHECK(there[i] != there[i - 1]);
    CHECK_EQ(used, mesh->vertex_count);
    CHECK_EQ(mesh->vertex_count + mesh->triangle_count, count / 2 + 2);
    free(there);
    free(seen);
}

typedef struct plane64 {
    double n[3], offset;
} plane64;

static plane64 plane_of(const rico__shape_mesh *mesh, uint32_t triangle)
{
    const uint32_t *index = mesh->indices + 3 * triangle;
    double a[3], u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = (double)mesh->positions[3 * index[0] + (uint32_t)k];
        u[k] = (double)mesh->positions[3 * index[1] + (uint32_t)k] - a[k];
        v[k] = (double)mesh->positions[3 * index[2] + (uint32_t)k] - a[k];
    }
    plane64 plane = {
        {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}, 0.0};
    double length =
        sqrt(plane.n[0] * plane.n[0] + plane.n[1] * plane.n[1] + plane.n[2] * plane.n[2]);
    CHECK(length > 0.0);
    for (int k = 0; k < 3; ++k) {
        plane.n[k] /= length;
        plane.offset += plane.n[k] * a[k];
    }
    return plane;
}

/* Checks that no point is above a face by more than 1e-6 of the size. Faces without width are
 * left out. */
static void check_holds(const rico__shape_mesh *mesh, const float *points, uint32_t count)
{
    double size = 0.0;
    for (uint32_t i = 0; i < 3 * count; ++i)
        size = fmax(size, fabs((double)points[i]));
    for (uint32_t f = 0; f < mesh->triangle_count; ++f) {
        plane64 plane = plane_of(mesh, f);
        for (uint32_t i = 0; i < count; ++i) {
            const float *p = points + 3 * i;
            double over = plane.n[0] * (double)p[0] + plane.n[1] * (double)p[1] +
                          plane.n[2] * (double)p[2] - plane.offset;
            CHECK_MSG(over <= 1.0e-6 * size, "point %u is %g above face %u", i, over / size, f);
        }
    }
}

static uint32_t check_hull(const float *points, uint32_t count)
{
    rico__shape_mesh mesh, again;
    rico__memory memory, memory_again;
    rico_shape_def def = hull_of(points, count);
    CHECK_EQ(make(&mesh, &memory, &def), RICO_OK);
    check_closed(&mesh);
    check_holds(&mesh, points, count);
    CHECK_EQ(make(&again, &memory_again, &def), RICO_OK);
    CHECK_EQ(again.triangle_count, mesh.triangle_count);
    CHECK(memcmp(again.indices, mesh.indices, 12 * (size_t)mesh.triangle_count) == 0);
    CHECK(memcmp(again.positions, mesh.positions, 12 * (size_t)mesh.vertex_count) == 0);
    uint32_t vertices = mesh.vertex_count;
    release(&again, &memory_again);
    release(&mesh, &memory);
    return vertices;
}

/* --- hulls --- */

enum { POINTS = 4000 };
static float points[3 * POINTS];

static void put(uint32_t i, float x, float y, float z)
{
    points[3 * i] = x;
    points[3 * i + 1] = y;
    points[3 * i + 2] = z;
}

TEST(collision, a_hull_is_closed_and_holds_its_points)
{
    fixture_random random = {61};
    for (int round = 0; round < FIXTURE_REPEATS(200); ++round) {
        uint32_t count = 4 + random_below(&random, 60);
        float size = powf(10.0f, random_between(&random, -6.0f, 3.9f));
        float off = random_below(&random, 3) == 0 ? 100.0f : 0.0f;
        for (uint32_t i = 0; i < 3 * count; ++i)
            points[i] = size * (off + random_between(&random, -1.0f, 1.0f));
        check_hull(points, count);
    }
    for (uint32_t i = 0; i < 1000; ++i) {
        rico_vec3 d = random_direction(&random);
        put(i, d.x, d.y, d.z);
    }
    CHECK(check_hull(points, 1000) > 950);
}

TEST(collision, a_hull_of_points_in_planes_lines_and_twice_is_closed)
{
    fixture_random random = {67};
    for (int round = 0; round < FIXTURE_REPEATS(300); ++round) {
        uint32_t count = 30 + random_below(&random, 200), side = 2 + random_below(&random, 4);
        float off = round % 3 == 0 ? 1.0e4f : 0.0f;
        for (uint32_t i = 0; i < 3 * count; ++i)
            points[i] = off + (float)random_below(&random, side);
        for (uint32_t i = 0; i < 8; ++i) /* the corners, so that it has a volume */
            put(i, off + (i & 1 ? (float)side : 0.0f), off + (i & 2 ? (float)side : 0.0f),
                off + (i & 4 ? (float)side : 0.0f));
        check_hull(points, count);
    }
    for (uint32_t i = 0; i < 1000; ++i)
        put(i, (float)(i % 10), (float)(i / 10 % 10), (float)(i / 100));
    check_hull(points, 1000);
}

/* Points a few units in the last place off a face, an edge or a corner. */
TEST(collision, a_hull_of_points_that_are_nearly_in_a_plane_is_closed)
{
    fixture_random random = {71};
    for (int round = 0; round < FIXTURE_REPEATS(200); ++round) {
        rico_quat q = random_rotation(&random);
        uint32_t count = 200;
        for (uint32_t i = 0; i < count; ++i) {
            rico_vec3 p =
                vec3(random_between(&random, -1.0f, 1.0f), random_between(&random, -1.0f, 1.0f),
                     i % 10 == 0 ? random_between(&random, -1.0f, 0.0f) : 0.0f);
            if (i % 3 == 1)
                p.x = p.y;
            p = quat_rotate(q, p);
            put(i, p.x, p.y, p.z);
        }
        check_hull(points, count);
        for (uint32_t i = 0; i < count; ++i) { /* on a thin disc or in a thin needle */
            rico_vec3 d = random_direction(&random);
            put(i, d.x, d.y, 1.0e-5f * d.z);
            if (round % 2)
                put(i, d.x, 1.0e-5f * d.y, 1.0e-5f * d.z);
        }
        check_hull(points, count);
    }
}

TEST(collision, a_cubes_hull_is_the_cube_whatever_is_inside)
{
    for (uint32_t i = 0; i < 8; ++i)
        put(i, i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
    fixture_random random = {73};
    for (uint32_t i = 8; i < 100; ++i)
        put(i, random_between(&random, -0.99f, 0.99f), random_between(&random, -0.99f, 0.99f),
            random_between(&random, -0.99f, 0.99f));
    CHECK_EQ(check_hull(points, 100), 8);
}

TEST(collision, a_hull_of_points_in_one_plane_is_refused)
{
    fixture_random random = {79};
    rico__shape_mesh mesh;
    rico__memory memory;
    for (int round = 0; round < 100; ++round) {
        rico_quat q = random_rotation(&random);
        rico_vec3 far = vec3_scale(random_direction(&random), round % 4 == 0 ? 30.0f : 0.0f);
        for (uint32_t i = 0; i < 50; ++i) {
            rico_vec3 p = vec3(random_between(&random, -1.0f, 1.0f),
                               round % 2 ? 0.0f : random_between(&random, -1.0f, 1.0f), 0.0f);
            p = vec3_add(quat_rotate(q, p), far);
            put(i, p.x, p.y, p.z);
        }
        rico_shape_def def = hull_of(points, 50);
        CHECK_EQ(make(&mesh, &memory, &def), RICO_EMPTY_MESH);
        CHECK(strstr(last_message, "def.hull") != NULL);
        CHECK(mesh.positions == NULL && mesh.triangle_count == 0 && memory.live_bytes == 0);
    }
    memset(points, 0, sizeof points);
    rico_shape_def def = hull_of(points, 50);
    CHECK_EQ(make(&mesh, &memory, &def), RICO_EMPTY_MESH);
    points[4] = -0.0f;
    points[5] = 1.0e-42f;
    CHECK_EQ(make(&mesh, &memory, &def), RICO_EMPTY_MESH);
}

/* --- other shapes --- */

static void check_box_mesh(rico_vec3 half)
{
    rico__shape_mesh mesh;
    rico__memory memory;
    rico_shape_def def = {.kind = RICO_SHAPE_BOX, .half_size = half};
    CHECK_EQ(make(&mesh, &memory, &def), RICO_OK);
    CHECK_EQ(mesh.triangle_count, 12);
    check_closed(&mesh);
    const double size[3] = {(double)half.x, (double)half.y, (double)half.z};
    for (uint32_t i = 0; i < 12; ++i) {
        plane64 plane = plane_of(&mesh, i);
        double expected = 0.0;
        for (int k = 0; k < 3; ++k)
            expected += fabs(plane.n[k]) * size[k];
        CHECK_NEAR(plane.offset, expected, 1e-12 * expected);
    }
    release(&mesh, &memory);
}

TEST(collision, a_boxs_triangles_are_closed_and_look_outwards)
{
    check_box_mesh(vec3(1.0f, 2.0f, 3.0f));
    check_box_mesh(vec3(1.0e-4f, 1.0e5f, 0.3f));
}

/* Distance of p from the segment on z. */
static double from_segment(const double p[3], double half_length)
{
    double z = fmax(0.0, fabs(p[2]) - half_length);
    return sqrt(p[0] * p[0] + p[1] * p[1] + z * z);
}

static void check_round_mesh(float radius, float half_length)
{
    rico__shape_mesh mesh;
    rico__memory memory;
    rico_shape_def def = {.kind = half_length > 0.0f ? RICO_SHAPE_CAPSULE : RICO_SHAPE_SPHERE,
                          .radius = radius,
                          .half_length = half_length};
    CHECK_EQ(make(&mesh, &memory, &def), RICO_OK);
    check_closed(&mesh);
    double lo = 2.0, hi = 0.0;
    for (uint32_t i = 0; i < mesh.triangle_count; ++i) {
        CHECK(plane_of(&mesh, i).offset > 0.0);
        for (int s = 0; s <= 20; ++s)
            for (int t = 0; s + t <= 20; ++t) {
                double p[3], w[3] = {s / 20.0, t / 20.0, (20 - s - t) / 20.0};
                for (uint32_t k = 0; k < 3; ++k) {
                    p[k] = 0.0;
                    for (uint32_t j = 0; j < 3; ++j)
                        p[k] += w[j] * (double)mesh.positions[3 * mesh.indices[3 * i + j] + k];
                }
                double off = from_segment(p, (double)half_length) / (double)radius;
                lo = fmin(lo, off);
                hi = fmax(hi, off);
            }
    }
    CHECK_MSG(lo > 0.99 && hi < 1.01, "%g..%g of the radius", lo, hi);
    release(&mesh, &memory);
}

TEST(collision, triangles_of_spheres_and_capsules_are_closed_and_within_one_percent)
{
    check_round_mesh(1.0f, 0.0f);
    check_round_mesh(0.01f, 0.0f);
    check_round_mesh(0.5f, 1.0f);
    check_round_mesh(0.5f, 0.01f);
    check_round_mesh(2.0f, 50.0f);
}

TEST(collision, a_height_fields_triangles_are_as_the_header_says)
{
    float heights[12] = {0, 1, 2, 3, 4, NAN, 6, 7, 8, 9, 10, 11};
    rico__shape_mesh mesh;
    rico__memory memory;
    rico_shape_def def = {.kind = RICO_SHAPE_HEIGHT_FIELD,
                          .height_field = {heights, 4, 3, 0.5f, 2.0f}};
    CHECK_EQ(make(&mesh, &memory, &def), RICO_OK);
    CHECK_EQ(mesh.triangle_count, 12);
    uint32_t square = 0, holes = 0;
    for (uint32_t y = 0; y < 2; ++y)
        for (uint32_t x = 0; x < 3; ++x, ++square) {
            uint32_t p = 4 * y + x;
            uint32_t expected[6] = {p, p + 1, p + 5, p, p + 5, p + 4};
            CHECK(memcmp(mesh.indices + 6 * square, expected, sizeof expected) == 0);
            for (int i = 0; i < 2; ++i) {
                const uint32_t *t = expected + 3 * i;
                holes += t[0] == 5 || t[1] == 5 || t[2] == 5;
            }
        }
    for (uint32_t i = 0; i < 12; ++i) {
        CHECK(mesh.positions[3 * i] == 0.5f * (float)(i % 4));
        CHECK(mesh.positions[3 * i + 1] == 2.0f * (float)(i / 4));
        CHECK(memcmp(&mesh.positions[3 * i + 2], &heights[i], 4) == 0);
    }
    rico_mesh view = rico__shape_mesh_view(&mesh);
    CHECK_EQ(view.triangle_count, 12);
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_mesh_report report;
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, &report, NULL),
             RICO_OK);
    CHECK_EQ(report.dropped_not_finite, holes);
    rico_ray ray = {{1.2f, 0.1f, 100.0f}, 1000.0f, {0.0f, 0.0f, -1.0f}, 0};
    rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
    CHECK_EQ(hit.triangle, 2 * 2); /* third square, its half towards +x */
    CHECK(!hit.back_face);
    rico_scene_destroy(scene);
    release(&mesh, &memory);
}

/* --- refusals --- */

/* The definition is refused because of the number in that field. */
static void check_refused(const rico_shape_def *def, const char *field, float number)
{
    rico__shape_mesh mesh;
    rico__memory memory;
    CHECK_EQ(make(&mesh, &memory, def), isfinite(number) ? RICO_OUT_OF_RANGE : RICO_NOT_FINITE);
    CHECK_MSG(strstr(last_message, field) != NULL, "\"%s\" does not name %s", last_message,
              field);
    CHECK(strstr(last_message, "expected") != NULL || strstr(last_message, "NULL") != NULL);
    CHECK(mesh.positions == NULL && memory.live_bytes == 0);
}

TEST(collision, shapes_with_bad_fields_are_refused_by_name)
{
    static const float bad[] = {0.0f, -1.0f, 9.9e-5f, 1.1e5f, NAN, INFINITY};
    for (uint32_t i = 0; i < 6; ++i) {
        rico_shape_def box = {.kind = RICO_SHAPE_BOX, .half_size = {1.0f, 1.0f, 1.0f}};
        rico_shape_def round = {.kind = RICO_SHAPE_SPHERE, .radius = bad[i]};
        box.half_size.y = bad[i];
        check_refused(&box, "half_size.y", bad[i]);
        check_refused(&round, "radius", bad[i]);
        round.kind = RICO_SHAPE_CAPSULE;
        check_refused(&round, "radius", bad[i]);
        round.radius = 1.0f;
        round.half_length = i == 0 ? -1.0f : bad[i];
        if (i != 2)
            check_refused(&round, "half_length", bad[i]);
    }
    float heights[4] = {0.0f};
    rico_shape_def field = {.kind = RICO_SHAPE_HEIGHT_FIELD,
                            .height_field = {heights, 2, 2, 1.0f, NAN}};
    check_refused(&field, "height_field.spacing_y", NAN);
    field.height_field.spacing_x = 0.0f;
    check_refused(&field, "height_field.spacing_x", 0.0f);
    field.height_field.columns = 1;
    check_refused(&field, "columns", 0.0f);
    field.height_field.columns = field.height_field.rows = 65536;
    check_refused(&field, "columns", 0.0f);
    field.height_field.heights = NULL;
    check_refused(&field, "heights", 0.0f);
    points[3 * 2 + 1] = NAN;
    rico_shape_def hull = hull_of(points, 4);
    check_refused(&hull, "hull.points[7]", NAN);
    hull.hull.point_count = 3;
    check_refused(&hull, "hull", 0.0f);
    rico_shape_def mesh = {.kind = RICO_SHAPE_MESH, .mesh = {.smooth_angle = NAN}};
    check_refused(&mesh, "smooth_angle", NAN);
    rico_shape_def odd = {.kind = (rico_shape_kind)77};
    check_refused(&odd, "kind", 0.0f);
}
