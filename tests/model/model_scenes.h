/* model_scenes.h - the small programs that the model checker runs on the pool. */
#ifndef RICO_MODEL_SCENES_H
#define RICO_MODEL_SCENES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum model_kind {
    MODEL_JOIN,     /* two forks, joined: deque, join, sleep, shutdown */
    MODEL_NESTED,   /* forks inside a fork: published jobs, leapfrogging */
    MODEL_MEET,     /* two jobs that need each other: no wake-up may be lost */
    MODEL_CHAIN,    /* two jobs for two sleepers: each wake causes the next */
    MODEL_RANGE,    /* a range in parts, one for each sleeping worker */
    MODEL_INJECT,   /* a foreign thread submits and waits */
    MODEL_WAIT,     /* a job submits, with a continuation, and waits */
    MODEL_GUEST,    /* a foreign thread waits at a pool without threads, beside a run */
    MODEL_SHUTDOWN, /* a pool is destroyed while its threads fall asleep */
    MODEL_OPEN,     /* as nested, with joins that help any job */
    MODEL_LATE,     /* a job forks for the worker that sleeps in its join */
    MODEL_FOREIGN,  /* the thief of an awaited job goes on to something else */
    MODEL_COUNT,    /* two workers count down one counter */
    MODEL_SPARE,    /* one worker more than may be awake, needed when one sleeps in its join */
    MODEL_ASIDE,    /* as before, needed when one worker is in a task */
    MODEL_GUESTS,   /* two foreign threads wait at a pool without threads */
    MODEL_LEAVE,    /* a foreign thread submits while the caller leaves its wait */
    MODEL_LONE,     /* the only worker waits for a task that a foreign thread submits */
    MODEL_NEST,     /* waits within waits, and a foreign thread that submits and waits */
    MODEL_CROWD,    /* jobs and tasks at once, for three workers of which two may be awake */
    MODEL_HOSTED,   /* a pool on the jobs of a host with one thread */
    MODEL_SHARED    /* the same beside a foreign thread that submits and waits */
} model_kind;

typedef struct model_scene model_scene;

/* touch adds 1 to payload [index], without synchronisation; check compares it. */
model_scene *model_scene_open(model_kind kind, void *user, void (*touch)(void *user, int index),
                              void (*check)(void *user, int index, int expected));
void model_scene_thread(model_scene *scene, unsigned index);
void model_scene_close(model_scene *scene);

/* The reason why the order at that place ("file:function:operation") may be weakened without
 * being detected. NULL: it must be detected. */
const char *model_survivor_reason(const char *place);

#ifdef __cplusplus
}
#endif
#endif
