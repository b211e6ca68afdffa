#include "run.h"

#include "capture.h"
#include "falls.h"
#include "machine.h"
#include "output.h"
#include "picture.h"
#include "progress.h"
#include "report.h"
#include "run_inputs.h"
#include "run_options.h"
#include "run_world.h"
#include "say.h"
#include "truth.h"
#include "video.h"
#include "warm_start.h"
#include <ricochet/jobs_trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT (1.0f / 60.0f)

/* Owner: run_main. Everything that a run holds, so that one function frees it. */
typedef struct run {
    run_options options;
    output_file json, png, capture_file, bake_file, trace, video_file;
    video video; /* zeroed without --video */
    run_world world;
    rio_truth *truth;
    falls *falls;
    capture capture; /* empty without --capture */
    report report;
    char error[OPTIONS_ERROR_BYTES + OUTPUT_PATH_BYTES];
} run;

static bool fail(run *r, const char *what)
{
    snprintf(r->error, sizeof r->error, "%s", what);
    return false;
}

/* A file that the run writes. */
typedef struct named_output {
    const char *option, *path; /* path: NULL = none */
    output_file *out;
    bool may_be_stream;
} named_output;

#define OUTPUT_COUNT 6u

static void list_outputs(run *r, named_output out[OUTPUT_COUNT])
{
    const run_options *o = &r->options;
    const bool on_stdout = o->json != NULL && strcmp(o->json, "-") == 0;
    const named_output all[OUTPUT_COUNT] = {
        {"--json", on_stdout ? NULL : o->json, &r->json, true},
        {"--trace", o->trace, &r->trace, true},
        {"--png", o->png, &r->png, false},
        {"--capture", o->capture, &r->capture_file, false},
        {"--bake", o->bake, &r->bake_file, false},
        {"--video", o->video, &r->video_file, false},
    };
    memcpy(out, all, sizeof all);
}

/* Checked before any work, so that a path that cannot be written does not cost a run. No file
 * may be written twice, or both read and written. */
static bool probe_outputs(run *r)
{
    named_output outputs[OUTPUT_COUNT];
    file_list others = {.items = NULL};
    bool passed = true;
    run_inputs_list(&r->options, &others);
    list_outputs(r, outputs);
    for (size_t i = 0; i < OUTPUT_COUNT && passed; ++i) {
        const named_output *o = &outputs[i];
        passed = o->path == NULL ||
                 (output_probe(o->path, o->may_be_stream, o->out, r->error, sizeof r->error) &&
                  file_list_is_apart(&others, o->option, o->path, r->error, sizeof r->error));
        file_list_add(&others, o->option, o->path);
    }
    file_list_free(&others);
    return passed && (!r->options.video || video_open(&r->options, &r->video_file, &r->video,
                                                      r->error, sizeof r->error));
}

/* Outputs must not be files that the world's file names, either. */
static bool check_outputs_again(run *r)
{
    named_output outputs[OUTPUT_COUNT];
    file_list read = {.items = NULL};
    bool passed = true;
    run_inputs_add_mesh(&read, &r->world);
    list_outputs(r, outputs);
    for (size_t i = 0; i < OUTPUT_COUNT && passed; ++i)
        passed = outputs[i].path == NULL ||
                 file_list_is_apart(&read, outputs[i].option, outputs[i].path, r->error,
                                    sizeof r->error);
    file_list_free(&read);
    return passed;
}

/* Rays go on past the end of the particle's way by this many of its lengths. Particles
 * themselves cross only the surfaces that they fall through. */
#define CAPTURE_REACH 8.0f

/* Casts a ray from a followed particle's last position to its new one, and beyond. */
static void capture_segment(void *user, const float from[3], const float to[3])
{
    run *r = user;
    rico_ray ray = {{from[0], from[1], from[2]},
                    CAPTURE_REACH,
                    {to[0] - from[0], to[1] - from[1], to[2] - from[2]},
                    0};
    capture_ray(&r->capture, rico_world_scene(r->world.world), NULL, &ray);
}

static void start_capture(run *r)
{
    const rico_scene *scene = rico_world_scene(r->world.world);
    capture_open(&r->capture, r->world.name, scene, r->options.capture_every);
    if (r->falls)
        falls_watch(r->falls, capture_segment, r);
}

static bool start_warm(run *r)
{
    if (r->options.bake)
        return warm_start_bake(&r->world, &r->bake_file, r->options.quiet, r->error,
                               sizeof r->error);
    return !r->options.cache ||
           warm_start_load(&r->world, r->options.cache, r->error, sizeof r->error);
}

static bool prepare(run *r)
{
    if (!probe_outputs(r) ||
        !run_world_open(&r->options, &r->world, r->error, sizeof r->error) ||
        !check_outputs_again(r))
        return false;
    const rio_mesh *mesh = &r->world.mesh;
    if (rio_truth_create(mesh->positions, mesh->vertex_count, mesh->indices,
                         mesh->triangle_count, &r->truth) == RICO_OUT_OF_MEMORY)
        return fail(r, "out of memory for the check of particles that fall through surfaces");
    /* A world without area has no surface to fall through. */
    if (r->truth &&
        falls_create(&r->world.show, r->truth, r->options.seed, &r->falls) != RICO_OK)
        return fail(r, "out of memory for the check of particles that fall through surfaces");
    if (r->options.capture)
        start_capture(r);
    if (!start_warm(r))
        return false;
    bool reserved = samples_reserve(&r->report.frame_ms, r->options.frames);
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        reserved = samples_reserve(&r->report.stage_ms[s], r->options.frames) && reserved;
    return reserved || fail(r, "out of memory for the times of all --frames");
}

/* --- The frames --------------------------------------------------------------------------- */

static uint32_t first_steady_frame(uint32_t frames)
{
    return frames > SHOW_WARM_UP ? SHOW_WARM_UP : frames / 2u;
}

/* Adds sums; finish_report divides them. */
static void add_frame(report *out, const rico_world_stats *stats, double ms, bool steady)
{
    samples_add(&out->frame_ms, ms);
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        samples_add(&out->stage_ms[s], (double)stats->stage_ns[s] * 1.0e-6);
    out->particle_steps += stats->particles;
    out->births_starved += stats->births_starved;
    if (!steady)
        return;
    out->particles += stats->particles;
    out->births += stats->births;
    out->bounces += stats->bounces;
    out->sleeping += stats->sleeping;
    out->units += stats->query_units;
    out->wanted += stats->queries_wanted;
    out->granted += stats->queries_granted;
    out->starved += stats->effects_starved;
    out->rays += stats->rays;
    out->gathers += stats->gathers;
    out->lookups += stats->lookups;
    out->lookup_hits += stats->lookup_hits;
}

/* One of this many steady frames is measured. That costs the means less than their noise. */
#define PROFILE_EVERY 8u

static rico_worker_stats stats_since(rico_worker_stats now, const rico_worker_stats *before)
{
    now.jobs_run -= before->jobs_run;
    now.steals -= before->steals;
    now.failed_steals -= before->failed_steals;
    now.spins -= before->spins;
    now.parks -= before->parks;
    now.wakes -= before->wakes;
    now.inline_runs -= before->inline_runs;
    now.busy_ns -= before->busy_ns;
    return now;
}

/* Called first with the counts before the frames; the second call keeps the difference. */
static void count_work(run *r)
{
    report *out = &r->report;
    out->threads = rico_jobs_worker_count(r->world.jobs);
    for (uint32_t w = 0; w < out->threads; ++w)
        out->workers[w] =
            stats_since(rico_jobs_worker_stats(r->world.jobs, w), &out->workers[w]);
}

static bool show_frame(run *r, uint32_t frame)
{
    return !r->options.video ||
           video_frame(&r->video, &r->options, &r->world, frame, r->error, sizeof r->error);
}

static bool run_frames(run *r)
{
    rico_world *world = r->world.world;
    uint32_t frames = r->options.frames, steady = first_steady_frame(frames);
    progress bar = progress_begin(!r->options.quiet);
    count_work(r);
    bool going = true;
    for (uint32_t frame = 0; frame < frames && going; ++frame) {
        show_start_effects(&r->world.show, world, frame);
        bool profiled = frame >= steady && (frame - steady) % PROFILE_EVERY == 0;
        if (profiled)
            frame_profile_begin(r->world.jobs);
        uint64_t begin = machine_clock_ns();
        rico_world_step(world, DT);
        double ms = (double)(machine_clock_ns() - begin) * 1.0e-6;
        rico_world_stats stats = rico_world_get_stats(world);
        if (profiled)
            frame_profile_end(&r->report.profile, r->world.jobs, &stats);
        add_frame(&r->report, &stats, ms, frame >= steady);
        if (r->falls)
            falls_frame(r->falls, world, DT);
        if (r->options.view.queries)
            query_trail_add(&r->world.trail, world);
        progress_show(&bar, frame + 1, frames, stats.particles, ms);
        going = show_frame(r, frame);
    }
    progress_end(&bar);
    count_work(r);
    r->report.cost = frame_profile_median(&r->report.profile);
    return going && video_close(&r->video, r->error, sizeof r->error);
}

static void divide_means(report *out, double frames)
{
    double *means[] = {&out->particles, &out->births,  &out->bounces, &out->sleeping,
                       &out->units,     &out->wanted,  &out->granted, &out->starved,
                       &out->rays,      &out->gathers, &out->lookups, &out->lookup_hits};
    for (size_t i = 0; i < sizeof means / sizeof *means; ++i)
        *means[i] /= frames;
}

static void finish_report(run *r)
{
    report *out = &r->report;
    const rico_world *world = r->world.world;
    rico_world_stats stats = rico_world_get_stats(world);
    rico_scene_stats scene = rico_scene_get_stats(rico_world_scene(world));
    uint32_t frames = r->options.frames;
    out->world = r->world.name;
    out->triangles = scene.triangle_count;
    out->cells = scene.cell_count;
    out->scene_bytes = scene.bytes;
    out->duplicates = scene.reference_count - scene.triangle_count;
    out->levels = scene.level_count;
    out->build_ms = (double)scene.build_ns * 1.0e-6;
    out->effects = stats.effects;
    out->effects_refused = r->world.show.refused;
    out->frames = frames;
    out->seed = r->options.seed;
    machine_name(out->machine, sizeof out->machine);
    out->compiler = machine_compiler();
    out->isa = stats.isa;
    out->world_bytes = stats.bytes;
    out->cache_records = stats.cache_records;
    out->cache_capacity = stats.cache_record_capacity;
    out->cache_bytes = stats.cache_bytes;
    out->cache_evicted = stats.cache_evicted;
    out->state_hash = rico_world_hash(world);
    divide_means(out, (double)(frames - first_steady_frame(frames)));
    out->cast = r->world.def.cast;
    for (uint32_t k = 0; r->falls && k < out->cast->count; ++k)
        out->falls_by_kind[k] = falls_of_kind(r->falls, k);
    if (r->falls) {
        out->falls = falls_total(r->falls);
        out->falls_steady = falls_steady(r->falls);
    }
}

/* --- The results -------------------------------------------------------------------------- */

static bool write_json(run *r)
{
    char *text = report_to_json(&r->report);
    if (!text)
        return fail(r, "out of memory for the JSON report");
    bool written = true;
    if (strcmp(r->options.json, "-") == 0)
        fputs(text, stdout);
    else
        written = output_write(&r->json, text, strlen(text), r->error, sizeof r->error);
    free(text);
    return written;
}

static bool write_capture(run *r)
{
    const capture *c = &r->capture;
    if (!r->options.capture)
        return true;
    if (!capture_write(c, &r->capture_file, r->error, sizeof r->error))
        return false;
    if (c->failed > 0)
        say("ricochet: warning: the answers to %llu of %llu rays differ from brute force",
            (unsigned long long)c->failed, (unsigned long long)c->asked);
    if (c->left_out > 0)
        say("ricochet: warning: %s is full; %llu rays are left out", r->options.capture,
            (unsigned long long)c->left_out);
    if (!r->options.quiet)
        say("wrote %s: %u of %llu rays", r->options.capture, c->count,
            (unsigned long long)c->asked);
    return true;
}

typedef struct trace_buffer {
    char *text;
    size_t bytes, capacity;
} trace_buffer;

static bool keep_trace(void *user, const char *text, size_t bytes)
{
    trace_buffer *buffer = user;
    if (buffer->bytes + bytes > buffer->capacity) {
        size_t capacity = 2 * buffer->capacity + bytes + 65536;
        char *grown = realloc(buffer->text, capacity);
        if (!grown)
            return false;
        buffer->text = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->text + buffer->bytes, text, bytes);
    buffer->bytes += bytes;
    return true;
}

static bool write_trace(run *r)
{
    trace_buffer buffer = {NULL, 0, 0};
    if (!r->options.trace)
        return true;
    bool done = rico_jobs_write_trace(rico_world_jobs(r->world.world), keep_trace, &buffer);
    if (!done)
        fail(r, "out of memory for the trace");
    else
        done = output_write(&r->trace, buffer.text, buffer.bytes, r->error, sizeof r->error);
    free(buffer.text);
    if (done && !r->options.quiet)
        say("wrote %s", r->options.trace);
    return done;
}

static bool write_results(run *r)
{
    bool json_on_stdout = r->options.json && strcmp(r->options.json, "-") == 0;
    if (!r->options.quiet && !json_on_stdout)
        report_print_table(&r->report, stdout);
    if ((r->options.json && !write_json(r)) || !write_capture(r) || !write_trace(r))
        return false;
    fflush(stdout);
    if (r->options.video && !r->options.quiet)
        say("wrote %s", r->options.video);
    if (!r->options.png)
        return true;
    if (!picture_write(&r->world, &r->options.view, r->options.png_width, &r->png, r->error,
                       sizeof r->error))
        return false;
    if (!r->options.quiet)
        say("wrote %s", r->options.png);
    return true;
}

static void let_go(run *r)
{
    video_free(&r->video);
    capture_free(&r->capture);
    falls_destroy(r->falls);
    rio_truth_destroy(r->truth);
    samples_free(&r->report.frame_ms);
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        samples_free(&r->report.stage_ms[s]);
    run_world_free(&r->world);
    free(r);
}

int run_main(int argc, char **argv)
{
    run *r = calloc(1, sizeof *r);
    if (!r) {
        say("ricochet: out of memory");
        return 2;
    }
    bool done = run_options_parse(argc, argv, &r->options, r->error, sizeof r->error);
    if (done && r->options.help) {
        run_options_help();
    } else if (done) {
        done = prepare(r) && run_frames(r);
        if (done) {
            finish_report(r);
            done = write_results(r);
        }
    }
    if (!done)
        say("ricochet: %s", r->error);
    let_go(r);
    return done ? 0 : 2;
}
