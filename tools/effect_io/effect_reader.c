#include "effect_reader.h"

#include "foreign_name.h"
#include "plain_locale.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rio_shown_bytes(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length <= most)
        return (int)length;
    length = most;
    while (length > 0 && ((unsigned char)text[length] & 0xc0u) == 0x80u)
        length -= 1;
    return (int)length;
}

/* --- The reader's place ---------------------------------------------------------------------- */

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

/* Writes the way as "bursts[1].count". */
static void write_way(const rio_reader *r, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < r->steps && used < bytes; ++i) {
        const rio_json_step *step = &r->way[i];
        int length = step->key != NULL
                         ? snprintf(text + used, bytes - used, "%s%.*s", i > 0 ? "." : "",
                                    rio_shown_bytes(step->key, 64), step->key)
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

/* Returns ": did you mean \"disc\"?", or "". */
static const char *suggest(const char *name, const char *const *names, size_t count, char *text,
                           size_t bytes)
{
    const char *nearest = rio_foreign_name(name, names, count);
    if (nearest != NULL && strcmp(nearest, "host") == 0)
        return ": what the renderer wants to know goes into the object \"host\"";
    if (nearest == NULL)
        nearest = rio_nearest_name(name, names, count);
    text[0] = '\0';
    if (nearest != NULL)
        snprintf(text, bytes, ": did you mean \"%s\"?", nearest);
    return text;
}

bool rio_reader_fail_name(rio_reader *r, const char *text, const char *const *names,
                          size_t count)
{
    char list[RIO_LIST_BYTES], hint[80];
    return rio_reader_fail(r, "found \"%.*s\", expected %s%s", rio_shown_bytes(text, 40), text,
                           rio_list_names(names, count, list, sizeof list),
                           suggest(text, names, count, hint, sizeof hint));
}

bool rio_reader_fail_field(rio_reader *r, const char *key, const char *const *names,
                           size_t count)
{
    char list[RIO_LIST_BYTES], hint[80];
    const bool listed = count <= RIO_LISTED_NAMES;
    return rio_reader_fail_key(r, "no such field%s%s%s", listed ? ", expected " : "",
                               listed ? rio_list_names(names, count, list, sizeof list) : "",
                               suggest(key, names, count, hint, sizeof hint));
}

/* --- Messages -------------------------------------------------------------------------------- */

/* Uses the fewest digits that give the same number again. */
static void describe_real(double value, char *text, size_t bytes)
{
    for (int precision = 6; precision <= 17; ++precision) {
        snprintf(text, bytes, "%.*g", precision, value);
        if (strtod(text, NULL) == value)
            break;
    }
    rio_plain_points(text);
}

static bool is_blunted(const json_t *value)
{
    const double number = json_number_value(value);
    return number == RIO_BLUNTED || number == -RIO_BLUNTED;
}

const char *rio_json_describe(const json_t *value, char *text, size_t bytes)
{
    static const char *const names[] = {"an object", "an array", "text",  "an integer",
                                        "a number",  "true",     "false", "null"};
    if (value == NULL)
        return "nothing";
    if (json_is_string(value))
        snprintf(text, bytes, "\"%.*s\"", rio_shown_bytes(json_string_value(value), 40),
                 json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, bytes, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value) && is_blunted(value))
        snprintf(text, bytes, "a large number");
    else if (json_is_real(value))
        describe_real(json_real_value(value), text, bytes);
    else
        snprintf(text, bytes, "%s", names[json_typeof(value)]);
    return text;
}

#define SHOWN_DIGITS 24

const char *rio_reader_number(const rio_reader *r, const json_t *value, char *text,
                              size_t bytes)
{
    size_t length;
    if (!is_blunted(value))
        return rio_json_describe(value, text, bytes);
    const char *own = rio_json_text(r->text, r->bytes, r->way, r->steps, &length);
    const bool is_long = length > SHOWN_DIGITS;
    snprintf(text, bytes, "%.*s%s", is_long ? SHOWN_DIGITS : (int)length, own,
             is_long ? "..." : "");
    return text;
}
