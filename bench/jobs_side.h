/* jobs_side.h - the common interface of all schedulers under measurement.
 *
 * Sides: ours, the plain serial loop, oneTBB and OpenMP where they are installed. Every side
 * does the same work (the functions below), and makes the same jobs, in the way its manual
 * recommends. In the trees, the code that runs a node computes its id first, from the parent's.
 * So each job of a tree has about 10 ns of work, and a child that does not exist costs nothing. A
 * node without a job waits for none.
 */
#ifndef RICO_BENCH_JOBS_SIDE_H
#define RICO_BENCH_JOBS_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jobs_side {
    const char *name;
    /* Between open and close the side has that many threads, including the calling one. */
    bool (*open)(uint32_t threads);
    void (*close)(void);
    uint64_t (*fib)(uint32_t n); /* a job per call with n >= 2: the smaller of its two */
    /* A job per second child whose parent has two. Returns the number of nodes. */
    uint64_t (*tree)(uint64_t id, uint32_t size);
    uint64_t (*tree_uts)(uint64_t id, bool root); /* a job per child but the last; the same */
    /* count calls of jobs_work(iterations): in ranges of the side's own choice, or one by one */
    void (*loop)(uint32_t count, bool one_by_one, uint32_t iterations);
    void (*hint)(void); /* a frame is about to begin; NULL: the side has no such call */
} jobs_side;

extern const jobs_side jobs_serial, jobs_ours;
#ifdef BENCH_TBB
extern const jobs_side jobs_tbb;
#endif
#ifdef BENCH_OPENMP
extern const jobs_side jobs_openmp;
#endif

/* The result of the thread's last work. */
static __thread uint64_t jobs_work_end;

/* Arithmetic only, so that time in which a thread is not scheduled does not count as work. Each
 * call continues from the result of the one before. Otherwise a core would overlap the beginning
 * of one call with the end of another while it predicts the branch. Then 200 calls would take
 * the time of 140. */
static inline void jobs_work(uint32_t iterations)
{
    uint64_t x = jobs_work_end;
    for (uint32_t i = 0; i < iterations; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    jobs_work_end = x;
}

#define JOBS_TREE_ROOT_CHILDREN 500u
#define JOBS_TREE_CHILDREN 4u

/* About 10 ns of hashing. */
static inline uint64_t jobs_tree_child(uint64_t id, uint32_t index)
{
    uint64_t x = id + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 2; i++) {
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return x;
}

/* The nodes under a node's first child, out of `below` nodes: the tree of quicksort's calls. */
static inline uint32_t jobs_tree_first(uint64_t id, uint32_t below)
{
    return (uint32_t)((id >> 32) * (below + 1) >> 32);
}

/* A binomial tree as in UTS (Olivier et al. 2006). A node has four children or none, so that
 * subtrees of equal parents differ by orders of magnitude. */
static inline uint32_t jobs_tree_count(uint64_t id, bool root)
{
    if (root)
        return JOBS_TREE_ROOT_CHILDREN;
    return id >> 32 < 1071594340u ? JOBS_TREE_CHILDREN : 0; /* 0.2495 of 2^32 */
}

#ifdef __cplusplus
}
#endif
#endif
