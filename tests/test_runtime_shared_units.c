/* Query units that the world brings: with all budgets at their defaults no particle falls
 * through. */
#include "runtime_host.h"
#include "runtime_shares.h"
#include "state.h"

#define DT (1.0f / 60.0f)
#define HALF 9.0f /* the terrain is larger than this */

static rico_world_def def_of(uint32_t workers)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 32768;
    def.cache_bytes = 8 << 20;
    def.classic_cache_bytes = 64 << 10;
    def.worker_count = workers;
    return def;
}

static rico_world *terrain_world(const rico_world_def *def)
{
    rico_world *world;
    CHECK_EQ(rico_world_create(def, &world), RICO_OK);
    add_terrain(world);
    return world;
}

/* 20,000 drops of one effect, in a world without records. */
static rico_effect_id rain(rico_world *world)
{
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){8.0f, 8.0f, 0.1f};
    r.spread = 0.05f;
    r.speed = (rico_range){-10.0f, -8.0f};
    r.lifetime = (rico_range){2.0f, 2.0f};
    r.rate = 10000.0f;
    r.max_particles = 20000;
    return rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 8.0f));
}

static uint32_t count_below(const rico_world *world, rico_effect_id effect)
{
    uint32_t below = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            below += fabsf(v.px[i]) < HALF && fabsf(v.py[i]) < HALF &&
                     v.pz[i] < terrain_height(v.px[i], v.py[i]) - 0.1f;
    return below;
}

TEST(shared_units, keep_what_is_left_to_defaults_above_the_ground)
{
    for (int shared = 0; shared < 2; ++shared) {
        rico_world_def def = def_of(1);
        if (!shared)
            def.shared_queries_per_frame = 0;
        rico_world *world = terrain_world(&def);
        rico_effect_id e = rain(world);
        run_steps(world, 150);
        uint32_t below = count_below(world, e), all = rico_effect_particle_count(world, e);
        CHECK(all > 18000);
        CHECK_MSG(shared ? below == 0 : below > all / 10, "%u of %u", below, all);
        rico_world_destroy(world);
    }
}

TEST(shared_units, serve_paths_where_there_are_rays_alone)
{
    for (int shared = 0; shared < 2; ++shared) {
        host h = ramp_host(HOST_PLAIN);
        rico_world_def def = def_of(1);
        def.ray_caster = at_once(&h);
        if (!shared)
            def.shared_queries_per_frame = 0;
        rico_world *world;
        CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
        rico_recipe r = rico_recipe_default();
        r.rate = 200.0f;
        r.lifetime = (rico_range){3.0f, 4.0f};
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 1.0f));
        uint32_t below = 0;
        for (int i = 0; i < 240; ++i) {
            rico_world_step(world, DT);
            rico_view v = rico_effect_view(world, e);
            while (rico_view_next(&v))
                for (uint32_t k = 0; k < v.count; ++k)
                    below += v.pz[k] < -0.05f;
        }
        CHECK_MSG(shared ? below == 0 : below > 100, "%u", below);
        CHECK_EQ(rico_effect_query_share(world, e).granted ==
                     rico_effect_query_share(world, e).wanted,
                 shared != 0);
        rico_world_destroy(world);
        rico_scene_destroy(h.scene);
    }
}

/* --- Bounds -------------------------------------------------------------------------------- */

/* Overdrafts are paid before anything else is granted. So the sum of units stays within the sum
 * of budgets, plus what one step may owe. */
TEST(shared_units, are_no_more_than_the_world_brings_and_may_spend)
{
    static const uint32_t shared[] = {0, 3, 40}, most[] = {2048, 2048, 10};
    for (int k = 0; k < 3; ++k) {
        rico_world_def def = def_of(1);
        def.shared_queries_per_frame = shared[k];
        def.queries_per_frame = most[k];
        def.cell_size = 0.25f; /* otherwise none lacks any soon */
        rico_world *world = terrain_world(&def);
        rain(world);
        uint64_t units = 0;
        for (uint32_t i = 1; i <= 120; ++i) {
            rico_world_step(world, DT);
            rico_world_stats stats = rico_world_get_stats(world);
            units += stats.query_units;
            CHECK_MSG(stats.queries_granted <= most[k], "%u", stats.queries_granted);
            CHECK_MSG(units <= (uint64_t)i * (1 + shared[k]) + 200, "step %u: %llu", i,
                      (unsigned long long)units);
        }
        CHECK(k == 2 || units > 100u * (1 + shared[k]));
        rico_world_destroy(world);
    }
}

/* One effect wants far more than the world may spend. It must take nothing from effects whose
 * own units suffice. */
TEST(shared_units, come_after_everybodys_own)
{
    rico_world_def def = def_of(1);
    rico_world *world;
    def.queries_per_frame = 20;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    const rico_recipe r = rico_recipe_default();
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int k = 0; k < 16; ++k)
        CHECK(rico_effect_spawn(world, id, at(0, 0, 0)).index1 != 0);
    for (int frame = 0; frame < 20; ++frame) {
        begin_wants(world, 16);
        for (uint32_t k = 0; k < 16; ++k) {
            world->effects[k].dt = DT;
            world->accounts[k].credit = 0.0f;
            want(world, k, k == 7 ? 1000 : 1);
        }
        rico__shares_grant(world);
        for (uint32_t k = 0; k < 16; ++k)
            CHECK_EQ(world->accounts[k].granted, k == 7 ? 5 : 1);
    }
    rico_world_destroy(world);
}

TEST(shared_units, are_not_for_mode_classic)
{
    rico_world_def def = def_of(1);
    rico_world *world = terrain_world(&def);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CLASSIC;
    r.rate = 500.0f;
    rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 3.0f));
    bool lacked = false;
    for (int i = 0; i < 60; ++i) {
        rico_world_step(world, DT);
        rico_world_stats stats = rico_world_get_stats(world);
        CHECK(stats.queries_granted <= 2);
        lacked |= stats.queries_wanted > stats.queries_granted;
    }
    CHECK(lacked);
    rico_world_destroy(world);
}

TEST(shared_units, give_the_same_bits_for_any_number_of_workers)
{
    uint64_t hash[2];
    for (uint32_t k = 0; k < 2; ++k) {
        rico_world_def def = def_of(k == 0 ? 1 : 3);
        def.shared_queries_per_frame = 5;
        rico_world *world = terrain_world(&def);
        rain(world);
        add_sparks(world, RICO_COLLIDE_CACHED, 0.25f);
        run_steps(world, 60);
        hash[k] = rico_world_hash(world);
        rico_world_destroy(world);
    }
    CHECK_EQ(hash[0], hash[1]);
}
