/* forecast.h - looking ahead: where the path of a particle leads, and until when that is known.
 *
 * A particle of mode cached is looked after once in a while, not in each step: its path is
 * followed through the cells that it will cross, up to the first surface, the first cell of which
 * nothing is known, or the horizon. From then on it only watches one plane and the time.
 */
#ifndef RICO_FORECAST_H
#define RICO_FORECAST_H

#include "simulate.h"

/* A particle whose path is followed. */
typedef struct rico__flight {
    rico__block *block;
    float *numbers; /* in the first stream; in the next ones, always `stride` further */
    size_t stride;
    uint32_t lane;
    float radius, fall, dt;
    float age;
    bool missing;        /* no record of `cell` */
    rico__choice choice; /* its time is from its path's `time` on */
    rico__cell cell;     /* the one it is in */
} rico__flight;

/* The paths that are followed together, so that their waits for memory overlap: of flight k in
 * column k.
 *
 * Owner: the world, one per worker. Threads: that worker. Order: flights in the order of particles. */
struct rico__wave {
    rico__cells cells;
    uint32_t count;      /* flights */
    rico__flights paths; /* columns */
    /* Of each column: its path in its cell, what that meets there, and when. */
    rico__path path[RICO__MAX_FLIGHTS];
    uint32_t found[RICO__MAX_FLIGHTS];
    float found_time[RICO__MAX_FLIGHTS][RICO__RECORD_TIMES];
    rico__flight flights[RICO__MAX_FLIGHTS];
};

/* Adds the block's particles that must look ahead (masks.look) to the worker's wave. */
void rico__look_ahead(rico__block_context *c);

/* The same for those that wait for a record, and for all when what is known of paths is not true
 * any more. */
void rico__look_again(rico_world *world, uint32_t worker, rico__block *block);

/* Follows what is left in the worker's wave: each particle gets its plane, its clearance and the
 * time until which its path is known. Cells that lack a record are asked for. */
void rico__forecast(rico_world *world, uint32_t worker);

#endif
