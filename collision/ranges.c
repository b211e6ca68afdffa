#include "ranges.h"

#include <stdbool.h>

uint32_t rico__ranges_count(const rico_scene_runner *runner, uint32_t things, uint32_t grain)
{
    uint32_t count = things / grain;
    if (runner->run == NULL || count == 0)
        return 1;
    return count < RICO_RANGES_MAX ? count : RICO_RANGES_MAX;
}

/* Owner: rico__ranges_run. Threads: each flag is written by the thread that runs its range, and
 * read when the host says that all have ended. */
typedef struct pass {
    rico_scene_range_fn *range;
    void *context;
    uint32_t count;
    bool begun[RICO_RANGES_MAX];
} pass;

static void run_one(void *context, uint32_t index)
{
    pass *p = context;
    if (index >= p->count || p->begun[index])
        return;
    p->begun[index] = true;
    p->range(p->context, index);
}

void rico__ranges_run(const rico_scene_runner *runner, uint32_t count,
                      rico_scene_range_fn *range, void *context)
{
    pass p = {.range = range, .context = context, .count = count};
    if (runner->run != NULL && count > 1)
        runner->run(runner->user, count, run_one, &p);
    for (uint32_t i = 0; i < count; ++i) /* those that the host left out */
        run_one(&p, i);
}
