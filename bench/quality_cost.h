/* quality_cost.h - the cost of a mode beside mode fixed, without the truth.
 *
 * The same effects run in mode fixed in a world of their own, each with the plane of the floor
 * below it. The two worlds take turns, so that a noisy machine affects both alike. Each goes first
 * in every second turn, because the second one may be faster (scaling_pair.h). For a cold start
 * there is a new world of mode fixed beside each new world that is measured.
 */
#ifndef RICO_BENCH_QUALITY_COST_H
#define RICO_BENCH_QUALITY_COST_H

#include "quality_world.h"

/* Frames of each world that quality_cost_turns steps. */
#define QUALITY_TURN_FRAMES (QUALITY_TURNS * (QUALITY_TURN_LEAD + QUALITY_TURN))
#define QUALITY_TURNS 9u
#define QUALITY_TURN 15u
#define QUALITY_TURN_LEAD 3u /* not measured, because the caches hold the other world */

/* Nanoseconds per particle and frame: above mode fixed, or those of mode fixed. */
typedef struct quality_cost {
    double cold; /* over the first two seconds */
    double warm;
    double fixed; /* mode fixed's own in the turns that gave warm: the machine's speed */
} quality_cost;

/* Frames of one world. */
typedef struct quality_sum {
    double ns, particles;
} quality_sum;

/* Steps the world once and adds that. */
void quality_sum_step(quality_sum *sum, quality_world *w, bool *ok);
double quality_sum_ns(const quality_sum *sum); /* per particle and frame; 0 = no particles */

/* Owner: the code that opened it. */
typedef struct quality_base {
    quality_setup setup;
    quality_world world;
    quality_cost cost; /* mode fixed's own, for rows of its own; nothing is subtracted from it */
} quality_base;

/* Opens the world of mode fixed, watched or not as in the setup, and runs it until it is steady. */
bool quality_base_open(quality_base *base, const quality_setup *setup);
void quality_base_close(quality_base *base);

/* Runs turns of the two worlds from here on. Medians go into cost's warm and fixed. */
void quality_cost_turns(quality_world *w, quality_base *base, quality_cost *cost, bool *ok);

/* Measures in a run of its own, without the truth's work. base and setup must both be watched,
 * or neither. warm_frame: frames before the warm measurement, more than two seconds; 0 = only
 * cold is measured. */
bool quality_cost_measure(const quality_setup *setup, quality_base *base, uint32_t warm_frame,
                          quality_cost *cost);

#endif
