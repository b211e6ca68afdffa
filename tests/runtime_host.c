#include "runtime_host.h"

#include "vec.h"

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

void host_cast(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
               uint32_t count)
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

void host_collect(void *user)
{
    host *h = user;
    h->collects += 1;
    if (h->kind == HOST_LAZY || (h->kind == HOST_KEEPS_AWAY && h->collects % 2 == 0))
        answer(h, &h->filter, h->asked, h->answers, h->count);
    h->asked = NULL;
}

bool host_occupied(void *user, const rico_box *box)
{
    const host *h = user;
    return rico_scene_occupied(h->scene, box);
}

uint32_t counted(const rico__atomic32 *count)
{
    return rico__atomic_load32(count);
}

bool all_requests_were_good(const host *h)
{
    return counted(&h->bad_requests) == 0;
}

rico_ray_caster at_once(host *h)
{
    return (rico_ray_caster){.cast = host_cast, .user = h};
}

rico_ray_caster at_once_with_boxes(host *h)
{
    return (rico_ray_caster){.cast = host_cast, .occupied = host_occupied, .user = h};
}

rico_ray_caster one_frame_later(host *h)
{
    return (rico_ray_caster){
        .cast = deferred_cast, .collect = host_collect, .user = h, .deferred = true};
}

host host_of(const rico_mesh *mesh, host_kind kind)
{
    host h = {.kind = kind};
    rico_scene_def def = rico_scene_def_default();
    CHECK_EQ(rico_scene_create(&def, &h.scene), RICO_OK);
    if (mesh != NULL)
        CHECK_EQ(rico_scene_add_mesh(h.scene, mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL),
                 RICO_OK);
    return h;
}

host terrain_host(host_kind kind)
{
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    host h = host_of(&t->mesh, kind);
    free(t);
    return h;
}

rico_world *world_on_budget(rico_ray_caster caster, uint32_t workers, uint32_t budget)
{
    rico_world_def def = rico_world_def_default();
    def.max_particles = 65536;
    def.particle_bytes = 2 << 20;
    def.max_effects = 256;
    def.max_events = 2048;
    def.cache_bytes = 4 << 20;
    def.classic_cache_bytes = 1 << 20;
    def.worker_count = workers;
    def.queries_per_frame = budget;
    def.shared_queries_per_frame = 0;
    def.ray_caster = caster;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    return world;
}

rico_world *world_on(rico_ray_caster caster, uint32_t workers)
{
    return world_on_budget(caster, workers, 2048);
}

void add_sparks(rico_world *world, rico_collision_mode mode, float queries)
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

/* --- A floor and a ramp ------------------------------------------------------------------- */

#define RAMP_START 2.0f
#define RAMP_SLOPE 0.5f
#define RAMP_END 14.0f
#define FLOOR_HALF 14.0f

static float ramp_height(float x)
{
    return x > RAMP_START ? RAMP_SLOPE * (x - RAMP_START) : 0.0f;
}

host ramp_host(host_kind kind)
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

rico_recipe ramp_recipe(float queries)
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

outcome run_ramp_by(rico_ray_caster caster, uint32_t workers, const rico_recipe *recipe)
{
    rico_world *world = world_on(caster, workers);
    rico_recipe_id id = rico_world_add_recipe(world, recipe);
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

outcome run_ramp(rico_ray_caster caster, uint32_t workers, float queries)
{
    const rico_recipe recipe = ramp_recipe(queries);
    return run_ramp_by(caster, workers, &recipe);
}

/* fallen, far: limits in parts per thousand of particles that fall through, and of bounces off
 * the surface. */
void check_outcome(const char *name, const outcome *o, uint32_t fallen, uint32_t far)
{
    if (getenv("RICO_TEST_SHOW") != NULL)
        fprintf(stderr,
                "%s: born %u fell %u bounces %u far %u sleeping %u units %llu rays %llu\n",
                name, o->born, o->fell, o->bounces, o->far_bounces, o->sleeping,
                (unsigned long long)o->units, (unsigned long long)o->rays);
    CHECK(o->born > 1500 && o->bounces > 3000 && o->sleeping > 20);
    CHECK_MSG(o->fell * 1000 <= o->born * fallen, "%s: %u of %u fell", name, o->fell, o->born);
    CHECK_MSG(o->far_bounces * 1000 <= o->bounces * far,
              "%s: %u of %u bounces are off the surface", name, o->far_bounces, o->bounces);
    CHECK(o->rays <= 4 * o->units);
}
