#include "thread_host.h"

#include "stress_random.h"
#include <string.h>
#include <time.h>

#define LONGEST_DELAY_NS 300000u

static void delay(uint32_t nanoseconds)
{
    const struct timespec t = {.tv_nsec = (long)nanoseconds};
    nanosleep(&t, NULL);
}

/* The job that has waited longest; of a faulty host, any. NULL: no job, or lazy ones only.
 * Called locked. */
static thread_job *pick(thread_host *host)
{
    uint32_t first = host->faulty ? stress_random_below(&host->random, THREAD_HOST_MOST) : 0;
    thread_job *best = NULL;
    for (uint32_t i = 0; i < THREAD_HOST_MOST && !(host->faulty && best); ++i) {
        thread_job *job = &host->jobs[(first + i) % THREAD_HOST_MOST];
        if (job->state == HOST_JOB_WAITS && !job->lazy && (!best || job->number < best->number))
            best = job;
    }
    return best;
}

/* Called locked; unlocks while the job runs. */
static void run(thread_host *host, thread_job *job)
{
    job->state = HOST_JOB_RUNS;
    pthread_mutex_unlock(&host->lock);
    job->fn(job->context);
    pthread_mutex_lock(&host->lock);
    job->state = HOST_JOB_DONE;
    pthread_cond_signal(&host->done); /* only the pool's caller waits for a job */
}

static void dawdle(thread_host *host)
{
    uint32_t late = stress_random_below(&host->random, LONGEST_DELAY_NS);
    pthread_mutex_unlock(&host->lock);
    delay(late);
    pthread_mutex_lock(&host->lock);
}

static void *serve(void *user)
{
    thread_host *host = user;
    pthread_mutex_lock(&host->lock);
    while (!host->over) {
        thread_job *job = pick(host);
        if (job == NULL) {
            pthread_cond_wait(&host->works, &host->lock);
            continue;
        }
        if (host->faulty) {
            dawdle(host);
            job = pick(host); /* perhaps another job, or none any more */
        }
        if (job != NULL)
            run(host, job);
    }
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

static void *enqueue(void *user, void (*fn)(void *context), void *context)
{
    thread_host *host = user;
    thread_job *job = NULL;
    pthread_mutex_lock(&host->lock);
    /* With faults, one job in eight runs at once, and one in eight is lazy. */
    uint32_t how = host->faulty ? stress_random_below(&host->random, 8) : 2;
    for (uint32_t i = 0; i < THREAD_HOST_MOST && job == NULL && how != 0; ++i)
        if (host->jobs[i].state == HOST_JOB_FREE)
            job = &host->jobs[i];
    if (job != NULL) {
        *job = (thread_job){fn, context, HOST_JOB_WAITS, how == 1, host->asked};
        pthread_cond_signal(&host->works);
    }
    host->asked += 1;
    pthread_mutex_unlock(&host->lock);
    if (job == NULL) /* runs at once */
        fn(context);
    return job;
}

static void finish(void *user, void *handle)
{
    thread_host *host = user;
    thread_job *job = handle;
    pthread_mutex_lock(&host->lock);
    if (job->state == HOST_JOB_WAITS && (!host->faulty || job->lazy || host->thread_count == 0))
        run(host, job);
    while (job->state != HOST_JOB_DONE)
        pthread_cond_wait(&host->done, &host->lock);
    job->state = HOST_JOB_FREE;
    pthread_mutex_unlock(&host->lock);
}

bool thread_host_open(thread_host *host, uint32_t threads, uint64_t seed)
{
    memset(host, 0, sizeof *host);
    host->random = seed;
    host->faulty = seed != 0;
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->works, NULL);
    pthread_cond_init(&host->done, NULL);
    while (host->thread_count < threads && host->thread_count < THREAD_HOST_MOST &&
           pthread_create(&host->threads[host->thread_count], NULL, serve, host) == 0)
        host->thread_count += 1;
    return host->thread_count == threads;
}

void thread_host_close(thread_host *host)
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

rico_host_jobs thread_host_jobs(thread_host *host)
{
    return (rico_host_jobs){enqueue, finish, host};
}
