#include "view.h"

#include "machine.h"
#include "output.h"
#include "overlay.h"
#include "picture.h"
#include "run_inputs.h"
#include "say.h"
#include "scene_lines.h"
#include "scenery.h"
#include "screenshot.h"
#include "window.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_SECONDS (1.0 / 60.0)
#define MOST_STEPS 3u     /* per picture; a world that cannot follow the clock runs slower */
#define POLL_FRAMES 15u   /* between checks of files */
#define LINES_FRAMES 20u  /* between updates of the scene's lines */
#define QUERIES_FRAMES 3u /* the same with queries, which change more often */
#define MOST_SPEED 32.0f  /* of time: a step is at most 1 s */

/* Owner: view_main. */
typedef struct view {
    view_options options;
    output_file screenshot;
    window window;
    stage stage;
    scenery scenery;
    sprites sprites;
    frame_history history;
    scene_lines lines;
    scene_view overlays;
    fly fly;
    float time_scale;
    float draw_ms; /* of the last frame, without its steps */
    double owed;   /* seconds of clock time that have not been stepped yet */
    uint64_t clock_ns;
    uint32_t frames; /* pictures so far */
    bool ended, paused, sleepers, graph, keys, stale_lines;
    char error[OPTIONS_ERROR_BYTES + OUTPUT_PATH_BYTES];
} view;

/* The picture must not be written over a file that the view reads: the options' files, and the
 * effects that can be chosen by key. */
static bool probe_screenshot(view *v)
{
    const view_options *o = &v->options;
    file_list read = {.items = NULL};
    effect_list choices;
    run_inputs_list(&o->run, &read);
    effect_list_read(&choices);
    for (uint32_t i = 0; i < choices.count; ++i)
        run_inputs_add_effect(&read, "an effect that can be chosen with Page Down",
                              choices.paths[i]);
    bool passed =
        output_probe(o->screenshot, false, &v->screenshot, v->error, sizeof v->error) &&
        file_list_is_apart(&read, "--screenshot", o->screenshot, v->error, sizeof v->error);
    effect_list_free(&choices);
    file_list_free(&read);
    return passed;
}

/* Nor may it be written over a file that the world's file names. */
static bool check_screenshot_again(view *v)
{
    file_list read = {.items = NULL};
    run_inputs_add_mesh(&read, &v->stage.now->world);
    bool passed = file_list_is_apart(&read, "--screenshot", v->options.screenshot, v->error,
                                     sizeof v->error);
    file_list_free(&read);
    return passed;
}

static bool open_view(view *v)
{
    const view_options *o = &v->options;
    if (o->screenshot && !probe_screenshot(v))
        return false;
    bool unattended = o->screenshot != NULL || o->frames > 0;
    if (!window_open(o->width, o->height, unattended, &v->window, v->error, sizeof v->error) ||
        !stage_open(o, &v->stage, v->error, sizeof v->error) ||
        (o->screenshot && !check_screenshot_again(v)))
        return false;
    rio_camera camera = picture_camera(&v->stage.now->world);
    v->fly = fly_from(&camera);
    v->overlays = o->run.view;
    v->sleepers = o->sleepers;
    v->time_scale = 1.0f;
    v->graph = true;
    v->stale_lines = true;
    v->clock_ns = machine_clock_ns();
    return true;
}

/* Frees what is drawn of the world, which must go before the world. */
static void let_go_of_world(view *v)
{
    sprites_free(&v->sprites);
    scenery_forget(&v->scenery);
    v->stale_lines = true;
}

static void close_view(view *v)
{
    if (v->window.context != NULL)
        let_go_of_world(v);
    scene_lines_free(&v->lines);
    stage_close(&v->stage);
    window_close(&v->window);
}

/* --- Keys --------------------------------------------------------------------------------- */

static void toggle_ray(view *v)
{
    v->overlays.what ^= RICO_DRAW_RAY;
    if (v->overlays.what & RICO_DRAW_RAY)
        v->overlays.ray = (rico_ray){v->fly.eye, 1000.0f, fly_axes_of(&v->fly).forward, 0};
}

/* Queries of the time while it was off are not known. */
static void toggle_queries(view *v)
{
    v->overlays.queries = !v->overlays.queries;
    query_trail_free(&v->stage.now->world.trail);
}

static void toggle_overlays(view *v, const window_input *in)
{
    static const struct {
        window_action action;
        rico_draw_what what;
    } layers[] = {{ACTION_GRID, RICO_DRAW_GRID},
                  {ACTION_OCCUPANCY, RICO_DRAW_OCCUPANCY},
                  {ACTION_LEAVES, RICO_DRAW_LEAVES},
                  {ACTION_COLLIDERS, RICO_DRAW_COLLIDERS}};
    scene_view before = v->overlays;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i)
        if (in->times[layers[i].action] % 2u != 0)
            v->overlays.what ^= (uint32_t)layers[i].what;
    if (in->times[ACTION_RAY] % 2u != 0)
        toggle_ray(v);
    v->overlays.planes ^= in->times[ACTION_PLANES] % 2u != 0;
    if (in->times[ACTION_QUERIES] % 2u != 0)
        toggle_queries(v);
    v->stale_lines |= before.what != v->overlays.what || before.planes != v->overlays.planes ||
                      before.queries != v->overlays.queries;
    v->sleepers ^= in->times[ACTION_SLEEPERS] % 2u != 0;
    v->graph ^= in->times[ACTION_GRAPH] % 2u != 0;
    v->keys ^= in->times[ACTION_HELP] % 2u != 0;
}

static void change_world(view *v, const window_input *in)
{
    static const window_action actions[] = {ACTION_RESTART,       ACTION_NEXT,
                                            ACTION_PREVIOUS,      ACTION_FIRST,
                                            ACTION_FEWER_WORKERS, ACTION_MORE_WORKERS};
    uint32_t wanted = 0;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i)
        wanted += in->times[actions[i]];
    if (wanted == 0)
        return;
    uint32_t workers = rico_jobs_worker_count(v->stage.now->world.jobs);
    let_go_of_world(v);
    if (in->times[ACTION_RESTART] > 0)
        stage_restart(&v->stage);
    else if (in->times[ACTION_FIRST] > 0)
        stage_choose(&v->stage, 0);
    else if (in->times[ACTION_NEXT] != in->times[ACTION_PREVIOUS])
        stage_choose(&v->stage, in->times[ACTION_NEXT] > in->times[ACTION_PREVIOUS] ? 1 : -1);
    else if (in->times[ACTION_MORE_WORKERS] != in->times[ACTION_FEWER_WORKERS])
        stage_set_workers(&v->stage, workers + in->times[ACTION_MORE_WORKERS] -
                                         in->times[ACTION_FEWER_WORKERS]);
    v->history.frames = 0;
}

static void change_time(view *v, const window_input *in)
{
    v->paused ^= in->times[ACTION_PAUSE] % 2u != 0;
    v->paused |= in->times[ACTION_STEP] > 0;
    for (uint32_t i = 0; i < in->times[ACTION_FASTER]; ++i)
        v->time_scale = fminf(v->time_scale * 2.0f, MOST_SPEED);
    for (uint32_t i = 0; i < in->times[ACTION_SLOWER]; ++i)
        v->time_scale = fmaxf(v->time_scale * 0.5f, 1.0f / MOST_SPEED);
}

/* --- Frames ------------------------------------------------------------------------------- */

/* When a picture is to be taken, the world does not depend on how long frames take. */
static uint32_t steps_due(view *v, const window_input *in, double elapsed)
{
    if (v->paused)
        return in->times[ACTION_STEP];
    if (v->options.frames > 0)
        return 1;
    v->owed = fmin(v->owed + elapsed, MOST_STEPS * FRAME_SECONDS);
    uint32_t steps = (uint32_t)(v->owed / FRAME_SECONDS);
    v->owed -= steps * FRAME_SECONDS;
    return steps;
}

static void step_world(view *v, uint32_t steps, float other_ms)
{
    for (uint32_t i = 0; i < steps; ++i) {
        stage_step(&v->stage, (float)FRAME_SECONDS * v->time_scale);
        run_world *w = &v->stage.now->world;
        if (v->overlays.queries)
            query_trail_add(&w->trail, w->world);
        rico_world_stats stats = rico_world_get_stats(w->world);
        frame_history_add(&v->history, &stats, other_ms);
    }
}

static void collect_lines(view *v)
{
    uint32_t every = v->overlays.queries ? QUERIES_FRAMES : LINES_FRAMES;
    if (!v->stale_lines && v->frames % every != 0)
        return;
    rio_camera camera = fly_camera(&v->fly);
    scene_lines_free(&v->lines);
    const run_world *w = &v->stage.now->world;
    scene_lines_collect(w->world, &v->overlays, &w->trail, &camera, &v->lines);
    v->stale_lines = false;
}

#define WIDE_KEYS 2u  /* the first ones, above all columns */
#define KEYS_WIDTH 34 /* letters of the longest of the others, and a gap */

/* Draws as many columns as the window's height needs. */
static void draw_keys(int y, int height)
{
    int x = 10, top = y;
    for (uint32_t i = 0; window_help(i) != NULL; ++i) {
        int next = overlay_text(x, y, 0, window_help(i), 0xffc0e0ffu);
        bool full = i >= WIDE_KEYS && 2 * next - y > height;
        top = i < WIDE_KEYS ? next : top;
        x += full ? overlay_width(KEYS_WIDTH) : 0;
        y = full ? top : next;
    }
}

static void draw_numbers(const view *v)
{
    const int width = v->window.width;
    char line[160];
    const stage *s = &v->stage;
    rico_world_stats stats = rico_world_get_stats(s->now->world.world);
    snprintf(line, sizeof line, "%s in %.60s; effects %u, particles %u, asleep %u",
             stage_title(s), s->now->world.name, stats.effects, stats.particles,
             stats.sleeping);
    int y = overlay_text(10, 10, width, line, 0xffffffffu);
    snprintf(line, sizeof line, "workers %u, %s; query units %u, rays %u, gathers %u",
             stats.workers, stats.isa, stats.query_units, stats.rays, stats.gathers);
    y = overlay_text(10, y, width, line, 0xffffffffu);
    snprintf(line, sizeof line, "frame %u, speed x %g%s; H: keys", stats.frame,
             (double)v->time_scale, v->paused ? ", paused" : "");
    y = overlay_text(10, y, width, line, 0xffffffffu);
    rio_camera camera = fly_camera(&v->fly);
    snprintf(line, sizeof line, "--camera %.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%g",
             (double)camera.eye.x, (double)camera.eye.y, (double)camera.eye.z,
             (double)camera.target.x, (double)camera.target.y, (double)camera.target.z,
             (double)camera.fov_degrees);
    y = overlay_text(10, y, width, line, 0xffffffffu);
    if (s->news[0] != '\0')
        y = overlay_text(10, y, width, s->news, s->trouble ? 0xff6060ffu : 0xff80ff80u);
    if (v->keys)
        draw_keys(y, v->window.height);
}

static void draw(view *v)
{
    int width = v->window.width, height = v->window.height;
    const run_world *w = &v->stage.now->world;
    float pixel = v->fly.fov_degrees * 0.0174532925f / (float)height;
    scenery_set(&v->scenery, &w->mesh);
    collect_lines(v);
    sprites_build(&v->sprites, &v->stage, &v->fly, pixel, v->sleepers);
    scenery_draw(&v->scenery, &v->fly, width, height, &v->sprites, v->lines.lines,
                 v->lines.count);
    if (v->options.bare)
        return;
    overlay_begin(width, height);
    draw_numbers(v);
    if (v->graph && !v->keys) /* in a small window they would cover each other */
        overlay_graph(&v->history, width - 10, height - 10);
    overlay_end();
}

static bool is_last(const view *v, const window_input *in)
{
    return in->times[ACTION_QUIT] > 0 ||
           (v->options.frames > 0 && v->frames >= v->options.frames);
}

/* Draws one picture and does its steps. false: the picture could not be written; error gives the
 * reason. */
static bool frame(view *v)
{
    window_input in;
    char title[128];
    uint64_t now = machine_clock_ns();
    double elapsed = (double)(now - v->clock_ns) * 1.0e-9;
    v->clock_ns = now;
    const float seconds = (float)fmin(elapsed, 0.1);
    window_poll(&v->window, seconds, &in);
    v->fly.speed = fminf(fmaxf(v->fly.speed * in.speed, 0.1f), 1000.0f);
    fly_move(&v->fly, &in.fly, seconds);
    change_time(v, &in);
    toggle_overlays(v, &in);
    change_world(v, &in);
    if (v->frames % POLL_FRAMES == 0)
        stage_poll(&v->stage);
    uint64_t stepped = machine_clock_ns();
    step_world(v, steps_due(v, &in, elapsed), v->draw_ms);
    stepped = machine_clock_ns() - stepped;
    draw(v);
    ++v->frames;
    v->ended = is_last(v, &in);
    if (v->ended && v->options.screenshot &&
        !screenshot_write(v->window.width, v->window.height, &v->screenshot, v->error,
                          sizeof v->error))
        return false;
    snprintf(title, sizeof title, "ricochet: %s", stage_title(&v->stage));
    window_show(&v->window, title);
    v->draw_ms = (float)(machine_clock_ns() - now - stepped) * 1.0e-6f;
    return true;
}

int view_main(int argc, char **argv)
{
    view *v = calloc(1, sizeof *v);
    if (!v) {
        say("ricochet: out of memory");
        return 2;
    }
    bool done = view_options_parse(argc, argv, &v->options, v->error, sizeof v->error);
    if (done && v->options.run.help) {
        view_help();
    } else if (done) {
        done = open_view(v);
        while (done && !v->ended)
            done = frame(v);
    }
    if (!done)
        say("ricochet: %s", v->error);
    close_view(v);
    free(v);
    return done ? 0 : 2;
}

void view_help(void)
{
    puts("usage: ricochet view [options]\n\n"
         "Shows a running world in a window. Changes to the effect files appear while it "
         "runs.\n");
    view_options_print();
    puts("\nkeys:");
    for (uint32_t i = 0; window_help(i) != NULL; ++i)
        printf("  %s\n", window_help(i));
}
