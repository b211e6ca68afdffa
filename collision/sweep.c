#include "sweep.h"
#include "filter.h"
#include "vec.h"

#include <float.h>
#include <string.h>

#define RADIUS_MIN 1.0e-4f
#define RADIUS_MAX 1.0e3f
#define RADIUS_RATIO 100.0f
#define MOTION_MAX 1.0e4
#define CENTER_MAX 1.0e9f
#define INVERSE_MAX 1.0e18

rico__sweep_best rico__sweep_none(void)
{
    return (rico__sweep_best){
        .t = 1.0f, .level = 1.0f, .triangle = RICO_NO_TRIANGLE, .id = RICO_NO_TRIANGLE};
}

void rico__sweep_take(rico__sweep_best *best, const rico__sweep_best *found)
{
    uint32_t steps = best->steps + found->steps;
    if (found->collider != 0 &&
        rico__sweep_is_better(best, found->t, found->level, found->collider, found->triangle))
        *best = *found;
    best->steps = steps;
}

/* --- frames --- */

static bool radii_are_valid(rico_vec3 r)
{
    float least = float_min(float_min(r.x, r.y), r.z);
    float most = float_max(float_max(r.x, r.y), r.z);
    return r.x >= RADIUS_MIN && r.y >= RADIUS_MIN && r.z >= RADIUS_MIN && most <= RADIUS_MAX &&
           most <= RADIUS_RATIO * least;
}

bool rico__sweep_frame_init(rico__sweep_frame *f, const rico_sweep *sweep)
{
    const double center[3] = {(double)sweep->center.x, (double)sweep->center.y,
                              (double)sweep->center.z};
    const double radius[3] = {(double)sweep->radii.x, (double)sweep->radii.y,
                              (double)sweep->radii.z};
    const double motion[3] = {(double)sweep->motion.x, (double)sweep->motion.y,
                              (double)sweep->motion.z};
    bool valid = radii_are_valid(sweep->radii) && rico__rotation_axes(sweep->rotation, f->axis);
    valid = valid && rico__dot(motion, motion) <= MOTION_MAX * MOTION_MAX * (1.0 + 1.0e-6);
    for (int k = 0; k < 3; ++k)
        valid = valid && __builtin_fabs(center[k]) <= (double)CENTER_MAX; /* false for NaN */
    if (!valid)
        return false;
    for (int i = 0; i < 3; ++i) {
        f->world[i] = f->center[i] = center[i];
        f->radius[i] = radius[i];
        f->motion[i] = rico__dot(f->axis[i], motion) / radius[i];
        for (int k = 0; k < 3; ++k)
            f->matrix[i][k] = f->axis[i][k] / radius[i];
    }
    f->length = __builtin_sqrt(rico__dot(f->motion, f->motion));
    f->ignore = sweep->ignore;
    return true;
}

void rico__sweep_frame_place(rico__sweep_frame *f, const rico_transform *place)
{
    const double at[3] = {(double)place->position.x, (double)place->position.y,
                          (double)place->position.z};
    double turn[3][3], apart[3], scale = (double)place->scale;
    if (!rico__rotation_axes(place->rotation, turn))
        return; /* a valid transform has axes */
    rico__mad(f->world, at, -1.0, apart);
    for (int i = 0; i < 3; ++i) {
        f->center[i] = rico__dot(turn[i], apart) / scale;
        for (int k = 0; k < 3; ++k)
            f->matrix[i][k] = rico__dot(f->axis[i], turn[k]) * (scale / f->radius[i]);
    }
}

/* --- the query --- */

typedef struct sweep_query {
    const rico__grid *grid;
    const rico__cast_filter *filter;
    const rico__sweep_frame *frame;
    rico__sweep_best *best;
    rico__probe probe;
    uint32_t collider;
} sweep_query;

/* The key of contacts that are as good as the best one. It is a little larger, so that all
 * triangles whose t are equal as floats are tested. */
static float key_limit(const sweep_query *q)
{
    const rico__sweep_best *best = q->best;
    if (best->collider == 0 || best->t > 0.0f)
        return (float)((double)best->t * q->frame->length * (1.0 + 0x1p-20)) + FLT_MIN;
    return best->level < 1.0f ? best->level - 1.0f + 0x1p-22f : FLT_MIN;
}

static void corners_of(const sweep_query *q, uint32_t id, rico__corners *corners)
{
    const rico__sweep_frame *f = q->frame;
    const rico__triangles *triangles = &q->grid->triangles;
    const rico__face *face = &triangles->faces[id];
    for (uint32_t j = 0; j < 3; ++j) {
        const float *at = rico__face_vertex(triangles, face, j)->at;
        double apart[3];
        for (int k = 0; k < 3; ++k)
            apart[k] = (double)at[k] - f->center[k];
        for (int i = 0; i < 3; ++i)
            corners->p[j][i] = rico__dot(f->matrix[i], apart);
    }
}

/* Whether the centre, at its start, is behind the triangle. */
static bool is_behind(const rico__corners *corners)
{
    double normal[3];
    rico__corners_normal(corners, normal);
    return rico__dot(normal, corners->p[0]) > 0.0;
}

/* The normal points from the point of contact to the centre. If the centre is on that point, it
 * is the triangle's front. */
static void overlap_normal(const rico__corners *corners, double level, const double point[3],
                           double normal[3])
{
    for (int k = 0; k < 3; ++k)
        normal[k] = -point[k];
    if (level == 0.0 && !rico__corners_normal(corners, normal)) {
        normal[0] = normal[1] = 0.0;
        normal[2] = 1.0;
    }
}

/* A key above 0 means that the triangle is not touched at the start. */
static void test_triangle(void *query, uint32_t id, float key)
{
    sweep_query *q = query;
    const rico__triangles *triangles = &q->grid->triangles;
    if (!rico__filter_passes(q->filter, triangles, id, q->frame->ignore))
        return;
    rico__corners corners;
    rico__sweep_best found = {.level = 1.0f, .steps = q->best->steps, .id = id};
    corners_of(q, id, &corners);
    double level = 2.0, t = 0.0;
    if (key <= 0.0f)
        level = rico__corners_nearest(&corners, found.point);
    if (level <= 1.0) {
        found.level = (float)level;
        overlap_normal(&corners, level, found.point, found.normal);
    } else {
        if (!rico__corners_sweep(&corners, q->frame->motion, &t, found.point))
            return;
        found.t = rico__float_below(t);
        for (int k = 0; k < 3; ++k)
            found.normal[k] = q->frame->motion[k] * t - found.point[k];
    }
    const rico__face *face = &triangles->faces[id];
    found.collider = q->collider;
    if (found.collider == 0)
        found.collider = rico__face_vertex(triangles, face, 0)->collider;
    found.triangle = face->triangle;
    if (!rico__sweep_is_better(q->best, found.t, found.level, found.collider, found.triangle))
        return;
    if (q->filter != NULL && q->filter->skip_back_faces && is_behind(&corners))
        return;
    *q->best = found;
    q->probe.limit = key_limit(q);
}

/* The rows of the matrix are at right angles to each other. So its inverse is its transpose,
 * except for the squares of the rows' lengths. */
static void make_metric(rico__probe *p, const rico__sweep_frame *f)
{
    for (int i = 0; i < 3; ++i) {
        const double *row = f->matrix[i];
        double share = (double)p->way[i] / rico__dot(row, row);
        for (int k = 0; k < 3; ++k) {
            p->advance[k] += row[k] * share;
            p->lift[k] += row[k] * (double)p->way[i];
            for (int l = 0; l < 3; ++l)
                p->metric[k][l] += row[k] * row[l];
        }
    }
    for (int k = 0; k < 3; ++k)
        p->stretch[k] = __builtin_sqrt(p->metric[k][k]);
}

static void make_probe(sweep_query *q)
{
    const rico__sweep_frame *f = q->frame;
    rico__probe *p = &q->probe;
    *p = (rico__probe){.limit = key_limit(q), .sweeps = true};
    for (int i = 0; i < 3; ++i) {
        double way = f->length > 0.0 ? f->motion[i] / f->length : 0.0;
        double size = __builtin_fabs(way);
        p->center[i] = f->center[i];
        p->way[i] = (float)way;
        p->inverse[i] = (float)(size > 1.0 / INVERSE_MAX ? 1.0 / size : INVERSE_MAX);
        for (int k = 0; k < 3; ++k)
            p->matrix[i][k] = (float)f->matrix[i][k];
    }
    make_metric(p, f);
}

void rico__grid_sweep(const rico__grid *grid, const rico__volume_kernel *kernel,
                      const rico__cast_filter *filter, const rico__sweep_frame *frame,
                      uint32_t collider, rico__sweep_best *best)
{
    sweep_query q = {
        .grid = grid, .filter = filter, .frame = frame, .best = best, .collider = collider};
    make_probe(&q);
    uint32_t steps = rico__volume_walk(grid, kernel, &q.probe, test_triangle, &q);
    best->steps += steps;
}

/* --- the answer --- */

rico_sweep_hit rico__sweep_answer(const rico__sweep_frame *f, const rico__sweep_best *best)
{
    rico_sweep_hit hit = {.t = 1.0f, .triangle = RICO_NO_TRIANGLE, .steps = best->steps};
    if (best->collider == 0)
        return hit;
    double point[3] = {f->world[0], f->world[1], f->world[2]}, normal[3] = {0.0, 0.0, 0.0};
    double inner = __builtin_sqrt(rico__dot(best->normal, best->normal));
    for (int i = 0; i < 3; ++i) {
        rico__mad(point, f->axis[i], best->point[i] * f->radius[i], point);
        rico__mad(normal, f->axis[i], best->normal[i] / f->radius[i], normal);
    }
    double outer = __builtin_sqrt(rico__dot(normal, normal));
    hit.t = best->t;
    hit.collider = best->collider;
    hit.triangle = best->triangle;
    hit.overlaps = best->t == 0.0f && best->level <= 1.0f;
    hit.point = vec3((float)point[0], (float)point[1], (float)point[2]);
    hit.normal = vec3((float)(normal[0] / outer), (float)(normal[1] / outer),
                      (float)(normal[2] / outer));
    /* The plane through the point, at right angles to the normal, is moved out of the
     * ellipsoid. */
    hit.depth = (float)((1.0 - (double)best->level) * inner / outer);
    return hit;
}
