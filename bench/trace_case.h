/* trace_case.h - what a trace costs: pools that keep one and pools that do not, in turns.
 *
 * Rows trace: cost_pct, frames of five stages of 200 us on a pool with a trace over those on one
 * without; noise_pct, the same for another pool without, which is what the machine makes of no
 * difference at all. trace_zone: ns_on and ns_off, a zone that the host marks. */
#ifndef RICO_BENCH_TRACE_CASE_H
#define RICO_BENCH_TRACE_CASE_H

#include "row.h"

/* iterations_us: of jobs_work in a microsecond. */
void trace_case_run(bench *b, uint32_t threads, double iterations_us);

#endif
