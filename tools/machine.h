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

#endif
