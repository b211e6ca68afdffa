/* Many edits between two steps: what they touch is found quickly, and they cost what they
 * change. */
#include "runtime_births.h"
#include "runtime_layers.h"

#include "edit_boxes.h"
#include "random_boxes.h"
#include "state.h"
#include "vec.h"

typedef struct counted {
    uint32_t times[3000], all;
} counted;

static bool count(void *user, uint32_t edit)
{
    counted *c = user;
    c->times[edit] += 1;
    c->all += 1;
    return false;
}

static void check_question(const rico__edit_boxes *list, const rico_box *box, bool to_wake)
{
    static counted c;
    uint32_t expected = 0;
    memset(&c, 0, sizeof c);
    rico__edit_boxes_each(list, box, to_wake, count, &c);
    for (uint32_t i = 0; i < list->count; ++i) {
        const rico__edit_box *item = &list->items[i];
        bool meets = (item->wakes || !to_wake) && boxes_meet(&item->box, box);
        expected += meets;
        CHECK_EQ(c.times[i], meets);
    }
    CHECK_EQ(c.all, expected);
    CHECK_EQ(rico__edit_boxes_any(list, box, to_wake), expected > 0);
}

TEST(edits, are_met_by_the_same_boxes_however_many_there_are)
{
    static const uint32_t counts[] = {1, 64, 65, 500, 3000};
    uint32_t serial = 0;
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    for (uint32_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        rico__edit_boxes list;
        CHECK_EQ(rico__edit_boxes_init(&list, &memory), RICO_OK);
        for (uint32_t i = 0; i < counts[n]; ++i) {
            rico__edit_box edit = {.box = draw_box(&serial, 50.0f, i % 50 == 0 ? 40.0f : 2.0f),
                                   .wakes = i % 3 == 0};
            rico__edit_boxes_add(&list, &edit, &memory);
        }
        CHECK_EQ(list.count, counts[n]);
        rico__edit_boxes_sort(&list);
        CHECK_EQ(list.tree.levels > 0, counts[n] > RICO__EDIT_BOXES);
        for (uint32_t q = 0; q < (TEST_IS_SLOW ? 20 : 200); ++q) {
            rico_box box = draw_box(&serial, 60.0f, q % 10 == 0 ? 100.0f : 3.0f);
            check_question(&list, &box, false);
            check_question(&list, &box, true);
        }
        rico__edit_boxes_free(&list, &memory);
    }
    CHECK_EQ(memory.live_bytes, 0);
}

/* Without memory, edits are joined. A box that meets one of them must still meet the list. */
TEST(edits, that_find_no_room_are_joined)
{
    uint32_t serial = 7000;
    rico__memory memory;
    rico__edit_boxes list;
    rico__memory_init(&memory, NULL);
    CHECK_EQ(rico__edit_boxes_init(&list, &memory), RICO_OK);
    for (uint32_t i = 0; i < 300; ++i) {
        rico__edit_box edit = {.box = draw_box(&serial, 50.0f, 2.0f), .wakes = true};
        rico__edit_boxes_add(&list, &edit, NULL);
        CHECK(rico__edit_boxes_any(&list, &edit.box, true));
    }
    CHECK_EQ(list.count, RICO__EDIT_BOXES);
    rico__edit_boxes_free(&list, &memory);
}

static rico_collider_id add_crate(rico_world *world, rico_shape_id shape, float x, float y,
                                  float z)
{
    return place_shape(world, shape, at(x, y, z));
}

/* Adds so many thousand drops per second, from the given height. */
static void add_rain_on_floor(rico_world *world, float thousands, float height, float queries)
{
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){18.0f, 18.0f, 0.5f};
    r.rate = 1000.0f * thousands;
    r.lifetime = (rico_range){2.0f, 2.0f};
    r.max_particles = (uint32_t)(3000.0f * thousands);
    r.restitution = 0.2f;
    r.queries_per_frame = queries;
    r.events = RICO_EVENT_BIT_COLLISION;
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, height))
              .index1 != 0);
}

/* A floor of 40 m by 40 m, without drops. */
static rico_world *dry_floor_on(uint32_t workers)
{
    static const float corners[] = {-20, -20, 0, 20, -20, 0, 20, 20, 0, -20, 20, 0};
    static const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 8192;
    def.max_effects = 16;
    def.cache_bytes = 16 << 20;
    def.worker_count = workers;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_mesh floor = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &floor, RICO_TRANSFORM_IDENTITY).index1 != 0);
    return world;
}

/* The same with drops all over it. */
static rico_world *rainy_floor_on(uint32_t workers, float height)
{
    rico_world *world = dry_floor_on(workers);
    add_rain_on_floor(world, 1.0f, height, 50.0f);
    return world;
}

static rico_world *rainy_floor(float height)
{
    return rainy_floor_on(1, height);
}

/* Edits of one frame discard records together, by a walk through the table; a single edit does
 * it cell by cell. Both must leave the same records. */
TEST(edits, of_a_frame_forget_the_records_that_they_would_one_by_one)
{
    uint64_t hash[2], kept[2];
    for (int together = 0; together < 2; ++together) {
        rico_world *world = rainy_floor(3.0f);
        rico_shape_id shape = add_box_shape(world, 0.4f, 0.4f, 0.4f);
        uint32_t serial = 400;
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        run_steps(world, 3);
        const uint64_t before = rico_cache_get_stats(world->records).record_count;
        for (int i = 0; i < 300; ++i) {
            float x = draw(&serial, -14.0f, 14.0f), y = draw(&serial, -14.0f, 5.0f);
            add_crate(world, shape, x, y, draw(&serial, -0.2f, 2.0f));
            if (!together)
                rico__edits_forget(world);
        }
        rico__edits_forget(world);
        hash[together] = rico_cache_hash(world->records);
        kept[together] = rico_cache_get_stats(world->records).record_count;
        CHECK_MSG(kept[together] > before / 10 && kept[together] < before, "%u of %u",
                  (unsigned)kept[together], (unsigned)before);
        rico_world_destroy(world);
    }
    CHECK_EQ(kept[0], kept[1]);
    CHECK_EQ(hash[0], hash[1]);
}

/* Distances change where colliders come or go. They are computed once for all edits near each
 * other, and must be what a new scene would have. */
TEST(edits, of_one_place_have_distances_worked_out_once)
{
    rico_world *world = rainy_floor(3.0f);
    rico_shape_id shape = add_box_shape(world, 0.4f, 0.4f, 0.4f);
    rico_collider_id ids[40];
    add_crate(world, shape, 15.0f, 15.0f, 4.0f); /* makes coverage reach this high */
    run_steps(world, 2);
    rico__coverage *c = &world->coverage;
    for (int i = 0; i < 40; ++i) /* where the floor is already */
        add_crate(world, shape, (float)(i % 7), (float)(i / 7), 0.0f);
    rico__edits_settle(world, &world->memory);
    for (int i = 0; i < 40; ++i)
        ids[i] = add_crate(world, shape, (float)(i % 7), (float)(i / 7), 0.5f);
    CHECK_EQ(c->later_count, 0);
    for (int i = 0; i < 40; ++i)
        ids[i] = add_crate(world, shape, (float)(i % 7), (float)(i / 7), 2.0f);
    CHECK_EQ(c->later_count, 1);
    for (int i = 0; i < 40; i += 2)
        CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
    CHECK_EQ(c->later_count, 1);
    rico__edits_settle(world, &world->memory);
    rico__coverage fresh;
    CHECK_EQ(rico__coverage_init(&fresh, &world->memory), RICO_OK);
    rico_box bounds = {{-24.0f, -24.0f, -4.0f}, {24.0f, 24.0f, 6.0f}};
    rico__coverage_rebuild(&fresh, world->scene, world->def.cell_size, &bounds, false, NULL,
                           NULL);
    for (int32_t z = -2; z < 5; ++z)
        for (int32_t y = -8; y < 12; ++y)
            for (int32_t x = -8; x < 12; ++x) {
                const int32_t cell[3] = {x, y, z};
                size_t i, j;
                uint32_t beyond;
                if (rico__coverage_find(c, cell, &i, &beyond) &&
                    rico__coverage_find(&fresh, cell, &j, &beyond))
                    CHECK_EQ(rico__coverage_distance(c->cells[i]),
                             rico__coverage_distance(fresh.cells[j]));
            }
    rico__coverage_free(&fresh, &world->memory);
    rico_world_destroy(world);
}

/* Counts particles below z over the floor; those that drift over its edge do not count. */
static uint32_t below(const rico_world *world, float z)
{
    uint32_t lost = 0;
    for (rico_effect_id e = rico_world_next_effect(world, (rico_effect_id){0}); e.index1 != 0;
         e = rico_world_next_effect(world, e)) {
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                lost += v.pz[i] < z && v.pz[i] > -1.0f && fabsf(v.px[i]) < 18.5f &&
                        fabsf(v.py[i]) < 18.5f;
    }
    return lost;
}

/* 625 crates come in one frame and go in another: 17,000 cells. Gathers are spread over several
 * steps, and no particle may fall meanwhile. */
TEST(edits, of_hundreds_are_found_out_over_some_steps_and_nobody_falls_meanwhile)
{
    static rico_collider_id ids[625];
    rico_world *world = rainy_floor(4.0f);
    rico_shape_id shape = add_box_shape(world, 0.4f, 0.4f, 0.4f);
    uint32_t most = 0, all = 0;
    run_steps(world, 90);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 625; ++i)
            if (round == 0)
                ids[i] = add_crate(world, shape, 1.4f * (float)(i % 25) - 16.8f,
                                   1.4f * (float)(i / 25) - 16.8f, 1.0f);
            else
                CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
        for (int step = 0; step < 40; ++step) {
            run_steps(world, 1);
            uint32_t gathers = rico_world_get_stats(world).gathers;
            most = gathers > most ? gathers : most;
            all += gathers;
            CHECK_EQ(below(world, -0.01f), 0);
        }
    }
    CHECK_MSG(most < 400 && all > 10 * most, "%u of %u", most, all);
    CHECK_EQ(world->edits.asking_count, 0);
    rico_world_destroy(world);
}

/* In each frame 100 crates come or go, which is more than a step can gather. Each place must be
 * in the list once. */
TEST(edits, of_the_same_places_over_and_over_ask_once)
{
    rico_collider_id ids[100];
    rico_world *world = rainy_floor(4.0f);
    rico_shape_id shape = add_box_shape(world, 0.4f, 0.4f, 0.4f);
    run_steps(world, 60);
    for (int frame = 0; frame < 12; ++frame) {
        for (int i = 0; i < 100; ++i)
            if (frame % 2 == 0)
                ids[i] = add_crate(world, shape, 2.0f * (float)(i % 10) - 9.0f,
                                   2.0f * (float)(i / 10) - 9.0f, 1.0f);
            else
                CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
        run_steps(world, 1);
        CHECK_MSG(world->edits.asking_count > 0 && world->edits.asking_count <= 100, "%u",
                  world->edits.asking_count);
        CHECK_EQ(below(world, -0.01f), 0);
    }
    run_steps(world, 30);
    CHECK_EQ(world->edits.asking_count, 0);
    rico_world_destroy(world);
}

/* Returns the collisions of the last step, and counts those without a collider: they were off
 * planes that are only assumed. */
static uint32_t collisions(const rico_world *world, uint32_t *unknown)
{
    uint32_t count;
    const rico_event *events = rico_world_events(world, &count);
    for (uint32_t e = 0; e < count; ++e)
        *unknown += events[e].collider == 0;
    return count;
}

/* A floor of slabs by slabs boxes is lowered by 10 cm and raised again, in one frame each. No
 * particle may fall, and every bounce must know its collider. */
static void move_floor(int slabs)
{
    rico_collider_id ids[400];
    rico_motion motions[400];
    const float half = 20.0f / (float)slabs;
    const uint32_t count = (uint32_t)(slabs * slabs);
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    uint32_t met = 0, unknown = 0;
    def.max_particles = 8192;
    def.max_effects = 16;
    def.cache_bytes = 16 << 20;
    def.worker_count = 1;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_shape_id slab = add_box_shape(world, half, half, 0.2f);
    for (int i = 0; i < slabs * slabs; ++i) {
        motions[i] =
            (rico_motion){.transform = at(half * (float)(2 * (i % slabs) + 1) - 20.0f,
                                          half * (float)(2 * (i / slabs) + 1) - 20.0f, -0.2f)};
        ids[i] = place_shape(world, slab, motions[i].transform);
    }
    add_rain_on_floor(world, 2.0f, 4.0f, 50.0f);
    run_steps(world, 90);
    for (int round = 0; round < 4; ++round) {
        const float top = round % 2 == 0 ? -0.1f : 0.0f;
        for (uint32_t i = 0; i < count; ++i)
            motions[i].transform.position.z = top - 0.2f;
        CHECK_EQ(rico_world_place_colliders(world, ids, motions, count), RICO_OK);
        /* Particles in between when the floor is raised are inside it then, and do not count. */
        const uint32_t inside = below(world, top);
        for (int step = 0; step < 12; ++step) {
            run_steps(world, 1);
            CHECK_MSG(below(world, top - 0.02f) <= inside, "%d, round %d, step %d: %u of %u",
                      slabs, round, step, below(world, top - 0.02f), inside);
            CHECK(rico_world_get_stats(world).gathers < 500);
            met += collisions(world, &unknown);
        }
    }
    CHECK_MSG(unknown == 0 && met > 1000, "%u of %u", unknown, met);
    rico_world_destroy(world);
}

TEST(edits, of_all_of_a_floor_let_nobody_fall)
{
    move_floor(20);
    move_floor(1);
}

/* After such a shift no record fits a cell, so all are discarded. */
TEST(edits, a_shift_by_parts_of_cells_lets_nobody_fall)
{
    rico_world *world = dry_floor_on(1);
    rico_shape_id shape = add_box_shape(world, 0.4f, 0.4f, 0.4f);
    for (int i = 0; i < 100; ++i)
        add_crate(world, shape, 3.0f * (float)(i % 10) - 14.0f, 3.0f * (float)(i / 10) - 14.0f,
                  0.3f);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    add_rain_on_floor(world, 1.0f, 4.0f, 1.0f);
    run_steps(world, 120);
    uint32_t met = 0, unknown = 0;
    for (int round = 0; round < 3; ++round) {
        CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){0.3f, -0.1f, 0.0f}), RICO_OK);
        CHECK_EQ(rico_cache_get_stats(world->records).record_count, 0);
        for (int step = 0; step < 20; ++step) {
            run_steps(world, 1);
            CHECK_EQ(below(world, -0.02f), 0);
            met += collisions(world, &unknown);
        }
    }
    CHECK_MSG(unknown == 0 && met > 100, "%u of %u", unknown, met);
    CHECK(world->edits.lost > 0);
    run_steps(world, 600);
    CHECK_EQ(world->edits.lost, 0);
    rico_world_destroy(world);
}

/* Which cells are gathered first, and which in later steps, must not depend on the number of
 * workers. */
TEST(edits, of_hundreds_have_the_same_bits_on_any_number_of_workers)
{
    uint64_t hash[3];
    for (uint32_t k = 0; k < 3; ++k) {
        rico_world *world = rainy_floor_on(1 + k, 4.0f);
        rico_shape_id shape = add_box_shape(world, 0.4f, 0.4f, 0.4f);
        run_steps(world, 60);
        for (int i = 0; i < 625; ++i)
            add_crate(world, shape, 1.4f * (float)(i % 25) - 16.8f,
                      1.4f * (float)(i / 25) - 16.8f, 1.0f);
        run_steps(world, 4);
        CHECK(world->edits.asking_count > 0);
        hash[k] = rico_world_hash(world) ^ rico_cache_hash(world->records);
        run_steps(world, 10);
        hash[k] += rico_world_hash(world) ^ rico_cache_hash(world->records);
        rico_world_destroy(world);
    }
    CHECK_EQ(hash[1], hash[0]);
    CHECK_EQ(hash[2], hash[0]);
}

/* --- Any number of edits between two steps ---------------------------------------------- */

/* Tiles of half a metre, 16 to a row, are taken away from under resting grains that ignore
 * leaves. All grains must wake and fall. */
typedef enum change { REMOVED, LOWERED, ALL_LEAVES, LAST_WATER, CHANGES } change;

#define MOST_TILES 200

static uint32_t lay_tiles(rico_world *world, rico_collider_id *ids, rico_motion *motions,
                          uint32_t count)
{
    rico_shape_id tile = add_box_shape(world, 0.25f, 0.25f, 0.1f);
    for (uint32_t i = 0; i < count; ++i) {
        const float x = 0.5f * (float)(i % 16) - 3.75f, y = 0.5f * (float)(i / 16) + 0.25f;
        ids[i] = place_shape(world, tile, at(x, y, -0.1f));
        motions[i] = (rico_motion){.transform = at(x, y, -2.0f)};
        if (i % 32 == 31) /* so that the list does not grow before the change */
            rico_world_step(world, DT);
    }
    return (count - 1) / 16; /* full rows without the last tile */
}

static void change_tiles(rico_world *world, const rico_collider_id *ids,
                         const rico_motion *motions, uint32_t count, change how)
{
    if (how == LOWERED)
        CHECK_EQ(rico_world_place_colliders(world, ids, motions, count), RICO_OK);
    for (uint32_t i = 0; i < count && how != LOWERED; ++i)
        if (how == REMOVED)
            CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
        else
            CHECK_EQ(rico_world_set_layers(
                         world, ids[i], how == LAST_WATER && i == count - 1 ? WATER : LEAVES),
                     RICO_OK);
}

static void take_tiles_away(rico_collision_mode mode, uint32_t count, change how)
{
    static rico_collider_id ids[MOST_TILES];
    static rico_motion motions[MOST_TILES];
    const float above = -0.02f;
    rico_world *world = little_world();
    const float half = 0.25f * (float)lay_tiles(world, ids, motions, count);
    rico_recipe r = grains(mode, LEAVES);
    r.size = (rico_vec3){3.8f, half - 0.1f, 0.0f};
    r.burst_count = r.max_particles = 60;
    r.speed = (rico_range){0.0f, 0.0f};
    r.restitution = 0.0f;
    r.queries_per_frame = 100.0f;
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, half, 0.05f));
    run_steps(world, 20);
    CHECK_EQ(count_grains(world, e, is_above, &above), 60);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 60);
    change_tiles(world, ids, motions, count, how);
    run_steps(world, 8);
    CHECK_MSG(count_grains(world, e, is_above, &above) == 0,
              "mode %d, %u tiles, change %d: %u hang", (int)mode, count, (int)how,
              count_grains(world, e, is_above, &above));
    rico_world_destroy(world);
}

/* The list of a frame's edits has room for 64 at first, and doubles when it is full. The counts
 * are around these sizes. */
TEST(edits, are_told_to_who_rests_on_what_they_change_however_many_there_are)
{
    static const uint32_t counts[] = {65, 66, 129, 33, 64, 127, 128, 130, 200};
    for (uint32_t n = 0; n < (TEST_IS_SLOW ? 3 : sizeof counts / sizeof *counts); ++n)
        for (int m = 0; m < 2; ++m)
            for (int how = 0; how < CHANGES; ++how)
                take_tiles_away(modes[m], counts[n], (change)how);
}
