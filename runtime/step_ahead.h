/* step_ahead.h - a step in two halves (world_step.h), between the halves.
 *
 * Owner: the world. Threads: the host's thread writes before the task is submitted, and reads
 * when the counter has fired; `worker` is the task's own.
 */
#ifndef RICO_STEP_AHEAD_H
#define RICO_STEP_AHEAD_H

#include <ricochet/tasks.h>

typedef struct rico__step_ahead {
    rico_task task;
    rico_counter over;
    rico_worker *worker; /* that runs the task: stages run jobs by it. NULL: they enter the pool */
    float dt;
    bool begun; /* and not ended */
} rico__step_ahead;

#endif
