#include "quality_emitters.h"

#include "mesh_builder.h"
#include "quality_vec.h"
#include <stdlib.h>

#define SEED 1u
#define HEIGHT 1.5
#define RAIN_HEIGHT 4.0
#define LEAST_HEIGHT 0.4
#define LEAST_ROOM 0.15
#define FAR 200.0
#define DIRECTIONS 48u
#define TRIES 4000u /* per emitter */
#define DEGREES 0.017453293f
#define RAIN_SPEED 8.6f

const char *quality_kind_name(quality_kind kind)
{
    static const char *const names[] = {"fountain", "burst",  "rain",
                                        "shrapnel", "gravel", "casings"};
    return kind < QUALITY_KIND_COUNT ? names[kind] : "unknown";
}

/* --- Places -------------------------------------------------------------------------------- */

/* Faces that look up, with the running sum of their areas. */
typedef struct footing {
    const rio_mesh *mesh;
    uint32_t *faces;
    double *areas;
    uint32_t count;
} footing;

static void corners_of(const rio_mesh *mesh, uint32_t face, double corner[3][3])
{
    for (uint32_t c = 0; c < 3; ++c)
        for (uint32_t a = 0; a < 3; ++a)
            corner[c][a] = (double)mesh->positions[(size_t)mesh->indices[face * 3 + c] * 3 + a];
}

static double area_of(double corner[3][3], double normal[3])
{
    double e1[3], e2[3];
    qv_sub(corner[1], corner[0], e1);
    qv_sub(corner[2], corner[0], e2);
    qv_cross(e1, e2, normal);
    double length = qv_length(normal);
    for (int a = 0; a < 3; ++a)
        normal[a] = length > 0.0 ? normal[a] / length : 0.0;
    return 0.5 * length;
}

static bool open_footing(footing *f, const rio_mesh *mesh, float least_z)
{
    double sum = 0.0;
    *f = (footing){.mesh = mesh};
    f->faces = malloc(((size_t)mesh->triangle_count + 1) * sizeof *f->faces);
    f->areas = malloc(((size_t)mesh->triangle_count + 1) * sizeof *f->areas);
    for (uint32_t i = 0; f->faces && f->areas && i < mesh->triangle_count; ++i) {
        double corner[3][3], normal[3];
        corners_of(mesh, i, corner);
        double area = area_of(corner, normal);
        if (!(normal[2] > 0.5) || corner[0][2] < (double)least_z)
            continue;
        sum += area;
        f->faces[f->count] = i;
        f->areas[f->count++] = sum;
    }
    return f->count > 0;
}

static void close_footing(footing *f)
{
    free(f->faces);
    free(f->areas);
}

static uint32_t face_at(const footing *f, double area)
{
    uint32_t lo = 0, hi = f->count - 1;
    while (lo < hi) {
        uint32_t middle = (lo + hi) / 2;
        if (f->areas[middle] < area)
            lo = middle + 1;
        else
            hi = middle;
    }
    return f->faces[lo];
}

static double draw(uint32_t number, uint32_t use)
{
    return (double)rio_random(SEED, number, use);
}

/* Draws a point of the footing, and the normal there. */
static void draw_point(const footing *f, uint32_t number, double point[3], double normal[3])
{
    double corner[3][3];
    corners_of(f->mesh, face_at(f, draw(number, 0) * f->areas[f->count - 1]), corner);
    area_of(corner, normal);
    double s = sqrt(draw(number, 1)), t = draw(number, 2);
    for (int a = 0; a < 3; ++a)
        point[a] =
            corner[0][a] * (1.0 - s) + corner[1][a] * s * (1.0 - t) + corner[2][a] * s * t;
}

/* Direction i of a spiral over the sphere, from straight up to straight down. */
static void spiral(uint32_t i, double out[3])
{
    double z = 1.0 - (2.0 * (double)i + 1.0) / (double)DIRECTIONS;
    double r = sqrt(1.0 - z * z), angle = 2.399963229728653 * (double)i;
    out[0] = r * cos(angle);
    out[1] = r * sin(angle);
    out[2] = z;
}

static bool sees_fronts_and_ground(const quality_scene *scene, const double at[3])
{
    uint32_t fronts = 0, backs = 0;
    for (uint32_t i = 0; i < DIRECTIONS; ++i) {
        double direction[3], end[3];
        quality_crossing c;
        spiral(i, direction);
        qv_mad(at, FAR, direction, end);
        bool hit = quality_space_cross(&scene->space, at, 0.0, end, 0.0, &c);
        if (!hit && direction[2] < -0.7)
            return false;
        if (hit && c.back_face)
            backs += 1;
        else if (hit)
            fronts += 1;
    }
    return backs <= fronts;
}

static bool inside(const quality_scene *scene, const double p[3])
{
    double lo[2] = {(double)scene->bounds.lo.x, (double)scene->bounds.lo.y};
    double hi[2] = {(double)scene->bounds.hi.x, (double)scene->bounds.hi.y};
    for (int a = 0; a < 2; ++a) {
        double border = 0.05 * (hi[a] - lo[a]);
        if (p[a] < lo[a] + border || p[a] > hi[a] - border)
            return false;
    }
    return true;
}

/* The free height above the point: as much as wanted, or half way to the surface above. */
static double free_height(const quality_scene *scene, const double point[3], double wanted)
{
    double from[3], to[3];
    qv_copy(from, point);
    qv_copy(to, point);
    from[2] += 1.0e-3;
    to[2] += 2.0 * wanted;
    quality_crossing c;
    if (!quality_space_cross(&scene->space, from, 0.0, to, 0.0, &c))
        return wanted;
    return qv_min(wanted, 0.5 * c.t * (to[2] - from[2]));
}

/* Turns z to the direction in which the kind is thrown. */
static rico_quat turn_of(quality_kind kind, uint32_t number)
{
    if (kind == QUALITY_RAIN)
        return (rico_quat){1.0f, 0.0f, 0.0f, 0.0f};
    if (kind != QUALITY_CASINGS)
        return (rico_quat){0.0f, 0.0f, 0.0f, 1.0f};
    /* 70 degrees about a horizontal axis: a little above the horizon. */
    double angle = 6.283185307179586 * draw(number, 3);
    double s = sin(35.0 * (double)DEGREES), c = cos(35.0 * (double)DEGREES);
    return (rico_quat){(float)(s * cos(angle)), (float)(s * sin(angle)), 0.0f, (float)c};
}

static bool try_place(const quality_scene *scene, const footing *f, uint32_t number,
                      quality_emitter *e)
{
    double point[3], normal[3];
    draw_point(f, number, point, normal);
    if (scene->footing == &scene->body) {
        quality_pose pose = scene->space.pose(0.0);
        double turned[3];
        quality_pose_turn(&pose, point, turned);
        qv_mad(turned, 1.0, pose.position, point);
    }
    e->floor.normal = (rico_vec3){(float)normal[0], (float)normal[1], (float)normal[2]};
    e->floor.offset = (float)qv_dot(normal, point);
    double height = free_height(scene, point, e->kind == QUALITY_RAIN ? RAIN_HEIGHT : HEIGHT);
    point[2] += height;
    double room = quality_space_distance(&scene->space, point, 0.0, 1.0);
    if (height < LEAST_HEIGHT || room < LEAST_ROOM || !inside(scene, point) ||
        !sees_fronts_and_ground(scene, point))
        return false;
    e->room = (float)room;
    e->transform = (rico_transform){
        {(float)point[0], (float)point[1], (float)point[2]}, turn_of(e->kind, number), 1.0f};
    return true;
}

bool quality_emitters_place(const quality_scene *scene, quality_emitter *emitters,
                            uint32_t count)
{
    footing f;
    bool ok = open_footing(&f, scene->footing, scene->least_z);
    uint32_t number = 0;
    for (uint32_t i = 0; ok && i < count; ++i) {
        emitters[i].kind = (quality_kind)(i % QUALITY_KIND_COUNT);
        uint32_t end = number + TRIES;
        while (number < end && !try_place(scene, &f, number, &emitters[i]))
            ++number;
        ok = number++ < end;
    }
    close_footing(&f);
    return ok;
}

/* --- Recipes ------------------------------------------------------------------------------- */

static void set_kind(rico_recipe *r, const quality_emitter *e)
{
    switch (e->kind) {
    case QUALITY_FOUNTAIN:
        r->shape = RICO_EMIT_CONE;
        r->size.x = 0.05f;
        r->spread = 20.0f * DEGREES;
        r->speed = (rico_range){4.0f, 6.0f};
        break;
    case QUALITY_RAIN:
        /* At the speed of birth, drag balances gravity. */
        r->shape = RICO_EMIT_BOX;
        r->size = (rico_vec3){0.5f * e->room, 0.5f * e->room, 0.1f * e->room};
        r->spread = 1.5f * DEGREES;
        r->speed = (rico_range){RAIN_SPEED - 0.4f, RAIN_SPEED + 0.4f};
        r->drag = 9.81f / RAIN_SPEED;
        r->radius = 0.005f;
        r->restitution = 0.0f;
        r->friction = 0.95f;
        break;
    case QUALITY_SHRAPNEL:
        r->spread = 180.0f * DEGREES;
        r->speed = (rico_range){28.0f, 32.0f};
        r->drag = 0.3f;
        r->radius = 0.005f;
        break;
    case QUALITY_GRAVEL:
        r->shape = RICO_EMIT_SPHERE;
        r->size.x = 0.1f;
        r->spread = 180.0f * DEGREES;
        r->speed = (rico_range){0.5f, 2.0f};
        r->radius = 0.02f;
        r->restitution = 0.3f;
        r->friction = 0.6f;
        break;
    case QUALITY_CASINGS:
        r->spread = 13.0f * DEGREES;
        r->speed = (rico_range){2.2f, 3.6f};
        r->radius = 0.012f;
        r->friction = 0.12f;
        break;
    default: /* QUALITY_BURST: the emitter of the anchors */
        r->spread = 180.0f * DEGREES;
        r->speed = (rico_range){2.0f, 6.0f};
        break;
    }
}

rico_recipe quality_recipe(const quality_emitter *emitter, uint32_t particles,
                           rico_collision_mode mode, float budget)
{
    rico_recipe r = rico_recipe_default();
    r.lifetime = (rico_range){2.0f, 4.0f};
    r.mode = mode;
    r.queries_per_frame = budget;
    set_kind(&r, emitter);
    r.rate = (float)particles / 3.0f;
    if (emitter->kind == QUALITY_BURST) {
        r.burst_count = particles / 3u;
        r.burst_interval = 1.0f;
        r.rate = 0.0f;
    }
    r.max_particles = particles + particles / 2u + 8u;
    if (mode == RICO_COLLIDE_FIXED) {
        r.plane_count = 1;
        r.planes[0] = emitter->floor;
    }
    return r;
}
