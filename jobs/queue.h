/* queue.h - tasks on their way to a worker: a ring, and a list for those that found it full.
 *
 * Owner: the pool. Threads: any may put and take. Order: about the order in which they came; of
 * two that were put by one thread, the later is taken first only if the ring was full between.
 * A put is a release, the take that gets the task an acquire.
 *
 * The ring is ck_ring, on x86. Its fences are between stores, or between loads: where a load may pass
 * a later store, a taker could still be reading its slot when the slot is another's, a put would
 * not be a release, and a ring that was never empty could seem so. There, and where the tools must
 * see every access (ThreadSanitizer, model checker), the list alone is used.
 */
#ifndef RICO_QUEUE_H
#define RICO_QUEUE_H

#include "atomics.h"

#include <ricochet/tasks.h>

#if !defined(RICO_ATOMICS_BUILTIN) && !defined(RICO_ATOMICS_MODEL) &&                          \
    (defined(__x86_64__) || defined(__i386__))
#define RICO__QUEUE_HAS_RING 1
#include <ck_ring.h>
#else
#define RICO__QUEUE_HAS_RING 0
typedef struct ck_ring_buffer {
    void *value;
} ck_ring_buffer_t;
#endif

#define RICO__QUEUE_RING 256u

typedef struct rico__queue {
#if RICO__QUEUE_HAS_RING
    struct ck_ring ring;
    struct ck_ring_buffer slots[RICO__QUEUE_RING];
#endif
    rico__spinlock lock;   /* of the list */
    rico__atomic32 listed; /* tasks on the list: who sees 0 need not lock */
    rico_task *first, *last;
} rico__queue;

void rico__queue_init(rico__queue *queue);

/* Never fails. */
void rico__queue_put(rico__queue *queue, rico_task *task);

/* The oldest, or NULL. */
rico_task *rico__queue_take(rico__queue *queue);

/* False only if it was empty at some moment during the call. */
bool rico__queue_has_task(const rico__queue *queue);

#endif
