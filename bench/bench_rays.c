/* bench_rays - nanoseconds per ray in worlds from a dungeon to a pine wood, beside Embree on the
 * same rays in the same run, one thread; and the time and memory of building.
 *
 * Cases and metrics: design section 10. A case is <scene>/<set>; the sets are in ray_sets.h.
 */
#include "body_case.h"
#include "capture.h"
#include "median.h"
#include "ray_arena.h"
#include "ray_brute.h"
#include "ray_promise.h"
#include "row.h"
#include "sweep_case.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5u
#define BUILDS 9u
#define QUICK_BUILDS 3u

/* Per million; with more, something else was measured. All sets of all scenes have one in 18 million.
 * There Embree hits a triangle whose edge the ray passes outside, by a float's rounding. */
#define MAX_MISMATCHES 10.0

#define BRUTE_RAYS 100u
_Static_assert(RAY_COUNT % BRUTE_RAYS == 0, "rays are spread evenly over a set");

typedef struct rays_bench {
    bench b; /* first: the options' handlers get it */
    ray_scenes scenes;
    const char *capture_path; /* --capture, or NULL */
    output_file capture_file;
    capture capture; /* rays whose answer differs from Embree's */
} rays_bench;

typedef struct case_name {
    char text[128];
} case_name;

static case_name name_case(const char *scene, const char *what)
{
    case_name name;
    snprintf(name.text, sizeof name.text, "%s/%s", scene, what);
    return name;
}

static bool wanted(rays_bench *rays, const char *scene, const char *what)
{
    return bench_wants(&rays->b, name_case(scene, what).text);
}

static void fail_case(rays_bench *rays, const case_name *name, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s", name->text, what);
    bench_fail(&rays->b, text);
}

/* --- Rays ---------------------------------------------------------------------------------- */

static void add_times(rays_bench *rays, const case_name *name, const ray_result *r)
{
    bench_row row = {
        .name = name->text, .metric = "ns_per_ray", .value = r->ns[RAY_OURS], .unit = "ns"};
    bool alone = true;
    for (int side = RAY_EMBREE1; side < RAY_SIDE_COUNT; ++side) {
        if (r->ns[side] <= 0.0)
            continue;
        row.peer = ray_side_name((ray_side)side);
        row.peer_value = r->ns[side];
        bench_add(&rays->b, row);
        alone = false;
    }
    if (alone)
        bench_add(&rays->b, row);
}

static void add_mismatches(rays_bench *rays, const case_name *name, const ray_result *r)
{
    double rate = 1.0e6 * (double)r->mismatches / (double)r->compared;
    bench_add(&rays->b, (bench_row){.name = name->text,
                                    .metric = "mismatch_per_million",
                                    .value = rate,
                                    .unit = "rays"});
    if (r->broken > 0)
        fail_case(rays, name, "our answers are not those of a test of every triangle");
    if (rate > MAX_MISMATCHES)
        fail_case(rays, name, "our answers differ from Embree's");
}

static void measure_rays(rays_bench *rays, const ray_arena *a, const char *what,
                         const rico_scene *scene, ray_call call, uint32_t sides)
{
    case_name name = name_case(a->name, what);
    ray_contestants who = {
        scene,    &a->view, a->embree, a->robust, rays->capture_path ? &rays->capture : NULL,
        name.text};
    ray_result result;
    if (!ray_contest_run(&who, a->rays, call, sides, rays->b.quick ? 1u : ROUNDS, a->reference,
                         &result)) {
        fail_case(rays, &name, "out of memory");
        return;
    }
    add_times(rays, &name, &result);
    if (result.compared > 0)
        add_mismatches(rays, &name, &result);
    if (result.measured < RAY_COUNT)
        fail_case(rays, &name, "we were so slow that only one batch was measured");
}

/* What other formulas find, in double precision. */
typedef struct brute_answer {
    double t;
    bool hit;
} brute_answer;

static bool is_answer(const brute_answer *truth, ray_answer answer)
{
    double t = truth->t;
    double apart = (double)answer.t > t ? (double)answer.t - t : t - (double)answer.t;
    return truth->hit == (answer.triangle != RICO_NO_TRIANGLE) &&
           (!truth->hit || apart <= 1.0e-4);
}

/* Tests a few rays of the set against every triangle. Our answers must keep the library's promise,
 * all of them. Those of both sides are also compared with other formulas, in double precision. Of
 * these one may differ: a ray may pass an edge so closely that rounding to floats moves it over. */
static void check_brute(rays_bench *rays, const ray_arena *a, const char *what)
{
    case_name name = name_case(a->name, what);
    uint32_t broken = 0, wrong = 0, theirs = 0;
    for (uint32_t i = 0; i < BRUTE_RAYS; ++i) {
        const rico_ray *ray = &a->rays[i * (RAY_COUNT / BRUTE_RAYS)];
        rico_hit hit = rico_scene_raycast(a->scene, NULL, ray);
        ray_answer answer = {hit.t, hit.triangle};
        brute_answer truth;
        truth.hit = ray_brute_closest(&a->view, ray, &truth.t, NULL);
        broken += ray_promise_is_kept(&a->view, ray, answer) ? 0u : 1u;
        wrong += is_answer(&truth, answer) ? 0u : 1u;
        if (!a->robust)
            continue;
        embree_peer_cast1(a->robust, ray, &answer, 1);
        theirs += is_answer(&truth, answer) ? 0u : 1u;
    }
    if (broken > 0)
        fail_case(rays, &name, "our answers are not those of a test of every triangle");
    if (wrong > 1)
        fail_case(rays, &name, "our answers differ from brute force in double precision");
    if (theirs > 1)
        fail_case(rays, &name, "Embree's answers differ from brute force in double precision");
}

/* Measures the scene as on a CPU with no more than AVX2. The instruction set is chosen when the
 * scene is created. */
static void measure_avx2(rays_bench *rays, const ray_arena *a)
{
    const char *before = getenv("RICO_ISA");
    char kept[32];
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    setenv("RICO_ISA", "avx2", 1);
    rico_scene *scene = ray_arena_build(a, NULL);
    if (before)
        setenv("RICO_ISA", kept, 1);
    else
        unsetenv("RICO_ISA");
    if (scene)
        measure_rays(rays, a, "a_avx2", scene, RAY_CALL_BATCH, 1u << RAY_EMBREE1);
    else
        bench_fail(&rays->b, "a scene could not be built again");
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

static void measure_set(rays_bench *rays, const ray_arena *a, ray_set set)
{
    const char *name = ray_set_name(set);
    bool plain = wanted(rays, a->name, name);
    bool single = set == RAY_SET_A && wanted(rays, a->name, "a1");
    bool avx2 = set == RAY_SET_A && wanted(rays, a->name, "a_avx2");
    if (!plain && !single && !avx2)
        return;
    if (!ray_maker_fill(a->maker, set, a->rays)) {
        bench_fail(&rays->b, "out of memory");
        return;
    }
    check_brute(rays, a, name);
    if (plain)
        measure_rays(rays, a, name, a->scene, RAY_CALL_BATCH, (1u << RAY_SIDE_COUNT) - 1u);
    else if (a->robust)
        embree_peer_cast1(a->robust, a->rays, a->reference, RAY_COUNT);
    if (single)
        measure_rays(rays, a, "a1", a->scene, RAY_CALL_SINGLE, 1u << RAY_EMBREE1);
    if (avx2 && has_avx2())
        measure_avx2(rays, a);
    else if (avx2)
        fprintf(stderr, "bench_rays: %s/a_avx2 is left out: this CPU has no AVX2\n", a->name);
}

/* --- Building ------------------------------------------------------------------------------ */

/* Builds ours and the peer's in turns. The first of each are those that answered the rays. */
static bool build_again(const ray_arena *a, uint32_t builds, double *ours, double *theirs)
{
    bool ok = true;
    ours[0] = a->build_ms;
    theirs[0] = a->embree ? embree_peer_build_ms(a->embree) : 0.0;
    for (uint32_t i = 1; i < builds && ok; ++i) {
        rico_scene *scene = ray_arena_build(a, &ours[i]);
        embree_peer *peer = embree_peer_create(&a->view, EMBREE_DEFAULT);
        ok = scene && (peer || !a->embree);
        theirs[i] = peer ? embree_peer_build_ms(peer) : 0.0;
        rico_scene_destroy(scene);
        embree_peer_destroy(peer);
    }
    return ok;
}

static void measure_build(rays_bench *rays, const ray_arena *a)
{
    double ours[BUILDS], theirs[BUILDS], triangles = (double)a->view.triangle_count;
    uint32_t builds = rays->b.quick ? QUICK_BUILDS : BUILDS;
    case_name name = name_case(a->name, "build");
    if (!build_again(a, builds, ours, theirs)) {
        fail_case(rays, &name, "the scene could not be built again");
        return;
    }
    bench_row row = {.name = name.text, .metric = "build_ms", .unit = "ms"};
    row.value = median(ours, builds);
    row.peer = a->embree ? "embree1" : NULL;
    row.peer_value = median(theirs, builds);
    bench_add(&rays->b, row);
    row.metric = "bytes_per_triangle";
    row.unit = "B";
    row.value = (double)rico_scene_get_stats(a->scene).bytes / triangles;
    row.peer_value = a->embree ? (double)embree_peer_bytes(a->embree) / triangles : 0.0;
    bench_add(&rays->b, row);
}

/* --- Programme ----------------------------------------------------------------------------- */

#define SETS_PLAIN                                                                             \
    (1u << RAY_SET_A | 1u << RAY_SET_S | 1u << RAY_SET_B | 1u << RAY_SET_L | 1u << RAY_SET_V)
#define SETS_DENSE (1u << RAY_SET_D)

static bool wants_any(rays_bench *rays, const char *scene, uint32_t sets)
{
    bool any = wanted(rays, scene, "build");
    for (int set = 0; set < RAY_SET_COUNT; ++set)
        any = any || (sets & 1u << set && wanted(rays, scene, ray_set_name((ray_set)set)));
    return any || (sets & 1u << RAY_SET_A &&
                   (wanted(rays, scene, "a1") || wanted(rays, scene, "a_avx2")));
}

/* A named scene whose file is missing is left out; a world given by --world must exist. */
static void measure_scene(rays_bench *rays, const char *name, uint32_t sets)
{
    char why[RIO_ERROR_BYTES];
    ray_arena a;
    if (!wants_any(rays, name, sets))
        return;
    ray_arena_result opened = ray_arena_open(&a, &rays->scenes, name, why, sizeof why);
    if (opened != RAY_ARENA_OK) {
        bench_leave_out(&rays->b, name, why);
        if (opened == RAY_ARENA_FAILED || rays->scenes.world)
            rays->b.failed = true;
        return;
    }
    for (int set = 0; set < RAY_SET_COUNT; ++set)
        if (sets & 1u << set)
            measure_set(rays, &a, (ray_set)set);
    if (wanted(rays, name, "build"))
        measure_build(rays, &a);
    ray_arena_close(&a);
}

/* Returns "town" for "models/town.obj". Characters that JSON or a shell would trip over become
 * '_'. */
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

static void measure_bodies(rays_bench *rays)
{
    char why[RIO_ERROR_BYTES];
    bool move = wanted(rays, "instances", "move"), edit = wanted(rays, "edit", "add");
    if (move)
        body_case_move(&rays->b);
    if (edit && !body_case_edit(&rays->b, &rays->scenes, why, sizeof why))
        bench_leave_out(&rays->b, "edit", why);
}

static const struct {
    const char *name;
    uint32_t sets;
} named_scenes[] = {
    {"sponza", SETS_PLAIN},        {"dungeon", SETS_PLAIN},      {"forest", SETS_PLAIN},
    {"sponza_teapot", SETS_DENSE}, {"sponza_dense", SETS_DENSE}, {"dense", SETS_DENSE},
};

#define NAMED_SCENES (sizeof named_scenes / sizeof *named_scenes)

static void measure_all(rays_bench *rays)
{
    char stem[64];
    if (rays->scenes.world) {
        measure_scene(rays, stem_of(rays->scenes.world, stem, sizeof stem),
                      SETS_PLAIN | SETS_DENSE);
        return;
    }
    for (size_t i = 0; i < NAMED_SCENES; ++i)
        measure_scene(rays, named_scenes[i].name, named_scenes[i].sets);
    measure_bodies(rays);
    if (wanted(rays, "sweep", "dense"))
        sweep_case_run(&rays->b, &rays->scenes);
}

/* --- Options ------------------------------------------------------------------------------- */

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
    snprintf(error, error_bytes, "'%.80s' is not an axis, expected y or z", value);
    return false;
}

static bool take_capture(void *settings, const char *value, char *error, size_t error_bytes)
{
    rays_bench *rays = settings;
    rays->capture_path = value;
    return output_probe(value, false, &rays->capture_file, error, error_bytes);
}

static bool open_files(void *settings, char *error, size_t error_bytes)
{
    rays_bench *rays = settings;
    file_list read = {.items = NULL};
    ray_scenes_list(&rays->scenes, &read);
    bool apart = bench_files_are_apart(&rays->b, &read, "--capture", rays->capture_path, error,
                                       error_bytes);
    file_list_free(&read);
    return apart;
}

static void write_capture(rays_bench *rays)
{
    char error[OUTPUT_PATH_BYTES + 128];
    if (!capture_write(&rays->capture, &rays->capture_file, error, sizeof error))
        bench_fail(&rays->b, error);
    else
        fprintf(stderr, "bench_rays: wrote %s: %u rays, %llu left out\n", rays->capture_path,
                rays->capture.count, (unsigned long long)rays->capture.left_out);
}

/* The groups of cases. */
static bool name_group(const void *settings, size_t index, char *out, size_t bytes)
{
    static const char *const others[] = {"instances/move", "edit/add", "sweep/dense"};
    const rays_bench *rays = settings;
    char stem[64];
    if (rays->scenes.world)
        snprintf(out, bytes, "%s/", stem_of(rays->scenes.world, stem, sizeof stem));
    else if (index < NAMED_SCENES)
        snprintf(out, bytes, "%s/", named_scenes[index].name);
    else if (index < NAMED_SCENES + 3)
        snprintf(out, bytes, "%s", others[index - NAMED_SCENES]);
    return rays->scenes.world ? index == 0 : index < NAMED_SCENES + 3;
}

int main(int argc, char **argv)
{
    static const option_spec more[] = {
        {"scenes", "DIR",
         "directory of sponza.obj, dungeon.obj and teapot.obj [$RICO_SCENES,\n"
         "else ../shared/scenes]",
         take_scenes},
        {"world", "FILE", "use this mesh, with every set of rays, instead of the named scenes",
         take_world},
        {"up", "AXIS", "the axis that points up in that file, y or z [z]", take_up},
        {"capture", "FILE",
         "write the rays whose answers differ from Embree's, for `ricochet replay`",
         take_capture},
    };
    static const bench_about about = {.name = "rays",
                                      .text =
                                          "Measures nanoseconds per ray, compared with Embree. "
                                          "Cases are SCENE/SET, for example\nforest/a.",
                                      .name_case = name_group,
                                      .more = more,
                                      .more_count = sizeof more / sizeof *more,
                                      .open_files = open_files};
    rays_bench rays = {.capture_path = NULL};
    int status = bench_begin(&rays.b, &about, argc, argv);
    if (status >= 0)
        return status;
    if (rays.b.threads != 1)
        fprintf(stderr, "bench_rays: rays are measured on one thread only\n");
    rays.b.threads = 1;
    if (!embree_peer_exists())
        fprintf(
            stderr,
            "bench_rays: built without Embree: nothing to compare times and answers with\n");
    capture_open(&rays.capture, "bench_rays", NULL, 0);
    measure_all(&rays);
    if (rays.capture_path)
        write_capture(&rays);
    capture_free(&rays.capture);
    ray_scenes_free(&rays.scenes);
    return bench_end(&rays.b);
}
