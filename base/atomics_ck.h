/* atomics_ck.h - the back end of atomics.h on Concurrency Kit.
 *
 * The loads and stores of ck_pr are relaxed. Its read-modify-writes are full barriers on x86,
 * where they are locked instructions. Elsewhere they are relaxed, so they stand between full
 * fences there.
 */
#ifndef RICO_ATOMICS_CK_H
#define RICO_ATOMICS_CK_H

/* Concurrency Kit's headers are included here and in jobs/ only. */
#include <ck_pr.h>
#include <ck_spinlock.h>

/* The headers of an x86 package of Concurrency Kit compile for any CPU. But they rely on x86,
 * which keeps stores in order: on another CPU most fences would silently be none. */
#if defined(CK_MD_TSO) && !defined(__x86_64__) && !defined(__i386__)
#error "these headers of Concurrency Kit were made for x86"
#endif

#define RICO__ATOMIC_ACCESS(suffix, ck, atomic, type)                                          \
    static inline type rico__atomic_load_relaxed##suffix(const atomic *a)                      \
    {                                                                                          \
        return ck_pr_load_##ck(&a->value);                                                     \
    }                                                                                          \
    static inline type rico__atomic_load##suffix(const atomic *a)                              \
    {                                                                                          \
        type v = ck_pr_load_##ck(&a->value);                                                   \
        ck_pr_fence_acquire(); /* else what the store published could be read stale */         \
        return v;                                                                              \
    }                                                                                          \
    static inline void rico__atomic_store_relaxed##suffix(atomic *a, type v)                   \
    {                                                                                          \
        ck_pr_store_##ck(&a->value, v);                                                        \
    }                                                                                          \
    static inline void rico__atomic_store##suffix(atomic *a, type v)                           \
    {                                                                                          \
        ck_pr_fence_release(); /* else the value could be seen before what it publishes */     \
        ck_pr_store_##ck(&a->value, v);                                                        \
    }                                                                                          \
    static inline type rico__atomic_exchange##suffix(atomic *a, type v)                        \
    {                                                                                          \
        rico__fence_before_rmw();                                                              \
        type old = ck_pr_fas_##ck(&a->value, v);                                               \
        rico__fence_after_rmw();                                                               \
        return old;                                                                            \
    }                                                                                          \
    static inline bool rico__atomic_cas##suffix(atomic *a, type expected, type v)              \
    {                                                                                          \
        rico__fence_before_rmw();                                                              \
        bool done = ck_pr_cas_##ck(&a->value, expected, v);                                    \
        rico__fence_after_rmw();                                                               \
        return done;                                                                           \
    }

#define RICO__ATOMIC_ARITHMETIC(suffix, ck, atomic, type)                                      \
    static inline type rico__atomic_fetch_add##suffix(atomic *a, type v)                       \
    {                                                                                          \
        rico__fence_before_rmw();                                                              \
        type old = ck_pr_faa_##ck(&a->value, v);                                               \
        rico__fence_after_rmw();                                                               \
        return old;                                                                            \
    }                                                                                          \
    static inline type rico__atomic_fetch_or##suffix(atomic *a, type v)                        \
    {                                                                                          \
        type old = rico__atomic_load_relaxed##suffix(a);                                       \
        while (!rico__atomic_cas##suffix(a, old, old | v))                                     \
            old = rico__atomic_load_relaxed##suffix(a);                                        \
        return old;                                                                            \
    }

/* On x86 the locked instruction is the barrier. Elsewhere the read-modify-writes of ck_pr are
 * relaxed: full fences on both sides make them sequentially consistent. */
static inline void rico__fence_before_rmw(void)
{
#if !defined(__x86_64__) && !defined(__i386__)
    ck_pr_fence_memory();
#endif
}

static inline void rico__fence_after_rmw(void)
{
#if !defined(__x86_64__) && !defined(__i386__)
    ck_pr_fence_memory();
#endif
}

RICO__ATOMIC_ACCESS(32, 32, rico__atomic32, uint32_t)
RICO__ATOMIC_ACCESS(64, 64, rico__atomic64, uint64_t)
RICO__ATOMIC_ACCESS(_ptr, ptr, rico__atomic_ptr, void *)
RICO__ATOMIC_ARITHMETIC(32, 32, rico__atomic32, uint32_t)
RICO__ATOMIC_ARITHMETIC(64, 64, rico__atomic64, uint64_t)

#undef RICO__ATOMIC_ACCESS
#undef RICO__ATOMIC_ARITHMETIC

static inline void rico__fence_acquire(void)
{
    ck_pr_fence_acquire();
}

static inline void rico__fence_release(void)
{
    ck_pr_fence_release();
}

static inline void rico__fence_seq_cst(void)
{
    ck_pr_fence_memory();
}

static inline void rico__cpu_pause(void)
{
    ck_pr_stall();
}

typedef ck_spinlock_fas_t rico__spinlock;

static inline bool rico__spinlock_try_lock(rico__spinlock *lock)
{
    return ck_spinlock_fas_trylock(lock);
}

static inline void rico__spinlock_unlock(rico__spinlock *lock)
{
    ck_spinlock_fas_unlock(lock);
}

#endif
