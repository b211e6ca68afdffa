/* sight.h - births that a surface hides from the place that they come from
 * (rico_recipe.births_in_sight). */
#ifndef RICO_SIGHT_H
#define RICO_SIGHT_H

#include "simulate.h"

/* The block's particle i has just been born, of a shape around that transform. If something is
 * in between, moves it back in front of that. One ray where anything is near; a second one if
 * something is in between. */
void rico__birth_in_sight(rico__block_context *c, uint32_t i, const rico_transform *from);

#endif
