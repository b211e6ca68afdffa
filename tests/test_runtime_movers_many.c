/* Hundreds of moving colliders: they are found by place, and met as if each particle were
 * compared with each of them. */
#include "runtime_layers.h"
#include "runtime_movers.h"
#include "runtime_refused.h"

#include "preparation.h"
#include "random.h"
#include "ride.h"

#define BODIES 200u
#define PLANES 3u
#define ALL (BODIES + PLANES)
#define STEPS (TEST_IS_SLOW ? 30 : 120)

/* Boxes, some on layer 2, that turn and move up and down in a square of 16 m. Some stand still
 * for a while, and some are in the place of another and let nothing bounce. One is large, one
 * far away. Three endless planes come and go, as walls and as a floor. */
typedef struct crowd {
    rico_world *world;
    rico_collider_id ids[ALL];
    rico_motion motions[ALL];
} crowd;

static float draw(uint32_t i, uint32_t use, float lo, float hi)
{
    return rico__random_range(37, i, use, lo, hi);
}

static bool is_twin(uint32_t i)
{
    return i < BODIES && i % 8 == 3;
}

static rico_transform place_of(uint32_t i, int frame)
{
    i -= is_twin(i);
    const float angle = (float)frame * DT * draw(i, 3, 1.0f, 5.0f) + (float)i;
    const float way = 0.6f * rico__sin(angle);
    if (i >= BODIES) { /* a wall at each side, and a floor */
        static const rico_quat turns[PLANES] = {{0.0f, 0.7071068f, 0.0f, 0.7071068f},
                                                {0.0f, -0.7071068f, 0.0f, 0.7071068f},
                                                {0.0f, 0.0f, 0.0f, 1.0f}};
        static const float x[PLANES] = {-8.0f, 8.0f, 0.0f}, z[PLANES] = {0.0f, 0.0f, -0.5f};
        rico_transform t = at(x[i - BODIES] + way, 0.0f, z[i - BODIES] + 0.3f * way);
        t.rotation = turns[i - BODIES];
        return t;
    }
    if (i == 1)
        return at(3.0e4f + way, 0.0f, 0.0f);
    return turned(draw(i, 0, -8.0f, 8.0f) + way, draw(i, 1, -8.0f, 8.0f),
                  draw(i, 2, 0.0f, 1.5f) + (i % 3 == 0 ? 0.5f * way : 0.0f), angle);
}

/* Adds them where they are in step 0, before the first one. */
static void add_bodies(crowd *c)
{
    const rico_shape_id small = add_box_shape(c->world, 0.3f, 0.2f, 0.15f),
                        large = add_box_shape(c->world, 5.0f, 0.1f, 0.1f);
    rico_shape_def plane = rico_shape_def_default(), dull = rico_shape_def_default();
    rico_shape_id endless, twin;
    plane.kind = RICO_SHAPE_PLANE;
    dull.kind = RICO_SHAPE_BOX;
    dull.half_size = (rico_vec3){0.3f, 0.2f, 0.15f};
    dull.surface = 1;
    CHECK_EQ(rico_world_set_surface(c->world, 1, 0.0f, 1.0f), RICO_OK);
    CHECK_EQ(rico_world_add_shape(c->world, &dull, NULL, &twin), RICO_OK);
    CHECK_EQ(rico_world_add_shape(c->world, &plane, NULL, &endless), RICO_OK);
    for (uint32_t i = 0; i < ALL; ++i) {
        rico_collider_def def = rico_collider_def_default();
        def.shape = i >= BODIES ? endless : i == 0 ? large : is_twin(i) ? twin : small;
        def.layers = i % 4 == 1 ? 2u : 4u;
        def.motion.transform = place_of(i, 0);
        c->ids[i] = rico_world_add_collider(c->world, &def);
        CHECK(c->ids[i].index1 != 0);
    }
}

/* Blocks that are spread widely, and blocks with few bodies around them. */
static void add_effects(crowd *c)
{
    for (int k = 0; k < 6; ++k) {
        rico_recipe r = rico_recipe_default();
        r.mode = modes[k % 2];
        r.shape = RICO_EMIT_BOX;
        r.size = k < 4 ? vec3(7.5f, 7.5f, 0.5f) : vec3(0.7f, 0.7f, 0.5f);
        r.rate = 300.0f;
        r.lifetime = (rico_range){1.0f, 2.0f};
        r.radius = 0.02f;
        r.spread = 1.5f;
        r.on_collision = k == 2 ? RICO_ON_COLLISION_STICK : RICO_ON_COLLISION_BOUNCE;
        r.ignored_layers = k == 3 || k == 4 ? 2u : 0u;
        if (k == 0) { /* they come to rest, and sleep */
            r.rate = 0.0f;
            r.burst_count = 300;
            r.lifetime = (rico_range){60.0f, 60.0f};
            r.restitution = 0.1f;
        }
        const rico_recipe_id id = rico_world_add_recipe(c->world, &r);
        for (int e = 0; e < (k < 4 ? 1 : 4); ++e)
            CHECK(rico_effect_spawn(c->world, id,
                                    k < 4 ? at(0.0f, 0.0f, 1.5f)
                                          : at((float)e * 3.0f - 5.0f, (float)k - 4.0f, 1.5f))
                      .index1);
    }
}

static crowd make_crowd(uint32_t workers)
{
    crowd c = {.world = bare_world(workers)};
    add_bodies(&c);
    add_effects(&c);
    return c;
}

/* Every fifth body stands still for a while, and a few are removed. */
static void step_crowd(crowd *c, int frame)
{
    rico_collider_id ids[ALL];
    uint32_t count = 0;
    for (uint32_t i = 0; i < ALL; ++i) {
        if ((i % 5 == 0 && frame % 40 > 10) || (i % 40 == 7 && frame > 20))
            continue;
        c->motions[count].transform = place_of(i, frame);
        ids[count++] = c->ids[i];
    }
    CHECK_EQ(rico_world_move_colliders(c->world, ids, c->motions, count), RICO_OK);
    if (frame == 21)
        for (uint32_t i = 7; i < ALL; i += 40)
            CHECK_EQ(rico_world_remove_collider(c->world, c->ids[i]), RICO_OK);
    rico_world_step(c->world, DT);
}

static uint64_t crowd_hash(uint32_t workers, bool one_by_one)
{
    crowd c = make_crowd(workers);
    uint64_t hash = 0;
    c.world->movers.one_by_one = one_by_one;
    for (int frame = 1; frame <= STEPS; ++frame) {
        step_crowd(&c, frame);
        CHECK_EQ(c.world->movers.tree.levels > 0, !one_by_one);
        hash = hash * 31 + rico_world_hash(c.world);
        hash = hash * 31 + rico_world_get_stats(c.world).rays;
    }
    CHECK(rico_world_get_stats(c.world).particles > 500);
    rico_world_destroy(c.world);
    return hash;
}

TEST(movers, by_the_hundred_do_what_they_do_one_by_one)
{
    const uint64_t expected = crowd_hash(1, true);
    CHECK_EQ(crowd_hash(1, false), expected);
    CHECK_EQ(crowd_hash(3, false), expected);
}

/* Whether a body holds a particle, as ride_near.c decides it, for a single body. */
static bool is_held_by(const rico__block_context *c, const rico__mover *body, uint32_t i)
{
    const rico__streams *s = &c->streams;
    const rico_vec3 p = block_position(c, i);
    const bool asleep = rico__bit(c->block->asleep, i);
    rico_vec3 ways[RICO__MOST_WAYS];
    float reach = rico__ride_reach(&c->step, __builtin_fabsf(s->vx[i]),
                                   __builtin_fabsf(s->vy[i]), __builtin_fabsf(s->vz[i]));
    rico__ways_to_hold(c, ways);
    reach = float_max(reach, asleep ? vec3_length(ways[0]) : 0.0f);
    if (!rico__is_there(c->recipe, body->layers) || !rico__is_near(body, p, reach) ||
        (asleep && !body->moved))
        return false;
    const rico_vec3 a = rico__pose_into(&body->from, p), b = rico__pose_into(&body->to, p);
    const float by =
        rico__mover_length(body, reach) + RICO__SUPPORT_SKIN + vec3_length(a) * body->bulge;
    const rico_vec3 grow = {by, by, by};
    const rico_box box = {vec3_sub(vec3_min(a, b), grow), vec3_add(vec3_max(a, b), grow)};
    return rico_scene_collider_occupied(c->world->scene, body->id.index1, &box);
}

/* Compares each particle of a block, and returns how many are held. */
static uint32_t check_block(rico_world *world, rico__block *block, rico__block_context *c)
{
    rico__block before = *block;
    uint32_t count = 0;
    c->block = block;
    c->recipe = &world->recipes[block->recipe];
    c->effect = &world->effects[block->effect];
    c->data = rico__block_data(world, block);
    c->body_count = RICO__ANY_BODY;
    float *places = rico__stream(c->recipe, c->data, FIELD_PX);
    const size_t stride = c->recipe->stream_floats;
    c->streams =
        (rico__streams){.px = places, .py = places + stride, .pz = places + 2 * stride};
    c->streams.vx = rico__stream(c->recipe, c->data, FIELD_VX);
    c->streams.vy = c->streams.vx + stride;
    c->streams.vz = c->streams.vy + stride;
    rico__effect_step(&c->step, c->recipe, c->effect, world->def.cell_size);
    rico__movers_hold(c);
    memcpy(block->asleep, before.asleep, sizeof before.asleep);
    for (uint32_t i = 0; i < RICO__MAX_BLOCK; ++i) {
        bool held = false;
        for (uint32_t b = 0; b < world->movers.count && i < block->count && !held; ++b)
            held = is_held_by(c, &world->movers.items[b], i);
        CHECK_EQ(rico__bit(c->near, i), held);
        count += held;
    }
    for (uint32_t k = 1; c->body_count != RICO__ANY_BODY && k < c->body_count; ++k)
        CHECK(c->bodies[k] > c->bodies[k - 1]);
    return count;
}

TEST(movers, by_the_hundred_hold_whom_each_of_them_would_hold)
{
    crowd c = make_crowd(1);
    rico__block_context *block = calloc(1, sizeof *block);
    uint32_t held = 0;
    CHECK(block != NULL);
    block->world = c.world;
    for (int frame = 1; frame <= STEPS; ++frame) {
        step_crowd(&c, frame);
        if (frame % 10 != 0)
            continue;
        for (uint32_t i = 0; i < c.world->block_list_count; ++i)
            held += check_block(c.world, &c.world->blocks[c.world->block_list[i]], block);
    }
    CHECK(held > 100);
    free(block);
    rico_world_destroy(c.world);
}

static void check_place(const rico_world *world, rico__block_context *c, rico_vec3 p,
                        float reach)
{
    const rico__movers *bodies = &world->movers;
    rico__near near;
    rico__near_begin(&near, c, p, reach);
    for (uint32_t i = 0; i < bodies->count; ++i)
        if (rico__is_near(&bodies->items[i], p, reach))
            CHECK(rico__near_next(&near) == &bodies->items[i]);
    CHECK(rico__near_next(&near) == NULL);
}

/* For any number of bodies, including more than one request returns. */
TEST(movers, near_a_place_are_named_in_their_order)
{
    crowd c = make_crowd(1);
    rico__block_context *block = calloc(1, sizeof *block);
    CHECK(block != NULL);
    block->world = c.world;
    block->body_count = RICO__ANY_BODY;
    for (int frame = 1; frame <= 3; ++frame) {
        step_crowd(&c, frame);
        for (uint32_t q = 0; q < 100; ++q) {
            const float wide = q % 10 == 0 ? 20.0f : 9.0f;
            const rico_vec3 p = {draw(q, 10, -wide, wide), draw(q, 11, -wide, wide),
                                 draw(q, 12, -1.0f, 3.0f)};
            check_place(c.world, block, p, q % 20 == 0 ? 30.0f : draw(q, 13, 0.0f, 3.0f));
        }
    }
    free(block);
    rico_world_destroy(c.world);
}

TEST(movers, by_the_hundred_allocate_nothing_in_a_step)
{
    crowd c = make_crowd(2);
    for (int frame = 1; frame <= 5; ++frame) {
        step_crowd(&c, frame);
        const uint64_t before = rico_world_get_stats(c.world).allocations;
        rico_world_step(c.world, DT);
        CHECK_EQ(rico_world_get_stats(c.world).allocations, before);
    }
    rico_world_destroy(c.world);
}

static bool is_around(const rico_view *v, uint32_t i, const void *user)
{
    const float x = v->px[i] - *(const float *)user;
    return x > -0.3f && x < 0.3f;
}

/* Grains rest in three places. Bodies sway high above them, and one comes down to the grains in
 * the middle. Only these may be pushed away. */
TEST(movers, by_the_hundred_wake_whom_one_of_them_touches)
{
    enum { MANY = 100 };
    static const float x[] = {-3.0f, 0.0f, 3.0f};
    rico_world *world = bare_world(1);
    rico_collider_id ids[MANY];
    rico_motion motions[MANY];
    rico_effect_id grains[3];
    add_box(world, 6.0f, 6.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
    const rico_shape_id shape = add_box_shape(world, 0.1f, 0.4f, 0.2f);
    for (uint32_t i = 0; i < MANY; ++i)
        ids[i] = place_shape(world, shape, at((float)(i % 10), (float)(i / 10), 5.0f));
    for (int k = 0; k < 3; ++k)
        grains[k] = drop_grains(world, RICO_COLLIDE_EXACT, 20, 0.1f, at(x[k], 0.0f, 0.3f));
    for (int frame = 0; frame < 240; ++frame) {
        for (uint32_t i = 0; i < MANY; ++i)
            motions[i] = (rico_motion){.transform = at((float)(i % 10), (float)(i / 10),
                                                       5.0f + 0.1f * (float)(frame % 5))};
        if (frame >= 180)
            motions[57].transform = at(-0.6f + 0.02f * (float)(frame - 180), 0.0f, 0.2f);
        CHECK_EQ(rico_world_move_colliders(world, ids, motions, MANY), RICO_OK);
        run_steps(world, 1);
        CHECK(frame != 179 || world->sleep.active_count == 0);
    }
    for (int k = 0; k < 3; ++k)
        CHECK_EQ(count_grains(world, grains[k], is_around, &x[k]), k == 1 ? 0 : 20);
    rico_world_destroy(world);
}

static bool is_on_top(const rico_view *v, uint32_t i, const void *user)
{
    const rico_vec3 *p = user;
    const float x = v->px[i] - p->x, y = v->py[i] - p->y, z = v->pz[i] - p->z;
    return x * x < 0.25f && y * y < 0.25f && z * z < 0.01f;
}

static uint32_t prewarmed_on(rico_world *world, rico_recipe_id recipe, rico_vec3 p)
{
    rico_effect_id e = rico_effect_spawn(world, recipe, at(p.x, p.y, p.z + 0.5f));
    const uint32_t count = count_grains(world, e, is_on_top, &p);
    CHECK(e.index1 != 0);
    rico_effect_destroy(world, e);
    return count;
}

/* Bodies are prepared once for all effects that are prewarmed, and again after each change:
 * moved, placed, removed, added, or shifted with the origin. */
TEST(movers, are_met_where_they_are_by_who_is_prewarmed)
{
    for (uint32_t many = 1; many < 60; many += 58) {
        rico_world *world = bare_world(1);
        rico_recipe r = rico_recipe_default();
        r.mode = RICO_COLLIDE_EXACT;
        r.rate = 0.0f;
        r.burst_count = 20;
        r.speed = (rico_range){0.0f, 0.1f};
        r.restitution = 0.1f;
        r.lifetime = (rico_range){60.0f, 60.0f};
        r.prewarm = 1.5f;
        const rico_recipe_id recipe = rico_world_add_recipe(world, &r);
        const rico_shape_id shape = add_box_shape(world, 0.5f, 0.5f, 0.1f);
        rico_collider_id plate = place_shape(world, shape, at(0.0f, 0.0f, 0.0f));
        for (uint32_t i = 1; i < many; ++i)
            move_to(world, place_shape(world, shape, at((float)i * 3.0f, 9.0f, 0.0f)),
                    at((float)i * 3.0f, 9.1f, 0.0f));
        move_to(world, plate, at(0.0f, 0.0f, 0.5f));
        const rico_vec3 here = {0.0f, 0.0f, 0.1f}, there = {4.0f, 0.0f, 0.1f},
                        far = {-6.0f, 0.0f, 0.1f};
        for (int k = 0; k < 2; ++k)
            CHECK_EQ(prewarmed_on(world, recipe, here), 20); /* the plate has not arrived yet */
        rico_motion motion = {.transform = at(4.0f, 0.0f, 0.0f)};
        CHECK_EQ(rico_world_place_colliders(world, &plate, &motion, 1), RICO_OK);
        CHECK_EQ(prewarmed_on(world, recipe, here), 0);
        CHECK_EQ(prewarmed_on(world, recipe, there), 20);
        CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){10.0f, 0.0f, 0.0f}), RICO_OK);
        CHECK_EQ(prewarmed_on(world, recipe, far), 20);
        CHECK_EQ(rico_world_remove_collider(world, plate), RICO_OK);
        CHECK_EQ(prewarmed_on(world, recipe, far), 0);
        plate = place_shape(world, shape, at(-6.0f, 0.0f, 0.0f));
        move_to(world, plate, at(-6.0f, 0.0f, 1.0f));
        CHECK_EQ(prewarmed_on(world, recipe, far), 20);
        run_steps(world, 1);
        CHECK_EQ(prewarmed_on(world, recipe, far), 0);
        CHECK_EQ(prewarmed_on(world, recipe, (rico_vec3){-6.0f, 0.0f, 1.1f}), 20);
        rico_world_destroy(world);
    }
}

/* Compares the search by slot with a walk through all bodies. */
static void check_names(const rico_world *world, const rico_collider_id *ids, uint32_t count)
{
    const rico__movers *bodies = &world->movers;
    for (uint32_t i = 0; i < count; ++i) {
        const rico__mover *expected = NULL;
        for (uint32_t b = 0; b < bodies->count; ++b)
            if (bodies->items[b].id.index1 == ids[i].index1)
                expected = &bodies->items[b];
        CHECK(rico__movers_find(bodies, ids[i].index1) == expected);
    }
}

TEST(movers, are_found_whatever_was_removed_placed_and_moved_by_turns)
{
    enum { COUNT = 60 };
    static kept_log log;
    rico_world *world = heard_world(&log);
    const rico_shape_id shape = add_box_shape(world, 0.1f, 0.1f, 0.1f);
    rico_collider_id ids[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i)
        ids[i] = place_shape(world, shape, at((float)i, 0.0f, 0.0f));
    for (uint32_t n = 0; n < 2000; ++n) {
        const uint32_t i = (uint32_t)draw(n, 20, 0.0f, 0.999f * (float)COUNT),
                       what = (uint32_t)draw(n, 21, 0.0f, 3.999f);
        rico_motion motions[3];
        rico_collider_id some[3] = {ids[i], ids[(i + 7) % COUNT], ids[(i + 11) % COUNT]};
        for (uint32_t k = 0; k < 3; ++k)
            motions[k] =
                (rico_motion){.transform = at((float)i, (float)k, draw(n, 22, 0.0f, 1.0f))};
        if (what == 0) {
            CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
            check_names(world, ids, COUNT);
            ids[i] = place_shape(world, shape, at((float)i, 0.0f, 0.0f));
        } else if (what == 1) {
            CHECK_EQ(rico_world_place_colliders(world, some, motions, 3), RICO_OK);
        } else if (what == 2) {
            CHECK_EQ(rico_world_move_colliders(world, some, motions, 3), RICO_OK);
        } else {
            some[2].generation += 1; /* a stale id */
            CHECK(rico_world_move_colliders(world, some, motions, 3) != RICO_OK);
        }
        check_names(world, ids, COUNT);
        CHECK(world->movers.gone <= COUNT + 1 && world->movers.capacity <= 4 * COUNT);
        if (n % 97 == 96)
            run_steps(world, 1);
    }
    rico_world_destroy(world);
}

static bool is_over_the_rim(const rico_view *v, uint32_t i, const void *user)
{
    (void)user;
    return v->px[i] > 1.55f && v->px[i] < 2.4f;
}

/* In the step of the births a wall passes the rim of a ring, which reaches farther out than a
 * box of the emitter's sizes. */
TEST(movers, take_along_who_is_born_at_the_rim_of_a_ring)
{
    for (uint32_t ignored = 0; ignored < 4; ignored += 2) {
        rico_world *world = bare_world(1);
        rico_recipe r = rico_recipe_default();
        r.shape = RICO_EMIT_RING;
        r.size = (rico_vec3){1.0f, 0.9f, 0.0f};
        r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
        r.speed = (rico_range){0.0f, 0.0f};
        r.lifetime = (rico_range){60.0f, 60.0f};
        r.rate = 0.0f;
        r.burst_count = 1000;
        r.ignored_layers = ignored;
        const rico_recipe_id recipe = rico_world_add_recipe(world, &r);
        const rico_collider_id wall = add_box(world, 0.05f, 3.0f, 3.0f, at(1.45f, 0.0f, 0.0f));
        move_to(world, wall, at(1.45f, 0.0f, 0.0f));
        run_steps(world, 1);
        const rico_effect_id e = rico_effect_spawn(world, recipe, at(0.0f, 0.0f, 0.0f));
        move_to(world, wall, at(2.5f, 0.0f, 0.0f));
        run_steps(world, 1);
        CHECK_EQ(rico_effect_particle_count(world, e), 1000);
        CHECK_EQ(count_grains(world, e, is_over_the_rim, NULL), 0);
        rico_world_destroy(world);
    }
}

/* --- Many riders on few movers ------------------------------------------------------------ */

/* A small hilly platform, 2 m wide. */
static rico_collider_id add_hills(rico_world *world, rico_transform where)
{
    terrain *t = malloc(sizeof *t);
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id id;
    terrain_build(t);
    def.mesh = t->mesh;
    where.scale = 0.1f;
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &id), RICO_OK);
    free(t);
    return place_shape(world, id, where);
}

/* Grains rest on two hilly platforms: one that rises and turns, with a box on it that moves, too,
 * and one that tilts, so that grains on slopes slide away one after the other. A wall stops some of
 * the grains, and a ledge takes some over. */
static uint64_t ride_hash(rico_collision_mode mode, bool one_by_one, uint32_t *riding)
{
    rico_world *world = bare_world(1);
    add_box(world, 8.0f, 8.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    add_box(world, 0.1f, 2.0f, 3.0f, at(1.0f, 0.0f, 3.0f));
    add_box(world, 0.3f, 0.3f, 0.1f, at(-0.8f, -0.8f, 0.75f));
    const rico_collider_id ids[3] = {add_hills(world, at(0.0f, 0.0f, 0.9f)),
                                     add_hills(world, at(-4.0f, 0.0f, 0.9f)),
                                     add_box(world, 0.2f, 0.2f, 0.2f, at(0.2f, 0.0f, 1.0f))};
    const rico_effect_id over[2] = {drop_grains(world, mode, 400, 0.9f, at(0.0f, 0.0f, 1.6f)),
                                    drop_grains(world, mode, 200, 0.6f, at(-4.0f, 0.0f, 1.6f))};
    uint64_t hash = 0;
    world->movers.one_by_one = one_by_one;
    run_steps(world, 150);
    *riding = rico_world_get_stats(world).sleeping;
    for (int frame = 1; frame <= 150; ++frame) {
        const float f = (float)frame, tilt = 0.0035f * f;
        rico_transform tilted = at(-4.0f - 0.01f * f, 0.0f, 0.9f);
        tilted.rotation = (rico_quat){rico__sin(tilt), 0.0f, 0.0f, rico__cos(tilt)};
        rico_transform turning = turned(0.004f * f, 0.0f, 0.9f + 0.002f * f, 0.003f * f);
        turning.scale = tilted.scale = 0.1f;
        move_to(world, ids[0], turning);
        move_to(world, ids[1], tilted);
        if (frame > 50)
            move_to(world, ids[2], at(0.2f + 0.004f * f, 0.0f, 1.0f + 0.002f * f));
        rico_world_step(world, DT);
        hash = hash * 31 + rico_world_hash(world);
    }
    for (int k = 0; k < 2; ++k)
        CHECK(rico_effect_particle_count(world, over[k]) == (k == 0 ? 400 : 200));
    rico_world_destroy(world);
    return hash;
}

TEST(movers, take_many_along_as_they_take_each)
{
    for (int m = 0; m < 2; ++m) {
        uint32_t riding = 0;
        const uint64_t each = ride_hash(modes[m], true, &riding);
        CHECK(riding > 500);
        CHECK_EQ(ride_hash(modes[m], false, &riding), each);
    }
}
