/* parker.h - where one worker sleeps: an event count of its own.
 *
 * Owner: the worker, which alone waits; at rico_jobs.guests, threads that are not workers wait.
 * Threads: any thread may wake it. Nothing is published through the event count: what the waker
 * wrote is read with the atomics that say so. (ThreadSanitizer does not see into ck_ec.) Each
 * worker has an event count, because waking a ck_ec wakes all threads that wait on it.
 */
#ifndef RICO_PARKER_H
#define RICO_PARKER_H

#include <stdint.h>
#if defined(_WIN32)
#include "atomics.h"

typedef struct rico__parker {
    rico__atomic32 event; /* counts wakes */
    /* The number of threads that wait, from before they look at the event until they are
     * back. */
    rico__atomic32 waiting;
} rico__parker;
#else
#include <ck_ec.h>

typedef struct rico__parker {
    struct ck_ec32 event;
} rico__parker;
#endif

void rico__parker_init(rico__parker *parker);

/* A wake that comes after this call ends the wait with its result, even if it comes before the
 * wait. So: take the ticket, look for work a last time, wait. */
uint32_t rico__parker_ticket(const rico__parker *parker);

/* Sleeps until a wake that came after the ticket, or until the time `until_ns` of
 * rico__clock_ns (0: for ever). May return early. */
void rico__parker_wait(rico__parker *parker, uint32_t ticket, uint64_t until_ns);

/* Wakes the worker. It makes a system call only if the worker sleeps or is about to. */
void rico__parker_wake(rico__parker *parker);

#endif
