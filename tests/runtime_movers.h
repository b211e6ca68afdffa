/* runtime_movers.h - worlds with moving colliders, and grains that fall on them. */
#ifndef RICO_TESTS_RUNTIME_MOVERS_H
#define RICO_TESTS_RUNTIME_MOVERS_H

#include "runtime_terrain.h"

#include "state.h"
#include "trig.h" /* gives the same bits with any C library */

#define DT (1.0f / 60.0f)

static inline rico_world *bare_world(uint32_t workers)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 8192;
    def.particle_bytes = 512 << 10;
    def.max_effects = 64;
    def.max_events = 16384;
    def.cache_bytes = 256 << 10;
    def.classic_cache_bytes = 64 << 10;
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

/* A world for tests that create hundreds of worlds: there is little to allocate. */
static inline rico_world *little_world(void)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 8192;
    def.particle_bytes = 512 << 10;
    def.max_effects = 4;
    def.max_recipes = 4;
    def.max_events = 64;
    def.queries_per_frame = 64;
    def.cache_bytes = def.classic_cache_bytes = 128 << 10;
    def.worker_count = 1;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

static inline rico_shape_id add_box_shape(rico_world *world, float x, float y, float z)
{
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id id;
    def.kind = RICO_SHAPE_BOX;
    def.half_size = (rico_vec3){x, y, z};
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &id), RICO_OK);
    return id;
}

static inline rico_collider_id place_shape(rico_world *world, rico_shape_id shape,
                                           rico_transform where)
{
    rico_collider_def def = rico_collider_def_default();
    def.shape = shape;
    def.motion.transform = where;
    rico_collider_id id = rico_world_add_collider(world, &def);
    CHECK(id.index1 != 0);
    return id;
}

static inline rico_collider_id add_box(rico_world *world, float hx, float hy, float hz,
                                       rico_transform where)
{
    return place_shape(world, add_box_shape(world, hx, hy, hz), where);
}

static inline void move_to(rico_world *world, rico_collider_id id, rico_transform where)
{
    rico_motion motion = {.transform = where};
    CHECK_EQ(rico_world_move_colliders(world, &id, &motion, 1), RICO_OK);
}

static inline rico_transform turned(float x, float y, float z, float angle)
{
    rico_transform t = at(x, y, z);
    t.rotation = (rico_quat){0.0f, 0.0f, rico__sin(0.5f * angle), rico__cos(0.5f * angle)};
    return t;
}

/* Drops grains from a square of the given half size. */
static inline rico_effect_id drop_grains(rico_world *world, rico_collision_mode mode,
                                         uint32_t count, float half, rico_transform where)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){half, half, 0.05f};
    r.rate = 0.0f;
    r.burst_count = count;
    r.speed = (rico_range){0.0f, 0.2f};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.max_particles = count;
    r.queries_per_frame = 100.0f;
    r.particle_ids = true;
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), where);
    CHECK(e.index1 != 0);
    return e;
}

typedef bool grain_test(const rico_view *v, uint32_t i, const void *user);

static inline uint32_t count_grains(rico_world *world, rico_effect_id e, grain_test *test,
                                    const void *user)
{
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            count += test(&v, i, user);
    return count;
}

static inline bool is_above(const rico_view *v, uint32_t i, const void *user)
{
    return v->pz[i] > *(const float *)user;
}

static inline bool is_beyond(const rico_view *v, uint32_t i, const void *user)
{
    return v->px[i] > *(const float *)user;
}

static const rico_collision_mode modes[] = {RICO_COLLIDE_EXACT, RICO_COLLIDE_CACHED};

/* Places one grain without gravity, at rest and away from all colliders. It bounces with half
 * of its speed. */
static inline rico_effect_id place_grain(rico_world *world, rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.rate = 0.0f;
    r.burst_count = 1;
    r.restitution = 0.5f;
    r.rest_speed = 0.0f;
    return rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 0.0f));
}

static inline rico_transform lift(int frame)
{
    float angle = (float)frame * DT * 1.5f;
    return turned(0.8f * rico__sin(angle), 0.3f * rico__sin(2.0f * angle),
                  1.0f + 0.4f * rico__cos(angle), 0.7f * angle);
}

#endif
