/* pace.h - the lengths of an effect's steps, and whether forecast paths stay good while these vary.
 *
 * A step adds forces to a velocity before it adds v dt to the place, so a velocity is that of half a step ago: how far, is
 * its lag. Where steps are uneven, forces act from the middle of the last one to the middle of this (a kick; leapfrog).
 * So places lie on one parabola, however its time is cut: that which even steps lead along, of which paths are made. Drag and
 * forces lead long steps off it: then lags are bounded, and all paths are made anew before such a step and after it.
 */
#ifndef RICO_PACE_H
#define RICO_PACE_H

#include "hash.h"
#include "preparation.h"
#include "state.h"

/* The same for steps that are not all alike. */
void rico__pace_vary(const rico_world *world, rico__effect *effect);

/* At the beginning of the effect's step: what its length means for paths (effect->paths, path_dt). */
static inline void rico__pace_step(const rico_world *world, rico__effect *effect)
{
    if (effect->dt == effect->path_dt && (effect->paths & RICO__PATHS_UNEVEN) == 0)
        effect->paths = 0;
    else
        rico__pace_vary(world, effect);
}

/* The same of so many steps of an effect that slept. It has no paths. */
void rico__pace_rest(const rico_world *world, rico__effect *effect, float dt, uint64_t steps);

/* Before the block of an effect of mode cached is moved: whose path is not true any more, or ends within
 * this step, waits for another. */
void rico__pace_doubt(const rico_world *world, const rico__effect *effect, rico__block *block);

static inline bool rico__pace_doubts(const rico__effect *effect)
{
    return effect->forgets ||
           (effect->paths & (RICO__PATHS_FORGOTTEN | RICO__PATHS_OUTRUN)) != 0;
}

/* Its paths are made anew in the next step, and so may go by steps as long as most are now. Velocities stay those of half of
 * the last step before. */
static inline void rico__pace_renew(rico__effect *effect)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        effect->path_dt = effect->pace.mean;
}

/* Half of this is by how much velocities lie behind places, after the effect's step. */
static inline float rico__pace_lag(const rico__effect *effect)
{
    return (effect->paths & RICO__PATHS_UNEVEN) != 0 ? effect->pace.lag : effect->path_dt;
}

/* The same before it, once the step has begun. */
static inline float rico__pace_lag_before(const rico__effect *effect)
{
    return (effect->paths & RICO__PATHS_UNEVEN) != 0 ? effect->pace.lag_before : effect->path_dt;
}

rico_vec3 rico__pace_late_birth(const rico__recipe *recipe, const rico__effect *effect);

/* Who is born in a long step has the velocity of half of it before: this makes up for what that has more of forces than in
 * others. In place. */
static inline rico_vec3 rico__pace_birth(const rico__recipe *recipe, const rico__effect *effect)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) == 0)
        return (rico_vec3){0.0f, 0.0f, 0.0f};
    return rico__pace_late_birth(recipe, effect);
}

/* Of an uneven step: what it adds to velocities. */
void rico__pace_kick(rico__step *step, const rico_world *world, const rico__effect *effect);

/* The step that the effect's blocks make. In place. */
static inline void rico__pace_block_step(rico__step *step, const rico_world *world,
                                         const rico__effect *effect)
{
    rico__effect_step(step, &world->recipes[effect->recipe], effect, world->def.cell_size);
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        rico__pace_kick(step, world, effect);
}

/* The block's velocities become those of so many seconds later, of free flight: for steps of another lag. */
void rico__pace_shift(const rico_world *world, rico__block *block, float later);

void rico__pace_late_start(const rico_world *world, const rico__effect *effect,
                           rico__block *block);

/* Who has stood still until now, and is awake, has no velocity of half of a long step before: it gets one, so that forces
 * act on it for the length of this step. Before the block looks ahead, and before it is moved; once more does no harm. In
 * place. */
static inline void rico__pace_start(const rico_world *world, const rico__effect *effect,
                                    rico__block *block)
{
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0)
        rico__pace_late_start(world, effect, block);
}

/* The even step that makes the path of who is where the effect's step has led, or where it begins (again), in the place of
 * its own. True: that path is not the one of the steps to come, as drag and forces do more in a step that is far longer. It is
 * believed for the step at hand. */
bool rico__pace_path_step(rico__step *step, const rico_world *world, const rico__effect *effect,
                          bool again);

/* Part of the world's hash; of an effect whose steps are alike, nothing. */
void rico__pace_hash(rico__hash *hash, const rico__effect *effect);

#endif
