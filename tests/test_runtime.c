/* A world from the host's side: creation, recipes, effects and misuse. */
#include "runtime_refused.h"

#include "state.h"

static int assert_count;

static void count_assert(const char *expression, const char *file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    ++assert_count;
}

TEST(runtime, refuses_an_uninitialised_def)
{
    kept_log log;
    rico_world_def def = {.max_particles = 10, .log = kept_log_hook(&log)};
    rico_world *world = (rico_world *)&def;
    CHECK_EQ(rico_world_create(&def, &world), RICO_UNINITIALIZED_DEF);
    CHECK(world == NULL);
    CHECK_EQ(log.errors, 1);
}

TEST(runtime, names_the_field_of_a_def_that_is_out_of_range)
{
    kept_log log;
    rico_world_def def = rico_world_def_default();
    def.log = kept_log_hook(&log);
    rico_world *world;
    def.max_particles = 0;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(strstr(log.text, "def.max_particles is 0, expected 1 to") != NULL);
    def.max_particles = 1000;
    def.cell_size = NAN;
    CHECK_EQ(rico_world_create(&def, &world), RICO_NOT_FINITE);
    CHECK(strstr(log.text, "def.cell_size is nan, expected 0.05 to 2") != NULL);
    def.cell_size = 3.0f;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(strstr(log.text, "def.cell_size") != NULL);
    def.cell_size = 0.5f;
    def.shared_queries_per_frame = 65537;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(strstr(log.text, "def.shared_queries_per_frame is 65537, expected 0 to 65536") !=
          NULL);
    def.shared_queries_per_frame = 0;
    def.worker_count = 257;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(strstr(log.text, "def.worker_count is 257") != NULL);
}

TEST(runtime, leaves_nothing_behind_when_the_nth_allocation_of_creation_fails)
{
    for (long n = 0;; ++n) {
        kept_log log;
        counting_allocator counter;
        rico_world_def def = rico_world_def_default();
        def.max_particles = 1000;
        def.max_effects = 16;
        def.cache_bytes = 64 << 10;
        def.classic_cache_bytes = 64 << 10;
        def.worker_count = 2;
        def.log = kept_log_hook(&log);
        def.allocator = counting_hooks(&counter);
        counter.fail_at = n;
        rico_world *world;
        rico_result result = rico_world_create(&def, &world);
        if (result == RICO_OK) {
            CHECK(n >= 10);
            rico_world_destroy(world);
            CHECK_EQ(counter.live_blocks, 0);
            return;
        }
        CHECK_EQ(result, RICO_OUT_OF_MEMORY);
        CHECK(world == NULL);
        CHECK_EQ(counter.live_blocks, 0);
        CHECK_EQ(counter.live_bytes, 0);
    }
}

TEST(runtime, gives_all_memory_back)
{
    counting_allocator counter;
    rico_world_def def = rico_world_def_default();
    def.max_particles = 10000;
    def.cache_bytes = def.classic_cache_bytes = 1 << 20;
    def.allocator = counting_hooks(&counter);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_terrain(world);
    rico_recipe recipe = rico_recipe_default();
    rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0.0f, 0.0f, 1.0f));
    run_steps(world, 30);
    CHECK(rico_world_get_stats(world).bytes >= 10000 * 40);
    rico_world_destroy(world);
    CHECK_EQ(counter.live_blocks, 0);
    CHECK_EQ(counter.live_bytes, 0);
}

TEST(runtime, allocates_nothing_in_a_step)
{
    counting_allocator counter;
    rico_world_def def = rico_world_def_default();
    def.cache_bytes = def.classic_cache_bytes = 4 << 20;
    def.max_particles = 50000;
    def.max_effects = 300;
    def.worker_count = 2;
    def.allocator = counting_hooks(&counter);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    add_terrain(world);
    rico_recipe_id recipes[RICO_COLLISION_MODE_COUNT];
    for (int mode = 0; mode < RICO_COLLISION_MODE_COUNT; ++mode) {
        rico_recipe recipe = rico_recipe_default();
        recipe.mode = (rico_collision_mode)mode;
        recipe.events = RICO_EVENT_BIT_DEATH;
        recipe.duration = 0.5f;
        recipes[mode] = rico_world_add_recipe(world, &recipe);
    }
    long calls = counter.calls;
    for (int i = 0; i < 120; ++i) {
        rico_effect_spawn(world, recipes[i % RICO_COLLISION_MODE_COUNT], at(0.0f, 0.0f, 1.5f));
        rico_world_step(world, 1.0f / 60.0f);
    }
    CHECK_EQ(counter.calls, calls);
    rico_world_destroy(world);
}

typedef struct bad_recipe {
    const char *field;
    rico_recipe recipe;
    rico_result result;
} bad_recipe;

TEST(runtime, refuses_every_recipe_field_out_of_range_and_names_it)
{
    rico_recipe good = rico_recipe_default();
    bad_recipe cases[32];
    size_t n = 0;
#define BAD(text, assignment, code)                                                            \
    do {                                                                                       \
        cases[n] = (bad_recipe){text, good, code};                                             \
        rico_recipe *r = &cases[n++].recipe;                                                   \
        assignment;                                                                            \
    } while (0)
    BAD("shape", r->shape = (rico_emitter_shape)17, RICO_OUT_OF_RANGE);
    BAD("size.y", r->size.y = -1.0f, RICO_OUT_OF_RANGE);
    BAD("spread", r->spread = 4.0f, RICO_OUT_OF_RANGE);
    BAD("rate", r->rate = -1.0f, RICO_OUT_OF_RANGE);
    BAD("burst_count", r->burst_count = 2000000, RICO_OUT_OF_RANGE);
    BAD("burst_interval", r->burst_interval = NAN, RICO_NOT_FINITE);
    BAD("duration", r->duration = -0.5f, RICO_OUT_OF_RANGE);
    BAD("speed", r->speed.lo = 9.0f, RICO_OUT_OF_RANGE);
    BAD("speed.hi", r->speed.hi = INFINITY, RICO_NOT_FINITE);
    BAD("lifetime.lo", r->lifetime.lo = 0.0f, RICO_OUT_OF_RANGE);
    BAD("max_particles", r->max_particles = 0, RICO_OUT_OF_RANGE);
    BAD("gravity.z", r->gravity.z = NAN, RICO_NOT_FINITE);
    BAD("drag", r->drag = 101.0f, RICO_OUT_OF_RANGE);
    BAD("mode", r->mode = (rico_collision_mode)9, RICO_OUT_OF_RANGE);
    BAD("radius", r->radius = 2.0f, RICO_OUT_OF_RANGE);
    BAD("restitution", r->restitution = 1.5f, RICO_OUT_OF_RANGE);
    BAD("friction", r->friction = -0.1f, RICO_OUT_OF_RANGE);
    BAD("rest_speed", r->rest_speed = 11.0f, RICO_OUT_OF_RANGE);
    BAD("queries_per_frame", r->queries_per_frame = 1.0e9f, RICO_OUT_OF_RANGE);
    BAD("plane_count", r->plane_count = 5, RICO_OUT_OF_RANGE);
    BAD("planes[0].normal", r->plane_count = 1, RICO_OUT_OF_RANGE);
    BAD("events", r->events = 64, RICO_OUT_OF_RANGE);
    BAD("particle_size.key_count", r->particle_size.key_count = 0, RICO_OUT_OF_RANGE);
    BAD("particle_size.at[0]", r->particle_size.at[0] = 2.0f, RICO_OUT_OF_RANGE);
    BAD("particle_size.at[0]", r->particle_size.at[0] = NAN, RICO_NOT_FINITE);
    BAD("color.rgba", r->color.rgba[0][2] = 1.5f, RICO_OUT_OF_RANGE);
    BAD("rico_recipe_default", r->cookie = 0, RICO_UNINITIALIZED_DEF);
#undef BAD
    kept_log log;
    rico_world *world = heard_world(&log);
    for (size_t i = 0; i < n; ++i)
        refuse_here(world, &log, &cases[i].recipe, cases[i].field, cases[i].result);
    CHECK_EQ(rico_world_add_recipe(world, &good).index1, 1);
    rico_world_destroy(world);
}

TEST(runtime, detects_stale_and_null_ids)
{
    kept_log log;
    rico_world *world = small_world(1, false);
    world->def.log = kept_log_hook(&log);
    rico_recipe recipe = rico_recipe_default();
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_effect_id first = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    CHECK(rico_effect_is_alive(world, first));
    CHECK_EQ(rico_effect_destroy(world, first), RICO_OK);
    rico_effect_id second = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    CHECK_EQ(second.index1, first.index1); /* the slot is used again, the id is not */
    CHECK(!rico_effect_is_alive(world, first));
    CHECK_EQ(rico_effect_destroy(world, first), RICO_STALE_ID);
    CHECK_EQ(rico_effect_stop(world, first), RICO_STALE_ID);
    CHECK_EQ(rico_effect_move(world, first, RICO_TRANSFORM_IDENTITY), RICO_STALE_ID);
    CHECK_EQ(rico_effect_seek(world, first, 1.0f, 0.1f), RICO_STALE_ID);
    CHECK_EQ(rico_effect_bake(world, first, 1.0f, NULL), RICO_STALE_ID);
    CHECK_EQ(log.errors, 0); /* no error: effects may end by themselves */
    CHECK_EQ(rico_effect_stop(world, (rico_effect_id){0}), RICO_STALE_ID);
    CHECK_EQ(rico_effect_stop(world, (rico_effect_id){1, 99}), RICO_STALE_ID);
    CHECK_EQ(log.errors, 2);
    CHECK_EQ(rico_effect_set_time_scale(world, (rico_effect_id){0}, 1.0f), RICO_STALE_ID);
    CHECK_EQ(rico_effect_set_rate_scale(world, (rico_effect_id){0}, 1.0f), RICO_STALE_ID);
    CHECK_EQ(rico_effect_set_user(world, (rico_effect_id){0}, NULL), RICO_STALE_ID);
    CHECK_EQ(rico_effect_particle_count(world, (rico_effect_id){99, 1}), 0);
    CHECK_EQ(rico_effect_spawn(world, (rico_recipe_id){0}, at(0, 0, 0)).index1, 0);
    CHECK_EQ(rico_effect_spawn(world, (rico_recipe_id){7, 1}, at(0, 0, 0)).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_STALE_ID);
    CHECK_EQ(rico_world_remove_collider(world, (rico_collider_id){3, 1}), RICO_STALE_ID);
    rico_view view = rico_effect_view(world, first);
    CHECK(!rico_view_next(&view));
    rico_world_destroy(world);
}

TEST(runtime, refuses_transforms_that_are_not_finite_or_not_rigid)
{
    kept_log log;
    rico_world *world = small_world(1, false);
    world->def.log = kept_log_hook(&log);
    rico_recipe recipe = rico_recipe_default();
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    CHECK_EQ(rico_effect_spawn(world, id, at(NAN, 0.0f, 0.0f)).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_NOT_FINITE);
    rico_transform t = at(0.0f, 0.0f, 0.0f);
    t.rotation.w = 0.5f;
    CHECK_EQ(rico_effect_spawn(world, id, t).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
    t = at(0.0f, 0.0f, 0.0f);
    t.scale = 0.0f;
    CHECK_EQ(rico_effect_spawn(world, id, t).index1, 0);
    rico_effect_id effect = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    CHECK_EQ(rico_effect_move(world, effect, at(0.0f, INFINITY, 0.0f)), RICO_NOT_FINITE);
    CHECK_EQ(rico_effect_set_time_scale(world, effect, NAN), RICO_NOT_FINITE);
    CHECK_EQ(rico_effect_set_time_scale(world, effect, -1.0f), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_effect_set_rate_scale(world, effect, NAN), RICO_NOT_FINITE);
    CHECK_EQ(rico_effect_set_rate_scale(world, effect, 101.0f), RICO_OUT_OF_RANGE);
    rico_effect_def def = rico_effect_def_default();
    def.rate_scale = -1.0f;
    CHECK_EQ(rico_effect_spawn_def(world, id, &def).index1, 0);
    CHECK(strstr(log.text, "def.rate_scale is -1, expected 0 to 100") != NULL);
    def = (rico_effect_def){.time_scale = 1.0f};
    CHECK_EQ(rico_effect_spawn_def(world, id, &def).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_UNINITIALIZED_DEF);
    rico_world_destroy(world);
}

TEST(runtime, asserts_on_a_bad_dt_and_does_nothing)
{
    rico_world *world = small_world(1, false);
    rico_recipe recipe = rico_recipe_default();
    rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0, 0, 0));
    run_steps(world, 10);
    uint64_t hash = rico_world_hash(world);
    rico_assert_set_handler(count_assert);
    assert_count = 0;
    rico_world_step(world, -0.01f);
    rico_world_step(world, NAN);
    rico_assert_set_handler(NULL);
    CHECK_EQ(assert_count, 2);
    CHECK(rico_world_hash(world) == hash);
    rico_world_destroy(world);
}

TEST(runtime, asserts_on_a_step_inside_a_step_and_refuses_edits_there)
{
    kept_log log;
    rico_world *world = small_world(1, false);
    world->def.log = kept_log_hook(&log);
    rico_recipe recipe = rico_recipe_default();
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_effect_id effect = rico_effect_spawn(world, id, at(0, 0, 0));
    uint32_t frame = rico_world_get_stats(world).frame;
    world->busy = true;
    rico_assert_set_handler(count_assert);
    assert_count = 0;
    rico_world_step(world, 0.01f);
    rico_assert_set_handler(NULL);
    CHECK_EQ(assert_count, 1);
    CHECK_EQ(rico_effect_spawn(world, id, at(0, 0, 0)).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_BUSY);
    CHECK_EQ(rico_effect_destroy(world, effect), RICO_BUSY);
    CHECK_EQ(rico_world_add_recipe(world, &recipe).index1, 0);
    CHECK_EQ(rico_world_remove_collider(world, (rico_collider_id){1, 1}), RICO_BUSY);
    world->busy = false;
    CHECK_EQ(rico_world_get_stats(world).frame, frame);
    CHECK(rico_effect_is_alive(world, effect));
    rico_world_destroy(world);
}

TEST(runtime, reports_when_a_capacity_is_used_up)
{
    kept_log log;
    rico_world_def def = rico_world_def_default();
    def.cache_bytes = def.classic_cache_bytes = 4 << 20;
    def.max_particles = 100;
    def.max_effects = 2;
    def.max_recipes = 1;
    def.worker_count = 1;
    def.log = kept_log_hook(&log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe recipe = rico_recipe_default();
    recipe.burst_count = 80;
    recipe.rate = 0.0f;
    recipe.mode = RICO_COLLIDE_NONE;
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    CHECK_EQ(rico_world_add_recipe(world, &recipe).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_FULL);
    rico_effect_id a = rico_effect_spawn(world, id, at(0, 0, 0));
    rico_effect_id b = rico_effect_spawn(world, id, at(0, 0, 0));
    CHECK_EQ(rico_effect_spawn(world, id, at(0, 0, 0)).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_FULL);
    CHECK(strstr(log.text, "max_effects (2)") != NULL);
    rico_world_step(world, 0.01f);
    /* Particles are given out in effect order: the first effect gets all it wants, the second
     * the rest. */
    CHECK_EQ(rico_effect_particle_count(world, a), 80);
    CHECK_EQ(rico_effect_particle_count(world, b), 20);
    CHECK_EQ(rico_world_get_stats(world).births_starved, 60);
    rico_world_destroy(world);
}

TEST(runtime, carries_on_when_no_valid_triangle_is_left)
{
    kept_log log;
    rico_world *world = small_world(1, false);
    world->def.log = kept_log_hook(&log);
    const float positions[9] = {NAN, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t indices[6] = {0, 1, 2, 0, 1, 9};
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 3, .indices = indices, .triangle_count = 2};
    rico_mesh_report report = {0};
    rico_collider_id id = {1, 1};
    CHECK_EQ(rico_world_add_mesh_report(world, &mesh, RICO_TRANSFORM_IDENTITY, &report, &id),
             RICO_EMPTY_MESH);
    CHECK_EQ(report.dropped_not_finite, 1);
    CHECK_EQ(report.dropped_index, 1);
    CHECK(id.index1 == 0 && id.generation == 0);
    run_steps(world, 2);
    add_terrain(world);
    rico_world_destroy(world);
}

/* Hosts that can be built with several versions test the version in the preprocessor. */
#if RICO_VERSION >= 0x000100u && RICO_VERSION < 0x800000u
#define VERSION_IN_IF RICO_VERSION
#else
#define VERSION_IN_IF 0
#endif

TEST(runtime, has_the_version_of_the_build)
{
    unsigned major = 0, minor = 0, patch = 0;
    CHECK(strcmp(RICO_VERSION_STRING, RICO_BUILD_VERSION) == 0);
    CHECK_EQ(sscanf(RICO_BUILD_VERSION, "%u.%u.%u", &major, &minor, &patch), 3);
    CHECK_EQ(rico_version(), major << 16 | minor << 8 | patch);
    CHECK_EQ(RICO_VERSION, rico_version());
    CHECK_EQ(VERSION_IN_IF, rico_version());
}
