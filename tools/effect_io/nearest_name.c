#include "nearest_name.h"

#include <stdint.h>
#include <string.h>

#define LONGEST_NAME 48u

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to change, add or take out (Levenshtein); of the first LONGEST_NAME letters. */
static size_t difference(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1];
    size_t a_length = least(strlen(a), LONGEST_NAME), b_length = least(strlen(b), LONGEST_NAME);
    for (size_t j = 0; j <= b_length; ++j)
        row[j] = j;
    for (size_t i = 1; i <= a_length; ++i) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; ++j) {
            size_t changed = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}

const char *rio_nearest_name(const char *name, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_difference = SIZE_MAX;
    for (size_t i = 0; i < count; ++i) {
        size_t d = difference(name, names[i]);
        if (d < best_difference) {
            best_difference = d;
            best = names[i];
        }
    }
    return best;
}
