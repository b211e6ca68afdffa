/* run_options.h - what `ricochet run` can be asked for. */
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
    const char *effect_files[SHOW_MAX_KINDS]; /* instead of the five; see show.h */
    uint32_t effect_file_count;
    uint32_t effects, particles, frames;
    bool has_effects, has_particles, has_mesh; /* as options; mesh: --up or --scale */
    uint32_t threads;                          /* 0 = one per CPU */
    uint64_t seed;
    const char *scenes;                  /* NULL = where scene_io looks */
    const char *json;                    /* NULL = none, "-" = standard output */
    const char *png;                     /* NULL = none */
    uint32_t png_width;                  /* pixels */
    bool no_png, has_png, has_png_width; /* as options */
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
    rio_camera camera; /* that it is taken from */
    bool has_camera;   /* else the world's: picture_camera */
    bool quiet, help;
    bool room_for_edits; /* not an option: effect files may change while they run */
} run_options;

run_options run_options_default(void);

/* false: one line in error. */
bool run_options_parse(int argc, char **argv, run_options *out, char *error,
                       size_t error_bytes);
void run_options_help(void);

/* For other commands that have some of these options: one by its name, which must be there; and what
 * is to be looked at after all were read. */
const option_spec *run_options_spec(const char *name);
bool run_options_check(run_options *options, char *error, size_t error_bytes);

#endif
