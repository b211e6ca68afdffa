/* Volumes in which, or outside of which, particles die. */
#include "runtime_births.h"

#include "vec.h"

/* Computes it slowly, in the volume's own space. */
static bool is_inside(const rico_kill_volume *v, rico_vec3 p)
{
    rico_quat q = v->transform.rotation;
    rico_vec3 d = vec3_scale(vec3_sub(p, v->transform.position), 1.0f / v->transform.scale);
    d = quat_rotate((rico_quat){-q.x, -q.y, -q.z, q.w}, d);
    if (v->sphere)
        return vec3_length(d) <= v->size.x;
    return fabsf(d.x) <= v->size.x && fabsf(d.y) <= v->size.y && fabsf(d.z) <= v->size.z;
}

/* Particles all over a box of 4 m, which stand still or move slowly. */
static rico_effect_id fill(rico_world *world, rico_collision_mode mode, uint32_t volumes)
{
    rico_recipe r = still_recipe(mode);
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){2.0f, 2.0f, 2.0f};
    r.burst_count = 900;
    r.speed = (rico_range){-0.1f, 0.5f};
    r.spread = 3.0f;
    r.events = RICO_EVENT_BIT_DEATH;
    r.kill_volumes = volumes;
    return begin_effect(world, &r, at(1.0f, 2.0f, 3.0f));
}

TEST(kill_volumes, kill_who_is_inside_or_outside_and_tell_of_it)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode)
        for (int kind = 0; kind < 4; ++kind) {
            rico_kill_volume v = {.sphere = kind % 2 == 1,
                                  .outside = kind >= 2,
                                  .size = {0.8f, 0.5f, 0.3f},
                                  .transform = at(1.5f, 1.8f, 2.5f)};
            v.transform.rotation = (rico_quat){0.6f, 0.0f, 0.48f, 0.64f};
            v.transform.scale = 1.5f;
            rico_world *world = small_world(1, false);
            rico_effect_id e = fill(world, (rico_collision_mode)mode, UINT32_MAX);
            rico_effect_id spared = fill(world, (rico_collision_mode)mode, 1u << 5);
            run_steps(world, 1);
            born before[900], after[900];
            CHECK_EQ(collect_born(world, e, before, 900), 900);
            CHECK_EQ(rico_world_set_kill_volume(world, 3, &v), RICO_OK);
            run_steps(world, 1);
            uint32_t left = collect_born(world, e, after, 900), deaths;
            CHECK(left > 0 && left < 900);
            CHECK_EQ(rico_effect_particle_count(world, spared), 900);
            const rico_event *events = rico_world_events(world, &deaths);
            CHECK_EQ(deaths, 900 - left);
            for (uint32_t n = 0; n < deaths; ++n)
                CHECK(events[n].type == RICO_EVENT_DEATH &&
                      is_inside(&v, events[n].position) != v.outside);
            for (int n = 0; n < 900; ++n) {
                rico_vec3 p = {(float)after[n].p[0], (float)after[n].p[1],
                               (float)after[n].p[2]};
                CHECK(!after[n].alive || is_inside(&v, p) == v.outside);
            }
            CHECK_EQ(rico_world_set_kill_volume(world, 3, NULL), RICO_OK);
            run_steps(world, 5);
            CHECK_EQ(rico_effect_particle_count(world, e), left);
            rico_world_destroy(world);
        }
}

TEST(kill_volumes, go_along_with_the_origin_and_meet_who_comes_to_them)
{
    rico_world *world = small_world(1, false);
    rico_effect_id e = fill(world, RICO_COLLIDE_NONE, 1);
    rico_kill_volume v = {.outside = true, .size = {3.0f, 3.0f, 3.0f}};
    v.transform = at(1.0f, 2.0f, 3.0f);
    CHECK_EQ(rico_world_set_kill_volume(world, 0, &v), RICO_OK);
    run_steps(world, 2);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){64.0f, 0.0f, 0.0f}), RICO_OK);
    run_steps(world, 2);
    CHECK_EQ(rico_effect_particle_count(world, e), 900);
    run_steps(world, 600); /* at up to half a metre per second */
    uint32_t later = rico_effect_particle_count(world, e);
    CHECK_MSG(later > 0 && later < 880, "%u", later);
    rico_world_destroy(world);
}

TEST(kill_volumes, out_of_range_are_refused_and_leave_what_was)
{
    rico_world *world = small_world(1, false);
    rico_effect_id e = fill(world, RICO_COLLIDE_NONE, UINT32_MAX);
    rico_kill_volume v = {.size = {1.0f, 1.0f, 1.0f}, .transform = at(1.0f, 2.0f, 3.0f)};
    CHECK_EQ(rico_world_set_kill_volume(world, 16, &v), RICO_OUT_OF_RANGE);
    v.size.y = -1.0f;
    CHECK_EQ(rico_world_set_kill_volume(world, 0, &v), RICO_OUT_OF_RANGE);
    v.size.y = NAN;
    CHECK_EQ(rico_world_set_kill_volume(world, 0, &v), RICO_NOT_FINITE);
    v.size.y = 1.0f;
    v.transform.scale = 0.0f;
    CHECK_EQ(rico_world_set_kill_volume(world, 0, &v), RICO_OUT_OF_RANGE);
    v.transform = at(INFINITY, 0.0f, 0.0f);
    CHECK_EQ(rico_world_set_kill_volume(world, 0, &v), RICO_NOT_FINITE);
    run_steps(world, 3);
    CHECK_EQ(rico_effect_particle_count(world, e), 900);
    rico_world_destroy(world);
}
