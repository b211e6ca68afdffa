/* samples.h - a growing list of numbers and its percentiles. */
#ifndef RICOCHET_SAMPLES_H
#define RICOCHET_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/* Reserved up front, so that adding in a measured loop costs a store. */
typedef struct samples {
    double *values;
    uint32_t count, capacity;
} samples;

bool samples_reserve(samples *s, uint32_t capacity); /* false: out of memory */
void samples_free(samples *s);
void samples_add(samples *s, double value); /* beyond the capacity: ignored */

/* Nearest rank: the smallest value with at least percent % of all at or below it; 100 = the
 * maximum. 0 when there are none. Leaves the list as it is. */
double samples_percentile(const samples *s, double percent);

/* Mean of values from index begin on; 0 when there are none. */
double samples_mean(const samples *s, uint32_t begin);
double samples_sum(const samples *s);

#endif
