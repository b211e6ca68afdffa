/* kill_volumes.h - boxes and spheres in which, or outside of which, particles die. */
#ifndef RICO_KILL_VOLUMES_H
#define RICO_KILL_VOLUMES_H

#include <ricochet/world.h>

/* Ready for tests: |rows (p - center)| <= size, or its square <= radius2. */
typedef struct rico__kill_volume {
    rico_vec3 center, x, y, z; /* x, y, z: its axes, in the world */
    rico_vec3 half;
    float radius2;
    bool sphere, outside;
} rico__kill_volume;

/* Owner: the world. Threads: written by edits; read in simulate. */
typedef struct rico__kill_volumes {
    rico__kill_volume items[RICO_MAX_KILL_VOLUMES];
    uint32_t used; /* a bit for each item */
} rico__kill_volumes;

typedef struct rico__block_context rico__block_context; /* simulate.h */

/* At the end of a block's step: adds to masks.dead the particles that are where they must not
 * be. */
void rico__kill_in_volumes(rico__block_context *c);

#endif
