/* Levels that are built before the first step, and changed while it rains. */
#include "runtime_movers.h"

#include "stages.h"

static rico_effect_id rain(rico_world *world)
{
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.5f, 1.5f, 0.1f};
    r.spread = 0.0f;
    r.speed = (rico_range){-2.0f, -1.0f};
    r.rate = 600.0f;
    r.lifetime = (rico_range){2.0f, 2.0f};
    r.max_particles = 2000;
    r.queries_per_frame = 1000.0f;
    return rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 5.0f));
}

#define HALF_GROUND 4.0f

/* Particles that bounce off a crate may leave the ground's edge, and do not count there. */
static bool is_under_ground(const rico_view *v, uint32_t i, const void *user)
{
    (void)user;
    return v->pz[i] < -0.05f && v->px[i] * v->px[i] < HALF_GROUND * HALF_GROUND &&
           v->py[i] * v->py[i] < HALF_GROUND * HALF_GROUND;
}

static uint32_t fallen(rico_world *world, rico_effect_id e)
{
    return count_grains(world, e, is_under_ground, NULL);
}

typedef enum edit { EDIT_REMOVES, EDIT_PLACES, EDIT_MOVES, EDIT_COUNT } edit;

/* Edits a crate in each step. It is on the ground or above it; the ground itself is never
 * edited. */
static rico_collider_id change(rico_world *world, rico_shape_id crate, rico_collider_id id,
                               edit how, int step, float height)
{
    const rico_motion motion = {.transform = at(0.01f * (float)(step % 5), 0.0f, height)};
    if (how == EDIT_REMOVES) {
        if (id.index1 == 0)
            return place_shape(world, crate, motion.transform);
        CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
        return (rico_collider_id){0};
    }
    if (id.index1 == 0)
        return place_shape(world, crate, motion.transform);
    if (how == EDIT_PLACES)
        CHECK_EQ(rico_world_place_colliders(world, &id, &motion, 1), RICO_OK);
    else if (step % 64 < 3) /* then it rests until it counts as still, within a step */
        CHECK_EQ(rico_world_move_colliders(world, &id, &motion, 1), RICO_OK);
    return id;
}

TEST(levels, that_are_broken_in_each_step_lose_nobody_through_what_stays)
{
    for (int how = 0; how < EDIT_COUNT; ++how)
        for (int on_ground = 0; on_ground < 2; ++on_ground) {
            rico_world *world = bare_world(1);
            add_box(world, HALF_GROUND, HALF_GROUND, 0.01f, at(0.0f, 0.0f, -0.01f));
            rico_shape_id crate = add_box_shape(world, 0.5f, 0.5f, 0.5f);
            rico_collider_id id = {0};
            rico_effect_id e = rain(world);
            CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
            for (int step = 0; step < 300; ++step) {
                id = change(world, crate, id, (edit)how, step, on_ground ? 0.5f : 0.6f);
                rico_world_step(world, DT);
                CHECK_EQ(fallen(world, e), 0);
            }
            rico_world_destroy(world);
        }
}

/* Records that were known before the first edits must be known again when the step begins, but
 * no others. */
TEST(levels, are_known_again_where_they_were_known)
{
    const rico_box there = {{-2.0f, -2.0f, -1.0f}, {2.0f, 2.0f, 1.0f}};
    for (int known = 0; known < 2; ++known) {
        rico_world *world = bare_world(1);
        rico_bake_report report;
        add_box(world, 4.0f, 4.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_shape_id crate = add_box_shape(world, 0.5f, 0.5f, 0.5f);
        if (known)
            CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        place_shape(world, crate, at(0.3f, 0.0f, 0.5f));
        rico_world_step(world, 0.0f); /* edits wait for a step of some time */
        CHECK_EQ(rico_cache_get_stats(world->records).record_count > 0, known != 0);
        rico_world_step(world, DT);
        CHECK_EQ(rico_cache_get_stats(world->records).record_count > 0, known != 0);
        CHECK_EQ(rico_world_get_stats(world).gathers > 0, known != 0);
        CHECK_EQ(rico_world_bake(world, &there, &report), RICO_OK);
        CHECK(report.cells > 16);
        CHECK_EQ(report.known, known ? report.cells : 0);
        rico_world_destroy(world);
    }
}

/* Whatever edits came before the first step, coverage must be what one pass over the whole
 * scene gives. */
TEST(levels, are_looked_at_once_before_the_first_step)
{
    rico_world *world = bare_world(1);
    rico_shape_id crate = add_box_shape(world, 0.4f, 0.3f, 0.2f);
    rico_collider_id ids[200];
    for (int i = 0; i < 200; ++i) {
        ids[i] =
            place_shape(world, crate, at((float)(i % 14), (float)(i / 14), 0.1f * (float)i));
        CHECK(world->edits.loading);
    }
    for (int i = 0; i < 200; i += 3)
        CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
    CHECK_EQ(world->coverage.size[0], 0);
    rico_world_step(world, DT);
    CHECK(!world->edits.loading);
    const rico__coverage made = world->coverage;
    const size_t cells = (size_t)made.size[0] * made.size[1] * made.size[2];
    int32_t *words = malloc(cells * sizeof *words);
    CHECK(cells > 1000 && words != NULL);
    memcpy(words, made.cells, cells * sizeof *words);
    rico__coverage_build(&world->coverage, world->scene, world->def.cell_size);
    CHECK(memcmp(made.lo, world->coverage.lo, sizeof made.lo) == 0 &&
          memcmp(made.size, world->coverage.size, sizeof made.size) == 0);
    CHECK(memcmp(words, world->coverage.cells, cells * sizeof *words) == 0);
    free(words);
    rico_world_destroy(world);
}
