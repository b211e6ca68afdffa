/* effect_path.h - where the program's own effects are. */
#ifndef RICOCHET_EFFECT_PATH_H
#define RICOCHET_EFFECT_PATH_H

#include <stddef.h>

/* Where an effect of the program's own is: "<place>/<name>.json". The place is $RICO_EFFECTS, else
 * ../share/ricochet/effects beside the program, else where this tree has its examples, else where it was
 * to be installed; the first of them that has it. */
const char *rio_effect_path(const char *name, char *path, size_t path_bytes);

#endif
