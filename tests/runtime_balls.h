/* runtime_balls.h - balls that fall into a yard whose floor and walls lie just beyond borders
 * of cells. */
#ifndef RICO_TESTS_RUNTIME_BALLS_H
#define RICO_TESTS_RUNTIME_BALLS_H

#include "runtime_bake.h"

#define BALLS 60
#define WALL                                                                                   \
    4.05f /* distance from the middle on both axes; the wall's cell begins 5 cm before the wall */

typedef struct yard {
    float floor, slope; /* height of the floor in the middle; its rise per metre of x */
    bool walls;
} yard;

static inline float floor_at(const yard *y, float x)
{
    return y->floor + y->slope * x;
}

static inline void add_quad(rico_world *world, const float corners[12])
{
    static const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
}

static inline void add_yard(rico_world *world, const yard *y)
{
    const float w = y->walls ? WALL : 9.0f, lo = -5.0f, hi = 9.0f;
    const float left = floor_at(y, -w), right = floor_at(y, w);
    const float sides[5][12] = {{-w, -w, left, w, -w, right, w, w, right, -w, w, left},
                                {-w, -w, lo, -w, w, lo, -w, w, hi, -w, -w, hi},
                                {w, -w, lo, w, w, lo, w, w, hi, w, -w, hi},
                                {-w, -w, lo, w, -w, lo, w, -w, hi, -w, -w, hi},
                                {-w, w, lo, w, w, lo, w, w, hi, -w, w, hi}};
    for (int k = 0; k < (y->walls ? 5 : 1); ++k)
        add_quad(world, sides[k]);
}

static inline rico_world *yard_world(const yard *y, uint32_t workers, float cell_size)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1024;
    def.max_effects = 16;
    def.max_events = 16;
    def.classic_cache_bytes = 64 << 10;
    def.cache_bytes = 2 << 20;
    def.cell_size = cell_size;
    def.worker_count = workers;
    def.log.write = hear;
    rico_world *world = NULL;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_yard(world, y);
    return world;
}

static inline rico_recipe ball_recipe(float radius)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = BALLS;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){2.0f, 2.0f, 0.2f};
    r.spread = 3.0f;
    r.speed = (rico_range){0.0f, 4.0f};
    r.radius = radius;
    r.lifetime = (rico_range){50.0f, 50.0f};
    r.queries_per_frame = 200.0f;
    return r;
}

static inline rico_effect_id add_balls(rico_world *world, const yard *y, float radius)
{
    const rico_recipe r = ball_recipe(radius);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK(id.index1 != 0);
    rico_effect_id e = rico_effect_spawn(
        world, id, at(0.0f, 0.0f, y->floor + y->slope * 2.0f + radius + 1.2f));
    CHECK(e.index1 != 0);
    return e;
}

/* Returns how far the deepest ball is inside the floor or a wall, in metres; negative: none is. */
static inline float deepest(rico_world *world, rico_effect_id effect, const yard *y,
                            float radius)
{
    float deep = -1.0e9f;
    const float level = 1.0f / sqrtf(1.0f + y->slope * y->slope);
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t k = 0; k < v.count; ++k) {
            deep = fmaxf(deep, radius - (v.pz[k] - floor_at(y, v.px[k])) * level);
            if (y->walls)
                deep = fmaxf(deep, radius + fmaxf(fabsf(v.px[k]), fabsf(v.py[k])) - WALL);
        }
    return deep;
}

/* Runs so many steps and returns the largest value of `deepest` in them. */
static inline float run_balls(rico_world *world, rico_effect_id effect, const yard *y,
                              float radius, int steps)
{
    float most = -1.0e9f;
    for (int i = 0; i < steps; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        most = fmaxf(most, deepest(world, effect, y, radius));
    }
    CHECK_EQ(rico_world_get_stats(world).particles % BALLS, 0);
    return most;
}

#endif
