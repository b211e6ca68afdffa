/* Compares examples/effects/effect.schema.json with the loader: the same fields, ranges and
 * defaults. */
#include "effects_fixture.h"

#include <float.h>
#include <jansson.h>

static json_t *load_schema(void)
{
    json_error_t why;
    json_t *schema = json_load_file(TEST_EFFECTS "/effect.schema.json", 0, &why);
    CHECK_MSG(schema != NULL, "%s:%d: %s", why.source, why.line, why.text);
    return schema;
}

/* There is one property for each field, and `others` more. */
static void check_names(const json_t *properties, rio_fields fields, size_t others)
{
    for (size_t i = 0; i < fields.count; ++i)
        CHECK_MSG(json_object_get(properties, fields.items[i].name) != NULL,
                  "the schema has no %s", fields.items[i].name);
    CHECK_EQ(json_object_size(properties), fields.count + others);
}

static const json_t *properties_of(const json_t *schema)
{
    CHECK(json_is_false(json_object_get(schema, "additionalProperties")));
    return json_object_get(schema, "properties");
}

/* The schema of the items of a field that is an array of objects. */
static const json_t *item_of(const json_t *properties, const char *field)
{
    return json_object_get(json_object_get(properties, field), "items");
}

/* The JSON text of the property's default. */
static void default_of(const json_t *property, size_t flags, char *text, size_t bytes)
{
    const size_t length = json_dumpb(json_object_get(property, "default"), text, bytes - 1,
                                     JSON_ENCODE_ANY | flags);
    CHECK(length < bytes);
    text[length] = '\0';
}

TEST(effects, have_a_schema_with_every_field_of_the_loader_and_no_other)
{
    json_t *schema = load_schema();
    const json_t *root = properties_of(schema);
    check_names(root, rio_recipe_fields(), 5); /* $schema, format, comment, host, with */
    check_names(properties_of(item_of(root, "bursts")), rio_burst_fields(), 0);
    check_names(properties_of(item_of(root, "planes")), rio_plane_fields(), 0);
    check_names(properties_of(item_of(root, "sub_emitters")), rio_sub_emitter_fields(), 0);
    check_names(properties_of(item_of(root, "forces")), rio_force_fields(), 0);
    check_names(properties_of(item_of(root, "with")), rio_with_fields(), 0);
    const json_t *format = json_object_get(json_object_get(root, "format"), "const");
    CHECK(strcmp(json_string_value(format), RIO_EFFECT_FORMAT) == 0);
    json_decref(schema);
}

static void check_choices(const json_t *names, rio_names choices)
{
    CHECK_EQ(json_array_size(names), choices.count);
    for (size_t i = 0; i < choices.count; ++i)
        CHECK(strcmp(json_string_value(json_array_get(names, i)), choices.items[i]) == 0);
}

TEST(effects, have_a_schema_with_the_names_and_lengths_of_the_loader)
{
    json_t *schema = load_schema();
    const json_t *root = properties_of(schema);
    check_choices(json_object_get(json_object_get(root, "shape"), "enum"), rio_shape_names());
    check_choices(json_object_get(json_object_get(root, "mode"), "enum"), rio_mode_names());
    check_choices(json_object_get(item_of(root, "events"), "enum"), rio_event_names());
    check_choices(json_object_get(json_object_get(root, "on_collision"), "enum"),
                  rio_response_names());
    check_choices(json_object_get(json_object_get(root, "space"), "enum"), rio_space_names());
    check_choices(json_object_get(json_object_get(root, "hidden"), "enum"), rio_hidden_names());
    const json_t *sub = properties_of(item_of(root, "sub_emitters"));
    check_choices(json_object_get(json_object_get(sub, "on"), "enum"), rio_event_names());
    check_choices(json_object_get(json_object_get(sub, "orientation"), "enum"),
                  rio_orientation_names());
    CHECK_EQ(
        json_integer_value(json_object_get(json_object_get(root, "sub_emitters"), "maxItems")),
        RICO_MAX_SUB_EMITTERS);
    const json_t *bursts = json_object_get(root, "bursts");
    CHECK_EQ(json_integer_value(json_object_get(bursts, "maxItems")), RICO_MAX_BURSTS);
    const json_t *forces = json_object_get(root, "forces");
    CHECK_EQ(json_integer_value(json_object_get(forces, "maxItems")), RICO_MAX_FORCES);
    const json_t *kind = json_object_get(properties_of(item_of(root, "forces")), "kind");
    check_choices(json_object_get(kind, "enum"), rio_kind_names());
    const json_t *planes = json_object_get(root, "planes");
    CHECK_EQ(json_integer_value(json_object_get(planes, "maxItems")), RICO_MAX_PLANES);
    json_decref(schema);
}

/* Whether the loader reads `{"format": ..., "duration": 1, NAME: VALUE}`. */
static bool reads(const char *name, const char *value, char text[600],
                  char error[RIO_EFFECT_ERROR_BYTES])
{
    rio_effect e;
    const char *duration = strcmp(name, "duration") == 0 ? "" : ", \"duration\": 1";
    snprintf(text, 600, FORMAT_LINE "%s, \"%s\": %s}", duration, name, value);
    rico_result result =
        rio_effect_parse("f", text, strlen(text), &e, error, RIO_EFFECT_ERROR_BYTES);
    if (result == RICO_OK)
        rio_effect_free(&e);
    return result == RICO_OK;
}

/* Expects "f:1:COLUMN: NAME... is DIGITS, expected LO to HI", where COLUMN is the place of these
 * digits. */
static void check_error(const char *name, const char *text, const char *digits,
                        const double limits[2], bool whole, const char *error)
{
    char expected[200];
    size_t column = strtoul(error + strlen("f:1:"), NULL, 10);
    CHECK_MSG(column > 0 && strncmp(text + column - 1, digits, strlen(digits)) == 0,
              "the place of '%s' in %s", error, text);
    snprintf(expected, sizeof expected, "f:1:%zu: %s", column, name);
    CHECK_MSG(strncmp(error, expected, strlen(expected)) == 0, "'%s' of %s", error, text);
    snprintf(expected, sizeof expected,
             whole ? " is %.12g, expected %.12g to %.12g" : " is %.9g, expected %g to %g",
             strtod(digits, NULL), limits[0], limits[1]);
    CHECK_MSG(strstr(error, expected) != NULL, "'%s', expected '%s'", error, expected);
}

/* Tests the value pattern with the limits in it, and with the next numbers beyond them. */
static void check_limits(const char *name, const char *pattern, const json_t *number)
{
    const json_t *lo = json_object_get(number, "minimum");
    const json_t *hi = json_object_get(number, "maximum");
    CHECK_MSG(lo != NULL && hi != NULL, "%s has no range in the schema", name);
    bool whole = strcmp(json_string_value(json_object_get(number, "type")), "integer") == 0;
    double limits[4] = {json_number_value(lo), json_number_value(hi)};
    limits[2] = whole ? limits[0] - 1.0 : (double)nextafterf((float)limits[0], -FLT_MAX);
    limits[3] = whole ? limits[1] + 1.0 : (double)nextafterf((float)limits[1], FLT_MAX);
    for (int i = 0; i < 4; ++i) {
        char digits[40], value[300], text[600], error[RIO_EFFECT_ERROR_BYTES];
        snprintf(digits, sizeof digits, whole ? "%.0f" : "%.9g", limits[i]);
        snprintf(value, sizeof value, pattern, digits, digits, digits, digits);
        CHECK_MSG(reads(name, value, text, error) == (i < 2), "%s: %s", name, value);
        if (i >= 2)
            check_error(name, text, digits, limits, whole, error);
    }
}

static const json_t *first_of(const json_t *property)
{
    return json_array_get(json_object_get(property, "anyOf"), 0);
}

static const json_t *key_member(const json_t *property, const char *member)
{
    const json_t *keys = json_array_get(json_object_get(property, "anyOf"), 1);
    const json_t *item = json_object_get(keys, "items");
    return json_object_get(properties_of(item), member);
}

/* The schema of the interpolation between keys: the names that it takes, and the members of its
 * keys. */
static const json_t *kinds(const json_t *property)
{
    const json_t *form = json_array_get(json_object_get(property, "anyOf"), 2);
    return json_object_get(json_object_get(properties_of(form), "interpolation"), "enum");
}

static const json_t *form_member(const json_t *property, const char *member)
{
    const json_t *form = json_array_get(json_object_get(property, "anyOf"), 2);
    return json_object_get(properties_of(item_of(properties_of(form), "keys")), member);
}

#define CUBIC(keys) "{\"interpolation\": \"cubic\", \"keys\": [{" keys "}]}"
#define SMOOTH(keys) "{\"interpolation\": \"smooth\", \"keys\": [{" keys "}]}"

static void check_cubic(const char *name, const json_t *property)
{
    check_choices(kinds(property), rio_interpolation_names(RIO_FIELD_CURVE));
    check_limits(name, CUBIC("\"at\": 0, \"value\": %s"), form_member(property, "value"));
    check_limits(name, CUBIC("\"at\": %s, \"value\": 1"), form_member(property, "at"));
    check_limits(name, CUBIC("\"at\": 0, \"value\": 1, \"slope_in\": %s"),
                 form_member(property, "slope_in"));
    check_limits(name, CUBIC("\"at\": 0, \"value\": 1, \"slope_out\": %s"),
                 form_member(property, "slope_out"));
}

static void check_smooth(const char *name, const json_t *property)
{
    check_choices(kinds(property), rio_interpolation_names(RIO_FIELD_GRADIENT));
    check_limits(name, SMOOTH("\"at\": 0, \"rgba\": [0, 0, %s, 1]"),
                 json_object_get(form_member(property, "rgba"), "items"));
    check_limits(name, SMOOTH("\"at\": %s, \"rgba\": [0, 0, 0, 1]"),
                 form_member(property, "at"));
}

static void check_field(const rio_field *field, const json_t *property)
{
    switch (field->kind) {
    case RIO_FIELD_NUMBER:
    case RIO_FIELD_COUNT:
        check_limits(field->name, "%s", property);
        break;
    case RIO_FIELD_VECTOR:
        check_limits(field->name, "[%s, %s, %s]", json_object_get(property, "items"));
        break;
    case RIO_FIELD_RANGE:
        check_limits(field->name, "%s", first_of(property));
        check_limits(field->name, "[%s, %s]", first_of(property));
        break;
    case RIO_FIELD_CURVE:
        check_limits(field->name, "%s", first_of(property));
        check_limits(field->name, "[{\"at\": 0, \"value\": %s}]",
                     key_member(property, "value"));
        check_limits(field->name, "[{\"at\": %s, \"value\": 1}]", key_member(property, "at"));
        check_cubic(field->name, property);
        break;
    case RIO_FIELD_GRADIENT:
        check_limits(field->name, "[%s, %s, %s, %s]",
                     json_object_get(first_of(property), "items"));
        check_limits(field->name, "[{\"at\": 0, \"rgba\": [0, 0, %s, 1]}]",
                     json_object_get(key_member(property, "rgba"), "items"));
        check_limits(field->name, "[{\"at\": %s, \"rgba\": [0, 0, 0, 1]}]",
                     key_member(property, "at"));
        check_smooth(field->name, property);
        break;
    case RIO_FIELD_FLAG:
        CHECK(strcmp(json_string_value(json_object_get(property, "type")), "boolean") == 0);
        break;
    default: /* parts and names have their own checks */
        break;
    }
}

TEST(effects, have_a_schema_with_the_ranges_of_the_library)
{
    json_t *schema = load_schema();
    rio_fields fields = rio_recipe_fields(), burst = rio_burst_fields();
    const json_t *root = properties_of(schema);
    for (size_t i = 0; i < fields.count; ++i)
        check_field(&fields.items[i], json_object_get(root, fields.items[i].name));
    for (size_t i = 0; i < burst.count; ++i) {
        char pattern[128];
        const char *name = burst.items[i].name;
        bool is_count = strcmp(name, "count") == 0;
        snprintf(pattern, sizeof pattern, "[{%s\"%s\": %%s%s}]",
                 is_count ? "" : "\"count\": 1, ", name,
                 strcmp(name, "cycles") == 0 ? ", \"interval\": 1" : "");
        check_limits("bursts", pattern,
                     json_object_get(properties_of(item_of(root, "bursts")), name));
    }
    const char *numbers[] = {"strength", "speed", "reach", "scale"};
    const char *vectors[] = {"position", "scroll"};
    for (size_t i = 0; i < 6; ++i) {
        char pattern[128];
        const char *name = i < 4 ? numbers[i] : vectors[i - 4];
        const json_t *property = json_object_get(properties_of(item_of(root, "forces")), name);
        snprintf(pattern, sizeof pattern, "[{\"kind\": \"direction\", \"%s\": %s}]", name,
                 i < 4 ? "%s" : "[0, %s, 0]");
        check_limits("forces", pattern, i < 4 ? property : json_object_get(property, "items"));
    }
    json_decref(schema);
}

TEST(effects, have_a_schema_with_the_ranges_of_sub_emitters)
{
    json_t *schema = load_schema();
    const json_t *sub = properties_of(item_of(properties_of(schema), "sub_emitters"));
    rio_fields fields = rio_sub_emitter_fields();
    for (size_t i = 2; i < fields.count && fields.items[i].kind != RIO_FIELD_ORIENTATION; ++i) {
        char pattern[128];
        snprintf(pattern, sizeof pattern,
                 "[{\"on\": \"collision\", \"effect\": \"a\", \"%s\": %%s}]",
                 fields.items[i].name);
        check_limits("sub_emitters", pattern, json_object_get(sub, fields.items[i].name));
    }
    json_decref(schema);
}

TEST(effects, have_a_schema_with_the_ranges_and_defaults_of_places)
{
    char text[600], error[RIO_EFFECT_ERROR_BYTES];
    json_t *schema = load_schema();
    const json_t *with = json_object_get(properties_of(schema), "with");
    const json_t *members = properties_of(item_of(properties_of(schema), "with"));
    CHECK_EQ(json_integer_value(json_object_get(with, "maxItems")), RIO_MOST_WITH);
    check_limits("with", "[{\"effect\": \"a\", \"position\": [0, %s, 0]}]",
                 json_object_get(json_object_get(members, "position"), "items"));
    const json_t *scale = json_object_get(members, "scale");
    CHECK_EQ(json_integer_value(json_object_get(scale, "exclusiveMinimum")), 0);
    CHECK_EQ(json_integer_value(json_object_get(scale, "maximum")), 1000000);
    CHECK(reads("with", "[{\"effect\": \"a\", \"scale\": 1e-30}]", text, error));
    CHECK(!reads("with", "[{\"effect\": \"a\", \"scale\": 0}]", text, error));
    CHECK(reads("with", "[{\"effect\": \"a\", \"scale\": 1000000}]", text, error));
    CHECK(!reads("with", "[{\"effect\": \"a\", \"scale\": 1000000.1}]", text, error));
    for (size_t i = 1; i < rio_with_fields().count; ++i) {
        const char *name = rio_with_fields().items[i].name;
        char digits[200];
        default_of(json_object_get(members, name), 0, digits, sizeof digits);
        snprintf(text, sizeof text,
                 FORMAT_LINE
                 ", \"with\": [{\"effect\": \"a\"}, {\"effect\": \"a\", \"%s\": %s}]}",
                 name, digits);
        rio_effect e = load_text(text);
        CHECK_MSG(memcmp(&e.with[0], &e.with[1], sizeof e.with[0]) == 0, "%s", text);
        rio_effect_free(&e);
    }
    json_decref(schema);
}

TEST(effects, have_a_schema_with_the_defaults_of_the_library)
{
    json_t *schema = load_schema();
    rio_fields fields = rio_recipe_fields();
    const rico_recipe standard = rico_recipe_default();
    for (size_t i = 0; i < fields.count; ++i) {
        const char *name = fields.items[i].name;
        const json_t *property = json_object_get(properties_of(schema), name);
        if (fields.items[i].kind == RIO_FIELD_MESH)
            continue;
        CHECK_MSG(json_object_get(property, "default") != NULL,
                  "%s has no default in the schema", name);
        char text[600], digits[500];
        default_of(property, JSON_REAL_PRECISION(9), digits, sizeof digits);
        snprintf(text, sizeof text, FORMAT_LINE ", \"%s\": %s}", name, digits);
        rio_effect e = load_text(text);
        CHECK_MSG(first_difference(&e.recipe, &standard) == NULL, "%s", text);
        rio_effect_free(&e);
    }
    json_decref(schema);
}

/* The value at a path of members, for example "properties/rolls/const". */
static const json_t *member_at(const json_t *value, const char *path)
{
    char name[32];
    for (; value != NULL && *path != '\0'; path += *path == '/') {
        size_t length = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        value = json_object_get(value, name);
        path += length;
    }
    return value;
}

TEST(effects, have_a_schema_in_which_only_who_bounces_rolls)
{
    json_t *schema = load_schema();
    const char *rolls = json_string_value(json_array_get(member_at(schema, "if/required"), 0));
    CHECK(rolls != NULL && strcmp(rolls, "rolls") == 0);
    CHECK(json_is_true(member_at(schema, "if/properties/rolls/const")));
    const json_t *only = member_at(schema, "then/properties/on_collision/const");
    for (size_t i = 0; i < rio_response_names().count; ++i) {
        char text[600], error[RIO_EFFECT_ERROR_BYTES], value[80];
        const char *response = rio_response_names().items[i];
        snprintf(value, sizeof value, "true, \"on_collision\": \"%s\"", response);
        CHECK_EQ(reads("rolls", value, text, error),
                 strcmp(response, json_string_value(only)) == 0);
    }
    json_decref(schema);
}

TEST(effects, have_events_and_comments_as_long_as_the_schema_allows)
{
    json_t *schema = load_schema();
    char text[4096] = FORMAT_LINE ", \"events\": [\"death\"", *end = text + strlen(text);
    CHECK(member_at(schema, "properties/events/maxItems") == NULL);
    for (int i = 0; i < 100; ++i)
        end += sprintf(end, ", \"birth\"");
    sprintf(end, "]}");
    rio_effect e = load_text(text);
    CHECK_EQ(e.recipe.events, RICO_EVENT_BIT_DEATH | RICO_EVENT_BIT_BIRTH);
    rio_effect_free(&e);
    const json_t *most = member_at(schema, "properties/comment/maxLength");
    CHECK_EQ(json_integer_value(most), RIO_EFFECT_COMMENT_CHARACTERS);
    end = text + sprintf(text, FORMAT_LINE ", \"comment\": \"");
    for (int i = 0; i < json_integer_value(most); ++i)
        end += sprintf(end, "\xc3\xa9");
    sprintf(end, "\"}");
    e = load_text(text);
    CHECK_EQ(rio_count_characters(e.comment), RIO_EFFECT_COMMENT_CHARACTERS);
    rio_effect_free(&e);
    sprintf(end, "\xc3\xa9\"}");
    check_refused(text, "f:1:44: comment: found 1024 characters, expected at most 1023");
    json_decref(schema);
}

TEST(effects, have_a_readme_with_a_row_for_every_field)
{
    char *text = read_text(TEST_EFFECTS "/README.md"), row[80];
    rio_fields all[] = {rio_recipe_fields(),      rio_burst_fields(), rio_plane_fields(),
                        rio_sub_emitter_fields(), rio_force_fields(), rio_with_fields()};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        for (size_t i = 0; i < all[k].count; ++i) {
            snprintf(row, sizeof row, "\n| `%s` |", all[k].items[i].name);
            CHECK_MSG(strstr(text, row) != NULL, "%s", all[k].items[i].name);
        }
    for (int i = 0; example_names[i] != NULL; ++i)
        CHECK_MSG(strstr(text, example_names[i]) != NULL, "%s", example_names[i]);
    free(text);
}
