// jobs_tbb.cpp - oneTBB: parallel_invoke, task_group and parallel_for in an arena of its own.
#include "jobs_side.h"

#include <memory>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace
{

std::unique_ptr<tbb::global_control> limit;
std::unique_ptr<tbb::task_arena> arena;

bool open_side(uint32_t threads)
{
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  threads);
    arena = std::make_unique<tbb::task_arena>(static_cast<int>(threads));
    return true;
}

void close_side()
{
    arena.reset();
    limit.reset();
}

uint64_t fib_task(uint32_t n)
{
    if (n < 2)
        return n;
    uint64_t a, b;
    tbb::task_group group;
    group.run([&] { b = fib_task(n - 2); });
    a = fib_task(n - 1);
    group.wait();
    return a + b;
}

uint64_t fib(uint32_t n)
{
    return arena->execute([=] { return fib_task(n); });
}

uint64_t uts_task(uint64_t id);

uint64_t uts_children(uint64_t id, uint32_t count, uint64_t *counts)
{
    uint64_t nodes = 1;
    tbb::task_group group;
    for (uint32_t i = 0; i + 1 < count; i++)
        group.run([=] { counts[i] = uts_task(jobs_tree_child(id, i)); });
    counts[count - 1] = uts_task(jobs_tree_child(id, count - 1));
    group.wait();
    for (uint32_t i = 0; i < count; i++)
        nodes += counts[i];
    return nodes;
}

uint64_t uts_task(uint64_t id)
{
    uint64_t counts[JOBS_TREE_CHILDREN];
    if (jobs_tree_count(id, false) == 0)
        return 1;
    return uts_children(id, JOBS_TREE_CHILDREN, counts);
}

uint64_t uts_root(uint64_t id)
{
    uint64_t counts[JOBS_TREE_ROOT_CHILDREN];
    return uts_children(id, JOBS_TREE_ROOT_CHILDREN, counts);
}

uint64_t tree_uts(uint64_t id, bool root)
{
    return arena->execute([=] { return root ? uts_root(id) : uts_task(id); });
}

uint64_t tree_task(uint64_t id, uint32_t size)
{
    uint32_t first = jobs_tree_first(id, size - 1), second = size - 1 - first;
    if (first == 0 && second == 0)
        return 1;
    if (second == 0)
        return 1 + tree_task(jobs_tree_child(id, 0), first);
    if (first == 0)
        return 1 + tree_task(jobs_tree_child(id, 1), second);
    uint64_t a, b;
    tbb::task_group group;
    group.run([&] { b = tree_task(jobs_tree_child(id, 1), second); });
    a = tree_task(jobs_tree_child(id, 0), first);
    group.wait();
    return 1 + a + b;
}

uint64_t tree(uint64_t id, uint32_t size)
{
    return arena->execute([=] { return tree_task(id, size); });
}

void loop(uint32_t count, bool one_by_one, uint32_t iterations)
{
    auto body = [=](const tbb::blocked_range<uint32_t> &range) {
        for (uint32_t i = range.begin(); i != range.end(); i++)
            jobs_work(iterations);
    };
    tbb::blocked_range<uint32_t> all(0, count, 1);
    arena->execute([&] {
        if (one_by_one)
            tbb::parallel_for(all, body, tbb::simple_partitioner());
        else
            tbb::parallel_for(all, body, tbb::auto_partitioner());
    });
}

} // namespace

extern "C" const jobs_side jobs_tbb = {"tbb", open_side, close_side, fib,
                                       tree,  tree_uts,  loop,       nullptr};
