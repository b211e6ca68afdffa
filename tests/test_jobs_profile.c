/* test_jobs_profile.c - work, span and what they predict. Times are asserted from
 * below only: naps are never shorter than asked for. */
#include "jobs_fixture.h"

#include <ricochet/jobs_profile.h>
#include <ricochet/jobs_replay.h>
#include <ricochet/jobs_trace.h>
#include <stdio.h>

static void nap_1ms(rico_worker *worker, void *context)
{
    (void)worker, (void)context;
    nap(1000);
}

static void nap_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker, (void)context;
    nap(1000L * (long)(end - begin));
}

/* Four naps in parallel, then two in a row: work 6 ms, span 3 ms. */
static void four_and_two(rico_worker *worker, void *context)
{
    (void)context;
    rico_job jobs[3];
    for (int i = 0; i < 3; i++)
        rico_job_fork(worker, &jobs[i], nap_1ms, NULL);
    nap(1000);
    for (int i = 3; i-- > 0;)
        rico_job_join(worker, &jobs[i]);
    nap(2000);
}

static void loops(rico_worker *worker, void *context)
{
    (void)context;
    rico_worker_for(worker, 0, 8, 2, nap_range, NULL); /* work 8 ms, span 2 ms */
    rico_worker_for(worker, 0, 8, 0, nap_range, NULL); /* work 8 ms, span 1 ms */
}

static void nothing_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker, (void)context, (void)begin, (void)end;
}

static rico_jobs_profile measure(uint32_t workers, rico_job_fn *fn)
{
    rico_jobs *jobs = create(workers, 64, 20);
    rico_jobs_measure(jobs, true);
    rico_jobs_run(jobs, fn, NULL);
    rico_jobs_profile profile = rico_jobs_get_profile(jobs);
    CHECK_EQ(profile.runs, 1);
    rico_jobs_measure(jobs, false);
    rico_jobs_run(jobs, nap_1ms, NULL);
    CHECK_EQ(rico_jobs_get_profile(jobs).work_ns, 0);
    rico_jobs_destroy(jobs);
    return profile;
}

TEST(jobs, measures_work_and_the_longest_chain_for_any_number_of_workers)
{
    for (uint32_t workers = 1; workers <= 3; workers++) {
        rico_jobs_profile p = measure(workers, four_and_two);
        CHECK(p.work_ns >= 6000000 && p.span_ns >= 3000000);
        /* The three naps beside the longest one are not in the longest chain, however long that
         * took. */
        CHECK_MSG(p.work_ns >= p.span_ns + 2900000, "span %llu of %llu",
                  (unsigned long long)p.span_ns, (unsigned long long)p.work_ns);
    }
}

TEST(jobs, counts_a_loop_as_if_it_were_split_into_its_ranges)
{
    for (uint32_t workers = 1; workers <= 3; workers++) {
        rico_jobs_profile p = measure(workers, loops);
        CHECK(p.work_ns >= 16000000 && p.span_ns >= 3000000);
        /* Outside the chain: three ranges of 2 ms of the first loop, and at least two of the
         * second. */
        CHECK_MSG(p.work_ns >= p.span_ns + 7900000, "span %llu of %llu",
                  (unsigned long long)p.span_ns, (unsigned long long)p.work_ns);
    }
}

static void nap_half_ms(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker, (void)context;
    nap(500L * (long)(end - begin));
}

TEST(jobs, keeps_what_it_measures_apart_by_the_name_of_the_work)
{
    char second[] = "b"; /* another string with the same letters */
    rico_jobs *jobs = create(2, 64, 20);
    rico_jobs_measure(jobs, true);
    rico_jobs_for(jobs, 0, 4, 1, nap_half_ms, NULL);
    rico_jobs_name_work(jobs, "b");
    rico_jobs_run(jobs, nap_1ms, NULL);
    rico_jobs_name_work(jobs, second);
    rico_jobs_run(jobs, nap_1ms, NULL);
    rico_jobs_profile all = rico_jobs_get_profile(jobs);
    rico_jobs_profile loop = rico_jobs_get_profile_of(jobs, NULL);
    rico_jobs_profile naps = rico_jobs_get_profile_of(jobs, "b");
    CHECK_EQ(loop.runs, 1);
    CHECK_EQ(naps.runs, 2);
    CHECK_EQ(rico_jobs_get_profile_of(jobs, "c").runs, 0);
    CHECK(loop.work_ns >= 2000000 && naps.work_ns >= 2000000 && naps.span_ns >= 2000000);
    CHECK(loop.wall_ns >= 1000000 && naps.wall_ns >= 2000000);
    CHECK_EQ(all.runs, 3);
    CHECK_EQ(all.work_ns, loop.work_ns + naps.work_ns);
    CHECK_EQ(all.span_ns, loop.span_ns + naps.span_ns);
    CHECK_EQ(all.wall_ns, loop.wall_ns + naps.wall_ns);
    rico_jobs_destroy(jobs);
}

TEST(jobs, measures_more_names_than_it_keeps_in_the_total)
{
    static char names[RICO_PROFILE_NAMES + 4][8];
    rico_jobs *jobs = create(1, 64, 20);
    rico_jobs_measure(jobs, true);
    for (uint32_t i = 0; i < RICO_PROFILE_NAMES + 4; i++) {
        snprintf(names[i], sizeof names[i], "n%u", i);
        rico_jobs_name_work(jobs, names[i]);
        rico_jobs_for(jobs, 0, 4, 1, nothing_range, NULL);
    }
    CHECK_EQ(rico_jobs_get_profile(jobs).runs, RICO_PROFILE_NAMES + 4);
    CHECK_EQ(rico_jobs_get_profile_of(jobs, "n0").runs, 1);
    CHECK_EQ(rico_jobs_get_profile_of(jobs, "n16").runs, 0);
    /* Handing out four ranges takes two steals in a chain. */
    CHECK(rico_jobs_get_profile_of(jobs, "n15").span_ns >= 2 * RICO_STEAL_NS);
    rico_jobs_destroy(jobs);
}

TEST(jobs, computes_the_same_while_it_measures)
{
    for (uint32_t workers = 1; workers <= 4; workers++) {
        rico_jobs *jobs = create(workers, 16, 20); /* some forks find the deque full */
        for (int round = 0; round < 20; round++) {
            rico_jobs_measure(jobs, round % 2 == 0);
            CHECK_EQ(run_fib(jobs, 20), 6765);
        }
        rico_jobs_destroy(jobs);
    }
}

static void count_and_nap(rico_worker *worker, void *count)
{
    (void)worker;
    rico__atomic_fetch_add32(count, 1);
    nap(500);
}

static void fork_five(rico_worker *worker, void *count)
{
    rico_job jobs[5];
    for (int i = 0; i < 5; i++)
        rico_job_fork(worker, &jobs[i], count_and_nap, count);
    nap(500);
    for (int i = 5; i-- > 0;)
        rico_job_join(worker, &jobs[i]);
}

/* Whoever runs the jobs: the worker that forked them, or a thief. */
TEST(jobs, runs_and_counts_every_job_once_while_it_measures)
{
    for (uint32_t workers = 1; workers <= 3; workers++) {
        rico__atomic32 count = {0};
        uint64_t run = 0;
        rico_jobs *jobs = create(workers, 64, 20);
        rico_jobs_measure(jobs, true);
        for (int round = 0; round < 20; round++)
            rico_jobs_run(jobs, fork_five, &count);
        for (uint32_t w = 0; w < workers; w++)
            run += rico_jobs_worker_stats(jobs, w).jobs_run;
        CHECK_EQ(rico__atomic_load32(&count), 100);
        CHECK_EQ(run, 120);
        rico_jobs_destroy(jobs);
    }
}

TEST(jobs, predicts_speed_up_from_work_and_span)
{
    rico_jobs_profile p = {.work_ns = 1000000, .span_ns = 10000};
    CHECK_EQ(rico_jobs_predict_speedup(&p, 1), 1000);
    CHECK_EQ(rico_jobs_predict_speedup(&p, 4), 3883);
    CHECK_EQ(rico_jobs_predict_speedup(&p, 128), 56388);
    CHECK_EQ(rico_jobs_predict_speedup(&p, 0), 1000);
    p.span_ns = 1000000; /* all work is one chain, or handing over costs more than it saves */
    CHECK_EQ(rico_jobs_predict_speedup(&p, 4), 1000);
    p = (rico_jobs_profile){.work_ns = 100, .span_ns = 130};
    CHECK_EQ(rico_jobs_predict_speedup(&p, 128), 1000);
    p = (rico_jobs_profile){0};
    CHECK_EQ(rico_jobs_predict_speedup(&p, 2), 1000);
    p = (rico_jobs_profile){.work_ns = UINT64_MAX, .span_ns = 1}; /* it does not wrap */
    CHECK_EQ(rico_jobs_predict_speedup(&p, 2), 2000);
    CHECK_EQ(rico_jobs_predict_speedup(&p, UINT32_MAX), UINT32_MAX);
}

static int failed_asserts;

static void count_assert(const char *expression, const char *file, int line)
{
    (void)expression, (void)file, (void)line;
    failed_asserts += 1;
}

typedef struct long_task {
    rico__atomic32 begun, may_end;
} long_task;

static void run_long_task(rico_worker *worker, void *context)
{
    long_task *task = context;
    (void)worker;
    rico__atomic_store32(&task->begun, 1);
    while (rico__atomic_load32(&task->may_end) == 0)
        nap(100);
}

/* If measuring began between a fork and its join, the job would be both stolen and run by the
 * worker that forked it. */
TEST(jobs, begin_and_stop_to_measure_while_no_task_runs)
{
    static rico_steal steals[16];
    rico_jobs *jobs = create(2, 64, 20);
    long_task context = {.begun = 0};
    rico_counter done;
    rico_counter_init(&done, 1);
    rico_task task = {.fn = run_long_task, .context = &context, .counter = &done};
    rico_jobs_submit(jobs, &task);
    while (rico__atomic_load32(&context.begun) == 0)
        nap(100);
    failed_asserts = 0;
    rico_assert_set_handler(count_assert);
    rico_jobs_measure(jobs, true);
    CHECK_EQ(failed_asserts, 1);
    rico_jobs_record(jobs, steals, 16);
    CHECK_EQ(failed_asserts, 2);
    rico__atomic_store32(&context.may_end, 1);
    rico_jobs_wait(jobs, &done);
    rico_jobs_run(jobs, nap_1ms, NULL);
    CHECK_EQ(rico_jobs_get_profile(jobs).runs, 0);
    rico_jobs_record(jobs, steals, 16); /* right after its counter has fired */
    rico_jobs_record(jobs, NULL, 0);
    rico_jobs_measure(jobs, true);
    rico_jobs_measure(jobs, false);
    CHECK_EQ(failed_asserts, 2);
    rico_assert_set_handler(NULL);
    rico_jobs_destroy(jobs);
}
