/* Mode cached where surfaces meet, where they end and where they are many: no particle gets
 * through, and none bounces beyond an end. */
#include "runtime_births.h"

#define DT (1.0f / 60.0f)

static rico_recipe grains(uint32_t count, float fastest)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 0.0f;
    r.burst_count = count;
    r.max_particles = count;
    r.spread = 3.1f;
    r.speed = (rico_range){0.1f * fastest, fastest};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.queries_per_frame = 64.0f;
    return r;
}

static void place_quads(rico_world *world, const float *corners, uint32_t vertex_count,
                        const uint32_t *faces, uint32_t triangle_count, rico_quat rotation)
{
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.rotation = rotation;
    rico_mesh mesh = {.positions = corners,
                      .vertex_count = vertex_count,
                      .indices = faces,
                      .triangle_count = triangle_count};
    CHECK(rico_world_add_mesh(world, &mesh, where).index1 != 0);
}

static void add_quads(rico_world *world, const float *corners, uint32_t vertex_count,
                      const uint32_t *faces, uint32_t triangle_count)
{
    place_quads(world, corners, vertex_count, faces, triangle_count,
                RICO_TRANSFORM_IDENTITY.rotation);
}

/* --- Corners ------------------------------------------------------------------------------ */

/* A gutter along x with an angle of 60 degrees, its lowest line at z = 0.2; the normals of its
 * sides are (0, +-n, 0.5). */
static void add_gutter(rico_world *world, rico_quat rotation)
{
    const float s = 0.5f, c = sqrtf(0.75f), z = 0.2f;
    const float corners[] = {-9, 0,     z,         9, 0,      z,         9,  6 * s,  6 * c + z,
                             -9, 6 * s, 6 * c + z, 9, -6 * s, 6 * c + z, -9, -6 * s, 6 * c + z};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3, 1, 0, 5, 1, 5, 4};
    place_quads(world, corners, 6, faces, 4, rotation);
}

static rico_effect_id fill_gutter(rico_world *world, const rico_recipe *r, rico_quat rotation)
{
    add_gutter(world, rotation);
    rico_effect_id e = begin_effect(world, r, at(0.3f, 0.0f, 0.6f));
    CHECK_EQ(rico_effect_bake(world, e, 3.0f, NULL), RICO_OK);
    run_steps(world, 110);
    return e;
}

static uint32_t count_outside_gutter(rico_recipe r)
{
    rico_world *world = small_world(1, false);
    const float s = 0.5f, c = sqrtf(0.75f), z = 0.2f;
    rico_effect_id e = fill_gutter(world, &r, RICO_TRANSFORM_IDENTITY.rotation);
    uint32_t outside = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            outside += s * (v.pz[i] - z) - c * fabsf(v.py[i]) < 0.0f;
    rico_world_destroy(world);
    return outside;
}

TEST(corners, of_a_gutter_without_friction_let_nobody_through)
{
    for (int k = 0; k < 4; ++k) {
        rico_recipe r = grains(200, 2.0f);
        r.restitution = 0.4f;
        r.friction = 0.0f;
        r.radius = k < 2 ? 0.01f : 0.02f;
        r.rest_speed = k % 2 == 0 ? 0.0f : 0.15f;
        uint32_t outside = count_outside_gutter(r);
        CHECK_MSG(outside == 0, "%u with radius %g and rest_speed %g", outside,
                  (double)r.radius, (double)r.rest_speed);
    }
}

/* Both sides are contacts in each step. If they used up a step's contacts without letting a
 * particle move, its speed would grow where it is. So no particle may be faster than its fall
 * explains. */
TEST(corners, of_a_gutter_hold_up_nobody_who_slides_down_it)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = grains(200, 1.0f);
    r.gravity = (rico_vec3){1.0f, 0.0f, -9.0f};
    r.restitution = r.friction = r.rest_speed = 0.0f;
    rico_effect_id e = fill_gutter(world, &r, (rico_quat){0.05f, 0.1f, 0.15f, 0.98234f});
    uint32_t too_fast = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            const float speed2 = v.vx[i] * v.vx[i] + v.vy[i] * v.vy[i] + v.vz[i] * v.vz[i];
            const float fallen = (v.px[i] - 0.3f) + 9.0f * (0.6f - v.pz[i]);
            too_fast += 0.5f * speed2 > fallen + 0.6f;
        }
    CHECK_MSG(too_fast == 0, "%u are faster than their fall makes them", too_fast);
    rico_world_destroy(world);
}

/* A particle in a gutter meets both sides more often than a step allows contacts. The rest of
 * the step must then be a motion along both sides. */
TEST(corners, of_a_gutter_let_all_go_along_who_are_pulled_along)
{
    for (int k = 0; k < 6; ++k) {
        rico_recipe r = grains(50, 1.0f);
        r.mode = k % 2 == 0 ? RICO_COLLIDE_CACHED : RICO_COLLIDE_EXACT;
        r.particle_ids = true;
        r.gravity.x = 3.0f;
        r.spread = 0.0f;
        r.restitution = 0.3f;
        r.friction = r.rolling_friction = 0.0f;
        r.on_collision = k / 2 == 1 ? RICO_ON_COLLISION_SLIDE : RICO_ON_COLLISION_BOUNCE;
        r.rolls = k / 2 == 2;
        rico_world *world = small_world(1, false);
        add_gutter(world, RICO_TRANSFORM_IDENTITY.rotation);
        rico_effect_id e = begin_effect(world, &r, at(-5.0f, 0.0f, 0.5f));
        run_steps(world, 120); /* 2 s, in which 3 m/s2 lead 6 m far */
        born b[50];
        CHECK_EQ(collect_born(world, e, b, 50), 50);
        for (uint32_t i = 0; i < 50; ++i)
            CHECK_MSG(b[i].p[0] > 0.5 && b[i].p[2] > 0.2, "%d: at %g, %g m", k, b[i].p[0],
                      b[i].p[2]);
        rico_world_destroy(world);
    }
}

TEST(corners, of_a_room_let_nobody_through_who_is_pushed_into_them)
{
    const rico_vec3 half = {0.88f, 1.7f, 1.6f};
    rico_world *world = small_world(1, false);
    float corners[24];
    for (int i = 0; i < 8; ++i) {
        corners[3 * i] = i & 1 ? half.x : -half.x;
        corners[3 * i + 1] = i & 2 ? half.y : -half.y;
        corners[3 * i + 2] = i & 4 ? half.z : -half.z;
    }
    const uint32_t faces[] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                              2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    add_quads(world, corners, 8, faces, 12);
    rico_recipe r = grains(200, 2.5f);
    r.restitution = 0.03f;
    r.friction = 0.0f;
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.forces[0] = rico_force_default();
    r.forces[0].kind = RICO_FORCE_ATTRACTOR;
    r.forces[0].strength = -12.0f;
    rico_effect_id e = begin_effect(world, &r, at(0.013f, 0.017f, 0.007f));
    CHECK_EQ(rico_effect_bake(world, e, 3.0f, NULL), RICO_OK);
    run_steps(world, 180);
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            CHECK(fabsf(v.px[i]) < half.x && fabsf(v.py[i]) < half.y &&
                  fabsf(v.pz[i]) < half.z);
    rico_world_destroy(world);
}

/* --- Ends --------------------------------------------------------------------------------- */

/* How far a place is beyond the ends of a rectangle whose sides begin at `corner`. */
static float beyond(const rico_vec3 *at_place, rico_vec3 corner, rico_vec3 side)
{
    rico_vec3 d = {at_place->x - corner.x, at_place->y - corner.y, at_place->z - corner.z};
    float length = sqrtf(side.x * side.x + side.y * side.y + side.z * side.z);
    float along = (d.x * side.x + d.y * side.y + d.z * side.z) / length;
    return fmaxf(along - length, -along);
}

/* A blade of four triangles with corners of 4 degrees, on a border of cells. A margin at the
 * edges would reach a decimetre beyond such sharp corners, so this checks where particles
 * bounce. */
TEST(corners, that_are_sharp_have_no_surface_beyond_them)
{
    const rico_vec3 corner = {-0.1465f, -0.0825f, -0.2264f}, way = {0.1509f, -0.0244f, 0.014f};
    const rico_vec3 across = {0.0041f, 0.0183f, -0.0118f};
    float corners[18];
    for (int i = 0; i < 6; ++i) {
        const float a = i % 2 == 0 ? 0.0f : 1.0f, b = 0.5f * (float)(i / 2);
        corners[3 * i] = corner.x + a * way.x + b * across.x;
        corners[3 * i + 1] = corner.y + a * way.y + b * across.y;
        corners[3 * i + 2] = corner.z + a * way.z + b * across.z;
    }
    const uint32_t faces[] = {0, 2, 3, 0, 3, 1, 2, 4, 5, 2, 5, 3};
    rico_world *world = small_world(1, false);
    add_quads(world, corners, 6, faces, 4);
    rico_recipe r = grains(8000, 1.2f);
    r.on_collision = RICO_ON_COLLISION_STOP;
    r.events = RICO_EVENT_BIT_COLLISION;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.3f, 0.1f, 0.1f};
    rico_effect_id e = begin_effect(world, &r, at(-0.1f, -0.07f, 0.1f));
    CHECK_EQ(rico_effect_bake(world, e, 2.0f, NULL), RICO_OK);
    uint32_t hits = 0;
    for (int i = 0; i < 60; ++i) {
        uint32_t count;
        rico_world_step(world, DT);
        const rico_event *events = rico_world_events(world, &count);
        for (uint32_t k = 0; k < count; ++k, ++hits) {
            const rico_vec3 *p = &events[k].position;
            float far = fmaxf(beyond(p, corner, way), beyond(p, corner, across));
            CHECK_MSG(far < 0.025f, "bounced %g m beyond the end", (double)far);
        }
    }
    CHECK_MSG(hits > 50, "%u hits", hits);
    rico_world_destroy(world);
}

/* --- Crowds ------------------------------------------------------------------------------- */

/* The cell has too many surfaces for a record, so rays look ahead. These particles need longer
 * to cross the cell than a ray looks ahead. */
TEST(corners, of_many_small_triangles_let_nobody_through_who_is_slow)
{
    enum { SIDE = 8, ROW = SIDE + 1 };
    float corners[3 * ROW * ROW];
    uint32_t faces[6 * SIDE * SIDE], *f = faces;
    for (uint32_t i = 0; i < ROW * ROW; ++i) {
        corners[3 * i] = 0.6f * (float)(i % ROW) / (float)SIDE - 0.3f;
        corners[3 * i + 1] = 0.6f * (float)(i / ROW) / (float)SIDE - 0.3f;
        corners[3 * i + 2] = -0.3f;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        uint32_t q = i / SIDE * ROW + i % SIDE;
        const uint32_t two[6] = {q, q + 1, q + ROW, q + 1, q + ROW + 1, q + ROW};
        memcpy(f, two, sizeof two);
        f += 6;
    }
    for (float speed = 0.02f; speed < 0.1f; speed += 0.02f) {
        rico_world *world = small_world(1, false);
        add_quads(world, corners, ROW * ROW, faces, 2 * SIDE * SIDE);
        rico_recipe r = grains(50, speed);
        r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
        r.spread = 0.0f;
        r.shape = RICO_EMIT_BOX;
        r.size = (rico_vec3){0.2f, 0.2f, 0.05f};
        rico_transform down = at(0.0f, 0.0f, -0.2f);
        down.rotation = (rico_quat){1.0f, 0.0f, 0.0f, 0.0f};
        rico_effect_id e = begin_effect(world, &r, down);
        CHECK_EQ(rico_effect_bake(world, e, 1.0f, NULL), RICO_OK);
        run_steps(world, 300);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                CHECK_MSG(v.pz[i] > -0.3f, "at %g m/s", (double)speed);
        rico_world_destroy(world);
    }
}

#define RINGS 17u
#define SEGMENTS (2u * RINGS)

/* A hollow ball with a radius of 70 cm. Its poles have too many small triangles for records. */
static void add_hollow(rico_world *world)
{
    static float corners[3 * (RINGS + 1) * SEGMENTS];
    static uint32_t faces[6 * RINGS * SEGMENTS];
    uint32_t *f = faces;
    for (uint32_t i = 0; i < (RINGS + 1) * SEGMENTS; ++i) {
        double up = 3.14159265 * ((double)(i / SEGMENTS) / RINGS - 0.5);
        double around = 2.0 * 3.14159265 * (double)(i % SEGMENTS) / SEGMENTS;
        corners[3 * i] = (float)(0.7 * cos(up) * cos(around));
        corners[3 * i + 1] = (float)(0.7 * cos(up) * sin(around));
        corners[3 * i + 2] = (float)(0.7 * sin(up));
    }
    for (uint32_t i = 0; i < RINGS * SEGMENTS; ++i) {
        uint32_t next = i % SEGMENTS + 1 == SEGMENTS ? i + 1 - SEGMENTS : i + 1;
        const uint32_t two[6] = {i, i + SEGMENTS, next + SEGMENTS, next, i, next + SEGMENTS};
        memcpy(f, two, sizeof two);
        f += 6;
    }
    add_quads(world, corners, (RINGS + 1) * SEGMENTS, faces, 2 * RINGS * SEGMENTS);
}

static uint32_t count_outside_hollow(const rico_recipe *r)
{
    rico_world *world = small_world(1, false);
    add_hollow(world);
    rico_effect_id e = begin_effect(world, r, at(0.0f, 0.0f, 0.0f));
    CHECK_EQ(rico_effect_bake(world, e, 1.0f, NULL), RICO_OK);
    run_steps(world, 150);
    uint32_t outside = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            outside +=
                v.px[i] * v.px[i] + v.py[i] * v.py[i] + v.pz[i] * v.pz[i] > 0.75f * 0.75f;
    rico_world_destroy(world);
    return outside;
}

/* Rays follow chords of paths that bend. A chord may be no farther from the path than the ball
 * is large, here 1 mm. */
TEST(corners, of_many_small_triangles_hold_small_balls_whose_paths_bend)
{
    rico_recipe falls = grains(400, 10.0f), whirls = grains(200, 4.0f);
    falls.radius = whirls.radius = 0.001f;
    falls.gravity.z = -30.0f;
    whirls.restitution = 0.0f;
    whirls.friction = 0.1f;
    whirls.forces[0] = rico_force_default();
    whirls.forces[0].kind = RICO_FORCE_VORTEX;
    whirls.forces[0].strength = 17.0f;
    whirls.forces[0].axis = (rico_vec3){0.6f, 0.0f, 0.8f};
    uint32_t fell = count_outside_hollow(&falls), whirled = count_outside_hollow(&whirls);
    CHECK_MSG(fell == 0, "%u of 400 fell out", fell);
    CHECK_MSG(whirled < 10, "%u of 200 whirled out", whirled);
}
