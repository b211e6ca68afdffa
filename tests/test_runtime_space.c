/* Particles in local space, which are carried along with their effect. */
#include "runtime_room.h"

#include "random.h"
#include "state.h"
#include "vec.h"

#define MOST 2048u
static born here[MOST], there[MOST];

static float drawn(uint32_t n, float lo, float hi)
{
    return rico__random_range(5, n, 1, lo, hi);
}

/* Transforms as hosts give them: the length of the rotation is 1 to within 0.05 %. */
static rico_transform any_place(uint32_t n)
{
    rico_quat q = {drawn(8 * n, -1, 1), drawn(8 * n + 1, -1, 1), drawn(8 * n + 2, -1, 1),
                   drawn(8 * n + 3, 0.1f, 1)};
    float length = 1.0005f / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (rico_transform){
        .position = {drawn(8 * n + 4, -90, 90), drawn(8 * n + 5, -90, 90),
                     drawn(8 * n + 6, -90, 90)},
        .rotation = {q.x * length, q.y * length, q.z * length, q.w * length},
        .scale = drawn(8 * n + 7, 0.5f, 2.0f),
    };
}

/* Transforms slowly from the effect's space into world space. place: p is a place, not a
 * direction. */
static void into_world(const rico_transform *t, const double p[3], bool place, double out[3])
{
    const double q[3] = {(double)t->rotation.x, (double)t->rotation.y, (double)t->rotation.z};
    const double w = (double)t->rotation.w, s = (double)t->scale;
    const double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + w * w;
    const double at[3] = {(double)t->position.x, (double)t->position.y, (double)t->position.z};
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        u[k] = (q[a] * p[b] - q[b] * p[a]) + w * p[k];
    }
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        v[k] = p[k] + 2.0 * (q[a] * u[b] - q[b] * u[a]) / length;
        out[k] = s * v[k] + (place ? at[k] : 0.0);
    }
}

static rico_recipe swarm(rico_space space)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.space = space;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 2.0f, 0.5f};
    r.burst_count = 100;
    r.spread = 3.0f;
    r.rolls = true;
    r.speed = (rico_range){0.1f, 1.0f};
    return r;
}

static const double spin[3] = {1.0, 2.0, 3.0};

static void spin_all(rico_world *world, rico_effect_id effect)
{
    for (rico_view v = rico_effect_view(world, effect); rico_view_next(&v);) {
        float *out[3] = {(float *)v.wx, (float *)v.wy, (float *)v.wz};
        for (uint32_t i = 0; i < 3 * v.count; ++i)
            out[i % 3][i / 3] = (float)spin[i % 3];
    }
}

/* Spins must be rotated with the effect, but not scaled. */
static void check_spins(const rico_world *world, rico_effect_id effect, rico_transform to)
{
    double w[3];
    to.scale = 1.0f;
    into_world(&to, spin, false, w);
    for (rico_view v = rico_effect_view(world, effect); rico_view_next(&v);)
        for (uint32_t i = 0; i < v.count; ++i) {
            CHECK_NEAR(v.wx[i], w[0], 1.0e-4);
            CHECK_NEAR(v.wy[i], w[1], 1.0e-4);
            CHECK_NEAR(v.wz[i], w[2], 1.0e-4);
        }
}

/* A particle that has rotated in its effect's space must have rotated so in the world, on top
 * of the effect's rotation. */
static void check_rotations(const rico_world *still, rico_effect_id es, const rico_world *moved,
                            rico_effect_id em, rico_transform to)
{
    rico_view a = rico_effect_view(still, es), b = rico_effect_view(moved, em);
    to.scale = 1.0f;
    while (rico_view_next(&a) && rico_view_next(&b))
        for (uint32_t i = 0; i < a.count; ++i) {
            const double axis[3] = {0.36, 0.48, 0.8};
            double in_own[3], expected[3], got[3];
            rico_transform own = {.rotation = {a.qx[i], a.qy[i], a.qz[i], a.qw[i]},
                                  .scale = 1.0f};
            rico_transform now = {.rotation = {b.qx[i], b.qy[i], b.qz[i], b.qw[i]},
                                  .scale = 1.0f};
            into_world(&own, axis, false, in_own);
            into_world(&to, in_own, false, expected);
            into_world(&now, axis, false, got);
            for (int k = 0; k < 3; ++k)
                CHECK_NEAR(got[k], expected[k], 1.0e-4);
            CHECK(fabsf(a.qw[i]) < 0.9999f);
        }
}

/* Without forces, what happens in local space does not depend on the effect's transform. One
 * effect stands still, another is moved, and their particles are compared. */
TEST(space, carries_living_particles_as_one_body_with_their_effect)
{
    rico_world *moved = small_world(2, false), *still = small_world(1, false);
    rico_recipe r = swarm(RICO_SPACE_LOCAL);
    rico_effect_def def = rico_effect_def_default();
    def.seed = 3;
    rico_effect_id es = rico_effect_spawn_def(still, rico_world_add_recipe(still, &r), &def);
    rico_effect_id em = rico_effect_spawn_def(moved, rico_world_add_recipe(moved, &r), &def);
    run_steps(still, 1);
    run_steps(moved, 1);
    spin_all(moved, em);
    spin_all(still, es);
    for (uint32_t i = 0; i < 40; ++i) {
        const rico_transform to = any_place(i);
        if (i % 3 == 0) { /* the last of several moves counts */
            CHECK_EQ(rico_effect_move(moved, em, any_place(i + 500)), RICO_OK);
            CHECK_EQ(rico_effect_teleport(moved, em, to), RICO_OK);
        } else if (i % 3 == 1) {
            CHECK_EQ(rico_effect_move(moved, em, to), RICO_OK);
        }
        const rico_transform now = i % 3 == 2 ? any_place(i - 1) : to;
        run_steps(still, 1);
        run_steps(moved, 1);
        CHECK_EQ(collect_born(still, es, here, MOST), 100);
        CHECK_EQ(collect_born(moved, em, there, MOST), 100);
        check_spins(moved, em, now);
        check_rotations(still, es, moved, em, now);
        for (uint32_t n = 0; n < 100; ++n) {
            double p[3], v[3];
            into_world(&now, here[n].p, true, p);
            into_world(&now, here[n].v, false, v);
            for (int k = 0; k < 3; ++k) {
                CHECK_NEAR(there[n].p[k], p[k], 2.0e-3);
                CHECK_NEAR(there[n].v[k], v[k], 1.0e-4);
            }
        }
    }
    rico_world_destroy(moved);
    rico_world_destroy(still);
}

TEST(space, leaves_less_than_a_millimetre_behind_in_10000_moves)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = swarm(RICO_SPACE_LOCAL);
    r.speed = (rico_range){0.0f, 0.0f};
    rico_transform home = at(100.0f, -90.0f, 80.0f);
    rico_effect_id e = begin_effect(world, &r, home);
    run_steps(world, 1);
    CHECK_EQ(collect_born(world, e, here, MOST), 100);
    for (uint32_t i = 0; i < 10000; ++i) {
        CHECK_EQ(rico_effect_move(world, e, i % 2 == 0 ? any_place(i % 64) : home), RICO_OK);
        rico_world_step(world, 0.001f);
    }
    CHECK_EQ(collect_born(world, e, there, MOST), 100);
    for (uint32_t n = 0; n < 100; ++n)
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(there[n].p[k], here[n].p[k], 1.0e-3);
    rico_world_destroy(world);
}

TEST(space, leaves_particles_of_the_world_where_they_are_and_takes_paused_ones_along)
{
    for (int local = 0; local <= 1; ++local) {
        rico_world *world = small_world(1, false);
        rico_recipe r = swarm(local ? RICO_SPACE_LOCAL : RICO_SPACE_WORLD);
        r.rate_per_metre = 10.0f;
        r.inherit_velocity = 1.0f;
        r.speed = (rico_range){0.0f, 0.0f};
        r.size = (rico_vec3){0};
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
        run_steps(world, 1);
        CHECK_EQ(rico_effect_move(world, e, at(10, 0, 0)), RICO_OK);
        run_steps(world, 1);
        uint32_t count = collect_born(world, e, here, MOST);
        CHECK(count >= 199 && count <= 201);
        for (uint32_t n = 0; n < count; ++n) {
            CHECK(!local || (here[n].p[0] == 10.0 && here[n].v[0] == 0.0));
            CHECK(local || n >= 100 || here[n].p[0] == 0.0);
            CHECK(local || n < 100 || here[n].v[0] > 1.0);
        }
        CHECK_EQ(rico_effect_set_time_scale(world, e, 0.0f), RICO_OK);
        CHECK_EQ(rico_effect_move(world, e, at(20, 0, 0)), RICO_OK);
        run_steps(world, 1);
        collect_born(world, e, there, MOST);
        for (uint32_t n = 0; n < count; ++n)
            CHECK(there[n].p[0] == (local ? 20.0 : here[n].p[0]));
        rico_world_destroy(world);
    }
}

/* Particles rest on a floor and are carried up from it. They must fall and meet the floor
 * again; stopped ones must stay stopped. */
TEST(space, wakes_those_who_rest_and_forgets_what_they_would_have_met)
{
    for (int mode = RICO_COLLIDE_FIXED; mode < RICO_COLLISION_MODE_COUNT; ++mode)
        for (int stops = 0; stops <= 1; ++stops) {
            if (mode == RICO_COLLIDE_CLASSIC)
                continue;
            rico_world *world = small_world(1, false);
            add_slab(world, -0.5f, 0.5f, 0);
            rico_recipe r = drops((rico_collision_mode)mode);
            r.space = RICO_SPACE_LOCAL;
            r.friction = 0.9f;
            r.restitution = 0.2f;
            r.on_collision = stops ? RICO_ON_COLLISION_STOP : RICO_ON_COLLISION_BOUNCE;
            rico_effect_id e = begin_effect(world, &r, at(0, 0, 1.0f));
            run_steps(world, 240);
            CHECK_EQ(rico_world_get_stats(world).sleeping, 40);
            CHECK_EQ(rico_effect_move(world, e, at(0.5f, 0, 2.0f)), RICO_OK);
            run_steps(world, 6);
            CHECK_EQ(rico_world_get_stats(world).sleeping, stops ? 40 : 0);
            collect_born(world, e, here, MOST);
            for (uint32_t n = 0; n < 40; ++n)
                CHECK(here[n].p[2] > 0.9);
            run_steps(world, 240);
            CHECK_EQ(rico_world_get_stats(world).sleeping, 40);
            collect_born(world, e, there, MOST);
            for (uint32_t n = 0; n < 40; ++n)
                CHECK_NEAR(there[n].p[2], stops ? here[n].p[2] : (double)RADIUS, 0.01);
            rico_world_destroy(world);
        }
}

TEST(space, takes_the_planes_of_mode_classic_away_from_who_is_carried)
{
    rico_world *world = small_world(1, false);
    add_slab(world, -0.5f, 0.5f, 0);
    rico_recipe r = drops(RICO_COLLIDE_CLASSIC);
    r.space = RICO_SPACE_LOCAL;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 1.0f));
    for (int moved = 0; moved <= 1; ++moved) {
        uint32_t planes = 0;
        run_steps(world, moved ? 1 : 20);
        for (rico_view v = rico_effect_view(world, e); v.next_block != RICO__NO_BLOCK;) {
            const rico__block *block = &world->blocks[v.next_block];
            const float *offset = rico__stream(&world->recipes[block->recipe],
                                               rico__block_data(world, block), FIELD_ND);
            CHECK(rico_view_next(&v));
            for (uint32_t i = 0; i < v.count; ++i)
                planes += offset[i] != RICO_NO_PLANE_OFFSET;
        }
        CHECK(moved ? planes == 0 : planes > 20);
        CHECK_EQ(rico_effect_move(world, e, at(500.0f, 0, 1.0f)), RICO_OK);
    }
    rico_world_destroy(world);
}

static uint64_t hash_of_moves(uint32_t workers)
{
    rico_world *world = small_world(workers, true);
    rico_effect_id e[RICO_COLLISION_MODE_COUNT];
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe r = rico_recipe_default();
        r.mode = (rico_collision_mode)mode;
        r.space = RICO_SPACE_LOCAL;
        r.spread = 1.5f;
        r.rolls = true;
        r.radius = 0.05f;
        e[mode] = begin_effect(world, &r, at(0, (float)mode - 2.0f, 1.5f));
    }
    uint64_t allocations = rico_world_get_stats(world).allocations, hash = 0;
    for (int i = 0; i < 90; ++i) {
        for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
            rico_transform to = any_place((uint32_t)i);
            to.position = vec3(0.02f * (float)i, (float)mode - 2.0f, 1.5f);
            if ((i + mode) % 5 == 0)
                CHECK_EQ(rico_effect_move(world, e[mode], to), RICO_OK);
        }
        rico_world_step(world, DT);
        hash = hash * 31 + rico_world_hash(world);
    }
    CHECK(rico_world_get_stats(world).allocations == allocations);
    CHECK(rico_world_get_stats(world).particles > 200);
    rico_world_destroy(world);
    return hash;
}

TEST(space, gives_the_same_bits_for_any_number_of_workers_and_every_isa)
{
    uint64_t expected = hash_of_moves(1);
    CHECK(hash_of_moves(3) == expected);
    setenv("RICO_ISA", "scalar", 1);
    CHECK(hash_of_moves(1) == expected);
    unsetenv("RICO_ISA");
}

TEST(space, goes_on_from_where_it_is_when_the_recipe_or_the_origin_changes)
{
    rico_world *world = small_world(1, false);
    kept_log log;
    rico_recipe r = swarm(RICO_SPACE_WORLD);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id e = rico_effect_spawn(world, id, at(0, 0, 0));
    run_steps(world, 1);
    CHECK_EQ(rico_effect_move(world, e, at(50, 0, 0)), RICO_OK);
    r.space = RICO_SPACE_LOCAL;
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){0, 64, 0}), RICO_OK);
    run_steps(world, 1);
    collect_born(world, e, here, MOST);
    for (uint32_t n = 0; n < 100; ++n)
        CHECK(fabs(here[n].p[0]) < 2.0 && fabs(here[n].p[1] + 64.0) < 3.0);
    world->def.log = kept_log_hook(&log);
    r.space = RICO_SPACE_COUNT;
    CHECK_EQ(rico_world_add_recipe(world, &r).index1, 0);
    CHECK(strstr(log.text, "recipe.space is 2, expected 0 to 1") != NULL);
    rico_world_destroy(world);
}
