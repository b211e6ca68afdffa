/* range.c - parallel for by lazy binary splitting (Tzannes et al. 2010): a range is cut in two
 * only while somebody asks for work, so an undisturbed loop costs one load per grain. */
#include "check.h"
#include "worker.h"

typedef struct range_loop {
    rico_range_fn *fn;
    void *context;
    uint32_t grain;
} range_loop;

typedef struct range_piece {
    const range_loop *loop;
    uint32_t begin, end;
} range_piece;

/* A multiple of the grain from begin, so that splitting does not add ranges. */
static uint32_t middle_of(uint32_t begin, uint32_t end, uint32_t grain)
{
    uint32_t grains = (end - begin - 1) / grain + 1;
    return begin + grains / 2 * grain;
}

static void run_split(rico_worker *worker, const range_loop *loop, uint32_t begin, uint32_t end)
{
    uint32_t middle = middle_of(begin, end, loop->grain);
    range_piece lower = {loop, begin, middle}, upper = {loop, middle, end};
    rico_job job;
    rico_job_fork(worker, &job, rico__range_run, &upper);
    rico__range_run(worker, &lower);
    rico__job_join_uncounted(worker, &job);
}

void rico__range_run(rico_worker *worker, void *context)
{
    const range_piece *piece = context;
    const range_loop *loop = piece->loop;
    uint32_t begin = piece->begin, end = piece->end;
    while (end - begin > loop->grain) {
        if (deque_is_wanted(&worker->deque) && !deque_is_full(&worker->deque)) {
            run_split(worker, loop, begin, end);
            return;
        }
        count_add(&worker->jobs_run, 1);
        loop->fn(worker, loop->context, begin, begin + loop->grain);
        begin += loop->grain;
    }
    count_add(&worker->jobs_run, 1);
    loop->fn(worker, loop->context, begin, end);
}

void rico_worker_for(rico_worker *worker, uint32_t begin, uint32_t end, uint32_t grain,
                     rico_range_fn *fn, void *context)
{
    if (begin >= end || !RICO_REQUIRE(fn != NULL))
        return;
    range_loop loop = {fn, context, grain != 0 ? grain : 1};
    range_piece all = {&loop, begin, end};
    rico__range_run(worker, &all);
}
