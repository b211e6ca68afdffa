#include "view_options.h"

#include <stdio.h>
#include <string.h>

#define SCREENSHOT_FRAMES 120u /* two seconds, so that effects can be seen */

static bool set_screenshot(void *settings, const char *value, char *error, size_t error_bytes)
{
    ((view_options *)settings)->screenshot = value;
    return options_file(value, error, error_bytes);
}

static bool set_frames(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t frames;
    if (!options_integer(value, 1, 1000000u, &frames, error, error_bytes))
        return false;
    ((view_options *)settings)->frames = (uint32_t)frames;
    return true;
}

static bool set_width(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t width;
    if (!options_integer(value, 64, 7680, &width, error, error_bytes))
        return false;
    ((view_options *)settings)->width = (uint32_t)width;
    ((view_options *)settings)->height = (uint32_t)width * 9u / 16u;
    return true;
}

static bool set_bare(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((view_options *)settings)->bare = true;
    return true;
}

static bool set_sleepers(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((view_options *)settings)->sleepers = true;
    return true;
}

static const option_spec own[] = {
    {"width", "N", "width of the window in pixels, 64 to 7680; the height is 9/16 of it [1280]",
     set_width},
    {"screenshot", "FILE", "write a picture of the last frame as PNG, then exit; see --frames",
     set_screenshot},
    {"frames", "N",
     "exit after N frames, which are steps of 1/60 s however long they take [run until the\n"
     "window is closed; with --screenshot 120]",
     set_frames},
    {"sleepers", NULL, "mark particles that are at rest", set_sleepers},
    {"bare", NULL, "no text and no graph over the picture", set_bare},
};

static const char *const from_run[] = {"world",   "up",        "scale",   "effect",
                                       "effects", "particles", "threads", "seed",
                                       "scenes",  "draw",      "camera",  "help"};

#define OWN_COUNT (sizeof own / sizeof *own)
#define RUN_COUNT (sizeof from_run / sizeof *from_run)
#define SPEC_COUNT (OWN_COUNT + RUN_COUNT)

static void fill_specs(option_spec specs[SPEC_COUNT])
{
    for (size_t i = 0; i < RUN_COUNT; ++i)
        specs[i] = *run_options_spec(from_run[i]);
    memcpy(specs + RUN_COUNT, own, sizeof own);
}

bool view_options_parse(int argc, char **argv, view_options *out, char *error,
                        size_t error_bytes)
{
    option_spec specs[SPEC_COUNT];
    fill_specs(specs);
    memset(out, 0, sizeof *out);
    out->run = run_options_default();
    out->width = 1280;
    out->height = 720;
    if (!options_parse(specs, SPEC_COUNT, argc, argv, out, error, error_bytes) ||
        !run_options_check(&out->run, error, error_bytes))
        return false;
    if (out->screenshot && out->frames == 0)
        out->frames = SCREENSHOT_FRAMES;
    return true;
}

void view_options_print(void)
{
    option_spec specs[SPEC_COUNT];
    fill_specs(specs);
    options_print(specs, SPEC_COUNT);
}
