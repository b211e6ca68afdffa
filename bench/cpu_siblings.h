/* cpu_siblings.h - which CPUs are threads of one core: two workers there are not two cores. */
#ifndef RICO_BENCH_CPU_SIBLINGS_H
#define RICO_BENCH_CPU_SIBLINGS_H

#include <stddef.h>
#include <stdint.h>

/* CPUs that are on line. */
uint32_t cpu_count(void);

/* "0-1 2-3": a group per core, cut where it does not fit; "unknown" where the system cannot say. */
void cpu_siblings(char *text, size_t bytes);

#endif
