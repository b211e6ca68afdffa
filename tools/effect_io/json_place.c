#include "json_place.h"

#include <stdint.h>
#include <string.h>

typedef struct scan {
    const char *text;
    size_t bytes, at;
} scan;

static char peek(const scan *s)
{
    return s->at < s->bytes ? s->text[s->at] : '\0';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* To the next character that means something; commas and colons do not. */
static void skip_space(scan *s)
{
    while (s->at < s->bytes && (is_space(peek(s)) || peek(s) == ',' || peek(s) == ':'))
        s->at += 1;
}

/* The character of a \u escape; those beyond ASCII, which no key of ours has, are one that no text
 * holds. */
static char unescape_hex(scan *s)
{
    uint32_t code = 0;
    for (int i = 0; i < 4 && s->at < s->bytes; ++i, ++s->at) {
        char c = peek(s);
        uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : ((uint32_t)c | 32u) - 'a' + 10u;
        code = code * 16u + (digit & 15u);
    }
    return code > 0 && code < 128 ? (char)code : '\x7f';
}

/* The next character of a string, escapes undone. */
static char next_character(scan *s)
{
    char c = peek(s);
    s->at += 1;
    if (c != '\\')
        return c;
    c = peek(s);
    s->at += 1;
    if (c == 'u')
        return unescape_hex(s);
    return c == 'n' ? '\n' : (c == 't' ? '\t' : c);
}

/* Past the string at s; whether it is `key`, which may be NULL. */
static bool pass_string(scan *s, const char *key)
{
    bool same = key != NULL;
    s->at += 1;
    while (s->at < s->bytes && peek(s) != '"') {
        char c = next_character(s);
        same = same && *key != '\0' && *key == c;
        if (same)
            key += 1;
    }
    s->at += 1;
    return same && *key == '\0';
}

/* A number, true, false, null, or what is none of these: one character at least, or who scans would stay
 * where it is for ever. Not strchr alone, which finds '\0' in any string. */
static void pass_word(scan *s)
{
    do {
        s->at += 1;
    } while (s->at < s->bytes &&
             (peek(s) == '\0' || strchr(" \t\r\n,:]}[{\"", peek(s)) == NULL));
}

static void pass_value(scan *s)
{
    size_t depth = 0;
    do {
        skip_space(s);
        char c = peek(s);
        if (c == '"') {
            pass_string(s, NULL);
        } else if (c == '{' || c == '[') {
            depth += 1;
            s->at += 1;
        } else if (c == '}' || c == ']') {
            depth -= depth > 0;
            s->at += 1;
        } else {
            pass_word(s);
        }
    } while (depth > 0 && s->at < s->bytes);
}

/* From an object to the value of a member, from an array to an element; false when it has none. */
static bool enter(scan *s, const rio_json_step *step, size_t *key_at)
{
    scan inner = *s;
    if (peek(&inner) != (step->key != NULL ? '{' : '['))
        return false;
    inner.at += 1;
    for (size_t i = 0;; ++i) {
        skip_space(&inner);
        if (inner.at >= inner.bytes || peek(&inner) == '}' || peek(&inner) == ']')
            return false;
        *key_at = inner.at;
        bool found = step->key != NULL ? pass_string(&inner, step->key) : i == step->index;
        skip_space(&inner);
        if (found)
            break;
        pass_value(&inner);
    }
    *s = inner;
    return true;
}

/* At the value at the end of the way. at: the same, or its key's place. */
static scan follow(const char *text, size_t bytes, const rio_json_step *way, size_t steps,
                   bool at_key, size_t *at)
{
    scan s = {text, bytes, 0};
    skip_space(&s);
    size_t key_at = *at = s.at;
    for (size_t i = 0; i < steps && enter(&s, &way[i], &key_at); ++i)
        *at = at_key && way[i].key != NULL ? key_at : s.at;
    return s;
}

rio_json_place rio_json_find(const char *text, size_t bytes, const rio_json_step *way,
                             size_t steps, bool at_key)
{
    size_t at;
    follow(text, bytes, way, steps, at_key, &at);
    rio_json_place place = {1, 1};
    for (size_t i = 0; i < at && i < bytes; ++i) {
        place.column += 1;
        if (text[i] == '\n') {
            place.line += 1;
            place.column = 1;
        }
    }
    return place;
}

const char *rio_json_text(const char *text, size_t bytes, const rio_json_step *way,
                          size_t steps, size_t *length)
{
    size_t begin;
    scan s = follow(text, bytes, way, steps, false, &begin);
    pass_value(&s);
    *length = s.at - begin;
    return text + begin;
}
