#include "effect_file.h"

#include "effect_reader.h"
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- What the library says ---------------------------------------------------------------- */

/* The last message of a log. */
typedef struct kept {
    char text[256];
} kept;

static void keep(void *user, rico_log_level level, const char *text)
{
    kept *k = user;
    if (level == RICO_LOG_ERROR)
        snprintf(k->text, sizeof k->text, "%s", text);
}

static const rio_field *field_named(const char *name, size_t length)
{
    rio_fields fields = rio_recipe_fields();
    for (size_t i = 0; i < fields.count; ++i)
        if (strlen(fields.items[i].name) == length &&
            strncmp(fields.items[i].name, name, length) == 0)
            return &fields.items[i];
    return NULL;
}

/* C's names of members that are elements here. */
static bool element_of(const char *member, size_t length, size_t *index)
{
    static const char *const members[] = {"x", "y", "z", "lo", "hi"};
    static const size_t indices[] = {0, 1, 2, 0, 1};
    for (size_t i = 0; i < 5; ++i)
        if (strlen(members[i]) == length && strncmp(members[i], member, length) == 0) {
            *index = indices[i];
            return true;
        }
    return false;
}

/* C's members by the names that files have them by; NULL = files have none, the step is left out. */
static const char *member_named(const char *member, size_t length)
{
    static const char *const members[] = {"at",        "value",
                                          "rgba",      "time",
                                          "count",     "cycles",
                                          "interval",  "probability",
                                          "normal",    "offset",
                                          "positions", "indices",
                                          "on",        "inherit_velocity",
                                          "kind",      "strength",
                                          "position",  "axis",
                                          "speed",     "reach",
                                          "scale",     "scroll"};
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
        if (strlen(members[i]) == length && strncmp(members[i], member, length) == 0)
            return members[i];
    bool triangles = length == strlen("triangle_count") && member[0] == 't';
    return triangles ? "indices" : NULL;
}

/* Steps of C's "bursts[1].count" in a file. Returns the rest of the message. */
static const char *enter_field(rio_reader *r, const char *text)
{
    size_t length = strcspn(text, ".[ ");
    const rio_field *field = field_named(text, length);
    if (length == strlen("plane_count") && strncmp(text, "plane_count", length) == 0)
        field = field_named("planes", 6);
    if (field == NULL)
        return text;
    rio_reader_enter(r, field->name);
    text += length;
    while ((*text == '.' || *text == '[') && r->steps < RIO_MOST_STEPS) {
        size_t index;
        if (*text == '[') {
            rio_reader_enter_index(r, strtoul(text + 1, NULL, 10));
            text += strcspn(text, "]") + 1;
            continue;
        }
        length = strcspn(++text, ".[ ");
        if (element_of(text, length, &index))
            rio_reader_enter_index(r, index);
        else if (member_named(text, length) != NULL)
            rio_reader_enter(r, member_named(text, length));
        text += length;
    }
    /* In C a key is an element of each array, in files an element of one. */
    bool keys = field->kind == RIO_FIELD_CURVE || field->kind == RIO_FIELD_GRADIENT;
    if (keys && r->steps >= 3) {
        rio_json_step member = r->way[1];
        r->way[1] = r->way[2];
        r->way[2] = member;
    }
    return text;
}

/* A constant is the value itself: it has no key to step into. */
static void leave_constants(rio_reader *r, const rico_recipe *recipe)
{
    const rio_field *field =
        r->steps > 1 ? field_named(r->way[0].key, strlen(r->way[0].key)) : NULL;
    if (field == NULL)
        return;
    const char *at = (const char *)recipe + field->offset;
    if (field->kind == RIO_FIELD_CURVE &&
        ((const rico_curve *)(const void *)at)->key_count == 1)
        r->steps = 1;
    if (field->kind == RIO_FIELD_GRADIENT && r->steps == 4 &&
        ((const rico_gradient *)(const void *)at)->key_count == 1) {
        r->way[1] = r->way[3];
        r->steps = 2;
    }
}

/* Ranges are the library's: one source of them. */
static bool check_ranges(rio_reader *r)
{
    kept k = {""};
    rico_log log = {keep, &k};
    if (rico_recipe_check(&r->out->recipe, &log) == RICO_OK)
        return true;
    const char *field = strstr(k.text, "recipe.");
    if (field == NULL)
        return rio_reader_fail(r, "%s", k.text);
    const char *what = enter_field(r, field + strlen("recipe."));
    leave_constants(r, &r->out->recipe);
    return rio_reader_fail(r, "%s", what);
}

/* --- The root ----------------------------------------------------------------------------- */

static bool read_comment(rio_reader *r, const json_t *value)
{
    const char *text = json_string_value(value);
    if (text == NULL || strlen(text) >= sizeof r->out->comment)
        return rio_reader_fail(r, "expected text of at most %zu bytes",
                               sizeof r->out->comment - 1);
    memcpy(r->out->comment, text, strlen(text) + 1);
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
    const char *names[RIO_MOST_FIELDS + 3] = {"format", "comment", "$schema"};
    size_t count = 3;
    for (size_t i = 0; i < fields.count; ++i)
        names[count++] = fields.items[i].name;
    return rio_reader_fail_key(r, "no such field: did you mean \"%s\"?",
                               rio_nearest_name(key, names, count));
}

static bool read_member(rio_reader *r, const char *key, const json_t *value)
{
    const rio_field *field = field_named(key, strlen(key));
    if (strcmp(key, "format") == 0)
        return true; /* read first */
    if (strcmp(key, "comment") == 0)
        return read_comment(r, value);
    if (strcmp(key, "$schema") == 0)
        return json_is_string(value) || rio_reader_fail(r, "expected the name of a schema");
    if (field == NULL)
        return refuse_field(r, key);
    return rio_read_field(r, value, field, &r->out->recipe);
}

static bool check_mesh(rio_reader *r)
{
    bool wanted = r->out->recipe.shape == RICO_EMIT_MESH;
    if (wanted == (r->out->recipe.mesh.positions != NULL))
        return true;
    rio_reader_enter(r, wanted ? "shape" : "mesh");
    return rio_reader_fail(r, wanted ? "found \"mesh\", but there is no field \"mesh\""
                                     : "found one, but shape is not \"mesh\"");
}

static bool read_root(rio_reader *r, json_t *root)
{
    char found[64];
    if (!json_is_object(root))
        return rio_reader_fail(r, "found %s, expected an object",
                               rio_json_describe(root, found, sizeof found));
    rio_reader_enter(r, "format");
    if (!read_format(r, json_object_get(root, "format")))
        return false;
    rio_reader_leave(r);
    for (void *i = json_object_iter(root); i != NULL; i = json_object_iter_next(root, i)) {
        rio_reader_enter(r, json_object_iter_key(i));
        if (!read_member(r, json_object_iter_key(i), json_object_iter_value(i)))
            return false;
        rio_reader_leave(r);
    }
    return check_mesh(r) && check_ranges(r);
}

/* One line: what a parser quotes may have several. */
static void flatten(char *text)
{
    for (; *text != '\0'; ++text)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

rico_result rio_effect_parse(const char *name, const char *text, size_t bytes, rio_effect *out,
                             char *error, size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    out->recipe = rico_recipe_default();
    json_error_t why;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
    rio_reader r = {.name = name,
                    .text = text,
                    .bytes = bytes,
                    .out = out,
                    .error = error,
                    .error_bytes = error_bytes};
    bool read = root != NULL && read_root(&r, root);
    if (root == NULL)
        snprintf(error, error_bytes, "%s:%d:%d: %s, expected JSON", name,
                 why.line < 1 ? 1 : why.line, why.column < 1 ? 1 : why.column, why.text);
    json_decref(root);
    if (read)
        return RICO_OK;
    flatten(error);
    rio_effect_free(out);
    return r.out_of_memory ? RICO_OUT_OF_MEMORY : RICO_BAD_FILE;
}

void rio_effect_free(rio_effect *effect)
{
    free(effect->positions);
    free(effect->indices);
    memset(effect, 0, sizeof *effect);
}

/* Of "here/fire.json", "here/". */
static bool keep_directory(const char *path, rio_effect *out, char *error, size_t error_bytes)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if (length < sizeof out->directory) {
        memcpy(out->directory, path, length);
        return true;
    }
    snprintf(error, error_bytes, "%.400s...: expected a directory of at most %zu bytes", path,
             sizeof out->directory - 1);
    rio_effect_free(out);
    return false;
}

/* --- Files -------------------------------------------------------------------------------- */

#define MOST_BYTES ((size_t)64 << 20)

/* The whole file; NULL and a reason else. */
static char *read_all(FILE *file, size_t *bytes, const char **why)
{
    size_t capacity = 4096;
    char *text = malloc(capacity);
    *why = "out of memory";
    for (*bytes = 0; text != NULL;) {
        *bytes += fread(text + *bytes, 1, capacity - *bytes, file);
        if (*bytes < capacity)
            break;
        char *grown = capacity < MOST_BYTES ? realloc(text, capacity * 2) : NULL;
        if (grown == NULL) {
            *why = capacity < MOST_BYTES ? *why : "found more than 64 MiB, expected an effect";
            free(text);
        }
        text = grown;
        capacity *= 2;
    }
    if (text == NULL || !ferror(file))
        return text;
    *why = strerror(errno);
    free(text);
    return NULL;
}

rico_result rio_effect_load(const char *path, rio_effect *out, char *error, size_t error_bytes)
{
    struct stat info;
    memset(out, 0, sizeof *out);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &info) != 0 || S_ISDIR(info.st_mode)) {
        snprintf(error, error_bytes, "%s: %s, expected an effect file", path,
                 file != NULL ? "a directory" : strerror(errno));
        if (file != NULL)
            fclose(file);
        return RICO_NOT_FOUND;
    }
    size_t bytes;
    const char *why;
    char *text = read_all(file, &bytes, &why);
    fclose(file);
    if (text == NULL) {
        snprintf(error, error_bytes, "%s: %s", path, why);
        return RICO_BAD_FILE;
    }
    rico_result result = rio_effect_parse(path, text, bytes, out, error, error_bytes);
    free(text);
    if (result == RICO_OK && !keep_directory(path, out, error, error_bytes))
        return RICO_BAD_FILE;
    return result;
}
