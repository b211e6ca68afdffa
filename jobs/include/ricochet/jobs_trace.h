/* jobs_trace.h - what the workers of a pool did when, for chrome://tracing and ui.perfetto.dev.
 *
 * A pool with rico_jobs_def.trace_capacity keeps the newest events of each worker: its stretches
 * of work, its sleep, and zones that the host marks. Without, nothing is kept and nothing here
 * costs more than a test of a pointer.
 */
#ifndef RICOCHET_JOBS_TRACE_H
#define RICOCHET_JOBS_TRACE_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What stretches of work that begin from now on are called; the string must outlive the pool.
 * NULL = "work". Threads: the one that calls rico_jobs_run. */
RICO_API void rico_jobs_name_work(rico_jobs *jobs, const char *name);

/* A zone inside a job: uint64_t z = rico_worker_zone_begin(w); ...; rico_worker_zone_end(w,
 * "solve", z). Both on the same worker, without a join or wait in between; the name must outlive
 * the pool. */
RICO_API uint64_t rico_worker_zone_begin(const rico_worker *worker);
RICO_API void rico_worker_zone_end(rico_worker *worker, const char *name, uint64_t begin);

/* Gets the text piece by piece; false = stop. */
typedef bool rico_trace_write(void *user, const char *text, size_t bytes);

/* Writes all that is kept as one JSON object (Trace Event Format; times in microseconds since the
 * pool was created). False when write said so. Threads: the one that calls rico_jobs_run, outside
 * of it. */
RICO_API bool rico_jobs_write_trace(const rico_jobs *jobs, rico_trace_write *write, void *user);

#ifdef __cplusplus
}
#endif
#endif
