/* ride.h - what ride_near.c, ride.c and ride_rest.c share, about particles near movers.
 *
 * Owner: a block's context. Threads: simulate, the one job that has the block. Order: movers,
 * in the order in which they became movers.
 */
#ifndef RICO_RIDE_H
#define RICO_RIDE_H

#include "simulate.h"

/* A particle on its way through the step. */
typedef struct rico__rider {
    rico__block_context *c;
    uint32_t lane;
    float part; /* of the step that is over; below 0, movers stand as it begins */
    float end;  /* of the part that is looked at */
    rico_vec3 p, v;
    const rico__mover *support; /* the mover that it goes along with: not in its way */
    const rico__mover *pushed;  /* of movers that were moved, the one that it met last, */
    rico_vec3 place;            /* and where, in the mover's space */
    bool led;                   /* it has met a mover */
    bool touched;
    bool between; /* it has met what stands still: there may be no room beside a mover */
    bool rests; /* where it is now */
} rico__rider;

/* What holds up a sleeping particle is looked for up to this many radii below it, plus the skin
 * (metres). */
#define RICO__SUPPORT_RADII 8.0f
#define RICO__SUPPORT_SKIN 0.002f
/* What holds a particle may be farther off than its radius: by this many radii, and by no more
 * than this many metres. */
#define RICO__SLACK_RADII 0.5f
#define RICO__MOST_SLACK 0.015f

/* The directions in which what holds a sleeping particle is looked for; returns how many. All
 * are of one length. A particle may stick to a surface that faces any way. A surface at the
 * radius is met by one of six rays, as far away as along a diagonal. */
#define RICO__MOST_WAYS 6u
uint32_t rico__ways_to_hold(const rico__block_context *c, rico_vec3 ways[RICO__MOST_WAYS]);

/* Movers that one query finds. */
#define RICO__NEAR_AT_ONCE 16u

/* How far a particle may come in the step, plus its radius. vx, vy, vz: absolute values. */
float rico__ride_reach(const rico__step *step, float vx, float vy, float vz);

/* Whether something of the mover may be within `reach` of the place in this step. */
bool rico__is_near(const rico__mover *body, rico_vec3 p, float reach);

/* The movers near a place (rico__is_near), in their order: call begin, then next until NULL. */
typedef struct rico__near {
    const rico__block_context *c;
    rico_vec3 p;
    float reach;
    const uint32_t *list; /* their numbers; NULL = all movers */
    uint32_t count, next; /* of the list */
    uint32_t from;        /* the list goes on with numbers from here; RICO__ANY_BODY: it ends */
    uint32_t found[RICO__NEAR_AT_ONCE];
} rico__near;

void rico__near_begin(rico__near *near, const rico__block_context *c, rico_vec3 p, float reach);
const rico__mover *rico__near_next(rico__near *near);

/* The rest of the step. Returns whether the particle rests after it. */
bool rico__ride_go(rico__rider *r);

/* Stores where the particle is and how fast it goes, and whether it rests. */
void rico__ride_put(rico__rider *r, bool rests);

/* The step of a particle that was asleep. Returns whether it rests after it. */
bool rico__ride_asleep(rico__rider *r);

/* Moves particles that rest on one mover alone, many at a time, as rico__ride_asleep moves each.
 * Returns those of the lanes, bits of the block's word w, that are left for that. */
uint64_t rico__ride_together(rico__block_context *c, uint32_t w, uint64_t lanes);

#endif
