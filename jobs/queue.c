#include "queue.h"

#include <stddef.h>

void rico__queue_init(rico__queue *queue)
{
#if RICO__QUEUE_HAS_RING
    ck_ring_init(&queue->ring, RICO__QUEUE_RING);
#endif
    queue->first = NULL;
    queue->last = NULL;
}

static bool ring_put(rico__queue *queue, rico_task *task)
{
#if RICO__QUEUE_HAS_RING
    return ck_ring_enqueue_mpmc(&queue->ring, queue->slots, task);
#else
    (void)queue, (void)task;
    return false;
#endif
}

static rico_task *ring_take(rico__queue *queue)
{
    void *task = NULL;
#if RICO__QUEUE_HAS_RING
    if (!ck_ring_dequeue_mpmc(&queue->ring, queue->slots, &task))
        return NULL;
#else
    (void)queue;
#endif
    return task;
}

void rico__queue_put(rico__queue *queue, rico_task *task)
{
    if (ring_put(queue, task))
        return;
    task->next = NULL;
    rico__spinlock_lock(&queue->lock);
    if (queue->last != NULL)
        queue->last->next = task;
    else
        queue->first = task;
    queue->last = task;
    /* Relaxed: a taker that misses it now is woken by the put (tasks.c), which fences. */
    rico__atomic_store_relaxed32(&queue->listed,
                                 rico__atomic_load_relaxed32(&queue->listed) + 1);
    rico__spinlock_unlock(&queue->lock);
}

static rico_task *list_take(rico__queue *queue)
{
    if (rico__atomic_load_relaxed32(&queue->listed) == 0)
        return NULL;
    rico__spinlock_lock(&queue->lock);
    rico_task *task = queue->first;
    if (task != NULL) {
        queue->first = task->next;
        if (queue->first == NULL)
            queue->last = NULL;
        rico__atomic_store_relaxed32(&queue->listed,
                                     rico__atomic_load_relaxed32(&queue->listed) - 1);
    }
    rico__spinlock_unlock(&queue->lock);
    return task;
}

rico_task *rico__queue_take(rico__queue *queue)
{
    rico_task *task = ring_take(queue);
    return task != NULL ? task : list_take(queue);
}

bool rico__queue_has_task(const rico__queue *queue)
{
#if RICO__QUEUE_HAS_RING
    if (ck_ring_size(&queue->ring) != 0)
        return true;
#endif
    return rico__atomic_load_relaxed32(&queue->listed) != 0;
}
