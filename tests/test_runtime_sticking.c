/* What sticks to a surface that goes. */
#include "runtime_room.h"

/* Parted from the room's floor, another one a metre below it. */
TEST(response, who_sticks_to_a_floor_that_goes_falls_to_the_next_one)
{
    for (uint32_t m = 1; m < MODES; ++m) {
        rico_collider_id ids[2];
        rico_world *world = room_world(1, ids);
        add_slab(world, -2.5f, 0.5f, 0);
        rico_recipe r = drops(modes[m]);
        r.size.z = 0.0f;
        r.speed = (rico_range){0.0f, 0.0f};
        r.on_collision = RICO_ON_COLLISION_STICK;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.5f));
        run_steps(world, 60);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 40);
        CHECK_EQ(rico_world_remove_collider(world, ids[0]), RICO_OK);
        run_steps(world, 60);
        uint32_t there = 0, stuck = 0;
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i) {
                there += fabsf(v.pz[i] + 2.0f - RADIUS) < 0.01f;
                stuck += v.pz[i] > -0.5f;
            }
        bool sees = modes[m] != RICO_COLLIDE_CLASSIC; /* which falls through most of them */
        CHECK_MSG(stuck == 0 && (!sees || there == 40), "mode %u: %u below, %u above", m, there,
                  stuck);
        rico_world_destroy(world);
    }
}
