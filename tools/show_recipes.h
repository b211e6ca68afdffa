/* show_recipes.h - how much of each effect a show has (private to show). */
#ifndef RICOCHET_SHOW_RECIPES_H
#define RICOCHET_SHOW_RECIPES_H

#include "show.h"

/* The file's recipe, changed so that each of its effects holds `alive` particles in the steady
 * state. fall: the height that rain falls through, metres. */
rico_recipe show_recipe_make(show_kind kind, const rico_recipe *file, double alive, float fall);

#endif
