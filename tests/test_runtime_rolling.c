/* Sliding by Coulomb's friction, and balls that roll. */
#include "runtime_room.h"

/* A thing that slides down a slope of `tangent` for a second from rest: how far; and how fast it is. */
static double slide_down(rico_collision_mode mode, float tangent, float friction, float dt,
                         double *speed)
{
    rico_world *world = small_world(1, false);
    const float h = 6.0f * tangent;
    const float corners[] = {-6, -6, h, 6, -6, -h, 6, 6, -h, -6, 6, h};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    float c = 1.0f / sqrtf(1.0f + tangent * tangent);
    rico_recipe r = drops(mode);
    r.plane_count = mode == RICO_COLLIDE_FIXED;
    r.planes[0] = (rico_plane){{tangent * c, 0.0f, c}, 0.0f};
    r.size = (rico_vec3){0.0f, 1.0f, 0.0f};
    r.speed = (rico_range){0.0f, 0.0f};
    r.rest_speed = 0.01f;
    r.on_collision = RICO_ON_COLLISION_SLIDE;
    r.friction = friction;
    float off = RADIUS + 0.0001f;
    rico_effect_id e =
        begin_effect(world, &r, at(-3.0f + tangent * c * off, 0.0f, 3.0f * tangent + c * off));
    for (int i = 0; i < (int)(1.0f / dt + 0.5f); ++i)
        rico_world_step(world, dt);
    born b[40];
    CHECK_EQ(collect_born(world, e, b, 40), 40);
    double way = 0.0;
    *speed = 0.0;
    for (int i = 0; i < 40; ++i) {
        double dx = b[i].p[0] + 3.0 - (double)(tangent * c * off);
        way += dx / (double)c / 40.0;
        *speed += b[i].v[0] / (double)c / 40.0;
        double gap = (double)(tangent * c) * b[i].p[0] + (double)c * b[i].p[2];
        /* A ray along the slope meets it late, but before the centre does. */
        double late = mode == RICO_COLLIDE_EXACT ? (double)RADIUS : 0.004;
        CHECK_MSG(gap > (double)RADIUS - late && gap < (double)RADIUS + 0.004,
                  "mode %d: off the slope by %g", (int)mode, gap);
    }
    rico_world_destroy(world);
    return way;
}

TEST(response, sliding_obeys_coulomb_at_any_length_of_steps)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        if (modes[m] == RICO_COLLIDE_CLASSIC) /* it has no plane to begin with */
            continue;
        for (float dt = 1.0f / 30.0f; dt > 0.008f; dt *= 0.5f) {
            double speed, tangent = 0.5, friction = 0.2;
            double way = slide_down(modes[m], 0.5f, 0.2f, dt, &speed);
            double expected = 9.81 * (tangent - friction) / sqrt(1.0 + tangent * tangent);
            CHECK_MSG(fabs(way - 0.5 * expected) < 0.06 && fabs(speed - expected) < 0.1,
                      "mode %u, dt %g: %g m, %g m/s; expected %g, %g", m, (double)dt, way,
                      speed, 0.5 * expected, expected);
        }
        double speed; /* held by friction */
        CHECK(fabs(slide_down(modes[m], 0.3f, 0.4f, DT, &speed)) < 0.01);
        CHECK(speed == 0.0);
    }
}

/* A ball that begins on a slope of `tangent`, along it: its speed along it, and that of its rim. */
static void roll_on_with(rico_collision_mode mode, float rolling, float tangent, float begin,
                         float friction, float dt, float seconds, double *speed, double *rim)
{
    rico_world *world = small_world(1, false);
    float c = 1.0f / sqrtf(1.0f + tangent * tangent);
    const float h = 8.0f * tangent;
    const float corners[] = {-8, -8, h, 8, -8, -h, 8, 8, -h, -8, 8, h};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    rico_recipe r = drops(mode);
    r.plane_count = mode == RICO_COLLIDE_FIXED;
    r.planes[0] = (rico_plane){{tangent * c, 0.0f, c}, 0.0f};
    r.size = (rico_vec3){0.0f, 1.0f, 0.0f};
    r.spread = 0.0f;
    r.burst_count = 10;
    r.restitution = 0.0f;
    r.rest_speed = 0.0f;
    r.friction = friction;
    r.rolls = true;
    r.rolling_friction = rolling;
    r.speed = (rico_range){begin, begin};
    rico_transform where = at(-4.0f + tangent * c * RADIUS, 0.0f, 4.0f * tangent + c * RADIUS);
    float half = 0.5f * (1.5707964f + atanf(tangent)); /* +z points down the slope */
    where.rotation = (rico_quat){0.0f, sinf(half), 0.0f, cosf(half)};
    rico_effect_id e = begin_effect(world, &r, where);
    for (int i = 0; i < (int)(seconds / dt + 0.5f); ++i)
        rico_world_step(world, dt);
    rico_view v = rico_effect_view(world, e);
    CHECK(rico_view_next(&v) && v.count == 10 && v.wx != NULL);
    *speed = (double)(v.vx[0] / c);
    *rim = (double)(v.wy[0] * RADIUS);
    for (uint32_t i = 0; i < v.count; ++i)
        CHECK(fabsf(v.wx[i]) < 1e-2f && fabsf(v.wz[i]) < 1e-2f);
    rico_world_destroy(world);
}

static void roll_on(rico_collision_mode mode, float tangent, float begin, float friction,
                    float dt, float seconds, double *speed, double *rim)
{
    roll_on_with(mode, 0.0f, tangent, begin, friction, dt, seconds, speed, rim);
}

TEST(response, friction_turns_sliding_into_rolling_at_any_length_of_steps)
{
    const rico_collision_mode three[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                         RICO_COLLIDE_EXACT};
    for (uint32_t m = 0; m < 3; ++m)
        for (float dt = 1.0f / 30.0f; dt > 0.008f; dt *= 0.5f) {
            double speed, rim, g = 9.81;
            /* On the flat: the speed sinks by friction until it rolls with five sevenths of it. */
            roll_on(three[m], 0.0f, 3.0f, 0.2f, dt, 0.2f, &speed, &rim);
            double slid = 3.0 - 0.2 * g * 0.2;
            CHECK_MSG(fabs(speed - slid) < 0.12 && fabs(rim - 2.5 * (3.0 - speed)) < 0.02,
                      "mode %u, dt %g: %g, %g", m, (double)dt, speed, rim);
            roll_on(three[m], 0.0f, 3.0f, 0.2f, dt, 1.0f, &speed, &rim);
            CHECK_MSG(fabs(speed - 15.0 / 7.0) < 0.01 && fabs(rim - speed) < 0.01,
                      "mode %u, dt %g: %g, %g", m, (double)dt, speed, rim);
            /* Down a slope: five sevenths of what gravity gives, while friction suffices. */
            roll_on(three[m], 0.5f, 0.0f, 0.5f, dt, 0.8f, &speed, &rim);
            double down = 5.0 / 7.0 * g * 0.5 / sqrt(1.25) * 0.8;
            CHECK_MSG(fabs(speed - down) < 0.15 && fabs(rim - speed) < 0.05,
                      "mode %u, dt %g: %g, %g; expected %g", m, (double)dt, speed, rim, down);
            /* With too little friction it slides as well. */
            roll_on(three[m], 0.5f, 0.0f, 0.05f, dt, 0.8f, &speed, &rim);
            down = g * (0.5 - 0.05) / sqrt(1.25) * 0.8;
            double turned = 2.5 * g * 0.05 / sqrt(1.25) * 0.8;
            CHECK_MSG(fabs(speed - down) < 0.2 && fabs(rim - turned) < 0.1,
                      "mode %u, dt %g: %g, %g; expected %g, %g", m, (double)dt, speed, rim,
                      down, turned);
        }
}

TEST(response, a_ball_that_rolls_comes_to_rest_by_its_rolling_friction)
{
    double speed, rim, before; /* from 0.3 s on it rolls, and both sink alike */
    roll_on_with(RICO_COLLIDE_FIXED, 0.05f, 0.0f, 3.0f, 1.0f, DT, 0.3f, &before, &rim);
    roll_on_with(RICO_COLLIDE_FIXED, 0.05f, 0.0f, 3.0f, 1.0f, DT, 1.3f, &speed, &rim);
    CHECK_MSG(fabs(before - speed - 0.05 * 9.81) < 0.01 && fabs(rim - speed) < 0.01,
              "%g, %g, %g", before, speed, rim);
    rico_collider_id ids[2];
    rico_world *world = room_world(1, ids);
    rico_recipe r = drops(RICO_COLLIDE_CACHED);
    r.rolls = true;
    r.rolling_friction = 0.1f;
    begin_effect(world, &r, at(0.0f, 0.0f, 0.4f));
    run_steps(world, 400);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 40);
    rico_world_destroy(world);
}

TEST(response, a_ball_has_no_spin_before_it_meets_something)
{
    rico_collider_id ids[2];
    rico_world *world = room_world(1, ids);
    rico_recipe r = drops(RICO_COLLIDE_FIXED);
    r.rolls = true;
    r.burst_interval = 1.0f; /* in the places of those before */
    r.lifetime = (rico_range){0.5f, 1.4f};
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
    uint32_t young = 0, turning = 0;
    for (int n = 0; n < 150; ++n) {
        run_steps(world, 1);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i) {
                bool still = v.wx[i] == 0.0f && v.wy[i] == 0.0f && v.wz[i] == 0.0f;
                CHECK(still || v.age[i] > 0.15f);
                young += v.age[i] < 0.15f;
                turning += !still;
            }
    }
    CHECK(young > 100 && turning > 100);
    rico_world_destroy(world);
}
