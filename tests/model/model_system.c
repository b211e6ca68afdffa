/* model_system.c - threads that the checker starts, a clock that stands still, and naps that
 * order nothing. */
#include "model_system.h"

#include "clock.h"
#include "model_atomics.h"
#include "worker.h"

#include <string.h>

/* Threads of the pool in the current schedule. rico__thread_join has no other way to find them. */
static struct {
    rico__thread_main *mains[4];
    void *arguments[4];
    rico__atomic32 ended[4]; /* threads that have returned */
} threads;

void model_system_begin(void)
{
    memset(&threads, 0, sizeof threads);
    for (uint32_t i = 0; i < 4; i++)
        rico__atomic_store_relaxed32(&threads.ended[i], 0); /* the checker keeps its value */
}

void model_system_thread(unsigned index)
{
    threads.mains[index](threads.arguments[index]);
    rico__atomic_store32(&threads.ended[index], 1);
}

int rico__thread_start(void *user, rico__thread *thread, rico__thread_main *main,
                       void *argument)
{
    uint32_t index = ((rico_worker *)argument)->index;
    (void)user, (void)thread;
    threads.mains[index] = main;
    threads.arguments[index] = argument;
    return 0;
}

void rico__thread_join(rico__thread *thread)
{
    for (uint32_t i = 1; i < 4; i++)
        if (threads.arguments[i] != NULL &&
            &((rico_worker *)threads.arguments[i])->thread == thread)
            while (rico__atomic_load32(&threads.ended[i]) == 0)
                model_yield();
}

/* The checker runs all its threads on one system thread, so there is no owner to report. */
const void *rico__thread_owner(void)
{
    return NULL;
}

const void *rico__thread_set_owner(const void *owner)
{
    (void)owner;
    return NULL;
}

void rico__thread_set_name(const char *name, uint32_t number)
{
    (void)name, (void)number;
}

rico__cpu_set rico__thread_cpus(void)
{
    return (rico__cpu_set){{0}};
}

uint32_t rico__thread_current_cpu(void)
{
    return RICO__NO_CPU;
}

void rico__thread_keep_off(const rico__thread *thread, const rico__cpu_set *cpus, uint32_t cpu)
{
    (void)thread, (void)cpus, (void)cpu;
}

void rico__thread_yield(void)
{
    model_yield();
}

uint32_t rico__thread_cpu_count(void)
{
    return 2;
}

uint64_t rico__clock_ns(void)
{
    return 1;
}

/* The parker's event count. Its accesses are all relaxed, so it orders nothing. */
static rico__atomic32 *event_of(const rico__parker *parker)
{
    return (rico__atomic32 *)(void *)&((rico__parker *)(uintptr_t)parker)->event.counter;
}

void rico__parker_init(rico__parker *parker)
{
    rico__atomic_store_relaxed32(event_of(parker), 0);
}

uint32_t rico__parker_ticket(const rico__parker *parker)
{
    return rico__atomic_load_relaxed32(event_of(parker));
}

void rico__parker_wait(rico__parker *parker, uint32_t ticket, uint64_t until_ns)
{
    (void)until_ns;
    while (rico__atomic_load_relaxed32(event_of(parker)) == ticket)
        model_yield();
}

void rico__parker_wake(rico__parker *parker)
{
    model_add(event_of(parker), 4, 1, MODEL_HERE("wake", 'x'));
}
