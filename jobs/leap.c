/* leap.c - a join that waits, and helps with nothing but what it waits for.
 *
 * It steals from the thief of its own job (leapfrogging, Wagner and Calder 1993): what the
 * thief has forked since the theft, it has forked for that job. A thief that took the job in
 * the middle of a wait for a counter may have older jobs. These lie below the base that it
 * wrote into the job.
 *
 * A worker in such a join can take from one deque only, so no other worker may rely on it to
 * find other work: it is neither searching nor asleep in the sense of idle.c. When it lies down
 * it enters crew.leaping, fences, and looks at that deque. A publisher fences, and wakes one
 * such sleeper when no worker searches and no other worker sleeps. By the fences one of the two
 * sees the other. A worker that is woken and takes a job wakes the next one if there is more.
 * So while the thief has public jobs and no worker searches, no worker that may take them
 * sleeps. The same pair with "take the request down" in the place of "publish" keeps the
 * thief's request up while it has no public jobs (see_to_thieves).
 */
#include "worker.h"

rico_job *rico__leap(rico_worker *worker, rico_job *awaited, rico_worker **victim)
{
    uint32_t thief = rico__atomic_load_relaxed32(job_thief(awaited));
    if (thief == 0)
        return NULL;
    *victim = &worker->pool->workers[thief_worker(thief)];
    return rico__idle_note_steal(
        worker, *victim, rico__deque_leap(&(*victim)->deque, awaited, thief_base(thief)));
}

static bool has_job_for(rico_jobs *pool, uint32_t sleeper)
{
    uint32_t thief = rico__atomic_load_relaxed32(&pool->workers[sleeper].leaps);
    if (thief == 0)
        return false;
    uint64_t shared =
        rico__atomic_load_relaxed64(deque_shared(&pool->workers[thief_worker(thief)].deque));
    return shared_tail(shared) != shared_split(shared) &&
           shared_tail(shared) >= thief_base(thief);
}

void rico__leap_wake_one(rico_worker *worker)
{
    rico_jobs *pool = worker->pool;
    rico__crew *crew = &pool->crew;
    for (uint32_t i = 0; i < RICO__CREW_WORDS; i++)
        for (uint64_t set = rico__atomic_load_relaxed64(&crew->leaping[i]); set != 0;
             set &= set - 1) {
            uint32_t sleeper = i * 64 + bits_lowest64(set);
            if (!has_job_for(pool, sleeper) || !crew_get_up(crew->leaping, sleeper))
                continue;
            rico__idle_wake(worker, &pool->workers[sleeper]);
            return;
        }
}

void rico__leap_sleep(rico_worker *worker, rico_job *awaited, uint64_t until_ns)
{
    rico_jobs *pool = worker->pool;
    uint32_t thief = rico__atomic_load_relaxed32(job_thief(awaited));
    if (thief == 0) /* the thief is about to write it */
        return;
    uint32_t ticket = rico__parker_ticket(&worker->parker);
    rico__atomic_store_relaxed32(&worker->leaps, thief);
    crew_lie_down(pool->crew.leaping, worker->index);
    /* Without this fence the thief could publish and see no worker here, while this worker does
     * not see the job. */
    rico__fence_seq_cst();
    if (!pool_replays(pool) && rico__idle_marks(awaited) &&
        !rico__deque_ask(&pool->workers[thief_worker(thief)].deque, thief_base(thief))) {
        rico__idle_leave_cpu(worker);
        rico__idle_sleep(worker, ticket, until_ns);
    }
    crew_get_up(pool->crew.leaping, worker->index);
}
