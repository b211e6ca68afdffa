/* test_quality_run.c - a whole run of bench_quality, small: particles are followed from birth to
 * death, with their bounces. */
#include "testing.h"

#include "quality_run.h"

#define EFFECTS 12u
#define PARTICLES 60u

/* A run in the scene of tables, of lives begun after 4 s. */
static quality_tally run_tables(rico_collision_mode mode, uint32_t sample)
{
    static quality_scene scene;
    quality_emitter emitters[EFFECTS];
    ray_scenes files = {.dir = NULL};
    char why[RIO_ERROR_BYTES];
    uint32_t table = 0;
    while (strcmp(quality_scene_infos[table].name, "table") != 0)
        ++table;
    CHECK(quality_scene_make(&scene, &quality_scene_infos[table], &files, why, sizeof why));
    CHECK(quality_emitters_place(&scene, emitters, EFFECTS));
    quality_setup setup = {.scene = &scene,
                           .emitters = emitters,
                           .effects = EFFECTS,
                           .particles = PARTICLES,
                           .mode = mode,
                           .budget = 4.0f,
                           .threads = 1,
                           .watched = true};
    quality_options options = {
        .sample = sample, .warm_frames = QUALITY_RATE, .steady_only = true};
    quality_result result;
    CHECK(quality_run(&setup, &options, &result));
    quality_scene_free(&scene);
    CHECK_EQ(result.phase[QUALITY_COLD].lives, 0);
    CHECK_EQ(result.phase[QUALITY_WARM].births_starved, 0);
    CHECK_EQ(result.phase[QUALITY_WARM].events_dropped, 0);
    return result.phase[QUALITY_WARM];
}

TEST(quality, a_run_follows_each_life_or_one_in_so_many)
{
    quality_tally all = run_tables(RICO_COLLIDE_EXACT, 1);
    quality_tally some = run_tables(RICO_COLLIDE_EXACT, 4);
    CHECK_EQ(all.lives, EFFECTS * PARTICLES / 3u);
    CHECK_EQ(some.lives, all.lives / 4u);
    /* Lives of 2 to 4 s. */
    double mean = (double)all.steps / (double)all.lives / (double)QUALITY_RATE;
    CHECK_NEAR(mean, 3.0, 0.15);
}

/* Bounces come from events: without them nothing could happen in mid-air. */
TEST(quality, a_run_sees_that_classic_planes_go_on_beyond_a_table)
{
    quality_tally classic = run_tables(RICO_COLLIDE_CLASSIC, 1);
    CHECK(classic.charged[2] > 0);
}

TEST(quality, a_run_charges_those_who_do_not_collide_and_no_others)
{
    quality_tally exact = run_tables(RICO_COLLIDE_EXACT, 1);
    quality_tally none = run_tables(RICO_COLLIDE_NONE, 1);
    for (uint32_t c = 0; c < QUALITY_CHARGES; ++c)
        CHECK_EQ(exact.charged[c], 0);
    CHECK(none.charged[0] > none.lives / 2u); /* fell */
    CHECK_EQ(none.kind_charged[QUALITY_GRAVEL][0], none.kind_lives[QUALITY_GRAVEL]);
    CHECK(none.charged[1] >= none.charged[0]);                        /* leaked */
    CHECK_EQ(none.charged[2] + none.charged[3] + none.charged[5], 0); /* no bounce, no rest */
}
