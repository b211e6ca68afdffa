#include "ray_sets.h"

#include "float_bvh.h"
#include <math.h>
#include <ricochet/jobs.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 32u
#define BALL 0.15f /* of set d, metres */
/* The way from a surface to an origin begins this far off the surface, so as not to meet it. It
 * ends this far behind the origin, so that the origin is not on another surface. */
#define SKIN 1.0e-4f

typedef enum origin_kind {
    ORIGINS_NONE,
    ORIGINS_FAR,  /* sets a, s, b, l */
    ORIGINS_NEAR, /* set v */
    ORIGINS_DENSE /* set d */
} origin_kind;

struct ray_maker {
    const rico_mesh *mesh;
    uint32_t count;
    uint64_t seed;
    rio_bvh *bvh;
    double *area_below; /* per triangle: the sum of areas up to it */
    rico_vec3 *origins; /* count / RAY_SHARE */
    origin_kind kind;   /* of the origins now in `origins` */
    float diagonal;
    float cell_lo[3];
    rico_jobs *jobs;
};

/* --- Random numbers ------------------------------------------------------------------------ */

/* One stream per ray and purpose, so that rays can be made in any order. */
typedef struct stream {
    uint64_t state;
} stream;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static stream stream_of(uint64_t seed, uint32_t purpose, uint32_t index)
{
    return (stream){mix(seed + mix(((uint64_t)purpose << 32 | index) + 1u))};
}

/* [0, 1) */
static double draw(stream *s)
{
    s->state += 0x9e3779b97f4a7c15u;
    return (double)(mix(s->state) >> 11) * 0x1p-53;
}

static double draw_range(stream *s, double lo, double hi)
{
    return lo + (hi - lo) * draw(s);
}

/* A unit vector with the given z. It uses no sine, because libraries differ in its last bit. */
static rico_vec3 draw_around(stream *s, double z)
{
    double x, y, r2;
    do {
        x = draw_range(s, -1.0, 1.0);
        y = draw_range(s, -1.0, 1.0);
        r2 = x * x + y * y;
    } while (!(r2 < 1.0 && r2 > 1.0e-8));
    double k = sqrt((1.0 - z * z) / r2);
    return (rico_vec3){(float)(x * k), (float)(y * k), (float)z};
}

static rico_vec3 draw_uniform(stream *s)
{
    return draw_around(s, draw_range(s, -1.0, 1.0));
}

static rico_vec3 draw_falling(stream *s)
{
    bool cone = draw(s) < 0.7;
    return cone ? draw_around(s, draw_range(s, -1.0, -0.5)) : draw_uniform(s);
}

/* The radius of a random point of the unit ball, uniform in volume: the largest of three numbers
 * has that distribution. */
static float draw_radius(stream *s)
{
    double a = draw(s), b = draw(s), c = draw(s);
    double larger = a > b ? a : b;
    return (float)(larger > c ? larger : c);
}

/* --- Origins ------------------------------------------------------------------------------- */

static float dot(rico_vec3 a, rico_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static rico_vec3 along(rico_vec3 p, rico_vec3 d, float t)
{
    return (rico_vec3){p.x + d.x * t, p.y + d.y * t, p.z + d.z * t};
}

static rico_vec3 corner(const rico_mesh *mesh, uint32_t triangle, uint32_t which)
{
    const float *p = mesh->positions + (size_t)mesh->indices[triangle * 3u + which] * 3;
    return (rico_vec3){p[0], p[1], p[2]};
}

/* Twice the area, as a vector along the normal. */
static void area_vector(const rico_mesh *mesh, uint32_t triangle, double out[3])
{
    rico_vec3 a = corner(mesh, triangle, 0), b = corner(mesh, triangle, 1);
    rico_vec3 c = corner(mesh, triangle, 2);
    double e[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y,
                   (double)b.z - (double)a.z};
    double f[3] = {(double)c.x - (double)a.x, (double)c.y - (double)a.y,
                   (double)c.z - (double)a.z};
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = e[i] * f[j] - e[j] * f[i];
    }
}

typedef struct place {
    rico_vec3 point, normal;
} place;

/* A uniformly random point of the triangle. False when the triangle has no area. */
static bool draw_place(const rico_mesh *mesh, uint32_t triangle, stream *s, place *out)
{
    double n[3], u = draw(s), v = draw(s);
    area_vector(mesh, triangle, n);
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0.0))
        return false;
    if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    rico_vec3 a = corner(mesh, triangle, 0), b = corner(mesh, triangle, 1);
    rico_vec3 c = corner(mesh, triangle, 2);
    out->point.x = (float)((double)a.x * (1.0 - u - v) + (double)b.x * u + (double)c.x * v);
    out->point.y = (float)((double)a.y * (1.0 - u - v) + (double)b.y * u + (double)c.y * v);
    out->point.z = (float)((double)a.z * (1.0 - u - v) + (double)b.z * u + (double)c.z * v);
    out->normal =
        (rico_vec3){(float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length)};
    return true;
}

/* Distance in metres from a place in a direction to the next surface, at most `limit`. */
static float free_way(const ray_maker *m, rico_vec3 from, rico_vec3 direction, float limit)
{
    rico_ray ray = {along(from, direction, SKIN), limit, direction, 0};
    rico_hit hit;
    rio_bvh_cast(m->bvh, &ray, &hit, 1);
    return hit.collider != 0 ? hit.t : limit;
}

/* Tries until the way to the origin is free. The last try stops half way to the obstacle. */
static bool try_origin(const ray_maker *m, rico_vec3 from, rico_vec3 direction, float distance,
                       bool last, rico_vec3 *origin)
{
    float way = free_way(m, from, direction, distance + SKIN);
    if (way < distance + SKIN && !last)
        return false;
    float reach = way < distance + SKIN ? 0.5f * way : distance;
    *origin = along(from, direction, SKIN + reach);
    return true;
}

static uint32_t draw_by_area(const ray_maker *m, stream *s)
{
    uint32_t lo = 0, hi = m->mesh->triangle_count - 1;
    double wanted = draw(s) * m->area_below[hi];
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (m->area_below[middle] > wanted)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

static rico_vec3 draw_off_surface(const ray_maker *m, stream *s, float reach)
{
    rico_vec3 origin = {0.0f, 0.0f, 0.0f};
    place at;
    for (uint32_t i = 1; i <= ATTEMPTS; ++i) {
        if (!draw_place(m->mesh, draw_by_area(m, s), s, &at))
            continue;
        float side = draw(s) < 0.5 ? 1.0f : -1.0f, distance = (float)draw(s) * reach;
        rico_vec3 n = {at.normal.x * side, at.normal.y * side, at.normal.z * side};
        if (try_origin(m, at.point, n, distance, i == ATTEMPTS, &origin))
            break;
    }
    return origin;
}

static rico_vec3 draw_by_triangles(const ray_maker *m, stream *s)
{
    rico_vec3 origin = {0.0f, 0.0f, 0.0f};
    place at;
    for (uint32_t i = 1; i <= ATTEMPTS; ++i) {
        uint32_t triangle = (uint32_t)(draw(s) * (double)m->mesh->triangle_count);
        if (!draw_place(m->mesh, triangle, s, &at))
            continue;
        rico_vec3 d = draw_uniform(s);
        float distance = BALL * draw_radius(s);
        if (dot(d, at.normal) < 0.0f)
            d = (rico_vec3){-d.x, -d.y, -d.z};
        if (try_origin(m, at.point, d, distance, i == ATTEMPTS, &origin))
            break;
    }
    return origin;
}

/* --- Sets ---------------------------------------------------------------------------------- */

static origin_kind kind_of(ray_set set)
{
    return set == RAY_SET_V ? ORIGINS_NEAR : set == RAY_SET_D ? ORIGINS_DENSE : ORIGINS_FAR;
}

static void draw_origins(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    ray_maker *m = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        stream s = stream_of(m->seed, 100u + (uint32_t)m->kind, i);
        m->origins[i] = m->kind == ORIGINS_DENSE
                            ? draw_by_triangles(m, &s)
                            : draw_off_surface(m, &s, m->kind == ORIGINS_FAR ? 2.0f : 0.05f);
    }
}

static rico_ray make_ray(const ray_maker *m, ray_set set, uint32_t index)
{
    stream s = stream_of(m->seed, (uint32_t)set, index);
    rico_vec3 origin = m->origins[index % (m->count / RAY_SHARE)];
    rico_ray ray = {origin, 2.0f, {0.0f, 0.0f, 0.0f}, 0};
    if (set == RAY_SET_A || set == RAY_SET_D) {
        ray.direction = draw_falling(&s);
        ray.t_max = (float)(0.25 * draw_range(&s, 0.5, 15.0));
    } else {
        ray.direction = draw_uniform(&s);
        if (set == RAY_SET_L)
            ray.t_max = m->diagonal;
        if (set == RAY_SET_V)
            ray.t_max = (float)draw_range(&s, 0.02, 0.2);
    }
    return ray;
}

typedef struct fill_task {
    const ray_maker *maker;
    ray_set set;
    rico_ray *rays;
} fill_task;

static void fill_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    fill_task *task = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        task->rays[i] = make_ray(task->maker, task->set, i);
}

typedef struct sort_item {
    uint64_t code;
    uint32_t index;
} sort_item;

static int compare_items(const void *a, const void *b)
{
    const sort_item *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Moves bit i to bit 3i. */
static uint64_t spread(uint32_t value)
{
    uint64_t out = 0;
    for (uint32_t bit = 0; bit < 21u; ++bit)
        out |= (uint64_t)(value >> bit & 1u) << (3u * bit);
    return out;
}

static uint64_t morton(const ray_maker *m, rico_vec3 p)
{
    const float at[3] = {p.x, p.y, p.z};
    uint64_t code = 0;
    for (uint32_t k = 0; k < 3u; ++k) {
        float cell = (at[k] - m->cell_lo[k]) * 2.0f;
        code |= spread(cell > 0.0f ? (cell < 2.0e6f ? (uint32_t)cell : 2000000u) : 0u) << k;
    }
    return code;
}

/* The position to which the ray at a place of the sorted order is dealt. */
static uint32_t dealt(uint32_t count, uint32_t at)
{
    uint32_t run = at / RAY_RUN, rows = count / (RAY_RUN * RAY_DEAL);
    return (run % RAY_DEAL * rows + run / RAY_DEAL) * RAY_RUN + at % RAY_RUN;
}

static bool sort_rays(const ray_maker *m, rico_ray *rays)
{
    sort_item *items = malloc(m->count * sizeof *items);
    rico_ray *before = malloc(m->count * sizeof *before);
    bool ok = items && before;
    if (ok) {
        memcpy(before, rays, m->count * sizeof *before);
        for (uint32_t i = 0; i < m->count; ++i)
            items[i] = (sort_item){morton(m, rays[i].origin), i};
        qsort(items, m->count, sizeof *items, compare_items);
        for (uint32_t i = 0; i < m->count; ++i)
            rays[dealt(m->count, i)] = before[items[i].index];
    }
    free(items);
    free(before);
    return ok;
}

bool ray_maker_fill(ray_maker *m, ray_set set, rico_ray *rays)
{
    fill_task task = {m, set == RAY_SET_S ? RAY_SET_A : set, rays};
    if (m->kind != kind_of(set)) {
        m->kind = kind_of(set);
        rico_jobs_for(m->jobs, 0, m->count / RAY_SHARE, 1000, draw_origins, m);
    }
    rico_jobs_for(m->jobs, 0, m->count, 1000, fill_range, &task);
    return set != RAY_SET_S || sort_rays(m, rays);
}

const char *ray_set_name(ray_set set)
{
    static const char *const names[RAY_SET_COUNT] = {"a", "s", "b", "l", "v", "d"};
    return names[set];
}

/* --- Maker --------------------------------------------------------------------------------- */

static void measure_bounds(ray_maker *m)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    float sum = 0.0f;
    for (size_t i = 0; i < (size_t)m->mesh->triangle_count * 3; ++i) {
        const float *p = m->mesh->positions + (size_t)m->mesh->indices[i] * 3;
        for (int k = 0; k < 3; ++k) {
            lo[k] = fminf(lo[k], p[k]);
            hi[k] = fmaxf(hi[k], p[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        sum += (hi[k] - lo[k]) * (hi[k] - lo[k]);
        m->cell_lo[k] = lo[k] - 2.0f; /* origins are up to 2 m outside */
    }
    m->diagonal = sqrtf(sum);
}

static bool measure_areas(ray_maker *m)
{
    double n[3], sum = 0.0;
    m->area_below = malloc(m->mesh->triangle_count * sizeof *m->area_below);
    for (uint32_t i = 0; m->area_below && i < m->mesh->triangle_count; ++i) {
        area_vector(m->mesh, i, n);
        sum += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        m->area_below[i] = sum;
    }
    return m->area_below && sum > 0.0;
}

ray_maker *ray_maker_create(const rico_mesh *mesh, uint32_t count, uint64_t seed)
{
    ray_maker *m = calloc(1, sizeof *m);
    rico_jobs_def def = rico_jobs_def_default();
    if (!m)
        return NULL;
    m->mesh = mesh;
    m->count = count;
    m->seed = seed;
    measure_bounds(m);
    m->origins = malloc(count / RAY_SHARE * sizeof *m->origins);
    if (!m->origins || !measure_areas(m) || rio_bvh_create(mesh, &m->bvh) != RICO_OK ||
        rico_jobs_create(&def, &m->jobs) != RICO_OK) {
        ray_maker_destroy(m);
        return NULL;
    }
    return m;
}

void ray_maker_destroy(ray_maker *m)
{
    if (!m)
        return;
    rico_jobs_destroy(m->jobs);
    rio_bvh_destroy(m->bvh);
    free(m->area_below);
    free(m->origins);
    free(m);
}
