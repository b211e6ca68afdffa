/* rest_case.h - what a step costs in which everything is at rest. */
#ifndef RICO_BENCH_REST_CASE_H
#define RICO_BENCH_REST_CASE_H

#include <stdbool.h>
#include <stdint.h>

/* So many effects of so many particles of mode cached, born at once, fallen on a floor and come to rest there:
 * nanoseconds of each of the `steps` that follow. False: *why says what is wrong. */
bool rest_case_measure(uint32_t effects, uint32_t particles_each, uint32_t threads, double *ns,
                       uint32_t steps, const char **why);

#endif
