/* idle.c - what a worker without work does (search, spin for a bounded time, sleep), and which
 * worker wakes which.
 *
 * An idle worker is searching (counted in crew.searching) or asleep (in crew.asleep).
 *
 * Two conditions are to hold:
 * (W) While there is public work and some worker sleeps, some worker searches or is being woken.
 * (A) While no worker searches and some worker sleeps, the request of every other deque is up, so
 *     that its owner's next fork, join or range publishes.
 *
 * Three rules see to it:
 * 1. A worker that publishes, and then sees no worker searching, wakes one sleeper
 *    (rico__worker_share).
 * 2. A worker that stops searching other than to sleep (it found work, or its join is done), and
 *    was the last to search, looks at all deques. It wakes one sleeper if there is public work
 *    (end_search).
 * 3. A worker that lies down enters the set, leaves the count, and *then* looks at all deques
 *    again. If one has public work, it stays awake. Else it sees to it that the deque's request
 *    is up (may_sleep).
 *
 * Publisher: publish; fence; read searching and asleep. Sleeper: enter the set, leave the
 * count; fence; read the deques. By the fences one of the two sees the other: no publish is
 * missed (W). The same pair with "take the request down" in the place of "publish" gives (A).
 * More than one worker may be woken: one that takes a job wakes others for the jobs that are
 * left (wake_for_more). A worker that a publisher relied on leaves the count by rule 2 or rule
 * 3, never silently. A thread that wakes a sleeper raises the count before it takes the sleeper
 * out of the set, so the count is never too low.
 *
 * A task wakes one sleeper, whichever workers search. That worker may have something else to
 * do: its own wait is over, or it takes a job or another task first. Then it wakes another
 * worker for the tasks that are left (rico__task_pass_on).
 *
 * With more workers than may be awake (rico_jobs_def.most_awake), some are spare. "Some worker
 * sleeps" then means that a sleeper may be woken, because more workers rest than are spare
 * (crew_wakeable). A worker that lies down may make that true; by rule 3 the conditions hold
 * then as they did without spare workers. A worker that begins to rest in another way, asleep
 * in its join or in a task, does for a sleeper what the sleeper itself did by rule 3
 * (rico__idle_leave_cpu). Two workers that decide at once may wake one too many, and joins and
 * tasks wake the workers that they need. So most_awake is a bound for how many share a CPU, not
 * a lock.
 *
 * A join that waits runs only what was forked for its own job (leap.c), and is none of the
 * above. Where the pool is told so (joins_help_anybody), it is an idle worker that may steal
 * from any other: in the outermost WAIT_DEPTH joins of a stack; deeper ones only leapfrog. So a
 * stack is at most as deep as a serial run's, with that option WAIT_DEPTH + 1 times as deep. No
 * wait is circular, except those of forked jobs for tasks that run on some workers only
 * (rico_worker_wait): a job that is waited for began after the one that waits, and stacks grow
 * in the order in which jobs began.
 */
#include "clock.h"
#include "log.h"
#include "worker.h"

#include <ricochet/jobs_trace.h>

#define WAIT_DEPTH 4u

/* A worker that wakes up for work, or by a hint, wakes this many more. So all sleep no longer
 * than it takes to wake log2 of them. */
#define WAKES_EACH 2

/* While a run lasts, workers spin this many times as long, because more work is likelier: what
 * one worker does alone is mostly over sooner than others lie down and get up. A host's threads
 * do not, since they have other things to do. */
#define SPINS_IN_RUN 4u

/* A worker spins this long with pauses, then gives the core to any thread that is ready. On a
 * machine that is shared, that may be the worker that it waits for. */
#define YIELD_AFTER_NS 30000u

typedef struct idle_stint {
    rico_worker *worker;
    rico_job *awaited;           /* NULL: waits for a counter, or else until the pool stops */
    const rico_counter *counter; /* NULL: waits for a job, or else until the pool stops */
    bool open;                   /* may take any job and be woken for it; else: leap.c */
    uint64_t watch_until;        /* ns; when the watchdog looks next; 0 = never */
} idle_stint;

/* Joins take no tasks: they would wait for the end of something unrelated. Nor do a host's
 * helpers: a task may wait for worker 0, which may be under it on the same stack, or may wait
 * for the helper's end. */
static bool takes_tasks(const idle_stint *stint)
{
    return stint->counter != NULL ||
           (stint->awaited == NULL && !pool_is_hosted(stint->worker->pool));
}

static bool has_public_work(const rico_jobs *pool)
{
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count; i++)
        if (deque_public_count(&pool->workers[i].deque) != 0)
            return true;
    return false;
}

void rico__idle_wake(rico_worker *worker, rico_worker *sleeper)
{
    count_add(&worker->counts.wakes, 1);
    rico__parker_wake(&sleeper->parker);
}

/* The caller counts as searching already, on behalf of the sleeper. */
static bool hand_over_to_sleeper(rico_worker *worker)
{
    rico_jobs *pool = worker->pool;
    uint32_t sleeper = RICO__CREW_NOBODY;
    if (crew_wakeable(&pool->crew) == 0)
        return false;
    if (!pool_is_hosted(pool) || rico__host_may_wake(worker))
        sleeper = crew_pick_sleeper(&pool->crew, RICO__CREW_IDLE, 0);
    if (sleeper != RICO__CREW_NOBODY && pool_is_hosted(pool)) {
        rico__host_wake(&pool->workers[sleeper]);
        return true;
    }
    for (uint32_t kind = RICO__CREW_WAITS;
         kind < RICO__CREW_KINDS && sleeper == RICO__CREW_NOBODY; kind++)
        sleeper = crew_pick_sleeper(&pool->crew, kind, 0);
    if (sleeper == RICO__CREW_NOBODY)
        return false;
    rico__idle_wake(worker, &pool->workers[sleeper]);
    return true;
}

static void end_search(rico_worker *worker)
{
    rico_jobs *pool = worker->pool;
    while (crew_search_end(&pool->crew)) {
        /* Without this fence the reads below could miss the job of a publisher that still saw
         * this worker searching. */
        rico__fence_seq_cst();
        bool wakeable = crew_wakeable(&pool->crew) != 0;
        if ((!wakeable && !crew_leaps(&pool->crew)) || !has_public_work(pool))
            return;
        if (!wakeable) {
            rico__leap_wake_one(worker);
            return;
        }
        crew_search_begin(&pool->crew);
        if (hand_over_to_sleeper(worker))
            return;
        /* If hosted, the sleepers are seats, for which worker 0 asks the host. */
        if (pool_is_hosted(pool)) {
            rico__deque_want(&pool->workers[0].deque);
            crew_search_end(&pool->crew);
            return;
        }
    }
}

void rico__idle_wake_one(rico_worker *worker)
{
    crew_search_begin(&worker->pool->crew);
    if (hand_over_to_sleeper(worker))
        return;
    rico__leap_wake_one(worker);
    end_search(worker);
}

void rico__idle_wake_for_task(rico_jobs *pool, bool not_caller)
{
    crew_search_begin(&pool->crew);
    uint32_t sleeper = crew_pick_sleeper(&pool->crew, RICO__CREW_IDLE, not_caller);
    if (sleeper == RICO__CREW_NOBODY)
        sleeper = crew_pick_sleeper(&pool->crew, RICO__CREW_WAITS, not_caller);
    if (sleeper != RICO__CREW_NOBODY)
        rico__parker_wake(&pool->workers[sleeper].parker);
    else
        end_search(&pool->workers[0]); /* a pool with threads: any worker stands for it */
}

void rico__idle_leave_cpu(rico_worker *worker)
{
    rico_jobs *pool = worker->pool;
    if (crew_spare(&pool->crew) == 0 || crew_wakeable(&pool->crew) == 0)
        return;
    bool work = false;
    for (uint32_t i = 0; i < pool_worker_count(pool); i++)
        work = rico__deque_ask(&pool->workers[i].deque, 0) || work;
    if (work)
        rico__idle_wake_one(worker);
}

/* Acquire: what the job, or the destroyer, wrote before is used after. */
static bool is_over(const idle_stint *stint)
{
    if (stint->awaited != NULL)
        return rico__atomic_load32(job_state(stint->awaited)) == RICO__JOB_DONE;
    if (stint->counter != NULL)
        return rico_counter_fired(stint->counter);
    const rico_jobs *pool = stint->worker->pool;
    return rico__atomic_load32(pool_is_hosted(pool) ? &pool->host_over : &pool->stopping) != 0;
}

rico_job *rico__idle_note_steal(rico_worker *thief, const rico_worker *victim, rico_job *job)
{
    count_add(job != NULL ? &thief->counts.steals : &thief->counts.failed_steals, 1);
    uint32_t base = (uint32_t)(thief->deque.top - thief->deque.slots);
    if (job == NULL)
        return NULL;
    if (pool_log_mode(thief->pool) != RICO__LOG_NONE)
        rico__replay_note_steal(thief, victim, job);
    /* Relaxed: a join that sees the thief late leaps late. */
    rico__atomic_store_relaxed32(job_thief(job), thief_pack(thief->index, base));
    return job;
}

/* One attempt at each worker that may be stolen from. *victim: the worker that had the job. */
static rico_job *look_around(const idle_stint *stint, rico_worker **victim)
{
    rico_worker *worker = stint->worker;
    rico_worker *workers = worker->pool->workers;
    rico_job *job = NULL;
    if (pool_replays(worker->pool)) {
        job = rico__replay_steal(worker, victim);
        return job != NULL ? rico__idle_note_steal(worker, *victim, job) : NULL;
    }
    if (stint->awaited != NULL)
        job = rico__leap(worker, stint->awaited, victim);
    uint32_t count = stint->open ? pool_worker_count(worker->pool) : 0;
    for (uint32_t i = 0; i < count && job == NULL; i++) {
        uint32_t index = (worker->victim + i) % count;
        if (index == worker->index)
            continue;
        *victim = &workers[index];
        job = rico__idle_note_steal(worker, *victim, rico__deque_steal(&(*victim)->deque));
        if (job != NULL)
            worker->victim = index;
    }
    return job;
}

/* The worker is not counted among the searchers. */
static void run_task(rico_worker *worker, rico_task *task)
{
    rico__crew *crew = &worker->pool->crew;
    /* Not again if a task waits and runs another one. */
    bool aside = crew_spare(crew) != 0 && crew_lie_down(crew->aside, worker->index);
    if (aside) {
        /* Without this fence a publisher could count this worker as awake, while this worker
         * does not see the publisher's job. */
        rico__fence_seq_cst();
        rico__idle_leave_cpu(worker);
    }
    rico__worker_busy_begin(worker);
    rico__task_run(worker, task);
    rico__worker_busy_end(worker);
    if (aside)
        crew_get_up(crew->aside, worker->index);
}

static void run_stolen(rico_worker *worker, rico_worker *victim, rico_job *job)
{
    rico_job **top = worker->deque.top;
    rico__worker_busy_begin(worker);
    count_add(deque_jobs_run(&worker->deque), job->fn != rico__range_run);
    if (pool_measures(worker->pool)) {
        uint64_t awaiting = worker->span; /* of the join in whose wait this runs, if any */
        rico__profile_resume(worker, job->span);
        job->fn(worker, job->context);
        RICO__STORE_UNSURE(&job->span, rico__profile_strand(worker));
        worker->span = awaiting;
    } else {
        job->fn(worker, job->context);
    }
    rico__check_joined(worker, top);
    rico__worker_busy_end(worker);
    /* Releases what the job wrote to its join. After this the record may be gone. The victim,
     * in whose join the job may be awaited, stays. */
    if (rico__atomic_exchange32(job_state(job), RICO__JOB_DONE) == RICO__JOB_AWAITED)
        rico__idle_wake(worker, victim);
}

bool rico__idle_marks(rico_job *awaited)
{
    return rico__atomic_cas32(job_state(awaited), RICO__JOB_PENDING, RICO__JOB_AWAITED) ||
           /* Else the job was marked before an earlier sleep. Relaxed: is_over looks again. */
           rico__atomic_load_relaxed32(job_state(awaited)) != RICO__JOB_DONE;
}

/* The last look before sleep: rule 3. */
static bool may_sleep(const idle_stint *stint)
{
    rico_jobs *pool = stint->worker->pool;
    /* Without this fence the reads below could be older than this worker's entry in the set.
     * Then a publisher would not wake it, and it would not see the job. */
    rico__fence_seq_cst();
    if (is_over(stint) || pool_replays(pool)) /* a worker that follows a log is never woken */
        return false;
    if (stint->awaited != NULL && !rico__idle_marks(stint->awaited))
        return false;
    if (takes_tasks(stint) && rico__task_waits_for(stint->worker))
        return false;
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count; i++)
        if (i != stint->worker->index && rico__deque_ask(&pool->workers[i].deque, 0))
            return false;
    return true;
}

/* After a hint, each worker that wakes up wakes up to WAKES_EACH others, so the hint costs its
 * caller one wake only. */
static void pass_hint_on(rico_worker *worker)
{
    const rico_jobs *pool = worker->pool;
    uint64_t until = rico__atomic_load_relaxed64(&pool->awake_until);
    if (until == 0)
        return;
    for (int i = 0;
         i < WAKES_EACH && crew_wakeable(&pool->crew) != 0 && rico__clock_ns() < until; i++)
        rico__idle_wake_one(worker);
}

void rico__idle_stay_awake(rico_jobs *pool, uint64_t until_ns)
{
    rico__atomic_store_relaxed64(&pool->awake_until, until_ns);
    /* Without this fence a worker could lie down by the old time and not be seen asleep below.
     * That would cost time, not correctness. */
    rico__fence_seq_cst();
    if (crew_wakeable(&pool->crew) != 0)
        rico__idle_wake_one(&pool->workers[0]);
}

/* On a host's jobs, the idle workers are free seats. */
static uint32_t kind_of(const idle_stint *stint)
{
    return stint->awaited != NULL   ? RICO__CREW_JOINS
           : stint->counter != NULL ? RICO__CREW_WAITS
                                    : RICO__CREW_IDLE;
}

void rico__idle_sleep(rico_worker *worker, uint32_t ticket, uint64_t until_ns)
{
    count_add(&worker->counts.parks, 1);
    uint64_t begin = rico_worker_zone_begin(worker);
    rico__parker_wait(&worker->parker, ticket, until_ns);
    rico_worker_zone_end(worker, "sleep", begin);
}

static void park(const idle_stint *stint)
{
    rico_worker *worker = stint->worker;
    rico__crew *crew = &worker->pool->crew;
    if (!stint->open) {
        rico__leap_sleep(worker, stint->awaited, stint->watch_until);
        return;
    }
    uint32_t ticket = rico__parker_ticket(&worker->parker);
    rico__atomic64 *set = crew->asleep[kind_of(stint)];
    rico__atomic_store_relaxed32(&worker->waits, stint->counter != NULL); /* may_sleep fences */
    crew_lie_down(set, worker->index);
    crew_search_end(crew);
    if (may_sleep(stint)) {
        /* This worker shared all it had when it began to wait. With it asleep, there may be
         * room for a worker that takes what is left. */
        if (stint->counter != NULL && deque_public_count(&worker->deque) != 0 &&
            crew_has(crew, RICO__CREW_IDLE))
            rico__idle_leave_cpu(worker);
        rico__idle_sleep(worker, ticket, stint->watch_until);
    }
    rico__atomic_store_relaxed32(&worker->waits, 0);
    /* It is counted before it leaves the set: at no time may a publisher see it in neither. */
    crew_search_begin(crew);
    if (!crew_get_up(set, worker->index))
        crew_search_end(crew); /* the thread that took it out of the set has counted it */
    pass_hint_on(worker);
}

/* False: the time to spin is over. */
static bool spin(rico_worker *worker, uint64_t since)
{
    const rico_jobs *pool = worker->pool;
    uint64_t now = rico__clock_ns(), elapsed = now - since;
    bool runs = !pool_is_hosted(pool) && rico__atomic_load_relaxed32(&pool->running) != 0;
    if (elapsed >= pool->spin_ns * (runs ? SPINS_IN_RUN : 1) &&
        now >= rico__atomic_load_relaxed64(&pool->awake_until))
        return false;
    count_add(&worker->counts.spins, 1);
    if (elapsed < YIELD_AFTER_NS)
        rico__cpu_pause();
    else
        rico__thread_yield();
    return true;
}

/* For a thief, before it runs what it took. By (W) alone one worker would wake up after the
 * other, and a wake-up takes as long as a small loop. Not done where sleepers are seats. */
static void wake_for_more(rico_worker *worker, const rico_worker *victim)
{
    const rico__crew *crew = &worker->pool->crew;
    if (pool_is_hosted(worker->pool))
        return;
    for (int i = 0; i < WAKES_EACH && crew_wakeable(crew) != 0 &&
                    deque_public_count(&victim->deque) > crew_searching(crew);
         i++)
        rico__idle_wake_one(worker);
}

/* Runs work of any kind: pinned and urgent tasks, jobs, other tasks, in this order. False: there
 * is none. */
static bool find_and_run(const idle_stint *stint)
{
    rico_worker *worker = stint->worker, *victim = NULL;
    rico_task *task = takes_tasks(stint) ? rico__task_take_first(worker) : NULL;
    rico_job *job = task == NULL ? look_around(stint, &victim) : NULL;
    if (task == NULL && job == NULL && takes_tasks(stint))
        task = rico__task_take_last(worker);
    if (task == NULL && job == NULL)
        return false;
    if (stint->open)
        end_search(worker);
    else if (crew_leaps(&worker->pool->crew))
        rico__leap_wake_one(worker);
    if (stint->open && job != NULL)
        wake_for_more(worker, victim);
    if (takes_tasks(stint) && crew_asleep(&worker->pool->crew) != 0)
        rico__task_pass_on(worker);
    if (task != NULL)
        run_task(worker, task);
    else
        run_stolen(worker, victim, job);
    if (stint->open)
        crew_search_begin(&worker->pool->crew);
    return true;
}

/* Says once what this wait waits for. */
static void watch(idle_stint *stint)
{
    const rico_jobs *pool = stint->worker->pool;
    if (stint->watch_until == 0 || rico__clock_ns() < stint->watch_until)
        return;
    stint->watch_until = 0;
    const char *name = rico__atomic_load_relaxed_ptr(&pool->work_name);
    unsigned ms = (unsigned)(pool->watchdog_ns / 1000000);
    if (stint->awaited != NULL)
        rico__log(&pool->log, RICO_LOG_WARNING,
                  "jobs: worker %u has waited %u ms in \"%s\" for the job of function %p, "
                  "which worker %d took",
                  stint->worker->index, ms, name != NULL ? name : "work",
                  (void *)(uintptr_t)stint->awaited->fn,
                  (int)thief_worker(rico__atomic_load_relaxed32(job_thief(stint->awaited))));
    else
        rico__log(&pool->log, RICO_LOG_WARNING,
                  "jobs: worker %u has waited %u ms in \"%s\" for the counter at %p",
                  stint->worker->index, ms, name != NULL ? name : "work",
                  (void *)(uintptr_t)stint->counter);
}

/* Whether the log that is followed says that the worker took another job during this wait. */
static bool must_stay(const idle_stint *stint, uint64_t since)
{
    return stint->awaited != NULL && rico__replay_steal_is_due(stint->worker) &&
           !rico__replay_is_late(stint->worker->pool, since);
}

static void idle(idle_stint *stint)
{
    rico_worker *worker = stint->worker;
    rico_jobs *pool = worker->pool;
    if (pool->watchdog_ns != 0 && (stint->awaited != NULL || stint->counter != NULL))
        stint->watch_until = rico__clock_ns() + pool->watchdog_ns;
    if (stint->open)
        crew_search_begin(&pool->crew);
    uint64_t since = rico__clock_ns();
    while (!is_over(stint) || must_stay(stint, since)) {
        if (!find_and_run(stint)) {
            if (worker->chaos != 0)
                rico__chaos_disturb(worker);
            if (spin(worker, since))
                continue;
            park(stint);
            watch(stint);
        }
        since = rico__clock_ns();
    }
    if (stint->open)
        end_search(worker);
    if (takes_tasks(stint))
        rico__task_pass_on(worker);
}

/* True: the seat is free, or another helper has it already. */
static bool leave_seat(const idle_stint *stint)
{
    rico_worker *seat = stint->worker;
    rico__crew *crew = &seat->pool->crew;
    crew_lie_down(crew->asleep[RICO__CREW_IDLE], seat->index);
    crew_search_end(crew);
    if (may_sleep(stint))
        return true;
    crew_search_begin(crew);
    if (crew_get_up(crew->asleep[RICO__CREW_IDLE], seat->index))
        return false;
    crew_search_end(crew);
    return true;
}

void rico__idle_as_helper(rico_worker *seat)
{
    rico_jobs *pool = seat->pool;
    idle_stint stint = {.worker = seat, .open = true};
    uint64_t since = rico__clock_ns();
    while (!is_over(&stint)) {
        if (find_and_run(&stint))
            since = rico__clock_ns();
        else if (!spin(seat, since) && leave_seat(&stint))
            return;
    }
    crew_lie_down(pool->crew.asleep[RICO__CREW_IDLE], seat->index);
    crew_search_end(&pool->crew);
}

void rico__idle_until_fired(rico_worker *worker, const rico_counter *counter)
{
    /* A worker that waits here cannot answer requests, so thieves get all there is. */
    rico__worker_share_all(worker);
    /* Always open, because the tasks that are waited for may be behind others. */
    idle_stint stint = {.worker = worker, .counter = counter, .open = true};
    idle(&stint);
}

void rico__idle_until_done(rico_worker *worker, rico_job *job)
{
    bool open = worker->pool->joins_help_anybody && worker->wait_depth < WAIT_DEPTH;
    idle_stint stint = {.worker = worker, .awaited = job, .open = open};
    worker->wait_depth += open;
    idle(&stint);
    worker->wait_depth -= open;
}

void rico__idle_until_stopped(rico_worker *worker)
{
    idle_stint stint = {.worker = worker, .open = true};
    idle(&stint);
}
