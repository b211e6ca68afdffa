/* tasks.h - tasks and counters: work that is submitted to a pool, and not joined as jobs are.
 *
 * Tasks are submitted from any thread, to any worker or a certain one. A counter tells when
 * tasks have ended, and submits what is to run after them.
 *
 * Fork and join (jobs.h) are for work inside a frame. A task costs some 100 ns, a fork a few.
 *
 * Nothing here allocates. There is no limit to the number of tasks and counters, since they are
 * the caller's memory.
 */
#ifndef RICOCHET_TASKS_H
#define RICOCHET_TASKS_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- counters ----------------------------------------------------------------------------- */

/* A counter. It counts down once for each task that ends, from the number that
 * rico_counter_init got, and fires at 0.
 *
 * A counter belongs to one pool: tasks of another pool do not wake the threads that wait for
 * it.
 *
 * Lifetime: it may be initialized again, or its memory used for something else, once all that
 *   wait for it have seen that it has fired.
 */
typedef struct rico_counter {
    void *after;    /* private: tasks to submit when it fires */
    uint32_t count; /* private */
} rico_counter;

/* Initializes a counter that fires when `count` tasks have ended. With a count of 0 it has
 * fired already.
 *
 * Threads: before any other use of the counter.
 */
RICO_API void rico_counter_init(rico_counter *counter, uint32_t count);

/* Returns whether the counter has fired. Everything that its tasks wrote is visible after a
 * call that returns true.
 *
 * Threads: any.
 */
RICO_API bool rico_counter_fired(const rico_counter *counter);

/* --- tasks -------------------------------------------------------------------------------- */

/* Where a task may run. The caller is the thread in rico_jobs_run, which is worker 0. */
typedef enum rico_task_place {
    RICO_TASK_ANYWHERE,      /* on any worker */
    RICO_TASK_NOT_ON_CALLER, /* on any worker but 0; in a pool without threads: on any */

    /* Pinned to rico_task.worker: the task runs there and nowhere else. In a pool on the host's
     * jobs, only worker 0 is allowed. */
    RICO_TASK_ON_WORKER
} rico_task_place;

/* A task. It fills one cache line (64 bytes).
 *
 * Fill it with {.fn = ...}. A task may be submitted again once it has begun to run.
 *
 * Lifetime: the memory is the caller's and stays in place until fn is called; fn may free it.
 */
typedef struct rico_task {
    rico_job_fn *fn;
    void *context;
    rico_counter *counter;  /* counted down when fn has returned; NULL: none */
    struct rico_task *next; /* private */
    uint16_t worker;        /* for RICO_TASK_ON_WORKER; below worker_count */
    uint8_t place;          /* a rico_task_place */

    /* Not 0: taken before tasks that are not urgent, and before other work. Pinned tasks come
     * first, urgent or not. */
    uint8_t urgent;

    uint8_t arguments[28]; /* for the caller's use: `context` may point here */
} rico_task;

/* Submits a task to the pool.
 *
 * Workers take tasks when they have nothing else to do, kind by kind in this order: pinned
 * tasks, urgent tasks, tasks that are not urgent. Among urgent tasks, and among the others,
 * those that may not run on the caller come first. Jobs of other workers are taken after urgent
 * tasks and before the others. Tasks of one kind are taken in the order in which they were
 * submitted. So tasks that submit themselves again without end starve the kinds after theirs on
 * their worker.
 *
 * Worker 0 takes tasks only in rico_worker_wait. It also takes tasks that are pinned to it
 * before rico_jobs_run returns. A pool without threads has one worker or is on the host's jobs,
 * whose helpers take no tasks. There, worker 0 takes all tasks, in both of these places.
 *
 * Threads: any, workers or not.
 * Errors: a task whose fn is NULL, or whose worker does not exist, is asserted.
 */
RICO_API void rico_jobs_submit(rico_jobs *jobs, rico_task *task);

/* Withdraws a task that was submitted.
 *
 * true: it will neither run nor count down its counter. false: it has begun, has run, or still
 * waits for a counter (rico_jobs_submit_after).
 *
 * The call reads the task's memory. So the memory must still be valid, even if the task may
 * have begun.
 *
 * Threads: any.
 * Cost: time by the tasks that wait.
 */
RICO_API bool rico_jobs_withdraw(rico_jobs *jobs, rico_task *task);

/* Submits the task when the counter fires, or at once if it has fired: a continuation.
 *
 * Threads: any.
 */
RICO_API void rico_jobs_submit_after(rico_jobs *jobs, rico_task *task, rico_counter *counter);

/* --- waiting ------------------------------------------------------------------------------ */

/* Waits until the counter has fired, on a thread that is no worker of this pool.
 *
 * The thread sleeps. In a pool without threads it runs tasks itself while nobody is in
 * rico_jobs_run. A rico_jobs_run that begins meanwhile waits, awake, for the end of the current
 * task. The watchdog (rico_jobs_def.watchdog_ms) does not see this wait.
 *
 * Threads: any that is not a worker of this pool, also while another thread is in
 *   rico_jobs_run. Workers use rico_worker_wait.
 */
RICO_API void rico_jobs_wait(rico_jobs *jobs, const rico_counter *counter);

/* Waits until the counter has fired, from inside a job. It runs other work meanwhile, tasks
 * included.
 *
 * Before the call, join what the job has forked. Hold no lock across it.
 *
 * In a job that was forked, wait only for tasks whose place is RICO_TASK_ANYWHERE. Nodes of a
 * graph and ranges of a loop are forked jobs, too. The reason: a worker in a join takes no
 * tasks. When all workers that may run a task are in joins that wait for this job, neither the
 * job nor the task ever ends.
 */
RICO_API void rico_worker_wait(rico_worker *worker, const rico_counter *counter);

/* Returns the pool that the worker belongs to. */
RICO_API rico_jobs *rico_worker_jobs(const rico_worker *worker);

#ifdef __cplusplus
}
#endif
#endif
