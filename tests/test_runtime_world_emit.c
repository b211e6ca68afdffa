/* Births where the host says. */
#include "runtime_firework.h"
#include "runtime_refused.h"
#include "runtime_room.h"

#include "state.h"
#include "vec.h"

#define DT (1.0f / 60.0f)
#define MOST 4096u

static rico_birth birth_at(float x, float y, float z, uint32_t count)
{
    return (rico_birth){at(x, y, z), {0.0f, 0.0f, 0.0f}, count};
}

/* Checks a particle that was born in the last step. */
static void check_newborn(const born *b, rico_vec3 place, rico_vec3 v)
{
    const double p[3] = {(double)place.x, (double)place.y, (double)place.z};
    const double speed[3] = {(double)v.x, (double)v.y, (double)v.z};
    CHECK(b->alive && b->age == (double)DT);
    for (int d = 0; d < 3; ++d) {
        CHECK(b->v[d] == speed[d]);
        CHECK_NEAR(b->p[d], p[d] + speed[d] * (double)DT, 1e-4);
    }
}

TEST(world_emit, particles_begin_where_and_as_fast_as_the_host_says)
{
    static born b[MOST];
    rico_world *world = roomy_world(1, 4096);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_birth births[500];
    for (uint32_t i = 0; i < 500; ++i) {
        const float x = (float)i;
        births[i] = (rico_birth){at(x, -2.0f * x, 0.5f), {0.25f * x, 3.0f, -x}, 1 + i % 3};
    }
    CHECK(rico_world_sub_effect(world, id).index1 == 0);
    CHECK_EQ(rico_world_emit(world, id, NULL, 0), RICO_OK);
    rico_effect_id effect = rico_world_sub_effect(world, id);
    const uint64_t hash = rico_world_hash(world);
    CHECK_EQ(rico_world_emit(world, id, births, 500), RICO_OK);
    CHECK(rico_world_hash(world) != hash);
    CHECK_EQ(rico_effect_particle_count(world, effect), 0);
    rico_world_step(world, 0.0f); /* births wait for a step of some time */
    CHECK_EQ(rico_effect_particle_count(world, effect), 0);
    uint64_t allocations = rico_world_get_stats(world).allocations;
    rico_world_step(world, DT);
    CHECK_EQ(rico_world_get_stats(world).allocations, allocations);
    CHECK_EQ(collect_born(world, effect, b, MOST), 499 + 500);
    uint32_t number = 0;
    for (uint32_t i = 0; i < 500; ++i)
        for (uint32_t k = 0; k < births[i].count; ++k)
            check_newborn(&b[number++], births[i].transform.position, births[i].velocity);
    CHECK_EQ(number, 999);
    run_steps(world, 3); /* no births again */
    CHECK_EQ(rico_effect_particle_count(world, effect), 999);
    rico_world_destroy(world);
}

TEST(world_emit, shapes_and_directions_turn_and_grow_with_the_transform)
{
    rico_world *world = roomy_world(1, 256);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.shape = RICO_EMIT_DISC;
    r.size.x = 0.5f;
    r.speed = (rico_range){2.0f, 2.0f};
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    const float half = 0.70710678f;
    rico_birth birth = {{{10.0f, 20.0f, 30.0f}, {0.0f, half, 0.0f, half}, 4.0f}, /* +z to +x */
                        {0.0f, 0.0f, 1.0f},
                        1000};
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    rico_world_step(world, DT);
    rico_view v = rico_effect_view(world, rico_world_sub_effect(world, id));
    float farthest = 0.0f;
    uint32_t count = 0;
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++count) {
            CHECK_NEAR(v.px[i], 10.0f + v.vx[i] * DT, 1e-4);
            rico_vec3 out = {0.0f, v.py[i] - 20.0f, v.pz[i] - 30.0f - DT};
            farthest = vec3_length(out) > farthest ? vec3_length(out) : farthest;
            CHECK_NEAR(v.vy[i], 0.0f, 1e-4);
            CHECK_NEAR(v.vz[i], 1.0f, 1e-4);
            CHECK(v.vx[i] > 1.99f);
        }
    CHECK_EQ(count, 1000);
    CHECK_MSG(farthest > 1.9f && farthest < 2.001f, "%g m", (double)farthest);
    rico_world_destroy(world);
}

/* Of the factors over the duration, only constant ones apply to births where the host says. */
/* k: births at a place; few are born one by one, many in vectors. */
TEST(world_emit, factors_over_the_duration_are_those_that_do_not_change)
{
    for (uint32_t k = 1; k <= 32; k += 31) {
        rico_world *world = roomy_world(1, 4096);
        rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
        r.duration = 2.0f;
        r.speed = (rico_range){3.0f, 3.0f};
        r.lifetime = (rico_range){4.0f, 4.0f};
        r.particle_size = rico_curve_constant(0.5f);
        r.speed_over_duration = rico_curve_constant(0.5f);
        r.lifetime_over_duration = r.size_over_duration =
            (rico_curve){.key_count = 2, .at = {0.0f, 1.0f}, .value = {0.0f, 1.0f}};
        const rico_recipe_id id = rico_world_add_recipe(world, &r);
        const rico_birth birth = birth_at(0.0f, 0.0f, 1.0f, k);
        CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
        run_steps(world, 1);
        rico_view v = rico_effect_view(world, rico_world_sub_effect(world, id));
        CHECK(rico_view_next(&v) && v.count == k && v.size != NULL);
        for (uint32_t i = 0; i < k; ++i) {
            const rico_vec3 velocity = {v.vx[i], v.vy[i], v.vz[i]};
            CHECK_NEAR(vec3_length(velocity), 1.5f, 1e-4f);
            CHECK(v.size[i] == 0.5f && v.lifetime[i] == 4.0f);
        }
        rico_world_destroy(world);
    }
}

/* Three recipes take turns in calls. One of them also has births at events, which must come
   before the host's. */
TEST(world_emit, each_recipe_has_its_own_in_the_order_of_calls)
{
    static born b[MOST];
    rico_world *world = roomy_world(1, 512);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = still_recipe(child.mode);
    rico_recipe_id ids[3];
    for (int k = 0; k < 3; ++k)
        ids[k] = rico_world_add_recipe(world, &child);
    parent.burst_count = 20;
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, ids[1], 2, 0.0f);
    begin_effect(world, &parent, at(-7.0f, 0.0f, 0.0f));
    rico_world_step(world, DT);
    for (uint32_t call = 0; call < 30; ++call) {
        const uint32_t k = call * 2 % 3;
        const rico_birth births[2] = {birth_at((float)call, (float)k, 0.0f, 1),
                                      birth_at((float)call, (float)k, 1.0f, 1)};
        CHECK_EQ(rico_world_emit(world, ids[k], births, 2), RICO_OK);
    }
    rico_world_step(world, DT);
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t first = k == 1 ? 40 : 0;
        CHECK_EQ(collect_born(world, rico_world_sub_effect(world, ids[k]), b, MOST),
                 first + 20);
        for (uint32_t i = 0; i < first; ++i)
            CHECK(b[i].p[0] == -7.0);
        for (uint32_t call = 0, n = first; call < 30; ++call)
            for (int z = 0; call * 2 % 3 == k && z < 2; ++z, ++n)
                CHECK(b[n].p[0] == (double)call && b[n].p[1] == (double)k &&
                      b[n].p[2] == (double)z);
    }
    rico_world_destroy(world);
}

TEST(world_emit, what_is_refused_leaves_nothing)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.max_particles = 50;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    const struct {
        rico_birth birth;
        const char *text;
        rico_result result;
    } wrong[] = {
        {birth_at(NAN, 0, 0, 1), "births[1].transform.position.x is nan", RICO_NOT_FINITE},
        {birth_at(0, 2.0e6f, 0, 1), "births[1].transform.position.y", RICO_OUT_OF_RANGE},
        {{{{0, 0, 0}, {0, 0, 0, 0}, 1}, {0, 0, 0}, 1},
         "births[1].transform.rotation",
         RICO_OUT_OF_RANGE},
        {{{{0, 0, 0}, {0, 0, 0, 1}, 0}, {0, 0, 0}, 1},
         "births[1].transform.scale",
         RICO_OUT_OF_RANGE},
        {{at(0, 0, 0), {0, INFINITY, 0}, 1}, "births[1].velocity.y", RICO_NOT_FINITE},
        {{at(0, 0, 0), {0, 0, -1.1e4f}, 1}, "births[1].velocity.z", RICO_OUT_OF_RANGE},
        {birth_at(0, 0, 0, 0), "births[1].count is 0, expected 1 to 1000", RICO_OUT_OF_RANGE},
        {birth_at(0, 0, 0, 1001), "births[1].count is 1001", RICO_OUT_OF_RANGE},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const rico_birth births[2] = {birth_at(0, 0, 0, 1), wrong[i].birth};
        CHECK_EQ(rico_world_emit(world, id, births, 2), wrong[i].result);
        CHECK_EQ(rico_world_last_result(world), wrong[i].result);
        CHECK_MSG(strstr(log.text, wrong[i].text) != NULL, "'%s' has not '%s'", log.text,
                  wrong[i].text);
    }
    const rico_birth one = birth_at(0, 0, 0, 1);
    CHECK_EQ(rico_world_emit(world, (rico_recipe_id){0}, &one, 1), RICO_STALE_ID);
    CHECK_EQ(rico_world_sub_effect(world, id).index1, 0);
    rico_world_step(world, DT);
    CHECK_EQ(rico_world_get_stats(world).particles, 0);
    CHECK_EQ(rico_world_emit(world, id, NULL, 0), RICO_OK);
    CHECK(rico_world_sub_effect(world, id).index1 != 0);
    rico_world_destroy(world);
}

TEST(world_emit, more_than_there_is_room_for_is_refused_as_a_whole)
{
    kept_log log = {.text = ""};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 1000;
    def.max_effects = 2;
    def.max_events = 5; /* ten places */
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.worker_count = 1;
    def.log = kept_log_hook(&log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.max_particles = 12;
    rico_recipe_id ids[3];
    for (int k = 0; k < 3; ++k)
        ids[k] = rico_world_add_recipe(world, &r);
    rico_birth births[11];
    for (int i = 0; i < 11; ++i)
        births[i] = birth_at((float)i, 0, 0, 2);
    CHECK_EQ(rico_world_emit(world, ids[0], births, 11), RICO_FULL);
    CHECK(strstr(log.text, "count is 11, expected at most 10") != NULL);
    CHECK_EQ(rico_world_emit(world, ids[0], births, 6), RICO_OK);
    CHECK_EQ(rico_world_emit(world, ids[1], births, 5), RICO_FULL);
    CHECK_EQ(rico_world_emit(world, ids[1], births, 4), RICO_OK);
    CHECK_EQ(rico_world_emit(world, ids[1], births, 1), RICO_FULL);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, rico_world_sub_effect(world, ids[0])), 12);
    CHECK_EQ(rico_effect_particle_count(world, rico_world_sub_effect(world, ids[1])), 8);
    CHECK_EQ(rico_world_emit(world, ids[2], births, 1), RICO_FULL);
    CHECK(strstr(log.text, "world_def.max_effects (2) effects are alive") != NULL);
    CHECK_EQ(rico_world_emit(world, ids[1], births, 10), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, rico_world_sub_effect(world, ids[1])), 12);
    CHECK_EQ(rico_world_get_stats(world).births_starved, 16);
    rico_world_destroy(world);
}

TEST(world_emit, of_a_paused_effect_births_are_counted_as_starved)
{
    rico_world *world = roomy_world(1, 64);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    const rico_birth birth = birth_at(1, 2, 3, 7);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    rico_effect_id effect = rico_world_sub_effect(world, id);
    CHECK_EQ(rico_effect_set_time_scale(world, effect, 0.0f), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_world_get_stats(world).births_starved, 7);
    CHECK_EQ(rico_effect_set_time_scale(world, effect, 1.0f), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, effect), 0);
    CHECK_EQ(rico_world_get_stats(world).births_starved, 0);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, effect), 7);
    rico_world_destroy(world);
}

/* Births wake a resting effect. The recipe can be removed once nothing of it is left. */
TEST(world_emit, who_rests_wakes_for_them_wherever_the_origin_is)
{
    static born b[16];
    rico_world *world = roomy_world(1, 64);
    rico_recipe r = still_recipe(RICO_COLLIDE_CACHED);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_birth birth = birth_at(100, 0, 0, 1);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    run_steps(world, 30);
    rico_effect_id effect = rico_world_sub_effect(world, id);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, effect), 2);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){90.0f, 0.0f, 0.0f}), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(collect_born(world, effect, b, 16), 3);
    CHECK(b[0].p[0] == 10.0 && b[1].p[0] == 10.0 && b[2].p[0] == 10.0);
    CHECK_EQ(rico_world_remove_recipe(world, id), RICO_IN_USE);
    CHECK_EQ(rico_effect_destroy(world, effect), RICO_OK);
    run_steps(world, 5); /* the effect sleeps */
    CHECK(!rico_world_recipe_in_use(world, id));
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    CHECK(rico_world_recipe_in_use(world, id)); /* one birth is due */
    CHECK_EQ(rico_world_remove_recipe(world, id), RICO_IN_USE);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, effect), 1);
    CHECK_EQ(rico_effect_destroy(world, effect), RICO_OK);
    CHECK_EQ(rico_world_remove_recipe(world, id), RICO_OK);
    CHECK(!rico_effect_is_alive(world, effect));
    rico_world_destroy(world);
}

/* When a parent seeks, its sub-effect begins anew only if nothing else feeds it. Here the host
 * does. */
TEST(world_emit, seeking_a_parent_leaves_what_the_host_feeds)
{
    rico_world *world = roomy_world(1, 4096);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = parent_recipe(20);
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, id, 1, 0.0f);
    rico_effect_id e = begin_effect(world, &parent, at(0.0f, 0.0f, 1.0f));
    rico_effect_id children = rico_world_sub_effect(world, id);
    run_steps(world, 3);
    CHECK_EQ(rico_effect_particle_count(world, children), 20);
    CHECK_EQ(rico_effect_seek(world, e, 0.1f, DT), RICO_OK);
    CHECK_EQ(rico_effect_particle_count(world, children), 20);
    const rico_birth birth = birth_at(1, 2, 3, 5);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    CHECK_EQ(rico_effect_seek(world, e, 0.1f, DT), RICO_OK);
    rico_world_step(world, DT);
    CHECK_EQ(rico_effect_particle_count(world, children), 25);
    CHECK_EQ(rico_effect_seek(world, e, 0.1f, DT), RICO_OK);
    CHECK_EQ(rico_effect_particle_count(world, children), 25);
    rico_world_destroy(world);
}

static rico_effect_id spawn_of(rico_world *world, const rico_recipe *recipe, float x)
{
    rico_recipe_id id = rico_world_add_recipe(world, recipe);
    return rico_effect_spawn(world, id, at(x, 0.0f, 0.0f));
}

static void check_all_at(rico_world *world, rico_recipe_id recipe, uint32_t count, float x)
{
    static born b[MOST];
    CHECK_EQ(collect_born(world, rico_world_sub_effect(world, recipe), b, MOST), count);
    for (uint32_t i = 0; i < count; ++i)
        CHECK_MSG(b[i].p[0] == (double)x, "%u at %g, expected %g", i, b[i].p[0], (double)x);
}

/* Births that wait for the next step are put aside while an effect runs by itself, whose own
 * births are discarded. They come from the host, against the order of recipes, or from events. */
TEST(world_emit, what_waits_stays_where_it_is_to_be_born_while_others_are_sought)
{
    for (uint32_t host = 0; host < 2; ++host) {
        rico_world *world = roomy_world(1, 64);
        const rico_recipe child = still_recipe(RICO_COLLIDE_NONE);
        rico_recipe parent = child;
        rico_recipe_id ids[3];
        for (int k = 0; k < 3; ++k)
            ids[k] = rico_world_add_recipe(world, &child);
        parent.burst_count = 3;
        parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, ids[0], 1, 0.0f);
        rico_effect_id sought = spawn_of(world, &parent, -9.0f);
        for (uint32_t k = 1; host == 0 && k < 3; ++k) {
            parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, ids[k], 2, 0.0f);
            spawn_of(world, &parent, (float)k);
        }
        rico_world_step(world, DT);
        for (uint32_t k = 2; host == 1 && k > 0; --k) {
            const rico_birth births[2] = {birth_at((float)k, 0, 0, 2),
                                          birth_at((float)k, 0, 0, 4)};
            CHECK_EQ(rico_world_emit(world, ids[k], births, 2), RICO_OK);
        }
        CHECK_EQ(rico_effect_seek(world, sought, 0.05f, DT), RICO_OK);
        rico_world_step(world, DT);
        check_all_at(world, ids[0], 3, -9.0f);
        check_all_at(world, ids[1], 6, 1.0f);
        check_all_at(world, ids[2], 6, 2.0f);
        rico_world_destroy(world);
    }
}

TEST(world_emit, comes_behind_events_of_who_is_prewarmed_meanwhile)
{
    static born b[4];
    rico_world *world = roomy_world(1, 2); /* four places */
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = child;
    child.max_particles = 4;
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    parent.burst_count = 5;
    parent.prewarm = DT;
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_BIRTH, id, 1, 0.0f);
    const rico_birth birth = birth_at(1, 0, 0, 2);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    spawn_of(world, &parent, -7.0f);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_FULL); /* three of the five wait */
    rico_world_step(world, DT);
    CHECK_EQ(rico_world_get_stats(world).births_starved, 1);
    CHECK_EQ(collect_born(world, rico_world_sub_effect(world, id), b, 4), 4);
    for (int i = 0; i < 4; ++i)
        CHECK(b[i].p[0] == (i < 3 ? -7.0 : 1.0));
    rico_world_destroy(world);
}

/* Two recipes get births at events of a step, at events of a prewarm after it, and from the
 * host, two at each. */
TEST(world_emit, shares_its_room_with_events_that_wait)
{
    static born b[32];
    rico_world *world = roomy_world(1, 10); /* twenty places */
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = child;
    rico_recipe_id ids[2];
    parent.burst_count = 3;
    for (int k = 0; k < 2; ++k) {
        ids[k] = rico_world_add_recipe(world, &child);
        parent.sub_emitters[k] = sub_of(RICO_EVENT_BIT_BIRTH, ids[k], 2, 0.0f);
    }
    spawn_of(world, &parent, 1.0f);
    rico_world_step(world, DT);
    rico_birth births[15];
    for (uint32_t i = 0; i < 15; ++i)
        births[i] = birth_at(3.0f, 0, 0, 2);
    CHECK_EQ(rico_world_emit(world, ids[0], births, 15), RICO_FULL);
    parent.prewarm = DT;
    spawn_of(world, &parent, 2.0f);
    CHECK_EQ(rico_world_emit(world, ids[0], births, 9), RICO_FULL);
    for (int k = 0; k < 2; ++k) {
        CHECK_EQ(rico_world_emit(world, ids[k], births, 4), RICO_OK);
        child.max_particles = 100;
        CHECK_EQ(rico_world_change_recipe(world, ids[k], &child), RICO_OK);
    }
    rico_world_step(world, DT);
    for (int k = 0; k < 2; ++k) {
        CHECK_EQ(collect_born(world, rico_world_sub_effect(world, ids[k]), b, 32), 20);
        for (int i = 0; i < 20; ++i)
            CHECK_MSG(b[i].p[0] == (i < 6    ? 1.0
                                    : i < 12 ? 2.0
                                             : 3.0),
                      "%d at %g", i, b[i].p[0]);
    }
    CHECK_EQ(rico_world_emit(world, ids[0], births, 15), RICO_OK);
    rico_world_destroy(world);
}

/* A level is added after the recipe, and no effect is spawned after that. A step cannot
 * allocate, so the next call that wants births must reserve memory for the level. */
TEST(world_emit, mode_exact_has_room_for_the_level_whoever_asks)
{
    uint32_t room[3];
    for (int how = 0; how < 3; ++how) {
        rico_world *world = roomy_world(1, 64);
        rico_recipe r = still_recipe(RICO_COLLIDE_EXACT);
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        const rico_birth birth = birth_at(0, 0, 2, 1);
        rico_effect_id early = {0};
        if (how == 2)
            early = rico_effect_spawn(world, id, at(0, 0, 2));
        for (int i = 0; i < 8; ++i)
            add_slab(world, 4.0f * (float)i, 0.5f, 0);
        if (how == 0)
            rico_effect_spawn(world, id, at(0, 0, 2));
        if (how == 1)
            CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
        rico_world_step(world, DT);
        if (how == 2)
            CHECK_EQ(rico_effect_emit(world, early, 1), RICO_OK);
        room[how] = world->extents.capacity;
        rico_world_destroy(world);
    }
    CHECK_MSG(room[0] > 1024, "%u", room[0]);
    CHECK_EQ(room[1], room[0]);
    CHECK_EQ(room[2], room[0]);
}

static uint64_t hash_of_impacts(uint32_t workers)
{
    rico_world *world = roomy_world(workers, 4096);
    rico_recipe child = still_recipe(RICO_COLLIDE_CACHED);
    rico_recipe_id ids[4];
    child.gravity.z = -9.81f;
    child.lifetime = (rico_range){0.2f, 0.6f};
    child.speed = (rico_range){1.0f, 3.0f};
    child.spread = 1.0f;
    add_slab(world, -0.5f, 0.5f, 0);
    add_firework(world, ids, 0.0f);
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    for (uint32_t step = 0; step < 60; ++step) {
        rico_birth births[40];
        for (uint32_t i = 0; i < 40; ++i)
            births[i] = birth_at((float)(i % 7), (float)(step % 5), 0.3f, 1 + i % 4);
        CHECK_EQ(rico_world_emit(world, id, births, 40), RICO_OK);
        CHECK_EQ(rico_world_emit(world, ids[2], births, step % 8), RICO_OK);
        rico_world_step(world, DT);
    }
    CHECK(rico_world_get_stats(world).particles > 1000);
    const uint64_t hash = rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(world_emit, the_bits_are_the_same_for_any_number_of_workers)
{
    const uint64_t one = hash_of_impacts(1);
    CHECK(hash_of_impacts(2) == one);
    CHECK(hash_of_impacts(5) == one);
}
