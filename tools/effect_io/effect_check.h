/* effect_check.h - reports errors that the library finds in a recipe, for its file (private to
 * effect files). */
#ifndef RIO_EFFECT_CHECK_H
#define RIO_EFFECT_CHECK_H

#include "effect_reader.h"

/* Whether the recipe read from `root` can run. The reader is at the root. */
bool rio_check_recipe(rio_reader *r, const json_t *root);

/* An error in the place of an effect that is spawned with another. */
typedef struct rio_place_fault {
    const char *member; /* "position" */
    int element;        /* the element of the member; -1 = the whole member */
    char what[80];      /* " is 0, expected ..." */
} rio_place_fault;

bool rio_check_place(const rico_transform *place, rio_place_fault *fault);

/* Whether the mesh has an area on which particles can be born. rico_recipe_check does not check
 * that, but rico_world_add_recipe does. The mesh must have passed rico_recipe_check. */
bool rio_mesh_has_area(const rico_emitter_mesh *mesh);

#endif
