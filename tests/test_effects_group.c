/* Effects that are spawned together: where they are, that all or none are spawned, and what
 * happens to them when files change. */
#include "effects_set.h"

/* "a" with "b", which is above it and on its side, and "c"; and the effects of one spawn. Owner:
 * the test. */
typedef struct troop {
    set s;
    char path[128];
    rio_effect_source source;
    rico_effect_id ids[RIO_MOST_GROUP];
} troop;

#define PUFF FORMAT_LINE ",\n\"mode\": \"none\", \"gravity\": [0, 0, 0], \"rate\": 60, "
#define NAMES                                                                                  \
    "\"with\": [{\"effect\": \"b\", \"position\": [0, 1, 2], \"rotation\": [0.6, 0, 0, 0.8],"  \
    " \"scale\": 0.5},\n{\"effect\": \"c\"}]}"

static const rico_transform spot = {
    {10, 20, 30}, {0.182574f, 0.365148f, 0.547723f, 0.730297f}, 3};

static void check_ok(const troop *t, rico_result result)
{
    CHECK_MSG(result == RICO_OK, "%s: %s", rico_result_name(result), t->s.error);
}

static void spawn_troop(troop *t)
{
    rico_effect_def def = rico_effect_def_default();
    def.transform = spot;
    check_ok(t, rio_group_spawn(t->s.world, &t->source.group, &def, t->ids, RIO_MOST_GROUP));
}

static void open_troop_for(troop *t, const char *name, uint32_t max_recipes)
{
    open_set(&t->s, name, max_recipes);
    write_file(&t->s, "b", PUFF "\"particle_size\": 1}");
    write_file(&t->s, "c", PUFF "\"particle_size\": 2}");
    write_file(&t->s, "a", PUFF NAMES);
    path_of(&t->s, "a", t->path);
    check_ok(t, rio_effect_source_open(t->path, t->s.world, &t->source, t->s.error,
                                       sizeof t->s.error));
    CHECK_EQ(t->source.group.count, 3);
    CHECK_EQ(t->source.links.count, 2);
    spawn_troop(t);
}

static void open_troop(troop *t, const char *name)
{
    open_troop_for(t, name, 8);
}

static void run_troop(troop *t, int steps)
{
    for (int i = 0; i < steps; ++i)
        rico_world_step(t->s.world, 1.0f / 60.0f);
}

static rio_source_news poll_troop(troop *t)
{
    return rio_effect_source_poll(&t->source, t->s.world, t->s.error, sizeof t->s.error);
}

/* --- Where they are ------------------------------------------------------------------------ */

/* Applies the matrix of the transform to a point: by columns, in doubles, as in textbooks. */
static void apply(const rico_transform *t, const double p[3], double out[3])
{
    const double x = (double)t->rotation.x, y = (double)t->rotation.y,
                 z = (double)t->rotation.z, w = (double)t->rotation.w, s = (double)t->scale;
    const double m[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
        {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
        {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    const double o[3] = {(double)t->position.x, (double)t->position.y, (double)t->position.z};
    for (int i = 0; i < 3; ++i)
        out[i] = o[i] + s * (m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2]);
}

static void check_places(const rio_group *group, rico_transform where,
                         const rico_transform *found)
{
    static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CHECK(memcmp(&found[0], &where, sizeof where) == 0);
    for (uint32_t i = 1; i < group->count; ++i)
        for (int k = 0; k < 4; ++k) {
            double within[3], expected[3], got[3];
            apply(&group->items[i].place, points[k], within);
            apply(&where, within, expected);
            apply(&found[i], points[k], got);
            for (int a = 0; a < 3; ++a)
                CHECK_NEAR(got[a], expected[a], 1e-5);
        }
}

TEST(effects, of_a_group_are_where_their_file_says_and_go_along)
{
    troop t;
    rico_transform found[3], there = {{-5, 1, 2}, {0, 0, -0.0f, 1}, 0.25f};
    rico_effect_info info;
    open_troop(&t, "places");
    for (int i = 0; i < 3; ++i) {
        CHECK(rico_effect_get(t.s.world, t.ids[i], &info));
        CHECK_EQ(info.recipe.index1, t.source.group.items[i].recipe.index1);
        found[i] = info.transform;
    }
    check_places(&t.source.group, spot, found);
    for (uint32_t i = 0; i < 3; ++i) {
        found[i] = rio_group_place(&t.source.group, i, there);
        CHECK_EQ(rico_effect_move(t.s.world, t.ids[i], found[i]), RICO_OK);
    }
    check_places(&t.source.group, there, found);
    rio_group slack =
        t.source.group; /* lengths within the world's limits, as must be their product's */
    for (int i = 0; i < 2; ++i) {
        const float length = i == 0 ? 0.99901f : 1.00099f;
        slack.items[1].place.rotation = (rico_quat){0, 0.6f * length, 0, 0.8f * length};
        there.rotation = (rico_quat){0, 0, length, 0};
        CHECK_EQ(rico_effect_move(t.s.world, t.ids[1], rio_group_place(&slack, 1, there)),
                 RICO_OK);
    }
    close_set(&t.s);
}

/* --- All or none --------------------------------------------------------------------------- */

TEST(effects, of_a_group_are_spawned_together_or_not_at_all)
{
    troop t;
    rico_effect_id ids[3] = {{7, 7}, {7, 7}, {7, 7}};
    rico_effect_info info[3];
    rico_effect_def def = rico_effect_def_default();
    open_troop(&t, "troop");
    const uint64_t before = rico_world_hash(t.s.world);
    CHECK_EQ(rio_group_spawn(t.s.world, &t.source.group, NULL, ids, 2), RICO_FULL);
    CHECK_EQ(ids[0].index1, 7);
    def.transform.scale = 1.0e6f;
    rio_group far = t.source.group;
    far.items[1].place.scale = 10.0f;
    CHECK_EQ(rio_group_spawn(t.s.world, &far, &def, ids, 3), RICO_OUT_OF_RANGE);
    CHECK(ids[0].index1 == 0 && ids[2].index1 == 0);
    CHECK(rico_world_hash(t.s.world) == before);
    def = rico_effect_def_default();
    def.seed = UINT64_C(0) - UINT64_C(0x9e3779b97f4a7c15); /* the next seed must not be 0 */
    def.rate_scale = 2.0f;
    def.user = &t;
    CHECK_EQ(rio_group_spawn(t.s.world, &t.source.group, &def, ids, 3), RICO_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK(rico_effect_get(t.s.world, ids[i], &info[i]));
        CHECK(info[i].seed != 0 && info[i].rate_scale == 2.0f && info[i].user == &t);
    }
    CHECK(info[0].seed == def.seed && info[1].seed == 1 && info[2].seed != 1);
    CHECK_EQ(rio_effect_source_close(&t.source, t.s.world), RICO_IN_USE);
    close_set(&t.s);
}

TEST(effects, of_one_file_are_a_group_of_one)
{
    set s;
    char path[128];
    rio_effect_source source;
    rico_effect_id ids[2];
    uint64_t hashes[2];
    for (int way = 0; way < 2; ++way) {
        open_set(&s, "alone", 4);
        write_file(&s, "a", PUFF "\"spread\": 1}");
        path_of(&s, "a", path);
        CHECK_EQ(rio_effect_source_open(path, s.world, &source, NULL, 0), RICO_OK);
        rico_effect_def def = rico_effect_def_default();
        def.transform = spot;
        if (way == 0)
            ids[0] = rico_effect_spawn(s.world, source.recipe, spot);
        else
            CHECK_EQ(rio_group_spawn(s.world, &source.group, &def, &ids[1], 1), RICO_OK);
        for (int i = 0; i < 10; ++i)
            rico_world_step(s.world, 1.0f / 60.0f);
        hashes[way] = rico_world_hash(s.world);
        CHECK_EQ(rico_effect_destroy(s.world, ids[way]), RICO_OK);
        CHECK_EQ(rio_effect_source_close(&source, s.world), RICO_OK);
        CHECK_EQ(source.group.count, 0);
        close_set(&s);
    }
    CHECK(hashes[0] == hashes[1]);
}

/* --- From texts ---------------------------------------------------------------------------- */

static const char *read_any(void *user, const char *path, size_t *bytes)
{
    static const char text[] = FORMAT_LINE ", \"rate\": 7}";
    *bytes = strcmp(path, "pak:b.json") == 0 ? strlen(text) : 0;
    *(int *)user += *bytes > 0;
    return *bytes > 0 ? text : NULL;
}

TEST(effects, that_a_host_has_in_an_archive_have_groups_there)
{
    set s;
    int reads = 0;
    const rio_files files = {.read = read_any, .user = &reads};
    rio_links links = {.files = &files};
    rico_effect_id ids[3];
    rico_recipe r;
    open_set(&s, "pak", 8);
    rio_effect e = load_text(
        FORMAT_LINE ", \"with\": [{\"effect\": \"b\"}, {\"effect\": \"b\", \"scale\": 2}]}");
    snprintf(e.directory, sizeof e.directory, "pak:");
    rio_group group = rio_effect_group(&e, &links, (rico_recipe_id){0}); /* not linked yet */
    CHECK_EQ(rio_group_spawn(s.world, &group, NULL, ids, 3), RICO_STALE_ID);
    CHECK_EQ(rio_effect_link(s.world, &e, &links, &e.recipe, s.error, sizeof s.error), RICO_OK);
    group = rio_effect_group(&e, &links, rico_world_add_recipe(s.world, &e.recipe));
    CHECK_EQ(rio_group_spawn(s.world, &group, NULL, ids, 3), RICO_OK);
    CHECK_EQ(reads, 1); /* two effects of one recipe, read once */
    CHECK_EQ(group.items[1].recipe.index1, group.items[2].recipe.index1);
    CHECK(rico_world_get_recipe(s.world, group.items[2].recipe, &r) && r.rate == 7.0f);
    CHECK(group.items[2].place.scale == 2.0f);
    CHECK_EQ(rio_links_remove(s.world, &links), RICO_IN_USE);
    for (int i = 0; i < 3; ++i)
        CHECK_EQ(rico_effect_destroy(s.world, ids[i]), RICO_OK);
    CHECK_EQ(rio_links_remove(s.world, &links), RICO_OK);
    rio_effect_free(&e);
    close_set(&s);
}

/* --- Files that change --------------------------------------------------------------------- */

static float size_of(const troop *t, int i)
{
    rico_view v = rico_effect_view(t->s.world, t->ids[i]);
    CHECK(rico_view_next(&v) && v.count > 0 && v.size == NULL);
    return v.constant_size;
}

TEST(effects, of_a_group_follow_their_files)
{
    troop t;
    open_troop(&t, "gfollow");
    run_troop(&t, 5);
    CHECK(size_of(&t, 1) == 1.0f);
    write_file(&t.s, "b", PUFF "\"particle_size\": 3}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_CHANGED);
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_SAME);
    CHECK(size_of(&t, 1) == 3.0f && size_of(&t, 2) == 2.0f);
    write_file(&t.s, "b", PUFF "\"particle_size\": -3}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(t.s.error, "b.json:2:") != NULL, "%s", t.s.error);
    write_file(&t.s, "b", PUFF NAMES);
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(t.s.error, "b.json:2:") != NULL &&
                  strstr(t.s.error, "with[0].effect: found \"b\", expected no \"with\": other "
                                    "files name this one") != NULL,
              "%s", t.s.error);
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_SAME);
    close_set(&t.s);
}

/* An effect without end always has living particles. That must not make the change wait for
 * ever. */
TEST(effects, of_a_group_are_others_from_now_on_where_the_living_have_no_memory_for_them)
{
    troop t;
    open_troop(&t, "gmemory");
    run_troop(&t, 5);
    const rio_group old = t.source.group;
    const rico_effect_id first = t.ids[1];
    write_file(&t.s, "b", PUFF "\"particle_size\": 3, \"particle_ids\": true}");
    rio_source_news news = poll_troop(&t);
    CHECK_MSG(news == RIO_SOURCE_ADDED, "%d: %s", news, t.s.error);
    CHECK(size_of(&t, 1) == 1.0f);
    CHECK(t.source.group.items[1].recipe.index1 != old.items[1].recipe.index1);
    CHECK_EQ(t.source.group.items[2].recipe.index1, old.items[2].recipe.index1);
    const rico_effect_id others[2] = {t.ids[0], t.ids[2]};
    spawn_troop(&t);
    run_troop(&t, 5);
    CHECK(size_of(&t, 1) == 3.0f);
    write_file(&t.s, "b", PUFF "\"particle_size\": 4, \"particle_ids\": true}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_CHANGED);
    CHECK(size_of(&t, 1) == 4.0f);
    CHECK_EQ(t.source.links.count, 3);
    CHECK_EQ(rico_effect_destroy(t.s.world, first), RICO_OK);
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_SAME);
    CHECK_EQ(t.source.links.count, 2); /* the recipes of the old one have gone */
    for (int i = 0; i < 3; ++i)
        rico_effect_destroy(t.s.world, t.ids[i]);
    for (int i = 0; i < 2; ++i)
        rico_effect_destroy(t.s.world, others[i]);
    CHECK_EQ(rio_effect_source_close(&t.source, t.s.world), RICO_OK);
    CHECK_EQ(room_for_recipes(&t.s), 8);
    close_set(&t.s);
}

/* By turns "b" needs memory that the living effects of its last version lack. */
static rio_source_news change_b(troop *t, int version)
{
    char text[200];
    snprintf(text, sizeof text, PUFF "\"particle_size\": %d, \"%s\": true}", version + 2,
             version % 2 == 0 ? "particle_ids" : "rolls");
    write_file(&t->s, "b", text);
    return poll_troop(t);
}

TEST(effects,
     of_a_file_that_was_changed_more_often_than_there_is_room_for_wait_for_the_old_ones)
{
    troop t;
    open_troop_for(&t, "gversions", 32);
    rico_effect_id living[RIO_MOST_LINKS] = {t.ids[1]};
    const char *says =
        "b.json: living effects still use earlier versions of it, expected at most "
        "16 files and earlier versions in all";
    int version = 0;
    for (; t.source.links.count < RIO_MOST_LINKS; ++version) {
        run_troop(&t, 2);
        CHECK_EQ(change_b(&t, version), RIO_SOURCE_ADDED);
        CHECK_MSG(strstr(t.s.error, "b.json: ") != NULL &&
                      strstr(t.s.error, "; it applies to effects that are spawned from now on"),
                  "%s", t.s.error);
        living[version + 1] =
            rico_effect_spawn(t.s.world, t.source.group.items[1].recipe, spot);
    }
    run_troop(&t, 2);
    CHECK_EQ(change_b(&t, version), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(t.s.error, says) != NULL, "%s", t.s.error);
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_SAME);
    for (int i = 0; i < 4; ++i)
        CHECK_EQ(rico_effect_destroy(t.s.world, living[i]), RICO_OK);
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_SAME); /* their recipes go */
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_ADDED);
    close_set(&t.s);
}

TEST(effects, of_a_group_that_their_file_no_longer_names_go_on_until_they_end)
{
    troop t;
    open_troop(&t, "gnames");
    run_troop(&t, 5);
    write_file(&t.s, "a", PUFF "\"with\": [{\"effect\": \"c\"}]}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_ADDED);
    CHECK_EQ(t.source.group.count, 2);
    CHECK_EQ(t.source.links.count, 2);
    write_file(&t.s, "a", PUFF "\"with\": [{\"effect\": \"c\", \"scale\": 2}]}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_ADDED);
    CHECK(t.source.group.items[1].place.scale == 2.0f);
    write_file(&t.s, "a", PUFF "\"rate\": 5, \"with\": [{\"effect\": \"c\", \"scale\": 2}]}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_REFUSED); /* two rates */
    write_file(&t.s, "a",
               PUFF "\"with\": [{\"effect\": \"c\", \"scale\": 2}, {\"effect\": \"d\"}]}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(t.s.error, "with[1].effect: found \"d\", but ") != NULL, "%s", t.s.error);
    CHECK_EQ(t.source.group.count, 2); /* as before */
    write_file(&t.s, "d", PUFF "\"particle_size\": 1}");
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_ADDED);
    CHECK_EQ(t.source.group.count, 3);
    CHECK_EQ(rico_effect_destroy(t.s.world, t.ids[1]), RICO_OK);
    CHECK_EQ(poll_troop(&t), RIO_SOURCE_SAME);
    CHECK_EQ(t.source.links.count, 2); /* "c" and "d" */
    close_set(&t.s);
}
