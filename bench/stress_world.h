/* stress_world.h - a world under stress: thousands of effects that come, go, move and starve.
 *
 * Everything that happens follows from the setup's seed and the number of frames. So equal
 * setups give equal hashes on any number of threads. The host's list of effects is kept beside
 * the world and compared with it. An effect that is in only one of the two is a lost effect.
 */
#ifndef RICO_BENCH_STRESS_WORLD_H
#define RICO_BENCH_STRESS_WORLD_H

#include "counting.h"
#include "cpus.h"
#include "disturbance.h"
#include "frame_log.h"
#include "mesh_file.h"
#include "stress_faults.h"
#include "stress_recipes.h"

/* Kinds of stress; ored together. */
enum {
    STRESS_CHURN = 1, /* 5 % of the effects per second are destroyed or stopped, and replaced */
    STRESS_BURST = 2, /* 1,000 more in one frame, every two seconds */
    STRESS_MOVE = 4,  /* a fifth of the emitters move in each frame, and 64 colliders */
    STRESS_STREAM = 8, /* in each frame one patch of ground comes and the oldest goes */
    STRESS_FULL = 16,  /* too few queries, records, events and particles for the demand */
    STRESS_TIME = 32,  /* dt from 1/240 to 1/10 s, new in each frame; time scales change */
    STRESS_MODES = 64  /* smoke and exact casings among the effects, and events */
};

typedef struct stress_setup {
    uint32_t effects, particles; /* wanted in the steady state */
    uint32_t threads;
    uint32_t what;   /* STRESS_... */
    uint32_t faults; /* STRESS_FAULT_...: stress_faults.h */
    uint64_t seed;
    const rio_mesh *mesh; /* the world; must outlive it */
    const cpus *
        pins; /* CPUs of the threads, worker by worker, the caller's first; NULL = not pinned */
    const rico_host_jobs *host; /* the jobs run on its threads; NULL = on the pool's */
    uint32_t announced_us; /* each step is announced (rico_jobs_frame_begin), and the host
                            * works alone for that long before it; 0 = neither */
} stress_setup;

#define STRESS_BURST_EFFECTS 1000u
#define STRESS_PATCHES 32u
#define STRESS_MOVERS 64u
#define STRESS_WARM_UP 240u /* frames of 1/60 s: the longest life */

typedef struct stress_effect {
    rico_effect_id id;
    rico_transform home;
    bool rains; /* from the sky: all such effects have one home place */
} stress_effect;

/* A stopped effect, and when it must be gone. */
typedef struct stress_leaver {
    rico_effect_id id;
    double due; /* seconds of the world */
} stress_leaver;

/* Owner: the code that opened it; it must stay where it is. */
typedef struct stress_world {
    stress_setup setup;
    rico_jobs *jobs; /* used by the world */
    rico_world *world;
    counting memory;
    stress_faults faults;
    disturbance disturbance;
    uint64_t random;
    uint32_t frame;
    double time;      /* seconds of the world */
    double churn_due; /* number of effects to replace; fractions add up */
    rico_recipe_id recipes[STRESS_CLASSES][STRESS_KINDS];
    rico_recipe_id burst_recipe;
    stress_effect *effects; /* by rank */
    stress_leaver *leavers;
    uint32_t leaver_count, leaver_capacity;
    rico_effect_id burst[STRESS_BURST_EFFECTS];
    double burst_due; /* when the effects of the last burst must be gone */
    rico_collider_id patches[STRESS_PATCHES];
    rico_collider_id movers[STRESS_MOVERS]; /* none in worlds with a host's rays */
    uint64_t bare_bytes;                    /* when measuring began */
    uint32_t lost;                          /* so far */
    uint32_t not_finite; /* particles seen at a position that is not finite */
} stress_world;

/* False: it cannot be made (the log gives the reason), and nothing stays behind. The world is
 * warm after STRESS_WARM_UP frames. */
bool stress_world_open(stress_world *w, const stress_setup *setup);
void stress_world_close(stress_world *w);

/* Does one frame: its edits and its step. */
void stress_world_frame(stress_world *w, frame_entry *out);

/* The memory held without streamed ground, which is removed for that. */
uint64_t stress_world_bare_bytes(stress_world *w);

/* Compares the list with the world. Returns the number of effects lost so far. */
uint32_t stress_world_audit(stress_world *w);

#endif
