/* jobs_fixture.h - shared by the tests of the job pool: making a pool, a nap, Fibonacci by fork
 * and join, and a task that comes late. Every function that makes a pool sets an alarm: a hang
 * ends its test. */
#ifndef RICO_JOBS_FIXTURE_H
#define RICO_JOBS_FIXTURE_H

#include "atomics.h"
#include "testing.h"

#include <pthread.h>
#include <ricochet/tasks.h>
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
    def.watchdog_ms = 0;                    /* it would wake workers that a bug left asleep */
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

typedef struct late_task {
    rico_jobs *jobs;
    rico_counter counter;
    rico_task task;
    rico__atomic32 waits, runs;
} late_task;

static inline void run_late_task(rico_worker *worker, void *context)
{
    (void)worker;
    rico__atomic_fetch_add32(&((late_task *)context)->runs, 1);
}

static inline void await_late_task(rico_worker *worker, void *context)
{
    late_task *late = context;
    rico__atomic_store32(&late->waits, 1);
    rico_worker_wait(worker, &late->counter);
}

static inline void *submit_late_task(void *context)
{
    late_task *late = context;
    while (rico__atomic_load32(&late->waits) == 0)
        nap(100);
    nap(2000); /* until it sleeps */
    rico_jobs_submit(late->jobs, &late->task);
    rico_jobs_wait(late->jobs, &late->counter);
    return NULL;
}

/* A job waits first. Then a thread that is no worker submits the task that the job waits for. */
static inline void wait_for_late_task(rico_jobs *jobs, int place)
{
    late_task late = {.jobs = jobs};
    rico_counter_init(&late.counter, 1);
    late.task = (rico_task){.fn = run_late_task,
                            .context = &late,
                            .counter = &late.counter,
                            .place = (uint8_t)place};
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, submit_late_task, &late), 0);
    rico_jobs_run(jobs, await_late_task, &late);
    pthread_join(thread, NULL);
    CHECK_EQ(rico__atomic_load32(&late.runs), 1);
}

#endif
