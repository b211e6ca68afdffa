/* jobs_profile.h - work and span of a pool's jobs: would more cores help?
 *
 * While a pool measures, it times every fork, join and range.
 *
 * - Work is the time of all jobs, one after the other.
 * - Span is the time of the longest chain: what the same jobs would take on infinitely many
 *   cores. Each fork on the chain adds RICO_STEAL_NS, which is what it costs to hand a job to
 *   another worker. Cilkview does the same.
 * - A loop counts as if it were split in halves down to its ranges; a loop of automatic grain,
 *   down to its indices.
 *
 * Not measured are:
 *
 * - what runs outside of rico_jobs_run;
 * - waits for counters;
 * - tasks, except for a task that forks: measured are the jobs that it forks, and its own work
 *   up to its last join.
 *
 * The serial part of a frame is the time of the frame, measured by the host, less wall_ns. It
 * belongs to the work and to the span.
 *
 * The numbers hardly depend on the number of workers. But memory that two cores share makes the
 * work longer: measure with one worker to predict for many.
 *
 * Cost: some 50 ns per fork, join and range, which count as work. Nothing while the pool does
 *   not measure.
 * Source: He, Leiserson and Leiserson, The Cilkview Scalability Analyzer, 2010.
 */
#ifndef RICOCHET_JOBS_PROFILE_H
#define RICOCHET_JOBS_PROFILE_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RICO_STEAL_NS 1000u

typedef struct rico_jobs_profile {
    uint64_t work_ns; /* all jobs, one after the other; nanoseconds */

    /* The longest chain; of several runs, the sum of theirs; nanoseconds. It is at most about
     * work_ns and what handing jobs over costs. */
    uint64_t span_ns;

    uint64_t wall_ns; /* wall-clock time from each run's beginning to its end; nanoseconds */
    uint64_t runs;    /* number of runs: rico_jobs_run and calls that contain one */
} rico_jobs_profile;

/* Starts to measure, or stops. Both set all numbers to zero, so get the profile before you stop.
 *
 * No task may be left to run (tasks.h; the first half of a step, world_step.h, is a task). This
 * is asserted of tasks that have begun. It is also asserted that no schedule is recorded or
 * followed (jobs_replay.h).
 *
 * Threads: the one that calls rico_jobs_run, outside of it.
 */
RICO_API void rico_jobs_measure(rico_jobs *jobs, bool on);

/* Returns what was measured since rico_jobs_measure.
 *
 * Threads: as rico_jobs_measure.
 */
RICO_API rico_jobs_profile rico_jobs_get_profile(const rico_jobs *jobs);

#define RICO_PROFILE_NAMES 16u

/* Returns the same for the runs that ended under a name (rico_jobs_name_work in jobs_trace.h).
 * NULL: the runs without a name.
 *
 * At most RICO_PROFILE_NAMES names are kept. The runs of later names are in the total only.
 *
 * Threads: as rico_jobs_measure.
 */
RICO_API rico_jobs_profile rico_jobs_get_profile_of(const rico_jobs *jobs, const char *name);

/* Returns how many times as fast as one worker `workers` workers would be, in thousandths.
 *
 * The value is work / ((work - span) / workers + span), and at least 1000. No scheduler that
 * leaves no worker idle beside work takes longer.
 *
 * Range: workers >= 1.
 * Threads: pure.
 * Source: Graham, Bounds on Multiprocessing Timing Anomalies, 1969.
 */
RICO_API uint32_t rico_jobs_predict_speedup(const rico_jobs_profile *profile, uint32_t workers);

#ifdef __cplusplus
}
#endif
#endif
