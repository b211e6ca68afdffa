/* machine.h - what a measurement was made on, for every row and report. */
#ifndef RICOCHET_MACHINE_H
#define RICOCHET_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* "AMD EPYC, 2 CPUs"; writes at most bytes, returns text. */
const char *machine_name(char *text, size_t bytes);

/* "gcc 12.2.0": of this build. */
const char *machine_compiler(void);

/* Monotonic nanoseconds. */
uint64_t machine_clock_ns(void);

/* Memory for arrays of megabytes that are walked as a whole: at a multiple of 64, in huge pages where the system
 * has them. To be freed with free; NULL: there is none. */
void *machine_memory(size_t bytes);

#endif
