/* run_inputs.h - what a run reads: for its outputs, which must not be written over it. */
#ifndef RICOCHET_RUN_INPUTS_H
#define RICOCHET_RUN_INPUTS_H

#include "file_list.h"
#include "run_options.h"
#include "run_world.h"

/* The files that the options name, and those of effects that these name, as far as they can be read: who
 * loads them says what is wrong with them. */
void run_inputs_list(const run_options *options, file_list *out);

/* An effect, and those that it names. */
void run_inputs_add_effect(file_list *out, const char *what, const char *path);

/* Those of the world's mesh besides, which are known once it is open. */
void run_inputs_add_mesh(file_list *out, const run_world *w);

#endif
