/* Effects that are hidden or matter less: what they do, and what they cost. */
#include "runtime_room.h"

#include "runtime_shares.h"
#include "state.h"

#define FAR 1000.0f
#define EVEN (1.0f / 64.0f) /* sums of it are exact */

static void look_from(rico_world *world, float x)
{
    rico_vec3 place = {x, 0.0f, 0.0f};
    CHECK_EQ(rico_world_set_viewers(world, &place, 1), RICO_OK);
}

/* Sparks over the terrain, hidden when more than 100 m from the viewer. */
static rico_recipe sparks(rico_collision_mode mode, rico_hidden hidden)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 100.0f;
    r.spread = 1.5f;
    r.bursts[0] = (rico_burst){.count = 20, .cycles = 0, .interval = 0.5f, .probability = 0.7f};
    r.inherit_velocity = 0.5f;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 1 : 0;
    r.planes[0] = (rico_plane){{0, 0, 1}, 0};
    r.particle_ids = true;
    r.queries_per_frame = 1000.0f;
    r.hidden = hidden;
    r.cull_distance = 100.0f;
    return r;
}

#define MOST 4096u
static born one[MOST], other[MOST];

/* Compares positions, velocities and ages to the bit. Returns the number of particles. */
static uint32_t check_equal(const rico_world *a, rico_effect_id ea, const rico_world *b,
                            rico_effect_id eb)
{
    uint32_t count = collect_born(a, ea, one, MOST);
    CHECK_EQ(collect_born(b, eb, other, MOST), count);
    for (uint32_t n = 0; n < MOST; ++n) {
        CHECK_EQ(one[n].alive, other[n].alive);
        if (!one[n].alive)
            continue;
        CHECK(one[n].age == other[n].age && one[n].life == other[n].life);
        for (int k = 0; k < 3; ++k)
            CHECK(one[n].p[k] == other[n].p[k] && one[n].v[k] == other[n].v[k]);
    }
    return count;
}

TEST(detail, hides_what_is_far_from_all_viewers_and_shows_it_again_a_little_nearer)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = sparks(RICO_COLLIDE_NONE, RICO_HIDDEN_FREEZES);
    rico_effect_id near = begin_effect(world, &r, at(0, 0, 0));
    rico_effect_id far = begin_effect(world, &r, at(40.0f, 30.0f, 0.0f));
    r.cull_distance = 0.0f;
    rico_effect_id never = begin_effect(world, &r, at(0, 0, 0));
    bool hidden[2] = {false, false};
    int changes = 0;
    rico_world_step(world, EVEN);
    CHECK(!rico_effect_is_hidden(world, near)); /* without viewers nothing is far */
    for (int i = 0; i < 400; ++i) {
        float x = 200.0f * sinf((float)i * 0.1f) + (float)(i % 3) * 4.0f;
        rico_vec3 places[2] = {{x, 0.0f, 0.0f}, {0.0f, 0.0f, i < 200 ? 9999.0f : -95.0f}};
        CHECK_EQ(rico_world_set_viewers(world, places, 2), RICO_OK);
        rico_world_step(world, EVEN);
        for (int e = 0; e < 2; ++e) {
            double to_first = e == 0 ? fabs((double)x) : hypot((double)x - 40.0, 30.0);
            double to_second = hypot(e == 0 ? 0.0 : 50.0, (double)places[1].z);
            bool now = fmin(to_first, to_second) > (hidden[e] ? 90.0 : 100.0);
            changes += now != hidden[e];
            hidden[e] = now;
            CHECK_EQ(rico_effect_is_hidden(world, e == 0 ? near : far), now);
        }
        CHECK(!rico_effect_is_hidden(world, never));
    }
    CHECK(changes > 10);
    /* Viewers move when the origin does. */
    look_from(world, 0.0f);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){500.0f, 0.0f, 0.0f}), RICO_OK);
    rico_world_step(world, EVEN);
    CHECK(!rico_effect_is_hidden(world, near));
    rico_world_destroy(world);
}

TEST(detail, freezes_hidden_effects_as_if_they_were_paused)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_world *frozen = small_world(2, true), *paused = small_world(1, true);
        rico_recipe r = sparks((rico_collision_mode)mode, RICO_HIDDEN_FREEZES);
        rico_effect_id ef = begin_effect(frozen, &r, at(0.2f, 0.1f, 1.2f));
        rico_effect_id ep = begin_effect(paused, &r, at(0.2f, 0.1f, 1.2f));
        for (int i = 0; i < 180; ++i) {
            bool still = i >= 60 && i < 100;
            look_from(frozen, still ? FAR : 0.0f);
            CHECK_EQ(rico_effect_set_time_scale(paused, ep, still ? 0.0f : 1.0f), RICO_OK);
            rico_transform to = at(0.2f + 0.01f * (float)i, 0.1f, 1.2f);
            CHECK_EQ(rico_effect_move(frozen, ef, to), RICO_OK);
            CHECK_EQ(rico_effect_move(paused, ep, to), RICO_OK);
            rico_world_step(frozen, EVEN);
            rico_world_step(paused, EVEN);
            CHECK(rico_world_hash(frozen) == rico_world_hash(paused) || still);
        }
        CHECK(check_equal(frozen, ef, paused, ep) > 100);
        rico_world_destroy(frozen);
        rico_world_destroy(paused);
    }
}

TEST(detail, tells_hidden_effects_what_they_have_missed)
{
    for (int hidden = RICO_HIDDEN_FREEZES; hidden < RICO_HIDDEN_COUNT; ++hidden) {
        rico_world *world = small_world(1, false);
        rico_collider_id floor = add_slab(world, -0.5f, 0.5f, 0);
        rico_recipe r = drops(RICO_COLLIDE_CACHED);
        r.hidden = (rico_hidden)hidden;
        r.cull_distance = 100.0f;
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 1.0f));
        run_steps(world, 600);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 40);
        look_from(world, FAR);
        run_steps(world, 1);
        CHECK_EQ(rico_world_remove_collider(world, floor), RICO_OK);
        run_steps(world, 9);
        look_from(world, 0.0f);
        run_steps(world, 60);
        CHECK_EQ(collect_born(world, e, one, MOST), 40);
        for (uint32_t n = 0; n < 40; ++n)
            CHECK(one[n].p[2] < -2.0);
        rico_world_destroy(world);
    }
}

/* One step of a slow effect is four of the world's, with the emitter's way and fractions of
 * births. Mode classic is left out: it chooses rays by the frame's number. */
TEST(detail, runs_slow_effects_as_a_world_of_longer_steps_would)
{
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        if (mode == RICO_COLLIDE_CLASSIC)
            continue;
        rico_world *slow = small_world(1, true), *coarse = small_world(1, true);
        rico_recipe r = sparks((rico_collision_mode)mode, RICO_HIDDEN_RUNS_SLOWLY);
        rico_effect_id es = begin_effect(slow, &r, at(0.0f, 0.0f, 1.2f));
        rico_effect_id ec = begin_effect(coarse, &r, at(0.0f, 0.0f, 1.2f));
        look_from(slow, FAR);
        for (int i = 1; i <= 160; ++i) {
            rico_transform to = at(EVEN * (float)i, 0.0f, 1.2f);
            CHECK_EQ(rico_effect_move(slow, es, to), RICO_OK);
            rico_world_step(slow, EVEN);
            if (i % 4 != 0)
                continue;
            CHECK_EQ(rico_effect_move(coarse, ec, to), RICO_OK);
            rico_world_step(coarse, 4.0f * EVEN);
            check_equal(slow, es, coarse, ec);
        }
        CHECK(check_equal(slow, es, coarse, ec) > 100);
        rico_world_destroy(slow);
        rico_world_destroy(coarse);
    }
}

static double age_of_first(const rico_world *world, rico_effect_id effect)
{
    rico_view v = rico_effect_view(world, effect);
    return rico_view_next(&v) ? (double)v.age[0] : 0.0;
}

TEST(detail, shares_the_steps_of_slow_effects_out_and_brings_them_up_to_date_when_seen)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = 1;
    r.hidden = RICO_HIDDEN_RUNS_SLOWLY;
    r.cull_distance = 100.0f;
    rico_effect_id e[12];
    for (int k = 0; k < 12; ++k)
        e[k] = begin_effect(world, &r, at(0, 0, 0));
    rico_world_step(world, EVEN);
    look_from(world, FAR);
    for (int i = 0; i < 9; ++i) {
        int stepped = 0;
        for (int k = 0; k < 12; ++k) {
            if (k == 0)
                rico_world_step(world, EVEN);
            double behind = EVEN * (2.0 + i) - age_of_first(world, e[k]);
            stepped += behind == 0.0;
            CHECK(behind >= 0.0 && behind <= 3.0 * (double)EVEN);
        }
        CHECK_EQ(stepped, 3);
    }
    /* At most a quarter of a second is missed, except in longer steps of the world. */
    for (int i = 0; i < 4; ++i)
        rico_world_step(world, 0.125f);
    for (int k = 0; k < 12; ++k)
        CHECK(EVEN * 10.0 + 0.5 - age_of_first(world, e[k]) <= 0.25);
    look_from(world, 0.0f);
    rico_world_step(world, EVEN);
    for (int k = 0; k < 12; ++k)
        CHECK(age_of_first(world, e[k]) == (double)EVEN * 11.0 + 0.5);
    rico_world_destroy(world);
}

static double lowest(const rico_world *world, rico_effect_id effect)
{
    double least = 1.0e9;
    uint32_t count = collect_born(world, effect, one, MOST);
    for (uint32_t n = 0; n < MOST; ++n)
        if (one[n].alive)
            least = fmin(least, one[n].p[2]);
    return count > 0 ? least : -1.0e9;
}

TEST(detail, asks_nothing_for_blind_effects_which_bounce_off_what_is_known)
{
    for (int mode = RICO_COLLIDE_FIXED; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_world *world = small_world(1, false);
        add_slab(world, -0.5f, 0.5f, 0);
        rico_recipe r = drops((rico_collision_mode)mode);
        r.restitution = 0.8f;
        r.speed.hi = 0.2f; /* they stay above the slab's known part */
        r.hidden = RICO_HIDDEN_RUNS_BLIND;
        r.cull_distance = 100.0f;
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 1.0f));
        look_from(world, 0.0f);
        run_steps(world, 60);
        look_from(world, FAR);
        uint32_t bounces = 0;
        for (int i = 0; i < 120; ++i) {
            rico_world_step(world, DT);
            rico_world_stats stats = rico_world_get_stats(world);
            CHECK(stats.rays == 0 && stats.gathers == 0 && stats.requests == 0);
            CHECK(lowest(world, e) > -0.05 || mode == RICO_COLLIDE_CLASSIC);
            bounces += stats.bounces;
        }
        CHECK(bounces > 50 || (rico_collision_mode)mode == RICO_COLLIDE_EXACT);
        look_from(world, 0.0f);
        run_steps(world, 600);
        CHECK_EQ(rico_effect_particle_count(world, e), 40);
        CHECK(mode == RICO_COLLIDE_CLASSIC || fabs(lowest(world, e) - (double)RADIUS) < 0.01);
        rico_world_destroy(world);
    }
}

/* Particles are born hidden, fast, with nothing known: mode exact must stop them at the slab. */
TEST(detail, lets_nobody_of_mode_exact_through_who_was_never_seen)
{
    rico_world *world = small_world(1, false);
    add_slab(world, -0.5f, 0.5f, 0);
    rico_recipe r = drops(RICO_COLLIDE_EXACT);
    r.hidden = RICO_HIDDEN_RUNS_BLIND;
    r.cull_distance = 100.0f;
    r.rate = 200.0f;
    r.speed = (rico_range){0.0f, 40.0f};
    r.lifetime = (rico_range){0.15f, 0.15f}; /* none gets past the slab's edge */
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0.3f));
    look_from(world, FAR);
    for (int i = 0; i < 60; ++i) {
        rico_world_step(world, DT);
        CHECK_EQ(rico_world_get_stats(world).rays, 0);
    }
    CHECK(lowest(world, e) > 0.0);
    /* Mode cached must not request the cells that it lacks. */
    r.mode = RICO_COLLIDE_CACHED;
    begin_effect(world, &r, at(0, 0, 0.3f));
    for (int i = 0; i < 20; ++i) {
        rico_world_step(world, DT);
        CHECK_EQ(rico_world_get_stats(world).requests, 0);
    }
    rico_world_destroy(world);
}

#define FINE 96u

/* A floor of triangles of 1 cm, so many that no record holds a cell of them. */
static void add_fine_floor(rico_world *world)
{
    float *p = malloc((FINE + 1) * (FINE + 1) * 3 * sizeof *p), *end_p = p;
    uint32_t *k = malloc(FINE * FINE * 6 * sizeof *k), *end_k = k;
    for (uint32_t y = 0; y <= FINE; ++y)
        for (uint32_t x = 0; x <= FINE; ++x) {
            *end_p++ = 0.01f * (float)x - 0.48f;
            *end_p++ = 0.01f * (float)y - 0.48f;
            *end_p++ = 0.0f;
            uint32_t a = y * (FINE + 1) + x, c = a + FINE + 1;
            const uint32_t quad[6] = {a, a + 1, c + 1, a, c + 1, c};
            if (x < FINE && y < FINE) {
                memcpy(end_k, quad, sizeof quad);
                end_k += 6;
            }
        }
    rico_mesh mesh = {.positions = p,
                      .vertex_count = (FINE + 1) * (FINE + 1),
                      .indices = k,
                      .triangle_count = 2 * FINE * FINE};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    free(p);
    free(k);
}

TEST(detail, keeps_blind_effects_on_their_planes_where_only_rays_could_tell)
{
    rico_world *world = small_world(1, false);
    add_fine_floor(world);
    rico_recipe r = drops(RICO_COLLIDE_CACHED);
    r.restitution = 0.8f;
    r.speed.hi = 0.1f;
    r.size = (rico_vec3){0.1f, 0.1f, 0.1f};
    r.hidden = RICO_HIDDEN_RUNS_BLIND;
    r.cull_distance = 100.0f;
    rico_effect_id e = begin_effect(world, &r, at(0, 0, 0.3f));
    uint32_t rays = 0, bounces = 0;
    for (int i = 0; i < 150; ++i) {
        look_from(world, i < 60 ? 0.0f : FAR);
        rico_world_step(world, DT);
        rico_world_stats stats = rico_world_get_stats(world);
        CHECK(i < 60 || (stats.rays == 0 && stats.gathers == 0));
        rays += stats.rays;
        bounces += i < 60 ? 0 : stats.bounces;
        CHECK(lowest(world, e) > -0.05);
    }
    CHECK(rays > 40 && bounces > 40);
    rico_world_destroy(world);
}

/* Children of slow effects are not hidden, and must be born at the right times. */
TEST(detail, bears_the_children_of_slow_effects_as_old_as_they_are)
{
    rico_world *world = small_world(1, false);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), r = child;
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    r.rate = 8.0f;
    r.hidden = RICO_HIDDEN_RUNS_SLOWLY;
    r.cull_distance = 100.0f;
    r.sub_emitters[0] = (rico_sub_emitter){
        .on = RICO_EVENT_BIT_BIRTH, .recipe = id, .count = 1, .probability = 1.0f};
    begin_effect(world, &r, at(0, 0, 0));
    look_from(world, FAR);
    for (int i = 0; i < 130; ++i)
        rico_world_step(world, EVEN);
    rico_view v = rico_effect_view(world, rico_world_sub_effect(world, id));
    CHECK(rico_view_next(&v) && v.count >= 14);
    for (uint32_t n = 0; n < v.count; ++n) {
        double since = (130.0 * (double)EVEN - (double)v.age[n]) * 8.0;
        CHECK_NEAR(since, floor(since + 0.5), 1.0e-4);
    }
    rico_world_destroy(world);
}

/* ---- The host's hook ------------------------------------------------------------------- */

typedef struct judge {
    rico_world *world;
    rico_detail seen[16];
    uint32_t calls, count;
    float significance[16]; /* the answers */
    bool hides, calls_back, busy;
} judge;

static void judge_all(void *user, rico_detail *effects, uint32_t count)
{
    judge *j = user;
    j->calls += 1;
    j->count = count;
    j->busy = j->calls_back && rico_world_set_viewers(j->world, NULL, 0) == RICO_BUSY &&
              rico_world_set_detail_hook(j->world, NULL) == RICO_BUSY;
    for (uint32_t n = 0; n < count; ++n) {
        if (n < 16) {
            j->seen[n] = effects[n];
            effects[n].significance = j->significance[n];
        }
        effects[n].hidden = j->hides && n % 2 == 0;
        effects[n].effect.index1 = 12345;
    }
}

static void ask(rico_world *world, judge *j)
{
    j->world = world;
    for (int n = 0; n < 16; ++n)
        j->significance[n] = 1.0f;
    CHECK_EQ(rico_world_set_detail_hook(world, &(rico_detail_hook){judge_all, j}), RICO_OK);
}

TEST(detail, asks_the_host_once_per_step_about_those_who_take_part)
{
    rico_world *world = small_world(2, false);
    rico_recipe r = sparks(RICO_COLLIDE_NONE, RICO_HIDDEN_FREEZES), plain = r;
    plain.hidden = RICO_HIDDEN_RUNS;
    plain.cull_distance = 0.0f;
    r.lod_distance = 10.0f;
    r.lod_below = 0.9f;
    rico_effect_id e[3];
    e[0] = begin_effect(world, &r, at(0, 0, 0));
    begin_effect(world, &plain, at(1, 0, 0));
    e[1] = begin_effect(world, &r, at(40, 0, 0));
    e[2] = begin_effect(world, &r, at(200, 0, 0));
    judge j = {.hides = true, .calls_back = true};
    ask(world, &j);
    look_from(world, 0.0f);
    rico_world_step(world, EVEN);
    CHECK(j.calls == 1 && j.count == 3 && j.busy);
    for (int k = 0; k < 3; ++k) {
        CHECK(j.seen[k].effect.index1 == e[k].index1 &&
              j.seen[k].effect.generation == e[k].generation);
        CHECK_EQ(rico_effect_is_hidden(world, e[k]), k != 1);
        CHECK_EQ(j.seen[k].hidden, k == 2);
        CHECK(j.seen[k].position.x == j.seen[k].distance);
    }
    CHECK(j.seen[0].significance == 1.0f && j.seen[1].significance == 0.25f);
    CHECK_NEAR(j.seen[2].significance, 0.05, 1.0e-6);
    /* An effect that is run by itself counts as seen, and the hook is not called. */
    CHECK_EQ(rico_effect_seek(world, e[0], 1.0f, EVEN), RICO_OK);
    CHECK(rico_effect_particle_count(world, e[0]) > 50);
    CHECK_EQ(j.calls, 1);
    CHECK_EQ(rico_world_set_detail_hook(world, NULL), RICO_OK);
    rico_world_step(world, EVEN);
    CHECK(j.calls == 1 && !rico_effect_is_hidden(world, e[0]));
    rico_world_destroy(world);
}

/* Birth number n is kept when the product of n and the share passes a whole number. */
TEST(detail, leaves_births_out_evenly_and_the_others_as_they_are)
{
    static const float shares[] = {0.0f, 0.1f, 0.25f, 0.5f, 0.77f, 1.0f};
    for (int s = 0; s < 6; ++s) {
        rico_world *full = small_world(1, false), *thin = small_world(2, false);
        rico_recipe r = sparks(RICO_COLLIDE_FIXED, RICO_HIDDEN_RUNS);
        r.lod_below = 0.5f;
        r.lod_births = 0.0f;
        r.rate = 90.0f; /* so that in many steps no birth is kept */
        r.max_particles = MOST;
        rico_effect_def def = rico_effect_def_default();
        def.seed = 7;
        rico_effect_id ef = rico_effect_spawn_def(full, rico_world_add_recipe(full, &r), &def);
        rico_effect_id et = rico_effect_spawn_def(thin, rico_world_add_recipe(thin, &r), &def);
        judge j = {0};
        ask(thin, &j);
        j.significance[0] = 0.5f * shares[s];
        for (int i = 1; i <= 300; ++i) {
            CHECK_EQ(rico_effect_move(full, ef, at(0.1f * (float)i, 0, 1)), RICO_OK);
            CHECK_EQ(rico_effect_move(thin, et, at(0.1f * (float)i, 0, 1)), RICO_OK);
            run_steps(full, 1);
            run_steps(thin, 1);
        }
        uint32_t all = collect_born(full, ef, one, MOST), left = 0;
        CHECK(all > 100);
        CHECK(collect_born(thin, et, other, MOST) < MOST);
        for (uint32_t n = 0; n < MOST; ++n) {
            double share = (double)shares[s];
            bool kept = floor((n + 1.0) * share) > floor(n * share);
            CHECK_EQ(other[n].alive, one[n].alive && kept);
            if (other[n].alive)
                CHECK(memcmp(&one[n], &other[n], sizeof one[n]) == 0);
            left += other[n].alive;
        }
        CHECK(shares[s] == 0.0f ? left == 0 : left > 0);
        CHECK_EQ(rico_world_get_stats(thin).births_starved, 0);
        rico_world_destroy(full);
        rico_world_destroy(thin);
    }
}

TEST(detail, does_not_trust_the_host_s_significance)
{
    static const float answers[] = {NAN, -3.0f, 0.0f, 1.0f, 7.0f, INFINITY};
    for (int s = 0; s < 6; ++s) {
        rico_world *world = small_world(1, false);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.burst_count = 100;
        r.lod_below = 1.0f;
        rico_effect_id e = begin_effect(world, &r, at(0, 0, 0));
        judge j = {0};
        ask(world, &j);
        j.significance[0] = answers[s];
        rico_world_step(world, EVEN);
        CHECK_EQ(rico_effect_particle_count(world, e), s < 3 ? 25 : 100);
        rico_world_destroy(world);
    }
}

TEST(detail, gives_queries_by_significance_and_leaves_none_over_while_someone_lacks_some)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.queries_per_frame = 10.0f;
    r.lod_below = 1.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int k = 0; k < 4; ++k)
        CHECK(rico_effect_spawn(world, id, at(0, 0, 0)).index1 != 0);
    for (uint32_t round = 0; round < 100; ++round) {
        uint32_t granted = 0, wanted = 0;
        begin_wants(world, 4);
        for (uint32_t k = 0; k < 4; ++k) {
            rico__account *a = &world->accounts[k];
            world->effects[k].regard.significance = k < 2 ? 1.0f : 0.2f;
            a->credit = 10.0f; /* and no more, as no time passes */
            want(world, k, round % 2 == 0 ? 100 : 1 + (round * (k + 3)) % 23);
        }
        world->frame = round;
        uint32_t left = rico__shares_grant(world);
        for (uint32_t k = 0; k < 4; ++k) {
            const rico__account *a = &world->accounts[k];
            CHECK(a->granted <= a->wanted);
            granted += a->granted;
            wanted += a->wanted;
        }
        CHECK_EQ(granted, wanted < 40 ? wanted : 40);
        CHECK_EQ(granted + left, 40);
        if (round % 2 == 1)
            continue;
        /* Own parts are 10, 10, 2, 2; the other 16 go by 90 and 98 wanted, times 256 and 52. */
        CHECK(world->accounts[0].granted >= 16 && world->accounts[1].granted <= 18);
        CHECK(world->accounts[2].granted >= 3 && world->accounts[3].granted <= 5);
    }
    rico_world_destroy(world);
}

/* ---- All modes together ---------------------------------------------------------------- */

static uint64_t hash_of_all(uint32_t workers, int steps)
{
    rico_world *world = small_world(workers, true);
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode)
        for (int hidden = 0; hidden < RICO_HIDDEN_COUNT; ++hidden) {
            rico_recipe r = sparks((rico_collision_mode)mode, (rico_hidden)hidden);
            r.cull_distance = 9.0f;
            r.lod_distance = 2.0f;
            r.lod_below = 0.9f;
            r.hidden_steps = 3;
            r.queries_per_frame = 1.0f;
            r.events = RICO_EVENT_BIT_COLLISION;
            begin_effect(world, &r, at((float)hidden - 2.0f, (float)mode - 2.0f, 1.5f));
        }
    judge j = {0};
    ask(world, &j);
    long before = (long)rico_world_get_stats(world).allocations;
    uint64_t hash = 0;
    for (int i = 0; i < steps; ++i) {
        look_from(world, 12.0f * sinf((float)i * 0.05f));
        for (int n = 0; n < 16; ++n)
            j.significance[n] = (float)((i + n) % 10) * 0.1f;
        if (i == steps / 2)
            CHECK_EQ(rico_world_set_detail_hook(world, NULL), RICO_OK);
        rico_world_step(world, DT);
        hash = hash * 31 + rico_world_hash(world);
    }
    CHECK_EQ((long)rico_world_get_stats(world).allocations, before);
    CHECK(rico_world_get_stats(world).particles > 500);
    rico_world_destroy(world);
    return hash;
}

TEST(detail, gives_the_same_bits_for_any_number_of_workers_and_every_isa)
{
    uint64_t expected = hash_of_all(1, 100);
    CHECK(hash_of_all(3, 100) == expected);
    setenv("RICO_ISA", "scalar", 1);
    CHECK(hash_of_all(2, 100) == expected);
    unsetenv("RICO_ISA");
}

TEST(detail, is_refused_by_name_when_out_of_range)
{
    counting_allocator counter = {.fail_at = -1};
    kept_log log;
    rico_world_def def = counted_def(&counter, &log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    static const char *const fields[] = {"recipe.hidden is",        "recipe.hidden_steps is",
                                         "recipe.cull_distance is", "recipe.lod_distance is",
                                         "recipe.lod_below is",     "recipe.lod_births is"};
    for (int k = 0; k < 6; ++k) {
        rico_recipe r = rico_recipe_default();
        r.hidden = k == 0 ? RICO_HIDDEN_COUNT : RICO_HIDDEN_RUNS;
        r.hidden_steps = k == 1 ? 17 : 4;
        r.cull_distance = k == 2 ? NAN : 0.0f;
        r.lod_distance = k == 3 ? -1.0f : 0.0f;
        r.lod_below = k == 4 ? 1.1f : 0.0f;
        r.lod_births = k == 5 ? INFINITY : 0.0f;
        CHECK_EQ(rico_world_add_recipe(world, &r).index1, 0);
        CHECK(strstr(log.text, fields[k]) != NULL);
    }
    rico_vec3 places[5] = {{0, 0, 0}, {NAN, 0, 0}};
    CHECK_EQ(rico_world_set_viewers(world, places, 5), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_world_set_viewers(world, places, 2), RICO_NOT_FINITE);
    CHECK_EQ(world->detail.viewer_count, 0);
    judge j = {0};
    counter.fail_at = counter.calls;
    CHECK_EQ(rico_world_set_detail_hook(world, &(rico_detail_hook){judge_all, &j}),
             RICO_OUT_OF_MEMORY);
    counter.fail_at = -1;
    ask(world, &j);
    CHECK(!rico_effect_is_hidden(world, (rico_effect_id){3, 1}));
    rico_world_destroy(world);
    CHECK_EQ(counter.live_bytes, 0);
}
