/* show_recipes.h - how much of each effect a show has (private to show). */
#ifndef RICOCHET_SHOW_RECIPES_H
#define RICOCHET_SHOW_RECIPES_H

#include "show.h"

/* The file's recipe, but so that its effects hold `alive` particles each in the steady state. fall is
 * the height that rain falls through, metres. */
rico_recipe show_recipe_make(show_kind kind, const rico_recipe *file, double alive, float fall);

#endif
