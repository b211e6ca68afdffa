/* host.c - a pool without threads of its own, on the host's jobs.
 *
 * The host is only ever asked for helpers. A helper is an enqueued function that takes a seat
 * (a worker of this pool), steals and runs what it finds, and leaves the seat when there is
 * nothing. No thread waits for a helper that has not begun. So it does not matter when, in what
 * order or on how many threads the host runs helpers, or whether enqueue runs them at once: the
 * caller does the work that no helper takes.
 *
 * A seat that is free is in the set of sleepers; waking it means to enqueue a helper. Only the
 * thread in rico_jobs_run (worker 0) does that. So the host's functions are called on that
 * thread alone: not on one that waits, and is worker 0 meanwhile (tasks.c).
 */
#include "float_mode.h"
#include "worker.h"

static void help(void *context)
{
    RICO__FLOAT_MODE();
    rico__idle_as_helper(context);
}

bool rico__host_may_wake(const rico_worker *worker)
{
    /* Relaxed: worker 0 itself wrote it. */
    return worker->index == 0 && rico__atomic_load_relaxed32(&worker->pool->host_over) == 0;
}

void rico__host_wake(rico_worker *seat)
{
    const rico_host_jobs *host = &seat->pool->host;
    if (seat->helper != NULL) /* the helper has left the seat, or is about to return */
        host->finish(host->user, seat->helper);
    seat->helper = NULL;
    seat->helper = host->enqueue(host->user, help, seat);
}

void rico__host_begin(rico_jobs *pool)
{
    rico__atomic_store32(&pool->host_over, 0);
}

/* All seats are free, and all requests must be up, as idle.c (A) wants. A worker that lies down
 * sees to that itself. A helper that never began, or that the run's end sent away, does not:
 * then the next run would publish nothing, and ask for no helper. Relaxed: no other thread is
 * there. */
static void raise_requests(rico_jobs *pool)
{
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count && count > 1; i++) {
        rico__deque *deque = &pool->workers[i].deque;
        rico__atomic_store_relaxed32(deque_wanted(deque), deque->watched | RICO__ASKED);
    }
}

void rico__host_end(rico_jobs *pool)
{
    const rico_host_jobs *host = &pool->host;
    rico__atomic_store32(&pool->host_over, 1);
    for (uint32_t i = 1; i < pool_worker_count(pool); i++) {
        void *helper = pool->workers[i].helper;
        pool->workers[i].helper = NULL;
        if (helper != NULL)
            host->finish(host->user, helper);
    }
    raise_requests(pool);
}
