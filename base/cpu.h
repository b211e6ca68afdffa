/* cpu.h - which instruction set the kernels use, and what they can count on. */
#ifndef RICO_CPU_H
#define RICO_CPU_H

#include <stddef.h>

typedef enum rico__isa {
    RICO_ISA_SCALAR,
    RICO_ISA_SSE2,
    RICO_ISA_AVX2,
    RICO_ISA_AVX512, /* F, DQ, BW, VL */
    RICO_ISA_NEON,
    RICO_ISA_COUNT
} rico__isa;

/* The best set this CPU has, or the one that the environment variable RICO_ISA names
 * ("scalar", "sse2", "avx2", "avx512", "neon") when the CPU has it. An unknown or missing one
 * is ignored: the caller may warn by comparing rico__isa_wanted with rico__isa_name. Reads the environment, so
 * call it at creation, not in a frame. */
rico__isa rico__cpu_isa(void);

/* What RICO_ISA says; NULL when it is not set, or empty. */
const char *rico__isa_wanted(void);

/* True when this CPU can run it. RICO_ISA_SCALAR is always true. */
int rico__cpu_has(rico__isa isa);

const char *rico__isa_name(rico__isa isa);

/* Bytes of the first data cache; 0 = the system does not tell. */
size_t rico__cpu_first_cache(void);

#endif
