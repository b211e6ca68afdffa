/* trace_case.h - the cost of a trace: pools that keep one and pools that do not, in turns.
 *
 * Rows trace, frames of five stages of 200 us:
 *   - cost_pct: a pool with a trace compared with a pool without one.
 *   - noise_pct: another pool without a trace compared with the same one, which gives the noise
 *     of the machine.
 * Rows trace_zone: ns_on and ns_off, a zone that the host marks. */
#ifndef RICO_BENCH_TRACE_CASE_H
#define RICO_BENCH_TRACE_CASE_H

#include "row.h"

/* iterations_us: iterations of jobs_work in a microsecond. */
void trace_case_run(bench *b, uint32_t threads, double iterations_us);

#endif
