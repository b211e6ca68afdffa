#include "triangle_near.h"

#include <string.h>

/* The height of a triangle over its longest edge, as a share of that edge, below which its
 * normal is noise. */
#define FLATTEST 1.0e-13

/* The plane of a triangle: normal . p = offset. */
typedef struct face64 {
    double edge[3][3]; /* b - a, c - b, a - c */
    double normal[3], offset;
} face64;

static void take_edges(const rico__corners *c, face64 *f)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            f->edge[i][k] = c->p[(i + 1) % 3][k] - c->p[i][k];
}

/* The cross product of a sliver errs along its longest edge, where a small angle moves the
 * plane far. So the part that is not at right angles to that edge is removed. The offset is
 * taken at one end of that edge. */
static bool take_plane(const rico__corners *c, face64 *f)
{
    double square[3];
    for (int i = 0; i < 3; ++i)
        square[i] = rico__dot(f->edge[i], f->edge[i]);
    int longest = square[1] > square[0] ? 1 : 0;
    longest = square[2] > square[longest] ? 2 : longest;
    const double *e = f->edge[longest];
    rico__cross(f->edge[(longest + 1) % 3], f->edge[(longest + 2) % 3], f->normal);
    if (!(square[longest] > 0.0))
        return false;
    rico__mad(f->normal, e, -rico__dot(f->normal, e) / square[longest], f->normal);
    double length = __builtin_sqrt(rico__dot(f->normal, f->normal));
    if (!(length > FLATTEST * square[longest]))
        return false;
    for (int k = 0; k < 3; ++k)
        f->normal[k] /= length;
    f->offset = rico__dot(f->normal, c->p[longest]);
    return true;
}

bool rico__corners_normal(const rico__corners *corners, double normal[3])
{
    face64 face;
    take_edges(corners, &face);
    bool valid = take_plane(corners, &face);
    memcpy(normal, face.normal, sizeof face.normal);
    return valid;
}

/* Whether a point of the plane is in the triangle. */
static bool is_inside(const rico__corners *c, const face64 *f, const double point[3])
{
    for (int i = 0; i < 3; ++i) {
        double from[3], across[3];
        rico__mad(point, c->p[i], -1.0, from);
        rico__cross(f->edge[i], from, across);
        if (!(rico__dot(across, f->normal) >= 0.0))
            return false;
    }
    return true;
}

/* Sets *best and the point if the segment's nearest point to the origin has a smaller squared
 * distance. */
static void nearest_on_edge(const double a[3], const double b[3], const double edge[3],
                            double *best, double point[3])
{
    double along = -rico__dot(a, edge), square = rico__dot(edge, edge), q[3];
    if (along <= 0.0)
        memcpy(q, a, sizeof q);
    else if (along >= square)
        memcpy(q, b, sizeof q);
    else
        rico__mad(a, edge, along / square, q);
    double distance = rico__dot(q, q);
    if (!(distance < *best))
        return;
    *best = distance;
    memcpy(point, q, sizeof q);
}

double rico__corners_nearest(const rico__corners *c, double point[3])
{
    face64 face;
    take_edges(c, &face);
    if (take_plane(c, &face)) {
        for (int k = 0; k < 3; ++k)
            point[k] = face.normal[k] * face.offset;
        if (is_inside(c, &face, point))
            return __builtin_fabs(face.offset);
    }
    double best = __builtin_inf();
    memcpy(point, c->p[0], sizeof c->p[0]);
    for (int i = 0; i < 3; ++i)
        nearest_on_edge(c->p[i], c->p[(i + 1) % 3], face.edge[i], &best, point);
    return __builtin_sqrt(best);
}

/* The time at which a point that starts at 0 and moves by `motion` first comes within 1 of p:
 * |p - t motion| = 1. Negative: never. p is farther away than 1. Both vectors are at right
 * angles to the same direction, or to none. A cross product, and not a difference of squares,
 * gives the distance at which the point passes p: that keeps its digits when p is far away. */
static double time_within(const double p[3], const double motion[3])
{
    double square = rico__dot(motion, motion), along = rico__dot(p, motion), across[3];
    if (!(along > 0.0))
        return -1.0;
    rico__cross(p, motion, across);
    double under = square - rico__dot(across, across);
    if (!(under >= 0.0))
        return -1.0;
    double apart = rico__dot(p, p) - 1.0;
    double t = apart / (along + __builtin_sqrt(under));
    return t > 0.0 ? t : 0.0;
}

typedef struct first64 {
    double t;
    double *point;
} first64;

static void sweep_corner(const double p[3], const double motion[3], first64 *first)
{
    double t = time_within(p, motion);
    if (t < 0.0 || !(t < first->t))
        return;
    first->t = t;
    memcpy(first->point, p, 3 * sizeof *p);
}

/* Sweeps to the cylinder around the edge. If the start is inside it, it is beyond the edge's
 * ends: then corners are met first. */
static void sweep_edge(const double a[3], const double edge[3], const double motion[3],
                       first64 *first)
{
    double square = rico__dot(edge, edge), p[3], m[3];
    if (!(square > 0.0))
        return;
    rico__mad(a, edge, -rico__dot(a, edge) / square, p);
    rico__mad(motion, edge, -rico__dot(motion, edge) / square, m);
    if (!(rico__dot(p, p) > 1.0))
        return;
    double t = time_within(p, m);
    if (t < 0.0 || !(t < first->t))
        return;
    double center[3];
    rico__mad(a, motion, -t, center);
    double along = -rico__dot(center, edge);
    if (along < 0.0 || along > square)
        return;
    first->t = t;
    rico__mad(a, edge, along / square, first->point);
}

/* If the plane is first touched inside the triangle, nothing of the triangle can be touched
 * before. */
static bool sweep_face(const rico__corners *c, const face64 *f, const double motion[3],
                       double *t, double point[3])
{
    double side = f->offset > 0.0 ? 1.0 : -1.0;
    double apart = side * f->offset - 1.0, closing = side * rico__dot(f->normal, motion);
    if (!(apart >= 0.0) || !(closing > 0.0) || !(apart <= closing))
        return false;
    *t = apart / closing;
    for (int k = 0; k < 3; ++k)
        point[k] = motion[k] * *t + f->normal[k] * side;
    return is_inside(c, f, point);
}

bool rico__corners_sweep(const rico__corners *c, const double motion[3], double *t,
                         double point[3])
{
    face64 face;
    take_edges(c, &face);
    if (take_plane(c, &face) && sweep_face(c, &face, motion, t, point))
        return true;
    /* Beyond the end, so that a contact at exactly 1 counts. */
    first64 first = {__builtin_inf(), point};
    for (int i = 0; i < 3; ++i) {
        sweep_edge(c->p[i], face.edge[i], motion, &first);
        sweep_corner(c->p[i], motion, &first);
    }
    *t = first.t;
    return first.t <= 1.0;
}

bool rico__rotation_axes(rico_quat q, double axis[3][3])
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double square = x * x + y * y + z * z + w * w;
    /* Squared lengths from 0.998 to 1.002, as floats, are legal in transforms. The range here
     * is a little wider, so that all of these pass. */
    if (!(square > 0.9979 && square < 1.0021))
        return false;
    double s = 2.0 / square;
    const double rows[3][3] = {
        {1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)},
        {s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)},
        {s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)}};
    memcpy(axis, rows, sizeof rows);
    return true;
}
