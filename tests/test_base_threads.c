/* test_base_threads.c - atomics and the spin lock under real threads, also under
 * ThreadSanitizer. Threads count; only the main thread checks. */
#include "atomics.h"
#include "testing.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 20000 };

typedef struct shared_counts {
    rico__atomic32 added32;
    rico__atomic64 added64;
    rico__atomic32 swapped;
    rico__atomic64 exchanged;
    rico__atomic64 bits;
    rico__atomic32 next_thread;
    rico__spinlock lock;
    uint64_t locked; /* not atomic: only the lock protects it */
    uint64_t tried;  /* not atomic, either */
} shared_counts;

static void run_threads(void *(*body)(void *), void *argument)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i)
        CHECK(pthread_create(&threads[i], NULL, body, argument) == 0);
    for (int i = 0; i < THREADS; ++i)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void *add_concurrently(void *argument)
{
    shared_counts *counts = argument;
    uint32_t self = rico__atomic_fetch_add32(&counts->next_thread, 1);
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        rico__atomic_fetch_add32(&counts->added32, 3);
        rico__atomic_fetch_add64(&counts->added64, 0x100000001u);
        uint32_t old = rico__atomic_load_relaxed32(&counts->swapped);
        while (!rico__atomic_cas32(&counts->swapped, old, old + 1))
            old = rico__atomic_load_relaxed32(&counts->swapped);
        if (i < 16)
            rico__atomic_fetch_or64(&counts->bits, 1ULL << (self * 16 + i));
    }
    return NULL;
}

TEST(base, atomic_sums_lose_nothing_between_threads)
{
    static shared_counts counts;
    run_threads(add_concurrently, &counts);
    CHECK_EQ(rico__atomic_load32(&counts.added32), 3 * THREADS * ROUNDS);
    CHECK_EQ(rico__atomic_load64(&counts.added64), 0x100000001LL * THREADS * ROUNDS);
    CHECK_EQ(rico__atomic_load32(&counts.swapped), THREADS * ROUNDS);
    CHECK(rico__atomic_load64(&counts.bits) == UINT64_MAX);
}

static void *count_under_lock(void *argument)
{
    shared_counts *counts = argument;
    for (int i = 0; i < ROUNDS; ++i) {
        while (!rico__spinlock_try_lock(&counts->lock))
            rico__cpu_pause();
        counts->locked += 1;
        rico__spinlock_unlock(&counts->lock);
    }
    for (int i = 0; i < ROUNDS / 10; ++i) {
        while (!rico__spinlock_try_lock(&counts->lock))
            sched_yield();
        counts->tried += 1;
        rico__spinlock_unlock(&counts->lock);
    }
    return NULL;
}

TEST(base, spin_lock_admits_one_thread_at_a_time)
{
    static shared_counts counts;
    run_threads(count_under_lock, &counts);
    CHECK_EQ(counts.locked, THREADS * ROUNDS);
    CHECK_EQ(counts.tried, THREADS * (ROUNDS / 10));
}

TEST(base, spin_lock_that_is_held_is_not_given_twice)
{
    rico__spinlock lock;
    memset(&lock, 0, sizeof lock); /* zero-initialised = unlocked */
    CHECK(rico__spinlock_try_lock(&lock));
    CHECK(!rico__spinlock_try_lock(&lock));
    rico__spinlock_unlock(&lock);
    CHECK(rico__spinlock_try_lock(&lock));
    rico__spinlock_unlock(&lock);
}

/* A ring of one letter. The writer publishes a plain value by a release store; the reader takes
 * it by an acquire load. */
typedef struct mailbox {
    uint64_t letter; /* plain */
    rico__atomic32 full;
    uint64_t sum;
} mailbox;

static void *read_letters(void *argument)
{
    mailbox *box = argument;
    for (int i = 0; i < ROUNDS; ++i) {
        while (rico__atomic_load32(&box->full) == 0)
            sched_yield();
        box->sum += box->letter;
        rico__atomic_store32(&box->full, 0);
    }
    return NULL;
}

TEST(base, release_store_publishes_what_was_written_before_it)
{
    static mailbox box;
    pthread_t reader;
    CHECK(pthread_create(&reader, NULL, read_letters, &box) == 0);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < ROUNDS; ++i) {
        while (rico__atomic_load32(&box.full) != 0)
            sched_yield();
        box.letter = i * i;
        sum += i * i;
        rico__atomic_store32(&box.full, 1);
    }
    CHECK(pthread_join(reader, NULL) == 0);
    CHECK(box.sum == sum);
}

static void *exchange_tokens(void *argument)
{
    shared_counts *counts = argument;
    uint64_t token = 1ULL << rico__atomic_fetch_add32(&counts->next_thread, 1);
    for (int i = 0; i < ROUNDS; ++i)
        token = rico__atomic_exchange64(&counts->exchanged, token);
    rico__atomic_fetch_or64(&counts->bits, token);
    return NULL;
}

TEST(base, exchange_hands_each_value_to_exactly_one_thread)
{
    static shared_counts counts;
    run_threads(exchange_tokens, &counts);
    uint64_t left = rico__atomic_load64(&counts.exchanged);
    uint64_t held = rico__atomic_load64(&counts.bits);
    /* One of the tokens, or the first 0, stays behind. Together with it, all tokens are there. */
    CHECK((left & held) == 0);
    CHECK_EQ(left | held, (1 << THREADS) - 1);
}

TEST(base, pointers_are_exchanged_whole)
{
    int a = 0, b = 0;
    rico__atomic_ptr slot = {NULL};
    rico__atomic_store_ptr(&slot, &a);
    CHECK(rico__atomic_load_ptr(&slot) == &a);
    CHECK(!rico__atomic_cas_ptr(&slot, &b, &a));
    CHECK(rico__atomic_cas_ptr(&slot, &a, &b));
    CHECK(rico__atomic_exchange_ptr(&slot, NULL) == &b);
    CHECK(rico__atomic_load_relaxed_ptr(&slot) == NULL);
}
