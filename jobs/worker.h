/* worker.h - the structs of pool and worker, and what a worker does besides its jobs.
 *
 * Owner: rico_jobs_create makes the pool and its workers in three allocations, and a fourth for
 * a trace. rico_jobs_destroy frees them. Nothing is allocated in between.
 * Threads: worker 0 is the thread that called rico_jobs_run; the others are threads of the
 * pool. A worker's fields belong to its thread, except those that say otherwise.
 */
#ifndef RICO_WORKER_H
#define RICO_WORKER_H

#include "bits.h"
#include "crew.h"
#include "deque.h"
#include "memory.h"
#include "parker.h"
#include "queue.h"
#include "thread.h"
#include "trace.h"

#include <ricochet/jobs.h>
#include <ricochet/jobs_profile.h>
#include <ricochet/jobs_replay.h>
#include <ricochet/tasks.h>

/* Written by their worker, read by rico_jobs_worker_stats. Threads that submit tasks may add to
 * `wakes` of worker 0 at the same time, and a count may be lost then. Relaxed: the counts of a
 * run are ordered by the joins that ended it, and those of idle workers are approximate
 * anyway. */
typedef struct rico__counts {
    rico__atomic64 steals, failed_steals, spins, parks, wakes, inline_runs, busy_ns;
} rico__counts;

struct rico_worker {
    _Alignas(RICO__SHARING_BYTES) rico__deque deque; /* first: rico__worker_deque */

    _Alignas(RICO__SHARING_BYTES) rico_jobs *pool;
    uint32_t index;
    uint32_t victim;         /* the worker where it last found a job */
    uint32_t wait_depth;     /* joins on its stack that wait and help any worker */
    rico__atomic32 in_tasks; /* tasks on its stack; other threads look whether there are any */
    uint64_t busy_since;     /* since when it has been running jobs */
    rico__counts counts;
    rico__thread thread;
    rico__trace trace;
    uint32_t chaos;              /* state of random numbers; not 0 if the pool has a seed */
    uint64_t span, strand_since; /* for profile.c, only while the pool measures */
    rico__atomic64 work_ns;
    uint32_t forks;                           /* for replay.c, as are the next three */
    rico__atomic32 clock, log_cursor, robbed; /* in a run, others use `robbed` only */
    void *helper;                             /* the host's handle; used by worker 0's thread */

    _Alignas(RICO__SHARING_BYTES) rico__parker parker; /* any thread may wake it */
    rico__atomic32 waits; /* not 0: waits for a counter; firing one wakes it */
    rico__atomic32 leaps; /* the thief whose jobs it sleeps for in crew.leaping (thief_pack) */
    rico__queue inbox;    /* tasks for this worker alone; any thread may put */
};

/* What a pool measured: profile.c. Owner: the pool. Threads: worker 0's thread uses it. */
typedef struct rico__profile {
    rico_jobs_profile total;
    rico_jobs_profile named[RICO_PROFILE_NAMES];
    const char *names[RICO_PROFILE_NAMES]; /* each name once; NULL: the runs without a name */
    uint32_t name_count;
    uint64_t run_since, work_before; /* of the run in progress */
} rico__profile;

/* The queues of a pool: tasks for any worker, and tasks for any worker except worker 0. */
enum { RICO__ANYWHERE, RICO__ASIDE, RICO__QUEUES };

/* What rico_jobs.running holds: 0 (nothing), a rico_jobs_run, or a waiting thread that runs
 * tasks. */
enum { RICO__RUN = 1, RICO__GUEST = 2 };

/* Values of rico_jobs.log_mode. */
enum { RICO__LOG_NONE, RICO__LOG_RECORD, RICO__LOG_REPLAY };

struct rico_jobs {
    rico_worker *workers;
    rico_job **slots;
    rico__event *events; /* of all workers; NULL without a trace */
    uint32_t trace_capacity;
    uint64_t created_ns;
    uint64_t watchdog_ns; /* 0 = none */
    uint32_t chaos_seed;
    rico__atomic32 measuring;
    rico__atomic32 log_mode, log_failed, log_count, log_readers; /* replay.c */
    rico_steal *log_out;                                         /* the log that is recorded */
    const rico_steal *log_in;                                    /* the log that is followed */
    uint32_t log_capacity;                                       /* of log_out or log_in */
    rico__profile profile;                                       /* used by worker 0's thread */
    rico__atomic_ptr work_name;                                  /* NULL: "work" */
    uint32_t worker_capacity; /* workers asked for: the sizes of the allocations */
    uint32_t deque_capacity;
    uint64_t spin_ns, hint_ns;
    /* The CPU that the threads are kept off, or RICO__NO_CPU. Used by worker 0. */
    uint32_t caller_cpu;
    uint32_t most_awake;
    bool keep_off_caller, joins_help_anybody;
    rico__cpu_set cpus; /* of the thread that created the pool: its threads may run on these */
    char name[12];
    void (*thread_start)(void *user, uint32_t worker);
    void *thread_user;
    rico_host_jobs host;
    rico_log log;
    rico__memory memory;
    rico__atomic32 worker_count; /* grows during creation, then constant */
    rico__atomic32 stopping;
    rico__atomic32 host_over; /* not 0: no rico_jobs_run is in progress, so helpers leave */
    /* ns: a frame was announced, and no worker parks before this time. */
    rico__atomic64 awake_until;

    _Alignas(RICO__SHARING_BYTES) rico__crew crew;

    rico__queue queues[RICO__QUEUES][2]; /* [urgent] */
    rico__parker guests;                 /* where threads that are not workers wait */
    rico__atomic32 waiters;              /* those threads, and workers that wait for counters */
    rico__atomic32 seat_wanted;          /* a rico_jobs_run waits for a guest to leave */
    rico__atomic32 holds;                /* rico_jobs_hold calls, less rico_jobs_let_go */

    /* What holds worker 0's place: RICO__RUN, RICO__GUEST or 0. It has a line of its own, which
     * workers read while they spin. */
    _Alignas(RICO__SHARING_BYTES) rico__atomic32 running;
};

/* Acquire: a worker that counts another in must see its deque. */
static inline uint32_t pool_worker_count(const rico_jobs *pool)
{
    return rico__atomic_load32(&pool->worker_count);
}

static inline bool pool_is_hosted(const rico_jobs *pool)
{
    return pool->host.enqueue != NULL;
}

/* True when some thread takes tasks while no thread is in rico_jobs_run. */
static inline bool pool_has_threads(const rico_jobs *pool)
{
    return pool_worker_count(pool) > 1 && !pool_is_hosted(pool);
}

static inline bool pool_measures(const rico_jobs *pool)
{
    return rico__atomic_load_relaxed32(&pool->measuring) != 0;
}

/* Acquire: the log is read after it. */
static inline uint32_t pool_log_mode(const rico_jobs *pool)
{
    return rico__atomic_load32(&pool->log_mode);
}

static inline bool pool_replays(const rico_jobs *pool)
{
    return pool_log_mode(pool) == RICO__LOG_REPLAY &&
           rico__atomic_load_relaxed32(&pool->log_failed) == 0;
}

static inline void count_add(rico__atomic64 *count, uint64_t n)
{
    rico__atomic_store_relaxed64(count, rico__atomic_load_relaxed64(count) + n);
}

/* jobs.c: rico_jobs_create with `start` in the place of rico__thread_start; tests make it fail.
 * user is handed to `start`. */
rico_result rico__jobs_create_with(const rico_jobs_def *def, rico__thread_starter *start,
                                   void *user, rico_jobs **out);

/* jobs.c: from now on, all workers of the pool beyond `most` are spare. */
void rico__jobs_set_most_awake(rico_jobs *pool, uint32_t most);

/* worker.c: answers a request for work. It publishes jobs, but not the newest `keep`, and makes
 * sure that a worker comes for them. */
void rico__worker_share(rico_worker *worker, uint32_t keep);

/* worker.c: publishes all private jobs. */
void rico__worker_share_all(rico_worker *worker);

/* worker.c: asserts that all jobs forked since the deque's top was `top` have been joined. */
void rico__check_joined(const rico_worker *worker, rico_job *const *top);

/* worker.c: the start and the end of a stretch of busy time. */
void rico__worker_busy_begin(rico_worker *worker);
void rico__worker_busy_end(rico_worker *worker);

/* profile.c, only while the pool measures. Ends the current strand and returns its worker's
 * span. */
uint64_t rico__profile_strand(rico_worker *worker);

/* Begins a strand with that span. */
void rico__profile_resume(rico_worker *worker, uint64_t span);

/* Runs a job beside the current strand. The job then holds its span. */
void rico__profile_run(rico_worker *worker, rico_job *job);

/* By worker 0, only while the pool measures: a run begins, and a run ends. */
void rico__profile_begin_run(rico_jobs *pool);
void rico__profile_end_run(rico_jobs *pool);

/* The current strand goes on after the job as well. */
void rico__profile_join(rico_worker *worker, const rico_job *job);

/* replay.c: the worker comes to a fork, a join, or a range. The last returns whether the worker
 * then splits the range: as the log says when one is followed, else as `splits` says. */
void rico__replay_fork(rico_worker *worker, rico_job *job);
void rico__replay_join(rico_worker *worker);
bool rico__replay_range(rico_worker *worker, bool splits);

/* replay.c: the worker took the job from the victim. */
void rico__replay_note_steal(rico_worker *worker, const rico_worker *victim,
                             const rico_job *job);

/* replay.c: whether the log says that the worker takes a job now; and that job, or NULL when it
 * is not there yet. */
bool rico__replay_steal_is_due(rico_worker *worker);
rico_job *rico__replay_steal(rico_worker *worker, rico_worker **victim);

/* replay.c: waits until the worker's public jobs have been taken, as the log says. */
void rico__replay_await_thief(rico_worker *worker);

/* replay.c: from now on the log is not followed any more. The second function gives up when it
 * has taken too long since `since`, and then returns true. */
void rico__replay_give_up(rico_jobs *pool);
bool rico__replay_is_late(rico_jobs *pool, uint64_t since);

/* chaos.c, only if the pool has a seed: makes a delay and chooses another victim; decides
 * whether to share jobs without a request. */
void rico__chaos_disturb(rico_worker *worker);
bool rico__chaos_shares(rico_worker *worker);

/* range.c: the function of the jobs that a range is split into. They count their ranges
 * themselves. */
void rico__range_run(rico_worker *worker, void *piece);

/* idle.c: runs other jobs, spins or sleeps until the stolen job is done. */
void rico__idle_until_done(rico_worker *worker, rico_job *job);

/* idle.c: the same, also with tasks, until the pool stops. */
void rico__idle_until_stopped(rico_worker *worker);

/* idle.c: runs other jobs and tasks, spins or sleeps until the counter has fired. */
void rico__idle_until_fired(rico_worker *worker, const rico_counter *counter);

/* idle.c: wakes one worker that takes tasks, if one sleeps. not_caller: not worker 0. */
void rico__idle_wake_for_task(rico_jobs *pool, bool not_caller);

/* tasks.c: take a task that goes before other work, and one that goes after it. NULL when there
 * is none. */
rico_task *rico__task_take_first(rico_worker *worker);
rico_task *rico__task_take_last(rico_worker *worker);
void rico__task_run(rico_worker *worker, rico_task *task);

/* tasks.c: true when no thread runs anything. Tasks that were submitted and have not begun do
 * not count. */
bool rico__task_none_runs(const rico_jobs *pool);

/* tasks.c: true when a task waits that this worker may take. */
bool rico__task_waits_for(const rico_worker *worker);

/* tasks.c: the worker, which may have been woken for a task, turns to something else. If tasks
 * wait that others may take, it wakes one of those workers. */
void rico__task_pass_on(rico_worker *worker);

/* tasks.c: runs the tasks that only worker 0 will run. */
void rico__task_run_own(rico_worker *worker);

/* tasks.c: the thread that was worker 0 leaves that place. Where only worker 0 runs tasks and
 * some are left, it wakes threads that wait. */
void rico__task_leave_seat(rico_jobs *pool);

/* tasks.c: one of the tasks that the counter counts has ended. */
void rico__counter_count_down(rico_jobs *pool, rico_counter *counter);

/* idle.c: lets no worker sleep until then; sleepers wake one another. */
void rico__idle_stay_awake(rico_jobs *pool, uint64_t until_ns);

/* leap.c: takes a job that was forked for the awaited one, which another worker has. NULL:
 * none. */
rico_job *rico__leap(rico_worker *worker, rico_job *awaited, rico_worker **victim);

/* leap.c: sleeps in a join that helps no other worker, until the job is done, its thief has
 * something to give, or until_ns is reached. */
void rico__leap_sleep(rico_worker *worker, rico_job *awaited, uint64_t until_ns);

/* leap.c: the worker wakes a worker that sleeps in this way and now has something to take, if
 * there is one. */
void rico__leap_wake_one(rico_worker *worker);

/* idle.c: the worker wakes another one, which it has taken out of its set. */
void rico__idle_wake(rico_worker *worker, rico_worker *sleeper);

/* idle.c: the worker rests, as all threads can see since its last fence: another may have its
 * CPU. */
void rico__idle_leave_cpu(rico_worker *worker);

/* idle.c: true when the awaited job is not done and its thief will know that it must wake the
 * worker. */
bool rico__idle_marks(rico_job *awaited);

/* idle.c: the worker took the job off the victim's deque, or found none there (job NULL). */
rico_job *rico__idle_note_steal(rico_worker *worker, const rico_worker *victim, rico_job *job);

/* idle.c: sleeps until its parker wakes it, or until until_ns. */
void rico__idle_sleep(rico_worker *worker, uint32_t ticket, uint64_t until_ns);

/* idle.c: the worker wakes one sleeper, if there is any, to look for work. */
void rico__idle_wake_one(rico_worker *worker);

/* idle.c: works in a seat as long as there is something to do. The seat has been counted as
 * searching before. */
void rico__idle_as_helper(rico_worker *seat);

/* host.c: whether the worker may call the host. */
bool rico__host_may_wake(const rico_worker *worker);

/* host.c: the begin and the end of a run, and a helper for a free seat. All by worker 0's
 * thread. */
void rico__host_begin(rico_jobs *pool);
void rico__host_end(rico_jobs *pool);
void rico__host_wake(rico_worker *seat);

#endif
