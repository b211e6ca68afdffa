/* jobs.c - creation, destruction, entering a pool, statistics. */
#include "check.h"
#include "clock.h"
#include "float_mode.h"
#include "log.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>

#define DEF_COOKIE 0x4a4f4253u /* "JOBS" */

rico_jobs_def rico_jobs_def_default(void)
{
    return (rico_jobs_def){
        .cookie = DEF_COOKIE,
        .deque_capacity = 1024,
        .spin_microseconds = 50,
        .hint_microseconds = 2000,
        .keep_off_caller = true,
        .most_awake = RICO_ASSERT_LEVEL >= 2 ? RICO_JOBS_MAX_WORKERS : 0,
        .watchdog_ms = RICO_ASSERT_LEVEL >= 2 ? 10000 : 0,
    };
}

static rico_result check_def(const rico_jobs_def *def)
{
    static const char call[] = "rico_jobs_create";
    if (def->cookie != DEF_COOKIE) /* its log cannot be trusted either */
        return rico__fail(NULL, RICO_UNINITIALIZED_DEF, call,
                          "def was not made by rico_jobs_def_default");
    if (def->worker_count > RICO_JOBS_MAX_WORKERS)
        return rico__fail(&def->log, RICO_OUT_OF_RANGE, call,
                          "def.worker_count is %u, expected 0 to %u", def->worker_count,
                          RICO_JOBS_MAX_WORKERS);
    uint32_t capacity = def->deque_capacity;
    if (capacity < 16 || capacity > 65536 || (capacity & (capacity - 1)) != 0)
        return rico__fail(&def->log, RICO_OUT_OF_RANGE, call,
                          "def.deque_capacity is %u, expected a power of two from 16 to 65536",
                          capacity);
    if (def->spin_microseconds > 10000)
        return rico__fail(&def->log, RICO_OUT_OF_RANGE, call,
                          "def.spin_microseconds is %u, expected 0 to 10000",
                          def->spin_microseconds);
    if (def->hint_microseconds > 100000)
        return rico__fail(&def->log, RICO_OUT_OF_RANGE, call,
                          "def.hint_microseconds is %u, expected 0 to 100000",
                          def->hint_microseconds);
    if (def->most_awake > RICO_JOBS_MAX_WORKERS)
        return rico__fail(&def->log, RICO_OUT_OF_RANGE, call,
                          "def.most_awake is %u, expected 0 to %u", def->most_awake,
                          RICO_JOBS_MAX_WORKERS);
    uint32_t events = def->trace_capacity;
    if (events > 1048576 || (events & (events - 1)) != 0)
        return rico__fail(
            &def->log, RICO_OUT_OF_RANGE, call,
            "def.trace_capacity is %u, expected 0 or a power of two up to 1048576", events);
    if ((def->host.enqueue == NULL) != (def->host.finish == NULL))
        return rico__fail(
            &def->log, RICO_OUT_OF_RANGE, call,
            "def.host has only one of enqueue and finish, expected both or neither");
    return rico__memory_check(&def->allocator, &def->log, call);
}

static uint32_t wanted_workers(const rico_jobs_def *def)
{
    return def->worker_count != 0 ? def->worker_count
                                  : uint_min(rico__thread_cpu_count(), RICO_JOBS_MAX_WORKERS);
}

static void release_pool(rico_jobs *pool)
{
    rico__memory memory = pool->memory; /* a copy: the original is in what is released */
    uint32_t count = pool->worker_capacity;
    rico__memory_release(&memory, pool->slots, (size_t)count * pool->deque_capacity,
                         sizeof *pool->slots, RICO_CACHE_LINE);
    rico__memory_release(&memory, pool->events, (size_t)count * pool->trace_capacity,
                         sizeof *pool->events, RICO_CACHE_LINE);
    rico__memory_release(&memory, pool->workers, count, sizeof *pool->workers,
                         RICO__SHARING_BYTES);
    rico__memory_release(&memory, pool, 1, sizeof *pool, RICO__SHARING_BYTES);
    RICO_ASSERT(memory.live_bytes == 0);
}

static rico_jobs *allocate_pool(const rico_jobs_def *def)
{
    rico__memory memory;
    rico__memory_init(&memory, &def->allocator);
    rico_jobs *pool = rico__memory_allocate(&memory, 1, sizeof *pool, RICO__SHARING_BYTES);
    if (pool == NULL)
        return NULL;
    pool->memory = memory;
    pool->host = def->host;
    pool->log = def->log;
    pool->worker_capacity = wanted_workers(def);
    pool->deque_capacity = def->deque_capacity;
    pool->spin_ns = (uint64_t)def->spin_microseconds * 1000;
    pool->hint_ns = (uint64_t)def->hint_microseconds * 1000;
    pool->watchdog_ns = (uint64_t)def->watchdog_ms * 1000000;
    pool->chaos_seed = def->chaos_seed;
    pool->caller_cpu = RICO__NO_CPU;
    pool->most_awake = def->most_awake != 0 ? def->most_awake : rico__thread_cpu_count();
    pool->keep_off_caller = def->keep_off_caller;
    pool->joins_help_anybody = def->joins_help_anybody;
    pool->cpus = rico__thread_cpus();
    snprintf(pool->name, sizeof pool->name, "%s", def->name != NULL ? def->name : "rico");
    pool->thread_start = def->thread_start;
    pool->thread_user = def->thread_user;
    uint32_t count = pool->worker_capacity;
    pool->workers =
        rico__memory_allocate(&pool->memory, count, sizeof *pool->workers, RICO__SHARING_BYTES);
    pool->slots = rico__memory_allocate(&pool->memory, (size_t)count * pool->deque_capacity,
                                        sizeof *pool->slots, RICO_CACHE_LINE);
    pool->trace_capacity = def->trace_capacity;
    if (pool->trace_capacity != 0)
        pool->events =
            rico__memory_allocate(&pool->memory, (size_t)count * pool->trace_capacity,
                                  sizeof *pool->events, RICO_CACHE_LINE);
    pool->created_ns = rico__clock_ns();
    if (pool->workers != NULL && pool->slots != NULL &&
        (pool->events != NULL || pool->trace_capacity == 0))
        return pool;
    release_pool(pool);
    return NULL;
}

static void init_worker(rico_jobs *pool, uint32_t index)
{
    rico_worker *worker = &pool->workers[index];
    worker->pool = pool;
    worker->index = index;
    rico__deque_init(&worker->deque, pool->slots + (size_t)index * pool->deque_capacity,
                     pool->deque_capacity);
    if (pool->chaos_seed != 0) {
        worker->chaos = (pool->chaos_seed ^ (index + 1) * 0x9e3779b9u) | 1u;
        deque_watch(&worker->deque, true);
    }
    worker->trace.capacity = pool->trace_capacity;
    if (pool->events != NULL)
        worker->trace.events = pool->events + (size_t)index * pool->trace_capacity;
    rico__parker_init(&worker->parker);
    rico__queue_init(&worker->inbox);
}

static void init_queues(rico_jobs *pool)
{
    for (uint32_t i = 0; i < RICO__QUEUES; i++)
        for (uint32_t urgent = 0; urgent < 2; urgent++)
            rico__queue_init(&pool->queues[i][urgent]);
    rico__parker_init(&pool->guests);
}

static void *worker_main(void *argument)
{
    rico_worker *worker = argument;
    (void)rico__thread_set_owner(worker->pool);
    rico__thread_set_name(worker->pool->name, worker->index);
    if (worker->pool->thread_start != NULL)
        worker->pool->thread_start(worker->pool->thread_user, worker->index);
    RICO__FLOAT_MODE(); /* whatever mode it has from its creator, or was given */
    rico__idle_until_stopped(worker);
    return NULL;
}

/* All seats are free: asleep, in the sense of idle.c. */
static void prepare_seats(rico_jobs *pool)
{
    for (uint32_t i = 1; i < pool->worker_capacity; i++)
        crew_lie_down(pool->crew.asleep[RICO__CREW_IDLE], i);
    for (uint32_t i = 0; i < pool->worker_capacity && pool->worker_capacity > 1; i++)
        rico__atomic_store_relaxed32(deque_wanted(&pool->workers[i].deque),
                                     RICO__ASKED | pool->workers[i].deque.watched);
    rico__atomic_store32(&pool->host_over, 1);
    rico__atomic_store32(&pool->worker_count, pool->worker_capacity);
}

void rico__jobs_set_most_awake(rico_jobs *pool, uint32_t most)
{
    uint32_t count = pool_worker_count(pool);
    rico__atomic_store_relaxed32(&pool->crew.spare, count > most ? count - most : 0);
}

static void start_threads(rico_jobs *pool, rico__thread_starter *start, void *user)
{
    /* The requests are up from the start: a thread may fall asleep before it knows of those
     * started after it (idle.c, A). Relaxed: creating a thread publishes them. */
    if (pool->worker_capacity > 1)
        for (uint32_t i = 0; i < pool->worker_capacity; i++)
            rico__atomic_store_relaxed32(deque_wanted(&pool->workers[i].deque),
                                         RICO__ASKED | pool->workers[i].deque.watched);
    rico__atomic_store32(&pool->worker_count, 1);
    for (uint32_t i = 1; i < pool->worker_capacity; i++) {
        rico_worker *worker = &pool->workers[i];
        int error = start(user, &worker->thread, worker_main, worker);
        if (error != 0) {
            rico__log(&pool->log, RICO_LOG_WARNING,
                      "rico_jobs_create: no thread for worker %u (%s): the pool has %u instead "
                      "of %u workers",
                      i, strerror(error), i, pool->worker_capacity);
            break;
        }
        rico__atomic_store32(&pool->worker_count, i + 1);
    }
    if (pool_worker_count(pool) == 1)
        rico__atomic_store_relaxed32(deque_wanted(&pool->workers[0].deque),
                                     pool->workers[0].deque.watched); /* no thief will come */
}

rico_result rico__jobs_create_with(const rico_jobs_def *def, rico__thread_starter *start,
                                   void *user, rico_jobs **out)
{
    if (!RICO_REQUIRE(def != NULL && out != NULL))
        return RICO_UNINITIALIZED_DEF;
    *out = NULL;
    rico_result result = check_def(def);
    if (result != RICO_OK)
        return result;
    rico_jobs *pool = allocate_pool(def);
    if (pool == NULL)
        return rico__fail(&def->log, RICO_OUT_OF_MEMORY, "rico_jobs_create",
                          "no memory for %u workers", wanted_workers(def));
    for (uint32_t i = 0; i < pool->worker_capacity; i++)
        init_worker(pool, i);
    init_queues(pool);
    if (pool_is_hosted(pool))
        prepare_seats(pool);
    else
        start_threads(pool, start, user);
    if (!pool_is_hosted(pool)) /* a host's threads are the host's to wake */
        rico__jobs_set_most_awake(pool, pool->most_awake);
    *out = pool;
    return RICO_OK;
}

rico_result rico_jobs_create(const rico_jobs_def *def, rico_jobs **out)
{
    return rico__jobs_create_with(def, rico__thread_start, NULL, out);
}

void rico_jobs_destroy(rico_jobs *pool)
{
    if (pool == NULL || !RICO_REQUIRE(rico__atomic_load32(&pool->running) == 0) ||
        !RICO_REQUIRE(rico__atomic_load32(&pool->holds) == 0))
        return;
    uint32_t count = pool_is_hosted(pool) ? 1 : pool_worker_count(pool);
    rico__atomic_store_relaxed32(&pool->stopping, 1);
    /* Without this fence a worker could take its ticket after the wake below, look a last time
     * (it fences before that), and still not see the store. This fence also releases what the
     * destroyer wrote. */
    rico__fence_seq_cst();
    for (uint32_t i = 1; i < count; i++)
        rico__parker_wake(&pool->workers[i].parker);
    for (uint32_t i = 1; i < count; i++)
        rico__thread_join(&pool->workers[i].thread);
    release_pool(pool);
}

void rico_jobs_hold(rico_jobs *pool)
{
    rico__atomic_fetch_add32(&pool->holds, 1);
}

void rico_jobs_let_go(rico_jobs *pool)
{
    uint32_t before = rico__atomic_fetch_add32(&pool->holds, UINT32_MAX);
    if (!RICO_REQUIRE(before > 0))
        rico_jobs_hold(pool);
}

uint32_t rico_jobs_worker_count(const rico_jobs *pool)
{
    return pool_worker_count(pool);
}

/* The caller may have moved to another CPU since. */
static void leave_its_cpu_to_caller(rico_jobs *pool)
{
    uint32_t cpu = pool->keep_off_caller ? rico__thread_current_cpu() : RICO__NO_CPU;
    if (RICO__LIKELY(cpu == pool->caller_cpu))
        return;
    pool->caller_cpu = cpu;
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 1; i < count; i++)
        rico__thread_keep_off(&pool->workers[i].thread, &pool->cpus, cpu);
}

void rico_jobs_frame_begin(rico_jobs *pool)
{
    if (!pool_has_threads(pool) || pool_replays(pool)) /* no thread of the pool sleeps then */
        return;
    leave_its_cpu_to_caller(pool);
    rico__idle_stay_awake(pool, rico__clock_ns() + pool->hint_ns);
}

/* Waits while a waiting thread has worker 0's place, for one task at most. False: another run
 * has it. */
static bool wait_for_guest(rico_jobs *pool)
{
    rico__atomic_fetch_add32(&pool->seat_wanted, 1);
    uint32_t running;
    while ((running = rico__atomic_load32(&pool->running)) == RICO__GUEST)
        rico__thread_yield();
    rico__atomic_fetch_add32(&pool->seat_wanted, UINT32_MAX);
    return RICO_REQUIRE(running == 0);
}

/* Makes the calling thread worker 0; NULL when it may not be. */
static rico_worker *enter(rico_jobs *pool)
{
    if (!RICO_REQUIRE(rico__thread_owner() != pool))
        return NULL;
    /* Acquires what the thread that ran before left in worker 0. */
    while (RICO__UNLIKELY(!rico__atomic_cas32(&pool->running, 0, RICO__RUN)))
        if (!wait_for_guest(pool))
            return NULL;
    if (pool_is_hosted(pool))
        rico__host_begin(pool);
    else if (pool_worker_count(pool) != 1)
        leave_its_cpu_to_caller(pool);
    rico__worker_busy_begin(&pool->workers[0]);
    if (pool_measures(pool))
        rico__profile_begin_run(pool);
    return &pool->workers[0];
}

static void leave(rico_jobs *pool)
{
    rico__check_joined(&pool->workers[0], pool->workers[0].deque.slots);
    if (pool_measures(pool))
        rico__profile_end_run(pool);
    rico__task_run_own(&pool->workers[0]);
    if (pool_is_hosted(pool))
        rico__host_end(pool);
    rico__worker_busy_end(&pool->workers[0]);
    rico__task_leave_seat(pool);
}

bool rico_jobs_is_running(const rico_jobs *pool)
{
    return rico__thread_owner() == pool || rico__atomic_load32(&pool->running) == RICO__RUN;
}

void rico_jobs_run(rico_jobs *pool, rico_job_fn *fn, void *context)
{
    RICO__FLOAT_MODE();
    rico_worker *worker = RICO_REQUIRE(fn != NULL) ? enter(pool) : NULL;
    if (worker == NULL)
        return;
    count_add(deque_jobs_run(&worker->deque), 1);
    fn(worker, context);
    leave(pool);
}

void rico_jobs_for(rico_jobs *pool, uint32_t begin, uint32_t end, uint32_t grain,
                   rico_range_fn *fn, void *context)
{
    RICO__FLOAT_MODE();
    rico_worker *worker = enter(pool);
    if (worker == NULL)
        return;
    rico_worker_for(worker, begin, end, grain, fn, context);
    leave(pool);
}

rico_worker_stats rico_jobs_worker_stats(const rico_jobs *pool, uint32_t index)
{
    if (index >= pool_worker_count(pool))
        return (rico_worker_stats){0};
    const rico_worker *worker = &pool->workers[index];
    return (rico_worker_stats){
        .jobs_run = rico__atomic_load_relaxed64(deque_jobs_run(&worker->deque)),
        .steals = rico__atomic_load_relaxed64(&worker->counts.steals),
        .failed_steals = rico__atomic_load_relaxed64(&worker->counts.failed_steals),
        .spins = rico__atomic_load_relaxed64(&worker->counts.spins),
        .wakes = rico__atomic_load_relaxed64(&worker->counts.wakes),
        .parks = rico__atomic_load_relaxed64(&worker->counts.parks),
        .inline_runs = rico__atomic_load_relaxed64(&worker->counts.inline_runs),
        .busy_ns = rico__atomic_load_relaxed64(&worker->counts.busy_ns),
    };
}
