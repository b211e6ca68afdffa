/* range.c - parallel for by lazy splitting (after Tzannes et al. 2010, who halve). A range is
 * cut only while a worker asks for work, so an undisturbed loop costs one load per grain. It is
 * cut into a part for each worker that has nothing to do; in two where schedules are logged or
 * measured, and on a host's jobs. */
#include "bits.h"
#include "check.h"
#include "worker.h"

#include <ricochet/jobs_profile.h>

/* An automatic range is this share of what its piece has left. A request waits for the end of a
 * range: on average for a 16th of the time that the piece still takes. */
#define AUTOMATIC_SHARE 8u

/* A piece is cut into this many parts at once, at most. */
#define MOST_PARTS 16u

/* One line of cache: all that a thief has to fetch besides the slot. */
typedef struct range_piece {
    rico_job job; /* while it may be stolen */
    rico_range_fn *fn;
    void *context;
    uint32_t begin, end;
    uint32_t grain; /* 0 = automatic */
} range_piece;

static inline uint32_t next_range(uint32_t grain, uint32_t left)
{
    if (grain != 0)
        return grain;
    return left < 2 * AUTOMATIC_SHARE ? 1 : left / AUTOMATIC_SHARE;
}

/* A multiple of the grain from begin, so that splitting does not add ranges. */
static uint32_t middle_of(uint32_t begin, uint32_t end, uint32_t grain)
{
    uint32_t grains = (end - begin - 1) / grain + 1;
    return begin + grains / 2 * grain;
}

static void run_piece(rico_worker *worker, range_piece piece);

/* Does not count the job: a piece counts its ranges itself. */
static void join_uncounted(rico_worker *worker, rico_job *job)
{
    if (RICO__LIKELY(rico__deque_pop(&worker->deque, job)))
        job->fn(worker, job->context);
    else
        rico_job_join_slowly(worker, job);
}

static void run_halves(rico_worker *worker, range_piece piece)
{
    _Alignas(RICO_CACHE_LINE) range_piece upper = piece;
    piece.end = middle_of(piece.begin, piece.end, uint_max(piece.grain, 1));
    upper.begin = piece.end;
    rico_job_fork(worker, &upper.job, rico__range_run, &upper);
    run_piece(worker, piece);
    join_uncounted(worker, &upper.job);
}

/* As rico_job_fork, but that would look each time whether a worker asks. */
static void push(rico_worker *worker, rico_job *job)
{
    rico__deque *deque = &worker->deque;
    job->fn = rico__range_run;
    job->slot = deque->top;
    *deque->top++ = job;
}

/* The newest job is what comes after the piece's first part. The oldest job, which thieves take
 * first, is the piece's end. */
static void run_parts(rico_worker *worker, range_piece piece, uint32_t count)
{
    _Alignas(RICO_CACHE_LINE) range_piece parts[MOST_PARTS - 1];
    uint32_t grain = uint_max(piece.grain, 1);
    uint32_t grains = (piece.end - piece.begin - 1) / grain + 1;
    for (uint32_t i = count - 1; i > 0; --i) {
        range_piece *part = &parts[i - 1];
        *part = piece;
        part->begin = piece.begin + (uint32_t)((uint64_t)grains * i / count) * grain;
        part->job.context = part;
        piece.end = part->begin;
        push(worker, &part->job);
    }
    rico__worker_share(worker, 0);
    run_piece(worker, piece);
    for (uint32_t i = 1; i < count; ++i)
        join_uncounted(worker, &parts[i - 1].job);
}

/* A part for each worker that has nothing to do. So they get theirs at once, not one from the
 * other. */
static uint32_t count_parts(const rico_worker *worker, const range_piece *piece)
{
    const rico_jobs *pool = worker->pool;
    const rico__deque *deque = &worker->deque;
    uint32_t grains = (piece->end - piece->begin - 1) / uint_max(piece->grain, 1) + 1;
    uint32_t idle = crew_searching(&pool->crew) + crew_wakeable(&pool->crew);
    uint32_t count = uint_min(uint_min(idle + 1, MOST_PARTS), grains);
    return uint_min(count, (uint32_t)(deque->end - deque->top) + 1);
}

/* Worker 0 asks for a host's helpers one at a time, when it publishes. Halves make it do so
 * again and again. Logs, too, are about halves. */
static void run_split(rico_worker *worker, range_piece piece)
{
    const rico_jobs *pool = worker->pool;
    uint32_t count = pool_is_hosted(pool) ? 2 : count_parts(worker, &piece);
    if (count > 2 && pool_log_mode(pool) == RICO__LOG_NONE)
        run_parts(worker, piece, count);
    else
        run_halves(worker, piece);
}

/* Runs one range as if beside all others. *longest: the span of the longest so far. */
static void measure_range(rico_worker *worker, const range_piece *piece, uint32_t end,
                          uint64_t start, uint64_t *longest)
{
    count_add(deque_jobs_run(&worker->deque), 1);
    worker->span = start;
    piece->fn(worker, piece->context, piece->begin, end);
    uint64_t span = rico__profile_strand(worker);
    if (piece->grain == 0) /* it could have been split */
        span = start + (span - start) / (end - piece->begin);
    *longest = *longest < span ? span : *longest;
}

/* What it costs until the last of the piece's ranges is handed out: a steal per halving. */
static uint64_t hand_over_ns(const range_piece *piece)
{
    uint32_t grain = uint_max(piece->grain, 1);
    uint32_t ranges = (piece->end - piece->begin - 1) / grain + 1;
    return ranges > 1 ? (uint64_t)RICO_STEAL_NS * (bits_highest64(ranges - 1) + 1) : 0;
}

/* As run_piece, in which it begins. All that it runs starts with the worker's present span. */
static void run_measured(rico_worker *worker, range_piece piece)
{
    uint64_t start = rico__profile_strand(worker), longest = start,
             handed = hand_over_ns(&piece);
    uint64_t split = 0;
    for (;;) {
        uint32_t left = piece.end - piece.begin, range = next_range(piece.grain, left);
        if (left > range && deque_is_asked(&worker->deque) && !deque_is_full(&worker->deque)) {
            worker->span = start;
            run_halves(worker, piece);
            split = rico__profile_strand(worker); /* includes what handing over costs */
            break;
        }
        measure_range(worker, &piece, piece.begin + uint_min(range, left), start, &longest);
        if (left <= range)
            break;
        piece.begin += range;
    }
    worker->span = longest + handed > split ? longest + handed : split;
}

static void run_piece(rico_worker *worker, range_piece piece)
{
    uint32_t range;
    /* No worker will ask for a part of it, and the deque is not watched. */
    if (piece.grain == 0 && pool_worker_count(worker->pool) == 1 &&
        !deque_is_wanted(&worker->deque))
        piece.grain = piece.end - piece.begin;
    while (piece.end - piece.begin >
           (range = next_range(piece.grain, piece.end - piece.begin))) {
        if (RICO__UNLIKELY(deque_is_wanted(&worker->deque))) {
            if (pool_measures(worker->pool)) {
                run_measured(worker, piece);
                return;
            }
            bool splits = worker->chaos != 0 && rico__chaos_shares(worker);
            splits = splits || deque_is_asked(&worker->deque);
            splits = splits && !deque_is_full(&worker->deque);
            if (pool_log_mode(worker->pool) != RICO__LOG_NONE)
                splits = rico__replay_range(worker, splits);
            if (splits) {
                run_split(worker, piece);
                return;
            }
        }
        count_add(deque_jobs_run(&worker->deque), 1);
        piece.fn(worker, piece.context, piece.begin, piece.begin + range);
        piece.begin += range;
    }
    count_add(deque_jobs_run(&worker->deque), 1);
    piece.fn(worker, piece.context, piece.begin, piece.end);
}

void rico__range_run(rico_worker *worker, void *piece)
{
    run_piece(worker, *(const range_piece *)piece);
}

void rico_worker_for(rico_worker *worker, uint32_t begin, uint32_t end, uint32_t grain,
                     rico_range_fn *fn, void *context)
{
    if (begin >= end || !RICO_REQUIRE(fn != NULL))
        return;
    run_piece(worker,
              (range_piece){
                  .fn = fn, .context = context, .begin = begin, .end = end, .grain = grain});
}
