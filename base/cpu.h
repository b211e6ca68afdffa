/* cpu.h - which instruction set the kernels use, and which properties of the CPU they can count
 * on. */
#ifndef RICO_CPU_H
#define RICO_CPU_H

#include <stddef.h>

typedef enum rico__isa {
    RICO_ISA_SCALAR,
    RICO_ISA_SSE2,
    RICO_ISA_AVX2,
    RICO_ISA_AVX512, /* F, DQ, BW, VL, and BMI 1 and 2 */
    RICO_ISA_NEON,
    RICO_ISA_COUNT
} rico__isa;

/* The best instruction set that this CPU has, or the one that the environment variable RICO_ISA
 * names ("scalar", "sse2", "avx2", "avx512", "neon") when the CPU has that one. A name that is
 * unknown, or a set that the CPU lacks, is ignored: the caller may compare rico__isa_wanted
 * with rico__isa_name and warn. The call reads the environment, so make it at creation, not in
 * a frame. */
rico__isa rico__cpu_isa(void);

/* The value of RICO_ISA; NULL when it is not set, or empty. */
const char *rico__isa_wanted(void);

/* True when this CPU can run the instruction set. Always true for RICO_ISA_SCALAR. */
int rico__cpu_has(rico__isa isa);

const char *rico__isa_name(rico__isa isa);

/* Size of the first-level data cache in bytes; 0 = the system does not say. */
size_t rico__cpu_first_cache(void);

#endif
