#include "kernels.h"

#include <stddef.h>

static const rico__kernels *const built[] = {
    &rico__kernels_scalar,
#ifdef RICO_HAVE_SSE2
    &rico__kernels_sse2,
#endif
#ifdef RICO_HAVE_AVX2
    &rico__kernels_avx2,
#endif
#ifdef RICO_HAVE_AVX512
    &rico__kernels_avx512,
#endif
#ifdef RICO_HAVE_NEON
    &rico__kernels_neon,
#endif
};

#define BUILT_COUNT (sizeof built / sizeof built[0])

const rico__kernels *rico__kernels_for_isa(rico__isa isa)
{
    for (size_t i = 0; i < BUILT_COUNT; ++i)
        if (built[i]->isa == isa)
            return rico__cpu_has(isa) ? built[i] : NULL;
    return NULL;
}

const rico__kernels *rico__kernels_for_cpu(void)
{
    rico__isa best = rico__cpu_isa();
    const rico__kernels *chosen = &rico__kernels_scalar;
    for (size_t i = 0; i < BUILT_COUNT; ++i)
        if (built[i]->isa <= best && rico__cpu_has(built[i]->isa))
            chosen = built[i];
    return chosen;
}
