/* float_mode.h - how the CPU computes with floats while code of this library runs: it rounds to
 * nearest, keeps denormals, and does not trap on exceptions.
 *
 * Hosts may set their threads otherwise: flushed denormals for speed, exceptions that trap in
 * debug builds. Then the bits of a result would depend on which thread computed it. And lanes
 * whose results nobody uses would trap.
 *
 * Every public function that computes begins with RICO__FLOAT_MODE(), which gives the thread
 * back in the mode in which it came. So do the workers of pools and their helpers. Reading the
 * mode takes some ten cycles; it is written only where it differs.
 *
 * Status flags are not restored.
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

/* A barrier: the compiler moves no access to memory across it. */
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

/* Sets the library's mode. Returns the mode that was set before. */
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

/* Sets the library's mode up to the end of the block in which the macro stands. */
#define RICO__FLOAT_MODE()                                                                     \
    __attribute__((cleanup(rico__float_mode_end), unused))                                     \
    const rico__float_mode float_mode_before = rico__float_mode_begin()

#endif
