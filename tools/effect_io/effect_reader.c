#include "effect_reader.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* --- Where it is -------------------------------------------------------------------------- */

void rio_reader_enter(rio_reader *r, const char *key)
{
    r->way[r->steps++] = (rio_json_step){.key = key};
}

void rio_reader_enter_index(rio_reader *r, size_t index)
{
    r->way[r->steps++] = (rio_json_step){.index = index};
}

void rio_reader_leave(rio_reader *r)
{
    r->steps -= 1;
}

/* "bursts[1].count" */
static void write_way(const rio_reader *r, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < r->steps && used < bytes; ++i) {
        const rio_json_step *step = &r->way[i];
        int length =
            step->key != NULL
                ? snprintf(text + used, bytes - used, "%s%.64s", i > 0 ? "." : "", step->key)
                : snprintf(text + used, bytes - used, "[%zu]", step->index);
        used += length > 0 ? (size_t)length : 0;
    }
}

static bool fail_at(rio_reader *r, bool at_key, const char *format, va_list arguments)
{
    char way[160], what[320];
    rio_json_place place = rio_json_find(r->text, r->bytes, r->way, r->steps, at_key);
    write_way(r, way, sizeof way);
    vsnprintf(what, sizeof what, format, arguments);
    snprintf(r->error, r->error_bytes, "%s:%zu:%zu: %s%s%s", r->name, place.line, place.column,
             way, way[0] != '\0' && what[0] != ' ' ? ": " : "", what);
    return false;
}

bool rio_reader_fail(rio_reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_at(r, false, format, arguments);
    va_end(arguments);
    return false;
}

bool rio_reader_fail_key(rio_reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_at(r, true, format, arguments);
    va_end(arguments);
    return false;
}

/* --- What it says ------------------------------------------------------------------------- */

const char *rio_json_describe(const json_t *value, char *text, size_t bytes)
{
    static const char *const names[] = {"an object", "an array", "text",  "an integer",
                                        "a number",  "true",     "false", "null"};
    if (value == NULL)
        return "nothing";
    if (json_is_string(value))
        snprintf(text, bytes, "\"%.40s\"", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, bytes, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, bytes, "%g", json_real_value(value));
    else
        snprintf(text, bytes, "%s", names[json_typeof(value)]);
    return text;
}

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
