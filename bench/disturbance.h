/* disturbance.h - detects whether other programs used the machine for a moment.
 *
 * The system counts the time in which our threads were ready to run and had no CPU. In a virtual
 * machine that is told, it also counts the time that the host took. A frame in which either went
 * up says more about the machine than about us: it is reported, but apart. Involuntary context
 * switches would not do, because a thread that yields counts as switched.
 */
#ifndef RICO_BENCH_DISTURBANCE_H
#define RICO_BENCH_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

#define DISTURBANCE_THREADS 256u

typedef struct disturbance {
    uint64_t waited;                  /* ns, all our threads */
    uint64_t stolen;                  /* ticks of the whole machine */
    int steal_descriptor;             /* /proc/stat, or -1 */
    int threads[DISTURBANCE_THREADS]; /* their schedstat */
    uint32_t thread_count;
} disturbance;

/* Watches the threads that exist now: call it when the world has its workers. Where the system
 * keeps no such counts (/proc of Linux), no frame is ever disturbed. */
void disturbance_open(disturbance *d);
void disturbance_close(disturbance *d); /* a zeroed one is ignored */

/* Whether there was a disturbance since the last call (or open). Takes some 10 us: call it
 * outside of timed code. */
bool disturbance_happened(disturbance *d);

#endif
