/* atomics_builtin.h - the back end of atomics.h on the compiler's __atomic builtins. */
#ifndef RICO_ATOMICS_BUILTIN_H
#define RICO_ATOMICS_BUILTIN_H

#define RICO__ATOMIC_ACCESS(suffix, atomic, type)                                              \
    static inline type rico__atomic_load_relaxed##suffix(const atomic *a)                      \
    {                                                                                          \
        return __atomic_load_n(&a->value, __ATOMIC_RELAXED);                                   \
    }                                                                                          \
    static inline type rico__atomic_load##suffix(const atomic *a)                              \
    {                                                                                          \
        return __atomic_load_n(&a->value, __ATOMIC_ACQUIRE);                                   \
    }                                                                                          \
    static inline void rico__atomic_store_relaxed##suffix(atomic *a, type v)                   \
    {                                                                                          \
        __atomic_store_n(&a->value, v, __ATOMIC_RELAXED);                                      \
    }                                                                                          \
    static inline void rico__atomic_store##suffix(atomic *a, type v)                           \
    {                                                                                          \
        __atomic_store_n(&a->value, v, __ATOMIC_RELEASE);                                      \
    }                                                                                          \
    static inline type rico__atomic_exchange##suffix(atomic *a, type v)                        \
    {                                                                                          \
        return __atomic_exchange_n(&a->value, v, __ATOMIC_SEQ_CST);                            \
    }                                                                                          \
    static inline bool rico__atomic_cas##suffix(atomic *a, type expected, type v)              \
    {                                                                                          \
        return __atomic_compare_exchange_n(&a->value, &expected, v, false, __ATOMIC_SEQ_CST,   \
                                           __ATOMIC_RELAXED);                                  \
    }

#define RICO__ATOMIC_ARITHMETIC(suffix, atomic, type)                                          \
    static inline type rico__atomic_fetch_add##suffix(atomic *a, type v)                       \
    {                                                                                          \
        return __atomic_fetch_add(&a->value, v, __ATOMIC_SEQ_CST);                             \
    }                                                                                          \
    static inline type rico__atomic_fetch_or##suffix(atomic *a, type v)                        \
    {                                                                                          \
        return __atomic_fetch_or(&a->value, v, __ATOMIC_SEQ_CST);                              \
    }

RICO__ATOMIC_ACCESS(32, rico__atomic32, uint32_t)
RICO__ATOMIC_ACCESS(64, rico__atomic64, uint64_t)
RICO__ATOMIC_ACCESS(_ptr, rico__atomic_ptr, void *)
RICO__ATOMIC_ARITHMETIC(32, rico__atomic32, uint32_t)
RICO__ATOMIC_ARITHMETIC(64, rico__atomic64, uint64_t)

#undef RICO__ATOMIC_ACCESS
#undef RICO__ATOMIC_ARITHMETIC

static inline void rico__fence_acquire(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void rico__fence_release(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* ThreadSanitizer ignores fences, and gcc warns about that. The warning may be silenced: this
 * fence alone hands no data over. */
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
static inline void rico__fence_seq_cst(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

static inline void rico__cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

typedef struct rico__spinlock {
    rico__atomic32 held;
} rico__spinlock;

static inline bool rico__spinlock_try_lock(rico__spinlock *lock)
{
    return __atomic_exchange_n(&lock->held.value, 1u, __ATOMIC_ACQUIRE) == 0;
}

static inline void rico__spinlock_unlock(rico__spinlock *lock)
{
    rico__atomic_store32(&lock->held, 0);
}

#endif
