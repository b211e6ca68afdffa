/* Effect files on disk: what saving replaces, and which paths are refused. */
#include "effects_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* Owner: the test. An empty directory, with paths in it. */
typedef struct place {
    char directory[64], path[128], other[128], error[RIO_EFFECT_ERROR_BYTES];
    rico_recipe recipe;
} place;

static void open_place(place *p, const char *name)
{
    memset(p, 0, sizeof *p);
    snprintf(p->directory, sizeof p->directory, "effects_%s_%ld", name, (long)getpid());
    CHECK(mkdir(p->directory, 0777) == 0);
    snprintf(p->path, sizeof p->path, "%s/a.json", p->directory);
    snprintf(p->other, sizeof p->other, "%s/b.json", p->directory);
    p->recipe = rico_recipe_default();
    p->recipe.rate = 7.0f;
}

/* Also checks that nothing else was left in the directory. */
static void close_place(place *p)
{
    unlink(p->path);
    unlink(p->other);
    CHECK_MSG(rmdir(p->directory) == 0, "files are left in %s", p->directory);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0);
    fclose(file);
}

static rico_result save(place *p)
{
    p->error[0] = '\0';
    return rio_effect_save(p->path, &p->recipe, NULL, p->error, sizeof p->error);
}

static void check_saved(place *p, const char *path)
{
    rio_effect e;
    rico_result result = rio_effect_load(path, &e, p->error, sizeof p->error);
    CHECK_MSG(result == RICO_OK, "%s", p->error);
    CHECK(e.recipe.rate == 7.0f);
    rio_effect_free(&e);
}

#if !defined(                                                                                  \
    _WIN32) /* which has no such links, pipes and modes; test_effects_paths.c has its own */

static mode_t mode_of(const char *path)
{
    struct stat info;
    CHECK(lstat(path, &info) == 0);
    return info.st_mode;
}

TEST(effects, that_are_saved_through_a_link_leave_the_link)
{
    place p;
    open_place(&p, "link");
    write_text(p.other, "old");
    CHECK(symlink("b.json", p.path) == 0);
    CHECK_MSG(save(&p) == RICO_OK, "%s", p.error);
    CHECK(S_ISLNK(mode_of(p.path)) && S_ISREG(mode_of(p.other)));
    check_saved(&p, p.other);
    unlink(p.other);
    CHECK_EQ(save(&p), RICO_NOT_WRITTEN); /* a link to nothing */
    CHECK_MSG(strncmp(p.error, p.path, strlen(p.path)) == 0 && strstr(p.error, "link") != NULL,
              "%s", p.error);
    CHECK(S_ISLNK(mode_of(p.path)));
    close_place(&p);
}

TEST(effects, are_not_saved_onto_what_is_no_regular_file)
{
    place p;
    open_place(&p, "pipe");
    CHECK(mkfifo(p.path, 0600) == 0);
    CHECK_EQ(save(&p), RICO_NOT_WRITTEN);
    CHECK_MSG(strstr(p.error, "a.json: cannot be written: it is not a regular file") != NULL,
              "%s", p.error);
    CHECK(S_ISFIFO(mode_of(p.path)));
    unlink(p.path);
    CHECK(mkdir(p.path, 0777) == 0);
    CHECK_EQ(save(&p), RICO_NOT_WRITTEN);
    CHECK_MSG(strstr(p.error, "it is a directory") != NULL, "%s", p.error);
    CHECK(rmdir(p.path) == 0);
    close_place(&p);
}

TEST(effects, that_are_saved_keep_the_mode_of_the_file_or_have_the_usual_one)
{
    place p;
    open_place(&p, "mode");
    CHECK_MSG(save(&p) == RICO_OK, "%s", p.error);
    write_text(p.other, "old");
    CHECK_EQ(mode_of(p.path), mode_of(p.other));
    CHECK(chmod(p.path, 0640) == 0);
    CHECK_MSG(save(&p) == RICO_OK, "%s", p.error);
    CHECK_EQ(mode_of(p.path) & 07777, 0640);
    check_saved(&p, p.path);
    close_place(&p);
}

#endif

static void check_schema(place *p, const char *schema)
{
    rio_effect e;
    CHECK_MSG(save(p) == RICO_OK, "%s", p->error);
    CHECK_EQ(rio_effect_load(p->path, &e, NULL, 0), RICO_OK);
    CHECK_MSG(strcmp(e.schema, schema) == 0, "'%s', expected '%s'", e.schema, schema);
    rio_effect_free(&e);
}

TEST(effects, that_are_saved_keep_the_schema_of_the_file)
{
    place p;
    char text[RIO_EFFECT_SCHEMA_BYTES + 200];
    open_place(&p, "schema");
    check_schema(&p, "effect.schema.json");
    write_text(p.path, FORMAT_LINE ", \"$schema\": \"../\\u00e9\\\".json\"}");
    check_schema(&p, "../\xc3\xa9\".json");
    check_schema(&p, "../\xc3\xa9\".json");
    write_text(p.path, FORMAT_LINE "}");
    check_schema(&p, "effect.schema.json");
    snprintf(text, sizeof text, FORMAT_LINE ", \"$schema\": \"%0*d\"}", RIO_EFFECT_SCHEMA_BYTES,
             0);
    write_text(p.path, text);
    check_schema(&p, "effect.schema.json");
    close_place(&p);
}

TEST(effects, that_were_loaded_have_a_text_with_all_that_they_had)
{
    rio_effect e =
        load_text(FORMAT_LINE ", \"$schema\": \"a/b.json\", \"comment\": \"so\","
                              "\"sub_emitters\": [{\"on\": \"birth\", \"effect\": \"c\"}]}");
    char *text = rio_effect_text_of(&e, NULL);
    CHECK(text != NULL);
    rio_effect again = load_text(text);
    CHECK(first_difference(&e.recipe, &again.recipe) == NULL);
    CHECK(strcmp(again.schema, "a/b.json") == 0 && strcmp(again.comment, "so") == 0);
    CHECK(strcmp(again.subs.items[0], "c") == 0);
    memcpy(e.schema, "\xe9", 2);
    CHECK(rio_effect_text_of(&e, NULL) == NULL);
    rio_effect_free(&e);
    rio_effect_free(&again);
    rio_effect_text_free(text);
}

/* A host object with characters that a careless scan would misread. */
#define HOST                                                                                   \
    "{\"texture\": \"a } \\\" b.png\",\n\t\"sizes\": [0.1, 12345678901234567 , {}], "          \
    "\"\\u00e9\": null }"

TEST(effects, keep_what_is_the_hosts_as_the_file_has_it)
{
    place p;
    rio_effect e =
        load_text(FORMAT_LINE ", \"comment\": \"\\\"host\\\": {}\", \"h\\u006fst\" :\n" HOST
                              " , \"rate\": 7}");
    CHECK_MSG(strcmp(e.host, HOST) == 0, "'%s'", e.host);
    char *text = rio_effect_text_of(&e, NULL);
    rio_effect again = load_text(text);
    CHECK_MSG(strcmp(again.host, HOST) == 0, "'%s'", again.host);
    CHECK_EQ(again.recipe.rate, 7.0f);
    open_place(&p, "host");
    write_text(p.path, text);
    p.recipe.rate = 8.0f;
    CHECK_MSG(save(&p) == RICO_OK, "%s", p.error);
    rio_effect_free(&again);
    CHECK_EQ(rio_effect_load(p.path, &again, NULL, 0), RICO_OK);
    CHECK(again.recipe.rate == 8.0f && strcmp(again.host, HOST) == 0);
    rio_effect_free(&e);
    CHECK(e.host == NULL);
    rio_effect_free(&again);
    rio_effect_text_free(text);
    close_place(&p);
}

static void keep_message(void *user, rico_log_level level, const char *message)
{
    (void)level;
    snprintf(user, RIO_EFFECT_ERROR_BYTES, "%s", message);
}

TEST(effects, refuse_a_host_that_is_no_object)
{
    check_refused(FORMAT_LINE ", \"host\": [1]}",
                  "f:1:41: host: found an array, expected an object");
    check_refused(FORMAT_LINE ", \"hosts\": {}}",
                  "f:1:33: hosts: no such field: did you mean \"host\"?");
    rio_effect e = load_text(FORMAT_LINE "}");
    CHECK(e.host == NULL);
    static const char *const wrong[][2] = {{"[]", "host: found an array, expected a JSON"},
                                           {"{\"a\": }", "host: found unexpected token"},
                                           {"{\"a\": 1, \"a\": 2}", "host: found duplicate"},
                                           {"{}}", "host: found end of file expected"},
                                           {"{\"a\": \"\xe9\"}", "host: found unable to dec"},
                                           {"", "host: found '[' or '{' expected"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char message[RIO_EFFECT_ERROR_BYTES] = "", host[40];
        const rico_log log = {keep_message, message};
        snprintf(host, sizeof host, "%s", wrong[i][0]);
        e.host = host;
        CHECK(rio_effect_text_of(&e, &log) == NULL);
        CHECK_MSG(strstr(message, wrong[i][1]) != NULL, "%s", message);
    }
    e.host = NULL;
    rio_effect_free(&e);
}

static void *save_often(void *user)
{
    place *p = user;
    for (int i = 0; i < 40; ++i)
        if (rio_effect_save(p->path, &p->recipe, NULL, p->error, sizeof p->error) != RICO_OK)
            return p;
    return NULL;
}

TEST(effects, may_be_saved_to_one_file_by_several_threads)
{
    place p, copies[3];
    pthread_t threads[3];
    open_place(&p, "threads");
    for (int i = 0; i < 3; ++i) {
        copies[i] = p;
        CHECK(pthread_create(&threads[i], NULL, save_often, &copies[i]) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        void *failed;
        CHECK(pthread_join(threads[i], &failed) == 0);
        CHECK_MSG(failed == NULL, "%s", copies[i].error);
    }
    check_saved(&p, p.path);
    close_place(&p);
}

TEST(effects, are_told_only_what_they_may_have_meant)
{
    check_refused_as(FORMAT_LINE ",\n\"xylophone\": 2}", "f:2:1: xylophone: no such field");
    check_refused(FORMAT_LINE ",\n\"rtae\": 2}",
                  "f:2:1: rtae: no such field: did you mean \"rate\"?");
    check_refused_as(FORMAT_LINE ",\n\"mode\": \"sometimes\"}",
                     "f:2:9: mode: found \"sometimes\", expected one of none, fixed, cached, "
                     "classic, exact");
    check_refused(FORMAT_LINE ",\n\"mode\": \"fxied\"}",
                  "f:2:9: mode: found \"fxied\", expected one of none, fixed, cached, "
                  "classic, exact: did you mean \"fixed\"?");
}

static void keep(void *user, rico_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 300, "%s", text);
}

static void check_comment_refused(place *p, const char *comment, const char *why)
{
    char message[300] = "";
    rico_log log = {keep, message};
    CHECK(rio_effect_text(&p->recipe, comment, &log) == NULL);
    CHECK_MSG(strstr(message, why) != NULL, "'%s', expected '%s'", message, why);
    CHECK_EQ(rio_effect_save(p->path, &p->recipe, comment, p->error, sizeof p->error),
             RICO_BAD_FILE);
    CHECK_MSG(strstr(p->error, why) != NULL, "'%s', expected '%s'", p->error, why);
    CHECK(access(p->path, F_OK) != 0);
}

TEST(effects, that_are_not_written_are_told_of_on_standard_error_without_a_log)
{
    const rico_log none = {NULL, NULL};
    rico_recipe r = rico_recipe_default();
    char text[512];
    int ends[2], kept = dup(2);
    CHECK(kept >= 0 && pipe(ends) == 0 && dup2(ends[1], 2) >= 0);
    close(ends[1]);
    r.rate = -1.0f;
    bool written = rio_effect_text(&r, NULL, NULL) != NULL;
    r.rate = 1.0f;
    written = rio_effect_text(&r, "\xff", &none) != NULL || written;
    fflush(stderr);
    CHECK(dup2(kept, 2) >= 0);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    close(kept);
    close(ends[0]);
    CHECK(!written);
    const char *expected =
        "ricochet: rico_recipe_check: recipe.rate is -1, expected 0 to 1e+07\n"
        "ricochet: rio_effect_text: comment: expected UTF-8\n";
    CHECK_MSG(strcmp(text, expected) == 0, "'%s'", text);
}

TEST(effects, with_a_comment_that_could_not_be_loaded_are_not_written)
{
    place p;
    char comment[RIO_EFFECT_COMMENT_BYTES + 4] = "";
    open_place(&p, "comment");
    for (uint32_t i = 0; i <= RIO_EFFECT_COMMENT_CHARACTERS; ++i)
        memcpy(comment + 4 * i, "\xf0\x9f\x8c\xa7", 4); /* the character "rain" */
    check_comment_refused(&p, comment, "comment: found 1024 characters, expected at most 1023");
    comment[RIO_EFFECT_COMMENT_BYTES - 1] = '\0';
    char *text = rio_effect_text(&p.recipe, comment, NULL);
    rio_effect e = load_text(text);
    CHECK(strcmp(e.comment, comment) == 0);
    rio_effect_free(&e);
    rio_effect_text_free(text);
    check_comment_refused(&p, "caf\xe9", "comment: expected UTF-8");
    check_comment_refused(&p, "\xc0\x80", "comment: expected UTF-8");
    close_place(&p);
}

TEST(effects, whose_sub_emitters_have_names_that_could_not_be_loaded_are_not_written)
{
    static const char *const names[] = {"../bad", "", "a.json", "a b", "a\"b"};
    char message[300];
    rico_log log = {keep, message};
    rio_sub_names subs = {{"good", "good"}};
    rico_recipe r = rico_recipe_default();
    for (int k = 0; k < 2; ++k) {
        r.sub_emitters[k].on = RICO_EVENT_BIT_DEATH;
        r.sub_emitters[k].count = 1;
        r.sub_emitters[k].probability = 1.0f;
    }
    char *text = rio_effect_text_with(&r, &subs, NULL, NULL);
    CHECK(text != NULL);
    rio_effect_text_free(text);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(subs.items[1], sizeof subs.items[1], "%s", names[i]);
        CHECK(rio_effect_text_with(&r, &subs, NULL, &log) == NULL);
        CHECK_MSG(strstr(message, "sub_emitters[1].effect: found \"") != NULL, "%s", message);
    }
    memset(subs.items[1], 'a', sizeof subs.items[1]); /* no zero byte at the end */
    CHECK(rio_effect_text_with(&r, &subs, NULL, &log) == NULL);
    r.sub_emitters[1].on = 0; /* names of entries that are not saved do not matter */
    text = rio_effect_text_with(&r, &subs, NULL, NULL);
    CHECK(text != NULL);
    rio_effect_text_free(text);
}

#if !defined(_WIN32)
/* If loading waited for a pipe, this test would not end. */
TEST(effects, are_not_loaded_from_what_is_no_regular_file)
{
    place p;
    rio_effect e;
    open_place(&p, "fifo");
    CHECK(mkfifo(p.path, 0600) == 0);
    CHECK_EQ(rio_effect_load(p.path, &e, p.error, sizeof p.error), RICO_NOT_FOUND);
    CHECK_MSG(strstr(p.error, "a.json: not a regular file, expected an effect") != NULL, "%s",
              p.error);
    close_place(&p);
}
#endif

TEST(effects, that_are_no_file_and_no_effect_are_refused_and_ignored)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect e;
    rio_effect_free(NULL);
    CHECK_EQ(rio_effect_load(NULL, &e, error, sizeof error), RICO_NOT_FOUND);
    CHECK_MSG(strstr(error, "expected an effect file") != NULL, "'%s'", error);
    CHECK(e.recipe.cookie == 0);
}

TEST(effects, tell_their_errors_to_who_wants_them_only)
{
    static const char bad[] = "{\"format\": \"ricochet effect 1\", \"rate\": -1}";
    rio_effect e;
    char *exact = malloc(3); /* of exact size, so that a sanitizer sees writes beyond it */
    CHECK(exact != NULL);
    for (size_t bytes = 0; bytes <= 3; ++bytes) {
        memset(exact, 'x', 3);
        CHECK_EQ(rio_effect_parse("f", bad, strlen(bad), &e, exact, bytes), RICO_BAD_FILE);
        CHECK(bytes == 0 ? exact[0] == 'x' : exact[bytes - 1] == '\0');
        CHECK_EQ(rio_effect_load("nowhere.json", &e, exact, bytes), RICO_NOT_FOUND);
        CHECK(bytes == 0 ? exact[0] == 'x' : exact[bytes - 1] == '\0');
    }
    CHECK_EQ(rio_effect_parse("f", bad, strlen(bad), &e, NULL, 0), RICO_BAD_FILE);
    CHECK_EQ(rio_effect_parse("f", bad, strlen(bad), &e, NULL, 9), RICO_BAD_FILE);
    CHECK_EQ(rio_effect_load("nowhere.json", &e, NULL, 9), RICO_NOT_FOUND);
    free(exact);
}

TEST(effects, are_not_saved_to_no_path)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rico_recipe r = rico_recipe_default();
    CHECK_EQ(rio_effect_save(NULL, &r, NULL, error, sizeof error), RICO_NOT_WRITTEN);
    CHECK_MSG(strstr(error, "no path") != NULL, "'%s'", error);
    CHECK_EQ(rio_effect_save("no/such/place.json", &r, NULL, NULL, 9), RICO_NOT_WRITTEN);
    r.rate = -1.0f;
    CHECK_EQ(rio_effect_save(NULL, &r, NULL, NULL, 0), RICO_NOT_WRITTEN);
    CHECK_EQ(rio_effect_save("never.json", &r, NULL, NULL, 0), RICO_BAD_FILE);
}

TEST(effects, with_a_mesh_that_has_no_area_are_not_written)
{
    static const float line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0},
                       corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t indices[3] = {0, 1, 2};
    char message[300] = "";
    rico_log log = {keep, message};
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_MESH;
    r.mesh = (rico_emitter_mesh){line, 3, indices, 1};
    CHECK(rio_effect_text(&r, NULL, &log) == NULL);
    CHECK_MSG(strstr(message, "recipe.mesh: found no triangle with an area among 1") != NULL,
              "'%s'", message);
    r.mesh.positions = corner;
    char *text = rio_effect_text(&r, NULL, NULL);
    CHECK(text != NULL);
    rio_effect_text_free(text);
}

/* The losses that effect_file.h documents. */
TEST(effects, that_are_saved_lose_what_is_not_in_use)
{
    rico_recipe r = rico_recipe_default();
    rio_sub_names subs = {{"", "b"}};
    r.sub_emitters[1] = (rico_sub_emitter){.on = 2, .count = 3, .probability = 1.0f};
    r.forces[0].strength = 5.0f;
    r.forces[1].kind = RICO_FORCE_VORTEX;
    r.bursts[0].time = 2.0f;
    r.bursts[1] = (rico_burst){.count = 4, .cycles = 1, .probability = 1.0f};
    r.particle_size.slope_in[0] = 3.0f;
    r.planes[0].offset = 4.0f;
    char *text = rio_effect_text_with(&r, &subs, NULL, NULL);
    rio_effect e = load_text(text);
    CHECK(e.recipe.sub_emitters[0].count == 3 && e.recipe.sub_emitters[1].on == 0);
    CHECK(strcmp(e.subs.items[0], "b") == 0 && e.subs.items[1][0] == '\0');
    e.recipe.sub_emitters[1] = e.recipe.sub_emitters[0];
    e.recipe.sub_emitters[0] = r.sub_emitters[0];
    CHECK(first_difference(&r, &e.recipe) == NULL);
    CHECK(e.recipe.forces[0].strength == 0.0f && e.recipe.bursts[0].time == 0.0f);
    CHECK(e.recipe.particle_size.slope_in[0] == 0.0f && e.recipe.planes[0].offset == 0.0f);
    rio_effect_free(&e);
    rio_effect_text_free(text);
}

TEST(effects, with_numbers_beyond_a_float_are_told_the_range_of_the_field)
{
    check_refused(FORMAT_LINE ", \"spread\": -1e39}",
                  "f:1:43: spread is -1e+39, expected 0 to 3.14159");
    check_refused(FORMAT_LINE ", \"lifetime\": [1e39, 2]}",
                  "f:1:46: lifetime[0] is 1e+39, expected 0.01 to 1000");
    check_refused(FORMAT_LINE ", \"gravity\": [0, 1e300, 0]}",
                  "f:1:48: gravity[1] is 1e+300, expected -1000 to 1000");
    check_refused(FORMAT_LINE ", \"color\": [0, 0, 1e39, 1]}",
                  "f:1:49: color[2] is 1e+39, expected 0");
    check_refused(FORMAT_LINE ", \"drag_over_life\": [{\"at\": 1e39, \"value\": 0}]}",
                  "f:1:59: drag_over_life[0].at is 1e+39, expected 0 to 1");
    check_refused(FORMAT_LINE ", \"bursts\": [{\"time\": -1e39, \"count\": 0}]}",
                  "f:1:53: bursts[0].time is -1e+39, expected 0 to 1e+06");
    check_refused(FORMAT_LINE ", \"forces\": [{\"reach\": 1e39, \"kind\": \"none\"}]}",
                  "f:1:54: forces[0].reach is 1e+39, expected 0 to 1e+06");
    check_refused(FORMAT_LINE ", \"planes\": [{\"normal\": [0, 0, 1], \"offset\": 1e39}]}",
                  "f:1:76: planes[0].offset is 1e+39, expected -1e+06 to 1e+06");
    check_refused(FORMAT_LINE ", \"rate\": 1e39, \"drag\": -1}", "f:1:");
}

/* 39 letters, then characters of 2, 3 and 4 bytes. */
#define LONG "abcdefghijklmnopqrstuvwxyzabcdefghijklm"

TEST(effects, are_quoted_in_whole_characters)
{
    static const char *const tails[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xa7"};
    for (size_t i = 0; i < 3; ++i) {
        char text[300], error[RIO_EFFECT_ERROR_BYTES];
        rio_effect e;
        snprintf(text, sizeof text, FORMAT_LINE ", \"mode\": \"" LONG "%s\"}", tails[i]);
        check_refused(text, "f:1:41: mode: found \"" LONG "\", expected one of");
        snprintf(text, sizeof text, FORMAT_LINE ", \"rate\": \"" LONG "%s\"}", tails[i]);
        check_refused(text, "f:1:41: rate: found \"" LONG "\", expected a number");
        snprintf(text, sizeof text, FORMAT_LINE ", \"012345678901234567890123" LONG "%s\": 1}",
                 tails[i]);
        check_refused(text, "f:1:33: 012345678901234567890123" LONG ": no such field");
        const size_t bytes = strlen(tails[i]), begin = strlen("f:1:33: ");
        snprintf(text, sizeof text, FORMAT_LINE ", \"%s\": 1}", tails[i]);
        for (size_t n = 1; n <= bytes + 1; ++n) { /* a buffer that cuts it */
            rio_effect_parse("f", text, strlen(text), &e, error, begin + n);
            CHECK_EQ(strlen(error), begin + (n > bytes ? bytes : 0));
        }
    }
}

/* A file is read in pieces, the first of 4 KiB. */
TEST(effects, may_have_files_of_any_length)
{
    static const size_t lengths[] = {4095, 4096, 4097, 8192, 100000};
    char path[64], error[RIO_EFFECT_ERROR_BYTES];
    const char *end = ",\n\"rate\": 7}";
    snprintf(path, sizeof path, "effect_length_%ld.json", (long)getpid());
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        rio_effect e;
        FILE *file = fopen(path, "wb");
        CHECK(file != NULL);
        fprintf(file, "%s%*s", FORMAT_LINE, (int)(lengths[i] - strlen(FORMAT_LINE)), end);
        CHECK_EQ(ftell(file), (long)lengths[i]);
        fclose(file);
        CHECK_MSG(rio_effect_load(path, &e, error, sizeof error) == RICO_OK, "%s", error);
        CHECK(e.recipe.rate == 7.0f);
        rio_effect_free(&e);
    }
    CHECK_EQ(remove(path), 0);
}
