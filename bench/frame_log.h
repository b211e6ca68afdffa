/* frame_log.h - times of every measured frame, and their percentiles. */
#ifndef RICO_BENCH_FRAME_LOG_H
#define RICO_BENCH_FRAME_LOG_H

#include <ricochet/world.h>

typedef struct frame_entry {
    float dt;
    bool disturbed;              /* disturbance.h */
    uint64_t step_ns, edit_ns;   /* rico_world_step; the host's edits before it */
    uint64_t bytes, allocations; /* live after the step; made by the step */
    rico_world_stats stats;
} frame_entry;

/* Owner: the benchmark. Zeroed = empty. */
typedef struct frame_log {
    frame_entry *frames;
    uint32_t count, capacity;
} frame_log;

/* False: out of memory; nothing was added. */
bool frame_log_add(frame_log *log, const frame_entry *entry);
void frame_log_free(frame_log *log);

/* Returns a time of a frame, in nanoseconds. */
typedef uint64_t frame_time_fn(const frame_entry *entry);

uint64_t frame_step_ns(const frame_entry *entry);
uint64_t frame_edit_ns(const frame_entry *entry);

typedef struct frame_times {
    double p50, p99, max; /* ms; pN: least time that N percent of frames do not exceed */
    uint32_t count;       /* number of frames; 0 = all times are 0 */
} frame_times;

/* Times of all frames, or of the undisturbed ones only. False: out of memory. */
bool frame_log_times(const frame_log *log, frame_time_fn *time, bool undisturbed_only,
                     frame_times *out);

/* The frame with the longest step, among the undisturbed ones if there are any. NULL when empty. */
const frame_entry *frame_log_worst(const frame_log *log);

/* The stage that took the largest part of a frame. */
rico_stage frame_worst_stage(const frame_entry *entry);

#endif
