/* test_jobs_wakes.c - which worker is woken for a task, and what happens when that worker finds
 * something else to do. */
#include "jobs_fixture.h"

#include "worker.h"

#include <ricochet/job_graph.h>
#include <ricochet/jobs_profile.h>
#include <signal.h>

static void count_one(rico_worker *worker, void *context)
{
    (void)worker;
    rico__atomic_fetch_add32(context, 1);
}

static void wait_for_sleepers(const rico_jobs *jobs, uint32_t count)
{
    while (crew_asleep(&jobs->crew) != count || crew_searching(&jobs->crew) != 0)
        nap(100);
}

#if !defined(_WIN32)
/* A signal handler keeps the caller, asleep in its wait, from waking up. */
static rico__atomic32 is_held, may_go;

static void hold(int signal)
{
    (void)signal;
    rico__atomic_store32(&is_held, 1);
    while (rico__atomic_load32(&may_go) == 0)
        nap(100);
}

typedef struct leaver {
    rico_jobs *jobs;
    pthread_t caller;
    rico_task task;
    rico_counter counter;
    rico__atomic32 runs;
} leaver;

/* Ends the caller's wait, and submits a task before the caller has noticed. */
static void *end_wait_and_submit(void *context)
{
    leaver *l = context;
    wait_for_sleepers(l->jobs, rico_jobs_worker_count(l->jobs));
    nap(1000);
    pthread_kill(l->caller, SIGUSR1);
    while (rico__atomic_load32(&is_held) == 0)
        nap(100);
    rico_jobs_submit(l->jobs, &l->task);
    rico_jobs_wait(l->jobs, &l->counter);
    wait_for_sleepers(l->jobs, rico_jobs_worker_count(l->jobs));
    rico_counter counter;
    rico_counter_init(&counter, 1);
    rico_task task = {.fn = count_one, .context = &l->runs, .counter = &counter};
    rico_jobs_submit(l->jobs, &task);
    rico__atomic_store32(&may_go, 1);
    rico_jobs_wait(l->jobs, &counter);
    return NULL;
}

static void wait_for_its_end(rico_worker *worker, void *context)
{
    rico_worker_wait(worker, &((leaver *)context)->counter);
}

/* The worker that was to be woken for the task may leave. */
TEST(jobs, loses_no_task_that_comes_as_the_caller_leaves_its_wait)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = hold;
    CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    for (uint32_t workers = 2; workers <= 3; workers++) {
        leaver l = {.jobs = create(workers, 16, 0), .caller = pthread_self()};
        l.task = (rico_task){.fn = count_one,
                             .context = &l.runs,
                             .counter = &l.counter,
                             .place = RICO_TASK_ON_WORKER,
                             .worker = 1};
        rico_counter_init(&l.counter, 1);
        rico__atomic_store32(&is_held, 0);
        rico__atomic_store32(&may_go, 0);
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, end_wait_and_submit, &l), 0);
        rico_jobs_run(l.jobs, wait_for_its_end, &l);
        pthread_join(thread, NULL);
        CHECK_EQ(rico__atomic_load32(&l.runs), 2);
        rico_jobs_destroy(l.jobs);
    }
}
#endif

/* The worker that comes for the task first finds a job, which needs the task to have run. */
typedef struct detour {
    rico_jobs *jobs;
    rico__atomic32 runs, late;
} detour;

static void await_task(rico_worker *worker, void *context)
{
    detour *d = context;
    (void)worker;
    for (int i = 0; i < 20000; i++) {
        if (rico__atomic_load32(&d->runs) != 0)
            return;
        nap(100);
    }
    rico__atomic_fetch_add32(&d->late, 1);
}

static void submit_and_fork(rico_worker *worker, void *context)
{
    detour *d = context;
    rico_counter counter;
    rico_counter_init(&counter, 1);
    rico_task task = {.fn = count_one, .context = &d->runs, .counter = &counter};
    rico_job job;
    rico_jobs_submit(d->jobs, &task);
    rico_job_fork(worker, &job, await_task, d);
    await_task(worker, d);
    rico_job_join(worker, &job);
    rico_worker_wait(worker, &counter);
}

TEST(jobs, wakes_another_worker_where_who_was_woken_for_a_task_finds_a_job)
{
    rico_jobs *jobs = create(3, 16, 0);
    for (int round = 0; round < 20; round++) {
        wait_for_sleepers(jobs, 2);
        detour d = {.jobs = jobs};
        rico_jobs_run(jobs, submit_and_fork, &d);
        CHECK_MSG(rico__atomic_load32(&d.late) == 0, "nobody came, round %d", round);
    }
    rico_jobs_destroy(jobs);
}

/* A task that waits until another has run, however long it takes. It records whether the other
 * ran in time. */
typedef struct gate {
    rico__atomic32 runs, late;
} gate;

static void open_gate(rico_worker *worker, void *context)
{
    (void)worker;
    rico__atomic_fetch_add32(&((gate *)context)->runs, 1);
}

static void wait_so_long(gate *g, uint32_t runs, int times)
{
    for (int i = 0; i < times; i++) {
        if (rico__atomic_load32(&g->runs) >= runs)
            return;
        nap(100);
    }
    rico__atomic_fetch_add32(&g->late, 1);
}

static void wait_at(gate *g, uint32_t runs)
{
    wait_so_long(g, runs, 20000);
}

static void wait_at_gate(rico_worker *worker, void *context)
{
    (void)worker;
    wait_at(context, 1);
}

static bool was_on_time(gate *g)
{
    return rico__atomic_load32(&g->late) == 0;
}

/* The wake for the second task goes to a worker that has to run the first. */
TEST(jobs, runs_a_task_beside_one_that_is_pinned_to_who_was_woken_for_it)
{
    rico_jobs *jobs = create(4, 16, 0);
    for (int round = 0; round < 20; round++) {
        gate g = {{0}, {0}};
        rico_counter counter;
        rico_counter_init(&counter, 2);
        rico_task pinned = {.fn = wait_at_gate,
                            .context = &g,
                            .counter = &counter,
                            .place = RICO_TASK_ON_WORKER,
                            .worker = 1};
        rico_task any = {.fn = open_gate, .context = &g, .counter = &counter};
        wait_for_sleepers(jobs, 3);
        rico_jobs_submit(jobs, &pinned);
        rico_jobs_submit(jobs, &any);
        rico_jobs_wait(jobs, &counter);
        CHECK_MSG(was_on_time(&g), "round %d", round);
    }
    rico_jobs_destroy(jobs);
}

typedef struct two_tasks {
    rico_jobs *jobs;
    rico_task first, second;
    rico_counter counter;
} two_tasks;

static void *submit_two(void *context)
{
    two_tasks *two = context;
    wait_for_sleepers(two->jobs, rico_jobs_worker_count(two->jobs));
    rico_jobs_submit(two->jobs, &two->first);
    rico_jobs_submit(two->jobs, &two->second);
    rico_jobs_wait(two->jobs, &two->counter);
    return NULL;
}

static void wait_for_two(rico_worker *worker, void *context)
{
    rico_worker_wait(worker, &((two_tasks *)context)->counter);
}

/* Two workers are woken. The one that may run both tasks takes the urgent one; the other may not
 * run the task that is left. */
TEST(jobs, runs_a_task_that_is_not_for_the_caller_beside_an_urgent_one)
{
    rico_jobs *jobs = create(4, 16, 5);
    for (int round = 0; round < 50; round++) {
        gate g = {{0}, {0}};
        two_tasks two = {.jobs = jobs};
        rico_counter_init(&two.counter, 2);
        two.first = (rico_task){.fn = open_gate,
                                .context = &g,
                                .counter = &two.counter,
                                .place = RICO_TASK_NOT_ON_CALLER};
        two.second = (rico_task){
            .fn = wait_at_gate, .context = &g, .counter = &two.counter, .urgent = 1};
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, submit_two, &two), 0);
        rico_jobs_run(jobs, wait_for_two, &two);
        pthread_join(thread, NULL);
        CHECK_MSG(was_on_time(&g), "round %d", round);
    }
    rico_jobs_destroy(jobs);
}

/* Tasks that submit themselves again and again. */
typedef struct poller {
    rico_task task;
    rico_jobs *jobs;
    gate *gate;
} poller;

static void poll_until_open(rico_worker *worker, void *context)
{
    poller *p = context;
    (void)worker;
    if (rico__atomic_load32(&p->gate->runs) == 0)
        rico_jobs_submit(p->jobs, &p->task);
}

TEST(jobs, lets_no_task_wait_behind_those_that_come_again)
{
    enum { POLLERS = 600 };
    static poller pollers[POLLERS];
    rico_jobs *jobs = create(2, 16, 5);
    gate g = {{0}, {0}};
    rico_counter counter;
    rico_counter_init(&counter, 1);
    for (uint32_t i = 0; i < POLLERS; i++) {
        pollers[i] = (poller){.jobs = jobs, .gate = &g};
        pollers[i].task = (rico_task){.fn = poll_until_open, .context = &pollers[i]};
        rico_jobs_submit(jobs, &pollers[i].task);
    }
    rico_task last = {.fn = open_gate, .context = &g, .counter = &counter};
    rico_jobs_submit(jobs, &last);
    rico_jobs_wait(jobs, &counter);
    rico_jobs_destroy(jobs); /* the pollers that are left are dropped */
}

/* A worker that waits for a counter is woken for another task only when all other workers are
 * busy. */
typedef struct short_wait {
    rico_jobs *jobs;
    gate gate;
    rico_task task, other;
    rico_counter counter, other_counter;
} short_wait;

static void end_soon(rico_worker *worker, void *context)
{
    (void)worker;
    (void)context;
    nap(3000);
}

static void wait_briefly(rico_worker *worker, void *context)
{
    (void)worker;
    wait_so_long(context, 1, 500);
}

static void wait_a_moment(rico_worker *worker, void *context)
{
    short_wait *w = context;
    rico_jobs_submit(w->jobs, &w->task);
    rico_worker_wait(worker, &w->counter);
    open_gate(worker, &w->gate);
}

static void *submit_other(void *context)
{
    short_wait *w = context;
    while (!crew_has(&w->jobs->crew, RICO__CREW_WAITS))
        nap(50);
    nap(200); /* its last check for work is over, mostly */
    rico_jobs_submit(w->jobs, &w->other);
    rico_jobs_wait(w->jobs, &w->other_counter);
    return NULL;
}

TEST(jobs, wakes_the_idle_for_a_task_before_who_waits)
{
    rico_jobs *jobs = create(3, 16, 0);
    uint32_t late = 0;
    for (int round = 0; round < 20; round++) {
        short_wait w = {.jobs = jobs};
        rico_counter_init(&w.counter, 1);
        rico_counter_init(&w.other_counter, 1);
        w.task = (rico_task){
            .fn = end_soon, .counter = &w.counter, .place = RICO_TASK_NOT_ON_CALLER};
        w.other =
            (rico_task){.fn = wait_briefly, .context = &w.gate, .counter = &w.other_counter};
        pthread_t thread;
        wait_for_sleepers(jobs, 2);
        CHECK_EQ(pthread_create(&thread, NULL, submit_other, &w), 0);
        rico_jobs_run(jobs, wait_a_moment, &w);
        pthread_join(thread, NULL);
        late += !was_on_time(&w.gate);
    }
    CHECK_MSG(late < 15, "%u of 20", late); /* all, if the waiting worker were woken first */
    rico_jobs_destroy(jobs);
}

/* Two of three workers may be awake. One is in a job, the other begins to wait, and the third
 * may come for the other's jobs. */
typedef struct left_behind {
    rico_jobs *jobs;
    gate begun, gate;
    rico_counter counter;
    rico_task task;
} left_behind;

static void be_busy(rico_worker *worker, void *context)
{
    left_behind *l = context;
    open_gate(worker, &l->begun);
    wait_at(&l->gate, 1);
}

static void open_it(rico_worker *worker, void *context)
{
    open_gate(worker, &((left_behind *)context)->gate);
}

static void wait_in_job(rico_worker *worker, void *context)
{
    rico_worker_wait(worker, &((left_behind *)context)->counter);
}

static void leave_behind(rico_worker *worker, void *context)
{
    left_behind *l = context;
    rico_job busy, behind, waits, nothing;
    rico_job_fork(worker, &busy, be_busy, l);
    while (rico__atomic_load32(&l->begun.runs) == 0) {
        gate unused = {{0}, {0}};
        rico_job_fork(worker, &nothing, open_gate, &unused); /* answers requests */
        nap(100);
        rico_job_join(worker, &nothing);
    }
    rico_job_fork(worker, &behind, open_it, l);
    rico_job_fork(worker, &waits, wait_in_job, l);
    rico_job_join(worker, &waits);
    rico_job_join(worker, &behind);
    rico_job_join(worker, &busy);
}

static void *end_its_wait(void *context)
{
    left_behind *l = context;
    wait_at(&l->gate, 1);
    rico_jobs_submit(l->jobs, &l->task);
    return NULL;
}

static void do_nothing(rico_worker *worker, void *context)
{
    (void)worker, (void)context;
}

TEST(jobs, lends_the_cpu_of_who_waits_to_who_may_take_its_jobs)
{
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = 3;
    def.most_awake = 2;
    def.spin_microseconds = 5;
    def.watchdog_ms = 0;
    alarm(WATCHDOG_SECONDS);
    rico_jobs *jobs = NULL;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    for (int round = 0; round < 5; round++) {
        left_behind l = {.jobs = jobs};
        rico_counter_init(&l.counter, 1);
        l.task = (rico_task){.fn = do_nothing, .counter = &l.counter};
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, end_its_wait, &l), 0);
        rico_jobs_run(jobs, leave_behind, &l);
        pthread_join(thread, NULL);
        CHECK_MSG(was_on_time(&l.gate), "round %d", round);
    }
    rico_jobs_destroy(jobs);
}

/* Three nodes become ready at once while all other workers are busy. Those workers come for two
 * of them when they are free. */
static void be_busy_for_a_while(rico_worker *worker, void *context)
{
    (void)worker, (void)context;
    nap(20000);
}

static void wait_for_two_others(rico_worker *worker, void *context)
{
    (void)worker;
    wait_at(context, 2);
}

TEST(jobs, shares_all_nodes_that_are_ready_before_it_runs_one)
{
    rico_jobs *jobs = create(3, 64, 5);
    rico_graph_def def = rico_graph_def_default();
    rico_graph *graph = NULL;
    gate g = {{0}, {0}};
    uint32_t root, node;
    CHECK_EQ(rico_graph_create(&def, &graph), RICO_OK);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(rico_graph_add(graph, be_busy_for_a_while, NULL, &node), RICO_OK);
    CHECK_EQ(rico_graph_add(graph, end_soon, NULL, &root), RICO_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(rico_graph_add(graph, i == 0 ? wait_for_two_others : open_gate, &g, &node),
                 RICO_OK);
        CHECK_EQ(rico_graph_order(graph, root, node), RICO_OK);
    }
    CHECK_EQ(rico_graph_seal(graph), RICO_OK);
    for (int round = 0; round < 5; round++) {
        rico__atomic_store32(&g.runs, 0);
        rico_jobs_run_graph(jobs, graph);
        CHECK_MSG(was_on_time(&g), "round %d", round);
    }
    rico_graph_destroy(graph);
    rico_jobs_destroy(jobs);
}

/* Neither waits nor tasks count as work, but the jobs that tasks fork do. */
static void fork_a_nap(rico_worker *worker, void *context)
{
    rico_job job;
    (void)context;
    rico_job_fork(worker, &job, end_soon, NULL);
    rico_job_join(worker, &job);
}

static void wait_beside(rico_worker *worker, void *context)
{
    rico_counter counter;
    rico_counter_init(&counter, 1);
    rico_task task = {
        .fn = *(rico_job_fn **)context, .counter = &counter, .place = RICO_TASK_NOT_ON_CALLER};
    rico_jobs_submit(rico_worker_jobs(worker), &task);
    rico_worker_wait(worker, &counter);
}

TEST(jobs, measures_what_tasks_fork_and_no_wait_for_them)
{
    for (uint32_t workers = 1; workers <= 2; workers++)
        for (int forks = 0; forks < 2; forks++) {
            rico_jobs *jobs = create(workers, 16, 0);
            rico_job_fn *fn = forks ? fork_a_nap : end_soon;
            rico_jobs_measure(jobs, true);
            rico_jobs_run(jobs, wait_beside, &fn);
            rico_jobs_profile profile = rico_jobs_get_profile(jobs);
            CHECK(profile.wall_ns >= 3000000 && profile.span_ns < 2000000);
            if (forks)
                CHECK(profile.work_ns >= 3000000 && profile.work_ns < 2 * profile.wall_ns);
            else
                CHECK(profile.work_ns < 2000000);
            rico_jobs_destroy(jobs);
        }
}

TEST(jobs, counts_the_time_of_tasks_that_a_waiting_thread_runs_as_busy)
{
    rico_jobs *jobs = create(1, 16, 0);
    rico_counter counter;
    rico_counter_init(&counter, 1);
    rico_task task = {.fn = end_soon, .counter = &counter};
    rico_jobs_submit(jobs, &task);
    rico_jobs_wait(jobs, &counter);
    uint64_t busy = rico_jobs_worker_stats(jobs, 0).busy_ns;
    CHECK(busy >= 3000000 && busy < UINT64_C(90000000000));
    rico_jobs_destroy(jobs);
}

static int assert_count;

static void count_assert(const char *expression, const char *file, int line)
{
    (void)expression, (void)file, (void)line;
    assert_count += 1;
}

static rico_job left_alone;

static void fork_and_return(rico_worker *worker, void *context)
{
    rico_job_fork(worker, &left_alone, do_nothing, context);
}

TEST(jobs, asserts_that_all_forks_are_joined)
{
    for (int in_task = 0; in_task < 2; in_task++) {
        rico_jobs *jobs = create(in_task ? 2 : 1, 16, 0);
        rico_job_fn *fn = fork_and_return;
        rico_assert_set_handler(count_assert);
        assert_count = 0;
        if (in_task)
            rico_jobs_run(jobs, wait_beside, &fn);
        else
            rico_jobs_run(jobs, fork_and_return, NULL);
        rico_assert_set_handler(NULL);
        CHECK(assert_count >= 1);
        rico_jobs_destroy(jobs);
    }
}
