/* chaos.c - disturbance on purpose. A seed decides which worker steals from which, what is
 * shared when, and how long things take. So schedules come up that a quiet machine never shows. */
#include "worker.h"

static uint32_t draw(rico_worker *worker)
{
    uint32_t x = worker->chaos;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    worker->chaos = x;
    return x;
}

void rico__chaos_disturb(rico_worker *worker)
{
    uint32_t x = draw(worker);
    worker->victim = (x >> 8) % pool_worker_count(worker->pool);
    if (x % 64 == 0)
        for (uint32_t i = 0; i < (x >> 16) % 2000; i++)
            rico__cpu_pause();
    else if (x % 8 == 0)
        rico__thread_yield();
}

bool rico__chaos_shares(rico_worker *worker)
{
    rico__chaos_disturb(worker);
    return draw(worker) % 8 == 0;
}
