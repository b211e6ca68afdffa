/* test_jobs.c - the job pool runs each job and index once. Threads report through variables;
 * checks run on the main thread. */
#include "jobs_fixture.h"

#include "atomics.h"

#include <ricochet/jobs_profile.h>

static const uint32_t worker_counts[] = {1, 2, 3, 4, 8};
#define WORKER_COUNTS (sizeof worker_counts / sizeof *worker_counts)

/* ---- fork/join -------------------------------------------------------------------------- */

TEST(jobs, computes_fibonacci_by_nested_fork_and_join_for_any_number_of_workers)
{
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 1024, 50);
        CHECK_EQ(run_fib(jobs, 0), 0);
        CHECK_EQ(run_fib(jobs, 1), 1);
        for (int round = 0; round < 5; round++)
            CHECK_EQ(run_fib(jobs, 20), 6765);
        rico_jobs_destroy(jobs);
    }
}

typedef struct tree {
    uint32_t seed, depth;
    uint64_t nodes;
} tree;

static uint32_t next_random(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* A node has 0 to 5 children, more of them near the root. Most branches end early. */
static uint32_t child_count(const tree *t)
{
    return t->depth == 0 ? 0 : t->depth > 12 ? 5 : next_random(t->seed) % 7 / 2 + t->seed % 2;
}

static tree child_of(const tree *t, uint32_t index)
{
    return (tree){next_random(t->seed + index * 0x9e3779b9u), t->depth - 1, 0};
}

static uint64_t count_serially(tree t)
{
    uint64_t nodes = 1;
    for (uint32_t i = 0; i < child_count(&t); i++)
        nodes += count_serially(child_of(&t, i));
    return nodes;
}

static void count_tree(rico_worker *worker, void *context)
{
    tree *t = context;
    tree children[8];
    rico_job forks[8];
    uint32_t count = child_count(t);
    for (uint32_t i = 0; i < count; i++) {
        children[i] = child_of(t, i);
        rico_job_fork(worker, &forks[i], count_tree, &children[i]);
    }
    t->nodes = 1;
    for (uint32_t i = count; i-- > 0;) {
        rico_job_join(worker, &forks[i]);
        t->nodes += children[i].nodes;
    }
}

TEST(jobs, counts_an_unbalanced_tree_right)
{
    const tree root = {12345, 14, 0};
    uint64_t expected = count_serially(root);
    CHECK(expected > 10000);
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 64, 50);
        for (int round = 0; round < 3; round++) {
            tree t = root;
            rico_jobs_run(jobs, count_tree, &t);
            CHECK_EQ(t.nodes, expected);
        }
        rico_jobs_destroy(jobs);
    }
}

/* Forks 100 jobs, more than a small deque holds, each of which computes something. */
static void fork_many(rico_worker *worker, void *context)
{
    uint32_t *sum = context;
    fib_call calls[100];
    rico_job forks[100];
    for (uint32_t i = 0; i < 100; i++) {
        calls[i] = (fib_call){i % 10, 0};
        rico_job_fork(worker, &forks[i], fib, &calls[i]);
    }
    *sum = 0;
    for (uint32_t i = 100; i-- > 0;) {
        rico_job_join(worker, &forks[i]);
        *sum += calls[i].result;
    }
}

TEST(jobs, runs_jobs_inline_when_the_deque_is_full)
{
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 16, 50);
        for (int round = 0; round < 50; round++) {
            uint32_t sum = 0;
            rico_jobs_run(jobs, fork_many, &sum);
            CHECK_EQ(sum, 10 * (0 + 1 + 1 + 2 + 3 + 5 + 8 + 13 + 21 + 34));
        }
        if (worker_counts[w] == 1)
            CHECK(rico_jobs_worker_stats(jobs, 0).inline_runs >= 50 * 84);
        CHECK_EQ(run_fib(jobs, 18), 2584); /* deeper than the deque */
        rico_jobs_destroy(jobs);
    }
}

/* ---- parallel for ----------------------------------------------------------------------- */

#define COVER_MAX 5000u

typedef struct cover {
    rico__atomic32 hits[COVER_MAX];
    rico__atomic32 bad_ranges;
    uint32_t grain;
} cover;

static void cover_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    cover *c = context;
    (void)worker;
    if (begin >= end || end - begin > c->grain || end > COVER_MAX)
        rico__atomic_fetch_add32(&c->bad_ranges, 1);
    for (uint32_t i = begin; i < end && i < COVER_MAX; i++)
        rico__atomic_fetch_add32(&c->hits[i], 1);
}

static bool covers_once(const cover *c, uint32_t begin, uint32_t end)
{
    for (uint32_t i = 0; i < COVER_MAX; i++)
        if (rico__atomic_load_relaxed32(&c->hits[i]) != (i >= begin && i < end))
            return false;
    return rico__atomic_load_relaxed32(&c->bad_ranges) == 0;
}

TEST(jobs, covers_every_index_of_a_range_exactly_once)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 7, 64, 1000, COVER_MAX};
    static const uint32_t grains[] = {0, 1, 2, 3, 16, 999, COVER_MAX, UINT32_MAX};
    static cover c;
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 64, 50);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
                memset(&c, 0, sizeof c);
                c.grain = grains[g] != 0 ? grains[g] : COVER_MAX;
                uint32_t begin = counts[i] < COVER_MAX ? 13 : 0;
                rico_jobs_for(jobs, begin, begin + counts[i], grains[g], cover_range, &c);
                CHECK_MSG(covers_once(&c, begin, begin + counts[i]),
                          "%u indices, grain %u, %u workers", counts[i], grains[g],
                          worker_counts[w]);
            }
        rico_jobs_destroy(jobs);
    }
}

static void count_call(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker, (void)begin, (void)end;
    *(uint32_t *)context += 1;
}

TEST(jobs, one_worker_alone_runs_a_range_without_a_grain_in_one_call_unless_it_is_measured)
{
    uint32_t calls = 0, measured = 0, of_ten = 0;
    rico_jobs *jobs = create(1, 64, 0);
    rico_jobs_for(jobs, 0, 1000, 0, count_call, &calls);
    rico_jobs_for(jobs, 0, 1000, 10, count_call, &of_ten);
    rico_jobs_measure(jobs, true);
    rico_jobs_for(jobs, 0, 1000, 0, count_call, &measured);
    rico_jobs_destroy(jobs);
    CHECK_EQ(calls, 1);
    CHECK_EQ(of_ten, 100);
    CHECK(measured > 15);
}

static void count_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    rico__atomic_fetch_add64(context, end - begin);
}

TEST(jobs, takes_empty_inverted_and_extreme_ranges)
{
    rico_jobs *jobs = create(3, 64, 50);
    rico__atomic64 indices = {0};
    rico_jobs_for(jobs, 5, 5, 1, count_range, &indices);
    rico_jobs_for(jobs, 6, 5, 1, count_range, &indices);
    rico_jobs_for(jobs, UINT32_MAX, 0, 0, count_range, &indices);
    CHECK_EQ(rico__atomic_load64(&indices), 0);
    rico_jobs_for(jobs, UINT32_MAX - 10, UINT32_MAX, 1, count_range, &indices);
    CHECK_EQ(rico__atomic_load64(&indices), 10);
    rico_jobs_for(jobs, 0, UINT32_MAX, 1u << 22, count_range, &indices);
    CHECK_EQ(rico__atomic_load64(&indices), 10 + (long long)UINT32_MAX);
    rico_jobs_for(jobs, 0, UINT32_MAX, UINT32_MAX - 1, count_range, &indices);
    CHECK_EQ(rico__atomic_load64(&indices), 10 + 2 * (long long)UINT32_MAX);
    rico_jobs_destroy(jobs);
}

#define GRID 60u

typedef struct grid {
    rico__atomic32 cells[GRID][GRID][4];
} grid;

typedef struct grid_row {
    grid *grid;
    uint32_t row, column;
} grid_row;

static void fill_cell(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    grid_row *r = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        rico__atomic_fetch_add32(&r->grid->cells[r->row][r->column][i], 1);
}

static void fill_row(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    const grid_row *row = context;
    for (uint32_t i = begin; i < end; i++) {
        grid_row cell = {row->grid, row->row, i};
        rico_worker_for(worker, 0, 4, 1, fill_cell, &cell);
    }
}

static void fill_grid(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        grid_row row = {context, i, 0};
        rico_worker_for(worker, 0, GRID, 3, fill_row, &row);
    }
}

TEST(jobs, nests_parallel_for_inside_parallel_for)
{
    static grid g;
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 16, 50);
        memset(&g, 0, sizeof g);
        rico_jobs_for(jobs, 0, GRID, 1, fill_grid, &g);
        bool once = true;
        for (uint32_t i = 0; i < GRID * GRID * 4; i++)
            once &= rico__atomic_load_relaxed32(&(&g.cells[0][0][0])[i]) == 1;
        CHECK(once);
        rico_jobs_destroy(jobs);
    }
}

/* After the call, the caller sees the writes of a range without atomics of its own.
 * ThreadSanitizer and the sum check this. */
static void write_plainly(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        ((uint32_t *)context)[i] += i + 1;
}

TEST(jobs, makes_plain_writes_of_jobs_visible_to_the_next_stage)
{
    static uint32_t values[4096];
    rico_jobs *jobs = create(4, 64, 5);
    for (int stage = 0; stage < 200; stage++)
        rico_jobs_for(jobs, 0, 4096, 64, write_plainly, values);
    bool right = true;
    for (uint32_t i = 0; i < 4096; i++)
        right &= values[i] == 200 * (i + 1);
    CHECK(right);
    rico_jobs_destroy(jobs);
}

/* ---- statistics ------------------------------------------------------------------------- */

static rico_worker_stats sum_stats(const rico_jobs *jobs)
{
    rico_worker_stats sum = {0};
    for (uint32_t i = 0; i < rico_jobs_worker_count(jobs); i++) {
        rico_worker_stats s = rico_jobs_worker_stats(jobs, i);
        sum.jobs_run += s.jobs_run;
        sum.steals += s.steals;
        sum.inline_runs += s.inline_runs;
        sum.busy_ns += s.busy_ns;
    }
    return sum;
}

TEST(jobs, counts_every_job_and_range_once)
{
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 16, 50);
        run_fib(jobs, 20); /* fib(n) forks fib(n + 1) - 1 jobs */
        rico_worker_stats sum = sum_stats(jobs);
        CHECK_EQ(sum.jobs_run, 1 + 10945);
        CHECK(sum.busy_ns > 0);
        CHECK(worker_counts[w] > 1 || sum.steals == 0);

        rico__atomic64 indices = {0};
        rico_jobs_for(jobs, 0, 1000, 10, count_range, &indices);
        CHECK_EQ(sum_stats(jobs).jobs_run - sum.jobs_run, 100);
        CHECK_EQ(rico_jobs_worker_stats(jobs, worker_counts[w]).jobs_run, 0);
        rico_jobs_destroy(jobs);
    }
}

/* ---- stress ----------------------------------------------------------------------------- */

typedef struct chaos {
    uint32_t seed, depth;
    uint64_t result;
} chaos;

static void chaos_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    rico__atomic_fetch_add64(context, (uint64_t)(end - begin));
}

static uint64_t chaos_serially(chaos c)
{
    uint64_t result = c.seed % 50;
    for (uint32_t i = 0; c.depth != 0 && i < 1 + c.seed % 3; i++)
        result += chaos_serially((chaos){next_random(c.seed + i), c.depth - 1, 0});
    return result;
}

/* Forks, ranges inside forks, and a nap now and then, so that workers park at odd moments. */
static void run_chaos(rico_worker *worker, void *context)
{
    chaos *c = context;
    chaos children[3];
    rico_job forks[3];
    uint32_t count = c->depth != 0 ? 1 + c->seed % 3 : 0;
    for (uint32_t i = 0; i < count; i++) {
        children[i] = (chaos){next_random(c->seed + i), c->depth - 1, 0};
        rico_job_fork(worker, &forks[i], run_chaos, &children[i]);
    }
    rico__atomic64 indices = {0};
    rico_worker_for(worker, 0, c->seed % 50, 1 + c->seed % 5, chaos_range, &indices);
    if (c->seed % 257 == 0)
        nap((long)(c->seed % 3 * 40));
    c->result = rico__atomic_load64(&indices);
    for (uint32_t i = count; i-- > 0;) {
        rico_job_join(worker, &forks[i]);
        c->result += children[i].result;
    }
}

TEST(jobs, survives_random_forks_ranges_and_naps)
{
    for (uint32_t round = 0; round < 24; round++) {
        rico_jobs *jobs = create(2 + round % 7, round % 2 ? 16 : 256, round % 4 * 7);
        for (uint32_t i = 1; i <= 10; i++) {
            chaos c = {next_random(round * 100 + i), 7, 0};
            uint64_t expected = chaos_serially(c);
            rico_jobs_run(jobs, run_chaos, &c);
            CHECK_EQ(c.result, expected);
        }
        rico_jobs_destroy(jobs);
    }
}
