#include "cast.h"

#include <stddef.h>

static const rico__cast_kernel *const built[] = {
    &rico__cast_scalar,
#ifdef RICO_HAVE_SSE2
    &rico__cast_sse2,
#endif
#ifdef RICO_HAVE_AVX2
    &rico__cast_avx2,
#endif
#ifdef RICO_HAVE_AVX512
    &rico__cast_avx512,
#endif
#ifdef RICO_HAVE_NEON
    &rico__cast_neon,
#endif
};

#define BUILT_COUNT (sizeof built / sizeof built[0])

const rico__cast_kernel *rico__cast_for_isa(rico__isa isa)
{
    for (size_t i = 0; i < BUILT_COUNT; ++i)
        if (built[i]->isa == isa)
            return rico__cpu_has(isa) ? built[i] : NULL;
    return NULL;
}

const rico__cast_kernel *rico__cast_for_cpu(void)
{
    rico__isa best = rico__cpu_isa();
    const rico__cast_kernel *chosen = &rico__cast_scalar;
    for (size_t i = 0; i < BUILT_COUNT; ++i)
        if (built[i]->isa <= best && rico__cpu_has(built[i]->isa))
            chosen = built[i];
    return chosen;
}
