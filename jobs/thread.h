/* thread.h - the few things a pool asks of the system's threads. */
#ifndef RICO_THREAD_H
#define RICO_THREAD_H

#include <pthread.h>
#include <stdint.h>

typedef struct rico__thread {
    pthread_t handle;
} rico__thread;

typedef void *rico__thread_main(void *argument);

/* Starts a thread; 0, or an errno value and no thread. Tests give one that fails. */
typedef int rico__thread_starter(void *user, rico__thread *thread, rico__thread_main *main,
                                 void *argument);

/* The one that works: the new thread has all signals blocked, so that the host's handlers run
 * on the host's threads. user is ignored. */
int rico__thread_start(void *user, rico__thread *thread, rico__thread_main *main,
                       void *argument);
void rico__thread_join(rico__thread *thread);

/* Names the calling thread "rico-<number>" where the system can. */
void rico__thread_set_name(uint32_t number);

/* Lets another thread that is ready have the core. */
void rico__thread_yield(void);

/* CPUs that this process may use, at least 1. */
uint32_t rico__thread_cpu_count(void);

#endif
