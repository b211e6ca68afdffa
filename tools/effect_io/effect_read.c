/* Reads the values of an effect file into the recipe. The library checks the ranges of numbers.
 * This file checks only what JSON has and C has not: other types, and numbers beyond a float. */
#include "effect_reader.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FOUND_BYTES 64

/* The range is known only when the library has been asked (effect_check.c). Until then, the
 * value is replaced by one that no field with a range accepts. */
static void note_overflow(rio_reader *r, const json_t *value, bool is_count)
{
    if (r->overflow != NULL)
        return;
    r->overflow = value;
    r->overflow_is_count = is_count;
    r->overflow_steps = r->steps;
    memcpy(r->overflow_way, r->way, sizeof r->way);
}

static bool read_number(rio_reader *r, const json_t *value, float *out)
{
    char found[FOUND_BYTES];
    const double number = json_number_value(value), most = (double)FLT_MAX;
    if (!json_is_number(value))
        return rio_reader_fail(r, "found %s, expected a number",
                               rio_json_describe(value, found, sizeof found));
    bool fits = number >= -most && number <= most;
    if (!fits)
        note_overflow(r, value, false);
    *out = fits ? (float)number : (number < 0.0 ? -FLT_MAX : FLT_MAX);
    return true;
}

/* From 2^53 on all doubles are whole numbers. */
static bool is_whole(double number)
{
    return !(number > -0x1p53 && number < 0x1p53) || number == (double)(int64_t)number;
}

/* Whole numbers may be written with a decimal point: JSON schemas allow it, and many programs
 * write them so. */
static bool read_count(rio_reader *r, const json_t *value, uint32_t *out)
{
    char found[FOUND_BYTES];
    const double number = json_number_value(value);
    if (!json_is_number(value) || !is_whole(number))
        return rio_reader_fail(r, "found %s, expected a whole number",
                               rio_json_describe(value, found, sizeof found));
    bool fits = number >= 0.0 && number <= (double)UINT32_MAX;
    if (!fits)
        note_overflow(r, value, true);
    *out = fits ? (uint32_t)number : UINT32_MAX;
    return true;
}

static bool read_flag(rio_reader *r, const json_t *value, bool *out)
{
    char found[FOUND_BYTES];
    *out = json_is_true(value);
    return json_is_boolean(value) ||
           rio_reader_fail(r, "found %s, expected true or false",
                           rio_json_describe(value, found, sizeof found));
}

/* The length of an array of least..most values; SIZE_MAX for anything else. `expected` describes
 * the array in errors. */
static size_t read_length(rio_reader *r, const json_t *value, size_t least, size_t most,
                          const char *expected)
{
    char found[FOUND_BYTES];
    size_t length = json_array_size(value);
    if (json_is_array(value) && length >= least && length <= most)
        return length;
    if (json_is_array(value))
        rio_reader_fail(r, "found %zu values, expected %s", length, expected);
    else
        rio_reader_fail(r, "found %s, expected %s",
                        rio_json_describe(value, found, sizeof found), expected);
    return SIZE_MAX;
}

static bool read_numbers(rio_reader *r, const json_t *value, size_t count, const char *expected,
                         float *out)
{
    if (read_length(r, value, count, count, expected) == SIZE_MAX)
        return false;
    for (size_t i = 0; i < count; ++i) {
        rio_reader_enter_index(r, i);
        if (!read_number(r, json_array_get(value, i), &out[i]))
            return false;
        rio_reader_leave(r);
    }
    return true;
}

static bool read_range(rio_reader *r, const json_t *value, rico_range *out)
{
    if (!json_is_number(value))
        return read_numbers(r, value, 2, "a number, or [lowest, highest]", &out->lo);
    out->hi = 0.0f;
    if (!read_number(r, value, &out->lo))
        return false;
    out->hi = out->lo;
    return true;
}

/* --- Names -------------------------------------------------------------------------------- */

static bool read_name(rio_reader *r, const json_t *value, rio_names names, uint32_t *out)
{
    char buffer[FOUND_BYTES];
    const char *text = json_string_value(value);
    for (uint32_t i = 0; text != NULL && i < names.count; ++i)
        if (strcmp(text, names.items[i]) == 0) {
            *out = i;
            return true;
        }
    if (text == NULL)
        return rio_reader_fail(r, "found %s, expected a name such as \"%s\"",
                               rio_json_describe(value, buffer, sizeof buffer), names.items[0]);
    return rio_reader_fail_name(r, text, names.items, names.count);
}

static bool read_events(rio_reader *r, const json_t *value, uint32_t *out)
{
    rio_names names = rio_event_names();
    *out = 0;
    size_t length = read_length(r, value, 0, SIZE_MAX - 1, "an array of event names");
    if (length == SIZE_MAX)
        return false;
    for (size_t i = 0; i < length; ++i) {
        uint32_t bit;
        rio_reader_enter_index(r, i);
        if (!read_name(r, json_array_get(value, i), names, &bit))
            return false;
        rio_reader_leave(r);
        *out |= 1u << bit;
    }
    return true;
}

/* --- Objects ------------------------------------------------------------------------------ */

static bool refuse_unknown(rio_reader *r, const char *key, const char *const *names,
                           size_t count)
{
    rio_reader_enter(r, key);
    return rio_reader_fail_field(r, key, names, count);
}

/* Reads an object with the fields of a part. Fields that it does not have keep their values. */
static bool read_part(rio_reader *r, const json_t *value, rio_fields fields, void *part)
{
    char found[FOUND_BYTES];
    const char *names[16];
    if (!json_is_object(value))
        return rio_reader_fail(r, "found %s, expected an object",
                               rio_json_describe(value, found, sizeof found));
    for (size_t f = 0; f < fields.count; ++f)
        names[f] = fields.items[f].name;
    void *at = json_object_iter((json_t *)(uintptr_t)value);
    for (; at != NULL; at = json_object_iter_next((json_t *)(uintptr_t)value, at)) {
        const char *key = json_object_iter_key(at);
        size_t f = 0;
        while (f < fields.count && strcmp(key, names[f]) != 0)
            ++f;
        if (f == fields.count)
            return refuse_unknown(r, key, names, fields.count);
        rio_reader_enter(r, key);
        if (!rio_read_field(r, json_object_iter_value(at), &fields.items[f], part))
            return false;
        rio_reader_leave(r);
    }
    return true;
}

/* Checked after the part's other members, so that a misspelt name is reported first. */
static bool has_member(rio_reader *r, const json_t *part, const char *name)
{
    return json_object_get(part, name) != NULL ||
           rio_reader_fail(r, "found no \"%s\", expected one", name);
}

static bool read_bursts(rio_reader *r, const json_t *value, rico_burst *out)
{
    size_t length = read_length(r, value, 0, RICO_MAX_BURSTS, "an array of at most 4 bursts");
    for (size_t i = 0; length != SIZE_MAX && i < length; ++i) {
        const json_t *part = json_array_get(value, i);
        out[i] = rio_burst_default();
        rio_reader_enter_index(r, i);
        if (!read_part(r, part, rio_burst_fields(), &out[i]) || !has_member(r, part, "count"))
            return false;
        rio_reader_leave(r);
    }
    return length != SIZE_MAX;
}

static bool read_planes(rio_reader *r, const json_t *value, rico_recipe *recipe)
{
    size_t length = read_length(r, value, 0, RICO_MAX_PLANES, "an array of at most 4 planes");
    for (size_t i = 0; length != SIZE_MAX && i < length; ++i) {
        rio_reader_enter_index(r, i);
        if (!read_part(r, json_array_get(value, i), rio_plane_fields(), &recipe->planes[i]))
            return false;
        rio_reader_leave(r);
        recipe->plane_count = (uint32_t)i + 1;
    }
    return length != SIZE_MAX;
}

static bool read_event(rio_reader *r, const json_t *value, uint32_t *out)
{
    uint32_t bit;
    if (!read_name(r, value, rio_event_names(), &bit))
        return false;
    *out = 1u << bit;
    return true;
}

/* Reads a name into RIO_SUB_NAME_BYTES. */
static bool read_file(rio_reader *r, const json_t *value, char *name)
{
    char found[FOUND_BYTES];
    const char *text = json_string_value(value);
    if (text == NULL || !rio_is_sub_name(text))
        return rio_reader_fail(r,
                               "found %s, expected the name of a file beside this one, without "
                               ".json; letters, digits, _ and - are allowed",
                               rio_json_describe(value, found, sizeof found));
    memcpy(name, text, strlen(text) + 1);
    return true;
}

static bool read_effect_name(rio_reader *r, const json_t *value, const rico_sub_emitter *sub)
{
    return read_file(r, value, r->out->subs.items[sub - r->out->recipe.sub_emitters]);
}

static bool read_sub_emitters(rio_reader *r, const json_t *value, rico_sub_emitter *out)
{
    size_t length =
        read_length(r, value, 0, RICO_MAX_SUB_EMITTERS, "an array of at most 4 sub-emitters");
    for (size_t i = 0; length != SIZE_MAX && i < length; ++i) {
        const json_t *part = json_array_get(value, i);
        out[i] = rio_sub_emitter_default();
        rio_reader_enter_index(r, i);
        if (!read_part(r, part, rio_sub_emitter_fields(), &out[i]) ||
            !has_member(r, part, "on") || !has_member(r, part, "effect"))
            return false;
        rio_reader_leave(r);
    }
    return length != SIZE_MAX;
}

bool rio_read_with(rio_reader *r, const json_t *value)
{
    size_t length =
        read_length(r, value, 0, RIO_MOST_WITH, "an array of at most 8 effects of other files");
    for (size_t i = 0; length != SIZE_MAX && i < length; ++i) {
        const json_t *part = json_array_get(value, i);
        rio_with *with = &r->out->with[i];
        with->place = RICO_TRANSFORM_IDENTITY;
        rio_reader_enter_index(r, i);
        if (!read_part(r, part, rio_with_fields(), with) || !has_member(r, part, "effect"))
            return false;
        rio_reader_leave(r);
        r->out->with_count = (uint32_t)i + 1;
    }
    return length != SIZE_MAX;
}

static bool read_forces(rio_reader *r, const json_t *value, rico_force *out)
{
    size_t length = read_length(r, value, 0, RICO_MAX_FORCES, "an array of at most 4 forces");
    for (size_t i = 0; length != SIZE_MAX && i < length; ++i) {
        const json_t *part = json_array_get(value, i);
        out[i] = rico_force_default();
        rio_reader_enter_index(r, i);
        if (!read_part(r, part, rio_force_fields(), &out[i]) || !has_member(r, part, "kind"))
            return false;
        rio_reader_leave(r);
    }
    return length != SIZE_MAX;
}

/* --- Keys --------------------------------------------------------------------------------- */

/* Describes where the keys of a curve or a gradient are stored. */
typedef struct key_form {
    const char *expected, *member; /* member: "value" or "rgba" */
    rio_names kinds;               /* names of the interpolation */
    uint32_t *key_count;
    rico_interpolation *interpolation;
    float *at, *out;
    size_t count;                /* floats of a member */
    float *slope_in, *slope_out; /* NULL = the type has none */
} key_form;

static bool is_slope(const char *name)
{
    return strcmp(name, "slope_in") == 0 || strcmp(name, "slope_out") == 0;
}

static bool check_members(rio_reader *r, const json_t *key, const key_form *form)
{
    const char *const names[] = {"at", form->member};
    void *i = json_object_iter((json_t *)(uintptr_t)key);
    for (; i != NULL; i = json_object_iter_next((json_t *)(uintptr_t)key, i)) {
        const char *name = json_object_iter_key(i);
        bool slope = form->slope_in != NULL && is_slope(name);
        if (strcmp(name, "at") == 0 || strcmp(name, form->member) == 0 ||
            (slope && *form->interpolation == RICO_CUBIC))
            continue;
        if (!slope)
            return refuse_unknown(r, name, names, 2);
        rio_reader_enter(r, name);
        return rio_reader_fail_key(r, "expected none, because interpolation is not \"cubic\"");
    }
    return true;
}

/* Reads a slope; 0 when the key has none. */
static bool read_slope(rio_reader *r, const json_t *key, const char *name, float *out)
{
    const json_t *value = json_object_get(key, name);
    if (value == NULL)
        return true;
    rio_reader_enter(r, name);
    if (!read_number(r, value, out))
        return false;
    rio_reader_leave(r);
    return true;
}

/* Reads {"at": ..., member: ...}; both must be there. */
static bool read_key(rio_reader *r, const json_t *key, const key_form *form, size_t i)
{
    char found[FOUND_BYTES];
    if (!json_is_object(key))
        return rio_reader_fail(r, "found %s, expected {\"at\": ..., \"%s\": ...}",
                               rio_json_describe(key, found, sizeof found), form->member);
    if (!check_members(r, key, form))
        return false;
    rio_reader_enter(r, "at");
    if (!read_number(r, json_object_get(key, "at"), &form->at[i]))
        return false;
    rio_reader_leave(r);
    rio_reader_enter(r, form->member);
    const json_t *value = json_object_get(key, form->member);
    float *out = form->out + i * form->count;
    if (form->count == 1 ? !read_number(r, value, out)
                         : !read_numbers(r, value, form->count, "[r, g, b, a]", out))
        return false;
    rio_reader_leave(r);
    return form->slope_in == NULL || (read_slope(r, key, "slope_in", &form->slope_in[i]) &&
                                      read_slope(r, key, "slope_out", &form->slope_out[i]));
}

static bool read_keys(rio_reader *r, const json_t *value, const key_form *form)
{
    size_t length = read_length(r, value, 1, RICO_MAX_KEYS, form->expected);
    for (size_t i = 0; length != SIZE_MAX && i < length; ++i) {
        rio_reader_enter_index(r, i);
        if (!read_key(r, json_array_get(value, i), form, i))
            return false;
        rio_reader_leave(r);
    }
    *form->key_count = (uint32_t)length;
    return length != SIZE_MAX;
}

/* Reads {"interpolation": ..., "keys": ...}, where both must be there, or the keys alone. */
static bool read_keyed(rio_reader *r, const json_t *value, const key_form *form)
{
    static const char *const names[] = {"interpolation", "keys"};
    uint32_t kind;
    if (!json_is_object(value))
        return read_keys(r, value, form);
    void *i = json_object_iter((json_t *)(uintptr_t)value);
    for (; i != NULL; i = json_object_iter_next((json_t *)(uintptr_t)value, i))
        if (strcmp(json_object_iter_key(i), names[0]) != 0 &&
            strcmp(json_object_iter_key(i), names[1]) != 0)
            return refuse_unknown(r, json_object_iter_key(i), names, 2);
    rio_reader_enter(r, names[0]);
    if (!read_name(r, json_object_get(value, names[0]), form->kinds, &kind))
        return false;
    *form->interpolation = (rico_interpolation)kind;
    rio_reader_leave(r);
    rio_reader_enter(r, names[1]);
    if (!read_keys(r, json_object_get(value, names[1]), form))
        return false;
    rio_reader_leave(r);
    return true;
}

static bool read_curve(rio_reader *r, const json_t *value, rico_curve *out)
{
    *out = rico_curve_constant(0.0f);
    if (json_is_number(value))
        return read_number(r, value, &out->value[0]);
    return read_keyed(r, value,
                      &(key_form){"a number, or 1 to 8 keys {\"at\": ..., \"value\": ...}",
                                  "value", rio_interpolation_names(RIO_FIELD_CURVE),
                                  &out->key_count, &out->interpolation, out->at, out->value, 1,
                                  out->slope_in, out->slope_out});
}

static bool read_gradient(rio_reader *r, const json_t *value, rico_gradient *out)
{
    *out = rico_gradient_constant(0.0f, 0.0f, 0.0f, 0.0f);
    if (json_is_number(json_array_get(value, 0)))
        return read_numbers(r, value, 4, "[r, g, b, a], or 1 to 8 keys", out->rgba[0]);
    return read_keyed(
        r, value,
        &(key_form){"[r, g, b, a], or 1 to 8 keys {\"at\": ..., \"rgba\": [r, g, b, a]}",
                    "rgba", rio_interpolation_names(RIO_FIELD_GRADIENT), &out->key_count,
                    &out->interpolation, out->at, out->rgba[0], 4, NULL, NULL});
}

/* --- Meshes ------------------------------------------------------------------------------- */

#define MOST_NUMBERS ((size_t)3 << 22)

static void *allocate(rio_reader *r, size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (memory == NULL) {
        r->out_of_memory = true;
        rio_reader_fail(r, "out of memory");
    }
    return memory;
}

/* The number of triples; SIZE_MAX = refused. */
static size_t read_triples(rio_reader *r, const json_t *value, const char *expected)
{
    size_t length = read_length(r, value, 3, MOST_NUMBERS, expected);
    if (length == SIZE_MAX || length % 3 == 0)
        return length == SIZE_MAX ? length : length / 3;
    rio_reader_fail(r, "found %zu values, expected %s", length, expected);
    return SIZE_MAX;
}

static bool read_positions(rio_reader *r, const json_t *value, rico_emitter_mesh *mesh)
{
    size_t count = read_triples(r, value, "x, y, z of each vertex");
    if (count == SIZE_MAX || !(r->out->positions = allocate(r, 3 * count, sizeof(float))))
        return false;
    mesh->positions = r->out->positions;
    mesh->vertex_count = (uint32_t)count;
    return read_numbers(r, value, 3 * count, "x, y, z of each vertex", r->out->positions);
}

static bool read_indices(rio_reader *r, const json_t *value, rico_emitter_mesh *mesh)
{
    size_t count = read_triples(r, value, "three indices of each triangle");
    if (count == SIZE_MAX || !(r->out->indices = allocate(r, 3 * count, sizeof(uint32_t))))
        return false;
    mesh->indices = r->out->indices;
    mesh->triangle_count = (uint32_t)count;
    for (size_t i = 0; i < 3 * count; ++i) {
        rio_reader_enter_index(r, i);
        if (!read_count(r, json_array_get(value, i), &r->out->indices[i]))
            return false;
        rio_reader_leave(r);
    }
    return true;
}

static bool read_mesh(rio_reader *r, const json_t *value, rico_emitter_mesh *mesh)
{
    static const char *const names[] = {"positions", "indices"};
    char found[FOUND_BYTES];
    if (!json_is_object(value))
        return rio_reader_fail(r, "found %s, expected an object",
                               rio_json_describe(value, found, sizeof found));
    void *i = json_object_iter((json_t *)(uintptr_t)value);
    for (; i != NULL; i = json_object_iter_next((json_t *)(uintptr_t)value, i))
        if (strcmp(json_object_iter_key(i), names[0]) != 0 &&
            strcmp(json_object_iter_key(i), names[1]) != 0)
            return refuse_unknown(r, json_object_iter_key(i), names, 2);
    rio_reader_enter(r, names[0]);
    if (!read_positions(r, json_object_get(value, names[0]), mesh))
        return false;
    rio_reader_leave(r);
    rio_reader_enter(r, names[1]);
    if (!read_indices(r, json_object_get(value, names[1]), mesh))
        return false;
    rio_reader_leave(r);
    return true;
}

/* --- Any field ---------------------------------------------------------------------------- */

bool rio_read_field(rio_reader *r, const json_t *value, const rio_field *field, void *base)
{
    void *at = (char *)base + field->offset;
    uint32_t number = 0;
    switch (field->kind) {
    case RIO_FIELD_NUMBER:
        return read_number(r, value, at);
    case RIO_FIELD_COUNT:
        return read_count(r, value, at);
    case RIO_FIELD_FLAG:
        return read_flag(r, value, at);
    case RIO_FIELD_VECTOR:
        return read_numbers(r, value, 3, "[x, y, z]", at);
    case RIO_FIELD_RANGE:
        return read_range(r, value, at);
    case RIO_FIELD_CURVE:
        return read_curve(r, value, at);
    case RIO_FIELD_GRADIENT:
        return read_gradient(r, value, at);
    case RIO_FIELD_SHAPE:
        if (!read_name(r, value, rio_shape_names(), &number))
            return false;
        *(rico_emitter_shape *)at = (rico_emitter_shape)number;
        return true;
    case RIO_FIELD_MODE:
        if (!read_name(r, value, rio_mode_names(), &number))
            return false;
        *(rico_collision_mode *)at = (rico_collision_mode)number;
        return true;
    case RIO_FIELD_RESPONSE:
        if (!read_name(r, value, rio_response_names(), &number))
            return false;
        *(rico_on_collision *)at = (rico_on_collision)number;
        return true;
    case RIO_FIELD_HIDDEN:
        if (!read_name(r, value, rio_hidden_names(), &number))
            return false;
        *(rico_hidden *)at = (rico_hidden)number;
        return true;
    case RIO_FIELD_SPACE:
        if (!read_name(r, value, rio_space_names(), &number))
            return false;
        *(rico_space *)at = (rico_space)number;
        return true;
    case RIO_FIELD_ORIENTATION:
        if (!read_name(r, value, rio_orientation_names(), &number))
            return false;
        *(rico_orientation *)at = (rico_orientation)number;
        return true;
    case RIO_FIELD_EVENT:
        return read_event(r, value, at);
    case RIO_FIELD_EFFECT:
        return read_effect_name(r, value, base);
    case RIO_FIELD_FILE:
        return read_file(r, value, at);
    case RIO_FIELD_ROTATION:
        return read_numbers(r, value, 4, "[x, y, z, w]", at);
    case RIO_FIELD_SUB_EMITTERS:
        return read_sub_emitters(r, value, at);
    case RIO_FIELD_EVENTS:
        return read_events(r, value, at);
    case RIO_FIELD_KIND:
        if (!read_name(r, value, rio_kind_names(), &number))
            return false;
        *(rico_force_kind *)at = (rico_force_kind)number;
        return true;
    case RIO_FIELD_FORCES:
        return read_forces(r, value, at);
    case RIO_FIELD_BURSTS:
        return read_bursts(r, value, at);
    case RIO_FIELD_PLANES:
        return read_planes(r, value, base);
    case RIO_FIELD_MESH:
        return read_mesh(r, value, at);
    }
    return false;
}
