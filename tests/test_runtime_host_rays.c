/* A world on the host's own ray caster. The host here has a scene of its own, or a formula. */
#include "runtime_terrain.h"

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
    uint32_t calls, rays, collects; /* atomic: workers call at the same time */
    /* Of the last deferred call. */
    rico_filter filter;
    const rico_ray *asked;
    rico_hit *answers;
    uint32_t count;
    bool bad_request;
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
    __atomic_fetch_add(&h->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&h->rays, count, __ATOMIC_RELAXED);
    bool bad = filter == NULL || count == 0;
    for (uint32_t i = 0; i < count; ++i)
        bad = bad || !is_request(&rays[i], &hits[i]);
    if (bad)
        __atomic_store_n(&h->bad_request, true, __ATOMIC_RELAXED);
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
    CHECK(h.rays > 500 && !h.bad_request);
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

static void check_outcome(const char *name, const outcome *o)
{
    if (getenv("RICO_TEST_SHOW") != NULL)
        fprintf(stderr,
                "%s: born %u fell %u bounces %u far %u sleeping %u units %llu rays %llu\n",
                name, o->born, o->fell, o->bounces, o->far_bounces, o->sleeping,
                (unsigned long long)o->units, (unsigned long long)o->rays);
    CHECK(o->born > 1500 && o->bounces > 3000 && o->sleeping > 20);
    CHECK_MSG(o->fell * 200 < o->born, "%s: %u of %u fell", name, o->fell, o->born);
    CHECK_MSG(o->far_bounces * 100 < o->bounces, "%s: %u of %u bounces are off the surface",
              name, o->far_bounces, o->bounces);
    CHECK(o->rays <= 4 * o->units);
}

TEST(host_rays, cached_particles_bounce_off_a_floor_and_a_ramp)
{
    host h = ramp_host(HOST_PLAIN);
    outcome o = run_ramp(at_once(&h), 2, 200.0f);
    check_outcome("at once", &o);
    CHECK(h.rays == o.rays && !h.bad_request);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, cached_particles_do_so_too_with_answers_one_frame_later)
{
    host h = ramp_host(HOST_LAZY);
    outcome o = run_ramp(one_frame_later(&h), 2, 200.0f);
    check_outcome("one frame later", &o);
    CHECK(h.calls == h.collects && !h.bad_request);
    CHECK(h.calls <= 180);
    rico_scene_destroy(h.scene);
}
