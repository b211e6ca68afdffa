/* worker.c - the slow paths of fork and join. The fast ones are inline (jobs.h): they write the
 * owner's cache lines only. */
#include "worker.h"

#include "check.h"
#include "clock.h"

void rico__worker_busy_begin(rico_worker *worker)
{
    worker->busy_since = rico__clock_ns();
}

void rico__worker_busy_end(rico_worker *worker)
{
    uint64_t now = rico__clock_ns();
    count_add(&worker->counts.busy_ns, now - worker->busy_since);
    if (trace_is_on(&worker->trace)) {
        const char *name = rico__atomic_load_relaxed_ptr(&worker->pool->work_name);
        rico__trace_add(&worker->trace, name != NULL ? name : "work", worker->busy_since, now);
    }
}

void rico__check_joined(const rico_worker *worker, rico_job *const *top)
{
    bool all_forks_are_joined = worker->deque.top == top;
    (void)RICO_REQUIRE(all_forks_are_joined);
}

uint32_t rico_worker_index(const rico_worker *worker)
{
    return worker->index;
}

/* Called after a publish. */
static void see_to_thieves(rico_worker *worker)
{
    const rico__crew *crew = &worker->pool->crew;
    rico__deque *deque = &worker->deque;
    /* Without this fence a thief could lie down having seen neither the job nor its request
     * taken down, while this worker sees the thief neither searching nor asleep (idle.c, rule
     * 3). */
    rico__fence_seq_cst();
    uint32_t searching = crew_searching(crew), wakeable = crew_wakeable(crew);
    uint32_t public_count = deque_public_count(deque);
    bool leaps = crew_leaps(crew); /* perhaps for this deque */
    if (public_count < searching + wakeable || (public_count == 0 && leaps))
        rico__atomic_store_relaxed32(deque_wanted(deque), deque->watched | RICO__ASKED);
    if (public_count != 0 && searching == 0 && (wakeable != 0 || leaps))
        rico__idle_wake_one(worker);
}

__attribute__((noinline)) void rico__worker_share(rico_worker *worker, uint32_t keep)
{
    const rico__crew *crew = &worker->pool->crew;
    if (rico__deque_publish(&worker->deque, keep, crew_searching(crew) + crew_wakeable(crew)))
        see_to_thieves(worker);
}

void rico__worker_share_all(rico_worker *worker)
{
    if (rico__deque_publish(&worker->deque, 0, UINT32_MAX))
        see_to_thieves(worker);
}

static void run_at_once(rico_worker *worker, rico_job *job)
{
    count_add(&worker->counts.inline_runs, 1);
    count_add(deque_jobs_run(&worker->deque), job->fn != rico__range_run);
    if (pool_measures(worker->pool)) {
        job->span = rico__profile_strand(worker);
        rico__profile_run(worker, job);
    } else {
        job->fn(worker, job->context);
    }
}

void rico_job_fork_slowly(rico_worker *worker, rico_job *job)
{
    rico__deque *deque = &worker->deque;
    if (deque->top == deque->end && deque->top[-1] != job) {
        deque->overflow += 1;
        run_at_once(worker, job);
        return;
    }
    if (pool_measures(worker->pool))
        job->span = rico__profile_strand(worker);
    if (pool_log_mode(worker->pool) != RICO__LOG_NONE)
        rico__replay_fork(worker, job);
    if (pool_replays(worker->pool))
        return;
    bool shares = worker->chaos != 0 && rico__chaos_shares(worker);
    if (shares || deque_is_asked(deque))
        rico__worker_share(worker, 0);
}

/* The last pieces of a range end at about the same time. So the worker looks a few times before
 * it joins the idle ones, which takes a few hundred ns there and back. It has asked the thief
 * to share meanwhile. */
static bool ends_soon(rico_worker *worker, rico_job *job)
{
    for (int i = 0; i < 8; i++) {
        /* Acquire: otherwise what the job wrote could be read stale. */
        if (rico__atomic_load32(job_state(job)) == RICO__JOB_DONE)
            return true;
        uint32_t thief = rico__atomic_load_relaxed32(job_thief(job));
        if (thief != 0 && rico__deque_ask(&worker->pool->workers[thief_worker(thief)].deque,
                                          thief_base(thief)))
            return false;
        rico__cpu_pause();
    }
    return false;
}

/* Another worker runs the job, or has run it. */
static void await_stolen(rico_worker *worker, rico_job *job)
{
    if (!ends_soon(worker, job) || rico__replay_steal_is_due(worker)) {
        rico__worker_busy_end(worker);
        rico__idle_until_done(worker, job);
        rico__worker_busy_begin(worker);
    }
    rico__deque_drop_stolen(&worker->deque);
    if (pool_log_mode(worker->pool) != RICO__LOG_NONE)
        rico__replay_join(worker); /* what is stolen from now on is not stolen in this wait */
}

/* Takes the newest job back when rico__deque_pop did not take it. False: it has run already. */
static bool take_back(rico_worker *worker, rico_job *job)
{
    rico__deque *deque = &worker->deque;
    if (deque->overflow != 0) { /* it ran when it was forked */
        deque->overflow -= 1;
        return false;
    }
    if (!RICO_REQUIRE(deque->top != deque->slots && deque->top[-1] == job))
        return false;
    if (deque->top == deque->split)
        rico__replay_await_thief(worker);
    if (deque->top == deque->split && !rico__deque_reclaim(deque)) {
        await_stolen(worker, job);
        return false;
    }
    if (deque_is_asked(deque) && !pool_replays(worker->pool))
        rico__worker_share(worker, 1);
    deque->top -= 1;
    return true;
}

static void run_own(rico_worker *worker, rico_job *job)
{
    count_add(deque_jobs_run(&worker->deque), job->fn != rico__range_run);
    job->fn(worker, job->context);
}

void rico_job_join_slowly(rico_worker *worker, rico_job *job)
{
    if (worker->chaos != 0)
        rico__chaos_disturb(worker);
    if (pool_log_mode(worker->pool) != RICO__LOG_NONE)
        rico__replay_join(worker);
    bool measures = pool_measures(worker->pool);
    if (measures)
        rico__profile_strand(worker); /* before it may wait */
    bool own = take_back(worker, job);
    if (!measures) {
        if (own)
            run_own(worker, job);
        return;
    }
    rico__profile_resume(worker, worker->span);
    if (own) {
        count_add(deque_jobs_run(&worker->deque), job->fn != rico__range_run);
        rico__profile_run(worker, job);
    }
    rico__profile_join(worker, job);
}
