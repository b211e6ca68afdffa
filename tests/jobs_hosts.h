/* jobs_hosts.h - hosts of every legal kind, and pools on their jobs, for tests. */
#ifndef RICO_JOBS_HOSTS_H
#define RICO_JOBS_HOSTS_H

#include "jobs_fixture.h"
#include "jobs_tbb_host.h"

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
    uint32_t count, finished, most_out; /* used by the caller only */
    rico__atomic32 published, stop;
    rico__atomic32 wrong_thread;
    pthread_t caller, threads[3];
    void *tbb;
    uint32_t thread_count;
} host;

static inline void run_host_job(host_job *job)
{
    if (!rico__atomic_cas32(&job->state, 0, 1))
        return;
    job->fn(job->context);
    rico__atomic_store32(&job->state, 2);
}

static inline void count_out(host *h)
{
    h->count += 1;
    if (h->count - h->finished > h->most_out)
        h->most_out = h->count - h->finished;
}

static inline void *host_enqueue(void *user, void (*fn)(void *context), void *context)
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
        count_out(h);
        return tbb_host_enqueue(h->tbb, fn, context);
    }
#endif
    host_job *job = &h->jobs[h->count];
    count_out(h);
    job->fn = fn;
    job->context = context;
    rico__atomic_store_relaxed32(&job->state, 0);
    if (h->kind == HOST_EAGER)
        run_host_job(job);
    rico__atomic_store32(&h->published, h->count);
    return job;
}

static inline void host_finish(void *user, void *handle)
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
    run_host_job(job); /* if no thread has */
    while (rico__atomic_load32(&job->state) != 2)
        nap(10);
}

static inline void *host_thread(void *user)
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

static inline rico_jobs *create_hosted(host *h, host_kind kind, uint32_t workers)
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
    def.watchdog_ms = 0; /* it would wake workers that a bug left asleep */
    def.host = (rico_host_jobs){host_enqueue, host_finish, h};
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK_EQ(rico_jobs_worker_count(jobs), workers);
    return jobs;
}

static inline void destroy_hosted(host *h, rico_jobs *jobs)
{
    const uint32_t helpers = rico_jobs_worker_count(jobs) - 1;
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
    CHECK(h->most_out <= helpers);
}

#endif
