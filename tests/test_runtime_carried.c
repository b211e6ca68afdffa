/* Particles that are carried along with their effect, and collide. */
#include "runtime_movers.h"

/* Local-space particles are carried over a floor and fall onto it. Returns how many are found
 * below the floor, summed over all steps. */
static uint32_t sunk(rico_collision_mode mode, float dt, bool jumps, uint32_t *bounces)
{
    rico_world *world = bare_world(1);
    add_box(world, 12.0f, 12.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    rico_recipe r = rico_recipe_default();
    r.space = RICO_SPACE_LOCAL;
    r.mode = mode;
    r.rate = 200.0f;
    r.queries_per_frame = 32.0f;
    r.lifetime = (rico_range){2.0f, 3.0f};
    const rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 1.0f));
    uint32_t below = 0;
    *bounces = 0;
    for (int k = 1; (float)k * dt < 6.0f; ++k) {
        const float angle = 2.0f * (float)k * dt;
        const rico_transform where = at(3.0f * sinf(angle), 3.0f * cosf(angle) - 3.0f, 1.0f);
        CHECK_EQ(jumps ? rico_effect_teleport(world, e, where)
                       : rico_effect_move(world, e, where),
                 RICO_OK);
        rico_world_step(world, dt);
        *bounces += rico_world_get_stats(world).bounces;
        rico_view view = rico_effect_view(world, e);
        while (rico_view_next(&view))
            for (uint32_t i = 0; i < view.count; ++i)
                below += view.pz[i] < -0.01f;
    }
    rico_world_destroy(world);
    return below;
}

TEST(space, lets_nobody_through_the_floor_who_is_carried_over_it)
{
    static const float steps[] = {1.0f / 120.0f, DT, 0.1f, 0.25f};
    for (int n = 0; n < 4; ++n)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
            uint32_t bounces;
            const uint32_t below = sunk(n % 2 == 0 ? RICO_COLLIDE_CACHED : RICO_COLLIDE_EXACT,
                                        steps[s], n / 2 != 0, &bounces);
            CHECK_MSG(below == 0 && bounces > 500, "case %d, steps of %g s: %u, %u bounces", n,
                      (double)steps[s], below, bounces);
        }
}
