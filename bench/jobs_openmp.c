/* jobs_openmp.c - the compiler's OpenMP: tasks and parallel for. */
#include "jobs_side.h"

#include <omp.h>
#include <stddef.h>

static bool open_side(uint32_t threads)
{
    omp_set_dynamic(0);
    omp_set_num_threads((int)threads);
    return true;
}

/* Ends the side's threads, which would spin into the next side's turn. */
static void close_side(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

static uint64_t fib_task(uint32_t n)
{
    if (n < 2)
        return n;
    uint64_t a, b;
#pragma omp task shared(b)
    b = fib_task(n - 2);
    a = fib_task(n - 1);
#pragma omp taskwait
    return a + b;
}

static uint64_t fib(uint32_t n)
{
    uint64_t result = 0;
#pragma omp parallel
#pragma omp single
    result = fib_task(n);
    return result;
}

static uint64_t uts_task(uint64_t id);

static uint64_t uts_children(uint64_t id, uint32_t count, uint64_t *counts)
{
    uint64_t nodes = 1;
    for (uint32_t i = 0; i + 1 < count; i++) {
#pragma omp task
        counts[i] = uts_task(jobs_tree_child(id, i));
    }
    counts[count - 1] = uts_task(jobs_tree_child(id, count - 1));
#pragma omp taskwait
    for (uint32_t i = 0; i < count; i++)
        nodes += counts[i];
    return nodes;
}

static uint64_t uts_task(uint64_t id)
{
    uint64_t counts[JOBS_TREE_CHILDREN];
    if (jobs_tree_count(id, false) == 0)
        return 1;
    return uts_children(id, JOBS_TREE_CHILDREN, counts);
}

static uint64_t uts_root(uint64_t id)
{
    uint64_t counts[JOBS_TREE_ROOT_CHILDREN];
    return uts_children(id, JOBS_TREE_ROOT_CHILDREN, counts);
}

static uint64_t tree_uts(uint64_t id, bool root)
{
    uint64_t nodes = 0;
#pragma omp parallel
#pragma omp single
    nodes = root ? uts_root(id) : uts_task(id);
    return nodes;
}

static uint64_t tree_task(uint64_t id, uint32_t size)
{
    uint32_t first = jobs_tree_first(id, size - 1), second = size - 1 - first;
    if (first == 0 && second == 0)
        return 1;
    if (second == 0)
        return 1 + tree_task(jobs_tree_child(id, 0), first);
    if (first == 0)
        return 1 + tree_task(jobs_tree_child(id, 1), second);
    uint64_t a, b;
#pragma omp task shared(b)
    b = tree_task(jobs_tree_child(id, 1), second);
    a = tree_task(jobs_tree_child(id, 0), first);
#pragma omp taskwait
    return 1 + a + b;
}

static uint64_t tree(uint64_t id, uint32_t size)
{
    uint64_t nodes = 0;
#pragma omp parallel
#pragma omp single
    nodes = tree_task(id, size);
    return nodes;
}

static void loop(uint32_t count, bool one_by_one, uint32_t iterations)
{
    if (one_by_one) {
#pragma omp parallel for schedule(dynamic, 1)
        for (uint32_t i = 0; i < count; i++)
            jobs_work(iterations);
    } else {
#pragma omp parallel for
        for (uint32_t i = 0; i < count; i++)
            jobs_work(iterations);
    }
}

const jobs_side jobs_openmp = {"openmp", open_side, close_side, fib,
                               tree,     tree_uts,  loop,       NULL};
