#include "plain_host.h"

#include <string.h>

/* The one that has waited longest; NULL = none. Locked. */
static plain_job *next_job(plain_host *host)
{
    plain_job *next = NULL;
    for (uint32_t i = 0; i < PLAIN_HOST_MOST; ++i) {
        plain_job *job = &host->jobs[i];
        if (job->fn && job->state == PLAIN_WAITS && (!next || job->number < next->number))
            next = job;
    }
    return next;
}

/* Locked, and again afterwards. */
static void run(plain_host *host, plain_job *job)
{
    job->state = PLAIN_RUNS;
    pthread_mutex_unlock(&host->lock);
    job->fn(job->context);
    pthread_mutex_lock(&host->lock);
    job->state = PLAIN_DONE;
    pthread_cond_signal(&host->done); /* only the pool's caller waits for one */
}

static void *serve(void *user)
{
    plain_host *host = user;
    pthread_mutex_lock(&host->lock);
    while (!host->over) {
        plain_job *job = next_job(host);
        if (job)
            run(host, job);
        else
            pthread_cond_wait(&host->works, &host->lock);
    }
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

static void *enqueue(void *user, void (*fn)(void *context), void *context)
{
    plain_host *host = user;
    plain_job *job = NULL;
    pthread_mutex_lock(&host->lock);
    for (uint32_t i = 0; i < PLAIN_HOST_MOST && !job; ++i)
        if (!host->jobs[i].fn)
            job = &host->jobs[i];
    if (job) {
        *job = (plain_job){fn, context, PLAIN_WAITS, host->asked++};
        pthread_cond_signal(&host->works);
    }
    pthread_mutex_unlock(&host->lock);
    if (!job)
        fn(context);
    return job;
}

static void finish(void *user, void *handle)
{
    plain_host *host = user;
    plain_job *job = handle;
    pthread_mutex_lock(&host->lock);
    if (job->state == PLAIN_WAITS)
        run(host, job);
    while (job->state != PLAIN_DONE)
        pthread_cond_wait(&host->done, &host->lock);
    job->fn = NULL;
    pthread_mutex_unlock(&host->lock);
}

bool plain_host_open(plain_host *host, uint32_t threads)
{
    memset(host, 0, sizeof *host);
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->works, NULL);
    pthread_cond_init(&host->done, NULL);
    while (host->thread_count < threads && host->thread_count < PLAIN_HOST_MOST &&
           pthread_create(&host->threads[host->thread_count], NULL, serve, host) == 0)
        host->thread_count += 1;
    return host->thread_count == threads;
}

void plain_host_close(plain_host *host)
{
    pthread_mutex_lock(&host->lock);
    host->over = true;
    pthread_cond_broadcast(&host->works);
    pthread_mutex_unlock(&host->lock);
    for (uint32_t i = 0; i < host->thread_count; ++i)
        pthread_join(host->threads[i], NULL);
    pthread_cond_destroy(&host->works);
    pthread_cond_destroy(&host->done);
    pthread_mutex_destroy(&host->lock);
}

rico_host_jobs plain_host_jobs(plain_host *host)
{
    return (rico_host_jobs){enqueue, finish, host};
}
