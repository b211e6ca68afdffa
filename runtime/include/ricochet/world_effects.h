/* world_effects.h - recipes in a world, and the effects that run them. Part of world.h.
 *
 * A recipe (recipe.h) says what particles do; an effect is one running instance of it: an emitter
 * at a place, with its particles.
 *
 * Ids: zero is null. Stale ids (of things that are gone) are detected; ids of another world are
 *   not. This holds for ids of effects, recipes, colliders, shapes and force fields. Effects also
 *   end by themselves (rico_world_ended). So calls for an effect that has ended return
 *   RICO_STALE_ID without a message on the log, but calls with a null id log an error.
 *
 * Errors: every call here that changes the world fails with RICO_BUSY while the world is busy
 *   (world.h).
 */
#ifndef RICOCHET_WORLD_EFFECTS_H
#define RICOCHET_WORLD_EFFECTS_H

#include <ricochet/export.h>
#include <ricochet/recipe.h>
#include <ricochet/result.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_world rico_world; /* world.h */

typedef struct rico_effect_id {
    uint32_t index1;     /* its slot, counted from 1, as in log messages */
    uint32_t generation; /* counts the uses of the slot */
} rico_effect_id;

/* --- Recipes ------------------------------------------------------------------------------ */

/* Adds a copy of the recipe.
 *
 * Errors: a null id.
 *   RICO_UNINITIALIZED_DEF: the recipe does not come from rico_recipe_default.
 *   RICO_OUT_OF_RANGE, RICO_NOT_FINITE: the log names the field. RICO_OUT_OF_RANGE also for mode
 *     exact in a world with a deferred ray caster, for ignored_layers in a world with a ray caster,
 *     and for sub-emitters that are nested too deeply (RICO_MAX_SUB_DEPTH).
 *   RICO_EMPTY_MESH: recipe.mesh has no area.
 *   RICO_STALE_ID: a sub-emitter's recipe is not in this world.
 *   RICO_IN_USE: a sub-emitter hands on sizes or colours to a recipe whose living particles have no
 *     room for them (rico_world_change_recipe).
 *   RICO_FULL: max_recipes exist already, or no effect is left for the births of the sub-emitters.
 *   RICO_OUT_OF_MEMORY: no memory for what the recipe needs. */
RICO_API rico_recipe_id rico_world_add_recipe(rico_world *world, const rico_recipe *recipe);

/* Replaces a recipe, for all effects that run it now or later. Meant for editors, and for recipe
 * files that are loaded again. Living particles and running effects go on:
 *
 * - Particles keep their age, lifetime and velocity, and what was drawn for them at birth. From the
 *   next step on, forces, collision, and size and colour over life are those of the new recipe.
 *   Where motion or collision changes, paths are looked up anew and sleeping particles wake up; but
 *   particles that have stopped stay stopped, and particles that stick go on sticking as long as
 *   what they stick to exists.
 * - Emitters keep their time, their seed and fractions of births. If delay, duration, loops or
 *   bursts change, emitters that still emit start again with the new ones. An emitter that has
 *   ended stays ended.
 * - An effect with more particles than the new max_particles has no births until it has fewer.
 *
 * If none of the recipe's particles is alive, the result is bit-identical to that of
 * rico_world_add_recipe. While some are alive, what is stored per particle must not change.
 * Otherwise the call fails with RICO_IN_USE, and the log names the field. The host can then add the
 * new recipe beside the old one. While particles are alive, these changes are refused:
 * - `mode`;
 * - `interpolate`, `rolls`;
 * - `events` in mode cached: between with and without collisions;
 * - `particle_ids`, `events`, `sub_emitters`, `restitution_random`, `friction_random`, `spin`,
 *   `start_rotation`, `start_frame`: where they give particles ids or take them away;
 * - `particle_size`: between one key and several; `color` and `alpha_over_life`: where one of the
 *   two then has several keys and before none had, or the other way round;
 * - `start_size` and `size_over_duration`: where both are constantly 1 and one then is not, or the
 *   other way round; `start_color`: between white and not. Where particles inherit sizes or
 *   colours, there is room for these already.
 *
 * The call also fails with RICO_IN_USE if a sub-emitter makes another recipe inherit sizes or
 * colours for the first time (rico_sub_emitter.inherit_size, inherit_color) while particles of that
 * other recipe are alive. A new recipe beside this one does not help then. A recipe whose particles
 * have room for inherited sizes or colours keeps that room until it is changed while none of its
 * particles is alive.
 *
 * Errors: those of rico_world_add_recipe (but max_recipes does not matter), and these. The old
 * recipe then stays.
 *   RICO_STALE_ID: there is no such recipe.
 *   RICO_IN_USE: see above.
 *   RICO_OUT_OF_RANGE: sub-emitters would lead back to the recipe itself. */
RICO_API rico_result rico_world_change_recipe(rico_world *world, rico_recipe_id id,
                                              const rico_recipe *recipe);

/* Returns the name of the field for which rico_world_change_recipe would fail with RICO_IN_USE;
 * with a null id, the one for which rico_world_add_recipe would. Logs nothing. NULL = there is
 * none, but other errors are still possible. It is for hosts that then add the new recipe beside
 * the old one, or wait.
 *
 * Threads: any, between steps.
 * Lifetime: static storage. */
RICO_API const char *rico_world_recipe_conflict(const rico_world *world, rico_recipe_id id,
                                                const rico_recipe *recipe);

/* Writes the current recipe to *recipe: as it was last added or changed, with planes and positions
 * of forces where rico_world_shift_origin has moved them, and with the slopes that smooth curves
 * were given. recipe->mesh is empty, because the world does not keep its arrays; set it again
 * before a change. Returns false, and writes nothing, if there is no such recipe. */
RICO_API bool rico_world_get_recipe(const rico_world *world, rico_recipe_id id,
                                    rico_recipe *recipe);

/* Removes a recipe; its place among max_recipes and its memory are free for another one. Recipes
 * whose sub-emitters name it must be removed before it. The effect that has the recipe's births by
 * sub-emitters (rico_world_sub_effect) ends with it.
 *
 * Errors: the recipe then stays.
 *   RICO_IN_USE: an effect runs it, a sub-emitter of another recipe names it, or births that it
 *     owes to a sub-emitter or to rico_world_emit are alive or due.
 *   RICO_STALE_ID: there is no such recipe. */
RICO_API rico_result rico_world_remove_recipe(rico_world *world, rico_recipe_id id);

/* Returns whether rico_world_remove_recipe would fail with RICO_IN_USE; false for a stale id. Logs
 * nothing.
 *
 * Threads: any, between steps. */
RICO_API bool rico_world_recipe_in_use(const rico_world *world, rico_recipe_id id);

/* --- Spawning effects --------------------------------------------------------------------- */

typedef struct rico_effect_def {
    uint32_t cookie;          /* set by rico_effect_def_default; do not touch */
    rico_transform transform; /* where the emitter is [identity] */
    /* 0 = from the world's seed and the number of effects so far, sub-effects included [0]. */
    uint64_t seed;
    float time_scale;         /* 0..10: rico_effect_set_time_scale [1] */
    float rate_scale;         /* 0..100: rico_effect_set_rate_scale [1] */
    rico_color tint;          /* 0..1 each: rico_effect_set_tint [1, 1, 1, 1] */
    /* The host's own pointer. rico_effect_get and rico_world_ended return it; rico_effect_set_user
     * changes it [NULL]. */
    void *user;
} rico_effect_def;

RICO_API rico_effect_def rico_effect_def_default(void);

/* Starts an effect. Its first particles are born in the next step.
 *
 * Births are spread over a step by the times at which they are due. At the end of the step each
 * newborn particle has aged and moved by the rest of the step.
 *
 * In modes cached and exact, surfaces are solid from both sides: a particle that is born behind a
 * surface, however close to it, stays behind it. For effects at points of impact, set
 * rico_recipe.births_in_sight. Or place the effect off the surface, along its normal, as far as its
 * shape reaches back.
 *
 * After a prewarm the effect may have ended already. Its id is then stale, though nothing was
 * refused (rico_effect_is_alive).
 *
 * Errors: a null id.
 *   RICO_STALE_ID: there is no such recipe.
 *   RICO_UNINITIALIZED_DEF: def does not come from rico_effect_def_default.
 *   RICO_NOT_FINITE, RICO_OUT_OF_RANGE: transform (rico_transform; positions within +-1e6 m, as in
 *     all transforms that a world takes), time_scale, rate_scale or tint.
 *   RICO_FULL: max_effects are alive. */
RICO_API rico_effect_id rico_effect_spawn(rico_world *world, rico_recipe_id recipe,
                                          rico_transform transform);
RICO_API rico_effect_id rico_effect_spawn_def(rico_world *world, rico_recipe_id recipe,
                                              const rico_effect_def *def);

/* Spawns several effects that belong together, one after the other: all of them, or none. On an
 * error nothing has changed and all ids are null. `count` is the length of recipes, defs and ids.
 *
 * Errors: as rico_effect_spawn, of the first one that cannot start. */
RICO_API rico_result rico_effect_spawn_all(rico_world *world, const rico_recipe_id *recipes,
                                           const rico_effect_def *defs, uint32_t count,
                                           rico_effect_id *ids);

/* --- Births without an effect for each place ---------------------------------------------- */

/* Births at a place that the host names: impacts, footsteps, splashes, debris. */
typedef struct rico_birth {
    /* Places and turns the recipe's shape; directions turn with it. Its scale applies to the shape
     * alone. Keep it off surfaces, as that of an effect (rico_effect_spawn). */
    rico_transform transform;
    rico_vec3 velocity; /* added to each particle's; m/s, world space, each within +-10,000 */
    uint32_t count;     /* particles, 1..1000 */
} rico_birth;

/* Lets particles of a recipe be born at the given places, at the beginning of the next step whose
 * dt is not 0.
 *
 * Where, in which direction and how fast particles start follows from the transform and velocity of
 * rico_birth, everything else from the recipe. With shape point and speed 0, particles start
 * exactly as given. The recipe's delay, duration, rates, bursts, prewarm, inherit_velocity, and
 * curves over the duration with more than one key have no effect.
 *
 * - Births happen in the order of the calls, after those births of the recipe that events have
 *   caused until then.
 * - All particles belong to one effect, rico_world_sub_effect. recipe.max_particles is for all of
 *   them together. Births that do not fit are counted (rico_world_stats.births_starved), as are
 *   those that would come in a step in which that effect is paused.
 * - Between two steps, 2 * max_events places can wait, of all recipes together (one place if
 *   max_events is 0). Events that lead to births take places, too. The call takes all of its
 *   places, or none.
 * - With a count of 0 it only creates the effect.
 * - After a call for a recipe, rico_effect_seek of an effect whose sub-emitters feed that recipe
 *   leaves the sub-effect as it is.
 *
 * Cost: about 15 ns per place. In the step, about 15 ns per particle at places with four or more
 *   particles, 70 ns at others. Memory is allocated once, by the first call or by the first recipe
 *   with sub-emitters.
 *
 * Errors: no birth happens then.
 *   RICO_STALE_ID: there is no such recipe.
 *   RICO_OUT_OF_RANGE, RICO_NOT_FINITE: the log names the place and its member.
 *   RICO_FULL: no room for so many places, or for the effect (max_effects); or more than 2^32 - 1
 *     births of the recipe would wait.
 *   RICO_OUT_OF_MEMORY: no memory for what waits. */
RICO_API rico_result rico_world_emit(rico_world *world, rico_recipe_id recipe,
                                     const rico_birth *births, uint32_t count);

/* Returns the sub-effect of a recipe: the effect that has all particles of the recipe that
 * sub-emitters and rico_world_emit give birth to. The host may look at it, draw it and pause it.
 * Returns a null id if there is none.
 *
 * - It exists as soon as a recipe has been added whose sub-emitters name this one, or after the
 *   first rico_world_emit. It counts as one of max_effects and stays, even without particles.
 * - Its transform is the identity at first. What is relative to an effect's transform (forces that
 *   are not in world_space, for example) is relative to that.
 * - It emits nothing by itself: rico_effect_emit and rico_effect_seek refuse it with RICO_IN_USE,
 *   rico_effect_stop changes nothing, and rico_effect_destroy removes only its particles. Moving it
 *   does not change where particles are born, but carries living particles of local space along. */
RICO_API rico_effect_id rico_world_sub_effect(const rico_world *world, rico_recipe_id recipe);

/* --- Changing effects --------------------------------------------------------------------- */

/* Moves the emitter. In the next step it goes to `transform` in a straight line, from where it was
 * at the end of the last step, or teleported to since. Births are spread along that path. Living
 * particles stay where they are, unless recipe.space is local.
 *
 * Steps with dt 0 leave the path to the next step. An effect that is paused, or frozen while it is
 * hidden, makes no path: when it goes on, it is at the new place, and rate_per_metre gives no
 * births for that distance.
 *
 * Errors: RICO_STALE_ID, RICO_NOT_FINITE, RICO_OUT_OF_RANGE. */
RICO_API rico_result rico_effect_move(rico_world *world, rico_effect_id effect,
                                      rico_transform transform);

/* Moves the emitter without a path, as if it had always been there. Errors: as rico_effect_move. */
RICO_API rico_result rico_effect_teleport(rico_world *world, rico_effect_id effect,
                                          rico_transform transform);

/* Adds `count` births to those of the recipe, also for an effect that is in its delay or has been
 * stopped. They happen at the beginning of the next step, at the place to which the emitter was
 * moved or teleported last.
 *
 * Range: 0..1e6, all calls together between two steps of the effect. While it is paused or frozen,
 *   it makes none.
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE; RICO_IN_USE for a sub-effect. */
RICO_API rico_result rico_effect_emit(rico_world *world, rico_effect_id effect, uint32_t count);

/* Scales the effect's time, 0..10; 0 pauses it. The effect's own step is the world's dt times this.
 *
 * Short steps: own steps below 2^-13 s (0.12 ms) are saved up. The effect stands still meanwhile,
 *   and so does its move along a path. Then it makes one step of 2^-13 s, and what is left over is
 *   kept. No time is lost, except own steps below 1e-12 s. If something moves or is edited
 *   meanwhile, the effect goes along in a step of what it has saved, from 1e-6 s on. A sub-effect
 *   with births due does not wait: its step is what it has saved, but 1e-6 s at least.
 *
 * Accuracy: longer steps are made as they are. Ages are floats, and each step adds its rounding.
 *   With steps of 1/1000 s, a lifetime of 100 s may be off by 0.4 %, and one of 1000 s by 3 %. With
 *   steps of 1/60 s, one of 1000 s may be off by 0.2 %. With steps that are saved up, lifetimes are
 *   exact.
 *
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE. */
RICO_API rico_result rico_effect_set_time_scale(rico_world *world, rico_effect_id effect,
                                                float time_scale);

/* Multiplies the recipe's rate and rate_per_metre for this effect by a factor of 0..100, from the
 * next step on. It can say how hard it rains, or how far a throttle is open. At 0 there are no
 * births by these rates, but the effect goes on.
 *
 * - Births that were due before stay due. With a duration, each part of it has as many births as
 *   the factor at that time says.
 * - Bursts, and births at events of other effects, are not scaled. max_particles still holds.
 * - For time that is saved up (short steps, see rico_effect_set_time_scale;
 *   RICO_HIDDEN_RUNS_SLOWLY), the factor at the step that is then made counts.
 * - Blocks of particles are sized by the recipe's own rate.
 * - rico_effect_seek keeps the factor, and runs as if it had been so from the start.
 *   rico_world_change_recipe keeps it, too.
 *
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE. */
RICO_API rico_result rico_effect_set_rate_scale(rico_world *world, rico_effect_id effect,
                                                float rate_scale);

/* Sets the colour by which outputs (output.h) multiply the colours of all the effect's particles,
 * 0..1 each. So one recipe does for the dust of every ground, for each team's smoke, or for an
 * effect that fades out as a whole.
 *
 * - It is stored as bytes, like all colours, and so rounded to 1/255. rico_effect_get returns the
 *   rounded value.
 * - Views have the recipe's own colours, and the tint beside them (rico_view.tint).
 * - Particles do the same with any tint. It is in no hash, except through what births at events
 *   inherit from it.
 * - Children of sub-emitters have the tint of rico_world_sub_effect, which is white at first. With
 *   inherit_color they also keep the tint that their parent's effect had at the event.
 * - rico_effect_seek and rico_world_change_recipe keep it.
 *
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE. */
RICO_API rico_result rico_effect_set_tint(rico_world *world, rico_effect_id effect,
                                          rico_color tint);

/* Replaces rico_effect_def.user. Errors: RICO_STALE_ID. */
RICO_API rico_result rico_effect_set_user(rico_world *world, rico_effect_id effect, void *user);

/* Stops all births but those by rico_effect_emit. The effect is destroyed when its last particle
 * has died. Errors: RICO_STALE_ID. */
RICO_API rico_result rico_effect_stop(rico_world *world, rico_effect_id effect);

/* Destroys the effect and its particles at once. Errors: RICO_STALE_ID. */
RICO_API rico_result rico_effect_destroy(rico_world *world, rico_effect_id effect);

/* Restarts the effect where it is, and runs it for `seconds` of the world's time in steps of `step`
 * seconds; the last step is shorter. The result is bit-identical to that of an effect that is
 * spawned now with the same seed, in a world that is then stepped in this way with all other
 * effects paused.
 *
 * - Sub-effects that no other effect feeds restart and run with it (RICO_MAX_SUB_EMITTERS).
 * - Everything else stands still: other effects, colliders on their path
 *   (rico_world_move_colliders), edits (which wait for the world's next step), and what the host
 *   sees of the last step, except its number (rico_world_stats.frame) and its queries
 *   (world_queries.h).
 * - Force fields that scroll start where they were `seconds` ago and end where they are.
 * - Events of this time are not kept.
 * - The effect may end within this time; its id is stale then.
 *
 * Range: seconds 0..3600, step 0.001..1.
 * Cost: grows with `seconds`.
 * Errors: RICO_STALE_ID, RICO_OUT_OF_RANGE, RICO_NOT_FINITE; RICO_IN_USE for a sub-effect. */
RICO_API rico_result rico_effect_seek(rico_world *world, rico_effect_id effect, float seconds,
                                      float step);

/* --- Asking about effects ----------------------------------------------------------------- */

RICO_API bool rico_effect_is_alive(const rico_world *world, rico_effect_id effect);

/* Returns the number of living particles; 0 for a stale id. */
RICO_API uint32_t rico_effect_particle_count(const rico_world *world, rico_effect_id effect);

typedef struct rico_effect_info {
    rico_recipe_id recipe;
    rico_transform transform; /* where it was last spawned, moved or teleported to */
    uint64_t seed;            /* an effect that is spawned with it draws the same random numbers */
    void *user;               /* rico_effect_def.user */
    float time_scale, rate_scale;
    rico_color tint;
    uint32_t particles;      /* alive */
    /* Its part of rico_world_stats.births_starved in the last step; without those that a sub-effect
     * lost because it was paused or places were lacking. */
    uint32_t births_starved;
    /* False if it was stopped or its last loop is over, and it ends with its last particle; also
     * false for a sub-effect. */
    bool emits;
} rico_effect_info;

/* Writes what is known of an effect to *info. Returns false for a stale id, and leaves *info as it
 * is. */
RICO_API bool rico_effect_get(const rico_world *world, rico_effect_id effect,
                              rico_effect_info *info);

/* Iterates over all effects by slot, sub-effects included. For a null id it returns the first
 * effect, otherwise the first one in a slot after that of `after`; at the end, a null id.
 * `after` may be stale, so effects may be destroyed on the way:
 *
 *     for (rico_effect_id e = rico_world_next_effect(world, (rico_effect_id){0}); e.index1 != 0;
 *          e = rico_world_next_effect(world, e)) */
RICO_API rico_effect_id rico_world_next_effect(const rico_world *world, rico_effect_id after);

#ifdef __cplusplus
}
#endif
#endif
