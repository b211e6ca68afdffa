/* Compares examples/effects/effect.schema.json with the loader on whole documents, for rules
 * that involve several fields. The test's own validator knows only those parts of JSON Schema
 * that the file uses. */
#include "effects_fixture.h"

#include <jansson.h>

/* --- The validator ------------------------------------------------------------------------ */

static bool fits(const json_t *root, const json_t *schema, const json_t *value);

static bool is_of_type(const json_t *value, const char *type)
{
    const double number = json_number_value(value);
    if (strcmp(type, "integer") == 0)
        return json_is_number(value) && number == floor(number);
    return (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "object") == 0 && json_is_object(value));
}

/* Numbers are compared by value: 1.0 equals 1. */
static bool is_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

static bool fits_bound(const char *keyword, const json_t *bound, const json_t *value)
{
    const double x = json_number_value(value), y = json_number_value(bound);
    if (!json_is_number(value))
        return true;
    if (strcmp(keyword, "minimum") == 0)
        return x >= y;
    if (strcmp(keyword, "maximum") == 0)
        return x <= y;
    return strcmp(keyword, "exclusiveMinimum") == 0 ? x > y : fmod(x, y) == 0.0;
}

static bool fits_length(const char *keyword, const json_t *bound, const json_t *value)
{
    const size_t most = (size_t)json_integer_value(bound);
    if (strcmp(keyword, "maxLength") == 0)
        return !json_is_string(value) || rio_count_characters(json_string_value(value)) <= most;
    if (!json_is_array(value))
        return true;
    return strcmp(keyword, "minItems") == 0 ? json_array_size(value) >= most
                                            : json_array_size(value) <= most;
}

static bool fits_items(const json_t *root, const json_t *of, bool each, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(value); ++i) {
        const json_t *schema = each ? of : json_array_get(of, i);
        if (schema != NULL && !fits(root, schema, json_array_get(value, i)))
            return false;
    }
    return true;
}

static bool fits_properties(const json_t *root, const json_t *of, bool alone,
                            const json_t *value)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        const json_t *schema = json_object_get(of, name);
        if (schema == NULL ? alone : !fits(root, schema, member))
            return false;
    }
    return true;
}

/* Counts the schemas of the list that the value matches. */
static size_t count_fitting(const json_t *root, const json_t *list, const json_t *value)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list); ++i)
        count += fits(root, json_array_get(list, i), value);
    return count;
}

static bool is_one_of(const json_t *list, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(list); ++i)
        if (is_same(json_array_get(list, i), value))
            return true;
    return false;
}

static bool has_all(const json_t *names, const json_t *value)
{
    for (size_t i = 0; json_is_object(value) && i < json_array_size(names); ++i)
        if (json_object_get(value, json_string_value(json_array_get(names, i))) == NULL)
            return false;
    return true;
}

static bool fits_condition(const json_t *root, const json_t *schema, const json_t *value)
{
    const bool met = fits(root, json_object_get(schema, "if"), value);
    const json_t *then = json_object_get(schema, met ? "then" : "else");
    return then == NULL || fits(root, then, value);
}

static const json_t *definition(const json_t *root, const char *name)
{
    static const char begin[] = "#/$defs/";
    CHECK(strncmp(name, begin, strlen(begin)) == 0);
    const json_t *found = json_object_get(json_object_get(root, "$defs"), name + strlen(begin));
    CHECK_MSG(found != NULL, "%s", name);
    return found;
}

static bool is_one_word_of(const char *word, const char *words)
{
    const char *found = strstr(words, word);
    const size_t length = strlen(word);
    return found != NULL && found[length] == ' ' && (found == words || found[-1] == ' ');
}

static bool fits_keyword(const json_t *root, const json_t *schema, const char *keyword,
                         const json_t *is, const json_t *value)
{
    if (is_one_word_of(keyword, "$schema $defs title description default then else pattern "))
        return true; /* patterns apply to names only, and no document here has a wrong name */
    if (is_one_word_of(keyword, "minimum maximum exclusiveMinimum multipleOf "))
        return fits_bound(keyword, is, value);
    if (is_one_word_of(keyword, "minItems maxItems maxLength "))
        return fits_length(keyword, is, value);
    if (strcmp(keyword, "type") == 0)
        return is_of_type(value, json_string_value(is));
    if (strcmp(keyword, "const") == 0)
        return is_same(is, value);
    if (strcmp(keyword, "enum") == 0)
        return is_one_of(is, value);
    if (strcmp(keyword, "required") == 0)
        return has_all(is, value);
    if (strcmp(keyword, "items") == 0 || strcmp(keyword, "prefixItems") == 0)
        return fits_items(root, is, keyword[0] == 'i', value);
    if (strcmp(keyword, "properties") == 0)
        return fits_properties(root, is, false, value);
    if (strcmp(keyword, "additionalProperties") == 0)
        return fits_properties(root, json_object_get(schema, "properties"), true, value);
    if (strcmp(keyword, "anyOf") == 0)
        return count_fitting(root, is, value) > 0;
    if (strcmp(keyword, "allOf") == 0)
        return count_fitting(root, is, value) == json_array_size(is);
    if (strcmp(keyword, "not") == 0)
        return !fits(root, is, value);
    if (strcmp(keyword, "if") == 0)
        return fits_condition(root, schema, value);
    CHECK_MSG(strcmp(keyword, "$ref") == 0, "a keyword that is not known: %s", keyword);
    return fits(root, definition(root, json_string_value(is)), value);
}

static bool fits(const json_t *root, const json_t *schema, const json_t *value)
{
    const char *keyword;
    json_t *is;
    if (json_is_boolean(schema))
        return json_is_true(schema);
    json_object_foreach((json_t *)(uintptr_t)schema, keyword,
                        is) if (!fits_keyword(root, schema, keyword, is, value)) return false;
    return true;
}

/* --- Rules that involve several fields --------------------------------------------------- */

/* Members that a document may have: one of each list, where "" stands for none. */
#define MOST_LISTS 3
#define MOST_CHOICES 8

typedef struct rule {
    const char *pattern; /* with a %s for each list */
    const char *lists[MOST_LISTS][MOST_CHOICES];
} rule;

#define TWO "[{\"at\": 0, \"value\": 1}, {\"at\": 1, \"value\": 2}]"
#define MESH "\"mesh\": {\"positions\": [0, 0, 0, 1, 0, 0, 0, 1, 0], \"indices\": [0, 1, 2]}, "

static const rule rules[] = {
    {"%s%s%s",
     {{"", "\"loops\": 1, ", "\"loops\": 1.0, ", "\"loops\": 0, ", "\"loops\": 3, "},
      {"", "\"duration\": 0, ", "\"duration\": 0.005, ", "\"duration\": 0.01, "},
      {"", "\"speed_over_duration\": 2, ", "\"lifetime_over_duration\": " TWO ", ",
       "\"size_over_duration\": {\"interpolation\": \"smooth\", \"keys\": " TWO "}, ",
       "\"speed_over_duration\": [{\"at\": 0, \"value\": 1}], "}}},
    {"%s%s%s",
     {{"", "\"shape\": \"point\", ", "\"shape\": \"cone\", ", "\"shape\": \"mesh\", "},
      {"", MESH},
      {"", "\"surface\": true, "}}},
    {"%s%s%s",
     {{"", "\"shape\": \"cone\", ", "\"shape\": \"disc\", "},
      {"", "\"size\": [1, 0, 0], ", "\"size\": [1, 0, 0.1], "},
      {"", "\"spread\": 1.56, ", "\"spread\": 1.57, ", "\"spread\": 3, "}}},
    {"%s%s%s",
     {{"", "\"mode\": \"classic\", ", "\"mode\": \"exact\", "},
      {"", "\"ignored_layers\": 0, ", "\"ignored_layers\": 2, "},
      {""}}},
    {"\"bursts\": [{%s%s%s\"time\": 0}], ",
     {{"", "\"cycles\": 0, ", "\"cycles\": 1, ", "\"cycles\": 2, "},
      {"", "\"interval\": 0, ", "\"interval\": 0.0005, ", "\"interval\": 0.001, "},
      {"", "\"count\": 0, ", "\"count\": 5, "}}},
    {"\"forces\": [{%s%s%s\"speed\": 0}], ",
     {{"", "\"kind\": \"none\", ", "\"kind\": \"vortex\", ", "\"kind\": \"orbit\", ",
       "\"kind\": \"drag\", ", "\"kind\": \"turbulence\", "},
      {"", "\"strength\": -1, ", "\"strength\": 0, ", "\"strength\": 1, "},
      {""}}},
    {"\"particle_size\": {\"interpolation\": \"%s\", \"keys\": [{%s%s\"at\": 0, \"value\": "
     "1}]}, ",
     {{"linear", "smooth", "cubic", "cubik"},
      {"", "\"slope_in\": 1, "},
      {"", "\"slope_out\": 1, "}}},
    {"\"sub_emitters\": [{\"on\": \"%s\", %s%s\"effect\": \"a\"}], ",
     {{"collision", "death", "birth", "dead"},
      {"", "\"min_impact_speed\": 0, ", "\"min_impact_speed\": 0.5, ",
       "\"min_impact_speed\": 1001, "},
      {"", "\"count\": 2, "}}},
    {"%s%s%s",
     {{"", "\"rolls\": true, ", "\"rolls\": false, "},
      {"", "\"on_collision\": \"bounce\", ", "\"on_collision\": \"slide\", "},
      {""}}},
};

/* Counts the documents that the loader reads. */
static size_t check_document(const json_t *schema, const char *text)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect e;
    json_t *document = json_loads(text, 0, NULL);
    CHECK_MSG(document != NULL, "no JSON: %s", text);
    const bool good = fits(schema, schema, document);
    rico_result result = rio_effect_parse("f", text, strlen(text), &e, error, sizeof error);
    CHECK_MSG(good == (result == RICO_OK), "the schema %s %s: %s",
              good ? "takes" : "does not take", text, error);
    if (result == RICO_OK)
        rio_effect_free(&e);
    json_decref(document);
    return result == RICO_OK;
}

TEST(effects, have_a_schema_that_takes_fields_together_as_the_loader_does)
{
    json_t *schema = json_load_file(TEST_EFFECTS "/effect.schema.json", 0, NULL);
    CHECK(schema != NULL);
    for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r) {
        const rule *of = &rules[r];
        size_t read = 0, all = 0;
        for (size_t n = 0; n < MOST_CHOICES * MOST_CHOICES * MOST_CHOICES; ++n) {
            char members[1200], text[1400];
            const char *a = of->lists[0][n % MOST_CHOICES];
            const char *b = of->lists[1][n / MOST_CHOICES % MOST_CHOICES];
            const char *c = of->lists[2][n / MOST_CHOICES / MOST_CHOICES];
            if (a == NULL || b == NULL || c == NULL)
                continue;
            snprintf(members, sizeof members, of->pattern, a, b, c);
            snprintf(text, sizeof text, "{%s\"format\": \"ricochet effect 1\"}", members);
            read += check_document(schema, text);
            all += 1;
        }
        CHECK_MSG(read > 0 && read < all, "rule %zu: %zu of %zu are read", r, read, all);
    }
    json_decref(schema);
}

TEST(effects, of_the_examples_fit_their_schema)
{
    json_t *schema = json_load_file(TEST_EFFECTS "/effect.schema.json", 0, NULL);
    CHECK(schema != NULL);
    for (size_t i = 0; example_names[i] != NULL; ++i) {
        char path[1024];
        char *text = read_text(example_path(example_names[i], path, sizeof path));
        CHECK_EQ(check_document(schema, text), 1);
        free(text);
    }
    json_decref(schema);
}
