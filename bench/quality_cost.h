/* quality_cost.h - what a mode costs, beside mode fixed, without the truth.
 *
 * The same effects in mode fixed, each with the plane of the floor below it, run in a world of their
 * own; the two worlds take turns, so that a noisy machine does the same to both.
 */
#ifndef RICO_BENCH_QUALITY_COST_H
#define RICO_BENCH_QUALITY_COST_H

#include "quality_world.h"

/* Frames that quality_cost_turns steps each world. */
#define QUALITY_TURN_FRAMES (QUALITY_TURNS * (QUALITY_TURN_LEAD + QUALITY_TURN))
#define QUALITY_TURNS 9u
#define QUALITY_TURN 15u
#define QUALITY_TURN_LEAD 3u /* not measured: the caches hold the other world */

/* Nanoseconds per particle and frame: above mode fixed, or of it. */
typedef struct quality_cost {
    double cold; /* over the first two seconds */
    double warm;
    double fixed; /* mode fixed's own in the turns that gave warm: how fast the machine was */
} quality_cost;

/* Owner: whoever opened it. */
typedef struct quality_base {
    quality_setup setup;
    quality_world world;
    quality_cost cost; /* of mode fixed */
} quality_base;

/* Opens the world of mode fixed, watched or not as in the setup, and runs it until it is steady. */
bool quality_base_open(quality_base *base, const quality_setup *setup);
void quality_base_close(quality_base *base);

/* The two worlds' turns from here on; medians, into cost's warm and fixed. */
void quality_cost_turns(quality_world *w, quality_base *base, quality_cost *cost, bool *ok);

/* A run of its own, without the truth's work; base and setup both watched, or neither. warm_frame: how
 * long it goes before it is measured as warm, more than two seconds; 0 = only cold is measured. */
bool quality_cost_measure(const quality_setup *setup, quality_base *base, uint32_t warm_frame,
                          quality_cost *cost);

#endif
