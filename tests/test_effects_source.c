/* Effect files that change while their effects run. */
#include "effects_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Owner: the test. One effect file in one world. */
typedef struct stage {
    char path[64], error[RIO_EFFECT_ERROR_BYTES];
    rico_world *world;
    rio_effect_source source;
    uint32_t writes, said; /* said: messages in the world's log */
} stage;

static void count_lines(void *user, rico_log_level level, const char *text)
{
    (void)level, (void)text;
    *(uint32_t *)user += 1;
}

/* Each write sets another time, however coarse the file system's clock is. */
static void write_file(stage *s, const char *text)
{
    FILE *file = fopen(s->path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0);
    fclose(file);
    set_time_of(s->path, 1000000 + (long)s->writes++);
}

static void open_stage(stage *s, const char *name, const char *text)
{
    memset(s, 0, sizeof *s);
    snprintf(s->path, sizeof s->path, "effect_%s_%ld.json", name, (long)getpid());
    write_file(s, text);
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.worker_count = 1;
    def.cache_bytes = 1 << 20;
    def.max_recipes = 3;
    def.log = (rico_log){count_lines, &s->said};
    CHECK_EQ(rico_world_create(&def, &s->world), RICO_OK);
    rico_result result =
        rio_effect_source_open(s->path, s->world, &s->source, s->error, sizeof s->error);
    CHECK_MSG(result == RICO_OK, "%s", s->error);
}

static void close_stage(stage *s)
{
    rico_world_destroy(s->world);
    remove(s->path);
}

static rio_source_news poll(stage *s)
{
    return rio_effect_source_poll(&s->source, s->world, s->error, sizeof s->error);
}

static rico_effect_id spawn(stage *s)
{
    return rico_effect_spawn(s->world, s->source.recipe, RICO_TRANSFORM_IDENTITY);
}

static void steps(stage *s, int count)
{
    for (int i = 0; i < count; ++i)
        rico_world_step(s->world, 1.0f / 60.0f);
}

#define PLAIN FORMAT_LINE ", \"mode\": \"none\", \"lifetime\": 5, \"max_particles\": 4000, "

TEST(effects, that_change_on_disk_go_on_with_what_was_written)
{
    stage s;
    open_stage(&s, "goes_on", PLAIN "\"rate\": 60}");
    rico_effect_id effect = spawn(&s);
    steps(&s, 60);
    CHECK_EQ(rico_effect_particle_count(s.world, effect), 60);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    CHECK(s.error[0] == '\0');
    write_file(&s, PLAIN "\"rate\": 600,\n\"friction\": 1}");
    CHECK_EQ(poll(&s), RIO_SOURCE_CHANGED);
    CHECK_MSG(strstr(s.error, ".json:2:13: friction does nothing: mode is") != NULL, "%s",
              s.error);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    steps(&s, 6);
    CHECK_EQ(rico_effect_particle_count(s.world, effect), 120);
    close_stage(&s);
}

#define SIZE_AT_ONE(kind, value)                                                               \
    PLAIN                                                                                      \
    "\"rate\": 0, \"burst_count\": 1, \"particle_size\": {\"interpolation\": \"" kind          \
    "\", \"keys\": [{\"at\": 0, \"value\": 1}, {\"at\": 0.5, \"value\": 1}, {\"at\": 1, "      \
    "\"value\": " value "}]}}"

static float size_of(stage *s, rico_effect_id effect)
{
    rico_view v = rico_effect_view(s->world, effect);
    CHECK(rico_view_next(&v) && v.count == 1);
    return v.size[0];
}

TEST(effects, that_change_only_a_curve_on_disk_follow_it_from_the_next_step)
{
    stage s;
    open_stage(&s, "curve", SIZE_AT_ONE("linear", "2"));
    rico_effect_id effect = spawn(&s);
    steps(&s, 225); /* at 3/4 of the particle's life */
    CHECK(fabsf(size_of(&s, effect) - 1.5f) < 0.01f);
    write_file(&s, SIZE_AT_ONE("linear", "3"));
    CHECK_EQ(poll(&s), RIO_SOURCE_CHANGED);
    steps(&s, 1);
    CHECK(fabsf(size_of(&s, effect) - 2.0f) < 0.02f);
    write_file(&s, SIZE_AT_ONE("smooth", "3")); /* a parabola: flat before it rises */
    CHECK_EQ(poll(&s), RIO_SOURCE_CHANGED);
    steps(&s, 1);
    CHECK(fabsf(size_of(&s, effect) - 1.5f) < 0.2f);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    CHECK_EQ(rico_effect_particle_count(s.world, effect), 1);
    close_stage(&s);
}

TEST(effects, that_break_on_disk_go_on_as_they_were)
{
    stage s;
    open_stage(&s, "breaks", PLAIN "\"rate\": 60}");
    rico_effect_id effect = spawn(&s);
    steps(&s, 60);
    write_file(&s, PLAIN "\"rate\": -1}");
    CHECK_EQ(poll(&s), RIO_SOURCE_REFUSED);
    CHECK(strstr(s.error, "rate is -1, expected 0 to") != NULL);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME); /* reported once */
    remove(s.path);
    CHECK_EQ(poll(&s), RIO_SOURCE_REFUSED);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    steps(&s, 60);
    CHECK_EQ(rico_effect_particle_count(s.world, effect), 120);
    write_file(&s, PLAIN "\"rate\": 0}");
    CHECK_EQ(poll(&s), RIO_SOURCE_CHANGED);
    steps(&s, 60);
    CHECK_EQ(rico_effect_particle_count(s.world, effect), 120);
    close_stage(&s);
}

#if !defined(_WIN32) /* which has no mode that forbids to read */
/* Waits, because file times of the kernel are coarse. */
static void wait_for_another_time(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* A process that may read the file all the same finds its old content. */
TEST(effects, that_may_not_be_read_for_a_while_are_read_when_they_may_be)
{
    stage s;
    open_stage(&s, "unreadable", PLAIN "\"rate\": 60}");
    spawn(&s);
    write_file(&s, PLAIN "\"rate\": 120}");
    CHECK_EQ(chmod(s.path, 0), 0);
    const rio_source_news news = poll(&s);
    CHECK(news == RIO_SOURCE_REFUSED || (news == RIO_SOURCE_CHANGED && geteuid() == 0));
    CHECK(news != RIO_SOURCE_REFUSED || strstr(s.error, "Permission denied") != NULL);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    wait_for_another_time();
    CHECK_EQ(chmod(s.path, 0644), 0);
    CHECK_EQ(poll(&s), RIO_SOURCE_CHANGED);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    close_stage(&s);
}
#endif

TEST(effects, that_change_too_much_on_disk_leave_the_living_as_they_were)
{
    stage s;
    open_stage(&s, "too_much", PLAIN "\"rate\": 60}");
    rico_effect_id old = spawn(&s);
    rico_recipe_id first = s.source.recipe;
    steps(&s, 60);
    write_file(&s, PLAIN "\"rate\": 120, \"events\": [\"death\"]}");
    CHECK_EQ(poll(&s), RIO_SOURCE_ADDED);
    CHECK_MSG(strstr(s.error, ".json: events: living particles have no memory for") != NULL,
              "%s", s.error);
    CHECK(s.source.recipe.index1 != first.index1);
    rico_effect_id young = spawn(&s);
    steps(&s, 60);
    CHECK_EQ(rico_effect_particle_count(s.world, old), 120);
    CHECK_EQ(rico_effect_particle_count(s.world, young), 120);
    /* Back to the first form: what suits the old effect does not suit the young one. */
    write_file(&s, PLAIN "\"rate\": 240}");
    CHECK_EQ(poll(&s), RIO_SOURCE_ADDED);
    CHECK_EQ(s.source.recipe.index1, first.index1);
    steps(&s, 60);
    CHECK_EQ(rico_effect_particle_count(s.world, old), 360);
    CHECK_EQ(rico_effect_particle_count(s.world, young), 240);
    /* The recipe slot is free again when no particle of it lives. */
    rico_effect_destroy(s.world, young);
    write_file(&s, PLAIN "\"rate\": 240, \"particle_ids\": true}");
    CHECK_EQ(poll(&s), RIO_SOURCE_ADDED);
    CHECK_EQ(s.source.recipe_count, 2);
    rico_effect_destroy(s.world, old);
    write_file(&s, PLAIN "\"rate\": 240, \"start_size\": [1, 2]}");
    CHECK_EQ(poll(&s), RIO_SOURCE_CHANGED);
    CHECK(s.error[0] == '\0');
    CHECK_EQ(s.said, 0); /* none of it is an error */
    close_stage(&s);
}

TEST(effects, that_no_recipe_is_left_for_are_refused)
{
    stage s;
    open_stage(&s, "full", PLAIN "\"rate\": 60}");
    static const char *const others[] = {"\"events\": [\"death\"]}", "\"start_size\": [1, 2]}",
                                         "\"start_color\": [1, 0, 0, 1]}"};
    for (int i = 0; i < 3; ++i) {
        char text[200];
        spawn(&s);
        steps(&s, 10);
        snprintf(text, sizeof text, "%s%s", PLAIN, others[i]);
        write_file(&s, text);
        CHECK_EQ(poll(&s), i < 2 ? RIO_SOURCE_ADDED : RIO_SOURCE_REFUSED);
    }
    CHECK_MSG(strstr(s.error, "no room for another recipe (world_def.max_recipes)") != NULL,
              "%s", s.error);
    CHECK(rico_effect_is_alive(s.world, spawn(&s)));
    close_stage(&s);
}

/* The recipe is taken without another change of the file, and the refusal is reported once. */
TEST(effects, that_no_recipe_was_left_for_follow_when_one_is)
{
    stage s;
    open_stage(&s, "left", PLAIN "\"rate\": 60}");
    static const char *const others[] = {"\"events\": [\"death\"]}", "\"start_size\": [1, 2]}",
                                         "\"start_color\": [1, 0, 0, 1], \"rate\": 77}"};
    rico_effect_id ids[3];
    rico_recipe now;
    for (int i = 0; i < 3; ++i) {
        char text[200];
        ids[i] = spawn(&s);
        steps(&s, 10);
        snprintf(text, sizeof text, "%s%s", PLAIN, others[i]);
        write_file(&s, text);
        CHECK_EQ(poll(&s), i < 2 ? RIO_SOURCE_ADDED : RIO_SOURCE_REFUSED);
    }
    for (int i = 0; i < 3; ++i) {
        steps(&s, 1);
        CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    }
    rico_effect_destroy(s.world, ids[1]);
    steps(&s, 1);
    CHECK_EQ(poll(&s), RIO_SOURCE_ADDED);
    CHECK(rico_world_get_recipe(s.world, s.source.recipe, &now));
    CHECK(now.rate == 77.0f);
    CHECK_EQ(poll(&s), RIO_SOURCE_SAME);
    close_stage(&s);
}

TEST(effects, that_are_closed_give_back_what_they_took)
{
    stage s;
    open_stage(&s, "closed", PLAIN "\"rate\": 60}");
    rico_effect_id old = spawn(&s);
    steps(&s, 30);
    write_file(&s, PLAIN "\"rate\": 120, \"events\": [\"death\"]}");
    CHECK_EQ(poll(&s), RIO_SOURCE_ADDED);
    CHECK_EQ(rio_effect_source_close(&s.source, s.world), RICO_IN_USE);
    CHECK_EQ(s.source.recipe_count, 1); /* the recipe that is in use */
    CHECK(rico_effect_is_alive(s.world, old));
    rico_effect_destroy(s.world, old);
    CHECK_EQ(rio_effect_source_close(&s.source, s.world), RICO_OK);
    CHECK_EQ(s.source.recipe_count, 0);
    CHECK_EQ(rio_effect_source_close(&s.source, s.world), RICO_OK);
    CHECK_EQ(spawn(&s).index1, 0);
    for (int i = 0; i < 5; ++i) { /* one after the other, more often than there are slots */
        CHECK_EQ(rio_effect_source_open(s.path, s.world, &s.source, s.error, sizeof s.error),
                 RICO_OK);
        CHECK_EQ(rio_effect_source_close(&s.source, s.world), RICO_OK);
    }
    /* A recipe that the host has removed is not kept for the next time. */
    CHECK_EQ(rio_effect_source_open(s.path, s.world, &s.source, s.error, sizeof s.error),
             RICO_OK);
    CHECK_EQ(rico_world_remove_recipe(s.world, s.source.recipe), RICO_OK);
    CHECK_EQ(rio_effect_source_close(&s.source, s.world), RICO_STALE_ID);
    CHECK_EQ(s.source.recipe_count, 0);
    CHECK_EQ(rio_effect_source_close(&s.source, s.world), RICO_OK);
    close_stage(&s);
}
