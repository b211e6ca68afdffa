/* worker.h - the structs of pool and worker, and what a worker does besides its jobs.
 *
 * Owner: rico_jobs_create makes the pool and its workers in three allocations;
 * rico_jobs_destroy frees them. Nothing is allocated in between.
 * Threads: worker 0 is whoever called rico_jobs_run, the others are threads. A worker's fields
 * belong to its thread but for those that say otherwise.
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

/* Written by their worker, read by rico_jobs_worker_stats. Relaxed: the counts of a run are
 * ordered by the joins that ended it, those of idle workers are approximate anyway. */
typedef struct rico__counts {
    rico__atomic64 steals, failed_steals, spins, parks, wakes, inline_runs, busy_ns;
} rico__counts;

struct rico_worker {
    _Alignas(RICO__SHARING_BYTES) rico__deque deque; /* first: rico__worker_deque */

    _Alignas(RICO__SHARING_BYTES) rico_jobs *pool;
    uint32_t index;
    uint32_t victim;         /* where it last found a job */
    uint32_t wait_depth;     /* joins on its stack that wait and help anybody */
    rico__atomic32 in_tasks; /* tasks on its stack; others look whether there are any */
    uint64_t busy_since;     /* while it runs jobs */
    rico__counts counts;
    rico__thread thread;
    rico__trace trace;
    uint32_t chaos;              /* random state; not 0 if the pool has a seed */
    uint64_t span, strand_since; /* profile.c; only while the pool measures */
    rico__atomic64 work_ns;
    uint32_t forks;                           /* replay.c, as the next three */
    rico__atomic32 clock, log_cursor, robbed; /* others read `robbed` only */
    void *helper;                             /* the host's handle; worker 0's thread uses it */

    _Alignas(RICO__SHARING_BYTES) rico__parker parker; /* any thread may wake */
    rico__atomic32 waits; /* not 0: for a counter; who fires one wakes it */
    rico__atomic32 leaps; /* whom it sleeps for in crew.leaping (thief_pack) */
    rico__queue inbox;    /* tasks for this worker alone; any thread may put */
};

/* Owner: the pool; worker 0's thread uses it. What a pool measured: profile.c. */
typedef struct rico__profile {
    rico_jobs_profile total;
    rico_jobs_profile named[RICO_PROFILE_NAMES];
    const char *names[RICO_PROFILE_NAMES]; /* each once; NULL: the runs without */
    uint32_t name_count;
    uint64_t run_since, work_before; /* of the run in progress */
} rico__profile;

/* Queues of a pool: tasks for any worker, and for any but worker 0. */
enum { RICO__ANYWHERE, RICO__ASIDE, RICO__QUEUES };

/* rico_jobs.running: nobody (0), a rico_jobs_run, or a waiting thread that runs tasks. */
enum { RICO__RUN = 1, RICO__GUEST = 2 };

/* rico_jobs.log_mode */
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
    rico_steal *log_out;                                         /* recorded */
    const rico_steal *log_in;                                    /* followed */
    uint32_t log_capacity;                                       /* of the one or the other */
    rico__profile profile;                                       /* worker 0's */
    rico__atomic_ptr work_name;                                  /* NULL: "work" */
    uint32_t worker_capacity; /* what was asked for: the sizes of the two allocations */
    uint32_t deque_capacity;
    uint64_t spin_ns, hint_ns;
    uint32_t caller_cpu; /* that the threads are kept off, else RICO__NO_CPU; worker 0's */
    uint32_t most_awake;
    bool keep_off_caller, joins_help_anybody;
    rico__cpu_set cpus; /* of the thread that created the pool: where its threads may run */
    char name[12];
    void (*thread_start)(void *user, uint32_t worker);
    void *thread_user;
    rico_host_jobs host;
    rico_log log;
    rico__memory memory;
    rico__atomic32 worker_count; /* grows during creation, then constant */
    rico__atomic32 stopping;
    rico__atomic32 host_over;   /* no rico_jobs_run is in progress: helpers leave */
    rico__atomic64 awake_until; /* ns: a frame was announced; nobody parks before */

    _Alignas(RICO__SHARING_BYTES) rico__crew crew;

    rico__queue queues[RICO__QUEUES][2]; /* [urgent] */
    rico__parker guests;                 /* where threads that are no workers wait */
    rico__atomic32 waiters;              /* they, and workers that wait for counters */
    rico__atomic32 seat_wanted;          /* a rico_jobs_run waits for a guest to leave */
    rico__atomic32 holds;                /* rico_jobs_hold, less rico_jobs_let_go */

    /* A rico_jobs_run is in progress. On a line that idle workers do not poll. */
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

/* Somebody takes tasks while nobody is in rico_jobs_run. */
static inline bool pool_has_threads(const rico_jobs *pool)
{
    return pool_worker_count(pool) > 1 && !pool_is_hosted(pool);
}

static inline bool pool_measures(const rico_jobs *pool)
{
    return rico__atomic_load_relaxed32(&pool->measuring) != 0;
}

/* Acquire: the log. */
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

/* jobs.c: rico_jobs_create with `start` in the place of rico__thread_start; tests make it
 * fail. user is handed to it. */
rico_result rico__jobs_create_with(const rico_jobs_def *def, rico__thread_starter *start,
                                   void *user, rico_jobs **out);

/* jobs.c: of the workers that there are, all but so many are spare from now on. */
void rico__jobs_set_most_awake(rico_jobs *pool, uint32_t most);

/* worker.c: answers a request for work: publishes jobs, but not the newest `keep`, and sees to
 * it that somebody comes for them. */
void rico__worker_share(rico_worker *worker, uint32_t keep);

/* worker.c: publishes all that there is. */
void rico__worker_share_all(rico_worker *worker);

/* worker.c: asserts that all that was forked since the deque's top was there has been joined. */
void rico__check_joined(const rico_worker *worker, rico_job *const *top);

/* worker.c: start and end of a stretch of busy time. */
void rico__worker_busy_begin(rico_worker *worker);
void rico__worker_busy_end(rico_worker *worker);

/* profile.c, only while the pool measures. Ends the current strand: returns its worker's span. */
uint64_t rico__profile_strand(rico_worker *worker);

/* Begins one with that span. */
void rico__profile_resume(rico_worker *worker, uint64_t span);

/* Runs a job beside the current strand; its span is then in the job. */
void rico__profile_run(rico_worker *worker, rico_job *job);

/* By worker 0, only while the pool measures: a run begins, and ends. */
void rico__profile_begin_run(rico_jobs *pool);
void rico__profile_end_run(rico_jobs *pool);

/* The current strand goes on after the job as well. */
void rico__profile_join(rico_worker *worker, const rico_job *job);

/* replay.c: the worker comes to a fork, a join, a range; whether it then splits: as the log says, or
 * else as told. */
void rico__replay_fork(rico_worker *worker, rico_job *job);
void rico__replay_join(rico_worker *worker);
bool rico__replay_range(rico_worker *worker, bool splits);

/* replay.c: the worker took the job. */
void rico__replay_note_steal(rico_worker *worker, const rico_worker *victim,
                             const rico_job *job);

/* replay.c: the log says that the worker takes a job now; that job, or NULL when it is not there
 * yet. */
bool rico__replay_steal_is_due(rico_worker *worker);
rico_job *rico__replay_steal(rico_worker *worker, rico_worker **victim);

/* replay.c: waits until the worker's public jobs have been taken, as the log says. */
void rico__replay_await_thief(rico_worker *worker);

/* replay.c: the log is not followed any more; true when since then it took too long. */
void rico__replay_give_up(rico_jobs *pool);
bool rico__replay_is_late(rico_jobs *pool, uint64_t since);

/* chaos.c, only if the pool has a seed: a delay, and another victim; whether to share unasked. */
void rico__chaos_disturb(rico_worker *worker);
bool rico__chaos_shares(rico_worker *worker);

/* range.c: the function of the jobs that a range is split into; they count their ranges. */
void rico__range_run(rico_worker *worker, void *piece);

/* idle.c: runs other jobs, or spins, or sleeps, until the stolen job is done. */
void rico__idle_until_done(rico_worker *worker, rico_job *job);

/* idle.c: the same until the pool stops. */
void rico__idle_until_stopped(rico_worker *worker);

/* idle.c: runs other work and tasks, or spins, or sleeps, until the counter has fired. */
void rico__idle_until_fired(rico_worker *worker, const rico_counter *counter);

/* idle.c: wakes one worker that takes tasks, if one sleeps. */
void rico__idle_wake_for_task(rico_jobs *pool, bool not_caller);

/* tasks.c: tasks that go before other work, and those that go after it; NULL when none. */
rico_task *rico__task_take_first(rico_worker *worker);
rico_task *rico__task_take_last(rico_worker *worker);
void rico__task_run(rico_worker *worker, rico_task *task);

/* tasks.c: nobody runs anything, but for what was submitted and has not begun. */
bool rico__task_none_runs(const rico_jobs *pool);

/* tasks.c: one of them waits for a worker like this. */
bool rico__task_waits_for(const rico_worker *worker);

/* tasks.c: the worker, which may have been woken for a task, turns to something else: if tasks wait that others
 * may take, one of them is woken. */
void rico__task_pass_on(rico_worker *worker);

/* tasks.c: runs the tasks that nobody but worker 0 will. */
void rico__task_run_own(rico_worker *worker);

/* tasks.c: whoever was worker 0 is it no more; where only worker 0 runs tasks and some are left,
 * threads that wait are woken. */
void rico__task_leave_seat(rico_jobs *pool);

/* tasks.c: one of those that the counter counts has ended. */
void rico__counter_count_down(rico_jobs *pool, rico_counter *counter);

/* idle.c: lets nobody sleep until then; sleepers wake one another. */
void rico__idle_stay_awake(rico_jobs *pool, uint64_t until_ns);

/* leap.c: a job that was forked for the awaited one, which another worker has. NULL: none. */
rico_job *rico__leap(rico_worker *worker, rico_job *awaited, rico_worker **victim);

/* leap.c: sleeps in a join that helps nobody else, until the job is done, or its thief has
 * something to give, or until_ns. */
void rico__leap_sleep(rico_worker *worker, rico_job *awaited, uint64_t until_ns);

/* leap.c: the worker wakes one that so sleeps and now has something to take, if there is one. */
void rico__leap_wake_one(rico_worker *worker);

/* idle.c: the worker wakes another, which it has taken out of its set. */
void rico__idle_wake(rico_worker *worker, rico_worker *sleeper);

/* idle.c: the worker rests, as all can see since its last fence: another may have its CPU. */
void rico__idle_leave_cpu(rico_worker *worker);

/* idle.c: true when the job is done or its thief will know that it is to wake the worker. */
bool rico__idle_marks(rico_job *awaited);

/* idle.c: the worker took the job off the victim's deque, or found none there. */
rico_job *rico__idle_note_steal(rico_worker *worker, const rico_worker *victim, rico_job *job);

/* idle.c: until its parker wakes it, or until_ns. */
void rico__idle_sleep(rico_worker *worker, uint32_t ticket, uint64_t until_ns);

/* idle.c: the worker wakes one sleeper, if there is any, to look for work. */
void rico__idle_wake_one(rico_worker *worker);

/* idle.c: works in a seat, for which it has been counted as searching, as long as there is
 * something to do. */
void rico__idle_as_helper(rico_worker *seat);

/* host.c: the worker may call the host. */
bool rico__host_may_wake(const rico_worker *worker);

/* host.c: begin and end of a run; and a helper for a free seat. All by worker 0's thread. */
void rico__host_begin(rico_jobs *pool);
void rico__host_end(rico_jobs *pool);
void rico__host_wake(rico_worker *seat);

#endif
