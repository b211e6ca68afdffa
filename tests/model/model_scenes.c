#include "model_scenes.h"

#include "clock.h"
#include "model_atomics.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

struct model_scene {
    model_kind kind;
    void *user;
    void (*touch)(void *user, int index);
    void (*check)(void *user, int index, int expected);
    rico_jobs *jobs;
    rico__thread_main *mains[4];
    void *arguments[4];
    rico__atomic32 ended[4]; /* threads of the pool that have returned */
    rico__atomic32 present;  /* jobs that wait for each other */
    rico__atomic32 foreign_done;
    rico_counter counter, second;
    rico_task task, other, next;
    rico_job forks[4], nothing[3];
    rico__atomic32 here[3]; /* jobs that have begun */
    bool in_join;           /* worker 0's */
};

static model_scene *current; /* rico__thread_join has no other way to it */

/* ---- what the pool asks of the system ----------------------------------------------------- */

static int start(void *user, rico__thread *thread, rico__thread_main *main, void *argument)
{
    model_scene *scene = user;
    uint32_t index = ((rico_worker *)argument)->index;
    (void)thread;
    scene->mains[index] = main;
    scene->arguments[index] = argument;
    return 0;
}

int rico__thread_start(void *user, rico__thread *thread, rico__thread_main *main,
                       void *argument)
{
    return start(user, thread, main, argument);
}

void rico__thread_join(rico__thread *thread)
{
    for (uint32_t i = 1; i < 4; i++)
        if (current->arguments[i] != NULL &&
            &((rico_worker *)current->arguments[i])->thread == thread)
            while (rico__atomic_load32(&current->ended[i]) == 0)
                model_yield();
}

void rico__thread_set_name(const char *name, uint32_t number)
{
    (void)name, (void)number;
}

rico__cpu_set rico__thread_cpus(void)
{
    return (rico__cpu_set){{0}};
}

uint32_t rico__thread_current_cpu(void)
{
    return RICO__NO_CPU;
}

void rico__thread_keep_off(const rico__thread *thread, const rico__cpu_set *cpus, uint32_t cpu)
{
    (void)thread, (void)cpus, (void)cpu;
}

void rico__thread_yield(void)
{
    model_yield();
}

uint32_t rico__thread_cpu_count(void)
{
    return 2;
}

uint64_t rico__clock_ns(void)
{
    return 1;
}

/* An event count that orders nothing: all relaxed. */
static rico__atomic32 *event_of(const rico__parker *parker)
{
    return (rico__atomic32 *)(void *)&((rico__parker *)(uintptr_t)parker)->event.counter;
}

void rico__parker_init(rico__parker *parker)
{
    rico__atomic_store_relaxed32(event_of(parker), 0);
}

uint32_t rico__parker_ticket(const rico__parker *parker)
{
    return rico__atomic_load_relaxed32(event_of(parker));
}

void rico__parker_wait(rico__parker *parker, uint32_t ticket, uint64_t until_ns)
{
    (void)until_ns;
    while (rico__atomic_load_relaxed32(event_of(parker)) == ticket)
        model_yield();
}

void rico__parker_wake(rico__parker *parker)
{
    model_add(event_of(parker), 4, 1, MODEL_HERE("wake", 'x'));
}

/* ---- scenes ------------------------------------------------------------------------------- */

static void touch_0(rico_worker *worker, void *context)
{
    model_scene *s = context;
    (void)worker;
    s->touch(s->user, 0);
}

static void touch_1(rico_worker *worker, void *context)
{
    model_scene *s = context;
    (void)worker;
    s->touch(s->user, 1);
}

static void touch_3(rico_worker *worker, void *context)
{
    model_scene *s = context;
    (void)worker;
    s->touch(s->user, 3);
}

static void touch_both(rico_worker *worker, void *context)
{
    touch_0(worker, context);
    touch_3(worker, context);
}

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

/* Answers requests until so many have come. */
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

static void attend_once(rico_worker *worker, void *context)
{
    (void)worker;
    attend(context, 0);
}

/* Who waits for this job is needed for what it forks, each time. */
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

static void submit_and_wait(model_scene *s)
{
    s->touch(s->user, 1);
    rico_counter_init(&s->counter, 1);
    s->task = (rico_task){.fn = touch_1, .context = s, .counter = &s->counter};
    rico_jobs_submit(s->jobs, &s->task);
    rico_jobs_wait(s->jobs, &s->counter);
    s->check(s->user, 1, 2);
}

static void run_wait(rico_worker *worker, void *context)
{
    model_scene *s = context;
    s->touch(s->user, 0);
    rico_counter_init(&s->counter, 2);
    rico_counter_init(&s->second, 1);
    s->next = (rico_task){.fn = touch_both, .context = s, .counter = &s->second};
    s->task = (rico_task){
        .fn = touch_0, .context = s, .counter = &s->counter, .place = RICO_TASK_NOT_ON_CALLER};
    s->other = (rico_task){.fn = touch_3,
                           .context = s,
                           .counter = &s->counter,
                           .place = RICO_TASK_ON_WORKER,
                           .worker = 1};
    s->touch(s->user, 3);
    rico_jobs_submit(s->jobs, &s->task);
    rico_jobs_submit(s->jobs, &s->other);
    rico_jobs_submit_after(s->jobs, &s->next, &s->counter);
    rico_worker_wait(worker, &s->second);
    s->check(s->user, 3, 3);
    s->check(s->user, 0, 3);
}

/* The last to count down has not run the other task: what that one wrote reaches the waiter by the
 * chain of count-downs alone. */
static void run_count(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_counter_init(&s->counter, 2);
    s->task = (rico_task){
        .fn = touch_0, .context = s, .counter = &s->counter, .place = RICO_TASK_NOT_ON_CALLER};
    s->other = (rico_task){
        .fn = touch_3, .context = s, .counter = &s->counter, .place = RICO_TASK_ON_WORKER};
    rico_jobs_submit(s->jobs, &s->task);
    rico_jobs_submit(s->jobs, &s->other);
    rico_worker_wait(worker, &s->counter);
    s->check(s->user, 0, 1);
    s->check(s->user, 3, 1);
}

static void arrive(rico_worker *worker, void *here)
{
    (void)worker;
    rico__atomic_store_relaxed32(here, 1);
}

/* Needs one of the others, on another worker. */
static void need_another(rico_worker *worker, void *context)
{
    model_scene *s = context;
    rico_job_fork(worker, &s->nothing[1], do_nothing, s); /* takes a request down */
    rico_job_join(worker, &s->nothing[1]);
    rico_job_fork(worker, &s->forks[2], arrive, &s->here[2]);
    share_until(worker, &s->nothing[1], &s->here[2], 1);
    rico_job_join(worker, &s->forks[2]);
}

/* On worker 0, which takes it in its join, it holds up who forked it. */
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

/* Workers 0, 1 and 2 are all that may be awake; then 1 sleeps in its join, for 0 has what it forked,
 * and 3 must take what 2 has published. */
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

/* Workers 0 and 1 are all that may be awake; but 1 is in a task. */
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

static void wait_for_foreign(model_scene *s)
{
    while (rico__atomic_load32(&s->foreign_done) == 0)
        model_yield();
}

static void run_main(model_scene *s)
{
    static rico_job_fn *const fns[] = {
        [MODEL_JOIN] = run_join,   [MODEL_NESTED] = run_nested,   [MODEL_MEET] = run_meet,
        [MODEL_CHAIN] = run_chain, [MODEL_INJECT] = run_join,     [MODEL_WAIT] = run_wait,
        [MODEL_GUEST] = touch_0,   [MODEL_SHUTDOWN] = NULL,       [MODEL_OPEN] = run_nested,
        [MODEL_LATE] = run_late,   [MODEL_FOREIGN] = run_foreign, [MODEL_COUNT] = run_count,
        [MODEL_SPARE] = run_spare, [MODEL_ASIDE] = run_aside};
    if (s->kind == MODEL_INJECT) {
        wait_for_foreign(s); /* else its task could be run by way of the join below */
    } else if (s->kind == MODEL_GUEST) {
        rico_jobs_run(s->jobs, touch_0, s);
        rico_jobs_run(s->jobs, touch_0, s);
        wait_for_foreign(s);
        s->check(s->user, 0, 2);
    } else if (fns[s->kind] != NULL) {
        rico_jobs_run(s->jobs, fns[s->kind], s);
    }
    rico_jobs_destroy(s->jobs);
}

static bool is_foreign(const model_scene *s, unsigned index)
{
    return (s->kind == MODEL_INJECT && index == 2) || (s->kind == MODEL_GUEST && index == 1);
}

model_scene *model_scene_open(model_kind kind, void *user, void (*touch)(void *user, int index),
                              void (*check)(void *user, int index, int expected))
{
    static const uint32_t workers[] = {2, 2, 2, 3, 2, 2, 1, 3, 2, 2, 2, 2, 4, 3};
    model_scene *s = calloc(1, sizeof *s);
    current = s;
    s->kind = kind;
    s->user = user;
    s->touch = touch;
    s->check = check;
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = workers[kind];
    def.deque_capacity = 16;
    def.spin_microseconds = 0;
    def.watchdog_ms = 0;
    if (kind == MODEL_SPARE || kind == MODEL_ASIDE)
        def.most_awake = def.worker_count - 1;
    def.joins_help_anybody = kind == MODEL_OPEN;
    rico__jobs_create_with(&def, start, s, &s->jobs);
    return s;
}

void model_scene_thread(model_scene *s, unsigned index)
{
    if (index == 0) {
        run_main(s);
    } else if (is_foreign(s, index)) {
        submit_and_wait(s);
        rico__atomic_store32(&s->foreign_done, 1);
    } else {
        s->mains[index](s->arguments[index]);
        rico__atomic_store32(&s->ended[index], 1);
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
        {"jobs.c:start_threads:store", PLAIN},
        {"worker.h:pool_worker_count:load", PLAIN},
        {"worker.h:pool_log_mode:load", PLAIN},
        {"jobs.c:enter:cas", PLAIN},
        {"jobs.c:leave:store", PLAIN},
        {"jobs.c:wait_for_guest:load", PLAIN},
        {"tasks.c:run_tasks_in_its_place:cas", PLAIN},
        {"tasks.c:run_tasks_in_its_place:store", PLAIN},
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
    };
    for (size_t i = 0; i < sizeof survivors / sizeof *survivors; i++)
        if (strcmp(place, survivors[i].place) == 0)
            return survivors[i].reason;
    return NULL;
}
