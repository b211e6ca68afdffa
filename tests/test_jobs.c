/* test_jobs.c - the job pool. Threads report through variables; checks run on the main thread.
 * Every test has a watchdog: a hang ends it by SIGALRM. */
#include "testing.h"

#include "atomics.h"
#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <ricochet/jobs.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define WATCHDOG_SECONDS 90

static const uint32_t worker_counts[] = {1, 2, 3, 4, 8};
#define WORKER_COUNTS (sizeof worker_counts / sizeof *worker_counts)

/* Host hooks that count. */
typedef struct host {
    size_t live_bytes;
    unsigned allocations, fail_allocation; /* fail the n-th, from 1; 0 = none */
    unsigned warnings, errors;
    char last_text[256];
} host;

static void *host_allocate(void *user, size_t bytes, size_t alignment)
{
    host *h = user;
    if (++h->allocations == h->fail_allocation)
        return NULL;
    void *block = NULL;
    if (posix_memalign(&block, alignment, bytes) != 0)
        return NULL;
    h->live_bytes += bytes;
    return block;
}

static void host_release(void *user, void *block, size_t bytes, size_t alignment)
{
    host *h = user;
    (void)alignment;
    h->live_bytes -= bytes;
    free(block);
}

static void host_write(void *user, rico_log_level level, const char *text)
{
    host *h = user;
    h->warnings += level == RICO_LOG_WARNING;
    h->errors += level == RICO_LOG_ERROR;
    snprintf(h->last_text, sizeof h->last_text, "%s", text);
}

static rico_jobs_def host_def(host *h, uint32_t workers)
{
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers;
    def.allocator = (rico_allocator){host_allocate, host_release, h};
    def.log = (rico_log){host_write, h};
    return def;
}

static rico_jobs *create(uint32_t workers, uint32_t capacity, uint32_t spin_microseconds)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers;
    def.deque_capacity = capacity;
    def.spin_microseconds = spin_microseconds;
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK_EQ(rico_jobs_worker_count(jobs), workers);
    return jobs;
}

static void nap(long microseconds)
{
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

/* ---- fork/join -------------------------------------------------------------------------- */

typedef struct fib_call {
    uint32_t n;
    uint32_t result;
} fib_call;

static void fib(rico_worker *worker, void *context)
{
    fib_call *call = context;
    if (call->n < 2) {
        call->result = call->n;
        return;
    }
    fib_call a = {call->n - 1, 0}, b = {call->n - 2, 0};
    rico_job job;
    rico_job_fork(worker, &job, fib, &b);
    fib(worker, &a);
    rico_job_join(worker, &job);
    call->result = a.result + b.result;
}

static uint32_t run_fib(rico_jobs *jobs, uint32_t n)
{
    fib_call call = {n, 0};
    rico_jobs_run(jobs, fib, &call);
    return call.result;
}

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

/* A node has 0 to 5 children, more of them near the root; most branches end early. */
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

static void run_nothing(rico_worker *worker, void *context)
{
    (void)worker;
    *(bool *)context = true;
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
                c.grain = grains[g] != 0 ? grains[g] : 1;
                uint32_t begin = counts[i] < COVER_MAX ? 13 : 0;
                rico_jobs_for(jobs, begin, begin + counts[i], grains[g], cover_range, &c);
                CHECK_MSG(covers_once(&c, begin, begin + counts[i]),
                          "%u indices, grain %u, %u workers", counts[i], grains[g],
                          worker_counts[w]);
            }
        rico_jobs_destroy(jobs);
    }
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

/* What a range wrote is there after the call, without atomics of the host's: ThreadSanitizer
 * and the sum are the proof. */
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

/* ---- workers ---------------------------------------------------------------------------- */

typedef struct roll_call {
    pthread_t thread[8];
    uint32_t calls[8]; /* plain on purpose: each belongs to one thread */
    rico__atomic32 bad;
} roll_call;

static void call_roll(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    roll_call *r = context;
    uint32_t index = rico_worker_index(worker);
    (void)begin;
    (void)end;
    if (index >= 8) {
        rico__atomic_fetch_add32(&r->bad, 1);
        return;
    }
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (sigismember(&blocked, SIGTERM) != (index != 0))
        rico__atomic_fetch_add32(&r->bad, 1); /* the host's signals belong to its own threads */
    if (r->calls[index]++ == 0)
        r->thread[index] = pthread_self();
    else if (!pthread_equal(r->thread[index], pthread_self()))
        rico__atomic_fetch_add32(&r->bad, 1);
    for (volatile int spin = 0; spin < 300; spin++) {
    }
}

TEST(jobs, gives_each_worker_index_to_one_thread_without_signals)
{
    rico_jobs *jobs = create(8, 64, 50);
    roll_call roll;
    memset(&roll, 0, sizeof roll);
    for (int round = 0; round < 20; round++)
        rico_jobs_for(jobs, 0, 500, 1, call_roll, &roll);
    uint32_t calls = 0;
    for (int i = 0; i < 8; i++)
        calls += roll.calls[i];
    CHECK_EQ(rico__atomic_load32(&roll.bad), 0);
    CHECK_EQ(calls, 20 * 500);
    CHECK(roll.calls[0] > 0 && pthread_equal(roll.thread[0], pthread_self()));
    rico_jobs_destroy(jobs);
}

/* Two jobs that each wait until the other runs: only two workers can end this. */
typedef struct meeting {
    rico__atomic32 present;
    bool met;
} meeting;

static void attend(rico_worker *worker, void *context)
{
    meeting *m = context;
    (void)worker;
    rico__atomic_fetch_add32(&m->present, 1);
    for (int i = 0; i < 20000 && rico__atomic_load32(&m->present) % 2 != 0; i++)
        nap(100);
}

static void meet(rico_worker *worker, void *context)
{
    meeting *m = context;
    rico_job job;
    rico_job_fork(worker, &job, attend, m);
    attend(worker, m);
    m->met = rico__atomic_load32(&m->present) % 2 == 0;
    rico_job_join(worker, &job);
}

static void wait_until_all_sleep(const rico_jobs *jobs)
{
    while (crew_asleep(&jobs->crew) + 1 != rico_jobs_worker_count(jobs))
        nap(100);
}

TEST(jobs, wakes_a_parked_worker_when_there_is_work)
{
    for (uint32_t workers = 2; workers <= 4; workers++)
        for (uint32_t spin = 0; spin <= 20; spin += 20) {
            rico_jobs *jobs = create(workers, 64, spin);
            for (int round = 0; round < 30; round++) {
                if (round > 20)
                    wait_until_all_sleep(jobs);
                meeting m;
                memset(&m, 0, sizeof m);
                rico_jobs_run(jobs, meet, &m);
                CHECK_MSG(m.met, "nobody came, round %d of %u workers", round, workers);
                nap(round % 2 == 0 ? 5000 : 0);
            }
            rico_jobs_destroy(jobs);
        }
}

/* As meet, without naps: the other worker is met at every stage of falling asleep. */
static void show_up(rico_worker *worker, void *context)
{
    (void)worker;
    rico__atomic_store32(context, 1);
}

static void expect_company(rico_worker *worker, void *context)
{
    rico__atomic32 here = {0};
    rico_job job;
    rico_job_fork(worker, &job, show_up, &here);
    for (int i = 0; i < 2000000 && rico__atomic_load32(&here) == 0; i++)
        if (i < 5000)
            rico__cpu_pause(); /* at first keep the core, lest both threads share it for ever */
        else
            sched_yield();
    *(uint32_t *)context += rico__atomic_load32(&here);
    rico_job_join(worker, &job);
}

TEST(jobs, misses_no_worker_that_is_about_to_park)
{
    static const uint32_t rounds = 4000;
    for (uint32_t spin = 0; spin <= 4; spin += 2) {
        rico_jobs *jobs = create(2, 16, spin);
        uint32_t met = 0;
        for (uint32_t round = 0; round < rounds; round++) {
            rico_jobs_run(jobs, expect_company, &met);
            for (volatile uint32_t i = 0; i < round % 64 * 16; i++) {
            }
        }
        CHECK_EQ(met, rounds);
        rico_jobs_destroy(jobs);
    }
}

/* Everybody is needed: each wake has to cause the next. */
typedef struct assembly {
    rico__atomic32 present;
    uint32_t wanted;
    rico__atomic32 late;
} assembly;

static void assemble(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    assembly *a = context;
    (void)worker;
    (void)begin;
    (void)end;
    rico__atomic_fetch_add32(&a->present, 1);
    for (int i = 0; i < 20000; i++) {
        if (rico__atomic_load32(&a->present) >= a->wanted)
            return;
        nap(100);
    }
    rico__atomic_fetch_add32(&a->late, 1);
}

static void fork_assembly(rico_worker *worker, void *context)
{
    assembly *a = context;
    rico_worker_for(worker, 0, a->wanted, 1, assemble, a);
}

static void job_assemble(rico_worker *worker, void *context)
{
    assemble(worker, context, 0, 1);
}

static void fork_assembly_by_hand(rico_worker *worker, void *context)
{
    assembly *a = context;
    rico_job forks[8];
    for (uint32_t i = 1; i < a->wanted; i++)
        rico_job_fork(worker, &forks[i], job_assemble, a);
    assemble(worker, a, 0, 1);
    for (uint32_t i = a->wanted; i-- > 1;)
        rico_job_join(worker, &forks[i]);
}

TEST(jobs, wakes_all_workers_when_there_is_work_for_all)
{
    for (uint32_t workers = 2; workers <= 8; workers *= 2) {
        rico_jobs *jobs = create(workers, 64, 10);
        for (int round = 0; round < 20; round++) {
            wait_until_all_sleep(jobs); /* who comes later is served at the next join only */
            assembly a;
            memset(&a, 0, sizeof a);
            a.wanted = workers;
            rico_jobs_run(jobs, fork_assembly_by_hand, &a);
            CHECK_EQ(rico__atomic_load32(&a.late), 0);
        }
        rico_jobs_destroy(jobs);
    }
}

TEST(jobs, lends_a_waiting_worker_to_the_jobs_it_waits_for)
{
    /* Worker 0 waits for the range that the other has; that range then needs both. */
    rico_jobs *jobs = create(2, 64, 20);
    for (int round = 0; round < 20; round++) {
        assembly a;
        memset(&a, 0, sizeof a);
        a.wanted = 2;
        rico_jobs_run(jobs, fork_assembly, &a);
        CHECK_EQ(rico__atomic_load32(&a.late), 0);
        nap(1000);
    }
    rico_jobs_destroy(jobs);
}

/* A stolen job that naps, then forks work that needs the worker which waits (and has gone to
 * sleep) for it. */
static void nap_then_meet(rico_worker *worker, void *context)
{
    nap(3000);
    meet(worker, context);
}

typedef struct late_meeting {
    meeting meeting;
    rico__atomic32 stolen;
} late_meeting;

static void start_late_meeting(rico_worker *worker, void *context)
{
    late_meeting *l = context;
    rico__atomic_store32(&l->stolen, 1);
    nap_then_meet(worker, &l->meeting);
}

static void wait_for_late_meeting(rico_worker *worker, void *context)
{
    late_meeting *l = context;
    rico_job job;
    rico_job_fork(worker, &job, start_late_meeting, l);
    for (int i = 0; i < 20000 && rico__atomic_load32(&l->stolen) == 0; i++)
        nap(100);
    rico_job_join(worker, &job);
}

TEST(jobs, wakes_a_worker_that_sleeps_in_a_join_for_new_work_and_for_its_end)
{
    rico_jobs *jobs = create(2, 64, 20);
    for (int round = 0; round < 20; round++) {
        late_meeting l;
        memset(&l, 0, sizeof l);
        rico_jobs_run(jobs, wait_for_late_meeting, &l);
        CHECK_MSG(l.meeting.met, "the sleeper did not come, round %d", round);
    }
    rico_jobs_destroy(jobs);
}

/* ---- life ------------------------------------------------------------------------------- */

typedef struct faulty_starter {
    unsigned calls, fail_at; /* from 1 */
} faulty_starter;

static int start_faultily(void *user, rico__thread *thread, rico__thread_main *main,
                          void *argument)
{
    faulty_starter *f = user;
    return ++f->calls == f->fail_at ? EAGAIN : rico__thread_start(NULL, thread, main, argument);
}

TEST(jobs, is_smaller_and_says_so_when_a_thread_cannot_be_created)
{
    alarm(WATCHDOG_SECONDS);
    for (uint32_t fail_at = 1; fail_at <= 7; fail_at++) {
        host h = {0};
        rico_jobs_def def = host_def(&h, 8);
        faulty_starter starter = {.fail_at = fail_at};
        rico_jobs *jobs = NULL;
        CHECK_EQ(rico__jobs_create_with(&def, start_faultily, &starter, &jobs), RICO_OK);
        CHECK_EQ(rico_jobs_worker_count(jobs), fail_at);
        CHECK_EQ(h.warnings, 1);
        CHECK_EQ(h.errors, 0);
        CHECK(strstr(h.last_text, "of 8 workers") != NULL);
        CHECK_EQ(run_fib(jobs, 18), 2584);
        rico_jobs_destroy(jobs);
        CHECK_EQ(h.live_bytes, 0);
    }
}

TEST(jobs, leaves_nothing_behind_when_an_allocation_fails)
{
    alarm(WATCHDOG_SECONDS);
    unsigned needed = 0;
    for (unsigned n = 1; n < 20 && needed == 0; n++) {
        host h = {.fail_allocation = n};
        rico_jobs_def def = host_def(&h, 4);
        rico_jobs *jobs = (rico_jobs *)&h;
        rico_result result = rico_jobs_create(&def, &jobs);
        if (result == RICO_OK) {
            needed = n - 1;
            rico_jobs_destroy(jobs);
        } else {
            CHECK_EQ(result, RICO_OUT_OF_MEMORY);
            CHECK(jobs == NULL);
            CHECK_EQ(h.errors, 1);
        }
        CHECK_EQ(h.live_bytes, 0);
    }
    CHECK(needed >= 1);
}

TEST(jobs, allocates_nothing_after_its_creation)
{
    alarm(WATCHDOG_SECONDS);
    host h = {0};
    rico_jobs_def def = host_def(&h, 4);
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    unsigned before = h.allocations;
    run_fib(jobs, 18);
    CHECK_EQ(h.allocations, before);
    rico_jobs_destroy(jobs);
    CHECK_EQ(h.live_bytes, 0);
}

TEST(jobs, can_be_created_and_destroyed_200_times)
{
    for (int i = 0; i < 200; i++) {
        rico_jobs *jobs = create(1 + (uint32_t)i % 5, 16, (uint32_t)i % 3 * 10);
        if (i % 2 == 0)
            CHECK_EQ(run_fib(jobs, 10), 55);
        if (i % 7 == 0)
            nap(200); /* some workers sleep, some are just about to */
        rico_jobs_destroy(jobs);
    }
    rico_jobs_destroy(NULL);
}

static unsigned failed_inside;

static void run_in_other_pool(rico_worker *worker, void *context)
{
    fib_call call = {16, 0};
    (void)worker;
    rico_jobs_run(context, fib, &call);
    failed_inside += call.result != 987;
}

TEST(jobs, lets_two_pools_work_in_one_process_and_one_inside_the_other)
{
    rico_jobs *a = create(3, 64, 20), *b = create(2, 64, 20);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(run_fib(a, 15), 610);
        CHECK_EQ(run_fib(b, 16), 987);
    }
    for (int i = 0; i < 20; i++)
        rico_jobs_run(a, run_in_other_pool, b);
    CHECK_EQ(failed_inside, 0);
    rico_jobs_destroy(a);
    CHECK_EQ(run_fib(b, 16), 987);
    rico_jobs_destroy(b);
}

typedef struct other_thread {
    rico_jobs *jobs;
    uint32_t result;
} other_thread;

static void *run_from_other_thread(void *argument)
{
    other_thread *o = argument;
    for (int i = 0; i < 20; i++)
        o->result = run_fib(o->jobs, 16);
    return NULL;
}

TEST(jobs, may_be_run_from_one_thread_after_the_other)
{
    rico_jobs *jobs = create(3, 64, 20);
    for (int i = 0; i < 5; i++) {
        other_thread o = {jobs, 0};
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, run_from_other_thread, &o), 0);
        pthread_join(thread, NULL);
        CHECK_EQ(o.result, 987);
        CHECK_EQ(run_fib(jobs, 16), 987);
    }
    rico_jobs_destroy(jobs);
}

TEST(jobs, refuses_bad_definitions)
{
    host h = {0};
    rico_jobs *jobs = (rico_jobs *)&h;
    rico_jobs_def def = host_def(&h, 2);

    def.worker_count = RICO_JOBS_MAX_WORKERS + 1;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OUT_OF_RANGE);
    CHECK(jobs == NULL);
    CHECK(strstr(h.last_text, "worker_count is 257") != NULL);

    static const uint32_t capacities[] = {0, 1, 8, 17, 1000, 131072, UINT32_MAX};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        def = host_def(&h, 2);
        def.deque_capacity = capacities[i];
        CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OUT_OF_RANGE);
    }
    def = host_def(&h, 2);
    def.spin_microseconds = 10001;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OUT_OF_RANGE);
    def = host_def(&h, 2);
    def.allocator.release = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OUT_OF_RANGE);
    memset(&def, 0, sizeof def);
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_UNINITIALIZED_DEF);
    CHECK(jobs == NULL);
    CHECK_EQ(h.allocations, 0);
}

TEST(jobs, uses_the_available_cpus_by_default)
{
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs = NULL;
    alarm(WATCHDOG_SECONDS);
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    CHECK(rico_jobs_worker_count(jobs) >= 1);
    CHECK_EQ(run_fib(jobs, 16), 987);
    rico_jobs_destroy(jobs);
}

static unsigned failed_asserts;

static void count_assert(const char *expression, const char *file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    failed_asserts += 1;
}

typedef struct misuse {
    rico_jobs *jobs;
    bool ran_inside, ran_first, ran_second;
} misuse;

static void misuse_pool(rico_worker *worker, void *context)
{
    misuse *m = context;
    rico_jobs_run(m->jobs, run_nothing, &m->ran_inside);
    rico_job first, second;
    rico_job_fork(worker, &first, run_nothing, &m->ran_first);
    rico_job_fork(worker, &second, run_nothing, &m->ran_second);
    rico_job_join(worker, &first); /* the wrong way round: refused */
    rico_job_join(worker, &second);
    rico_job_join(worker, &first);
}

TEST(jobs, asserts_on_a_run_inside_a_run_and_on_joins_out_of_order)
{
    misuse m = {.jobs = create(1, 64, 20)};
    failed_asserts = 0;
    rico_assert_set_handler(count_assert);
    rico_jobs_run(m.jobs, misuse_pool, &m);
    rico_assert_set_handler(NULL);
    CHECK_EQ(failed_asserts, 2);
    CHECK(!m.ran_inside);
    CHECK(m.ran_first && m.ran_second);
    rico_jobs_destroy(m.jobs);
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

/* Forks, ranges inside forks, now and then a nap, so that everybody parks at odd moments. */
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
        nap(c->seed % 3 * 40);
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
