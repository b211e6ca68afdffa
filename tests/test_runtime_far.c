/* Far from the origin floats are coarse: places lie on the borders of cells for long. */
#include "runtime_births.h"

/* So many of 300 that fall through a floor, of those that begin on a border of cells. */
static uint32_t fallen(rico_collision_mode mode, float x, float dt)
{
    const float corners[] = {-10, -10, 0, 10, -10, 0, 10, 10, 0, -10, 10, 0};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    rico_world *world = small_world(1, false);
    CHECK(rico_world_add_mesh(world, &mesh, at(x, 0.0f, 0.0f)).index1 != 0);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = 300;
    r.lifetime = (rico_range){5.0f, 5.0f};
    r.queries_per_frame = 64.0f;
    rico_effect_id e = begin_effect(world, &r, at(x, 0.0f, 1.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    for (int i = 0; i < (int)(1.6f / dt); ++i)
        rico_world_step(world, dt);
    uint32_t count = 0, below = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t k = 0; k < v.count; ++k, ++count)
            below += v.pz[k] < -0.1f;
    CHECK_EQ(count, 300);
    rico_world_destroy(world);
    return below;
}

TEST(runtime, nobody_falls_through_a_floor_that_is_far_from_the_origin)
{
    const rico_collision_mode two[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (int m = 0; m < 2; ++m)
        for (float x = 1.0e4f; x < 2.0e5f; x *= 10.0f)
            for (float dt = 0.1f; dt > 0.02f; dt *= 0.5f)
                CHECK_MSG(fallen(two[m], x, dt) == 0, "%s at %g m, dt %g",
                          m == 0 ? "cached" : "exact", (double)x, (double)dt);
}

/* The least distance of centres from a ramp of 20 degrees, on which they slide for 16 s. */
static double least_distance(rico_collision_mode mode, float x)
{
    const float corners[] = {-30, -30, 0, 30, -30, 0, 30, 30, 0, -30, 30, 0};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    const double sine = 0.34202, cosine = 0.939693;
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    rico_world *world = small_world(1, false);
    rico_transform ramp = at(x, -x, 0.1f * x);
    ramp.rotation = (rico_quat){0.0f, 0.173648f, 0.0f, 0.984808f};
    CHECK(rico_world_add_mesh(world, &mesh, ramp).index1 != 0);
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = 50;
    r.speed = (rico_range){0.0f, 1.0f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.rest_speed = 0.0f;
    r.queries_per_frame = 64.0f;
    rico_effect_id e = begin_effect(world, &r, at(x, -x, 0.1f * x + 0.5f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    run_steps(world, 960);
    double least = 1.0e30;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t k = 0; k < v.count; ++k) {
            double dx = (double)v.px[k] - (double)ramp.position.x;
            double dz = (double)v.pz[k] - (double)ramp.position.z;
            least = fmin(least, sine * dx + cosine * dz);
        }
    rico_world_destroy(world);
    return least;
}

TEST(runtime, nobody_sinks_into_a_slope_that_is_far_from_the_origin)
{
    const rico_collision_mode two[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (int m = 0; m < 2; ++m)
        for (float x = 1000.0f; x < 5000.0f; x *= 4.0f) {
            double least = least_distance(two[m], x);
            CHECK_MSG(least > 0.009, "%s at %g m: %g m", m == 0 ? "cached" : "exact", (double)x,
                      least);
        }
}
