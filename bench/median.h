/* median.h - the middle of a few measurements, and other parts of them. */
#ifndef RICO_BENCH_MEDIAN_H
#define RICO_BENCH_MEDIAN_H

#include <stdint.h>

/* Sorts values in place. count > 0; of an even count, the mean of the middle two. */
double median(double *values, uint32_t count);

/* The smallest that so many percent do not exceed, 0 to 100. Sorts values in place. count > 0. */
double percentile(double *values, uint32_t count, uint32_t percent);

#endif
