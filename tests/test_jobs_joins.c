/* test_jobs_joins.c - what a join runs while it waits: only jobs forked for the awaited job.
 * (test_jobs_sleep.c tests that it is woken for them.) */
#include "jobs_fixture.h"

#include "atomics.h"

#include <ricochet/tasks.h>

typedef struct scene {
    rico_jobs *jobs;
    rico__atomic32 other_began, awaited_began, awaited_over, in_join;
    rico__atomic32 foreign_runs, foreign_in_join; /* runs, and those in worker 0's join */
    bool wants_foreign;
    rico_counter gate, over;
    rico_task opens, task;
} scene;

static void nothing(rico_worker *worker, void *context)
{
    (void)worker, (void)context;
}

/* Waits for a flag and answers requests meanwhile; 10 s at most. */
static void work_until(rico_worker *worker, rico__atomic32 *flag)
{
    for (int i = 0; i < 100000 && rico__atomic_load32(flag) == 0; i++) {
        rico_job job;
        rico_job_fork(worker, &job, nothing, NULL);
        nap(100);
        rico_job_join(worker, &job);
    }
}

static rico_jobs *create_helping(uint32_t workers, bool anybody)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers;
    def.most_awake = workers;
    def.spin_microseconds = 10;
    def.joins_help_anybody = anybody;
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    return jobs;
}

static void foreign(rico_worker *worker, void *context)
{
    scene *s = context;
    if (rico_worker_index(worker) == 0 && rico__atomic_load32(&s->in_join) != 0)
        rico__atomic_fetch_add32(&s->foreign_in_join, 1);
    rico__atomic_fetch_add32(&s->foreign_runs, 1);
}

/* Has jobs to give away until the awaited job is over. */
static void fork_foreign(rico_worker *worker, void *context)
{
    scene *s = context;
    rico_job jobs[8];
    rico__atomic_store32(&s->other_began, 1);
    work_until(worker, &s->in_join); /* earlier, another worker could take all of them */
    for (int i = 0; i < 8; i++)
        rico_job_fork(worker, &jobs[i], foreign, s);
    work_until(worker, &s->awaited_over);
    for (int i = 8; i-- > 0;)
        rico_job_join(worker, &jobs[i]);
}

static void be_awaited(rico_worker *worker, void *context)
{
    scene *s = context;
    (void)worker;
    rico__atomic_store32(&s->awaited_began, 1);
    for (int i = 0; i < 100000 && rico__atomic_load32(&s->in_join) == 0; i++)
        nap(100);
    if (s->wants_foreign)
        for (int i = 0; i < 5000 && rico__atomic_load32(&s->foreign_in_join) == 0; i++)
            nap(100);
    else
        nap(20000);
    rico__atomic_store32(&s->awaited_over, 1);
}

static void join_it(rico_worker *worker, scene *s, rico_job *job)
{
    rico__atomic_store32(&s->in_join, 1);
    rico_job_join(worker, job);
    rico__atomic_store32(&s->in_join, 0);
}

static void join_beside_foreign(rico_worker *worker, void *context)
{
    scene *s = context;
    rico_job other, awaited;
    rico_job_fork(worker, &other, fork_foreign, s);
    work_until(worker, &s->other_began);
    rico_job_fork(worker, &awaited, be_awaited, s);
    work_until(worker, &s->awaited_began);
    join_it(worker, s, &awaited);
    rico_job_join(worker, &other);
}

static bool runs_foreign_in_join(bool anybody)
{
    scene s = {.jobs = create_helping(3, anybody), .wants_foreign = anybody};
    rico_jobs_run(s.jobs, join_beside_foreign, &s);
    CHECK_EQ(rico__atomic_load32(&s.foreign_runs), 8);
    rico_jobs_destroy(s.jobs);
    return rico__atomic_load32(&s.foreign_in_join) != 0;
}

/* A join that may run foreign jobs does so. On a very busy machine other workers may come first,
 * hence several tries. */
TEST(jobs, runs_no_foreign_job_in_a_join_unless_told_to)
{
    CHECK(!runs_foreign_in_join(false));
    bool seen = false;
    for (int i = 0; i < 20 && !seen; i++)
        seen = runs_foreign_in_join(true);
    CHECK(seen);
}

/* The thief may have older jobs: it took the awaited job while it waited for a counter. */
static void fork_and_wait(rico_worker *worker, void *context)
{
    scene *s = context;
    rico_job job;
    rico_job_fork(worker, &job, foreign, s);
    rico__atomic_store32(&s->other_began, 1);
    rico_worker_wait(worker, &s->gate);
    rico_job_join(worker, &job);
}

static void join_over_foreign(rico_worker *worker, void *context)
{
    scene *s = context;
    rico_counter_init(&s->gate, 1);
    rico_counter_init(&s->over, 1);
    s->task = (rico_task){.fn = fork_and_wait,
                          .context = s,
                          .counter = &s->over,
                          .place = RICO_TASK_NOT_ON_CALLER};
    s->opens = (rico_task){.fn = nothing, .counter = &s->gate};
    rico_jobs_submit(s->jobs, &s->task);
    work_until(worker, &s->other_began);
    rico_job awaited;
    rico_job_fork(worker, &awaited, be_awaited, s);
    work_until(worker, &s->awaited_began);
    join_it(worker, s, &awaited);
    rico_jobs_submit(s->jobs, &s->opens);
    rico_worker_wait(worker, &s->over);
}

TEST(jobs, runs_no_older_job_of_its_jobs_thief_in_a_join)
{
    scene s = {.jobs = create_helping(2, false)};
    rico_jobs_run(s.jobs, join_over_foreign, &s);
    CHECK_EQ(rico__atomic_load32(&s.foreign_runs), 1);
    CHECK_EQ(rico__atomic_load32(&s.foreign_in_join), 0);
    rico_jobs_destroy(s.jobs);
}

/* ---- jobs that are taken back --------------------------------------------------------------- */

static void unforked_fib(rico_worker *worker, void *context)
{
    fib_call *call = context;
    if (call->n < 2) {
        call->result = call->n;
        return;
    }
    fib_call a = {call->n - 1, 0}, b = {call->n - 2, 0};
    rico_job job;
    rico_job_fork(worker, &job, unforked_fib, &b);
    unforked_fib(worker, &a);
    if (rico_job_unfork(worker, &job))
        unforked_fib(worker, &b);
    call->result = a.result + b.result;
}

TEST(jobs, gives_jobs_that_nobody_took_back_to_who_unforks_them)
{
    for (uint32_t workers = 1; workers <= 4; workers++) {
        rico_jobs *jobs = create(workers, 16, 20);
        uint64_t run = 0;
        for (int round = 0; round < 5; round++) {
            fib_call call = {18, 0};
            rico_jobs_run(jobs, unforked_fib, &call);
            CHECK_EQ(call.result, 2584);
        }
        for (uint32_t i = 0; i < workers; i++)
            run += rico_jobs_worker_stats(jobs, i).jobs_run;
        CHECK_EQ(run, 5 * (1 + 4180)); /* fib(n) forks fib(n + 1) - 1 jobs, each run once */
        rico_jobs_destroy(jobs);
    }
}
