/* jobs_replay.h - a schedule that can be had again: a log of who stole which job and who split
 * which loop, recorded while a program runs (with a chaos_seed, say, until it fails), and followed
 * when it runs again.
 *
 * While it follows a log, each worker runs the same jobs and ranges in the same order as when the
 * log was recorded; how these orders interleave is not fixed. The program must fork, join and loop
 * as it did: the same calls from the same input. Tasks and counters (tasks.h) are not in the log,
 * and frame graphs are only as far as no node has predecessors on two workers. Slow, for tests and
 * for finding errors: workers without work spin; each fork looks through the log.
 */
#ifndef RICOCHET_JOBS_REPLAY_H
#define RICOCHET_JOBS_REPLAY_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Moments are counted in forks, joins and possible splits that the worker has come to. */
typedef struct rico_steal {
    uint32_t worker; /* who took a job, or split a loop */
    uint32_t at;     /* its moment */
    uint32_t victim; /* whose job; `worker` itself: it split a loop */
    uint32_t fork;   /* which of the victim's forks, from 1; 0 when it split */
} rico_steal;

/* Each of these begins a new log, all counts from 0, or stops (NULL). The memory is the caller's and
 * stays until then. Threads: as rico_jobs_measure (jobs_profile.h). Asserts that the pool has threads of its own, or
 * none, and does not measure. */
RICO_API void rico_jobs_record(rico_jobs *jobs, rico_steal *steals, uint32_t capacity);
RICO_API void rico_jobs_replay(rico_jobs *jobs, const rico_steal *steals, uint32_t count);

/* Steals and splits since rico_jobs_record; more than its capacity: the rest is lost. */
RICO_API uint32_t rico_jobs_recorded(const rico_jobs *jobs);

/* After a run: false when the program did something else than what the log says, or less. What is
 * left of the program is then run in any schedule; a wait notices it after a second, and none waits for
 * ever. Threads: as rico_jobs_replay. */
RICO_API bool rico_jobs_follows(const rico_jobs *jobs);

#ifdef __cplusplus
}
#endif
#endif
