/* warm_start.h - caches baked before a run, in files. */
#ifndef RICOCHET_WARM_START_H
#define RICOCHET_WARM_START_H

#include "output.h"
#include "run_world.h"

/* Bakes the world's cache and writes it. On false, error is one line. */
bool warm_start_bake(run_world *w, const output_file *file, bool quiet, char *error,
                     size_t error_bytes);

/* Loads a cache that was written by warm_start_bake. */
bool warm_start_load(run_world *w, const char *path, char *error, size_t error_bytes);

#endif
