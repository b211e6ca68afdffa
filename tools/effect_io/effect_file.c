#include "effect_file.h"

#include "disk.h"
#include "effect_check.h"
#include "effect_idle.h"
#include "effect_reader.h"
#include "json_mistake.h"
#include "nearest_file.h"
#include "plain_locale.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The root ----------------------------------------------------------------------------- */

static bool read_comment(rio_reader *r, const json_t *value)
{
    char found[64];
    const char *text = json_string_value(value);
    if (text == NULL)
        return rio_reader_fail(r, "found %s, expected text",
                               rio_json_describe(value, found, sizeof found));
    if (rio_count_characters(text) > RIO_EFFECT_COMMENT_CHARACTERS)
        return rio_reader_fail(r, "found %zu characters, expected at most %u",
                               rio_count_characters(text), RIO_EFFECT_COMMENT_CHARACTERS);
    memcpy(r->out->comment, text, strlen(text) + 1);
    return true;
}

/* A schema name that is too long is not kept. */
static bool read_schema(rio_reader *r, const json_t *value)
{
    char found[64];
    const char *text = json_string_value(value);
    if (text == NULL)
        return rio_reader_fail(r, "found %s, expected the name of a schema",
                               rio_json_describe(value, found, sizeof found));
    if (strlen(text) < sizeof r->out->schema)
        memcpy(r->out->schema, text, strlen(text) + 1);
    return true;
}

static bool is_json(const char *text, size_t length)
{
    json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    const bool is = value != NULL;
    json_decref(value);
    return is;
}

/* Keeps the host's text as written: reading and writing numbers would change their digits. */
static bool read_host(rio_reader *r, const json_t *value)
{
    char found[64];
    const rio_json_step way[] = {{.key = "host"}};
    size_t length;
    if (!json_is_object(value))
        return rio_reader_fail(r, "found %s, expected an object",
                               rio_json_describe(value, found, sizeof found));
    const char *text = rio_json_text(r->text, r->bytes, way, 1, &length);
    if (r->blunted && !is_json(text, length))
        return rio_reader_fail(r, "has a number that is too large, expected 64 bits");
    char *host = malloc(length + 1);
    r->out->host = host;
    if (host == NULL) {
        r->out_of_memory = true;
        return rio_reader_fail(r, "out of memory");
    }
    memcpy(host, text, length);
    host[length] = '\0';
    return true;
}

static bool read_format(rio_reader *r, const json_t *value)
{
    char found[64];
    const char *text = json_string_value(value);
    return (text != NULL && strcmp(text, RIO_EFFECT_FORMAT) == 0) ||
           rio_reader_fail(r, "found %s, expected \"" RIO_EFFECT_FORMAT "\"",
                           rio_json_describe(value, found, sizeof found));
}

static bool refuse_field(rio_reader *r, const char *key)
{
    rio_fields fields = rio_recipe_fields();
    const char *names[RIO_MOST_FIELDS + 5] = {"format", "comment", "$schema", "host", "with"};
    size_t count = 5;
    for (size_t i = 0; i < fields.count; ++i)
        names[count++] = fields.items[i].name;
    return rio_reader_fail_field(r, key, names, count);
}

static bool read_member(rio_reader *r, const char *key, const json_t *value)
{
    const rio_field *field = rio_recipe_field(key, strlen(key));
    if (strcmp(key, "format") == 0)
        return true; /* read first */
    if (strcmp(key, "comment") == 0)
        return read_comment(r, value);
    if (strcmp(key, "$schema") == 0)
        return read_schema(r, value);
    if (strcmp(key, "host") == 0)
        return read_host(r, value);
    if (strcmp(key, "with") == 0)
        return rio_read_with(r, value);
    if (field == NULL)
        return refuse_field(r, key);
    return rio_read_field(r, value, field, &r->out->recipe);
}

/* The key that was probably meant to be "format"; NULL = none. */
static const char *meant_as_format(json_t *root)
{
    static const char *const format = "format";
    for (void *i = json_object_iter(root); i != NULL; i = json_object_iter_next(root, i))
        if (rio_nearest_name(json_object_iter_key(i), &format, 1) != NULL)
            return json_object_iter_key(i);
    return NULL;
}

static bool read_root(rio_reader *r, json_t *root)
{
    char found[64];
    if (!json_is_object(root))
        return rio_reader_fail(r, "found %s, expected an object",
                               rio_json_describe(root, found, sizeof found));
    const char *meant = json_object_get(root, "format") == NULL ? meant_as_format(root) : NULL;
    rio_reader_enter(r, meant != NULL ? meant : "format");
    if (meant != NULL)
        return refuse_field(r, meant);
    if (!read_format(r, json_object_get(root, "format")))
        return false;
    rio_reader_leave(r);
    for (void *i = json_object_iter(root); i != NULL; i = json_object_iter_next(root, i)) {
        rio_reader_enter(r, json_object_iter_key(i));
        if (!read_member(r, json_object_iter_key(i), json_object_iter_value(i)))
            return false;
        rio_reader_leave(r);
    }
    return rio_check_recipe(r, root);
}

/* The parser counts characters; columns here count bytes. */
static size_t byte_column(const char *text, size_t bytes, int line, int column)
{
    size_t at = 0, begin;
    for (; line > 1 && at < bytes; ++at)
        line -= text[at] == '\n';
    for (begin = at; column > 1 && at < bytes; ++at) /* continuation bytes do not count */
        column -= at + 1 >= bytes || ((unsigned char)text[at + 1] & 0xc0u) != 0x80u;
    return at - begin + 1;
}

/* The length without a character of UTF-8 that is cut off at the end. */
static size_t whole_characters(const char *text, size_t length)
{
    size_t begin = length, bytes;
    while (begin > 0 && length - begin < 3 && ((unsigned char)text[begin - 1] & 0xc0u) == 0x80u)
        begin -= 1;
    const unsigned char first = begin > 0 ? (unsigned char)text[begin - 1] : 0;
    bytes = first >= 0xf0 ? 4 : (first >= 0xe0 ? 3 : (first >= 0xc0 ? 2 : 0));
    return bytes > length - begin + 1 ? begin - 1 : length;
}

/* Makes one line: a parser may quote several. Also drops a last character that a short buffer
 * has cut. */
static void flatten(char *text, size_t bytes)
{
    size_t length = 0;
    for (; length < bytes && text[length] != '\0'; ++length)
        if ((unsigned char)text[length] < ' ' || text[length] == '\x7f')
            text[length] = ' ';
    if (length + 1 == bytes)
        text[whole_characters(text, length)] = '\0';
}

/* Bytes of a byte order mark. Editors do not show it and do not count it as a column. */
static size_t mark_bytes(const char *text, size_t bytes)
{
    static const char mark[] = "\xef\xbb\xbf";
    return bytes >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
}

static rio_effect_place place_of_name(const rio_reader *r, const char *list, uint32_t k)
{
    const rio_json_step way[] = {{.key = list}, {.index = k}, {.key = "effect"}};
    rio_json_place place = rio_json_find(r->text, r->bytes, way, 3, false);
    return (rio_effect_place){(uint32_t)place.line, (uint32_t)place.column};
}

/* Keeps the places of names, for messages of the code that loads the named files. */
static void keep_places(rio_reader *r)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        if (r->out->recipe.sub_emitters[k].on != 0)
            r->out->sub_places[k] = place_of_name(r, "sub_emitters", k);
    for (uint32_t k = 0; k < r->out->with_count; ++k)
        r->out->with_places[k] = place_of_name(r, "with", k);
}

/* Replaces the number that ends there by one that no field accepts, either. The number must have
 * five characters or more. */
static void blunt(char *text, size_t end)
{
    size_t at = end;
    while (at > 0 && text[at - 1] != '\0' && strchr("+-.0123456789eE", text[at - 1]) != NULL)
        --at;
    char number[8];
    const int length =
        snprintf(number, sizeof number, "%s%g", text[at] == '-' ? "-" : "", RIO_BLUNTED);
    if (end - at < (size_t)length)
        return; /* the number is not as the parser reported */
    memset(text + at, ' ', end - at);
    memcpy(text + at, number, (size_t)length);
}

/* At most this many numbers are replaced, because each one costs another parse. */
#define MOST_BLUNTED 8

/* The parser refuses numbers beyond 64 bits before their field is known. So such numbers are
 * replaced, and the text is parsed again. */
static json_t *load(rio_reader *r, json_error_t *why)
{
    json_t *root = json_loadb(r->text, r->bytes, JSON_REJECT_DUPLICATES, why);
    char *text = NULL;
    for (int k = 0; root == NULL && k < MOST_BLUNTED &&
                    json_error_code(why) == json_error_numeric_overflow && why->position > 0 &&
                    (size_t)why->position <= r->bytes;
         ++k) {
        if (text == NULL && (text = malloc(r->bytes)) == NULL)
            break;
        if (k == 0)
            memcpy(text, r->text, r->bytes);
        blunt(text, (size_t)why->position);
        r->blunted = true;
        root = json_loadb(text, r->bytes, JSON_REJECT_DUPLICATES, why);
    }
    free(text);
    return root;
}

static bool read_text(rio_reader *r)
{
    json_error_t why;
    json_t *root = load(r, &why);
    bool read = root != NULL && read_root(r, root);
    if (root == NULL) {
        const int line = why.line < 1 ? 1 : why.line;
        const size_t column = byte_column(r->text, r->bytes, why.line, why.column);
        snprintf(r->error, r->error_bytes, "%s:%d:%zu: %s, expected JSON%s", r->name, line,
                 column, why.text,
                 rio_json_mistake(r->text, r->bytes, (size_t)line, column, why.text));
    }
    if (read) {
        keep_places(r);
        rio_find_idle(r, root);
    }
    json_decref(root);
    return read;
}

/* Reads with numbers and messages that are the same in all locales. */
static bool read_plainly(rio_reader *r)
{
    rio_plain_locale plain;
    r->out_of_memory = !rio_plain_locale_enter(&plain);
    if (r->out_of_memory) {
        snprintf(r->error, r->error_bytes, "%s: out of memory", r->name);
        return false;
    }
    bool read = read_text(r);
    rio_plain_locale_leave(&plain);
    return read;
}

rico_result rio_effect_parse(const char *name, const char *text, size_t bytes, rio_effect *out,
                             char *error, size_t error_bytes)
{
    const size_t mark = mark_bytes(text, bytes);
    error_bytes = error != NULL ? error_bytes : 0;
    memset(out, 0, sizeof *out);
    out->recipe = rico_recipe_default();
    snprintf(out->name, sizeof out->name, "%s", name);
    rio_reader r = {.name = name,
                    .text = mark > 0 ? text + mark : text,
                    .bytes = bytes - mark,
                    .out = out,
                    .error = error,
                    .error_bytes = error_bytes};
    const bool read = read_plainly(&r);
    flatten(out->idle, sizeof out->idle);
    if (read)
        return RICO_OK;
    flatten(error, error_bytes);
    rio_effect_free(out);
    return r.out_of_memory ? RICO_OUT_OF_MEMORY : RICO_BAD_FILE;
}

void rio_effect_free(rio_effect *effect)
{
    if (effect == NULL)
        return;
    free(effect->positions);
    free(effect->indices);
    free(effect->host);
    memset(effect, 0, sizeof *effect);
}

/* Keeps "here/" of "here/fire.json". */
static bool keep_directory(const char *path, rio_effect *out, char *error, size_t error_bytes)
{
    const size_t length = (size_t)(rio_disk_name(path) - path);
    if (length < sizeof out->directory) {
        memcpy(out->directory, path, length);
        return true;
    }
    snprintf(error, error_bytes,
             "%.*s...: expected the path of a directory of at most %zu bytes",
             rio_shown_bytes(path, 400), path, sizeof out->directory - 1);
    rio_effect_free(out);
    return false;
}

/* --- Files -------------------------------------------------------------------------------- */

#define MOST_BYTES ((size_t)64 << 20)

/* Returns the whole file, or NULL, the result and the reason. */
static char *read_all(FILE *file, size_t *bytes, rico_result *result, const char **why)
{
    size_t capacity = 4096;
    char *text = malloc(capacity);
    *result = RICO_OUT_OF_MEMORY;
    *why = "out of memory";
    for (*bytes = 0; text != NULL;) {
        *bytes += fread(text + *bytes, 1, capacity - *bytes, file);
        if (*bytes < capacity)
            break;
        const bool fits = capacity < MOST_BYTES;
        char *grown = fits ? realloc(text, capacity * 2) : NULL;
        if (!fits) {
            *result = RICO_BAD_FILE;
            *why = "found more than 64 MiB";
        }
        if (grown == NULL)
            free(text);
        text = grown;
        capacity *= 2;
    }
    if (text == NULL || !ferror(file))
        return text;
    *result = RICO_BAD_FILE;
    *why = strerror(errno);
    free(text);
    return NULL;
}

rico_result rio_effect_load(const char *path, rio_effect *out, char *error, size_t error_bytes)
{
    const char *why = "no path";
    error_bytes = error != NULL ? error_bytes : 0;
    memset(out, 0, sizeof *out);
    FILE *file = path != NULL ? rio_disk_open(path, &why) : NULL;
    if (file == NULL) {
        char hint[RIO_FILE_HINT_BYTES];
        snprintf(error, error_bytes, "%s%s%s, expected an effect file%s",
                 path != NULL ? path : "", path != NULL ? ": " : "", why,
                 rio_nearest_file_hint(path, hint));
        return RICO_NOT_FOUND;
    }
    size_t bytes;
    rico_result result;
    char *text = read_all(file, &bytes, &result, &why);
    fclose(file);
    if (text == NULL) {
        snprintf(error, error_bytes, "%s: %s", path, why);
        return result;
    }
    result = rio_effect_parse(path, text, bytes, out, error, error_bytes);
    free(text);
    if (result == RICO_OK && !keep_directory(path, out, error, error_bytes))
        return RICO_BAD_FILE;
    return result;
}
