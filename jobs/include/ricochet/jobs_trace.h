/* jobs_trace.h - traces: what the workers of a pool did when, for chrome://tracing and
 * ui.perfetto.dev.
 *
 * A pool with rico_jobs_def.trace_capacity above 0 keeps the newest events of each worker: its
 * stretches of work, its sleep, and zones that the host marks. A pool without keeps nothing.
 *
 * Cost: in a pool without a trace, at most the test of a pointer.
 */
#ifndef RICOCHET_JOBS_TRACE_H
#define RICOCHET_JOBS_TRACE_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names the stretches of work that end from now on. NULL: "work".
 *
 * Threads: the one that calls rico_jobs_run.
 * Lifetime: the string must outlive the pool.
 */
RICO_API void rico_jobs_name_work(rico_jobs *jobs, const char *name);

/* Begins a zone inside a job, and returns what rico_worker_zone_end wants.
 *
 *   uint64_t z = rico_worker_zone_begin(w);
 *   ...
 *   rico_worker_zone_end(w, "solve", z);
 *
 * Both calls are made on the same worker, without a join or a wait in between.
 */
RICO_API uint64_t rico_worker_zone_begin(const rico_worker *worker);

/* Ends a zone, and keeps it under a name.
 *
 * Lifetime: the name must outlive the pool.
 */
RICO_API void rico_worker_zone_end(rico_worker *worker, const char *name, uint64_t begin);

/* Gets the next piece of a trace's text. Returns false to stop. */
typedef bool rico_trace_write(void *user, const char *text, size_t bytes);

/* Writes all events that are kept, as one JSON object in the Trace Event Format. Returns false
 * when `write` returned false.
 *
 * Units: times are in microseconds since the pool was created.
 * Threads: the one that calls rico_jobs_run, outside of it.
 */
RICO_API bool rico_jobs_write_trace(const rico_jobs *jobs, rico_trace_write *write, void *user);

#ifdef __cplusplus
}
#endif
#endif
