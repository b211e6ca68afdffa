/* ride.h - what the files about particles near bodies share: ride_near.c, ride.c.
 *
 * Owner: a block's context. Threads: simulate, the one job that has the block. Order: bodies as they became some. */
#ifndef RICO_RIDE_H
#define RICO_RIDE_H

#include "simulate.h"

/* What holds a sleeper up is looked for so many radii under it, and no more. */
#define RICO__SUPPORT_RADII 8.0f
#define RICO__SUPPORT_SKIN 0.002f
/* It may be farther off than its radius: by so many radii, and no more than so many metres. */
#define RICO__SLACK_RADII 0.5f
#define RICO__MOST_SLACK 0.015f

/* The ways on which what holds a sleeper is looked for: so many, all of one length. What sticks may do so to a surface
 * that faces any way: one at the radius is met by one of six rays, as far away as along a diagonal. */
#define RICO__MOST_WAYS 6u
uint32_t rico__ways_to_hold(const rico__block_context *c, rico_vec3 ways[RICO__MOST_WAYS]);

/* Bodies that are found by one question. */
#define RICO__NEAR_AT_ONCE 16u

/* How far a particle may come in the step, of absolute values, and its radius. */
float rico__ride_reach(const rico__step *step, float vx, float vy, float vz);

/* Whether so far from the place there may be something of the body, in this step. */
bool rico__is_near(const rico__mover *body, rico_vec3 p, float reach);

/* The bodies near a place (rico__is_near), in their order: begun, then asked for the next until there is none. */
typedef struct rico__near {
    const rico__block_context *c;
    rico_vec3 p;
    float reach;
    const uint32_t *list; /* their numbers; NULL = all there are */
    uint32_t count, next; /* of the list */
    uint32_t from;        /* the list goes on with numbers from here; RICO__ANY_BODY: it does not */
    uint32_t found[RICO__NEAR_AT_ONCE];
} rico__near;

void rico__near_begin(rico__near *near, const rico__block_context *c, rico_vec3 p, float reach);
const rico__mover *rico__near_next(rico__near *near);

#endif
