/* ray_triangle.h - the one test that decides what a ray hits.
 *
 * The test follows Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013).
 * Vertices are taken relative to the ray's origin and sheared, so that the ray becomes an axis.
 * Then it asks whether the 2D origin lies in a 2D triangle. A vertex's rounded place depends on
 * the vertex and the ray only. So triangles that share the vertex share the rounding. And the
 * sign of an edge function of rounded places is exact:
 * - Products of floats that are rounded to float keep their order. So a float difference of two
 *   has the true sign or is zero: opposite non-zero signs reject, and never wrongly.
 * - What is left is decided in double, where the products are exact. Zero counts as inside on
 *   both sides.
 *
 * Hence no ray passes between triangles that share an edge or a vertex, with no tolerance
 * anywhere. And the hit is the exact one of a triangle whose corners were moved by at most 6 x
 * 2^-24 of their largest distance from the origin. The grid's padding builds on that number. No
 * determinant is too small: a triangle seen nearly edge-on still has exact signs.
 *
 * The test uses only float + - * with contraction off. So every kernel that rejects by the same
 * float expressions and accepts through rico__ray_accept gives the same bits.
 */
#ifndef RICO_RAY_TRIANGLE_H
#define RICO_RAY_TRIANGLE_H

#include "triangle.h"

#include <ricochet/scene_query.h>

/* The largest coordinate of an origin, and the range of a direction's largest component, for
 * which nothing here overflows. Outside of these, a ray hits nothing. */
#define RICO_RAY_MAX_ORIGIN 1.0e9f
#define RICO_RAY_MIN_DIRECTION 1.0e-30f
#define RICO_RAY_MAX_DIRECTION 1.0e30f

typedef struct rico__ray_frame {
    float origin[3];        /* world */
    float direction[3];     /* world, as given */
    uint32_t kx, ky, kz;    /* kz: the direction's largest axis (the first of equals) */
    float shear_x, shear_y; /* direction[kx] / direction[kz], in -1..1 */
    float t_max;            /* finite */
    uint32_t ignore;        /* as in rico_ray */
} rico__ray_frame;

/* The best hit so far. Starts as {t_max, RICO_NO_TRIANGLE}. */
typedef struct rico__ray_best {
    float t;
    uint32_t id;
} rico__ray_best;

/* False when the ray hits nothing by contract. */
bool rico__ray_frame_init(rico__ray_frame *frame, const rico_ray *ray);

/* The sheared triangle: x, y per vertex in the ray's plane; z along the ray's largest axis. */
typedef struct rico__ray_corners {
    float x[3], y[3], z[3];
} rico__ray_corners;

/* The second half of the test, in double. best takes the hit when (t, id) is smaller. along:
 * the direction's largest component. */
void rico__ray_accept(float along, float t_max, const rico__ray_corners *corners, bool flat,
                      uint32_t id, rico__ray_best *best);

static inline void rico__ray_test(const rico__ray_frame *frame,
                                  const rico__triangles *triangles, uint32_t id,
                                  rico__ray_best *best)
{
    const rico__face *face = &triangles->faces[id];
    const float *a = rico__face_vertex(triangles, face, 0)->at;
    const float *b = rico__face_vertex(triangles, face, 1)->at;
    const float *c = rico__face_vertex(triangles, face, 2)->at;
    uint32_t kx = frame->kx, ky = frame->ky, kz = frame->kz;
    float ox = frame->origin[kx], oy = frame->origin[ky], oz = frame->origin[kz];
    float az = a[kz] - oz, bz = b[kz] - oz, cz = c[kz] - oz;
    float ax = (a[kx] - ox) - frame->shear_x * az, ay = (a[ky] - oy) - frame->shear_y * az;
    float bx = (b[kx] - ox) - frame->shear_x * bz, by = (b[ky] - oy) - frame->shear_y * bz;
    float cx = (c[kx] - ox) - frame->shear_x * cz, cy = (c[ky] - oy) - frame->shear_y * cz;
    float u = cx * by - cy * bx;
    float v = ax * cy - ay * cx;
    float w = bx * ay - by * ax;
    float least = u < v ? u : v, most = u > v ? u : v;
    least = least < w ? least : w;
    most = most > w ? most : w;
    if (least < 0.0f && most > 0.0f)
        return;
    rico__ray_corners corners = {{ax, bx, cx}, {ay, by, cy}, {az, bz, cz}};
    bool flat = face->corner[0] >> 31;
    rico__ray_accept(frame->direction[kz], frame->t_max, &corners, flat, id, best);
}

/* Whether a triangle has no normal; then it is never hit. */
bool rico__triangle_is_flat(const rico__triangle *triangle);

/* Whether a ray with this direction meets the triangle from behind: what rico_hit.back_face
 * says. */
bool rico__ray_meets_back(const rico__triangles *triangles, uint32_t id, rico_vec3 direction);

/* The answer to the host. triangles may be NULL when best names no triangle. */
rico_hit rico__ray_hit(const rico_ray *ray, rico__ray_best best,
                       const rico__triangles *triangles, uint32_t steps);

#endif
