#include "ellipsoid.h"
#include "double3.h"

#define SECULAR_STEPS 48
#define ASCENT_STEPS 32

rico__ellipsoid rico__ellipsoid_of(const rico_sweep *sweep)
{
    double x = (double)sweep->rotation.x, y = (double)sweep->rotation.y;
    double z = (double)sweep->rotation.z, w = (double)sweep->rotation.w;
    double s = 2.0 / (x * x + y * y + z * z + w * w);
    rico__ellipsoid ellipsoid = {
        .center = {(double)sweep->center.x, (double)sweep->center.y, (double)sweep->center.z},
        .axis = {{1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)},
                 {s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)},
                 {s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)}},
        .radius = {(double)sweep->radii.x, (double)sweep->radii.y, (double)sweep->radii.z}};
    return ellipsoid;
}

bool rico__ellipsoid_is_ball(const rico__ellipsoid *e)
{
    return e->radius[0] == e->radius[1] && e->radius[1] == e->radius[2];
}

double rico__ellipsoid_reach(const rico__ellipsoid *e, const double u[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double along = e->radius[k] * rico__dot(e->axis[k], u);
        sum += along * along;
    }
    return __builtin_sqrt(sum);
}

/* A A' u: the gradient of |A u|, times |A u|. */
static void spread(const rico__ellipsoid *e, const double u[3], double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 3; ++k) {
        double along = e->radius[k] * e->radius[k] * rico__dot(e->axis[k], u);
        for (int j = 0; j < 3; ++j)
            out[j] += along * e->axis[k][j];
    }
}

void rico__ellipsoid_support(const rico__ellipsoid *e, const double u[3], double point[3])
{
    double reach = rico__ellipsoid_reach(e, u);
    spread(e, u, point);
    for (int k = 0; k < 3; ++k)
        point[k] = e->center[k] + point[k] / reach;
}

/* The ellipsoid seen along z: an ellipse in the xy plane, whose two half axes come first. They
 * follow from the eigenvectors of the upper left 2 x 2 part of A A'. */
static rico__ellipsoid shadow(const rico__ellipsoid *e)
{
    double xx = 0.0, xy = 0.0, yy = 0.0;
    for (int k = 0; k < 3; ++k) {
        double square = e->radius[k] * e->radius[k];
        xx += square * e->axis[k][0] * e->axis[k][0];
        xy += square * e->axis[k][0] * e->axis[k][1];
        yy += square * e->axis[k][1] * e->axis[k][1];
    }
    double half = 0.5 * (xx - yy), root = __builtin_sqrt(half * half + xy * xy);
    double large = 0.5 * (xx + yy) + root, small = (xx * yy - xy * xy) / large;
    double v[3] = {half >= 0.0 ? half + root : xy, half >= 0.0 ? xy : root - half, 0.0};
    if (!rico__normalize(v))
        v[0] = 1.0;
    rico__ellipsoid flat = {
        .center = {e->center[0], e->center[1], 0.0},
        .axis = {{v[0], v[1], 0.0}, {-v[1], v[0], 0.0}, {0.0, 0.0, 1.0}},
        .radius = {__builtin_sqrt(large), __builtin_sqrt(small > 0.0 ? small : 0.0), 0.0}};
    return flat;
}

/* The root of sum (b_k / (base_k + x))^2 = 1 above start, where the sum is at least 1 and
 * base_k + start > 0. One over the sum's root is concave (More and Sorensen 1983). So Newton's
 * steps on it come from the left, and are few: with one term it is a line. */
static double secular_root(const double b[3], const double base[3], int n, double start)
{
    double x = start;
    for (int step = 0; step < SECULAR_STEPS; ++step) {
        double sum = 0.0, slope = 0.0;
        for (int k = 0; k < n; ++k) {
            double term = b[k] / (base[k] + x);
            sum += term * term;
            slope += term * term / (base[k] + x);
        }
        double move = sum * (__builtin_sqrt(sum) - 1.0) / slope;
        if (!(move > 1.0e-15 * x))
            break;
        x += move;
    }
    return x;
}

/* u = sum of axis_k q_k / (base_k + x), scaled to length 1. */
static bool combine(const rico__ellipsoid *e, int n, const double q[3], const double base[3],
                    double x, double u[3])
{
    u[0] = u[1] = u[2] = 0.0;
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < 3; ++j)
            u[j] += e->axis[k][j] * (q[k] / (base[k] + x));
    return rico__normalize(u);
}

/* The direction from a point to the nearest one of the ellipsoid in n dimensions. `to` leads
 * from the point to the centre. Returns false when the point is inside. */
static bool nearest_direction(const rico__ellipsoid *e, int n, const double to[3], double u[3])
{
    double q[3], b[3], base[3], most = 0.0, inside = 0.0, length = 0.0;
    for (int k = 0; k < n; ++k) {
        if (!(e->radius[k] > 0.0))
            return false;
        q[k] = rico__dot(e->axis[k], to);
        b[k] = e->radius[k] * q[k];
        base[k] = e->radius[k] * e->radius[k];
        most = base[k] > most ? base[k] : most;
        inside += (q[k] / e->radius[k]) * (q[k] / e->radius[k]);
        length += b[k] * b[k];
    }
    if (!(inside > 1.0))
        return false;
    double start = __builtin_sqrt(length) - most;
    return combine(e, n, q, base, secular_root(b, base, n, start > 0.0 ? start : 0.0), u);
}

/* The direction from a point to the farthest one of the ellipsoid in n dimensions. There are
 * two if the point is in the plane of symmetry across the longest axis. Then the one towards
 * side * z is meant, and the point is moved out of the plane by too little to matter. */
static bool farthest_direction(const rico__ellipsoid *e, int n, const double to[3], double side,
                               double u[3])
{
    double q[3], b[3], base[3];
    int longest = 0;
    for (int k = 1; k < n; ++k)
        longest = e->radius[k] > e->radius[longest] ? k : longest;
    double most = e->radius[longest] * e->radius[longest];
    for (int k = 0; k < n; ++k) {
        q[k] = rico__dot(e->axis[k], to);
        double least = 1.0e-9 * e->radius[k];
        if (k == longest && __builtin_fabs(q[k]) < least)
            q[k] = side * e->axis[k][2] >= 0.0 ? least : -least;
        b[k] = e->radius[k] * q[k];
        base[k] = most - e->radius[k] * e->radius[k];
    }
    double start = __builtin_fabs(b[longest]);
    return combine(e, n, q, base, secular_root(b, base, n, start), u);
}

/* --- the two maxima --- */

/* sign -1: gap(u), +1: over(u). */
static double bound(const rico__ellipsoid *e, double half_length, double sign,
                    const double u[3])
{
    return rico__dot(u, e->center) + sign * rico__ellipsoid_reach(e, u) -
           half_length * __builtin_fabs(u[2]);
}

typedef struct maximum {
    const rico__ellipsoid *ellipsoid;
    double half_length, sign, value;
    double *u;
} maximum;

static void offer(maximum *best, bool valid, const double u[3])
{
    if (!valid)
        return;
    double value = bound(best->ellipsoid, best->half_length, best->sign, u);
    if (!(value > best->value))
        return;
    best->value = value;
    for (int k = 0; k < 3; ++k)
        best->u[k] = u[k];
}

/* At the maximum, u points to the segment's side (u.z = 0) or to one of its ends, so three
 * nearest points are enough. The direction towards the centre is for ellipsoids that lie too
 * deep to have any. */
double rico__ellipsoid_gap(const rico__ellipsoid *e, double half_length, double u[3])
{
    maximum best = {e, half_length, -1.0, -__builtin_inf(), u};
    const double *c = e->center;
    double z = c[2] > half_length ? half_length : (c[2] < -half_length ? -half_length : c[2]);
    double found[3] = {c[0], c[1], c[2] - z};
    if (!rico__normalize(found))
        found[half_length > 0.0 ? 0 : 2] = 1.0;
    offer(&best, true, found);
    for (double side = -1.0; side <= (half_length > 0.0 ? 1.0 : -1.0); side += 2.0) {
        const double to[3] = {c[0], c[1], c[2] - side * half_length};
        offer(&best, nearest_direction(e, 3, to, found), found);
    }
    if (half_length > 0.0) {
        rico__ellipsoid flat = shadow(e);
        offer(&best, nearest_direction(&flat, 2, flat.center, found), found);
    }
    return best.value;
}

/* over(u) is convex. So a step to the farthest point of the half ball (side * u.z >= 0) along
 * its gradient never lowers it. */
static void climb(maximum *best, double side, double u[3])
{
    const rico__ellipsoid *e = best->ellipsoid;
    for (int step = 0; step < ASCENT_STEPS; ++step) {
        double away[3], reach = rico__ellipsoid_reach(e, u);
        spread(e, u, away);
        for (int k = 0; k < 3; ++k)
            u[k] = e->center[k] + away[k] / reach;
        u[2] -= side * best->half_length;
        if (side * u[2] < 0.0)
            u[2] = 0.0;
        if (!rico__normalize(u))
            return;
    }
    offer(best, true, u);
}

/* Tries the farthest point from each end and from the segment's side. A lesser maximum may
 * count only where the farthest point from an end lies on the wrong side of it. Climbing from
 * the axes finds it. */
double rico__ellipsoid_over(const rico__ellipsoid *e, double half_length, double u[3])
{
    maximum best = {e, half_length, 1.0, -__builtin_inf(), u};
    const double *c = e->center;
    double found[3];
    for (double side = -1.0; side <= 1.0; side += 2.0) {
        const double to[3] = {c[0], c[1], c[2] - side * half_length};
        offer(&best, farthest_direction(e, 3, to, side, found), found);
        for (int k = 0; k < 6 && half_length > 0.0; ++k) {
            double sign = k < 3 ? side : -side;
            for (int j = 0; j < 3; ++j)
                found[j] = sign * e->axis[k % 3][j];
            if (side * found[2] < 0.0)
                found[2] = 0.0;
            if (rico__normalize(found))
                climb(&best, side, found);
        }
    }
    if (half_length > 0.0) {
        rico__ellipsoid flat = shadow(e);
        offer(&best, farthest_direction(&flat, 2, flat.center, 1.0, found), found);
    }
    return best.value;
}
