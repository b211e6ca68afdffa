#define _GNU_SOURCE /* sched_setaffinity */
#include "cpus.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t online_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

static bool read_group(uint32_t cpu, char *text, int bytes)
{
    char path[100];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
             cpu);
    FILE *file = fopen(path, "r");
    bool ok = file && fgets(text, bytes, file);
    if (ok)
        text[strcspn(text, "\n")] = '\0';
    if (file)
        fclose(file);
    return ok;
}

static bool is_first_of_core(uint32_t cpu)
{
    char group[64];
    return !read_group(cpu, group, sizeof group) || strtoul(group, NULL, 10) == cpu;
}

#ifdef __linux__

static bool is_ours(const cpu_set_t *ours, uint32_t cpu)
{
    return CPU_ISSET(cpu, ours);
}

static void stay_on(const uint32_t *numbers, uint32_t count)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (uint32_t i = 0; i < count; ++i)
        CPU_SET(numbers[i], &set);
    sched_setaffinity(0, sizeof set, &set);
}

void cpus_list(cpus *out)
{
    cpu_set_t ours;
    out->count = 0;
    CPU_ZERO(&ours);
    sched_getaffinity(0, sizeof ours, &ours);
    for (int first = 1; first >= 0; --first)
        for (uint32_t cpu = 0; cpu < CPUS_MOST && cpu < CPU_SETSIZE; ++cpu)
            if (is_ours(&ours, cpu) && is_first_of_core(cpu) == first)
                out->number[out->count++] = cpu;
    if (out->count == 0)
        out->number[out->count++] = 0;
}

#else

static void stay_on(const uint32_t *numbers, uint32_t count)
{
    (void)numbers, (void)count;
}

void cpus_list(cpus *out)
{
    uint32_t count = online_count();
    for (out->count = 0; out->count < count && out->count < CPUS_MOST; ++out->count)
        out->number[out->count] = out->count;
}

#endif

void cpus_pin(const cpus *c, uint32_t place)
{
    stay_on(&c->number[place % c->count], 1);
}

void cpus_release(const cpus *c)
{
    stay_on(c->number, c->count);
}

void cpus_siblings(char *text, size_t bytes)
{
    char group[64];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t cpu = 0; cpu < online_count(); ++cpu) {
        /* Each group once: by its first CPU. */
        if (!read_group(cpu, group, sizeof group) || strtoul(group, NULL, 10) != cpu)
            continue;
        size_t length = strlen(group) + (at > 0);
        if (at + length + 1 > bytes)
            break;
        snprintf(text + at, bytes - at, "%s%s", at > 0 ? " " : "", group);
        at += length;
    }
    if (at == 0)
        snprintf(text, bytes, "unknown");
}
