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

static uint32_t below_when_merged_after(int steps, uint64_t *hash)
{
    rico_world *world = world_of_three(false, RICO_COLLIDE_CACHED);
    hash_after(world, steps);
    if (steps < 180)
        CHECK_EQ(rico_world_merge(world), RICO_OK);
    *hash = hash_after(world, 180 - steps);
    const uint32_t below = count_below(world);
    CHECK_EQ(rico_scene_version(rico_world_scene(world)), 3);
    rico_world_destroy(world);
    return below;
}

/* Only a few fall through, 46 to 70, depending on when meshes are merged. So several times are
 * added up. */
TEST(runtime, cached_particles_fall_through_no_more_when_meshes_are_merged_between_steps)
{
    static const int times[] = {0, 20, 40, 60, 80, 100};
    uint64_t hash, again;
    const uint32_t without = below_when_merged_after(180, &hash);
    uint32_t sum = 0;
    for (int i = 0; i < 6; ++i)
        sum += below_when_merged_after(times[i], &hash);
    below_when_merged_after(times[5], &again);
    CHECK(hash == again);
    CHECK_MSG(without > 10 && sum * 10 <= without * 6 * 12, "%u are below, without merging %u",
              sum / 6, without);
}
