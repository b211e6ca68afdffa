/* rotation.h - how far particles are turned: a function of who they are and how old, kept nowhere. */
#ifndef RICO_ROTATION_H
#define RICO_ROTATION_H

#include "state.h"

/* Whether its particles are turned at all; whether each draws its own, for which it needs its id. */
bool rico__rotates(const rico_recipe *def);
bool rico__rotation_draws(const rico_recipe *def);

/* Of the block's particles, in radians, 0..2 pi. */
void rico__rotations(const rico_world *world, const rico__block *block,
                     float out[RICO__MAX_BLOCK]);

#endif
