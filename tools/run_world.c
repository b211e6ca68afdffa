#include "run_world.h"

#include "courtyard.h"
#include "say.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Errors are kept for the message that they explain. Warnings are printed at once, except those
 * of add_mesh, for which the program has its own. */
static void log_write(void *user, rico_log_level level, const char *text)
{
    run_world *w = user;
    if (level == RICO_LOG_ERROR)
        snprintf(w->log, sizeof w->log, "%s", text);
    else if (level == RICO_LOG_WARNING && !w->quiet)
        say("ricochet: warning: %s", text);
}

static bool fail(const run_world *w, rico_result result, const char *what, char *error,
                 size_t error_bytes)
{
    snprintf(error, error_bytes, "%s: %s", what, w->log[0] ? w->log : rico_result_text(result));
    return false;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A name that is found nowhere is reported as the user wrote it. */
const char *run_world_path(const run_options *options, char *path, size_t path_bytes)
{
    struct stat info;
    if (options->world == NULL)
        return NULL;
    rio_scene_path(options->scenes, options->world, path, path_bytes);
    return stat(path, &info) == 0 ? path : options->world;
}

static bool load_file(const run_options *options, run_world *w, char *error, size_t error_bytes)
{
    char path[4096];
    if (options->scenes && !is_directory(options->scenes)) {
        snprintf(error, error_bytes, "--scenes: %s: expected a directory", options->scenes);
        return false;
    }
    w->name = options->world;
    const char *found = run_world_path(options, path, sizeof path);
    return rio_mesh_load(found, &options->mesh, &w->mesh, error, error_bytes) == RICO_OK;
}

static bool load_mesh(const run_options *options, run_world *w, char *error, size_t error_bytes)
{
    if (options->world)
        return load_file(options, w, error, error_bytes);
    w->name = "courtyard";
    rico_result result = rio_courtyard_create(options->seed, &w->mesh);
    return result == RICO_OK || fail(w, result, "the courtyard", error, error_bytes);
}

/* --- Triangles that cannot be used -------------------------------------------------------- */

/* Writes "dropped 5 of 12 triangles (2 ..., 3 ...)". Returns the number dropped. */
static uint32_t describe_dropped(const run_world *w, const rico_mesh_report *report, char *text,
                                 size_t bytes)
{
    const struct {
        uint32_t count;
        const char *reason;
    } reasons[] = {
        {w->mesh.dropped_index + report->dropped_index,
         "with a vertex that is not in the file"},
        {report->dropped_not_finite, "with a corner that is not finite or beyond 1000 km"},
        {w->mesh.dropped_faces, "of polygons that cannot be cut into triangles"},
    };
    uint32_t dropped = 0;
    for (size_t i = 0; i < 3; ++i)
        dropped += reasons[i].count;
    uint32_t total = w->mesh.triangle_count + w->mesh.dropped_index + w->mesh.dropped_faces;
    int length = snprintf(text, bytes, "dropped %u of %u triangles", dropped, total);
    const char *separator = " (";
    for (size_t i = 0; i < 3; ++i) {
        if (reasons[i].count == 0 || (size_t)length >= bytes)
            continue;
        length += snprintf(text + length, bytes - (size_t)length, "%s%u %s", separator,
                           reasons[i].count, reasons[i].reason);
        separator = ", ";
    }
    if ((size_t)length < bytes)
        snprintf(text + length, bytes - (size_t)length, "%s", dropped ? ")" : "");
    return dropped;
}

static bool add_mesh(run_world *w, char *error, size_t error_bytes)
{
    char dropped[300];
    rico_mesh_report report = {0, 0, 0};
    rico_collider_id id = {0, 0};
    rico_mesh mesh = rio_mesh_view(&w->mesh);
    const bool quiet = w->quiet;
    w->quiet = true;
    rico_result result =
        rico_world_add_mesh_report(w->world, &mesh, RICO_TRANSFORM_IDENTITY, &report, &id);
    w->quiet = quiet;
    uint32_t count = describe_dropped(w, &report, dropped, sizeof dropped);
    if (result == RICO_EMPTY_MESH) {
        snprintf(error, error_bytes, "%s: no valid triangle left: %s, expected at least one",
                 w->name, dropped);
        return false;
    }
    if (result == RICO_OK)
        result = rico_world_merge(w->world);
    if (result != RICO_OK)
        return fail(w, result, w->name, error, error_bytes);
    w->collider = id;
    if (count > 0)
        say("ricochet: warning: %s: %s", w->name, dropped);
    return true;
}

/* --- The world ---------------------------------------------------------------------------- */

static void cast(void *user, const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    rico_scene_raycast_batch(user, NULL, rays, hits, count);
}

/* An effect holds 2^24 particles at most, including the room for fluctuation. */
static bool fits_effects(const run_options *options, const show_plan *plan, char *error,
                         size_t error_bytes)
{
    if (options->effect_file_count > 0) {
        snprintf(error, error_bytes,
                 "--effect: %u effects of these files may have %u particles or more in all, "
                 "expected at most %u: reduce max_particles in the files, or --effects",
                 options->effects, plan->max_particles, SHOW_MAX_PARTICLES);
        return plan->max_particles <= SHOW_MAX_PARTICLES;
    }
    snprintf(
        error, error_bytes,
        "--particles: %u is too many for %u effect%s, expected at most ten million per effect",
        options->particles, options->effects, options->effects == 1 ? "" : "s");
    for (uint32_t k = 0; k < SHOW_KIND_COUNT; ++k)
        if (plan->recipes[k].max_particles > 13000000u)
            return false;
    return true;
}

/* Per worker: room for the last few hundred frames of the default show. */
#define TRACE_EVENTS 65536u

static bool load_cast(const run_options *options, show_cast *out, char *error,
                      size_t error_bytes)
{
    if (options->effect_file_count == 0)
        return show_cast_load(out, error, error_bytes) == RICO_OK;
    return show_cast_load_files(options->effect_files, options->effect_file_count, out, error,
                                error_bytes) == RICO_OK;
}

/* Makes room for changed recipes whose particles need other memory, beside the recipes that they
 * replace. */
static void make_room_for_edits(rico_world_def *def)
{
    uint64_t particles = (uint64_t)def->max_particles * 2u + 262144u;
    def->max_particles = particles < 1u << 26 ? (uint32_t)particles : 1u << 26;
    def->max_effects += 256u;
    def->max_recipes = 512u;
}

static bool create_world(const run_options *options, run_world *w, char *error,
                         size_t error_bytes)
{
    show_plan plan = show_plan_make(&w->def);
    if (!fits_effects(options, &plan, error, error_bytes))
        return false;
    rico_log log = {log_write, w};
    rico_jobs_def jobs = rico_jobs_def_default();
    jobs.worker_count = options->threads;
    jobs.log = log;
    jobs.trace_capacity = options->trace != NULL ? TRACE_EVENTS : 0;
    rico_result result = rico_jobs_create(&jobs, &w->jobs);
    if (result != RICO_OK)
        return fail(w, result, "the workers", error, error_bytes);
    rico_world_def def = rico_world_def_default();
    def.max_particles = plan.max_particles;
    def.max_effects = plan.max_effects;
    def.seed = options->seed;
    def.cache_bytes = (uint64_t)options->cache_mib << 20;
    def.prefault = true; /* steps are timed */
    def.jobs = w->jobs;
    def.log = log;
    if (options->room_for_edits)
        make_room_for_edits(&def);
    w->max_particles = def.max_particles;
    w->max_effects = def.max_effects;
    w->cache_bytes = def.cache_bytes;
    result = rico_world_create(&def, &w->world);
    return result == RICO_OK || fail(w, result, "the particle world", error, error_bytes);
}

/* The reason why the recipe never gives birth here; NULL: it does. */
static const char *why_nothing_is_born(const rico_recipe *r)
{
    uint32_t burst = r->burst_count;
    for (uint32_t i = 0; i < RICO_MAX_BURSTS; ++i)
        burst += r->bursts[i].count > 0 ? 1u : 0u;
    if (r->rate > 0.0f || burst > 0)
        return NULL;
    return r->rate_per_metre > 0.0f
               ? "its particles are born only when it is moved (rate_per_metre), and effects "
                 "stand still here"
               : "it has no births of its own (rate, burst_count and bursts are 0)";
}

static void warn_of_nothing(const run_world *w)
{
    for (uint32_t k = 0; k < w->cast.count && !w->quiet; ++k) {
        const char *why = why_nothing_is_born(&w->cast.effects[k].recipe);
        if (w->cast.given && why != NULL && w->cast.effects[k].with_count == 0)
            say("ricochet: warning: --effect %s shows nothing: %s", w->cast.names[k], why);
        if (w->cast.effects[k].idle[0] != '\0')
            say("ricochet: note: %s", w->cast.effects[k].idle);
    }
}

#define IN_THE_SKY 1.5f /* metres above what is below it: higher than tables and wells */

/* --camera effect: the first effect, or the ground below it. */
static rio_camera camera_of_first(const run_world *w, float distance)
{
    rico_vec3 place = w->show.effects[0].transform.position;
    const float fall = 2.0f * (fabsf(place.z) + fabsf(w->def.bounds.lo.z)) + 1.0f;
    const rico_ray down = {{place.x, place.y, place.z + 0.05f}, fall, {0.0f, 0.0f, -1.0f}, 0};
    rico_hit hit;
    cast(w->caster.user, &down, &hit, 1);
    if (hit.collider != 0 && hit.t > IN_THE_SKY)
        place.z = down.origin.z - hit.t;
    return rio_camera_near(place, distance, &w->caster);
}

bool run_world_open(const run_options *options, run_world *out, char *error, size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    out->quiet = options->quiet;
    out->camera = options->camera;
    out->has_camera = options->has_camera;
    if (!load_cast(options, &out->cast, error, error_bytes) ||
        !load_mesh(options, out, error, error_bytes))
        return false;
    out->def = (show_def){
        .effects = options->effects,
        .particles = options->particles,
        .seed = options->seed,
        .courtyard = options->world == NULL,
        .bounds = rio_mesh_bounds(&out->mesh),
        .cast = &out->cast,
    };
    if (!create_world(options, out, error, error_bytes) || !add_mesh(out, error, error_bytes))
        return false;
    /* The interface of the painter and the spots has no const; the cast does not write. */
    union {
        const rico_scene *read;
        void *user;
    } scene = {.read = rico_world_scene(out->world)};
    out->caster = (rio_caster){cast, scene.user};
    out->def.bounds = rico_scene_get_stats(scene.read).bounds;
    if (show_create(&out->def, out->world, &out->caster, &out->show, error, error_bytes) !=
        RICO_OK)
        return false;
    if (options->effect_distance > 0.0f)
        out->camera = camera_of_first(out, options->effect_distance);
    warn_of_nothing(out);
    if (!out->quiet && error[0] != '\0')
        say("ricochet: note: %s", error);
    return true;
}

void run_world_free(run_world *w)
{
    query_trail_free(&w->trail);
    show_free(&w->show);
    show_cast_free(&w->cast);
    rico_world_destroy(w->world);
    rico_jobs_destroy(w->jobs);
    rio_mesh_free(&w->mesh);
}
