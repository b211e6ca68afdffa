/* plain_host.h - a host's job system as one writes it first: threads that sleep until there is a job, one lock.
 *
 * Owner: whoever opened it; must stay where it is. Threads: enqueue and finish by the pool's caller.
 * Order: jobs begin in the order of their enqueues.
 */
#ifndef RICO_BENCH_PLAIN_HOST_H
#define RICO_BENCH_PLAIN_HOST_H

#include <pthread.h>
#include <ricochet/jobs.h>

#define PLAIN_HOST_MOST 256u /* threads, and jobs that are not finished */

typedef struct plain_job {
    void (*fn)(void *context); /* NULL = the place is free */
    void *context;
    enum { PLAIN_WAITS, PLAIN_RUNS, PLAIN_DONE } state;
    uint64_t number; /* jobs before it */
} plain_job;

typedef struct plain_host {
    pthread_mutex_t lock;
    pthread_cond_t works, done;
    pthread_t threads[PLAIN_HOST_MOST];
    uint32_t thread_count;
    plain_job jobs[PLAIN_HOST_MOST];
    uint64_t asked; /* enqueues */
    bool over;
} plain_host;

/* False: there are not so many threads to be had; to be closed all the same. */
bool plain_host_open(plain_host *host, uint32_t threads);
void plain_host_close(plain_host *host);

rico_host_jobs plain_host_jobs(plain_host *host);

#endif
