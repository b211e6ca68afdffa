/* An ellipsoid that moves towards a sphere, capsule or plane. */
#include "double3.h"
#include "primitive.h"

#define SEARCH_STEPS 64
#define CLOSE_ENOUGH 1.0e-6 /* of the smallest radius, as a distance */

/* What stays the same along a motion. */
typedef struct course {
    rico__ellipsoid at; /* its centre moves */
    double start[3], motion[3];
    double radius, half_length; /* of the shape */
    double close_enough;        /* as a step of t */
} course;

static void go_to(course *c, double t)
{
    for (int k = 0; k < 3; ++k)
        c->at.center[k] = c->start[k] + t * c->motion[k];
}

static double gap_at(course *c, double t, double u[3])
{
    go_to(c, t);
    return rico__ellipsoid_gap(&c->at, c->half_length, u) - c->radius;
}

static double over_at(course *c, double t, double u[3])
{
    go_to(c, t);
    return rico__ellipsoid_over(&c->at, c->half_length, u) - c->radius;
}

/* The point of the surface whose outward normal is u. On a capsule that may be a whole line.
 * Then it is the point beside the ellipsoid, which is on the side * u of the line. */
static void touch(const course *c, const double u[3], double side, rico__contact *contact)
{
    double z = u[2] > 0.0 ? c->half_length : -c->half_length;
    if (__builtin_fabs(u[2]) < 1.0e-12) {
        double support[3], towards[3] = {-side * u[0], -side * u[1], -side * u[2]};
        rico__ellipsoid_support(&c->at, towards, support);
        z = support[2] < c->half_length ? support[2] : c->half_length;
        z = z > -c->half_length ? z : -c->half_length;
    }
    for (int k = 0; k < 3; ++k) {
        contact->point[k] = c->radius * u[k] + (k == 2 ? z : 0.0);
        contact->normal[k] = side * u[k];
    }
}

/* From outside. The gap is convex along the motion, and the gap of a separating plane is a line
 * below it. So Newton's steps come from before the contact and never pass it. */
static bool approach(course *c, double gap, rico__contact *contact, double u[3])
{
    double t = 0.0, step = __builtin_inf();
    for (int i = 0; i < SEARCH_STEPS && gap > 0.0 && step > c->close_enough; ++i) {
        double speed = rico__dot(u, c->motion);
        if (!(speed < 0.0))
            return false;
        step = gap / -speed;
        t += step;
        if (!(t <= 1.0))
            return false;
        gap = gap_at(c, t, u);
    }
    contact->t = t;
    touch(c, u, 1.0, contact);
    return true;
}

/* From inside. How far the ellipsoid reaches is convex along the motion. So a chord of that
 * function ends before the contact, and a tangent ends after it. */
static bool leave(course *c, double low, rico__contact *contact)
{
    double begin = 0.0, end = 1.0, u[3], v[3];
    double high = over_at(c, end, u);
    if (!(high >= 0.0))
        return false;
    for (int i = 0; i < SEARCH_STEPS && end - begin > c->close_enough; ++i) {
        double chord = begin + (end - begin) * (-low / (high - low));
        double value = over_at(c, chord, v);
        if (chord > begin && value <= 0.0) {
            begin = chord;
            low = value;
        }
        double speed = rico__dot(u, c->motion), tangent = end - high / speed;
        if (low >= 0.0 || !(tangent > begin && tangent < end))
            break;
        value = over_at(c, tangent, v);
        if (value < 0.0) { /* by rounding */
            begin = tangent;
            low = value;
            continue;
        }
        end = tangent;
        high = value;
        for (int k = 0; k < 3; ++k)
            u[k] = v[k];
    }
    contact->t = begin;
    go_to(c, begin);
    touch(c, u, -1.0, contact);
    return true;
}

static void overlap(course *c, double gap, double over, const double out[3], const double in[3],
                    rico__contact *contact)
{
    double z = c->start[2], square;
    z -= z > c->half_length ? c->half_length : (z < -c->half_length ? -c->half_length : z);
    square = c->start[0] * c->start[0] + c->start[1] * c->start[1] + z * z;
    bool outside = square >= c->radius * c->radius;
    contact->t = 0.0;
    contact->overlaps = true;
    contact->depth = outside ? -gap : over;
    contact->depth = contact->depth > 0.0 ? contact->depth : 0.0;
    go_to(c, 0.0);
    touch(c, outside ? out : in, outside ? 1.0 : -1.0, contact);
}

static bool sweep_any(course *c, rico__contact *contact)
{
    double out[3], in[3];
    double gap = gap_at(c, 0.0, out);
    if (gap > 0.0)
        return approach(c, gap, contact, out);
    double over = over_at(c, 0.0, in);
    if (over < 0.0)
        return leave(c, over, contact);
    overlap(c, gap, over, out, in, contact);
    return true;
}

/* A ball is a ray against a thicker or thinner shape. The direction of its centre serves both
 * sides. */
static bool sweep_ball(course *c, rico__contact *contact)
{
    double out[3], ball = c->at.radius[0];
    double gap = gap_at(c, 0.0, out), over = gap + 2.0 * ball;
    if (gap <= 0.0 && over >= 0.0) {
        overlap(c, gap, over, out, out, contact);
        return true;
    }
    bool outside = gap > 0.0;
    if (rico__dot(c->motion, c->motion) == 0.0)
        return false;
    rico__interval hit = rico__capsule_cross(
        c->start, c->motion, outside ? c->radius + ball : c->radius - ball, c->half_length);
    double t = outside ? hit.begin : hit.end;
    if (!(hit.begin <= hit.end) || !(t <= 1.0) || !(outside ? t >= 0.0 : true))
        return false;
    contact->t = t > 0.0 ? t : 0.0;
    gap_at(c, contact->t, out);
    touch(c, out, outside ? 1.0 : -1.0, contact);
    return true;
}

static bool sweep_plane(const course *c, rico__contact *contact)
{
    const double z = c->start[2], side = z < 0.0 ? -1.0 : 1.0;
    const double down[3] = {0.0, 0.0, -side};
    double reach = rico__ellipsoid_reach(&c->at, down), gap = z * side - reach;
    contact->overlaps = gap <= 0.0;
    contact->depth = gap <= 0.0 ? -gap : 0.0;
    double speed = -side * c->motion[2];
    contact->t = gap <= 0.0 ? 0.0 : (speed > 0.0 ? gap / speed : 2.0);
    if (!(contact->t <= 1.0))
        return false;
    rico__ellipsoid_support(&c->at, down, contact->point);
    for (int k = 0; k < 3; ++k)
        contact->point[k] += contact->t * c->motion[k];
    contact->point[2] = 0.0;
    contact->normal[0] = contact->normal[1] = 0.0;
    contact->normal[2] = side;
    return true;
}

bool rico__primitive_sweep(const rico__primitive *primitive, const rico__ellipsoid *ellipsoid,
                           const double motion[3], rico__contact *contact)
{
    course c = {.at = *ellipsoid, .radius = (double)primitive->radius};
    double least = ellipsoid->radius[0];
    for (int k = 0; k < 3; ++k) {
        c.start[k] = ellipsoid->center[k];
        c.motion[k] = motion[k];
        least = ellipsoid->radius[k] < least ? ellipsoid->radius[k] : least;
    }
    *contact = (rico__contact){.t = 1.0};
    if (primitive->kind == RICO_SHAPE_PLANE)
        return sweep_plane(&c, contact);
    if (primitive->kind == RICO_SHAPE_CAPSULE)
        c.half_length = (double)primitive->half_length;
    double way = __builtin_sqrt(rico__dot(motion, motion));
    c.close_enough = way > 0.0 ? CLOSE_ENOUGH * least / way : 1.0;
    return rico__ellipsoid_is_ball(ellipsoid) ? sweep_ball(&c, contact)
                                              : sweep_any(&c, contact);
}
