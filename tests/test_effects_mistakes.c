/* Mistakes that authors of effect files make, and the messages that they get. */
#include "effects_set.h"

#include "nearest_name.h"

/* The message must have these words anywhere. */
static void check_says(const char *text, const char *words)
{
    char found[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect effect;
    CHECK_EQ(rio_effect_parse("f", text, strlen(text), &effect, found, sizeof found),
             RICO_BAD_FILE);
    CHECK_MSG(strstr(found, words) != NULL, "'%s', expected '%s' in it", found, words);
}

TEST(effects, say_what_somebody_did_whose_text_is_no_json)
{
    static const char *const cases[][2] = {
        {"{\n\"rate\": 5, // as rain\n}", "f:2:12: string or '}' expected near '/', expected "
                                          "JSON, which has no comments: use the field "},
        {"{\n\"rate\": 5 # as rain\n}", "f:2:11: '}' expected near '#', expected JSON, which "},
        {"{\n\"rate\": 5,\n}", "f:3:1: string or '}' expected near '}', expected JSON without "
                               "the comma before this"},
        {"{\"size\": [1, 0, 0, ]}",
         "f:1:20: unexpected token near ']', expected JSON without "},
        {"{\"rate\": 5\n \"drag\": 1}", "f:2:7: '}' expected near '\"drag\"', expected JSON "
                                        "with a comma before this"},
        {"{\"rate\": true \"a\\\"b\": 1}", "f:1:20: '}' expected near '\"a\\\"b\"', expected "
                                           "JSON with a comma before this"},
        {"{\"size\": [1 22, 0]}", "f:1:14: ']' expected near '22', expected JSON with a comma"},
        {"{\"forces\": [{} {}]}", "f:1:16: ']' expected near '{', expected JSON with a comma"},
        {"{'rate': 5}",
         "f:1:2: string or '}' expected near ''', expected JSON, which has double "},
        {"{\"surface\": True}", "f:1:16: invalid token near 'True', expected JSON, which has "
                                "true with a small letter"},
        {"{\"rate\": .5}", "f:1:10: invalid token near '.', expected JSON, which has digits "},
        {"{\"rate\": 5.}", "f:1:11: invalid token near '5.', expected JSON, which has digits "},
        {"{\"rate\": +5}", "f:1:10: invalid token near '+', expected JSON, which has no + "},
        {"{\"rate\": 05}", "f:1:10: invalid token near '0', expected JSON, which has no 0 "},
        {"{\"rate\": NaN}", "f:1:12: invalid token near 'NaN', expected JSON, which has no "},
        {"{\"rate\": 5.0f}",
         "f:1:13: '}' expected near 'f', expected JSON, which has no letter"},
        {"{\"drag\": 0,5, \"rate\": 1}", "f:1:12: string or '}' expected near '5', expected "
                                         "JSON, which has a point in numbers, not a comma"},
        {"{rate: 5}",
         "f:1:5: string or '}' expected near 'rate', expected JSON, which has names "
         "in double quotes"},
        {"{\xe2\x80\x9crate\xe2\x80\x9d: 5}",
         "expected JSON, which has straight double quotes"},
        {"\xff\xfe{", "f:1:1: unable to decode byte 0xff, expected JSON in UTF-8, not in UTF"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_says(cases[i][0], cases[i][1]);
}

TEST(effects, say_no_more_of_other_texts_than_the_reader_does)
{
    check_refused_as("{} {}", "f:1:4: end of file expected near '{', expected JSON");
    check_refused_as("{\"rate\" 5}", "f:1:9: ':' expected near '5', expected JSON");
    check_refused_as("{\"rate\": 5", "f:1:10: '}' expected near end of file, expected JSON");
    check_refused_as("{\"rate\": 10, 5}",
                     "f:1:14: string or '}' expected near '5', expected JSON");
    check_refused_as("{\"rate\": nil}", "f:1:12: invalid token near 'nil', expected JSON");
    check_refused_as("", "f:1:1: '[' or '{' expected near end of file, expected JSON");
}

TEST(effects, are_told_of_fields_that_other_engines_have_by_longer_names)
{
    static const char *const names[][2] = {
        {"startLifetime", "lifetime"},  {"startSpeed", "speed"},
        {"spawnRate", "rate"},          {"RATE", "rate"},
        {"rotation", "start_rotation"}, {"Gravity", "gravity"},
        {"gravityModifier", "gravity"}, {"colorOverTime", "color"},
        {"alpha", "alpha_over_life"},   {"maxParticles", "max_particles"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char text[200], expected[200];
        snprintf(text, sizeof text, FORMAT_LINE ",\n\"%s\": 2}", names[i][0]);
        snprintf(expected, sizeof expected, "f:2:1: %s: no such field: did you mean \"%s\"?",
                 names[i][0], names[i][1]);
        check_refused(text, expected);
    }
    check_refused_as(FORMAT_LINE ",\n\"at\": 1}", "f:2:1: at: no such field");
    check_refused("{\"fromat\": \"ricochet effect 1\"}",
                  "f:1:2: fromat: no such field: did you mean \"format\"?");
}

TEST(effects, are_told_what_other_engines_names_are_called_here)
{
    static const char *const cases[][2] = {
        {"\"bounciness\": 0.5",
         "f:2:1: bounciness: no such field: did you mean \"restitution\"?"},
        {"\"start_velocity\": 5", "did you mean \"speed\"?"},
        {"\"Velocity\": 5", "f:2:1: Velocity: no such field: did you mean \"speed\"?"},
        {"\"blendMode\": \"add\"",
         "f:2:1: blendMode: no such field: what the renderer wants to "
         "know goes into the object \"host\""},
        {"\"name\": \"fire\"", "name: no such field: did you mean \"comment\"?"},
        {"\"sub_emitters\": [{\"name\": \"a\"}]", "did you mean \"effect\"?"},
        {"\"sub_emitters\": [{\"on\": \"hit\"}]", "did you mean \"collision\"?"},
        {"\"forces\": [{\"type\": \"drag\"}]", "did you mean \"kind\"?"},
        {"\"particle_size\": [{\"time\": 0, \"value\": 1}]", "did you mean \"at\"?"},
        {"\"shape\": \"circle\"", "did you mean \"disc\"?"},
        {"\"on_collision\": \"kill\"", "did you mean \"die\"?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[200];
        snprintf(text, sizeof text, FORMAT_LINE ",\n%s}", cases[i][0]);
        check_says(text, cases[i][1]);
    }
    check_refused_as(FORMAT_LINE ",\n\"type\": 1}", "f:2:1: type: no such field");
}

TEST(effects, name_the_place_of_fields_that_are_written_with_escapes)
{
    check_refused(FORMAT_LINE ",\n \"r\\u00e4te\": 2}", "f:2:2: r\xc3\xa4te: no such field");
    check_refused(FORMAT_LINE ",\n \"\\ud83c\\udf27\": 2}",
                  "f:2:2: \xf0\x9f\x8c\xa7: no such field");
    check_refused(FORMAT_LINE ",\n \"\\u20AC\\b\\f\\n\\r\\t\": 2}", "f:2:2: \xe2\x82\xac");
    check_refused(FORMAT_LINE ",\n \"r\\u0061te\": -2}", "f:2:15: rate is -2");
    check_refused(FORMAT_LINE ",\n \"\\u0072\\u0061te\": -2}", "f:2:20: rate is -2");
}

TEST(effects, have_no_forces_of_no_kind_and_no_bursts_of_no_count_by_oversight)
{
    check_refused(FORMAT_LINE ",\n\"forces\": [{\"strength\": 3}]}",
                  "f:2:12: forces[0]: found no \"kind\", expected one");
    check_refused(FORMAT_LINE ",\n\"bursts\": [{\"time\": 1}]}",
                  "f:2:12: bursts[0]: found no \"count\", expected one");
    check_refused(FORMAT_LINE ",\n\"forces\": [{\"kind_\": \"drag\"}]}",
                  "f:2:13: forces[0].kind_: no such field"); /* first */
    rio_effect e =
        load_text(FORMAT_LINE ", \"forces\": [{\"kind\": \"none\", \"strength\": 3}],"
                              " \"bursts\": [{\"count\": 0, \"time\": 1}]}");
    CHECK(e.recipe.forces[0].kind == RICO_FORCE_NONE && e.recipe.bursts[0].count == 0);
    rio_effect_free(&e);
}

TEST(effects, say_which_fields_have_names_and_which_these_are)
{
    static const char *const fields[] = {"mode", "shape", "on_collision", "hidden", "space"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        char text[200], expected[200];
        snprintf(text, sizeof text, FORMAT_LINE ",\n\"%s\": \"xylophone\"}", fields[i]);
        snprintf(expected, sizeof expected,
                 "f:2:%zu: %s: found \"xylophone\", expected one of ", strlen(fields[i]) + 5,
                 fields[i]);
        check_refused(text, expected);
    }
    check_refused(FORMAT_LINE ",\n\"shape\": \"mesh\", \"mesh\": {\"positions\": [0, 0, 0],\n"
                              " \"indices\": []}}",
                  "f:3:13: mesh.indices: found 0 values, expected three indices of each");
}

TEST(effects, list_the_names_that_there_is_room_for)
{
    static const char *const names[] = {"alpha", "beta"};
    char text[24];
    for (size_t bytes = 1; bytes < sizeof text; ++bytes) {
        memset(text, '#', sizeof text);
        CHECK(rio_list_names(names, 2, text, bytes) == text);
        CHECK(strlen(text) < bytes);
        for (size_t i = bytes; i < sizeof text; ++i)
            CHECK_EQ(text[i], '#');
        CHECK(bytes < 19 || strcmp(text, "one of alpha, beta") == 0);
        CHECK(bytes > 18 || strncmp(text, "one of 2 names", bytes - 1) == 0);
    }
}

TEST(effects, say_what_lists_and_meshes_are_to_have)
{
    check_refused(FORMAT_LINE ",\n\"events\": 5}",
                  "f:2:11: events: found 5, expected an array of event names");
    check_refused(FORMAT_LINE ",\n\"mesh\": {\"indicse\": []}}",
                  "f:2:10: mesh.indicse: no such field, expected one of positions, indices: "
                  "did you mean \"indices\"?");
}

TEST(effects, say_which_numbers_are_not_what_they_were_taken_for)
{
    check_refused(FORMAT_LINE ",\n\"spread\": 30}",
                  "f:2:11: spread is 30, expected 0 to 3.14159 radians");
    check_refused(FORMAT_LINE ",\n\"kill_above\": 2, \"kill_below\": 5}",
                  "f:2:32: kill_below is 5, expected less than kill_above, which is 2");
}

/* The parser's numbers are 64-bit integers and doubles, and its errors name no field. */
TEST(effects, with_numbers_beyond_64_bits_are_told_the_range_of_the_field)
{
    static const char *const cases[][2] = {
        {"\"rate\": 1e400}", "f:2:9: rate is 1e400, expected 0 to 1e+07"},
        {"\"rate\": -1e309 , \"drag\": 1}", "f:2:9: rate is -1e309, expected 0 to 1e+07"},
        {"\"max_particles\": 18446744073709551616}",
         "f:2:18: max_particles is 18446744073709551616, expected 1 to 16777216"},
        {"\"loops\": -99999999999999999999999999999999}",
         "f:2:10: loops is -99999999999999999999999..., expected 0 to 4294967295"},
        {"\"gravity\": [0,\n \t99999999999999999999, 1E+999]}",
         "f:3:3: gravity[1] is 99999999999999999999, expected -1000 to 1000"},
        {"\"comment\": \"\xc3\xa4 1e400\", \"bursts\": [{\"count\": 1e400, \"time\": 1e-400}]}",
         "f:2:45: bursts[0].count is 1e400, expected "},
        {"\"rate\": 1e400, \"drag\": 1e400}", "f:2:9: rate is 1e400, expected 0 to"},
        {"\"loops\": 5000000000, \"ignored_layers\": 6000000000}",
         "f:2:10: loops is 5000000000"},
        {"\"mode\": 1e400}", "f:2:9: mode: found a large number, expected a name such as"},
        {"\"nonsense\": 1e400}", "f:2:1: nonsense: no such field"},
        {"\"host\": {\"seed\": 18446744073709551616}}",
         "f:2:9: host: has a number that is too large, expected 64 bits"},
        {"\"rate\": 1e400, \"host\": {\"seed\": 1}}", "f:2:9: rate is 1e400, expected 0 to"},
        {"\"rate\": 1e400,}", "f:2:15: string or '}' expected near '}', expected JSON"},
        {"\"with\": [{\"effect\": \"a\", \"position\": [0, 0, 1e999]}]}",
         "f:2:45: with[0].position[2] is 1e999, expected -1e+06 to 1e+06"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[256];
        snprintf(text, sizeof text, "%s,\n%s", FORMAT_LINE, cases[i][0]);
        check_refused(text, cases[i][1]);
    }
}

static rico_result open_of(set *s, const char *name)
{
    char path[128];
    rio_effect_source source;
    path_of(s, name, path);
    return rio_effect_source_open(path, s->world, &source, s->error, sizeof s->error);
}

TEST(effects, that_name_a_file_that_is_nearly_there_are_told_which)
{
    set s;
    open_set(&s, "near", 8);
    write_file(&s, "smoke", FORMAT_LINE "}");
    write_file(&s, "fire", FORMAT_LINE ",\n\"with\": [{\"effect\": \"smoek\"}]}");
    write_file(&s, "water", FORMAT_LINE ",\n\"with\": [{\"effect\": \"xylophone\"}]}");
    CHECK_EQ(open_of(&s, "fire"), RICO_NOT_FOUND);
    CHECK_MSG(strstr(s.error, "fire.json:2:21: with[0].effect: found \"smoek\", but ") != NULL,
              "%s", s.error);
    CHECK_MSG(strstr(s.error, ", expected an effect file: did you mean \"smoke.json\"?") !=
                  NULL,
              "%s", s.error);
    CHECK_EQ(open_of(&s, "water"), RICO_NOT_FOUND);
    CHECK_MSG(strstr(s.error, "did you mean") == NULL, "%s", s.error);
    CHECK_EQ(open_of(&s, "fier"), RICO_NOT_FOUND);
    CHECK_MSG(strstr(s.error, ": did you mean \"fire.json\"?") != NULL, "%s", s.error);
    close_set(&s);
}
