/* runtime_isa.h - worlds on each instruction set of this machine. */
#ifndef RICO_TESTS_RUNTIME_ISA_H
#define RICO_TESTS_RUNTIME_ISA_H

#include "kernel.h"

#include <stdlib.h>

/* For loops `for (int isa = -1; on_next_isa(&isa);)`. Worlds made inside the loop use that
 * instruction set's kernels; worlds made after the loop use the CPU's best again. */
static inline bool on_next_isa(int *isa)
{
    while (++*isa < RICO_ISA_COUNT)
        if (rico__kernels_for_isa((rico__isa)*isa) != NULL) {
            setenv("RICO_ISA", rico__isa_name((rico__isa)*isa), 1);
            return true;
        }
    unsetenv("RICO_ISA");
    return false;
}

#endif
