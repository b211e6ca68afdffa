/* show_recipes.h - the looks and physics of the show's recipes (private to show). */
#ifndef RICOCHET_SHOW_RECIPES_H
#define RICOCHET_SHOW_RECIPES_H

#include "show.h"

/* A recipe whose effects hold `alive` particles each in the steady state. fall is the height
 * that rain falls through, metres. */
rico_recipe show_recipe_make(show_kind kind, double alive, float fall);

#endif
