/* jobs_fixture.h - what the tests of the job pool share: making one, a nap, and Fibonacci by fork
 * and join. Every pool that is made has a watchdog: a hang ends its test by SIGALRM. */
#ifndef RICO_JOBS_FIXTURE_H
#define RICO_JOBS_FIXTURE_H

#include "testing.h"

#include <ricochet/jobs.h>
#include <time.h>
#include <unistd.h>

#define WATCHDOG_SECONDS 90

static inline rico_jobs *create(uint32_t workers, uint32_t capacity, uint32_t spin_microseconds)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers;
    def.deque_capacity = capacity;
    def.spin_microseconds = spin_microseconds;
    def.most_awake = RICO_JOBS_MAX_WORKERS; /* however few CPUs there are */
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK_EQ(rico_jobs_worker_count(jobs), workers);
    return jobs;
}

static inline void nap(long microseconds)
{
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

typedef struct fib_call {
    uint32_t n;
    uint32_t result;
} fib_call;

static inline void fib(rico_worker *worker, void *context)
{
    fib_call *call = context;
    if (call->n < 2) {
        call->result = call->n;
        return;
    }
    fib_call a = {call->n - 1, 0}, b = {call->n - 2, 0};
    rico_job job;
    rico_job_fork(worker, &job, fib, &b);
    fib(worker, &a);
    rico_job_join(worker, &job);
    call->result = a.result + b.result;
}

static inline uint32_t run_fib(rico_jobs *jobs, uint32_t n)
{
    fib_call call = {n, 0};
    rico_jobs_run(jobs, fib, &call);
    return call.result;
}

#endif
