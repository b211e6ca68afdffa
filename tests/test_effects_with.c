/* Files that name effects to be spawned with theirs: what is read, refused and saved. */
#include "effects_set.h"

#define WITH(items) FORMAT_LINE ",\n\"with\": [" items "]}"
#define FULL_ITEM                                                                              \
    "{\"effect\": \"b-2\", \"position\": [0.1, -0.0, 3], \"rotation\": [0, 0.6, 0, 0.8],"      \
    " \"scale\": 0.7}"

static bool same_with(const rio_effect *a, const rio_effect *b)
{
    return a->with_count == b->with_count &&
           memcmp(a->with, b->with, a->with_count * sizeof a->with[0]) == 0;
}

TEST(effects, are_spawned_with_those_that_their_file_names)
{
    rio_effect e = load_text(WITH("{\"effect\": \"a\"}, " FULL_ITEM));
    const rico_transform none = RICO_TRANSFORM_IDENTITY,
                         there = {{0.1f, -0.0f, 3}, {0, 0.6f, 0, 0.8f}, 0.7f};
    CHECK_EQ(e.with_count, 2);
    CHECK(strcmp(e.with[0].effect, "a") == 0 && strcmp(e.with[1].effect, "b-2") == 0);
    CHECK(memcmp(&e.with[0].place, &none, sizeof none) == 0);
    CHECK(memcmp(&e.with[1].place, &there, sizeof there) == 0);
    CHECK(e.with_places[1].line == 2 && e.with_places[1].column == 38);
    rio_effect_free(&e);
    e = load_text(WITH(""));
    CHECK_EQ(e.with_count, 0);
    rio_effect_free(&e);
}

TEST(effects, say_what_is_wrong_with_what_they_are_spawned_with)
{
    static const char *const wrong[][2] = {
        {"1", "f:2:10: with[0]: found 1, expected an object"},
        {"{}", "f:2:10: with[0]: found no \"effect\", expected one"},
        {"{\"effect\": 7}",
         "f:2:21: with[0].effect: found 7, expected the name of a file besi"},
        {"{\"effect\": \"../a\"}", "f:2:21: with[0].effect: found \"../a\", expected the name"},
        {"{\"effect\": \"a\", \"delay\": 1}",
         "f:2:26: with[0].delay: no such field, expected one of effect, position, rotation, "
         "scale"},
        {"{\"effect\": \"a\", \"position\": [0, 1]}",
         "f:2:38: with[0].position: found 2 values, expected [x, y, z]"},
        {"{\"effect\": \"a\", \"position\": [0, 0, 2e6]}",
         "f:2:45: with[0].position[2] is 2e+06, expected -1e+06 to 1e+06"},
        {"{\"effect\": \"a\", \"position\": [0, -1e60, 0]}",
         "f:2:42: with[0].position[1] is -1e+60, expected -1e+06 to 1e+06"},
        {"{\"effect\": \"a\", \"rotation\": [0, 0, 1]}",
         "f:2:38: with[0].rotation: found 3 values, expected [x, y, z, w]"},
        {"{\"effect\": \"a\"}, {\"effect\": \"a\", \"rotation\": [0, 0, 2, 0]}",
         "f:2:55: with[1].rotation has length 2, expected 1"},
        {"{\"effect\": \"a\", \"scale\": 0}",
         "f:2:35: with[0].scale is 0, expected more than 0 and at most 1e+06"},
        {"{\"effect\": \"a\", \"scale\": \"big\"}",
         "f:2:35: with[0].scale: found \"big\", expected a number"},
    };
    char text[600];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        snprintf(text, sizeof text, FORMAT_LINE ",\n\"with\": [%s]}", wrong[i][0]);
        check_refused(text, wrong[i][1]);
    }
    check_refused(FORMAT_LINE ", \"with\": \"a\"}",
                  "f:1:41: with: found \"a\", expected an array of at most 8 effects of other");
    check_refused(FORMAT_LINE ", \"wiht\": []}",
                  "f:1:33: wiht: no such field: did you mean \"with\"?");
#define TWO "{\"effect\": \"a\"}, {\"effect\": \"a\"}"
    check_refused(WITH(TWO ", " TWO ", " TWO ", " TWO ", {\"effect\": \"b\"}"),
                  "f:2:9: with: found 9 values, expected an array of at most 8");
    rio_effect e = load_text(WITH(TWO ", " TWO ", " TWO ", " TWO));
    CHECK_EQ(e.with_count, RIO_MOST_WITH);
    rio_effect_free(&e);
}

static void keep(void *user, rico_log_level level, const char *message)
{
    (void)level;
    snprintf(user, RIO_EFFECT_ERROR_BYTES, "%s", message);
}

static void check_not_text(const rio_effect *e, const char *expected)
{
    char message[RIO_EFFECT_ERROR_BYTES] = "";
    const rico_log log = {keep, message};
    CHECK(rio_effect_text_of(e, &log) == NULL);
    CHECK_MSG(strstr(message, expected) != NULL, "'%s', expected '%s'", message, expected);
}

TEST(effects, are_saved_with_what_they_are_spawned_with)
{
    set s;
    char path[128];
    rio_effect e = load_text(WITH("{\"effect\": \"a\"}, " FULL_ITEM)), again;
    char *text = rio_effect_text_of(&e, NULL);
    CHECK(text != NULL);
    again = load_text(text);
    CHECK_MSG(same_with(&e, &again), "%s", text);
    rio_effect_text_free(text);
    rio_effect_free(&again);
    open_set(&s, "kept", 1);
    write_file(&s, "a", WITH(FULL_ITEM)); /* saving a recipe alone removes nothing */
    path_of(&s, "a", path);
    e.recipe.rate = 7.0f;
    CHECK_EQ(rio_effect_save(path, &e.recipe, NULL, s.error, sizeof s.error), RICO_OK);
    CHECK_EQ(rio_effect_load(path, &again, s.error, sizeof s.error), RICO_OK);
    CHECK(again.recipe.rate == 7.0f && again.with_count == 1 &&
          memcmp(&again.with[0], &e.with[1], sizeof e.with[1]) == 0);
    rio_effect_free(&again);
    close_set(&s);
    e.with[1].place.scale = -1.0f;
    check_not_text(&e, "with[1].place.scale is -1, expected more than 0 and at most 1e+06");
    e.with[1].place = (rico_transform){{0, NAN, 0}, {0, 0, 0, 1}, 1};
    check_not_text(&e, "with[1].place.position.y is ");
    e.with[0].effect[0] = '.';
    check_not_text(&e, "with[0].effect: found \".\", expected 1 to 63 letters");
    e.with_count = RIO_MOST_WITH + 1;
    check_not_text(&e, "with_count is 9, expected at most 8");
    rio_effect_free(&e);
}

/* --- Errors in the files of a set ---------------------------------------------------------- */

static void write_with(set *s, const char *name, const char *first, const char *second)
{
    char text[300];
    snprintf(text, sizeof text, WITH("{\"effect\": \"%s\"},\n{\"effect\": \"%s\"}"), first,
             second);
    write_file(s, name, text);
}

/* Checks the text of the error after the directory's name, and that nothing stays in the world. */
static void check_open(set *s, const char *name, rico_result result, const char *expected)
{
    char path[128], all[RIO_EFFECT_ERROR_BYTES];
    rio_effect_source source;
    const uint32_t room = room_for_recipes(s);
    path_of(s, name, path);
    snprintf(all, sizeof all, "%s/%s", s->directory, expected);
    rico_result found =
        rio_effect_source_open(path, s->world, &source, s->error, sizeof s->error);
    CHECK_MSG(found == result, "%s: %s", rico_result_name(found), s->error);
    CHECK_MSG(strncmp(s->error, all, strlen(all)) == 0, "'%s', expected '%s'", s->error, all);
    CHECK_EQ(room_for_recipes(s), room);
}

TEST(effects, that_cannot_be_spawned_with_others_say_where_those_are_named)
{
    set s;
    open_set(&s, "with", 3);
    write_file(&s, "b", FORMAT_LINE "}");
    write_with(&s, "a", "b", "nosuch");
    check_open(&s, "a", RICO_NOT_FOUND, "a.json:3:12: with[1].effect: found \"nosuch\", but ");
    write_with(&s, "a", "b", "a");
    check_open(&s, "a", RICO_OUT_OF_RANGE,
               "a.json:3:12: with[1].effect: found \"a\", which leads back to this file");
    write_with(&s, "c", "b", "b");
    write_with(&s, "a", "b", "c");
    check_open(
        &s, "a", RICO_OUT_OF_RANGE,
        "a.json:3:12: with[1].effect: found \"c\", which has a \"with\" itself, expected");
    write_chain(&s, "d", "c");
    check_open(&s, "d", RICO_OUT_OF_RANGE,
               "d.json:2:44: sub_emitters[0].effect: found \"c\", which has a \"with\" itself");
    write_chain(&s, "c", "a");
    check_open(&s, "a", RICO_OUT_OF_RANGE,
               "c.json:2:44: sub_emitters[0].effect: found \"a\", which leads back to this");
    write_file(&s, "c", FORMAT_LINE ", \"rate\": -1}");
    check_open(&s, "a", RICO_BAD_FILE, "c.json:1:41: rate is -1, expected 0 to 1e+07");
    write_chain(&s, "c", "e");
    write_file(&s, "e", FORMAT_LINE "}"); /* a, b, c, e */
    check_open(&s, "a", RICO_FULL, "a.json: the world refuses it: it has no room for another");
    close_set(&s);
}

TEST(effects, that_are_spawned_with_others_bear_as_deep_as_those)
{
    set s;
    char path[128];
    rio_effect_source source;
    open_set(&s, "deepwith", 8);
    write_with(&s, "a", "b", "b");
    write_chain(&s, "b", "c");
    write_chain(&s, "c", "d");
    write_chain(&s, "d", "e");
    write_chain(&s, "e", "f");
    write_file(&s, "f", FORMAT_LINE "}");
    path_of(&s, "a", path);
    rico_result result =
        rio_effect_source_open(path, s.world, &source, s.error, sizeof s.error);
    CHECK_MSG(result == RICO_OK, "%s", s.error);
    CHECK_EQ(source.links.count, 5);
    write_chain(&s, "b", "c"); /* followed anew, it is no deeper than before */
    CHECK_EQ(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error),
             RIO_SOURCE_CHANGED);
    write_file(&s, "g", FORMAT_LINE "}");
    write_chain(&s, "f", "g");
    CHECK_EQ(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error),
             RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(s.error, "f.json:2:44: sub_emitters[0].effect: found \"g\", expected "
                              "none: this file is already 4") != NULL,
              "%s", s.error);
    CHECK_EQ(rio_effect_source_close(&source, s.world), RICO_OK);
    check_open(&s, "a", RICO_OUT_OF_RANGE,
               "f.json:2:44: sub_emitters[0].effect: found \"g\", expected none: this file is "
               "already 4");
    close_set(&s);
}
