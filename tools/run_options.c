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
    snprintf(error, error_bytes, "'%.80s' is not an axis, expected y or z", value);
    return y || strcmp(value, "z") == 0;
}

static bool set_scale(void *settings, const char *value, char *error, size_t error_bytes)
{
    double scale; /* large enough not to become 0 as a float */
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
    snprintf(error, error_bytes,
             "expected the name of an effect file; the option may be given at most %u times",
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
    snprintf(error, error_bytes, "expected a file name, or - for standard output");
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

/* ffmpeg is told the format, but video players go by the file's name. */
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
    snprintf(error, error_bytes, "'%.80s' is not a divisor of 60, the steps per second", value);
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
#define CAMERA_FOV 60.0f     /* degrees, vertical, the default */

#define EFFECT_DISTANCE 4.0f /* metres, the default */
#define LEAST_DISTANCE 0.1f

/* "effect" or "effect,METRES" */
static bool set_effect_camera(run_options *o, const char *value, char *error,
                              size_t error_bytes)
{
    float distance = EFFECT_DISTANCE;
    snprintf(error, error_bytes,
             "'effect%.80s' is not effect or effect,METRES, with 0.1 to 1000 metres", value);
    if (value[0] == ',' && !options_floats(value + 1, &distance, 1))
        return false;
    o->effect_distance = distance;
    o->has_camera = true;
    return (value[0] == ',' || value[0] == '\0') && distance >= LEAST_DISTANCE &&
           distance <= 1000.0f;
}

static bool set_camera(void *settings, const char *value, char *error, size_t error_bytes)
{
    run_options *o = settings;
    float to[7] = {[6] = CAMERA_FOV};
    if (strncmp(value, "effect", 6) == 0)
        return set_effect_camera(o, value + 6, error, error_bytes);
    snprintf(error, error_bytes,
             "'%.80s' is not X,Y,Z,TX,TY,TZ or X,Y,Z,TX,TY,TZ,FOV: the position of the camera, "
             "a point that it looks at, and a field of view. Coordinates are -1e6 to 1e6 m, "
             "the two points are 1 mm or more apart, and FOV is 1 to 150 degrees. Nor is it "
             "effect or effect,METRES",
             value);
    if ((!options_floats(value, to, 6) && !options_floats(value, to, 7)) || to[6] < 1.0f ||
        to[6] > 150.0f)
        return false;
    for (size_t i = 0; i < 6; ++i)
        if (fabsf(to[i]) > 1.0e6f)
            return false;
    o->camera = (rio_camera){{to[0], to[1], to[2]}, {to[3], to[4], to[5]}, to[6]};
    o->has_camera = true;
    o->effect_distance = 0.0f;
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
     "mesh file of the world, in any format that Assimp reads [a generated courtyard]",
     set_world},
    {"up", "y|z", "the axis that points up in the --world file [z]", set_up},
    {"scale", "S", "metres per unit of the --world file, above 1e-12 and up to 1e6 [1]",
     set_scale},
    {"effect", "FILE",
     "run this effect, with its own rates, instead of the five effects of the show; repeat\n"
     "the option to run several. FILE is an effect file, or the name of an effect that comes\n"
     "with the program, such as fire. An effect that has ended starts again. Effects stand on\n"
     "the ground with their +z up. An effect with gravity downwards and a box or line of\n"
     "0.75 m or more (size x) is put into the sky, turned so that its speed goes down",
     set_effect},
    {"effects", "N", "number of effects at the same time [2000; with --effect 100]",
     set_effects},
    {"particles", "N",
     "particles alive in the steady state, over all effects together [300000]; not with\n"
     "--effect",
     set_particles},
    {"frames", "N", "steps of 1/60 s [600]", set_frames},
    {"threads", "N", "worker threads, 1 to 256 [one per CPU]", set_threads},
    {"seed", "N", "seed of all random numbers; results depend on it, never on --threads [1]",
     set_seed},
    {"scenes", "DIR",
     "directory of the --world file [the current one, then $RICO_SCENES or, without that,\n"
     "../shared/scenes]",
     set_scenes},
    {"json", "FILE",
     "write the results as one JSON object; - = to standard output, without the table",
     set_json},
    {"png", "FILE", "write a picture of the last frame [ricochet.png]", set_png},
    {"png-width", "N",
     "width of that picture in pixels, 64 to 7680; the height is 9/16 of it [1280]",
     set_png_width},
    {"video", "FILE",
     "write a video of the run as MP4, with ffmpeg; each picture is painted like that of\n"
     "--png, which takes a second or more",
     set_video},
    {"video-width", "N",
     "width of the video in pixels, 64 to 7680; the height is 9/16 of it; both\n"
     "are rounded down to even numbers [640]",
     set_video_width},
    {"video-fps", "N", "pictures per second of the video, a divisor of 60 [30]", set_video_fps},
    {"trace", "FILE",
     "write a timeline of the workers in the last frames, for chrome://tracing or Perfetto",
     set_trace},
    {"no-png", NULL, "write no picture", set_no_png},
    {"draw", "WHAT",
     "draw into the picture: grid, occupancy, leaves or colliders, which show how the scene\n"
     "is stored; planes, the surfaces in the particles' cache; queries, the cells gathered\n"
     "and the rays cast in the last second; or ray=X,Y,Z,DX,DY,DZ, what that ray hits. Repeat\n"
     "the option to draw several",
     set_draw},
    {"camera", "X,Y,Z,TX,TY,TZ[,FOV]",
     "\ntake pictures from X,Y,Z, looking at TX,TY,TZ, in metres with z up; FOV is\n"
     "the vertical field of view in degrees, 60 if left out [a view that shows much of the\n"
     "world]. --camera effect looks at the first effect from 4 m away, or from where walls\n"
     "leave room; --camera effect,METRES from METRES away. Of an effect in the sky it shows\n"
     "the ground below",
     set_camera},
    {"bake", "FILE",
     "fill the particles' cache before the first frame, and write it to FILE for --cache",
     set_bake},
    {"cache", "FILE", "start with the cache that --bake wrote to FILE for the same world",
     set_cache},
    {"cache-mib", "N", "memory for the records of the particles' cache, 1 to 65536 MiB [128]",
     set_cache_mib},
    {"capture", "FILE",
     "write rays along the paths of followed particles, with their answers and the triangles\n"
     "that they met, for `ricochet replay FILE`: every N-th ray (see --capture-every), and\n"
     "all rays whose answers differ from brute force",
     set_capture},
    {"capture-every", "N",
     "--capture writes every N-th of the rays that are near triangles [1000]",
     set_capture_every},
    {"quiet", NULL, "no table, no progress bar, no notes, none of the library's warnings",
     set_quiet},
    {"help", NULL, "print this text", set_help},
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
    snprintf(error, error_bytes, "--up and --scale need --world FILE");
    if (options->has_mesh && !options->world && !options->help)
        return false;
    snprintf(error, error_bytes,
             "--particles cannot be used with --effect: effect files say how many particles "
             "they have");
    return options->effect_file_count == 0 || !options->has_particles || options->help;
}

/* Refuses options that have no effect without another option, or that contradict one. */
static bool check_pairs(const run_options *o, char *error, size_t error_bytes)
{
    const struct {
        bool wrong;
        const char *expected;
    } pairs[] = {
        {o->bake && o->cache, "--bake and --cache: expected only one of them"},
        {o->has_video_size && !o->video, "--video-width and --video-fps need --video FILE"},
        {o->no_png && o->has_png, "--png and --no-png: expected only one of them"},
        {o->no_png && o->has_png_width,
         "--png-width cannot be used with --no-png: there is no picture"},
        {o->has_capture_every && !o->capture, "--capture-every needs --capture FILE"},
        {!scene_view_is_empty(&o->view) && !o->png && !o->video,
         "--draw needs --png or --video, and cannot be used with --no-png alone"},
        {o->has_camera && !o->png && !o->video,
         "--camera needs --png or --video, and cannot be used with --no-png alone"},
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
         "Runs thousands of particle effects in a world and reports times, rates and "
         "collisions.\n");
    options_print(specs, SPEC_COUNT);
    puts("\nOn bad input, the program prints one line to standard error, writes nothing and\n"
         "exits with status 2.");
}
