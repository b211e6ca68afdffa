/* sprite.h - which pictures particles show: a function of who they are and how old, kept nowhere. */
#ifndef RICO_SPRITE_H
#define RICO_SPRITE_H

#include "state.h"

/* Whether each draws the picture that it begins with, for which it needs its id. */
bool rico__sprite_draws(const rico_recipe *def);

/* Of the block's particles. */
void rico__sprite_frames(const rico_world *world, const rico__block *block,
                         float out[RICO__MAX_BLOCK]);

#endif
