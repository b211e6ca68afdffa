/* Sliding with Coulomb friction, and rolling balls. */
#include "runtime_room.h"

#include <ricochet/output.h>

/* A square around the origin that falls by `tangent` per metre of x. */
static void add_slope(rico_world *world, float tangent, float half)
{
    const float x = half, h = half * tangent;
    const float corners[] = {-x, -x, h, x, -x, -h, x, x, -h, -x, x, h};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
}

/* Lets particles slide down a slope for a second, from rest. Returns how far they come, and
 * their speed. */
static double slide_down(rico_collision_mode mode, float tangent, float friction, float dt,
                         double *speed)
{
    rico_world *world = small_world(1, false);
    add_slope(world, tangent, 6.0f);
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
        CHECK_MSG(gap > (double)RADIUS - 0.004 && gap < (double)RADIUS + 0.004,
                  "mode %d: off the slope by %g", (int)mode, gap);
    }
    rico_world_destroy(world);
    return way;
}

TEST(response, sliding_obeys_coulomb_at_any_length_of_steps)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        if (modes[m] == RICO_COLLIDE_CLASSIC) /* it has no plane at first */
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

/* Throws balls in all directions from above a slope. Returns how near to the slope a centre
 * ever comes. */
static float least_gap(rico_recipe *r, float tangent, float dt)
{
    rico_world *world = small_world(1, false);
    add_slope(world, tangent, 20.0f);
    r->size = (rico_vec3){0.1f, 0.1f, 0.1f};
    r->speed = (rico_range){0.0f, 3.0f};
    rico_effect_id e = begin_effect(world, r, at(0.0f, 0.0f, 0.4f));
    float least = 1.0f, c = 1.0f / sqrtf(1.0f + tangent * tangent);
    for (int i = 0; i < (int)(1.5f / dt); ++i) {
        rico_world_step(world, dt);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                least = fminf(least, c * (tangent * v.px[k] + v.pz[k]));
    }
    rico_world_destroy(world);
    return least;
}

/* A ray along a path that is almost parallel to the ground meets it too late. A ball that comes
 * down so and bounces may be late by one step, once. */
TEST(response, exact_balls_do_not_sink_into_what_they_slide_and_roll_on)
{
    for (int kind = 0; kind < 4; ++kind)
        for (int k = 0; k < 4; ++k) {
            rico_recipe r = drops(RICO_COLLIDE_EXACT);
            r.friction = kind < 2 ? 0.0f : 0.3f;
            r.restitution = kind == 0 ? 0.3f : 0.0f;
            r.on_collision = kind == 2 ? RICO_ON_COLLISION_SLIDE : RICO_ON_COLLISION_BOUNCE;
            r.rolls = kind == 3;
            float tangent = 0.3f * (float)k, dt = k % 2 == 0 ? DT : 1.0f / 240.0f;
            float least = least_gap(&r, tangent, dt);
            CHECK_MSG(least > (kind == 0 ? 0.5f : 0.96f) * RADIUS,
                      "kind %d, slope %g: %g off the ground", kind, (double)tangent,
                      (double)least);
        }
}

/* Starts a ball along a slope. Returns its speed along the slope and that of its rim. */
static void roll_on_with(rico_collision_mode mode, float rolling, float tangent, float begin,
                         float friction, float dt, float seconds, double *speed, double *rim)
{
    rico_world *world = small_world(1, false);
    float c = 1.0f / sqrtf(1.0f + tangent * tangent);
    add_slope(world, tangent, 8.0f);
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
    float half = 0.5f * (1.5707964f + atanf(tangent)); /* turns +z down the slope */
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
            /* On level ground: friction slows the ball until it rolls with five sevenths of its
             * speed. */
            roll_on(three[m], 0.0f, 3.0f, 0.2f, dt, 0.2f, &speed, &rim);
            double slid = 3.0 - 0.2 * g * 0.2;
            CHECK_MSG(fabs(speed - slid) < 0.12 && fabs(rim - 2.5 * (3.0 - speed)) < 0.02,
                      "mode %u, dt %g: %g, %g", m, (double)dt, speed, rim);
            roll_on(three[m], 0.0f, 3.0f, 0.2f, dt, 1.0f, &speed, &rim);
            CHECK_MSG(fabs(speed - 15.0 / 7.0) < 0.01 && fabs(rim - speed) < 0.01,
                      "mode %u, dt %g: %g, %g", m, (double)dt, speed, rim);
            /* Down a slope: five sevenths of gravity's acceleration, while friction is strong
             * enough. */
            roll_on(three[m], 0.5f, 0.0f, 0.5f, dt, 0.8f, &speed, &rim);
            double down = 5.0 / 7.0 * g * 0.5 / sqrt(1.25) * 0.8;
            CHECK_MSG(fabs(speed - down) < 0.15 && fabs(rim - speed) < 0.05,
                      "mode %u, dt %g: %g, %g; expected %g", m, (double)dt, speed, rim, down);
            /* With too little friction the ball slides as well. */
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
    double speed, rim, before; /* after 0.3 s it rolls, and both speeds sink alike */
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
    r.burst_interval = 1.0f; /* in the places of the dead */
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

/* --- How it looks ----------------------------------------------------------------------- */

#define BALLS 40

typedef struct posed {
    double rows[BALLS][3][4];
} posed;

static void pose(rico_world *world, rico_effect_id e, posed *out)
{
    static _Alignas(64) rico_instance records[BALLS];
    rico_output_def def = rico_output_def_default();
    rico_output *output;
    rico_output_frame frame;
    def.kind = RICO_OUTPUT_INSTANCES;
    def.capacity = BALLS;
    def.memory[0] = def.memory[1] = records;
    CHECK_EQ(rico_output_create(world, &def, &output), RICO_OK);
    CHECK_EQ(rico_output_write(output, &e, 1, NULL, &frame), RICO_OK);
    CHECK_EQ(frame.count, BALLS);
    for (int i = 0; i < BALLS * 12; ++i)
        out->rows[i / 12][i / 4 % 3][i % 4] = (double)records[i / 12].rows[i / 4 % 3][i % 4];
    rico_output_destroy(output);
}

/* How far a pose of size 1 is from another one turned about a level axis (Rodrigues). */
static double off_after(double from[3][4], double to[3][4], double ax, double ay, double angle)
{
    double worst = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double v[3] = {from[0][k], from[1][k], from[2][k]}, along = ax * v[0] + ay * v[1];
        const double across[3] = {ay * v[2], -ax * v[2], ax * v[1] - ay * v[0]};
        const double axis[3] = {ax, ay, 0.0};
        for (int r = 0; r < 3; ++r) {
            double expected = v[r] * cos(angle) + across[r] * sin(angle) +
                              axis[r] * along * (1.0 - cos(angle));
            worst = fmax(worst, fabs(expected - to[r][k]));
        }
    }
    return worst;
}

/* Balls roll in all directions over a floor. The point of contact stands still, so each metre
 * turns a ball by 1 / radius. */
TEST(response, instances_turn_as_they_roll)
{
    static posed begun, before, after, rest;
    const rico_collision_mode three[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                         RICO_COLLIDE_EXACT};
    for (uint32_t m = 0; m < 3; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = drops(three[m]);
        r.rolls = true;
        r.rolling_friction = 0.0f;
        r.friction = 1.0f;
        r.restitution = 0.0f;
        r.rest_speed = 0.0f;
        r.particle_size = rico_curve_constant(1.0f);
        r.start_rotation = (rico_range){0.7f, 0.7f};
        r.size = (rico_vec3){0.0f, 1.0f, 0.0f}; /* level, however it is turned */
        rico_transform where = at(0.0f, 0.0f, 0.1f);
        where.rotation = (rico_quat){0.6f, 0.0f, 0.8f, 0.0f}; /* half a turn; down */
        rico_effect_id e = begin_effect(world, &r, where);
        run_steps(world, 1);
        pose(world, e, &begun);
        for (uint32_t i = 0; i < BALLS; ++i) /* z becomes 2 * 0.8 * axis - z */
            CHECK_MSG(fabs(begun.rows[i][0][2] - 0.96) < 1e-5 &&
                          fabs(begun.rows[i][2][2] - 0.28) < 1e-5 &&
                          fabs(begun.rows[i][1][0] + sin(0.7)) < 1e-5,
                      "%g %g %g", begun.rows[i][0][2], begun.rows[i][2][2],
                      begun.rows[i][1][0]);
        run_steps(world, 90);
        pose(world, e, &before);
        run_steps(world, 20);
        pose(world, e, &after);
        uint32_t rolled = 0;
        for (uint32_t i = 0; i < BALLS; ++i) {
            double x = after.rows[i][0][3] - before.rows[i][0][3];
            double y = after.rows[i][1][3] - before.rows[i][1][3], way = sqrt(x * x + y * y);
            if (way < 0.05)
                continue;
            rolled += 1;
            double off = off_after(before.rows[i], after.rows[i], -y / way, x / way,
                                   way / (double)RADIUS);
            CHECK_MSG(off < 0.02, "mode %u ball %u: off by %g after %g m", m, i, off, way);
        }
        CHECK_MSG(rolled > 20, "%u", rolled);
        r.rolling_friction = 0.3f;
        r.rest_speed = 0.2f;
        CHECK_EQ(rico_world_change_recipe(world, (rico_recipe_id){1, 1}, &r), RICO_OK);
        run_steps(world, 120);
        CHECK_EQ(rico_world_get_stats(world).sleeping, BALLS);
        pose(world, e, &after);
        rico_view v = rico_effect_view(world, e);
        CHECK(rico_view_next(&v));
        ((float *)v.wx)[3] = 5.0f; /* a spin as two surfaces may leave it */
        run_steps(world, 20);
        pose(world, e, &rest);
        CHECK(memcmp(&after, &rest, sizeof rest) == 0);
        rico_world_destroy(world);
    }
}
