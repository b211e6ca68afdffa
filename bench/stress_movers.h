/* stress_movers.h - the colliders that move: platforms that sway under effects, and doors that turn beside them
 * (private to stress_world.c and stress_frame.c). */
#ifndef RICO_BENCH_STRESS_MOVERS_H
#define RICO_BENCH_STRESS_MOVERS_H

#include "stress_world.h"

/* When effects have their places. False: out of memory. */
bool stress_movers_open(stress_world *w);

/* To where they are at the end of the next step. */
void stress_movers_move(stress_world *w);

/* -1..1 and back, in `period` frames. */
float stress_sway(uint32_t frame, uint32_t period);

#endif
