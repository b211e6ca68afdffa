#include "ray_triangle.h"
#include "vec.h"

#include <float.h>

bool rico__ray_frame_init(rico__ray_frame *frame, const rico_ray *ray)
{
    const float origin[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const float direction[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    float size[3];
    bool valid = true;
    for (uint32_t k = 0; k < 3; ++k) {
        frame->origin[k] = origin[k];
        frame->direction[k] = direction[k];
        size[k] = __builtin_fabsf(direction[k]);
        /* False for NaN. */
        valid &= __builtin_fabsf(origin[k]) <= RICO_RAY_MAX_ORIGIN;
        valid &= size[k] <= RICO_RAY_MAX_DIRECTION;
    }
    /* Takes the first of the largest, without branches, because nothing could predict them. */
    uint32_t y = size[1] > size[0];
    uint32_t z = size[2] > size[y];
    uint32_t kz = (y & (z - 1)) | z << 1;
    if (!valid || !(size[kz] >= RICO_RAY_MIN_DIRECTION) || !(ray->t_max > 0.0f))
        return false;
    frame->kz = kz;
    frame->kx = kz == 2 ? 0 : kz + 1;
    frame->ky = kz == 0 ? 2 : kz - 1;
    frame->shear_x = direction[frame->kx] / direction[kz];
    frame->shear_y = direction[frame->ky] / direction[kz];
    frame->t_max = ray->t_max < FLT_MAX ? ray->t_max : FLT_MAX;
    frame->ignore = ray->ignore;
    return true;
}

typedef struct normal64 {
    double x, y, z;
} normal64;

/* In double, the products of a sliver do not cancel to nothing. The edges are exact unless a
 * corner is 2^29 times farther out than the edge is long. */
static normal64 triangle_normal(const float *v)
{
    double ux = (double)v[3] - v[0], uy = (double)v[4] - v[1], uz = (double)v[5] - v[2];
    double vx = (double)v[6] - v[0], vy = (double)v[7] - v[1], vz = (double)v[8] - v[2];
    normal64 n = {uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
    return n;
}

bool rico__triangle_is_flat(const rico__triangle *triangle)
{
    normal64 n = triangle_normal(triangle->v);
    return n.x == 0.0 && n.y == 0.0 && n.z == 0.0;
}

void rico__ray_accept(float along, float t_max, const rico__ray_corners *corners, bool flat,
                      uint32_t id, rico__ray_best *best)
{
    const float *x = corners->x, *y = corners->y, *z = corners->z;
    double u = (double)x[2] * y[1] - (double)y[2] * x[1];
    double v = (double)x[0] * y[2] - (double)y[0] * x[2];
    double w = (double)x[1] * y[0] - (double)y[1] * x[0];
    double sum = u + v + w;
    bool inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    if (!inside || sum == 0.0)
        return;
    /* This is a weighted mean with weights of one sign, so nothing cancels but the z
     * themselves. On a shared edge one weight is zero, and the other two give both triangles
     * the same bits. */
    double t64 = (u * z[0] + v * z[1] + w * z[2]) / (sum * along);
    if (!(t64 >= 0.0) || !(t64 <= t_max))
        return;
    /* Compared after rounding. Otherwise the order of the tests would decide between hits that
     * round to the same t. */
    float t = (float)t64 + 0.0f; /* -0 becomes 0 */
    if (!(t < best->t) && !(t == best->t && id < best->id))
        return;
    /* A triangle without area has no normal: it is never hit, although its rounded corners may
     * have an area. */
    if (flat)
        return;
    best->t = t;
    best->id = id;
}

/* Above 0 where the two point the same way: the ray comes from behind. */
static double normal_along(normal64 n, rico_vec3 direction)
{
    return n.x * direction.x + n.y * direction.y + n.z * direction.z;
}

bool rico__ray_meets_back(const rico__triangles *triangles, uint32_t id, rico_vec3 direction)
{
    rico__triangle triangle = rico__triangle_at(triangles, id);
    return normal_along(triangle_normal(triangle.v), direction) > 0.0;
}

rico_hit rico__ray_hit(const rico_ray *ray, rico__ray_best best,
                       const rico__triangles *triangles, uint32_t steps)
{
    rico_hit hit = {.t = ray->t_max, .triangle = RICO_NO_TRIANGLE, .steps = steps};
    if (best.id == RICO_NO_TRIANGLE)
        return hit;
    rico__triangle triangle = rico__triangle_at(triangles, best.id);
    normal64 n = triangle_normal(triangle.v);
    double length = __builtin_sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    double along = normal_along(n, ray->direction);
    double scale = (along > 0.0 ? -1.0 : 1.0) / length;
    hit.t = best.t;
    hit.collider = triangle.collider;
    hit.triangle = triangle.triangle;
    hit.back_face = along > 0.0;
    hit.normal = vec3((float)(n.x * scale), (float)(n.y * scale), (float)(n.z * scale));
    return hit;
}
