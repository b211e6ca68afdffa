/* Recipes at the ends of their ranges, in steps of any length, must give finite numbers. */
#include "runtime_movers.h"

#include "random.h"

/* A number from 0 to 1, often 0 or 1 itself. */
static float pick(uint32_t seed, uint32_t *use)
{
    float u = rico__random_unit(seed, 0, (*use)++), end = rico__random_unit(seed, 1, (*use)++);
    return end < 0.2f ? 0.0f : end < 0.4f ? 1.0f : u;
}

static float within(uint32_t seed, uint32_t *use, float lo, float hi)
{
    return lo + (hi - lo) * pick(seed, use);
}

static rico_vec3 any_vec3(uint32_t seed, uint32_t *use, float most)
{
    float x = within(seed, use, -most, most), y = within(seed, use, -most, most);
    return (rico_vec3){x, y, within(seed, use, -most, most)};
}

static void draw_forces(rico_recipe *r, uint32_t seed, uint32_t *use)
{
    for (int k = 0; k < 2; ++k) {
        rico_force *f = &r->forces[k];
        *f = rico_force_default();
        f->kind =
            (rico_force_kind)(rico__random_u32(seed, 2, (*use)++) % RICO_FORCE_KIND_COUNT);
        f->strength = within(seed, use, 0.0f, 1000.0f);
        f->position = any_vec3(seed, use, 10.0f);
        f->speed = within(seed, use, -1000.0f, 1000.0f);
        f->scroll = any_vec3(seed, use, 1000.0f);
        f->scale = within(seed, use, 0.05f, 10.0f);
    }
}

static rico_recipe any_recipe(uint32_t seed)
{
    uint32_t use = 10;
    rico_recipe r = rico_recipe_default();
    r.mode = (rico_collision_mode)(rico__random_u32(seed, 2, 0) % RICO_COLLISION_MODE_COUNT);
    r.rate = within(seed, &use, 0.0f, 300.0f);
    r.rate_per_metre = within(seed, &use, 0.0f, 50.0f);
    r.burst_count = 20;
    r.speed = (rico_range){-1000.0f, within(seed, &use, -1000.0f, 1000.0f)};
    r.speed_over_duration = rico_curve_constant(within(seed, &use, 0.0f, 100.0f));
    r.lifetime = (rico_range){0.01f, within(seed, &use, 0.01f, 20.0f)};
    r.inherit_velocity = within(seed, &use, -10.0f, 10.0f);
    r.max_particles = 500;
    r.gravity = any_vec3(seed, &use, 1000.0f);
    r.drag = within(seed, &use, 0.0f, 100.0f);
    r.drag_quadratic = within(seed, &use, 0.0f, 100.0f);
    r.wind = any_vec3(seed, &use, 1000.0f);
    if (rico__random_u32(seed, 2, 1) % 2 == 0)
        draw_forces(&r, seed, &use);
    r.radius = within(seed, &use, 0.0f, 1.0f);
    r.restitution = within(seed, &use, 0.0f, 1.0f);
    r.friction = within(seed, &use, 0.0f, 1.0f);
    r.friction_random = within(seed, &use, 0.0f, 1.0f);
    r.rolls = rico__random_u32(seed, 2, 2) % 2 == 0;
    r.plane_count = 2;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.planes[1] = (rico_plane){{1.0f, 0.0f, 0.0f}, -3.0f};
    r.queries_per_frame = 100.0f;
    return r;
}

static uint32_t check_numbers(const rico_world *world, rico_effect_id e, uint32_t seed)
{
    uint32_t alive = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++alive) {
            float sum = v.px[i] + v.py[i] + v.pz[i] + v.age[i] + v.lifetime[i];
            float square = v.vx[i] * v.vx[i] + v.vy[i] * v.vy[i] + v.vz[i] * v.vz[i];
            CHECK_MSG(sum - sum == 0.0f && square - square == 0.0f, "seed %u", seed);
            if (v.qx == NULL)
                continue;
            float q =
                v.qx[i] * v.qx[i] + v.qy[i] * v.qy[i] + v.qz[i] * v.qz[i] + v.qw[i] * v.qw[i];
            CHECK_MSG(fabsf(q - 1.0f) < 1e-3f, "seed %u: |q|^2 is %g", seed, (double)q);
        }
    return alive;
}

TEST(extremes, of_recipes_and_steps_give_numbers_and_lose_nobody)
{
    static const float steps[] = {1.0f, 1.0f / 60.0f, 0.0f, 1e-4f, 0.1f, 1e-39f};
    for (uint32_t seed = 1; seed <= test_rounds(1600); ++seed) {
        rico_world *world = little_world();
        rico_recipe r = any_recipe(seed);
        uint64_t born = 0, died = 0;
        add_box(world, 5.0f, 5.0f, 0.5f, at(0.0f, 0.0f, -0.5f));
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 2));
        CHECK(e.index1 != 0);
        for (uint32_t n = 0; n < 20; ++n) {
            uint32_t use = 1000 + 10 * n;
            rico_vec3 p = any_vec3(seed, &use, 10.0f);
            CHECK_EQ(rico_effect_move(world, e, at(p.x, p.y, p.z)), RICO_OK);
            rico_world_step(world, steps[rico__random_u32(seed, 3, n) % 6]);
            born += rico_world_get_stats(world).births;
            died += rico_world_get_stats(world).deaths;
            CHECK_EQ(check_numbers(world, e, seed) + died, born);
        }
        rico_world_destroy(world);
    }
}

/* At up to 2e7 radians per second a ball turns so often in a step that its angle cannot be
 * known. Its rotation must still be one. */
TEST(extremes, of_spin_keep_what_turns_a_rotation)
{
    rico_world *world = bare_world(1);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rolls = true;
    r.rate = 0.0f;
    r.burst_count = 64;
    r.lifetime = (rico_range){100.0f, 100.0f};
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
    rico_world_step(world, DT);
    rico_view v = rico_effect_view(world, e);
    CHECK(rico_view_next(&v));
    float *w = (float *)(uintptr_t)v.wx, *q = (float *)(uintptr_t)v.qw;
    for (uint32_t i = 0; i < v.count; ++i)
        w[i] = 3.0e5f * (float)(i + 1);
    CHECK(v.count == 64 && v.qx != NULL);
    for (int n = 0; n < 20; ++n) {
        const float was[4] = {v.qx[9], v.qy[9], v.qz[9], v.qw[9]};
        rico_world_step(world, 1.0f);
        CHECK_EQ(check_numbers(world, e, 0), 64);
        CHECK(was[0] != v.qx[9] || was[1] != v.qy[9] || was[2] != v.qz[9] || was[3] != v.qw[9]);
        for (uint32_t i = 0; i < 64; ++i)
            CHECK(w[i] == 3.0e5f * (float)(i + 1));
    }
    /* A rotation whose numbers are all zero must begin anew. */
    q[0] = 0.0f; /* no rotation is left */
    float *rest[3] = {(float *)(uintptr_t)v.qx, (float *)(uintptr_t)v.qy,
                      (float *)(uintptr_t)v.qz};
    for (int k = 0; k < 3; ++k)
        rest[k][0] = 0.0f;
    rico_world_step(world, 0.5f);
    CHECK_EQ(check_numbers(world, e, 0), 64);
    rico_world_destroy(world);
}

/* --- Random friction -------------------------------------------------------------------- */

#define GRAINS 400u

/* Which share of its speed along the plane each particle has lost in its one bounce, by id. */
static void losses(uint32_t workers, float random, float out[GRAINS])
{
    rico_world *world = bare_world(workers);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_FIXED;
    r.plane_count = 1;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.rate = 0.0f;
    r.burst_count = GRAINS;
    r.spread = 0.0f;
    r.speed = (rico_range){4.0f, 4.0f};
    r.lifetime = (rico_range){10.0f, 10.0f};
    r.restitution = 1.0f;
    r.friction = 0.4f;
    r.friction_random = random;
    r.rest_speed = 0.0f;
    r.particle_ids = true;
    rico_transform t = at(0.0f, 0.0f, 0.3f); /* turns +z towards x, and down */
    t.rotation = (rico_quat){0.0f, sinf(1.1f), 0.0f, cosf(1.1f)};
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), t);
    const float before = 4.0f * sinf(2.2f);
    run_steps(world, 30);
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++count) {
            CHECK(v.vz[i] > 0.0f && v.id[i] < GRAINS);
            out[v.id[i]] = 1.0f - v.vx[i] / before;
        }
    CHECK_EQ(count, GRAINS);
    rico_world_destroy(world);
}

/* Friction is drawn evenly from 0.1 to 0.7 for each contact. Without random friction it is 0.4
 * for all. */
TEST(extremes, of_friction_are_drawn_evenly_for_each_contact)
{
    static float one[GRAINS], two[GRAINS], none[GRAINS];
    uint32_t tenths[6] = {0};
    losses(1, 0.3f, one);
    losses(2, 0.3f, two);
    losses(1, 0.0f, none);
    for (uint32_t i = 0; i < GRAINS; ++i) {
        CHECK_NEAR(none[i], 0.4, 1e-4);
        CHECK(one[i] == two[i]);
        CHECK_MSG(one[i] > 0.0999f && one[i] < 0.7001f, "%g", (double)one[i]);
        tenths[(uint32_t)fminf(fmaxf((one[i] - 0.1f) * 10.0f, 0.0f), 5.0f)] += 1;
    }
    for (int k = 0; k < 6; ++k)
        CHECK_MSG(tenths[k] > 40 && tenths[k] < 95, "%u of %u", tenths[k], GRAINS);
}
