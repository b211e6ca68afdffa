/* runtime_firework.h - parents with births at their events, and a world for them. */
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

/* A recipe that bounces on its own plane at z = 0, in mode fixed. */
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
    return (rico_sub_emitter){.on = on,
                              .recipe = recipe,
                              .count = count,
                              .probability = 1.0f,
                              .inherit_velocity = inherit};
}

/* Lets births at events inherit size and colour of their parents, except the size of the stars.
 * Every recipe also has sizes and colours of its own. */
static inline void let_inherit(rico_recipe *dust, rico_recipe *spark, rico_recipe *star,
                               rico_recipe *shell)
{
    shell->start_color = (rico_gradient){
        .key_count = 2, .at = {0, 1}, .rgba = {{1, 0.3f, 0.2f, 1}, {0.4f, 0.6f, 1, 0.8f}}};
    shell->particle_size.value[0] = 0.08f;
    star->start_size = (rico_range){0.3f, 0.7f};
    star->particle_size = (rico_curve){.key_count = 2, .at = {0, 1}, .value = {1.0f, 0.5f}};
    spark->alpha_over_life = (rico_curve){.key_count = 2, .at = {0, 1}, .value = {1, 0.2f}};
    spark->particle_size.value[0] = 0.5f;
    dust->color.rgba[0][1] = 0.7f;
    rico_recipe *const parents[] = {spark, star, shell};
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < 2; ++n)
            if (parents[k]->sub_emitters[n].on != 0)
                parents[k]->sub_emitters[n].inherit_size =
                    parents[k]->sub_emitters[n].inherit_color = true;
    shell->sub_emitters[0].inherit_size = false;
}

/* Shells that die into stars, stars that die into sparks, and dust where sparks hit something. */
static inline rico_effect_id make_firework(rico_world *world, rico_recipe_id ids[4],
                                           float prewarm, bool inherits)
{
    rico_recipe dust = still_recipe(RICO_COLLIDE_NONE), spark = parent_recipe(0);
    rico_recipe star = parent_recipe(0), shell = parent_recipe(3);
    dust.speed = (rico_range){0.1f, 0.4f};
    dust.lifetime = (rico_range){0.2f, 0.4f};
    spark.mode = RICO_COLLIDE_CACHED;
    spark.plane_count = 0;
    shell.rate = 20.0f;
    shell.duration = 5.0f;
    shell.lifetime = (rico_range){0.2f, 0.3f};
    shell.prewarm = prewarm;
    spark.sub_emitters[0] = sub_of(RICO_EVENT_BIT_COLLISION, (rico_recipe_id){0}, 2, 0.2f);
    spark.sub_emitters[0].probability = 0.5f;
    star.sub_emitters[1] = sub_of(RICO_EVENT_BIT_DEATH, (rico_recipe_id){0}, 5, 0.5f);
    shell.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, (rico_recipe_id){0}, 20, 1.0f);
    if (inherits)
        let_inherit(&dust, &spark, &star, &shell);
    ids[3] = rico_world_add_recipe(world, &dust);
    spark.sub_emitters[0].recipe = ids[3];
    ids[2] = rico_world_add_recipe(world, &spark);
    star.sub_emitters[1].recipe = ids[2];
    ids[1] = rico_world_add_recipe(world, &star);
    shell.sub_emitters[0].recipe = ids[1];
    ids[0] = rico_world_add_recipe(world, &shell);
    rico_effect_id e = rico_effect_spawn(world, ids[0], at(0.0f, 0.0f, 1.0f));
    CHECK(e.index1 != 0);
    return e;
}

static inline rico_effect_id add_firework(rico_world *world, rico_recipe_id ids[4],
                                          float prewarm)
{
    return make_firework(world, ids, prewarm, false);
}

#endif
