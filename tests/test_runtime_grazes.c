/* Particles that forces push past what their path was to meet. */
#include "runtime_births.h"
#include "runtime_movers.h"

/* A sheet through the terrain, perpendicular to x. */
static void add_wall(rico_world *world, float x)
{
    static const uint32_t indices[6] = {0, 1, 3, 0, 3, 2};
    const float places[12] = {x, -9.0f, -3.0f, x, 9.0f, -3.0f, x, -9.0f, 9.0f, x, 9.0f, 9.0f};
    const rico_mesh mesh = {
        .positions = places, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY);
}

static rico_recipe fountain(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 1500.0f;
    r.lifetime = (rico_range){2.0f, 3.0f};
    r.speed = (rico_range){3.0f, 5.5f};
    r.spread = 0.12f;
    r.radius = 0.01f;
    r.restitution = 0.15f;
    r.friction = 0.5f;
    r.drag = 0.25f;
    r.drag_quadratic = 0.05f;
    r.wind = (rico_vec3){4.0f, 1.5f, 0.0f};
    r.forces[0] = rico_force_default();
    r.forces[0].kind = RICO_FORCE_TURBULENCE;
    r.forces[0].strength = 1.5f;
    r.forces[0].scale = 1.5f;
    r.max_particles = 4500;
    r.queries_per_frame = 1000.0f;
    return r;
}

/* Wind presses drops to a wall, along which they come down to its foot. Returns how many were
 * seen below the ground, summed over all steps. */
static uint32_t count_past_the_foot(float dt)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 16384;
    def.worker_count = 1;
    def.cache_bytes = 8 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_terrain(world);
    add_wall(world, 2.0f);
    const rico_recipe r = fountain();
    const rico_effect_id effects[2] = {begin_effect(world, &r, at(0.5f, -4.0f, 3.0f)),
                                       begin_effect(world, &r, at(1.2f, 2.0f, 3.0f))};
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    uint32_t past = 0;
    for (float t = 0.0f; t < 8.0f; t += dt) {
        rico_world_step(world, dt);
        for (int e = 0; e < 2; ++e) {
            rico_view v = rico_effect_view(world, effects[e]);
            while (rico_view_next(&v))
                for (uint32_t k = 0; k < v.count; ++k)
                    past += fabsf(v.px[k]) < 9.0f && fabsf(v.py[k]) < 9.0f &&
                            v.pz[k] < terrain_height(v.px[k], v.py[k]) - 0.1f;
        }
    }
    rico_world_destroy(world);
    return past;
}

TEST(forces, who_is_pressed_to_a_wall_does_not_go_on_through_its_foot)
{
    CHECK_EQ(count_past_the_foot(2.0f * DT), 0);
    CHECK_EQ(count_past_the_foot(3.0f * DT), 0);
}
