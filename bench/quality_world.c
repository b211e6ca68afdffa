#include "quality_world.h"

#include "machine.h"
#include <stdlib.h>
#include <string.h>

#define DT (1.0f / (float)QUALITY_RATE)
#define MOST_EVENTS (1u << 21)
#define SMALL_CACHE ((uint64_t)64 << 10) /* for modes that do not use the cache */

double quality_dt(void)
{
    return (double)DT;
}

static rico_world_def define(const quality_setup *s)
{
    rico_world_def def = rico_world_def_default();
    uint32_t particles = s->effects * (s->particles + s->particles / 2u + 8u);
    def.max_particles = particles;
    def.max_effects = s->effects;
    def.max_recipes = s->effects;
    def.shared_queries_per_frame = 0; /* rows show the effect of an effect's own budget */
    uint32_t events = 4u * particles + 1024u;
    def.max_events = !s->watched ? 0 : events < MOST_EVENTS ? events : MOST_EVENTS;
    def.worker_count = s->threads;
    if (s->cache_bytes != 0)
        def.cache_bytes = s->cache_bytes;
    else if (s->mode != RICO_COLLIDE_CACHED)
        def.cache_bytes = SMALL_CACHE;
    if (s->mode != RICO_COLLIDE_CLASSIC)
        def.classic_cache_bytes = SMALL_CACHE;
    return def;
}

static bool has_body(const quality_world *w)
{
    return w->setup->scene->moving && w->setup->mode != RICO_COLLIDE_FIXED;
}

static bool add_body(quality_world *w)
{
    if (!has_body(w))
        return true;
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.mesh = rio_mesh_view(&w->setup->scene->body);
    def.motion = quality_scene_motion(w->setup->scene, 0.0);
    if (w->setup->untold)
        def.motion.velocity = def.motion.angular_velocity = (rico_vec3){0.0f, 0.0f, 0.0f};
    if (rico_world_add_shape(w->world, &shape, NULL, &def.shape) != RICO_OK)
        return false;
    w->body = rico_world_add_collider(w->world, &def);
    return w->body.index1 != 0;
}

/* Moves the body to its place at the end of the step. */
static bool move_body(quality_world *w)
{
    rico_motion motion;
    if (!has_body(w) || w->setup->untold)
        return true;
    motion = quality_scene_motion(w->setup->scene, (double)w->frame * quality_dt());
    return rico_world_move_colliders(w->world, &w->body, &motion, 1) == RICO_OK;
}

static bool add_meshes(quality_world *w)
{
    if (w->setup->mode == RICO_COLLIDE_FIXED)
        return true;
    rico_mesh mesh = rio_mesh_view(&w->setup->scene->mesh);
    return rico_world_add_mesh(w->world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0 &&
           rico_world_merge(w->world) == RICO_OK && add_body(w);
}

static bool spawn(quality_world *w)
{
    const quality_setup *s = w->setup;
    for (uint32_t i = 0; i < s->effects; ++i) {
        rico_recipe r = quality_recipe(&s->emitters[i], s->particles, s->mode, s->budget);
        r.particle_ids = s->watched;
        r.events = s->watched ? RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_BIRTH : 0;
        rico_recipe_id recipe = rico_world_add_recipe(w->world, &r);
        w->effects[i] = rico_effect_spawn(w->world, recipe, s->emitters[i].transform);
        if (w->effects[i].index1 == 0 || w->effects[i].index1 > s->effects)
            return false;
        w->emitter_of[w->effects[i].index1] = i;
    }
    return true;
}

static bool bake(quality_world *w)
{
    return !w->setup->baked || rico_world_bake(w->world, NULL, NULL) == RICO_OK;
}

bool quality_world_open(quality_world *w, const quality_setup *setup)
{
    memset(w, 0, sizeof *w);
    w->setup = setup;
    w->effects = calloc(setup->effects + 1u, sizeof *w->effects);
    w->emitter_of = calloc(setup->effects + 1u, sizeof *w->emitter_of);
    rico_world_def def = define(setup);
    if (w->effects && w->emitter_of && rico_world_create(&def, &w->world) == RICO_OK &&
        add_meshes(w) && spawn(w) && bake(w))
        return true;
    quality_world_close(w);
    return false;
}

void quality_world_close(quality_world *w)
{
    rico_world_destroy(w->world);
    free(w->effects);
    free(w->emitter_of);
    memset(w, 0, sizeof *w);
}

double quality_world_step(quality_world *w, bool *ok)
{
    w->frame += 1;
    *ok = move_body(w) && *ok;
    uint64_t begin = machine_clock_ns();
    rico_world_step(w->world, DT);
    return (double)(machine_clock_ns() - begin);
}
