/* Contact with two surfaces at once: rest in a V, and walls beside a path. */
#include "contact.h"
#include "random.h"
#include "runtime_terrain.h"

static float number(uint32_t round, uint32_t use, float lo, float hi)
{
    return rico__random_range(77, round, use, lo, hi);
}

static rico_vec3 random_unit(uint32_t round, uint32_t use)
{
    rico_vec3 v = {number(round, use, -1.0f, 1.0f), number(round, use + 1, -1.0f, 1.0f),
                   number(round, use + 2, -1.0f, 1.0f)};
    float length = sqrtf(vec3_dot(v, v));
    return length > 0.01f ? vec3_scale(v, 1.0f / length) : vec3(0.0f, 0.0f, 1.0f);
}

/* The largest cosine to upright of the push of both surfaces, over a thousand mixtures. */
static double best_push(rico_vec3 n, rico_vec3 m, rico_vec3 up)
{
    double best = -1.0;
    for (int i = 0; i <= 1000; ++i) {
        double b = i / 1000.0, a = 1.0 - b;
        double x = a * (double)n.x + b * (double)m.x, y = a * (double)n.y + b * (double)m.y;
        double z = a * (double)n.z + b * (double)m.z, length = sqrt(x * x + y * y + z * z);
        double rise = (x * (double)up.x + y * (double)up.y + z * (double)up.z) / length;
        if (length > 1.0e-6 && rise > best)
            best = rise;
    }
    return best;
}

TEST(runtime, two_surfaces_hold_what_a_mix_of_their_pushes_holds)
{
    const rico__step step = {.hold_z = 1.0f, .hold_cosine = 0.7f};
    uint32_t held = 0, let_go = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        rico_vec3 n = random_unit(round, 0), m = random_unit(round, 3), up = {0, 0, 1};
        double best = best_push(n, m, up), alone = fmax((double)n.z, (double)m.z);
        /* If one surface alone is best, the other has no part in it. */
        bool together = best > alone + 1.0e-3;
        if (fabs(best - 0.7) < 0.001 || (!together && best > alone))
            continue;
        bool holds = rico__hold_together(n, m, &step);
        CHECK_MSG(holds == (together && best > 0.7), "round %u: %d, best push %g", round, holds,
                  best);
        held += holds;
        let_go += !holds;
    }
    CHECK(held > 100 && let_go > 100);
}

/* A gutter along y. Both sides rise by `rise` per metre, and it falls by `fall` per metre of y. */
static rico_world *gutter_world(float rise, float fall)
{
    const float h = rise, f = 2.0f * fall;
    const float corners[18] = {-1, -2, h + f, -1, 2,  h - f, 0, -2, f,
                               0,  2,  -f,    1,  -2, h + f, 1, 2,  h - f};
    const uint32_t faces[12] = {0, 2, 3, 0, 3, 1, 2, 4, 5, 2, 5, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 6, .indices = faces, .triangle_count = 4};
    rico_world *world = small_world(1, false);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    return world;
}

static rico_recipe pebbles(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = 200;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.5f, 0.2f, 0.0f};
    r.spread = 0.3f;
    r.speed = (rico_range){0.0f, 0.5f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.queries_per_frame = 100.0f;
    return r;
}

/* Throws 200 pebbles into the gutter. Counts those still in it, and those at rest. */
static void throw_into(rico_world *world, rico_collision_mode mode, uint32_t *inside,
                       uint32_t *at_rest)
{
    rico_recipe r = pebbles(mode);
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 1.2f));
    run_steps(world, 480);
    *inside = *at_rest = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            *inside += v.pz[i] > -0.1f;
            *at_rest +=
                v.vx[i] == 0.0f && v.vy[i] == 0.0f && v.vz[i] == 0.0f && fabsf(v.px[i]) < 0.05f;
        }
    rico_world_destroy(world);
}

TEST(runtime, comes_to_rest_at_the_bottom_of_a_v_of_slopes_that_hold_nothing)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (size_t m = 0; m < 2; ++m) {
        uint32_t inside, at_rest;
        throw_into(gutter_world(1.3f, 0.0f), modes[m], &inside, &at_rest);
        CHECK_EQ(inside, 200);
        CHECK_MSG(at_rest >= 198, "mode %d: only %u of 200 rest", modes[m], at_rest);
    }
}

TEST(runtime, does_not_rest_in_a_v_that_is_steep_along_its_bottom)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (size_t m = 0; m < 2; ++m) {
        uint32_t inside, at_rest;
        throw_into(gutter_world(1.3f, 1.4f), modes[m], &inside, &at_rest);
        CHECK_EQ(at_rest, 0);
    }
}

/* A ball slides down a wall and along it, and approaches the wall no faster than rounding. It
 * must foresee the floor. */
TEST(runtime, a_wall_that_is_slid_along_does_not_hide_the_floor)
{
    const float radius = 0.01f, g = 9.81f;
    for (uint32_t round = 0; round < 2000; ++round) {
        float turn = number(round, 20, 0.0f, 6.2832f), c = cosf(turn), s = sinf(turn);
        rico_triangle t[2] = {
            {{c - 9 * s, s + 9 * c, -9}, {c + 9 * s, s - 9 * c, -9}, {c, s, 9}, 1, 0},
            {{-9, -9, -0.2f}, {9, -9, -0.2f}, {0, 9, -0.2f}, 1, 1}};
        /* The wall's plane is 1 from the origin; the cell is around the foot of the wall. */
        for (int k = 0; k < 3; ++k) {
            rico_vec3 *corner = k == 0 ? &t[0].a : k == 1 ? &t[0].b : &t[0].c;
            *corner = vec3_sub(*corner, vec3(c, s, 0.0f));
        }
        rico__cell cell = {.state = CELL_RECORDED, .half = 0.5f};
        rico__record record;
        rico__record_build(&record, &cell, RICO__LEAST_MARGIN, NULL, t, 2, 2);
        cell.record = &record;
        float off = radius + number(round, 21, -1.0e-5f, 0.0f);
        float fall = number(round, 22, 0.0f, 2.0f), along = number(round, 23, -0.3f, 0.3f);
        rico__path path = {.p = {-c * off, -s * off, 0.1f},
                           .v = {-s * along, c * along, -fall},
                           .accel = {0.0f, 0.0f, -g},
                           .radius = radius};
        float time[RICO__RECORD_TIMES];
        const rico__kernels *k = rico__kernels_for_cpu();
        uint32_t found = rico__record_search(k, &cell, NULL, &path, 4.0f, time);
        rico__choice choice = rico__record_choose(k, &cell, &path, found, time, NULL);
        double down = 0.3 - (double)radius, v = (double)fall;
        CHECK_NEAR(choice.plane.normal.z, 1.0f, 1.0e-3f);
        CHECK_NEAR(choice.time, (sqrt(v * v + 2.0 * 9.81 * down) - v) / 9.81, 1.0e-3);
    }
}

/* Throws a particle over the edge (x = 0) of a table top of 2 x 2 m at z = 0, without gravity.
 * Returns how far from the top it bounces; negative: not at all. */
static double bounce_distance(rico_collision_mode mode, uint32_t round, bool *through)
{
    const float corners[12] = {0, -1, 0, 2, -1, 0, 2, 1, 0, 0, 1, 0};
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    rico_world *world = small_world(1, false);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    rico_recipe r = pebbles(mode);
    r.shape = RICO_EMIT_POINT;
    r.burst_count = 1;
    r.spread = 0.0f;
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.speed = (rico_range){2.0f, 6.0f};
    r.events = RICO_EVENT_BIT_COLLISION;
    float angle = number(round, 30, 0.01f, 0.3f), aim = number(round, 31, 0.001f, 0.3f);
    float y = number(round, 32, -0.5f, 0.5f), half = 0.5f * (1.5707963f + angle);
    rico_transform where = at(aim - 0.4f, y, 0.4f * tanf(angle));
    where.rotation = (rico_quat){0.0f, sinf(half), 0.0f, cosf(half)}; /* +z to +x, and down */
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), where);
    double distance = -1.0;
    for (int i = 0; i < 40 && distance < 0.0; ++i) {
        run_steps(world, 1);
        uint32_t count = 0;
        const rico_event *event = rico_world_events(world, &count);
        if (count > 0) {
            double x = fmax(-(double)event->position.x, 0.0), z = (double)event->position.z;
            distance = sqrt(x * x + z * z);
        }
    }
    rico_view v = rico_effect_view(world, e);
    *through = rico_view_next(&v) && v.pz[0] < 0.0f;
    rico_world_destroy(world);
    return distance;
}

TEST(runtime, a_grazing_throw_bounces_off_the_table_and_not_off_the_air_before_its_edge)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_EXACT};
    for (size_t m = 0; m < 2; ++m)
        for (uint32_t round = 0; round < test_rounds(60); ++round) {
            bool through;
            double distance = bounce_distance(modes[m], round, &through);
            CHECK_MSG(!through && distance >= 0.0, "mode %d, round %u: fell", modes[m], round);
            CHECK_MSG(distance < 0.035, "mode %d, round %u: bounces %g m off", modes[m], round,
                      distance);
        }
}

/* A pile has its top just below z = 0, where cells meet, and its side at x = 0. Drops fall past
 * it without touching it, and must reach the floor. Returns how many hang in the air a fifth of
 * a second after they pass the top. */
static uint32_t caught_beside_a_pile(const rico_recipe *recipe, uint32_t drops)
{
    const float top = -0.0045f, down = -1.5f;
    const float corners[36] = {-2, -2, top,  0, -2, top,  0, 2, top,  -2, 2, top,
                               0,  -2, top,  0, -2, down, 0, 2, down, 0,  2, top,
                               -9, -9, down, 9, -9, down, 9, 9, down, -9, 9, down};
    const uint32_t faces[18] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7, 8, 9, 10, 8, 10, 11};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 12, .indices = faces, .triangle_count = 6};
    rico_world *world = small_world(1, false);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    rico_recipe floating = *recipe; /* requests only the upper cell's record */
    floating.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    floating.speed = (rico_range){0.0f, 0.0f};
    rico_effect_spawn(world, rico_world_add_recipe(world, &floating), at(0.5f, 0.5f, 0.5f));
    run_steps(world, 10);
    rico_recipe_id id = rico_world_add_recipe(world, recipe);
    rico_effect_id effects[64];
    for (uint32_t i = 0; i < drops; ++i)
        effects[i] =
            rico_effect_spawn(world, id, at(0.0055f + 0.00006f * (float)i, 0.3f, 0.5f));
    uint32_t caught = 0;
    run_steps(world, 32);
    for (uint32_t i = 0; i < drops; ++i) {
        rico_view v = rico_effect_view(world, effects[i]);
        CHECK(rico_view_next(&v) && v.count == 1);
        caught += v.pz[0] > -0.5f;
    }
    rico_world_destroy(world);
    return caught;
}

TEST(runtime, what_falls_past_an_edge_is_not_caught_by_the_plane_that_ends_there)
{
    for (uint32_t bouncing = 0; bouncing < 2; ++bouncing) {
        rico_recipe r = pebbles(RICO_COLLIDE_CACHED);
        r.shape = RICO_EMIT_POINT;
        r.burst_count = 1;
        r.spread = 0.0f;
        r.radius = 0.005f;
        r.restitution = bouncing != 0 ? 0.5f : 0.0f;
        uint32_t caught = caught_beside_a_pile(&r, 60);
        CHECK_MSG(caught == 0, "%u of 60 hang in the air", caught);
    }
}

/* Only cells with x < 0 know the floor, and the world asks no queries. Pebbles hop out of these
 * cells onto an assumed plane. */
TEST(runtime, what_lies_on_a_plane_that_is_only_believed_does_not_hop)
{
    const float corners[12] = {-9, -9, 0.3f, 9, -9, 0.3f, 9, 9, 0.3f, -9, 9, 0.3f};
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    const rico_box known = {{-0.9f, 0.1f, 0.1f}, {-0.1f, 0.9f, 0.9f}};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1000;
    def.worker_count = 1;
    def.queries_per_frame = 0;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    CHECK_EQ(rico_world_bake(world, &known, NULL), RICO_OK);
    rico_recipe r = pebbles(RICO_COLLIDE_CACHED);
    r.shape = RICO_EMIT_POINT;
    r.burst_count = 1;
    r.spread = 0.0f;
    r.speed = (rico_range){0.25f, 0.25f};
    r.friction = 0.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id effects[8];
    for (uint32_t i = 0; i < 8; ++i) {
        rico_transform where = at(-0.06f, 0.5f, 0.32f + 0.004f * (float)i);
        where.rotation = (rico_quat){0.0f, sinf(0.7854f), 0.0f, cosf(0.7854f)}; /* +z to +x */
        effects[i] = rico_effect_spawn(world, id, where);
    }
    float before[8] = {0}, most = 0.0f;
    uint32_t out = 0;
    for (int step = 0; step < 46; ++step) {
        run_steps(world, 1);
        for (uint32_t i = 0; i < 8; ++i) {
            rico_view v = rico_effect_view(world, effects[i]);
            CHECK(rico_view_next(&v) && v.count == 1);
            if (step > 36)
                most = fmaxf(most, fabsf(v.pz[0] - before[i]));
            before[i] = v.pz[0];
            out += step == 45 && v.px[0] > 0.1f && v.pz[0] > 0.3f;
        }
    }
    CHECK_MSG(out == 8 && most < 0.0005f,
              "%u of 8 are on the floor, and move by %g m in a step", out, (double)most);
    rico_world_destroy(world);
}
