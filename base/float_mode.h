/* float_mode.h - how the CPU computes with floats while code of this library runs: rounded to nearest, denormals as they
 * are, and exceptions stop nobody. Hosts set their threads otherwise (flushed denormals for speed, exceptions that trap
 * in debug builds); bits would then depend on which thread ran what, and lanes that are computed for nobody would trap.
 *
 * Every public function that computes begins with RICO__FLOAT_MODE(), which gives the thread back as it was. So do workers
 * and helpers of pools. Reading the mode takes some ten cycles; it is written only where it is another one.
 *
 * Status flags are left as they come.
 */
#ifndef RICO_FLOAT_MODE_H
#define RICO_FLOAT_MODE_H

#include <stdint.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "build Ricochet without -ffast-math, or with -fno-fast-math behind it; hosts may have it"
#endif

#if defined(__SSE2__)

#define RICO__FLOAT_STATUS 0x3fu
#define RICO__FLOAT_DEFAULT 0x1f80u /* MXCSR: all exceptions masked */

typedef uint32_t rico__float_mode;

static inline rico__float_mode rico__float_mode_get(void)
{
    rico__float_mode mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    return mode & ~RICO__FLOAT_STATUS;
}

/* A barrier: nothing that is read or written there is moved over it. */
static inline void rico__float_mode_set(rico__float_mode mode)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(mode) : "memory");
}

#elif defined(__aarch64__)

#define RICO__FLOAT_DEFAULT 0u /* FPCR */

typedef uint64_t rico__float_mode;

static inline rico__float_mode rico__float_mode_get(void)
{
    rico__float_mode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}

static inline void rico__float_mode_set(rico__float_mode mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory");
}

#else

#define RICO__FLOAT_DEFAULT 0u

typedef uint32_t rico__float_mode;

static inline rico__float_mode rico__float_mode_get(void)
{
    return RICO__FLOAT_DEFAULT;
}

static inline void rico__float_mode_set(rico__float_mode mode)
{
    (void)mode;
}

#endif

/* Returns what it was. */
static inline rico__float_mode rico__float_mode_begin(void)
{
    const rico__float_mode before = rico__float_mode_get();
    if (before != RICO__FLOAT_DEFAULT)
        rico__float_mode_set(RICO__FLOAT_DEFAULT);
    return before;
}

static inline void rico__float_mode_end(const rico__float_mode *before)
{
    if (*before != RICO__FLOAT_DEFAULT)
        rico__float_mode_set(*before);
}

/* To the end of the block in which it stands. */
#define RICO__FLOAT_MODE()                                                                     \
    __attribute__((cleanup(rico__float_mode_end), unused))                                     \
    const rico__float_mode float_mode_before = rico__float_mode_begin()

#endif
