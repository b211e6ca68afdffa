#include "disturbance.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Time per frame in which a thread is ready but not running. Waking a thread on an idle CPU
 * takes some 10 us. */
#define MOST_WAIT_NS 100000u

static bool read_text(int descriptor, char *text, size_t bytes)
{
    ssize_t got = descriptor < 0 ? -1 : pread(descriptor, text, bytes - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* The eighth number of the first line of /proc/stat; 0 where there is none. */
static uint64_t stolen_ticks(int descriptor)
{
    char text[256];
    unsigned long long stolen = 0;
    if (!read_text(descriptor, text, sizeof text) ||
        sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) != 1)
        return 0;
    return stolen;
}

static uint64_t waited_ns(const disturbance *d)
{
    char text[128];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d->thread_count; ++i) {
        unsigned long long waited = 0;
        if (read_text(d->threads[i], text, sizeof text) &&
            sscanf(text, "%*u %llu", &waited) == 1)
            sum += waited;
    }
    return sum;
}

static void open_threads(disturbance *d)
{
    char path[300];
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    while (tasks && d->thread_count < DISTURBANCE_THREADS && (entry = readdir(tasks))) {
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        int descriptor = entry->d_name[0] == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        if (descriptor >= 0)
            d->threads[d->thread_count++] = descriptor;
    }
    if (tasks)
        closedir(tasks);
}

void disturbance_open(disturbance *d)
{
    memset(d, 0, sizeof *d);
    d->steal_descriptor = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    open_threads(d);
    disturbance_happened(d);
}

void disturbance_close(disturbance *d)
{
    for (uint32_t i = 0; i < d->thread_count; ++i)
        close(d->threads[i]);
    if (d->steal_descriptor > 0)
        close(d->steal_descriptor);
    memset(d, 0, sizeof *d);
}

bool disturbance_happened(disturbance *d)
{
    uint64_t waited = waited_ns(d), stolen = stolen_ticks(d->steal_descriptor);
    bool happened = waited > d->waited + MOST_WAIT_NS || stolen != d->stolen;
    d->waited = waited;
    d->stolen = stolen;
    return happened;
}
