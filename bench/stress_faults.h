/* stress_faults.h - faults around a world under stress, and how the world must respond to them.
 *
 * Owner: the stress_world. Everything but the threads' times follows from the world's random
 * state. So a world with faults also has the same hash on any number of threads.
 */
#ifndef RICO_BENCH_STRESS_FAULTS_H
#define RICO_BENCH_STRESS_FAULTS_H

#include "faulty_file.h"
#include "faulty_rays.h"
#include "thread_host.h"

/* stress_setup.faults; ored together. */
enum {
    STRESS_FAULT_MEMORY = 1,    /* allocations of edits fail */
    STRESS_FAULT_STALL = 2,     /* now and then a thread of the pool stands still for 50 ms */
    STRESS_FAULT_HOST_JOBS = 4, /* a faulty thread_host.h in place of the pool's threads */
    STRESS_FAULT_RAYS = 8,      /* faulty_rays.h in place of the world's scene */
    STRESS_FAULT_FILES = 16     /* faulty_file.h */
};

#define STRESS_FILE_EFFECTS 8u

typedef struct stress_faults {
    thread_host host;
    faulty_rays rays;
    faulty_file file;
    pthread_t threads[RICO_JOBS_MAX_WORKERS];
    pthread_mutex_t lock;                             /* protects `started` */
    bool started[RICO_JOBS_MAX_WORKERS];              /* the thread has reported its index */
    rico_effect_id file_effects[STRESS_FILE_EFFECTS]; /* effects that run the file's recipe */
    uint64_t stalls, messages;
    uint32_t failed_before; /* allocations that had failed before this frame's edits */
    bool host_open, lock_made;
} stress_faults;

struct stress_world;

/* Call these before the pool and before the world is made. They make the definitions faulty. */
bool stress_faults_prepare_jobs(struct stress_world *w, rico_jobs_def *def);
bool stress_faults_prepare_world(struct stress_world *w, rico_world_def *def);

/* Call when the world exists. False: something could not be made. */
bool stress_faults_open(struct stress_world *w);

/* Call before the world is destroyed, and after the world and its pool are destroyed. */
void stress_faults_close(struct stress_world *w);
void stress_faults_free(struct stress_world *w);

/* Call before the edits of a frame, and right before its step. */
void stress_faults_begin_edits(struct stress_world *w);
void stress_faults_end_edits(struct stress_world *w);

/* For a failed edit that may need memory: returns true when the failure was this frame's fault. */
bool stress_faults_explain(const struct stress_world *w);

/* Number of living effects that are not in the host's list. */
uint32_t stress_faults_effects(const struct stress_world *w);

#endif
