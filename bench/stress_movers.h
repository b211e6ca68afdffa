/* stress_movers.h - moving colliders: platforms that sway under effects, and doors that turn
 * beside them (private to stress_world.c and stress_frame.c). */
#ifndef RICO_BENCH_STRESS_MOVERS_H
#define RICO_BENCH_STRESS_MOVERS_H

#include "stress_world.h"

/* Call when effects have their places. False: out of memory. */
bool stress_movers_open(stress_world *w);

/* Moves them to their places at the end of the next step. */
void stress_movers_move(stress_world *w);

/* A value that goes from -1 to 1 and back in `period` frames. */
float stress_sway(uint32_t frame, uint32_t period);

#endif
