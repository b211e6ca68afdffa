#include "progress.h"

#include "machine.h"
#include <stdio.h>
#include <unistd.h>

#define BAR_WIDTH 32u

progress progress_begin(bool wanted)
{
    progress p = {wanted && isatty(STDERR_FILENO), 0};
    return p;
}

void progress_show(progress *p, uint32_t done, uint32_t total, uint32_t particles, double ms)
{
    uint64_t now = p->shown ? machine_clock_ns() : 0;
    if (!p->shown || (now - p->last_ns < 100000000u && done < total))
        return;
    p->last_ns = now;
    char bar[BAR_WIDTH + 1];
    uint32_t filled = (uint32_t)((uint64_t)done * BAR_WIDTH / total);
    for (uint32_t i = 0; i < BAR_WIDTH; ++i)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r[%s] frame %u/%u  %u particles  %.1f ms \033[K", bar, done, total,
            particles, ms);
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
