/* run_options.h - the options of `ricochet run`. */
#ifndef RICOCHET_RUN_OPTIONS_H
#define RICOCHET_RUN_OPTIONS_H

#include "camera.h"
#include "mesh_file.h"
#include "options.h"
#include "scene_lines.h"
#include "show.h"

typedef struct run_options {
    const char *world; /* file; NULL = the courtyard */
    rio_mesh_options mesh;
    const char *effect_files[SHOW_MAX_KINDS]; /* instead of the show's five; see show.h */
    uint32_t effect_file_count;
    uint32_t effects, particles, frames;
    bool has_effects, has_particles, has_mesh; /* were given; mesh: --up or --scale */
    uint32_t threads;                          /* 0 = one per CPU */
    uint64_t seed;
    const char *scenes;                  /* NULL = where scene_io searches */
    const char *json;                    /* NULL = none, "-" = standard output */
    const char *png;                     /* NULL = none */
    uint32_t png_width;                  /* pixels */
    bool no_png, has_png, has_png_width; /* were given */
    const char *video;                   /* NULL = none */
    uint32_t video_width, video_fps;
    bool has_video_size;
    const char *trace;   /* NULL = none */
    const char *capture; /* NULL = none */
    const char *bake;    /* NULL = none */
    const char *cache;   /* NULL = none */
    uint32_t capture_every;
    bool has_capture_every;
    uint32_t cache_mib;
    scene_view view;   /* drawn into the picture */
    rio_camera camera; /* for the picture */
    bool has_camera;   /* else the world's camera is used: picture_camera */
    float effect_distance; /* metres from the first effect, instead of `camera`; 0 = not given */
    bool quiet, help;
    bool room_for_edits; /* not an option: effect files may change during the run */
} run_options;

run_options run_options_default(void);

/* On false, error is one line. */
bool run_options_parse(int argc, char **argv, run_options *out, char *error,
                       size_t error_bytes);
void run_options_help(void);

/* For other commands that share options. run_options_spec finds an option by its name, which
 * must exist. run_options_check checks what depends on several options, after all have been
 * read. */
const option_spec *run_options_spec(const char *name);
bool run_options_check(run_options *options, char *error, size_t error_bytes);

#endif
