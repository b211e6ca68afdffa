/* space.h - particles that move with their effect: rico_recipe.space. */
#ifndef RICO_SPACE_H
#define RICO_SPACE_H

#include "simulate.h"

#include <string.h>

/* In plan, by the job that has the effect, whose recipe is of space local: carries its
 * particles to where the effect is now, if they are not there. Takes as long as reading and
 * writing their positions and velocities. With interpolation they remember from where, unless
 * the effect was teleported. */
void rico__space_carry(rico_world *world, uint32_t slot);

/* Whether it did so in this step. */
static inline bool rico__space_has_carried(const rico__recipe *recipe, const rico__effect *effect)
{
    return recipe->def.space == RICO_SPACE_LOCAL &&
           memcmp(&effect->came_from, &effect->place, sizeof effect->place) != 0;
}

/* The effect's particles are of space local from now on, where they are. */
void rico__space_begin(rico__effect *effect);

/* No path led the effect's particles to where they are: they are drawn as if they had stood
 * there. */
void rico__space_stand(rico__effect *effect);

/* In simulate, after the block's births, if the effect took its particles along in this step
 * and its recipe interpolates. The newborns were born where the effect is at the end; they are
 * drawn as coming along with it. */
void rico__space_ride(rico__block_context *c);

/* Space local: the effect's transform as its particles are drawn, at share f of the last step's
 * way. */
rico_transform rico__space_drawn(const rico_world *world, const rico__effect *effect, float f);

/* Carries points from one transform to the other, as particles are. */
void rico__space_carry_points(const rico_transform *from, const rico_transform *to,
                              rico_vec3 *points, uint32_t count);

#endif
