/* profile.c - work and span, kept while jobs run.
 *
 * A worker's `span` is the length of the longest chain that leads to where it is now. A fork gives
 * it to the job; a join takes the longer of its own and the job's.
 */
#include "check.h"
#include "clock.h"
#include "worker.h"

#include <ricochet/jobs_profile.h>

uint64_t rico__profile_strand(rico_worker *worker)
{
    uint64_t now = rico__clock_ns(), length = now - worker->strand_since;
    worker->strand_since = now;
    worker->span += length;
    count_add(&worker->work_ns, length);
    return worker->span;
}

void rico__profile_resume(rico_worker *worker, uint64_t span)
{
    worker->strand_since = rico__clock_ns();
    worker->span = span;
}

void rico__profile_run(rico_worker *worker, rico_job *job)
{
    uint64_t before = rico__profile_strand(worker);
    worker->span = job->span;
    job->fn(worker, job->context);
    job->span = rico__profile_strand(worker);
    worker->span = before;
}

void rico__profile_join(rico_worker *worker, const rico_job *job)
{
    uint64_t there = job->span + RICO_STEAL_NS;
    if (worker->span < there)
        worker->span = there;
}

void rico_jobs_measure(rico_jobs *pool, bool on)
{
    if (!RICO_REQUIRE(pool_log_mode(pool) == RICO__LOG_NONE))
        return;
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count; i++) {
        rico__atomic_store_relaxed64(&pool->workers[i].work_ns, 0);
        deque_watch(&pool->workers[i].deque, on || pool->chaos_seed != 0);
    }
    pool->profile_span_ns = 0;
    pool->profile_runs = 0;
    /* Relaxed: the fork that a worker steals tells it. */
    rico__atomic_store_relaxed32(&pool->measuring, on);
}

rico_jobs_profile rico_jobs_get_profile(const rico_jobs *pool)
{
    rico_jobs_profile profile = {.span_ns = pool->profile_span_ns, .runs = pool->profile_runs};
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count; i++)
        profile.work_ns += rico__atomic_load_relaxed64(&pool->workers[i].work_ns);
    return profile;
}

uint32_t rico_jobs_predict_speedup(const rico_jobs_profile *profile, uint32_t workers)
{
    uint64_t on_many = profile->work_ns / (workers != 0 ? workers : 1) + profile->span_ns;
    if (on_many == 0 || on_many >= profile->work_ns)
        return 1000;
    return (uint32_t)(profile->work_ns * 1000 / on_many);
}
