#include "triangle.h"
#include "vec.h"

/* More than the rounding of the few double operations behind each comparison. */
#define SLACK 1.0e-13

static inline rico_box bounds_of(const float *a, const float *b, const float *c)
{
    rico_vec3 p = vec3(a[0], a[1], a[2]);
    rico_vec3 q = vec3(b[0], b[1], b[2]);
    rico_vec3 r = vec3(c[0], c[1], c[2]);
    rico_box box = {vec3_min(p, vec3_min(q, r)), vec3_max(p, vec3_max(q, r))};
    return box;
}

rico_box rico__triangle_bounds(const rico__triangle *triangle)
{
    const float *v = triangle->v;
    return bounds_of(v, v + 3, v + 6);
}

static double magnitude(double x)
{
    return __builtin_fabs(x);
}

static double most(double a, double b, double c)
{
    double m = a > b ? a : b;
    return m > c ? m : c;
}

/* The axis is box axis x edge, and p, q are the two components that are left. The edge's two
 * ends have the same projection, so two vertices decide. half: half sizes of the box; d0, d1:
 * projections. reach: the largest coordinate, which bounds the rounding of the projections. */
static bool separates(double d0, double d1, double edge_p, double edge_q, double half_p,
                      double half_q, double reach)
{
    double lo = d0 < d1 ? d0 : d1;
    double hi = d0 < d1 ? d1 : d0;
    double weight = magnitude(edge_p) + magnitude(edge_q);
    double radius = half_p * magnitude(edge_q) + half_q * magnitude(edge_p);
    radius += SLACK * weight * reach;
    return lo > radius || hi < -radius;
}

/* p and q: the two axes other than the box axis. a-b is the edge; c is the third vertex. This
 * and its callers are written out, because compilers do not unroll counted loops over three
 * axes. */
static inline bool axis_separates(const double a[3], const double b[3], const double c[3],
                                  const double half[3], double reach, int p, int q)
{
    double edge_p = b[p] - a[p], edge_q = b[q] - a[q];
    double d0 = edge_p * a[q] - edge_q * a[p];
    double d1 = edge_p * c[q] - edge_q * c[p];
    return separates(d0, d1, edge_p, edge_q, half[p], half[q], reach);
}

/* Tests the three axes (box axis x edge a-b). */
static bool edge_separates(const double a[3], const double b[3], const double c[3],
                           const double half[3], double reach)
{
    return axis_separates(a, b, c, half, reach, 1, 2) ||
           axis_separates(a, b, c, half, reach, 2, 0) ||
           axis_separates(a, b, c, half, reach, 0, 1);
}

/* Sums over the coordinates of the normal. Each comes from the components p and q of two
 * sides. */
typedef struct plane_sums {
    double distance, radius, weight;
} plane_sums;

static inline void add_axis(plane_sums *sums, const double a[3], const double b[3],
                            const double c[3], const double half[3], int axis, int p, int q)
{
    double up = b[p] - a[p], uq = b[q] - a[q];
    double vp = c[p] - a[p], vq = c[q] - a[q];
    double normal = up * vq - uq * vp;
    sums->distance += normal * a[axis];
    sums->radius += magnitude(normal) * half[axis];
    sums->weight += magnitude(up * vq) + magnitude(uq * vp);
}

static bool plane_separates(const double a[3], const double b[3], const double c[3],
                            const double half[3], double reach)
{
    plane_sums sums = {0.0, 0.0, 0.0};
    add_axis(&sums, a, b, c, half, 0, 1, 2);
    add_axis(&sums, a, b, c, half, 1, 2, 0);
    add_axis(&sums, a, b, c, half, 2, 0, 1);
    return magnitude(sums.distance) > sums.radius + SLACK * sums.weight * reach;
}

bool rico__corners_touch_box(const float *const corner[3], const rico_box *box)
{
    rico_box bounds = bounds_of(corner[0], corner[1], corner[2]);
    if (bounds.hi.x < box->lo.x || bounds.lo.x > box->hi.x || bounds.hi.y < box->lo.y ||
        bounds.lo.y > box->hi.y || bounds.hi.z < box->lo.z || bounds.lo.z > box->hi.z)
        return false;
    if (bounds.lo.x >= box->lo.x && bounds.hi.x <= box->hi.x && bounds.lo.y >= box->lo.y &&
        bounds.hi.y <= box->hi.y && bounds.lo.z >= box->lo.z && bounds.hi.z <= box->hi.z)
        return true;
    /* Whatever is beyond the triangle's own box does not matter, but would cost digits: a box
     * of 1e30 m would touch everything that its bounds touch. */
    rico_box part = {vec3_max(box->lo, bounds.lo), vec3_min(box->hi, bounds.hi)};
    const double lo[3] = {part.lo.x, part.lo.y, part.lo.z};
    const double hi[3] = {part.hi.x, part.hi.y, part.hi.z};
    double a[3], b[3], c[3], half[3], reach = 0.0;
    for (int k = 0; k < 3; ++k) {
        double centre = (lo[k] + hi[k]) * 0.5;
        half[k] = (hi[k] - lo[k]) * 0.5;
        a[k] = corner[0][k] - centre;
        b[k] = corner[1][k] - centre;
        c[k] = corner[2][k] - centre;
        double far = most(magnitude(a[k]), magnitude(b[k]), magnitude(c[k]));
        reach = most(reach, far, magnitude(centre) + half[k]);
    }
    return !plane_separates(a, b, c, half, reach) && !edge_separates(a, b, c, half, reach) &&
           !edge_separates(b, c, a, half, reach) && !edge_separates(c, a, b, half, reach);
}

bool rico__triangle_touches_box(const rico__triangle *triangle, const rico_box *box)
{
    const float *v = triangle->v, *const corner[3] = {v, v + 3, v + 6};
    return rico__corners_touch_box(corner, box);
}
