/* rotation.h - how particles are turned. By start_rotation, spin and rotation_over_life: a function of who
 * they are and how old, kept nowhere. By rolling: from step to step. */
#ifndef RICO_ROTATION_H
#define RICO_ROTATION_H

#include "simulate.h"

/* Whether its particles are turned at all; whether each draws its own, for which it needs its id. */
bool rico__rotates(const rico_recipe *def);
bool rico__rotation_draws(const rico_recipe *def);

/* The recipe's curves are prepared. */
void rico__rotation_prepare(rico__recipe *recipe);

/* Of the block's particles, in radians, 0..2 pi. from: its streams. */
void rico__rotations(const rico_world *world, const rico__block *block,
                     const rico__packed_from *from, float out[RICO__MAX_BLOCK]);

/* Of recipes that roll: at birth; and what the spin of those that are awake makes of it in a step. */
void rico__rotation_begin(rico__block_context *c, uint32_t i, rico_quat rotation);
void rico__rotation_roll(rico__block_context *c);

#endif
