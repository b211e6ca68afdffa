// jobs_tbb_host.cpp - what an engine on oneTBB would write.
#include "jobs_tbb_host.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace
{

struct host {
    tbb::global_control limit;
    tbb::task_arena arena;

    explicit host(unsigned threads)
        : limit(tbb::global_control::max_allowed_parallelism, threads),
          arena(static_cast<int>(threads))
    {
    }
};

} // namespace

extern "C" {

void *tbb_host_open(unsigned threads)
{
    return new host(threads);
}

void tbb_host_close(void *user)
{
    delete static_cast<host *>(user);
}

void *tbb_host_enqueue(void *user, void (*fn)(void *context), void *context)
{
    auto *group = new tbb::task_group;
    static_cast<host *>(user)->arena.execute([=] { group->run([=] { fn(context); }); });
    return group;
}

// The wait may run the task itself, or others.
void tbb_host_finish(void *user, void *handle)
{
    auto *group = static_cast<tbb::task_group *>(handle);
    static_cast<host *>(user)->arena.execute([=] { group->wait(); });
    delete group;
}

} // extern "C"
