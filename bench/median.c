#include "median.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare);
    return 0.5 * (values[count / 2] + values[(count - 1) / 2]);
}

double percentile(double *values, uint32_t count, uint32_t percent)
{
    uint64_t rank = ((uint64_t)count * percent + 99) / 100;
    qsort(values, count, sizeof *values, compare);
    return values[rank > 0 ? rank - 1 : 0];
}
