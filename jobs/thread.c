#define _GNU_SOURCE /* pthread_setname_np, sched_getaffinity */

#include "thread.h"

#include "cpu_quota.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int rico__thread_start(void *user, rico__thread *thread, rico__thread_main *main,
                       void *argument)
{
    (void)user;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* a new thread inherits its creator's mask */
    int error = pthread_create(&thread->handle, NULL, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void rico__thread_join(rico__thread *thread)
{
    pthread_join(thread->handle, NULL);
}

void rico__thread_set_name(const char *name, uint32_t number)
{
    char text[16]; /* Linux takes 15 characters */
    snprintf(text, sizeof text, "%.11s-%u", name, number);
#if defined(__linux__)
    pthread_setname_np(pthread_self(), text);
#elif defined(__APPLE__)
    pthread_setname_np(text);
#endif
}

#ifdef __linux__

rico__cpu_set rico__thread_cpus(void)
{
    rico__cpu_set set = {{0}};
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        for (size_t i = 0; i < sizeof set.words * 8 && i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &cpus))
                set.words[i / 64] |= UINT64_C(1) << (i % 64);
    return set;
}

uint32_t rico__thread_current_cpu(void)
{
    int cpu = sched_getcpu();
    return cpu < 0 ? RICO__NO_CPU : (uint32_t)cpu;
}

void rico__thread_keep_off(const rico__thread *thread, const rico__cpu_set *cpus, uint32_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t i = 0; i < sizeof cpus->words * 8 && i < CPU_SETSIZE; i++)
        if (i != cpu && (cpus->words[i / 64] >> (i % 64) & 1) != 0)
            CPU_SET(i, &set);
    if (CPU_COUNT(&set) > 0) /* a refusal leaves the thread where it may run now */
        pthread_setaffinity_np(thread->handle, sizeof set, &set);
}

#else

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

#endif

void rico__thread_yield(void)
{
    sched_yield();
}

uint32_t rico__thread_cpu_count(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        uint32_t count = (uint32_t)CPU_COUNT(&set), quota = rico__cpu_quota("");
        return quota != 0 && quota < count ? quota : count;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}
