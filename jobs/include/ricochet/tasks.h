/* tasks.h - work that is handed to a pool and not joined by who forked it: from any thread, to
 * any worker or a certain one, and what is to run after it.
 *
 * Fork and join (jobs.h) are for work inside a frame: a task costs some 100 ns instead of a few.
 * Nothing here allocates, and nothing can be too many: tasks and counters are the caller's memory.
 */
#ifndef RICOCHET_TASKS_H
#define RICOCHET_TASKS_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts down: as many as rico_counter_init said must end until it fires. It may be used again,
 * or its memory for something else, once all who wait for it have seen that it has fired. Of one pool: tasks of another do
 * not wake who waits at this one. */
typedef struct rico_counter {
    void *after;    /* private: tasks to submit when it fires */
    uint32_t count; /* private */
} rico_counter;

/* count 0: has fired already. Threads: before any other use of the counter. */
RICO_API void rico_counter_init(rico_counter *counter, uint32_t count);

/* Everything that the tasks wrote is visible after a call that returns true. Threads: any. */
RICO_API bool rico_counter_fired(const rico_counter *counter);

/* Where a task may run. The caller's thread is the one in rico_jobs_run: worker 0. */
typedef enum rico_task_place {
    RICO_TASK_ANYWHERE,
    RICO_TASK_NOT_ON_CALLER, /* on any worker but 0; in a pool without threads: on any */
    RICO_TASK_ON_WORKER      /* on `worker` and nowhere else; in a pool on the host's
                                jobs: 0 only */
} rico_task_place;

/* One line of cache. The memory is the caller's and stays in place until fn is called: fn may
 * free it. Fill it with {.fn = ...}; a task may be submitted again once it has begun to run. */
typedef struct rico_task {
    rico_job_fn *fn;
    void *context;
    rico_counter *counter;  /* counted down when fn has returned; NULL = none */
    struct rico_task *next; /* private */
    uint16_t worker;        /* for RICO_TASK_ON_WORKER, below worker_count */
    uint8_t place;          /* rico_task_place */
    uint8_t urgent;         /* not 0: taken before tasks that are not and before other work; what is pinned
                               comes first, urgent or not */
    uint8_t arguments[28];  /* for the caller's use: let context point here */
} rico_task;

/* Hands the task to the pool. Workers take tasks when they have nothing else to do, of each kind in the order in which
 * they came: pinned ones, urgent ones, those that are not for the caller, the others. So tasks that submit themselves
 * again without end leave none to the kinds after theirs on their worker. Worker 0 takes some only in
 * rico_worker_wait; those that are pinned to it also before rico_jobs_run returns. In a pool without threads (of one
 * worker, or on the host's jobs: helpers take none) that is true of all tasks.
 * Threads: any, workers or not. Asserts that fn is not NULL and worker exists. */
RICO_API void rico_jobs_submit(rico_jobs *jobs, rico_task *task);

/* Takes back what has been submitted: true, and it will neither run nor be counted at its counter; false: it has begun, has
 * run, or still waits for a counter (rico_jobs_submit_after). The memory of one that may have begun is looked at, so it is
 * to be there. Takes time by the tasks that wait. Threads: any. */
RICO_API bool rico_jobs_withdraw(rico_jobs *jobs, rico_task *task);

/* A continuation: submits the task when the counter fires (at once, if it has). Threads: any. */
RICO_API void rico_jobs_submit_after(rico_jobs *jobs, rico_task *task, rico_counter *counter);

/* Returns when the counter has fired. Threads: any that is not a worker of this pool (those:
 * rico_worker_wait), also while another is in rico_jobs_run. It sleeps; in a pool without threads it
 * runs tasks itself while nobody is in rico_jobs_run, which waits for the end of such a task, awake. The watchdog does not
 * see it. */
RICO_API void rico_jobs_wait(rico_jobs *jobs, const rico_counter *counter);

/* From inside a job: runs other work, tasks included, until the counter has fired. Join first
 * what the job has forked; hold no lock. A job that was forked (a node of a graph, a range of a loop are) may wait so for tasks
 * that run anywhere only: joins take no tasks, and those that may run others may all be in joins that wait for this job, of
 * which neither then ends. */
RICO_API void rico_worker_wait(rico_worker *worker, const rico_counter *counter);

/* The pool that the worker belongs to. */
RICO_API rico_jobs *rico_worker_jobs(const rico_worker *worker);

#ifdef __cplusplus
}
#endif
#endif
