/* relaxed.h - private: relaxed loads and stores for inline functions of public headers.
 *
 * There are two pairs of accesses:
 * - RELAXED: to words that several threads use. The model checker defines its own.
 * - UNSURE: to plain arrays that other threads may read as a hint.
 * All other atomics are in base/atomics.h, which is not installed.
 */
#ifndef RICOCHET_RELAXED_H
#define RICOCHET_RELAXED_H

#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)

#ifndef RICO__LOAD_RELAXED
#define RICO__LOAD_RELAXED(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define RICO__STORE_RELAXED(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#endif

/* Accesses to a word that is read before it is known whether it may be read. If it may not, the
 * value is not used. The model checker leaves these accesses out. */
#define RICO__LOAD_UNSURE(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define RICO__STORE_UNSURE(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)

#else

/* Hosts built by other compilers, for example Microsoft's. There an aligned volatile word of 4
 * or 8 bytes is read and written whole, on x86-64 and on ARM64. Words that are stored have 8
 * bytes. */
#define RICO__LOAD_RELAXED(at)                                                                 \
    (sizeof *(at) == 4 ? *(const volatile uint32_t *)(const void *)(at)                        \
                       : *(const volatile uint64_t *)(const void *)(at))
#define RICO__STORE_RELAXED(at, value) (*(volatile uint64_t *)(void *)(at) = (value))
#define RICO__LOAD_UNSURE(at) (*(const volatile uintptr_t *)(const void *)(at))

#endif

#endif
