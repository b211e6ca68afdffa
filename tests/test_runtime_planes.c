/* Mode fixed with one and with several planes: no particle gets past a plane, whichever it
 * meets first and however many in a step. */
#include "random.h"
#include "runtime_births.h"
#include "runtime_isa.h"

#include "vec.h"

static float number(uint32_t round, uint32_t use, float lo, float hi)
{
    return rico__random_range(91, round, use, lo, hi);
}

static rico_vec3 random_unit(uint32_t round, uint32_t use)
{
    for (;; use += 300) {
        rico_vec3 v = {number(round, use, -1.0f, 1.0f), number(round, use + 1, -1.0f, 1.0f),
                       number(round, use + 2, -1.0f, 1.0f)};
        float length = vec3_length(v);
        if (length > 0.1f && length < 1.0f)
            return vec3_scale(v, 1.0f / length);
    }
}

static rico_vec3 along_axis(uint32_t axis, float length)
{
    return vec3(axis == 0 ? length : 0.0f, axis == 1 ? length : 0.0f,
                axis == 2 ? length : 0.0f);
}

/* How far a place may be past a plane. The place, the contact and the test are rounded by a few
 * units in the last place each, and velocities along a plane add an error within a step. */
static double rounding(double farthest, double fastest, double dt)
{
    return 1.0e-6 * (1.0 + farthest + fastest * dt);
}

/* The most by which any particle is nearer to a plane than its radius, beyond rounding. */
static double farthest_past(const rico_world *world, rico_effect_id e, const rico_recipe *r,
                            double dt)
{
    double worst = -1.0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            double p[3] = {(double)v.px[i], (double)v.py[i], (double)v.pz[i]};
            double far = fabs(p[0]) + fabs(p[1]) + fabs(p[2]);
            double fast = fabs((double)v.vx[i]) + fabs((double)v.vy[i]) + fabs((double)v.vz[i]);
            CHECK(isfinite(far) && isfinite(fast));
            for (uint32_t k = 0; k < r->plane_count; ++k) {
                rico_vec3 n = r->planes[k].normal;
                double d = p[0] * (double)n.x + p[1] * (double)n.y + p[2] * (double)n.z -
                           (double)r->planes[k].offset;
                worst = fmax(worst, (double)r->radius - d - rounding(far, fast, dt));
            }
        }
    return worst;
}

/* A random cage around the origin, where particles are born. Every third is a narrow gap or a
 * sharp V. */
static rico_recipe random_cage(uint32_t round)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_FIXED);
    r.burst_count = 60;
    r.radius = number(round, 0, 0.001f, 0.05f);
    r.spread = 3.14f;
    r.speed = (rico_range){0.0f, number(round, 1, 1.0f, 100.0f)};
    r.restitution = number(round, 2, 0.0f, 1.0f);
    r.friction = number(round, 3, 0.0f, 1.0f);
    r.rest_speed = round % 4 == 0 ? 0.0f : 0.15f;
    r.drag = round % 5 == 0 ? number(round, 4, 0.0f, 5.0f) : 0.0f;
    if (round % 7 != 0)
        r.gravity = vec3_scale(random_unit(round, 10), number(round, 5, 1.0f, 30.0f));
    r.plane_count = 1 + round % 4;
    for (uint32_t k = 0; k < r.plane_count; ++k)
        r.planes[k] = (rico_plane){random_unit(round, 20 + 3 * k),
                                   -r.radius - number(round, 40 + k, 0.001f, 1.0f)};
    if (round % 8 == 0) /* a single plane along an axis */
        r.planes[0].normal = along_axis(round / 8 % 3, round % 16 == 0 ? 1.0f : -1.0f);
    if (round % 3 == 0) {
        rico_vec3 turned = vec3_mad(vec3_neg(r.planes[0].normal), random_unit(round, 50),
                                    number(round, 6, 0.0f, 0.3f));
        r.planes[1].normal = vec3_scale(turned, 1.0f / vec3_length(turned));
    }
    if (round % 6 == 5) {
        r.forces[0].kind = RICO_FORCE_TURBULENCE;
        r.forces[0].strength = number(round, 7, 1.0f, 200.0f);
        r.forces[0].scale = 0.5f;
    }
    return r;
}

static double random_dt(uint32_t round)
{
    return 1.0 / (double)number(round, 60, 15.0f, 240.0f);
}

TEST(planes, nobody_gets_past_any_of_them_at_any_speed_and_step)
{
    uint64_t bounces = 0, rounds = test_rounds(400);
    for (uint32_t round = 0; round < rounds; ++round) {
        rico_recipe r = random_cage(round);
        r.kill_above = round % 2 == 1 ? 1.0e5f : 0.0f; /* kills none, but not in vectors */
        rico_world *world = small_world(1, false);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        float dt = (float)random_dt(round);
        for (int step = 0; step < 60; ++step) {
            rico_world_step(world, dt);
            double past = farthest_past(world, e, &r, (double)dt);
            CHECK_MSG(past <= 0.0, "round %u, step %d of %g: %g m past", round, step,
                      (double)dt, past);
            bounces += rico_world_get_stats(world).bounces;
        }
        rico_world_destroy(world);
    }
    CHECK(bounces > 100 * rounds);
}

/* A particle moves between two walls without losses. Each crossing of the gap is a bounce, so
 * their number follows from the time. */
TEST(planes, each_contact_of_a_step_is_made_counted_and_told)
{
    for (int one_by_one = 0; one_by_one < 2; ++one_by_one) {
        rico_recipe r = still_recipe(RICO_COLLIDE_FIXED);
        r.burst_count = 1;
        r.radius = 0.05f;
        r.spread = 0.0f;
        r.speed = (rico_range){12.0f, 12.0f}; /* upwards: 0.2 m in a step, two gaps of 0.1 m */
        r.restitution = 1.0f;
        r.friction = 0.0f;
        r.rest_speed = 0.0f;
        r.kill_above = one_by_one ? 1.0e5f : 0.0f;
        r.events = RICO_EVENT_BIT_COLLISION;
        r.plane_count = 2;
        r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, -0.1f};
        r.planes[1] = (rico_plane){{0.0f, 0.0f, -1.0f}, -0.1f};
        rico_world *world = small_world(1, false);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        uint32_t bounces = 0, told = 0;
        for (int step = 1; step <= 50; ++step) {
            uint32_t count;
            rico_world_step(world, 1.0f / 60.0f);
            const rico_event *event = rico_world_events(world, &count);
            bounces += (uint32_t)rico_world_get_stats(world).bounces;
            for (uint32_t k = 0; k < count; ++k, ++told) {
                double when = (double)(step - 1) / 60.0 + (double)event[k].time;
                CHECK_NEAR(when, (0.05 + 0.1 * (double)told) / 12.0, 1.0e-4);
                CHECK_NEAR(event[k].position.z, told % 2 == 0 ? 0.05f : -0.05f, 1.0e-5f);
                CHECK_NEAR(event[k].velocity.z, told % 2 == 0 ? -12.0f : 12.0f, 1.0e-4f);
                CHECK_NEAR(event[k].normal.z, told % 2 == 0 ? -1.0f : 1.0f, 1.0e-6f);
            }
        }
        rico_view v = rico_effect_view(world, e);
        CHECK(rico_view_next(&v));
        CHECK_NEAR(v.pz[0], 0.0f, 1.0e-3f); /* 10 m are a hundred gaps */
        CHECK_MSG(bounces == 100 && told == 100, "%u bounces, %u told", bounces, told);
        rico_world_destroy(world);
    }
}

/* Without drag the particle would meet the wall first, then the floor; with drag, the floor
 * first. */
TEST(planes, drag_that_brings_it_to_another_one_first_does_not_let_it_through)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_FIXED);
    r.gravity = (rico_vec3){0.0f, 0.0f, -9.81f};
    r.burst_count = 1;
    r.speed = (rico_range){20.0f, 20.0f};
    r.drag = 3.0f;
    r.plane_count = 2;
    r.planes[0] = (rico_plane){{-1.0f, 0.0f, 0.0f}, -6.0f};
    r.planes[1] = (rico_plane){{0.0f, 0.0f, 1.0f}, -1.0f};
    rico_world *world = small_world(1, false);
    rico_transform along = at(0.0f, 0.0f, 0.0f);
    along.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f}; /* turns +z to +x */
    rico_effect_id e = begin_effect(world, &r, along);
    uint64_t bounces = 0;
    for (int step = 0; step < 200; ++step) {
        rico_world_step(world, 1.0f / 60.0f);
        bounces += rico_world_get_stats(world).bounces;
        CHECK(farthest_past(world, e, &r, 1.0 / 60.0) <= 0.0);
    }
    CHECK(bounces > 1);
    rico_world_destroy(world);
}

/* Particles are born near a corner, and meet its planes in the rest of that step. */
TEST(planes, who_is_born_before_a_corner_meets_all_of_them_in_its_first_step)
{
    for (int one_by_one = 0; one_by_one < 2; ++one_by_one) {
        rico_recipe r = still_recipe(RICO_COLLIDE_FIXED);
        r.rate = 6000.0f;
        r.lifetime = (rico_range){0.3f, 0.3f};
        r.speed = (rico_range){5.0f, 60.0f};
        r.spread = 3.14f;
        r.kill_above = one_by_one ? 1.0e5f : 0.0f;
        r.plane_count = 3;
        r.planes[0] = (rico_plane){{1.0f, 0.0f, 0.0f}, -0.02f};
        r.planes[1] = (rico_plane){{0.0f, 1.0f, 0.0f}, -0.03f};
        r.planes[2] = (rico_plane){{-0.6f, -0.8f, 0.0f}, -0.04f};
        rico_world *world = small_world(1, false);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
        for (int step = 0; step < 20; ++step) {
            rico_world_step(world, 1.0f / 60.0f);
            double past = farthest_past(world, e, &r, 1.0 / 60.0);
            CHECK_MSG(past <= 0.0, "step %d: %g m past", step, past);
        }
        CHECK(rico_effect_particle_count(world, e) > 500);
        rico_world_destroy(world);
    }
}

/* A V with sides of 53 degrees, neither of which holds a particle alone. */
static rico_recipe in_a_v(float restitution, float friction)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_FIXED);
    r.gravity = (rico_vec3){0.0f, 0.0f, -9.81f};
    r.burst_count = 100;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.3f, 0.3f, 0.1f};
    r.speed = (rico_range){0.0f, 3.0f};
    r.spread = 3.14f;
    r.restitution = restitution;
    r.friction = friction;
    r.plane_count = 2;
    r.planes[0] = (rico_plane){{0.8f, 0.0f, 0.6f}, 0.0f};
    r.planes[1] = (rico_plane){{-0.8f, 0.0f, 0.6f}, 0.0f};
    return r;
}

TEST(planes, who_is_slow_in_a_v_of_two_comes_to_rest_and_stays)
{
    for (uint32_t round = 0; round < 12; ++round) {
        rico_recipe r = in_a_v(0.3f * (float)(round % 3), 0.1f + 0.1f * (float)(round % 4));
        r.kill_above = round % 2 == 1 ? 1.0e5f : 0.0f;
        rico_world *world = small_world(1, false);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
        float dt = round % 4 < 2 ? 1.0f / 60.0f : 1.0f / 30.0f;
        for (float time = 0.0f; time < 20.0f; time += dt)
            rico_world_step(world, dt);
        rico_world_stats stats = rico_world_get_stats(world);
        CHECK_MSG(stats.sleeping == 100, "round %u: %u of 100 rest", round, stats.sleeping);
        born before[100], after[100];
        CHECK_EQ(collect_born(world, e, before, 100), 100);
        for (int step = 0; step < 60; ++step) {
            rico_world_step(world, dt);
            CHECK_EQ(rico_world_get_stats(world).bounces, 0);
        }
        CHECK_EQ(collect_born(world, e, after, 100), 100);
        for (uint32_t i = 0; i < 100; ++i) {
            CHECK_MSG(fabs(after[i].p[0]) < 1.0e-5, "round %u: rests %g m from the middle",
                      round, after[i].p[0]);
            for (int d = 0; d < 3; ++d)
                CHECK(after[i].p[d] == before[i].p[d] && after[i].v[d] == 0.0);
        }
        rico_world_destroy(world);
    }
}

TEST(planes, nobody_rests_in_a_v_that_is_steep_along_its_bottom)
{
    rico_recipe r = in_a_v(0.3f, 0.0f);
    r.gravity = (rico_vec3){0.0f, 8.0f, -5.0f};
    rico_world *world = small_world(1, false);
    begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
    for (int step = 0; step < 300; ++step) {
        rico_world_step(world, 1.0f / 60.0f);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 0);
    }
    rico_world_destroy(world);
}

/* The sides throw a particle to and fro within each step, more often than the 4 contacts that a
 * step allows. The rest of the step is then a motion along both sides, so it must go as far as
 * without the V. */
TEST(planes, who_is_pulled_along_the_bottom_of_a_v_goes_as_far_as_without_it)
{
    for (uint32_t k = 0; k < 4; ++k) {
        rico_recipe r = in_a_v(k < 2 ? 0.3f : 0.0f, 0.0f);
        r.gravity.y = 3.0f;
        r.rest_speed = 0.0f;
        r.speed.hi = 0.0f;
        r.kill_above = k == 1 ? 1.0e5f : 0.0f;
        r.on_collision = k == 2 ? RICO_ON_COLLISION_SLIDE : RICO_ON_COLLISION_BOUNCE;
        r.rolls = k == 3;
        r.plane_count = 3; /* with a wall across it */
        r.planes[2] = (rico_plane){{0.0f, -1.0f, 0.0f}, -6.0f};
        rico_world *world = small_world(1, false);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.5f));
        born b[100];
        run_steps(world, 90); /* 1.5 s: 3.4 m */
        CHECK_EQ(collect_born(world, e, b, 100), 100);
        for (uint32_t i = 0; i < 100; ++i)
            CHECK_MSG(b[i].p[1] > 2.9 && b[i].p[1] < 3.8, "%u: at %g m", k, b[i].p[1]);
        run_steps(world, 60);
        CHECK(farthest_past(world, e, &r, 1.0 / 60.0) <= 0.0);
        rico_world_destroy(world);
    }
}

static uint64_t hash_of_cages(uint32_t workers)
{
    uint64_t hash = 0;
    rico_world *world = small_world(workers, false);
    for (uint32_t round = 0; round < 60; ++round) {
        rico_recipe r = random_cage(round);
        r.events = RICO_EVENT_BIT_COLLISION;
        r.kill_above = round % 2 == 1 ? 1.0e5f : 0.0f;
        r.rate = 30.0f;
        r.lifetime = (rico_range){0.5f, 3.0f};
        begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    }
    for (int step = 0; step < 60; ++step) {
        uint32_t count;
        rico_world_step(world, 1.0f / (float)(20 + 2 * step));
        const rico_event *event = rico_world_events(world, &count);
        hash = hash * 31 + rico_world_hash(world);
        for (uint32_t k = 0; k < count; ++k)
            for (int d = 0; d < 2; ++d) {
                uint32_t bits;
                memcpy(&bits, d == 0 ? &event[k].time : &event[k].position.x, sizeof bits);
                hash = hash * 31 + bits;
            }
    }
    CHECK(rico_world_get_stats(world).bounces > 100);
    rico_world_destroy(world);
    return hash;
}

TEST(planes, contacts_are_the_same_for_any_number_of_workers_and_every_isa)
{
    uint64_t expected = hash_of_cages(1);
    CHECK_EQ(hash_of_cages(3), expected);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(hash_of_cages(1) == expected, "differs with %s",
                  rico__isa_name((rico__isa)isa));
}
