/* thread.h - the few functions of the system's threads that a pool needs. */
#ifndef RICO_THREAD_H
#define RICO_THREAD_H

#include <stdint.h>
#if !defined(_WIN32)
#include <pthread.h>
#endif

typedef void *rico__thread_main(void *argument);

/* Must not be moved until the thread has been joined. */
typedef struct rico__thread {
#if defined(_WIN32)
    void *handle;
    rico__thread_main *main;
    void *argument;
#else
    pthread_t handle;
#endif
} rico__thread;

/* Starts a thread. Returns 0, or an errno value and no thread. Tests give a starter that
 * fails. */
typedef int rico__thread_starter(void *user, rico__thread *thread, rico__thread_main *main,
                                 void *argument);

/* The starter that works. All signals are blocked in the new thread, so that the host's
 * handlers run on the host's threads. user is ignored. */
int rico__thread_start(void *user, rico__thread *thread, rico__thread_main *main,
                       void *argument);
void rico__thread_join(rico__thread *thread);

/* The pool that the calling thread belongs to, or whose tasks it runs in a worker's place; NULL
 * = none. Setting it returns what it was before. */
const void *rico__thread_owner(void);
const void *rico__thread_set_owner(const void *owner);

/* Names the calling thread "<name>-<number>" where the system can. The name is cut to fit. */
void rico__thread_set_name(const char *name, uint32_t number);

/* CPUs that a thread may run on. Empty where the system cannot say. */
typedef struct rico__cpu_set {
    uint64_t words[16];
} rico__cpu_set;

/* The CPUs of the calling thread. */
rico__cpu_set rico__thread_cpus(void);

/* The CPU that the caller runs on at the moment, or RICO__NO_CPU. */
#define RICO__NO_CPU UINT32_MAX
uint32_t rico__thread_current_cpu(void);

/* Lets the thread run on any of the CPUs except `cpu`. Does nothing when none would be left. */
void rico__thread_keep_off(const rico__thread *thread, const rico__cpu_set *cpus, uint32_t cpu);

/* Lets another thread that is ready have the core. */
void rico__thread_yield(void);

/* The number of CPUs that this process may use, at least 1: by affinity, and by the CPU time
 * that a container grants. */
uint32_t rico__thread_cpu_count(void);

#endif
