/* thread_host.h - a host's job system in its simplest form: threads that sleep until there is a
 * job, one lock, jobs in their order. With a seed, it behaves as badly as rico_host_jobs allows:
 * jobs run at once, late, in any order, or only when they are waited for.
 *
 * Owner: the code that opened it; it must stay where it is. Threads: enqueue and finish are
 * called by the pool's caller. Order: with a seed it is random, from the host's own random
 * state; results must not depend on it.
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
    bool lazy;       /* runs only when it is waited for */
    uint64_t number; /* number of jobs before it */
} thread_job;

typedef struct thread_host {
    pthread_mutex_t lock;
    pthread_cond_t works, done;
    pthread_t threads[THREAD_HOST_MOST];
    uint32_t thread_count; /* threads that could be created */
    thread_job jobs[THREAD_HOST_MOST];
    uint64_t random, asked; /* asked: number of enqueues */
    bool faulty, over;
} thread_host;

/* seed: chooses the faults, 0 = none. False: that many threads could not be created. The host
 * works all the same, and must be closed. */
bool thread_host_open(thread_host *host, uint32_t threads, uint64_t seed);
void thread_host_close(thread_host *host);

rico_host_jobs thread_host_jobs(thread_host *host);

#endif
