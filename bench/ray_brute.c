#include "ray_brute.h"

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
