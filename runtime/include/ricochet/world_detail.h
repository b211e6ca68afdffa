/* world_detail.h - detail: what is far away or does not matter costs less.
 *
 * Two numbers decide, for each effect and in each step: whether it is hidden, and its significance, 0..1.
 * The world says both by the distance between the emitter and the nearest viewer (rico_recipe.cull_distance,
 * lod_distance); a host that knows more (what is on the screen, behind a wall, the player's own) says it
 * itself, in the hook below. What follows from them is the recipe's: what a hidden effect does
 * (rico_recipe.hidden), and how many of its births an insignificant one has (lod_below, lod_births). In
 * modes cached and classic, significance is also a weight in the sharing of queries: an effect has its own
 * queries_per_frame times its significance for sure, and of the rest by what it lacks times its
 * significance.
 *
 * Only recipes that ask for it take part (recipe.h); effects that sub-emitters feed, and those that are
 * prewarmed or sought, are seen, and fully significant. Drawing is the host's: hidden effects are in views
 * and outputs as others are.
 *
 * Births that are left out are spread evenly, and those that remain are the same as in the full effect:
 * the same ids, times of birth and numbers drawn. Births by rico_effect_emit are no exception.
 *
 * Hidden effects and the rest of the world: one that is frozen or between its slow steps is paused to all
 * others (rico_effect_set_time_scale): moves of an emitter that is frozen are teleports, those of a slow
 * one are made in its next step; that step is at most 0.25 s of its own time long, or one of the
 * world's if that is longer. What changed meanwhile is news to it then, and who rested on a collider that
 * moved wakes up. Of colliders that move it sees the way of the world's last step: who is hidden may be
 * passed through. Who is shown again makes up for what it owes in that very step.
 *
 * Determinism: viewers and the hook's answers are input of the step, as dt is: whoever wants to run a
 * world again records them. Nothing in ricochet does (`ricochet run --capture` keeps rays).
 */
#ifndef RICOCHET_WORLD_DETAIL_H
#define RICOCHET_WORLD_DETAIL_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RICO_MAX_VIEWERS 4u

/* Who looks, from the next step on: 0..RICO_MAX_VIEWERS places. With none, nothing is far away. Errors:
 * RICO_OUT_OF_RANGE (count), RICO_NOT_FINITE, RICO_BUSY; they stay as they were then. */
RICO_API rico_result rico_world_set_viewers(rico_world *world, const rico_vec3 *places,
                                            uint32_t count);

/* One effect, as the hook sees it. */
typedef struct rico_detail {
    rico_effect_id effect;
    rico_recipe_id recipe;
    rico_vec3 position; /* of its emitter */
    float distance;     /* to the nearest viewer, metres; 0 without one */
    uint32_t particles; /* alive */
    /* Of all its particles as the world's last step has left them: their centres, grown by the size of the
     * largest, as rico_output_part.bounds. This step may take them out of it, and bear others elsewhere:
     * whoever culls by it grows it by what a step can do, or is late by one. Particles of space local have
     * not been carried along with moves since. Without particles nothing is known yet: lo > hi, on
     * each axis; to hide an effect then is to leave it without any. Worlds without a hook do not pay
     * for it. */
    rico_box bounds;
    float significance; /* out: 0..1. Comes as the world would have it */
    bool hidden;        /* out: the same */
} rico_detail;

/* `judge` is called once in each step, before anything moves, unless there is no effect that takes part:
 * with all of those, in the order of their slots. It changes significance and hidden where it knows
 * better. It may sort or rank as it likes, but leaves the list in its order. Answers are not trusted:
 * significance that is NaN or negative is 0, above 1 it is 1; the rest is not read.
 * Threads: the stepping thread. It may not call the world, but for rico_effect_... that look. */
typedef struct rico_detail_hook {
    void (*judge)(void *user, rico_detail *effects, uint32_t count);
    void *user;
} rico_detail_hook;

/* From the next step on; NULL, or without judge: none. Allocates once, for world_def.max_effects. Errors:
 * RICO_OUT_OF_MEMORY, RICO_BUSY; it stays as it was then. */
RICO_API rico_result rico_world_set_detail_hook(rico_world *world,
                                                const rico_detail_hook *hook);

/* Whether it was hidden in the last step. False for a stale id. */
RICO_API bool rico_effect_is_hidden(const rico_world *world, rico_effect_id effect);

#ifdef __cplusplus
}
#endif
#endif
