/* Recipes as the text of effect files. */
#include "effect_text.h"
#include "effect_check.h"
#include "effect_fields.h"
#include "plain_locale.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that grows. failed: memory ran out, and the rest was left out. */
typedef struct text {
    char *items;
    size_t length, capacity;
    bool failed;
    const rico_sub_emitter *first; /* of the recipe that is written */
    const rio_sub_names *subs;     /* the names of its sub-emitters' files */
} text;

static void add(text *t, const char *format, ...) RICO_PRINTF(2, 3);
static void add(text *t, const char *format, ...)
{
    for (int attempt = 0; attempt < 2 && !t->failed; ++attempt) {
        va_list arguments;
        va_start(arguments, format);
        size_t room = t->capacity - t->length;
        int length =
            vsnprintf(t->items != NULL ? t->items + t->length : NULL, room, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < room) {
            t->length += (size_t)length;
            return;
        }
        size_t capacity = 2 * t->capacity + (size_t)(length > 0 ? length : 0) + 256;
        char *grown = realloc(t->items, capacity);
        t->failed = grown == NULL || length < 0;
        t->items = grown != NULL ? grown : t->items;
        t->capacity = grown != NULL ? capacity : t->capacity;
    }
}

/* Uses the fewest digits that give the same float again when JSON is read as double. */
static void add_number(text *t, float value)
{
    char digits[32];
    for (int precision = 1; precision <= 9; ++precision) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        if ((float)strtod(digits, NULL) == value)
            break;
    }
    rio_plain_points(digits);
    if (strchr(digits, 'e') != NULL && value > -1.0e6f && value < 1.0e6f &&
        value == (float)(int32_t)value)
        snprintf(digits, sizeof digits, "%d", (int)value); /* 80, not 8e+01 */
    /* An integer 0 would lose its sign. */
    add(t, "%s", strcmp(digits, "-0") == 0 ? "-0.0" : digits);
}

static void add_numbers(text *t, const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        add(t, i == 0 ? "[" : ", ");
        add_number(t, values[i]);
    }
    add(t, "]");
}

static void add_range(text *t, const rico_range *range)
{
    if (memcmp(&range->lo, &range->hi, sizeof range->lo) == 0)
        add_number(t, range->lo);
    else
        add_numbers(t, &range->lo, 2);
}

static const float zero;

static bool is_constant(uint32_t key_count, const float *at)
{
    return key_count == 1 && memcmp(at, &zero, sizeof zero) == 0;
}

/* slopes: NULL = not written; else the incoming ones, then the outgoing ones. */
static void add_keys(text *t, uint32_t key_count, const float *at, const char *member,
                     const float *values, size_t count, const float *const slopes[2])
{
    for (uint32_t i = 0; i < key_count; ++i) {
        add(t, "%s{\"at\": ", i == 0 ? "[\n    " : ",\n    ");
        add_number(t, at[i]);
        add(t, ", \"%s\": ", member);
        if (count == 1)
            add_number(t, values[i]);
        else
            add_numbers(t, values + i * count, count);
        for (int k = 0; slopes != NULL && k < 2; ++k) {
            add(t, k == 0 ? ", \"slope_in\": " : ", \"slope_out\": ");
            add_number(t, slopes[k][i]);
        }
        add(t, "}");
    }
    add(t, "\n  ]");
}

/* Keys alone mean linear interpolation. */
static void begin_keys(text *t, rico_interpolation kind, rio_field_kind of)
{
    if (kind != RICO_LINEAR)
        add(t,
            "{\"interpolation\": \"%s\", \"keys\": ", rio_interpolation_names(of).items[kind]);
}

static void add_curve(text *t, const rico_curve *curve)
{
    const float *const slopes[2] = {curve->slope_in, curve->slope_out};
    const rico_interpolation kind = curve->interpolation;
    if (kind == RICO_LINEAR && is_constant(curve->key_count, curve->at)) {
        add_number(t, curve->value[0]);
        return;
    }
    begin_keys(t, kind, RIO_FIELD_CURVE);
    add_keys(t, curve->key_count, curve->at, "value", curve->value, 1,
             kind == RICO_CUBIC ? slopes : NULL);
    add(t, kind == RICO_LINEAR ? "" : "}");
}

static void add_gradient(text *t, const rico_gradient *gradient)
{
    const rico_interpolation kind = gradient->interpolation;
    if (kind == RICO_LINEAR && is_constant(gradient->key_count, gradient->at)) {
        add_numbers(t, gradient->rgba[0], 4);
        return;
    }
    begin_keys(t, kind, RIO_FIELD_GRADIENT);
    add_keys(t, gradient->key_count, gradient->at, "rgba", gradient->rgba[0], 4, NULL);
    add(t, kind == RICO_LINEAR ? "" : "}");
}

static void add_field(text *t, const rio_field *field, const void *base);

static void add_part(text *t, rio_fields fields, const void *part)
{
    for (size_t i = 0; i < fields.count; ++i) {
        add(t, "%s\"%s\": ", i == 0 ? "{" : ", ", fields.items[i].name);
        add_field(t, &fields.items[i], part);
    }
    add(t, "}");
}

static void add_bursts(text *t, const rico_burst *bursts)
{
    uint32_t count = RICO_MAX_BURSTS;
    while (count > 0 && bursts[count - 1].count == 0)
        --count;
    add(t, "[");
    for (uint32_t i = 0; i < count; ++i) {
        add(t, i == 0 ? "\n    " : ",\n    ");
        if (bursts[i].count == 0) /* its other fields are not checked */
            add(t, "{\"count\": 0}");
        else
            add_part(t, rio_burst_fields(), &bursts[i]);
    }
    add(t, count > 0 ? "\n  ]" : "]");
}

static void add_forces(text *t, const rico_force *forces)
{
    uint32_t count = RICO_MAX_FORCES;
    while (count > 0 && forces[count - 1].kind == RICO_FORCE_NONE)
        --count;
    add(t, "[");
    for (uint32_t i = 0; i < count; ++i) {
        add(t, i == 0 ? "\n    " : ",\n    ");
        if (forces[i].kind == RICO_FORCE_NONE) /* its other fields are not checked */
            add(t, "{\"kind\": \"none\"}");
        else
            add_part(t, rio_force_fields(), &forces[i]);
    }
    add(t, count > 0 ? "\n  ]" : "]");
}

static void add_planes(text *t, const rico_recipe *recipe)
{
    add(t, "[");
    for (uint32_t i = 0; i < recipe->plane_count; ++i) {
        add(t, i == 0 ? "\n    " : ",\n    ");
        add_part(t, rio_plane_fields(), &recipe->planes[i]);
    }
    add(t, recipe->plane_count > 0 ? "\n  ]" : "]");
}

static void add_events(text *t, uint32_t events)
{
    rio_names names = rio_event_names();
    const char *separator = "";
    add(t, "[");
    for (uint32_t i = 0; i < names.count; ++i) {
        if ((events >> i & 1) == 0)
            continue;
        add(t, "%s\"%s\"", separator, names.items[i]);
        separator = ", ";
    }
    add(t, "]");
}

static uint32_t sub_emitter_count(const rico_sub_emitter *subs)
{
    uint32_t count = RICO_MAX_SUB_EMITTERS;
    while (count > 0 && subs[count - 1].on == 0)
        --count;
    return count;
}

static void add_event(text *t, uint32_t bits)
{
    rio_names names = rio_event_names();
    for (uint32_t i = 0; i < names.count; ++i)
        if (bits == 1u << i)
            add(t, "\"%s\"", names.items[i]);
}

/* Sub-emitters that are off are left out: files cannot express them. */
static void add_sub_emitters(text *t, const rico_sub_emitter *subs)
{
    const char *separator = "\n    ";
    add(t, "[");
    for (uint32_t i = 0; i < RICO_MAX_SUB_EMITTERS; ++i) {
        if (subs[i].on == 0)
            continue;
        add(t, "%s", separator);
        add_part(t, rio_sub_emitter_fields(), &subs[i]);
        separator = ",\n    ";
    }
    add(t, sub_emitter_count(subs) > 0 ? "\n  ]" : "]");
}

static void add_effect_name(text *t, const rico_sub_emitter *sub)
{
    add(t, "\"%s\"", t->subs->items[sub - t->first]);
}

static void add_with(text *t, const rio_with *with, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        add(t, i == 0 ? ",\n  \"with\": [\n    " : ",\n    ");
        add_part(t, rio_with_fields(), &with[i]);
    }
    add(t, count > 0 ? "\n  ]" : "");
}

static void add_mesh(text *t, const rico_emitter_mesh *mesh)
{
    add(t, "{\n    \"positions\": ");
    add_numbers(t, mesh->positions, 3 * (size_t)mesh->vertex_count);
    add(t, ",\n    \"indices\": ");
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i)
        add(t, "%s%u", i == 0 ? "[" : ", ", mesh->indices[i]);
    add(t, "]\n  }");
}

static void add_field(text *t, const rio_field *field, const void *base)
{
    const void *at = (const char *)base + field->offset;
    switch (field->kind) {
    case RIO_FIELD_NUMBER:
        add_number(t, *(const float *)at);
        break;
    case RIO_FIELD_COUNT:
        add(t, "%u", *(const uint32_t *)at);
        break;
    case RIO_FIELD_FLAG:
        add(t, *(const bool *)at ? "true" : "false");
        break;
    case RIO_FIELD_VECTOR:
        add_numbers(t, at, 3);
        break;
    case RIO_FIELD_RANGE:
        add_range(t, at);
        break;
    case RIO_FIELD_CURVE:
        add_curve(t, at);
        break;
    case RIO_FIELD_GRADIENT:
        add_gradient(t, at);
        break;
    case RIO_FIELD_SHAPE:
        add(t, "\"%s\"", rio_shape_names().items[*(const rico_emitter_shape *)at]);
        break;
    case RIO_FIELD_MODE:
        add(t, "\"%s\"", rio_mode_names().items[*(const rico_collision_mode *)at]);
        break;
    case RIO_FIELD_RESPONSE:
        add(t, "\"%s\"", rio_response_names().items[*(const rico_on_collision *)at]);
        break;
    case RIO_FIELD_HIDDEN:
        add(t, "\"%s\"", rio_hidden_names().items[*(const rico_hidden *)at]);
        break;
    case RIO_FIELD_SPACE:
        add(t, "\"%s\"", rio_space_names().items[*(const rico_space *)at]);
        break;
    case RIO_FIELD_ORIENTATION:
        add(t, "\"%s\"", rio_orientation_names().items[*(const rico_orientation *)at]);
        break;
    case RIO_FIELD_EVENT:
        add_event(t, *(const uint32_t *)at);
        break;
    case RIO_FIELD_EFFECT:
        add_effect_name(t, base);
        break;
    case RIO_FIELD_FILE:
        add(t, "\"%s\"", (const char *)at);
        break;
    case RIO_FIELD_ROTATION:
        add_numbers(t, at, 4);
        break;
    case RIO_FIELD_SUB_EMITTERS:
        add_sub_emitters(t, at);
        break;
    case RIO_FIELD_EVENTS:
        add_events(t, *(const uint32_t *)at);
        break;
    case RIO_FIELD_BURSTS:
        add_bursts(t, at);
        break;
    case RIO_FIELD_KIND:
        add(t, "\"%s\"", rio_kind_names().items[*(const rico_force_kind *)at]);
        break;
    case RIO_FIELD_FORCES:
        add_forces(t, at);
        break;
    case RIO_FIELD_PLANES:
        add_planes(t, base);
        break;
    case RIO_FIELD_MESH:
        add_mesh(t, at);
        break;
    }
}

bool rio_field_is_default(const rio_field *field, const rico_recipe *recipe)
{
    rico_recipe standard = rico_recipe_default();
    if (field->kind == RIO_FIELD_MESH)
        return recipe->shape != RICO_EMIT_MESH;
    if (field->kind == RIO_FIELD_SUB_EMITTERS)
        return sub_emitter_count(recipe->sub_emitters) == 0;
    text mine = {0}, its = {0};
    add_field(&mine, field, recipe);
    add_field(&its, field, &standard);
    bool same = !mine.failed && !its.failed && strcmp(mine.items, its.items) == 0;
    free(mine.items);
    free(its.items);
    return same;
}

/* Returns NULL when the string is not UTF-8 or memory ran out. */
static char *quote(const char *string)
{
    json_t *value = json_string(string);
    char *quoted = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    return quoted;
}

static bool is_empty(const char *string)
{
    return string == NULL || string[0] == '\0';
}

/* before: the text before the string. */
static void add_string(text *t, const char *before, const char *string)
{
    char *quoted = quote(string);
    if (quoted != NULL)
        add(t, "%s%s", before, quoted);
    t->failed |= quoted == NULL;
    free(quoted);
}

/* --- Contents that could not be loaded again ---------------------------------------------- */

#define MESSAGE_BYTES 300

static bool refuse(const rico_log *log, const char *format, ...) RICO_PRINTF(2, 3);
static bool refuse(const rico_log *log, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log->write(log->user, RICO_LOG_ERROR, message);
    return false;
}

static bool check_utf8(const char *string, const char *name, const rico_log *log)
{
    char *quoted = is_empty(string) ? NULL : quote(string);
    free(quoted);
    return is_empty(string) || quoted != NULL ||
           refuse(log, "rio_effect_text: %s: expected UTF-8", name);
}

static bool check_strings(const rio_content *c, const rico_log *log)
{
    if (!check_utf8(c->comment, "comment", log) || !check_utf8(c->schema, "$schema", log))
        return false;
    const size_t count = is_empty(c->comment) ? 0 : rio_count_characters(c->comment);
    return count <= RIO_EFFECT_COMMENT_CHARACTERS ||
           refuse(log, "rio_effect_text: comment: found %zu characters, expected at most %u",
                  count, RIO_EFFECT_COMMENT_CHARACTERS);
}

static bool check_host(const char *host, const rico_log *log)
{
    json_error_t why;
    json_t *value = host != NULL ? json_loads(host, JSON_REJECT_DUPLICATES, &why) : NULL;
    const bool is_right = host == NULL || json_is_object(value);
    if (!is_right)
        refuse(log, "rio_effect_text: host: found %s, expected a JSON object",
               value != NULL ? "an array" : why.text);
    json_decref(value);
    return is_right;
}

static bool check_name(const char *list, uint32_t k, const char *name, const rico_log *log)
{
    return rio_is_sub_name(name) ||
           refuse(log,
                  "rio_effect_text: %s[%u].effect: found \"%.*s\", expected "
                  "1 to 63 letters, digits, _ and -",
                  list, k, rio_shown_bytes(name, RIO_SUB_NAME_BYTES - 1), name);
}

static bool check_with(const rio_with *with, uint32_t count, const rico_log *log)
{
    rio_place_fault fault;
    if (count > RIO_MOST_WITH)
        return refuse(log, "rio_effect_text: with_count is %u, expected at most %u", count,
                      RIO_MOST_WITH);
    for (uint32_t k = 0; k < count; ++k) {
        if (!check_name("with", k, with[k].effect, log))
            return false;
        if (!rio_check_place(&with[k].place, &fault))
            return refuse(log, "rio_effect_text: with[%u].place.%s%.*s%s", k, fault.member,
                          fault.element >= 0 ? 2 : 0,
                          &".x.y.z"[2 * (fault.element >= 0 ? fault.element : 0)], fault.what);
    }
    return true;
}

static bool check_names(const rico_recipe *recipe, const rio_sub_names *subs,
                        const rico_log *log)
{
    if (subs == NULL)
        return sub_emitter_count(recipe->sub_emitters) == 0 ||
               refuse(log, "rio_effect_text: recipe.sub_emitters: expected the names of their "
                           "files");
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        if (recipe->sub_emitters[k].on != 0 &&
            !check_name("sub_emitters", k, subs->items[k], log))
            return false;
    return true;
}

static bool check_area(const rico_recipe *recipe, const rico_log *log)
{
    return recipe->shape != RICO_EMIT_MESH || rio_mesh_has_area(&recipe->mesh) ||
           refuse(log,
                  "rio_effect_text: recipe.mesh: found no triangle with an area among %u, "
                  "expected at least one",
                  recipe->mesh.triangle_count);
}

/* --- The text ----------------------------------------------------------------------------- */

static char *write_text(const rio_content *c, const rico_log *log)
{
    const rico_recipe *recipe = c->recipe;
    text t = {.first = recipe->sub_emitters, .subs = c->subs};
    if (rico_recipe_check(recipe, log) != RICO_OK || !check_strings(c, log) ||
        !check_host(c->host, log) || !check_names(recipe, c->subs, log) ||
        !check_with(c->with, c->with_count, log) || !check_area(recipe, log))
        return NULL;
    rio_fields fields = rio_recipe_fields();
    add_string(&t,
               "{\n  \"$schema\": ", is_empty(c->schema) ? "effect.schema.json" : c->schema);
    add(&t, ",\n  \"format\": \"%s\"", RIO_EFFECT_FORMAT);
    if (!is_empty(c->comment))
        add_string(&t, ",\n  \"comment\": ", c->comment);
    if (c->host != NULL)
        add(&t, ",\n  \"host\": %s", c->host);
    for (size_t i = 0; i < fields.count; ++i) {
        if (rio_field_is_default(&fields.items[i], recipe))
            continue;
        add(&t, ",\n  \"%s\": ", fields.items[i].name);
        add_field(&t, &fields.items[i], recipe);
    }
    add_with(&t, c->with, c->with_count);
    add(&t, "\n}\n");
    if (!t.failed)
        return t.items;
    free(t.items);
    return NULL;
}

/* The host's log is called only after all has been written, in the host's own locale. */
static void keep(void *user, rico_log_level level, const char *message)
{
    if (level != RICO_LOG_ERROR)
        return;
    snprintf(user, MESSAGE_BYTES, "%s", message);
    if (strncmp(message, "rico_", 5) ==
        0) /* the library's, which quotes nothing of the host's */
        rio_plain_points(user);
}

char *rio_content_text(const rio_content *c, const rico_log *log)
{
    char message[MESSAGE_BYTES] = "";
    const rico_log inner = {keep, message};
    rio_plain_locale plain;
    if (!rio_plain_locale_enter(&plain))
        return NULL;
    char *written = write_text(c, &inner);
    rio_plain_locale_leave(&plain);
    if (message[0] != '\0' && log != NULL && log->write != NULL)
        log->write(log->user, RICO_LOG_ERROR, message);
    else if (message[0] != '\0') /* as the library's own log does */
        fprintf(stderr, "ricochet: %s\n", message);
    return written;
}

char *rio_effect_text(const rico_recipe *recipe, const char *comment, const rico_log *log)
{
    return rio_content_text(&(rio_content){.recipe = recipe, .comment = comment}, log);
}

char *rio_effect_text_with(const rico_recipe *recipe, const rio_sub_names *subs,
                           const char *comment, const rico_log *log)
{
    return rio_content_text(&(rio_content){.recipe = recipe, .subs = subs, .comment = comment},
                            log);
}

char *rio_effect_text_of(const rio_effect *effect, const rico_log *log)
{
    return rio_content_text(&(rio_content){&effect->recipe, &effect->subs, effect->with,
                                           effect->with_count, effect->comment, effect->schema,
                                           effect->host},
                            log);
}

void rio_effect_text_free(char *written)
{
    free(written);
}
