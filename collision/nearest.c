#include "nearest.h"
#include "filter.h"
#include "vec.h"

#include <float.h>
#include <string.h>

#define POINT_MAX 1.0e9

static const double no_turn[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

bool rico__nearest_frame_init(rico__nearest_frame *f, rico_vec3 point, float radius,
                              uint32_t ignore)
{
    const double world[3] = {(double)point.x, (double)point.y, (double)point.z};
    bool valid = radius > 0.0f;
    for (int k = 0; k < 3; ++k) {
        f->world[k] = f->center[k] = world[k];
        valid = valid && __builtin_fabs(world[k]) <= POINT_MAX; /* false for NaN */
    }
    f->radius = radius < FLT_MAX ? radius : FLT_MAX;
    f->ignore = ignore;
    f->scale = 1.0;
    memcpy(f->matrix, no_turn, sizeof no_turn);
    return valid;
}

void rico__nearest_frame_place(rico__nearest_frame *f, const rico_transform *place)
{
    const double at[3] = {(double)place->position.x, (double)place->position.y,
                          (double)place->position.z};
    double turn[3][3], apart[3];
    if (!rico__rotation_axes(place->rotation, turn))
        return; /* a valid transform has axes */
    f->scale = (double)place->scale;
    rico__mad(f->world, at, -1.0, apart);
    for (int i = 0; i < 3; ++i) {
        f->center[i] = rico__dot(turn[i], apart) / f->scale;
        for (int k = 0; k < 3; ++k)
            f->matrix[i][k] = turn[k][i] * f->scale;
    }
}

rico__nearest_best rico__nearest_none(const rico__nearest_frame *frame)
{
    return (rico__nearest_best){.distance = frame->radius, .triangle = RICO_NO_TRIANGLE};
}

typedef struct nearest_query {
    const rico__grid *grid;
    const rico__cast_filter *filter;
    const rico__nearest_frame *frame;
    rico__nearest_best *best;
    rico__probe probe;
    uint32_t collider;
} nearest_query;

/* In the grid's metres. It is a little larger, so that all triangles with distances that are
 * equal as floats are tested. */
static float key_limit(const nearest_query *q)
{
    double limit = (double)q->best->distance * (1.0 + 0x1p-20) / q->frame->scale;
    return limit < 1.0e38 ? (float)limit + FLT_MIN : 1.0e38f;
}

static void corners_of(const nearest_query *q, uint32_t id, rico__corners *corners)
{
    const rico__nearest_frame *f = q->frame;
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

/* The front of a triangle that has an area. For a sliver it may be noise. */
static void front_of(const rico__corners *corners, double normal[3])
{
    if (rico__corners_normal(corners, normal))
        return;
    double length = __builtin_sqrt(rico__dot(normal, normal));
    for (int k = 0; k < 3; ++k)
        normal[k] = length > 0.0 ? normal[k] / length : (double)(k == 2);
}

static void test_triangle(void *query, uint32_t id, float key)
{
    (void)key;
    nearest_query *q = query;
    const rico__triangles *triangles = &q->grid->triangles;
    if (!rico__filter_passes(q->filter, triangles, id, q->frame->ignore))
        return;
    rico__corners corners;
    rico__nearest_best found;
    const rico__face *face = &triangles->faces[id];
    corners_of(q, id, &corners);
    found.distance = (float)rico__corners_nearest(&corners, found.point);
    found.collider = q->collider;
    if (found.collider == 0)
        found.collider = rico__face_vertex(triangles, face, 0)->collider;
    found.triangle = face->triangle;
    if (!(found.distance <= q->best->distance) ||
        !rico__nearest_is_better(q->best, found.distance, found.collider, found.triangle))
        return;
    front_of(&corners, found.normal);
    found.back_face = rico__dot(found.normal, corners.p[0]) > 0.0;
    if (found.back_face && q->filter != NULL && q->filter->skip_back_faces)
        return;
    *q->best = found;
    q->probe.limit = key_limit(q);
}

void rico__grid_nearest(const rico__grid *grid, const rico__volume_kernel *kernel,
                        const rico__cast_filter *filter, const rico__nearest_frame *frame,
                        uint32_t collider, rico__nearest_best *best)
{
    nearest_query q = {
        .grid = grid, .filter = filter, .frame = frame, .best = best, .collider = collider};
    memcpy(q.probe.center, frame->center, sizeof frame->center);
    q.probe.limit = key_limit(&q);
    q.probe.sweeps = false;
    rico__volume_walk(grid, kernel, &q.probe, test_triangle, &q);
}

rico_nearest rico__nearest_answer(const rico__nearest_frame *f, const rico__nearest_best *best)
{
    rico_nearest answer = {.distance = best->distance, .triangle = RICO_NO_TRIANGLE};
    if (best->collider == 0)
        return answer;
    answer.collider = best->collider;
    answer.triangle = best->triangle;
    answer.back_face = best->back_face;
    answer.point =
        vec3((float)(f->world[0] + best->point[0]), (float)(f->world[1] + best->point[1]),
             (float)(f->world[2] + best->point[2]));
    answer.normal =
        vec3((float)best->normal[0], (float)best->normal[1], (float)best->normal[2]);
    return answer;
}
