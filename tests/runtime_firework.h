/* runtime_firework.h - parents whose events have births, and a world for them. */
#ifndef RUNTIME_FIREWORK_H
#define RUNTIME_FIREWORK_H

#include "runtime_births.h"

static inline rico_world *roomy_world(uint32_t workers, uint32_t max_events)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 65536;
    def.particle_bytes = 4 << 20;
    def.max_effects = 64;
    def.max_events = max_events;
    def.cache_bytes = def.classic_cache_bytes = 1 << 20;
    def.worker_count = workers;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

/* Over a floor of its own, at z = 0. */
static inline rico_recipe parent_recipe(uint32_t count)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_FIXED);
    r.gravity = (rico_vec3){0.0f, 0.0f, -9.81f};
    r.burst_count = count;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 0.3f};
    r.speed = (rico_range){0.0f, 3.0f};
    r.spread = 3.0f;
    r.lifetime = (rico_range){0.3f, 0.9f};
    r.plane_count = 1;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.particle_ids = false;
    return r;
}

static inline rico_sub_emitter sub_of(uint32_t on, rico_recipe_id recipe, uint32_t count,
                                      float inherit)
{
    return (rico_sub_emitter){on, recipe, count, 1.0f, inherit, RICO_ORIENT_UP};
}

/* A shell, its stars, their sparks, and dust where those fall. */
static inline rico_effect_id add_firework(rico_world *world, rico_recipe_id ids[4],
                                          float prewarm)
{
    rico_recipe dust = still_recipe(RICO_COLLIDE_NONE), spark = parent_recipe(0);
    rico_recipe star = parent_recipe(0), shell = parent_recipe(3);
    dust.speed = (rico_range){0.1f, 0.4f};
    dust.lifetime = (rico_range){0.2f, 0.4f};
    ids[3] = rico_world_add_recipe(world, &dust);
    spark.mode = RICO_COLLIDE_CACHED;
    spark.plane_count = 0;
    spark.sub_emitters[0] = sub_of(RICO_EVENT_BIT_COLLISION, ids[3], 2, 0.2f);
    spark.sub_emitters[0].probability = 0.5f;
    ids[2] = rico_world_add_recipe(world, &spark);
    star.sub_emitters[1] = sub_of(RICO_EVENT_BIT_DEATH, ids[2], 5, 0.5f);
    ids[1] = rico_world_add_recipe(world, &star);
    shell.rate = 20.0f;
    shell.duration = 5.0f;
    shell.lifetime = (rico_range){0.2f, 0.3f};
    shell.prewarm = prewarm;
    shell.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, ids[1], 20, 1.0f);
    ids[0] = rico_world_add_recipe(world, &shell);
    rico_effect_id e = rico_effect_spawn(world, ids[0], at(0.0f, 0.0f, 1.0f));
    CHECK(e.index1 != 0);
    return e;
}

#endif
