/* A world on the host's own ray caster: which rays are asked for, and when. */
#include "runtime_host.h"
#include "runtime_isa.h"

#include "vec.h"

/* --- The same bits as with a scene --------------------------------------------------------- */

static void check_same_as_scene(rico_collision_mode mode)
{
    host h = terrain_host(HOST_PLAIN);
    rico_world *scene = small_world(2, true);
    rico_world *hosted = world_on(at_once_with_boxes(&h), 2);
    CHECK_EQ(rico_world_ray_caster_changed(hosted), RICO_OK); /* as adding the mesh did */
    add_sparks(scene, mode, 4.0f);
    add_sparks(hosted, mode, 4.0f);
    uint32_t bounces = 0;
    uint64_t scene_rays = 0, hosted_rays = 0;
    for (int i = 0; i < 150; ++i) {
        run_steps(scene, 1);
        run_steps(hosted, 1);
        CHECK_MSG(rico_world_hash(scene) == rico_world_hash(hosted), "differs in step %d", i);
        rico_world_stats a = rico_world_get_stats(scene), b = rico_world_get_stats(hosted);
        scene_rays += a.rays;
        hosted_rays += b.rays;
        if (mode == RICO_COLLIDE_CLASSIC)
            CHECK_EQ(a.query_units, b.query_units);
        bounces += b.bounces;
    }
    /* With a scene, mode exact knows which steps meet nothing, and asks for fewer rays. */
    CHECK(mode == RICO_COLLIDE_EXACT ? scene_rays < hosted_rays : scene_rays == hosted_rays);
    CHECK(bounces > 100);
    CHECK(counted(&h.rays) > 500 && all_requests_were_good(&h));
    rico_world_destroy(scene);
    rico_world_destroy(hosted);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, exact_particles_do_the_same_as_with_the_scene_itself)
{
    check_same_as_scene(RICO_COLLIDE_EXACT);
}

TEST(host_rays, classic_particles_do_the_same_as_with_the_scene_itself)
{
    check_same_as_scene(RICO_COLLIDE_CLASSIC);
}

/* --- Determinism -------------------------------------------------------------------------- */

static uint64_t mixed_hash(rico_ray_caster caster, uint32_t workers)
{
    rico_world *world = world_on_budget(caster, workers, 150);
    add_sparks(world, RICO_COLLIDE_CLASSIC, 3.0f);
    add_sparks(world, RICO_COLLIDE_CACHED, 20.0f);
    if (!caster.deferred)
        add_sparks(world, RICO_COLLIDE_EXACT, 0.0f);
    uint64_t hash = 0;
    for (int i = 0; i < 90; ++i) {
        run_steps(world, 1);
        hash = hash * 31 + rico_world_hash(world);
    }
    CHECK(rico_world_get_stats(world).rays > 100);
    rico_world_destroy(world);
    return hash;
}

TEST(host_rays, are_the_same_for_any_number_of_workers_and_any_split_of_the_batch)
{
    host whole = terrain_host(HOST_PLAIN), singly = terrain_host(HOST_SINGLY);
    uint64_t expected = mixed_hash(at_once(&whole), 1);
    CHECK(mixed_hash(at_once(&whole), 2) == expected);
    CHECK(!test_has_time() || mixed_hash(at_once(&whole), 4) == expected);
    CHECK(mixed_hash(at_once(&singly), 3) == expected);
    CHECK(all_requests_were_good(&whole) && all_requests_were_good(&singly));
    rico_scene_destroy(whole.scene);
    rico_scene_destroy(singly.scene);
}

TEST(host_rays, are_the_same_for_every_isa)
{
    host h = terrain_host(HOST_PLAIN);
    uint64_t expected = mixed_hash(at_once(&h), 1);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(mixed_hash(at_once(&h), 1) == expected, "differs with %s",
                  rico__isa_name((rico__isa)isa));
    rico_scene_destroy(h.scene);
}

TEST(host_rays, of_a_deferred_caster_are_the_same_for_any_number_of_workers)
{
    host h = terrain_host(HOST_LAZY), early = terrain_host(HOST_PLAIN);
    uint64_t expected = mixed_hash(one_frame_later(&h), 1);
    CHECK(mixed_hash(one_frame_later(&h), 2) == expected);
    CHECK(!test_has_time() || mixed_hash(one_frame_later(&h), 4) == expected);
    CHECK(mixed_hash(one_frame_later(&early), 2) == expected);
    rico_scene_destroy(h.scene);
    rico_scene_destroy(early.scene);
}

/* --- Budgets ------------------------------------------------------------------------------ */

static void check_budget(rico_ray_caster caster, host *h)
{
    rico_world *world = world_on_budget(caster, 2, 10);
    rico_recipe recipe = ramp_recipe(1.5f);
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    for (int i = 0; i < 8; ++i)
        rico_effect_spawn(world, id, at(1.5f * (float)i - 6.0f, 0.0f, 2.0f));
    uint64_t units = 0, rays = 0;
    for (int i = 0; i < 100; ++i) {
        run_steps(world, 1);
        rico_world_stats stats = rico_world_get_stats(world);
        CHECK(stats.query_units <= 10);
        CHECK(stats.rays <= 4 * stats.query_units);
        units += stats.query_units;
        rays += stats.rays;
    }
    CHECK_MSG(units > 900, "%llu units", (unsigned long long)units);
    CHECK(rays > units && counted(&h->rays) >= rays && counted(&h->rays) <= rays + 40);
    rico_world_destroy(world);
}

TEST(host_rays, stay_within_the_budget_and_are_all_counted)
{
    host h = ramp_host(HOST_PLAIN), late = ramp_host(HOST_LAZY);
    check_budget(at_once(&h), &h);
    check_budget(one_frame_later(&late), &late);
    rico_scene_destroy(h.scene);
    rico_scene_destroy(late.scene);
}

/* --- One frame later ---------------------------------------------------------------------- */

/* One particle that starts at rest above the floor; what it does shows whether it has a plane. */
static rico_world *world_of_one(rico_ray_caster caster, rico_effect_id *effect)
{
    rico_world *world = world_on(caster, 1);
    rico_recipe recipe = ramp_recipe(10.0f);
    recipe.rate = 0.0f;
    recipe.burst_count = 1;
    recipe.spread = 0.0f;
    recipe.speed = (rico_range){0.0f, 0.0f};
    *effect = rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(-5, 0, 0.5f));
    return world;
}

static float height_of_one(const rico_world *world, rico_effect_id effect)
{
    rico_view v = rico_effect_view(world, effect);
    CHECK(rico_view_next(&v) && v.count == 1);
    return v.pz[0];
}

TEST(host_rays, of_a_deferred_caster_are_asked_at_the_end_of_a_step_and_taken_at_the_next)
{
    host h = ramp_host(HOST_LAZY);
    rico_effect_id effect;
    rico_world *world = world_of_one(one_frame_later(&h), &effect);
    run_steps(world, 1);
    CHECK_EQ(counted(&h.calls), 1);
    CHECK_EQ(h.collects, 0);
    CHECK(h.asked != NULL && h.count >= 1 && h.count <= 4);
    CHECK_EQ(rico_world_get_stats(world).query_units, 0);
    CHECK_NEAR(h.asked[0].origin.z, height_of_one(world, effect), 1e-6f);
    run_steps(world, 1);
    CHECK_EQ(h.collects, 1);
    CHECK_EQ(rico_world_get_stats(world).query_units, 1);
    CHECK_EQ(counted(&h.calls), 1); /* its path is known now */
    run_steps(world, 40);
    CHECK(height_of_one(world, effect) > 0.0f);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, that_never_come_count_as_not_asked)
{
    host h = ramp_host(HOST_MUTE);
    rico_effect_id effect;
    rico_world *world = world_of_one(one_frame_later(&h), &effect);
    for (uint32_t i = 1; i <= 30; ++i) {
        run_steps(world, 1);
        CHECK_EQ(counted(&h.calls), i); /* asked again each time */
        CHECK_EQ(rico_world_get_stats(world).query_units, 0);
        CHECK_EQ(rico_world_get_stats(world).rays, 0);
    }
    CHECK(height_of_one(world, effect) < -0.2f); /* it has heard of no floor */
    rico_world_destroy(world);
    CHECK_EQ(h.collects, 30); /* the last ones too, before their memory is freed */
    host mute = ramp_host(HOST_MUTE);
    world = world_of_one(at_once(&mute), &effect);
    run_steps(world, 5);
    CHECK_EQ(counted(&mute.calls), 5);
    CHECK_EQ(rico_world_get_stats(world).query_units, 0);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
    rico_scene_destroy(mute.scene);
}

/* Without a collect callback, nothing tells when the answers of such steps are there. */
TEST(host_rays, are_not_asked_for_an_effect_that_is_run_by_itself_where_nobody_collects)
{
    host h = ramp_host(HOST_LAZY);
    rico_ray_caster caster = one_frame_later(&h);
    for (int collects = 0; collects < 2; ++collects) {
        caster.collect = collects ? host_collect : NULL;
        rico_world *world = world_on(caster, 1);
        rico_recipe recipe = ramp_recipe(100.0f);
        recipe.prewarm = 1.0f;
        uint32_t before = counted(&h.calls);
        rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &recipe),
                                             at(0.0f, 0.0f, 2.0f));
        CHECK(rico_effect_particle_count(world, e) > 0);
        CHECK_EQ(counted(&h.calls) > before, collects);
        rico_world_destroy(world);
    }
    rico_scene_destroy(h.scene);
}

TEST(host_rays, of_effects_that_are_gone_are_not_taken)
{
    host h = ramp_host(HOST_LAZY);
    rico_world *world = world_on(one_frame_later(&h), 1);
    rico_recipe recipe = ramp_recipe(50.0f);
    recipe.burst_count = 200;
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    for (int i = 0; i < 20; ++i) {
        rico_effect_id gone = rico_effect_spawn(world, id, at(0, 0, 1));
        run_steps(world, 1);
        CHECK(h.asked != NULL);
        CHECK_EQ(rico_effect_destroy(world, gone), RICO_OK);
        rico_effect_id next = rico_effect_spawn(world, id, at(3, 0, 2));
        run_steps(world, 1);
        CHECK_EQ(rico_world_get_stats(world).query_units, 0);
        CHECK_EQ(rico_effect_destroy(world, next), RICO_OK);
    }
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

/* --- The host's world changes ------------------------------------------------------------- */

TEST(host_rays, of_a_deferred_caster_count_as_not_asked_when_its_world_changed_since)
{
    host h = ramp_host(HOST_LAZY);
    rico_effect_id effect;
    rico_world *world = world_of_one(one_frame_later(&h), &effect);
    run_steps(world, 1);
    CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
    run_steps(world, 1);
    CHECK_EQ(h.collects, 1);
    CHECK_EQ(counted(&h.calls), 2);
    CHECK_EQ(rico_world_get_stats(world).query_units, 0);
    run_steps(world, 1);
    CHECK_EQ(rico_world_get_stats(world).query_units, 1);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, particles_at_rest_wake_up_when_the_host_says_that_its_world_changed)
{
    host h = ramp_host(HOST_PLAIN);
    rico_effect_id effect;
    rico_world *world = world_of_one(at_once(&h), &effect);
    run_steps(world, 150);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 1);
    CHECK(height_of_one(world, effect) > 0.0f);
    rico_scene *full = h.scene;
    h.scene = host_of(NULL, HOST_PLAIN).scene;
    run_steps(world, 5);
    CHECK(height_of_one(world, effect) > 0.0f); /* not told yet */
    CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
    run_steps(world, 25);
    CHECK(height_of_one(world, effect) < -0.3f);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
    rico_scene_destroy(full);
}

/* --- Hostile answers ---------------------------------------------------------------------- */

static float hostile_float(uint32_t n)
{
    static const float values[] = {NAN,     INFINITY, -INFINITY, -0.0f,  0.0f,
                                   1.0e30f, -1.0e30f, 1e-40f,    -1.0f,  0.5f,
                                   1.0001f, 2.0f,     1.0f,      3.0e38f};
    return values[n % (sizeof values / sizeof values[0])];
}

/* The answer depends on the ray alone, so the number of workers does not matter. */
static void hostile_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                         rico_hit *hits, uint32_t count)
{
    (void)user;
    (void)filter;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bits[2];
        memcpy(bits, &rays[i].origin, sizeof bits);
        uint32_t n = (bits[0] * 2654435761u ^ bits[1] * 40503u) >> 8;
        hits[i] = (rico_hit){
            .t = hostile_float(n),
            .collider = n % 7 == 0 ? 0 : n * 977u + 1,
            .triangle = n * 31u,
            .normal = {hostile_float(n / 3), hostile_float(n / 5), hostile_float(n / 11)},
            .steps = n,
            .velocity = {hostile_float(n), NAN, INFINITY}};
        if (n % 13 == 0)
            hits[i].collider = RICO_NOT_ANSWERED;
    }
}

static void check_particles_are_sane(rico_world *world)
{
    uint32_t count;
    const rico_event *events = rico_world_events(world, &count);
    for (uint32_t e = 0; e < count; ++e) {
        CHECK(vec3_is_finite(events[e].position));
        if (events[e].type == RICO_EVENT_COLLISION)
            CHECK_NEAR(vec3_length(events[e].normal), 1.0, 2e-3);
    }
    for (uint32_t slot = 0; slot < 9 * 3; ++slot) {
        rico_view v = rico_effect_view(world, (rico_effect_id){slot + 1, 1});
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i) {
                CHECK(isfinite(v.px[i]) && isfinite(v.py[i]) && isfinite(v.pz[i]));
                CHECK(isfinite(v.vx[i]) && isfinite(v.vy[i]) && isfinite(v.vz[i]));
                CHECK(fabsf(v.vz[i]) < 100.0f); /* bounces do not speed it up */
            }
    }
}

TEST(host_rays, that_make_no_sense_do_no_harm)
{
    uint64_t hash = 0;
    for (uint32_t workers = 1; workers <= 2; ++workers) {
        rico_world *world = world_on((rico_ray_caster){.cast = hostile_cast}, workers);
        add_sparks(world, RICO_COLLIDE_CLASSIC, 20.0f);
        add_sparks(world, RICO_COLLIDE_CACHED, 100.0f);
        add_sparks(world, RICO_COLLIDE_EXACT, 0.0f);
        for (int i = 0; i < 90; ++i) {
            run_steps(world, 1);
            check_particles_are_sane(world);
        }
        if (workers == 1)
            hash = rico_world_hash(world);
        CHECK(rico_world_hash(world) == hash);
        rico_world_destroy(world);
    }
}

/* Normals with a wrong length, some of them from the back. */
static void sloppy_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                        rico_hit *hits, uint32_t count)
{
    host_cast(user, filter, rays, hits, count);
    for (uint32_t i = 0; i < count; ++i)
        hits[i].normal = vec3_scale(hits[i].normal, i % 2 == 0 ? -3.0f : 0.5f);
}

TEST(host_rays, with_normals_of_another_length_or_side_are_put_right)
{
    host h = ramp_host(HOST_PLAIN);
    outcome o = run_ramp((rico_ray_caster){.cast = sloppy_cast, .user = &h}, 1, 200.0f);
    check_outcome("sloppy normals", &o, 1, 0);
    rico_scene_destroy(h.scene);
}

/* Casts rays without an end, as some casters do. */
static void endless_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                         rico_hit *hits, uint32_t count)
{
    const host *h = user;
    for (uint32_t i = 0; i < count; ++i) {
        rico_ray ray = rays[i];
        ray.t_max = INFINITY;
        hits[i] = rico_scene_raycast(h->scene, filter, &ray);
    }
}

TEST(host_rays, that_hit_beyond_their_end_hit_nothing)
{
    host h = ramp_host(HOST_PLAIN);
    outcome bounded = run_ramp(at_once(&h), 1, 200.0f);
    outcome endless = run_ramp((rico_ray_caster){.cast = endless_cast, .user = &h}, 1, 200.0f);
    CHECK(bounded.hash == endless.hash);
    rico_scene_destroy(h.scene);
}

/* --- Refusals ----------------------------------------------------------------------------- */

static void check_refused(rico_ray_caster caster, const char *what)
{
    kept_log log;
    rico_world_def def = rico_world_def_default();
    def.max_particles = 256;
    def.worker_count = 1;
    def.log = kept_log_hook(&log);
    def.ray_caster = caster;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_RANGE);
    CHECK(world == NULL);
    CHECK_MSG(strstr(log.text, what) != NULL, "the log says: %s", log.text);
}

TEST(host_rays, casters_that_contradict_themselves_are_refused)
{
    host h = {.kind = HOST_PLAIN};
    check_refused((rico_ray_caster){.deferred = true}, "ray_caster");
    check_refused((rico_ray_caster){.occupied = host_occupied}, "ray_caster");
    check_refused((rico_ray_caster){.cast = host_cast, .collect = host_collect, .user = &h},
                  "ray_caster.collect");
    check_refused(
        (rico_ray_caster){
            .cast = host_cast, .occupied = host_occupied, .user = &h, .deferred = true},
        "ray_caster.occupied");
}

TEST(host_rays, refuse_meshes_and_exact_particles_one_frame_later)
{
    kept_log log;
    host h = ramp_host(HOST_LAZY);
    rico_world_def def = rico_world_def_default();
    def.max_particles = 256;
    def.worker_count = 1;
    def.log = kept_log_hook(&log);
    def.ray_caster = one_frame_later(&h);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    CHECK_EQ(rico_world_add_mesh(world, &t->mesh, RICO_TRANSFORM_IDENTITY).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_NO_SCENE);
    CHECK(strstr(log.text, "ray_caster") != NULL);
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = RICO_COLLIDE_EXACT;
    CHECK_EQ(rico_world_add_recipe(world, &recipe).index1, 0);
    CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
    CHECK(strstr(log.text, "recipe.mode") != NULL && strstr(log.text, "deferred") != NULL);
    recipe.mode = RICO_COLLIDE_CLASSIC;
    CHECK(rico_world_add_recipe(world, &recipe).index1 != 0);
    free(t);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, allocate_nothing_in_a_step)
{
    host h = ramp_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 1);
    add_sparks(world, RICO_COLLIDE_CACHED, 50.0f);
    uint64_t before = rico_world_get_stats(world).allocations;
    run_steps(world, 60);
    CHECK_EQ(rico_world_get_stats(world).allocations, before);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}
