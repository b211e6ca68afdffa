/* test_jobs_chaos.c - disturbed schedules, and waits that do not end. Here the pool disturbs
 * itself; test_jobs.c has stress from outside. */
#include "jobs_fixture.h"

#include "atomics.h"

#include <ricochet/job_graph.h>
#include <ricochet/tasks.h>

static rico_jobs *create_chaotic(uint32_t workers, uint32_t seed)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers;
    def.most_awake = workers;
    def.deque_capacity = 16;
    def.spin_microseconds = seed % 3 * 5;
    def.chaos_seed = seed;
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    return jobs;
}

static void add_one(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        ((uint32_t *)context)[i] += 1;
}

typedef struct chaos_run {
    rico_jobs *jobs;
    uint32_t values[500];
    fib_call call;
    rico_task tasks[30];
    rico_counter counter;
    rico__atomic32 tasks_run;
} chaos_run;

static void count_task(rico_worker *worker, void *context)
{
    chaos_run *c = context;
    fib_call call = {8, 0};
    fib(worker, &call);
    if (call.result == 21)
        rico__atomic_fetch_add32(&c->tasks_run, 1);
}

static void run_all(rico_worker *worker, void *context)
{
    chaos_run *c = context;
    rico_counter_init(&c->counter, 30);
    for (uint32_t i = 0; i < 30; i++) {
        c->tasks[i] = (rico_task){.fn = count_task,
                                  .context = c,
                                  .counter = &c->counter,
                                  .place = (uint8_t)(i % 3),
                                  .worker = (uint16_t)(i % rico_jobs_worker_count(c->jobs)),
                                  .urgent = i % 4 == 0};
        rico_jobs_submit(c->jobs, &c->tasks[i]);
    }
    rico_worker_for(worker, 0, 500, 3, add_one, c->values);
    c->call = (fib_call){14, 0};
    fib(worker, &c->call);
    rico_worker_wait(worker, &c->counter);
    rico_worker_for(worker, 0, 500, 0, add_one, c->values);
}

/* 1, 2, 3, 4, 8 and 16 workers on a machine of two or more cores. */
TEST(jobs, gives_the_same_results_in_disturbed_schedules)
{
    static const uint32_t worker_counts[] = {1, 2, 3, 4, 8, 16};
    uint32_t seeds = getenv("RICO_TEST_FULL") != NULL ? 200 : 8;
    static chaos_run c;
    for (uint32_t w = 0; w < 6; w++)
        for (uint32_t seed = 1; seed <= seeds; seed++) {
            rico_jobs *jobs = create_chaotic(worker_counts[w], seed);
            for (int round = 0; round < 4; round++) {
                memset(&c, 0, sizeof c);
                c.jobs = jobs;
                rico_jobs_run(jobs, run_all, &c);
                bool right = c.call.result == 377 && rico__atomic_load32(&c.tasks_run) == 30;
                for (int i = 0; i < 500; i++)
                    right &= c.values[i] == 2;
                CHECK_MSG(right, "%u workers, seed %u", worker_counts[w], seed);
            }
            rico_jobs_destroy(jobs);
        }
}

static void count_only(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker, (void)context, (void)begin, (void)end;
}

static void run_loops(rico_worker *worker, void *context)
{
    (void)context;
    for (int i = 0; i < 50; i++)
        rico_worker_for(worker, 0, 1000, 0, count_only, NULL);
}

/* With one worker there are no requests for jobs: the seed alone decides how often a loop is
 * split. */
static uint64_t pieces_of(uint32_t seed)
{
    rico_jobs *jobs = create_chaotic(1, seed);
    rico_jobs_run(jobs, run_loops, NULL);
    uint64_t pieces = rico_jobs_worker_stats(jobs, 0).jobs_run;
    rico_jobs_destroy(jobs);
    return pieces;
}

TEST(jobs, disturbs_its_schedules_by_the_seed)
{
    uint64_t calm = pieces_of(0), first = pieces_of(1), second = pieces_of(2);
    CHECK_EQ(pieces_of(0), calm);
    CHECK_EQ(pieces_of(1), first);
    CHECK_MSG(first != calm && second != calm && first != second, "%llu, %llu, %llu pieces",
              (unsigned long long)calm, (unsigned long long)first, (unsigned long long)second);
}

/* ---- the watchdog ----------------------------------------------------------------------- */

typedef struct watched {
    rico__atomic32 messages, stolen;
    char text[256];
} watched;

static void keep_message(void *user, rico_log_level level, const char *text)
{
    watched *w = user;
    (void)level;
    snprintf(w->text, sizeof w->text, "%s", text);
    rico__atomic_fetch_add32(&w->messages, 1);
}

static void hang_until_reported(rico_worker *worker, void *context)
{
    watched *w = context;
    (void)worker;
    rico__atomic_store32(&w->stolen, 1);
    for (int i = 0; i < 50000 && rico__atomic_load32(&w->messages) == 0; i++)
        nap(200);
}

static void wait_for_hang(rico_worker *worker, void *context)
{
    watched *w = context;
    rico_job job;
    rico_job_fork(worker, &job, hang_until_reported, w);
    for (int i = 0; i < 50000 && rico__atomic_load32(&w->stolen) == 0; i++)
        nap(200);
    rico_job_join(worker, &job);
}

TEST(jobs, names_what_a_wait_that_does_not_end_waits_for)
{
    alarm(WATCHDOG_SECONDS);
    watched w;
    memset(&w, 0, sizeof w);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 2;
    def.watchdog_ms = 20;
    def.log = (rico_log){keep_message, &w};
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    rico_jobs_run(jobs, wait_for_hang, &w);
    CHECK_EQ(rico__atomic_load32(&w.messages), 1);
    CHECK_MSG(strstr(w.text, "worker 0 has waited 20 ms") != NULL &&
                  strstr(w.text, "which worker 1 took") != NULL,
              "the text is: %s", w.text);
    rico_jobs_destroy(jobs);
}
