/* Mode cached with steps so long that they are far from the curves of paths: no particle leaves
 * a room or a hollow ball. */
#include "runtime_hollow.h"

#define BALLS 500u

/* Returns how many particles escape; a hollow of few sides is a room. */
static uint32_t escaped(const hollow *ball, float radius, float restitution, float dt,
                        float hitch)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.cache_bytes = 16 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_hollow(world, ball);
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = BALLS;
    r.spread = 3.1415927f;
    r.speed = (rico_range){0.2f, 6.0f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.radius = radius;
    r.restitution = restitution;
    r.friction = 0.0f;
    r.rest_speed = 0.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    float time = 0.0f;
    for (uint32_t i = 0; time < 6.0f; ++i) {
        const float step = i % 60 == 59 ? hitch : dt;
        rico_world_step(world, step);
        time += step;
    }
    uint32_t outside = outside_of_hollow(world, e, ball);
    rico_world_destroy(world);
    return outside;
}

TEST(runtime, long_steps_and_hitches_let_nobody_out)
{
    static const hollow balls[] = {{{0.0f, 0.0f, 0.0f}, 1.5f, 4, 3},
                                   {{0.0f, 0.0f, 0.0f}, 1.0f, 24, 16}};
    for (uint32_t b = 0; b < 2; ++b)
        for (float radius = 0.004f; radius < 0.05f; radius *= 4.0f) {
            uint32_t tenths = escaped(&balls[b], radius, 0.8f, 0.1f, 0.1f);
            uint32_t hitches = escaped(&balls[b], radius, 0.8f, 1.0f / 60.0f, 0.25f);
            CHECK_MSG(tenths + hitches == 0,
                      "hollow %u, %g m: %u outside at 10 Hz, %u after hitches", b,
                      (double)radius, tenths, hitches);
        }
}
