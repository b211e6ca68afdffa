/* profile.c - work and span, kept while jobs run.
 *
 * A worker's `span` is the length of the longest chain that leads to where it is now. A fork
 * gives it to the job. A join takes the longer of the worker's span and the job's.
 */
#include "check.h"
#include "clock.h"
#include "worker.h"

#include <ricochet/jobs_profile.h>
#include <string.h>

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

/* Exact outside of a run, because the joins that ended the run order what its jobs counted. */
static uint64_t work_of(const rico_jobs *pool)
{
    uint32_t count = pool_worker_count(pool);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += rico__atomic_load_relaxed64(&pool->workers[i].work_ns);
    return sum;
}

/* RICO_PROFILE_NAMES when there is none. */
static uint32_t find_name(const rico__profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->name_count; i++) {
        const char *known = profile->names[i];
        if (known == name || (known != NULL && name != NULL && strcmp(known, name) == 0))
            return i;
    }
    return RICO_PROFILE_NAMES;
}

static void add_run(rico_jobs_profile *sum, uint64_t work, uint64_t span, uint64_t wall)
{
    sum->work_ns += work;
    sum->span_ns += span;
    sum->wall_ns += wall;
    sum->runs += 1;
}

void rico__profile_begin_run(rico_jobs *pool)
{
    pool->profile.work_before = work_of(pool);
    pool->profile.run_since = rico__clock_ns();
    rico__profile_resume(&pool->workers[0], 0);
}

void rico__profile_end_run(rico_jobs *pool)
{
    rico__profile *profile = &pool->profile;
    uint64_t span = rico__profile_strand(&pool->workers[0]);
    uint64_t wall = pool->workers[0].strand_since - profile->run_since;
    uint64_t work = work_of(pool) - profile->work_before;
    const char *name = rico__atomic_load_relaxed_ptr(&pool->work_name);
    uint32_t i = find_name(profile, name);
    if (i == RICO_PROFILE_NAMES && profile->name_count < RICO_PROFILE_NAMES) {
        i = profile->name_count++;
        profile->names[i] = name;
    }
    if (i != RICO_PROFILE_NAMES)
        add_run(&profile->named[i], work, span, wall);
    add_run(&profile->total, work, span, wall);
}

void rico_jobs_measure(rico_jobs *pool, bool on)
{
    if (!RICO_REQUIRE(pool_log_mode(pool) == RICO__LOG_NONE) ||
        !RICO_REQUIRE(rico__task_none_runs(pool)))
        return;
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count; i++) {
        rico__atomic_store_relaxed64(&pool->workers[i].work_ns, 0);
        deque_watch(&pool->workers[i].deque, on || pool->chaos_seed != 0);
    }
    memset(&pool->profile, 0, sizeof pool->profile);
    /* Relaxed: a worker learns of it by the fork that it steals. */
    rico__atomic_store_relaxed32(&pool->measuring, on);
}

rico_jobs_profile rico_jobs_get_profile(const rico_jobs *pool)
{
    return pool->profile.total;
}

rico_jobs_profile rico_jobs_get_profile_of(const rico_jobs *pool, const char *name)
{
    uint32_t i = find_name(&pool->profile, name);
    return i != RICO_PROFILE_NAMES ? pool->profile.named[i] : (rico_jobs_profile){0};
}

uint32_t rico_jobs_predict_speedup(const rico_jobs_profile *profile, uint32_t workers)
{
    uint64_t work = profile->work_ns, span = profile->span_ns;
    if (work <= span)
        return 1000;
    uint64_t on_many = (work - span) / (workers != 0 ? workers : 1) + span;
    if (on_many == 0)
        return 1000;
    const double times = (double)work * 1000.0 / (double)on_many;
    return times < (double)UINT32_MAX ? (uint32_t)times : UINT32_MAX;
}
