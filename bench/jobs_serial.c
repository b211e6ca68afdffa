/* jobs_serial.c - the work itself, without any scheduler. */
#include "jobs_side.h"

#include <stddef.h>

static bool open_side(uint32_t threads)
{
    return threads == 1;
}

static void close_side(void)
{
}

/* Not inlined into itself, because no side with jobs can be. */
__attribute__((noinline)) static uint64_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint64_t tree_uts(uint64_t id, bool root)
{
    uint64_t nodes = 1;
    uint32_t count = jobs_tree_count(id, root);
    for (uint32_t i = 0; i < count; i++)
        nodes += tree_uts(jobs_tree_child(id, i), false);
    return nodes;
}

static uint64_t tree(uint64_t id, uint32_t size)
{
    uint32_t first = jobs_tree_first(id, size - 1), second = size - 1 - first;
    uint64_t nodes = 1;
    if (first != 0)
        nodes += tree(jobs_tree_child(id, 0), first);
    if (second != 0)
        nodes += tree(jobs_tree_child(id, 1), second);
    return nodes;
}

static void loop(uint32_t count, bool one_by_one, uint32_t iterations)
{
    (void)one_by_one;
    for (uint32_t i = 0; i < count; i++)
        jobs_work(iterations);
}

const jobs_side jobs_serial = {"serial", open_side, close_side, fib,
                               tree,     tree_uts,  loop,       NULL};
