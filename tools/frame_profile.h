/* frame_profile.h - would more cores help? What a frame's stages do serially, what they share out,
 * and how much faster that would be on more workers.
 *
 * A frame is the serial part of each stage (its time less that of its runs on the pool) and, one
 * after the other, what its runs measured (jobs_profile.h).
 */
#ifndef RICOCHET_FRAME_PROFILE_H
#define RICOCHET_FRAME_PROFILE_H

#include <ricochet/jobs_profile.h>
#include <ricochet/world.h>

/* Nanoseconds. */
typedef struct stage_cost {
    double serial, work, span; /* work and span: of what the pool ran */
} stage_cost;

typedef struct frame_cost {
    stage_cost stages[RICO_STAGE_COUNT];
} frame_cost;

#define FRAME_PROFILE_MOST 512u

/* The newest so many frames. Zeroed = empty. */
typedef struct frame_profile {
    frame_cost frames[FRAME_PROFILE_MOST];
    uint32_t count; /* frames that were added */
} frame_profile;

/* Around a step of a world that uses the pool; the pool measures in between. */
void frame_profile_begin(rico_jobs *jobs);
void frame_profile_end(frame_profile *profile, rico_jobs *jobs, const rico_world_stats *stats);

/* Each figure's median: a thread that waits for a CPU makes a chain of microseconds one of
 * milliseconds. All zero when there are no frames. */
frame_cost frame_profile_median(const frame_profile *profile);

/* All of it on one worker, and its longest chain. */
double frame_cost_work(const frame_cost *cost);
double frame_cost_span(const frame_cost *cost);

/* How much faster than one worker so many would be, as rico_jobs_predict_speedup has it; 0 when
 * nothing was measured. */
double frame_cost_speedup(const frame_cost *cost, uint32_t workers);

#endif
