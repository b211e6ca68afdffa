/* test_quality_run.c - a whole run of bench_quality, small. Particles are followed from birth to
 * death, with their bounces. */
#include "testing.h"

#include "quality_run.h"

#define EFFECTS 12u
#define PARTICLES 60u

static void make_scene(quality_scene *scene, const char *name, quality_emitter *emitters)
{
    ray_scenes files = {.dir = NULL};
    char why[RIO_ERROR_BYTES];
    uint32_t i = 0;
    while (strcmp(quality_scene_infos[i].name, name) != 0)
        ++i;
    CHECK(quality_scene_make(scene, &quality_scene_infos[i], &files, why, sizeof why));
    CHECK(quality_emitters_place(scene, emitters, EFFECTS));
}

/* Runs the scene of tables and returns the tally of lives that began after 4 s. */
static quality_tally run_tables(rico_collision_mode mode, uint32_t sample)
{
    static quality_scene scene;
    quality_emitter emitters[EFFECTS];
    make_scene(&scene, "table", emitters);
    quality_setup setup = {.scene = &scene,
                           .emitters = emitters,
                           .effects = EFFECTS,
                           .particles = PARTICLES,
                           .mode = mode,
                           .budget = 4.0f,
                           .threads = 1,
                           .watched = true};
    quality_options options = {.sample = sample, .warm_frames = QUALITY_RATE, .steady = true};
    quality_result result;
    CHECK(quality_run(&setup, &options, &result));
    quality_scene_free(&scene);
    /* The first two seconds have a burst at each end, from one emitter in six. */
    CHECK_EQ(result.phase[QUALITY_COLD].lives,
             2u * result.phase[QUALITY_WARM].lives + EFFECTS / 6u * (PARTICLES / 3u) / sample);
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
    /* Lives last 2 to 4 s. */
    double mean = (double)all.steps / (double)all.lives / (double)QUALITY_RATE;
    CHECK_NEAR(mean, 3.0, 0.15);
}

/* Bounces are known from events: without events no bounce in mid-air could be seen. */
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

/* --- Births --------------------------------------------------------------------------------- */

#define SHEET_PARTICLES 300u
#define SHEET_IDS 2000u /* ids of one emitter in a run */

/* Counts derived only from the particles as they are at the ends of frames. */
typedef struct sinkers {
    uint32_t lives, at_once,
        ever; /* below the sheet when first seen; ever half a metre below it */
} sinkers;

static sinkers count_sinkers(const quality_setup *setup)
{
    static bool followed[EFFECTS][SHEET_IDS], sunk[EFFECTS][SHEET_IDS];
    sinkers n = {0, 0, 0};
    quality_world w;
    bool ok = true;
    memset(followed, 0, sizeof followed);
    memset(sunk, 0, sizeof sunk);
    CHECK(quality_world_open(&w, setup));
    for (uint32_t f = 1; f <= QUALITY_STEADY_FRAME + 6u * QUALITY_RATE && ok; ++f) {
        quality_world_step(&w, &ok);
        bool births = f > QUALITY_STEADY_FRAME && f <= QUALITY_STEADY_FRAME + QUALITY_RATE;
        for (uint32_t e = 0; e < EFFECTS; ++e) {
            rico_view v = rico_effect_view(w.world, w.effects[e]);
            while (rico_view_next(&v))
                for (uint32_t i = 0; i < v.count && v.id[i] < SHEET_IDS; ++i) {
                    bool *follow = &followed[e][v.id[i]], *sink = &sunk[e][v.id[i]];
                    if (births && !*follow && v.age[i] <= (float)quality_dt()) {
                        *follow = true;
                        n.lives += 1;
                        n.at_once += v.pz[i] < 0.0f ? 1u : 0u;
                    }
                    n.ever += *follow && !*sink && v.pz[i] <= -0.5f ? 1u : 0u;
                    *sink = *sink || (*follow && v.pz[i] <= -0.5f);
                }
        }
    }
    CHECK(ok);
    quality_world_close(&w);
    return n;
}

/* Shrapnel born a little above one bare sheet. */
static quality_tally run_sheet(rico_collision_mode mode, sinkers *seen)
{
    static float corners[12] = {-200, -200, 0, 200, -200, 0, 200, 200, 0, -200, 200, 0};
    static uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    const quality_scene_info info = {.name = "sheet", .world = "sheet"};
    quality_emitter emitters[EFFECTS];
    quality_scene scene = {.info = &info,
                           .mesh = {.positions = corners,
                                    .vertex_count = 4,
                                    .indices = indices,
                                    .triangle_count = 2},
                           .bounds = {{-200, -200, 0}, {200, 200, 0}},
                           .footing = &scene.mesh};
    rico_mesh mesh = rio_mesh_view(&scene.mesh);
    scene.space.still = scene.still = quality_truth_create(&mesh);
    for (uint32_t i = 0; i < EFFECTS; ++i)
        emitters[i] =
            (quality_emitter){.kind = QUALITY_SHRAPNEL,
                              .transform = {{3.0f * (float)i, 0, 0.2f}, {0, 0, 0, 1}, 1},
                              .floor = {{0, 0, 1}, 0},
                              .room = 0.2f};
    quality_setup setup = {.scene = &scene,
                           .emitters = emitters,
                           .effects = EFFECTS,
                           .particles = SHEET_PARTICLES,
                           .mode = mode,
                           .budget = 1.0f,
                           .threads = 1,
                           .watched = true};
    quality_options options = {.sample = 1, .warm_frames = QUALITY_RATE, .steady = true};
    quality_result result;
    CHECK(quality_run(&setup, &options, &result));
    *seen = count_sinkers(&setup);
    quality_truth_destroy(scene.still);
    return result.phase[QUALITY_WARM];
}

TEST(quality, who_is_born_through_a_sheet_in_its_first_step_fell)
{
    sinkers seen;
    quality_tally none = run_sheet(RICO_COLLIDE_NONE, &seen);
    CHECK_EQ(none.lives, EFFECTS * SHEET_PARTICLES / 3u);
    CHECK_EQ(none.lives, seen.lives);
    CHECK(seen.at_once > seen.lives / 15u);
    CHECK_EQ(none.charged[0], seen.ever);
    quality_tally exact = run_sheet(RICO_COLLIDE_EXACT, &seen);
    CHECK_EQ(exact.charged[0] + exact.charged[1] + seen.ever + seen.at_once, 0);
    CHECK_EQ(exact.bounces_lost + none.bounces_lost, 0);
}

/* --- Baked lives ---------------------------------------------------------------------------- */

/* Mode none, in the scene of tables, where nearly every particle falls. */
static void write_charges(bool baked, FILE *file)
{
    quality_emitter emitters[EFFECTS];
    quality_scene scene;
    make_scene(&scene, "table", emitters);
    quality_setup setup = {.scene = &scene,
                           .emitters = emitters,
                           .effects = EFFECTS,
                           .particles = PARTICLES,
                           .mode = RICO_COLLIDE_NONE,
                           .threads = 1,
                           .baked = baked,
                           .watched = true};
    quality_options options = {.sample = 4, .warm_frames = 0, .charges = file};
    quality_result result;
    CHECK(quality_run(&setup, &options, &result));
    quality_scene_free(&scene);
}

TEST(quality, charges_of_baked_lives_are_written_as_such_and_of_others_not)
{
    FILE *lines[2] = {tmpfile(), tmpfile()};
    char line[256], phase[16];
    for (uint32_t baked = 0; baked < 2; ++baked) {
        CHECK(lines[baked] != NULL);
        if (!lines[baked])
            return;
        write_charges(baked != 0, lines[baked]);
        rewind(lines[baked]);
        uint32_t count = 0;
        while (fgets(line, sizeof line, lines[baked])) {
            CHECK_EQ(sscanf(line, "%*s %*s %*s %15s", phase), 1);
            CHECK(strcmp(phase, baked ? "baked" : "cold") == 0);
            ++count;
        }
        CHECK(count > 0);
        fclose(lines[baked]);
    }
}

/* --- Queries -------------------------------------------------------------------------------- */

static quality_tally ask(const char *name, rico_collision_mode mode, bool untold)
{
    quality_emitter emitters[EFFECTS];
    quality_scene scene;
    make_scene(&scene, name, emitters);
    quality_setup setup = {.scene = &scene,
                           .emitters = emitters,
                           .effects = EFFECTS,
                           .particles = PARTICLES,
                           .mode = mode,
                           .threads = 1,
                           .untold = untold,
                           .watched = true};
    quality_options options = {.sample = 1, .warm_frames = 2u * QUALITY_RATE, .steady = true};
    quality_result result;
    CHECK(quality_run(&setup, &options, &result));
    quality_scene_free(&scene);
    return result.phase[QUALITY_WARM];
}

TEST(quality, those_at_rest_on_a_platform_ride_unless_nothing_carries_them)
{
    quality_tally exact = ask("platform", RICO_COLLIDE_EXACT, false);
    quality_tally untold = ask("platform", RICO_COLLIDE_EXACT, true);
    CHECK(exact.boarded > exact.lives / 10u);
    CHECK(10u * exact.rode > 9u * exact.boarded);
    CHECK(untold.boarded > untold.lives / 50u);
    CHECK(20u * untold.rode < untold.boarded);
}

TEST(quality, those_in_a_gutter_come_to_rest_in_it_unless_they_do_not_collide)
{
    quality_tally exact = ask("gutter", RICO_COLLIDE_EXACT, false);
    quality_tally none = ask("gutter", RICO_COLLIDE_NONE, false);
    CHECK(exact.inside > exact.lives / 10u);
    CHECK(10u * exact.rested > 9u * exact.inside);
    CHECK(none.inside > none.lives / 2u);
    CHECK_EQ(none.rested, 0);
}
