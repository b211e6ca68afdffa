/* Large spheres and capsules in mode cached: records hold facets of them, while fast steps use
 * the exact formula. */
#include "runtime_births.h"

#define BALLS 300
#define SIZE 5.0f

static rico_world *world_on(rico_shape_kind kind)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.cache_bytes = 32 << 20;
    def.classic_cache_bytes = 64 << 10;
    def.max_effects = def.max_events = 16;
    def.cell_size = 0.25f;
    def.worker_count = 1;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_shape_def shape = rico_shape_def_default();
    shape.kind = kind;
    shape.radius = SIZE;
    shape.half_length = kind == RICO_SHAPE_CAPSULE ? 1.0f : 0.0f;
    rico_collider_def collider = rico_collider_def_default();
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &collider.shape), RICO_OK);
    CHECK(rico_world_add_collider(world, &collider).index1 != 0);
    return world;
}

/* Lets balls rain on the shape from above. Returns how deep in it the deepest ever is. */
static double deepest(rico_shape_kind kind, float speed)
{
    rico_world *world = world_on(kind);
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = BALLS;
    r.shape = RICO_EMIT_DISC;
    r.size.x = 0.5f * SIZE;
    r.spread = 0.05f;
    r.speed = (rico_range){speed, speed};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.queries_per_frame = 1000.0f;
    const float half = kind == RICO_SHAPE_CAPSULE ? 1.0f : 0.0f;
    rico_transform above = at(0.0f, 0.0f, SIZE + half + 1.2f);
    above.rotation = (rico_quat){1.0f, 0.0f, 0.0f, 0.0f}; /* downwards */
    const rico_box around = {{-3.0f, -3.0f, 2.0f}, {3.0f, 3.0f, 7.0f}};
    CHECK_EQ(rico_world_bake(world, &around, NULL), RICO_OK);
    rico_effect_id e = begin_effect(world, &r, above);
    double deep = -1.0;
    for (int i = 0; i < 90; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k) {
                double z = fmax((double)fabsf(v.pz[k]) - (double)half, 0.0);
                deep = fmax(deep, (double)SIZE - sqrt((double)(v.px[k] * v.px[k]) +
                                                      (double)(v.py[k] * v.py[k]) + z * z));
            }
    }
    rico_world_destroy(world);
    return deep;
}

TEST(round, nobody_passes_spheres_and_capsules_at_any_speed)
{
    for (int kind = 0; kind < 2; ++kind)
        for (float speed = 8.0f; speed < 40.0f; speed *= 1.5f) {
            double deep = deepest(kind ? RICO_SHAPE_CAPSULE : RICO_SHAPE_SPHERE, speed);
            CHECK_MSG(deep < 0.004, "kind %d, %g m/s: %g m deep", kind, (double)speed, deep);
        }
}
