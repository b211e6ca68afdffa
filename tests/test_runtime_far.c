/* Far from the origin floats are coarse, so particles stay on borders of cells for long. */
#include "runtime_hollow.h"

/* A level square of two triangles, with `where` in its middle. */
static void add_square(rico_world *world, float half, rico_transform where)
{
    const float h = half, corners[] = {-h, -h, 0, h, -h, 0, h, h, 0, -h, h, 0};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, where).index1 != 0);
}

/* Returns how many of 300 particles, which begin on a border of cells, fall through a floor. */
static uint32_t fallen(rico_collision_mode mode, float x, float dt)
{
    rico_world *world = small_world(1, false);
    add_square(world, 10.0f, at(x, 0.0f, 0.0f));
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

/* The least distance of centres from a ramp of 20 degrees, after particles have slid on it for
 * 16 s. */
static double least_distance(rico_collision_mode mode, float x)
{
    const double sine = 0.34202, cosine = 0.939693;
    rico_world *world = small_world(1, false);
    rico_transform ramp = at(x, -x, 0.1f * x);
    ramp.rotation = (rico_quat){0.0f, 0.173648f, 0.0f, 0.984808f};
    add_square(world, 30.0f, ramp);
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

/* --- Rooms -------------------------------------------------------------------------------- */

/* Particles that fly apart from the middle. */
static rico_recipe stray_recipe(rico_collision_mode mode, rico_on_collision does, float fastest,
                                float radius)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.queries_per_frame = 64.0f;
    r.rate = 0.0f;
    r.burst_count = 300;
    r.spread = 3.1415927f;
    r.speed = (rico_range){0.0f, fastest};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.radius = radius;
    r.restitution = 0.0f;
    r.friction = does == RICO_ON_COLLISION_SLIDE ? 0.0f : 0.14f;
    r.on_collision = does;
    return r;
}

/* Returns how many of 300 particles leave a hollow ball. Nothing pulls them back, and rounding
 * moves them where their velocity would not. */
static uint32_t drifted(rico_collision_mode mode, rico_on_collision does, float radius)
{
    const rico_vec3 middle = {968.0f, 7158.0f, -4678.0f};
    rico_world *world = small_world(1, false);
    const hollow ball = {middle, 1.4f, 24, 16};
    add_hollow(world, &ball);
    rico_recipe r = stray_recipe(mode, does, 3.0f, radius);
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.rest_speed = 0.0f;
    rico_effect_id e = begin_effect(world, &r, at(middle.x, middle.y, middle.z));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    run_steps(world, 360);
    uint32_t outside = outside_of_hollow(world, e, &ball);
    rico_world_destroy(world);
    return outside;
}

TEST(runtime, nobody_drifts_through_a_wall_that_is_far_from_the_origin)
{
    const rico_collision_mode two[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (int m = 0; m < 2; ++m)
        for (float radius = 0.002f; radius < 0.009f; radius *= 2.0f) {
            uint32_t bounced = drifted(two[m], RICO_ON_COLLISION_BOUNCE, radius);
            uint32_t slid = drifted(two[m], RICO_ON_COLLISION_SLIDE, radius);
            CHECK_MSG(bounced + slid == 0, "%s, %g m: %u and %u of 300 are outside",
                      m == 0 ? "cached" : "exact", (double)radius, bounced, slid);
        }
}

/* A room whose floor has the given slope. */
static void add_room(rico_world *world, float half, float slope)
{
    float p[24];
    static const uint32_t faces[36] = {0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5,
                                       2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    for (uint32_t k = 0; k < 8; ++k) {
        p[3 * k] = (k & 1) != 0 ? half : -half;
        p[3 * k + 1] = (k & 2) != 0 ? half : -half;
        p[3 * k + 2] = (k & 4) != 0 ? 2.0f : slope * (p[3 * k] + 0.5f * p[3 * k + 1]);
    }
    rico_mesh mesh = {
        .positions = p, .vertex_count = 8, .indices = faces, .triangle_count = 12};
    CHECK(rico_world_add_mesh(world, &mesh, at(7067.0f, 6168.0f, 5665.0f)).index1 != 0);
}

/* Returns how many of 300 particles leave a room. They slide into corners, where the correction
 * out of one wall leads towards the next. */
static uint32_t cornered(float slope, float radius, float dt)
{
    const float half = 1.2f;
    rico_world *world = small_world(1, false);
    add_room(world, half, slope);
    rico_recipe r = stray_recipe(RICO_COLLIDE_EXACT, RICO_ON_COLLISION_SLIDE, 17.0f, radius);
    r.gravity = (rico_vec3){-2.9f, 1.6f, -6.4f};
    rico_effect_id e = begin_effect(world, &r, at(7067.0f, 6168.0f, 5666.0f));
    for (int i = 0; i < 150; ++i)
        rico_world_step(world, dt);
    uint32_t outside = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            const float x = v.px[i] - 7067.0f, y = v.py[i] - 6168.0f, z = v.pz[i] - 5665.0f;
            outside += fabsf(x) > half + 0.02f || fabsf(y) > half + 0.02f || z > 2.02f ||
                       z < slope * (x + 0.5f * y) - 0.02f;
        }
    rico_world_destroy(world);
    return outside;
}

TEST(runtime, nobody_is_put_through_a_wall_in_corners_that_are_far_from_the_origin)
{
    for (float slope = -0.5f; slope < 0.6f; slope += 0.5f)
        for (float radius = 0.0015f; radius < 0.006f; radius *= 1.5f) {
            uint32_t outside = cornered(slope, radius, 1.0f / 59.0f);
            CHECK_MSG(outside == 0, "%g m, slope %g: %u of 300 are outside", (double)radius,
                      (double)slope, outside);
        }
}

/* Small balls fall to a floor so far away that places are rounded by more than their radius.
 * Returns the highest bounce above the floor. */
static float highest_bounce(float x, float radius)
{
    rico_world *world = small_world(1, false);
    add_square(world, 4.0f, at(x, 0.0f, 0.0f));
    rico_recipe r = stray_recipe(RICO_COLLIDE_EXACT, RICO_ON_COLLISION_BOUNCE, 3.0f, radius);
    r.events = RICO_EVENT_BIT_COLLISION;
    begin_effect(world, &r, at(x, 0.0f, 1.0f));
    float highest = 0.0f;
    uint32_t bounces = 0;
    for (int i = 0; i < 60; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        uint32_t count;
        const rico_event *events = rico_world_events(world, &count);
        for (uint32_t k = 0; k < count; ++k)
            highest = fmaxf(highest, events[k].position.z - radius);
        bounces += count;
    }
    CHECK(bounces > 100);
    rico_world_destroy(world);
    return highest;
}

TEST(runtime, balls_smaller_than_rounding_bounce_at_the_floor_not_above_it)
{
    const float x[] = {5.0e3f, 1.0e4f, 1.0e5f}, radius[] = {0.002f, 0.004f, 0.02f};
    for (int k = 0; k < 3; ++k) {
        const float highest = highest_bounce(x[k], radius[k]);
        CHECK_MSG(highest < 0.005f, "%g m away, radius %g: %g m above it", (double)x[k],
                  (double)radius[k], (double)highest);
    }
}

/* Only places along the floor are coarse so far away; heights are not. All particles must come
 * to rest at the same height. */
TEST(runtime, who_falls_to_a_level_floor_far_away_rests_on_it)
{
    const float x = 1.0e5f, radius = 0.01f;
    rico_world *world = small_world(1, false);
    add_square(world, 10.0f, at(x, x, 0.0f));
    rico_recipe r = stray_recipe(RICO_COLLIDE_CACHED, RICO_ON_COLLISION_BOUNCE, 0.0f, radius);
    r.restitution = 0.5f;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){4.0f, 4.0f, 0.1f};
    rico_effect_id e = begin_effect(world, &r, at(x, x, 1.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    run_steps(world, 240);
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++count)
            CHECK_MSG(fabsf(v.pz[i] - radius) < 0.001f, "%u is at %g m", i, (double)v.pz[i]);
    CHECK_EQ(count, 300);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 300);
    rico_world_destroy(world);
}
