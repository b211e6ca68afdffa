/* jobs_replay.h - recorded schedules, which a later run of the program follows.
 *
 * A log says which worker stole which job, and which worker split which loop. Record it while a
 * program runs, for example with a chaos_seed until the program fails. Then follow it in
 * another run.
 *
 * While the pool follows a log, each worker runs the same jobs and ranges in the same order as
 * when the log was recorded. How these orders interleave is not fixed.
 *
 * The program must fork, join and loop as it did: the same calls from the same input. Tasks and
 * counters (tasks.h) are not in the log. Job graphs (job_graph.h) are in it only as far as no
 * node has predecessors on two workers.
 *
 * Cost: it is slow, and made for tests and for finding errors. Workers without work spin, and
 *   each fork searches the log.
 */
#ifndef RICOCHET_JOBS_REPLAY_H
#define RICOCHET_JOBS_REPLAY_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An entry of a log: a steal, or a split of a loop. Moments are counted per worker, in the
 * forks, joins and possible splits that it has come to. */
typedef struct rico_steal {
    uint32_t worker; /* the worker that took a job, or split a loop */
    uint32_t at;     /* the moment of that worker */
    uint32_t victim; /* the worker whose job it took; `worker` itself: it split a loop */
    uint32_t fork;   /* which of the victim's forks it took, from 1; 0: it split a loop */
} rico_steal;

/* Begins to record a new log, or stops (steals NULL). All counts begin at 0.
 *
 * The pool must not be on the host's jobs (rico_jobs_def.host), and must not measure
 * (jobs_profile.h). No task may be left to run. The first two are asserted, and the last is
 * asserted of tasks that have begun.
 *
 * Threads: as rico_jobs_measure (jobs_profile.h).
 * Lifetime: steals[0..capacity) is the caller's memory, and stays in place until the pool stops
 *   or begins another log.
 */
RICO_API void rico_jobs_record(rico_jobs *jobs, rico_steal *steals, uint32_t capacity);

/* Begins to follow a log, or stops (steals NULL). Otherwise as rico_jobs_record. */
RICO_API void rico_jobs_replay(rico_jobs *jobs, const rico_steal *steals, uint32_t count);

/* Returns the number of steals and splits since rico_jobs_record. Those beyond its capacity are
 * lost to the log. */
RICO_API uint32_t rico_jobs_recorded(const rico_jobs *jobs);

/* Returns, after a run, whether the program did all that the log says and nothing else.
 *
 * When it does something else, the rest of the program runs in any schedule. A wait notices
 * that after a second, and no wait lasts for ever.
 *
 * Threads: as rico_jobs_replay.
 */
RICO_API bool rico_jobs_follows(const rico_jobs *jobs);

#ifdef __cplusplus
}
#endif
#endif
