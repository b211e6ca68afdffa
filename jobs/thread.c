#define _GNU_SOURCE /* pthread_setname_np, sched_getaffinity */

#include "thread.h"

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

void rico__thread_set_name(uint32_t number)
{
    char name[16]; /* Linux takes 15 characters */
    snprintf(name, sizeof name, "rico-%u", number);
#if defined(__linux__)
    pthread_setname_np(pthread_self(), name);
#elif defined(__APPLE__)
    pthread_setname_np(name);
#endif
}

void rico__thread_yield(void)
{
    sched_yield();
}

uint32_t rico__thread_cpu_count(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}
