/* effect_path.h - finds the program's own effects. */
#ifndef RICOCHET_EFFECT_PATH_H
#define RICOCHET_EFFECT_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of one of the program's own effects: "<place>/<name>.json". If $RICO_EFFECTS
 * is set, that is the only place. Otherwise the place is the first of these that has the file;
 * if none has it, the first that exists: ../share/ricochet/effects beside the program;
 * examples/effects of this tree; the directory of the installation. */
const char *rio_effect_path(const char *name, char *path, size_t path_bytes);

/* Writes the path of an effect by the user's `name`. A name without / and . is one of the
 * program's own effects; any other is a file, which need not exist. On false there is no such
 * effect; error is one line that says where it was searched and which effects exist. */
bool rio_effect_find(const char *name, char *path, size_t path_bytes, char *error,
                     size_t error_bytes);

/* Whether a file of this name is an effect: "fire.json" is, "effect.schema.json" is not. */
bool rio_effect_is_file(const char *name);

#endif
