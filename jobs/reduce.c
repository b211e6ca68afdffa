/* reduce.c - a fold over a tree whose shape depends on the range alone. */
#include "check.h"
#include "worker.h"

#include <string.h>

typedef struct reduce_half {
    const rico_reduction *reduction;
    uint32_t begin, end;
    void *partial;
} reduce_half;

static void reduce_range(rico_worker *worker, void *context);

/* The left part is a power of two of shards: the tree is the same whichever worker cuts. */
static uint32_t middle_of(const reduce_half *half)
{
    uint32_t shard = half->reduction->shard;
    uint32_t shards = (half->end - half->begin - 1) / shard + 1;
    uint32_t left = 1u << bits_highest64(shards - 1); /* shards > 1 */
    return half->begin + left * shard;
}

static void reduce_two(rico_worker *worker, const reduce_half *whole)
{
    const rico_reduction *r = whole->reduction;
    _Alignas(16) uint8_t partial[RICO_REDUCTION_BYTES];
    memcpy(partial, r->identity, r->bytes);
    uint32_t middle = middle_of(whole);
    reduce_half left = {r, whole->begin, middle, whole->partial};
    reduce_half right = {r, middle, whole->end, partial};
    rico_job job;
    rico_job_fork(worker, &job, reduce_range, &right);
    reduce_range(worker, &left);
    rico_job_join(worker, &job);
    r->join(r->context, whole->partial, partial);
}

static void reduce_range(rico_worker *worker, void *context)
{
    const reduce_half *half = context;
    const rico_reduction *r = half->reduction;
    if (half->end - half->begin <= r->shard)
        r->fold(worker, r->context, half->begin, half->end, half->partial);
    else
        reduce_two(worker, half);
}

void rico_worker_reduce(rico_worker *worker, uint32_t begin, uint32_t end,
                        const rico_reduction *reduction, void *result)
{
    if (!RICO_REQUIRE(reduction->fold != NULL && reduction->join != NULL &&
                      reduction->identity != NULL && result != NULL) ||
        !RICO_REQUIRE(reduction->bytes <= RICO_REDUCTION_BYTES && reduction->shard != 0))
        return;
    _Alignas(16) uint8_t partial[RICO_REDUCTION_BYTES];
    memcpy(partial, reduction->identity, reduction->bytes);
    reduce_half all = {reduction, begin, end, partial};
    if (begin < end)
        reduce_range(worker, &all);
    memcpy(result, partial, reduction->bytes);
}
