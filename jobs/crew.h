/* crew.h - which workers look for work, which sleep, and which need no CPU: a count and sets.
 *
 * Owner: the pool. Threads: all workers, at any time. The rules of its use are in idle.c.
 */
#ifndef RICO_CREW_H
#define RICO_CREW_H

#include "atomics.h"
#include "bits.h"

#include <ricochet/jobs.h>

#define RICO__CREW_WORDS (RICO_JOBS_MAX_WORKERS / 64u)
#define RICO__CREW_NOBODY UINT32_MAX

/* Kinds of sleepers, in the order in which they are woken. First come workers that have nothing
 * to do. Then come those that wait for a counter, since running a job would hold them up. Last
 * come joins that wait, which take jobs only. */
enum { RICO__CREW_IDLE, RICO__CREW_WAITS, RICO__CREW_JOINS, RICO__CREW_KINDS };

typedef struct rico__crew {
    rico__atomic32 searching; /* awake workers that look for work, and those being woken */
    rico__atomic64 asleep[RICO__CREW_KINDS][RICO__CREW_WORDS]; /* bit = may be woken for work */
    /* Asleep in a join; to be woken for jobs that were forked for the one it awaits. */
    rico__atomic64 leaping[RICO__CREW_WORDS];
    /* In a task, which may block. Kept only where some workers are spare. */
    rico__atomic64 aside[RICO__CREW_WORDS];
    rico__atomic32 spare; /* workers beyond those that may be awake; constant while jobs run */
} rico__crew;

/* Relaxed, like all reads here: whoever decides by them has fenced before. */
static inline uint32_t crew_searching(const rico__crew *crew)
{
    return rico__atomic_load_relaxed32(&crew->searching);
}

static inline uint32_t crew_asleep(const rico__crew *crew)
{
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < RICO__CREW_KINDS; kind++)
        for (uint32_t i = 0; i < RICO__CREW_WORDS; i++)
            count += bits_count64(rico__atomic_load_relaxed64(&crew->asleep[kind][i]));
    return count;
}

static inline bool crew_has(const rico__crew *crew, uint32_t kind)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < RICO__CREW_WORDS; i++)
        any |= rico__atomic_load_relaxed64(&crew->asleep[kind][i]);
    return any != 0;
}

static inline uint32_t crew_spare(const rico__crew *crew)
{
    return rico__atomic_load_relaxed32(&crew->spare);
}

/* The number of workers that leave their CPU to others. */
static inline uint32_t crew_resting(const rico__crew *crew)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < RICO__CREW_WORDS; i++) {
        uint64_t set = rico__atomic_load_relaxed64(&crew->leaping[i]) |
                       rico__atomic_load_relaxed64(&crew->aside[i]);
        for (uint32_t kind = 0; kind < RICO__CREW_KINDS; kind++)
            set |= rico__atomic_load_relaxed64(&crew->asleep[kind][i]);
        count += bits_count64(set);
    }
    return count;
}

/* The number of sleepers that may be woken to look for work. */
static inline uint32_t crew_wakeable(const rico__crew *crew)
{
    uint32_t asleep = crew_asleep(crew), spare = crew_spare(crew);
    if (spare == 0 || asleep == 0)
        return asleep;
    uint32_t resting = crew_resting(crew), room = resting > spare ? resting - spare : 0;
    return asleep < room ? asleep : room;
}

static inline bool crew_leaps(const rico__crew *crew)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < RICO__CREW_WORDS; i++)
        any |= rico__atomic_load_relaxed64(&crew->leaping[i]);
    return any != 0;
}

static inline void crew_search_begin(rico__crew *crew)
{
    rico__atomic_fetch_add32(&crew->searching, 1);
}

/* True when no worker is left searching. */
static inline bool crew_search_end(rico__crew *crew)
{
    return rico__atomic_fetch_add32(&crew->searching, UINT32_MAX) == 1;
}

/* False when the worker was already in the set. */
static inline bool crew_lie_down(rico__atomic64 set[RICO__CREW_WORDS], uint32_t worker)
{
    uint64_t bit = UINT64_C(1) << (worker % 64);
    return (rico__atomic_fetch_or64(&set[worker / 64], bit) & bit) == 0;
}

/* False when another thread has already taken the worker out of the set. */
static inline bool crew_get_up(rico__atomic64 set[RICO__CREW_WORDS], uint32_t worker)
{
    rico__atomic64 *word = &set[worker / 64];
    uint64_t bit = UINT64_C(1) << (worker % 64);
    for (;;) {
        uint64_t old = rico__atomic_load_relaxed64(word); /* checked by the cas */
        if ((old & bit) == 0)
            return false;
        if (rico__atomic_cas64(word, old, old & ~bit))
            return true;
    }
}

/* Takes the sleeper with the lowest index from `first` (0 or 1) on out of the set. So the same
 * few workers stay warm. */
static inline uint32_t crew_pick_sleeper(rico__crew *crew, uint32_t kind, uint32_t first)
{
    for (uint32_t i = 0; i < RICO__CREW_WORDS; i++) {
        uint64_t barred = i == 0 ? first : 0, old, may;
        while ((may = (old = rico__atomic_load_relaxed64(&crew->asleep[kind][i])) & ~barred) !=
               0)
            if (rico__atomic_cas64(&crew->asleep[kind][i], old, old ^ (may & -may)))
                return i * 64 + bits_lowest64(may);
    }
    return RICO__CREW_NOBODY;
}

#endif
