/* Shared query budgets, cells that are requested, and particles that wait for them. */
#include "own_plane.h"
#include "random.h"
#include "runtime_shares.h"
#include "runtime_terrain.h"
#include "state.h"
#include "vec.h"
#include "waiting.h"

static float number(uint32_t round, uint32_t use, float lo, float hi)
{
    return rico__random_range(91, round, use, lo, hi);
}

/* ---- Shares ---- */

#define EFFECTS 40u /* for more than one job */

static rico_world *world_of_effects(uint32_t budget, uint32_t shared)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.worker_count = 1;
    def.queries_per_frame = budget;
    def.shared_queries_per_frame = shared;
    def.cache_bytes = def.classic_cache_bytes = 1 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    for (uint32_t i = 0; i < EFFECTS; ++i) {
        rico_recipe r = rico_recipe_default();
        r.mode = i % 4 == 3 ? RICO_COLLIDE_CLASSIC : RICO_COLLIDE_CACHED;
        r.queries_per_frame = 0.5f * (float)(i % 5);
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), RICO_TRANSFORM_IDENTITY);
    }
    return world;
}

static bool is_cached(const rico_world *world, uint32_t slot)
{
    return world->recipes[world->effects[slot].recipe].def.mode == RICO_COLLIDE_CACHED;
}

static uint32_t own_of(const rico__account *a)
{
    double whole = floor(fmax((double)a->credit, 0.0));
    return a->wanted < whole ? a->wanted : (uint32_t)whole;
}

/* What an effect that lacks something has saved for its next unit. */
static double saved_of(const rico__account *a)
{
    return a->wanted > own_of(a) ? fmax((double)a->credit, 0.0) - own_of(a) : 0.0;
}

static void check_sharing(uint32_t shared)
{
    uint32_t helped = 0, starved = 0;
    rico_world *worlds[2] = {world_of_effects(7, shared), world_of_effects(1000, shared)};
    for (uint32_t round = 0; round < 200; ++round) {
        rico_world *world = worlds[round % 3 != 0];
        uint32_t budget = world->def.queries_per_frame, granted = 0, extra = 0, missing = 0;
        double pool = shared;
        world->frame = round;
        begin_wants(world, EFFECTS);
        for (uint32_t i = 0; i < EFFECTS; ++i) {
            rico__account *a = &world->accounts[i];
            a->credit = number(round, i, -3.0f, 6.0f);
            want(world, i, i / 16 == round % 5 ? 0 : rico__random_u32(91, round, 50 + i) % 9);
            if (is_cached(world, i))
                pool += (double)a->credit - own_of(a) - saved_of(a); /* debts come first */
        }
        uint32_t left = rico__shares_grant(world);
        pool = fmax(floor(pool + 1.0e-4), 0.0);
        for (uint32_t i = 0; i < EFFECTS; ++i) {
            const rico__account *a = &world->accounts[i];
            CHECK(a->granted <= a->wanted);
            CHECK(budget == 7 || a->granted >= own_of(a));
            CHECK(is_cached(world, i) || a->granted <= own_of(a));
            granted += a->granted;
            if (is_cached(world, i) && budget != 7)
                extra += a->granted - own_of(a);
            if (is_cached(world, i))
                missing += a->wanted - a->granted;
        }
        CHECK(granted <= budget);
        /* The whole pool is given out while any effect lacks something. */
        CHECK(budget == 7 || extra + left == (uint32_t)pool);
        CHECK(budget == 7 || left == 0 || missing == 0);
        helped += extra > 0;
        starved += missing > 0;
    }
    rico_world_destroy(worlds[0]);
    rico_world_destroy(worlds[1]);
    CHECK(helped > 50 && starved > 50);
}

TEST(runtime, what_an_effect_does_not_need_goes_to_those_that_lack_it)
{
    check_sharing(0);
}

TEST(runtime, what_the_world_brings_goes_to_those_that_lack_something)
{
    check_sharing(6);
}

static void check_debts(uint32_t shared)
{
    rico_world *world = world_of_effects(1000, shared);
    for (uint32_t round = 0; round < 200; ++round) {
        float before[EFFECTS];
        double sum = 0.0, after = 0.0;
        begin_wants(world, EFFECTS);
        for (uint32_t i = 0; i < EFFECTS; ++i) {
            before[i] = number(round, i, -4.0f, 4.0f);
            world->accounts[i].credit = before[i];
            want(world, i, 0);
            sum += is_cached(world, i) ? (double)before[i] : 0.0;
        }
        rico__shares_balance(world);
        for (uint32_t i = 0; i < EFFECTS; ++i) {
            float credit = world->accounts[i].credit;
            if (!is_cached(world, i)) {
                CHECK(credit == before[i]);
                continue;
            }
            CHECK(before[i] > 0.0f ? credit >= 0.0f && credit <= before[i]
                                   : credit <= 0.0f && credit >= before[i]);
            CHECK(sum + shared > 0.0 ? credit > -1.0e-4f : credit < 1.0e-4f);
            after += (double)credit;
        }
        CHECK(after > sum - 1.0e-4 && after < sum + shared + 1.0e-4);
        CHECK(sum + shared > 0.0 || after > sum + shared - 1.0e-4);
    }
    rico_world_destroy(world);
}

TEST(runtime, debts_are_paid_by_those_who_have_credit_and_by_nobody_who_owes)
{
    check_debts(0);
}

TEST(runtime, debts_are_paid_by_what_the_world_brings)
{
    check_debts(12);
}

/* ---- Cells ---- */

#define PATCH 21u

/* A floor of squares at z = 0. */
static void add_floor(rico_world *world, float square)
{
    float *p = malloc(PATCH * PATCH * 3 * sizeof *p), *at_end = p;
    uint32_t *k = malloc(PATCH * PATCH * 6 * sizeof *k), *end = k;
    for (uint32_t y = 0; y < PATCH; ++y)
        for (uint32_t x = 0; x < PATCH; ++x) {
            *at_end++ = ((float)x - 0.5f * (float)(PATCH - 1)) * square;
            *at_end++ = ((float)y - 0.5f * (float)(PATCH - 1)) * square;
            *at_end++ = 0.0f;
            uint32_t a = y * PATCH + x, c = a + PATCH;
            const uint32_t quad[6] = {a, a + 1, c + 1, a, c + 1, c};
            if (x + 1 < PATCH && y + 1 < PATCH) {
                memcpy(end, quad, sizeof quad);
                end += 6;
            }
        }
    rico_mesh mesh = {.positions = p,
                      .vertex_count = PATCH * PATCH,
                      .indices = k,
                      .triangle_count = 2 * (PATCH - 1) * (PATCH - 1)};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    free(p);
    free(k);
}

/* Throws particles within `spread` of straight down. */
static rico_effect_id throw_down(rico_world *world, float queries, float speed, float spread,
                                 float height)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = 100;
    r.spread = spread;
    r.speed = (rico_range){0.5f * speed, speed};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.queries_per_frame = queries;
    rico_transform where = at(0.03f, 0.04f, height);
    where.rotation = (rico_quat){1.0f, 0.0f, 0.0f, 0.0f}; /* +z to -z */
    return rico_effect_spawn(world, rico_world_add_recipe(world, &r), where);
}

/* The cell of level 0 has 800 triangles, so its records are three divisions away. */
TEST(runtime, newborns_in_a_cell_nobody_knows_are_served_before_their_first_move)
{
    rico_world *world = small_world(1, false);
    add_floor(world, 0.08f);
    rico_effect_id e = throw_down(world, 100.0f, 6.0f, 0.3f, 0.06f);
    run_steps(world, 30);
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            CHECK_MSG(v.pz[i] > 0.0f || fabsf(v.px[i]) > 0.8f || fabsf(v.py[i]) > 0.8f,
                      "one fell to %g", (double)v.pz[i]);
    rico_world_destroy(world);
}

static rico_cache_key level_0_at(rico_vec3 p)
{
    int32_t finest[3] = {0};
    CHECK(rico__record_finest(p, 1.0f, finest));
    return rico__record_key(finest, 0);
}

TEST(runtime, a_path_asks_for_the_first_four_cells_that_it_lacks)
{
    rico_world *world = small_world(1, false);
    add_floor(world, 1.0f);
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = 1;
    r.spread = 0.0f;
    r.speed = (rico_range){8.0f, 8.0f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.queries_per_frame = 0.0f;
    rico_transform along_x = at(-5.5f, 0.3f, 0.02f);
    along_x.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f}; /* +z to +x */
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), along_x);
    rico_world_step(world, 1.0f / 60.0f);
    const rico__block *block = &world->blocks[world->effects[e.index1 - 1].first_block];
    /* There is floor all along the way. The cells in order are found one millimetre at a time. */
    rico_cache_key expected[4];
    uint32_t count = 0;
    for (float x = -5.5f; count < 4; x += 0.001f) {
        rico_cache_key key = level_0_at((rico_vec3){x, 0.3f, 0.02f});
        if (count == 0 || expected[count - 1] != key)
            expected[count++] = key;
    }
    /* Requests are counted anew in each frame, but the last ones are still there. */
    const rico__request *requests = rico__block_requests(world, block);
    for (uint32_t i = 0; i < 4; ++i) {
        CHECK(requests[i].lack.key == expected[i]);
        CHECK_EQ(requests[i].here, i == 0);
    }
    rico_world_destroy(world);
}

/* ---- Waiting ---- */

/* A particle that has waited for some steps without a plane is just above the floor when the
 * record comes. It must not fall through. */
TEST(runtime, who_waited_for_a_record_meets_the_very_next_surface)
{
    for (int steps = 6; steps <= 9; ++steps) {
        rico_world *world = small_world(1, false);
        add_floor(world, 1.0f);
        rico_effect_id e = throw_down(world, 0.0f, 6.0f, 0.0f, 0.55f);
        run_steps(world, steps);
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        uint32_t above = 0;
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                above += v.pz[i] > 0.0f;
        run_steps(world, 2);
        v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                above -= v.pz[i] > 0.0f;
        CHECK_EQ(above, 0);
        rico_world_destroy(world);
    }
}

typedef struct waiting {
    rico_world *world;
    rico__block *block;
    const rico__recipe *recipe;
    float *data;
} waiting;

/* A hundred particles that wait, because no queries are allowed. */
static waiting make_waiting(float speed, float spread, float height)
{
    waiting w = {.world = small_world(1, false)};
    add_floor(w.world, 0.2f);
    rico_effect_id e = throw_down(w.world, 0.0f, speed, spread, height);
    rico_world_step(w.world, 1.0f / 60.0f);
    const rico__effect *effect = &w.world->effects[e.index1 - 1];
    w.block = &w.world->blocks[effect->first_block];
    w.recipe = &w.world->recipes[effect->recipe];
    w.data = rico__block_data(w.world, w.block);
    CHECK_EQ(w.block->count, 100);
    return w;
}

static float *stream(const waiting *w, rico__field field)
{
    return rico__stream(w->recipe, w->data, field);
}

TEST(runtime, who_waits_learns_by_a_ray_what_the_next_steps_meet)
{
    const double dt = 1.0 / 60.0, radius = 0.01;
    uint32_t met = 0, free_of_it = 0;
    waiting w = make_waiting(4.0f, 3.14159f, 0.25f);
    for (uint32_t lane = 0; lane < 100; ++lane) {
        double z = (double)stream(&w, FIELD_PZ)[lane], v = (double)stream(&w, FIELD_VZ)[lane];
        CHECK(rico__bit(w.block->waits, lane));
        rico__query query = {.kind = QUERY_CHORD,
                             .effect = w.block->effect,
                             .block = (uint32_t)(w.block - w.world->blocks),
                             .lane = lane};
        rico__waiting_answer(w.world, &query, w.world->scratch);
        CHECK(query.rays >= 1 && query.units == 0);
        double until = (double)(stream(&w, FIELD_UNTIL)[lane] - stream(&w, FIELD_AGE)[lane]);
        bool floor = stream(&w, FIELD_ND)[lane] != RICO_NO_PLANE_OFFSET;
        CHECK(until > 2.0 * dt);
        /* Finds step by step when the particle comes to the floor. */
        double t = 0.0;
        while (z > radius && t + dt <= until) {
            v -= 9.81 * dt;
            z += v * dt;
            t += dt;
        }
        bool comes = z <= radius;
        CHECK_MSG(!comes || floor, "lane %u is not told of the floor at %g s", lane, t);
        if (floor) {
            rico_plane plane = rico__watched_plane(stream(&w, FIELD_PX) + lane,
                                                   w.world->recipes[0].stream_floats);
            CHECK_NEAR(plane.normal.z, 1.0f, 1.0e-5f);
            CHECK_NEAR(plane.offset, 0.0f, 1.0e-5f);
            CHECK_MSG(comes || z + v * dt < radius, "lane %u is told of a floor before %g s",
                      lane, until);
        }
        met += floor;
        free_of_it += !floor;
    }
    CHECK(met > 10 && free_of_it > 10);
    rico_world_destroy(w.world);
}

TEST(runtime, who_waits_is_not_told_of_what_its_recipe_ignores)
{
    waiting w = make_waiting(4.0f, 0.3f, 0.25f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def shelf = rico_collider_def_default();
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = (rico_vec3){9.0f, 9.0f, 0.02f};
    CHECK_EQ(rico_world_add_shape(w.world, &shape, NULL, &shelf.shape), RICO_OK);
    shelf.layers = 2;
    shelf.motion.transform = at(0.0f, 0.0f, 0.08f);
    CHECK(rico_world_add_collider(w.world, &shelf).index1 != 0);
    rico_recipe ignores = w.recipe->def;
    ignores.ignored_layers = 2;
    for (int k = 0; k < 2; ++k) {
        rico__query query = {.kind = QUERY_CHORD,
                             .effect = w.block->effect,
                             .block = (uint32_t)(w.block - w.world->blocks)};
        rico__waiting_answer(w.world, &query, w.world->scratch);
        rico_plane plane = rico__watched_plane(stream(&w, FIELD_PX), w.recipe->stream_floats);
        CHECK_NEAR(plane.offset, k == 0 ? 0.1f : 0.0f, 1.0e-5f);
        CHECK_EQ(rico_world_change_recipe(w.world, (rico_recipe_id){1, 1}, &ignores), RICO_OK);
    }
    rico_world_destroy(w.world);
}

/* All waiting particles assume a plane at height `plane` that they have known for `waited`
 * seconds. Returns how many bounce at that speed in m/s. */
static uint32_t bounces_off(float plane, float waited, float speed)
{
    waiting w = make_waiting(2.0f, 0.2f, 0.5f);
    for (uint32_t lane = 0; lane < 100; ++lane) {
        stream(&w, FIELD_PZ)[lane] = plane + 0.03f;
        stream(&w, FIELD_VZ)[lane] = -speed;
        rico__watch(stream(&w, FIELD_PX) + lane, w.world->recipes[0].stream_floats,
                    (rico_plane){{0.0f, 0.0f, 1.0f}, plane},
                    rico__known_wait(stream(&w, FIELD_AGE)[lane]));
        stream(&w, FIELD_AGE)[lane] += waited;
    }
    rico_world_step(w.world, 1.0f / 60.0f);
    uint32_t up = 0;
    for (uint32_t lane = 0; lane < 100; ++lane)
        up += stream(&w, FIELD_VZ)[lane] > 0.0f;
    rico_world_destroy(w.world);
    return up;
}

TEST(runtime, who_waits_believes_in_its_old_plane_for_a_short_way_and_near_geometry)
{
    CHECK_EQ(bounces_off(0.0f, 0.0f, 3.0f), 100);
    CHECK_EQ(bounces_off(0.0f, 0.5f, 3.0f), 0); /* from 1.5 m away */
    CHECK_EQ(bounces_off(0.3f, 0.0f, 3.0f), 0); /* where nothing is */
}

/* The step leads farther than that short way. */
TEST(runtime, who_begins_to_wait_believes_in_its_old_plane_however_fast_it_is)
{
    CHECK_EQ(bounces_off(0.0f, 0.0f, 12.0f), 100);
    CHECK_EQ(bounces_off(0.0f, 0.02f, 12.0f), 0);
}

/* Makes particles fall at 1 m/s for so many seconds, through unknown cells. */
static void have_waited(rico_world *world, rico__block *block, float seconds)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    for (uint32_t i = 0; i < block->count; ++i) {
        rico__stream(recipe, data, FIELD_VZ)[i] = -1.0f;
        float age = rico__stream(recipe, data, FIELD_AGE)[i] += seconds;
        rico__watch(data + i, recipe->stream_floats,
                    (rico_plane){{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET},
                    rico__known_wait(age - seconds));
    }
}

/* How much 16 particles that are born above the terrain want the record of their cell. waited:
 * for how long they have waited before. */
static uint32_t wanted_from(float height, float waited)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 0.0f;
    r.burst_count = 16;
    r.speed = (rico_range){0.0f, 0.0f};
    r.queries_per_frame = 0.0f;
    rico_transform where = at(5.5f, 5.5f, terrain_height(5.5f, 5.5f) + height);
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r), where);
    rico_world_step(world, 1.0f / 60.0f);
    rico__block *block = &world->blocks[world->effects[e.index1 - 1].first_block];
    if (waited > 0.0f) {
        have_waited(world, block, waited);
        rico_world_step(world, 1.0f / 240.0f);
    }
    /* Requests are counted anew in each frame, but the last ones are still there. */
    const rico__request *request = rico__block_requests(world, block);
    CHECK(request->here && request->lack.key == level_0_at(where.position));
    uint32_t wanted = request->wanted;
    rico_world_destroy(world);
    return wanted;
}

TEST(runtime, a_cell_is_wanted_more_by_who_may_meet_something_in_it_soon)
{
    uint32_t near = wanted_from(0.05f, 0.0f), far = wanted_from(0.6f, 0.0f);
    CHECK_MSG(far >= 16 && near >= 4 * far, "near %u, far %u", near, far);
}

/* A particle that has waited for long has mostly passed what was there. */
TEST(runtime, who_is_lost_does_not_hurry)
{
    uint32_t soon = wanted_from(0.05f, 0.1f), lost = wanted_from(0.05f, 0.5f);
    CHECK_MSG(lost >= 16 && soon >= 4 * lost, "after 0.1 m %u, after 0.5 m %u", soon, lost);
}
