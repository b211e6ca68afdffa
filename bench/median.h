/* median.h - the middle of a few measurements. */
#ifndef RICO_BENCH_MEDIAN_H
#define RICO_BENCH_MEDIAN_H

#include <stdint.h>

/* Sorts values in place. count > 0; of an even count, the mean of the middle two. */
double median(double *values, uint32_t count);

#endif
