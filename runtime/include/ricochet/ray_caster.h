/* ray_caster.h - the host's own ray caster in the place of a world's scene.
 *
 * A host that has a collision world already gives its ray caster to the world (world_def.
 * ray_caster) instead of its meshes. The world asks with the records of scene_query.h, in batches.
 *
 * At once, or one frame later. An immediate caster answers before `cast` returns. A deferred one
 * may take its time: all rays of a step come in one call at the step's end, and are answered until
 * the next step begins. A ray that was not answered counts as not asked, and is not charged. As
 * nothing moves between steps, particles of mode cached go the same ways with both, if all is answered, but for a few millimetres (12 at most in tests); under forces that
 * change (rico_recipe.forces, fields of the world) a deferred one is asked about shorter ways, without them, and where they push
 * hard (over 5 m/s^2 in a room) some particles get out. And who sticks (RICO_ON_COLLISION_STICK) learns by a
 * query, one ray along its plane, whether what holds it is still there when rico_world_ray_caster_changed is called, the origin is
 * shifted, or its recipe changes how it moves; until it is answered it hangs on. In mode classic, which asks about cells, it falls.
 *
 * What works: modes cached and classic with both; mode exact with immediate casters only
 * (rico_world_add_recipe refuses it otherwise). Meshes cannot be added to such a world. Rays
 * tell less than triangles do: mode cached asks about the flight of one particle at a time,
 * keeps no records of cells, and needs about a unit per particle, half second of flight and
 * bounce, 45 for 800 stones on bumps (runtime/README.md), 4 for the 75 sparks of the default recipe. With fewer than
 * all want, rico_world_stats.effects_starved is not 0, and some fall through floors: 300 effects of such sparks want 1,010,
 * and with the 556 that they have by default .3 % are below: give them more (rico_world_def.shared_queries_per_frame; fewer
 * wait then, and steps took half as long). Rays are asked at a step's end: of steps over .1 s, a
 * stall or an effect that runs slowly (world_detail.h), some particles of mode cached fall through. A deferred caster
 * whose world changes before every step (rico_world_ray_caster_changed) is never listened to.
 *
 * Determinism: the world's is as good as the caster's. Answers that depend on nothing but the ray
 * give the same bits for any number of workers.
 */
#ifndef RICOCHET_RAY_CASTER_H
#define RICOCHET_RAY_CASTER_H

#include <ricochet/export.h>
#include <ricochet/scene_query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* rico_hit.collider before the host has answered. */
#define RICO_NOT_ANSWERED UINT32_MAX

/* All zero = none: the world has a scene of its own. */
typedef struct rico_ray_caster {
    /* Answers rays[i] in hits[i], as rico_scene_raycast_batch would. hits come filled with "not
     * answered"; a miss is collider 0. filter is never NULL and is the same for all; count is at
     * least 1. Directions are ways in metres, not of unit length; of who hardly moves they are shorter than a micrometre, and may
     * be 0: who divides by the length looks first. ignore is 0.
     * Threads: immediate: the stepping thread and the world's workers, several at once, inside of
     * rico_world_step. Deferred: the stepping thread, at the end of rico_world_step, once or not
     * at all; rays and hits then stay valid, and the host's, until `collect` returns; filter ends with the call.
     * May not call the world. */
    void (*cast)(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                 uint32_t count);
    /* Deferred only; NULL when answers are complete before the next rico_world_step is called: then effects that are run
     * by themselves (prewarm, rico_effect_seek) meet nothing meanwhile, as nobody is asked.
     * From its return on the host touches neither rays nor hits, and what it wrote is visible
     * here: it waits, or leaves the rest unanswered. Threads: the stepping thread, at the start of
     * the next step; or the destroying one. May not call the world. */
    void (*collect)(void *user);
    /* Immediate only; may be NULL. False = certainly no surface touches the box: steps of mode
     * exact that nothing is near then cost no ray, and in mode cached the newborn live on from their birth to the end of
     * its step, who without it begin at the place of their birth in the next one. Threads: as cast. */
    bool (*occupied)(void *user, const rico_box *box);
    void *user;
    bool deferred;
} rico_ray_caster;

/* Answers are not trusted. A miss: t NaN, negative or beyond the ray's t_max; a normal with NaN or
 * infinity, or shorter than 1e-6 m. Repaired: normals that are not of length 1 are scaled, those
 * that point along the ray turned round: so give the face's own normal, as a smooth one may do that where a ray
 * grazes. Collider and triangle may be any numbers, and are passed
 * on to events, and so is surface, which chooses rico_world_set_surface's factors in mode exact. back_face, steps and
 * velocity are not looked at. */

#ifdef __cplusplus
}
#endif
#endif
