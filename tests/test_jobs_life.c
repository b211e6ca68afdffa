/* test_jobs_life.c - the job pool's creation and end, its memory, wrong definitions and misuse. */
#include "jobs_fixture.h"

#include "worker.h"

#include <errno.h>
#include <pthread.h>

/* Host hooks that count their calls. */
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
    def.most_awake = RICO_JOBS_MAX_WORKERS + 1;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OUT_OF_RANGE);
    CHECK(strstr(h.last_text, "most_awake is 257, expected 0 to 256") != NULL);
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

static void run_nothing(rico_worker *worker, void *context)
{
    (void)worker;
    *(bool *)context = true;
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
    rico_job_join(worker, &first); /* in the wrong order: refused */
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

TEST(jobs, stay_while_somebody_holds_the_pool)
{
    bool ran = false;
    rico_jobs *jobs = create(2, 64, 20);
    failed_asserts = 0;
    rico_jobs_hold(jobs);
    rico_jobs_hold(jobs);
    rico_assert_set_handler(count_assert);
    rico_jobs_destroy(jobs);
    rico_jobs_let_go(jobs);
    rico_jobs_destroy(jobs);
    CHECK_EQ(failed_asserts, 2);
    rico_jobs_run(jobs, run_nothing, &ran);
    CHECK(ran);
    rico_jobs_let_go(jobs);
    CHECK_EQ(failed_asserts, 2);
    rico_jobs_let_go(jobs); /* not held: refused */
    CHECK_EQ(failed_asserts, 3);
    rico_jobs_destroy(jobs);
    CHECK_EQ(failed_asserts, 3);
    rico_assert_set_handler(NULL);
}

typedef struct meddling_task {
    rico_jobs *jobs;
    bool ran_inside, saw_it_run;
} meddling_task;

static void enter_from_a_task(rico_worker *worker, void *context)
{
    meddling_task *m = context;
    (void)worker;
    m->saw_it_run = rico_jobs_is_running(m->jobs);
    rico_jobs_run(m->jobs, run_nothing, &m->ran_inside);
}

/* Also holds while no thread is in rico_jobs_run: on a thread of the pool, and on a thread that
 * waits for a pool without threads. */
TEST(jobs, are_not_entered_from_a_task)
{
    for (uint32_t workers = 1; workers <= 3; workers++) {
        meddling_task m = {.jobs = create(workers, 64, 20)};
        rico_counter done;
        bool ran = false;
        failed_asserts = 0;
        rico_assert_set_handler(count_assert);
        rico_counter_init(&done, 1);
        rico_task task = {.fn = enter_from_a_task, .context = &m, .counter = &done};
        rico_jobs_submit(m.jobs, &task);
        rico_jobs_wait(m.jobs, &done);
        rico_assert_set_handler(NULL);
        CHECK_EQ(failed_asserts, 1);
        CHECK(m.saw_it_run && !m.ran_inside);
        CHECK(!rico_jobs_is_running(m.jobs));
        rico_jobs_run(m.jobs, run_nothing, &ran);
        CHECK(ran);
        rico_jobs_destroy(m.jobs);
    }
}
