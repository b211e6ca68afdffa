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
        "a.json:2:44: sub_emitters[0].effect: found \"b\", which the world refuses: it has no "
        "room for another recipe (world_def.max_recipes), or for");
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

TEST(effects, of_two_directories_may_share_links_and_names)
{
    set s[2];
    rico_recipe_id named[2];
    rio_links links = {.count = 0};
    open_set(&s[0], "here", 8);
    open_set(&s[1], "there", 1);
    for (int i = 0; i < 2; ++i) {
        char path[128];
        rio_effect effect;
        write_chain(&s[i], "a", "b");
        write_file(&s[i], "b", i == 0 ? FORMAT_LINE ", \"rate\": 1}" : FORMAT_LINE "}");
        path_of(&s[i], "a", path);
        CHECK_EQ(rio_effect_load(path, &effect, s[i].error, sizeof s[i].error), RICO_OK);
        CHECK_EQ(rio_effect_link(s[0].world, &effect, &links, &effect.recipe, NULL, 0),
                 RICO_OK);
        named[i] = effect.recipe.sub_emitters[0].recipe;
        rio_effect_free(&effect);
    }
    rico_recipe r;
    CHECK_EQ(links.count, 2);
    CHECK(rico_world_get_recipe(s[0].world, named[0], &r) && r.rate == 1.0f);
    CHECK(rico_world_get_recipe(s[0].world, named[1], &r) && r.rate == 50.0f);
    close_set(&s[0]);
    close_set(&s[1]);
}

/* How many recipes there is still room for. */
static uint32_t room_for_recipes(set *s)
{
    rico_recipe_id ids[16];
    const rico_recipe r = rico_recipe_default();
    uint32_t count = 0;
    while (count < 16 && (ids[count] = rico_world_add_recipe(s->world, &r)).index1 != 0)
        ++count;
    for (uint32_t i = 0; i < count; ++i)
        CHECK_EQ(rico_world_remove_recipe(s->world, ids[i]), RICO_OK);
    return count;
}

TEST(effects, that_cannot_be_opened_leave_nothing_in_the_world)
{
    set s;
    char path[128];
    rio_effect_source source;
    open_set(&s, "again", 3);
    write_file(&s, "a",
               FORMAT_LINE ", \"sub_emitters\": [{\"on\": \"death\", \"effect\": \"b\"},"
                           " {\"on\": \"death\", \"effect\": \"c\"}]}");
    write_chain(&s, "b", "d");
    write_file(&s, "d", FORMAT_LINE "}");
    path_of(&s, "a", path);
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, s.error, sizeof s.error),
             RICO_NOT_FOUND);
    CHECK_EQ(room_for_recipes(&s), 3);
    CHECK_EQ(link_set(&s, "a"), RICO_NOT_FOUND);
    CHECK_EQ(room_for_recipes(&s), 3);
    write_file(&s, "c", FORMAT_LINE "}"); /* the files that it names fit, it does not */
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, NULL, 0), RICO_FULL);
    CHECK_EQ(room_for_recipes(&s), 3);
    CHECK_EQ(rico_world_get_stats(s.world).effects, 0);
    write_chain(&s, "a", "b");
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, NULL, 0), RICO_OK);
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
    CHECK_MSG(strstr(f.s.error,
                     "c.json:2:44: sub_emitters[0].effect: found \"b\", which leads") != NULL,
              "%s", f.s.error);
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

#define NAMES_NONE FORMAT_LINE ", \"mode\": \"none\"}"

static void check_told(followed *f, const char *expected)
{
    CHECK_EQ(poll_followed(f), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(f->s.error, expected) != NULL, "'%s', expected '%s'", f->s.error,
              expected);
    CHECK_EQ(poll_followed(f), RIO_SOURCE_SAME); /* said once */
}

TEST(effects, that_name_a_file_too_early_take_it_when_it_is_there)
{
    followed f;
    open_followed(&f, "early");
    write_chain(&f.s, "a", "c");
    check_told(&f, "a.json:2:44: sub_emitters[0].effect: found \"c\", but ");
    write_file(&f.s, "c", "{broken");
    check_told(&f, "c.json:1:");
    write_chain(&f.s, "c", "d"); /* which leads to one that is not there */
    check_told(&f, "c.json:2:44: sub_emitters[0].effect: found \"d\", but ");
    write_file(&f.s, "d", CHILD "\"rate\": -1}");
    check_told(&f, "d.json:2:");
    CHECK_EQ(f.source.links.count, 1); /* b, as before */
    write_file(&f.s, "c", NAMES_NONE); /* what is between may be what changes */
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    write_chain(&f.s, "c", "d"); /* the same of a file that is named */
    check_told(&f, "d.json:2:");
    write_file(&f.s, "d", CHILD "\"rate\": 1}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_EQ(f.source.links.count, 2);
    close_set(&f.s);
}

static bool names(followed *f, uint32_t item, uint32_t other)
{
    rico_recipe r;
    const rio_links *links = &f->source.links;
    CHECK(rico_world_get_recipe(f->s.world, links->items[item].recipe, &r));
    return r.sub_emitters[0].on != 0 &&
           r.sub_emitters[0].recipe.index1 == links->items[other].recipe.index1;
}

TEST(effects, that_were_refused_for_others_are_taken_when_those_have_changed)
{
    followed f;
    open_followed(&f, "others");
    write_file(&f.s, "c", NAMES_NONE);
    write_chain(&f.s, "b", "c");
    write_file(&f.s, "a",
               CHILD "\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"b\"},"
                     " {\"on\": \"death\", \"effect\": \"c\"}]}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    write_chain(&f.s, "c", "b");
    check_told(&f,
               "c.json:2:44: sub_emitters[0].effect: found \"b\", which leads back to this");
    CHECK(names(&f, 0, 1));
    write_file(&f.s, "b", NAMES_NONE);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK(names(&f, 1, 0)); /* c, which has not changed since */
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    close_set(&f.s);
}

TEST(effects, that_turn_round_who_names_whom_are_taken_in_any_order)
{
    followed f;
    open_followed(&f, "round");
    write_file(&f.s, "c", NAMES_NONE);
    for (int i = 0; i < 4; ++i) {
        const char *first = i % 2 == 0 ? "b" : "c", *last = i % 2 == 0 ? "c" : "b";
        write_chain(&f.s, first, last);
        write_file(&f.s, last, NAMES_NONE);
        write_chain(&f.s, "a", first);
        rio_source_news news = poll_followed(&f);
        CHECK_MSG(news == RIO_SOURCE_CHANGED, "%d: %s", i, f.s.error);
        CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
        CHECK_EQ(f.source.links.count, 2);
        CHECK(names(&f, (uint32_t)i % 2, 1 - (uint32_t)i % 2));
    }
    CHECK_EQ(rico_effect_destroy(f.s.world, f.effect), RICO_OK);
    CHECK_EQ(rio_effect_source_close(&f.source, f.s.world), RICO_OK);
    CHECK_EQ(room_for_recipes(&f.s), 8);
    close_set(&f.s);
}

TEST(effects, that_become_too_deep_say_where)
{
    followed f;
    open_followed(&f, "deeper");
    write_file(&f.s, "f", NAMES_NONE);
    write_chain(&f.s, "e", "f");
    write_chain(&f.s, "d", "e");
    write_chain(&f.s, "c", "d");
    write_chain(&f.s, "b", "d"); /* a, b, d, e, f */
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    write_chain(&f.s, "f", "c");
    check_told(&f,
               "f.json:2:44: sub_emitters[0].effect: found \"c\", expected none: this file is "
               "4 sub-emitters deep already");
    write_file(&f.s, "f", NAMES_NONE);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    write_chain(&f.s, "b", "c"); /* c would lead to d, e and f, which are there */
    check_told(&f,
               "c.json:2:44: sub_emitters[0].effect: found \"d\", which is 2 sub-emitters deep "
               "by itself, expected at most 1: this file is 2 deep already");
    close_set(&f.s);
}

TEST(effects, that_nobody_names_any_more_are_gone_with_their_particles)
{
    followed f;
    rico_recipe r;
    open_followed(&f, "renamed");
    run_followed(&f, 60);
    const rico_recipe_id first = f.source.links.items[0].recipe;
    write_file(&f.s, "c", NAMES_NONE);
    write_file(&f.s, "a", CHILD "\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"c\"}]}");
    rio_source_news news = poll_followed(&f);
    CHECK_MSG(news == RIO_SOURCE_CHANGED, "%s", f.s.error);
    CHECK_EQ(f.source.links.count, 2); /* its particles live */
    write_file(&f.s, "b", "garbage");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME); /* and nobody cares what it says now */
    run_followed(&f, 60);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    CHECK_EQ(f.source.links.count, 1);
    CHECK(!rico_world_get_recipe(f.s.world, first, &r));
    CHECK(rico_world_get_recipe(f.s.world, f.source.links.items[0].recipe, &r));
    CHECK(strcmp(f.source.links.items[0].name, "c") == 0);
    close_set(&f.s);
}

TEST(effects, that_only_older_effects_name_are_kept_for_them_and_not_followed)
{
    followed f;
    open_followed(&f, "older");
    run_followed(&f, 60);
    write_file(&f.s, "a", FORMAT_LINE "}"); /* of another mode */
    rio_source_news news = poll_followed(&f);
    CHECK_MSG(news == RIO_SOURCE_ADDED, "%s", f.s.error);
    write_file(&f.s, "b", "garbage");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    run_followed(&f, 60);
    CHECK(size_of_child(&f) == 1.0f);
    rico_effect_destroy(f.s.world, f.effect);
    run_followed(&f, 60);
    write_file(&f.s, "a", FORMAT_LINE ", \"rate\": 1}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_EQ(f.source.links.count, 0);
    close_set(&f.s);
}

TEST(effects, may_name_any_number_of_files_one_after_the_other)
{
    followed f;
    open_followed(&f, "many"); /* in a world for 8 recipes */
    for (uint32_t i = 0; i < 2 * RIO_MOST_LINKS; ++i) {
        write_file(&f.s, i % 2 == 0 ? "c" : "d", NAMES_NONE);
        write_chain(&f.s, i % 3 == 0 ? "e" : "f", i % 2 == 0 ? "c" : "d");
        write_chain(&f.s, "a", i % 3 == 0 ? "e" : "f");
        rio_source_news news = poll_followed(&f);
        CHECK_MSG(news == RIO_SOURCE_CHANGED, "%u: %s", i, f.s.error);
        CHECK(f.source.links.count <= 4);
    }
    close_set(&f.s);
}
