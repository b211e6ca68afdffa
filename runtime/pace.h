/* pace.h - the lengths of an effect's steps, and whether forecast paths stay good while these vary.
 *
 * Steps add a dt to the velocity before they add v dt to the place, so a path depends on how its time is
 * cut: after steps of d_i it is off by a/2 times the sum of d_i (d_i - d), where d is the length that it
 * was forecast with. So paths are forecast with the mean of steps, not with the one at hand: what frames
 * of a game take more and less then cancels out, and a long one alone is off by little.
 */
#ifndef RICO_PACE_H
#define RICO_PACE_H

#include "hash.h"
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

/* Before the block of an effect of mode cached is moved: whose path is not true any more, or ends within
 * this step, waits for another. */
void rico__pace_doubt(const rico_world *world, const rico__effect *effect, rico__block *block);

static inline bool rico__pace_doubts(const rico__effect *effect)
{
    return effect->forgets ||
           (effect->paths & (RICO__PATHS_FORGOTTEN | RICO__PATHS_OUTRUN)) != 0;
}

/* The step that the effect's paths are made of, in the place of its own. */
void rico__pace_mean_step(rico__step *step, const rico_world *world,
                          const rico__effect *effect);

/* Part of the world's hash; of an effect whose steps are alike, nothing. */
void rico__pace_hash(rico__hash *hash, const rico__effect *effect);

#endif
