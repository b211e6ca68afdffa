/* stress_frame.h - what stress_world.c and stress_frame.c share (private to them). */
#ifndef RICO_BENCH_STRESS_FRAME_H
#define RICO_BENCH_STRESS_FRAME_H

#include "stress_world.h"

/* Starts the effect of that rank at its home place. */
void stress_effect_start(stress_world *w, uint32_t rank);

#endif
