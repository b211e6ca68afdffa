/* machine.h - describes the machine of a measurement, for every row and report. */
#ifndef RICOCHET_MACHINE_H
#define RICOCHET_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* For example "AMD EPYC, 2 CPUs". Writes at most bytes; returns text. */
const char *machine_name(char *text, size_t bytes);

/* The compiler of this build, for example "gcc 12.2.0". */
const char *machine_compiler(void);

/* Monotonic nanoseconds. */
uint64_t machine_clock_ns(void);

/* Memory for arrays of megabytes that are read as a whole. It is aligned to 64 bytes and uses
 * huge pages where the system has them. Freed with free; NULL: out of memory. */
void *machine_memory(size_t bytes);

#endif
