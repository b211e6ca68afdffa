/* picture.h - a picture of the run's world with all its particles. */
#ifndef RICOCHET_PICTURE_H
#define RICOCHET_PICTURE_H

#include "output.h"
#include "painter.h"
#include "run_world.h"
#include "scene_lines.h"

/* Where pictures of this world are taken from: --camera, or what shows much of it. */
rio_camera picture_camera(const run_world *w);

/* How particles look. gain: a light's brightness over its 8-bit colour. */
typedef struct picture_look {
    rio_particle_kind kind;
    float gain;
} picture_look;

/* Of recipes, by slot, as far as they have been asked for. Zero to begin with, and again after a change of any. */
#define PICTURE_RECIPES 512u
typedef struct picture_looks {
    picture_look items[PICTURE_RECIPES];
    bool known[PICTURE_RECIPES];
} picture_looks;

/* Of an effect: of the five by its kind, else by its recipe, be it a file's own, or of one that it is spawned with or bears. */
picture_look picture_look_of(picture_looks *looks, const run_world *w, rico_effect_id effect,
                             uint32_t kind);

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
