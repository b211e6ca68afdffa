/* Particles that slide without any pull, in mode cached: where the ground bends up they
 * approach the next triangle slowly. */
#include "runtime_hollow.h"

static uint32_t escaped(rico_on_collision does, uint64_t seed, float radius)
{
    const hollow ball = {{0.0f, 0.0f, 0.0f}, 0.7f, 60, 40};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.cache_bytes = 16 << 20;
    def.seed = seed;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_hollow(world, &ball);
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = 500;
    r.spread = 3.1415927f;
    r.speed = (rico_range){0.2f, 3.0f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.radius = radius;
    r.restitution = 0.0f;
    r.friction = 0.0f;
    r.rest_speed = 0.0f;
    r.on_collision = does;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    for (int i = 0; i < 480; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    uint32_t outside = outside_of_hollow(world, e, &ball);
    rico_world_destroy(world);
    return outside;
}

TEST(runtime, who_slides_in_a_hollow_without_any_pull_stays_in_it)
{
    for (uint64_t seed = 1; seed < test_few_rounds(3, 2); ++seed)
        for (float radius = 0.005f; radius < 0.011f; radius *= 2.0f) {
            uint32_t bounced = escaped(RICO_ON_COLLISION_BOUNCE, seed, radius);
            uint32_t slid = escaped(RICO_ON_COLLISION_SLIDE, seed, radius);
            CHECK_MSG(bounced + slid == 0, "seed %u, %g m: %u and %u of 500 are outside",
                      (unsigned)seed, (double)radius, bounced, slid);
        }
}
