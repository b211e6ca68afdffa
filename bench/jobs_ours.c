/* jobs_ours.c - this library. */
#include "jobs_side.h"

#include <ricochet/jobs.h>
#include <stddef.h>

static rico_jobs *jobs;

static bool open_side(uint32_t threads)
{
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = threads;
    return rico_jobs_create(&def, &jobs) == RICO_OK && rico_jobs_worker_count(jobs) == threads;
}

static void close_side(void)
{
    rico_jobs_destroy(jobs);
    jobs = NULL;
}

/* Calls that are not forked, or are unforked, pass values, as on the other sides. */
typedef struct fib_call {
    uint32_t n;
    uint64_t result;
} fib_call;

static void fib_job(rico_worker *worker, void *context);

static uint64_t fib_value(rico_worker *worker, uint32_t n)
{
    if (n < 2)
        return n;
    fib_call call;
    rico_job job;
    call.n = n - 2;
    rico_job_fork(worker, &job, fib_job, &call);
    uint64_t a = fib_value(worker, n - 1);
    return a + (rico_job_unfork(worker, &job) ? fib_value(worker, n - 2) : call.result);
}

static void fib_job(rico_worker *worker, void *context)
{
    fib_call *call = context;
    call->result = fib_value(worker, call->n);
}

static uint64_t fib(uint32_t n)
{
    fib_call call = {n, 0};
    rico_jobs_run(jobs, fib_job, &call);
    return call.result;
}

/* A second child; its job computes its id. */
typedef struct tree_call {
    uint64_t parent, nodes;
    uint32_t size;
} tree_call;

static void tree_job(rico_worker *worker, void *context);

static uint64_t tree_value(rico_worker *worker, uint64_t id, uint32_t size)
{
    uint32_t first = jobs_tree_first(id, size - 1), second = size - 1 - first;
    if (first == 0 && second == 0)
        return 1;
    if (second == 0)
        return 1 + tree_value(worker, jobs_tree_child(id, 0), first);
    if (first == 0)
        return 1 + tree_value(worker, jobs_tree_child(id, 1), second);
    tree_call b = {id, 0, second};
    rico_job job;
    rico_job_fork(worker, &job, tree_job, &b);
    uint64_t a = tree_value(worker, jobs_tree_child(id, 0), first);
    rico_job_join(worker, &job);
    return 1 + a + b.nodes;
}

static void tree_job(rico_worker *worker, void *context)
{
    tree_call *call = context;
    call->nodes = tree_value(worker, jobs_tree_child(call->parent, 1), call->size);
}

typedef struct tree_start {
    uint64_t id, nodes;
    uint32_t size;
} tree_start;

static void tree_root(rico_worker *worker, void *context)
{
    tree_start *start = context;
    start->nodes = tree_value(worker, start->id, start->size);
}

static uint64_t tree(uint64_t id, uint32_t size)
{
    tree_start start = {id, 0, size};
    rico_jobs_run(jobs, tree_root, &start);
    return start.nodes;
}

/* A child but the last; its job computes its id. */
typedef struct uts_call {
    uint64_t parent, nodes;
    uint32_t index;
} uts_call;

static void uts_job(rico_worker *worker, void *context);
static uint64_t uts_value(rico_worker *worker, uint64_t id);

static uint64_t uts_children(rico_worker *worker, uint64_t id, uint32_t count, uts_call *calls,
                             rico_job *forks)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        calls[i] = (uts_call){id, 0, i};
        rico_job_fork(worker, &forks[i], uts_job, &calls[i]);
    }
    uint64_t nodes = 1 + uts_value(worker, jobs_tree_child(id, count - 1));
    for (uint32_t i = count - 1; i-- > 0;) {
        rico_job_join(worker, &forks[i]);
        nodes += calls[i].nodes;
    }
    return nodes;
}

static uint64_t uts_value(rico_worker *worker, uint64_t id)
{
    uts_call calls[JOBS_TREE_CHILDREN - 1];
    rico_job forks[JOBS_TREE_CHILDREN - 1];
    if (jobs_tree_count(id, false) == 0)
        return 1;
    return uts_children(worker, id, JOBS_TREE_CHILDREN, calls, forks);
}

static void uts_job(rico_worker *worker, void *context)
{
    uts_call *call = context;
    call->nodes = uts_value(worker, jobs_tree_child(call->parent, call->index));
}

typedef struct uts_start {
    uint64_t id, nodes;
    bool root;
} uts_start;

static void uts_run(rico_worker *worker, void *context)
{
    uts_call calls[JOBS_TREE_ROOT_CHILDREN - 1];
    rico_job forks[JOBS_TREE_ROOT_CHILDREN - 1];
    uts_start *start = context;
    start->nodes = start->root
                       ? uts_children(worker, start->id, JOBS_TREE_ROOT_CHILDREN, calls, forks)
                       : uts_value(worker, start->id);
}

static uint64_t tree_uts(uint64_t id, bool root)
{
    uts_start start = {id, 0, root};
    rico_jobs_run(jobs, uts_run, &start);
    return start.nodes;
}

static void work_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        jobs_work(*(const uint32_t *)context);
}

static void loop(uint32_t count, bool one_by_one, uint32_t iterations)
{
    rico_jobs_for(jobs, 0, count, one_by_one ? 1 : 0, work_range, &iterations);
}

static void hint(void)
{
    rico_jobs_frame_begin(jobs);
}

const jobs_side jobs_ours = {"ricochet", open_side, close_side, fib,
                             tree,       tree_uts,  loop,       hint};
