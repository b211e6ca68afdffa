/* jobs_profile.h - would more cores help? Total work, the longest chain, and what follows.
 *
 * While a pool measures, every fork, join and range is timed. The longest chain (span) is the time
 * that the same jobs would take on infinitely many cores, with RICO_STEAL_NS counted for each
 * fork on it, as Cilkview does (He, Leiserson and Leiserson 2010): what handing a job over costs.
 * A loop counts as if it were split in halves down to its ranges; one of automatic grain, to its
 * indices. What runs outside of rico_jobs_run is not seen, nor are waits for counters, nor tasks, but for what these fork
 * and do until they have joined it: a frame's serial part is
 * what the host measures of it less wall_ns, and belongs to work and to span.
 *
 * The numbers hardly depend on the number of workers, but memory that two cores share makes work
 * longer: measure with one worker to predict for many. Measuring costs some 50 ns per fork, join
 * and range, which are counted as work; nothing when off.
 */
#ifndef RICOCHET_JOBS_PROFILE_H
#define RICOCHET_JOBS_PROFILE_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RICO_STEAL_NS 1000u

typedef struct rico_jobs_profile {
    uint64_t work_ns; /* all jobs, one after the other */
    uint64_t span_ns; /* the longest chain; of several runs, their sum; at most about work_ns
                         and what handing over costs */
    uint64_t wall_ns; /* from the beginning of each run to its end, on the clock */
    uint64_t runs;    /* rico_jobs_run and the like */
} rico_jobs_profile;

/* Starts from zero, or stops. Threads: the one that calls rico_jobs_run, outside of it, and while no task is left to run
 * (tasks.h; the first half of a step, world_step.h, is one): asserted of those that have begun. */
RICO_API void rico_jobs_measure(rico_jobs *jobs, bool on);

/* What was measured since. Threads: as rico_jobs_measure. */
RICO_API rico_jobs_profile rico_jobs_get_profile(const rico_jobs *jobs);

/* The same of the runs that ended under that name (rico_jobs_name_work, jobs_trace.h; NULL = those
 * without). Of more than RICO_PROFILE_NAMES names, the later ones are in the total only. */
#define RICO_PROFILE_NAMES 16u
RICO_API rico_jobs_profile rico_jobs_get_profile_of(const rico_jobs *jobs, const char *name);

/* How much faster than one worker that many would be, in thousandths: work / ((work - span) /
 * workers + span), at least 1000: no scheduler that leaves no worker idle beside work takes longer
 * (Graham 1969). workers: 1 and up. Pure. */
RICO_API uint32_t rico_jobs_predict_speedup(const rico_jobs_profile *profile, uint32_t workers);

#ifdef __cplusplus
}
#endif
#endif
