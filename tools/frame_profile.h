/* frame_profile.h - estimates how much more cores would help: which part of a frame's stages is
 * serial, which part is shared, and how much faster the frame would be with more workers.
 *
 * A frame is, in sequence, the serial part of each stage (its time without its runs on the pool)
 * and the work and span that the pool measured for those runs (jobs_profile.h).
 */
#ifndef RICOCHET_FRAME_PROFILE_H
#define RICOCHET_FRAME_PROFILE_H

#include <ricochet/jobs_profile.h>
#include <ricochet/world.h>

/* Nanoseconds. */
typedef struct stage_cost {
    double serial, work, span; /* work and span: of the stage's runs on the pool */
} stage_cost;

typedef struct frame_cost {
    stage_cost stages[RICO_STAGE_COUNT];
} frame_cost;

#define FRAME_PROFILE_MOST 512u

/* The newest frames, in a ring. All zero = empty. */
typedef struct frame_profile {
    frame_cost frames[FRAME_PROFILE_MOST];
    uint32_t count; /* number of frames added */
} frame_profile;

/* Calls around a step of a world that uses the pool. The pool measures between them. */
void frame_profile_begin(rico_jobs *jobs);
void frame_profile_end(frame_profile *profile, rico_jobs *jobs, const rico_world_stats *stats);

/* The median of each figure. A mean would not do: a thread that waits for a CPU turns a chain of
 * microseconds into milliseconds. All zero when there are no frames. */
frame_cost frame_profile_median(const frame_profile *profile);

/* The whole frame on one worker, and its longest chain. */
double frame_cost_work(const frame_cost *cost);
double frame_cost_span(const frame_cost *cost);

/* How much faster than one worker that many workers would be, as rico_jobs_predict_speedup
 * computes it. 0 when nothing was measured. */
double frame_cost_speedup(const frame_cost *cost, uint32_t workers);

#endif
