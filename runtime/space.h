/* space.h - particles that go along with their effect: rico_recipe.space. */
#ifndef RICO_SPACE_H
#define RICO_SPACE_H

#include "simulate.h"

#include <string.h>

/* In plan, by the job that has the effect, whose recipe is of space local: carries its particles to where it
 * is now, if they are not there. The time that this takes is that of reading and writing their places and
 * velocities. Of recipes with interpolate they remember from where, unless it was teleported. */
void rico__space_carry(rico_world *world, uint32_t slot);

/* Whether it did so in this step. */
static inline bool rico__space_has_carried(const rico__recipe *recipe, const rico__effect *effect)
{
    return recipe->def.space == RICO_SPACE_LOCAL &&
           memcmp(&effect->came_from, &effect->place, sizeof effect->place) != 0;
}

/* The effect's particles begin to be of space local, where they are. */
void rico__space_begin(rico__effect *effect);

/* No way led the effect's particles to where they are: to whoever draws, they stood there. */
void rico__space_stand(rico__effect *effect);

/* In simulate, after the block's births, of an effect that its particles rode on in this step and whose recipe
 * interpolates: they were born where the effect is at the end, and are seen coming along with it. */
void rico__space_ride(rico__block_context *c);

/* Space local: where the effect's particles see it, that share of the last step's way there. */
rico_transform rico__space_drawn(const rico_world *world, const rico__effect *effect, float f);

/* Points that went along from one transform to the other, as particles do. */
void rico__space_carry_points(const rico_transform *from, const rico_transform *to,
                              rico_vec3 *points, uint32_t count);

#endif
