/* test_jobs_tasks.c - tasks and counters: where tasks run, in what order, and how threads wait
 * for them. */
#include "jobs_fixture.h"

#include "atomics.h"

#include <pthread.h>
#include <ricochet/tasks.h>

static const uint32_t worker_counts[] = {1, 2, 3, 8};
#define WORKER_COUNTS (sizeof worker_counts / sizeof *worker_counts)

#define MANY 2000u

typedef struct crowd {
    rico_task tasks[MANY];
    uint32_t runs[MANY]; /* plain: the counter makes them visible */
    rico_counter counter;
    rico_jobs *jobs;
} crowd;

static void run_once(rico_worker *worker, void *context)
{
    (void)worker;
    *(uint32_t *)context += 1;
}

static void fill(crowd *c, rico_jobs *jobs)
{
    memset(c, 0, sizeof *c);
    c->jobs = jobs;
    rico_counter_init(&c->counter, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        c->tasks[i] = (rico_task){.fn = run_once,
                                  .context = &c->runs[i],
                                  .counter = &c->counter,
                                  .urgent = i % 3 == 0};
}

static bool all_ran_once(const crowd *c)
{
    for (uint32_t i = 0; i < MANY; i++)
        if (c->runs[i] != 1)
            return false;
    return true;
}

static void submit_all(crowd *c)
{
    for (uint32_t i = 0; i < MANY; i++)
        rico_jobs_submit(c->jobs, &c->tasks[i]);
}

TEST(jobs, runs_each_task_once_however_many_there_are)
{
    static crowd c;
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 64, 20);
        for (int round = 0; round < 5; round++) {
            fill(&c, jobs);
            submit_all(&c); /* far more than a ring holds */
            rico_jobs_wait(jobs, &c.counter);
            CHECK(all_ran_once(&c));
        }
        rico_jobs_destroy(jobs);
    }
}

static void submit_and_wait(rico_worker *worker, void *context)
{
    crowd *c = context;
    submit_all(c);
    rico_worker_wait(worker, &c->counter);
}

TEST(jobs, lets_a_job_wait_for_tasks_that_it_submitted)
{
    static crowd c;
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 64, 5);
        for (int round = 0; round < 5; round++) {
            fill(&c, jobs);
            rico_jobs_run(jobs, submit_and_wait, &c);
            CHECK(all_ran_once(&c));
        }
        rico_jobs_destroy(jobs);
    }
}

static void *submit_from_outside(void *context)
{
    crowd *c = context;
    submit_all(c);
    rico_jobs_wait(c->jobs, &c->counter);
    return NULL;
}

TEST(jobs, lets_foreign_threads_submit_and_wait_while_the_pool_works)
{
    static crowd c[4];
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 64, 20);
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) {
            fill(&c[i], jobs);
            CHECK_EQ(pthread_create(&threads[i], NULL, submit_from_outside, &c[i]), 0);
        }
        for (int i = 0; i < 50; i++)
            CHECK_EQ(run_fib(jobs, 12), 144);
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            CHECK(all_ran_once(&c[i]));
        }
        rico_jobs_destroy(jobs);
    }
}

TEST(jobs, wakes_a_job_that_waits_for_a_task_that_comes_from_outside)
{
    for (size_t w = 0; w < WORKER_COUNTS; w++)
        for (int place = 0; place <= RICO_TASK_ON_WORKER; place++) {
            rico_jobs *jobs = create(worker_counts[w], 16, 0);
            wait_for_late_task(jobs, place);
            rico_jobs_destroy(jobs);
        }
}

/* A task comes while a worker falls asleep: the thread that must wake a worker does so. */
TEST(jobs, loses_no_task_that_comes_while_a_worker_falls_asleep)
{
    for (uint32_t workers = 1; workers <= 3; workers++) {
        rico_jobs *jobs = create(workers, 16, 0);
        uint32_t runs = 0;
        for (uint32_t round = 0; round < 3000; round++) {
            rico_counter counter;
            rico_counter_init(&counter, 1);
            rico_task task = {.fn = run_once, .context = &runs, .counter = &counter};
            task.place = round % 2 ? RICO_TASK_NOT_ON_CALLER : RICO_TASK_ANYWHERE;
            rico_jobs_submit(jobs, &task);
            rico_jobs_wait(jobs, &counter);
            for (volatile uint32_t i = 0; i < round % 64 * 16; i++) {
            }
        }
        CHECK_EQ(runs, 3000);
        rico_jobs_destroy(jobs);
    }
}

typedef struct place_check {
    rico_task task;
    uint32_t ran_on;
} place_check;

static void note_place(rico_worker *worker, void *context)
{
    ((place_check *)context)->ran_on = rico_worker_index(worker);
}

typedef struct place_checks {
    place_check checks[300];
    rico_counter counter;
    rico_jobs *jobs;
} place_checks;

static void submit_placed(rico_worker *worker, void *context)
{
    place_checks *p = context;
    uint32_t workers = rico_jobs_worker_count(p->jobs);
    for (uint32_t i = 0; i < 300; i++) {
        p->checks[i] = (place_check){
            .task = {.fn = note_place,
                     .context = &p->checks[i],
                     .counter = &p->counter,
                     .place = i % 2 ? RICO_TASK_ON_WORKER : RICO_TASK_NOT_ON_CALLER,
                     .worker = (uint16_t)(i % workers)},
            .ran_on = UINT32_MAX};
        rico_jobs_submit(p->jobs, &p->checks[i].task);
    }
    rico_worker_wait(worker, &p->counter);
}

TEST(jobs, runs_tasks_where_they_may_run_only)
{
    static place_checks p;
    for (uint32_t workers = 2; workers <= 5; workers++) {
        p.jobs = create(workers, 16, workers % 2 * 20);
        rico_counter_init(&p.counter, 300);
        rico_jobs_run(p.jobs, submit_placed, &p);
        for (uint32_t i = 0; i < 300; i++)
            CHECK(i % 2 ? p.checks[i].ran_on == i % workers : p.checks[i].ran_on != 0);
        rico_jobs_destroy(p.jobs);
    }
}

TEST(jobs, runs_tasks_of_the_calling_thread_before_a_run_returns)
{
    rico_jobs *jobs = create(3, 16, 20);
    place_check check = {.ran_on = UINT32_MAX};
    check.task = (rico_task){
        .fn = note_place, .context = &check, .place = RICO_TASK_ON_WORKER, .worker = 0};
    rico_jobs_submit(jobs, &check.task);
    nap(2000);
    CHECK_EQ(check.ran_on, UINT32_MAX);
    CHECK_EQ(run_fib(jobs, 5), 5);
    CHECK_EQ(check.ran_on, 0);
    rico_jobs_destroy(jobs);
}

typedef struct log_entry {
    rico_task task;
    struct order_log *log;
    uint32_t number;
} log_entry;

typedef struct order_log {
    log_entry entries[20];
    uint32_t seen[20], count; /* written by one worker only */
    rico_counter counter;
} order_log;

static void log_run(rico_worker *worker, void *context)
{
    log_entry *entry = context;
    (void)worker;
    entry->log->seen[entry->log->count++] = entry->number;
}

TEST(jobs, takes_urgent_tasks_first_and_others_in_the_order_they_came)
{
    static order_log log;
    rico_jobs *jobs = create(1, 16, 20);
    rico_counter_init(&log.counter, 20);
    for (uint32_t i = 0; i < 20; i++) {
        log.entries[i] = (log_entry){.task = {.fn = log_run,
                                              .context = &log.entries[i],
                                              .counter = &log.counter,
                                              .urgent = i % 2 == 1},
                                     .log = &log,
                                     .number = i};
        rico_jobs_submit(jobs, &log.entries[i].task);
    }
    rico_jobs_wait(jobs, &log.counter);
    for (uint32_t i = 0; i < 20; i++)
        CHECK_EQ(log.seen[i], i < 10 ? 2 * i + 1 : 2 * (i - 10));
    rico_jobs_destroy(jobs);
}

/* Withdraws the tasks of the set of bits, of eight that wait, in one queue. Another one, which comes
 * after that, is the last. */
static void withdraw(uint32_t set)
{
    static order_log log;
    uint32_t expected[9], count = 0;
    rico_jobs *jobs = create(1, 16, 20);
    log.count = 0;
    rico_counter_init(&log.counter, 9 - (uint32_t)__builtin_popcount(set));
    for (uint32_t i = 0; i < 9; i++) {
        log.entries[i] = (log_entry){
            .task = {.fn = log_run, .context = &log.entries[i], .counter = &log.counter},
            .log = &log,
            .number = i};
        for (uint32_t k = 0; k < 8 && i == 8; k++)
            if ((set >> k & 1u) != 0)
                CHECK(rico_jobs_withdraw(jobs, &log.entries[k].task));
        if (i == 8 || (set >> i & 1u) == 0)
            expected[count++] = i;
        rico_jobs_submit(jobs, &log.entries[i].task);
    }
    for (uint32_t k = 0; k < 8; k++)
        CHECK((set >> k & 1u) == 0 || !rico_jobs_withdraw(jobs, &log.entries[k].task));
    rico_jobs_wait(jobs, &log.counter);
    CHECK_EQ(log.count, count);
    CHECK_EQ(memcmp(log.seen, expected, count * sizeof *expected), 0);
    CHECK_EQ(rico_jobs_worker_stats(jobs, 0).jobs_run, count);
    rico_jobs_destroy(jobs);
}

TEST(jobs, runs_all_tasks_but_those_that_are_withdrawn)
{
    static const uint32_t sets[] = {0x00, 0x01, 0x08, 0x80, 0x81, 0x5a, 0x7f, 0xfe, 0xff};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        withdraw(sets[i]);
}

/* first -> 100 seconds -> last. Each second reads, without atomics, what the first wrote. */
typedef struct continuation {
    rico_task first, seconds[100], last;
    rico_counter after_first, after_seconds, all;
    uint32_t value, seen[100], sum;
} continuation;

static void write_value(rico_worker *worker, void *context)
{
    (void)worker;
    ((continuation *)context)->value = 7;
}

static void read_value(rico_worker *worker, void *context)
{
    (void)worker;
    uint32_t index;
    memcpy(&index, context, sizeof index);
    continuation *c;
    memcpy(&c, (char *)context + sizeof index, sizeof c);
    c->seen[index] = c->value;
}

static void sum_values(rico_worker *worker, void *context)
{
    continuation *c = context;
    (void)worker;
    for (int i = 0; i < 100; i++)
        c->sum += c->seen[i];
}

static void submit_chain(rico_jobs *jobs, continuation *c, bool first_first)
{
    memset(c, 0, sizeof *c);
    rico_counter_init(&c->after_first, 1);
    rico_counter_init(&c->after_seconds, 100);
    rico_counter_init(&c->all, 1);
    c->first = (rico_task){.fn = write_value, .context = c, .counter = &c->after_first};
    c->last = (rico_task){.fn = sum_values, .context = c, .counter = &c->all};
    if (first_first)
        rico_jobs_submit(jobs, &c->first);
    rico_jobs_submit_after(jobs, &c->last, &c->after_seconds);
    for (uint32_t i = 0; i < 100; i++) {
        rico_task *task = &c->seconds[i];
        *task = (rico_task){
            .fn = read_value, .context = task->arguments, .counter = &c->after_seconds};
        memcpy(task->arguments, &i, sizeof i); /* arguments inside the record */
        memcpy(task->arguments + sizeof i, &c, sizeof c);
        rico_jobs_submit_after(jobs, task, &c->after_first);
    }
    if (!first_first)
        rico_jobs_submit(jobs, &c->first);
}

TEST(jobs, runs_continuations_after_all_that_they_wait_for)
{
    static continuation c;
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 16, 10);
        for (int round = 0; round < 100; round++) {
            submit_chain(jobs, &c, round % 2 == 0);
            rico_jobs_wait(jobs, &c.all);
            CHECK_EQ(c.sum, 700);
        }
        rico_jobs_destroy(jobs);
    }
}

TEST(jobs, does_not_wait_for_a_counter_of_nothing)
{
    rico_jobs *jobs = create(2, 16, 10);
    rico_counter counter;
    rico_counter_init(&counter, 0);
    CHECK(rico_counter_fired(&counter));
    rico_jobs_wait(jobs, &counter);
    uint32_t runs = 0;
    rico_counter done;
    rico_counter_init(&done, 1);
    rico_task task = {.fn = run_once, .context = &runs, .counter = &done};
    rico_jobs_submit_after(jobs, &task, &counter);
    rico_jobs_wait(jobs, &done);
    CHECK_EQ(runs, 1);
    rico_jobs_destroy(jobs);
}
