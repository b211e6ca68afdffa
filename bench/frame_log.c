#include "frame_log.h"

#include "median.h"

#include <stdlib.h>

bool frame_log_add(frame_log *log, const frame_entry *entry)
{
    if (log->count == log->capacity) {
        uint32_t capacity = 2 * log->capacity + 1024;
        frame_entry *frames = realloc(log->frames, capacity * sizeof *frames);
        if (!frames)
            return false;
        log->frames = frames;
        log->capacity = capacity;
    }
    log->frames[log->count++] = *entry;
    return true;
}

void frame_log_free(frame_log *log)
{
    free(log->frames);
    *log = (frame_log){0};
}

uint64_t frame_step_ns(const frame_entry *entry)
{
    return entry->step_ns;
}

uint64_t frame_edit_ns(const frame_entry *entry)
{
    return entry->edit_ns;
}

bool frame_log_times(const frame_log *log, frame_time_fn *time, bool undisturbed_only,
                     frame_times *out)
{
    *out = (frame_times){0};
    double *ms = malloc((log->count + 1) * sizeof *ms);
    if (!ms)
        return false;
    for (uint32_t i = 0; i < log->count; ++i)
        if (!undisturbed_only || !log->frames[i].disturbed)
            ms[out->count++] = (double)time(&log->frames[i]) * 1.0e-6;
    if (out->count > 0) {
        out->p50 = percentile(ms, out->count, 50);
        out->p99 = percentile(ms, out->count, 99);
        out->max = percentile(ms, out->count, 100);
    }
    free(ms);
    return true;
}

static const frame_entry *longest(const frame_log *log, bool undisturbed_only)
{
    const frame_entry *worst = NULL;
    for (uint32_t i = 0; i < log->count; ++i) {
        const frame_entry *entry = &log->frames[i];
        if (undisturbed_only && entry->disturbed)
            continue;
        if (!worst || entry->step_ns > worst->step_ns)
            worst = entry;
    }
    return worst;
}

const frame_entry *frame_log_worst(const frame_log *log)
{
    const frame_entry *worst = longest(log, true);
    return worst ? worst : longest(log, false);
}

rico_stage frame_worst_stage(const frame_entry *entry)
{
    rico_stage worst = RICO_STAGE_PLAN;
    for (uint32_t s = 0; s < RICO_STAGE_COUNT; ++s)
        if (entry->stats.stage_ns[s] > entry->stats.stage_ns[worst])
            worst = (rico_stage)s;
    return worst;
}
