/* runtime_layers.h - grains of recipes that ignore layers, and colliders on layers. */
#ifndef RICO_RUNTIME_LAYERS_H
#define RICO_RUNTIME_LAYERS_H

#include "runtime_movers.h"

#define LEAVES 2u
#define WATER 4u

static inline rico_recipe grains(rico_collision_mode mode, uint32_t ignored)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.8f, 0.8f, 0.05f};
    r.rate = 0.0f;
    r.burst_count = 200;
    r.speed = (rico_range){0.0f, 0.5f};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.max_particles = 200;
    r.ignored_layers = ignored;
    return r;
}

static inline rico_effect_id rain(rico_world *world, const rico_recipe *recipe, float z)
{
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, recipe), at(0.0f, 0.0f, z));
    CHECK(e.index1 != 0);
    return e;
}

static inline rico_collider_id place_layer(rico_world *world, rico_shape_id shape,
                                           rico_transform where, uint32_t layers)
{
    rico_collider_def def = rico_collider_def_default();
    def.shape = shape;
    def.motion.transform = where;
    def.layers = layers;
    rico_collider_id id = rico_world_add_collider(world, &def);
    CHECK(id.index1 != 0);
    return id;
}

static inline uint32_t count_above(rico_world *world, rico_effect_id e, float z)
{
    return count_grains(world, e, is_above, &z);
}

static inline void run(rico_world *world, int steps)
{
    for (int k = 0; k < steps; ++k)
        rico_world_step(world, DT);
}

#endif
