/* host_rays.h - a world on the host's own ray caster (ricochet/ray_caster.h).
 *
 * The scene of this world is empty. Everything that would ask the scene comes through here.
 * Mode cached has no records then: the particles themselves wait (rico__block.waits) until a
 * query follows their path in up to four rays.
 */
#ifndef RICO_HOST_RAYS_H
#define RICO_HOST_RAYS_H

#include "simulate.h"

static inline bool rico__has_caster(const rico_world *world)
{
    return world->def.ray_caster.cast != NULL;
}

/* A particle that sticks cannot ask within the step whether what holds it is still there. It
 * waits, and its query asks. */
static inline bool rico__sticks_by_query(const rico_world *world, const rico__recipe *recipe)
{
    return world->def.ray_caster.deferred && recipe->def.mode == RICO_COLLIDE_CACHED &&
           recipe->def.on_collision == RICO_ON_COLLISION_STICK;
}

/* --- At once, from inside a job --- */

/* Asks the host, and turns answers that cannot be into misses. */
void rico__host_cast(const rico_world *world, const rico_ray *rays, rico_hit *hits,
                     uint32_t count);

/* rico__cast_rays: the closest hits that exist for the recipe, by the host's rays or the
 * scene's. rico__box_occupied: whether something may touch the box. */
static inline void rico__cast_rays(const rico_world *world, const rico__recipe *recipe,
                                   const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    if (rico__has_caster(world))
        rico__host_cast(world, rays, hits, count);
    else
        rico_scene_raycast_batch(world->scene, rico__recipe_filter(world, recipe), rays, hits,
                                 count);
}

static inline bool rico__box_occupied(const rico_world *world, const rico_box *box)
{
    const rico_ray_caster *caster = &world->def.ray_caster;
    if (rico__has_caster(world))
        return caster->occupied == NULL || caster->occupied(caster->user, box);
    return rico__still_occupied(world, box);
}

/* Whether something that exists for the recipe may touch the box. Occupancy knows of no layers:
 * a recipe that ignores some asks for a first triangle that is left. */
static inline bool rico__may_touch(const rico_world *world, const rico__recipe *recipe,
                                   const rico_box *box)
{
    rico_triangle any;
    if (!rico__box_occupied(world, box))
        return false;
    return recipe->def.ignored_layers == 0 ||
           rico_scene_gather_first(world->scene, &recipe->filter, box, &any, 1) > 0;
}

/* Casts one ray for the block's particles, and counts it. The scene has a shorter way for one
 * ray than for several. */
static inline rico_hit rico__cast_ray(const rico__block_context *c, const rico_ray *ray)
{
    rico_hit hit;
    c->scratch->tally.contact_rays += 1;
    if (!rico__has_caster(c->world))
        return rico_scene_raycast(c->world->scene, rico__recipe_filter(c->world, c->recipe),
                                  ray);
    rico__host_cast(c->world, ray, &hit, 1);
    return hit;
}

/* Whether nothing can touch the block's particles on the way from one place to the other. */
static inline bool rico__way_is_free(const rico__block_context *c, rico_vec3 from, rico_vec3 to)
{
    const rico_box box = box_along(from, to, c->step.radius);
    return !rico__may_touch(c->world, c->recipe, &box);
}

/* --- Mode cached, in simulate --- */

/* Before anything is moved: forgets what was known of paths, when it is not true any more. */
void rico__host_reset_block(rico_world *world, rico__block *block);

/* Particles that must look ahead (masks.look) wait from now on. */
void rico__host_look_ahead(rico__block_context *c);

/* --- In query --- */

/* The number of the effect's particles that wait. */
uint32_t rico__host_waiting(const rico_world *world, const rico__effect *effect);

/* Adds queries for the first `grant` of them, in the order of blocks and lanes: mostly the
 * oldest. */
void rico__host_choose(rico_world *world, uint32_t slot, uint32_t grant);

/* Has the chosen queries answered; a deferred caster is only asked. */
void rico__host_query(rico_world *world);

/* host_paths.c. rico__host_chart: where the particle will go. rico__host_follow: what the
 * answers to that course's rays mean for it. The latter writes the particle's numbers,
 * query->rebound and rests, and a deposit. */
void rico__host_chart(const rico_world *world, const rico__query *query, rico__course *course);
void rico__host_follow(rico_world *world, rico__query *query, const rico__course *course,
                       const rico_hit *hits);

/* What a deferred caster has been asked about the effect's particles does not apply to them any
 * more. */
void rico__host_forget(rico_world *world, uint32_t slot);

/* What was known of the path of a particle of mode cached is not true any more. It keeps its
 * plane until it is asked about. first: its number in the first stream. */
void rico__host_forget_path(const rico__recipe *recipe, float *first);

/* rico__host_take: in plan, takes what a deferred caster has answered. rico__host_abandon:
 * collects it and drops it, before the world goes. */
void rico__host_take(rico_world *world);
void rico__host_abandon(rico_world *world);

#endif
