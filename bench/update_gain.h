/* update_gain.h - the speed-up of an update by a second thread, beside that of plain streaming. */
#ifndef RICO_BENCH_UPDATE_GAIN_H
#define RICO_BENCH_UPDATE_GAIN_H

#include <stdbool.h>
#include <stdint.h>

/* How many times as fast two threads are as one. */
typedef struct update_gain {
    double ours; /* steps under a plane, in the steady state */
    /* Passes of stream_limit over as many particles: all of them on one thread, against a half
     * on each of two. A limit: the two never wait for each other, as if they always ended at
     * once. */
    double stream;
} update_gain;

/* Measures all four in turns and takes medians over `rounds` rounds. False: *why gives the
 * reason. */
bool update_gain_measure(uint32_t particles, uint32_t rounds, update_gain *out,
                         const char **why);

#endif
