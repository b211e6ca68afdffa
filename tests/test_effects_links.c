/* Effect files that name others: what is wrong with a set of them is said of the file that has it. */
#include "effects_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 8

/* Owner: the test. A directory with files in it, and a world. */
typedef struct set {
    char directory[64], error[RIO_EFFECT_ERROR_BYTES];
    char files[MOST_FILES][16];
    int file_count, writes;
    rico_world *world;
} set;

static void quiet(void *user, rico_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

static void open_set(set *s, const char *name, uint32_t max_recipes)
{
    memset(s, 0, sizeof *s);
    snprintf(s->directory, sizeof s->directory, "effects_%s_%ld", name, (long)getpid());
    CHECK(mkdir(s->directory, 0777) == 0);
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.worker_count = 1;
    def.cache_bytes = 1 << 20;
    def.max_recipes = max_recipes;
    def.log = (rico_log){quiet, NULL};
    CHECK_EQ(rico_world_create(&def, &s->world), RICO_OK);
}

static void path_of(const set *s, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s.json", s->directory, name);
}

static void write_file(set *s, const char *name, const char *text)
{
    char path[128];
    path_of(s, name, path);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0);
    fclose(file);
    /* Each writing has another time, however coarse the file system's clock is. */
    struct timespec times[2] = {{.tv_sec = 1000000 + s->writes++}, {0}};
    times[1] = times[0];
    CHECK_EQ(utimensat(AT_FDCWD, path, times, 0), 0);
    for (int i = 0; i < s->file_count; ++i)
        if (strcmp(s->files[i], name) == 0)
            return;
    snprintf(s->files[s->file_count++], sizeof s->files[0], "%s", name);
}

/* An effect whose deaths give birth to another file's. */
static void write_chain(set *s, const char *name, const char *next)
{
    char text[200];
    snprintf(text, sizeof text,
             FORMAT_LINE ",\n\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"%s\"}]}",
             next);
    write_file(s, name, text);
}

/* Links `name`; what comes of it, and the error behind the directory's name. */
static rico_result link_set(set *s, const char *name)
{
    char path[128], *error = s->error;
    rio_effect effect;
    rio_links links = {.count = 0};
    path_of(s, name, path);
    error[0] = '\0';
    CHECK_EQ(rio_effect_load(path, &effect, error, sizeof s->error), RICO_OK);
    rico_result result =
        rio_effect_link(s->world, &effect, &links, &effect.recipe, error, sizeof s->error);
    rio_effect_free(&effect);
    return result;
}

static void check_link(set *s, const char *name, rico_result result, const char *expected)
{
    char all[RIO_EFFECT_ERROR_BYTES];
    snprintf(all, sizeof all, "%s/%s", s->directory, expected);
    rico_result found = link_set(s, name);
    CHECK_MSG(found == result, "%s: %s", rico_result_name(found), s->error);
    CHECK_MSG(strncmp(s->error, all, strlen(all)) == 0, "'%s', expected '%s'", s->error, all);
    CHECK(strchr(s->error, '\n') == NULL);
}

static void close_set(set *s)
{
    rico_world_destroy(s->world);
    for (int i = 0; i < s->file_count; ++i) {
        char path[128];
        path_of(s, s->files[i], path);
        remove(path);
    }
    CHECK(rmdir(s->directory) == 0);
}

TEST(effects, that_name_a_missing_file_say_where_it_is_named)
{
    set s;
    char expected[200];
    open_set(&s, "missing", 8);
    write_chain(&s, "a", "nosuch");
    snprintf(expected, sizeof expected,
             "a.json:2:44: sub_emitters[0].effect: found \"nosuch\", but %s/nosuch.json: ",
             s.directory);
    check_link(&s, "a", RICO_NOT_FOUND, expected);
    write_chain(&s, "b", "a"); /* the file that names it, not the first one */
    check_link(&s, "b", RICO_NOT_FOUND, expected);
    close_set(&s);
}

TEST(effects, that_name_a_broken_file_say_what_is_wrong_in_that)
{
    set s;
    open_set(&s, "broken", 8);
    write_chain(&s, "a", "b");
    write_file(&s, "b", FORMAT_LINE ",\n\n \"rate\": -1}");
    check_link(&s, "a", RICO_BAD_FILE, "b.json:3:10: rate is -1, expected 0 to 1e+07");
    write_file(&s, "b",
               FORMAT_LINE ", \"shape\": \"mesh\",\n\"mesh\": {\"indices\": [0,0,0],"
                           " \"positions\": [0,0,0]}}");
    check_link(&s, "a", RICO_BAD_FILE, "b.json:2:21: mesh.indices: found no triangle");
    close_set(&s);
}

TEST(effects, that_name_each_other_in_a_circle_say_where_it_closes)
{
    set s;
    open_set(&s, "circle", 8);
    write_chain(&s, "a", "b");
    write_chain(&s, "b", "c");
    write_chain(&s, "c", "a");
    check_link(
        &s, "a", RICO_OUT_OF_RANGE,
        "c.json:2:44: sub_emitters[0].effect: found \"a\", which leads back to this file");
    write_chain(&s, "self", "self");
    check_link(&s, "self", RICO_OUT_OF_RANGE, "self.json:2:44: sub_emitters[0].effect: found");
    write_chain(&s, "d", "a"); /* a circle that is not the first file's */
    check_link(&s, "d", RICO_OUT_OF_RANGE, "c.json:2:44: sub_emitters[0].effect: found \"a\"");
    close_set(&s);
}

TEST(effects, that_name_each_other_too_deep_say_where)
{
    set s;
    open_set(&s, "deep", 8);
    write_chain(&s, "a", "b");
    write_chain(&s, "b", "c");
    write_chain(&s, "c", "d");
    write_chain(&s, "d", "e");
    write_file(&s, "e", FORMAT_LINE "}");
    CHECK_MSG(link_set(&s, "a") == RICO_OK, "%s", s.error);
    write_chain(&s, "e", "f");
    write_file(&s, "f", FORMAT_LINE "}");
    check_link(
        &s, "a", RICO_OUT_OF_RANGE,
        "e.json:2:44: sub_emitters[0].effect: found \"f\", expected none: this file is 4");
    close_set(&s);
}

TEST(effects, that_the_world_has_no_room_for_say_which)
{
    set s;
    open_set(&s, "full", 1);
    write_chain(&s, "a", "b");
    write_chain(&s, "b", "c");
    write_file(&s, "c", FORMAT_LINE "}");
    check_link(
        &s, "a", RICO_FULL,
        "a.json:2:44: sub_emitters[0].effect: found \"b\", which the world refuses: a cap");
    close_set(&s);
}

TEST(effects, that_are_closed_take_the_files_that_they_name_along)
{
    set s;
    char path[128];
    open_set(&s, "closed", 3);
    write_file(&s, "c", FORMAT_LINE "}");
    write_chain(&s, "b", "c");
    write_chain(&s, "a", "b");
    path_of(&s, "a", path);
    for (int i = 0; i < 3; ++i) {
        rio_effect_source source;
        rico_result result =
            rio_effect_source_open(path, s.world, &source, s.error, sizeof s.error);
        CHECK_MSG(result == RICO_OK, "%s", s.error);
        CHECK_EQ(source.links.count, 2);
        rico_effect_id e =
            rico_effect_spawn(s.world, source.links.items[0].recipe, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rio_effect_source_close(&source, s.world), RICO_IN_USE);
        CHECK_EQ(source.links.count, 1); /* the one that runs, which nobody names any more */
        CHECK_EQ(source.recipe_count, 0);
        CHECK_EQ(rico_effect_destroy(s.world, e), RICO_OK);
        CHECK_EQ(rio_effect_source_close(&source, s.world), RICO_OK);
        CHECK_EQ(rico_world_get_stats(s.world).effects, 0);
    }
    close_set(&s);
}

/* --- Files that change ---------------------------------------------------------------------- */

/* Deaths of "a" give birth to "b": ten a second, from .1 s on. Owner: the test. */
typedef struct followed {
    set s;
    char path[128];
    rio_effect_source source;
    rico_effect_id effect;
} followed;

#define CHILD FORMAT_LINE ",\n\"mode\": \"none\", \"lifetime\": 0.5, "

static void open_followed(followed *f, const char *name)
{
    open_set(&f->s, name, 8);
    write_file(&f->s, "b", CHILD "\"particle_size\": 1}");
    write_file(&f->s, "a",
               FORMAT_LINE ", \"mode\": \"none\", \"lifetime\": 0.1, \"rate\": 10,"
                           " \"sub_emitters\": [{\"on\": \"death\", \"effect\": \"b\"}]}");
    path_of(&f->s, "a", f->path);
    rico_result result =
        rio_effect_source_open(f->path, f->s.world, &f->source, f->s.error, sizeof f->s.error);
    CHECK_MSG(result == RICO_OK, "%s", f->s.error);
    f->effect = rico_effect_spawn(f->s.world, f->source.recipe, RICO_TRANSFORM_IDENTITY);
    CHECK(f->effect.index1 != 0);
}

static void run_followed(followed *f, int steps)
{
    for (int i = 0; i < steps; ++i)
        rico_world_step(f->s.world, 1.0f / 60.0f);
}

static rio_source_news poll_followed(followed *f)
{
    return rio_effect_source_poll(&f->source, f->s.world, f->s.error, sizeof f->s.error);
}

static rico_effect_id child_of(followed *f)
{
    return rico_world_sub_effect(f->s.world, f->source.links.items[0].recipe);
}

static float size_of_child(followed *f)
{
    rico_view v = rico_effect_view(f->s.world, child_of(f));
    CHECK(rico_view_next(&v) && v.count > 0 && v.size == NULL);
    return v.constant_size;
}

TEST(effects, that_others_name_follow_their_files)
{
    followed f;
    open_followed(&f, "follow");
    run_followed(&f, 60);
    CHECK(size_of_child(&f) == 1.0f);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    write_file(&f.s, "b", CHILD "\"particle_size\": 3}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    CHECK(size_of_child(&f) == 3.0f);
    write_file(&f.s, "b", CHILD "\"particle_size\": -3}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(f.s.error, "b.json:2:") != NULL, "%s", f.s.error);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME); /* said once */
    run_followed(&f, 60);
    CHECK(size_of_child(&f) == 3.0f);
    close_set(&f.s);
}

TEST(effects, that_others_name_may_name_others_when_they_change)
{
    followed f;
    open_followed(&f, "more");
    write_file(&f.s, "c", CHILD "\"particle_size\": 2}");
    write_chain(&f.s, "b", "c");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_EQ(f.source.links.count, 2);
    write_file(&f.s, "c", CHILD "\"particle_size\": 4}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    run_followed(&f, 200);
    rico_view v = rico_effect_view(
        f.s.world, rico_world_sub_effect(f.s.world, f.source.links.items[1].recipe));
    CHECK(rico_view_next(&v) && v.constant_size == 4.0f);
    write_chain(&f.s, "c", "a");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(f.s.error,
                     "c.json:2:44: sub_emitters[0].effect: found \"a\", which leads") != NULL,
              "%s", f.s.error);
    write_chain(&f.s, "c", "b");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(f.s.error, "c.json: ") != NULL, "%s", f.s.error);
    CHECK_EQ(rio_effect_source_close(&f.source, f.s.world), RICO_IN_USE);
    close_set(&f.s);
}

TEST(effects, that_others_name_wait_with_what_the_living_have_no_memory_for)
{
    followed f;
    open_followed(&f, "wait");
    run_followed(&f, 60);
    write_file(&f.s, "b", CHILD "\"particle_size\": 3, \"particle_ids\": true}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_WAITS);
    CHECK_MSG(strstr(f.s.error, "b.json: its particles have no memory") != NULL, "%s",
              f.s.error);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    CHECK(size_of_child(&f) == 1.0f);
    rico_effect_stop(f.s.world, f.effect);
    run_followed(&f, 60);
    CHECK_EQ(rico_effect_particle_count(f.s.world, child_of(&f)), 0);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    f.effect = rico_effect_spawn(f.s.world, f.source.recipe, RICO_TRANSFORM_IDENTITY);
    run_followed(&f, 30);
    CHECK(size_of_child(&f) == 3.0f);
    close_set(&f.s);
}

TEST(effects, of_several_files_that_change_at_once_tell_the_worst)
{
    followed f;
    open_followed(&f, "worst");
    run_followed(&f, 60);
    write_file(&f.s, "b", CHILD "\"rate\": -1}");
    write_file(&f.s, "a", CHILD "\"rate\": 20}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(f.s.error, "b.json:2:") != NULL, "%s", f.s.error);
    f.effect = rico_effect_spawn(f.s.world, f.source.recipe, RICO_TRANSFORM_IDENTITY);
    run_followed(&f, 60);
    CHECK(rico_effect_particle_count(f.s.world, f.effect) >= 9); /* as "a" is now */
    close_set(&f.s);
}
