#include "queue.h"

#include "thread.h"

#include <stddef.h>

void rico__queue_init(rico__queue *queue)
{
    queue->first = NULL;
    queue->last = NULL;
}

/* The thread that holds the lock does a few instructions, unless it has lost its CPU. Then it
 * may need the CPU of this one. */
static void lock(rico__queue *queue)
{
    for (uint32_t tries = 1; !rico__spinlock_try_lock(&queue->lock); tries++)
        if (tries % 64 == 0)
            rico__thread_yield();
        else
            rico__cpu_pause();
}

static void count(rico__queue *queue, uint32_t more)
{
    /* Relaxed: a taker that misses the count now is woken by the put (tasks.c), which fences. */
    rico__atomic_store_relaxed32(&queue->listed,
                                 rico__atomic_load_relaxed32(&queue->listed) + more);
}

void rico__queue_put(rico__queue *queue, rico_task *task)
{
    task->next = NULL;
    lock(queue);
    if (queue->last != NULL)
        queue->last->next = task;
    else
        queue->first = task;
    queue->last = task;
    count(queue, 1);
    rico__spinlock_unlock(&queue->lock);
}

rico_task *rico__queue_take(rico__queue *queue)
{
    if (!rico__queue_has_task(queue))
        return NULL;
    lock(queue);
    rico_task *task = queue->first;
    if (task != NULL) {
        queue->first = task->next;
        if (queue->first == NULL)
            queue->last = NULL;
        count(queue, UINT32_MAX);
    }
    rico__spinlock_unlock(&queue->lock);
    return task;
}

bool rico__queue_remove(rico__queue *queue, rico_task *task)
{
    rico_task *before = NULL;
    lock(queue);
    rico_task *found = queue->first;
    for (; found != NULL && found != task; found = found->next)
        before = found;
    if (found != NULL) {
        if (before != NULL)
            before->next = task->next;
        else
            queue->first = task->next;
        if (queue->last == task)
            queue->last = before;
        count(queue, UINT32_MAX);
    }
    rico__spinlock_unlock(&queue->lock);
    return found != NULL;
}

bool rico__queue_has_task(const rico__queue *queue)
{
    return rico__atomic_load_relaxed32(&queue->listed) != 0;
}
