#include "stress_report.h"

#include <inttypes.h>
#include <string.h>

typedef struct report {
    bench *b;
    const char *name;
    const frame_log *log;
} report;

static void add(const report *r, const char *metric, double value, const char *unit)
{
    bench_add(r->b,
              (bench_row){.name = r->name, .metric = metric, .value = value, .unit = unit});
}

static void add_text(const report *r, const char *metric, const char *text, const char *unit)
{
    bench_add(r->b, (bench_row){.name = r->name, .metric = metric, .text = text, .unit = unit});
}

/* --- Times -------------------------------------------------------------------------------- */

static void add_times(const report *r)
{
    frame_times all, calm, edits;
    if (!frame_log_times(r->log, frame_step_ns, false, &all) ||
        !frame_log_times(r->log, frame_step_ns, true, &calm) ||
        !frame_log_times(r->log, frame_edit_ns, false, &edits)) {
        bench_fail(r->b, "out of memory");
        return;
    }
    add(r, "ms_p50", all.p50, "ms");
    add(r, "ms_p99", all.p99, "ms");
    add(r, "ms_max", all.max, "ms");
    add(r, "disturbed_frames", (double)(all.count - calm.count), "frames");
    if (calm.count > 0) {
        add(r, "calm_ms_p50", calm.p50, "ms");
        add(r, "calm_ms_p99", calm.p99, "ms");
        add(r, "calm_ms_max", calm.max, "ms");
        add(r, "calm_p99_over_p50", calm.p99 / calm.p50, "");
    }
    add(r, "edit_ms_p50", edits.p50, "ms");
    add(r, "edit_ms_max", edits.max, "ms");
}

static void add_worst(const report *r)
{
    const frame_entry *worst = frame_log_worst(r->log);
    rico_stage stage = frame_worst_stage(worst);
    add(r, "worst_frame", (double)(worst - r->log->frames), "frame");
    add_text(r, "worst_stage", rico_stage_name(stage), "stage");
    add(r, "worst_stage_ms", (double)worst->stats.stage_ns[stage] * 1.0e-6, "ms");
}

/* --- Counts and memory ------------------------------------------------------------------- */

typedef struct sums {
    uint64_t allocations, particles, starved, dropped, requests, units, evicted;
    uint64_t bytes_max;
} sums;

static sums sum_up(const frame_log *log)
{
    sums s = {0};
    for (uint32_t i = 0; i < log->count; ++i) {
        const frame_entry *f = &log->frames[i];
        s.allocations += f->allocations;
        s.particles += f->stats.particles;
        s.starved += f->stats.births_starved;
        s.dropped += f->stats.events_dropped;
        s.requests += f->stats.requests;
        s.units += f->stats.query_units;
        s.bytes_max = f->bytes > s.bytes_max ? f->bytes : s.bytes_max;
    }
    s.evicted =
        log->frames[log->count - 1].stats.cache_evicted - log->frames[0].stats.cache_evicted;
    return s;
}

static void add_counts(const report *r, const sums *s)
{
    double frames = (double)r->log->count;
    add(r, "frames", frames, "frames");
    add(r, "particles_mean", (double)s->particles / frames, "particles");
    add(r, "births_starved", (double)s->starved, "births");
    add(r, "events_dropped", (double)s->dropped, "events");
    add(r, "requests_per_frame", (double)s->requests / frames, "requests");
    add(r, "units_per_frame", (double)s->units / frames, "units");
    add(r, "records_evicted", (double)s->evicted, "records");
}

/* Growth is measured without streamed geometry, because memory for that rises and falls with the
 * place of the patches. */
static void add_memory(const report *r, const sums *s, uint64_t bare_before, uint64_t bare_now)
{
    double growth = (double)bare_now - (double)bare_before;
    add(r, "step_allocations", (double)s->allocations, "");
    add(r, "memory_growth_bytes", growth, "B");
    add(r, "memory_max_bytes", (double)s->bytes_max, "B");
    if (s->allocations > 0)
        bench_fail(r->b, "a step allocated memory");
    if (growth > 0.0)
        bench_fail(r->b, "memory grew under a constant load");
}

static void add_faults(const report *r, const stress_world *w)
{
    const stress_faults *f = &w->faults;
    if (w->setup.faults == 0)
        return;
    add(r, "failed_allocations", (double)w->memory.failed, "");
    add(r, "stalls", (double)f->stalls, "");
    add(r, "host_jobs", (double)f->host.asked, "jobs");
    add(r, "files_refused", (double)f->file.refused, "files");
    add(r, "files_followed", (double)f->file.followed, "files");
}

void stress_report(bench *b, const char *name, stress_world *w, const frame_log *log)
{
    report r = {b, name, log};
    sums s = sum_up(log);
    char hash[20];
    uint64_t bare = stress_world_bare_bytes(w);
    uint32_t lost = stress_world_audit(w);
    add_times(&r);
    add_worst(&r);
    add_memory(&r, &s, w->bare_bytes, bare);
    add(&r, "lost_effects", (double)lost, "effects");
    add_counts(&r, &s);
    add_faults(&r, w);
    snprintf(hash, sizeof hash, "%016" PRIx64, rico_world_hash(w->world));
    add_text(&r, "state_hash", hash, "");
    if (w->not_finite > 0)
        bench_fail(b, "particles have positions that are not finite");
    if (lost > 0)
        bench_fail(b, "effects were lost, or an edit was refused");
}

void stress_write_frames(FILE *file, bool first, const char *name, const frame_log *log)
{
    if (first)
        fprintf(file, "case,frame,dt,step_ms,edit_ms,disturbed,plan_ms,simulate_ms,query_ms,"
                      "merge_ms,report_ms,effects,particles,bytes,births_starved,"
                      "events_dropped,requests,query_units,cache_records\n");
    for (uint32_t i = 0; i < log->count; ++i) {
        const frame_entry *f = &log->frames[i];
        fprintf(file, "%s,%" PRIu32 ",%g,%.4f,%.4f,%d", name, i, (double)f->dt,
                (double)f->step_ns * 1.0e-6, (double)f->edit_ns * 1.0e-6, f->disturbed);
        for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
            fprintf(file, ",%.4f", (double)f->stats.stage_ns[s] * 1.0e-6);
        fprintf(file,
                ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
                ",%" PRIu32 ",%" PRIu64 "\n",
                f->stats.effects, f->stats.particles, f->bytes, f->stats.births_starved,
                f->stats.events_dropped, f->stats.requests, f->stats.query_units,
                f->stats.cache_records);
    }
}
