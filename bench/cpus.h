/* cpus.h - lists the available CPUs, and keeps threads on one of them while they are measured. */
#ifndef RICO_BENCH_CPUS_H
#define RICO_BENCH_CPUS_H

#include <stddef.h>
#include <stdint.h>

#define CPUS_MOST 1024u

/* CPUs that the process may use, one thread of each core first. So workers on the first n CPUs
 * use as many cores as possible. */
typedef struct cpus {
    uint32_t number[CPUS_MOST];
    uint32_t count; /* at least 1 */
} cpus;

/* Call before any thread is pinned. Where the system does not report them, lists the CPUs on
 * line. */
void cpus_list(cpus *out);

/* Pin the calling thread to the CPU at that place of the list, or let it use all of the list
 * again. Ignored where the system cannot or does not allow it. */
void cpus_pin(const cpus *c, uint32_t place);
void cpus_release(const cpus *c);

/* CPUs that are threads of one core, because two workers on these do not use two cores. "0-1
 * 2-3": one group per core, cut where it does not fit; "unknown" where the system does not
 * report it. */
void cpus_siblings(char *text, size_t bytes);

#endif
