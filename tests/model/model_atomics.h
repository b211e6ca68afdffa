/* model_atomics.h - back end of base/atomics.h for the model checker.
 *
 * The types stay plain words, so that the library's C compiles unchanged. Their values during a
 * simulation are kept by the checker, which finds them by address (model.cpp). Every access
 * carries its place in the source, so that its memory order can be taken away. This makes a
 * mutant, which some model must detect.
 */
#ifndef RICO_MODEL_ATOMICS_H
#define RICO_MODEL_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico__atomic32 {
    uint32_t value;
} rico__atomic32;

typedef struct rico__atomic64 {
    uint64_t value;
} rico__atomic64;

typedef struct rico__atomic_ptr {
    void *value;
} rico__atomic_ptr;

/* The access's place in the source and its order: relaxed, acquire, release or sequentially
 * consistent. */
typedef struct model_site {
    const char *file, *function, *operation;
    int line;
    char order; /* 'x' relaxed, 'a', 'r', 's' */
} model_site;

uint64_t model_load(const void *at, unsigned bytes, model_site site);
void model_store(void *at, unsigned bytes, uint64_t value, model_site site);
uint64_t model_exchange(void *at, unsigned bytes, uint64_t value, model_site site);
uint64_t model_add(void *at, unsigned bytes, uint64_t value, model_site site);
uint64_t model_or(void *at, unsigned bytes, uint64_t value, model_site site);
bool model_cas(void *at, unsigned bytes, uint64_t expected, uint64_t value, model_site site);
void model_fence(model_site site);
void model_yield(void);

#ifdef __cplusplus
}
#endif

#define RICO__ATOMIC_MODEL(suffix, atomic, type, word)                                         \
    static inline type model_load##suffix(const atomic *a, model_site site)                    \
    {                                                                                          \
        return (type)(word)model_load(a, sizeof *a, site);                                     \
    }                                                                                          \
    static inline void model_store##suffix(atomic *a, type v, model_site site)                 \
    {                                                                                          \
        model_store(a, sizeof *a, (word)v, site);                                              \
    }                                                                                          \
    static inline type model_exchange##suffix(atomic *a, type v, model_site site)              \
    {                                                                                          \
        return (type)(word)model_exchange(a, sizeof *a, (word)v, site);                        \
    }                                                                                          \
    static inline bool model_cas##suffix(atomic *a, type expected, type v, model_site site)    \
    {                                                                                          \
        return model_cas(a, sizeof *a, (word)expected, (word)v, site);                         \
    }

RICO__ATOMIC_MODEL(32, rico__atomic32, uint32_t, uint32_t)
RICO__ATOMIC_MODEL(64, rico__atomic64, uint64_t, uint64_t)
RICO__ATOMIC_MODEL(_ptr, rico__atomic_ptr, void *, uintptr_t)

static inline uint32_t model_add32(rico__atomic32 *a, uint32_t v, model_site site)
{
    return (uint32_t)model_add(a, 4, v, site);
}

static inline uint32_t model_or32(rico__atomic32 *a, uint32_t v, model_site site)
{
    return (uint32_t)model_or(a, 4, v, site);
}

#define MODEL_HERE(operation, order)                                                           \
    ((model_site){__FILE__, __func__, operation, __LINE__, order})

#define rico__atomic_load_relaxed32(a) model_load32(a, MODEL_HERE("load", 'x'))
#define rico__atomic_load_relaxed64(a) model_load64(a, MODEL_HERE("load", 'x'))
#define rico__atomic_load_relaxed_ptr(a) model_load_ptr(a, MODEL_HERE("load", 'x'))
#define rico__atomic_load32(a) model_load32(a, MODEL_HERE("load", 'a'))
#define rico__atomic_load64(a) model_load64(a, MODEL_HERE("load", 'a'))
#define rico__atomic_load_ptr(a) model_load_ptr(a, MODEL_HERE("load", 'a'))
#define rico__atomic_store_relaxed32(a, v) model_store32(a, v, MODEL_HERE("store", 'x'))
#define rico__atomic_store_relaxed64(a, v) model_store64(a, v, MODEL_HERE("store", 'x'))
#define rico__atomic_store_relaxed_ptr(a, v) model_store_ptr(a, v, MODEL_HERE("store", 'x'))
#define rico__atomic_store32(a, v) model_store32(a, v, MODEL_HERE("store", 'r'))
#define rico__atomic_store64(a, v) model_store64(a, v, MODEL_HERE("store", 'r'))
#define rico__atomic_store_ptr(a, v) model_store_ptr(a, v, MODEL_HERE("store", 'r'))
#define rico__atomic_exchange32(a, v) model_exchange32(a, v, MODEL_HERE("exchange", 's'))
#define rico__atomic_exchange64(a, v) model_exchange64(a, v, MODEL_HERE("exchange", 's'))
#define rico__atomic_exchange_ptr(a, v) model_exchange_ptr(a, v, MODEL_HERE("exchange", 's'))
#define rico__atomic_cas32(a, e, v) model_cas32(a, e, v, MODEL_HERE("cas", 's'))
#define rico__atomic_cas64(a, e, v) model_cas64(a, e, v, MODEL_HERE("cas", 's'))
#define rico__atomic_cas_ptr(a, e, v) model_cas_ptr(a, e, v, MODEL_HERE("cas", 's'))
#define rico__atomic_fetch_add32(a, v) model_add32(a, v, MODEL_HERE("add", 's'))
#define rico__atomic_fetch_add64(a, v) model_add(a, 8, v, MODEL_HERE("add", 's'))
#define rico__atomic_fetch_or32(a, v) model_or32(a, v, MODEL_HERE("or", 's'))
#define rico__atomic_fetch_or64(a, v) model_or(a, 8, v, MODEL_HERE("or", 's'))
#define rico__fence_acquire() model_fence(MODEL_HERE("fence", 'a'))
#define rico__fence_release() model_fence(MODEL_HERE("fence", 'r'))
#define rico__fence_seq_cst() model_fence(MODEL_HERE("fence", 's'))
#define rico__cpu_pause() model_yield()

/* The inline accesses of jobs.h. */
#define RICO__LOAD_RELAXED(at) (model_load(at, sizeof *(at), MODEL_HERE("load", 'x')))
#define RICO__STORE_RELAXED(at, v) (model_store(at, sizeof *(at), v, MODEL_HERE("store", 'x')))

typedef struct rico__spinlock {
    rico__atomic32 held;
} rico__spinlock;

static inline bool rico__spinlock_try_lock(rico__spinlock *lock)
{
    return rico__atomic_exchange32(&lock->held, 1u) == 0;
}

static inline void rico__spinlock_unlock(rico__spinlock *lock)
{
    rico__atomic_store32(&lock->held, 0);
}

#endif
