/* replay.c - the steal log: recorded by workers that steal or split, followed by thief and
 * victim.
 *
 * A worker's moments (its `clock`) are the forks, joins and ranges that it comes to. While a
 * log is recorded or followed, all of them take the slow path (RICO__WATCHED). To follow a log,
 * the victim publishes the forks that were stolen, and only these, and does not take them back.
 * The thief takes the next job that the log says it took, at the same moment. A victim's stolen
 * jobs were stolen in the order of their forks, because older ones lie below. So a thief need
 * only know how many of them went before its own.
 *
 * The log of a real schedule cannot make workers wait in a circle. Any other log could: so
 * waits end after REPLAY_PATIENCE_NS, and the pool goes on freely.
 */
#include "check.h"
#include "clock.h"
#include "worker.h"

#include <ricochet/jobs_replay.h>

#define REPLAY_PATIENCE_NS UINT64_C(1000000000)

static bool records(const rico_jobs *pool)
{
    return pool_log_mode(pool) == RICO__LOG_RECORD;
}

static void append(rico_worker *worker, uint32_t victim, uint32_t fork)
{
    rico_jobs *pool = worker->pool;
    uint32_t index = rico__atomic_fetch_add32(&pool->log_count, 1);
    if (index < pool->log_capacity)
        pool->log_out[index] = (rico_steal){
            worker->index, rico__atomic_load_relaxed32(&worker->clock), victim, fork};
}

static uint32_t tick(rico_worker *worker)
{
    uint32_t clock = rico__atomic_load_relaxed32(&worker->clock) + 1;
    rico__atomic_store_relaxed32(&worker->clock, clock);
    return clock;
}

/* The worker's next event; NULL: it has none left. */
static const rico_steal *next_event(rico_worker *worker)
{
    const rico_jobs *pool = worker->pool;
    uint32_t cursor = rico__atomic_load_relaxed32(&worker->log_cursor);
    while (cursor < pool->log_capacity && pool->log_in[cursor].worker != worker->index)
        cursor += 1;
    rico__atomic_store_relaxed32(&worker->log_cursor, cursor);
    return cursor < pool->log_capacity ? &pool->log_in[cursor] : NULL;
}

static void pass_event(rico_worker *worker)
{
    rico__atomic_store_relaxed32(&worker->log_cursor,
                                 rico__atomic_load_relaxed32(&worker->log_cursor) + 1);
}

static bool is_steal(const rico_steal *event)
{
    return event->victim != event->worker;
}

static bool is_stolen(const rico_jobs *pool, uint32_t victim, uint32_t fork)
{
    for (uint32_t i = 0; i < pool->log_capacity; i++)
        if (pool->log_in[i].victim == victim && pool->log_in[i].fork == fork &&
            is_steal(&pool->log_in[i]))
            return true;
    return false;
}

/* The number of steals from the same victim that go before it. */
static uint32_t rank_of(const rico_jobs *pool, const rico_steal *event)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < pool->log_capacity; i++) {
        const rico_steal *other = &pool->log_in[i];
        rank += other->victim == event->victim && is_steal(other) && other->fork < event->fork;
    }
    return rank;
}

void rico__replay_fork(rico_worker *worker, rico_job *job)
{
    tick(worker);
    job->span = ++worker->forks; /* read by its thief */
    if (pool_replays(worker->pool) && is_stolen(worker->pool, worker->index, worker->forks))
        rico__worker_share_all(worker);
}

void rico__replay_join(rico_worker *worker)
{
    tick(worker);
}

bool rico__replay_range(rico_worker *worker, bool splits)
{
    uint32_t clock = tick(worker);
    if (pool_replays(worker->pool)) {
        const rico_steal *event = next_event(worker);
        splits = event != NULL && !is_steal(event) && event->at == clock;
        if (splits)
            pass_event(worker);
    } else if (splits && records(worker->pool)) {
        append(worker, worker->index, 0);
    }
    return splits;
}

void rico__replay_note_steal(rico_worker *worker, const rico_worker *victim,
                             const rico_job *job)
{
    if (records(worker->pool))
        append(worker, victim->index, (uint32_t)job->span);
}

bool rico__replay_steal_is_due(rico_worker *worker)
{
    if (!pool_replays(worker->pool))
        return false;
    const rico_steal *event = next_event(worker);
    return event != NULL && is_steal(event) &&
           event->at == rico__atomic_load_relaxed32(&worker->clock);
}

static rico_job *take_logged(rico_worker *worker, rico_worker **victim)
{
    rico_jobs *pool = worker->pool;
    if (!rico__replay_steal_is_due(worker))
        return NULL;
    const rico_steal *event = next_event(worker);
    if (event->victim >= pool_worker_count(pool)) {
        rico__replay_give_up(pool);
        return NULL;
    }
    *victim = &pool->workers[event->victim];
    if (deque_public_count(&(*victim)->deque) == 0 ||
        rico__atomic_load_relaxed32(&(*victim)->robbed) != rank_of(pool, event))
        return NULL;
    rico_job *job = rico__deque_steal(&(*victim)->deque);
    if (job == NULL)
        return NULL;
    if (job->span != event->fork)
        rico__replay_give_up(pool);
    pass_event(worker);
    rico__atomic_fetch_add32(&(*victim)->robbed, 1);
    return job;
}

rico_job *rico__replay_steal(rico_worker *worker, rico_worker **victim)
{
    /* Idle workers look into the log between runs, too, when the caller may take it away. The
     * caller waits until no worker looks. Worker: add to the count; look at the mode. Caller:
     * change the mode; fence; look at the count. */
    rico__atomic_fetch_add32(&worker->pool->log_readers, 1);
    rico_job *job = take_logged(worker, victim);
    rico__atomic_fetch_add32(&worker->pool->log_readers, UINT32_MAX);
    return job;
}

void rico__replay_give_up(rico_jobs *pool)
{
    rico__atomic_store_relaxed32(&pool->log_failed, 1);
}

bool rico__replay_is_late(rico_jobs *pool, uint64_t since)
{
    if (rico__clock_ns() - since < REPLAY_PATIENCE_NS)
        return false;
    rico__replay_give_up(pool);
    return true;
}

void rico__replay_await_thief(rico_worker *worker)
{
    uint64_t since = rico__clock_ns();
    while (pool_replays(worker->pool) && deque_public_count(&worker->deque) != 0 &&
           !rico__replay_is_late(worker->pool, since))
        rico__thread_yield();
}

static void begin(rico_jobs *pool, uint32_t mode, rico_steal *out, const rico_steal *in,
                  uint32_t capacity)
{
    rico__atomic_store32(&pool->log_mode, RICO__LOG_NONE);
    rico__fence_seq_cst(); /* see rico__replay_steal */
    while (rico__atomic_load32(&pool->log_readers) != 0)
        rico__thread_yield();
    uint32_t count = pool_worker_count(pool);
    for (uint32_t i = 0; i < count; i++) {
        rico_worker *worker = &pool->workers[i];
        worker->forks = 0;
        rico__atomic_store_relaxed32(&worker->clock, 0);
        rico__atomic_store_relaxed32(&worker->log_cursor, 0);
        rico__atomic_store_relaxed32(&worker->robbed, 0);
        deque_watch(&worker->deque, mode != RICO__LOG_NONE || pool->chaos_seed != 0);
    }
    pool->log_out = out;
    pool->log_in = in;
    pool->log_capacity = capacity;
    rico__atomic_store_relaxed32(&pool->log_count, 0);
    rico__atomic_store_relaxed32(&pool->log_failed, 0);
    /* Releases the log to idle workers, which look into it. */
    rico__atomic_store32(&pool->log_mode, mode);
    if (!pool_has_threads(pool))
        return;
    /* Workers that are to steal must be awake: no other would know which one to wake. */
    bool replays = mode == RICO__LOG_REPLAY;
    rico__jobs_set_most_awake(pool, replays ? count : pool->most_awake);
    rico__idle_stay_awake(pool, replays ? UINT64_MAX : 0);
}

static bool can_log(const rico_jobs *pool)
{
    return RICO_REQUIRE(!pool_is_hosted(pool)) && RICO_REQUIRE(!pool_measures(pool)) &&
           RICO_REQUIRE(rico__task_none_runs(pool));
}

void rico_jobs_record(rico_jobs *pool, rico_steal *steals, uint32_t capacity)
{
    if (can_log(pool))
        begin(pool, steals != NULL ? RICO__LOG_RECORD : RICO__LOG_NONE, steals, NULL,
              steals != NULL ? capacity : 0);
}

void rico_jobs_replay(rico_jobs *pool, const rico_steal *steals, uint32_t count)
{
    if (can_log(pool))
        begin(pool, steals != NULL ? RICO__LOG_REPLAY : RICO__LOG_NONE, NULL, steals,
              steals != NULL ? count : 0);
}

uint32_t rico_jobs_recorded(const rico_jobs *pool)
{
    return rico__atomic_load_relaxed32(&pool->log_count);
}

/* Whether there are events that the program did not come to. */
static bool has_events_left(const rico_jobs *pool, const rico_worker *worker)
{
    uint32_t cursor = rico__atomic_load_relaxed32(&worker->log_cursor);
    for (; cursor < pool->log_capacity; cursor++)
        if (pool->log_in[cursor].worker == worker->index)
            return true;
    return false;
}

bool rico_jobs_follows(const rico_jobs *pool)
{
    if (rico__atomic_load_relaxed32(&pool->log_failed) != 0)
        return false;
    if (pool_log_mode(pool) != RICO__LOG_REPLAY)
        return true;
    for (uint32_t i = 0; i < pool_worker_count(pool); i++)
        if (has_events_left(pool, &pool->workers[i]))
            return false;
    return true;
}
