/* effect_path.h - where the program's own effects are. */
#ifndef RICOCHET_EFFECT_PATH_H
#define RICOCHET_EFFECT_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Where an effect of the program's own is: "<place>/<name>.json". Where $RICO_EFFECTS is set, the place is that alone.
 * Else it is the first of these that has the file, or, if none has it, the first that exists:
 * ../share/ricochet/effects beside the program; examples/effects of this tree; where it was to be installed. */
const char *rio_effect_path(const char *name, char *path, size_t path_bytes);

/* The path of what a user calls `name`: an effect of the program's own, by a name without / and ., or else
 * a file, which need not be there. False: there is no such effect; error is one line that says where
 * it was looked for, and which there are. */
bool rio_effect_find(const char *name, char *path, size_t path_bytes, char *error,
                     size_t error_bytes);

/* Whether a file of this name is an effect: "fire.json", not "effect.schema.json". */
bool rio_effect_is_file(const char *name);

#endif
