/* median.h - the median of a few measurements, and other percentiles. */
#ifndef RICO_BENCH_MEDIAN_H
#define RICO_BENCH_MEDIAN_H

#include <stdint.h>

/* Sorts values in place. count > 0. For an even count, the mean of the middle two. */
double median(double *values, uint32_t count);

/* The smallest value that `percent` percent do not exceed, 0 to 100. Sorts values in place.
 * count > 0. */
double percentile(double *values, uint32_t count, uint32_t percent);

#endif
