/* Effect files that are named by others and change while effects run. */
#include "effects_set.h"

/* Deaths of "a" give birth to "b": ten a second, from 0.1 s on. Owner: the test. */
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
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME); /* reported once */
    run_followed(&f, 60);
    CHECK(size_of_child(&f) == 3.0f);
    close_set(&f.s);
}

static void count_lines(void *user, rico_log_level level, const char *text)
{
    (void)level, (void)text;
    *(uint32_t *)user += 1;
}

/* Stops in each step around the first birth at a death: before it, while it is due, and after
 * it. */
TEST(effects, that_nobody_names_any_more_wait_for_births_that_are_due_without_a_word)
{
    for (int steps = 5; steps < 20; ++steps) {
        uint32_t lines = 0;
        followed f;
        open_set(&f.s, "due", 8);
        rico_world_destroy(f.s.world);
        rico_world_def def = rico_world_def_default();
        def.max_particles = 64;
        def.worker_count = 1;
        def.cache_bytes = 64 << 10;
        def.log = (rico_log){count_lines, &lines};
        CHECK_EQ(rico_world_create(&def, &f.s.world), RICO_OK);
        write_file(&f.s, "b", CHILD "\"particle_size\": 1}");
        write_file(&f.s, "a",
                   FORMAT_LINE ", \"mode\": \"none\", \"lifetime\": 0.1, \"rate\": 10,"
                               " \"sub_emitters\": [{\"on\": \"death\", \"effect\": \"b\"}]}");
        path_of(&f.s, "a", f.path);
        CHECK_EQ(rio_effect_source_open(f.path, f.s.world, &f.source, NULL, 0), RICO_OK);
        f.effect = rico_effect_spawn(f.s.world, f.source.recipe, RICO_TRANSFORM_IDENTITY);
        run_followed(&f, steps);
        write_file(&f.s, "a", FORMAT_LINE ", \"mode\": \"none\", \"particle_ids\": true}");
        CHECK(poll_followed(&f) != RIO_SOURCE_REFUSED);
        CHECK_MSG(lines == 0, "%d steps", steps);
        close_set(&f.s);
    }
}

TEST(effects, that_others_name_are_told_of_what_does_nothing_in_them)
{
    followed f;
    open_followed(&f, "idle");
    CHECK_MSG(f.s.error[0] == '\0', "%s", f.s.error);
    write_file(&f.s, "b", CHILD "\"wind\": [1, 0, 0]}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_MSG(strstr(f.s.error, "b.json:2:42: wind does nothing") != NULL, "%s", f.s.error);
    rio_effect_source again;
    CHECK_EQ(rio_effect_source_open(f.path, f.s.world, &again, f.s.error, sizeof f.s.error),
             RICO_OK);
    CHECK_MSG(strstr(f.s.error, "b.json:2:42: wind does nothing") != NULL, "%s", f.s.error);
    CHECK_EQ(rio_effect_source_close(&again, f.s.world), RICO_OK);
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
    CHECK_MSG(strstr(f.s.error, "b.json: particle_ids: its living particles have no memory") !=
                  NULL,
              "%s", f.s.error);
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

/* Writes a file whose sub-emitter is the next one: "b" for "a", "c" for "b". */
static void write_handing_on(followed *f, bool below, bool inherits)
{
    char text[256];
    snprintf(text, sizeof text,
             FORMAT_LINE ", \"mode\": \"none\", \"lifetime\": 0.1, \"rate\": %d, "
                         "\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"%s\", "
                         "\"inherit_color\": %s}]}",
             below ? 0 : 10, below ? "c" : "b", inherits ? "true" : "false");
    write_file(&f->s, below ? "b" : "a", text);
}

/* The file that changes is the source's own, or one that the source names. */
TEST(effects, wait_with_births_that_inherit_until_none_lives_of_those)
{
    for (int below = 0; below < 2; ++below) {
        followed f;
        open_followed(&f, below ? "heir2" : "heir1");
        write_file(&f.s, "c", CHILD "\"particle_size\": 1}");
        write_handing_on(&f, below, false);
        CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
        f.effect = rico_effect_spawn(f.s.world, f.source.recipe, RICO_TRANSFORM_IDENTITY);
        run_followed(&f, 60);
        write_handing_on(&f, below, true);
        CHECK_EQ(poll_followed(&f), RIO_SOURCE_WAITS);
        CHECK_MSG(strstr(f.s.error, ".json: living particles of files that it names have no") !=
                      NULL,
                  "%s", f.s.error);
        CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
        for (rico_effect_id e = {0}; (e = rico_world_next_effect(f.s.world, e)).index1 != 0;)
            rico_effect_stop(f.s.world, e);
        run_followed(&f, 90);
        CHECK_EQ(rico_world_get_stats(f.s.world).particles, 0);
        CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
        CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
        close_set(&f.s);
    }
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
    CHECK_EQ(poll_followed(f), RIO_SOURCE_SAME); /* reported once */
}

TEST(effects, that_name_a_file_too_early_take_it_when_it_is_there)
{
    followed f;
    open_followed(&f, "early");
    write_chain(&f.s, "a", "c");
    check_told(&f, "a.json:2:44: sub_emitters[0].effect: found \"c\", but ");
    write_file(&f.s, "c", "{broken");
    check_told(&f, "c.json:1:");
    write_chain(&f.s, "c", "d"); /* "c" leads to a file that does not exist */
    check_told(&f, "c.json:2:44: sub_emitters[0].effect: found \"d\", but ");
    write_file(&f.s, "d", CHILD "\"rate\": -1}");
    check_told(&f, "d.json:2:");
    CHECK_EQ(f.source.links.count, 1); /* "b", as before */
    write_file(&f.s, "c", NAMES_NONE); /* the change may be in a file between */
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME);
    write_chain(&f.s, "c", "d"); /* the same for a file that is already named */
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
    CHECK(names(&f, 1, 0)); /* "c", which has not changed since then */
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
    write_chain(&f.s, "b", "d"); /* the chain a, b, d, e, f */
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    write_chain(&f.s, "f", "c");
    check_told(
        &f,
        "f.json:2:44: sub_emitters[0].effect: found \"c\", expected none: this file is already "
        "4 levels of sub-emitters deep");
    write_file(&f.s, "f", NAMES_NONE);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    write_chain(&f.s, "b", "c"); /* "c" would lead to d, e and f, which exist */
    check_told(
        &f, "c.json:2:44: sub_emitters[0].effect: found \"d\", which has 2 levels "
            "of sub-emitters itself, expected at most 1: this file is already 2 levels deep");
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
    CHECK_EQ(f.source.links.count, 2); /* particles of the old one live */
    write_file(&f.s, "b", "garbage");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME); /* not named any more */
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

TEST(effects, that_did_not_fit_are_taken_when_others_are_gone)
{
    followed f;
    const rico_recipe r = rico_recipe_default();
    open_followed(&f, "fit");
    for (int i = 0; i < 5; ++i) /* room for one more */
        CHECK(rico_world_add_recipe(f.s.world, &r).index1 != 0);
    run_followed(&f, 60);
    write_file(&f.s, "c", NAMES_NONE);
    write_file(&f.s, "d", NAMES_NONE);
    write_file(&f.s, "a", CHILD "\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"c\"}]}");
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    write_file(&f.s, "a", CHILD "\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"d\"}]}");
    check_told(&f, "no room for another recipe (world_def.max_recipes)");
    run_followed(&f, 60);
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_SAME); /* the recipe of "b" goes */
    CHECK_EQ(poll_followed(&f), RIO_SOURCE_CHANGED);
    CHECK(strcmp(f.source.links.items[f.source.links.count - 1].name, "d") == 0);
    close_set(&f.s);
}

TEST(effects, that_are_named_again_are_as_their_file_is_by_then)
{
    followed f;
    rico_recipe r;
    open_followed(&f, "again");
    run_followed(&f, 60);
    const rico_recipe_id first = f.source.links.items[0].recipe;
    write_file(&f.s, "a", CHILD "\"rate\": 1}");
    rio_source_news news = poll_followed(&f);
    CHECK_MSG(news == RIO_SOURCE_ADDED, "%s", f.s.error); /* deaths need no ids any more */
    write_file(&f.s, "b", CHILD "\"particle_size\": 7}");
    write_file(&f.s, "a", CHILD "\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"b\"}]}");
    news = poll_followed(&f);
    CHECK(news == RIO_SOURCE_CHANGED || news == RIO_SOURCE_ADDED);
    rio_links *links = &f.source.links;
    CHECK(rico_world_get_recipe(f.s.world, f.source.recipe, &r));
    CHECK(r.sub_emitters[0].recipe.index1 == links->items[links->count - 1].recipe.index1);
    CHECK(rico_world_get_recipe(f.s.world, links->items[links->count - 1].recipe, &r));
    CHECK(r.particle_size.value[0] == 7.0f);
    run_followed(&f, 90);
    poll_followed(&f);
    CHECK_EQ(links->count, 1);
    CHECK(!rico_world_get_recipe(f.s.world, first, &r));
    close_set(&f.s);
}
