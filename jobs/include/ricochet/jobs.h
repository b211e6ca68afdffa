/* jobs.h - a work-stealing job pool. Usable without the rest of Ricochet.
 *
 * One deque per worker; idle workers steal from the others; the calling thread is worker 0 and
 * works too. With one worker there are no threads at all and every call runs serially.
 *
 * A worker shares what it has forked when it forks, joins or starts a range of a parallel for
 * (each of them costs a few nanoseconds while nobody asks). So prefer rico_worker_for to many
 * forks of long jobs by hand: an idle worker that comes later than the forks waits, at worst,
 * until the forking worker's current job ends.
 *
 * Jobs and tasks compute with floats that round to nearest, keep denormals and trap on no exception, however the threads are
 * set that come with the host, or that make the pool.
 *
 * Pools, workers, jobs, counters and graphs must not be NULL but where it says so: of these calls, which take
 * nanoseconds, few look.
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

/* A pool of workers. Not copyable; several may live in one process. */
typedef struct rico_jobs rico_jobs;

/* The calling job's worker: given to every job function, valid until that function returns,
 * never to be kept or passed to another thread. */
typedef struct rico_worker rico_worker;

#define RICO_JOBS_MAX_WORKERS 256u

/* The host's own jobs, to be used instead of threads. Both functions are called on the thread
 * that is in rico_jobs_run only.
 *   enqueue  runs fn(context) once, on any thread, at any time before the finish of what it
 *            returns has returned; at once, late, or in another order are all right, and so is a
 *            host of one thread. It returns a handle; NULL: fn has returned already.
 *   finish   returns when that fn has; called once per handle that is not NULL: of those at most
 *            worker_count - 1 are out at a time, and none when rico_jobs_run returns.
 * fn takes up to 84 KiB of stack in a world's calls: no fiber of 64. It ends by itself soon
 * after there is nothing to do. Results do not depend on any of this; but a job that waits for
 * what its forker does after the fork (a counter, say) waits for ever on a host that runs fn at
 * once. */
typedef struct rico_host_jobs {
    void *(*enqueue)(void *user, void (*fn)(void *context), void *context);
    void (*finish)(void *user, void *handle);
    void *user;
} rico_host_jobs;

typedef struct rico_jobs_def {
    uint32_t cookie;         /* set by rico_jobs_def_default; do not touch */
    uint32_t worker_count;   /* 1..256, the caller included; 0 = one per available CPU: by
                                the affinity of who creates the pool, and on Linux no more than
                                the CPU time that its control group grants */
    uint32_t deque_capacity; /* jobs per worker, a power of two 16..65536 [1024]; a full deque
                                runs the job inline */
    uint32_t spin_microseconds; /* how long an idle worker spins before it parks, 0..10000 [50];
                                   at least the serial time between two stages of a frame;
                                   while something runs it spins four times as long */
    uint32_t hint_microseconds; /* how long workers stay awake for the frame that
                                   rico_jobs_frame_begin announced, 0..100000 [2000] */
    bool keep_off_caller;       /* the pool's threads do not run on the CPU of who calls
                             rico_jobs_run or rico_jobs_frame_begin, so that a wake never makes
                             the two share it; where there is no other CPU, or the system cannot
                             (Linux can), it has no effect [true] */
    uint32_t most_awake; /* so many workers run jobs at a time: nobody is woken for jobs beyond
                             that, as more than there are CPUs only take turns. Who is in a task,
                             which may block, or sleeps in a join, is not counted. So jobs must not
                             wait for other jobs than by joins. 1..256, 0 = the available CPUs [0;
                             256 in builds with asserts of level 2, to see all at work] */
    bool joins_help_anybody; /* a join that waits runs any job of the same rico_jobs_run, not
                                only what was forked for the job that it waits for: more to do
                                for many workers, but see rico_job_join [false] */
    const char *name; /* threads are called "<name>-<index>", at most 15 bytes; read during
                             creation only [NULL = "rico"] */
    /* Called first on each of the pool's threads: set its priority, or its affinity (then with
     * keep_off_caller false). NULL = none. */
    void (*thread_start)(void *user, uint32_t worker);
    void *thread_user;
    uint32_t chaos_seed;  /* not 0: victims, splits and delays are drawn from it, to find what
                                depends on the schedule; slow. Results stay the same [0] */
    uint32_t watchdog_ms; /* after how long a worker's wait that does not end is reported to the log,
                                by the thread that waits; 0 = never [10000 in builds with
                                asserts of level 2, else 0] */
    uint32_t trace_capacity;  /* events kept per worker (jobs_trace.h): 0, or a power of two
                                up to 1048576 [0] */
    rico_host_jobs host;      /* all NULL = threads of its own */
    rico_allocator allocator; /* hooks.h */
    rico_log log;             /* hooks.h */
} rico_jobs_def;

RICO_API rico_jobs_def rico_jobs_def_default(void);

/* Creates the pool and its worker_count - 1 threads. When the system refuses a thread the pool
 * is smaller, a warning is logged and the call succeeds: ask rico_jobs_worker_count.
 * Errors: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE, RICO_OUT_OF_MEMORY; *out is then NULL and
 * nothing stays behind. Threads: any. */
RICO_API rico_result rico_jobs_create(const rico_jobs_def *def, rico_jobs **out);

/* Stops and joins the threads, frees everything. No rico_jobs_run may be in progress, and nobody hold the pool (both
 * asserted: nothing is freed then). Tasks (tasks.h) that have not begun never will, and their counters do not fire: wait
 * for those first. NULL is ignored. */
RICO_API void rico_jobs_destroy(rico_jobs *jobs);

/* The pool is going to be used until it is let go, once per hold: as by worlds that were given it, all of their lives.
 * Threads: any. */
RICO_API void rico_jobs_hold(rico_jobs *jobs);
RICO_API void rico_jobs_let_go(rico_jobs *jobs);

/* 1..256, constant for the life of the pool. */
RICO_API uint32_t rico_jobs_worker_count(const rico_jobs *jobs);

/* Entering the pool: runs fn(worker, context) on the calling thread as worker 0 and returns
 * when it and all that it forked has ended. Threads: one at a time per pool, and not from
 * inside a job or task of the same pool (asserted). */
typedef void rico_job_fn(rico_worker *worker, void *context);
RICO_API void rico_jobs_run(rico_jobs *jobs, rico_job_fn *fn, void *context);

/* Whether a rico_jobs_run is in progress, be it this thread's, or the calling thread runs a task of the pool (tasks.h): then it
 * may not enter the pool. Threads: any; but
 * of what another thread does it is true no longer than that thread wants. */
RICO_API bool rico_jobs_is_running(const rico_jobs *jobs);

/* A hint: rico_jobs_run will be called soon (within hint_microseconds). Sleeping workers wake
 * up and spin until then, while the host still does serial work of its own: a wake-up takes tens
 * of microseconds that the first stage then need not wait for. Changes no result. Threads: the
 * one that will call rico_jobs_run, outside of it. */
RICO_API void rico_jobs_frame_begin(rico_jobs *jobs);

/* Index of the worker in 0..worker_count-1: for per-worker scratch memory, never for results.
 */
RICO_API uint32_t rico_worker_index(const rico_worker *worker);

/* Fork/join. The job record is the caller's, usually on its stack, and must stay in place until
 * joined. Joins come in the reverse order of the forks, all before the forking function returns
 * (strict nesting; asserted). Everything that the job wrote is visible after its join.
 *
 * While it waits for a job that another worker took, join runs what that worker forked for that
 * job, or for what it took in waits for counters inside of it, and nothing else: the stack grows no
 * deeper than a serial run's, and what else runs in a join is what would in a serial run. With
 * joins_help_anybody it runs any job of the same rico_jobs_run: then hold no lock across a join that
 * another job takes. Such detours are at most
 * 4 deep: the stack grows to at most 5 times that of a serial run.
 * (A wait for a counter, tasks.h, runs anything: tasks have no descent.) */
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
static inline void rico_job_fork(rico_worker *worker, rico_job *job, rico_job_fn *fn,
                                 void *context);
static inline void rico_job_join(rico_worker *worker, rico_job *job);

/* A join that leaves the job to the caller if nobody has taken it: true, and the caller must do
 * now what the job would have done; false: the job is joined. For jobs of nanoseconds: the caller
 * calls the function itself, by value if it likes, or does without a call. */
static inline bool rico_job_unfork(rico_worker *worker, rico_job *job);

/* Parallel for: calls fn with disjoint ranges that cover begin..end; empty when begin >= end.
 * They are cut while a worker is idle and asks, into a part for each that is. grain: a range's greatest length, which is also
 * its usual one; 0 = automatic, for many cheap indices of similar cost: long ranges at first and short
 * ones at last, or all in one on a pool of one worker. Which worker runs which range, and in what
 * order, is not defined. Returns when all have run. From inside a job: rico_worker_for; from
 * outside: rico_jobs_for, which is rico_jobs_run around it. */
typedef void rico_range_fn(rico_worker *worker, void *context, uint32_t begin, uint32_t end);
RICO_API void rico_worker_for(rico_worker *worker, uint32_t begin, uint32_t end, uint32_t grain,
                              rico_range_fn *fn, void *context);
RICO_API void rico_jobs_for(rico_jobs *jobs, uint32_t begin, uint32_t end, uint32_t grain,
                            rico_range_fn *fn, void *context);

/* Parallel reduce. The range is cut into shards of fixed length, each folded from its first index
 * to its last; partial results are joined left to right along a tree that depends on the number
 * of shards alone. So the result is the same bits for any number of workers, floats included. */
#define RICO_REDUCTION_BYTES 128u
typedef struct rico_reduction {
    /* Adds the indices begin..end to *partial. */
    void (*fold)(rico_worker *worker, void *context, uint32_t begin, uint32_t end,
                 void *partial);
    /* Adds *right, which comes later, to *left. */
    void (*join)(void *context, void *left, const void *right);
    void *context;
    const void *identity; /* what a partial result starts as */
    uint32_t bytes;       /* of a partial result, at most RICO_REDUCTION_BYTES; aligned to 16 */
    uint32_t shard;       /* indices per shard, not 0 */
} rico_reduction;

/* *result is the identity when begin >= end. */
RICO_API void rico_worker_reduce(rico_worker *worker, uint32_t begin, uint32_t end,
                                 const rico_reduction *reduction, void *result);

/* Counts since creation, per worker. Approximate while jobs run, exact between runs. */
typedef struct rico_worker_stats {
    uint64_t jobs_run;      /* calls of the host's job and range functions */
    uint64_t steals;        /* jobs taken from another worker */
    uint64_t failed_steals; /* attempts that found nothing */
    uint64_t spins;         /* looks around that found nothing, after which it stayed awake */
    uint64_t parks;         /* times it went to sleep */
    uint64_t wakes;         /* sleepers that it woke, each a system call at most; who submits a
                               task from outside is no worker and not counted */
    uint64_t inline_runs;   /* forks that ran at once because the deque was full */
    uint64_t busy_ns;       /* time inside jobs, waits excluded */
} rico_worker_stats;

/* worker < worker_count, else all zero. Threads: any, between runs. */
RICO_API rico_worker_stats rico_jobs_worker_stats(const rico_jobs *jobs, uint32_t worker);

/* ---- private from here on: what fork and join need to be inline ----------------------------- */

#if defined(__GNUC__) || defined(__clang__)
#define RICO__LIKELY(condition) __builtin_expect(!!(condition), 1)
#define RICO__UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define RICO__LIKELY(condition) (!!(condition))
#define RICO__UNLIKELY(condition) (!!(condition))
#endif

/* A worker's deque, with which a worker begins; jobs/deque.h says how it works. The fields and
 * their places may change with every version of the library. */
typedef struct rico__deque {
    /* The owner's: no thief reads this line, so a push never misses the cache. */
    rico_job **top;
    rico_job **split;  /* the same as in `shared`, which only the owner moves */
    rico_job **end;    /* constant */
    uint64_t jobs_run; /* any thread may read it */
    uint32_t watched;  /* what `wanted` is when nobody asks: 0 or RICO__WATCHED */
    uint32_t overflow; /* newest jobs that ran when they were forked; > 0 only if top == end */
    uint8_t apart[128 - 5 * 8];

    /* Everybody's. Written when a thief asks or takes and when split moves. */
    uint64_t shared;  /* shared_pack */
    uint32_t wanted;  /* RICO__ASKED, RICO__WATCHED or both: fork and join look closer */
    rico_job **slots; /* constant; a slot is written before it becomes public */
} rico__deque;

static inline rico__deque *rico__worker_deque(rico_worker *worker)
{
    return (rico__deque *)(void *)worker;
}

/* The deque is full, and the job runs at once; or somebody asks for work. */
RICO_API void rico_job_fork_slowly(rico_worker *worker, rico_job *job);

/* Anything but a private job that nobody asks for. */
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

/* Takes the job off if it is the newest, private (a public one has no slot), and nobody asks for work
 * meanwhile. The new top is the slot, not the old top less one: so the next fork need not wait for
 * this load; of a job that was stolen, a thief that measures may be writing the span there. */
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
