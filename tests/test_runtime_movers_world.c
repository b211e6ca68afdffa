/* Worlds with moving colliders: the same bits everywhere, no memory in a step, and edits that
 * are refused. */
#include "runtime_isa.h"
#include "runtime_movers.h"

/* --- What holds in every world ---------------------------------------------------------- */

typedef struct yard {
    rico_world *world;
    rico_collider_id lift, fan, ball;
} yard;

static yard make_yard(uint32_t workers)
{
    yard y = {.world = small_world(workers, true)};
    rico_shape_def ball = rico_shape_def_default();
    rico_shape_id shape;
    ball.kind = RICO_SHAPE_SPHERE;
    ball.radius = 0.7f;
    CHECK_EQ(rico_world_add_shape(y.world, &ball, NULL, &shape), RICO_OK);
    y.ball = place_shape(y.world, shape, at(-4.0f, 3.0f, 0.5f));
    y.lift = add_box(y.world, 1.0f, 1.0f, 0.1f, lift(0));
    y.fan = add_box(y.world, 2.0f, 0.1f, 0.8f, at(4.0f, 0.0f, 1.0f));
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe r = rico_recipe_default();
        r.mode = (rico_collision_mode)mode;
        r.rate = 150.0f;
        r.spread = 1.2f;
        r.events = RICO_EVENT_BIT_COLLISION;
        rico_recipe_id id = rico_world_add_recipe(y.world, &r);
        for (int i = 0; i < 4; ++i)
            CHECK(
                rico_effect_spawn(y.world, id, at((float)i * 2.5f - 4.0f, 0.0f, 1.7f)).index1);
    }
    return y;
}

/* The lift stands still for a while in between. The ball jumps at times, and is removed at
 * last. */
static void step_yard(yard *y, int frame)
{
    if (frame < 40 || frame > 140)
        move_to(y->world, y->lift, lift(frame));
    move_to(y->world, y->fan, turned(4.0f, 0.0f, 1.0f, 0.1f * (float)frame));
    rico_motion motion = {.transform = at(-4.0f + 0.03f * (float)frame, 3.0f, 0.5f)};
    if (frame % 30 == 0 && frame < 150)
        CHECK_EQ(rico_world_place_colliders(y->world, &y->ball, &motion, 1), RICO_OK);
    else if (frame < 150)
        move_to(y->world, y->ball, motion.transform);
    else if (frame == 150)
        CHECK_EQ(rico_world_remove_collider(y->world, y->ball), RICO_OK);
}

static uint64_t yard_hash(uint32_t workers)
{
    yard y = make_yard(workers);
    uint64_t hash = 0;
    for (int frame = 1; frame <= 180; ++frame) {
        step_yard(&y, frame);
        rico_world_step(y.world, DT);
        if (frame % 16 == 0)
            hash = hash * 31 + rico_world_hash(y.world);
    }
    hash = hash * 31 + rico_world_hash(y.world);
    rico_world_destroy(y.world);
    return hash;
}

TEST(movers, give_the_same_bits_for_any_number_of_workers)
{
    static const uint32_t workers[] = {3, 2, 8};
    uint64_t expected = yard_hash(1);
    for (size_t i = 0; i < test_few_rounds(3, 1); ++i)
        CHECK_MSG(yard_hash(workers[i]) == expected, "differs with %u workers", workers[i]);
}

/* The expected hash changes only with a commit that says why. */
TEST(movers, give_the_golden_hash_on_every_isa)
{
    for (int isa = -1; on_next_isa(&isa);) {
        uint64_t hash = yard_hash(1);
        CHECK_MSG(hash == 0xa6691b1a27b45366ULL, "the hash is 0x%016llx with %s",
                  (unsigned long long)hash, rico__isa_name((rico__isa)isa));
    }
}

TEST(movers, allocate_nothing_in_a_step)
{
    yard y = make_yard(2);
    for (int frame = 1; frame <= 200; ++frame) {
        step_yard(&y, frame);
        uint64_t before = rico_world_get_stats(y.world).allocations;
        uint64_t scene = rico_scene_get_stats(rico_world_scene(y.world)).bytes;
        rico_world_step(y.world, DT);
        CHECK_EQ(rico_world_get_stats(y.world).allocations, before);
        CHECK_EQ(rico_scene_get_stats(rico_world_scene(y.world)).bytes, scene);
    }
    rico_world_destroy(y.world);
}

/* --- Errors ------------------------------------------------------------------------------- */

TEST(movers, are_all_moved_or_none)
{
    rico_world *world = bare_world(1);
    rico_collider_id ids[2];
    ids[0] = add_box(world, 1.0f, 1.0f, 1.0f, at(0.0f, 0.0f, 0.0f));
    ids[1] = add_box(world, 1.0f, 1.0f, 1.0f, at(5.0f, 0.0f, 0.0f));
    rico_motion motions[2] = {{.transform = at(1.0f, 0.0f, 0.0f)},
                              {.transform = at(NAN, 0.0f, 0.0f)}};
    CHECK_EQ(rico_world_move_colliders(world, ids, motions, 2), RICO_NOT_FINITE);
    CHECK_EQ(rico_world_last_result(world), RICO_NOT_FINITE);
    CHECK_EQ(world->movers.count, 0);
    motions[1].transform = at(6.0f, 0.0f, 0.0f);
    ids[1].generation += 1;
    CHECK_EQ(rico_world_move_colliders(world, ids, motions, 2), RICO_STALE_ID);
    CHECK_EQ(world->movers.count, 0);
    rico_motion motion;
    CHECK_EQ(rico_scene_collider_state(rico_world_scene(world), ids[0], NULL, &motion),
             RICO_OK);
    CHECK(motion.transform.position.x == 0.0f);
    rico_world_destroy(world);
}

TEST(movers, are_not_meshes_that_were_added_as_they_lie)
{
    rico_world *world = small_world(1, true);
    rico_collider_id ground = rico_scene_collider_id(rico_world_scene(world), 1);
    rico_motion motion = {.transform = at(0.0f, 0.0f, 1.0f)};
    CHECK_EQ(rico_world_move_colliders(world, &ground, &motion, 1), RICO_OUT_OF_RANGE);
    CHECK_EQ(world->movers.count, 0);
    rico_world_destroy(world);
}

TEST(movers, see_what_was_missed_while_an_effect_was_paused)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_collider_id platform = add_box(world, 1.0f, 1.0f, 0.1f, at(0.0f, 0.0f, 1.0f));
        rico_effect_id e = drop_grains(world, modes[m], 50, 0.5f, at(0.0f, 0.0f, 1.3f));
        run_steps(world, 100);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
        CHECK_EQ(rico_effect_set_time_scale(world, e, 0.0f), RICO_OK);
        CHECK_EQ(rico_world_remove_collider(world, platform), RICO_OK);
        run_steps(world, 3);
        CHECK_EQ(rico_effect_set_time_scale(world, e, 1.0f), RICO_OK);
        run_steps(world, 100);
        float half = 0.5f;
        CHECK_EQ(count_grains(world, e, is_above, &half), 0);
        rico_world_destroy(world);
    }
}

/* A plate is to pass a grain within one step when the origin moves. It must still meet the
 * grain on its way. */
TEST(movers, are_on_their_way_still_when_the_origin_moves)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id plate = add_box(world, 0.05f, 1.0f, 1.0f, at(-1.0f, 0.0f, 0.0f));
        rico_effect_id e = place_grain(world, modes[m]);
        move_to(world, plate, at(-1.0f, 0.0f, 0.0f));
        run_steps(world, 2);
        move_to(world, plate, at(1.0f, 0.0f, 0.0f));
        CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){100.0f, 0.0f, 0.0f}), RICO_OK);
        run_steps(world, 1);
        float face = -98.97f;
        CHECK_EQ(count_grains(world, e, is_beyond, &face), 1);
        rico_world_destroy(world);
    }
}

static rico_collider_id add_body(rico_world *world, rico_shape_id shape, uint32_t i)
{
    return place_shape(world, shape, at((float)(i % 64), (float)(i / 64), 0.0f));
}

/* Some bodies have been removed. The others must be found, in the order in which they became
 * bodies. */
static void check_bodies(const rico_world *world, const rico_collider_id *ids, uint32_t count,
                         uint32_t step)
{
    const rico__mover *last = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        const rico__mover *body = rico__movers_find(&world->movers, ids[i].index1);
        CHECK_EQ(body != NULL, step > count || i % step != 0);
        CHECK(body == NULL ||
              ((last == NULL || body > last) && body->id.generation == ids[i].generation));
        last = body != NULL ? body : last;
    }
}

/* No search may walk through all of them. */
TEST(movers, are_found_among_thousands_and_keep_their_order_while_others_go)
{
    enum { COUNT = TEST_IS_SLOW ? 500 : 4000 };
    static rico_collider_id ids[COUNT];
    static rico_motion motions[COUNT];
    rico_world *world = bare_world(1);
    rico_shape_id shape = add_box_shape(world, 0.3f, 0.3f, 0.3f);
    for (uint32_t i = 0; i < COUNT; ++i) {
        ids[i] = add_body(world, shape, i);
        motions[i] =
            (rico_motion){.transform = at((float)(i % 64), (float)(i / 64), (float)(i % 3))};
    }
    CHECK_EQ(rico_world_move_colliders(world, ids, motions, COUNT), RICO_OK);
    check_bodies(world, ids, COUNT, COUNT + 1);
    for (uint32_t i = 0; i < COUNT; i += 3)
        CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
    check_bodies(world, ids, COUNT, 3);
    run_steps(world, 1);
    CHECK_EQ(world->movers.count, COUNT - (COUNT + 2) / 3);
    check_bodies(world, ids, COUNT, 3);
    rico_collider_id late = add_body(world, shape, 0); /* in a slot used before */
    CHECK_EQ(late.index1, ids[0].index1);
    CHECK(rico__movers_find(&world->movers, late.index1) == NULL);
    CHECK_EQ(rico_world_move_colliders(world, &late, motions, 1), RICO_OK);
    CHECK(rico__movers_find(&world->movers, late.index1) ==
          &world->movers.items[world->movers.count - 1]);
    run_steps(world, (int)RICO__MOVER_PATIENCE + 1);
    CHECK_EQ(world->movers.count, 0);
    rico_world_destroy(world);
}

/* --- Movers that stop where coverage does not reach ------------------------------------- */

static rico_collider_id add_plate(rico_world *world, float half, rico_transform where)
{
    const float corners[] = {-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    rico_collider_id id = rico_world_add_mesh(world, &mesh, where);
    CHECK(id.index1 != 0);
    return id;
}

static void move_once(rico_world *world, const rico_collider_id *ids, uint32_t count, float z)
{
    for (uint32_t i = 0; i < count; ++i)
        move_to(world, ids[i], at(4.0f * (float)i - 40.0f, 30.0f, z));
    run_steps(world, 1);
}

/* A level of 200 m, and lifts that stop high above it. To extend coverage to them would mean to
 * build all of it anew within a step, so they must wait. */
TEST(movers, that_stop_beyond_what_is_known_take_no_step_s_time_for_all_of_it)
{
    rico_world *world = bare_world(1);
    rico_shape_id shape = add_box_shape(world, 1.0f, 1.0f, 0.1f);
    rico_collider_id lifts[8];
    rico_recipe cached = rico_recipe_default();
    add_plate(world, 100.0f, at(0.0f, 0.0f, 0.0f));
    CHECK(rico_world_add_recipe(world, &cached).index1 != 0);
    run_steps(world, 1);
    for (uint32_t i = 0; i < 8; ++i)
        lifts[i] = place_shape(world, shape, at(4.0f * (float)i - 40.0f, 30.0f, 1.0f));
    move_once(world, lifts, 8, 1.1f);
    const rico__coverage before = world->coverage;
    move_once(world, lifts, 8, 60.0f);
    run_steps(world, (int)RICO__MOVER_PATIENCE + 5);
    CHECK_EQ(world->movers.count, 8); /* they wait */
    CHECK(memcmp(before.size, world->coverage.size, sizeof before.size) == 0);
    /* Grains that fall on a waiting lift are carried all the same. */
    rico_effect_id e =
        drop_grains(world, RICO_COLLIDE_CACHED, 50, 0.4f, at(-40.0f, 30.0f, 60.5f));
    float on = 60.05f;
    run_steps(world, 120);
    CHECK_EQ(count_grains(world, e, is_above, &on), 50);
    /* An edit that builds coverage anew includes the lifts. */
    add_plate(world, 2.0f, at(0.0f, 0.0f, 40.0f));
    run_steps(world, 2);
    CHECK_EQ(world->movers.count, 0);
    run_steps(world, 120);
    CHECK_EQ(count_grains(world, e, is_above, &on), 50);
    rico_world_destroy(world);
}

/* With more lifts than that, one step builds coverage anew for all of them. */
TEST(movers, that_stop_beyond_what_is_known_wait_no_longer_when_they_are_many)
{
    enum { LIFTS = RICO__FEW_MOVERS + 1 };
    rico_world *world = bare_world(1);
    rico_shape_id shape = add_box_shape(world, 1.0f, 1.0f, 0.1f);
    rico_collider_id lifts[LIFTS];
    rico_recipe cached = rico_recipe_default();
    add_plate(world, 100.0f, at(0.0f, 0.0f, 0.0f));
    CHECK(rico_world_add_recipe(world, &cached).index1 != 0);
    for (uint32_t i = 0; i < LIFTS; ++i)
        lifts[i] = place_shape(world, shape, at(4.0f * (float)i - 40.0f, 30.0f, 1.0f));
    run_steps(world, 1);
    move_once(world, lifts, LIFTS, 60.0f);
    run_steps(world, (int)RICO__MOVER_PATIENCE + 1);
    CHECK_EQ(world->movers.count, 0);
    rico_world_destroy(world);
}
