/* bench_rays - nanoseconds per ray in worlds from a dungeon to a pine wood, against Embree on the
 * same rays in the same run, one thread; and what building costs in time and memory.
 *
 * Cases and metrics: design section 10. A case is <scene>/<set>; the sets are in ray_sets.h.
 */
#include "embree_peer.h"
#include "median.h"
#include "ray_brute.h"
#include "ray_contest.h"
#include "ray_scenes.h"
#include "ray_sets.h"
#include "row.h"

#include "machine.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUILDS 9u
#define MAX_MISMATCHES 1000.0 /* per million: more, and something else was measured */
#define BRUTE_RAYS 16u
#define SEED 1u

typedef struct rays_bench {
    bench b; /* first: options.h hands it on */
    ray_scenes scenes;
    const char *only; /* --case: how the names of the cases to run begin, or NULL */
    bool any;         /* there is such a case */
} rays_bench;

/* A world with all that its cases share. Owner: measure_scene. */
typedef struct arena {
    rays_bench *bench;
    const char *name;
    rio_mesh mesh;
    rico_mesh view;
    rico_scene *scene;
    double build_ms;
    embree_peer *embree, *robust;
    ray_maker *maker;
    rico_ray *rays;
    ray_answer *reference;
} arena;

static bool wanted(const rays_bench *rays, const char *scene, const char *what)
{
    char name[128];
    if (!rays->only)
        return true;
    snprintf(name, sizeof name, "%s/%s", scene, what);
    return strncmp(name, rays->only, strlen(rays->only)) == 0;
}

/* --- Worlds -------------------------------------------------------------------------------- */

/* NULL: it could not be built. *ms may be NULL. */
static rico_scene *build_scene(const rico_mesh *mesh, double *ms)
{
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = NULL;
    uint64_t begin = machine_clock_ns();
    if (rico_scene_create(&def, &scene) != RICO_OK)
        return NULL;
    rico_result result = rico_scene_add_mesh(scene, mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL);
    if (ms)
        *ms = (double)(machine_clock_ns() - begin) * 1.0e-6;
    if (result != RICO_OK) {
        rico_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

static void arena_close(arena *a)
{
    rico_scene_destroy(a->scene);
    embree_peer_destroy(a->embree);
    embree_peer_destroy(a->robust);
    ray_maker_destroy(a->maker);
    free(a->rays);
    free(a->reference);
    rio_mesh_free(&a->mesh);
}

/* False: one line has been written. A scene whose file is missing is left out, not a failure. */
static bool arena_open(arena *a, rays_bench *rays, const char *name)
{
    char why[RIO_ERROR_BYTES];
    memset(a, 0, sizeof *a);
    a->bench = rays;
    a->name = name;
    if (!ray_scenes_make(&rays->scenes, name, &a->mesh, why, sizeof why)) {
        fprintf(stderr, "bench_rays: %s is left out: %s\n", name, why);
        rays->b.failed = rays->b.failed || rays->scenes.world;
        return false;
    }
    a->view = rio_mesh_view(&a->mesh);
    a->scene = build_scene(&a->view, &a->build_ms);
    a->embree = embree_peer_create(&a->view, EMBREE_DEFAULT);
    a->robust = embree_peer_create(&a->view, EMBREE_ROBUST);
    a->maker = ray_maker_create(&a->view, SEED);
    a->rays = malloc(RAY_COUNT * sizeof *a->rays);
    a->reference = calloc(RAY_COUNT, sizeof *a->reference);
    bool ok = a->scene && a->maker && a->rays && a->reference &&
              (!embree_peer_exists() || (a->embree && a->robust));
    if (!ok) {
        bench_fail(&rays->b, "a scene could not be set up");
        arena_close(a);
    }
    return ok;
}

/* --- Rays ---------------------------------------------------------------------------------- */

static void add_rows(const arena *a, const char *what, const ray_result *r)
{
    char name[128], text[200];
    bench *b = &a->bench->b;
    snprintf(name, sizeof name, "%s/%s", a->name, what);
    bench_row row = {
        .name = name, .metric = "ns_per_ray", .value = r->ns[RAY_OURS], .unit = "ns"};
    uint32_t peers = 0;
    for (int side = RAY_EMBREE1; side < RAY_SIDE_COUNT; ++side) {
        if (r->ns[side] <= 0.0)
            continue;
        row.peer = ray_side_name((ray_side)side);
        row.peer_value = r->ns[side];
        bench_add(b, row);
        ++peers;
    }
    if (peers == 0)
        bench_add(b, row);
    if (r->compared == 0)
        return;
    double rate = 1.0e6 * (double)r->mismatches / (double)r->compared;
    bench_add(
        b, (bench_row){
               .name = name, .metric = "mismatch_per_million", .value = rate, .unit = "rays"});
    if (rate > MAX_MISMATCHES) {
        snprintf(text, sizeof text, "%s: %.0f answers in a million differ from Embree's", name,
                 rate);
        bench_fail(b, text);
    }
}

/* A few rays of the set against every triangle. */
static void check_brute(const arena *a, const char *what)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < BRUTE_RAYS; ++i) {
        const rico_ray *ray = &a->rays[i * (RAY_COUNT / BRUTE_RAYS)];
        double t;
        bool truth = ray_brute_closest(&a->view, ray, &t, NULL);
        rico_hit hit = rico_scene_raycast(a->scene, ray);
        double apart = (double)hit.t > t ? (double)hit.t - t : t - (double)hit.t;
        wrong += truth != (hit.collider != 0) || (truth && !(apart <= 1.0e-4)) ? 1u : 0u;
    }
    if (wrong > 1) {
        char text[200];
        snprintf(text, sizeof text, "%s/%s: %u of %u answers differ from brute force", a->name,
                 what, wrong, BRUTE_RAYS);
        bench_fail(&a->bench->b, text);
    }
}

static void measure(arena *a, const char *what, const rico_scene *scene, ray_call call,
                    uint32_t sides)
{
    ray_contestants who = {scene, a->embree, a->robust};
    uint32_t rounds = a->bench->b.quick ? 1u : 5u;
    ray_result result;
    char text[200];
    if (!ray_contest_run(&who, a->rays, call, sides, rounds, a->reference, &result)) {
        bench_fail(&a->bench->b, "out of memory");
        return;
    }
    add_rows(a, what, &result);
    if (result.measured < RAY_COUNT) {
        snprintf(text, sizeof text, "%s/%s: so slow that only %llu rays were measured", a->name,
                 what, (unsigned long long)result.measured);
        bench_fail(&a->bench->b, text);
    }
}

/* The scene as a CPU with no more than AVX2 has it: the choice is made when it is created. */
static void measure_avx2(arena *a)
{
    const char *before = getenv("RICO_ISA");
    char kept[32];
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    setenv("RICO_ISA", "avx2", 1);
    rico_scene *scene = build_scene(&a->view, NULL);
    if (before)
        setenv("RICO_ISA", kept, 1);
    else
        unsetenv("RICO_ISA");
    if (scene)
        measure(a, "a_avx2", scene, RAY_CALL_BATCH, 1u << RAY_EMBREE1);
    else
        bench_fail(&a->bench->b, "a scene could not be set up");
    rico_scene_destroy(scene);
}

static bool has_avx2(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

static void measure_set(arena *a, ray_set set)
{
    const char *name = ray_set_name(set);
    bool plain = wanted(a->bench, a->name, name);
    bool single = set == RAY_SET_A && wanted(a->bench, a->name, "a1");
    bool avx2 = set == RAY_SET_A && wanted(a->bench, a->name, "a_avx2");
    if (!plain && !single && !avx2)
        return;
    if (!ray_maker_fill(a->maker, set, a->rays)) {
        bench_fail(&a->bench->b, "out of memory");
        return;
    }
    check_brute(a, name);
    if (plain)
        measure(a, name, a->scene, RAY_CALL_BATCH, (1u << RAY_SIDE_COUNT) - 1u);
    else if (a->robust)
        embree_peer_cast1(a->robust, a->rays, a->reference, RAY_COUNT);
    if (single)
        measure(a, "a1", a->scene, RAY_CALL_SINGLE, 1u << RAY_EMBREE1);
    if (avx2 && has_avx2())
        measure_avx2(a);
    else if (avx2)
        fprintf(stderr, "bench_rays: %s/a_avx2 is left out: this CPU has no AVX2\n", a->name);
}

/* --- Building ------------------------------------------------------------------------------ */

static void measure_build(const arena *a)
{
    double ours[MAX_BUILDS], theirs[MAX_BUILDS];
    uint32_t builds = a->bench->b.quick ? 3u : MAX_BUILDS;
    char name[128];
    bool ok = true;
    /* That of the scene which answers the rays is the first. */
    ours[0] = a->build_ms;
    theirs[0] = a->embree ? embree_peer_build_ms(a->embree) : 0.0;
    for (uint32_t i = 1; i < builds && ok; ++i) {
        rico_scene *scene = build_scene(&a->view, &ours[i]);
        embree_peer *peer = embree_peer_create(&a->view, EMBREE_DEFAULT);
        ok = scene && (peer || !embree_peer_exists());
        theirs[i] = peer ? embree_peer_build_ms(peer) : 0.0;
        rico_scene_destroy(scene);
        embree_peer_destroy(peer);
    }
    if (!ok) {
        bench_fail(&a->bench->b, "a scene could not be built again");
        return;
    }
    snprintf(name, sizeof name, "%s/build", a->name);
    bench_row row = {.name = name, .metric = "build_ms", .unit = "ms"};
    row.value = median(ours, builds);
    row.peer = a->embree ? "embree1" : NULL;
    row.peer_value = median(theirs, builds);
    bench_add(&a->bench->b, row);
    double triangles = (double)a->view.triangle_count;
    row.metric = "bytes_per_triangle";
    row.unit = "B";
    row.value = (double)rico_scene_get_stats(a->scene).bytes / triangles;
    row.peer_value = a->embree ? (double)embree_peer_bytes(a->embree) / triangles : 0.0;
    bench_add(&a->bench->b, row);
}

/* --- Programme ----------------------------------------------------------------------------- */

#define SETS_PLAIN                                                                             \
    (1u << RAY_SET_A | 1u << RAY_SET_S | 1u << RAY_SET_B | 1u << RAY_SET_L | 1u << RAY_SET_V)
#define SETS_DENSE (1u << RAY_SET_D)

static bool wants_any(const rays_bench *rays, const char *scene, uint32_t sets)
{
    bool any = wanted(rays, scene, "build");
    for (int set = 0; set < RAY_SET_COUNT; ++set)
        any = any || (sets & 1u << set && wanted(rays, scene, ray_set_name((ray_set)set)));
    return any || (sets & 1u << RAY_SET_A &&
                   (wanted(rays, scene, "a1") || wanted(rays, scene, "a_avx2")));
}

static void measure_scene(rays_bench *rays, const char *name, uint32_t sets)
{
    arena a;
    if (!wants_any(rays, name, sets))
        return;
    rays->any = true;
    if (!arena_open(&a, rays, name))
        return;
    for (int set = 0; set < RAY_SET_COUNT; ++set)
        if (sets & 1u << set)
            measure_set(&a, (ray_set)set);
    if (wanted(rays, name, "build"))
        measure_build(&a);
    arena_close(&a);
}

static bool take_scenes(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((rays_bench *)settings)->scenes.dir = value;
    return true;
}

static bool take_world(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((rays_bench *)settings)->scenes.world = value;
    return true;
}

static bool take_up(void *settings, const char *value, char *error, size_t error_bytes)
{
    bool y = strcmp(value, "y") == 0;
    ((rays_bench *)settings)->scenes.up = y ? RIO_UP_Y : RIO_UP_Z;
    if (y || strcmp(value, "z") == 0)
        return true;
    snprintf(error, error_bytes, "'%.80s' is not y or z", value);
    return false;
}

static bool take_case(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((rays_bench *)settings)->only = value;
    return true;
}

/* "town" of "models/town.obj"; what JSON or a shell would trip over becomes '_'. */
static const char *stem_of(const char *path, char *out, size_t bytes)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, bytes, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot != out)
        *dot = '\0';
    for (char *c = out; *c; ++c)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
    return out;
}

int main(int argc, char **argv)
{
    static const option_spec more[] = {
        {"case", "PREFIX", "only cases whose names begin so: forest, sponza/a, ...", take_case},
        {"scenes", "DIR",
         "where sponza.obj, dungeon.obj and teapot.obj are [$RICO_SCENES,\n"
         "else ../shared/scenes]",
         take_scenes},
        {"world", "FILE", "this mesh instead of the named scenes, with every set", take_world},
        {"up", "AXIS", "y or z: which way is up in that file [z]", take_up},
    };
    char stem[64];
    rays_bench rays = {.only = NULL};
    int status = bench_begin_with(&rays.b, "rays", "Nanoseconds per ray, against Embree.", more,
                                  sizeof more / sizeof *more, argc, argv);
    if (status >= 0)
        return status;
    if (!embree_peer_exists())
        fprintf(stderr, "bench_rays: built without Embree: no peers, no mismatches\n");
    if (rays.scenes.world) {
        measure_scene(&rays, stem_of(rays.scenes.world, stem, sizeof stem),
                      SETS_PLAIN | SETS_DENSE);
    } else {
        measure_scene(&rays, "sponza", SETS_PLAIN);
        measure_scene(&rays, "dungeon", SETS_PLAIN);
        measure_scene(&rays, "forest", SETS_PLAIN);
        measure_scene(&rays, "sponza_teapot", SETS_DENSE);
        measure_scene(&rays, "sponza_dense", SETS_DENSE);
        measure_scene(&rays, "dense", SETS_DENSE);
    }
    if (!rays.any)
        bench_fail(&rays.b, "there is no case whose name begins so");
    ray_scenes_free(&rays.scenes);
    return bench_end(&rays.b);
}
