#include "faulty_host.h"

#include "stress_random.h"
#include <string.h>
#include <time.h>

#define LONGEST_DELAY_NS 300000u

static void delay(uint32_t nanoseconds)
{
    const struct timespec t = {.tv_nsec = (long)nanoseconds};
    nanosleep(&t, NULL);
}

/* One that waits, not always the first; NULL: none but lazy ones. Locked. */
static faulty_job *pick(faulty_host *host)
{
    uint32_t first = stress_random_below(&host->random, FAULTY_HOST_JOBS);
    for (uint32_t i = 0; i < FAULTY_HOST_JOBS; ++i) {
        faulty_job *job = &host->jobs[(first + i) % FAULTY_HOST_JOBS];
        if (job->state == FAULTY_WAITS && !job->lazy)
            return job;
    }
    return NULL;
}

/* Locked, and again afterwards. */
static void run(faulty_host *host, faulty_job *job)
{
    job->state = FAULTY_RUNS;
    pthread_mutex_unlock(&host->lock);
    job->fn(job->context);
    pthread_mutex_lock(&host->lock);
    job->state = FAULTY_DONE;
    pthread_cond_broadcast(&host->changed);
}

static void *serve(void *user)
{
    faulty_host *host = user;
    pthread_mutex_lock(&host->lock);
    while (!host->over) {
        if (pick(host) == NULL) {
            pthread_cond_wait(&host->changed, &host->lock);
            continue;
        }
        uint32_t late = stress_random_below(&host->random, LONGEST_DELAY_NS);
        pthread_mutex_unlock(&host->lock);
        delay(late);
        pthread_mutex_lock(&host->lock);
        faulty_job *job = pick(host); /* perhaps another, or none any more */
        if (job != NULL)
            run(host, job);
    }
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

static void *enqueue(void *user, void (*fn)(void *context), void *context)
{
    faulty_host *host = user;
    faulty_job *job = NULL;
    pthread_mutex_lock(&host->lock);
    host->asked += 1;
    uint32_t how = stress_random_below(&host->random, 8);
    for (uint32_t i = 0; i < FAULTY_HOST_JOBS && job == NULL && how != 0; ++i)
        if (host->jobs[i].state == FAULTY_FREE)
            job = &host->jobs[i];
    if (job != NULL) {
        *job = (faulty_job){fn, context, FAULTY_WAITS, how == 1};
        pthread_cond_broadcast(&host->changed);
    }
    pthread_mutex_unlock(&host->lock);
    if (job == NULL) /* at once */
        fn(context);
    return job;
}

static void finish(void *user, void *handle)
{
    faulty_host *host = user;
    faulty_job *job = handle;
    pthread_mutex_lock(&host->lock);
    if (job->state == FAULTY_WAITS && (job->lazy || host->thread_count == 0))
        run(host, job);
    while (job->state != FAULTY_DONE)
        pthread_cond_wait(&host->changed, &host->lock);
    job->state = FAULTY_FREE;
    pthread_mutex_unlock(&host->lock);
}

void faulty_host_open(faulty_host *host, uint64_t seed)
{
    memset(host, 0, sizeof *host);
    host->random = seed;
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->changed, NULL);
    while (host->thread_count < FAULTY_HOST_THREADS &&
           pthread_create(&host->threads[host->thread_count], NULL, serve, host) == 0)
        host->thread_count += 1;
}

void faulty_host_close(faulty_host *host)
{
    pthread_mutex_lock(&host->lock);
    host->over = true;
    pthread_cond_broadcast(&host->changed);
    pthread_mutex_unlock(&host->lock);
    for (uint32_t i = 0; i < host->thread_count; ++i)
        pthread_join(host->threads[i], NULL);
    pthread_cond_destroy(&host->changed);
    pthread_mutex_destroy(&host->lock);
}

rico_host_jobs faulty_host_jobs(faulty_host *host)
{
    return (rico_host_jobs){enqueue, finish, host};
}
