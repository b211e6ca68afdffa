/* quality_cost.h - what a mode costs, beside mode fixed, without events and without the truth.
 *
 * The same effects in mode fixed, each with the plane of the floor below it, run in a world of their
 * own; the two worlds take turns, so that a noisy machine does the same to both.
 */
#ifndef RICO_BENCH_QUALITY_COST_H
#define RICO_BENCH_QUALITY_COST_H

#include "quality_run.h"

/* Nanoseconds per particle and frame; for mode fixed itself, else above it. */
typedef struct quality_cost {
    double ns[QUALITY_PHASES];
} quality_cost;

/* Owner: whoever opened it. */
typedef struct quality_base {
    quality_setup setup;
    quality_world world;
    quality_cost cost; /* of mode fixed */
} quality_base;

/* Opens the world of mode fixed and runs it until it is steady. */
bool quality_base_open(quality_base *base, const quality_setup *setup);
void quality_base_close(quality_base *base);

/* warm_frame: how long the mode runs before it is measured as warm. */
bool quality_cost_measure(const quality_setup *setup, quality_base *base, uint32_t warm_frame,
                          quality_cost *cost);

#endif
