/* What a contact draws for a particle: restitution and friction that vary from bounce to
 * bounce. */
#include "runtime_room.h"

/* Drops whose restitution and friction vary by 0.5 around these means. */
static rico_recipe varied_drops(rico_collision_mode mode, float restitution, float friction)
{
    rico_recipe r = drops(mode);
    r.size.z = 0.0f;
    r.speed = (rico_range){0.0f, 0.0f};
    r.rest_speed = 0.0f;
    r.restitution = restitution;
    r.friction = friction;
    r.restitution_random = restitution > 0.0f ? 0.5f : 0.0f;
    r.friction_random = friction > 0.0f ? 0.5f : 0.0f;
    return r;
}

static float highest(const rico_world *world, rico_effect_id e)
{
    float most = -1.0f;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            most = fmaxf(most, v.pz[i]);
    return most;
}

/* Drops fall from 1 m, under a ceiling at 2 m. Half of them draw a restitution above 1. */
TEST(response, no_bounce_gives_more_speed_than_came_in_whatever_is_drawn)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = varied_drops(modes[m], 1.0f, 0.0f);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 1.0f));
        float most = 0.0f;
        for (int step = 0; step < 60; ++step) {
            run_steps(world, 1);
            most = step > 30 ? fmaxf(most, highest(world, e)) : most;
        }
        CHECK_MSG(most > 0.8f && most < 1.1f, "mode %u: up to %g m", m, (double)most);
        rico_world_destroy(world);
    }
}

TEST(response, no_friction_turns_a_particle_back_whatever_is_drawn)
{
    for (uint32_t m = 0; m < MODES; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        rico_recipe r = varied_drops(modes[m], 0.0f, 0.9f);
        r.speed = (rico_range){1.0f, 1.0f};
        r.spread = 0.0f;
        rico_transform forward = at(0.0f, 0.0f, 0.5f); /* +z to +x */
        forward.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f};
        rico_effect_id e = begin_effect(world, &r, forward);
        float least = 1.0f;
        for (int step = 0; step < 40; ++step) {
            run_steps(world, 1);
            rico_view v = rico_effect_view(world, e);
            while (rico_view_next(&v))
                for (uint32_t i = 0; i < v.count; ++i)
                    least = fminf(least, v.vx[i]);
        }
        CHECK_MSG(least > -1.0e-4f && least < 0.5f, "mode %u: %g m/s", m, (double)least);
        rico_world_destroy(world);
    }
}
