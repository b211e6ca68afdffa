/* picture.h - a picture of the run's world with all its particles. */
#ifndef RICOCHET_PICTURE_H
#define RICOCHET_PICTURE_H

#include "output.h"
#include "painter.h"
#include "run_world.h"
#include "scene_lines.h"

/* Where pictures of this world are taken from: --camera, or what shows much of it. */
rio_camera picture_camera(const run_world *w);

/* How particles of a kind look; gain: a light's brightness over its 8-bit colour. */
rio_particle_kind picture_kind(const show_cast *cast, uint32_t kind, float *gain);

/* The world as it is now. jobs: who paints, and is in no step meanwhile. Owner of *out: the caller;
 * rio_image_free. Errors: rio_paint's, RICO_OUT_OF_MEMORY. */
typedef struct picture_def {
    const scene_view *view;
    rio_camera camera;
    uint32_t width, height; /* pixels */
    rico_jobs *jobs;
} picture_def;
rico_result picture_paint(const run_world *w, const picture_def *def, rio_image *out);

/* Writes a picture as a PNG file: all of it or nothing. On false, error is one line. */
bool picture_save(const rio_image *image, const output_file *file, char *error,
                  size_t error_bytes);

/* Paints with all workers and writes the file: all of it or nothing. width: pixels; 9/16 as many
 * down. On false, error is one line. */
bool picture_write(run_world *w, const scene_view *view, uint32_t width,
                   const output_file *file, char *error, size_t error_bytes);

#endif
