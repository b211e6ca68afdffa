/* Recipes that ignore layers: colliders on these layers do not exist for their particles, but
 * do for all others in the same world and cache. */
#include "runtime_layers.h"
#include "runtime_refused.h"

#include "random.h"

/* A floor and tables of 4 m over it: at 1 m one on the layer of leaves, at 0.5 m one of water. */
static void add_tables(rico_world *world)
{
    add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    rico_shape_id table = add_box_shape(world, 2.0f, 2.0f, 0.05f);
    place_layer(world, table, at(0.0f, 0.0f, 1.0f), LEAVES | RICO_LAYER_DEFAULT);
    place_layer(world, table, at(0.0f, 0.0f, 0.5f), WATER);
}

static const uint32_t ignored[] = {0, LEAVES, WATER, LEAVES | WATER};

static void check_on_tables(rico_world *world, const rico_effect_id e[4])
{
    for (int k = 0; k < 4; ++k) {
        const uint32_t on_leaves = (ignored[k] & LEAVES) == 0 ? 200 : 0;
        const uint32_t on_water = (ignored[k] & WATER) == 0 ? 200 : on_leaves;
        CHECK_EQ(count_above(world, e[k], 1.05f), on_leaves);
        CHECK_EQ(count_above(world, e[k], 0.55f), on_water);
        CHECK_EQ(count_above(world, e[k], 0.005f), 200);
    }
}

TEST(layers, that_a_recipe_ignores_are_not_there_for_its_particles)
{
    for (int m = 0; m < 2; ++m)
        for (int fast = 0; fast < 2; ++fast) {
            rico_world *world = bare_world(1);
            rico_effect_id e[4];
            add_tables(world);
            for (int k = 0; k < 4; ++k) {
                rico_recipe r = grains(modes[m], ignored[k]);
                if (fast) { /* more than a cell per step */
                    r.spread = 0.01f;
                    r.speed = (rico_range){-90.0f, -70.0f};
                    r.restitution = 0.0f;
                    r.friction = 1.0f;
                }
                e[k] = rain(world, &r, fast ? 20.0f : 2.0f);
            }
            run(world, 600);
            check_on_tables(world, e);
            CHECK_EQ(rico_world_get_stats(world).sleeping, 800);
            rico_world_destroy(world);
        }
}

TEST(layers, are_ignored_with_few_queries_and_in_crowded_cells)
{
    for (int crowded = 0; crowded < 2; ++crowded) {
        rico_world *world = bare_world(1);
        rico_effect_id e[4];
        add_tables(world);
        for (int i = 0; crowded && i < 25; ++i) { /* of many faces, above the upper table */
            rico_shape_def def = rico_shape_def_default();
            rico_shape_id ball;
            def.kind = RICO_SHAPE_SPHERE;
            def.radius = 0.03f;
            CHECK_EQ(rico_world_add_shape(world, &def, NULL, &ball), RICO_OK);
            for (int k = 0; k < 20; ++k)
                place_layer(world, ball,
                            at(0.05f * (float)(i % 5), 0.05f * (float)(i / 5),
                               1.2f + 0.05f * (float)(k % 4)),
                            LEAVES);
        }
        for (int k = 0; k < 4; ++k) {
            rico_recipe r = grains(RICO_COLLIDE_CACHED, ignored[k]);
            r.queries_per_frame = crowded ? 100.0f : 0.25f;
            e[k] = rain(world, &r, 2.0f);
        }
        run(world, 600);
        for (int k = 0; k < 4; ++k) {
            const bool all = (ignored[k] & LEAVES) != 0;
            if (all && (ignored[k] & WATER) != 0)
                CHECK_EQ(count_above(world, e[k], 0.1f), 0);
            else if (all)
                CHECK_EQ(count_above(world, e[k], 0.6f), 0);
            else
                CHECK(count_above(world, e[k], 0.9f) > 100);
        }
        rico_world_destroy(world);
    }
}

/* A lift takes up particles that are on it. Particles that ignore it must rest on the floor
 * while it comes and goes. */
TEST(layers, are_ignored_when_what_has_them_moves)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_shape_id plate = add_box_shape(world, 2.0f, 2.0f, 0.05f);
        rico_collider_id lifts = place_layer(world, plate, at(0.0f, 0.0f, 0.3f), LEAVES);
        rico_recipe r = grains(modes[m], 0);
        rico_effect_id on = rain(world, &r, 1.0f);
        r.ignored_layers = LEAVES;
        rico_effect_id through = rain(world, &r, 1.0f);
        for (int k = 0; k < 300; ++k) {
            move_to(world, lifts, at(0.0f, 0.0f, 0.2f + 0.1f * cosf(0.1f * (float)k)));
            rico_world_step(world, DT);
            CHECK(k < 120 || count_above(world, through, 0.02f) == 0);
        }
        CHECK_EQ(count_above(world, through, 0.0f), 200);
        CHECK_EQ(count_above(world, on, 0.1f), 200);
        rico_world_destroy(world);
    }
}

/* A plate that particles do not ignore moves above them, so they are moved one by one. A plate
 * that they ignore comes up through the floor and goes down again. It must not take any along. */
TEST(layers, are_ignored_beside_a_body_that_is_not)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_shape_id plate = add_box_shape(world, 2.0f, 2.0f, 0.05f);
        rico_recipe r = grains(modes[m], LEAVES);
        rico_effect_id e = rain(world, &r, 1.0f);
        run(world, 180);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
        rico_collider_id ghost = place_layer(world, plate, at(0.0f, 0.0f, -0.1f), LEAVES);
        rico_collider_id lid = place_layer(world, plate, at(0.0f, 0.0f, 0.073f), WATER);
        for (int k = 0; k < 120; ++k) {
            const float up = 0.1f * sinf(0.05f * (float)k);
            const rico_collider_id ids[2] = {ghost, lid};
            const rico_motion motions[2] = {
                {.transform = at(0.0f, 0.0f, up - 0.05f)},
                {.transform = at(0.001f * (float)(k % 2), 0.0f, 0.073f)}};
            CHECK_EQ(rico_world_move_colliders(world, ids, motions, 2), RICO_OK);
            rico_world_step(world, DT);
            CHECK_EQ(count_above(world, e, 0.0105f), 0);
        }
        CHECK_EQ(count_above(world, e, 0.009f), 200);
        rico_world_destroy(world);
    }
}

/* Returns the bounces off colliders with one of the layers; adds all other bounces to *others. */
static uint32_t count_bounces(const rico_world *world, rico_effect_id e, uint32_t layers,
                              uint32_t *others)
{
    uint32_t count, met = 0;
    const rico_event *events = rico_world_events(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t slot = events[i].collider;
        if (events[i].effect.index1 != e.index1)
            continue;
        if (slot != 0 && (rico_scene_slot_layers(world->scene, slot) & layers) != 0)
            ++met;
        else
            ++*others;
    }
    return met;
}

enum { CLUTTER = 90 };

/* Boxes through each other, one in three on leaves, and in one corner many balls: too many for
 * records. */
static void add_clutter(rico_world *world, rico_collider_id *ids, rico_motion *motions)
{
    rico_shape_id boxes[2] = {add_box_shape(world, 0.2f, 0.15f, 0.02f),
                              add_box_shape(world, 0.03f, 0.05f, 0.3f)};
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id ball;
    def.kind = RICO_SHAPE_SPHERE;
    def.radius = 0.04f;
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &ball), RICO_OK);
    add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    for (uint32_t i = 0; i < CLUTTER; ++i) {
        rico_vec3 p = vec3(rico__random_range(71, i, 0, -0.9f, 0.9f),
                           rico__random_range(71, i, 1, -0.9f, 0.9f),
                           rico__random_range(71, i, 2, 0.0f, 0.5f));
        rico_shape_id shape = boxes[i % 2];
        if (i >= CLUTTER / 2) {
            shape = ball;
            p = vec3(0.4f + 0.2f * p.x, 0.4f + 0.2f * p.y, 0.5f * p.z);
        }
        motions[i] = (rico_motion){.transform = turned(p.x, p.y, p.z, p.x)};
        ids[i] = place_layer(world, shape, motions[i].transform,
                             i % 3 == 0 ? LEAVES : RICO_LAYER_DEFAULT);
    }
}

static void stir(rico_world *world, const rico_collider_id *ids, rico_motion *motions, int step)
{
    for (int i = 0; i < 12; ++i)
        motions[i].transform.position.z += 0.01f * cosf(0.1f * (float)step);
    CHECK_EQ(rico_world_move_colliders(world, ids, motions, 12), RICO_OK);
}

TEST(layers, that_are_ignored_are_named_by_no_event_in_a_clutter)
{
    for (int m = 0; m < 2; ++m)
        for (int moves = 0; moves < 2; ++moves) {
            rico_world *world = bare_world(1);
            rico_collider_id ids[CLUTTER];
            rico_motion motions[CLUTTER];
            rico_effect_id e[2];
            uint32_t met[2] = {0, 0}, others[2] = {0, 0};
            add_clutter(world, ids, motions);
            for (int k = 0; k < 2; ++k) {
                rico_recipe r = grains(modes[m], k == 0 ? LEAVES : 0);
                r.events = RICO_EVENT_BIT_COLLISION;
                r.restitution = 0.8f;
                r.friction = 0.0f;
                r.lifetime = (rico_range){2.0f, 3.0f};
                r.rate = 80.0f;
                r.queries_per_frame = 100.0f;
                e[k] = rain(world, &r, 1.0f);
            }
            for (int step = 0; step < 240; ++step) {
                if (moves)
                    stir(world, ids, motions, step);
                rico_world_step(world, DT);
                for (int k = 0; k < 2; ++k)
                    met[k] += count_bounces(world, e[k], LEAVES, &others[k]);
            }
            CHECK_EQ(met[0], 0);
            CHECK_MSG(met[1] > 200 && others[0] > 500, "%u and %u", met[1], others[0]);
            rico_world_destroy(world);
        }
}

/* A blind effect asks no queries. Even so, ignored colliders must neither stop its particles
 * nor hold them up where no record is known. */
TEST(layers, that_are_ignored_stop_nobody_who_is_blind)
{
    for (int m = 0; m < 2; ++m)
        for (int seen = 0; seen < 2; ++seen) {
            rico_world *world = bare_world(1);
            const rico_vec3 far = {1000.0f, 0.0f, 0.0f};
            add_tables(world);
            CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
            rico_recipe r = grains(modes[m], seen ? 0 : LEAVES | WATER);
            r.hidden = RICO_HIDDEN_RUNS_BLIND;
            r.cull_distance = 10.0f;
            CHECK_EQ(rico_world_set_viewers(world, &far, 1), RICO_OK);
            rico_effect_id e = rain(world, &r, 2.0f);
            run(world, 240);
            CHECK_EQ(count_above(world, e, 0.9f), seen ? 200 : 0);
            CHECK_EQ(count_above(world, e, 0.4f), seen ? 200 : 0);
            CHECK_EQ(count_above(world, e, 0.0f), 200);
            rico_world_destroy(world);
        }
}

/* A table ends, and an ignored one continues at almost its height, where no record is known.
 * Particles must not bounce beyond the end. */
TEST(layers, that_are_ignored_do_not_prolong_what_is_seen)
{
    for (int blind = 0; blind < 2; ++blind) {
        rico_world *world = little_world();
        const rico_box known = {{-4.0f, -1.5f, 0.0f}, {-0.3f, 1.5f, 2.0f}};
        const rico_vec3 far = {1000.0f, 0.0f, 0.0f};
        world->def.queries_per_frame = 0;
        place_layer(world, add_box_shape(world, 2.0f, 1.0f, 0.1f), at(-2.0f, 0.0f, 0.9f),
                    WATER);
        place_layer(world, add_box_shape(world, 2.0f, 1.0f, 0.1f), at(2.0f, 0.0f, 0.895f),
                    LEAVES);
        CHECK_EQ(rico_world_bake(world, &known, NULL), RICO_OK);
        rico_recipe r = grains(RICO_COLLIDE_CACHED, LEAVES);
        r.size = (rico_vec3){0.3f, 0.5f, 0.0f};
        r.friction = 0.0f;
        r.restitution = 0.7f;
        r.hidden = RICO_HIDDEN_RUNS_BLIND;
        r.cull_distance = blind ? 10.0f : 0.0f;
        CHECK_EQ(rico_world_set_viewers(world, &far, 1), RICO_OK);
        rico_transform thrown = at(-1.5f, 0.0f, 1.3f);
        thrown.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f}; /* +z to +x */
        r.spread = 0.0f;
        r.speed = (rico_range){2.0f, 3.0f};
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), thrown);
        rico_effect_id e = rico_world_next_effect(world, (rico_effect_id){0});
        uint32_t beyond = 0, passed = 0;
        for (int k = 0; k < 180; ++k) {
            rico_world_step(world, DT);
            rico_view v = rico_effect_view(world, e);
            while (rico_view_next(&v))
                for (uint32_t i = 0; i < v.count; ++i) {
                    const bool there = v.px[i] > 0.2f && v.pz[i] > 0.9f && v.pz[i] < 1.05f;
                    beyond += there && v.vz[i] > 0.0f;
                    passed += there && v.vz[i] <= 0.0f;
                }
        }
        CHECK_EQ(beyond, 0);
        CHECK_MSG(passed > 500, "%u", passed); /* sums over steps */
        rico_world_destroy(world);
    }
}

/* Newborns beside a moving collider that they ignore must do what they do without it. */
TEST(layers, that_are_ignored_hold_up_no_birth)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *worlds[2];
        rico_effect_id e[2];
        rico_collider_id ids[2];
        uint32_t within = 0;
        for (int k = 0; k < 2; ++k) {
            worlds[k] = bare_world(1);
            add_box(worlds[k], 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
            rico_shape_id box = add_box_shape(worlds[k], 0.5f, 0.5f, 0.5f);
            ids[k] = place_layer(worlds[k], box, at(k == 0 ? 50.0f : 0.0f, 0.0f, 1.0f), LEAVES);
            rico_recipe r = grains(modes[m], LEAVES);
            r.burst_count = 0;
            r.rate = 300.0f;
            r.speed = (rico_range){3.0f, 6.0f};
            r.lifetime = (rico_range){0.3f, 0.4f}; /* none lands in this time */
            e[k] = rain(worlds[k], &r, 1.0f);
        }
        for (int step = 0; step < 60; ++step) {
            rico_view v[2];
            for (int k = 0; k < 2; ++k) {
                move_to(worlds[k], ids[k],
                        at(k == 0 ? 50.0f : 0.0f, 0.01f * (float)(step % 9), 1.0f));
                rico_world_step(worlds[k], DT);
                v[k] = rico_effect_view(worlds[k], e[k]);
            }
            while (rico_view_next(&v[0])) {
                CHECK(rico_view_next(&v[1]));
                CHECK_EQ(v[0].count, v[1].count);
                CHECK(memcmp(v[0].pz, v[1].pz, v[0].count * sizeof(float)) == 0);
                for (uint32_t i = 0; i < v[1].count; ++i)
                    within += fabsf(v[1].px[i]) < 0.5f && fabsf(v[1].py[i]) < 0.5f &&
                              fabsf(v[1].pz[i] - 1.0f) < 0.5f;
            }
            CHECK(!rico_view_next(&v[1]));
        }
        CHECK_MSG(within > 800, "%u", within); /* sum over steps */
        rico_world_destroy(worlds[0]);
        rico_world_destroy(worlds[1]);
    }
}

TEST(layers, may_be_changed_under_who_rests)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        add_tables(world);
        rico_recipe r = grains(modes[m], 0);
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, 2.0f));
        run(world, 240);
        CHECK_EQ(count_above(world, e, 1.05f), 200);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
        r.ignored_layers = LEAVES;
        CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
        run(world, 240);
        CHECK_EQ(count_above(world, e, 0.6f), 0);
        CHECK_EQ(count_above(world, e, 0.55f), 200);
        r.ignored_layers = WATER;
        CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
        run(world, 240);
        CHECK_EQ(count_above(world, e, 0.1f), 0);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
        rico_world_destroy(world);
    }
}

/* Particles that stick look for what holds them whenever something near is edited. An ignored
 * shelf at the same place must not hold them. */
TEST(layers, that_are_ignored_hold_nobody_who_sticks)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_shape_id plate = add_box_shape(world, 2.0f, 2.0f, 0.1f);
        rico_collider_id shelf = place_layer(world, plate, at(0.0f, 0.0f, 0.9f), WATER);
        place_layer(world, plate, at(0.0f, 0.0f, 0.901f), LEAVES);
        rico_recipe r = grains(modes[m], LEAVES);
        r.on_collision = RICO_ON_COLLISION_STICK;
        rico_effect_id e = rain(world, &r, 2.0f);
        run(world, 120);
        CHECK_EQ(count_above(world, e, 0.9f), 200);
        CHECK_EQ(rico_world_remove_collider(world, shelf), RICO_OK);
        run(world, 120);
        CHECK_EQ(count_above(world, e, 0.1f), 0);
        rico_world_destroy(world);
    }
}

TEST(layers, that_are_ignored_give_the_same_bits_for_any_workers)
{
    uint64_t hash[2];
    for (uint32_t k = 0; k < 2; ++k) {
        rico_world *world = bare_world(1 + 2 * k);
        add_tables(world);
        for (int n = 0; n < 4; ++n)
            for (int m = 0; m < 2; ++m) {
                rico_recipe r = grains(modes[m], ignored[n]);
                r.events = RICO_EVENT_BIT_COLLISION;
                r.queries_per_frame = 2.0f;
                rain(world, &r, 1.5f);
            }
        run(world, 120);
        hash[k] = rico_world_hash(world);
        rico_world_destroy(world);
    }
    CHECK_EQ(hash[0], hash[1]);
}

static bool met_nothing(void *user, const rico_box *box)
{
    (void)user, (void)box;
    return false;
}

static void miss(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                 uint32_t count)
{
    (void)user, (void)filter;
    for (uint32_t i = 0; i < count; ++i)
        hits[i] = (rico_hit){.t = rays[i].t_max, .triangle = RICO_NO_TRIANGLE};
}

TEST(layers, of_the_world_and_of_others_rays_cannot_be_ignored)
{
    kept_log log = {0};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1000;
    def.worker_count = 1;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.log = kept_log_hook(&log);
    for (int rays = 0; rays < 2; ++rays) {
        rico_world *world;
        if (rays)
            def.ray_caster = (rico_ray_caster){.cast = miss, .occupied = met_nothing};
        CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
        static const uint32_t owned[] = {1u, 0x80000000u, 7u};
        for (int k = 0; k < 3; ++k) {
            rico_recipe r = grains(RICO_COLLIDE_CACHED, owned[k]);
            CHECK_EQ(rico_world_add_recipe(world, &r).index1, 0);
            CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
            CHECK(strstr(log.text, "recipe.ignored_layers is ") != NULL);
        }
        for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
            rico_recipe r = grains((rico_collision_mode)mode, LEAVES);
            const bool knows_layers = mode == RICO_COLLIDE_NONE || mode == RICO_COLLIDE_FIXED ||
                                      (!rays && mode != RICO_COLLIDE_CLASSIC);
            CHECK_EQ(rico_world_add_recipe(world, &r).index1 != 0, knows_layers);
        }
        rico_world_destroy(world);
    }
}
