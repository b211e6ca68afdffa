/* run_inputs.h - the files that a run reads. Outputs must not be written over them. */
#ifndef RICOCHET_RUN_INPUTS_H
#define RICOCHET_RUN_INPUTS_H

#include "file_list.h"
#include "run_options.h"
#include "run_world.h"

/* Lists the files that the options name, and the effect files that these name, as far as they
 * can be read. Errors in them are reported when they are loaded. */
void run_inputs_list(const run_options *options, file_list *out);

/* Adds an effect's file, and the files that it names. */
void run_inputs_add_effect(file_list *out, const char *what, const char *path);

/* Adds the files of the world's mesh, which are known once it is open. */
void run_inputs_add_mesh(file_list *out, const run_world *w);

#endif
