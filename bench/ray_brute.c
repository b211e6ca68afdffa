#include "ray_brute.h"

#include <math.h>

typedef struct point3 {
    double x, y, z;
} point3;

static point3 cross(point3 a, point3 b)
{
    return (point3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(point3 a, point3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* A corner relative to the ray's origin. */
static point3 corner(const rico_mesh *mesh, const rico_ray *ray, uint32_t index)
{
    const float *p = mesh->positions + (size_t)index * 3;
    return (point3){(double)p[0] - (double)ray->origin.x, (double)p[1] - (double)ray->origin.y,
                    (double)p[2] - (double)ray->origin.z};
}

bool ray_brute_closest(const rico_mesh *mesh, const rico_ray *ray, double *t,
                       uint32_t *triangle)
{
    point3 d = {(double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z};
    double best = (double)ray->t_max;
    bool found = false;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *v = mesh->indices + (size_t)i * 3;
        point3 a = corner(mesh, ray, v[0]), b = corner(mesh, ray, v[1]);
        point3 c = corner(mesh, ray, v[2]);
        /* The volumes that the ray spans with the edges have one sign when it passes inside. */
        point3 bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
        double u = dot(bc, d), w = dot(ca, d), s = dot(ab, d), sum = u + w + s;
        bool inside = (u >= 0.0 && w >= 0.0 && s >= 0.0) || (u <= 0.0 && w <= 0.0 && s <= 0.0);
        if (!inside || sum == 0.0)
            continue;
        double at = (dot(bc, a) + dot(ca, a) + dot(ab, a)) / sum;
        if (at > 0.0 && at <= best) {
            best = at;
            found = true;
            if (triangle)
                *triangle = i;
        }
    }
    *t = best;
    return found;
}

/* --- Near triangles --- */

#define NEAR_SHARE 1.0e-5 /* of the largest coordinate: some 80 float steps */

/* Cuts what the ray has between lo and hi along one axis out of *begin..*end. */
static bool cut_axis(double direction, double lo, double hi, double *begin, double *end)
{
    if (direction == 0.0)
        return lo <= 0.0 && hi >= 0.0;
    double a = lo / direction, b = hi / direction;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
    return *begin <= *end;
}

static bool is_near(point3 a, point3 b, point3 c, const rico_ray *ray)
{
    point3 lo = {fmin(a.x, fmin(b.x, c.x)), fmin(a.y, fmin(b.y, c.y)),
                 fmin(a.z, fmin(b.z, c.z))};
    point3 hi = {fmax(a.x, fmax(b.x, c.x)), fmax(a.y, fmax(b.y, c.y)),
                 fmax(a.z, fmax(b.z, c.z))};
    double far = fmax(fmax(hi.x, -lo.x), fmax(fmax(hi.y, -lo.y), fmax(hi.z, -lo.z)));
    double more = NEAR_SHARE * far, begin = 0.0, end = (double)ray->t_max;
    return cut_axis((double)ray->direction.x, lo.x - more, hi.x + more, &begin, &end) &&
           cut_axis((double)ray->direction.y, lo.y - more, hi.y + more, &begin, &end) &&
           cut_axis((double)ray->direction.z, lo.z - more, hi.z + more, &begin, &end);
}

uint32_t ray_brute_near(const rico_mesh *mesh, const rico_ray *ray, uint32_t *triangles,
                        uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *v = mesh->indices + (size_t)i * 3;
        if (!is_near(corner(mesh, ray, v[0]), corner(mesh, ray, v[1]), corner(mesh, ray, v[2]),
                     ray))
            continue;
        if (count < capacity)
            triangles[count] = i;
        ++count;
    }
    return count;
}
