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
