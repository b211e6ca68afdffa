/* clock.h - monotonic time for statistics and bounded waits; never for results. */
#ifndef RICO_CLOCK_H
#define RICO_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some fixed point. */
uint64_t rico__clock_ns(void);

#endif
