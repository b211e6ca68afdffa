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

typedef struct tree_node {
    uint64_t id, nodes;
    uint32_t size;
} tree_node;

static void tree_job(rico_worker *worker, void *context)
{
    tree_node *node = context;
    uint32_t size_a = jobs_tree_first(node->id, node->size - 1);
    uint32_t size_b = node->size - 1 - size_a;
    tree_node a = {jobs_tree_child(node->id, 0), 0, size_a};
    tree_node b = {jobs_tree_child(node->id, 1), 0, size_b};
    rico_job job;
    if (size_a != 0 && size_b != 0)
        rico_job_fork(worker, &job, tree_job, &b);
    else if (size_b != 0)
        tree_job(worker, &b);
    if (size_a != 0)
        tree_job(worker, &a);
    if (size_a != 0 && size_b != 0)
        rico_job_join(worker, &job);
    node->nodes = 1 + a.nodes + b.nodes;
}

static uint64_t tree(uint64_t id, uint32_t size)
{
    tree_node node = {id, 0, size};
    rico_jobs_run(jobs, tree_job, &node);
    return node.nodes;
}

typedef struct uts_node {
    uint64_t id, nodes;
} uts_node;

static void uts_job(rico_worker *worker, void *context);

static void uts_children(rico_worker *worker, uts_node *node, uint32_t count,
                         uts_node *children, rico_job *forks)
{
    for (uint32_t i = 0; i < count; i++)
        children[i] = (uts_node){jobs_tree_child(node->id, i), 0};
    for (uint32_t i = 0; i + 1 < count; i++)
        rico_job_fork(worker, &forks[i], uts_job, &children[i]);
    uts_job(worker, &children[count - 1]);
    for (uint32_t i = count - 1; i-- > 0;)
        rico_job_join(worker, &forks[i]);
    node->nodes = 1;
    for (uint32_t i = 0; i < count; i++)
        node->nodes += children[i].nodes;
}

static void uts_job(rico_worker *worker, void *context)
{
    uts_node *node = context, children[JOBS_TREE_CHILDREN];
    rico_job forks[JOBS_TREE_CHILDREN];
    if (jobs_tree_count(node->id, false) == 0)
        node->nodes = 1;
    else
        uts_children(worker, node, JOBS_TREE_CHILDREN, children, forks);
}

static void uts_root(rico_worker *worker, void *context)
{
    static uts_node children[JOBS_TREE_ROOT_CHILDREN];
    static rico_job forks[JOBS_TREE_ROOT_CHILDREN];
    uts_children(worker, context, JOBS_TREE_ROOT_CHILDREN, children, forks);
}

static uint64_t tree_uts(uint64_t id, bool root)
{
    uts_node node = {id, 0};
    rico_jobs_run(jobs, root ? uts_root : uts_job, &node);
    return node.nodes;
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
