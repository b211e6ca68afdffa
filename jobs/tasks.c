/* tasks.c - tasks and counters: which worker takes them, and which one is woken when.
 *
 * A task put in a queue is seen by every worker that could take it before that worker sleeps
 * (idle.c, 3), or the worker is woken. Submitter: put; fence; read which workers sleep. Worker:
 * lie down; fence; read the queues.
 */
#include "check.h"
#include "float_mode.h"
#include "worker.h"

_Static_assert(sizeof(rico_task) == 64, "a line");

/* In rico_counter.after: the counter has fired. Any address that no task has. */
static char fired_mark;
#define FIRED ((void *)&fired_mark)

/* The public structs have plain fields, accessed through these functions only. */
static rico__atomic_ptr *counter_after(const rico_counter *counter)
{
    return (rico__atomic_ptr *)(void *)&((rico_counter *)(uintptr_t)counter)->after;
}

static rico__atomic32 *counter_count(rico_counter *counter)
{
    return (rico__atomic32 *)(void *)&counter->count;
}

void rico_counter_init(rico_counter *counter, uint32_t count)
{
    rico__atomic_store_relaxed32(counter_count(counter), count);
    /* Relaxed: a thread that uses the counter has been told of it by other means. */
    rico__atomic_store_relaxed_ptr(counter_after(counter), count == 0 ? FIRED : NULL);
}

bool rico_counter_fired(const rico_counter *counter)
{
    /* Acquire: otherwise what the tasks wrote could be read stale. */
    return rico__atomic_load_ptr(counter_after(counter)) == FIRED;
}

rico_jobs *rico_worker_jobs(const rico_worker *worker)
{
    return worker->pool;
}

static bool is_aside(const rico_jobs *pool, const rico_task *task)
{
    return task->place == RICO_TASK_NOT_ON_CALLER && pool_has_threads(pool);
}

static rico__queue *queue_of(rico_jobs *pool, const rico_task *task)
{
    if (task->place == RICO_TASK_ON_WORKER)
        return &pool->workers[task->worker].inbox;
    return &pool->queues[is_aside(pool, task) ? RICO__ASIDE : RICO__ANYWHERE]
                        [task->urgent != 0];
}

/* Wakes all that wait for a counter, as is visible since the caller's last fence. */
static void wake_waiters(rico_jobs *pool)
{
    if (rico__atomic_load_relaxed32(&pool->waiters) == 0)
        return;
    rico__parker_wake(&pool->guests);
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count; i++)
        if (rico__atomic_load_relaxed32(&pool->workers[i].waits) != 0)
            rico__parker_wake(&pool->workers[i].parker);
}

void rico_jobs_submit(rico_jobs *pool, rico_task *task)
{
    if (!RICO_REQUIRE(task->fn != NULL) ||
        !RICO_REQUIRE(task->place <= RICO_TASK_ON_WORKER &&
                      (task->place != RICO_TASK_ON_WORKER ||
                       task->worker < (pool_is_hosted(pool) ? 1 : pool_worker_count(pool)))))
        return;
    bool pinned = task->place == RICO_TASK_ON_WORKER;
    bool aside = is_aside(pool, task);
    uint32_t worker = task->worker; /* once put, the task may run and be gone */
    rico__queue_put(queue_of(pool, task), task);
    /* Without this fence a worker could take its ticket after the wake of its inbox below, look
     * a last time (it fences before that), and still not see the task. So could a thread that
     * waits. For other tasks the count of searchers, which both sides change, would do. */
    rico__fence_seq_cst();
    if (pinned)
        rico__parker_wake(&pool->workers[worker].parker);
    else if (pool_has_threads(pool))
        rico__idle_wake_for_task(pool, aside);
    if (!pool_has_threads(pool))
        wake_waiters(pool); /* one of them may have to run it */
}

bool rico_jobs_withdraw(rico_jobs *pool, rico_task *task)
{
    return rico__queue_remove(queue_of(pool, task), task);
}

void rico__counter_count_down(rico_jobs *pool, rico_counter *counter)
{
    /* The chain of read-modify-writes releases what each task wrote to the thread that sees the
     * last one. */
    if (rico__atomic_fetch_add32(counter_count(counter), UINT32_MAX) != 1)
        return;
    /* The last access: from here on the counter may be gone. */
    rico_task *task = rico__atomic_exchange_ptr(counter_after(counter), FIRED);
    /* Without this fence a waiter could see the counter unfired and be read here as not
     * waiting. */
    rico__fence_seq_cst();
    wake_waiters(pool);
    while (task != NULL) {
        rico_task *next = task->next;
        rico_jobs_submit(pool, task);
        task = next;
    }
}

void rico_jobs_submit_after(rico_jobs *pool, rico_task *task, rico_counter *counter)
{
    if (!RICO_REQUIRE(task->fn != NULL))
        return;
    for (;;) {
        void *first = rico__atomic_load_ptr(counter_after(counter));
        if (first == FIRED) {
            rico_jobs_submit(pool, task);
            return;
        }
        task->next = first;
        /* Releases the task to the thread that fires the counter. */
        if (rico__atomic_cas_ptr(counter_after(counter), first, task))
            return;
    }
}

bool rico__task_none_runs(const rico_jobs *pool)
{
    uint32_t sum = rico__atomic_load32(&pool->running);
    /* Acquire: what a task did before it ended is seen as done. */
    for (uint32_t i = 0; i < pool_worker_count(pool); i++)
        sum += rico__atomic_load32(&pool->workers[i].in_tasks);
    return sum == 0;
}

void rico__task_run(rico_worker *worker, rico_task *task)
{
    rico_counter *counter = task->counter; /* fn may free the task */
    rico_job **top = worker->deque.top;
    uint64_t span = worker->span;
    const uint32_t others = rico__atomic_load_relaxed32(&worker->in_tasks);
    rico__atomic_store_relaxed32(&worker->in_tasks, others + 1);
    count_add(deque_jobs_run(&worker->deque), 1);
    if (pool_measures(worker->pool))
        rico__profile_resume(
            worker, 0); /* the task's last strand, after all forks and joins, is not counted */
    task->fn(worker, task->context);
    rico__check_joined(worker, top);
    if (pool_measures(worker->pool))
        rico__profile_resume(worker, span);
    /* Before the counter fires: a thread that has waited for that may count on it. */
    rico__atomic_store32(&worker->in_tasks, others);
    if (counter != NULL)
        rico__counter_count_down(worker->pool, counter);
}

rico_task *rico__task_take_first(rico_worker *worker)
{
    rico_jobs *pool = worker->pool;
    rico_task *task = rico__queue_take(&worker->inbox);
    if (task == NULL && worker->index != 0)
        task = rico__queue_take(&pool->queues[RICO__ASIDE][1]);
    return task != NULL ? task : rico__queue_take(&pool->queues[RICO__ANYWHERE][1]);
}

rico_task *rico__task_take_last(rico_worker *worker)
{
    rico_jobs *pool = worker->pool;
    rico_task *task = NULL;
    if (worker->index != 0)
        task = rico__queue_take(&pool->queues[RICO__ASIDE][0]);
    return task != NULL ? task : rico__queue_take(&pool->queues[RICO__ANYWHERE][0]);
}

static bool has_task(const rico_jobs *pool, uint32_t queue)
{
    return rico__queue_has_task(&pool->queues[queue][0]) ||
           rico__queue_has_task(&pool->queues[queue][1]);
}

bool rico__task_waits_for(const rico_worker *worker)
{
    const rico_jobs *pool = worker->pool;
    return rico__queue_has_task(&worker->inbox) || has_task(pool, RICO__ANYWHERE) ||
           (worker->index != 0 && has_task(pool, RICO__ASIDE));
}

void rico__task_pass_on(rico_worker *worker)
{
    rico_jobs *pool = worker->pool;
    if (!pool_has_threads(pool)) /* without threads, all that wait are woken */
        return;
    /* No fence: the thread that took this worker out of the set had put the task before it
     * raised the count of searchers, which this worker has lowered since. */
    if (has_task(pool, RICO__ASIDE))
        rico__idle_wake_for_task(pool, true);
    if (has_task(pool, RICO__ANYWHERE))
        rico__idle_wake_for_task(pool, false);
}

void rico__task_run_own(rico_worker *worker)
{
    bool alone = !pool_has_threads(worker->pool);
    rico_task *task;
    while ((task = alone ? rico__task_take_first(worker) : rico__queue_take(&worker->inbox)) !=
               NULL ||
           (alone && (task = rico__task_take_last(worker)) != NULL))
        rico__task_run(worker, task);
}

void rico_worker_wait(rico_worker *worker, const rico_counter *counter)
{
    if (rico_counter_fired(counter))
        return;
    bool measures = pool_measures(worker->pool);
    uint64_t span = measures ? rico__profile_strand(worker) : 0;
    rico__worker_busy_end(worker);
    rico__atomic_fetch_add32(&worker->pool->waiters, 1);
    rico__idle_until_fired(worker, counter);
    rico__atomic_fetch_add32(&worker->pool->waiters, UINT32_MAX);
    rico__worker_busy_begin(worker);
    if (measures)
        rico__profile_resume(worker, span);
}

void rico__task_leave_seat(rico_jobs *pool)
{
    rico__atomic_store32(&pool->running, 0);
    if (pool_has_threads(pool))
        return;
    /* Without this fence a thread that waits could put its task and see the seat still taken,
     * while this thread sees neither the task nor that one waiting. */
    rico__fence_seq_cst();
    if (rico__atomic_load_relaxed32(&pool->waiters) != 0 &&
        rico__task_waits_for(&pool->workers[0]))
        rico__parker_wake(&pool->guests);
}

/* A pool without threads has none that would run tasks, so a thread that waits takes worker 0's
 * place. What it leaves in the queues when its own counter has fired is for the next thread
 * that waits. */
static void run_tasks_in_its_place(rico_jobs *pool, const rico_counter *counter)
{
    if (pool_has_threads(pool) || rico__atomic_load_relaxed32(&pool->seat_wanted) != 0 ||
        !rico__atomic_cas32(&pool->running, 0, RICO__GUEST))
        return;
    RICO__FLOAT_MODE();
    rico_worker *worker = &pool->workers[0];
    const void *before = rico__thread_set_owner(pool);
    rico_task *task;
    while (!rico_counter_fired(counter) &&
           rico__atomic_load_relaxed32(&pool->seat_wanted) == 0 &&
           ((task = rico__task_take_first(worker)) != NULL ||
            (task = rico__task_take_last(worker)) != NULL)) {
        rico__worker_busy_begin(worker);
        rico__task_run(worker, task);
        rico__worker_busy_end(worker);
    }
    (void)rico__thread_set_owner(before);
    rico__task_leave_seat(pool);
}

void rico_jobs_wait(rico_jobs *pool, const rico_counter *counter)
{
    rico__atomic_fetch_add32(&pool->waiters, 1);
    for (;;) {
        uint32_t ticket = rico__parker_ticket(&pool->guests);
        run_tasks_in_its_place(pool, counter);
        /* Without this fence the counter could be read here as unfired, and this thread
         * elsewhere as not waiting. */
        rico__fence_seq_cst();
        if (rico_counter_fired(counter))
            break;
        if (!pool_has_threads(pool) && rico__atomic_load32(&pool->running) == 0 &&
            rico__task_waits_for(&pool->workers[0]) &&
            rico__atomic_load_relaxed32(&pool->seat_wanted) == 0)
            continue;
        rico__parker_wait(&pool->guests, ticket, 0);
    }
    rico__atomic_fetch_add32(&pool->waiters, UINT32_MAX);
}
