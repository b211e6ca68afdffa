#include "deque.h"

#include "bits.h"
#include "check.h"

void rico__deque_init(rico__deque *deque, rico_job **slots, uint32_t capacity)
{
    *deque =
        (rico__deque){.top = slots, .split = slots, .end = slots + capacity, .slots = slots};
}

/* A public job has no slot, so that its owner's join looks closer. Thieves read no slots. While
 * the deque is watched, joins look closer anyway, and the job's span is in that place
 * (profile.c). */
static void set_slot(const rico__deque *deque, rico_job *job, rico_job **slot)
{
    if (deque->watched == 0)
        job->slot = slot;
}

/* Only a job that becomes public can be stolen, so only here does it need its state. Relaxed:
 * the read-modify-write on `shared` that follows publishes the state. */
static void prepare_for_thieves(const rico__deque *deque, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        rico_job *job = deque->split[i];
        rico__atomic_store_relaxed32(job_state(job), RICO__JOB_PENDING);
        rico__atomic_store_relaxed32(job_thief(job), 0);
        set_slot(deque, job, NULL);
    }
}

bool rico__deque_publish(rico__deque *deque, uint32_t keep, uint32_t want)
{
    uint32_t private_count = (uint32_t)(deque->top - deque->split);
    if (private_count <= keep)
        return false;
    uint32_t available = private_count - keep;
    uint32_t public_count = deque_public_count(deque);

    /* Relaxed: the caller fences before it decides whether the request must be put up again. */
    rico__atomic_store_relaxed32(deque_wanted(deque), deque->watched);
    if (public_count >= uint_max(want, 1))
        return true;
    uint32_t missing = uint_max(want, 1) - public_count;
    uint32_t give = uint_max((available + 1) / 2, uint_min(available, missing));
    prepare_for_thieves(deque, give);
    deque->split += give;
    /* Releases the jobs and their slots to the thief whose compare-and-swap acquires this. All
     * later changes of `shared` up to that one are read-modify-writes as well. */
    rico__atomic_fetch_add64(deque_shared(deque), shared_give(give));
    return true;
}

bool rico__deque_reclaim(rico__deque *deque)
{
    for (;;) {
        uint64_t shared =
            rico__atomic_load_relaxed64(deque_shared(deque)); /* checked by the cas */
        uint32_t tail = shared_tail(shared), split = shared_split(shared);
        RICO_ASSERT(deque->slots + split == deque->split && tail <= split);
        if (tail == split)
            return false;
        uint32_t middle = tail + (split - tail) / 2;
        if (rico__atomic_cas64(deque_shared(deque), shared,
                               shared_pack(shared, tail, middle))) {
            deque->split = deque->slots + middle;
            for (uint32_t i = middle; i < split; i++)
                set_slot(deque, deque->slots[i], &deque->slots[i]);
            return true;
        }
    }
}

void rico__deque_drop_stolen(rico__deque *deque)
{
    RICO_ASSERT(deque->top == deque->split && deque_public_count(deque) == 0);
    deque->top -= 1;
    deque->split = deque->top;
    /* A relaxed store is enough. While tail == split no thief's compare-and-swap can succeed,
     * whatever older value it expects. The next jobs are published by a later
     * read-modify-write. */
    uint32_t index = (uint32_t)(deque->top - deque->slots);
    uint64_t shared = rico__atomic_load_relaxed64(deque_shared(deque));
    rico__atomic_store_relaxed64(deque_shared(deque), shared_pack(shared, index, index));
}

/* `shared` must have been read with acquire before. Then a thief that sees the public part
 * empty again after a publish also sees that the publish took its request down. The store is
 * relaxed: the flag carries no data. */
void rico__deque_want(rico__deque *deque)
{
    uint32_t wanted = rico__atomic_load_relaxed32(deque_wanted(deque));
    if ((wanted & RICO__ASKED) == 0)
        rico__atomic_store_relaxed32(deque_wanted(deque), wanted | RICO__ASKED);
}

/* The job and what may lie behind it are still in its owner's cache. They come while the thief
 * sees to other workers. */
static void fetch_job(const rico_job *job)
{
    __builtin_prefetch(job);
    __builtin_prefetch(job + 1);
}

/* NULL: `shared` has changed since it was read. */
static rico_job *take_oldest(rico__deque *deque, uint64_t shared)
{
    uint32_t tail = shared_tail(shared);
    if (!rico__atomic_cas64(deque_shared(deque), shared, shared + 1))
        return NULL;
    /* Read after the swap: the slot belongs to this job until the job is joined. */
    rico_job *job = deque->slots[tail];
    fetch_job(job);
    if (tail + 1 == shared_split(shared))
        rico__deque_want(deque); /* the next thief should not have to wait for an answer */
    return job;
}

rico_job *rico__deque_steal(rico__deque *deque)
{
    for (;;) {
        uint64_t shared = rico__atomic_load64(deque_shared(deque));
        if (shared_tail(shared) == shared_split(shared)) {
            rico__deque_want(deque);
            return NULL;
        }
        rico_job *job = take_oldest(deque, shared);
        if (job != NULL)
            return job;
    }
}

rico_job *rico__deque_leap(rico__deque *deque, rico_job *awaited, uint32_t base)
{
    for (;;) {
        uint64_t shared = rico__atomic_load64(deque_shared(deque));
        /* This load comes after that of `shared`, which acquires. Jobs that the thief published
         * after it had ended the awaited job are not ours to run. If they were seen above, the
         * end of the awaited job is seen here. */
        if (rico__atomic_load_relaxed32(job_state(awaited)) == RICO__JOB_DONE)
            return NULL;
        uint32_t tail = shared_tail(shared);
        if (tail == shared_split(shared)) {
            rico__deque_want(deque);
            return NULL;
        }
        if (tail < base) /* the thief's older jobs come before ours */
            return NULL;
        rico_job *job = take_oldest(deque, shared);
        if (job != NULL)
            return job;
    }
}

bool rico__deque_ask(rico__deque *deque, uint32_t base)
{
    uint64_t shared = rico__atomic_load64(deque_shared(deque));
    if (shared_tail(shared) != shared_split(shared))
        return shared_tail(shared) >= base;
    rico__deque_want(deque);
    return false;
}
