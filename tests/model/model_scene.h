/* model_scene.h - shared by the model checker's scenes: the state of one scene and its jobs. */
#ifndef RICO_MODEL_SCENE_H
#define RICO_MODEL_SCENE_H

#include "model_scenes.h"

#include "model_atomics.h"
#include "model_system.h"
#include "worker.h"

#include <ricochet/tasks.h>

struct model_scene {
    model_kind kind;
    void *user;
    void (*touch)(void *user, int index);
    void (*check)(void *user, int index, int expected);
    rico_jobs *jobs;
    rico__atomic32 present; /* jobs that wait for each other */
    uint32_t foreigners;    /* threads that are no workers, and those of them that are done */
    rico__atomic32 foreign_done;
    rico_counter counter, second, third;
    rico_task task, other, next;
    rico_job forks[4], nothing[3];
    rico__atomic32 here[3]; /* jobs that have begun */
    bool in_join;           /* worker 0's */
    rico__atomic32 helper, host_over;
    void (*helper_fn)(void *context);
    void *helper_context;
    int expected; /* of payload 1 */
};

static inline void touch_0(rico_worker *worker, void *context)
{
    model_scene *s = context;
    (void)worker;
    s->touch(s->user, 0);
}

static inline void touch_1(rico_worker *worker, void *context)
{
    model_scene *s = context;
    (void)worker;
    s->touch(s->user, 1);
}

static inline void touch_3(rico_worker *worker, void *context)
{
    model_scene *s = context;
    (void)worker;
    s->touch(s->user, 3);
}

static inline void touch_both(rico_worker *worker, void *context)
{
    touch_0(worker, context);
    touch_3(worker, context);
}

/* Scenes of tasks and counters, in model_task_scenes.c. Run by foreign threads: */
void model_submit_and_wait(model_scene *s);
void model_submit_other_and_wait(model_scene *s);

/* Passed to rico_jobs_run: */
void model_wait_for_foreign_task(rico_worker *worker, void *context);
void model_run_wait(rico_worker *worker, void *context);
void model_run_leave(rico_worker *worker, void *context);
void model_run_count(rico_worker *worker, void *context);
void model_run_nest(rico_worker *worker, void *context);
void model_run_crowd(rico_worker *worker, void *context);

#endif
