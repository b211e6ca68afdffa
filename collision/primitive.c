#include "primitive.h"
#include "ray_triangle.h"
#include "vec.h"

#include <float.h>

/* More than the rounding of the few operations behind a comparison. */
#define SLACK 1.0e-13

static double half_length_of(const rico__primitive *primitive)
{
    return primitive->kind == RICO_SHAPE_CAPSULE ? (double)primitive->half_length : 0.0;
}

static double clamp(double x, double lo, double hi)
{
    return x > lo ? (x < hi ? x : hi) : lo;
}

/* The vector from the segment's nearest point to p. Returns its length. */
static double from_segment(double half_length, const double p[3], double out[3])
{
    out[0] = p[0];
    out[1] = p[1];
    out[2] = p[2] - clamp(p[2], -half_length, half_length);
    return __builtin_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

/* --- rays --- */

typedef rico__interval interval;

static const interval nothing = {1.0, -1.0};

static interval everything(bool where)
{
    interval all = {-__builtin_inf(), __builtin_inf()};
    return where ? all : nothing;
}

/* Where |o + t d| <= radius, in n dimensions. The discriminant comes from the point closest to
 * the centre: so it keeps its digits when the origin is far away. The second root comes from
 * the first: so it keeps its digits when the origin is near the surface, and is exactly 0 on it
 * (Haines et al., Ray Tracing Gems 7). */
static interval cross_ball(const double *o, const double *d, int n, double radius)
{
    double a = 0.0, b = 0.0, c = -radius * radius, off = 0.0;
    for (int k = 0; k < n; ++k) {
        a += d[k] * d[k];
        b += o[k] * d[k];
        c += o[k] * o[k];
    }
    if (a == 0.0)
        return everything(c <= 0.0);
    double middle = -b / a;
    for (int k = 0; k < n; ++k)
        off += (o[k] + middle * d[k]) * (o[k] + middle * d[k]);
    double inside = radius * radius - off;
    if (!(inside >= 0.0))
        return nothing;
    double root = __builtin_sqrt(a * inside);
    double q = b < 0.0 ? root - b : -b - root;
    interval hit = {middle, middle}; /* also where rounding leaves nothing between the two */
    double begin = b < 0.0 ? c / q : q / a;
    double end = b < 0.0 ? q / a : c / q;
    if (q != 0.0 && begin < end)
        hit = (interval){begin, end};
    return hit;
}

static interval cross_slab(double o, double d, double half)
{
    if (d == 0.0)
        return everything(__builtin_fabs(o) <= half);
    double down = (-half - o) / d, up = (half - o) / d;
    return (interval){down < up ? down : up, down < up ? up : down};
}

static interval joined(interval a, interval b)
{
    if (a.begin > a.end)
        return b;
    if (b.begin > b.end)
        return a;
    return (interval){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

/* A capsule is convex, so what a line has in common with its three parts is in one piece. The
 * piece is taken from all three, so there is no seam between them to slip through. */
interval rico__capsule_cross(const double o[3], const double d[3], double radius, double half)
{
    if (half <= 0.0)
        return cross_ball(o, d, 3, radius);
    const double low[3] = {o[0], o[1], o[2] + half}, high[3] = {o[0], o[1], o[2] - half};
    interval caps = joined(cross_ball(low, d, 3, radius), cross_ball(high, d, 3, radius));
    interval pipe = cross_ball(o, d, 2, radius), slab = cross_slab(o[2], d[2], half);
    interval middle = {pipe.begin > slab.begin ? pipe.begin : slab.begin,
                       pipe.end < slab.end ? pipe.end : slab.end};
    return joined(middle.begin <= middle.end ? middle : nothing, caps);
}

static bool cast_plane(const double origin[3], const double direction[3], double *t,
                       double normal[3], bool *back_face)
{
    if (direction[2] == 0.0)
        return false;
    *back_face = direction[2] > 0.0;
    *t = -origin[2] / direction[2];
    normal[0] = normal[1] = 0.0;
    normal[2] = *back_face ? -1.0 : 1.0;
    return *t >= 0.0;
}

bool rico__primitive_cast(const rico__primitive *primitive, const double origin[3],
                          const double direction[3], double t_max, double *t, double normal[3],
                          bool *back_face)
{
    if (primitive->kind == RICO_SHAPE_PLANE)
        return cast_plane(origin, direction, t, normal, back_face) && *t <= t_max;
    double half = half_length_of(primitive), at[3], away[3];
    interval hit = rico__capsule_cross(origin, direction, (double)primitive->radius, half);
    if (!(hit.begin <= hit.end) || !(hit.end >= 0.0))
        return false;
    *back_face = !(hit.begin >= 0.0);
    *t = *back_face ? hit.end : hit.begin;
    if (!(*t <= t_max))
        return false;
    for (int k = 0; k < 3; ++k)
        at[k] = origin[k] + *t * direction[k];
    double scale = (*back_face ? -1.0 : 1.0) / from_segment(half, at, away);
    for (int k = 0; k < 3; ++k)
        normal[k] = away[k] * scale;
    return true;
}

bool rico__primitive_raycast(const rico__primitive *primitive, const rico_ray *ray, float *t,
                             rico_vec3 *normal, bool *back_face)
{
    rico__ray_frame frame;
    if (!rico__ray_frame_init(&frame, ray))
        return false;
    const double origin[3] = {(double)ray->origin.x, (double)ray->origin.y,
                              (double)ray->origin.z};
    const double direction[3] = {(double)ray->direction.x, (double)ray->direction.y,
                                 (double)ray->direction.z};
    double t64, n[3];
    if (!rico__primitive_cast(primitive, origin, direction, (double)frame.t_max, &t64, n,
                              back_face))
        return false;
    *t = (float)t64 + 0.0f; /* -0 becomes 0 */
    *normal = vec3((float)n[0], (float)n[1], (float)n[2]);
    return true;
}

/* --- points --- */

static rico__primitive_nearest nearest_of_plane(const double p[3])
{
    return (rico__primitive_nearest){.distance = __builtin_fabs(p[2]),
                                     .point = {p[0], p[1], 0.0},
                                     .normal = {0.0, 0.0, 1.0},
                                     .behind = p[2] < 0.0};
}

rico__primitive_nearest rico__primitive_nearest_to(const rico__primitive *primitive,
                                                   const double p[3])
{
    if (primitive->kind == RICO_SHAPE_PLANE)
        return nearest_of_plane(p);
    double half = half_length_of(primitive), radius = (double)primitive->radius, away[3];
    double length = from_segment(half, p, away);
    rico__primitive_nearest nearest = {.distance = __builtin_fabs(length - radius),
                                       .behind = length < radius};
    if (length == 0.0)
        nearest.normal[half > 0.0 ? 0 : 2] = 1.0;
    for (int k = 0; k < 3; ++k) {
        if (length > 0.0)
            nearest.normal[k] = away[k] / length;
        nearest.point[k] = (p[k] - away[k]) + radius * nearest.normal[k];
    }
    return nearest;
}

/* --- boxes --- */

/* Adds the squares of the least and the largest |x| for x in lo..hi, after the interval
 * -half..half has shrunk to nothing. */
static void reach_of(double lo, double hi, double half, double *least, double *most)
{
    double near = lo > half ? lo - half : (hi < -half ? -half - hi : 0.0);
    double low = __builtin_fabs(lo - clamp(lo, -half, half));
    double high = __builtin_fabs(hi - clamp(hi, -half, half));
    *least += near * near;
    *most += low > high ? low * low : high * high;
}

/* The distance from the segment is convex, so it is largest in a corner. */
bool rico__primitive_touches_box(const rico__primitive *primitive, const rico_box *box)
{
    if (primitive->kind == RICO_SHAPE_PLANE)
        return box->lo.z <= 0.0f && box->hi.z >= 0.0f;
    double least = 0.0, most = 0.0, half = half_length_of(primitive);
    double radius = (double)primitive->radius, square = radius * radius;
    reach_of((double)box->lo.x, (double)box->hi.x, 0.0, &least, &most);
    reach_of((double)box->lo.y, (double)box->hi.y, 0.0, &least, &most);
    reach_of((double)box->lo.z, (double)box->hi.z, half, &least, &most);
    double slack = SLACK * radius * (radius + half);
    return least <= square + slack + SLACK * least && most >= square - slack;
}

/* The float above the sum of two numbers that are not negative, or a larger float. */
static float rounded_up(float a, float b)
{
    return (a + b) * (1.0f + 2.0f * FLT_EPSILON);
}

rico_box rico__primitive_bounds(const rico__primitive *primitive)
{
    rico_vec3 reach = vec3(FLT_MAX, FLT_MAX, 0.0f);
    if (primitive->kind != RICO_SHAPE_PLANE) {
        float radius = primitive->radius;
        reach = vec3(radius, radius, radius);
        if (primitive->kind == RICO_SHAPE_CAPSULE)
            reach.z = rounded_up(radius, primitive->half_length);
    }
    return (rico_box){vec3_neg(reach), reach};
}

void rico__primitive_plane_triangles(const rico_box *box, float corners[2][9])
{
    const float x[4] = {box->lo.x, box->hi.x, box->hi.x, box->lo.x};
    const float y[4] = {box->lo.y, box->lo.y, box->hi.y, box->hi.y};
    static const uint8_t order[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
            corners[i][3 * j] = x[order[i][j]];
            corners[i][3 * j + 1] = y[order[i][j]];
            corners[i][3 * j + 2] = 0.0f;
        }
}
