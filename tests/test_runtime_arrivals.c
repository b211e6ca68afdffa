/* Colliders that get in the way of particles which fly through cells without a needed record. */
#include "runtime_births.h"
#include "runtime_movers.h"

#define TOP 0.5f /* distance from the slab's centre to its top */

/* Rain from 3.5 m, whose particles live just long enough to reach the middle of the slab. */
static rico_effect_id let_it_rain(rico_world *world)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){2.4f, 2.4f, 0.0f}; /* one height, so order of height is order of ids */
    r.rate = 1000.0f;
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){1.2f, 1.2f};
    r.max_particles = 5000;
    r.particle_ids = true;
    r.queries_per_frame = 100.0f;
    return begin_effect(world, &r, at(0.0f, 0.0f, 3.5f));
}

/* Counts particles with ids from `first` on that are in the slab's upper half. */
static uint32_t count_inside(const rico_world *world, rico_effect_id e, float z, uint32_t first)
{
    uint32_t inside = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            inside += v.id[i] >= first && v.pz[i] < z + TOP - 0.02f && v.pz[i] > z;
    return inside;
}

TEST(arrivals, a_body_that_has_stopped_lets_nobody_in)
{
    rico_world *world = bare_world(1);
    rico_collider_id slab = add_box(world, 5.0f, 5.0f, TOP, at(0.0f, 0.0f, 0.0f));
    rico_effect_id e = let_it_rain(world);
    uint32_t inside = 0, bounces = 0;
    float z = 0.0f;
    for (int frame = 0; frame < 110; ++frame) {
        if (frame < 20)
            move_to(world, slab, at(0.0f, 0.0f, z += 0.01f));
        rico_world_step(world, DT);
        inside += count_inside(world, e, z, 0);
        bounces += rico_world_get_stats(world).bounces;
    }
    CHECK_EQ(world->movers.count, 0);
    CHECK(bounces > 500);
    CHECK_EQ(inside, 0);
    rico_world_destroy(world);
}

/* Returns the lowest id from which on all particles are above the slab. */
static uint32_t first_above(const rico_world *world, rico_effect_id e)
{
    uint32_t after = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            if (v.pz[i] < TOP + 0.01f && v.id[i] >= after)
                after = v.id[i] + 1;
    return after;
}

TEST(arrivals, a_slab_that_comes_into_the_rain_lets_nobody_through)
{
    rico_world *world = bare_world(1);
    rico_effect_id e = let_it_rain(world);
    run_steps(world, 80);
    uint32_t first = first_above(world, e), inside = 0;
    CHECK(count_inside(world, e, 0.0f, 0) > 10); /* these may stay inside */
    add_box(world, 3.0f, 3.0f, TOP, at(0.0f, 0.0f, 0.0f));
    for (int frame = 0; frame < 40; ++frame) {
        rico_world_step(world, DT);
        inside += count_inside(world, e, 0.0f, first);
    }
    CHECK_EQ(inside, 0);
    rico_world_destroy(world);
}

/* No effect of mode cached exists, so adding a box must not ask for records. */
TEST(arrivals, ask_for_no_records_where_all_have_other_modes)
{
    rico_world *world = bare_world(1);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_EXACT;
    begin_effect(world, &r, at(0.0f, 0.0f, 3.0f));
    run_steps(world, 10);
    add_box(world, 1.0f, 1.0f, TOP, at(0.0f, 0.0f, 0.0f));
    run_steps(world, 1);
    CHECK_EQ(rico_world_get_stats(world).gathers, 0);
    rico_world_destroy(world);
}

/* One record describes all of a cell. Then so many boxes come into one corner that the cell is
 * divided, and the query budget is 0. Particles that fall elsewhere in the cell must still find
 * the old record's surface. */
TEST(arrivals, what_makes_a_cell_too_full_leaves_the_rest_of_it_known)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.cache_bytes = 1 << 20;
    def.queries_per_frame = 0;
    def.worker_count = 1;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.3f, 0.3f, 0.0f};
    r.rate = 0.0f;
    r.burst_count = r.max_particles = 200;
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){9.0f, 9.0f};
    r.queries_per_frame = 0.0f;
    add_box(world, 3.0f, 3.0f, 0.1f, at(0.5f, 0.5f, 0.4f));
    rico_shape_id small = add_box_shape(world, 0.02f, 0.02f, 0.1f);
    rico_effect_id e = begin_effect(world, &r, at(0.65f, 0.65f, 2.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    run_steps(world, 20);
    for (int i = 0; i < 9; ++i)
        place_shape(world, small,
                    at(0.05f + 0.05f * (float)(i % 3), 0.05f + 0.05f * (float)(i / 3), 0.6f));
    run_steps(world, 200);
    float floor = 0.49f;
    CHECK_EQ(count_grains(world, e, is_above, &floor), 200);
    rico_world_destroy(world);
}
