/* runtime_births.h - particles sorted by id, for tests of emission. */
#ifndef RUNTIME_BIRTHS_H
#define RUNTIME_BIRTHS_H

#include "runtime_terrain.h"

typedef struct born {
    bool alive;
    double p[3], v[3], age, life, size;
    uint32_t color;
} born;

/* Collects the particles of an effect into out[id]; every id must be below `capacity`. Returns
 * how many are alive. */
static inline uint32_t collect_born(const rico_world *world, rico_effect_id effect, born *out,
                                    uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < capacity; ++i)
        out[i].alive = false;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            CHECK(v.id != NULL && v.id[i] < capacity && !out[v.id[i]].alive);
            out[v.id[i]] = (born){.alive = true,
                                  .p = {(double)v.px[i], (double)v.py[i], (double)v.pz[i]},
                                  .v = {(double)v.vx[i], (double)v.vy[i], (double)v.vz[i]},
                                  .age = (double)v.age[i],
                                  .life = (double)v.lifetime[i],
                                  .size = (double)(v.size ? v.size[i] : v.constant_size),
                                  .color = v.color ? v.color[i] : v.constant_color};
            count += 1;
        }
    return count;
}

/* A recipe for tests that look at births alone: particles stay alive (1000 s), have no speed,
 * and no gravity acts on them. */
static inline rico_recipe still_recipe(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.spread = 0.0f;
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){1000.0f, 1000.0f};
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.max_particles = 60000;
    r.particle_ids = true;
    return r;
}

static inline rico_effect_id begin_effect(rico_world *world, const rico_recipe *recipe,
                                          rico_transform where)
{
    rico_effect_id id = rico_effect_spawn(world, rico_world_add_recipe(world, recipe), where);
    CHECK(id.index1 != 0);
    return id;
}

#endif
