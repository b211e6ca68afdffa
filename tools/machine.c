#define _DEFAULT_SOURCE /* madvise */
#include "machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The value of the first "model name : value" line; x86 has one, other CPUs may not. */
static bool read_model(char *text, size_t bytes)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, bytes, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
        found = text[0] != '\0';
    }
    if (file)
        fclose(file);
    return found;
}

const char *machine_name(char *text, size_t bytes)
{
    char model[200];
    struct utsname system;
    if (!read_model(model, sizeof model))
        snprintf(model, sizeof model, "%s", uname(&system) == 0 ? system.machine : "unknown");
    snprintf(text, bytes, "%s, %ld CPUs", model, sysconf(_SC_NPROCESSORS_ONLN));
    return text;
}

const char *machine_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

uint64_t machine_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void *machine_memory(size_t bytes)
{
    const size_t page = (size_t)2 << 20;
    void *memory = NULL;
    if (posix_memalign(&memory, bytes < page ? 64 : page, bytes) != 0)
        return NULL;
#if defined(MADV_HUGEPAGE)
    if (bytes >= page)
        (void)madvise(memory, bytes & ~(page - 1), MADV_HUGEPAGE); /* only a hint */
#endif
    return memory;
}
