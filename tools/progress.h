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

/* done of total frames; redraws ten times a second at most. */
void progress_show(progress *p, uint32_t done, uint32_t total, uint32_t particles, double ms);

/* Takes the bar off the screen. */
void progress_end(progress *p);

#endif
