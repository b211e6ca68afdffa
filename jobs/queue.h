/* queue.h - tasks on their way to a worker, in the order in which they came.
 *
 * Owner: the pool. Threads: any thread may put and take. A put is a release; the take that gets
 * the task is an acquire.
 *
 * It is a list with a lock, and not a ck_ring. Producers of a ck_ring wait for one another when
 * one of them has lost its CPU. With more threads than CPUs that became a convoy of 160 tasks a
 * second.
 */
#ifndef RICO_QUEUE_H
#define RICO_QUEUE_H

#include "atomics.h"

#include <ricochet/tasks.h>

typedef struct rico__queue {
    rico__spinlock lock;
    rico__atomic32 listed; /* number of tasks: a thread that sees 0 need not lock */
    rico_task *first, *last;
} rico__queue;

void rico__queue_init(rico__queue *queue);

/* Appends the task. Never fails. */
void rico__queue_put(rico__queue *queue, rico_task *task);

/* Removes the task. Returns false when it is not in the queue. It takes time by the number of
 * tasks before it. */
bool rico__queue_remove(rico__queue *queue, rico_task *task);

/* Takes the oldest task, or returns NULL. */
rico_task *rico__queue_take(rico__queue *queue);

/* False only if the queue was empty at some moment during the call. */
bool rico__queue_has_task(const rico__queue *queue);

#endif
