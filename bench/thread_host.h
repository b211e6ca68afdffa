/* thread_host.h - a host's job system as one writes it first: threads that sleep until there is a job, one
 * lock, jobs in their order. With a seed, the same at its worst that is still legal (rico_host_jobs): jobs run
 * at once, late, in any order, or only when they are waited for.
 *
 * Owner: whoever opened it; must stay where it is. Threads: enqueue and finish by the pool's caller.
 * Order: with a seed, chance, from the host's own random state; results may not depend on it.
 */
#ifndef RICO_BENCH_THREAD_HOST_H
#define RICO_BENCH_THREAD_HOST_H

#include <pthread.h>
#include <ricochet/jobs.h>

#define THREAD_HOST_MOST 256u /* threads, and jobs that are not finished */

typedef struct thread_job {
    void (*fn)(void *context);
    void *context;
    enum { HOST_JOB_FREE, HOST_JOB_WAITS, HOST_JOB_RUNS, HOST_JOB_DONE } state;
    bool lazy;       /* runs when it is waited for, and not before */
    uint64_t number; /* jobs before it */
} thread_job;

typedef struct thread_host {
    pthread_mutex_t lock;
    pthread_cond_t works, done;
    pthread_t threads[THREAD_HOST_MOST];
    uint32_t thread_count; /* that could be had */
    thread_job jobs[THREAD_HOST_MOST];
    uint64_t random, asked; /* asked: enqueues */
    bool faulty, over;
} thread_host;

/* seed: of its faults, 0 = none. False: there are not so many threads to be had; it works, and is to be closed all
 * the same. */
bool thread_host_open(thread_host *host, uint32_t threads, uint64_t seed);
void thread_host_close(thread_host *host);

rico_host_jobs thread_host_jobs(thread_host *host);

#endif
