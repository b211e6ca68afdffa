/* test_jobs_host.c - pools on the host's jobs: any legal host gives the same results. */
#include "jobs_fixture.h"

#include "atomics.h"
#include "jobs_tbb_host.h"

#include <pthread.h>
#include <ricochet/tasks.h>

#define HOST_JOBS 4096u

typedef enum host_kind {
    HOST_SYNCHRONOUS, /* runs in enqueue, gives no handle */
    HOST_EAGER,       /* runs in enqueue, gives a handle */
    HOST_LATE,        /* runs in finish */
    HOST_BACKWARDS,   /* one thread, which takes the newest first */
    HOST_THREADS,     /* three threads */
#ifdef TEST_TBB_HOST
    HOST_TBB, /* oneTBB, with as many */
#endif
    HOST_KINDS
} host_kind;

typedef struct host_job {
    void (*fn)(void *context);
    void *context;
    rico__atomic32 state; /* 0 waits, 1 taken, 2 done */
} host_job;

typedef struct host {
    host_kind kind;
    host_job jobs[HOST_JOBS];
    uint32_t count, finished; /* the caller's */
    rico__atomic32 published, stop;
    rico__atomic32 wrong_thread;
    pthread_t caller, threads[3];
    void *tbb;
    uint32_t thread_count;
} host;

static void run_host_job(host_job *job)
{
    if (!rico__atomic_cas32(&job->state, 0, 1))
        return;
    job->fn(job->context);
    rico__atomic_store32(&job->state, 2);
}

static void *enqueue(void *user, void (*fn)(void *context), void *context)
{
    host *h = user;
    if (!pthread_equal(h->caller, pthread_self()))
        rico__atomic_store32(&h->wrong_thread, 1);
    if (h->kind == HOST_SYNCHRONOUS || h->count == HOST_JOBS) {
        fn(context);
        return NULL;
    }
#ifdef TEST_TBB_HOST
    if (h->kind == HOST_TBB) {
        h->count += 1;
        return tbb_host_enqueue(h->tbb, fn, context);
    }
#endif
    host_job *job = &h->jobs[h->count++];
    job->fn = fn;
    job->context = context;
    rico__atomic_store_relaxed32(&job->state, 0);
    if (h->kind == HOST_EAGER)
        run_host_job(job);
    rico__atomic_store32(&h->published, h->count);
    return job;
}

static void finish(void *user, void *handle)
{
    host *h = user;
    host_job *job = handle;
    h->finished += 1;
    if (!pthread_equal(h->caller, pthread_self()))
        rico__atomic_store32(&h->wrong_thread, 1);
#ifdef TEST_TBB_HOST
    if (h->kind == HOST_TBB) {
        tbb_host_finish(h->tbb, handle);
        return;
    }
#endif
    run_host_job(job); /* if nobody has */
    while (rico__atomic_load32(&job->state) != 2)
        nap(10);
}

static void *host_thread(void *user)
{
    host *h = user;
    while (rico__atomic_load32(&h->stop) == 0) {
        uint32_t count = rico__atomic_load32(&h->published);
        bool found = false;
        for (uint32_t i = count; i > 0 && count - i < 16 && !found; i--)
            if (rico__atomic_load32(&h->jobs[i - 1].state) == 0) {
                run_host_job(&h->jobs[i - 1]);
                found = true;
            }
        if (!found)
            nap(20);
    }
    return NULL;
}

static rico_jobs *create_hosted(host *h, host_kind kind, uint32_t workers)
{
    memset(h, 0, sizeof *h);
    h->kind = kind;
    h->caller = pthread_self();
    h->thread_count = kind == HOST_THREADS ? 3 : kind == HOST_BACKWARDS ? 1 : 0;
    for (uint32_t i = 0; i < h->thread_count; i++)
        CHECK_EQ(pthread_create(&h->threads[i], NULL, host_thread, h), 0);
#ifdef TEST_TBB_HOST
    if (kind == HOST_TBB)
        h->tbb = tbb_host_open(4);
#endif
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers;
    def.spin_microseconds = 20;
    def.watchdog_ms = 0; /* whose look wakes what nobody else woke */
    def.host = (rico_host_jobs){enqueue, finish, h};
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK_EQ(rico_jobs_worker_count(jobs), workers);
    return jobs;
}

static void destroy_hosted(host *h, rico_jobs *jobs)
{
    rico_jobs_destroy(jobs);
    rico__atomic_store32(&h->stop, 1);
    for (uint32_t i = 0; i < h->thread_count; i++)
        pthread_join(h->threads[i], NULL);
#ifdef TEST_TBB_HOST
    if (h->kind == HOST_TBB)
        tbb_host_close(h->tbb);
#endif
    CHECK_EQ(rico__atomic_load32(&h->wrong_thread), 0);
    if (h->kind != HOST_SYNCHRONOUS)
        CHECK_EQ(h->finished, h->count); /* each handle once */
}

static void add_squares(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    uint64_t *values = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        values[i] += (uint64_t)i * i;
}

TEST(jobs, gives_the_same_results_on_every_legal_host)
{
    static host h;
    static uint64_t values[1000];
    for (int kind = 0; kind < HOST_KINDS; kind++)
        for (uint32_t workers = 1; workers <= 5; workers += 2) {
            rico_jobs *jobs = create_hosted(&h, (host_kind)kind, workers);
            memset(values, 0, sizeof values);
            for (uint64_t round = 1; round <= 20; round++) {
                CHECK_EQ(run_fib(jobs, 16), 987);
                rico_jobs_for(jobs, 0, 1000, round % 2 ? 7 : 0, add_squares, values);
                for (uint64_t i = 0; i < 1000; i++)
                    CHECK_EQ(values[i], round * i * i);
            }
            destroy_hosted(&h, jobs);
        }
}

typedef struct task_run {
    rico_jobs *jobs;
    rico_task tasks[50];
    rico_counter counter;
    rico__atomic32 runs;
} task_run;

static void count_run(rico_worker *worker, void *context)
{
    (void)worker;
    rico__atomic_fetch_add32(context, 1);
}

static void run_tasks(rico_worker *worker, void *context)
{
    task_run *t = context;
    rico_counter_init(&t->counter, 50);
    for (uint32_t i = 0; i < 50; i++) {
        t->tasks[i] = (rico_task){.fn = count_run,
                                  .context = &t->runs,
                                  .counter = &t->counter,
                                  .place = (uint8_t)(i % 2)};
        rico_jobs_submit(t->jobs, &t->tasks[i]);
    }
    if (worker != NULL)
        rico_worker_wait(worker, &t->counter);
}

TEST(jobs, runs_tasks_on_every_legal_host)
{
    static host h;
    for (int kind = 0; kind < HOST_KINDS; kind++) {
        task_run t = {.jobs = create_hosted(&h, (host_kind)kind, 3)};
        rico_jobs_run(t.jobs, run_tasks, &t);
        run_tasks(NULL, &t); /* from outside */
        rico_jobs_wait(t.jobs, &t.counter);
        CHECK_EQ(rico__atomic_load32(&t.runs), 100);
        destroy_hosted(&h, t.jobs);
    }
}

TEST(jobs, wakes_a_job_that_waits_for_a_task_from_outside_on_every_legal_host)
{
    static host h;
    for (int kind = 0; kind < HOST_KINDS; kind++)
        for (int place = 0; place <= RICO_TASK_ON_WORKER; place++) {
            rico_jobs *jobs = create_hosted(&h, (host_kind)kind, 3);
            wait_for_late_task(jobs, place);
            destroy_hosted(&h, jobs);
        }
}

/* Waits, without joining, until another worker runs the fork. */
static void show_up(rico_worker *worker, void *context)
{
    rico__atomic_store32(context, rico_worker_index(worker) + 1);
}

static void wait_for_company(rico_worker *worker, void *context)
{
    rico__atomic32 who = {0};
    rico_job job;
    rico_job_fork(worker, &job, show_up, &who);
    for (int i = 0; i < 20000 && rico__atomic_load32(&who) == 0; i++)
        nap(100);
    *(uint32_t *)context += rico__atomic_load32(&who) > 1;
    rico_job_join(worker, &job);
}

TEST(jobs, uses_the_threads_of_the_host)
{
    static host h;
    for (int kind = HOST_THREADS; kind < HOST_KINDS; kind++) {
        rico_jobs *jobs = create_hosted(&h, (host_kind)kind, 4);
        uint32_t met = 0;
        for (int round = 0; round < 10; round++)
            rico_jobs_run(jobs, wait_for_company, &met);
        CHECK_EQ(met, 10);
        destroy_hosted(&h, jobs);
    }
}

static void nothing(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker, (void)context, (void)begin, (void)end;
}

TEST(jobs, asks_the_host_in_every_run_however_late_its_helpers_were)
{
    static host h;
    for (uint32_t workers = 2; workers <= 4; workers++)
        for (int kind = HOST_EAGER; kind <= HOST_LATE; kind++) {
            rico_jobs *jobs = create_hosted(&h, (host_kind)kind, workers);
            for (uint32_t round = 0; round < 50; round++) {
                uint32_t before = h.count;
                rico_jobs_for(jobs, 0, 100, 1, nothing, NULL);
                CHECK_MSG(h.count > before, "nobody was asked in round %u of %u workers", round,
                          workers);
            }
            destroy_hosted(&h, jobs);
        }
}
