/* picture.h - a picture of the run's world with all its particles. */
#ifndef RICOCHET_PICTURE_H
#define RICOCHET_PICTURE_H

#include "output.h"
#include "painter.h"
#include "run_world.h"
#include "scene_lines.h"

/* The camera for pictures of this world: --camera, or a view that shows much of it. */
rio_camera picture_camera(const run_world *w);

/* How particles are drawn. gain: a light's brightness over its 8-bit colour. */
typedef struct picture_look {
    rio_particle_kind kind;
    float gain;
} picture_look;

/* Looks by recipe slot, computed when first needed. Zero it at the start, and again when a
 * recipe has changed. */
#define PICTURE_RECIPES 512u
typedef struct picture_looks {
    picture_look items[PICTURE_RECIPES];
    bool known[PICTURE_RECIPES];
} picture_looks;

/* The look of an effect. The show's five have one per kind. Other effects have one per recipe: a
 * file's own, one spawned with it, or one of a sub-emitter. */
picture_look picture_look_of(picture_looks *looks, const run_world *w, rico_effect_id effect,
                             uint32_t kind);

/* Paints the world as it is now. jobs: paints, and must not be used by a step meanwhile. Owner
 * of *out: the caller; rio_image_free. Errors: rio_paint's, RICO_OUT_OF_MEMORY. */
typedef struct picture_def {
    const scene_view *view;
    rio_camera camera;
    uint32_t width, height; /* pixels */
    rico_jobs *jobs;
} picture_def;
rico_result picture_paint(const run_world *w, const picture_def *def, rio_image *out);

/* Writes a picture as a PNG file, complete or not at all. On false, error is one line. */
bool picture_save(const rio_image *image, const output_file *file, char *error,
                  size_t error_bytes);

/* Paints with all workers and writes the file, complete or not at all. width: pixels; the height
 * is 9/16 of it. On false, error is one line. */
bool picture_write(run_world *w, const scene_view *view, uint32_t width,
                   const output_file *file, char *error, size_t error_bytes);

#endif
