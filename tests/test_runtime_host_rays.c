/* A world on the host's own ray caster. The host here has a scene of its own, or a formula. */
#include "runtime_terrain.h"

#include "atomics.h"
#include "vec.h"

/* --- The host ----------------------------------------------------------------------------- */

typedef enum host_kind {
    HOST_PLAIN,     /* one batch, as it comes */
    HOST_SINGLY,    /* ray by ray, from the last to the first */
    HOST_MUTE,      /* answers nothing */
    HOST_LAZY,      /* deferred: answers when collected */
    HOST_KEEPS_AWAY /* deferred: answers every other time only */
} host_kind;

typedef struct host {
    rico_scene *scene;
    host_kind kind;
    rico__atomic32 calls, rays, bad_requests; /* workers call at the same time */
    uint32_t collects;
    /* Of the last deferred call. */
    rico_filter filter;
    const rico_ray *asked;
    rico_hit *answers;
    uint32_t count;
} host;

static void answer(host *h, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
                   uint32_t count)
{
    if (h->kind == HOST_SINGLY) {
        for (uint32_t i = count; i-- > 0;)
            hits[i] = rico_scene_raycast(h->scene, filter, &rays[i]);
        return;
    }
    rico_scene_raycast_batch(h->scene, filter, rays, hits, count);
}

static bool is_request(const rico_ray *ray, const rico_hit *hit)
{
    return vec3_is_finite(ray->origin) && vec3_is_finite(ray->direction) && ray->ignore == 0 &&
           ray->t_max >= 0.0f && hit->collider == RICO_NOT_ANSWERED;
}

static void host_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                      rico_hit *hits, uint32_t count)
{
    host *h = user;
    rico__atomic_fetch_add32(&h->calls, 1);
    rico__atomic_fetch_add32(&h->rays, count);
    bool bad = filter == NULL || count == 0;
    for (uint32_t i = 0; i < count; ++i)
        bad = bad || !is_request(&rays[i], &hits[i]);
    if (bad)
        rico__atomic_fetch_add32(&h->bad_requests, 1);
    if (h->kind == HOST_PLAIN || h->kind == HOST_SINGLY)
        answer(h, filter, rays, hits, count);
}

static void deferred_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                          rico_hit *hits, uint32_t count)
{
    host *h = user;
    host_cast(user, filter, rays, hits, count);
    h->filter = *filter;
    h->asked = rays;
    h->answers = hits;
    h->count = count;
}

static void host_collect(void *user)
{
    host *h = user;
    h->collects += 1;
    if (h->kind == HOST_LAZY || (h->kind == HOST_KEEPS_AWAY && h->collects % 2 == 0))
        answer(h, &h->filter, h->asked, h->answers, h->count);
    h->asked = NULL;
}

static bool host_occupied(void *user, const rico_box *box)
{
    const host *h = user;
    return rico_scene_occupied(h->scene, box);
}

static uint32_t counted(const rico__atomic32 *count)
{
    return rico__atomic_load32(count);
}

static bool all_requests_were_good(const host *h)
{
    return counted(&h->bad_requests) == 0;
}

static rico_ray_caster at_once(host *h)
{
    return (rico_ray_caster){.cast = host_cast, .user = h};
}

static rico_ray_caster at_once_with_boxes(host *h)
{
    return (rico_ray_caster){.cast = host_cast, .occupied = host_occupied, .user = h};
}

static rico_ray_caster one_frame_later(host *h)
{
    return (rico_ray_caster){
        .cast = deferred_cast, .collect = host_collect, .user = h, .deferred = true};
}

static host host_of(const rico_mesh *mesh, host_kind kind)
{
    host h = {.kind = kind};
    rico_scene_def def = rico_scene_def_default();
    CHECK_EQ(rico_scene_create(&def, &h.scene), RICO_OK);
    if (mesh != NULL)
        CHECK_EQ(rico_scene_add_mesh(h.scene, mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL),
                 RICO_OK);
    return h;
}

static host terrain_host(host_kind kind)
{
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    host h = host_of(&t->mesh, kind);
    free(t);
    return h;
}

static rico_world *world_on_budget(rico_ray_caster caster, uint32_t workers, uint32_t budget)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 65536;
    def.max_effects = 256;
    def.cache_bytes = 16 << 20;
    def.classic_cache_bytes = 1 << 20;
    def.worker_count = workers;
    def.queries_per_frame = budget;
    def.ray_caster = caster;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

static rico_world *world_on(rico_ray_caster caster, uint32_t workers)
{
    return world_on_budget(caster, workers, 2048);
}

/* --- The same bits as with a scene -------------------------------------------------------- */

static void add_sparks(rico_world *world, rico_collision_mode mode, float queries)
{
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = mode;
    recipe.rate = 80.0f;
    recipe.burst_count = 40;
    recipe.burst_interval = 0.6f;
    recipe.spread = 1.3f;
    recipe.drag = 0.2f;
    recipe.queries_per_frame = queries;
    recipe.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    CHECK(id.index1 != 0);
    for (int i = 0; i < 9; ++i)
        CHECK(
            rico_effect_spawn(
                world, id, at((float)(i % 3) * 3.0f - 4.0f, (float)(i / 3) * 3.0f - 4.0f, 1.5f))
                .index1 != 0);
}

static void check_same_as_scene(rico_collision_mode mode)
{
    host h = terrain_host(HOST_PLAIN);
    rico_world *scene = small_world(2, true);
    rico_world *hosted = world_on(at_once_with_boxes(&h), 2);
    CHECK_EQ(rico_world_ray_caster_changed(hosted), RICO_OK); /* as adding the mesh did */
    add_sparks(scene, mode, 4.0f);
    add_sparks(hosted, mode, 4.0f);
    uint32_t bounces = 0;
    for (int i = 0; i < 150; ++i) {
        run_steps(scene, 1);
        run_steps(hosted, 1);
        CHECK_MSG(rico_world_hash(scene) == rico_world_hash(hosted), "differs in step %d", i);
        rico_world_stats a = rico_world_get_stats(scene), b = rico_world_get_stats(hosted);
        CHECK_EQ(a.rays, b.rays);
        CHECK_EQ(a.query_units, b.query_units);
        bounces += b.bounces;
    }
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

/* --- A floor and a ramp ------------------------------------------------------------------- */

#define RAMP_START 2.0f
#define RAMP_SLOPE 0.5f
#define RAMP_END 14.0f
#define FLOOR_HALF 14.0f

static float ramp_height(float x)
{
    return x > RAMP_START ? RAMP_SLOPE * (x - RAMP_START) : 0.0f;
}

static host ramp_host(host_kind kind)
{
    const float a = -FLOOR_HALF, b = FLOOR_HALF, top = ramp_height(RAMP_END);
    const float positions[] = {a, a, 0, RAMP_START, a, 0,   RAMP_START, b, 0,
                               a, b, 0, RAMP_END,   a, top, RAMP_END,   b, top};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2};
    return host_of(
        &(rico_mesh){
            .positions = positions, .vertex_count = 6, .indices = indices, .triangle_count = 4},
        kind);
}

typedef struct outcome {
    uint32_t born, fell, bounces, far_bounces, sleeping;
    uint64_t units, rays, hash;
} outcome;

static rico_recipe ramp_recipe(float queries)
{
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = RICO_COLLIDE_CACHED;
    recipe.rate = 150.0f;
    recipe.duration = 3.0f;
    recipe.spread = 1.4f;
    recipe.speed = (rico_range){2.0f, 6.0f};
    recipe.lifetime = (rico_range){3.0f, 4.0f};
    recipe.queries_per_frame = queries;
    recipe.events = RICO_EVENT_BIT_COLLISION;
    return recipe;
}

static bool on_the_map(float x, float y)
{
    return fabsf(x) < FLOOR_HALF - 0.5f && fabsf(y) < FLOOR_HALF - 0.5f;
}

static uint32_t count_below(const rico_world *world, rico_effect_id effect)
{
    uint32_t below = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            below += on_the_map(v.px[i], v.py[i]) && v.pz[i] < ramp_height(v.px[i]) - 0.1f;
    return below;
}

static uint32_t count_far_bounces(const rico_world *world)
{
    uint32_t count, far = 0;
    const rico_event *events = rico_world_events(world, &count);
    for (uint32_t e = 0; e < count; ++e)
        far += fabsf(events[e].position.z - ramp_height(events[e].position.x)) > 0.05f;
    return far;
}

static outcome run_ramp(rico_ray_caster caster, uint32_t workers, float queries)
{
    rico_world *world = world_on(caster, workers);
    rico_recipe recipe = ramp_recipe(queries);
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_effect_id effects[4];
    for (int i = 0; i < 4; ++i)
        effects[i] = rico_effect_spawn(world, id, at(2.0f * (float)i - 2.0f, 0.0f, 3.0f));
    outcome o = {0};
    for (int step = 0; step < 180; ++step) {
        run_steps(world, 1);
        rico_world_stats stats = rico_world_get_stats(world);
        o.born += stats.births;
        o.bounces += stats.bounces;
        o.units += stats.query_units;
        o.rays += stats.rays;
        o.sleeping = stats.sleeping;
        o.far_bounces += count_far_bounces(world);
        o.hash = o.hash * 31 + rico_world_hash(world);
    }
    for (int i = 0; i < 4; ++i)
        o.fell += count_below(world, effects[i]);
    rico_world_destroy(world);
    return o;
}

/* most: parts per thousand that may fall. */
static void check_outcome(const char *name, const outcome *o, uint32_t most)
{
    if (getenv("RICO_TEST_SHOW") != NULL)
        fprintf(stderr,
                "%s: born %u fell %u bounces %u far %u sleeping %u units %llu rays %llu\n",
                name, o->born, o->fell, o->bounces, o->far_bounces, o->sleeping,
                (unsigned long long)o->units, (unsigned long long)o->rays);
    CHECK(o->born > 1500 && o->bounces > 3000 && o->sleeping > 20);
    CHECK_MSG(o->fell * 1000 <= o->born * most, "%s: %u of %u fell", name, o->fell, o->born);
    CHECK_MSG(o->far_bounces * 100 < o->bounces, "%s: %u of %u bounces are off the surface",
              name, o->far_bounces, o->bounces);
    CHECK(o->rays <= 4 * o->units);
}

TEST(host_rays, cached_particles_bounce_off_a_floor_and_a_ramp)
{
    host h = ramp_host(HOST_PLAIN);
    outcome o = run_ramp(at_once(&h), 2, 200.0f);
    check_outcome("at once", &o, 1);
    CHECK(counted(&h.rays) == o.rays && all_requests_were_good(&h));
    rico_scene_destroy(h.scene);
}

TEST(host_rays, cached_particles_do_so_too_with_answers_one_frame_later)
{
    host h = ramp_host(HOST_LAZY);
    outcome o = run_ramp(one_frame_later(&h), 2, 200.0f);
    check_outcome("one frame later", &o, 1);
    CHECK(counted(&h.calls) == h.collects && all_requests_were_good(&h));
    CHECK(counted(&h.calls) <= 180);
    rico_scene_destroy(h.scene);
}

/* A closed room, seen from inside: corners, edges, walls and a ceiling. */
static host room_host(host_kind kind)
{
    float positions[24];
    for (int k = 0; k < 8; ++k) {
        positions[3 * k] = k & 1 ? 1.5f : -1.5f;
        positions[3 * k + 1] = k & 2 ? 1.5f : -1.5f;
        positions[3 * k + 2] = k & 4 ? 2.5f : 0.0f;
    }
    static const uint32_t indices[] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                       2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    return host_of(&(rico_mesh){.positions = positions,
                                .vertex_count = 8,
                                .indices = indices,
                                .triangle_count = 12},
                   kind);
}

typedef struct inmates {
    uint32_t count, out;
} inmates;

static inmates run_room(rico_recipe recipe, int steps)
{
    host h = room_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 2);
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_effect_id effect = rico_effect_spawn(world, id, at(0.3f, -0.2f, 1.2f));
    run_steps(world, steps);
    inmates in = {0};
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++in.count)
            in.out += !(fabsf(v.px[i]) < 1.52f && fabsf(v.py[i]) < 1.52f && v.pz[i] > -0.02f &&
                        v.pz[i] < 2.52f);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
    if (getenv("RICO_TEST_SHOW") != NULL)
        fprintf(stderr, "room: %u of %u are outside\n", in.out, in.count);
    return in;
}

/* Two planes within one step, in corners, are more than a ray of its centre tells: some leave. */
TEST(host_rays, cached_particles_stay_in_a_closed_room)
{
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.spread = 3.14f;
    recipe.friction = 0.05f;
    recipe.lifetime = (rico_range){5.0f, 6.0f};
    inmates in = run_room(recipe, 290);
    CHECK(in.count > 400);
    CHECK_MSG(in.out * 100 <= in.count * 3, "%u of %u are outside", in.out, in.count);
}

TEST(host_rays, cached_particles_that_slide_stop_at_walls)
{
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.spread = 1.57f;
    recipe.speed = (rico_range){1.0f, 3.0f};
    recipe.restitution = 0.0f;
    recipe.friction = 0.0f;
    recipe.lifetime = (rico_range){5.0f, 6.0f};
    inmates in = run_room(recipe, 290);
    CHECK(in.count > 400);
    CHECK_MSG(in.out * 100 <= in.count * 3, "%u of %u are outside", in.out, in.count);
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
    CHECK(mixed_hash(at_once(&whole), 4) == expected);
    CHECK(mixed_hash(at_once(&singly), 3) == expected);
    CHECK(all_requests_were_good(&whole) && all_requests_were_good(&singly));
    rico_scene_destroy(whole.scene);
    rico_scene_destroy(singly.scene);
}

TEST(host_rays, of_a_deferred_caster_are_the_same_for_any_number_of_workers)
{
    host h = terrain_host(HOST_LAZY), early = terrain_host(HOST_PLAIN);
    uint64_t expected = mixed_hash(one_frame_later(&h), 1);
    CHECK(mixed_hash(one_frame_later(&h), 2) == expected);
    CHECK(mixed_hash(one_frame_later(&h), 4) == expected);
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

TEST(host_rays, of_one_effect_stay_within_its_own_budget)
{
    host h = ramp_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 1);
    rico_recipe recipe = ramp_recipe(2.5f);
    rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0, 0, 2));
    uint32_t units = 0;
    for (int i = 1; i <= 100; ++i) {
        run_steps(world, 1);
        units += rico_world_get_stats(world).query_units;
        CHECK((float)units <= 2.5f * (float)i + 1.0f);
    }
    CHECK(units > 200);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

/* Half of what they would use. */
TEST(host_rays, that_are_too_few_serve_the_oldest_and_leave_planes_to_others)
{
    host h = ramp_host(HOST_PLAIN);
    outcome o = run_ramp(at_once(&h), 2, 5.0f);
    check_outcome("too few", &o, 100);
    rico_scene_destroy(h.scene);
}

/* --- One frame later ---------------------------------------------------------------------- */

/* A particle that lies in wait above the floor; its own plane is seen in what it does. */
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
        CHECK_EQ(counted(&h.calls), i); /* asked again, and again */
        CHECK_EQ(rico_world_get_stats(world).query_units, 0);
        CHECK_EQ(rico_world_get_stats(world).rays, 0);
    }
    CHECK(height_of_one(world, effect) < -0.2f); /* nobody told it of a floor */
    rico_world_destroy(world);
    CHECK_EQ(h.collects, 30); /* the last ones, too, before the memory went */
    host mute = ramp_host(HOST_MUTE);
    world = world_of_one(at_once(&mute), &effect);
    run_steps(world, 5);
    CHECK_EQ(counted(&mute.calls), 5);
    CHECK_EQ(rico_world_get_stats(world).query_units, 0);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
    rico_scene_destroy(mute.scene);
}

TEST(host_rays, answered_every_other_frame_still_hold_particles)
{
    host h = ramp_host(HOST_KEEPS_AWAY);
    outcome o = run_ramp(one_frame_later(&h), 1, 200.0f);
    check_outcome("every other frame", &o, 20);
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

/* Depends on the ray alone, so that workers do not matter. */
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

/* Normals that mean well: of another length, and from the back. */
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
    check_outcome("sloppy normals", &o, 1);
    rico_scene_destroy(h.scene);
}

/* Rays without an end, as some casters have only those. */
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

/* --- The end of a plane ------------------------------------------------------------------- */

#define TABLE_TOP 1.0f

static host table_host(host_kind kind)
{
    const float positions[] = {-9, -9,        0, 9, -9,        0,  9,         9,
                               0,  -9,        9, 0, -1,        -1, TABLE_TOP, 1,
                               -1, TABLE_TOP, 1, 1, TABLE_TOP, -1, 1,         TABLE_TOP};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    return host_of(
        &(rico_mesh){
            .positions = positions, .vertex_count = 8, .indices = indices, .triangle_count = 4},
        kind);
}

TEST(host_rays, cached_particles_that_slide_off_a_table_fall)
{
    host h = table_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 2);
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.shape = RICO_EMIT_SPHERE;
    recipe.size.x = 0.1f;
    recipe.restitution = 0.0f;
    recipe.friction = 0.0f;
    recipe.speed = (rico_range){0.5f, 2.0f};
    rico_effect_id effect = rico_effect_spawn(world, rico_world_add_recipe(world, &recipe),
                                              at(0, 0, TABLE_TOP + 0.2f));
    uint32_t on_table = 0, beyond = 0, seen = 0, through = 0;
    for (int step = 0; step < 200; ++step) {
        run_steps(world, 1);
        rico_view v = rico_effect_view(world, effect);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i, ++seen) {
                bool above = fabsf(v.px[i]) < 1.0f && fabsf(v.py[i]) < 1.0f;
                bool level = fabsf(v.pz[i] - TABLE_TOP) < 0.03f;
                on_table += above && level;
                beyond += !above && level && (fabsf(v.px[i]) > 1.2f || fabsf(v.py[i]) > 1.2f);
                through += v.pz[i] < -0.1f && v.pz[i] > -2.0f;
            }
    }
    CHECK_MSG(on_table > 5000, "%u of %u are on the table", on_table, seen);
    CHECK_MSG(beyond * 200 < on_table, "%u slide on in the air", beyond);
    CHECK_MSG(through * 200 < seen, "%u of %u are under the floor", through, seen);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}
