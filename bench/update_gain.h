/* update_gain.h - what a second thread gives an update, and what it gives plain streaming. */
#ifndef RICO_BENCH_UPDATE_GAIN_H
#define RICO_BENCH_UPDATE_GAIN_H

#include <stdbool.h>
#include <stdint.h>

/* How many times as fast two threads are as one. */
typedef struct update_gain {
    double ours;   /* steps under a plane, in the steady state */
    double stream; /* passes of stream_limit, as if shared out so that both end at once */
} update_gain;

/* All four in turns, medians of so many rounds. False: *why says what is wrong. */
bool update_gain_measure(uint32_t particles, uint32_t rounds, update_gain *out,
                         const char **why);

#endif
