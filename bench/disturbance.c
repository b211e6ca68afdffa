#include "disturbance.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The eighth number of the first line of /proc/stat; 0 where there is none. */
static uint64_t stolen_ticks(int descriptor)
{
    char text[256];
    unsigned long long stolen = 0;
    if (descriptor < 0)
        return 0;
    ssize_t bytes = pread(descriptor, text, sizeof text - 1, 0);
    if (bytes <= 0)
        return 0;
    text[bytes] = '\0';
    if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) != 1)
        return 0;
    return stolen;
}

void disturbance_open(disturbance *d)
{
    *d = (disturbance){.steal_descriptor = open("/proc/stat", O_RDONLY | O_CLOEXEC)};
    disturbance_happened(d);
}

void disturbance_close(disturbance *d)
{
    if (d->steal_descriptor >= 0)
        close(d->steal_descriptor);
    d->steal_descriptor = -1;
}

bool disturbance_happened(disturbance *d)
{
    struct rusage usage;
    int64_t preempted = getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
    uint64_t stolen = stolen_ticks(d->steal_descriptor);
    bool happened = preempted != d->preempted || stolen != d->stolen;
    d->preempted = preempted;
    d->stolen = stolen;
    return happened;
}
