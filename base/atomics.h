/* atomics.h - every atomic, fence and spin lock of the library.
 *
 * There are three back ends with one interface:
 *   (default)              Concurrency Kit: what ships
 *   -DRICO_ATOMICS_BUILTIN __atomic builtins: ThreadSanitizer understands them
 *   -DRICO_ATOMICS_MODEL   a header that the model checker's build gives
 *
 * The types wrap their value, so that a plain access does not compile by accident. The names
 * state the order. Without a suffix, loads acquire, stores release, and read-modify-writes are
 * sequentially consistent.
 */
#ifndef RICO_ATOMICS_H
#define RICO_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(RICO_ATOMICS_MODEL)
#include RICO_ATOMICS_MODEL
#else

typedef struct rico__atomic32 {
    uint32_t value;
} rico__atomic32;

typedef struct rico__atomic64 {
    uint64_t value;
} rico__atomic64;

typedef struct rico__atomic_ptr {
    void *value;
} rico__atomic_ptr;

#if defined(RICO_ATOMICS_BUILTIN)
#include "atomics_builtin.h"
#else
#include "atomics_ck.h"
#endif

#endif

/* A lock for a few instructions: never hold it across a call that may block. A thread that does
 * not get the lock tries again. Now and then it gives up its CPU, which the holder of the lock
 * may need. Zero-initialised = unlocked. */
static inline bool rico__spinlock_try_lock(rico__spinlock *lock);
static inline void rico__spinlock_unlock(rico__spinlock *lock);

#endif
