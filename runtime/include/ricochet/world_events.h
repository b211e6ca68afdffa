/* world_events.h - what happened in the last step: collisions, births, deaths, effects that ended.
 * Part of world.h.
 *
 * Recipes say which events the host gets (rico_recipe.events).
 */
#ifndef RICOCHET_WORLD_EVENTS_H
#define RICOCHET_WORLD_EVENTS_H

#include <ricochet/export.h>
#include <ricochet/recipe.h>
#include <ricochet/types.h>
#include <ricochet/world_effects.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rico_event_type {
    RICO_EVENT_COLLISION = 1,
    /* A particle died of age, in a kill volume, too far from the origin (rico_recipe.lifetime), or
     * at a surface that it met too fast or too slowly or that it dies on (kill_above, kill_below,
     * on_collision, lifetime_loss). */
    RICO_EVENT_DEATH = 2,
    RICO_EVENT_BIRTH = 3
} rico_event_type;

typedef struct rico_event {
    rico_event_type type;
    uint32_t particle; /* its id within the effect */

    /* The particle's effect. If it ended in this step its id is stale, and rico_world_ended has its
     * recipe and the host's pointer. */
    rico_effect_id effect;

    rico_vec3 position; /* of the particle's centre; metres, world space */

    /* Normal of the surface, towards the particle; zero for births and deaths. */
    rico_vec3 normal;

    /* Speed before the bounce, m/s, relative to the surface if that moves. It is the whole speed,
     * not only the part into the surface. For births and deaths, the length of `velocity`. */
    float speed;

    /* Speed into the surface before the bounce, m/s, relative to the surface if that moves; 0 or
     * more. For births and deaths 0. Use it for how loud an impact is.
     *
     * It is the speed at the time of impact, which restitution takes its share of (recipe.h): after
     * a fall of h metres from rest, sqrt(2 g h), whatever the steps. What fields add within the
     * step does not count.
     *
     * A particle that slides or rolls on even ground has a contact in each step, at the speed that
     * gravity gives it in about half a step: 0.08 m/s with 60 steps per second. A surface that
     * turns or changes its velocity adds what it changes in a step. A particle at rest has no
     * contacts. */
    float impact_speed;

    /* Seconds since the effect's own step began; for a death, the end of that step. The step may
     * consist of time that was saved up (rico_effect_set_time_scale). */
    float time;

    /* Velocity of the particle, m/s; for a collision, the velocity after it, unless the particle
     * died of it. */
    rico_vec3 velocity;

    /* Slot of the collider (rico_collider_id.index1); 0 = unknown, and always 0 for births and
     * deaths.
     *
     * - Modes exact and cached know it, except for bounces off a plane that is only assumed while a
     *   record is missing. Modes fixed and classic never know it.
     * - It is the collider that the particle touches. Within 4 mm of an edge between two colliders,
     *   it is either of them. At an edge or corner where nothing is below the particle along
     *   `normal`, it is the one that the path of the particle's centre meets.
     * - With a ray caster of the host's, mode cached knows collider and triangle, but not the
     *   surface; with by_surface, none of the three. Collider and triangle are then those that the
     *   path meets when it is looked up. They stay the same while the particle hops along that
     *   plane. */
    uint32_t collider;

    /* Index of the triangle in its mesh; RICO_NO_TRIANGLE = unknown. Mode cached may name another
     * triangle near by, of the same collider and surface number, if on the way to it the surface
     * bends by less than 11 degrees from each triangle to the next. */
    uint32_t triangle;

    uint16_t surface; /* its number; 0 if the collider is unknown */
} rico_event;

/* Returns the events of the last step and writes their number to *count, which may not be NULL.
 *
 * Order: by effect slot, then by block. Within a block: collisions and deaths of the particles that
 *   were there before the step, then births, together with what the newborn particles met in the
 *   rest of the step. The order does not depend on the number of workers.
 * Capacity: of all events, whether the host or sub-emitters want them, the first 2 * max_events in
 *   this order are kept. Of these, the host gets the first max_events of those that recipes ask for
 *   (rico_recipe.events). So the events that do not fit are always those at the end of the order.
 *   They are counted (rico_world_stats.events_dropped).
 * Lifetime: until the next step. */
RICO_API const rico_event *rico_world_events(const rico_world *world, uint32_t *count);

/* An effect that ended: it emits nothing any more, and its last particle has died. */
typedef struct rico_ended_effect {
    rico_effect_id effect; /* stale */
    rico_recipe_id recipe; /* stale, if the recipe has been removed since */
    void *user;            /* rico_effect_def.user */
} rico_ended_effect;

/* Returns the effects that ended in the last step, by slot, and writes their number to *count,
 * which may not be NULL. Each is reported once, and there is room for all of them. Effects that the
 * host destroyed are not reported, nor those that had ended when rico_effect_seek or the prewarm of
 * their spawn was over (rico_effect_is_alive tells).
 *
 * Lifetime: until the next step. */
RICO_API const rico_ended_effect *rico_world_ended(const rico_world *world, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
