/* test_jobs_host.c - pools on the host's jobs: all legal hosts give the same results. */
#include "jobs_hosts.h"

static void add_squares(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    uint64_t *values = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        values[i] += (uint64_t)i * i;
}

TEST(jobs, gives_the_same_results_on_every_legal_host)
{
    static host h;
    static uint64_t values[1000];
    for (int kind = 0; kind < HOST_KINDS; kind++)
        for (uint32_t workers = 1; workers <= 5; workers += 2) {
            rico_jobs *jobs = create_hosted(&h, (host_kind)kind, workers);
            memset(values, 0, sizeof values);
            for (uint64_t round = 1; round <= 20; round++) {
                CHECK_EQ(run_fib(jobs, 16), 987);
                rico_jobs_for(jobs, 0, 1000, round % 2 ? 7 : 0, add_squares, values);
                for (uint64_t i = 0; i < 1000; i++)
                    CHECK_EQ(values[i], round * i * i);
            }
            destroy_hosted(&h, jobs);
        }
}

typedef struct task_run {
    rico_jobs *jobs;
    rico_task tasks[50];
    rico_counter counter;
    rico__atomic32 runs;
} task_run;

static void count_run(rico_worker *worker, void *context)
{
    (void)worker;
    rico__atomic_fetch_add32(context, 1);
}

static void run_tasks(rico_worker *worker, void *context)
{
    task_run *t = context;
    rico_counter_init(&t->counter, 50);
    for (uint32_t i = 0; i < 50; i++) {
        t->tasks[i] = (rico_task){.fn = count_run,
                                  .context = &t->runs,
                                  .counter = &t->counter,
                                  .place = (uint8_t)(i % 2)};
        rico_jobs_submit(t->jobs, &t->tasks[i]);
    }
    if (worker != NULL)
        rico_worker_wait(worker, &t->counter);
}

TEST(jobs, runs_tasks_on_every_legal_host)
{
    static host h;
    for (int kind = 0; kind < HOST_KINDS; kind++) {
        task_run t = {.jobs = create_hosted(&h, (host_kind)kind, 3)};
        rico_jobs_run(t.jobs, run_tasks, &t);
        run_tasks(NULL, &t); /* from outside the pool */
        rico_jobs_wait(t.jobs, &t.counter);
        CHECK_EQ(rico__atomic_load32(&t.runs), 100);
        destroy_hosted(&h, t.jobs);
    }
}

TEST(jobs, wakes_a_job_that_waits_for_a_task_from_outside_on_every_legal_host)
{
    static host h;
    for (int kind = 0; kind < HOST_KINDS; kind++)
        for (int place = 0; place <= RICO_TASK_ON_WORKER; place++) {
            rico_jobs *jobs = create_hosted(&h, (host_kind)kind, 3);
            wait_for_late_task(jobs, place);
            destroy_hosted(&h, jobs);
        }
}

/* Waits, without joining, until another worker runs the fork. */
static void show_up(rico_worker *worker, void *context)
{
    rico__atomic_store32(context, rico_worker_index(worker) + 1);
}

static void wait_for_company(rico_worker *worker, void *context)
{
    rico__atomic32 who = {0};
    rico_job job;
    rico_job_fork(worker, &job, show_up, &who);
    for (int i = 0; i < 20000 && rico__atomic_load32(&who) == 0; i++)
        nap(100);
    *(uint32_t *)context += rico__atomic_load32(&who) > 1;
    rico_job_join(worker, &job);
}

TEST(jobs, uses_the_threads_of_the_host)
{
    static host h;
    for (int kind = HOST_THREADS; kind < HOST_KINDS; kind++) {
        rico_jobs *jobs = create_hosted(&h, (host_kind)kind, 4);
        uint32_t met = 0;
        for (int round = 0; round < 10; round++)
            rico_jobs_run(jobs, wait_for_company, &met);
        CHECK_EQ(met, 10);
        destroy_hosted(&h, jobs);
    }
}

typedef struct shifts {
    uint32_t worked[4]; /* what each worker ran */
} shifts;

static void work_a_shift(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    shifts *s = context;
    s->worked[rico_worker_index(worker)] += end - begin;
    nap(2000);
}

TEST(jobs, brings_all_of_a_hosts_threads_to_a_long_range)
{
    static host h;
    rico_jobs *jobs = create_hosted(&h, HOST_THREADS, 4);
    bool all = false;
    for (int round = 0; round < 5 && !all; round++) {
        shifts s = {{0}};
        rico_jobs_for(jobs, 0, 80, 1, work_a_shift, &s);
        all = true;
        for (int i = 0; i < 4; i++) /* 20 would be an even share */
            all = all && s.worked[i] >= 12;
    }
    CHECK_MSG(all, "some of three threads and the caller did less than 12 of 80, five times");
    destroy_hosted(&h, jobs);
}

static void nothing(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker, (void)context, (void)begin, (void)end;
}

TEST(jobs, asks_the_host_in_every_run_however_late_its_helpers_were)
{
    static host h;
    for (uint32_t workers = 2; workers <= 4; workers++)
        for (int kind = HOST_EAGER; kind <= HOST_LATE; kind++) {
            rico_jobs *jobs = create_hosted(&h, (host_kind)kind, workers);
            for (uint32_t round = 0; round < 50; round++) {
                uint32_t before = h.count;
                rico_jobs_for(jobs, 0, 100, 1, nothing, NULL);
                CHECK_MSG(h.count > before, "nobody was asked in round %u of %u workers", round,
                          workers);
            }
            destroy_hosted(&h, jobs);
        }
}
