/* What is far from all that was there before, or makes the world wide, stops particles as all else does. */
#include "runtime_movers.h"

/* --- Placed --------------------------------------------------------------------------------- */

#define TILES 4u

/* Tiles in a row; the first `placed` of them go so far up in one call. How many of the grains above them fall through. */
static uint32_t fallen_through_placed(rico_collision_mode mode, uint32_t placed, float up)
{
    rico_world *world = bare_world(1);
    const rico_shape_id tile = add_box_shape(world, 1.0f, 1.0f, 0.1f);
    rico_collider_id ids[TILES];
    rico_motion motions[TILES];
    for (uint32_t i = 0; i < TILES; ++i) {
        ids[i] = place_shape(world, tile, at(2.0f * (float)i, 0.0f, -0.1f));
        motions[i] = (rico_motion){.transform = at(2.0f * (float)i, 0.0f, up - 0.1f)};
    }
    drop_grains(world, mode, 8, 0.5f, at(0.0f, 0.0f, 0.5f));
    run_steps(world, 10);
    CHECK_EQ(rico_world_place_colliders(world, ids, motions, placed), RICO_OK);
    run_steps(world, 2);
    uint32_t count = 0;
    const float above = up - 0.05f;
    for (uint32_t i = 0; i < placed; ++i) {
        const rico_effect_id e =
            drop_grains(world, mode, 50, 0.8f, at(2.0f * (float)i, 0.0f, up + 1.0f));
        run_steps(world, 60);
        count += 50 - count_grains(world, e, is_above, &above);
    }
    rico_world_destroy(world);
    return count;
}

TEST(edits, what_is_placed_far_from_all_that_was_there_lets_nobody_pass)
{
    static const float ups[] = {30.0f, -2.0f, 2.0f, 300.0f};
    for (int m = 0; m < 2; ++m)
        for (int u = 0; u < 4; ++u)
            for (uint32_t placed = 1; placed <= TILES; placed += TILES - 1) {
                const uint32_t fell = fallen_through_placed(modes[m], placed, ups[u]);
                CHECK_MSG(fell == 0, "mode %d, %u placed %g m up: %u", (int)modes[m], placed,
                          (double)ups[u], fell);
            }
}
