/* An ellipsoid of a character's size (half axes 0.3, 0.3, 0.9 m) moves 0.2 m at the dense
 * object, which has 250,000 triangles within 20 cm. There are three kinds of sweeps, a third
 * each. Some go towards the object and nearly touch it at the start. Some graze it in passing.
 * Some begin inside the object, or with the object inside the ellipsoid.
 *
 * Each sweep is timed on its own. Its time is the least of a few rounds, because an interrupt
 * adds to one round only. The worst case is the largest of these times. */
#include "sweep_case.h"
#include "machine.h"

#include <ricochet/scene_query.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 100000u
#define ROUNDS 5u
#define QUICK_ROUNDS 3u
#define STEP 0.2f

static const char case_name[] = "sweep/dense";
static const float radii[3] = {0.3f, 0.3f, 0.9f};

/* splitmix64 */
static double random_unit(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static void random_direction(uint64_t *state, double d[3])
{
    double z = 2.0 * random_unit(state) - 1.0, turn = 6.283185307179586 * random_unit(state);
    double ring = sqrt(1.0 - z * z);
    d[0] = ring * cos(turn);
    d[1] = ring * sin(turn);
    d[2] = z;
}

/* A random direction at right angles to d. */
static void random_tangent(uint64_t *state, const double d[3], double out[3])
{
    for (;;) {
        double length, along;
        random_direction(state, out);
        along = out[0] * d[0] + out[1] * d[1] + out[2] * d[2];
        for (int k = 0; k < 3; ++k)
            out[k] -= along * d[k];
        length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
        for (int k = 0; k < 3; ++k)
            out[k] /= length;
        if (length > 0.01)
            return;
    }
}

static rico_vec3 random_corner(uint64_t *state, const rico_mesh *mesh)
{
    uint32_t at = (uint32_t)(random_unit(state) * (double)mesh->triangle_count) * 3u;
    const float *p = mesh->positions + 3 * (size_t)mesh->indices[at];
    return (rico_vec3){p[0], p[1], p[2]};
}

/* The centre is `level` radii from a corner of the object, in a random direction. */
static rico_sweep make_sweep(uint64_t *state, const rico_mesh *mesh, uint32_t kind)
{
    static const double from[3] = {1.0, 0.98, 0.0}, to[3] = {1.6, 1.1, 1.0};
    double out[3], way[3], level;
    rico_vec3 p = random_corner(state, mesh);
    rico_sweep sweep = {.radii = {radii[0], radii[1], radii[2]}, .rotation = {0, 0, 0, 1}};
    level = from[kind] + (to[kind] - from[kind]) * random_unit(state);
    random_direction(state, out);
    float *center = &sweep.center.x, *motion = &sweep.motion.x;
    random_tangent(state, out, way);
    for (int k = 0; k < 3; ++k) {
        if (kind != 1)
            way[k] = 0.5 * way[k] - out[k];
        center[k] = (&p.x)[k] + (float)(out[k] * level) * radii[k];
    }
    double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    for (int k = 0; k < 3; ++k)
        motion[k] = (float)(way[k] / length) * STEP;
    return sweep;
}

typedef struct sweep_times {
    double worst_us, mean_us;
    uint32_t met;
} sweep_times;

static void time_sweeps(const rico_scene *scene, const rico_sweep *sweeps, uint32_t *least_ns,
                        uint32_t rounds, sweep_times *out)
{
    *out = (sweep_times){0.0, 0.0, 0};
    memset(least_ns, 0xff, SWEEPS * sizeof *least_ns);
    for (uint32_t round = 0; round < rounds; ++round)
        for (uint32_t i = 0; i < SWEEPS; ++i) {
            uint64_t begin = machine_clock_ns();
            rico_sweep_hit hit = rico_scene_sweep(scene, NULL, &sweeps[i]);
            uint32_t ns = (uint32_t)(machine_clock_ns() - begin);
            least_ns[i] = ns < least_ns[i] ? ns : least_ns[i];
            out->met += round == 0 && hit.collider != 0;
        }
    for (uint32_t i = 0; i < SWEEPS; ++i) {
        double us = (double)least_ns[i] * 1.0e-3;
        out->worst_us = us > out->worst_us ? us : out->worst_us;
        out->mean_us += us / SWEEPS;
    }
}

static void measure(bench *b, const rico_scene *scene, const rico_mesh *mesh)
{
    rico_sweep *sweeps = malloc(SWEEPS * sizeof *sweeps);
    uint32_t *least_ns = malloc(SWEEPS * sizeof *least_ns);
    uint64_t state = 1;
    sweep_times times;
    if (sweeps && least_ns) {
        for (uint32_t i = 0; i < SWEEPS; ++i)
            sweeps[i] = make_sweep(&state, mesh, i % 3);
        time_sweeps(scene, sweeps, least_ns, b->quick ? QUICK_ROUNDS : ROUNDS, &times);
        bench_row row = {.name = case_name, .metric = "worst_us", .unit = "us"};
        row.value = times.worst_us;
        bench_add(b, row);
        row.metric = "mean_us";
        row.value = times.mean_us;
        bench_add(b, row);
        if (times.met < SWEEPS / 2)
            bench_fail(b, "sweep/dense: most sweeps hit nothing");
    } else {
        bench_fail(b, "sweep/dense: out of memory");
    }
    free(sweeps);
    free(least_ns);
}

void sweep_case_run(bench *b, ray_scenes *scenes)
{
    char why[RIO_ERROR_BYTES];
    rio_mesh mesh;
    if (!ray_scenes_make(scenes, "dense", &mesh, why, sizeof why)) {
        bench_fail(b, why);
        return;
    }
    rico_scene_def def = rico_scene_def_default();
    rico_mesh view = rio_mesh_view(&mesh);
    rico_scene *scene = NULL;
    if (rico_scene_create(&def, &scene) == RICO_OK &&
        rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL) == RICO_OK)
        measure(b, scene, &view);
    else
        bench_fail(b, "sweep/dense: the scene could not be built");
    rico_scene_destroy(scene);
    rio_mesh_free(&mesh);
}
