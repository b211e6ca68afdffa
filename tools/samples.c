#include "samples.h"

#include <stdlib.h>
#include <string.h>

bool samples_reserve(samples *s, uint32_t capacity)
{
    s->values = malloc((capacity ? capacity : 1) * sizeof *s->values);
    s->count = 0;
    s->capacity = s->values ? capacity : 0;
    return s->values != NULL;
}

void samples_free(samples *s)
{
    free(s->values);
    memset(s, 0, sizeof *s);
}

void samples_add(samples *s, double value)
{
    if (s->count < s->capacity)
        s->values[s->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double samples_percentile(const samples *s, double percent)
{
    if (s->count == 0)
        return 0.0;
    double *sorted = malloc(s->count * sizeof *sorted);
    if (!sorted)
        return 0.0;
    memcpy(sorted, s->values, s->count * sizeof *sorted);
    qsort(sorted, s->count, sizeof *sorted, compare);
    double exact = percent / 100.0 * (double)s->count;
    uint32_t rank = (uint32_t)exact;
    if ((double)rank < exact)
        ++rank;
    rank = rank < 1 ? 1 : rank > s->count ? s->count : rank;
    double value = sorted[rank - 1];
    free(sorted);
    return value;
}

double samples_mean(const samples *s, uint32_t begin)
{
    double sum = 0.0;
    for (uint32_t i = begin; i < s->count; ++i)
        sum += s->values[i];
    return s->count > begin ? sum / (double)(s->count - begin) : 0.0;
}

double samples_sum(const samples *s)
{
    return samples_mean(s, 0) * (double)s->count;
}
