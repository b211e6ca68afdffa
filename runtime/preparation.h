/* preparation.h - making a recipe ready for frames. */
#ifndef RICO_PREPARATION_H
#define RICO_PREPARATION_H

#include "log.h"
#include "state.h"

/* RICO_OK, or the failure, with a message on the log that names the field. */
rico_result rico__recipe_check(const rico_recipe *recipe, const rico_log *log);

/* emitter_check.c: of its emission. */
rico_result rico__emission_check(const rico_recipe *recipe, const rico_log *log);

/* A number of a recipe and its range. */
typedef struct rico__bound {
    const char *field;
    float value, lo, hi;
} rico__bound;
rico_result rico__check_bounds(const rico__bound *bounds, size_t count, const rico_log *log);

/* Field layout, block size, baked curves. The recipe has been checked. */
void rico__recipe_prepare(rico__recipe *out, const rico_recipe *recipe);

/* The step of one block of the effect. cell_size: of the record cache. */
rico__step rico__recipe_step(const rico__recipe *recipe, const rico__effect *effect,
                             float cell_size);

#endif
