/* space.h - particles that go along with their effect: rico_recipe.space. */
#ifndef RICO_SPACE_H
#define RICO_SPACE_H

#include "state.h"

/* In plan, by the job that has the effect, whose recipe is of space local: carries its particles to where it
 * is now, if they are not there. The time that this takes is that of reading and writing their places and
 * velocities. */
void rico__space_carry(rico_world *world, uint32_t slot);

#endif
