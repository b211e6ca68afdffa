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
    if ((text[at] == '}' || text[at] == ']') && character_before(text, at) == ',')
        return " without the comma before this";
    return lacks_comma(text, at, said) ? " with a comma before this" : "";
}
