/* Large spheres and capsules in mode cached: records hold facets of them, while fast steps use
 * the exact formula. */
#include "runtime_births.h"

#define BALLS 300
#define SIZE 5.0f

/* A shape of that radius, in cells of that size, and what rains on it. */
typedef struct rain {
    rico_shape_kind kind;
    float size, cells, radius, speed;
} rain;

static float half_length(const rain *of)
{
    return of->kind == RICO_SHAPE_CAPSULE ? 1.0f : 0.0f;
}

static rico_world *world_on(const rain *of)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.cache_bytes = 32 << 20;
    def.classic_cache_bytes = 64 << 10;
    def.max_effects = def.max_events = 16;
    def.cell_size = of->cells;
    def.worker_count = 1;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_shape_def shape = rico_shape_def_default();
    shape.kind = of->kind;
    shape.radius = of->size;
    shape.half_length = half_length(of);
    rico_collider_def collider = rico_collider_def_default();
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &collider.shape), RICO_OK);
    CHECK(rico_world_add_collider(world, &collider).index1 != 0);
    return world;
}

/* Lets balls rain on the shape from above. Returns how deep in it the deepest centre ever is. */
static double deepest(const rain *of)
{
    rico_world *world = world_on(of);
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = BALLS;
    r.shape = RICO_EMIT_DISC;
    r.size.x = 2.5f;
    r.spread = 0.05f;
    r.radius = of->radius;
    r.speed = (rico_range){of->speed, of->speed};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.queries_per_frame = 1000.0f;
    const float half = half_length(of), top = of->size + half;
    rico_transform above = at(0.0f, 0.0f, top + 1.2f);
    above.rotation = (rico_quat){1.0f, 0.0f, 0.0f, 0.0f}; /* downwards */
    const rico_box around = {{-3.0f, -3.0f, top - 3.0f}, {3.0f, 3.0f, top + 2.0f}};
    CHECK_EQ(rico_world_bake(world, &around, NULL), RICO_OK);
    rico_effect_id e = begin_effect(world, &r, above);
    double deep = -1.0;
    for (int i = 0; i < 90; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k) {
                const double x = (double)v.px[k], y = (double)v.py[k];
                const double z = fmax(fabs((double)v.pz[k]) - (double)half, 0.0);
                deep = fmax(deep, (double)of->size - sqrt(x * x + y * y + z * z));
            }
    }
    rico_world_destroy(world);
    return deep;
}

TEST(round, nobody_passes_spheres_and_capsules_at_any_speed)
{
    for (int kind = 0; kind < 2; ++kind)
        for (float speed = 8.0f; speed < 40.0f; speed *= 1.5f) {
            const rain of = {kind ? RICO_SHAPE_CAPSULE : RICO_SHAPE_SPHERE, SIZE, 0.25f, 0.01f,
                             speed};
            double deep = deepest(&of);
            CHECK_MSG(deep < 0.004, "kind %d, %g m/s: %g m deep", kind, (double)speed, deep);
        }
}

/* These are smaller than what facets are off. Steps that are longer than a cell ask the true
 * surface, and the steps after these the facets. */
TEST(round, nobody_passes_who_is_small_and_fast)
{
    static const rain of[] = {{RICO_SHAPE_SPHERE, 0.5f, 1.0f, 0.001f, 100.0f},
                              {RICO_SHAPE_SPHERE, 5.0f, 0.25f, 0.001f, 20.0f},
                              {RICO_SHAPE_CAPSULE, 11.0f, 1.0f, 0.001f, 100.0f},
                              {RICO_SHAPE_SPHERE, 50.0f, 1.0f, 0.005f, 100.0f}};
    for (uint32_t i = 0; i < sizeof of / sizeof *of; ++i) {
        const double deep = deepest(&of[i]);
        CHECK_MSG(deep < 0.004, "%g m, %g m/s: %g m deep", (double)of[i].size,
                  (double)of[i].speed, deep);
    }
}
