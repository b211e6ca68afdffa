#define _GNU_SOURCE /* syscall */

#include "parker.h"

#include <limits.h>
#include <time.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The deadline is absolute, as FUTEX_WAIT_BITSET wants it. */
static void wait_on(const struct ck_ec_wait_state *state, const uint32_t *word,
                    uint32_t expected, const struct timespec *deadline)
{
    (void)state;
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

static void wake_all(const struct ck_ec_ops *ops, const uint32_t *word)
{
    (void)ops;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#else

/* Without futexes: short naps. ck_ec looks at the word again after each. */
static void wait_on(const struct ck_ec_wait_state *state, const uint32_t *word,
                    uint32_t expected, const struct timespec *deadline)
{
    (void)state;
    (void)word;
    (void)expected;
    (void)deadline;
    const struct timespec nap = {.tv_nsec = 500000};
    nanosleep(&nap, NULL);
}

static void wake_all(const struct ck_ec_ops *ops, const uint32_t *word)
{
    (void)ops;
    (void)word;
}

#endif

static int get_time(const struct ck_ec_ops *ops, struct timespec *now)
{
    (void)ops;
    return clock_gettime(CLOCK_MONOTONIC, now);
}

/* One busy iteration, because the worker has spun for its time before it comes here. */
static const struct ck_ec_ops ops = {
    .gettime = get_time, .wait32 = wait_on, .wake32 = wake_all, .busy_loop_iter = 1};

/* Any thread may wake a worker, so never single_producer. */
static const struct ck_ec_mode mode = {.ops = &ops, .single_producer = false};

void rico__parker_init(rico__parker *parker)
{
    ck_ec32_init(&parker->event, 0);
}

uint32_t rico__parker_ticket(const rico__parker *parker)
{
    return ck_ec32_value(&parker->event);
}

void rico__parker_wait(rico__parker *parker, uint32_t ticket, uint64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                             .tv_nsec = (long)(until_ns % 1000000000u)};
    ck_ec32_wait(&parker->event, &mode, ticket, until_ns != 0 ? &until : NULL);
}

void rico__parker_wake(rico__parker *parker)
{
    ck_ec32_add(&parker->event, &mode, 1); /* ck_ec_inc would stay inline assembly everywhere */
}
