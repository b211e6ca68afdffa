/* obj_repair.c - one pass counts vertices, another checks the faces. */
#include "obj_repair.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool rio_obj_path(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcasecmp(path + length - 4, ".obj") == 0;
}

static char *line_end(char *line, char *end)
{
    char *at = memchr(line, '\n', (size_t)(end - line));
    return at != NULL ? at : end;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Whether the line's keyword is that one letter. */
static bool starts(const char *line, const char *stop, char letter)
{
    return stop - line >= 2 && line[0] == letter && is_space(line[1]);
}

static char *skip_spaces(char *at, const char *stop)
{
    while (at < stop && is_space(*at))
        at++;
    return at;
}

/* Reads digits after an optional sign, by hand because the text has no terminator. False = no
 * number. */
static bool read_number(const char *at, const char *stop, int64_t *out)
{
    bool negative = at < stop && *at == '-';
    if (at < stop && (*at == '-' || *at == '+'))
        at++;
    int64_t value = 0;
    const char *first = at;
    while (at < stop && *at >= '0' && *at <= '9' && value < INT32_MAX)
        value = value * 10 + (*at++ - '0');
    *out = negative ? -value : value;
    return at > first;
}

/* counts: vertices, texture coordinates and normals of the whole text. Assimp takes a reference
 * to any of them. Numbers that count back refer to those so far. */
static bool element_is_good(const char *at, const char *stop, int64_t so_far, int64_t total)
{
    int64_t number;
    if (!read_number(at, stop, &number))
        return true; /* other numbers are not checked here */
    return number < 0 ? -number <= so_far : number >= 1 && number <= total;
}

static bool face_is_good(char *line, const char *stop, int64_t so_far, int64_t total)
{
    char *at = skip_spaces(line + 1, stop);
    while (at < stop && *at != '#') {
        if (!element_is_good(at, stop, so_far, total))
            return false;
        while (at < stop && !is_space(*at))
            at++;
        at = skip_spaces(at, stop);
    }
    return true;
}

uint32_t rio_obj_blank_bad_faces(char *text, size_t bytes)
{
    char *end = text + bytes;
    int64_t total = 0, so_far = 0;
    uint32_t bad = 0;
    for (char *line = text; line < end; line = line_end(line, end) + 1)
        total += starts(skip_spaces(line, end), end, 'v') ? 1 : 0;
    for (char *line = text; line < end;) {
        char *stop = line_end(line, end);
        char *word = skip_spaces(line, stop);
        bool face = starts(word, stop, 'f');
        so_far += starts(word, stop, 'v') ? 1 : 0;
        if ((face || starts(word, stop, 'l') || starts(word, stop, 'p')) &&
            !face_is_good(word, stop, so_far, total)) {
            memset(line, ' ', (size_t)(stop - line));
            bad += face ? 1u : 0u;
        }
        line = stop + 1;
    }
    return bad;
}
