#include "cpu_siblings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t cpu_count(void)
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

void cpu_siblings(char *text, size_t bytes)
{
    char group[64];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t cpu = 0; cpu < cpu_count(); ++cpu) {
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
