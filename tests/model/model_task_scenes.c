/* model_task_scenes.c - the scenes of tasks and counters. */
#include "model_scene.h"

void model_submit_and_wait(model_scene *s)
{
    s->touch(s->user, 1);
    rico_counter_init(&s->counter, 1);
    rico__atomic_store32(&s->here[0], 1);
    s->task = (rico_task){.fn = touch_1, .context = s, .counter = &s->counter};
    rico_jobs_submit(s->jobs, &s->task);
    rico_jobs_wait(s->jobs, &s->counter);
    s->check(s->user, 1, 2);
}

/* Runs beside the one above. The thread in worker 0's seat may leave it before the other
 * thread's task has run. */
void model_submit_other_and_wait(model_scene *s)
{
    s->touch(s->user, 3);
    rico_counter_init(&s->second, 1);
    s->other = (rico_task){.fn = touch_3, .context = s, .counter = &s->second};
    rico_jobs_submit(s->jobs, &s->other);
    rico_jobs_wait(s->jobs, &s->second);
    s->check(s->user, 3, 2);
}

/* Waits for the counter of model_submit_and_wait. */
void model_wait_for_foreign_task(rico_worker *worker, void *context)
{
    model_scene *s = context;
    while (rico__atomic_load32(&s->here[0]) == 0)
        model_yield();
    rico_worker_wait(worker, &s->counter);
    s->check(s->user, 1, 2);
}

void model_run_wait(rico_worker *worker, void *context)
{
    model_scene *s = context;
    s->touch(s->user, 0);
    rico_counter_init(&s->counter, 2);
    rico_counter_init(&s->second, 1);
    s->next = (rico_task){.fn = touch_both, .context = s, .counter = &s->second};
    s->task = (rico_task){
        .fn = touch_0, .context = s, .counter = &s->counter, .place = RICO_TASK_NOT_ON_CALLER};
    s->other = (rico_task){.fn = touch_3,
                           .context = s,
                           .counter = &s->counter,
                           .place = RICO_TASK_ON_WORKER,
                           .worker = 1};
    s->touch(s->user, 3);
    rico_jobs_submit(s->jobs, &s->task);
    rico_jobs_submit(s->jobs, &s->other);
    rico_jobs_submit_after(s->jobs, &s->next, &s->counter);
    rico_worker_wait(worker, &s->second);
    s->check(s->user, 3, 3);
    s->check(s->user, 0, 3);
}

static void wait_for_worker_1(rico_worker *worker, model_scene *s, rico_job_fn *fn)
{
    rico_counter_init(&s->counter, 1);
    s->task = (rico_task){.fn = fn,
                          .context = s,
                          .counter = &s->counter,
                          .place = RICO_TASK_ON_WORKER,
                          .worker = 1};
    rico_jobs_submit(s->jobs, &s->task);
    rico_worker_wait(worker, &s->counter);
}

/* The wait ends while the foreign thread may still count on it to run tasks. Afterwards the
 * worker takes none. */
void model_run_leave(rico_worker *worker, void *context)
{
    model_scene *s = context;
    wait_for_worker_1(worker, s, touch_0);
    s->check(s->user, 0, 1);
}

/* The last task to count down has not run the other one. The other's writes reach the waiter
 * only through the chain of count-downs. */
void model_run_count(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_counter_init(&s->counter, 2);
    s->task = (rico_task){
        .fn = touch_0, .context = s, .counter = &s->counter, .place = RICO_TASK_NOT_ON_CALLER};
    s->other = (rico_task){
        .fn = touch_3, .context = s, .counter = &s->counter, .place = RICO_TASK_ON_WORKER};
    rico_jobs_submit(s->jobs, &s->task);
    rico_jobs_submit(s->jobs, &s->other);
    rico_worker_wait(worker, &s->counter);
    s->check(s->user, 0, 1);
    s->check(s->user, 3, 1);
}

/* Runs on worker 1. Its wait runs the next task, or leaves that to worker 0, which waits as
 * well. */
static void wait_in_task(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_counter_init(&s->third, 1);
    s->touch(s->user, 0);
    s->next = (rico_task){.fn = touch_0, .context = s, .counter = &s->third};
    rico_jobs_submit(s->jobs, &s->next);
    rico_worker_wait(worker, &s->third);
    s->touch(s->user, 0);
}

/* Waits within waits, beside the wait of a foreign thread. */
void model_run_nest(rico_worker *worker, void *context)
{
    model_scene *s = context;
    wait_for_worker_1(worker, s, wait_in_task);
    s->check(s->user, 0, 3);
}

/* A job and a task, beside the task of a foreign thread, for three workers of which two may be
 * awake. */
void model_run_crowd(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_counter_init(&s->counter, 1);
    s->task = (rico_task){
        .fn = touch_0, .context = s, .counter = &s->counter, .place = RICO_TASK_NOT_ON_CALLER};
    rico_job_fork(worker, &s->forks[0], touch_1, s);
    rico_jobs_submit(s->jobs, &s->task);
    rico_job_join(worker, &s->forks[0]);
    s->check(s->user, 1, 1);
    rico_worker_wait(worker, &s->counter);
    s->check(s->user, 0, 1);
}
