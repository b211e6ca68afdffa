/* Recipes that change while effects run them. */
#include "runtime_terrain.h"

#include "state.h"

#define DT (1.0f / 60.0f)

static rico_recipe fountain(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 600.0f;
    r.lifetime = (rico_range){2.0f, 2.0f};
    return r;
}

static rico_recipe other(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.shape = RICO_EMIT_SPHERE;
    r.size.x = 0.2f;
    r.rate = 2000.0f;
    r.start_size = (rico_range){0.5f, 2.0f};
    r.particle_size.key_count = 2;
    r.particle_size.at[1] = 1.0f;
    r.events = RICO_EVENT_BIT_COLLISION;
    r.burst_count = 10;
    return r;
}

static uint64_t hash_after(bool changed)
{
    rico_world *world = small_world(2, true);
    rico_recipe before = fountain(), after = other();
    rico_recipe_id id = rico_world_add_recipe(world, changed ? &before : &after);
    rico_effect_id gone = rico_effect_spawn(world, id, at(0.0f, 0.0f, 2.0f));
    if (changed) {
        run_steps(world, 20);
        CHECK_EQ(rico_effect_destroy(world, gone), RICO_OK);
        CHECK_EQ(rico_world_change_recipe(world, id, &after), RICO_OK);
    } else {
        CHECK_EQ(rico_effect_destroy(world, gone), RICO_OK);
        run_steps(world, 20);
    }
    rico_effect_spawn(world, id, at(0.0f, 0.0f, 2.0f));
    run_steps(world, 90);
    uint64_t hash = rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(runtime, changes_a_recipe_without_particles_into_what_a_new_one_would_be)
{
    CHECK(hash_after(true) == hash_after(false));
}

typedef struct tried {
    kept_log log;
    rico_world *world;
    rico_recipe_id id;
    rico_effect_id effect;
} tried;

/* Begins with one effect, and runs so many steps. */
static void begin(tried *t, const rico_recipe *recipe, bool with_terrain, int steps)
{
    t->world = small_world(1, with_terrain);
    t->world->def.log = kept_log_hook(&t->log);
    t->id = rico_world_add_recipe(t->world, recipe);
    t->effect = rico_effect_spawn(t->world, t->id, at(0.0f, 0.0f, 1.5f));
    CHECK(t->effect.index1 != 0);
    run_steps(t->world, steps);
}

TEST(runtime, moves_and_draws_living_particles_by_the_changed_recipe)
{
    tried t;
    rico_recipe r = fountain();
    r.particle_ids = true;
    begin(&t, &r, false, 30);
    rico_view v = rico_effect_view(t.world, t.effect);
    CHECK(rico_view_next(&v));
    float before = v.vz[0], life = v.lifetime[0];
    uint32_t count = rico_effect_particle_count(t.world, t.effect);
    r.rate = 0.0f;
    r.gravity = (rico_vec3){0.0f, 0.0f, 6.0f};
    r.lifetime = (rico_range){5.0f, 5.0f};
    r.particle_size.value[0] = 0.25f;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 1);
    v = rico_effect_view(t.world, t.effect);
    CHECK(rico_view_next(&v));
    CHECK_NEAR(v.vz[0], before + 6.0f * DT, 1.0e-5f);
    CHECK(v.lifetime[0] == life); /* as at birth */
    CHECK(v.constant_size == 0.25f);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), count);
    rico_world_destroy(t.world);
}

TEST(runtime, tells_no_events_any_more_that_the_changed_recipe_does_not_want)
{
    tried t;
    rico_recipe r = fountain();
    uint32_t count;
    r.particle_ids = true;
    r.events = RICO_EVENT_BIT_BIRTH;
    begin(&t, &r, false, 30);
    rico_world_events(t.world, &count);
    CHECK_EQ(count, 10);
    r.events = 0;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    /* Counts of old events would matter in a step with more events than fit. */
    const rico__block *block =
        &t.world->blocks[t.world->effects[t.effect.index1 - 1].last_block];
    CHECK_EQ(block->event_counts[EVENTS_OF_MOVE] + block->event_counts[EVENTS_OF_END], 0);
    r.events = RICO_EVENT_BIT_BIRTH; /* another recipe, so that events are collected */
    rico_recipe_id other_id = rico_world_add_recipe(t.world, &r);
    rico_effect_id other_effect = rico_effect_spawn(t.world, other_id, at(0.0f, 0.0f, 1.5f));
    for (int step = 0; step < 3; ++step) {
        run_steps(t.world, 1);
        const rico_event *events = rico_world_events(t.world, &count);
        CHECK_EQ(count, 10);
        for (uint32_t i = 0; i < count; ++i)
            CHECK_EQ(events[i].effect.index1, other_effect.index1);
    }
    rico_world_destroy(t.world);
}

/* The new recipe wants smaller blocks, but blocks with living particles must stay as large as
 * they are. */
TEST(runtime, keeps_the_blocks_of_living_particles_when_fewer_are_wanted)
{
    tried t;
    rico_recipe r = fountain();
    begin(&t, &r, false, 60);
    r.rate = 30.0f;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 40);
    rico_view v = rico_effect_view(t.world, t.effect);
    uint32_t count = 0;
    for (; rico_view_next(&v); count += v.count)
        for (uint32_t i = 0; i < v.count; ++i)
            CHECK(v.count <= 256 && v.lifetime[i] == 2.0f && v.age[i] < 2.0f);
    CHECK_EQ(count, 620);
    rico_world_destroy(t.world);
}

/* The particles have ids, but do not know to which collider their planes belong. */
TEST(runtime,
     refuses_to_tell_of_collisions_that_living_particles_of_mode_cached_have_no_names_for)
{
    tried t;
    rico_recipe r = fountain();
    r.mode = RICO_COLLIDE_CACHED;
    r.particle_ids = true;
    begin(&t, &r, true, 30);
    r.events = RICO_EVENT_BIT_COLLISION;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_IN_USE);
    CHECK_MSG(strstr(t.log.text, "recipe.events: ") != NULL, "%s", t.log.text);
    r.events = RICO_EVENT_BIT_DEATH; /* a death needs no collider */
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    rico_world_destroy(t.world);
}

TEST(runtime, refuses_changes_that_living_particles_have_no_memory_for)
{
    tried t;
    rico_recipe good = fountain();
    begin(&t, &good, false, 30);
    uint64_t hash = rico_world_hash(t.world);
    const rico_recipe kept = t.world->recipes[0].def;
    static const char *const fields[] = {"mode",
                                         "particle_ids",
                                         "events",
                                         "particle_size",
                                         "color",
                                         "start_size",
                                         "start_color",
                                         "start_frame",
                                         "spin",
                                         "start_rotation",
                                         "rolls",
                                         "restitution_random",
                                         "alpha_over_life",
                                         "friction_random",
                                         "size_over_duration"};
    for (uint32_t f = 0; f < 15; ++f) {
        rico_recipe r = good;
        char named[64];
        snprintf(named, sizeof named, "recipe.%s: ", fields[f]);
        r.rate = 0.0f;
        r.mode = f == 0 ? RICO_COLLIDE_FIXED : r.mode;
        r.particle_ids = f == 1;
        r.events = f == 2 ? RICO_EVENT_BIT_DEATH : 0;
        r.particle_size.key_count = f == 3 ? 2 : 1;
        r.color.key_count = f == 4 ? 2 : 1;
        r.start_size.hi = f == 5 ? 2.0f : 1.0f;
        r.start_color.rgba[0][0] = f == 6 ? 0.5f : 1.0f;
        r.start_frame.hi = f == 7 ? 8.0f : 0.0f;
        r.spin.hi = f == 8 ? 1.0f : 0.0f;
        r.start_rotation.lo = f == 9 ? -1.0f : 0.0f;
        r.rolls = f == 10;
        r.restitution_random = f == 11 ? 0.1f : 0.0f;
        r.alpha_over_life.key_count = f == 12 ? 2 : 1;
        r.friction_random = f == 13 ? 0.1f : 0.0f;
        r.size_over_duration.value[0] = f == 14 ? 2.0f : 1.0f;
        t.log = (kept_log){.text = ""};
        const char *conflict = rico_world_recipe_conflict(t.world, t.id, &r);
        CHECK_MSG(conflict != NULL && strcmp(conflict, fields[f]) == 0, "%s", fields[f]);
        CHECK(t.log.text[0] == '\0'); /* a question logs nothing */
        CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_IN_USE);
        CHECK_MSG(strstr(t.log.text, named) != NULL, "%s: %s", fields[f], t.log.text);
        CHECK(strstr(t.log.text, "or a new recipe (rico_world_add_recipe)") != NULL);
        CHECK(memcmp(&t.world->recipes[0].def, &kept, sizeof kept) == 0);
    }
    rico_recipe bad = good;
    bad.drag = NAN;
    bad.mode = RICO_COLLIDE_FIXED;
    t.log = (kept_log){.text = ""};
    CHECK(rico_world_recipe_conflict(t.world, t.id, &bad) == NULL); /* this is another error */
    bad.cookie = 0;
    CHECK(rico_world_recipe_conflict(t.world, t.id, &bad) == NULL);
    bad = good;
    CHECK(rico_world_recipe_conflict(t.world, t.id, &bad) == NULL);
    bad.mode = RICO_COLLIDE_FIXED;
    CHECK(rico_world_recipe_conflict(t.world, (rico_recipe_id){0}, &bad) == NULL);
    CHECK(t.log.text[0] == '\0');
    bad = good;
    bad.drag = NAN;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &bad), RICO_NOT_FINITE);
    CHECK_EQ(rico_world_change_recipe(t.world, (rico_recipe_id){0}, &good), RICO_STALE_ID);
    CHECK_EQ(rico_world_change_recipe(t.world, (rico_recipe_id){2, 1}, &good), RICO_STALE_ID);
    CHECK(rico_world_hash(t.world) == hash);
    run_steps(t.world, 10); /* of the old recipe: rate 600 */
    CHECK_EQ(rico_world_get_stats(t.world).births, 10);
    rico_world_destroy(t.world);
}

TEST(runtime, begins_anew_with_a_changed_schedule_but_never_what_has_ended)
{
    tried t;
    rico_recipe r = fountain();
    r.rate = 0.0f;
    r.burst_count = 7;
    begin(&t, &r, false, 30);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), 7);
    r.drag = 1.0f; /* the schedule is the same, so nothing fires again */
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 10);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), 7);
    r.bursts[0] = (rico_burst){.time = 0.1f, .count = 5, .cycles = 1, .probability = 1.0f};
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 3);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), 14);
    run_steps(t.world, 5);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), 19);
    CHECK_EQ(rico_effect_stop(t.world, t.effect), RICO_OK);
    r.delay = 0.05f;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 20);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), 19);
    rico_world_destroy(t.world);
}

TEST(runtime, gives_birth_to_none_above_a_lowered_max_particles)
{
    tried t;
    rico_recipe r = fountain();
    begin(&t, &r, false, 30);
    uint32_t count = rico_effect_particle_count(t.world, t.effect);
    CHECK(count > 250);
    r.max_particles = 10;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 60);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), count);
    run_steps(t.world, 100);
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), 10);
    rico_world_destroy(t.world);
}

/* Particles that rest must wake and rise once gravity points upwards. */
static void check_wakes(rico_collision_mode mode)
{
    tried t;
    rico_recipe r = fountain();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = 40;
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.friction = 0.8f;
    r.restitution = 0.1f;
    r.speed = (rico_range){0.0f, 0.5f};
    r.plane_count = 1;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.queries_per_frame = 100.0f;
    begin(&t, &r, true, 240);
    CHECK(rico_world_get_stats(t.world).sleeping > 30);
    r.gravity.z = 9.81f;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 60);
    CHECK_EQ(rico_world_get_stats(t.world).sleeping, 0);
    rico_view v = rico_effect_view(t.world, t.effect);
    uint32_t above = 0;
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            above += v.pz[i] > 3.0f;
    CHECK_MSG(above >= 38, "%u of mode %d", above, (int)mode);
    rico_world_destroy(t.world);
}

TEST(runtime, wakes_who_rests_when_a_change_moves_them)
{
    check_wakes(RICO_COLLIDE_FIXED);
    check_wakes(RICO_COLLIDE_CACHED);
    check_wakes(RICO_COLLIDE_CLASSIC);
    check_wakes(RICO_COLLIDE_EXACT);
}

TEST(runtime, keeps_asleep_who_rests_when_only_looks_change)
{
    tried t;
    rico_recipe r = fountain();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 0.0f;
    r.burst_count = 40;
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.friction = 0.8f;
    begin(&t, &r, true, 300);
    uint32_t sleeping = rico_world_get_stats(t.world).sleeping;
    CHECK(sleeping > 20);
    r.color.rgba[0][1] = 0.25f;
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 1);
    CHECK(rico_world_get_stats(t.world).sleeping >= sleeping);
    rico_world_destroy(t.world);
}

TEST(runtime, lets_particles_of_mode_fixed_bounce_off_planes_that_a_change_brings)
{
    tried t;
    rico_recipe r = fountain();
    r.mode = RICO_COLLIDE_FIXED;
    r.lifetime = (rico_range){4.0f, 4.0f};
    begin(&t, &r, false, 60);
    r.rate = 0.0f;
    r.plane_count = 1;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, -8.0f};
    CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
    run_steps(t.world, 150);
    rico_view v = rico_effect_view(t.world, t.effect);
    uint32_t seen = 0;
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++seen)
            CHECK_MSG(v.pz[i] > -8.001f, "%g", (double)v.pz[i]);
    CHECK(seen > 200);
    rico_world_destroy(t.world);
}

static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const uint32_t triangle[3] = {0, 1, 2};

static uint32_t count_on_wall(rico_world *world, rico_effect_id e)
{
    uint32_t count = 0;
    rico_view view = rico_effect_view(world, e);
    while (rico_view_next(&view))
        for (uint32_t i = 0; i < view.count; ++i)
            count += view.px[i] > 1.9f && view.pz[i] > -3.0f;
    return count;
}

/* Particles stopped or stuck on a wall, where only that plane can hold them. They must stay
 * while the plane stays, whatever else changes. When the plane goes, those that stuck must
 * fall. */
TEST(runtime, leaves_who_stopped_or_sticks_to_a_plane_where_it_is_when_the_plane_stays)
{
    for (int stops = 0; stops < 2; ++stops) {
        rico_world *world = small_world(1, false);
        rico_recipe r = fountain();
        r.mode = RICO_COLLIDE_FIXED;
        r.plane_count = 2;
        r.planes[0] = (rico_plane){{-1.0f, 0.0f, 0.0f}, -2.0f};
        r.planes[1] = (rico_plane){{0.0f, 0.0f, 1.0f}, -5.0f};
        r.on_collision = stops ? RICO_ON_COLLISION_STOP : RICO_ON_COLLISION_STICK;
        r.rate = 0.0f;
        r.burst_count = 200;
        r.spread = 0.3f;
        r.lifetime = (rico_range){100.0f, 100.0f};
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        rico_transform along = at(0.0f, 0.0f, 0.0f);
        along.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f};
        rico_effect_id e = rico_effect_spawn(world, id, along);
        run_steps(world, 120);
        CHECK_EQ(count_on_wall(world, e), 200);
        r.friction = 0.5f;
        r.gravity.z = -5.0f;
        CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
        run_steps(world, 120);
        CHECK_EQ(count_on_wall(world, e), 200);
        /* Colliders that come and go at the same place do not matter either. */
        const float wide[] = {2.0f, -9.0f, -9.0f, 2.0f, 9.0f, -9.0f, 2.0f, 0.0f, 9.0f};
        const uint32_t indices[] = {0, 1, 2};
        const rico_mesh mesh = {
            .positions = wide, .vertex_count = 3, .indices = indices, .triangle_count = 1};
        rico_collider_id wall = rico_world_add_mesh(world, &mesh, at(0.0f, 0.0f, 0.0f));
        run_steps(world, 10);
        CHECK_EQ(rico_world_remove_collider(world, wall), RICO_OK);
        run_steps(world, 60);
        CHECK_EQ(count_on_wall(world, e), 200);
        r.planes[0] = r.planes[1];
        r.plane_count = 1;
        CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
        run_steps(world, 120);
        CHECK_EQ(count_on_wall(world, e), stops ? 200 : 0);
        rico_world_destroy(world);
    }
}

TEST(runtime, leaves_the_old_recipe_when_a_change_finds_no_memory)
{
    counting_allocator counter;
    rico_world_def def = rico_world_def_default();
    kept_log log;
    def.max_particles = 1000;
    def.cache_bytes = def.classic_cache_bytes = 64 << 10;
    def.worker_count = 1;
    def.log = kept_log_hook(&log);
    def.allocator = counting_hooks(&counter);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe r = fountain(), with_mesh = fountain();
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_spawn(world, id, RICO_TRANSFORM_IDENTITY);
    run_steps(world, 5);
    with_mesh.shape = RICO_EMIT_MESH;
    with_mesh.mesh = (rico_emitter_mesh){corners, 3, triangle, 1};
    uint64_t hash = rico_world_hash(world);
    long blocks = counter.live_blocks;
    counter.fail_at = counter.calls;
    CHECK_EQ(rico_world_change_recipe(world, id, &with_mesh), RICO_OUT_OF_MEMORY);
    CHECK(rico_world_hash(world) == hash && counter.live_blocks == blocks);
    CHECK_EQ(rico_world_change_recipe(world, id, &with_mesh), RICO_OK);
    CHECK_EQ(counter.live_blocks, blocks + 1);
    with_mesh.mode = RICO_COLLIDE_EXACT;
    CHECK_EQ(rico_world_change_recipe(world, id, &with_mesh), RICO_IN_USE);
    CHECK_EQ(counter.live_blocks, blocks + 1);
    CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
    CHECK_EQ(counter.live_blocks, blocks);
    run_steps(world, 5);
    rico_world_destroy(world);
    CHECK_EQ(counter.live_blocks, 0);
}

/* Each step's way earns a quarter of a birth, and the schedule changes before each step. The
 * fractions must add up all the same. */
TEST(runtime, keeps_what_the_way_has_earned_when_the_schedule_changes)
{
    tried t;
    rico_recipe r = fountain();
    r.rate = 0.0f;
    r.rate_per_metre = 5.0f;
    r.lifetime = (rico_range){100.0f, 100.0f};
    begin(&t, &r, false, 1);
    for (int n = 1; n <= 82; ++n) {
        r.duration = n % 2 == 0 ? 50.0f : 60.0f;
        CHECK_EQ(rico_world_change_recipe(t.world, t.id, &r), RICO_OK);
        CHECK_EQ(rico_effect_move(t.world, t.effect, at(0.05f * (float)n, 0.0f, 1.5f)),
                 RICO_OK);
        run_steps(t.world, 1);
    }
    CHECK_EQ(rico_effect_particle_count(t.world, t.effect), 20);
    rico_world_destroy(t.world);
}

/* Reads a recipe back after the origin has moved. It must be the recipe that runs: changing the
 * recipe to it must change nothing. */
TEST(runtime, reads_a_recipe_back_as_it_is_now)
{
    uint64_t hash[2];
    for (int reads = 0; reads < 2; ++reads) {
        rico_world *world = small_world(1, false);
        rico_recipe r = fountain(), back;
        r.mode = RICO_COLLIDE_FIXED;
        r.plane_count = 1;
        r.planes[0] = (rico_plane){{0.0f, 0.6f, 0.8f}, -0.5f};
        r.forces[0] = rico_force_default();
        r.forces[0].kind = RICO_FORCE_ATTRACTOR;
        r.forces[0].strength = 4.0f;
        r.forces[0].position = (rico_vec3){1.0f, 2.0f, 3.0f};
        r.forces[0].world_space = true;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        CHECK(rico_effect_spawn(world, id, at(0.0f, 0.0f, 1.0f)).index1 != 0);
        run_steps(world, 20);
        CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){8.0f, -2.0f, 1.0f}), RICO_OK);
        CHECK(rico_world_get_recipe(world, id, &back));
        CHECK_NEAR(back.planes[0].offset, -0.5f + 1.2f - 0.8f, 1e-6);
        CHECK_NEAR(back.forces[0].position.x, -7.0f, 1e-6);
        if (reads == 1)
            CHECK_EQ(rico_world_change_recipe(world, id, &back), RICO_OK);
        run_steps(world, 40);
        hash[reads] = rico_world_hash(world);
        CHECK(rico_world_get_stats(world).particles > 10);
        rico_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
}

TEST(runtime, reads_no_recipe_that_is_not_there_and_no_mesh)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = fountain(), back = {.rate = 77.0f};
    r.shape = RICO_EMIT_MESH;
    r.mesh = (rico_emitter_mesh){corners, 3, triangle, 1};
    CHECK(!rico_world_get_recipe(world, (rico_recipe_id){1, 1}, &back) && back.rate == 77.0f);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK(rico_world_get_recipe(world, id, &back) && back.rate == r.rate);
    CHECK(back.shape == RICO_EMIT_MESH && back.mesh.positions == NULL);
    CHECK_EQ(rico_world_remove_recipe(world, id), RICO_OK);
    CHECK(!rico_world_get_recipe(world, id, &back));
    rico_world_destroy(world);
}
