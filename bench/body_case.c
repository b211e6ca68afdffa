#include "body_case.h"
#include "machine.h"
#include "median.h"

#include <ricochet/scene_query.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCES 1000u
#define FRAMES 240u
#define QUICK_FRAMES 60u
#define EDITS 101u
#define QUICK_EDITS 25u
#define RAYS 4096u
#define RINGS 26u
#define SECTORS 20u
#define VERTICES (RINGS * SECTORS)
#define TRIANGLES ((RINGS - 1u) * SECTORS * 2u)

_Static_assert(TRIANGLES == 1000, "the mesh that the metrics are named after");

/* --- The mesh: a dented ball, 60 cm wide ----------------------------------------------------- */

typedef struct ball {
    float positions[3 * VERTICES];
    uint32_t indices[3 * TRIANGLES];
} ball;

static rico_mesh ball_make(ball *to)
{
    for (uint32_t i = 0; i < VERTICES; ++i) {
        double up = 3.14159 * (double)(i / SECTORS) / (RINGS - 1);
        double round = 6.28318 * (double)(i % SECTORS) / SECTORS;
        double radius = 0.3 + 0.02 * sin(5.0 * up) * cos(7.0 * round);
        to->positions[3 * i] = (float)(radius * sin(up) * cos(round));
        to->positions[3 * i + 1] = (float)(radius * sin(up) * sin(round));
        to->positions[3 * i + 2] = (float)(radius * cos(up));
    }
    for (uint32_t i = 0; i < TRIANGLES / 2; ++i) {
        uint32_t a = i, b = i / SECTORS * SECTORS + (i + 1) % SECTORS;
        const uint32_t quad[6] = {a, a + SECTORS, b, b, a + SECTORS, b + SECTORS};
        memcpy(to->indices + 6 * i, quad, sizeof quad);
    }
    return (rico_mesh){.positions = to->positions,
                       .vertex_count = VERTICES,
                       .indices = to->indices,
                       .triangle_count = TRIANGLES};
}

/* --- Moving ---------------------------------------------------------------------------------- */

/* Owner: body_case_move. */
typedef struct hall {
    rico_scene *scene;
    rico_shape_def shape;
    rico_collider_id ids[INSTANCES];
    rico_motion motions[INSTANCES];
    rico_ray rays[RAYS];
    rico_hit hits[RAYS], anew[RAYS];
    uint64_t random;
} hall;

static float between(hall *h, float lo, float hi)
{
    h->random = h->random * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (float)(h->random >> 40) * 0x1p-24f;
}

static rico_vec3 anywhere(hall *h)
{
    rico_vec3 p = {between(h, -15.0f, 15.0f), between(h, -15.0f, 15.0f), 0.0f};
    p.z = between(h, 0.0f, 8.0f);
    return p;
}

/* Moves by a sixtieth of a second at up to 9 m/s along each axis, and bounces off the walls. */
static void step(rico_motion *m, float dt)
{
    const float lo[3] = {-15.0f, -15.0f, 0.0f}, hi[3] = {15.0f, 15.0f, 8.0f};
    float *at = &m->transform.position.x, *v = &m->velocity.x;
    for (int k = 0; k < 3; ++k) {
        if ((at[k] < lo[k] && v[k] < 0.0f) || (at[k] > hi[k] && v[k] > 0.0f))
            v[k] = -v[k];
        at[k] += v[k] * dt;
    }
    float angle = atan2f(m->transform.rotation.z, m->transform.rotation.w) +
                  m->angular_velocity.z * dt * 0.5f;
    m->transform.rotation = (rico_quat){0.0f, 0.0f, sinf(angle), cosf(angle)};
}

static void throw_in(hall *h)
{
    for (uint32_t i = 0; i < INSTANCES; ++i) {
        rico_motion *m = &h->motions[i];
        *m = rico_collider_def_default().motion;
        m->transform.position = anywhere(h);
        m->velocity = (rico_vec3){between(h, -9.0f, 9.0f), between(h, -9.0f, 9.0f),
                                  between(h, -9.0f, 9.0f)};
        m->angular_velocity.z = between(h, -6.0f, 6.0f);
    }
    for (uint32_t i = 0; i < RAYS; ++i)
        h->rays[i] = (rico_ray){.origin = anywhere(h),
                                .t_max = between(h, 0.1f, 4.0f),
                                .direction = {between(h, -1.0f, 1.0f), between(h, -1.0f, 1.0f),
                                              between(h, -1.0f, 1.0f)}};
}

/* Makes a scene with everything at its present place. */
static rico_scene *fill(hall *h)
{
    rico_scene_def def = rico_scene_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_scene *scene = NULL;
    if (rico_scene_create(&def, &scene) != RICO_OK)
        return NULL;
    bool ok = rico_scene_add_shape(scene, &h->shape, NULL, &collider.shape) == RICO_OK;
    for (uint32_t i = 0; i < INSTANCES && ok; ++i) {
        collider.motion = h->motions[i];
        ok = rico_scene_add(scene, &collider, &h->ids[i]) == RICO_OK;
    }
    if (ok)
        return scene;
    rico_scene_destroy(scene);
    return NULL;
}

/* Returns how many of the rays hit, or 0 when a scene made anew gives other answers. */
static uint32_t check_hall(hall *h)
{
    rico_scene *anew = fill(h);
    uint32_t hits = 0;
    if (!anew)
        return 0;
    rico_scene_raycast_batch(h->scene, NULL, h->rays, h->hits, RAYS);
    rico_scene_raycast_batch(anew, NULL, h->rays, h->anew, RAYS);
    rico_scene_destroy(anew);
    for (uint32_t i = 0; i < RAYS; ++i) {
        if (h->hits[i].t != h->anew[i].t || h->hits[i].collider != h->anew[i].collider)
            return 0;
        hits += h->hits[i].collider != 0;
    }
    return hits;
}

static void fly(bench *b, hall *h)
{
    double move_us[FRAMES], ray_ns[FRAMES];
    uint32_t frames = b->quick ? QUICK_FRAMES : FRAMES;
    bool moved = true;
    for (uint32_t f = 0; f < frames && moved; ++f) {
        for (uint32_t i = 0; i < INSTANCES; ++i)
            step(&h->motions[i], 1.0f / 60.0f);
        uint64_t begin = machine_clock_ns();
        moved = rico_scene_move(h->scene, h->ids, h->motions, INSTANCES) == RICO_OK;
        uint64_t middle = machine_clock_ns();
        rico_scene_raycast_batch(h->scene, NULL, h->rays, h->hits, RAYS);
        move_us[f] = (double)(middle - begin) * 1.0e-3;
        ray_ns[f] = (double)(machine_clock_ns() - middle) / RAYS;
    }
    if (!moved || check_hall(h) < RAYS / 100) {
        bench_fail(b, "instances/move: rays do not hit what they hit in a newly built scene");
        return;
    }
    bench_row row = {.name = "instances/move"};
    row.metric = "move_1000_us";
    row.unit = "us";
    row.value = median(move_us, frames);
    bench_add(b, row);
    row.metric = "ns_per_ray";
    row.unit = "ns";
    row.value = median(ray_ns, frames);
    bench_add(b, row);
}

void body_case_move(bench *b)
{
    ball *mesh = malloc(sizeof *mesh);
    hall *h = calloc(1, sizeof *h);
    if (mesh && h) {
        h->shape = rico_shape_def_default();
        h->shape.mesh = ball_make(mesh);
        h->random = 1;
        throw_in(h);
        h->scene = fill(h);
    }
    if (h && h->scene)
        fly(b, h);
    else
        bench_fail(b, "instances/move: out of memory");
    rico_scene_destroy(h ? h->scene : NULL);
    free(h);
    free(mesh);
}

/* --- Editing --------------------------------------------------------------------------------- */

static void edit(bench *b, rico_scene *scene, const rico_mesh *mesh)
{
    double add_ms[EDITS], remove_ms[EDITS];
    uint32_t edits = b->quick ? QUICK_EDITS : EDITS;
    for (uint32_t i = 0; i < edits; ++i) {
        rico_transform where = RICO_TRANSFORM_IDENTITY;
        rico_collider_id id;
        where.position = (rico_vec3){(float)(i % 9) - 4.0f, (float)(i % 7) - 3.0f, 1.0f};
        uint64_t begin = machine_clock_ns();
        rico_result result = rico_scene_add_mesh(scene, mesh, where, NULL, &id);
        uint64_t middle = machine_clock_ns();
        if (result != RICO_OK || rico_scene_remove(scene, id) != RICO_OK) {
            bench_fail(b, "edit: the mesh could not be added or removed");
            return;
        }
        add_ms[i] = (double)(middle - begin) * 1.0e-6;
        remove_ms[i] = (double)(machine_clock_ns() - middle) * 1.0e-6;
    }
    bench_row row = {.name = "edit/add", .metric = "ms", .unit = "ms"};
    row.value = median(add_ms, edits);
    bench_add(b, row);
    row.name = "edit/remove";
    row.value = median(remove_ms, edits);
    bench_add(b, row);
}

bool body_case_edit(bench *b, ray_scenes *scenes, char *why, size_t why_bytes)
{
    rio_mesh sponza;
    if (!ray_scenes_make(scenes, "sponza", &sponza, why, why_bytes))
        return false;
    ball *mesh = malloc(sizeof *mesh);
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = NULL;
    rico_mesh view = rio_mesh_view(&sponza);
    if (mesh && rico_scene_create(&def, &scene) == RICO_OK &&
        rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL) == RICO_OK &&
        rico_scene_merge(scene) == RICO_OK) {
        rico_mesh small = ball_make(mesh);
        edit(b, scene, &small);
    } else {
        bench_fail(b, "edit: out of memory");
    }
    rico_scene_destroy(scene);
    rio_mesh_free(&sponza);
    free(mesh);
    return true;
}
