#include "cpu.h"

#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif

static const char *const names[RICO_ISA_COUNT] = {"scalar", "sse2", "avx2", "avx512", "neon"};

const char *rico__isa_name(rico__isa isa)
{
    return (unsigned)isa < RICO_ISA_COUNT ? names[isa] : "unknown";
}

int rico__cpu_has(rico__isa isa)
{
    switch (isa) {
    case RICO_ISA_SCALAR:
        return 1;
#if defined(__x86_64__) || defined(__i386__)
    case RICO_ISA_SSE2:
        return __builtin_cpu_supports("sse2") != 0;
    case RICO_ISA_AVX2:
        /* A CPU that has one of these has the others, except in virtual machines that hide
         * them. */
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    case RICO_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#elif defined(__aarch64__)
    case RICO_ISA_NEON:
        return 1; /* mandatory in AArch64 */
#endif
    default:
        return 0;
    }
}

const char *rico__isa_wanted(void)
{
    const char *wanted = getenv("RICO_ISA");
    return wanted != NULL && wanted[0] != 0 ? wanted : NULL;
}

rico__isa rico__cpu_isa(void)
{
    const char *wanted = rico__isa_wanted();
    rico__isa best = RICO_ISA_SCALAR;
    for (int i = 0; i < RICO_ISA_COUNT; ++i) {
        if (!rico__cpu_has((rico__isa)i))
            continue;
        best = (rico__isa)i;
        if (wanted != NULL && strcmp(wanted, names[i]) == 0)
            return best;
    }
    return best;
}

#if defined(_WIN32)

/* More than any CPU has. On the stack, because there is no memory of our own here. */
#define MOST_PARTS 512

size_t rico__cpu_first_cache(void)
{
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION parts[MOST_PARTS];
    DWORD bytes = sizeof parts;
    if (!GetLogicalProcessorInformation(parts, &bytes))
        return 0;
    for (size_t i = 0; i < bytes / sizeof *parts; ++i) {
        const CACHE_DESCRIPTOR *cache = &parts[i].Cache;
        if (parts[i].Relationship == RelationCache && cache->Level == 1 &&
            cache->Type == CacheData)
            return cache->Size;
    }
    return 0;
}

#else

size_t rico__cpu_first_cache(void)
{
    long bytes = 0;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : 0;
}

#endif
