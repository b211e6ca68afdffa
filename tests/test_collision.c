/* Rays against the oracle: the grid must never change an answer. */
#include "collision_fixture.h"
#include "scene_private.h"

#include <float.h>

static void check_random_rays(const rico_scene *scene, uint64_t seed, int count)
{
    fixture_random random = {seed};
    oracle o = oracle_create(scene);
    for (int i = 0; i < count; ++i) {
        rico_ray ray = ray_near_surface(&random, scene);
        if (i % 64 == 0)
            ray.t_max = i % 128 == 0 ? INFINITY : 1000.0f;
        check_hit(&o, &ray);
    }
    oracle_destroy(&o);
}

static void check_scene_file(const char *name)
{
    fixture_mesh mesh = {0};
    if (mesh_read_scene(&mesh, name)) {
        rico_scene *scene = scene_of(&mesh, 0.0f);
        check_random_rays(scene, 1, FIXTURE_MANY(100000));
        rico_scene_destroy(scene);
    }
    mesh_free(&mesh);
}

TEST(collision, hits_in_sponza_equal_brute_force)
{
    check_scene_file("sponza.obj");
}

TEST(collision, hits_in_the_dungeon_equal_brute_force)
{
    check_scene_file("dungeon.obj");
}

/* --- nasty meshes --- */

/* Ordinary triangles, slivers down to float steps, points, segments, exact copies. */
static void add_odd_triangles(fixture_mesh *mesh, fixture_random *random, rico_vec3 centre,
                              float size, int count)
{
    for (int i = 0; i < count; ++i) {
        rico_box box = {vec3_add(centre, vec3(-size, -size, -size)),
                        vec3_add(centre, vec3(size, size, size))};
        rico_vec3 a = random_in_box(random, &box);
        rico_vec3 b = vec3_mad(a, random_direction(random), size * 0.3f);
        rico_vec3 c = vec3_mad(a, random_direction(random), size * 0.3f);
        switch (i % 6) {
        case 1:
            c = vec3_mad(b, random_direction(random), size * 1.0e-6f);
            break;
        case 2:
            c = vec3_mad(a, vec3_sub(b, a), 0.5f);
            break;
        case 3:
            b = c = a;
            break;
        case 4:
            mesh_loose(mesh, a, b, c);
            break;
        default:
            break;
        }
        mesh_loose(mesh, a, b, c);
    }
}

/* Quads in the planes of the cell borders and across them, with all corners on cell corners. */
static void add_on_borders(fixture_mesh *mesh, float cell)
{
    for (int axis = 0; axis < 3; ++axis)
        for (int i = -4; i <= 4; ++i)
            for (int j = -4; j < 4; ++j) {
                float p[4][3];
                for (int c = 0; c < 4; ++c) {
                    p[c][axis] = (float)i * cell;
                    p[c][(axis + 1) % 3] = (float)(j + (c == 1 || c == 2)) * cell;
                    p[c][(axis + 2) % 3] = (float)((i + j) % 3 + (c >= 2)) * cell;
                }
                uint32_t first = mesh->vertex_count;
                for (int c = 0; c < 4; ++c)
                    mesh_vertex(mesh, vec3(p[c][0], p[c][1], p[c][2]));
                mesh_triangle(mesh, first, first + 1, first + 2);
                mesh_triangle(mesh, first, first + 2, first + 3);
            }
}

/* A corner, edge middle or centre of a triangle; rays run between, along and from them. */
static rico_vec3 point_of_interest(fixture_random *random, const rico_scene *scene)
{
    rico__triangle triangle = scene_random_triangle(scene, random);
    rico_vec3 p[3];
    memcpy(p, triangle.v, sizeof p);
    switch (random_below(random, 5)) {
    case 0:
        return p[random_below(random, 3)];
    case 1:
        return vec3_scale(vec3_add(p[0], p[1]), 0.5f);
    case 2:
        return vec3_mad(p[1], vec3_sub(p[2], p[1]), random_between(random, 0.0f, 1.0f));
    case 3:
        return vec3_scale(vec3_add(vec3_add(p[0], p[1]), p[2]), 1.0f / 3.0f);
    default:
        return random_in_box(random, &scene_grid(scene)->bounds);
    }
}

static rico_ray nasty_ray(fixture_random *random, const rico_scene *scene)
{
    static const float lengths[] = {0.25f, 1.0f, 1.0f, 1.5f, 100.0f, INFINITY};
    rico_ray ray = {.origin = point_of_interest(random, scene),
                    .t_max = lengths[random_below(random, 6)]};
    ray.direction = vec3_sub(point_of_interest(random, scene), ray.origin);
    uint32_t kind = random_below(random, 8);
    float *d = &ray.direction.x;
    if (kind == 0) { /* along an axis */
        float sign = random_below(random, 2) ? 1.0f : -1.0f;
        uint32_t axis = random_below(random, 3);
        ray.direction = vec3(0.0f, -0.0f, 0.0f);
        d[axis] = sign;
    } else if (kind == 1) { /* in a plane of the axes, or nearly */
        d[random_below(random, 3)] = random_below(random, 2) ? -0.0f : 1.0e-15f;
    } else if (kind == 2) { /* from outside */
        ray.origin = vec3_mad(ray.origin, ray.direction, -5.0f);
        ray.t_max *= 7.0f;
    } else if (kind == 3) {
        ray.direction = vec3_scale(ray.direction, 1.0e-20f);
        ray.t_max *= 1.0e20f;
    }
    return ray;
}

static void check_nasty(const fixture_mesh *mesh, float cell_size, int count)
{
    rico_scene *scene = scene_of(mesh, cell_size);
    fixture_random random = {7};
    oracle o = oracle_create(scene);
    for (int i = 0; i < count; ++i) {
        rico_ray ray = nasty_ray(&random, scene);
        check_hit(&o, &ray);
    }
    oracle_destroy(&o);
    rico_scene_destroy(scene);
}

TEST(collision, hits_among_slivers_points_and_copies_equal_brute_force)
{
    fixture_random random = {3};
    fixture_mesh mesh = {0};
    add_odd_triangles(&mesh, &random, vec3(1.0f, -2.0f, 3.0f), 4.0f, 2000);
    check_nasty(&mesh, 0.0f, FIXTURE_MANY(100000));
    check_nasty(&mesh, 0.05f, FIXTURE_MANY(50000));
    check_nasty(&mesh, 50.0f, FIXTURE_MANY(20000));
    mesh_free(&mesh);
}

TEST(collision, hits_on_triangles_in_the_borders_of_cells_equal_brute_force)
{
    static const float cells[] = {0.25f, 0.1f, 1.0f, 0.0f};
    for (int i = 0; i < 4; ++i) {
        fixture_mesh mesh = {0};
        add_on_borders(&mesh, 0.25f);
        check_nasty(&mesh, cells[i], FIXTURE_MANY(50000));
        mesh_free(&mesh);
    }
}

TEST(collision, hits_far_from_the_origin_equal_brute_force)
{
    static const float offsets[] = {1000.0f, 50000.0f, 990000.0f};
    for (int i = 0; i < 3; ++i) {
        fixture_random random = {5};
        fixture_mesh mesh = {0};
        rico_vec3 centre = vec3(-offsets[i], offsets[i], offsets[i] * 0.5f);
        add_odd_triangles(&mesh, &random, centre, 8.0f, 600);
        check_nasty(&mesh, 0.0f, FIXTURE_MANY(50000));
        mesh_free(&mesh);
    }
}

TEST(collision, hits_on_one_huge_triangle_among_tiny_ones_equal_brute_force)
{
    fixture_random random = {5};
    fixture_mesh mesh = {0};
    add_odd_triangles(&mesh, &random, vec3(0.0f, 0.0f, 0.1f), 0.2f, 600);
    mesh_loose(&mesh, vec3(-9.0e5f, -9.0e5f, -3.0f), vec3(9.0e5f, -8.0e5f, 5.0f),
               vec3(0.0f, 9.0e5f, 0.5f));
    check_nasty(&mesh, 0.0f, FIXTURE_MANY(50000));
    check_nasty(&mesh, 0.01f, FIXTURE_REPEATS(20000));
    rico_scene *scene = scene_of(&mesh, 0.01f);
    rico_scene_stats stats = rico_scene_get_stats(scene);
    CHECK_MSG(stats.bytes < 4000000, "%llu bytes", (unsigned long long)stats.bytes);
    CHECK(stats.cell_size > 0.01f);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, hits_of_rays_from_far_outside_equal_brute_force)
{
    fixture_random random = {11};
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 2.0f, 3);
    rico_scene *scene = scene_of(&mesh, 0.1f);
    oracle o = oracle_create(scene);
    uint32_t hits = 0;
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        float distance = powf(10.0f, random_between(&random, 0.0f, 7.0f));
        rico_ray ray = {.t_max = 3.0f * distance};
        ray.origin = vec3_scale(random_direction(&random), distance);
        ray.direction = vec3_sub(random_direction(&random), ray.origin);
        ray.direction = vec3_scale(ray.direction, 1.0f / vec3_length(ray.direction));
        check_hit(&o, &ray);
        hits += rico_scene_raycast(scene, NULL, &ray).collider != 0;
    }
    CHECK(hits > (uint32_t)FIXTURE_REPEATS(20000) / 2);
    oracle_destroy(&o);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, hostile_rays_end_and_hit_nothing_or_what_brute_force_hits)
{
    static const float odd[] = {0.0f,    -0.0f,    1.0e-45f,  -1.0e-40f, FLT_MIN, 1.0e-30f,
                                1.0f,    -0.25f,   0.25f,     1.0e9f,    1.0e30f, -1.0e30f,
                                3.0e38f, INFINITY, -INFINITY, NAN};
    const uint32_t n = sizeof odd / sizeof odd[0];
    fixture_random random = {13};
    fixture_mesh mesh = {0};
    add_on_borders(&mesh, 0.25f);
    rico_scene *scene = scene_of(&mesh, 0.25f);
    oracle o = oracle_create(scene);
    for (int i = 0; i < FIXTURE_MANY(300000); ++i) {
        float v[7];
        for (int k = 0; k < 7; ++k)
            v[k] = random_below(&random, 3) ? odd[random_below(&random, n)]
                                            : random_between(&random, -1.0f, 1.0f);
        rico_ray ray = {vec3(v[0], v[1], v[2]), v[3], vec3(v[4], v[5], v[6]), 0};
        check_hit(&o, &ray);
        bool refused = !vec3_is_finite(ray.origin) || !vec3_is_finite(ray.direction) ||
                       !(ray.t_max > 0.0f);
        CHECK(!refused || rico_scene_raycast(scene, NULL, &ray).collider == 0);
    }
    oracle_destroy(&o);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* --- the triangle test itself --- */

TEST(collision, hits_lie_where_geometry_says)
{
    fixture_random random = {17};
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_box room = {vec3(-3.0f, -3.0f, -3.0f), vec3(3.0f, 3.0f, 3.0f)};
        fixture_mesh mesh = {0};
        rico_vec3 a = random_in_box(&random, &room), b = random_in_box(&random, &room);
        rico_vec3 c = random_in_box(&random, &room),
                  n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        float area = vec3_length(n);
        rico_vec3 from = random_in_box(&random, &room);
        float u = random_between(&random, 0.05f, 0.9f),
              w = random_between(&random, 0.05f, 0.95f - u);
        rico_vec3 target = vec3_mad(vec3_mad(vec3_scale(a, 1.0f - u - w), b, u), c, w);
        float side = vec3_dot(n, vec3_sub(from, a)) / area;
        if (area < 0.5f || fabsf(side) < 0.1f)
            continue;
        mesh_loose(&mesh, a, b, c);
        rico_scene *scene = scene_of(&mesh, 0.0f);
        rico_ray ray = {.origin = from, .t_max = 2.0f, .direction = vec3_sub(target, from)};
        rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
        CHECK_EQ(hit.collider, 1);
        CHECK_NEAR(hit.t, 1.0f, 1.0e-4);
        CHECK_EQ(hit.back_face, side < 0.0f);
        CHECK_NEAR(fabsf(vec3_dot(hit.normal, n)) / area, 1.0f, 1.0e-5);
        CHECK(vec3_dot(hit.normal, ray.direction) <= 0.0f);
        float beyond = vec3_length(vec3_sub(target, from));
        ray.t_max = 1.0f - 1.0e-3f / beyond; /* ends before the triangle */
        if (fabsf(side) > 0.5f)
            CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, 0);
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}

/* Rays from inside a closed mesh, aimed at corners and edges, where a miss is most likely. */
static void check_closed(const fixture_mesh *mesh, float scale, float cell_size, int count)
{
    fixture_random random = {19};
    rico_scene *scene = scene_create_quiet(cell_size);
    rico_transform transform = {vec3_scale(random_direction(&random), scale),
                                random_rotation(&random), scale};
    scene_add(scene, mesh, transform);
    float c = 0.3f * scale;
    rico_box core = {vec3(-c, -c, -c), vec3(c, c, c)};
    for (int i = 0; i < count; ++i) {
        rico__triangle triangle = scene_random_triangle(scene, &random);
        rico_vec3 p[3];
        memcpy(p, triangle.v, sizeof p);
        float share = random_below(&random, 3) ? random_between(&random, 0.0f, 1.0f) : 0.0f;
        rico_vec3 target = vec3_mad(p[0], vec3_sub(p[1], p[0]), share);
        rico_ray ray = {.origin = vec3_add(transform.position, random_in_box(&random, &core)),
                        .t_max = INFINITY};
        ray.direction = vec3_sub(target, ray.origin);
        rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
        CHECK_MSG(hit.collider != 0, "ray %d escaped", i);
        CHECK_NEAR(hit.t, 1.0f, 0.01);
        CHECK_EQ(hit.back_face, 1);
    }
    rico_scene_destroy(scene);
}

TEST(collision, no_ray_escapes_a_closed_body_through_an_edge_or_corner)
{
    fixture_mesh sphere = {0}, box = {0};
    mesh_sphere(&sphere, 1.0f, 4);
    mesh_box(&box, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    check_closed(&sphere, 1.7f, 0.0f, FIXTURE_REPEATS(200000));
    check_closed(&sphere, 1.7f, 0.05f, FIXTURE_REPEATS(100000));
    check_closed(&box, 1.7f, 0.0f, FIXTURE_REPEATS(200000));
    check_closed(&box, 1.7f, 0.1f, FIXTURE_REPEATS(100000));
    mesh_free(&sphere);
    mesh_free(&box);
}

TEST(collision, no_triangle_is_too_small_to_be_hit)
{
    fixture_mesh sphere = {0}, box = {0};
    mesh_sphere(&sphere, 1.0f, 1);
    mesh_box(&box, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    check_closed(&sphere, 1.0e-4f, 0.0f, FIXTURE_REPEATS(20000));
    check_closed(&sphere, 1.0e-7f, 0.0f, FIXTURE_REPEATS(20000));
    check_closed(&box, 1.0e-12f, 0.0f, FIXTURE_REPEATS(50000));
    mesh_free(&sphere);
    mesh_free(&box);
}

TEST(collision, a_hit_on_a_shared_edge_or_corner_names_the_smaller_triangle)
{
    fixture_mesh fan = {0};
    uint32_t centre = mesh_vertex(&fan, vec3(0.0f, 0.0f, 0.0f));
    uint32_t corner[4];
    for (int i = 0; i < 4; ++i)
        corner[i] = mesh_vertex(
            &fan, vec3(i % 2 ? 0.0f : (float)(1 - i), i % 2 ? (float)(2 - i) : 0.0f, 0.0f));
    for (int i = 3; i >= 0; --i)
        mesh_triangle(&fan, centre, corner[i], corner[(i + 1) % 4]);
    rico_scene *scene = scene_of(&fan, 0.1f);
    scene_add(scene, &fan, RICO_TRANSFORM_IDENTITY);
    rico_ray ray = {
        .origin = vec3(0.0f, 0.0f, 1.0f), .t_max = 2.0f, .direction = vec3(0, 0, -1)};
    rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
    CHECK_EQ(hit.collider, 1);
    CHECK_EQ(hit.triangle, 0);
    CHECK_EQ(hit.back_face, 0);
    ray.origin = vec3(0.0f, -0.5f, -1.0f); /* between triangles 0 and 1, from behind */
    ray.direction = vec3(0.0f, 0.0f, 1.0f);
    hit = rico_scene_raycast(scene, NULL, &ray);
    CHECK_EQ(hit.collider, 1);
    CHECK_EQ(hit.triangle, 0);
    CHECK_EQ(hit.back_face, 1);
    CHECK_NEAR(hit.normal.z, -1.0f, 0.0);
    ray.origin = vec3(-0.5f, 0.0f, 1.0f); /* between triangles 1 and 2 */
    ray.direction = vec3(0.0f, 0.0f, -1.0f);
    CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).triangle, 1);
    rico_scene_destroy(scene);
    mesh_free(&fan);
}

TEST(collision, a_batch_gives_the_same_bits_as_single_rays)
{
    enum { COUNT = 5000 };
    static rico_ray rays[COUNT];
    static rico_hit hits[COUNT];
    fixture_random random = {23};
    fixture_mesh mesh = {0};
    add_odd_triangles(&mesh, &random, vec3(0.0f, 0.0f, 0.0f), 4.0f, 2000);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    for (int i = 0; i < COUNT; ++i) {
        rays[i] = nasty_ray(&random, scene);
        if (i % 50 == 0)
            rays[i].origin.x = NAN;
    }
    rico_scene_raycast_batch(scene, NULL, rays, hits, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        rico_hit hit = rico_scene_raycast(scene, NULL, &rays[i]);
        CHECK(hit_equal(&hit, &hits[i]));
    }
    rico_scene_raycast_batch(scene, NULL, NULL, NULL, 0);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}
