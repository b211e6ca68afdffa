/* Fields of effect files that have no effect: they are reported, and really have none. */
#include "effects_fixture.h"

static uint64_t add_floats(uint64_t hash, const float *floats, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
    }
    return hash;
}

/* Hashes the positions and ages of particles. */
static uint64_t hash_of_all(uint64_t hash, rico_world *world, rico_effect_id effect)
{
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v)) {
        hash = add_floats(hash, v.px, v.count);
        hash = add_floats(hash, v.py, v.count);
        hash = add_floats(hash, v.pz, v.count);
        hash = add_floats(hash, v.age, v.count);
    }
    return hash;
}

/* Runs a little over two seconds over a floor, and returns the hash. */
static uint64_t hash_of(const rio_effect *e)
{
    static const float corners[] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh ground = {
        .positions = corners, .vertex_count = 4, .indices = triangles, .triangle_count = 2};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.worker_count = 1;
    def.cache_bytes = def.classic_cache_bytes = 1 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    CHECK(rico_world_add_mesh(world, &ground, RICO_TRANSFORM_IDENTITY).index1 != 0);
    const rico_recipe_id id = rico_world_add_recipe(world, &e->recipe);
    rico_transform place = RICO_TRANSFORM_IDENTITY;
    place.position.z = 0.25f;
    const rico_effect_id effect = rico_effect_spawn(world, id, place);
    CHECK(effect.index1 != 0);
    uint64_t hash = 0;
    for (int i = 0; i < 130; ++i) {
        if (i == 60)
            CHECK(rico_world_get_stats(world).particles > 10);
        place.position.x += 0.02f;
        CHECK_EQ(rico_effect_move(world, effect, place), RICO_OK);
        rico_world_step(world, 1.0f / 60.0f);
        hash = hash_of_all(hash, world, effect);
    }
    rico_world_destroy(world);
    return hash;
}

#define ON_PLANE "\"mode\": \"fixed\", \"planes\": [{\"normal\": [0, 0, 1]}]"

static const struct {
    const char *beside, *idle, *says;
} cases[] = {
    {"\"mode\": \"none\"", "\"restitution\": 0.9",
     "restitution does nothing: mode is \"none\""},
    {"\"mode\": \"none\"", "\"friction\": 0.9", "friction does nothing: mode is \"none\""},
    {"\"mode\": \"none\"", "\"rest_speed\": 3", "rest_speed does nothing: mode is \"none\""},
    {"\"mode\": \"none\"", "\"on_collision\": \"die\"", "on_collision does nothing: mode is"},
    {"\"mode\": \"none\"", "\"lifetime_loss\": 1", "lifetime_loss does nothing: mode is"},
    {"\"mode\": \"none\"", "\"kill_below\": 10", "kill_below does nothing: mode is \"none\""},
    {"\"mode\": \"none\"", "\"kill_above\": 1", "kill_above does nothing: mode is \"none\""},
    {"\"mode\": \"none\"", "\"by_surface\": true", "by_surface does nothing: mode is \"none\""},
    {"\"mode\": \"classic\"", "\"by_surface\": true", "by_surface does nothing: planes belong"},
    {"\"mode\": \"none\"", "\"ignored_layers\": 2", "ignored_layers does nothing: mode is"},
    {ON_PLANE, "\"ignored_layers\": 2", "ignored_layers does nothing: mode is"},
    {"\"mode\": \"exact\"", "\"planes\": [{\"normal\": [0, 0, 1]}]",
     "planes does nothing: mode is not \"fixed\""},
    {"\"rate\": 50", "\"wind\": [5, 0, 0]", "wind does nothing: there is no drag"},
    {"\"drag_quadratic\": 1", "\"drag_over_life\": 2",
     "drag_over_life does nothing: drag is 0"},
    {"\"rate\": 50", "\"size\": [1, 1, 1]", "size does nothing: the shape has no size"},
    {"\"shape\": \"line\", \"size\": [1, 0, 0]", "\"surface\": true",
     "surface does nothing: the shape has no volume"},
    {"\"shape\": \"sphere\", \"size\": [0.1, 0, 0]", "\"spread\": 0.1",
     "spread does nothing: particles born in a sphere leave away from its middle"},
    {"\"rate\": 50", "\"burst_interval\": 0.1",
     "burst_interval does nothing: burst_count is 0"},
    {"\"rate\": 50", "\"rolling_friction\": 0.9", "rolling_friction does nothing: rolls is"},
    {"\"on_collision\": \"slide\"", "\"restitution\": 0.9", "restitution does nothing: on_c"},
    {"\"on_collision\": \"stick\"", "\"restitution\": 0.9", "restitution does nothing: on_c"},
    {"\"on_collision\": \"stop\"", "\"friction\": 0.9", "friction does nothing: on_collision"},
    {"\"on_collision\": \"stick\"", "\"friction\": 0.9", "friction does nothing: on_collision"},
    {"\"on_collision\": \"die\"", "\"friction\": 0.9", "friction does nothing: on_collision"},
    {"\"on_collision\": \"stop\"", "\"rest_speed\": 5",
     "rest_speed does nothing: on_collision"},
    {"\"on_collision\": \"die\"", "\"rest_speed\": 5", "rest_speed does nothing: on_collision"},
    {"\"on_collision\": \"die\"", "\"lifetime_loss\": 0.5", "lifetime_loss does nothing: on_c"},
    {"\"on_collision\": \"die\"", "\"kill_below\": 3", "kill_below does nothing: on_collision"},
    {"\"on_collision\": \"die\"", "\"kill_above\": 3", "kill_above does nothing: on_collision"},
    {"\"burst_count\": 9, \"duration\": 1.5, \"loops\": 2", "\"burst_interval\": 1.5",
     "burst_interval does nothing: it is not less than the duration"},
    {"\"hidden\": \"freezes\"", "\"hidden_steps\": 8", "hidden_steps does nothing: hidden is"},
    {"\"lod_distance\": 1", "\"cull_distance\": 1", "cull_distance does nothing: hidden is"},
    {"\"lod_distance\": 1", "\"lod_births\": 0.5", "lod_births does nothing: lod_below is 0"},
    {"\"space\": \"local\"", "\"inherit_velocity\": 1", "inherit_velocity does nothing: space"},
    {"\"duration\": 2", "\"bursts\": [{\"count\": 50, \"time\": 2}]",
     "bursts[0] does nothing: its time is not before the end of the duration"},
    {ON_PLANE, "\"forces\": [{\"kind\": \"vortex\", \"speed\": 3}]",
     "forces[0] does nothing: its strength is 0"},
};

TEST(effects, are_told_of_what_does_nothing_and_it_does_nothing)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char with[400], without[400], says[200];
        snprintf(without, sizeof without, FORMAT_LINE ", \"lifetime\": 0.6,\n%s}",
                 cases[i].beside);
        snprintf(with, sizeof with, FORMAT_LINE ", \"lifetime\": 0.6,\n%s,\n %s}",
                 cases[i].beside, cases[i].idle);
        rio_effect a = load_text(without), b = load_text(with);
        CHECK_MSG(a.idle[0] == '\0', "%s: %s", without, a.idle);
        snprintf(says, sizeof says, ": %s", cases[i].says);
        CHECK_MSG(strncmp(b.idle, "text:3:", 7) == 0 && strstr(b.idle, says) != NULL,
                  "'%s', expected '%s'", b.idle, says);
        CHECK_MSG(hash_of(&a) == hash_of(&b), "it does something: %s", with);
        rio_effect_free(&a);
        rio_effect_free(&b);
    }
    rio_effect a = load_text(FORMAT_LINE ", \"mode\": \"exact\", \"friction\": 0.2}");
    rio_effect b = load_text(FORMAT_LINE ", \"mode\": \"exact\", \"friction\": 0.3}");
    CHECK(hash_of(&a) != hash_of(&b));
    rio_effect_free(&a);
    rio_effect_free(&b);
}

TEST(effects, are_not_told_of_what_does_something_or_is_as_it_would_be_anyway)
{
    static const char *const texts[] = {
        "\"mode\": \"none\", \"restitution\": 0.5, \"size\": [0, 0, 0], \"wind\": [0, 0, 0]",
        "\"drag_quadratic\": 1, \"wind\": [1, 0, 0]",
        "\"drag\": 1, \"drag_over_life\": 0.5, \"wind\": [1, 0, 0]",
        "\"shape\": \"sphere\", \"size\": [1, 0, 0], \"spread\": 3.1415927, \"surface\": true",
        ON_PLANE ", \"friction\": 0.5",
        "\"on_collision\": \"stick\", \"lifetime_loss\": 0.5, \"kill_above\": 5",
        "\"burst_count\": 1000, \"burst_interval\": 1, \"duration\": 1.1",
        "\"rate\": 100, \"lifetime\": 11, \"on_collision\": \"die\"",
        "\"rate\": 100, \"lifetime\": 11, \"duration\": 9",
        "\"rate\": 100, \"lifetime\": 10",
        "\"on_collision\": \"slide\", \"friction\": 0.5, \"friction_random\": 0.5",
        "\"rolls\": true, \"rolling_friction\": 0.5, \"by_surface\": true",
        "\"burst_count\": 1, \"burst_interval\": 1, \"lod_below\": 1, \"lod_births\": 1",
        "\"hidden\": \"freezes\", \"cull_distance\": 20",
        "\"duration\": 2, \"bursts\": [{\"count\": 1, \"time\": 1.99}]",
        "\"forces\": [{\"kind\": \"orbit\", \"speed\": 1}, {\"kind\": \"none\"}]",
        "\"mode\": \"exact\", \"sub_emitters\": [{\"on\": \"collision\", \"effect\": \"a\"}]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char text[400];
        snprintf(text, sizeof text, FORMAT_LINE ", %s}", texts[i]);
        rio_effect e = load_text(text);
        CHECK_MSG(e.idle[0] == '\0', "%s: %s", text, e.idle);
        rio_effect_free(&e);
    }
}

/* What happened in four seconds. */
typedef struct counts {
    uint64_t starved; /* births that did not happen */
    uint64_t bounces;
} counts;

static counts counts_of(const rio_effect *e)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.worker_count = 1;
    def.cache_bytes = 1 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    const rico_recipe_id id = rico_world_add_recipe(world, &e->recipe);
    CHECK(rico_effect_spawn(world, id, RICO_TRANSFORM_IDENTITY).index1 != 0);
    counts all = {0, 0};
    for (int i = 0; i < 240; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        all.starved += rico_world_get_stats(world).births_starved;
        all.bounces += rico_world_get_stats(world).bounces;
    }
    rico_world_destroy(world);
    return all;
}

TEST(effects, are_told_that_planes_are_missing_and_nothing_collides_without_them)
{
    rio_effect a = load_text(FORMAT_LINE ",\n" ON_PLANE "}");
    rio_effect b = load_text(FORMAT_LINE ",\n\"mode\": \"fixed\"}");
    CHECK_MSG(strcmp(b.idle, "text:2:9: mode does nothing: it is \"fixed\", and there are no "
                             "planes") == 0,
              "%s", b.idle);
    CHECK(counts_of(&a).bounces > 0);
    CHECK_EQ(counts_of(&b).bounces, 0u);
    rio_effect_free(&a);
    rio_effect_free(&b);
}

TEST(effects, are_told_of_births_that_max_particles_has_no_room_for)
{
    static const char *const rooms[][3] = {
        {"\"burst_count\": 80, \"rate\": 0", "\"max_particles\": 50",
         "2:16: burst_count is more than max_particles: that is 50, and births beyond it do"},
        {"\"rate\": 30, \"lifetime\": [2, 3]", "\"max_particles\": 55",
         "2:9: rate times lifetime is more than max_particles: that is 55"},
        {"\"rate\": 30, \"lifetime\": 1, \"duration\": 2, \"lifetime_over_duration\": 2",
         "\"max_particles\": 55", ""},
        {"\"rate\": 30, \"lifetime\": 1, \"lifetime_over_duration\": 2",
         "\"max_particles\": 55", "2:9: rate times lifetime"},
        {"\"rate\": 0, \"bursts\": [{\"count\": 80}]", "\"max_particles\": 50",
         "2:33: bursts[0].count is more than max_particles"}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; ++i) {
        char text[400];
        snprintf(text, sizeof text, FORMAT_LINE ",\n%s}", rooms[i][0]);
        rio_effect enough = load_text(text);
        snprintf(text, sizeof text, FORMAT_LINE ",\n%s, %s}", rooms[i][0], rooms[i][1]);
        rio_effect few = load_text(text);
        CHECK_MSG(enough.idle[0] == '\0', "%s", enough.idle);
        CHECK_EQ(counts_of(&enough).starved, 0u);
        CHECK_MSG(rooms[i][2][0] == '\0' ? few.idle[0] == '\0'
                                         : strstr(few.idle, rooms[i][2]) != NULL,
                  "'%s', expected '%s'", few.idle, rooms[i][2]);
        CHECK(few.idle[0] == '\0' || counts_of(&few).starved > 0);
        rio_effect_free(&enough);
        rio_effect_free(&few);
    }
}

TEST(effects, are_told_of_the_first_of_it_and_how_much_there_is)
{
    rio_effect e = load_text(
        FORMAT_LINE ",\n\"mode\": \"none\", \"wind\": [1, 0, 0],\n\"sub_emitters\":\n"
                    "[{\"on\": \"collision\", \"effect\": \"a\"}], \"kill_above\": 3}");
    CHECK_MSG(strcmp(e.idle, "text:2:25: wind does nothing: there is no drag (and 2 more)") ==
                  0,
              "%s", e.idle);
    rio_effect_free(&e);
    e = load_text(FORMAT_LINE ",\n\"wind\": [1, 0, 0], \"mode\": \"none\", \"friction\": 0.9}");
    CHECK_MSG(strstr(e.idle, "text:2:9: wind does nothing") == e.idle, "%s", e.idle);
    rio_effect_free(&e);
    e = load_text(FORMAT_LINE ",\n\"friction\": 0.9, \"mode\": \"none\", \"wind\": [1, 0, 0]}");
    CHECK_MSG(strstr(e.idle, "text:2:13: friction does nothing") == e.idle, "%s", e.idle);
    rio_effect_free(&e);
    e = load_text(FORMAT_LINE ",\n\"wind\": [1, 0, 0]}");
    CHECK_MSG(strcmp(e.idle, "text:2:9: wind does nothing: there is no drag") == 0, "%s",
              e.idle);
    rio_effect_free(&e);
}

TEST(effects, are_told_of_it_who_want_to_know_of_no_errors)
{
    const char *text = FORMAT_LINE ",\n\"wind\": [1, 0, 0]}";
    for (size_t bytes = 0; bytes < 20; bytes += 10) {
        rio_effect e;
        char error[20];
        CHECK_EQ(
            rio_effect_parse("text", text, strlen(text), &e, bytes > 0 ? error : NULL, bytes),
            RICO_OK);
        CHECK_MSG(strcmp(e.idle, "text:2:9: wind does nothing: there is no drag") == 0, "%s",
                  e.idle);
        rio_effect_free(&e);
    }
}

TEST(effects, of_the_examples_say_nothing_that_does_nothing)
{
    for (size_t i = 0; example_names[i] != NULL; ++i) {
        char path[1024];
        rio_effect e;
        CHECK_EQ(
            rio_effect_load(example_path(example_names[i], path, sizeof path), &e, NULL, 0),
            RICO_OK);
        CHECK_MSG(e.idle[0] == '\0', "%s", e.idle);
        rio_effect_free(&e);
    }
}
