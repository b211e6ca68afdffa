/* effect_check.h - what the library says of a recipe, as said of its file (private to effect files). */
#ifndef RIO_EFFECT_CHECK_H
#define RIO_EFFECT_CHECK_H

#include "effect_reader.h"

/* Whether the recipe that was read of `root` can run. The reader is at the root. */
bool rio_check_recipe(rio_reader *r, const json_t *root);

#endif
