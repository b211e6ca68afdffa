#include "cpu_quota.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024

/* Reads without stdio, which allocates. False: the file cannot be read, or does not fit into
 * `text`. */
static bool read_text(const char *path, char *text, size_t bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, bytes - 1);
    close(file);
    if (length < 0 || (size_t)length == bytes - 1)
        return false;
    text[length] = '\0';
    return true;
}

static bool read_number(const char *directory, const char *name, long *number)
{
    char path[PATH_BYTES], text[64];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length < PATH_BYTES && read_text(path, text, sizeof text) &&
           sscanf(text, "%ld", number) == 1;
}

/* Control groups of version 2: "max 100000" or "150000 100000". */
static bool read_max(const char *directory, long *quota, long *period)
{
    char path[PATH_BYTES], text[64];
    int length = snprintf(path, sizeof path, "%s/cpu.max", directory);
    return length < PATH_BYTES && read_text(path, text, sizeof text) &&
           sscanf(text, "%ld %ld", quota, period) == 2;
}

static uint32_t quota_of(const char *directory)
{
    long quota, period;
    bool known = read_max(directory, &quota, &period) ||
                 (read_number(directory, "cpu.cfs_quota_us", &quota) &&
                  read_number(directory, "cpu.cfs_period_us", &period));
    if (!known || quota <= 0 || period <= 0)
        return 0;
    return (uint32_t)((quota - 1) / period + 1);
}

/* The least quota of the group and of all groups around it. In a container the path may be the
 * one outside: then only the root of what is mounted is found. */
static uint32_t least_quota(const char *mount, const char *group)
{
    char directory[PATH_BYTES];
    uint32_t least = 0;
    int length = snprintf(directory, sizeof directory, "%s%s", mount, group);
    if (length >= PATH_BYTES)
        return 0;
    for (;;) {
        uint32_t quota = quota_of(directory);
        if (quota != 0 && (least == 0 || quota < least))
            least = quota;
        char *last = strrchr(directory, '/');
        if (strlen(directory) <= strlen(mount) || last == NULL)
            return least;
        *last = '\0';
    }
}

/* Whether "cpu" is among names with commas between them. */
static bool names_cpu(const char *names)
{
    for (; names != NULL; names = strchr(names, ',')) {
        names += *names == ',';
        if (strncmp(names, "cpu", 3) == 0 && (names[3] == '\0' || names[3] == ','))
            return true;
    }
    return false;
}

uint32_t rico__cpu_quota(const char *root)
{
    char path[PATH_BYTES], text[4096], mount[PATH_BYTES], *rest = text;
    int length = snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    uint32_t least = 0;
    if (length >= PATH_BYTES || !read_text(path, text, sizeof text))
        return 0;
    for (char *line;
         (line = strtok_r(rest, "\n", &rest)) != NULL;) { /* "4:cpu,cpuacct:/group" */
        char *names = strchr(line, ':'), *group = names != NULL ? strchr(names + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *names++ = *group++ = '\0';
        bool second = *names == '\0';
        if (!second && !names_cpu(names))
            continue;
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, second ? "" : "/cpu");
        uint32_t quota = least_quota(mount, group);
        least = quota != 0 && (least == 0 || quota < least) ? quota : least;
    }
    return least;
}
