/* relaxed.h - private: the two accesses to words of several threads that inline functions of public
 * headers need, and of plain arrays that others may read as a hint. Everything else goes through
 * base/atomics.h, which is not installed. The model checker defines its own. */
#ifndef RICOCHET_RELAXED_H
#define RICOCHET_RELAXED_H

#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)

#ifndef RICO__LOAD_RELAXED
#define RICO__LOAD_RELAXED(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define RICO__STORE_RELAXED(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#endif

/* Of a word that is read before it is known whether it may be, and then not used. No matter for the model. */
#define RICO__LOAD_UNSURE(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define RICO__STORE_UNSURE(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)

#else

/* Hosts by other compilers, such as Microsoft's: there an aligned word of 4 or 8 bytes that is volatile is read and written
 * whole, on x86-64 and on ARM64. What is stored has 8. */
#define RICO__LOAD_RELAXED(at)                                                                 \
    (sizeof *(at) == 4 ? *(const volatile uint32_t *)(const void *)(at)                        \
                       : *(const volatile uint64_t *)(const void *)(at))
#define RICO__STORE_RELAXED(at, value) (*(volatile uint64_t *)(void *)(at) = (value))
#define RICO__LOAD_UNSURE(at) (*(const volatile uintptr_t *)(const void *)(at))

#endif

#endif
