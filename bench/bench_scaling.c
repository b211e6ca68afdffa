/* bench_scaling - one frame on 1, 2, 4, ... workers: how much faster, and with the same bits?
 *
 * Each number of workers is measured beside one worker. Equal worlds take turns frame by frame,
 * and their hashes must be equal after every frame. Numbers above the number of CPUs are also
 * measured beside one worker per CPU. Up to one per CPU, workers are pinned.
 * Cases:
 *   - threads/<n>: the same work on n workers, up to all CPUs and beyond. In turns with that,
 *     worlds that share nothing run on as many CPUs, which shows what the machine can give.
 *   - announced/<n>: the same where the host announces each step and works alone for a while
 *     before it.
 *   - host_jobs/<n>: the same on a host's threads, beside the pool's own.
 *   - weak/<n>: n times the work on n workers.
 *   - predicted/<n>: the speed-up that the work and the longest chain of a frame on one worker
 *     promise for n workers.
 */
#include "courtyard.h"
#include "cpus.h"
#include "frame_profile.h"
#include "machine_probe.h"
#include "median.h"
#include "row.h"
#include "scaling_pair.h"
#include "thread_host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EFFECTS 2000u
#define PARTICLES 500000u
#define WEAK_EFFECTS 400u /* per worker */
#define WEAK_PARTICLES 100000u
#define MOST_COUNTS 32u
#define MOST_PREDICTED 128u
#define ANNOUNCED_US 200u
#define LEAST_MOST 8u /* measured on any machine, because too many workers should do no harm */

typedef struct scaling_bench {
    bench b; /* first: the options' handlers get it */
    uint64_t effects, particles, frames, most;
    uint32_t announced_us; /* of the current case */
    rio_mesh mesh;
    cpus cpus;
    double weak_one;       /* ms of weak/1 */
    frame_profile profile; /* frames on one worker; empty = not measured */
    bool differed;
} scaling_bench;

/* --- Options ------------------------------------------------------------------------------ */

static bool set_effects(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t *out = &((scaling_bench *)settings)->effects;
    return options_integer(value, 10, 100000, out, error, error_bytes);
}

static bool set_particles(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t *out = &((scaling_bench *)settings)->particles;
    return options_integer(value, 1000, 10000000, out, error, error_bytes);
}

static bool set_frames(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t *out = &((scaling_bench *)settings)->frames;
    return options_integer(value, 1, 1000000, out, error, error_bytes);
}

static bool set_most(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t *out = &((scaling_bench *)settings)->most;
    return options_integer(value, 1, 256, out, error, error_bytes);
}

static const option_spec options[] = {
    {"effects", "N", "number of effects, 10 to 100000 [2000]", set_effects},
    {"particles", "N", "number of particles, all of which collide, 1000 to 10000000 [500000]",
     set_particles},
    {"frames", "N", "measured frames per case [600; --quick 100]", set_frames},
    {"most", "N", "largest number of workers [twice the CPUs, at least 8]", set_most},
};

/* 1, 2, 4, ..., the number of CPUs and the maximum, in rising order. */
static uint32_t list_counts(const scaling_bench *s, uint32_t counts[MOST_COUNTS])
{
    uint32_t all = s->cpus.count, most = 2 * all, count = 0;
    most = most < LEAST_MOST ? LEAST_MOST : most > 256u ? 256u : most;
    most = s->most > 0 ? (uint32_t)s->most : most;
    for (uint32_t n = 1; n <= most; ++n)
        if ((n & (n - 1)) == 0 || n == all || n == most)
            counts[count++] = n;
    return count;
}

/* --- Rows --------------------------------------------------------------------------------- */

static void add(scaling_bench *s, const char *name, const char *metric, double value,
                const char *unit)
{
    bench_add(&s->b, (bench_row){.name = name, .metric = metric, .value = value, .unit = unit});
}

static void add_text(scaling_bench *s, const char *name, const char *metric, const char *text)
{
    bench_add(&s->b, (bench_row){.name = name, .metric = metric, .text = text, .unit = ""});
}

static void add_times(scaling_bench *s, const char *name, const frame_log *log)
{
    frame_times times;
    if (!frame_log_times(log, frame_step_ns, false, &times)) {
        bench_fail(&s->b, "out of memory");
        return;
    }
    add(s, name, "ms_p50", times.p50, "ms");
    add(s, name, "ms_p99", times.p99, "ms");
}

/* The median over frames of the ratio of few workers' time to many workers' time; 0 without
 * frames. marked: only these frames; NULL = all. */
static double speedup(const scaling_result *r, const bool *marked)
{
    double *ratios = malloc((r->few.count + 1) * sizeof *ratios), result = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; ratios && i < r->few.count; ++i)
        if (marked == NULL || marked[i])
            ratios[count++] =
                (double)r->few.frames[i].step_ns / (double)r->many.frames[i].step_ns;
    if (count > 0)
        result = median(ratios, count);
    free(ratios);
    return result;
}

/* By how much the measured speed-up is above the predicted one. Predictions do not cover more
 * workers than CPUs. */
static void add_prediction_error(scaling_bench *s, const char *name, uint32_t workers,
                                 double measured)
{
    frame_cost cost = frame_profile_median(&s->profile);
    double predicted = frame_cost_speedup(&cost, workers);
    if (predicted > 0.0 && workers <= s->cpus.count)
        add(s, name, "over_prediction_pct", 100.0 * (measured / predicted - 1.0), "%");
}

#define LEAST_FRAMES 8u /* least number of frames for a median */

/* What the machine can give in the same minutes. */
typedef struct machine_turns {
    machine_probe *probe;
    machine_turn *turns; /* one for each measured frame */
    uint32_t count;
} machine_turns;

static uint32_t mark_calm(const scaling_result *r, bool *marked)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->few.count; ++i) {
        marked[i] = !(r->few.frames[i].disturbed || r->many.frames[i].disturbed);
        count += marked[i];
    }
    return count;
}

static double gain_of(const machine_turns *m, double *gains)
{
    for (uint32_t i = 0; i < m->count; ++i)
        gains[i] = m->turns[i].gain;
    return median(gains, m->count);
}

/* Adds the speed-up over all frames, over undisturbed frames, and over frames in whose turns the
 * machine ran at full speed. The prediction is compared with the last of these. If there are too
 * few such frames, or the machine was not probed, it is compared with the undisturbed ones. */
static void add_speedup(scaling_bench *s, const char *name, uint32_t workers,
                        const scaling_result *r, const machine_turns *m)
{
    double all = speedup(r, NULL), best = all;
    uint32_t most = s->cpus.count, frames = r->few.count;
    bool *marked = malloc(frames * sizeof *marked);
    double *gains = malloc(frames * sizeof *gains);
    add(s, name, "speedup", all, "x");
    add(s, name, "efficiency", all / (double)(workers < most ? workers : most), "");
    if (marked && mark_calm(r, marked) > 0) {
        best = speedup(r, marked);
        add(s, name, "calm_speedup", best, "x");
    }
    if (marked && gains && m->count > 0) {
        double gain = gain_of(m, gains);
        uint32_t full = machine_turns_at_full_speed(m->turns, m->count, marked);
        add(s, name, "machine_gain", gain, "x");
        add(s, name, "share_of_gain", all / gain, "");
        add(s, name, "full_speed_frames", full, "frames");
        if (full >= LEAST_FRAMES) {
            best = speedup(r, marked);
            add(s, name, "full_speed_speedup", best, "x");
        }
    }
    add_prediction_error(s, name, workers, best);
    free(marked);
    free(gains);
}

static uint64_t stage_time(const frame_log *log, uint32_t stage)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < log->count; ++i)
        sum += log->frames[i].stats.stage_ns[stage];
    return sum / log->count;
}

/* Mean ms per stage, and how many times as fast the stage is as on one worker. */
static void add_stages(scaling_bench *s, const char *name, const scaling_result *r)
{
    for (uint32_t stage = 0; stage < RICO_STAGE_COUNT; ++stage) {
        char metric[40];
        double one = (double)stage_time(&r->few, stage) * 1.0e-6;
        double many = (double)stage_time(&r->many, stage) * 1.0e-6;
        snprintf(metric, sizeof metric, "%s_ms", rico_stage_name((rico_stage)stage));
        add(s, name, metric, many, "ms");
        snprintf(metric, sizeof metric, "%s_speedup", rico_stage_name((rico_stage)stage));
        if (many > 0.0)
            add(s, name, metric, one / many, "x");
    }
}

static void add_work(scaling_bench *s, const char *name, uint32_t workers,
                     const scaling_result *r)
{
    double frames = (double)r->many.count;
    double busy = (double)r->work.busy_ns / (r->wall_ns * (double)workers);
    add(s, name, "jobs_per_frame", (double)r->work.jobs_run / frames, "jobs");
    add(s, name, "steals_per_frame", (double)r->work.steals / frames, "steals");
    add(s, name, "parks_per_frame", (double)r->work.parks / frames, "parks");
    add(s, name, "idle_pct", 100.0 * (busy < 1.0 ? 1.0 - busy : 0.0), "%");
}

/* --- Cases -------------------------------------------------------------------------------- */

static bool wanted(scaling_bench *s, const char *name)
{
    return bench_wants(&s->b, name) && !s->differed;
}

static uint32_t frames_of(const scaling_bench *s)
{
    return s->frames > 0 ? (uint32_t)s->frames : s->b.quick ? 100u : 600u;
}

/* Returns false, and reports it, when the two worlds differed. */
static bool are_the_same(scaling_bench *s, const scaling_result *r)
{
    if (r->same)
        return true;
    s->differed = true;
    bench_fail(&s->b, r->difference);
    return false;
}

static void add_pair(scaling_bench *s, const char *name, uint32_t workers,
                     const scaling_result *r, const machine_turns *m)
{
    char hash[20];
    add_times(s, name, &r->many);
    add_speedup(s, name, workers, r, m);
    add_stages(s, name, r);
    add_work(s, name, workers, r);
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    add_text(s, name, "state_hash", hash);
}

static stress_setup make_setup(const scaling_bench *s, uint32_t workers)
{
    return (stress_setup){.effects = s->effects > 0 ? (uint32_t)s->effects : EFFECTS,
                          .particles = s->particles > 0 ? (uint32_t)s->particles : PARTICLES,
                          .threads = workers,
                          .what = STRESS_CHURN,
                          .seed = 1,
                          .mesh = &s->mesh,
                          .pins = workers <= s->cpus.count ? &s->cpus : NULL,
                          .announced_us = s->announced_us};
}

/* Returns false when there is nothing to report. */
static bool run_pair(scaling_bench *s, uint32_t few, uint32_t many, scaling_between *between,
                     void *user, scaling_result *out)
{
    stress_setup setup = make_setup(s, many);
    if (!setup.pins)
        cpus_release(&s->cpus);
    if (scaling_pair_run(&setup, few, frames_of(s), between, user, out))
        return are_the_same(s, out);
    bench_fail(&s->b, "a world could not be created");
    return false;
}

static void probe_machine(void *user, stress_world *many, uint32_t frame)
{
    machine_turns *m = user;
    (void)many;
    if (frame >= STRESS_WARM_UP)
        m->turns[m->count++] = machine_probe_turn(m->probe, frame % 2 == 0);
}

/* The same work in as many parts, which share nothing. */
static bool open_turns(const scaling_bench *s, uint32_t workers, machine_turns *m)
{
    stress_setup part = make_setup(s, workers);
    part.effects = (part.effects + workers - 1) / workers;
    part.particles = (part.particles + workers - 1) / workers;
    part.announced_us = 0;
    *m = (machine_turns){.turns = malloc(frames_of(s) * sizeof *m->turns)};
    m->probe = m->turns ? machine_probe_open(&part, &s->cpus, workers) : NULL;
    return m->probe != NULL;
}

static void close_turns(machine_turns *m)
{
    machine_probe_close(m->probe);
    free(m->turns);
}

/* Measures the workers beside one worker. */
static bool run_beside_one(scaling_bench *s, uint32_t workers, const char *name)
{
    scaling_result result = {0};
    machine_turns turns = {0};
    bool probes = workers > 1 && workers <= s->cpus.count, ok = true;
    if (probes && !open_turns(s, workers, &turns)) {
        bench_fail(&s->b, "the worlds of the single CPUs could not be created");
        ok = false;
    }
    ok = ok && run_pair(s, 1, workers, probes ? probe_machine : NULL, &turns, &result);
    if (ok)
        add_pair(s, name, workers, &result, &turns);
    scaling_result_free(&result);
    close_turns(&turns);
    return ok;
}

static void run_threads(scaling_bench *s, uint32_t workers)
{
    char name[32];
    scaling_result result;
    snprintf(name, sizeof name, "threads/%u", workers);
    if (!wanted(s, name))
        return;
    s->b.threads = workers;
    if (!run_beside_one(s, workers, name) || workers <= s->cpus.count)
        return;
    bool ok = run_pair(s, s->cpus.count, workers, NULL, NULL, &result);
    double faster = ok ? speedup(&result, NULL) : 0.0;
    if (faster > 0.0)
        add(s, name, "time_over_all_cpus", 1.0 / faster, "x");
    scaling_result_free(&result);
}

/* With as many workers as CPUs. */
static void run_announced(scaling_bench *s)
{
    char name[32];
    snprintf(name, sizeof name, "announced/%u", s->cpus.count);
    if (!wanted(s, name) || s->cpus.count < 2)
        return;
    s->b.threads = s->cpus.count;
    s->announced_us = ANNOUNCED_US;
    run_beside_one(s, s->cpus.count, name);
    s->announced_us = 0;
}

/* With as many workers as CPUs, on a host's threads beside the pool's own. Threads are not
 * pinned, as hosts do not pin theirs. */
static void run_host(scaling_bench *s)
{
    static thread_host host;
    scaling_result result = {0};
    char name[32];
    const uint32_t available = s->cpus.count, most = RICO_JOBS_MAX_WORKERS;
    const uint32_t workers = available < most ? available : most;
    snprintf(name, sizeof name, "host_jobs/%u", workers);
    if (!wanted(s, name) || workers < 2)
        return;
    s->b.threads = workers;
    cpus_release(&s->cpus);
    rico_host_jobs jobs = thread_host_jobs(&host);
    stress_setup setup = make_setup(s, workers);
    setup.host = &jobs;
    setup.pins = NULL;
    if (!thread_host_open(&host, workers - 1, 0) ||
        !scaling_pair_run(&setup, workers, frames_of(s), NULL, NULL, &result))
        bench_fail(&s->b, "a world or its host could not be created");
    else if (are_the_same(s, &result))
        add(s, name, "time_over_own_pool", 1.0 / speedup(&result, NULL), "x");
    scaling_result_free(&result);
    thread_host_close(&host);
}

static bool run_alone(const stress_setup *setup, uint32_t frames, frame_log *log)
{
    stress_world w;
    frame_entry entry;
    bool ok = stress_world_open(&w, setup);
    for (uint32_t f = 0; ok && f < STRESS_WARM_UP + frames; ++f) {
        stress_world_frame(&w, &entry);
        ok = f < STRESS_WARM_UP || frame_log_add(log, &entry);
    }
    stress_world_close(&w);
    return ok;
}

/* Shows which stages hold the longest chain of a frame. */
static void add_cost(scaling_bench *s, const frame_cost *cost)
{
    char metric[40];
    add(s, "predicted", "work_us", frame_cost_work(cost) * 1.0e-3, "us");
    add(s, "predicted", "span_us", frame_cost_span(cost) * 1.0e-3, "us");
    for (uint32_t i = 0; i < RICO_STAGE_COUNT; ++i) {
        const char *stage = rico_stage_name((rico_stage)i);
        snprintf(metric, sizeof metric, "%s_serial_us", stage);
        add(s, "predicted", metric, cost->stages[i].serial * 1.0e-3, "us");
        snprintf(metric, sizeof metric, "%s_span_us", stage);
        add(s, "predicted", metric, cost->stages[i].span * 1.0e-3, "us");
    }
}

/* Uses one worker, because memory that two cores share makes the work longer. Uses undisturbed
 * frames, if there are enough. */
static bool profile_alone(const stress_setup *setup, uint32_t frames, frame_profile *out)
{
    static frame_profile disturbed;
    stress_world w;
    frame_entry entry;
    bool ok = stress_world_open(&w, setup);
    for (uint32_t f = 0; ok && f < STRESS_WARM_UP + frames; ++f) {
        if (f >= STRESS_WARM_UP)
            frame_profile_begin(w.jobs);
        stress_world_frame(&w, &entry);
        if (f >= STRESS_WARM_UP)
            frame_profile_end(entry.disturbed ? &disturbed : out, w.jobs, &entry.stats);
    }
    stress_world_close(&w);
    if (out->count < LEAST_FRAMES)
        *out = disturbed;
    return ok;
}

static void run_predicted(scaling_bench *s)
{
    char name[32];
    stress_setup setup = make_setup(s, 1);
    if (!wanted(s, "predicted/") && !wanted(s, "threads/"))
        return;
    s->b.threads = 1;
    if (!profile_alone(&setup, frames_of(s), &s->profile)) {
        bench_fail(&s->b, "a world could not be created");
        return;
    }
    if (!wanted(s, "predicted/"))
        return;
    frame_cost cost = frame_profile_median(&s->profile);
    add_cost(s, &cost);
    for (uint32_t n = 1; n <= MOST_PREDICTED; n *= 2) {
        snprintf(name, sizeof name, "predicted/%u", n);
        if (wanted(s, name))
            add(s, name, "speedup", frame_cost_speedup(&cost, n), "x");
    }
}

/* The same amount of work per worker: the time should stay that of one worker. */
static void run_weak(scaling_bench *s, uint32_t workers)
{
    char name[32];
    frame_log log = {0};
    frame_times times;
    stress_setup setup = {.effects = WEAK_EFFECTS * workers,
                          .particles = WEAK_PARTICLES * workers,
                          .threads = workers,
                          .what = STRESS_CHURN,
                          .seed = 1,
                          .mesh = &s->mesh,
                          .pins = &s->cpus};
    snprintf(name, sizeof name, "weak/%u", workers);
    if (!wanted(s, name))
        return;
    s->b.threads = workers;
    if (run_alone(&setup, frames_of(s), &log) &&
        frame_log_times(&log, frame_step_ns, false, &times)) {
        add_times(s, name, &log);
        if (workers == 1)
            s->weak_one = times.p50;
        if (s->weak_one > 0.0)
            add(s, name, "speedup", s->weak_one * (double)workers / times.p50, "x");
    } else {
        bench_fail(&s->b, "a world could not be created");
    }
    frame_log_free(&log);
}

static void run_all(scaling_bench *s)
{
    uint32_t counts[MOST_COUNTS], count = list_counts(s, counts);
    char siblings[100];
    cpus_siblings(siblings, sizeof siblings);
    add_text(s, "machine", "siblings", siblings);
    run_predicted(s);
    for (uint32_t i = 0; i < count; ++i)
        run_threads(s, counts[i]);
    run_announced(s);
    run_host(s);
    for (uint32_t i = 0; i < count && counts[i] <= s->cpus.count; ++i)
        run_weak(s, counts[i]);
}

static bool name_case(const void *s, size_t index, char *out, size_t bytes)
{
    static const char *const names[] = {"predicted/", "threads/", "announced/", "host_jobs/",
                                        "weak/"};
    (void)s;
    if (index < 5)
        snprintf(out, bytes, "%s", names[index]);
    return index < 5;
}

int main(int argc, char **argv)
{
    static const bench_about about = {.name = "scaling",
                                      .text = "Measures one frame on 1, 2, 4, ... workers.",
                                      .name_case = name_case,
                                      .more = options,
                                      .more_count = sizeof options / sizeof *options};
    static scaling_bench s;
    int status = bench_begin(&s.b, &about, argc, argv);
    if (status >= 0)
        return status;
    cpus_list(&s.cpus);
    if (rio_courtyard_create(1, &s.mesh) == RICO_OK)
        run_all(&s);
    else
        bench_fail(&s.b, "out of memory");
    rio_mesh_free(&s.mesh);
    return bench_end(&s.b);
}
