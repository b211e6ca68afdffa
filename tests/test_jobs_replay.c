/* test_jobs_replay.c - a recorded schedule is replayed exactly. */
#include "jobs_fixture.h"

#include <ricochet/jobs_replay.h>

#define WORKERS 3u
#define ORDERS 4000u
#define STEALS 2000u

/* The nodes that each worker ran, in its order. */
typedef struct order {
    uint32_t count[WORKERS];
    uint64_t ran[WORKERS][ORDERS];
} order;

typedef struct program {
    order *order;
    uint32_t depth, salt;
} program;

typedef struct node {
    const program *program;
    uint32_t id, depth;
} node;

static void note(rico_worker *worker, order *o, uint64_t what)
{
    uint32_t index = rico_worker_index(worker);
    if (o->count[index] < ORDERS)
        o->ran[index][o->count[index]++] = what;
}

static void note_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    note(worker, context, UINT64_C(1) << 63 | (uint64_t)begin << 32 | end);
    for (volatile int spin = 0; spin < 200; spin++) {
    }
}

static void visit(rico_worker *worker, void *context)
{
    const node *n = context;
    note(worker, n->program->order, n->id);
    if (n->depth == 0)
        return;
    if ((n->id + n->program->salt) % 5 == 0)
        rico_worker_for(worker, n->id, n->id + 40, n->id % 2 * 3, note_range,
                        n->program->order);
    node a = {n->program, n->id * 2, n->depth - 1},
         b = {n->program, n->id * 2 + 1, n->depth - 1};
    rico_job job;
    rico_job_fork(worker, &job, visit, &b);
    visit(worker, &a);
    rico_job_join(worker, &job);
}

static rico_jobs *create_logging(uint32_t seed)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = WORKERS;
    def.most_awake =
        seed % 3 == 0 ? 2 : WORKERS; /* in a replay, workers that steal are awake in any case */
    def.chaos_seed = seed;
    def.joins_help_anybody = seed % 2 != 0; /* then a wait may steal what it does not need */
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    return jobs;
}

static void run_program(rico_jobs *jobs, order *out, uint32_t depth)
{
    memset(out, 0, sizeof *out);
    program p = {out, depth, 1};
    node root = {&p, 1, depth};
    rico_jobs_run(jobs, visit, &root);
    rico_jobs_for(jobs, 0, 300, 0, note_range, out);
}

/* Repeats until a worker has stolen and split. */
static uint32_t record(rico_jobs *jobs, rico_steal *steals, order *out)
{
    uint32_t count = 0, splits = 0;
    for (int i = 0; i < 200 && (count - splits < 5 || splits < 2); i++) {
        rico_jobs_record(jobs, steals, STEALS);
        run_program(jobs, out, 7);
        count = rico_jobs_recorded(jobs);
        splits = 0;
        for (uint32_t s = 0; s < count; s++)
            splits += steals[s].worker == steals[s].victim;
    }
    rico_jobs_record(jobs, NULL, 0);
    CHECK(count - splits >= 5 && splits >= 2 && count <= STEALS);
    return count;
}

TEST(jobs, runs_the_same_jobs_in_the_same_order_when_it_follows_a_log)
{
    static order first, again;
    static rico_steal steals[STEALS];
    for (uint32_t seed = 1; seed <= 8; seed++) {
        rico_jobs *jobs = create_logging(seed), *other = create_logging(seed % 2 * 99);
        uint32_t count = record(jobs, steals, &first);
        for (int round = 0; round < 3; round++) {
            rico_jobs *follower = round == 0 ? jobs : other;
            rico_jobs_replay(follower, steals, count);
            run_program(follower, &again, 7);
            CHECK(rico_jobs_follows(follower));
            CHECK_EQ(memcmp(&first, &again, sizeof first), 0);
            rico_jobs_replay(follower, NULL, 0);
        }
        rico_jobs_destroy(jobs);
        rico_jobs_destroy(other);
    }
}

TEST(jobs, ends_and_says_so_when_a_log_is_another_programs)
{
    static order first, again;
    static rico_steal steals[STEALS];
    rico_jobs *jobs = create_logging(5);
    uint32_t count = record(jobs, steals, &first);
    for (uint32_t i = 0; i < count; i++)
        steals[i].at += 1000000;
    rico_jobs_replay(jobs, steals, count);
    run_program(jobs, &again, 7);
    CHECK(!rico_jobs_follows(jobs));
    uint32_t ran = 0, expected = 0;
    for (uint32_t i = 0; i < WORKERS; i++)
        for (uint32_t k = 0; k < ORDERS; k++) {
            ran += again.ran[i][k] != 0 && again.ran[i][k] >> 63 == 0;
            expected += first.ran[i][k] != 0 && first.ran[i][k] >> 63 == 0;
        }
    CHECK_EQ(ran, expected); /* the same jobs, each once */
    rico_jobs_replay(jobs, NULL, 0);
    CHECK_EQ(run_fib(jobs, 15), 610);
    rico_jobs_destroy(jobs);
}

TEST(jobs, says_so_when_the_program_does_less_than_the_log)
{
    static order first, again;
    static rico_steal steals[STEALS + 1];
    rico_jobs *jobs = create_logging(3);
    uint32_t count = record(jobs, steals, &first);
    steals[count] = (rico_steal){.worker = 0, .at = 1000000, .victim = 0};
    rico_jobs_replay(jobs, steals, count + 1);
    run_program(jobs, &again, 7);
    CHECK(!rico_jobs_follows(jobs));
    CHECK_EQ(memcmp(&first, &again, sizeof first), 0);
    rico_jobs_replay(jobs, NULL, 0);
    rico_jobs_destroy(jobs);
}
