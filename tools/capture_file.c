/* The file: one JSON object, floats as text in hexadecimal, so that no bit is lost. */
#include "capture.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT "ricochet capture 1"

/* --- writing --- */

/* When memory runs out, a function below returns NULL, and every function passes it on. */
static json_t *floats_value(const float *values, size_t count)
{
    char text[9 * 32];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; ++i)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%a", i ? " " : "",
                                   (double)values[i]);
    return json_string(text);
}

static json_t *ray_value(const rico_ray *ray)
{
    return json_pack("{s:o, s:o, s:o, s:I}", "origin", floats_value(&ray->origin.x, 3),
                     "direction", floats_value(&ray->direction.x, 3), "t_max",
                     floats_value(&ray->t_max, 1), "ignore", (json_int_t)ray->ignore);
}

static json_t *hit_value(const rico_hit *hit)
{
    return json_pack("{s:o, s:I, s:I, s:b, s:o}", "t", floats_value(&hit->t, 1), "collider",
                     (json_int_t)hit->collider, "triangle", (json_int_t)hit->triangle,
                     "back_face", hit->back_face ? 1 : 0, "normal",
                     floats_value(&hit->normal.x, 3));
}

static json_t *triangles_value(const capture_query *q)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < q->triangle_count; ++i) {
        const rico_triangle *t = &q->triangles[i];
        json_t *one =
            json_pack("{s:I, s:I, s:o}", "collider", (json_int_t)t->collider, "triangle",
                      (json_int_t)t->triangle, "corners", floats_value(&t->a.x, 9));
        if (!one || json_array_append_new(all, one) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

static json_t *query_value(const capture_query *q)
{
    return json_pack("{s:s, s:o, s:{s:I, s:b}, s:o, s:b, s:b, s:o}", "why", q->why, "ray",
                     ray_value(&q->ray), "filter", "layers", (json_int_t)q->filter.layers,
                     "skip_back_faces", q->filter.skip_back_faces ? 1 : 0, "answer",
                     hit_value(&q->hit), "complete", q->complete ? 1 : 0, "agrees",
                     q->agrees ? 1 : 0, "triangles", triangles_value(q));
}

/* A name need not be UTF-8, but JSON must be. */
static json_t *name_value(const char *name)
{
    json_t *value = json_string(name);
    return value ? value : json_string("(no UTF-8 name)");
}

static char *capture_text(const capture *c)
{
    json_t *queries = json_array();
    bool whole = queries != NULL;
    for (uint32_t i = 0; whole && i < c->count; ++i) {
        json_t *query = query_value(&c->queries[i]);
        whole = query && json_array_append_new(queries, query) == 0;
    }
    json_t *root =
        json_pack("{s:s, s:o, s:o, s:I, s:I, s:o}", "format", FORMAT, "scene",
                  name_value(c->scene), "cell_size", floats_value(&c->cell_size, 1), "asked",
                  (json_int_t)c->asked, "failed", (json_int_t)c->failed, "queries", queries);
    char *text = whole && root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    return text;
}

bool capture_write(const capture *c, const output_file *file, char *error, size_t error_bytes)
{
    char *text = c->out_of_memory ? NULL : capture_text(c);
    if (!text) {
        snprintf(error, error_bytes, "%s: out of memory for the captured queries", file->path);
        return false;
    }
    bool written = output_write(file, text, strlen(text), error, error_bytes);
    free(text);
    return written;
}

/* --- reading --- */

/* The place in the file, for messages. Owner: capture_read. */
typedef struct reader {
    const char *file;
    char at[96]; /* "queries[3].ray." */
    char *error;
    size_t error_bytes;
} reader;

static bool fail(const reader *r, const char *field, const char *format, ...) RICO_PRINTF(3, 4);
static bool fail(const reader *r, const char *field, const char *format, ...)
{
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(r->error, r->error_bytes, "%s: %s%s: %s", r->file, r->at, field, what);
    return false;
}

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {"an object", "an array", "text",  "an integer",
                                        "a number",  "true",     "false", "null"};
    return value ? names[json_typeof(value)] : "nothing";
}

static bool read_floats(const reader *r, const json_t *object, const char *field, float *out,
                        size_t count)
{
    const json_t *value = json_object_get(object, field);
    const char *text = json_string_value(value);
    if (!text)
        return fail(r, field, "found %s, expected text with %zu float%s such as \"0x1.8p+1\"",
                    type_name(value), count, count == 1 ? "" : "s");
    const char *at = text;
    for (size_t i = 0; i < count; ++i) {
        char *end = NULL;
        out[i] = strtof(at, &end);
        if (end == at || *end != (i + 1 < count ? ' ' : '\0'))
            return fail(r, field, "found \"%.60s\", expected %zu float%s such as 0x1.8p+1",
                        text, count, count == 1 ? "" : "s");
        at = end;
    }
    return true;
}

static bool read_integer(const reader *r, const json_t *object, const char *field,
                         uint32_t *out)
{
    const json_t *value = json_object_get(object, field);
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > (json_int_t)UINT32_MAX)
        return fail(r, field, "found %s, expected an integer from 0 to %u", type_name(value),
                    UINT32_MAX);
    *out = (uint32_t)number;
    return true;
}

static bool read_flag(const reader *r, const json_t *object, const char *field, bool *out)
{
    const json_t *value = json_object_get(object, field);
    *out = json_is_true(value);
    return json_is_boolean(value) ||
           fail(r, field, "found %s, expected true or false", type_name(value));
}

static bool read_object(const reader *r, const json_t *object, const char *field,
                        const json_t **out)
{
    *out = json_object_get(object, field);
    return json_is_object(*out) ||
           fail(r, field, "found %s, expected an object", type_name(*out));
}

static bool read_array(const reader *r, const json_t *object, const char *field, size_t most,
                       const json_t **out)
{
    *out = json_object_get(object, field);
    if (!json_is_array(*out))
        return fail(r, field, "found %s, expected an array", type_name(*out));
    return json_array_size(*out) <= most ||
           fail(r, field, "found %zu entries, expected at most %zu", json_array_size(*out),
                most);
}

static bool read_text(const reader *r, const json_t *object, const char *field, char *out,
                      size_t bytes)
{
    const json_t *value = json_object_get(object, field);
    if (!json_is_string(value))
        return fail(r, field, "found %s, expected text", type_name(value));
    snprintf(out, bytes, "%s", json_string_value(value));
    return true;
}

static bool read_triangle(reader *r, const json_t *value, uint32_t query, uint32_t i,
                          capture_query *q)
{
    rico_triangle *t = &q->triangles[i];
    snprintf(r->at, sizeof r->at, "queries[%u].triangles[%u].", query, i);
    if (!read_integer(r, value, "collider", &t->collider) ||
        !read_integer(r, value, "triangle", &t->triangle) ||
        !read_floats(r, value, "corners", &t->a.x, 9))
        return false;
    for (int k = 0; k < 9; ++k)
        if (!((&t->a.x)[k] >= -1.0e6f && (&t->a.x)[k] <= 1.0e6f))
            return fail(r, "corners", "found %g, expected numbers from -1e6 to 1e6",
                        (double)(&t->a.x)[k]);
    if (t->collider == 0)
        return fail(r, "collider", "found 0, expected the number of a slot, 1 or more");
    const rico_triangle *before = i > 0 ? t - 1 : NULL;
    bool ordered = !before || before->collider < t->collider ||
                   (before->collider == t->collider && before->triangle < t->triangle);
    return ordered || fail(r, "triangle",
                           "found triangle %u of collider %u, expected one after triangle %u "
                           "of collider %u",
                           t->triangle, t->collider, before->triangle, before->collider);
}

static bool read_triangles(reader *r, const json_t *value, uint32_t query, capture_query *q)
{
    const json_t *all;
    if (!read_array(r, value, "triangles", CAPTURE_TRIANGLES_MAX, &all))
        return false;
    q->triangles = calloc(json_array_size(all) + 1, sizeof *q->triangles);
    if (!q->triangles)
        return fail(r, "triangles", "out of memory");
    for (; q->triangle_count < json_array_size(all); ++q->triangle_count)
        if (!read_triangle(r, json_array_get(all, q->triangle_count), query, q->triangle_count,
                           q))
            return false;
    return true;
}

static bool read_ray(reader *r, const json_t *value, uint32_t query, rico_ray *ray)
{
    snprintf(r->at, sizeof r->at, "queries[%u].ray.", query);
    return read_floats(r, value, "origin", &ray->origin.x, 3) &&
           read_floats(r, value, "direction", &ray->direction.x, 3) &&
           read_floats(r, value, "t_max", &ray->t_max, 1) &&
           read_integer(r, value, "ignore", &ray->ignore);
}

static bool read_filter(reader *r, const json_t *value, uint32_t query, rico_filter *filter)
{
    snprintf(r->at, sizeof r->at, "queries[%u].filter.", query);
    return read_integer(r, value, "layers", &filter->layers) &&
           read_flag(r, value, "skip_back_faces", &filter->skip_back_faces);
}

static bool read_answer(reader *r, const json_t *value, uint32_t query, rico_hit *hit)
{
    snprintf(r->at, sizeof r->at, "queries[%u].answer.", query);
    return read_floats(r, value, "t", &hit->t, 1) &&
           read_integer(r, value, "collider", &hit->collider) &&
           read_integer(r, value, "triangle", &hit->triangle) &&
           read_flag(r, value, "back_face", &hit->back_face) &&
           read_floats(r, value, "normal", &hit->normal.x, 3);
}

static bool read_query(reader *r, const json_t *value, uint32_t i, capture_query *q)
{
    const json_t *ray, *filter, *answer;
    snprintf(r->at, sizeof r->at, "queries[%u].", i);
    if (!json_is_object(value))
        return fail(r, "", "found %s, expected an object", type_name(value));
    return read_text(r, value, "why", q->why, sizeof q->why) &&
           read_object(r, value, "ray", &ray) && read_object(r, value, "filter", &filter) &&
           read_object(r, value, "answer", &answer) &&
           read_flag(r, value, "complete", &q->complete) &&
           read_flag(r, value, "agrees", &q->agrees) && read_triangles(r, value, i, q) &&
           read_ray(r, ray, i, &q->ray) && read_filter(r, filter, i, &q->filter) &&
           read_answer(r, answer, i, &q->hit);
}

static bool read_root(reader *r, const json_t *root, capture *out)
{
    char format[64];
    const json_t *queries;
    if (!json_is_object(root))
        return fail(r, "", "found %s, expected an object", type_name(root));
    if (!read_text(r, root, "format", format, sizeof format))
        return false;
    if (strcmp(format, FORMAT) != 0)
        return fail(r, "format", "found \"%s\", expected \"%s\"", format, FORMAT);
    if (!read_text(r, root, "scene", out->scene, sizeof out->scene) ||
        !read_floats(r, root, "cell_size", &out->cell_size, 1) ||
        !read_array(r, root, "queries", CAPTURE_QUERIES_MAX, &queries))
        return false;
    if (!(out->cell_size >= 0.0f && out->cell_size < 1.0e9f))
        return fail(r, "cell_size", "found %g, expected a size in metres",
                    (double)out->cell_size);
    out->queries = calloc(json_array_size(queries) + 1, sizeof *out->queries);
    if (!out->queries)
        return fail(r, "queries", "out of memory");
    out->capacity = (uint32_t)json_array_size(queries) + 1;
    for (uint32_t i = 0; i + 1 < out->capacity; ++i) {
        out->count = i + 1; /* the queries read so far are freed with the rest */
        if (!read_query(r, json_array_get(queries, i), i, &out->queries[i]))
            return false;
    }
    return true;
}

/* Returns false when it is not a regular file; error gives the reason. */
static bool is_file(const char *path, char *error, size_t error_bytes)
{
    struct stat info;
    bool there = stat(path, &info) == 0;
    snprintf(error, error_bytes, "%s: %s, expected a file that --capture wrote", path,
             there ? "a directory" : strerror(errno));
    return there && !S_ISDIR(info.st_mode);
}

/* Makes one line: a parser may quote several, and control characters, which a terminal would
 * obey. */
static void flatten(char *text)
{
    for (; *text != '\0'; ++text)
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            *text = ' ';
}

bool capture_read(const char *path, capture *out, char *error, size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    if (!is_file(path, error, error_bytes))
        return false;
    reader r = {.file = path, .error = error, .error_bytes = error_bytes};
    json_error_t why;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!root) {
        if (why.line > 0)
            snprintf(error, error_bytes,
                     "%s: line %d: %s, expected a file that --capture wrote", path, why.line,
                     why.text);
        else
            snprintf(error, error_bytes, "%s: %s", path, why.text);
        flatten(error);
        return false;
    }
    bool read = read_root(&r, root, out);
    json_decref(root);
    if (!read)
        capture_free(out);
    return read;
}
