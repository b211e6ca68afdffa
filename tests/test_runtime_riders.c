/* What holds particles that rest near movers: near several of them, on steep ones, on those that
 * change their size, and beside what stands still. */
#include "runtime_layers.h"

#include "random.h"

#define MANY 200u

static rico_recipe still_balls(rico_collision_mode mode, float radius)
{
    rico_recipe r = grains(mode, 0);
    r.radius = radius;
    r.restitution = 0.0f;
    r.size = (rico_vec3){0.5f, 0.5f, 0.0f};
    r.speed = (rico_range){0.0f, 0.0f};
    return r;
}

/* In the order of the view; none dies. */
static void places_of(rico_world *world, rico_effect_id e, rico_vec3 out[MANY])
{
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            out[count++] = (rico_vec3){v.px[i], v.py[i], v.pz[i]};
    CHECK_EQ(count, MANY);
}

static bool is_moved_by(rico_vec3 from, rico_vec3 to, rico_vec3 way)
{
    return fabsf(to.x - from.x - way.x) < 1.0e-4f && fabsf(to.y - from.y - way.y) < 1.0e-4f &&
           fabsf(to.z - from.z - way.z) < 1.0e-4f;
}

/* A sheet is pulled one way over one half of a table, which is near enough to hold what lies on
 * the sheet and goes the other way. */
TEST(movers, that_are_nearest_take_along_who_rests_on_them)
{
    static rico_vec3 then[MANY], now[MANY];
    for (int m = 0; m < 2; ++m)
        for (int first = 0; first < 2; ++first) {
            rico_world *world = bare_world(1);
            const rico_recipe r = still_balls(modes[m], 0.05f);
            const rico_vec3 ways[2] = {{0.03f, 0.0f, 0.0f}, {0.0f, -0.03f, 0.0f}};
            rico_transform at_first[2] = {at(2.0f, 0.0f, -0.006f), at(0.0f, 0.0f, -0.112f)};
            rico_collider_id ids[2];
            ids[first] = add_box(world, 2.0f, 2.0f, first ? 0.1f : 0.006f, at_first[first]);
            ids[!first] = add_box(world, 2.0f, 2.0f, first ? 0.006f : 0.1f, at_first[!first]);
            move_to(world, ids[first], at_first[first]);
            const rico_effect_id e = rain(world, &r, 0.1f);
            for (int frame = 1; frame <= 150; ++frame) {
                const float part = frame > 120 ? (float)(frame - 120) / 30.0f : 0.0f;
                for (int k = 0; k < 2; ++k) {
                    rico_transform t = at_first[k];
                    t.position = vec3_mad(t.position, ways[k], part);
                    move_to(world, ids[k], t);
                }
                rico_world_step(world, DT);
                if (frame == 120)
                    places_of(world, e, then);
            }
            places_of(world, e, now);
            CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
            for (uint32_t i = 0; i < MANY; ++i)
                if (fabsf(then[i].x) > 0.1f)
                    CHECK(is_moved_by(then[i], now[i], ways[then[i].x < 0.0f]));
            rico_world_destroy(world);
        }
}

/* With much friction balls rest on a slope of 60 degrees. Straight down it is twice as far to the
 * slope as along its normal. The slope goes away faster than they would fall. */
TEST(movers, that_are_steep_take_along_whom_friction_holds)
{
    static rico_vec3 then[MANY], now[MANY];
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_recipe r = still_balls(modes[m], 0.05f);
        r.friction = 0.9f;
        rico_transform slope = at(0.0f, 0.0f, 0.0f);
        slope.rotation = (rico_quat){0.0f, 0.5f, 0.0f, 0.8660254f};
        const rico_collider_id id = add_box(world, 4.0f, 4.0f, 0.1f, slope);
        const rico_effect_id e = rain(world, &r, 1.5f);
        for (int frame = 1; frame <= 200; ++frame) {
            move_to(world, id, slope);
            rico_world_step(world, DT);
        }
        CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
        places_of(world, e, then);
        for (int frame = 1; frame <= 30; ++frame) {
            slope.position.z = -0.02f * (float)frame;
            move_to(world, id, slope);
            rico_world_step(world, DT);
            CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
        }
        places_of(world, e, now);
        for (uint32_t i = 0; i < MANY; ++i)
            CHECK(is_moved_by(then[i], now[i], vec3(0.0f, 0.0f, -0.6f)));
        rico_world_destroy(world);
    }
}

/* A sheet that the recipe ignores goes through the balls, nearer to them than the table that they
 * lie on, and 40 other movers are near: too many for the list of those near a block. */
TEST(movers, that_are_ignored_take_nobody_along_however_many_are_near)
{
    static rico_vec3 then[MANY], now[MANY];
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_recipe r = still_balls(modes[m], 0.05f);
        r.ignored_layers = LEAVES;
        rico_collider_id others[40];
        for (uint32_t k = 0; k < 40; ++k)
            others[k] = add_box(world, 0.01f, 0.01f, 0.01f, at(0.0f, 0.0f, -0.02f));
        const rico_shape_id thin = add_box_shape(world, 2.0f, 2.0f, 0.002f);
        const rico_collider_id sheet = place_layer(world, thin, at(0.0f, 0.0f, 0.01f), LEAVES);
        const rico_collider_id table = add_box(world, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        const rico_effect_id e = rain(world, &r, 0.1f);
        for (int frame = 1; frame <= 150; ++frame) {
            const float way = frame > 120 ? 0.001f * (float)(frame - 120) : 0.0f;
            for (uint32_t k = 0; k < 40; ++k)
                move_to(world, others[k], at(0.0f, 0.0f, -0.02f - way));
            move_to(world, sheet, at(0.0f, way, 0.01f));
            move_to(world, table, at(way, 0.0f, -0.1f));
            rico_world_step(world, DT);
            if (frame == 120)
                places_of(world, e, then);
        }
        places_of(world, e, now);
        CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
        for (uint32_t i = 0; i < MANY; ++i)
            CHECK(is_moved_by(then[i], now[i], vec3(0.03f, 0.0f, 0.0f)));
        rico_world_destroy(world);
    }
}

/* A table goes 30 cm in a step, along x or y, towards a wall that moves, too. */
TEST(movers, leave_who_rides_in_front_of_another)
{
    static rico_vec3 places[MANY];
    for (int m = 0; m < 2; ++m)
        for (int y = 0; y < 2; ++y) {
            rico_world *world = bare_world(1);
            const rico_recipe r = still_balls(modes[m], 0.05f);
            const rico_transform away = y ? at(0.0f, 1.1f, 1.0f) : at(1.1f, 0.0f, 1.0f);
            const rico_collider_id table =
                add_box(world, 3.0f, 3.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
            const rico_collider_id wall =
                add_box(world, y ? 3.0f : 0.1f, y ? 0.1f : 3.0f, 1.0f, away);
            const rico_effect_id e = rain(world, &r, 0.1f);
            for (int frame = 1; frame <= 123; ++frame) {
                const float way = frame > 120 ? 0.3f * (float)(frame - 120) : 0.0f;
                rico_transform aside = away;
                aside.position.z += 0.001f * way;
                move_to(world, table, y ? at(0.0f, way, -0.1f) : at(way, 0.0f, -0.1f));
                move_to(world, wall, aside);
                rico_world_step(world, DT);
                CHECK_EQ(world->movers.count, 2);
            }
            places_of(world, e, places);
            for (uint32_t i = 0; i < MANY; ++i)
                CHECK((y ? places[i].y : places[i].x) < 0.951f);
            rico_world_destroy(world);
        }
}

/* Upside down, the way from the box to a grain is another one in the box's space. */
TEST(movers, that_are_turned_keep_who_rests_on_them_at_its_distance_while_they_grow)
{
    static rico_vec3 places[MANY];
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        const rico_recipe r = still_balls(modes[m], 0.05f);
        rico_transform t = at(0.0f, 0.0f, 0.0f);
        t.rotation = (rico_quat){1.0f, 0.0f, 0.0f, 0.0f};
        const rico_collider_id box = add_box(world, 1.0f, 1.0f, 0.5f, t);
        const rico_effect_id e = rain(world, &r, 0.8f);
        run(world, 120);
        for (int frame = 1; frame <= 60; ++frame) {
            t.scale = 1.0f + 0.01f * (float)frame;
            move_to(world, box, t);
            rico_world_step(world, DT);
            CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
            places_of(world, e, places);
            for (uint32_t i = 0; i < MANY; ++i)
                CHECK(fabsf(places[i].z - 0.5f * t.scale - 0.05f) < 1.0e-3f);
        }
        rico_world_destroy(world);
    }
}

/* How far grains are from the box counts as the step begins. */
TEST(movers, that_grow_at_once_wake_nobody_who_rests_on_them)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        const rico_recipe r = still_balls(modes[m], 0.05f);
        rico_transform t = at(0.0f, 0.0f, 0.0f);
        const rico_collider_id box = add_box(world, 1.0f, 1.0f, 0.5f, t);
        rain(world, &r, 0.8f);
        run(world, 120);
        t.scale = 2.0f;
        move_to(world, box, t);
        rico_world_step(world, DT);
        CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
        rico_world_destroy(world);
    }
}

/* Balls stick to all sides of a room. A box in it, which trembles, is nearly as near to them as
 * the walls are, but holds none of them. */
TEST(movers, wake_nobody_whom_a_wall_holds)
{
    static rico_vec3 then[MANY], now[MANY];
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        for (int side = -1; side <= 1; side += 2) {
            const float by = 1.5f * (float)side;
            add_box(world, 0.5f, 3.0f, 3.0f, at(by, 0.0f, 0.0f));
            add_box(world, 3.0f, 0.5f, 3.0f, at(0.0f, by, 0.0f));
            add_box(world, 3.0f, 3.0f, 0.5f, at(0.0f, 0.0f, by));
        }
        rico_recipe r = still_balls(modes[m], 0.05f);
        r.on_collision = RICO_ON_COLLISION_STICK;
        r.spread = 3.1f;
        r.speed = (rico_range){8.0f, 12.0f};
        r.size = (rico_vec3){0.1f, 0.1f, 0.1f};
        const rico_effect_id e = rain(world, &r, 0.0f);
        run(world, 120);
        CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
        const rico_collider_id box =
            add_box(world, 0.875f, 0.875f, 0.875f, at(0.0f, 0.0f, 0.0f));
        move_to(world, box, at(0.0f, 0.0f, 0.0f));
        run(world, 1);
        places_of(world, e, then);
        for (int frame = 1; frame <= 20; ++frame) {
            move_to(world, box, at(0.0f, 0.0f, frame % 2 == 0 ? 0.001f : 0.0f));
            rico_world_step(world, DT);
            CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
        }
        places_of(world, e, now);
        CHECK_EQ(memcmp(then, now, sizeof now), 0);
        rico_world_destroy(world);
    }
}

/* Balls stick to the lower side of a lift. A sheet that goes through them is added, and removed. */
TEST(movers, keep_who_sticks_to_them_when_something_beside_them_goes)
{
    static rico_vec3 then[MANY], now[MANY];
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_recipe r = still_balls(modes[m], 0.05f);
        r.on_collision = RICO_ON_COLLISION_STICK;
        r.speed = (rico_range){5.0f, 5.0f};
        const rico_collider_id lift = add_box(world, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, 1.1f));
        const rico_effect_id e = rain(world, &r, 0.5f);
        rico_collider_id sheet = {0};
        for (int frame = 1; frame <= 120; ++frame) {
            move_to(world, lift, at(0.0f, 0.0f, frame > 90 ? 1.2f : 1.1f));
            if (frame == 60)
                sheet = add_box(world, 2.0f, 2.0f, 0.001f, at(0.0f, 0.0f, 0.92f));
            if (frame == 61)
                CHECK_EQ(rico_world_remove_collider(world, sheet), RICO_OK);
            rico_world_step(world, DT);
            if (frame == 59)
                places_of(world, e, then);
            CHECK(frame < 30 || rico_world_get_stats(world).sleeping == MANY);
        }
        places_of(world, e, now);
        for (uint32_t i = 0; i < MANY; ++i)
            CHECK(is_moved_by(then[i], now[i], vec3(0.0f, 0.0f, 0.1f)));
        rico_world_destroy(world);
    }
}

/* Where balls are that lose what they lie on: a floor that is removed, or a mover that becomes
 * ignored and goes. */
static void fall(rico_collision_mode mode, bool moves, bool uneven, rico_vec3 out[MANY])
{
    rico_world *world = bare_world(1);
    rico_recipe r = still_balls(mode, 0.05f);
    r.ignored_layers = LEAVES;
    const rico_collider_id lift = add_box(world, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    const rico_effect_id e = rain(world, &r, 0.1f);
    for (int frame = 1; frame <= 120; ++frame) {
        if (moves)
            move_to(world, lift, at(0.0f, 0.0f, -0.1f));
        rico_world_step(world, uneven && frame == 120 ? 4.0f * DT : DT);
    }
    CHECK_EQ(rico_world_get_stats(world).sleeping, MANY);
    if (moves) {
        CHECK_EQ(rico_world_set_layers(world, lift, LEAVES), RICO_OK);
        move_to(world, lift, at(9.0f, 0.0f, -0.1f));
    } else {
        CHECK_EQ(rico_world_remove_collider(world, lift), RICO_OK);
    }
    run(world, 10);
    places_of(world, e, out);
    rico_world_destroy(world);
}

TEST(movers, that_go_let_who_rests_fall_as_a_floor_does)
{
    static rico_vec3 floor_goes[MANY], lift_goes[MANY];
    for (int m = 0; m < 2; ++m)
        for (int uneven = 0; uneven < 2; ++uneven) {
            fall(modes[m], false, uneven != 0, floor_goes);
            fall(modes[m], true, uneven != 0, lift_goes);
            for (uint32_t i = 0; i < MANY; ++i)
                CHECK_MSG(is_moved_by(floor_goes[i], lift_goes[i], vec3(0.0f, 0.0f, 0.0f)),
                          "mode %d, uneven %d, ball %u: %g and %g", m, uneven, i,
                          (double)floor_goes[i].z, (double)lift_goes[i].z);
        }
}

/* A wall goes over the particle that is the last one of its block, and far from the others. */
TEST(movers, meet_the_last_of_any_number_of_particles)
{
    for (int m = 0; m < 2; ++m)
        for (uint32_t count = 1; count <= 9; ++count) {
            rico_world *world = bare_world(1);
            rico_recipe r = still_balls(modes[m], 0.05f);
            r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
            r.shape = RICO_EMIT_POINT;
            const rico_recipe_id recipe = rico_world_add_recipe(world, &r);
            const rico_birth births[2] = {
                {.transform = at(30.0f, 0.0f, 0.0f), .count = count - 1},
                {.transform = at(0.0f, 0.0f, 0.0f), .count = 1}};
            const rico_collider_id wall =
                add_box(world, 0.1f, 1.0f, 1.0f, at(-1.0f, 0.0f, 0.0f));
            CHECK_EQ(rico_world_emit(world, recipe, &births[count == 1], count == 1 ? 1 : 2),
                     RICO_OK);
            for (int frame = 1; frame <= 30; ++frame) {
                move_to(world, wall, at(0.05f * (float)frame - 1.0f, 0.0f, 0.0f));
                rico_world_step(world, DT);
            }
            const float face = 0.6f;
            const rico_effect_id e = rico_world_sub_effect(world, recipe);
            CHECK_EQ(rico_effect_particle_count(world, e), count);
            CHECK_EQ(count_grains(world, e, is_beyond, &face), count);
            rico_world_destroy(world);
        }
}

/* --- Many at a time, in worlds of all kinds ------------------------------------------------- */

#define MOST_PLATES 6u

static float draw(uint32_t seed, uint32_t what, float lo, float hi)
{
    return rico__random_range(91, seed, what, lo, hi);
}

static rico_quat tilt(float angle, float heading)
{
    const float sine = rico__sin(0.5f * angle);
    return (rico_quat){sine * rico__cos(heading), sine * rico__sin(heading), 0.0f,
                       rico__cos(0.5f * angle)};
}

/* Plate k at a frame: each lies over or beside others, and tilts, goes or turns. */
static rico_transform plate_at(uint32_t seed, uint32_t k, int frame)
{
    const uint32_t what = 40u * k;
    const float f = (float)frame, turn = draw(seed, what, -0.2f, 0.2f);
    rico_transform t = at(draw(seed, what + 1, -0.6f, 0.6f), draw(seed, what + 2, -0.6f, 0.6f),
                          0.6f + 0.06f * (float)k);
    t.position =
        vec3_mad(t.position,
                 vec3(draw(seed, what + 3, -0.02f, 0.02f), draw(seed, what + 4, -0.02f, 0.02f),
                      draw(seed, what + 5, -0.004f, 0.004f)),
                 f);
    t.rotation = tilt(draw(seed, what + 6, 0.0f, 0.3f) + draw(seed, what + 7, 0.0f, 0.03f) * f,
                      draw(seed, what + 8, -3.0f, 3.0f));
    if (k % 3 == 2) {
        t.rotation = (rico_quat){0.0f, 0.0f, rico__sin(turn * f), rico__cos(turn * f)};
        t.scale = draw(seed, what + 9, 0.4f, 2.5f);
    }
    return t;
}

static rico_recipe any_recipe(uint32_t seed)
{
    rico_recipe r = still_balls(modes[seed % 2], draw(seed, 500, 0.01f, 0.06f));
    r.burst_count = r.max_particles = 400;
    r.size = (rico_vec3){1.2f, 1.2f, 0.0f};
    r.friction = draw(seed, 501, 0.1f, 0.98f);
    r.on_collision = seed % 5 == 4 ? RICO_ON_COLLISION_SLIDE : RICO_ON_COLLISION_BOUNCE;
    r.ignored_layers = LEAVES;
    return r;
}

static uint64_t any_ride(uint32_t seed, bool one_by_one, uint32_t *slept)
{
    rico_world *world = bare_world(1);
    rico_collider_id ids[MOST_PLATES];
    const uint32_t plates = 2 + seed % (MOST_PLATES - 1);
    const rico_recipe r = any_recipe(seed);
    uint64_t hash = 0;
    world->movers.one_by_one = one_by_one;
    add_box(world, 8.0f, 8.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    add_box(world, 0.1f, 2.0f, 2.0f, at(draw(seed, 502, -1.0f, 1.0f), 0.0f, 1.0f));
    for (uint32_t k = 0; k < plates; ++k)
        ids[k] =
            add_box(world, draw(seed, 600 + k, 0.2f, 0.8f), draw(seed, 700 + k, 0.2f, 0.8f),
                    draw(seed, 800 + k, 0.003f, 0.03f), plate_at(seed, k, 0));
    rain(world, &r, 1.3f);
    for (int frame = -100; frame <= 40; ++frame) {
        for (uint32_t k = 0; k < plates; ++k)
            move_to(world, ids[k], plate_at(seed, k, frame > 0 ? frame : 0));
        if (frame == 20)
            CHECK_EQ(rico_world_set_layers(world, ids[seed % plates], LEAVES), RICO_OK);
        rico_world_step(world, DT);
        hash = hash * 31 + rico_world_hash(world);
        if (frame == 0)
            *slept += rico_world_get_stats(world).sleeping;
    }
    rico_world_destroy(world);
    return hash;
}

TEST(movers, take_many_along_as_they_take_each_whatever_lies_around)
{
    const uint32_t rounds = test_rounds(64);
    uint32_t slept = 0;
    for (uint32_t seed = 0; seed < rounds; ++seed)
        CHECK_MSG(any_ride(seed, false, &slept) == any_ride(seed, true, &slept), "seed %u",
                  seed);
    CHECK(slept > 300u * rounds);
}
