/* picture.h - a picture of the run's world with all its particles. */
#ifndef RICOCHET_PICTURE_H
#define RICOCHET_PICTURE_H

#include "output.h"
#include "run_world.h"
#include "scene_lines.h"

/* Paints with all workers and writes the file: all of it or nothing. width: pixels; 9/16 as many
 * down. On false, error is one line. */
bool picture_write(run_world *w, const scene_view *view, uint32_t width,
                   const output_file *file, char *error, size_t error_bytes);

#endif
