/* update_gain.h - the speed-up of an update by a second thread, beside that of plain streaming. */
#ifndef RICO_BENCH_UPDATE_GAIN_H
#define RICO_BENCH_UPDATE_GAIN_H

#include <stdbool.h>
#include <stdint.h>

/* How many times as fast two threads are as one. */
typedef struct update_gain {
    double ours;   /* steps under a plane, in the steady state */
    double stream; /* passes of stream_limit, as if shared out so that both end at once */
} update_gain;

/* Measures all four in turns and takes medians over `rounds` rounds. False: *why gives the
 * reason. */
bool update_gain_measure(uint32_t particles, uint32_t rounds, update_gain *out,
                         const char **why);

#endif
