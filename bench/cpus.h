/* cpus.h - which CPUs there are, and threads that stay on one of them while they are measured. */
#ifndef RICO_BENCH_CPUS_H
#define RICO_BENCH_CPUS_H

#include <stddef.h>
#include <stdint.h>

#define CPUS_MOST 1024u

/* Those that we may use, one thread of each core first: workers on the first so many are on as many cores
 * as there are. */
typedef struct cpus {
    uint32_t number[CPUS_MOST];
    uint32_t count; /* at least 1 */
} cpus;

/* Ask before any thread is pinned. Where the system cannot say, those on line. */
void cpus_list(cpus *out);

/* The calling thread stays on the CPU with that place in the list, or may use all of the list again. Ignored
 * where the system cannot, or does not let us. */
void cpus_pin(const cpus *c, uint32_t place);
void cpus_release(const cpus *c);

/* CPUs that are threads of one core: two workers there are not two cores. "0-1 2-3": a group per core,
 * cut where it does not fit; "unknown" where the system cannot say. */
void cpus_siblings(char *text, size_t bytes);

#endif
