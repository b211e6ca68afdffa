/* sprite.h - which pictures particles show: a function of their ids and ages, which is stored
 * nowhere. */
#ifndef RICO_SPRITE_H
#define RICO_SPRITE_H

#include "state.h"

/* Whether each particle draws the picture that it begins with, for which it needs its id. */
bool rico__sprite_draws(const rico_recipe *def);

/* The recipe's curves are prepared. */
void rico__sprite_prepare(rico__recipe *recipe);

/* The pictures of the block's particles. from: its streams. */
void rico__sprite_frames(const rico_world *world, const rico__block *block,
                         const rico__packed_from *from, float out[RICO__MAX_BLOCK]);

#endif
