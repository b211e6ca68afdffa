/* queue.h - tasks on their way to a worker, in the order in which they came.
 *
 * Owner: the pool. Threads: any may put and take. A put is a release, the take that gets the task an acquire.
 *
 * A list with a lock, and not ck_ring: whose producers wait for one another where one of them has lost its CPU, and
 * with more threads than CPUs that became a convoy of 160 tasks a second.
 */
#ifndef RICO_QUEUE_H
#define RICO_QUEUE_H

#include "atomics.h"

#include <ricochet/tasks.h>

typedef struct rico__queue {
    rico__spinlock lock;
    rico__atomic32 listed; /* tasks: who sees 0 need not lock */
    rico_task *first, *last;
} rico__queue;

void rico__queue_init(rico__queue *queue);

/* Never fails. */
void rico__queue_put(rico__queue *queue, rico_task *task);

/* False when it is not there. Takes time by those before it. */
bool rico__queue_remove(rico__queue *queue, rico_task *task);

/* The oldest, or NULL. */
rico_task *rico__queue_take(rico__queue *queue);

/* False only if it was empty at some moment during the call. */
bool rico__queue_has_task(const rico__queue *queue);

#endif
