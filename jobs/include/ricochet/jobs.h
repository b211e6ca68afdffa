/* jobs.h - a work-stealing job pool. It can be used without the rest of Ricochet.
 *
 * Each worker has a deque of the jobs that it has forked. Idle workers steal jobs from the
 * deques of others. The calling thread is worker 0 and works, too. A pool of one worker has no
 * threads, and runs every call serially.
 *
 * A worker shares its forked jobs with the others at certain points only: when it forks, joins,
 * or waits for a counter, when it starts a range of a parallel for, and when it goes on from
 * node to node of a job graph. A fork, a join or a range costs a few nanoseconds for that
 * while no other worker asks for work. So prefer rico_worker_for to many forks of long jobs by
 * hand. An idle worker that asks later than the forks waits, at worst, until the forking
 * worker's current job ends.
 *
 * The other headers of the pool:
 *
 * - tasks.h: work that is submitted from any thread and not joined.
 * - job_graph.h: a frame as a graph of jobs.
 * - jobs_profile.h, jobs_trace.h, jobs_replay.h: work and span, traces, and recorded schedules.
 *
 * Pools, workers, jobs, counters and graphs must not be NULL except where a comment allows it.
 * Few calls check that, since they take nanoseconds.
 *
 * Determinism: jobs and tasks compute with floats that round to nearest, keep denormals and
 *   trap on no exception. This does not depend on how the host's threads are set, or the thread
 *   that creates the pool.
 */
#ifndef RICOCHET_JOBS_H
#define RICOCHET_JOBS_H

#include <ricochet/export.h>
#include <ricochet/hooks.h>
#include <ricochet/relaxed.h>
#include <ricochet/result.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pool of workers. It cannot be copied. Several pools may live in one process. */
typedef struct rico_jobs rico_jobs;

/* The worker that runs the current job. Every job function gets it.
 *
 * Threads: never pass it to another thread.
 * Lifetime: valid until the job function returns; never keep it.
 */
typedef struct rico_worker rico_worker;

#define RICO_JOBS_MAX_WORKERS 256u

/* --- creation ----------------------------------------------------------------------------- */

/* The host's own job system, to be used instead of threads of the pool.
 *
 * Results do not depend on when, where or in which order the host runs the functions it is
 * given. A job must not wait for what its forker does after the fork, for a counter, say. On a
 * host that runs fn at once, that wait never ends.
 *
 * Threads: both functions are only called on the thread that is in rico_jobs_run.
 */
typedef struct rico_host_jobs {
    /* Runs fn(context) once. It may do so on any thread, at any time before `finish` has
     * returned for the handle that it returns: at once, late, or in another order. A host with
     * one thread is fine. Returns a handle, or NULL when fn has returned already.
     *
     * fn ends by itself soon after there is nothing to do.
     *
     * Cost: up to 84 KiB of stack in calls of a world. A fiber with 64 KiB is too small.
     */
    void *(*enqueue)(void *user, void (*fn)(void *context), void *context);

    /* Returns when the handle's fn has returned. It is called once per handle that is not NULL.
     * At most worker_count - 1 of these handles are out at a time, and none when rico_jobs_run
     * returns. */
    void (*finish)(void *user, void *handle);

    void *user;
} rico_host_jobs;

typedef struct rico_jobs_def {
    uint32_t cookie; /* set by rico_jobs_def_default; do not touch */

    /* Number of workers, the caller included; 0..256. 0: one per available CPU. On Linux these
     * are counted by the affinity of the thread that creates the pool, and limited by the CPU
     * time that its control group grants. [0] */
    uint32_t worker_count;

    /* Jobs in the deque of each worker; a power of two, 16..65536. A fork runs its job at once
     * when the deque is full. [1024] */
    uint32_t deque_capacity;

    /* How long an idle worker spins before it sleeps; microseconds; 0..10000. It spins four
     * times as long while a rico_jobs_run is in progress (not on the host's jobs). Choose at
     * least the serial time between two stages of a frame. [50] */
    uint32_t spin_microseconds;

    /* How long workers stay awake for a frame that rico_jobs_frame_begin has announced;
     * microseconds; 0..100000. [2000] */
    uint32_t hint_microseconds;

    /* The pool's threads do not run on the CPU of the thread that calls rico_jobs_run or
     * rico_jobs_frame_begin. So a wake never makes the two share a CPU. It has no effect where
     * there is no other CPU, or where the system cannot do it (Linux and Windows can). [true] */
    bool keep_off_caller;

    /* How many workers run jobs at a time; 1..256, or 0. 0: the available CPUs. Beyond this
     * number no worker is woken for jobs, since more workers than CPUs only take turns. A
     * worker that runs a task, which may block, is not counted, nor is one that sleeps in a
     * join. So jobs must not wait for other jobs except by joins. [0; 256 in builds with
     * asserts of level 2, to see all workers at work] */
    uint32_t most_awake;

    /* A join that waits runs any job of the same rico_jobs_run, not only those that were forked
     * for the job it waits for. That gives many workers more to do; but see rico_job_join.
     * [false] */
    bool joins_help_anybody;

    /* Threads are named "<name>-<index>", in at most 15 bytes. It is read during creation only.
     * [NULL = "rico"] */
    const char *name;

    /* Called first on each of the pool's threads: to set its priority, for example, or its
     * affinity (then with keep_off_caller false). NULL: none. [NULL] */
    void (*thread_start)(void *user, uint32_t worker);
    void *thread_user;

    /* Not 0: victims of steals, splits and delays are drawn from this seed. Use it to find code
     * that depends on the schedule. It is slow. Results stay the same. [0] */
    uint32_t chaos_seed;

    /* A worker whose wait (a join, or rico_worker_wait) lasts longer than this reports it to
     * the log, from the thread that waits; milliseconds. 0: never. [10000 in builds with
     * asserts of level 2, else 0] */
    uint32_t watchdog_ms;

    /* Events that a trace keeps per worker (jobs_trace.h); 0, or a power of two up to 1048576.
     * [0] */
    uint32_t trace_capacity;

    rico_host_jobs host;      /* all NULL: the pool has threads of its own [all NULL] */
    rico_allocator allocator; /* hooks.h */
    rico_log log;             /* hooks.h */
} rico_jobs_def;

/* Returns a definition with all fields at their defaults. */
RICO_API rico_jobs_def rico_jobs_def_default(void);

/* Creates a pool and its worker_count - 1 threads. On failure *out is NULL and nothing is left
 * behind.
 *
 * When the system refuses a thread, the pool is smaller. A warning is then logged and the call
 * succeeds: rico_jobs_worker_count tells the number of workers.
 *
 * Threads: any.
 * Errors:
 *   RICO_UNINITIALIZED_DEF: def was not made by rico_jobs_def_default.
 *   RICO_OUT_OF_RANGE: a field of def, which the log names.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 */
RICO_API rico_result rico_jobs_create(const rico_jobs_def *def, rico_jobs **out);

/* Stops and joins the pool's threads, and frees everything. NULL is ignored.
 *
 * No rico_jobs_run may be in progress, and nobody may hold the pool (rico_jobs_hold). Both are
 * asserted; nothing is freed then.
 *
 * Tasks (tasks.h) that have not begun never will, and their counters do not fire. Wait for them
 * first.
 */
RICO_API void rico_jobs_destroy(rico_jobs *jobs);

/* Holds the pool: it will be used until rico_jobs_let_go. A world that was given a pool holds
 * it all its life.
 *
 * Threads: any.
 */
RICO_API void rico_jobs_hold(rico_jobs *jobs);

/* Lets the pool go, once per hold.
 *
 * Threads: any.
 */
RICO_API void rico_jobs_let_go(rico_jobs *jobs);

/* Returns the number of workers, 1..256. It is constant for the life of the pool. */
RICO_API uint32_t rico_jobs_worker_count(const rico_jobs *jobs);

/* --- running ------------------------------------------------------------------------------ */

/* A job: runs on `worker`, with the context of its fork. */
typedef void rico_job_fn(rico_worker *worker, void *context);

/* Enters the pool: runs fn(worker, context) on the calling thread, as worker 0.
 *
 * It returns when fn and all that it forked have ended.
 *
 * Threads: one at a time per pool, and not from inside a job or task of the same pool
 *   (asserted).
 */
RICO_API void rico_jobs_run(rico_jobs *jobs, rico_job_fn *fn, void *context);

/* Returns whether the pool is in use, so that the calling thread must not enter it.
 *
 * That is so while a rico_jobs_run is in progress, on this thread or another, and while the
 * calling thread runs a task of the pool (tasks.h).
 *
 * Threads: any. What another thread does may change at any moment after the call.
 */
RICO_API bool rico_jobs_is_running(const rico_jobs *jobs);

/* Hints that rico_jobs_run will be called soon, within hint_microseconds.
 *
 * Sleeping workers wake up and spin until then, while the host still does serial work of its
 * own. A wake-up takes tens of microseconds, for which the first stage of the frame then need
 * not wait. It changes no result.
 *
 * Threads: the one that will call rico_jobs_run, outside of it.
 */
RICO_API void rico_jobs_frame_begin(rico_jobs *jobs);

/* Returns the index of a worker, 0..worker_count - 1. Use it for per-worker scratch memory,
 * never for results. */
RICO_API uint32_t rico_worker_index(const rico_worker *worker);

/* --- fork and join ------------------------------------------------------------------------ */

/* A job that was forked. The caller owns the memory, usually on its stack. It must stay in
 * place until the job is joined. */
typedef struct rico_job {
    rico_job_fn *fn;
    void *context;
    uint32_t state; /* private */
    uint32_t owner; /* private */
    union {
        uint64_t span; /* private */
        void *slot;    /* private */
    };
} rico_job;

/* Forks a job: fn(worker, context) may run on any worker from now on, until its join.
 *
 * Every fork needs a join: rico_job_join or rico_job_unfork. Joins come in the reverse order of
 * the forks, and all of them before the forking function returns (strict nesting; asserted).
 */
static inline void rico_job_fork(rico_worker *worker, rico_job *job, rico_job_fn *fn,
                                 void *context);

/* Joins a job: runs it, unless another worker has taken it; then waits until it has ended.
 *
 * Everything that the job wrote is visible after the join.
 *
 * A join that waits for a job that another worker took runs other jobs meanwhile:
 *
 * - It runs what that worker forked for the job, or for what that worker took in waits for
 *   counters inside of the job. It runs nothing else. So the stack grows no deeper than in a
 *   serial run, and what runs inside a join is what would run there in a serial run.
 * - With rico_jobs_def.joins_help_anybody it runs any job of the same rico_jobs_run. Then hold
 *   no lock across a join if another job takes that lock. These detours are at most 4 deep: the
 *   stack grows to at most 5 times that of a serial run.
 *
 * A wait for a counter (rico_worker_wait in tasks.h) is different: it runs anything, since
 * tasks are not forked by a job.
 */
static inline void rico_job_join(rico_worker *worker, rico_job *job);

/* Joins a job, but leaves it to the caller if nobody has taken it.
 *
 * true: the caller must do now what the job would have done. false: the job is joined.
 *
 * It is for jobs of nanoseconds. The caller can call the function itself, with arguments by
 * value if it likes, or do without a call.
 */
static inline bool rico_job_unfork(rico_worker *worker, rico_job *job);

/* --- loops and reductions ----------------------------------------------------------------- */

/* One range of a parallel for: the indices from `begin` up to, but not including, `end`. */
typedef void rico_range_fn(rico_worker *worker, void *context, uint32_t begin, uint32_t end);

/* Runs a parallel for from inside a job: calls fn with disjoint ranges that cover [begin, end).
 *
 * It returns when all ranges have run. begin >= end is an empty loop. Which worker runs which
 * range, and in which order, is not defined. The loop is cut while a worker is idle and asks
 * for work, into a part for each idle worker, 16 parts at most at a time.
 *
 * `grain` is the greatest length of a range, which is also the usual length. 0 stands for an
 * automatic grain, which is for many cheap indices of similar cost. With it, ranges are long at
 * first and short at last; in a pool of one worker, a single range has all indices.
 */
RICO_API void rico_worker_for(rico_worker *worker, uint32_t begin, uint32_t end, uint32_t grain,
                              rico_range_fn *fn, void *context);

/* Runs a parallel for from outside of jobs: rico_jobs_run around rico_worker_for. */
RICO_API void rico_jobs_for(rico_jobs *jobs, uint32_t begin, uint32_t end, uint32_t grain,
                            rico_range_fn *fn, void *context);

#define RICO_REDUCTION_BYTES 128u

/* A parallel reduction.
 *
 * The range is cut into shards of fixed length. Each shard is folded from its first index to
 * its last. Partial results are joined from left to right, along a tree that depends on the
 * number of shards alone.
 *
 * Determinism: the result has the same bits for any number of workers, with floats, too.
 */
typedef struct rico_reduction {
    /* Adds the indices [begin, end) to *partial. */
    void (*fold)(rico_worker *worker, void *context, uint32_t begin, uint32_t end,
                 void *partial);

    /* Adds *right, which comes later in the range, to *left. */
    void (*join)(void *context, void *left, const void *right);

    void *context;
    const void *identity; /* the value that a partial result starts with */

    /* Size of a partial result; bytes; at most RICO_REDUCTION_BYTES. Partial results are
     * aligned to 16 bytes. */
    uint32_t bytes;

    uint32_t shard; /* indices per shard; not 0 */
} rico_reduction;

/* Runs a parallel reduction over [begin, end), from inside a job. *result is the identity when
 * begin >= end. */
RICO_API void rico_worker_reduce(rico_worker *worker, uint32_t begin, uint32_t end,
                                 const rico_reduction *reduction, void *result);

/* --- statistics --------------------------------------------------------------------------- */

/* Counts of one worker since the creation of the pool. They are approximate while jobs run, and
 * exact between runs, except for what idle workers and tasks still add. */
typedef struct rico_worker_stats {
    uint64_t jobs_run;      /* calls of the host's job, task and range functions */
    uint64_t steals;        /* jobs taken from another worker */
    uint64_t failed_steals; /* attempts to steal that found nothing */
    uint64_t spins;         /* looks around that found nothing, after which it stayed awake */
    uint64_t parks;         /* times it went to sleep */

    /* Sleepers that it woke, with at most one system call each. Wakes for tasks are not
     * counted. */
    uint64_t wakes;

    uint64_t inline_runs; /* forks that ran their job at once because the deque was full */
    uint64_t busy_ns;     /* time inside jobs, without waits; nanoseconds */
} rico_worker_stats;

/* Returns the counts of a worker, or all zeros when worker >= worker_count.
 *
 * Threads: any, between runs.
 */
RICO_API rico_worker_stats rico_jobs_worker_stats(const rico_jobs *jobs, uint32_t worker);

/* --- private from here on: what fork and join need to be inline --------------------------- */

#if defined(__GNUC__) || defined(__clang__)
#define RICO__LIKELY(condition) __builtin_expect(!!(condition), 1)
#define RICO__UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define RICO__LIKELY(condition) (!!(condition))
#define RICO__UNLIKELY(condition) (!!(condition))
#endif

/* The deque of a worker, which is the first field of the worker. jobs/deque.h explains it. The
 * fields and their offsets may change with every version of the library. */
typedef struct rico__deque {
    /* The owner's cache line. No thief reads it, so a push never misses the cache. */
    rico_job **top;
    rico_job **split;  /* the split of `shared`, as a pointer; only the owner moves the split */
    rico_job **end;    /* constant */
    uint64_t jobs_run; /* any thread may read it */
    uint32_t watched;  /* the value of `wanted` while nobody asks: 0 or RICO__WATCHED */
    uint32_t overflow; /* how many of the newest jobs ran at their fork; > 0 only if top == end */
    uint8_t apart[128 - 5 * 8];

    /* The cache line of all workers. It is written when a thief asks for a job or takes one,
     * and when the split moves. */
    uint64_t shared;  /* tail and split: shared_pack in jobs/deque.h */
    uint32_t wanted;  /* RICO__ASKED, RICO__WATCHED or both: fork and join take the slow path */
    rico_job **slots; /* constant; a slot is written before it becomes public */
} rico__deque;

static inline rico__deque *rico__worker_deque(rico_worker *worker)
{
    return (rico__deque *)(void *)worker;
}

/* The slow path of a fork: the deque is full, so that the job runs at once; or another worker
 * asks for work. */
RICO_API void rico_job_fork_slowly(rico_worker *worker, rico_job *job);

/* The slow path of a join: everything but a private job while no worker asks for work. */
RICO_API void rico_job_join_slowly(rico_worker *worker, rico_job *job);

static inline void rico_job_fork(rico_worker *worker, rico_job *job, rico_job_fn *fn,
                                 void *context)
{
    rico__deque *deque = rico__worker_deque(worker);
    rico_job **top = deque->top;
    job->fn = fn;
    job->context = context;
    job->slot = top;
    if (RICO__LIKELY(top != deque->end)) {
        *top = job;
        deque->top = top + 1;
        if (RICO__LIKELY(RICO__LOAD_RELAXED(&deque->wanted) == 0))
            return;
    }
    rico_job_fork_slowly(worker, job);
}

/* Takes the job off the deque, and returns whether it did. It does if the job is the newest, is
 * private (a public job has no slot), and no worker asks for work.
 *
 * The new top is the job's slot, not the old top less one, so that the next fork need not wait
 * for the load of the old top. The load of the slot is "unsure": when the job was stolen in a
 * pool that measures, the thief may be writing the span to the same place. */
static inline bool rico__deque_pop(rico__deque *deque, const rico_job *job)
{
    rico_job **slot = (rico_job **)RICO__LOAD_UNSURE(&job->slot);
    if (RICO__UNLIKELY((uintptr_t)deque->top != (uintptr_t)slot + sizeof *slot ||
                       RICO__LOAD_RELAXED(&deque->wanted) != 0))
        return false;
    deque->top = slot;
    return true;
}

static inline bool rico_job_unfork(rico_worker *worker, rico_job *job)
{
    rico__deque *deque = rico__worker_deque(worker);
    if (RICO__UNLIKELY(!rico__deque_pop(deque, job))) {
        rico_job_join_slowly(worker, job);
        return false;
    }
    RICO__STORE_RELAXED(&deque->jobs_run, RICO__LOAD_RELAXED(&deque->jobs_run) + 1);
    return true;
}

static inline void rico_job_join(rico_worker *worker, rico_job *job)
{
    if (RICO__LIKELY(rico_job_unfork(worker, job)))
        job->fn(worker, job->context);
}

#ifdef __cplusplus
}
#endif
#endif
