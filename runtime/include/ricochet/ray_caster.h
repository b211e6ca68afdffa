/* ray_caster.h - replaces a world's scene by the host's own ray caster.
 *
 * A host that already has a collision world gives its ray caster to the world
 * (rico_world_def.ray_caster) instead of its meshes. Meshes cannot be added to that world. The
 * world asks in batches, with the rico_ray and rico_hit of scene_query.h.
 *
 * Immediate and deferred casters:
 * - An immediate caster answers before `cast` returns.
 * - A deferred caster may take its time. All rays of a step come in one call at the step's end,
 *   and must be answered before the next step begins. A ray that was not answered counts as not
 *   asked, and is not charged. The same then holds for the other rays about that particle
 *   (three at most).
 *
 * Nothing moves between steps. So, if all rays are answered, particles of mode cached take the
 * same paths with both kinds, to within a few millimetres (12 at most in tests).
 *
 * What works:
 * - Modes cached and classic work with both kinds.
 * - Mode exact needs an immediate caster; with a deferred one rico_world_add_recipe refuses it.
 *
 * The query budget of mode cached: rays tell less than triangles do. So mode cached keeps no
 * records of cells here, and asks about the flight of one particle at a time. Each particle
 * needs about one query unit for each half second of flight and one for each bounce. 800 stones
 * on bumpy ground need 45 units per frame, the 75 sparks of the default recipe need 4
 * (runtime/README.md).
 *
 * With fewer units than particles want, rico_world_stats.effects_starved is not 0, and some
 * particles fall through floors. 300 effects of these sparks want 1,010 units. With the 556
 * that they have by default, 0.3 % of the sparks are below the floor. Give them more
 * (rico_world_def.shared_queries_per_frame): then fewer particles wait, and steps took half as
 * long.
 *
 * Limits of mode cached on a host's rays:
 * - Rays are asked at the end of a step. In steps over 0.1 s (a stall, or an effect that runs
 *   slowly, world_detail.h) some particles fall through: in stalls of 0.3 s up to 9 % left a
 *   closed room.
 * - Under forces that change (rico_recipe.forces, force fields) a deferred caster is asked
 *   about shorter paths, and these leave the forces out. Where the forces push hard (over
 *   5 m/s^2 in a room) some particles get out.
 * - With a deferred caster, a query of one ray along its plane tells a particle that sticks
 *   (RICO_ON_COLLISION_STICK) whether what holds it is still there. It asks after
 *   rico_world_ray_caster_changed, after a shift of the origin, and when its recipe changes how
 *   it moves. Until the query is answered it stays where it is. (In mode classic, which asks
 *   about cells, not about particles, it falls.)
 * - The answers of a deferred caster are never used in a world that calls
 *   rico_world_ray_caster_changed before every step.
 *
 * Determinism: the world is as deterministic as the caster. Answers that depend on nothing but
 *   the ray give the same bits for any number of workers.
 */
#ifndef RICOCHET_RAY_CASTER_H
#define RICOCHET_RAY_CASTER_H

#include <ricochet/export.h>
#include <ricochet/scene_query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Value of rico_hit.collider until the host has answered. */
#define RICO_NOT_ANSWERED UINT32_MAX

/* The host's functions. All members zero: no caster, the world has a scene of its own.
 * rico_world_create refuses members that contradict each other (RICO_OUT_OF_RANGE).
 *
 * The world does not trust the answers:
 * - A hit counts as a miss if its t is NaN, negative or beyond the ray's t_max. It also does if
 *   its normal has a NaN or an infinity, or is shorter than 1e-6 m.
 * - A normal that is not of length 1 is scaled. A normal that points along the ray is reversed.
 *   So give the face's own normal: a smooth one may point along a ray that grazes the face.
 * - collider and triangle may be any numbers; they are passed on to events. So is surface,
 *   which also chooses the factors of rico_world_set_surface in mode exact.
 * - back_face, moving, steps and velocity are not read. */
typedef struct rico_ray_caster {
    /* Answers rays[i] in hits[i], as rico_scene_raycast_batch would.
     *
     * - Each hit comes with collider RICO_NOT_ANSWERED. A miss is collider 0.
     * - filter is never NULL, and is the same for all rays. count is at least 1.
     *   rico_ray.ignore is 0.
     * - Directions are whole paths in metres, not of unit length. Of a particle that hardly
     *   moves they are shorter than a micrometre, and may be 0: check before you divide by the
     *   length.
     * - It must not call the world.
     *
     * Threads: immediate: the stepping thread and the world's workers, several at once, inside
     *   of rico_world_step. Deferred: the stepping thread, at the end of rico_world_step, once
     *   or not at all. Steps in halves: one of the world's workers (world_step.h). Steps of
     *   rico_effect_seek and of a prewarm ask, too.
     * Lifetime: deferred: rays and hits stay valid, and belong to the host, until `collect`
     *   returns. filter is valid during the call only. */
    void (*cast)(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                 uint32_t count);

    /* Deferred casters only. Finishes what the last `cast` began: waits for the answers, or
     * leaves the rest unanswered.
     *
     * - After its return the host touches neither rays nor hits. What the host wrote must be
     *   visible to the calling thread.
     * - NULL means that all answers are complete before the next rico_world_step is called.
     *   Then effects that are run by themselves (prewarm, rico_effect_seek) meet nothing
     *   meanwhile, because no rays are asked for them. The rays of the step before count as not
     *   asked then: they are asked again.
     * - It must not call the world.
     *
     * Threads: the stepping thread (for steps in halves: one of the world's workers), at the
     *   start of the next step; or the thread that destroys the world. */
    void (*collect)(void *user);

    /* Immediate casters only; may be NULL. Returns false if certainly no surface touches the
     * box.
     *
     * With it, steps of mode exact cost no ray where nothing is near. In mode cached, newborn
     * particles then move from their birth to the end of the same step; without it they start
     * the next step at their place of birth.
     *
     * Threads: as cast. */
    bool (*occupied)(void *user, const rico_box *box);

    void *user;    /* the host's; passed to each function */
    bool deferred; /* the caster is deferred: answers come by the next step [false] */
} rico_ray_caster;

#ifdef __cplusplus
}
#endif
#endif
