/* Effect files that name others: an error in a set is reported for the file that has it. */
#include "effects_set.h"

/* Links `name`; returns the result, and the error after the directory's name. */
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

TEST(effects, say_what_births_at_events_inherit)
{
    rio_effect e = load_text(
        FORMAT_LINE ", \"sub_emitters\": ["
                    "{\"on\": \"death\", \"effect\": \"a\", \"inherit_size\": true},"
                    "{\"on\": \"birth\", \"effect\": \"a\"},"
                    "{\"on\": \"death\", \"effect\": \"a\", \"inherit_color\": true}]}");
    char *text = rio_effect_text_of(&e, NULL);
    rio_effect again = load_text(text);
    for (int k = 0; k < 3; ++k) {
        const rico_sub_emitter *read = &e.recipe.sub_emitters[k];
        CHECK(read->inherit_size == (k == 0) && read->inherit_color == (k == 2));
        CHECK_EQ(again.recipe.sub_emitters[k].inherit_size, k == 0);
        CHECK_EQ(again.recipe.sub_emitters[k].inherit_color, k == 2);
    }
    rio_effect_text_free(text);
    rio_effect_free(&e);
    rio_effect_free(&again);
    check_refused(FORMAT_LINE ",\n\"sub_emitters\": [{\"inherit_size\": 1}]}",
                  "f:2:35: sub_emitters[0].inherit_size: found 1, expected true or false");
}

TEST(effects, say_from_which_impacts_on_there_are_births)
{
    rio_effect e = load_text(
        FORMAT_LINE ", \"sub_emitters\": ["
                    "{\"on\": \"collision\", \"effect\": \"a\", \"min_impact_speed\": 0.7},"
                    "{\"on\": \"birth\", \"effect\": \"a\", \"min_impact_speed\": 0},"
                    "{\"on\": \"collision\", \"effect\": \"a\"}]}");
    char *text = rio_effect_text_of(&e, NULL);
    rio_effect again = load_text(text);
    for (int k = 0; k < 3; ++k) {
        const float speed = k == 0 ? 0.7f : 0.0f;
        CHECK(e.recipe.sub_emitters[k].min_impact_speed == speed);
        CHECK(again.recipe.sub_emitters[k].min_impact_speed == speed);
    }
    CHECK(strstr(text, "\"min_impact_speed\": 0.7,") != NULL);
    rio_effect_text_free(text);
    rio_effect_free(&e);
    rio_effect_free(&again);
#define SUB_ON(event) ",\n\"sub_emitters\": [{\"on\": \"" event "\", \"effect\": \"a\",\n"
    check_refused(FORMAT_LINE SUB_ON("collision") "\"min_impact_speed\": -1}]}",
                  "f:3:21: sub_emitters[0].min_impact_speed is -1, expected 0 to 1000");
    check_refused(
        FORMAT_LINE SUB_ON("collision") "\"min_impact_speed\": \"fast\"}]}",
        "f:3:21: sub_emitters[0].min_impact_speed: found \"fast\", expected a number");
    check_refused(FORMAT_LINE SUB_ON("death") "\"min_impact_speed\": 2}]}",
                  "f:3:21: sub_emitters[0].min_impact_speed is 2, expected 0: on is not "
                  "collision");
}

TEST(effects, say_how_births_at_events_are_turned)
{
    static const rico_orientation turns[] = {RICO_ORIENT_VELOCITY, RICO_ORIENT_UP,
                                             RICO_ORIENT_EFFECT};
    rio_effect e = load_text(
        FORMAT_LINE ", \"sub_emitters\": ["
                    "{\"on\": \"death\", \"effect\": \"a\", \"orientation\": \"velocity\"},"
                    "{\"on\": \"birth\", \"effect\": \"a\"},"
                    "{\"on\": \"death\", \"effect\": \"a\", \"orientation\": \"effect\"}]}");
    char *text = rio_effect_text_of(&e, NULL);
    rio_effect again = load_text(text);
    for (int k = 0; k < 3; ++k) {
        CHECK_EQ(e.recipe.sub_emitters[k].orientation, turns[k]);
        CHECK_EQ(again.recipe.sub_emitters[k].orientation, turns[k]);
    }
    rio_effect_text_free(text);
    rio_effect_free(&e);
    rio_effect_free(&again);
    check_refused(FORMAT_LINE ",\n\"sub_emitters\": [{\"orientation\": \"down\"}]}",
                  "f:2:34: sub_emitters[0].orientation: found \"down\", expected one of up, "
                  "velocity, effect");
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
    write_chain(&s, "b", "a"); /* blames the file that names it, not the first one */
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
    write_chain(&s, "d", "a"); /* a circle without the first file */
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
    check_link(&s, "a", RICO_OUT_OF_RANGE,
               "e.json:2:44: sub_emitters[0].effect: found \"f\", expected none: this file is "
               "already 4");
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
        CHECK_EQ(source.links.count, 1); /* the one in use, which is not named any more */
        CHECK_EQ(source.recipe_count, 0);
        CHECK_EQ(rico_effect_destroy(s.world, e), RICO_OK);
        CHECK_EQ(rio_effect_source_close(&source, s.world), RICO_OK);
        CHECK_EQ(rico_world_get_stats(s.world).effects, 0);
    }
    close_set(&s);
}

/* --- Files from the host's archive --------------------------------------------------------- */

/* Texts by path, and the number of texts not yet given back. */
typedef struct archive {
    const char *paths[4], *texts[4];
    uint32_t reads, out;
} archive;

static const char *read_archive(void *user, const char *path, size_t *bytes)
{
    archive *a = user;
    for (int i = 0; i < 4; ++i)
        if (a->paths[i] != NULL && strcmp(a->paths[i], path) == 0) {
            a->reads += 1;
            a->out += 1;
            *bytes = strlen(a->texts[i]);
            return a->texts[i];
        }
    return NULL;
}

static void release_archive(void *user, const char *text)
{
    archive *a = user;
    for (int i = 0; i < 4; ++i)
        a->out -= a->texts[i] == text;
}

static rico_result link_archive(set *s, archive *a, rio_links *links, const char *text)
{
    rio_effect effect;
    const rio_files files = {read_archive, release_archive, a};
    CHECK_EQ(rio_effect_parse("pak:fx/a.json", text, strlen(text), &effect, s->error,
                              sizeof s->error),
             RICO_OK);
    snprintf(effect.directory, sizeof effect.directory, "pak:fx/");
    links->files = &files;
    rico_result result =
        rio_effect_link(s->world, &effect, links, &effect.recipe, s->error, sizeof s->error);
    links->files = NULL;
    rio_effect_free(&effect);
    CHECK_EQ(a->out, 0);
    return result;
}

#define DEATH_OF(next)                                                                         \
    FORMAT_LINE ",\n\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"" next "\"}]}"

TEST(effects, that_a_host_has_in_an_archive_name_each_other_there)
{
    set s;
    rio_links links = {.count = 0};
    rico_recipe r;
    open_set(&s, "archive", 8);
    write_file(&s, "b", FORMAT_LINE "}"); /* which is not read */
    archive a = {.paths = {"pak:fx/b.json", "pak:fx/c.json", "pak:fx/bad.json"},
                 .texts = {DEATH_OF("c"), FORMAT_LINE ", \"rate\": 7}", DEATH_OF("none")}};
    CHECK_MSG(link_archive(&s, &a, &links, DEATH_OF("b")) == RICO_OK, "%s", s.error);
    CHECK_EQ(links.count, 2);
    CHECK_EQ(a.reads, 2);
    CHECK(rico_world_get_recipe(s.world, links.items[0].recipe, &r) && r.rate == 7.0f);
    CHECK_EQ(link_archive(&s, &a, &links, DEATH_OF("c")), RICO_OK); /* exists already */
    CHECK_EQ(a.reads, 2);
    CHECK_EQ(link_archive(&s, &a, &links, DEATH_OF("bad")), RICO_NOT_FOUND);
    CHECK_MSG(strstr(s.error,
                     "pak:fx/bad.json:2:44: sub_emitters[0].effect: found \"none\", but "
                     "pak:fx/none.json: ") == s.error,
              "%s", s.error);
    CHECK_EQ(links.count, 2);
    a.texts[2] = FORMAT_LINE ", \"rate\": -1}";
    CHECK_EQ(link_archive(&s, &a, &links, DEATH_OF("bad")), RICO_BAD_FILE);
    CHECK_MSG(strstr(s.error, "pak:fx/bad.json:1:") == s.error, "%s", s.error);
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
    write_file(&s, "c", FORMAT_LINE "}"); /* the files that it names fit, but it does not */
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, NULL, 0), RICO_FULL);
    CHECK_EQ(room_for_recipes(&s), 3);
    CHECK_EQ(rico_world_get_stats(s.world).effects, 0);
    write_chain(&s, "a", "b");
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, NULL, 0), RICO_OK);
    close_set(&s);
}

/* Particles are born where their file says, on the floor at the points that rays hit. Rounding
 * may put such a point behind the floor, but no particle is born below it. */
TEST(effects, an_explosion_leaves_all_that_comes_of_it_above_the_floor)
{
    static const float corners[] = {-30, -30, 0, 30, -30, 0, 30, 30, 0, -30, 30, 0};
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh floor = {
        .positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.worker_count = 1;
    def.cache_bytes = 4 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    CHECK(rico_world_add_mesh(world, &floor, RICO_TRANSFORM_IDENTITY).index1 != 0);
    char path[4096];
    rio_effect_source source;
    example_path("explosion", path, sizeof path);
    CHECK_EQ(rio_effect_source_open(path, world, &source, NULL, 0), RICO_OK);
    rico_effect_id ids[RIO_MOST_GROUP];
    rico_effect_def hit = rico_effect_def_default();
    hit.transform.position.z = -1.0e-6f;
    CHECK_EQ(rio_group_spawn(world, &source.group, &hit, ids, RIO_MOST_GROUP), RICO_OK);
    for (int i = 0; i < 60; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    uint32_t count = 0, below = 0;
    for (uint32_t i = 1; i < source.group.count; ++i) {
        rico_recipe r;
        CHECK(rico_world_get_recipe(world, source.group.items[i].recipe, &r));
        rico_view v = rico_effect_view(world, ids[i]);
        while (r.mode != RICO_COLLIDE_NONE && rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k, ++count)
                below += v.pz[k] < 0.0f;
    }
    CHECK_MSG(count > 160 && below == 0, "%u of %u", below, count);
    rico_world_destroy(world);
}
