/* disturbance.h - did somebody else have the machine for a moment?
 *
 * The system counts how often it took a CPU away from a thread of ours that was not done, and (in
 * a virtual machine that is told) the time that the host took. A frame in which either went up
 * says more about the machine than about us: it is reported, but apart.
 */
#ifndef RICO_BENCH_DISTURBANCE_H
#define RICO_BENCH_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct disturbance {
    int64_t preempted;    /* involuntary context switches of all our threads */
    uint64_t stolen;      /* ticks of the whole machine */
    int steal_descriptor; /* /proc/stat, or -1 */
} disturbance;

void disturbance_open(disturbance *d);
void disturbance_close(disturbance *d);

/* Since the last call (or open). Some 10 us: call it outside of what is timed. */
bool disturbance_happened(disturbance *d);

#endif
