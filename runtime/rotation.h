/* rotation.h - how particles are rotated. By start_rotation, spin and rotation_over_life: a
 * function of their ids and ages, which is stored nowhere. By rolling: from step to step. */
#ifndef RICO_ROTATION_H
#define RICO_ROTATION_H

#include "simulate.h"

/* Whether the recipe's particles are rotated at all; whether each draws its own rotation, for
 * which it needs its id. */
bool rico__rotates(const rico_recipe *def);
bool rico__rotation_draws(const rico_recipe *def);

/* The recipe's curves are prepared. */
void rico__rotation_prepare(rico__recipe *recipe);

/* The rotations of the block's particles, in radians, 0..2 pi. from: its streams. */
void rico__rotations(const rico_world *world, const rico__block *block,
                     const rico__packed_from *from, float out[RICO__MAX_BLOCK]);

/* Recipes that roll: sets the rotation at birth; turns the particles that are awake by their
 * spin in a step. */
void rico__rotation_begin(rico__block_context *c, uint32_t i, rico_quat rotation);
void rico__rotation_roll(rico__block_context *c);

#endif
