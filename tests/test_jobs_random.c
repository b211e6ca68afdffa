/* test_jobs_random.c - threads that run, submit and wait at random, on pools of every kind.
 * Everything that was asked for is done once, and no wait lasts for ever. */
#include "jobs_hosts.h"

#include <stdlib.h>

#define GUESTS 3u
#define TASKS 24u

/* Used by one thread. A batch is done before the next one begins. */
typedef struct batch {
    rico_jobs *jobs;
    uint32_t places, workers; /* that tasks may be pinned to */
    uint64_t random;
    rico_task tasks[TASKS], after;
    rico_counter counter, last;
    rico__atomic32 runs;
    uint32_t submitted;
} batch;

/* Little happens at once, because otherwise a lost wake-up would be hidden by a wake-up for
 * another reason. */
typedef struct company {
    rico_jobs *jobs;
    batch batches[GUESTS + 1];
    uint32_t guests, rounds, caller_rounds;
    bool hosted, pins; /* pins: tasks to worker 0; then the caller comes while guests stay */
    rico__atomic32 arrived, gone; /* guests */
    rico__atomic32 wanted;        /* submissions that the caller waits for: */
    rico_task favour;
    rico_counter done;
} company;

static uint32_t draw(uint64_t *random, uint32_t n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % n;
}

/* Tasks of one batch run at the same time, so each draws from its address. */
static uint32_t draw_for(const void *task, uint32_t n)
{
    uint64_t random = (uintptr_t)task * 0x9e3779b97f4a7c15u;
    return draw(&random, n);
}

static void count_run(rico_worker *worker, void *context)
{
    (void)worker;
    rico__atomic_fetch_add32(context, 1);
}

static void do_something(rico_worker *worker, void *context)
{
    batch *b = context;
    fib_call call = {6, 0};
    fib(worker, &call);
    rico__atomic_fetch_add32(&b->runs, call.result == 8);
}

static void nap_in_task(rico_worker *worker, void *context)
{
    (void)worker;
    nap(50);
    rico__atomic_fetch_add32(&((batch *)context)->runs, 1);
}

static void submit_and_wait(rico_worker *worker, void *context)
{
    batch *b = context;
    rico__atomic32 runs = {0};
    rico_counter counter;
    rico_counter_init(&counter, 2);
    rico_task tasks[2];
    for (uint32_t i = 0; i < 2; i++) {
        tasks[i] = (rico_task){.fn = count_run,
                               .context = &runs,
                               .counter = &counter,
                               .place = (uint8_t)(i * draw_for(&tasks[i], 2)),
                               .urgent = i == 0};
        rico_jobs_submit(b->jobs, &tasks[i]);
    }
    rico_worker_wait(worker, &counter);
    rico__atomic_fetch_add32(&b->runs, rico__atomic_load32(&runs) == 2);
}

static void submit_batch(batch *b)
{
    static rico_job_fn *const fns[] = {do_something, nap_in_task, submit_and_wait};
    uint32_t count = 1 + draw(&b->random, draw(&b->random, 2) == 0 ? 2 : TASKS);
    rico_counter_init(&b->counter, count);
    rico_counter_init(&b->last, 1);
    b->after = (rico_task){.fn = do_something, .context = b, .counter = &b->last};
    for (uint32_t i = 0; i < count; i++) {
        b->tasks[i] = (rico_task){.fn = fns[draw(&b->random, 3)],
                                  .context = b,
                                  .counter = &b->counter,
                                  .urgent = draw(&b->random, 3) == 0,
                                  .place = (uint8_t)draw(&b->random, b->places),
                                  .worker = (uint16_t)draw(&b->random, b->workers)};
        rico_jobs_submit(b->jobs, &b->tasks[i]);
    }
    rico_jobs_submit_after(b->jobs, &b->after, &b->counter);
    b->submitted += count + 1;
}

static void grant(company *c)
{
    if (rico__atomic_cas32(&c->wanted, 1, 0))
        rico_jobs_submit(c->jobs, &c->favour);
}

static void *be_guest(void *context)
{
    company *c = context;
    batch *b = &c->batches[1 + rico__atomic_fetch_add32(&c->arrived, 1)];
    for (uint32_t round = 0; round < c->rounds; round++) {
        submit_batch(b);
        rico_jobs_wait(c->jobs, &b->last);
        CHECK_EQ(rico__atomic_load32(&b->runs), b->submitted);
        if (draw(&b->random, 4) == 0)
            nap((long)draw(&b->random, 100));
        grant(c);
    }
    rico__atomic_fetch_add32(&c->gone, 1);
    grant(c); /* the last one, or the caller sees that the guests are gone */
    return NULL;
}

static void run_batch(rico_worker *worker, void *context)
{
    batch *b = context;
    submit_batch(b);
    if (draw(&b->random, 2) == 0) {
        fib_call call = {10, 0};
        fib(worker, &call);
    }
    rico_worker_wait(worker, &b->last);
}

static void want_favour(rico_worker *worker, void *context)
{
    company *c = context;
    rico_counter_init(&c->done, 1);
    c->favour = (rico_task){.fn = nap_in_task, .context = &c->batches[0], .counter = &c->done};
    rico__atomic_exchange32(&c->wanted, 1);
    if (rico__atomic_fetch_add32(&c->gone, 0) == c->guests &&
        rico__atomic_cas32(&c->wanted, 1, 0))
        return;
    rico_worker_wait(worker, &c->done);
    c->batches[0].submitted += 1;
}

static void be_caller(company *c)
{
    batch *b = &c->batches[0];
    for (uint32_t round = 0; round < c->caller_rounds; round++) {
        uint32_t what = draw(&b->random, 5);
        if (what == 0)
            CHECK_EQ(run_fib(c->jobs, 8), 21);
        else if (what == 1)
            rico_jobs_frame_begin(c->jobs);
        else if (what == 2)
            nap((long)draw(&b->random, 200));
        else
            rico_jobs_run(c->jobs, what == 3 ? want_favour : run_batch,
                          what == 3 ? (void *)c : (void *)b);
        CHECK_EQ(rico__atomic_load32(&b->runs), b->submitted);
    }
    while (c->pins && rico__atomic_load32(&c->gone) != c->guests)
        run_fib(c->jobs, 4);
}

static rico_jobs *create_random(uint64_t *random)
{
    alarm(WATCHDOG_SECONDS);
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 1 + draw(random, 4);
    def.most_awake = 1 + draw(random, def.worker_count);
    def.deque_capacity = 16;
    def.spin_microseconds = draw(random, 2) * 20;
    def.joins_help_anybody = draw(random, 2) != 0;
    def.chaos_seed = draw(random, 2) * draw(random, 1000);
    def.watchdog_ms = 0; /* it would wake workers that a bug left asleep */
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    return jobs;
}

static void meet(company *c, uint64_t *random, host *h)
{
    memset(c, 0, sizeof *c);
    c->hosted = draw(random, 3) == 0;
    c->jobs = c->hosted
                  ? create_hosted(h, (host_kind)draw(random, HOST_KINDS), 1 + draw(random, 4))
                  : create_random(random);
    c->guests = 1 + draw(random, GUESTS);
    c->rounds = 1 + draw(random, 20);
    c->caller_rounds = draw(random, 2) * draw(random, 20);
    c->pins = draw(random, 3) == 0;
    pthread_t guests[GUESTS];
    for (uint32_t k = 0; k <= c->guests; k++)
        c->batches[k] = (batch){.jobs = c->jobs,
                                .random = *random + k,
                                .places = c->pins ? 3 : 2,
                                .workers = c->hosted ? 1 : rico_jobs_worker_count(c->jobs)};
    for (uint32_t k = 0; k < c->guests; k++)
        CHECK_EQ(pthread_create(&guests[k], NULL, be_guest, c), 0);
    be_caller(c);
    for (uint32_t k = 0; k < c->guests; k++)
        pthread_join(guests[k], NULL);
    if (c->hosted)
        destroy_hosted(h, c->jobs);
    else
        rico_jobs_destroy(c->jobs);
}

TEST(jobs, does_what_random_threads_ask_for_and_lets_nobody_wait_for_ever)
{
    static host h;
    static company c;
    const char *seed = getenv("RICO_FUZZ_SEED");
    uint64_t random = seed != NULL ? strtoull(seed, NULL, 10) : 137;
    uint32_t repeats = getenv("RICO_TEST_FULL") != NULL ? 5000 : 100;
    for (uint32_t i = 0; i < repeats; i++)
        meet(&c, &random, &h);
}
