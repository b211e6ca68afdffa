#include "stress_world.h"

#include "stress_frame.h"
#include "stress_movers.h"
#include "stress_random.h"

#include "spots.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- The world ---------------------------------------------------------------------------- */

static uint32_t kinds_of(const stress_setup *s)
{
    return s->what & STRESS_MODES ? STRESS_KINDS : 3u;
}

/* More particles are requested, because new effects have none at first. */
static uint32_t wanted_particles(const stress_setup *s)
{
    double more = s->what & STRESS_CHURN ? 1.02 : 1.005;
    return (uint32_t)((double)s->particles * more);
}

static rico_world_def make_def(stress_world *w)
{
    const stress_setup *s = &w->setup;
    rico_world_def def = rico_world_def_default();
    /* Stopped effects live on for a life, in their own time, beside their replacements. */
    uint32_t leavers = s->what & STRESS_TIME ? s->effects / 4 * 3 : s->effects / 4;
    def.max_effects = s->effects + leavers + STRESS_BURST_EFFECTS + 64;
    def.max_particles = wanted_particles(s) / 4 * 6 + 32u * STRESS_BURST_EFFECTS + 8192;
    def.max_recipes = STRESS_CLASSES * STRESS_KINDS + 1;
    if (s->what & STRESS_FULL) {
        def.max_particles = s->particles / 10 * 8 + 1;
        def.queries_per_frame = 32;
        def.shared_queries_per_frame = 0;
        def.cache_bytes = (uint64_t)64 << 10;
        def.max_events = 256;
    }
    def.seed = s->seed;
    def.prefault = true;
    def.jobs = w->jobs;
    def.allocator = counting_allocator(&w->memory);
    return def;
}

static void stay_on_cpu(void *user, uint32_t worker)
{
    cpus_pin(((const stress_world *)user)->setup.pins, worker);
}

static bool create_jobs(stress_world *w)
{
    rico_jobs_def def = rico_jobs_def_default();
    def.worker_count = w->setup.threads;
    def.allocator = counting_allocator(&w->memory);
    if (w->setup.pins) {
        cpus_release(w->setup.pins); /* a pool checks how many CPUs its creator may use */
        def.keep_off_caller = false;
        def.thread_start = stay_on_cpu;
        def.thread_user = w;
    }
    if (w->setup.host)
        def.host = *w->setup.host;
    bool ok =
        stress_faults_prepare_jobs(w, &def) && rico_jobs_create(&def, &w->jobs) == RICO_OK;
    if (w->setup.pins)
        cpus_pin(w->setup.pins, 0);
    return ok;
}

/* The pool comes first, because the world is made for it. */
static bool create_world(stress_world *w)
{
    if (!create_jobs(w))
        return false;
    rico_world_def def = make_def(w);
    w->leaver_capacity = def.max_effects;
    w->leavers = calloc(def.max_effects, sizeof *w->leavers);
    return w->leavers && stress_faults_prepare_world(w, &def) &&
           rico_world_create(&def, &w->world) == RICO_OK;
}

static bool add_recipes(stress_world *w)
{
    const stress_setup *s = &w->setup;
    bool events = (s->what & (STRESS_FULL | STRESS_MODES)) != 0;
    for (uint32_t c = 0; c < STRESS_CLASSES; ++c) {
        double size = stress_class_size(s->effects, wanted_particles(s), c);
        for (uint32_t k = 0; size > 0.0 && k < kinds_of(s); ++k) {
            rico_recipe recipe = stress_recipe_make(k, size, events);
            w->recipes[c][k] = rico_world_add_recipe(w->world, &recipe);
            if (w->recipes[c][k].index1 == 0)
                return false;
        }
    }
    rico_recipe burst = stress_recipe_burst();
    w->burst_recipe = rico_world_add_recipe(w->world, &burst);
    return w->burst_recipe.index1 != 0;
}

static bool add_mesh(stress_world *w)
{
    rico_mesh view = rio_mesh_view(w->setup.mesh);
    if (w->faults.rays.scene != NULL) /* the faulty caster answers for the mesh */
        return true;
    return rico_world_add_mesh(w->world, &view, RICO_TRANSFORM_IDENTITY).index1 != 0 &&
           rico_world_merge(w->world) == RICO_OK;
}

/* --- Places ------------------------------------------------------------------------------- */

static void cast(void *user, const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    rico_scene_raycast_batch(user, NULL, rays, hits, count);
}

/* The shortest rotation from +z to a unit direction. */
static rico_quat rotation_to(rico_vec3 d)
{
    if (d.z < -0.999f)
        return (rico_quat){1.0f, 0.0f, 0.0f, 0.0f};
    rico_quat q = {-d.y, d.x, 0.0f, 1.0f + d.z};
    float scale = 1.0f / sqrtf(q.x * q.x + q.y * q.y + q.w * q.w);
    return (rico_quat){q.x * scale, q.y * scale, 0.0f, q.w * scale};
}

static void place_effects(stress_world *w)
{
    static const rio_spot_kind spots[STRESS_KINDS] = {
        RIO_SPOT_SPARKS, RIO_SPOT_RAIN, RIO_SPOT_GRAVEL, RIO_SPOT_SMOKE, RIO_SPOT_CASINGS};
    /* The caster's interface has no const; the cast does not write. */
    union {
        const rico_scene *read;
        void *user;
    } scene = {.read =
                   w->faults.rays.scene ? w->faults.rays.scene : rico_world_scene(w->world)};
    rio_caster caster = {cast, scene.user};
    rico_box bounds = rico_scene_get_stats(scene.read).bounds;
    for (uint32_t i = 0; i < w->setup.effects; ++i) {
        rio_spot spot =
            rio_world_spot(&bounds, &caster, w->setup.seed, spots[i % kinds_of(&w->setup)], i);
        w->effects[i].rains = spots[i % kinds_of(&w->setup)] == RIO_SPOT_RAIN;
        w->effects[i].home = (rico_transform){spot.position, rotation_to(spot.direction), 1.0f};
    }
}

/* --- Life --------------------------------------------------------------------------------- */

bool stress_world_open(stress_world *w, const stress_setup *setup)
{
    memset(w, 0, sizeof *w);
    w->setup = *setup;
    w->random = setup->seed;
    w->effects = calloc(setup->effects, sizeof *w->effects);
    bool ok =
        w->effects && create_world(w) && add_mesh(w) && add_recipes(w) && stress_faults_open(w);
    if (!ok) {
        stress_world_close(w);
        return false;
    }
    place_effects(w);
    if (setup->what & STRESS_MOVE && w->faults.rays.scene == NULL && !stress_movers_open(w)) {
        stress_world_close(w);
        return false;
    }
    disturbance_open(&w->disturbance);
    return true;
}

void stress_world_close(stress_world *w)
{
    stress_faults_close(w);
    rico_world_destroy(w->world);
    rico_jobs_destroy(w->jobs);
    stress_faults_free(w);
    free(w->effects);
    free(w->leavers);
    disturbance_close(&w->disturbance);
    counting left = w->memory; /* unchanged counts show that the call allocated nothing */
    memset(w, 0, sizeof *w);
    w->memory = left;
}

void stress_effect_start(stress_world *w, uint32_t rank)
{
    rico_recipe_id recipe = w->recipes[stress_class_of(rank)][rank % kinds_of(&w->setup)];
    w->effects[rank].id = rico_effect_spawn(w->world, recipe, w->effects[rank].home);
    if (w->effects[rank].id.index1 == 0)
        ++w->lost;
}

/* --- The host's list ------------------------------------------------------------------------ */

/* Counts the stopped effects that are alive, and forgets those that ended in time. */
static uint32_t audit_leavers(stress_world *w)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < w->leaver_count; ++i) {
        if (!rico_effect_is_alive(w->world, w->leavers[i].id))
            continue;
        if (w->time > w->leavers[i].due)
            ++w->lost; /* it should have ended by itself */
        w->leavers[alive++] = w->leavers[i];
    }
    w->leaver_count = alive;
    return alive;
}

static uint32_t audit_burst(stress_world *w)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < STRESS_BURST_EFFECTS; ++i)
        alive += rico_effect_is_alive(w->world, w->burst[i]);
    if (w->time > w->burst_due)
        w->lost += alive;
    return alive;
}

static void check_places_of(stress_world *w, rico_effect_id id)
{
    rico_view v = rico_effect_view(w->world, id);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            float sum = v.px[i] + v.py[i] + v.pz[i] + v.vx[i] + v.vy[i] + v.vz[i];
            w->not_finite += isfinite(sum) ? 0u : 1u;
        }
}

/* Checks every eighth effect, others each time. */
static void check_places(stress_world *w)
{
    for (uint32_t rank = w->frame / 64 % 8; rank < w->setup.effects; rank += 8)
        check_places_of(w, w->effects[rank].id);
}

uint64_t stress_world_bare_bytes(stress_world *w)
{
    for (uint32_t i = 0; i < STRESS_PATCHES; ++i) {
        rico_collider_id *patch = &w->patches[i];
        if (patch->index1 != 0 && rico_world_remove_collider(w->world, *patch) != RICO_OK)
            ++w->lost;
        *patch = (rico_collider_id){0};
    }
    return w->memory.live_bytes;
}

uint32_t stress_world_audit(stress_world *w)
{
    uint32_t known = audit_leavers(w) + audit_burst(w) + stress_faults_effects(w);
    check_places(w);
    for (uint32_t i = 0; i < w->setup.effects; ++i) {
        stress_effect *effect = &w->effects[i];
        if (effect->id.index1 == 0)
            continue;
        if (rico_effect_is_alive(w->world, effect->id)) {
            ++known;
            continue;
        }
        ++w->lost;
        effect->id = (rico_effect_id){0};
    }
    uint32_t alive = rico_world_get_stats(w->world).effects;
    w->lost += alive > known ? alive - known : known - alive;
    return w->lost;
}
