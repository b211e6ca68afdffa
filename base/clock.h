/* clock.h - monotonic time, for statistics and bounded waits only, never for results. */
#ifndef RICO_CLOCK_H
#define RICO_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some fixed point in time. */
uint64_t rico__clock_ns(void);

#endif
