/* progress.h - a progress bar on standard error, when that is a terminal. */
#ifndef RICOCHET_PROGRESS_H
#define RICOCHET_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool shown;
    uint64_t last_ns; /* of the last redraw */
} progress;

progress progress_begin(bool wanted);

/* done of total frames; redraws at most ten times a second. */
void progress_show(progress *p, uint32_t done, uint32_t total, uint32_t particles, double ms);

/* Removes the bar from the screen. */
void progress_end(progress *p);

#endif
