/* effect_check.h - what the library says of a recipe, as said of its file (private to effect files). */
#ifndef RIO_EFFECT_CHECK_H
#define RIO_EFFECT_CHECK_H

#include "effect_reader.h"

/* Whether the recipe that was read of `root` can run. The reader is at the root. */
bool rio_check_recipe(rio_reader *r, const json_t *root);

/* What is wrong with the place of an effect that is spawned with another. */
typedef struct rio_place_fault {
    const char *member; /* "position" */
    int element;        /* of it; -1 = all of it */
    char what[80];      /* " is 0, expected ..." */
} rio_place_fault;

bool rio_check_place(const rico_transform *place, rio_place_fault *fault);

/* Whether particles can be born on it: rico_recipe_check does not ask, rico_world_add_recipe does. It has passed the
 * former. */
bool rio_mesh_has_area(const rico_emitter_mesh *mesh);

#endif
