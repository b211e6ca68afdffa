/* runtime_pace.h - what tests of uneven steps share. */
#ifndef RICO_RUNTIME_PACE_H
#define RICO_RUNTIME_PACE_H

#include "runtime_births.h"

/* Length of step i: one step of sixty lasts as long as twelve. */
static inline float stalls(uint32_t i)
{
    return DT * (i % 60 == 30 ? 12.0f : 1.0f);
}

#define EFFECTS 9

/* Sparks over the terrain. The world is baked, so all its records are known from the start. */
static inline rico_world *spark_world(uint32_t workers, rico_effect_id effects[EFFECTS])
{
    rico_world *world = small_world(workers, true);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 80.0f;
    r.spread = 3.0f;
    r.speed = (rico_range){1.0f, 4.0f};
    r.lifetime = (rico_range){2.0f, 3.0f};
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    for (int i = 0; i < EFFECTS; ++i)
        effects[i] = rico_effect_spawn(
            world, id, at((float)(i % 3) * 3.0f - 3.0f, (float)(i / 3) * 3.0f - 3.0f, 1.6f));
    return world;
}

#endif
