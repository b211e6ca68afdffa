#include "run_options.h"

#include "show.h"
#include <math.h>
#include <ricochet/jobs.h>
#include <ricochet/world.h>
#include <stdio.h>
#include <string.h>

static bool set_world(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->world = value;
    snprintf(error, error_bytes, "expected the name of a mesh file");
    return value[0] != '\0';
}

static bool set_up(void *settings, const char *value, char *error, size_t error_bytes)
{
    run_options *options = settings;
    bool y = strcmp(value, "y") == 0;
    options->mesh.up = y ? RIO_UP_Y : RIO_UP_Z;
    options->has_mesh = true;
    snprintf(error, error_bytes, "'%.80s' is neither y nor z", value);
    return y || strcmp(value, "z") == 0;
}

static bool set_scale(void *settings, const char *value, char *error, size_t error_bytes)
{
    double scale; /* not so small that a float is 0 */
    if (!options_number(value, 1.0e-12, 1.0e6, &scale, error, error_bytes))
        return false;
    ((run_options *)settings)->mesh.scale = (float)scale;
    ((run_options *)settings)->has_mesh = true;
    return true;
}

static bool set_count(uint32_t *out, const char *value, uint32_t hi, char *error,
                      size_t error_bytes)
{
    uint64_t count;
    if (!options_integer(value, 1, hi, &count, error, error_bytes))
        return false;
    *out = (uint32_t)count;
    return true;
}

static bool set_effect(void *settings, const char *value, char *error, size_t error_bytes)
{
    run_options *options = settings;
    snprintf(error, error_bytes, "expected the name of an effect file, at most %u times",
             SHOW_MAX_KINDS);
    if (value[0] == '\0' || options->effect_file_count == SHOW_MAX_KINDS)
        return false;
    options->effect_files[options->effect_file_count++] = value;
    return true;
}

static bool set_effects(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->has_effects = true;
    return set_count(&((run_options *)settings)->effects, value, SHOW_MAX_EFFECTS, error,
                     error_bytes);
}

static bool set_particles(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->has_particles = true;
    return set_count(&((run_options *)settings)->particles, value, SHOW_MAX_PARTICLES, error,
                     error_bytes);
}

static bool set_frames(void *settings, const char *value, char *error, size_t error_bytes)
{
    return set_count(&((run_options *)settings)->frames, value, 1000000u, error, error_bytes);
}

static bool set_threads(void *settings, const char *value, char *error, size_t error_bytes)
{
    return set_count(&((run_options *)settings)->threads, value, RICO_JOBS_MAX_WORKERS, error,
                     error_bytes);
}

static bool set_seed(void *settings, const char *value, char *error, size_t error_bytes)
{
    return options_integer(value, 0, INT64_MAX, &((run_options *)settings)->seed, error,
                           error_bytes);
}

static bool set_scenes(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((run_options *)settings)->scenes = value;
    return true;
}

static bool set_json(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->json = value;
    snprintf(error, error_bytes, "expected a file, or - for standard output");
    return value[0] != '\0';
}

static bool set_png(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->png = value;
    ((run_options *)settings)->has_png = true;
    return options_file(value, error, error_bytes);
}

static bool set_png_width(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t width;
    if (!options_integer(value, 64, 7680, &width, error, error_bytes))
        return false;
    ((run_options *)settings)->png_width = (uint32_t)width;
    ((run_options *)settings)->has_png_width = true;
    return true;
}

/* ffmpeg is told the format, but what plays videos goes by the name. */
static bool set_video(void *settings, const char *value, char *error, size_t error_bytes)
{
    size_t length = strlen(value);
    ((run_options *)settings)->video = value;
    snprintf(error, error_bytes, "'%.80s' is not the name of an .mp4 file", value);
    return length > 4 && strcmp(value + length - 4, ".mp4") == 0;
}

static bool set_video_width(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t width;
    if (!options_integer(value, 64, 7680, &width, error, error_bytes))
        return false;
    ((run_options *)settings)->video_width = (uint32_t)width;
    ((run_options *)settings)->has_video_size = true;
    return true;
}

static bool set_video_fps(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t fps;
    if (!options_integer(value, 1, 60, &fps, error, error_bytes))
        return false;
    snprintf(error, error_bytes, "'%.80s' does not divide the 60 steps of a second", value);
    ((run_options *)settings)->video_fps = (uint32_t)fps;
    ((run_options *)settings)->has_video_size = true;
    return 60 % fps == 0;
}

static bool set_trace(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->trace = value;
    return options_file(value, error, error_bytes);
}

static bool set_no_png(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((run_options *)settings)->png = NULL;
    ((run_options *)settings)->no_png = true;
    return true;
}

static bool set_capture(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->capture = value;
    return options_file(value, error, error_bytes);
}

static bool set_capture_every(void *settings, const char *value, char *error,
                              size_t error_bytes)
{
    ((run_options *)settings)->has_capture_every = true;
    return set_count(&((run_options *)settings)->capture_every, value, 1000000000u, error,
                     error_bytes);
}

static bool set_bake(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->bake = value;
    return options_file(value, error, error_bytes);
}

static bool set_cache(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((run_options *)settings)->cache = value;
    return options_file(value, error, error_bytes);
}

static bool set_cache_mib(void *settings, const char *value, char *error, size_t error_bytes)
{
    return set_count(&((run_options *)settings)->cache_mib, value, 65536, error, error_bytes);
}

static bool set_draw(void *settings, const char *value, char *error, size_t error_bytes)
{
    return scene_view_parse(&((run_options *)settings)->view, value, error, error_bytes);
}

#define CAMERA_LEAST 1.0e-3f /* metres between the camera and what it looks at */
#define CAMERA_FOV 60.0f     /* degrees, vertical, where none are given */

static bool set_camera(void *settings, const char *value, char *error, size_t error_bytes)
{
    run_options *o = settings;
    float to[7] = {[6] = CAMERA_FOV};
    snprintf(
        error, error_bytes,
        "'%.80s' is not X,Y,Z,TX,TY,TZ or X,Y,Z,TX,TY,TZ,FOV: where it is, and what it looks "
        "at from 1 mm away or more, each up to 1e6 m from the origin; FOV is 1 to 150 degrees",
        value);
    if ((!options_floats(value, to, 6) && !options_floats(value, to, 7)) || to[6] < 1.0f ||
        to[6] > 150.0f)
        return false;
    for (size_t i = 0; i < 6; ++i)
        if (fabsf(to[i]) > 1.0e6f)
            return false;
    o->camera = (rio_camera){{to[0], to[1], to[2]}, {to[3], to[4], to[5]}, to[6]};
    o->has_camera = true;
    float x = to[3] - to[0], y = to[4] - to[1], z = to[5] - to[2];
    return x * x + y * y + z * z >= CAMERA_LEAST * CAMERA_LEAST;
}

static bool set_quiet(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((run_options *)settings)->quiet = true;
    return true;
}

static bool set_help(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((run_options *)settings)->help = true;
    return true;
}

static const option_spec specs[] = {
    {"world", "FILE",
     "the world: a mesh in any format that Assimp reads [a generated courtyard]", set_world},
    {"up", "y|z", "which way is up in FILE [z]", set_up},
    {"scale", "S", "metres per unit of FILE, above 1e-12 and up to 1e6 [1]", set_scale},
    {"effect", "FILE",
     "run this effect, with the rates that it has, instead of the show's five; again for\n"
     "more; or the name of one that comes with the program, such as fire; it begins anew\n"
     "when it has ended. On the ground, its +z up; what falls (gravity) from a box or line of\n"
     "0.75 m or more (size x) in the sky, turned so that its speed goes down",
     set_effect},
    {"effects", "N", "effects at once [2000; with --effect 100]", set_effects},
    {"particles", "N",
     "particles alive in the steady state, over all effects [300000]; not with --effect",
     set_particles},
    {"frames", "N", "steps of 1/60 s [600]", set_frames},
    {"threads", "N", "workers, 1 to 256 [one per CPU]", set_threads},
    {"seed", "N", "of everything random; results depend on it, never on --threads [1]",
     set_seed},
    {"scenes", "DIR", "where to look for FILE [$RICO_SCENES, then ../shared/scenes]",
     set_scenes},
    {"json", "FILE",
     "write the results as one JSON object; - = standard output, without the table", set_json},
    {"png", "FILE", "write a picture of the last frame [ricochet.png]", set_png},
    {"png-width", "N", "pixels across that picture, 64 to 7680, by 9/16 as many down [1280]",
     set_png_width},
    {"video", "FILE",
     "write all frames as an MP4, by ffmpeg; each picture is painted like that of --png,\n"
     "which takes a second or more",
     set_video},
    {"video-width", "N", "pixels across the video, by 9/16 as many down, both even [640]",
     set_video_width},
    {"video-fps", "N", "pictures per second, a divisor of 60 [30]", set_video_fps},
    {"trace", "FILE",
     "write what each worker did when, in the last frames, for chrome://tracing or Perfetto",
     set_trace},
    {"no-png", NULL, "write no picture", set_no_png},
    {"draw", "WHAT",
     "show how the scene is stored, in the picture: grid, occupancy, leaves, colliders;\n"
     "planes: the surfaces in the particles' cache; queries: which cells were gathered and\n"
     "which rays asked in the last second; or ray=X,Y,Z,DX,DY,DZ: what that ray meets; again\n"
     "for more",
     set_draw},
    {"camera", "X,Y,Z,TX,TY,TZ[,FOV]",
     "\ntake pictures from X,Y,Z, in metres, looking at TX,TY,TZ; z is up; FOV degrees from\n"
     "top to bottom, 60 where left out [a view that shows much of the world]",
     set_camera},
    {"bake", "FILE",
     "fill the particles' cache before the first frame, and write it for --cache", set_bake},
    {"cache", "FILE", "start with a cache that --bake wrote for the same world", set_cache},
    {"cache-mib", "N", "memory of the cache's records, 1 to 65536 MiB [128]", set_cache_mib},
    {"capture", "FILE",
     "write rays along followed particles, with their answers and the triangles they met,\n"
     "for `ricochet replay FILE`: every N-th, and all that differ from brute force",
     set_capture},
    {"capture-every", "N", "which rays --capture chooses, of those near triangles [1000]",
     set_capture_every},
    {"quiet", NULL, "no table, no progress bar, no notes, none of the library's warnings",
     set_quiet},
    {"help", NULL, "this text", set_help},
};

#define SPEC_COUNT (sizeof specs / sizeof *specs)

run_options run_options_default(void)
{
    run_options options;
    memset(&options, 0, sizeof options);
    options.mesh.scale = 1.0f;
    options.effects = 2000;
    options.particles = 300000;
    options.frames = 600;
    options.seed = 1;
    options.cache_mib = (uint32_t)(rico_world_def_default().cache_bytes >> 20);
    options.png = "ricochet.png";
    options.png_width = 1280;
    options.video_width = 640;
    options.video_fps = 30;
    options.capture_every = 1000;
    return options;
}

const option_spec *run_options_spec(const char *name)
{
    const option_spec *spec = specs;
    while (strcmp(spec->name, name) != 0)
        ++spec;
    return spec;
}

bool run_options_check(run_options *options, char *error, size_t error_bytes)
{
    if (options->effect_file_count > 0 && !options->has_effects)
        options->effects = 100;
    snprintf(error, error_bytes, "--up and --scale are for --world FILE");
    if (options->has_mesh && !options->world && !options->help)
        return false;
    snprintf(error, error_bytes, "--particles: not with --effect, whose files say how many");
    return options->effect_file_count == 0 || !options->has_particles || options->help;
}

/* What says nothing without another option, or against it. */
static bool check_pairs(const run_options *o, char *error, size_t error_bytes)
{
    const struct {
        bool wrong;
        const char *expected;
    } pairs[] = {
        {o->bake && o->cache, "--bake and --cache: expected one of them"},
        {o->has_video_size && !o->video, "--video-width and --video-fps are for --video FILE"},
        {o->no_png && o->has_png, "--png and --no-png: expected one of them"},
        {o->no_png && o->has_png_width, "--png-width is for a picture: not with --no-png"},
        {o->has_capture_every && !o->capture, "--capture-every is for --capture FILE"},
        {!scene_view_is_empty(&o->view) && !o->png && !o->video,
         "--draw is for pictures: not with --no-png"},
        {o->has_camera && !o->png && !o->video, "--camera is for pictures: not with --no-png"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        if (pairs[i].wrong) {
            snprintf(error, error_bytes, "%s", pairs[i].expected);
            return false;
        }
    return true;
}

bool run_options_parse(int argc, char **argv, run_options *out, char *error, size_t error_bytes)
{
    *out = run_options_default();
    if (!options_parse(specs, SPEC_COUNT, argc, argv, out, error, error_bytes))
        return false;
    if (!run_options_check(out, error, error_bytes))
        return false;
    return out->help || check_pairs(out, error, error_bytes);
}

void run_options_help(void)
{
    puts("usage: ricochet run [options]\n\n"
         "Runs thousands of particle effects in a world, and reports what it cost.\n");
    options_print(specs, SPEC_COUNT);
    puts("\nBad input: one line on standard error, exit status 2, and nothing is written.");
}
