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

static uint64_t uts_task(uint64_t id, bool root)
{
    uint64_t counts[JOBS_TREE_ROOT_CHILDREN], nodes = 1;
    uint32_t count = jobs_tree_count(id, root);
    for (uint32_t i = 0; i < count; i++) {
#pragma omp task shared(counts)
        counts[i] = uts_task(jobs_tree_child(id, i), false);
    }
#pragma omp taskwait
    for (uint32_t i = 0; i < count; i++)
        nodes += counts[i];
    return nodes;
}

static uint64_t tree_uts(uint64_t id, bool root)
{
    uint64_t nodes = 0;
#pragma omp parallel
#pragma omp single
    nodes = uts_task(id, root);
    return nodes;
}

static uint64_t tree_task(uint64_t id, uint32_t size)
{
    uint32_t first = jobs_tree_first(id, size - 1), second = size - 1 - first;
    uint64_t a = 0, b = 0;
    if (second != 0 && first != 0) {
#pragma omp task shared(b)
        b = tree_task(jobs_tree_child(id, 1), second);
    } else if (second != 0) {
        b = tree_task(jobs_tree_child(id, 1), second);
    }
    if (first != 0)
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
