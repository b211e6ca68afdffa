/* Floors and walls hold in steps that are long, or that follow far longer ones. */
#include "runtime_births.h"
#include "runtime_movers.h"

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
