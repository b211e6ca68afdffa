/* sweep_case.h - the cost of sweeping a character against a dense object, in the worst case. */
#ifndef RICO_BENCH_SWEEP_CASE_H
#define RICO_BENCH_SWEEP_CASE_H

#include "ray_scenes.h"
#include "row.h"

/* Case sweep/dense. */
void sweep_case_run(bench *b, ray_scenes *scenes);

#endif
