/* quality_world.h - a world of the library that runs bench_quality's effects in a scene. */
#ifndef RICO_BENCH_QUALITY_WORLD_H
#define RICO_BENCH_QUALITY_WORLD_H

#include "quality_emitters.h"
#include <ricochet/world.h>
#include <ricochet/world_cache.h>

#define QUALITY_RATE 60u /* frames per second */

/* Cold: lives begun in the first two seconds. Warm: lives begun after 20 s. No particle is
 * followed in between, while costs are measured. */
typedef enum quality_phase { QUALITY_COLD, QUALITY_WARM, QUALITY_PHASES } quality_phase;

#define QUALITY_COLD_FRAMES (2u * QUALITY_RATE)
#define QUALITY_WARM_FRAME (20u * QUALITY_RATE)
#define QUALITY_STEADY_FRAME (9u * QUALITY_RATE) /* for modes without a cache */

typedef struct quality_setup {
    const quality_scene *scene;
    const quality_emitter *emitters;
    uint32_t effects;
    uint32_t particles; /* per effect */
    rico_collision_mode mode;
    float budget;
    uint64_t cache_bytes; /* 0 = the default */
    uint32_t threads;
    bool baked;   /* all records are in the cache before the first frame */
    bool untold;  /* the library is not told that the body moves, so nothing rides on it */
    bool watched; /* with particle ids and events */
} quality_setup;

/* Owner: the code that opened it. */
typedef struct quality_world {
    const quality_setup *setup;
    rico_world *world;
    rico_effect_id *effects; /* by emitter */
    uint32_t *emitter_of;    /* by effect slot + 1 */
    rico_collider_id body;
    uint32_t frame;
} quality_world;

/* The setup must outlive the world. False: it cannot be made, and nothing stays behind. */
bool quality_world_open(quality_world *w, const quality_setup *setup);
void quality_world_close(quality_world *w); /* a zeroed or closed one is ignored */

/* Seconds of one frame, as passed to the library. */
double quality_dt(void);

/* Moves the body, then steps. Returns the nanoseconds of the step alone. *ok becomes false when
 * the body could not be moved. */
double quality_world_step(quality_world *w, bool *ok);

#endif
