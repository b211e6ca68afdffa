#include "collision_fuzz.h"
#include "collision_fixture.h"

#include <float.h>

enum { TRIANGLES_MAX = 48, MESHES_MAX = 3, BATCH_MAX = 24, QUESTIONS_MAX = 12 };

/* Walks through at most 3 * 4096 bricks, each with a tree of a few nodes and bundles here. */
#define STEPS_MAX 100000u

#define REQUIRE(condition, ...)                                                                \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                    \
            fprintf(stderr, __VA_ARGS__);                                                      \
            fputc('\n', stderr);                                                               \
            abort();                                                                           \
        }                                                                                      \
    } while (0)

/* --- bytes into values; zeros after the end --- */

typedef struct source {
    const uint8_t *data;
    size_t left;
} source;

static uint32_t take(source *s, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes && s->left > 0; ++i, --s->left)
        value |= (uint32_t)*s->data++ << 8 * i;
    return value;
}

static uint32_t take_below(source *s, uint32_t n)
{
    return take(s, 1) % n;
}

static const float odd_values[] = {
    0.0f,      -0.0f,  1.0e-45f, -1.0e-45f, 1.0e-38f,    FLT_MIN, 1.0e-30f,     -1.0e-30f,
    1.0f,      -1.0f,  0.1f,     1.0e5f,    -1.0e6f,     1.0e6f,  1.0000001e6f, 1.0e9f,
    -1.0e9f,   1.1e9f, 1.0e30f,  -1.0e30f,  1.1e30f,     FLT_MAX, -FLT_MAX,     INFINITY,
    -INFINITY, NAN,    0.5f,     -0.25f,    16777216.0f, 1.0e20f, 1.0e-20f,     3.0e38f,
};

/* On a grid of eighths, which borders of cells lie on; a little beside it; odd; any bits. */
static float take_float(source *s)
{
    uint32_t how = take(s, 1);
    float eighth = 0.125f * (float)((int)take_below(s, 129) - 64);
    if (how < 150)
        return eighth;
    if (how < 200)
        return eighth * (1.0f + 0x1p-23f * (float)((int)take_below(s, 9) - 4));
    if (how < 240)
        return odd_values[take_below(s, sizeof odd_values / sizeof odd_values[0])];
    uint32_t bits = take(s, 4);
    memcpy(&eighth, &bits, sizeof eighth);
    return eighth;
}

static rico_vec3 take_vec3(source *s)
{
    float x = take_float(s), y = take_float(s);
    return vec3(x, y, take_float(s));
}

/* --- the world, and all its triangles in a row --- */

/* Of every triangle its own three corners: the oracle shares nothing with the scene but the test of
 * a triangle itself. */
typedef struct world {
    rico_scene *scene;
    rico__vertex vertices[3 * TRIANGLES_MAX * MESHES_MAX];
    rico__face faces[TRIANGLES_MAX * MESHES_MAX];
    uint32_t count;
} world;

static bool in_range(rico_vec3 p)
{
    return fabsf(p.x) <= 1.0e6f && fabsf(p.y) <= 1.0e6f && fabsf(p.z) <= 1.0e6f;
}

static void list_triangle(world *w, const fixture_mesh *mesh, uint32_t index, uint32_t collider)
{
    rico__face *face = &w->faces[w->count];
    rico__triangle triangle;
    for (uint32_t j = 0; j < 3; ++j) {
        uint32_t corner = mesh->indices[3 * index + j];
        if (corner >= mesh->vertex_count || !in_range(mesh_corner(mesh, index, j)))
            return;
        rico__vertex *vertex = &w->vertices[3 * w->count + j];
        /* As placed by the identity, which turns -0 into 0 here and there. */
        rico_transform identity = RICO_TRANSFORM_IDENTITY;
        rico_vec3 at = transform_point(&identity, mesh_corner(mesh, index, j));
        memcpy(vertex->at, &at, sizeof vertex->at);
        memcpy(triangle.v + 3 * j, &at, sizeof vertex->at);
        vertex->collider = collider;
        face->corner[j] = 3 * w->count + j;
    }
    face->triangle = index;
    if (rico__triangle_is_flat(&triangle))
        face->corner[0] |= RICO_FACE_FLAT;
    w->count += 1;
}

static void add_mesh(world *w, source *s)
{
    fixture_mesh mesh = {0};
    uint32_t vertex_count = 3 + take_below(s, 30),
             triangle_count = take_below(s, TRIANGLES_MAX);
    for (uint32_t i = 0; i < vertex_count; ++i)
        mesh_vertex(&mesh, take_vec3(s));
    for (uint32_t i = 0; i < triangle_count; ++i) /* now and then a bad index */
        mesh_triangle(&mesh, take_below(s, vertex_count), take_below(s, vertex_count),
                      take_below(s, vertex_count + (i % 16 == 0)));
    rico_mesh view = mesh_view(&mesh);
    rico_mesh_report report;
    rico_collider_id id;
    uint32_t before = w->count;
    rico_result result =
        rico_scene_add_mesh(w->scene, &view, RICO_TRANSFORM_IDENTITY, &report, &id);
    for (uint32_t i = 0; i < triangle_count && result == RICO_OK; ++i)
        list_triangle(w, &mesh, i, id.index1);
    REQUIRE(result == RICO_OK || result == RICO_EMPTY_MESH, "%s", rico_result_name(result));
    REQUIRE(report.kept == w->count - before, "%u kept", report.kept);
    mesh_free(&mesh);
}

static void make_world(world *w, source *s)
{
    static const float sizes[] = {0.0f, 0.0f, 0.25f, 1.0f, 0.05f, 100.0f};
    w->scene = scene_create_quiet(sizes[take_below(s, 6)]);
    w->count = 0;
    for (uint32_t i = 1 + take_below(s, MESHES_MAX); i > 0; --i)
        add_mesh(w, s);
}

/* --- questions --- */

static rico_ray take_ray(source *s, const world *w)
{
    rico_ray ray = {.origin = take_vec3(s), .direction = take_vec3(s)};
    ray.t_max = take(s, 1) < 128 ? 100.0f : take_float(s);
    uint32_t aim = take(s, 1), ignore = take(s, 1);
    ray.ignore = ignore < 200 ? 0 : ignore % (MESHES_MAX + 2);
    if (aim < 128 && w->count > 0) { /* at a corner */
        const float *at = w->vertices[take(s, 2) % (3 * w->count)].at;
        ray.direction = vec3_sub(vec3(at[0], at[1], at[2]), ray.origin);
    }
    return ray;
}

/* Each triangle on its own, so that what is not there is left out by its answer. */
static rico_hit brute_force(const world *w, const rico_ray *ray, const rico_filter *filter)
{
    const rico__triangles triangles = {w->vertices, w->faces};
    const rico__ray_best none = {0.0f, RICO_NO_TRIANGLE};
    rico__ray_frame frame;
    rico_hit closest = rico__ray_hit(ray, none, &triangles, 0);
    if (!rico__ray_frame_init(&frame, ray))
        return closest;
    for (uint32_t i = 0; i < w->count; ++i) {
        rico__ray_best best = {frame.t_max, RICO_NO_TRIANGLE};
        rico__ray_test(&frame, &triangles, i, &best);
        rico_hit hit = rico__ray_hit(ray, best, &triangles, 0);
        if (best.id == RICO_NO_TRIANGLE || hit.collider == ray->ignore ||
            (hit.back_face && filter != NULL && filter->skip_back_faces))
            continue;
        if (closest.collider == 0 || hit.t < closest.t) /* of equals the first */
            closest = hit;
    }
    return closest;
}

static void require_hit(const rico_ray *ray, const rico_hit *hit, const rico_hit *expected,
                        const char *how)
{
    const float *o = &ray->origin.x, *d = &ray->direction.x;
    REQUIRE(hit_equal(hit, expected),
            "%s: from (%a %a %a) along (%a %a %a) to %a: collider %u, triangle %u at %a, "
            "expected %u, %u at %a",
            how, (double)o[0], (double)o[1], (double)o[2], (double)d[0], (double)d[1],
            (double)d[2], (double)ray->t_max, hit->collider, hit->triangle, (double)hit->t,
            expected->collider, expected->triangle, (double)expected->t);
    REQUIRE(hit->steps <= STEPS_MAX, "%s takes %u steps", how, hit->steps);
}

/* Closest and any hits: alone and in a batch as by brute force. */
static void ask_rays(const world *w, source *s)
{
    rico_ray rays[BATCH_MAX];
    rico_hit hits[BATCH_MAX];
    bool blocked[BATCH_MAX];
    rico_filter filter = rico_filter_default();
    uint32_t count = 1 + take_below(s, BATCH_MAX), how = take_below(s, 4);
    filter.skip_back_faces = how == 2;
    const rico_filter *asked = how < 2 ? NULL : &filter;
    for (uint32_t i = 0; i < count; ++i)
        rays[i] = take_ray(s, w);
    rico_scene_raycast_batch(w->scene, asked, rays, hits, count);
    rico_scene_blocked_batch(w->scene, asked, rays, blocked, count);
    for (uint32_t i = 0; i < count; ++i) {
        rico_hit expected = brute_force(w, &rays[i], asked);
        rico_hit alone = rico_scene_raycast(w->scene, asked, &rays[i]);
        require_hit(&rays[i], &alone, &expected, "alone");
        require_hit(&rays[i], &hits[i], &expected, "in a batch");
        bool any = expected.collider != 0;
        REQUIRE(rico_scene_blocked(w->scene, asked, &rays[i]) == any && blocked[i] == any,
                "ray %u is blocked: %d", i, any);
    }
}

/* Boxes: gather as by brute force, whatever fits; occupancy never denies what is there. */
static void ask_box(const world *w, source *s)
{
    rico_triangle gathered[TRIANGLES_MAX * MESHES_MAX + 1];
    rico_vec3 lo = take_vec3(s), hi = take_vec3(s);
    rico_box box = {lo, hi};
    if (take(s, 1) < 200)
        box = (rico_box){vec3_min(lo, hi), vec3_max(lo, hi)};
    uint32_t capacity = take_below(s, 2) ? TRIANGLES_MAX * MESHES_MAX : take_below(s, 8);
    bool valid = vec3_is_finite(box.lo) && vec3_is_finite(box.hi) && box.lo.x <= box.hi.x &&
                 box.lo.y <= box.hi.y && box.lo.z <= box.hi.z;
    gathered[capacity].triangle = 12345;
    uint32_t count = rico_scene_gather(w->scene, NULL, &box, gathered, capacity), expected = 0;
    const rico__triangles triangles = {w->vertices, w->faces};
    for (uint32_t i = 0; i < w->count && valid; ++i) {
        rico__triangle triangle = rico__triangle_at(&triangles, i);
        if (!rico__triangle_touches_box(&triangle, &box))
            continue;
        const rico_triangle *got = &gathered[expected++];
        REQUIRE(expected > capacity || expected > count ||
                    (got->collider == triangle.collider && got->triangle == triangle.triangle &&
                     memcmp(&got->a, triangle.v, sizeof triangle.v) == 0),
                "triangle %u of %u comes where %u of %u should", got->triangle, got->collider,
                triangle.triangle, triangle.collider);
    }
    REQUIRE(count == expected, "%u gathered, expected %u, in (%a %a %a)..(%a %a %a)", count,
            expected, (double)box.lo.x, (double)box.lo.y, (double)box.lo.z, (double)box.hi.x,
            (double)box.hi.y, (double)box.hi.z);
    REQUIRE(gathered[capacity].triangle == 12345, "wrote beyond %u", capacity);
    REQUIRE(count == 0 || rico_scene_occupied(w->scene, &box), "%u touch", count);
}

/* Add questions of other kinds here; each takes what it needs from the bytes. */
static void (*const questions[])(const world *w, source *s) = {ask_rays, ask_box};

void collision_fuzz(const uint8_t *data, size_t size)
{
    source s = {data, size};
    static world w;
    make_world(&w, &s);
    for (uint32_t i = 0; i < QUESTIONS_MAX && s.left > 0; ++i)
        questions[take_below(&s, sizeof questions / sizeof questions[0])](&w, &s);
    rico_scene_destroy(w.scene);
}
