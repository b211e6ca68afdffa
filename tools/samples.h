/* samples.h - a growing list of numbers and its percentiles. */
#ifndef RICOCHET_SAMPLES_H
#define RICOCHET_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/* Memory is reserved up front, so that adding a value in a measured loop costs one store. */
typedef struct samples {
    double *values;
    uint32_t count, capacity;
} samples;

bool samples_reserve(samples *s, uint32_t capacity); /* false: out of memory */
void samples_free(samples *s);
void samples_add(samples *s, double value); /* beyond the capacity: ignored */

/* Nearest rank: the smallest value with at least percent % of all values at or below it; 100 =
 * the maximum. 0 when there are no values. The list is not changed. */
double samples_percentile(const samples *s, double percent);

/* Mean of the values from index begin on; 0 when there are none. */
double samples_mean(const samples *s, uint32_t begin);
double samples_sum(const samples *s);

#endif
