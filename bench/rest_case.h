/* rest_case.h - the cost of a step in which everything is at rest. */
#ifndef RICO_BENCH_REST_CASE_H
#define RICO_BENCH_REST_CASE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes `effects` effects of mode cached with `particles_each` particles each. All are born at
 * once, fall on a floor and come to rest there. Writes the nanoseconds of each of the `steps`
 * steps that follow. False: *why gives the reason. */
bool rest_case_measure(uint32_t effects, uint32_t particles_each, uint32_t threads, double *ns,
                       uint32_t steps, const char **why);

#endif
