/* test_rays.c - the rays of bench_rays have the properties in ray_sets.h. The courtyard stands
 * in for the measured worlds. */
#include "testing.h"

#include "courtyard.h"
#include "ray_brute.h"
#include "ray_scenes.h"
#include "ray_sets.h"
#include "truth.h"

#define COUNT (RAY_RUN * RAY_DEAL)
#define SAMPLES 500u

typedef struct fixture {
    rio_mesh mesh;
    rico_mesh view;
    rio_truth *truth;
    ray_maker *maker;
    rico_ray *rays;
} fixture;

static fixture open_fixture(ray_set set)
{
    fixture f;
    CHECK_EQ(rio_courtyard_create(1, &f.mesh), RICO_OK);
    f.view = rio_mesh_view(&f.mesh);
    CHECK_EQ(rio_truth_create(f.view.positions, f.view.vertex_count, f.view.indices,
                              f.view.triangle_count, &f.truth),
             RICO_OK);
    f.maker = ray_maker_create(&f.view, COUNT, 1);
    f.rays = malloc(COUNT * sizeof *f.rays);
    CHECK(f.maker != NULL && f.rays != NULL);
    CHECK(ray_maker_fill(f.maker, set, f.rays));
    return f;
}

static void close_fixture(fixture *f)
{
    ray_maker_destroy(f->maker);
    rio_truth_destroy(f->truth);
    free(f->rays);
    rio_mesh_free(&f->mesh);
}

/* Metres from the origin of ray i of a sample to the nearest surface. */
static double clearance(const fixture *f, uint32_t i, double limit)
{
    rico_vec3 o = f->rays[i * (COUNT / SAMPLES)].origin;
    const double point[3] = {(double)o.x, (double)o.y, (double)o.z};
    return rio_truth_distance(f->truth, point, limit, NULL);
}

static void check_shape(const fixture *f, float shortest, float longest, double down_share)
{
    double down = 0.0, shorter = 0.0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const rico_ray *r = &f->rays[i];
        rico_vec3 d = r->direction;
        CHECK_NEAR(d.x * d.x + d.y * d.y + d.z * d.z, 1, 1e-6);
        CHECK(r->t_max >= shortest && r->t_max <= longest && r->ignore == 0);
        down += d.z <= -0.5f ? 1.0 : 0.0;
        shorter += r->t_max <= 0.5f * (shortest + longest) ? 1.0 : 0.0;
    }
    CHECK_NEAR(down / COUNT, down_share, 0.01);
    CHECK_MSG(shortest > 0.9f * longest || fabs(shorter / COUNT - 0.5) < 0.01, "%g",
              shorter / COUNT);
}

TEST(rays, falling_rays_start_within_two_metres_and_mostly_point_down)
{
    fixture f = open_fixture(RAY_SET_A);
    check_shape(&f, 0.125f, 3.75f, 0.7 + 0.3 * 0.25);
    uint32_t near = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        double free = clearance(&f, i, 3.0);
        CHECK_MSG(free > 0.0 && free < 2.001, "%g m", free);
        near += free < 0.05 ? 1u : 0u;
    }
    CHECK_MSG(near < SAMPLES / 3, "%u origins lie on surfaces", near);
    close_fixture(&f);
}

TEST(rays, uniform_rays_share_their_origins_with_the_falling_ones)
{
    fixture f = open_fixture(RAY_SET_A);
    rico_ray *b = malloc(COUNT * sizeof *b);
    CHECK(b != NULL);
    CHECK(ray_maker_fill(f.maker, RAY_SET_B, b));
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(memcmp(&b[i].origin, &f.rays[i].origin, sizeof b[i].origin) == 0);
    free(f.rays);
    f.rays = b;
    check_shape(&f, 2.0f, 2.0f, 0.25);
    CHECK(ray_maker_fill(f.maker, RAY_SET_L, b));
    rico_box box = rio_mesh_bounds(&f.mesh);
    rico_vec3 size = {box.hi.x - box.lo.x, box.hi.y - box.lo.y, box.hi.z - box.lo.z};
    float diagonal = sqrtf(size.x * size.x + size.y * size.y + size.z * size.z);
    check_shape(&f, diagonal * 0.999f, diagonal * 1.001f, 0.25);
    close_fixture(&f);
}

static int compare_rays(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(rico_ray));
}

static uint32_t count_jumps(const rico_ray *rays)
{
    uint32_t jumps = 0;
    for (uint32_t i = 1; i < COUNT; i++) {
        rico_vec3 p = rays[i - 1].origin, q = rays[i].origin;
        float apart = fmaxf(fabsf(p.x - q.x), fmaxf(fabsf(p.y - q.y), fabsf(p.z - q.z)));
        jumps += apart > 4.0f ? 1u : 0u;
    }
    return jumps;
}

TEST(rays, sorted_rays_are_the_falling_ones_neighbour_after_neighbour)
{
    fixture f = open_fixture(RAY_SET_A);
    rico_ray *s = malloc(COUNT * sizeof *s);
    CHECK(s != NULL);
    CHECK(ray_maker_fill(f.maker, RAY_SET_S, s));
    CHECK(count_jumps(f.rays) > COUNT / 10 * 9);
    CHECK_MSG(count_jumps(s) < COUNT / 20, "%u", count_jumps(s));
    qsort(s, COUNT, sizeof *s, compare_rays);
    qsort(f.rays, COUNT, sizeof *f.rays, compare_rays);
    CHECK(memcmp(s, f.rays, COUNT * sizeof *s) == 0);
    free(s);
    close_fixture(&f);
}

TEST(rays, contact_rays_are_short_and_start_at_a_surface)
{
    fixture f = open_fixture(RAY_SET_V);
    check_shape(&f, 0.02f, 0.2f, 0.25);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        double free = clearance(&f, i, 1.0);
        CHECK_MSG(free > 0.0 && free < 0.0502, "%g m", free);
    }
    close_fixture(&f);
}

TEST(rays, rays_at_dense_objects_start_within_15_cm_of_triangles)
{
    fixture f = open_fixture(RAY_SET_D);
    check_shape(&f, 0.125f, 3.75f, 0.7 + 0.3 * 0.25);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        double free = clearance(&f, i, 1.0);
        CHECK_MSG(free > 0.0 && free < 0.1502, "%g m", free);
    }
    close_fixture(&f);
}

TEST(rays, a_seed_gives_the_same_rays_and_another_seed_others)
{
    fixture f = open_fixture(RAY_SET_V);
    rico_ray *again = malloc(COUNT * sizeof *again);
    ray_maker *same = ray_maker_create(&f.view, COUNT, 1);
    ray_maker *other = ray_maker_create(&f.view, COUNT, 2);
    CHECK(again != NULL && same != NULL && other != NULL);
    CHECK(ray_maker_fill(same, RAY_SET_V, again));
    CHECK(memcmp(again, f.rays, COUNT * sizeof *again) == 0);
    CHECK(ray_maker_fill(other, RAY_SET_V, again));
    CHECK(memcmp(again, f.rays, COUNT * sizeof *again) != 0);
    ray_maker_destroy(same);
    ray_maker_destroy(other);
    free(again);
    close_fixture(&f);
}

TEST(rays, brute_force_agrees_with_the_truth)
{
    fixture f = open_fixture(RAY_SET_A);
    for (uint32_t i = 0; i < SAMPLES; i += 5) {
        const rico_ray *r = &f.rays[i * (COUNT / SAMPLES)];
        double t, from[3] = {(double)r->origin.x, (double)r->origin.y, (double)r->origin.z};
        double reach = (double)r->t_max;
        double to[3] = {from[0] + (double)r->direction.x * reach,
                        from[1] + (double)r->direction.y * reach,
                        from[2] + (double)r->direction.z * reach};
        rio_truth_hit hit;
        bool brute = ray_brute_closest(&f.view, r, &t, NULL);
        CHECK_EQ(rio_truth_segment(f.truth, from, to, &hit), brute);
        if (brute)
            CHECK_NEAR(hit.t * reach, t, 1e-6);
    }
    close_fixture(&f);
}

TEST(rays, a_triangle_that_is_hit_is_near_and_few_others_are)
{
    fixture f = open_fixture(RAY_SET_A);
    uint32_t most = f.view.triangle_count, hits = 0, near = 0;
    uint32_t *list = malloc(most * sizeof *list);
    for (uint32_t i = 0; i < SAMPLES; i += 5) {
        const rico_ray *r = &f.rays[i * (COUNT / SAMPLES)];
        uint32_t hit, count = ray_brute_near(&f.view, r, list, most), found = 0;
        double t;
        CHECK_EQ(ray_brute_near(&f.view, r, NULL, 0), count);
        near += count;
        if (!ray_brute_closest(&f.view, r, &t, &hit))
            continue;
        for (uint32_t k = 0; k < count; k++)
            found += list[k] == hit ? 1u : 0u;
        CHECK_EQ(found, 1);
        ++hits;
    }
    CHECK_MSG(hits > SAMPLES / 5 / 4 && near < most / 20 * (SAMPLES / 5), "%u, %u", hits, near);
    free(list);
    close_fixture(&f);
}

TEST(rays, a_scene_whose_file_is_missing_says_so_and_generated_ones_need_none)
{
    ray_scenes scenes = {.dir = "/nowhere"};
    char why[RIO_ERROR_BYTES] = "";
    rio_mesh mesh;
    CHECK(!ray_scenes_make(&scenes, "sponza", &mesh, why, sizeof why));
    CHECK_MSG(strstr(why, "/nowhere/sponza.obj") != NULL && !strchr(why, '\n'), "%s", why);
    CHECK(mesh.positions == NULL && mesh.triangle_count == 0);
    CHECK(ray_scenes_make(&scenes, "dense", &mesh, why, sizeof why));
    CHECK(mesh.triangle_count >= 250000);
    rio_mesh_free(&mesh);
    CHECK(ray_scenes_make(&scenes, "forest", &mesh, why, sizeof why));
    CHECK(mesh.triangle_count >= 300000);
    rio_mesh_free(&mesh);
    ray_scenes_free(&scenes);
}
