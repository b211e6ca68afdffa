/* What a host changes in the recipes of all files, because it depends on the host. */
#include "effects_set.h"

#define FLAME FORMAT_LINE ", \"mode\": \"none\", \"rate\": 10, "
#define NAMES                                                                                  \
    "\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"puff\"}],"                           \
    " \"with\": [{\"effect\": \"glow\"}]}"

/* A host that draws between steps, and knows of which file each recipe is. */
static void draw_between_steps(void *user, rio_effect *effect)
{
    uint32_t *calls = user;
    CHECK(strstr(effect->name, ".json") != NULL);
    effect->recipe.interpolate = true;
    *calls += 1;
}

static bool is_interpolated(const set *s, rico_recipe_id id)
{
    rico_recipe recipe;
    CHECK(rico_world_get_recipe(s->world, id, &recipe));
    return recipe.interpolate;
}

static void write_all(set *s)
{
    write_file(s, "puff", FLAME "\"lifetime\": 1}");
    write_file(s, "glow", FLAME "\"lifetime\": 1}");
    write_file(s, "flame", FLAME NAMES);
}

TEST(effects, of_all_files_of_a_source_are_as_the_host_wants_them_also_when_files_change)
{
    set s;
    char path[128];
    uint32_t calls = 0;
    const rio_adapter adapter = {draw_between_steps, &calls};
    rio_effect_source source;
    open_set(&s, "adapt", 8);
    write_all(&s);
    path_of(&s, "flame", path);
    CHECK_EQ(
        rio_effect_source_open_with(path, s.world, &adapter, &source, s.error, sizeof s.error),
        RICO_OK);
    CHECK_EQ(calls, 3);
    CHECK_EQ(source.links.count, 2);
    rico_effect_id ids[RIO_MOST_GROUP];
    CHECK_EQ(rio_group_spawn(s.world, &source.group, NULL, ids, RIO_MOST_GROUP), RICO_OK);
    for (int i = 0; i < 60; ++i) /* particles of the source's own file are there */
        rico_world_step(s.world, 1.0f / 60.0f);
    static const char *const files[] = {"flame", "puff", "glow"};
    static const char *const texts[] = {FLAME "\"drag\": 1, " NAMES,
                                        FLAME "\"drag\": 1, \"lifetime\": 1}",
                                        FLAME "\"drag\": 1, \"lifetime\": 1}"};
    for (uint32_t k = 0; k < 3; ++k) {
        write_file(&s, files[k], texts[k]);
        CHECK_MSG(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error) ==
                      RIO_SOURCE_CHANGED,
                  "%s: %s", files[k], s.error);
        CHECK_EQ(calls, 4 + k);
    }
    CHECK(is_interpolated(&s, source.recipe));
    CHECK(is_interpolated(&s, source.links.items[0].recipe));
    CHECK(is_interpolated(&s, source.links.items[1].recipe));
    close_set(&s);
}

TEST(effects, of_files_that_others_name_are_as_the_host_of_a_list_wants_them)
{
    set s;
    char path[128];
    uint32_t calls = 0;
    const rio_adapter adapter = {draw_between_steps, &calls};
    rio_links links = {.adapter = &adapter};
    rio_effect effect;
    open_set(&s, "adapt", 8);
    write_all(&s);
    path_of(&s, "flame", path);
    CHECK_EQ(rio_effect_load(path, &effect, s.error, sizeof s.error), RICO_OK);
    CHECK_EQ(rio_effect_link(s.world, &effect, &links, &effect.recipe, s.error, sizeof s.error),
             RICO_OK);
    CHECK_EQ(calls, 2); /* its own recipe is the host's already */
    CHECK(!effect.recipe.interpolate);
    CHECK(is_interpolated(&s, links.items[0].recipe));
    CHECK(is_interpolated(&s, links.items[1].recipe));
    rio_effect_free(&effect);
    close_set(&s);
}
