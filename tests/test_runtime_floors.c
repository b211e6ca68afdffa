/* Floors and walls hold in steps that are long, or that follow far longer ones. */
#include "runtime_births.h"
#include "runtime_movers.h"

#define SIDE 2.0f /* metres, from the middle of a room to its walls */

static rico_world *closed_room(void)
{
    rico_world *world = bare_world(1);
    for (int side = -1; side < 2; side += 2) {
        const float way = (SIDE + 0.3f) * (float)side;
        add_box(world, 0.3f, 3.0f, 3.0f, at(way, 0.0f, 0.0f));
        add_box(world, 3.0f, 0.3f, 3.0f, at(0.0f, way, 0.0f));
        add_box(world, 3.0f, 3.0f, 0.3f, at(0.0f, 0.0f, way));
    }
    return world;
}

static uint32_t count_outside(const rico_world *world, rico_effect_id effect)
{
    uint32_t out = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            out += fabsf(v.px[i]) > SIDE || fabsf(v.py[i]) > SIDE || fabsf(v.pz[i]) > SIDE;
    return out;
}

/* Strong turbulence, and a limit of speed or drag by the square of it. */
static rico_recipe whirled(int kind)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 1000;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.5f, 1.5f, 0.5f};
    r.spread = 3.1f;
    r.speed = (rico_range){0.0f, 3.0f};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.radius = 0.01f;
    r.restitution = 0.3f;
    r.forces[0].kind = RICO_FORCE_TURBULENCE;
    r.forces[0].strength = kind == 0 ? 100.0f : 60.0f;
    r.forces[0].scale = 1.8f;
    r.limit_speed = kind == 0 ? 9.7f : 0.0f;
    r.drag_quadratic = kind == 1 ? 0.9f : 0.0f;
    return r;
}

/* In the step after a stall, forces act for half of the stall. */
TEST(floors, hold_in_steps_after_stalls_whatever_slows_particles_down)
{
    for (int kind = 0; kind < 2; ++kind) {
        rico_world *world = closed_room();
        const rico_recipe r = whirled(kind);
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.1f));
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        for (uint32_t i = 0; i < 200; ++i)
            rico_world_step(world, i % 20 == 7 ? 0.1f + 0.001f * (float)i : DT);
        CHECK_EQ(rico_effect_particle_count(world, e), 1000);
        const uint32_t out = count_outside(world, e);
        CHECK_MSG(out == 0, "kind %d: %u", kind, out);
        rico_world_destroy(world);
    }
}

/* The sine and the cosine of the slopes of a V that is too steep for either to hold. */
#define LEAN_SINE 0.78333f
#define LEAN_COSINE 0.62161f

static rico_recipe in_a_v(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_FIXED;
    r.plane_count = 2;
    r.planes[0] = (rico_plane){{LEAN_SINE, 0.0f, LEAN_COSINE}, 0.0f};
    r.planes[1] = (rico_plane){{-LEAN_SINE, 0.0f, LEAN_COSINE}, 0.0f};
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 400;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.1f, 0.5f, 0.1f};
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.restitution = r.friction = 0.2f;
    return r;
}

/* In the step after a stall, what pulls acts for half of the stall, so a step's fall is longer
 * than in steps that follow. It must not hold fewer particles than these. */
TEST(floors, of_a_v_hold_who_reaches_both_in_the_step_after_a_stall)
{
    uint32_t after = 0, later = 0;
    for (int phase = 2; phase < 40; ++phase) {
        rico_world *world = bare_world(1);
        const rico_recipe r = in_a_v();
        begin_effect(world, &r, at(0.0f, 0.0f, 0.21f));
        run_steps(world, phase);
        uint32_t asleep[3];
        for (int i = 0; i < 3; ++i) {
            rico_world_step(world, i == 0 ? 0.1f : DT);
            asleep[i] = rico_world_get_stats(world).sleeping;
        }
        after += asleep[1] - asleep[0];
        later += asleep[2] - asleep[1];
        rico_world_destroy(world);
    }
    CHECK_MSG(later > 100 && after > later, "%u in the step after it, %u in the next", after,
              later);
}

/* No query of theirs is answered, and in steps of 1/20 s there would be no time for one. */
TEST(floors, stop_hail_in_long_steps_before_any_record_is_known)
{
    rico_world_def def = rico_world_def_default();
    def.worker_count = 1;
    def.shared_queries_per_frame = 0;
    def.cache_bytes = 4 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_box(world, 30.0f, 30.0f, 0.5f, at(0.0f, 0.0f, -0.54f));
    for (int i = -4; i < 5; ++i)
        add_box(world, 8.0f, 0.15f, 2.0f, at(0.0f, (float)i, 1.0f));
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 4000;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){5.0f, 5.0f, 1.0f};
    r.spread = 0.03f;
    r.speed = (rico_range){-20.0f, -17.0f};
    r.lifetime = (rico_range){2.0f, 2.0f};
    r.radius = 0.006f;
    r.restitution = 0.2f;
    r.queries_per_frame = 0.0f;
    rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 5.0f));
    uint32_t below = 0;
    for (int i = 0; i < 12; ++i) {
        rico_world_step(world, 0.05f);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                below += v.pz[k] < -0.05f;
    }
    CHECK_EQ(rico_effect_particle_count(world, e), 4000);
    CHECK_MSG(below == 0, "%u", below);
    rico_world_destroy(world);
}
