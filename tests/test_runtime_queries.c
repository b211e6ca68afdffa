/* What the last step asked for, as the host sees it. */
#include "runtime_host.h"
#include "runtime_shares.h"
#include "runtime_terrain.h"

#include <ricochet/world_queries.h>

#define MOST 4096u
#define MARGIN 0.03f /* of a record around its cell */

static rico_recipe sparks(rico_collision_mode mode)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 60.0f;
    r.burst_count = 40;
    r.spread = 3.0f;
    r.speed = (rico_range){1.0f, 9.0f};
    r.lifetime = (rico_range){2.0f, 3.0f};
    r.queries_per_frame = mode == RICO_COLLIDE_CACHED ? 30.0f : 2.0f;
    return r;
}

static rico_world *spark_world(uint32_t workers, rico_collision_mode mode)
{
    rico_world *world = small_world(workers, true);
    rico_recipe r = sparks(mode);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int i = 0; i < 9; ++i)
        rico_effect_spawn(world, id,
                          at((float)(i % 3) * 4.0f - 4.0f, (float)(i / 3) * 4.0f - 4.0f, 1.6f));
    return world;
}

typedef struct sums {
    uint32_t count, gathers, rays, units, waiting;
} sums;

static sums add_up(const rico_query *q, uint32_t count)
{
    sums s = {.count = count};
    for (uint32_t i = 0; i < count; ++i) {
        s.gathers += q[i].gathers;
        s.rays += q[i].rays;
        s.units += q[i].units;
        s.waiting += q[i].kind == RICO_QUERY_RAY;
    }
    return s;
}

static bool has_surfaces(const rico_world *world, rico_box box)
{
    rico_triangle triangles[1];
    rico_vec3 m = {MARGIN, MARGIN, MARGIN};
    box = (rico_box){{box.lo.x - m.x, box.lo.y - m.y, box.lo.z - m.z},
                     {box.hi.x + m.x, box.hi.y + m.y, box.hi.z + m.z}};
    return rico_scene_gather_first(rico_world_scene(world), NULL, &box, triangles, 1) > 0;
}

static bool is_a_particle(const rico_world *world, rico_effect_id effect, rico_vec3 p)
{
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            if (v.px[i] == p.x && v.py[i] == p.y && v.pz[i] == p.z)
                return true;
    return false;
}

/* The same ray, cast again, must meet the same surface where it ended. */
static void check_ray(const rico_world *world, const rico_query *q)
{
    rico_vec3 a = q->from, b = q->to;
    rico_ray ray = {a, 1.001f, {b.x - a.x, b.y - a.y, b.z - a.z}, 0};
    rico_hit hit = rico_scene_raycast(rico_world_scene(world), NULL, &ray);
    CHECK(is_a_particle(world, q->effect, a));
    CHECK_EQ(hit.collider != 0, q->met);
    if (q->met)
        CHECK_NEAR(hit.t, 1.0f, 1.0e-3f);
}

TEST(queries, of_mode_cached_are_counted_as_in_the_statistics)
{
    static rico_query q[MOST];
    rico_world *world = spark_world(1, RICO_COLLIDE_CACHED);
    sums all = {0};
    for (int step = 0; step < 120; ++step) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_world_stats stats = rico_world_get_stats(world);
        uint32_t count = rico_world_queries(world, q, MOST);
        CHECK(count <= MOST);
        sums s = add_up(q, count);
        CHECK_EQ(s.gathers, stats.gathers);
        CHECK(s.rays <= stats.rays);
        CHECK_EQ(s.units + (stats.rays + 3) / 4, stats.query_units);
        for (uint32_t i = 0; i < count; ++i) {
            CHECK(rico_effect_is_alive(world, q[i].effect));
            if (q[i].kind == RICO_QUERY_GATHER)
                CHECK_EQ(q[i].met, has_surfaces(world, q[i].box));
            else
                check_ray(world, &q[i]);
        }
        all.gathers += s.gathers;
        all.waiting += s.waiting;
    }
    CHECK_MSG(all.gathers > 100 && all.waiting > 10, "%u %u", all.gathers, all.waiting);
    rico_world_destroy(world);
}

TEST(queries, of_mode_classic_are_rays_from_particles_to_what_they_met)
{
    static rico_query q[MOST];
    rico_world *world = spark_world(1, RICO_COLLIDE_CLASSIC);
    uint32_t met = 0, missed = 0;
    for (int step = 0; step < 60; ++step) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_world_stats stats = rico_world_get_stats(world);
        uint32_t count = rico_world_queries(world, q, MOST);
        CHECK_EQ(count, stats.rays);
        CHECK_EQ(add_up(q, count).units, stats.query_units);
        for (uint32_t i = 0; i < count; ++i) {
            check_ray(world, &q[i]);
            met += q[i].met;
            missed += !q[i].met;
        }
    }
    CHECK(met > 50 && missed > 50);
    rico_world_destroy(world);
}

static bool same_point(rico_vec3 a, rico_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

TEST(queries, are_the_same_for_any_number_of_workers)
{
    static rico_query one[MOST], three[MOST];
    rico_world *a = spark_world(1, RICO_COLLIDE_CACHED),
               *b = spark_world(3, RICO_COLLIDE_CACHED);
    for (int step = 0; step < 60; ++step) {
        rico_world_step(a, 1.0f / 60.0f);
        rico_world_step(b, 1.0f / 60.0f);
        uint32_t count = rico_world_queries(a, one, MOST);
        CHECK_EQ(rico_world_queries(b, three, MOST), count);
        for (uint32_t i = 0; i < count; ++i) {
            const rico_query *p = &one[i], *q = &three[i];
            CHECK(p->kind == q->kind && p->met == q->met && p->gathers == q->gathers &&
                  p->rays == q->rays && p->units == q->units &&
                  p->effect.index1 == q->effect.index1 && same_point(p->from, q->from) &&
                  same_point(p->to, q->to) && same_point(p->box.lo, q->box.lo) &&
                  same_point(p->box.hi, q->box.hi));
        }
    }
    rico_world_destroy(a);
    rico_world_destroy(b);
}

static rico_world *busy_world(void)
{
    rico_world *world = spark_world(1, RICO_COLLIDE_CLASSIC);
    run_steps(world, 30);
    CHECK(rico_world_queries(world, NULL, 0) > 2);
    return world;
}

TEST(queries, are_none_before_a_step_and_after_calls_that_ask_for_themselves)
{
    rico_world *world = spark_world(1, RICO_COLLIDE_CLASSIC);
    CHECK_EQ(rico_world_queries(world, NULL, 0), 0);
    rico_world_destroy(world);

    world = busy_world();
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    CHECK_EQ(rico_world_queries(world, NULL, 0), 0);
    rico_world_destroy(world);

    world = busy_world();
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){1.0f, 0.0f, 0.0f}), RICO_OK);
    CHECK_EQ(rico_world_queries(world, NULL, 0), 0);
    rico_world_destroy(world);

    world = busy_world();
    rico_recipe r = sparks(RICO_COLLIDE_CLASSIC);
    r.prewarm = 0.5f;
    rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 2.0f));
    CHECK_EQ(rico_world_queries(world, NULL, 0), 0);
    rico_world_destroy(world);
}

TEST(queries, of_a_host_that_casts_rays_are_its_own)
{
    host h = terrain_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 1);
    add_sparks(world, RICO_COLLIDE_CACHED, 20.0f);
    run_steps(world, 20);
    CHECK(rico_world_get_stats(world).rays > 0);
    CHECK_EQ(rico_world_queries(world, NULL, 0), 0);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

TEST(queries, are_cut_where_the_host_has_no_room)
{
    rico_world *world = busy_world();
    rico_query q[3];
    memset(q, 0, sizeof q);
    CHECK(rico_world_queries(world, q, 2) > 2);
    CHECK(q[0].kind == RICO_QUERY_RAY && q[1].kind == RICO_QUERY_RAY && q[2].kind == 0);
    rico_world_destroy(world);
}

TEST(queries, of_less_than_one_per_frame_are_had_by_each_effect_however_much_others_want)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    r.queries_per_frame = 0.25f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    uint32_t granted[2] = {0, 0};
    for (int k = 0; k < 2; ++k)
        CHECK(rico_effect_spawn(world, id, at(0, 0, 0)).index1 != 0);
    for (uint32_t frame = 0; frame < 80; ++frame) {
        begin_wants(world, 2);
        for (uint32_t k = 0; k < 2; ++k) {
            world->effects[k].dt = 1.0f / 60.0f;
            want(world, k, k == 0 ? 200 : 2);
        }
        world->frame = frame;
        rico__shares_grant(world);
        for (uint32_t k = 0; k < 2; ++k) {
            granted[k] += world->accounts[k].granted;
            world->accounts[k].credit -= (float)world->accounts[k].granted;
        }
        rico__shares_balance(world);
    }
    CHECK_MSG(granted[0] >= 19 && granted[0] <= 21 && granted[1] >= 19 && granted[1] <= 21,
              "%u and %u", granted[0], granted[1]);
    rico_world_destroy(world);
}

/* --- Effects that lack queries ---------------------------------------------------------- */

static rico_world *terrain_world_with(uint32_t queries)
{
    rico_world *world = small_world(1, true);
    CHECK(queries <= world->def.queries_per_frame); /* otherwise there is no memory */
    world->def.queries_per_frame = queries;
    return world;
}

/* Nine effects want many queries, with a world's budget of 5 and then of 2000. */
TEST(queries, that_effects_lack_and_do_not_get_are_told)
{
    for (int plenty = 0; plenty < 2; ++plenty) {
        rico_world *world = terrain_world_with(plenty ? 2000 : 5);
        rico_recipe r = sparks(RICO_COLLIDE_CACHED);
        r.queries_per_frame = plenty ? 200.0f : 30.0f;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        rico_effect_id effects[9];
        for (int i = 0; i < 9; ++i)
            effects[i] = rico_effect_spawn(world, id, at((float)i * 2.0f - 8.0f, 0.0f, 1.6f));
        uint32_t short_steps = 0;
        for (uint32_t frame = 0; frame < 60; ++frame) {
            rico_world_step(world, 1.0f / 60.0f);
            rico_world_stats stats = rico_world_get_stats(world);
            uint32_t wanted = 0, granted = 0, starved = 0;
            for (int i = 0; i < 9; ++i) {
                rico_query_share share = rico_effect_query_share(world, effects[i]);
                CHECK(share.granted <= share.wanted);
                wanted += share.wanted;
                granted += share.granted;
                starved += share.granted < share.wanted;
            }
            CHECK_EQ(stats.queries_wanted, wanted);
            CHECK_EQ(stats.queries_granted, granted);
            CHECK_EQ(stats.effects_starved, starved);
            CHECK(granted <= world->def.queries_per_frame);
            CHECK(plenty == 0 || starved == 0);
            short_steps += starved > 0;
        }
        CHECK(plenty != 0 || short_steps > 10);
        rico_query_share none = rico_effect_query_share(world, (rico_effect_id){99, 1});
        CHECK(none.wanted == 0 && none.granted == 0);
        rico_world_destroy(world);
    }
}

/* Particles of many effects in one place lack the same cells. Each cell must be gathered once
 * in a step. */
TEST(queries, of_many_effects_ask_for_no_cell_twice)
{
    rico_world *world = terrain_world_with(2000);
    rico_recipe r = sparks(RICO_COLLIDE_CACHED);
    r.queries_per_frame = 50.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int i = 0; i < 9; ++i)
        rico_effect_spawn(world, id, at(0.5f, 0.5f, 1.0f));
    static rico_query list[MOST];
    uint32_t compared = 0;
    for (uint32_t frame = 0; frame < 60; ++frame) {
        rico_world_step(world, 1.0f / 60.0f);
        uint32_t count = rico_world_queries(world, list, MOST);
        for (uint32_t a = 0; a < count; ++a)
            for (uint32_t b = 0; b < a; ++b) {
                if (list[a].kind != RICO_QUERY_GATHER || list[b].kind != RICO_QUERY_GATHER)
                    continue;
                CHECK(memcmp(&list[a].box, &list[b].box, sizeof list[a].box) != 0);
                ++compared;
            }
    }
    CHECK(compared > 20);
    rico_world_destroy(world);
}
