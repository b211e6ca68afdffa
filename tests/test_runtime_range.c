/* Colliders that are far from all others, or that make the world wide, must stop particles as
 * all others do. */
#include "runtime_movers.h"

/* --- Placed --------------------------------------------------------------------------------- */

#define TILES 4u

/* Tiles in a row, of which the first `placed` go up in one call. Returns how many of the grains
 * above them fall through. */
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

/* --- Wide ----------------------------------------------------------------------------------- */

/* A world that one more collider makes wide: a box so far away on all axes, or a sky. */
static rico_world *wide_world(float far, float sky)
{
    rico_world *world = bare_world(1);
    add_box(world, 5.0f, 5.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
    if (far > 0.0f)
        add_box(world, 1.0f, 1.0f, 1.0f, at(far, -far, far));
    if (sky > 0.0f) {
        rico_shape_def def = rico_shape_def_default();
        rico_transform large = at(0.0f, 0.0f, sky - 2.0f); /* below the floor at the origin */
        rico_shape_id id;
        def.kind = RICO_SHAPE_SPHERE;
        def.radius = 0.5f * sky;
        large.scale = 2.0f;
        CHECK_EQ(rico_world_add_shape(world, &def, NULL, &id), RICO_OK);
        place_shape(world, id, large);
    }
    return world;
}

TEST(runtime, nobody_falls_through_the_floor_of_a_world_of_hundreds_of_kilometres)
{
    static const float far[] = {1.0e3f, 1.0e5f, 2.0e5f, 9.0e5f, 0.0f};
    static const float sky[] = {0.0f, 0.0f, 0.0f, 0.0f, 1.2e5f};
    for (int m = 0; m < 2; ++m)
        for (int k = 0; k < 5; ++k) {
            rico_world *world = wide_world(far[k], sky[k]);
            const rico_effect_id e =
                drop_grains(world, modes[m], 300, 4.0f, at(0.0f, 0.0f, 1.0f));
            run_steps(world, 120);
            const float above = -0.05f;
            const uint32_t stay = count_grains(world, e, is_above, &above);
            CHECK_MSG(stay == 300, "mode %d, %g m, sky %g m: %u of 300 stay", (int)modes[m],
                      (double)far[k], (double)sky[k], stay);
            rico_world_destroy(world);
        }
}

/* Extents rely on this limit: it tells that the scene accepts their lattices. */
TEST(runtime, cells_of_coverage_are_no_larger_than_its_reach_needs)
{
    static const float sizes[] = {0.05f, 0.0643f, 0.08034f, 0.1f, 1.0f, 1.2855f, 1.3f, 2.0f};
    const rico_box all = {{-3.0e6f, -3.0e6f, -3.0e6f}, {3.0e6f, 3.0e6f, 3.0e6f}};
    rico_world *world = bare_world(1);
    for (int i = 0; i < 8; ++i) {
        rico__coverage_rebuild(&world->coverage, world->scene, sizes[i], &all, false, NULL,
                               NULL);
        CHECK_MSG(world->coverage.edge > 3.0e4f &&
                      world->coverage.edge < (float)RICO__COVERAGE_EDGE_MAX,
                  "cells of %g m: %g", (double)sizes[i], (double)world->coverage.edge);
    }
    rico_world_destroy(world);
}
