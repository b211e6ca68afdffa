/* test_jobs_sleep.c - which threads the job pool's workers run on, when they sleep, and what
 * wakes them. */
#include "jobs_fixture.h"

#include "atomics.h"
#include "worker.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

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
#if !defined(_WIN32)
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (sigismember(&blocked, SIGTERM) != (index != 0))
        rico__atomic_fetch_add32(&r->bad, 1); /* the host's signals belong to its own threads */
#endif
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

/* As meet, without naps: the other worker is caught at every stage of falling asleep. */
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
            rico__cpu_pause(); /* keep the core first, or threads may share it for ever */
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

/* Every worker is needed. Jobs forked by hand: each wake has to cause the next. A range: each
 * worker needs a part of its own, because no part ends until all have begun. */
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

/* Jobs that keep three more workers busy until it is over. */
typedef struct gathering {
    rico__atomic32 present, over;
    uint32_t expected, came;
} gathering;

static void stay_until_over(rico_worker *worker, void *context)
{
    gathering *g = context;
    (void)worker;
    rico__atomic_fetch_add32(&g->present, 1);
    while (rico__atomic_load32(&g->over) == 0)
        nap(100);
}

static void gather(rico_worker *worker, void *context)
{
    gathering *g = context;
    rico_job forks[3], nothing;
    rico__atomic32 here = {0};
    for (int i = 0; i < 3; i++)
        rico_job_fork(worker, &forks[i], stay_until_over, g);
    /* Until the expected number has come, and then for another 20 ms. */
    for (int i = 0, more = 0; i < 20000 && more < 200; i++) {
        rico_job_fork(worker, &nothing, show_up, &here); /* answers requests */
        nap(100);
        rico_job_join(worker, &nothing);
        more += rico__atomic_load32(&g->present) >= g->expected;
    }
    g->came = rico__atomic_load32(&g->present);
    rico__atomic_store32(&g->over, 1);
    for (int i = 2; i >= 0; i--)
        rico_job_join(worker, &forks[i]);
}

/* Returns how many workers came. */
static uint32_t gather_once(uint32_t most_awake, uint32_t expected)
{
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs = NULL;
    alarm(WATCHDOG_SECONDS);
    def.worker_count = 4;
    def.most_awake = most_awake;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    gathering g;
    memset(&g, 0, sizeof g);
    g.expected = expected;
    /* A worker that still searches before it sleeps takes any job that it sees, however many are
     * awake. So all must be parked first. */
    for (uint32_t i = 1; i < def.worker_count; i++)
        while (rico_jobs_worker_stats(jobs, i).parks == 0)
            nap(100);
    rico_jobs_run(jobs, gather, &g);
    rico_jobs_destroy(jobs);
    return g.came;
}

/* Never fewer workers come. More come only when two workers, each of which woke another, decided
 * at the same time; this is rare. */
static void expect_to_come(uint32_t most_awake, uint32_t expected)
{
    uint32_t came = 0;
    for (int i = 0; i < 5 && came != expected; i++) {
        came = gather_once(most_awake, expected);
        CHECK(came >= expected);
    }
    CHECK_EQ(came, expected);
}

TEST(jobs, wakes_no_more_workers_for_jobs_than_may_be_awake)
{
    expect_to_come(RICO_JOBS_MAX_WORKERS, 3);
    expect_to_come(3, 2);
    expect_to_come(2, 1);
    expect_to_come(1, 0);
}

TEST(jobs, wakes_all_workers_when_there_is_work_for_all)
{
    for (uint32_t workers = 2; workers <= 8; workers *= 2) {
        rico_jobs *jobs = create(workers, 64, 10);
        for (int round = 0; round < 20; round++) {
            wait_until_all_sleep(jobs); /* latecomers are served only at the next join */
            assembly a;
            memset(&a, 0, sizeof a);
            a.wanted = workers;
            rico_jobs_run(jobs, round % 2 == 0 ? fork_assembly_by_hand : fork_assembly, &a);
            CHECK_MSG(rico__atomic_load32(&a.late) == 0, "%u of %u were alone, round %d",
                      rico__atomic_load32(&a.late), workers, round);
        }
        rico_jobs_destroy(jobs);
    }
}

TEST(jobs, lends_a_waiting_worker_to_the_jobs_it_waits_for)
{
    /* Worker 0 waits for the range that the other worker has; that range then needs both. */
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

/* The worker has made its last check for work: only a wake ends that sleep. */
static void wait_until_parked(const rico_jobs *jobs, uint64_t parks)
{
    for (int i = 0; i < 100000 && rico_jobs_worker_stats(jobs, 1).parks <= parks; i++)
        nap(100);
}

TEST(jobs, counts_spins_sleeps_and_who_woke_whom)
{
    for (uint32_t spin = 0; spin <= 20; spin += 20) {
        rico_jobs *jobs = create(2, 64, spin);
        uint64_t parks = 0;
        for (int round = 0; round < 5; round++) {
            wait_until_parked(jobs, parks);
            parks = rico_jobs_worker_stats(jobs, 1).parks;
            uint64_t wakes = rico_jobs_worker_stats(jobs, 0).wakes;
            meeting m;
            memset(&m, 0, sizeof m);
            rico_jobs_run(jobs, meet, &m);
            CHECK(m.met && rico_jobs_worker_stats(jobs, 0).wakes > wakes);
        }
        wait_until_parked(jobs, parks);
        CHECK(rico_jobs_worker_stats(jobs, 1).parks > parks);
        CHECK_EQ(rico_jobs_worker_stats(jobs, 1).spins != 0, spin != 0);
        rico_jobs_destroy(jobs);
    }
}
