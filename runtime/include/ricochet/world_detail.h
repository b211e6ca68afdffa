/* world_detail.h - level of detail: effects that are far away or do not matter cost less.
 *
 * Two values decide, for each effect and in each step: whether it is hidden, and its
 * significance, 0..1. By default the world finds both from the distance between the emitter and
 * the nearest viewer (rico_recipe.cull_distance, lod_distance). A host that knows more sets
 * them itself in the hook below: what is on the screen, what is behind a wall, which effects
 * are the player's own.
 *
 * What follows from them:
 * - rico_recipe.hidden says what a hidden effect does.
 * - lod_below and lod_births say how many of its births an effect of low significance has.
 * - In modes cached and classic, significance also weighs queries. An effect is sure of its own
 *   queries_per_frame times its significance. In mode cached, the rest is shared out by what
 *   each effect lacks times its significance.
 *
 * Only recipes that ask for it take part (recipe.h). Effects that sub-emitters feed, and
 * effects that are being prewarmed or sought, count as seen and fully significant. Drawing is
 * up to the host: views and outputs have hidden effects like all others.
 *
 * Births that are left out are spread evenly. Those that remain are the same as in the full
 * effect: the same ids, times of birth and random numbers. This includes births by
 * rico_effect_emit.
 *
 * A hidden effect that is frozen, or is between two of its slow steps, counts as paused
 * (rico_effect_set_time_scale):
 * - Moves of the emitter of a frozen effect are teleports. Moves of a slow one are made in its
 *   next step.
 * - That step is at most 0.25 s of the effect's own time long, or one step of the world if that
 *   is longer.
 * - The effect learns in that step what has changed meanwhile. Particles that rested on a
 *   collider that moved wake up.
 * - Of moving colliders it sees only their way in the world's last step. So a collider may pass
 *   through hidden particles.
 * - An effect that is shown again makes up for all the time that it owes in that very step.
 *
 * Determinism: viewers and the hook's answers are input of the step, as dt is. A host that
 *   wants to run a world again records them itself; nothing in Ricochet does (`ricochet run
 *   --capture` keeps rays).
 */
#ifndef RICOCHET_WORLD_DETAIL_H
#define RICOCHET_WORLD_DETAIL_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RICO_MAX_VIEWERS 4u

/* Sets the places of the viewers, from the next step on. With no viewer, nothing is far away.
 *
 * Range: count 0..RICO_MAX_VIEWERS.
 * Errors: the viewers then stay as they were.
 *   RICO_OUT_OF_RANGE: count.
 *   RICO_NOT_FINITE
 *   RICO_BUSY */
RICO_API rico_result rico_world_set_viewers(rico_world *world, const rico_vec3 *places,
                                            uint32_t count);

/* One effect, as the hook sees it. */
typedef struct rico_detail {
    rico_effect_id effect;
    rico_recipe_id recipe;
    rico_vec3 position; /* of its emitter */
    float distance;     /* to the nearest viewer; metres; 0 without a viewer */
    uint32_t particles; /* alive */

    /* Box around the centres of all its particles, grown by the size of the largest, as
     * rico_output_part.bounds. It is as the world's last step left it:
     * - This step may move particles out of it, and particles may be born outside of it. To
     *   cull by it, grow it by what one step can do, or be one step late.
     * - Particles of space local have not been carried along with moves since then.
     * - Without particles nothing is known yet: lo > hi on each axis. Do not hide an effect for
     *   that reason: one that freezes while it is hidden would never get any particles.
     * Worlds without a hook do not pay for it. */
    rico_box bounds;

    /* In: what the world would use. Out: what it shall use. */
    float significance; /* 0..1 */
    bool hidden;
} rico_detail;

/* The host's own judgement of detail. */
typedef struct rico_detail_hook {
    /* Changes significance and hidden of effects where the host knows better.
     *
     * The world calls it once in each step, before anything moves, with all effects that take
     * part, in the order of their slots. If no effect takes part, it is not called. The hook
     * may rank the effects, but must leave the list in its order. Answers are not trusted: a
     * significance that is NaN or negative counts as 0, one above 1 as 1. Other members are not
     * read back.
     *
     * Threads: the stepping thread; for steps in halves (world_step.h), one of the world's
     *   workers. It must not call the world, except for rico_effect_... functions that only
     *   look. */
    void (*judge)(void *user, rico_detail *effects, uint32_t count);
    void *user;
} rico_detail_hook;

/* Sets the hook, from the next step on. With NULL, or without `judge`, there is none.
 *
 * Cost: the first call with a hook allocates once, for rico_world_def.max_effects.
 * Errors: the hook then stays as it was.
 *   RICO_OUT_OF_MEMORY
 *   RICO_BUSY */
RICO_API rico_result rico_world_set_detail_hook(rico_world *world,
                                                const rico_detail_hook *hook);

/* Returns whether the effect was hidden in the last step; false for a stale id. */
RICO_API bool rico_effect_is_hidden(const rico_world *world, rico_effect_id effect);

#ifdef __cplusplus
}
#endif
#endif
