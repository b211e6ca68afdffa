/* Cases in which the bounds that exclude triangles are tight or exclude nothing. */
#include "collision_fixture.h"

#include "scene_private.h"

/* For the middle of a ball all bricks are equally near, so none can be excluded before it is
 * visited. */
TEST(collision, volumes_that_thousands_of_bricks_are_as_near_to_are_answered_all_the_same)
{
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 5);
    rico_scene *fine = scene_of(&mesh, 0.012f), *coarse = scene_of(&mesh, 0.5f);
    uint32_t bricks = scene_grid(fine)->brick_count;
    CHECK(bricks > 1900 && scene_grid(coarse)->brick_count < 64);
    fixture_random random = {907};
    for (int i = 0; i < 12; ++i) {
        rico_vec3 at = vec3_scale(random_direction(&random), i < 6 ? 1.0e-6f : 0.05f);
        rico_nearest near = rico_scene_nearest(fine, NULL, at, 2.0f, 0);
        rico_nearest again = rico_scene_nearest(coarse, NULL, at, 2.0f, 0);
        CHECK(near.collider == 1 && near.triangle == again.triangle);
        CHECK(near.distance == again.distance);
        rico_sweep sweep = {
            .center = at, .radii = {0.99f, 0.99f, 0.99f}, .rotation = {0, 0, 0, 1}};
        sweep.motion = vec3_scale(random_direction(&random), 0.5f);
        if (i % 2)
            sweep.radii = vec3(1.1f, 1.0f, 1.05f);
        rico_sweep_hit hit = rico_scene_sweep(fine, NULL, &sweep);
        rico_sweep_hit other = rico_scene_sweep(coarse, NULL, &sweep);
        CHECK(hit.collider == 1 && hit.triangle == other.triangle && hit.t == other.t);
        CHECK(i >= 6 || i % 2 == 0 || hit.steps > bricks / 2);
        CHECK(hit.overlaps == other.overlaps && hit.depth == other.depth);
    }
    rico_scene_destroy(fine);
    rico_scene_destroy(coarse);
    mesh_free(&mesh);
}

static rico_vec3 in_plane(rico_vec3 at, rico_vec3 u, float x, rico_vec3 v, float y)
{
    return vec3_mad(vec3_mad(at, u, x), v, y);
}

/* A triangle of some metres, mirrored at the middle of a quad behind it. The way from a ball in
 * front of it to the middle of all of them is its normal. */
static void mesh_mirrored(fixture_mesh *mesh, fixture_random *random, rico_vec3 middle,
                          rico_vec3 normal)
{
    rico_vec3 u = vec3_normalize(vec3_cross(normal, random_direction(random)));
    rico_vec3 v = vec3_cross(normal, u), behind = vec3_mad(middle, normal, -2.5f);
    rico_vec3 near[3], far[3], quad[4];
    for (int c = 0; c < 3; ++c) {
        static const float x[3] = {-1.0f, 1.0f, 0.0f}, y[3] = {-1.0f, -1.0f, 1.0f};
        float size = random_between(random, 4.0f, 9.0f);
        near[c] = in_plane(middle, u, x[c] * size, v, y[c] * size);
        far[c] = vec3_sub(vec3_scale(behind, 2.0f), near[c]);
    }
    for (int c = 0; c < 4; ++c)
        quad[c] = in_plane(behind, u, c % 3 == 0 ? -40.0f : 40.0f, v, c < 2 ? -40.0f : 40.0f);
    mesh_loose(mesh, near[0], near[1], near[2]);
    mesh_loose(mesh, far[0], far[1], far[2]);
    mesh_loose(mesh, quad[0], quad[1], quad[2]);
    mesh_loose(mesh, quad[0], quad[2], quad[3]);
}

/* Stored corners are off by half a millimetre here; the ball ends far less deep than that. */
TEST(collision, a_sweep_that_barely_reaches_a_large_triangle_meets_it)
{
    fixture_random random = {911};
    for (int i = 0; i < FIXTURE_REPEATS(1000); ++i) {
        rico_vec3 normal = random_direction(&random);
        rico_vec3 middle = vec3_scale(random_direction(&random), 10.0f);
        fixture_mesh mesh = {0};
        mesh_mirrored(&mesh, &random, middle, normal);
        rico_scene *scene = scene_of(&mesh, 50.0f);
        float radius = random_between(&random, 0.1f, 0.3f);
        float way = random_between(&random, 0.0f, 0.5f);
        float depth = random_between(&random, 2.0e-5f, 1.0e-4f);
        rico_sweep sweep = {.radii = {radius, radius, radius}, .rotation = {0, 0, 0, 1}};
        sweep.center = vec3_mad(middle, normal, radius + way - depth);
        sweep.motion = vec3_scale(normal, -way);
        CHECK_MSG(rico_scene_sweep(scene, NULL, &sweep).triangle == 0, "case %d", i);
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}
