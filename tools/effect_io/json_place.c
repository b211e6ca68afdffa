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

/* Skips to the next significant character; commas and colons are not. */
static void skip_space(scan *s)
{
    while (s->at < s->bytes && (is_space(peek(s)) || peek(s) == ',' || peek(s) == ':'))
        s->at += 1;
}

/* Reads four hexadecimal digits. */
static uint32_t next_hex(scan *s)
{
    uint32_t code = 0;
    for (int i = 0; i < 4 && s->at < s->bytes; ++i, ++s->at) {
        char c = peek(s);
        uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : ((uint32_t)c | 32u) - 'a' + 10u;
        code = code * 16u + (digit & 15u);
    }
    return code;
}

/* Writes a character in UTF-8. Returns its length. */
static size_t encode(uint32_t code, char out[4])
{
    const uint32_t length = code < 0x80u ? 1 : (code < 0x800u ? 2 : (code < 0x10000u ? 3 : 4));
    static const uint32_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (uint32_t i = length - 1; i > 0; --i, code >>= 6)
        out[i] = (char)(0x80u | (code & 0x3fu));
    out[0] = (char)(marks[length] | code);
    return length;
}

/* Decodes one \u escape, or two that make up one character. */
static size_t unescape_hex(scan *s, char out[4])
{
    uint32_t code = next_hex(s);
    const bool pair = code >= 0xd800u && code < 0xdc00u && s->at + 2 < s->bytes;
    if (pair && memcmp(s->text + s->at, "\\u", 2) == 0) {
        s->at += 2;
        code = 0x10000u + ((code & 0x3ffu) << 10 | (next_hex(s) & 0x3ffu));
    }
    return encode(code, out);
}

/* Reads the next character of a string, with escapes decoded, or one of its bytes. Returns the
 * number of bytes. */
static size_t next_bytes(scan *s, char out[4])
{
    static const char escapes[] = "bfnrt", means[] = "\b\f\n\r\t";
    out[0] = peek(s);
    s->at += 1;
    if (out[0] != '\\')
        return 1;
    out[0] = peek(s);
    s->at += 1;
    if (out[0] == 'u')
        return unescape_hex(s, out);
    const char *escape = out[0] != '\0' ? strchr(escapes, out[0]) : NULL;
    if (escape != NULL)
        out[0] = means[escape - escapes];
    return 1;
}

/* Skips the string at s. Returns whether it is `key`, which may be NULL. */
static bool pass_string(scan *s, const char *key)
{
    bool same = key != NULL;
    s->at += 1;
    while (s->at < s->bytes && peek(s) != '"') {
        char bytes[4];
        const size_t count = next_bytes(s, bytes);
        same = same && bytes[0] != '\0' && strncmp(key, bytes, count) == 0;
        if (same)
            key += count;
    }
    s->at += 1;
    return same && *key == '\0';
}

/* Skips a number, true, false, null, or anything else. It skips at least one character, so that
 * a scan always ends. strchr alone is not enough, because it finds '\0' in any string. */
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

/* Goes from an object to the value of a member, or from an array to an element. Returns false
 * when there is no such value. */
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

/* Goes to the value at the end of the way. at: the place of the value, or of its key. */
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
