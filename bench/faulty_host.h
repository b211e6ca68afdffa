/* faulty_host.h - a host's job system at its worst that is still legal (rico_host_jobs): jobs run at
 * once, late, in any order, on two threads of its own, or only when they are waited for.
 *
 * Owner: whoever opened it; must stay where it is. Threads: enqueue and finish by the pool's caller.
 * Order: chance, from the host's own random state; results may not depend on it.
 */
#ifndef RICO_BENCH_FAULTY_HOST_H
#define RICO_BENCH_FAULTY_HOST_H

#include <pthread.h>
#include <ricochet/jobs.h>

#define FAULTY_HOST_JOBS 256u
#define FAULTY_HOST_THREADS 2u

typedef struct faulty_job {
    void (*fn)(void *context);
    void *context;
    enum { FAULTY_FREE, FAULTY_WAITS, FAULTY_RUNS, FAULTY_DONE } state;
    bool lazy; /* runs when it is waited for, and not before */
} faulty_job;

typedef struct faulty_host {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t threads[FAULTY_HOST_THREADS];
    uint32_t thread_count; /* that could be had */
    faulty_job jobs[FAULTY_HOST_JOBS];
    uint64_t random, asked; /* asked: enqueues */
    bool over;
} faulty_host;

void faulty_host_open(faulty_host *host, uint64_t seed);
void faulty_host_close(faulty_host *host);

rico_host_jobs faulty_host_jobs(faulty_host *host);

#endif
