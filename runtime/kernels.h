/* kernels.h - the entries of the dispatch table; meson chooses which of them are built. */
#ifndef RICO_KERNELS_H
#define RICO_KERNELS_H

#include "kernel.h"

extern const rico__kernels rico__kernels_scalar;
extern const rico__kernels rico__kernels_sse2;
extern const rico__kernels rico__kernels_avx2;
extern const rico__kernels rico__kernels_avx512;
extern const rico__kernels rico__kernels_neon;

#endif
