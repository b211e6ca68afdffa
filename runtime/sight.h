/* sight.h - births that a surface hides from where they come from (rico_recipe.births_in_sight). */
#ifndef RICO_SIGHT_H
#define RICO_SIGHT_H

#include "simulate.h"

/* The block's particle has just been born, of a shape around that transform: it goes back to in front of what is
 * between. One ray, where anything is near. */
void rico__birth_in_sight(rico__block_context *c, uint32_t i, const rico_transform *from);

#endif
