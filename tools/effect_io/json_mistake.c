#include "json_mistake.h"

#include <stdbool.h>
#include <string.h>

static size_t place_of(const char *text, size_t bytes, size_t line, size_t column)
{
    size_t at = 0;
    for (; line > 1 && at < bytes; ++at)
        line -= text[at] == '\n';
    return at + column - 1;
}

/* The last character before `at` that is not a space; '\0' = none. */
static char character_before(const char *text, size_t at)
{
    while (at > 0 && strchr(" \t\r\n", text[at - 1]) != NULL && text[at - 1] != '\0')
        --at;
    return at > 0 ? text[at - 1] : '\0';
}

static bool is_of_word(char c)
{
    return c != '\0' && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", c) != NULL;
}

/* The first byte of the string, number or name that ends there. */
static size_t begin_of(const char *text, size_t at)
{
    size_t begin = at;
    if (text[at] == '"') {
        while (begin > 0 && (text[begin - 1] != '"' || (begin > 1 && text[begin - 2] == '\\')))
            --begin;
        return begin > 0 ? begin - 1 : 0;
    }
    while (begin > 0 && is_of_word(text[begin]) && is_of_word(text[begin - 1]))
        --begin;
    return begin;
}

/* Whether a member or an element could have ended before it. */
static bool lacks_comma(const char *text, size_t at, const char *said)
{
    const char before = character_before(text, begin_of(text, at));
    const bool opens =
        text[at] != '\0' && (strchr("\"{[", text[at]) != NULL || is_of_word(text[at]));
    return (strncmp(said, "'}' expected", 12) == 0 || strncmp(said, "']' expected", 12) == 0) &&
           opens && before != '\0' &&
           strchr("\"}]0123456789el", before) != NULL; /* true, false and null, too */
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Says what is wrong with a word or number that other notations have. at: its last byte. */
static const char *wrong_word(const char *text, size_t bytes, size_t at, const char *said)
{
    static const struct {
        const char *said, *advice;
    } words[] = {
        {"near 'True'", ", which has true with a small letter"},
        {"near 'TRUE'", ", which has true in small letters"},
        {"near 'False'", ", which has false with a small letter"},
        {"near 'FALSE'", ", which has false in small letters"},
        {"near 'NaN'", ", which has no such number"},
        {"near 'nan'", ", which has no such number"},
        {"near 'Infinity'", ", which has no such number"},
        {"near 'inf'", ", which has no such number"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(said, words[i].said) != NULL)
            return words[i].advice;
    if (text[at] == '.')
        return ", which has digits before and after the point";
    if (text[at] == '+')
        return ", which has no + before a number";
    if (text[at] == '0' && at + 1 < bytes && is_digit(text[at + 1]))
        return ", which has no 0 before a whole number";
    return "";
}

/* A member's name was expected. at: the last byte of what is there instead. */
static const char *wrong_name(const char *text, size_t at)
{
    const size_t begin = begin_of(text, at);
    if (is_digit(text[at]) && begin > 1 && text[begin - 1] == ',' && is_digit(text[begin - 2]))
        return ", which has a point in numbers, not a comma";
    return is_letter(text[at]) ? ", which has names in double quotes" : "";
}

const char *rio_json_mistake(const char *text, size_t bytes, size_t line, size_t column,
                             const char *said)
{
    const size_t at = place_of(text, bytes, line, column);
    if (bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return " in UTF-8, not in UTF-16";
    if (at >= bytes)
        return "";
    if (text[at] == '/' || text[at] == '#')
        return ", which has no comments: use the field \"comment\"";
    if (text[at] == '\'')
        return ", which has double quotes only";
    if (bytes - at >= 3 && memcmp(text + at, "\xe2\x80", 2) == 0) /* of a word processor */
        return ", which has straight double quotes only";
    if (strncmp(said, "invalid token", 13) == 0)
        return wrong_word(text, bytes, at, said);
    if (strstr(said, "near 'f'") != NULL && at > 0 && is_digit(text[at - 1]))
        return ", which has no letter after a number";
    if (strncmp(said, "string or '}' expected", 22) == 0 && text[at] != '}')
        return wrong_name(text, at);
    if ((text[at] == '}' || text[at] == ']') && character_before(text, at) == ',')
        return " without the comma before this";
    return lacks_comma(text, at, said) ? " with a comma before this" : "";
}
