#include "nearest_name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NAME 48u
#define LEAST_WORD 4u

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* As in the C locale: the names are ASCII. */
static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* The number of letters to change, add, remove, or swap with their neighbour (optimal string
 * alignment), within the first LONGEST_NAME letters. Small and capital letters are equal. */
static size_t difference(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_NAME + 1]; /* of the last three letters of a, in turn */
    for (size_t j = 0; j <= b_length; ++j)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; ++i) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; ++j) {
            size_t changed = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            row[j] = least(changed, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* The position of b in a; SIZE_MAX: a does not contain b. */
static size_t place_in(const char *a, const char *b)
{
    for (size_t at = 0; a[at] != '\0'; ++at) {
        size_t i = 0;
        while (b[i] != '\0' && lower(a[at + i]) == lower(b[i]))
            ++i;
        if (b[i] == '\0')
            return at;
    }
    return SIZE_MAX;
}

/* For names of other engines, for example "startLifetime" and "rotation". Returns the name
 * contained in it: the first and longest one. Otherwise the shortest name that contains it. */
static const char *name_around(const char *name, const char *const *names, size_t count)
{
    const char *within = NULL, *around = NULL;
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < count; ++i) {
        const size_t at = strlen(names[i]) >= LEAST_WORD ? place_in(name, names[i]) : SIZE_MAX;
        if (at != SIZE_MAX &&
            (at < first || (at == first && strlen(names[i]) > strlen(within)))) {
            first = at;
            within = names[i];
        }
        if (strlen(name) >= LEAST_WORD && place_in(names[i], name) != SIZE_MAX &&
            (around == NULL || strlen(names[i]) < strlen(around)))
            around = names[i];
    }
    return within != NULL ? within : around;
}

const char *rio_nearest_name(const char *name, const char *const *names, size_t count)
{
    const size_t length = least(strlen(name), LONGEST_NAME);
    const char *best = NULL;
    size_t best_difference = SIZE_MAX;
    for (size_t i = 0; i < count; ++i) {
        size_t its_length = least(strlen(names[i]), LONGEST_NAME);
        size_t d = difference(name, length, names[i], its_length);
        if (d < best_difference && d <= most(most(length, its_length) / 3, 1)) {
            best_difference = d;
            best = names[i];
        }
    }
    return best != NULL ? best : name_around(name, names, count);
}

const char *rio_list_names(const char *const *names, size_t count, char *text, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < count && count <= RIO_LISTED_NAMES && used < bytes; ++i)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i == 0 ? "one of " : ", ",
                                 names[i]);
    if (used == 0 || used >= bytes)
        snprintf(text, bytes, "one of %zu names", count);
    return text;
}
