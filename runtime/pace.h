/* pace.h - the lengths of an effect's steps, and whether known paths stay good meanwhile.
 *
 * A step adds forces to a velocity before it adds v dt to the position. So a velocity belongs
 * to half a step before its position; the length of that step is the *lag*. In uneven steps,
 * forces act from the middle of the last step to the middle of this one (a *kick*; leapfrog).
 * So positions lie on one parabola, however time is cut: that of even steps, from which paths
 * are made. Strong drag, and strong forces beside gravity, lead long steps off it: all paths are
 * made anew before and after such a step.
 */
#ifndef RICO_PACE_H
#define RICO_PACE_H

#include "hash.h"
#include "preparation.h"
#include "state.h"

/* rico__pace_step for steps that are not all of one length. */
void rico__pace_vary(const rico_world *world, rico__effect *effect);

/* At the beginning of the effect's step: what its length means for paths (effect->paths,
 * path_dt). */
static inline void rico__pace_step(const rico_world *world, rico__effect *effect)
{
    if (effect->dt == effect->path_dt && (effect->paths & RICO__PATHS_UNEVEN) == 0)
        effect->paths = 0;
    else
        rico__pace_vary(world, effect);
}

/* The same for `steps` steps of an effect that slept. It has no paths. */
void rico__pace_rest(const rico_world *world, rico__effect *effect, float dt, uint64_t steps);

/* Before the block of an effect of mode cached is moved. Particles whose path is not true any
 * more, or ends within this step, wait for another one. */
void rico__pace_doubt(const rico_world *world, const rico__effect *effect, rico__block *block);

static inline bool rico__pace_doubts(const rico__effect *effect)
{
    return effect->forgets ||
           (effect->paths & (RICO__PATHS_FORGOTTEN | RICO__PATHS_OUTRUN)) != 0;
}

/* For an effect that forgets its paths in its next step (missed_edits): those that it makes then
 * are for steps as long as most are now. Velocities keep their lag. */
static inline void rico__pace_renew(rico__effect *effect)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        effect->path_dt = effect->pace.mean;
}

/* After the effect's step, velocities lie behind positions by half of this, in seconds. */
static inline float rico__pace_lag(const rico__effect *effect)
{
    return (effect->paths & RICO__PATHS_UNEVEN) != 0 ? effect->pace.lag : effect->path_dt;
}

/* The same for the step before, once the effect's step has begun. */
static inline float rico__pace_lag_before(const rico__effect *effect)
{
    return (effect->paths & RICO__PATHS_UNEVEN) != 0 ? effect->pace.lag_before : effect->path_dt;
}

rico_vec3 rico__pace_late_birth(const rico__recipe *recipe, const rico__effect *effect);

/* Added to the velocity of a particle that is born in a long step; otherwise zero. That
 * velocity is the one of half a step earlier. So this makes up for the gravity that the step
 * adds beyond what others do. Inline. */
static inline rico_vec3 rico__pace_birth(const rico__recipe *recipe, const rico__effect *effect)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) == 0)
        return (rico_vec3){0.0f, 0.0f, 0.0f};
    return rico__pace_late_birth(recipe, effect);
}

/* Sets what an uneven step adds to velocities. */
void rico__pace_kick(rico__step *step, const rico_world *world, const rico__effect *effect);

/* The step that the effect's blocks make. Written in place, as rico__effect_step. */
static inline void rico__pace_block_step(rico__step *step, const rico_world *world,
                                         const rico__effect *effect)
{
    rico__effect_step(step, &world->recipes[effect->recipe], effect, world->def.cell_size);
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        rico__pace_kick(step, world, effect);
}

/* Whether the step leads off paths by more than `most` metres, so that particles are tested along
 * the step. step: of rico__pace_block_step; push: the most of other forces, m/s^2.
 * - Paths are curves, and a step is a chord of one.
 * - After a far longer step, drag and forces act for much longer than the step lasts. Where they
 *   depend on the speed, or limit it, that leads elsewhere than the even step from which a path
 *   is made. */
static inline bool rico__pace_leaves_paths(const rico__effect *effect, const rico__step *step,
                                           float push, float most)
{
    const float bulge = 0.125f * (step->fall + push) * step->dt * step->dt;
    const bool off = (effect->paths & RICO__PATHS_FORGOTTEN) != 0;
    return bulge > most || (off && step->middle > 0.5f * step->dt);
}

/* Makes the block's velocities those of free flight so many seconds later: for steps of another
 * lag. */
void rico__pace_shift(const rico_world *world, rico__block *block, float later);

void rico__pace_late_start(const rico_world *world, const rico__effect *effect,
                           rico__block *block);

/* Gives a velocity to particles that are awake and have stood still until now, where the last
 * step was far longer: so forces act on them for the length of this step, not from the middle of
 * the last one on. Called before the block looks ahead and before it is moved; twice does no
 * harm. Inline. */
static inline void rico__pace_start(const rico_world *world, const rico__effect *effect,
                                    rico__block *block)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        rico__pace_late_start(world, effect, block);
}

/* Replaces the step by the even one that makes a particle's path. The particle is where the
 * effect's step has led, or where that step begins (again). True: the steps to come do not
 * follow that path, as drag and forces do more in a step that is far longer. The path is then
 * trusted for the step at hand. Steps that are alike stay as they are: false. */
bool rico__pace_path_step(rico__step *step, const rico_world *world, const rico__effect *effect,
                          bool again);

/* Adds to the world's hash; nothing for an effect whose steps are alike. */
void rico__pace_hash(rico__hash *hash, const rico__effect *effect);

#endif
