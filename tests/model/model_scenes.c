/* model_scenes.c - scenes of jobs and of hosts, and the set-up of all scenes. */
#include "model_scene.h"

#include <stdlib.h>
#include <string.h>

/* ---- scenes ------------------------------------------------------------------------------- */

static void run_join(rico_worker *worker, void *context)
{
    model_scene *s = context;
    s->touch(s->user, 0);
    rico_job_fork(worker, &s->forks[0], touch_0, s);
    rico_job_fork(worker, &s->forks[1], touch_1, s);
    rico_job_join(worker, &s->forks[1]);
    s->check(s->user, 1, 1);
    rico_job_join(worker, &s->forks[0]);
    s->check(s->user, 0, 2);
    rico_job_fork(worker, &s->forks[0], touch_0, s); /* a slot is used again */
    rico_job_join(worker, &s->forks[0]);
    s->check(s->user, 0, 3);
}

static void nested_inner(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->forks[1], touch_0, s);
    rico_job_fork(worker, &s->forks[2], touch_1, s);
    rico_job_join(worker, &s->forks[2]);
    rico_job_join(worker, &s->forks[1]);
    s->check(s->user, 0, 2);
    s->touch(s->user, 2);
}

static void run_nested(rico_worker *worker, void *context)
{
    model_scene *s = context;
    s->touch(s->user, 0);
    rico_job_fork(worker, &s->forks[0], nested_inner, s);
    rico_job_fork(worker, &s->forks[3], touch_3, s);
    rico_job_join(worker, &s->forks[3]);
    rico_job_join(worker, &s->forks[0]);
    s->check(s->user, 2, 1);
    s->check(s->user, 3, 1);
}

static void attend(model_scene *s, uint32_t wanted)
{
    model_add(&s->present, 4, 1, MODEL_HERE("attend", 'x'));
    while (rico__atomic_load_relaxed32(&s->present) < wanted)
        model_yield();
}

static void attend_2(rico_worker *worker, void *context)
{
    (void)worker;
    attend(context, 2);
}

static void run_meet(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->forks[0], attend_2, s);
    attend_2(worker, s);
    rico_job_join(worker, &s->forks[0]);
}

static void do_nothing(rico_worker *worker, void *context)
{
    (void)worker, (void)context;
}

/* Answers requests until `come` has reached `wanted`. */
static void share_until(rico_worker *worker, rico_job *job, const rico__atomic32 *come,
                        uint32_t wanted)
{
    while (rico__atomic_load_relaxed32(come) < wanted) {
        rico_job_fork(worker, job, do_nothing, NULL);
        rico_job_join(worker, job);
        model_yield();
    }
}

static void run_chain(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->forks[0], attend_2, s);
    rico_job_fork(worker, &s->forks[1], attend_2, s);
    share_until(worker, &s->forks[2], &s->present, 2);
    rico_job_join(worker, &s->forks[1]);
    rico_job_join(worker, &s->forks[0]);
}

static void touch_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    model_scene *s = context;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        s->touch(s->user, (int)i);
}

static void run_range(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_worker_for(worker, 0, 4, 1, touch_range, s);
    for (int i = 0; i < 4; i++)
        s->check(s->user, i, 1);
}

static void attend_once(rico_worker *worker, void *context)
{
    (void)worker;
    attend(context, 0);
}

/* The worker that waits for this job is needed for each job that it forks. */
static void fork_for_waiter(rico_worker *worker, void *context)
{
    model_scene *s = context;
    attend(s, 0);
    for (uint32_t round = 2; round < 6; round++) {
        rico_job_fork(worker, &s->forks[1], attend_once, s);
        share_until(worker, &s->forks[2], &s->present, round);
        rico_job_join(worker, &s->forks[1]);
    }
}

static void run_late(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->forks[0], fork_for_waiter, s);
    share_until(worker, &s->forks[3], &s->present, 1);
    rico_job_join(worker, &s->forks[0]);
}

static void be_foreign(rico_worker *worker, void *context)
{
    model_scene *s = context;
    if (rico_worker_index(worker) == 0 && s->in_join)
        s->check(s->user, 2, -1);
}

static void fork_foreign(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->forks[1], be_foreign, s);
    rico_job_fork(worker, &s->forks[2], do_nothing, s);
    rico_job_join(worker, &s->forks[2]);
    rico_job_join(worker, &s->forks[1]);
}

static void fork_one(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->forks[3], do_nothing, s);
    rico_job_join(worker, &s->forks[3]);
}

static void run_foreign(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_counter_init(&s->counter, 1);
    s->task = (rico_task){.fn = fork_foreign,
                          .context = s,
                          .counter = &s->counter,
                          .place = RICO_TASK_NOT_ON_CALLER};
    rico_job_fork(worker, &s->forks[0], fork_one, s);
    rico_jobs_submit(s->jobs, &s->task);
    s->in_join = true;
    rico_job_join(worker, &s->forks[0]);
    s->in_join = false;
    rico_worker_wait(worker, &s->counter);
}

static void arrive(rico_worker *worker, void *here)
{
    (void)worker;
    rico__atomic_store_relaxed32(here, 1);
}

/* Needs another worker to run one of its jobs. */
static void need_another(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->nothing[1], do_nothing, s); /* answers a request */
    rico_job_join(worker, &s->nothing[1]);
    rico_job_fork(worker, &s->forks[2], arrive, &s->here[2]);
    share_until(worker, &s->nothing[1], &s->here[2], 1);
    rico_job_join(worker, &s->forks[2]);
}

/* When worker 0 takes this job in its join, the job holds up the worker that forked it. */
static void hold_up(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico__atomic_store_relaxed32(&s->here[1], 1);
    while (rico_worker_index(worker) == 0 && rico__atomic_load_relaxed32(&s->here[2]) == 0)
        model_yield();
}

static void fork_hold_up(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico__atomic_store_relaxed32(&s->here[0], 1);
    rico_job_fork(worker, &s->forks[3], hold_up, s);
    share_until(worker, &s->nothing[2], &s->here[1], 1);
    rico_job_join(worker, &s->forks[3]);
}

/* Only workers 0, 1 and 2 may be awake. Then 1 sleeps in its join, because 0 has the job that 1
 * forked, and 3 must take what 2 has published. */
static void run_spare(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->forks[0], need_another, s);
    rico_job_fork(worker, &s->forks[1], fork_hold_up, s);
    share_until(worker, &s->nothing[0], &s->here[0], 1);
    rico_job_join(worker, &s->forks[1]);
    rico_job_join(worker, &s->forks[0]);
}

static void await_another(rico_worker *worker, void *context)
{
    model_scene *s = context;
    (void)worker;
    while (rico__atomic_load_relaxed32(&s->here[2]) == 0)
        model_yield();
}

/* Only workers 0 and 1 may be awake, but 1 is in a task. */
static void run_aside(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_counter_init(&s->counter, 1);
    s->task = (rico_task){.fn = await_another,
                          .context = s,
                          .counter = &s->counter,
                          .place = RICO_TASK_ON_WORKER,
                          .worker = 1};
    rico_jobs_submit(s->jobs, &s->task);
    need_another(worker, s);
    rico_worker_wait(worker, &s->counter);
}

/* ---- a host with one thread ---------------------------------------------------------------- */

enum { HELPER_NONE, HELPER_WAITS, HELPER_RUNS, HELPER_DONE };

static void *host_enqueue(void *user, void (*fn)(void *context), void *context)
{
    model_scene *s = user;
    s->helper_fn = fn;
    s->helper_context = context;
    rico__atomic_store32(&s->helper, HELPER_WAITS);
    return s;
}

/* A helper that has not begun is taken back and never begins. */
static void host_finish(void *user, void *handle)
{
    model_scene *s = user;
    (void)handle;
    if (!rico__atomic_cas32(&s->helper, HELPER_WAITS, HELPER_NONE))
        while (rico__atomic_load32(&s->helper) != HELPER_DONE)
            model_yield();
}

static void be_host_thread(model_scene *s)
{
    while (rico__atomic_load32(&s->host_over) == 0) {
        if (rico__atomic_cas32(&s->helper, HELPER_WAITS, HELPER_RUNS)) {
            s->helper_fn(s->helper_context);
            if (rico__atomic_load32(&s->host_over) != 0)
                s->check(s->user, 1, -1); /* still in the pool after the run */
            rico__atomic_store32(&s->helper, HELPER_DONE);
        }
        model_yield();
    }
}

/* Runs in the helper's seat. Needs worker 0. */
static void need_worker_0(rico_worker *worker, void *context)
{
    model_scene *s = context;
    s->touch(s->user, 1);
    rico__atomic_store_relaxed32(&s->here[0], 1);
    rico_jobs_submit(s->jobs, &s->task);
    rico_worker_wait(worker, &s->counter);
    s->check(s->user, 1, s->expected);
}

/* While the helper sleeps, worker 0 has work for it and is not allowed to ask for another
 * helper. */
static void run_hosted(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_counter_init(&s->counter, 1);
    s->task = (rico_task){
        .fn = touch_1, .context = s, .counter = &s->counter, .place = RICO_TASK_ON_WORKER};
    rico_job_fork(worker, &s->forks[0], need_worker_0, s);
    share_until(worker, &s->nothing[0], &s->here[0], 1);
    for (int i = 0; i < 3; i++) {
        rico_job_fork(worker, &s->nothing[0], do_nothing, s);
        rico_job_join(worker, &s->nothing[0]);
        model_yield();
    }
    rico_worker_wait(worker, &s->counter);
    rico_job_join(worker, &s->forks[0]);
    s->check(s->user, 1, s->expected);
}

/* After a run, the next run must get a helper again. */
static void run_hosted_twice(model_scene *s)
{
    for (s->expected = 2; s->expected <= 4; s->expected += 2) {
        rico__atomic_store_relaxed32(&s->here[0], 0);
        rico_jobs_run(s->jobs, run_hosted, s);
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void wait_for_foreign(model_scene *s)
{
    while (rico__atomic_load32(&s->foreign_done) != s->foreigners)
        model_yield();
}

static void run_twice(model_scene *s)
{
    rico_jobs_run(s->jobs, touch_0, s);
    rico_jobs_run(s->jobs, touch_0, s);
    wait_for_foreign(s);
    s->check(s->user, 0, 2);
}

typedef struct scene_kind {
    uint32_t workers;
    rico_job_fn *fn;                       /* run by thread 0, unless NULL */
    void (*main)(model_scene *s);          /* run before it */
    uint32_t foreign;                      /* the first thread that is no worker's, unless 0 */
    void (*be_foreign[2])(model_scene *s); /* it and the next; NULL: none */
} scene_kind;

static const scene_kind kinds[] = {
    [MODEL_JOIN] = {2, run_join, NULL, 0, {NULL}},
    [MODEL_NESTED] = {2, run_nested, NULL, 0, {NULL}},
    [MODEL_MEET] = {2, run_meet, NULL, 0, {NULL}},
    [MODEL_CHAIN] = {3, run_chain, NULL, 0, {NULL}},
    [MODEL_RANGE] = {3, run_range, NULL, 0, {NULL}},
    [MODEL_INJECT] = {2, NULL, wait_for_foreign, 2, {model_submit_and_wait}},
    [MODEL_WAIT] = {2, model_run_wait, NULL, 0, {NULL}},
    [MODEL_GUEST] = {1, NULL, run_twice, 1, {model_submit_and_wait}},
    [MODEL_SHUTDOWN] = {3, NULL, NULL, 0, {NULL}},
    [MODEL_OPEN] = {2, run_nested, NULL, 0, {NULL}},
    [MODEL_LATE] = {2, run_late, NULL, 0, {NULL}},
    [MODEL_FOREIGN] = {2, run_foreign, NULL, 0, {NULL}},
    [MODEL_COUNT] = {2, model_run_count, NULL, 0, {NULL}},
    [MODEL_SPARE] = {4, run_spare, NULL, 0, {NULL}},
    [MODEL_ASIDE] = {3, run_aside, NULL, 0, {NULL}},
    [MODEL_GUESTS] = {1, NULL, model_submit_other_and_wait, 1, {model_submit_and_wait}},
    [MODEL_LEAVE] = {2, model_run_leave, NULL, 2, {model_submit_other_and_wait}},
    [MODEL_LONE] = {1, model_wait_for_foreign_task, NULL, 1, {model_submit_and_wait}},
    [MODEL_NEST] = {2, model_run_nest, NULL, 2, {model_submit_other_and_wait}},
    [MODEL_CROWD] = {3, model_run_crowd, NULL, 3, {model_submit_other_and_wait}},
    [MODEL_SHARED] =
        {2, NULL, run_hosted_twice, 1, {be_host_thread, model_submit_other_and_wait}},
    [MODEL_HOSTED] = {2, NULL, run_hosted_twice, 1, {be_host_thread}},
};

static void run_main(model_scene *s)
{
    const scene_kind *kind = &kinds[s->kind];
    if (kind->main != NULL)
        kind->main(s);
    if (kind->fn != NULL)
        rico_jobs_run(s->jobs, kind->fn, s);
    rico__atomic_store32(&s->host_over, 1);
    if (kind->foreign != 0)
        wait_for_foreign(s);
    rico_jobs_destroy(s->jobs);
}

model_scene *model_scene_open(model_kind kind, void *user, void (*touch)(void *user, int index),
                              void (*check)(void *user, int index, int expected))
{
    model_scene *s = calloc(1, sizeof *s);
    s->kind = kind;
    for (uint32_t i = 0; i < 2; i++)
        s->foreigners += kinds[kind].be_foreign[i] != NULL;
    s->user = user;
    s->touch = touch;
    s->check = check;
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = kinds[kind].workers;
    def.deque_capacity = 16;
    def.spin_microseconds = 0;
    def.watchdog_ms = 0;
    if (kind == MODEL_SPARE || kind == MODEL_ASIDE || kind == MODEL_CROWD)
        def.most_awake = def.worker_count - 1;
    if (kind == MODEL_HOSTED || kind == MODEL_SHARED)
        def.host = (rico_host_jobs){host_enqueue, host_finish, s};
    def.joins_help_anybody = kind == MODEL_OPEN;
    model_system_begin();
    rico_jobs_create(&def, &s->jobs);
    return s;
}

void model_scene_thread(model_scene *s, unsigned index)
{
    const scene_kind *kind = &kinds[s->kind];
    if (index == 0) {
        run_main(s);
    } else if (kind->foreign != 0 && index >= kind->foreign) {
        kind->be_foreign[index - kind->foreign](s);
        rico__atomic_fetch_add32(&s->foreign_done, 1);
    } else {
        model_system_thread(index);
    }
}

void model_scene_close(model_scene *s)
{
    free(s);
}

const char *model_survivor_reason(const char *place)
{
    static const struct {
        const char *place, *reason;
    } survivors[] = {
#define PLAIN "it publishes plain memory of the pool, which the model does not watch"
#define ATOMIC "it need only be atomic; there is no weaker read-modify-write in atomics.h"
#define FENCED "a fence follows or precedes it"
#define HOST "the host's enqueue and finish hand over all else; helpers only leave by it"
        {"jobs.c:start_threads:store", PLAIN},
        {"worker.h:pool_worker_count:load", PLAIN},
        {"worker.h:pool_log_mode:load", PLAIN},
        {"jobs.c:enter:cas", PLAIN},
        {"jobs.c:wait_for_guest:load", PLAIN},
        {"tasks.c:run_tasks_in_its_place:cas", PLAIN},
        {"tasks.c:rico__task_leave_seat:store", PLAIN},
        {"tasks.c:rico_jobs_submit_after:load", PLAIN},
        {"tasks.c:rico_jobs_submit_after:cas", PLAIN},
        {"model_atomics.h:rico__spinlock_unlock:store", PLAIN},
        {"crew.h:crew_search_begin:add", ATOMIC},
        {"crew.h:crew_search_end:add", ATOMIC},
        {"crew.h:crew_pick_sleeper:cas", ATOMIC},
        {"crew.h:crew_get_up:cas", ATOMIC},
        {"crew.h:crew_lie_down:or", FENCED},
        {"deque.c:rico__deque_reclaim:cas", "the job comes back to who forked it: " ATOMIC},
        {"idle.c:rico__idle_marks:cas", "the thief only wakes who waits: " ATOMIC},
        {"jobs.c:wait_for_guest:add", ATOMIC},
        {"tasks.c:rico_worker_wait:add", FENCED},
        {"tasks.c:rico_jobs_wait:add", FENCED},
        {"tasks.c:rico_jobs_wait:load", "it is looked at again: " FENCED},
        {"deque.c:rico__deque_ask:load", FENCED},
        {"deque.c:rico__deque_steal:load", "a request seen too late is repeated before sleep"},
        {"deque.c:take_oldest:cas",
         "the load of what it compares with has acquired, and the number "
         "of publishes says that no other came between"},
        {"idle.c:is_over:load", "the searchers' count, which both change, orders it in open "
                                "waits; closed ones begin four waits deep; a stopped worker "
                                "reads nothing more"},
        {"jobs.c:rico_jobs_destroy:load", "an assert's"},
        {"jobs.c:prepare_seats:store", "nobody else is there: " PLAIN},
        {"host.c:rico__host_begin:store", HOST},
        {"host.c:rico__host_end:store", HOST},
    };
    for (size_t i = 0; i < sizeof survivors / sizeof *survivors; i++)
        if (strcmp(place, survivors[i].place) == 0)
            return survivors[i].reason;
    return NULL;
}
