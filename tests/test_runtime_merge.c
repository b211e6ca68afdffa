/* Merging a world's meshes. */
#include "runtime_terrain.h"

/* The terrain and, side by side with it, two more of it higher up: three colliders. */
static rico_world *world_of_three(bool merged, rico_collision_mode mode)
{
    rico_world *world = small_world(2, false);
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    for (int i = 0; i < 3; ++i) {
        rico_transform where = at(8.0f * (float)i - 8.0f, 0.0f, 0.3f * (float)i);
        CHECK(rico_world_add_mesh(world, &t->mesh, where).index1 != 0);
    }
    free(t);
    if (merged)
        CHECK_EQ(rico_world_merge(world), RICO_OK);
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = mode;
    recipe.burst_count = 60;
    recipe.burst_interval = 0.5f;
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    for (int i = 0; i < 6; ++i)
        CHECK(rico_effect_spawn(world, id, at(3.0f * (float)i - 8.0f, 1.0f, 2.5f)).index1 != 0);
    return world;
}

static uint64_t hash_after(rico_world *world, int steps)
{
    for (int i = 0; i < steps; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    return rico_world_hash(world);
}

TEST(runtime, exact_particles_do_not_see_that_meshes_were_merged)
{
    rico_world *apart = world_of_three(false, RICO_COLLIDE_EXACT);
    rico_world *merged = world_of_three(true, RICO_COLLIDE_EXACT);
    rico_world *late = world_of_three(false, RICO_COLLIDE_EXACT);
    uint64_t expected = hash_after(apart, 90);
    CHECK_EQ(hash_after(merged, 90), expected);
    hash_after(late, 40);
    CHECK_EQ(rico_world_merge(late), RICO_OK);
    CHECK_EQ(hash_after(late, 50), expected);
    CHECK(rico_world_get_stats(apart).rays > 0);
    rico_world_destroy(apart);
    rico_world_destroy(merged);
    rico_world_destroy(late);
}

/* Counts particles of all effects that are under the terrain, not beside it. */
static uint32_t count_below(const rico_world *world)
{
    uint32_t below = 0;
    for (uint32_t e = 0; e < 6; ++e) {
        rico_view v = rico_effect_view(world, (rico_effect_id){e + 1, 1});
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                below += v.pz[k] < -0.5f && fabsf(v.px[k]) < 9.0f && fabsf(v.py[k]) < 9.0f;
    }
    return below;
}

TEST(runtime, cached_particles_fall_through_no_more_when_meshes_are_merged_between_steps)
{
    uint64_t hashes[3];
    uint32_t below[3];
    for (uint32_t i = 0; i < 3; ++i) {
        rico_world *world = world_of_three(false, RICO_COLLIDE_CACHED);
        hash_after(world, 60);
        if (i > 0)
            CHECK_EQ(rico_world_merge(world), RICO_OK);
        hashes[i] = hash_after(world, 120);
        below[i] = count_below(world);
        CHECK_EQ(rico_scene_version(rico_world_scene(world)), 3);
        rico_world_destroy(world);
    }
    CHECK(hashes[1] == hashes[2]);
    /* Only a few fall through: 49 to 89 without a merge, 59 to 91 with one, depending on when
     * it is done. */
    CHECK_MSG(below[1] <= below[0] + below[0] / 2, "%u are below, without merging %u", below[1],
              below[0]);
}
