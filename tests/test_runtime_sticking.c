/* Particles that stick to a surface which goes. */
#include "runtime_room.h"

/* Another floor lies a metre below the room's floor. */
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
        bool sees = modes[m] != RICO_COLLIDE_CLASSIC; /* most of its particles fall through */
        CHECK_MSG(stuck == 0 && (!sees || there == 40), "mode %u: %u below, %u above", m, there,
                  stuck);
        rico_world_destroy(world);
    }
}

static void add_sheet(rico_world *world, float z, float half, rico_collider_id *id)
{
    const float corners[] = {-half, -half, z, half, -half, z, half, half, z, -half, half, z};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    *id = rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY);
    CHECK(id->index1 != 0);
}

static rico_recipe sticky_grains(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.radius = 0.005f;
    r.rate = 0.0f;
    r.burst_count = 50;
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.speed = (rico_range){0.0f, 1.0f};
    r.spread = 3.1f;
    r.on_collision = RICO_ON_COLLISION_STICK;
    return r;
}

static uint32_t count_below_floor(const rico_world *world, rico_effect_id e)
{
    uint32_t below = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            below += v.pz[i] < -0.001f;
    return below;
}

/* Particles fall by their weight within a step, or by wind and drag. */
TEST(response, who_sticks_just_above_a_floor_does_not_fall_through_that)
{
    for (int blown = 0; blown < 2; ++blown) {
        rico_world *world = small_world(1, false);
        rico_collider_id floor, sheet;
        add_sheet(world, 0.0f, 9.0f, &floor);
        add_sheet(world, blown ? 0.015f : 0.005f, 3.0f, &sheet);
        rico_recipe r = sticky_grains();
        r.drag = blown ? 8.0f : 0.0f;
        r.wind.z = blown ? -12.0f : 0.0f;
        const float dt = blown ? 1.0f / 60.0f : 1.0f / 30.0f;
        rico_effect_id e = begin_effect(world, &r, at(0.0f, 0.0f, 0.3f));
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        for (int i = 0; i < 90; ++i)
            rico_world_step(world, dt);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
        CHECK_EQ(rico_world_remove_collider(world, sheet), RICO_OK);
        for (int i = 0; i < 20; ++i)
            rico_world_step(world, dt);
        CHECK_MSG(count_below_floor(world, e) == 0, "%u of 50, blown: %d",
                  count_below_floor(world, e), blown);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
        rico_world_destroy(world);
    }
}

TEST(response, who_sticks_and_gets_smaller_does_not_fall_through_what_held_it)
{
    rico_world *world = small_world(1, false);
    rico_collider_id floor;
    add_sheet(world, 0.0f, 9.0f, &floor);
    rico_recipe r = sticky_grains();
    r.radius = 0.03f;
    r.gravity.z = -12.3f;
    const rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.3f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    for (int i = 0; i < 60; ++i)
        rico_world_step(world, 0.05f);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
    r.radius = 0.005f;
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    for (int i = 0; i < 20; ++i)
        rico_world_step(world, 0.05f);
    CHECK_EQ(count_below_floor(world, e), 0);
    rico_world_destroy(world);
}
