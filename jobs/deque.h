/* deque.h - a split deque: a stack of forked jobs whose older part thieves may take.
 *
 *      0 ........ tail ........ split ........ top
 *        stolen   |   public    |   private    |
 *
 * Invariant: slots <= tail <= split <= top <= end. The slot of a job is its depth in the nest
 * of forks that are not joined yet. So the array never wraps, and a stolen job keeps its slot
 * until it is joined. Forks beyond the end are only counted: those jobs run at once.
 *
 * Owner: the worker. Threads: the owner alone pushes, pops, publishes and reclaims; any worker
 * may steal and ask. Order: the owner takes the newest job, thieves the oldest.
 *
 * The private part costs neither a fence nor a read-modify-write, because no thief looks at it.
 * The split moves only when a thief has asked (wanted != 0), or when the private part is used
 * up.
 *
 * The struct is in jobs.h, because fork and join are inline.
 *
 * The design follows Lace (van Dijk and van de Pol 2014), which moves split with a store and a
 * fence. Here tail and split share a word and move by read-modify-write. That is simpler to
 * argue about, and costs nothing where it is rare.
 */
#ifndef RICO_DEQUE_H
#define RICO_DEQUE_H

#include "atomics.h"

#include <ricochet/jobs.h>
#include <stddef.h>

/* Two lines of 64 bytes, because adjacent-line prefetch (x86) and lines of 128 bytes (Apple)
 * share them. */
#define RICO__SHARING_BYTES 128

/* Bits of `wanted`. ASKED: a thief found the public part too small. WATCHED: the owner's forks
 * and joins take the slow path, because the pool measures (profile.c), keeps or follows a log
 * (replay.c), or has a chaos seed. */
enum { RICO__ASKED = 1, RICO__WATCHED = 2 };

_Static_assert(offsetof(rico__deque, shared) == RICO__SHARING_BYTES,
               "the owner's line is its own");

/* States of a job that is or was public. A private job has none. */
enum { RICO__JOB_PENDING, RICO__JOB_AWAITED, RICO__JOB_DONE };

/* The fields of the public structs are plain integers, so that jobs.h needs no atomics. They
 * are only ever accessed through these functions and the macros in jobs.h. */
static inline rico__atomic64 *deque_shared(const rico__deque *deque)
{
    return (rico__atomic64 *)(void *)&((rico__deque *)(uintptr_t)deque)->shared;
}

static inline rico__atomic32 *deque_wanted(const rico__deque *deque)
{
    return (rico__atomic32 *)(void *)&((rico__deque *)(uintptr_t)deque)->wanted;
}

static inline rico__atomic64 *deque_jobs_run(const rico__deque *deque)
{
    return (rico__atomic64 *)(void *)&((rico__deque *)(uintptr_t)deque)->jobs_run;
}

static inline rico__atomic32 *job_state(rico_job *job)
{
    return (rico__atomic32 *)(void *)&job->state;
}

/* Which worker stole the job (thief_pack); 0 while no thief is known. */
static inline rico__atomic32 *job_thief(rico_job *job)
{
    return (rico__atomic32 *)(void *)&job->owner;
}

/* The thief, and how many jobs its deque held when it took the job. What it forks for the job
 * lies above them. */
static inline uint32_t thief_pack(uint32_t worker, uint32_t base)
{
    return (worker + 1) | base << 9;
}

static inline uint32_t thief_worker(uint32_t thief)
{
    return (thief & 511u) - 1;
}

static inline uint32_t thief_base(uint32_t thief)
{
    return thief >> 9;
}

/* tail (17 bits) | split (17) | number of publishes (30). Because of that number, a thief's
 * compare-and-swap takes the job that was in the slot when it read the word, and no later
 * one. */
#define RICO__INDEX_BITS 17u
#define RICO__INDEX_MASK ((UINT64_C(1) << RICO__INDEX_BITS) - 1)

static inline uint32_t shared_tail(uint64_t shared)
{
    return (uint32_t)(shared & RICO__INDEX_MASK);
}

static inline uint32_t shared_split(uint64_t shared)
{
    return (uint32_t)(shared >> RICO__INDEX_BITS & RICO__INDEX_MASK);
}

/* A word with the number of publishes in `shared`, and a new tail and split. */
static inline uint64_t shared_pack(uint64_t shared, uint32_t tail, uint32_t split)
{
    return shared >> 2 * RICO__INDEX_BITS << 2 * RICO__INDEX_BITS |
           (uint64_t)split << RICO__INDEX_BITS | tail;
}

/* What a publish of `count` jobs adds to the word. */
static inline uint64_t shared_give(uint32_t count)
{
    return ((UINT64_C(1) << RICO__INDEX_BITS) + count) << RICO__INDEX_BITS;
}

/* Relaxed: a request that is seen late is answered at the next fork, join or range instead. */
static inline bool deque_is_wanted(const rico__deque *deque)
{
    return rico__atomic_load_relaxed32(deque_wanted(deque)) != 0;
}

static inline bool deque_is_asked(const rico__deque *deque)
{
    return (rico__atomic_load_relaxed32(deque_wanted(deque)) & RICO__ASKED) != 0;
}

/* Outside of a run, by the thread that changes the pool, for the deques of all workers. A thief
 * that asks at the same moment may undo it; the next answer to a request does it again. */
static inline void deque_watch(rico__deque *deque, bool on)
{
    deque->watched = on ? RICO__WATCHED : 0;
    uint32_t asked = rico__atomic_load_relaxed32(deque_wanted(deque)) & RICO__ASKED;
    rico__atomic_store_relaxed32(deque_wanted(deque), asked | deque->watched);
}

static inline bool deque_is_full(const rico__deque *deque)
{
    return deque->top == deque->end;
}

/* The number of jobs that a thief could take now. Relaxed: whoever decides by it has fenced
 * before. */
static inline uint32_t deque_public_count(const rico__deque *deque)
{
    uint64_t shared = rico__atomic_load_relaxed64(deque_shared(deque));
    return shared_split(shared) - shared_tail(shared);
}

/* The slots belong to the caller. */
void rico__deque_init(rico__deque *deque, rico_job **slots, uint32_t capacity);

/* Owner: answers a request. Makes private jobs public, oldest first, so that `want` are public
 * if there are enough, and never the newest `keep`. It publishes at least half of those that it
 * may, or none if `want` are public already. Returns false when there is no private job to
 * give; the request then stands. */
bool rico__deque_publish(rico__deque *deque, uint32_t keep, uint32_t want);

/* Owner, with no private job left: takes the newer half of the public jobs back. Returns false
 * when all have been stolen. */
bool rico__deque_reclaim(rico__deque *deque);

/* Owner, when the newest job was stolen and has ended: forgets that job. */
void rico__deque_drop_stolen(rico__deque *deque);

/* Thief: takes the oldest public job. Returns NULL after asking for more when there is none. */
rico_job *rico__deque_steal(rico__deque *deque);

/* The same for a join that waits for `awaited`, which the deque's owner took on top of `base`
 * jobs. It only ever returns a job that was forked for the awaited one, directly or by whatever
 * detours. It returns NULL without asking when the awaited job is done, or the oldest public
 * job lies below `base`. */
rico_job *rico__deque_leap(rico__deque *deque, rico_job *awaited, uint32_t base);

/* Thief: asks for a job, even if there are public ones. At its next fork, join or range the
 * owner looks which worker should come for one. */
void rico__deque_want(rico__deque *deque);

/* Thief: true when the oldest public job lies above `base`. When there is no public job, it
 * asks for one. */
bool rico__deque_ask(rico__deque *deque, uint32_t base);

#endif
