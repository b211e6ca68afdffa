/* primitive.h - sphere, capsule and plane by formula, each in a space of its own.
 *
 * Everything is computed in double from the numbers given, without tolerances where the
 * contract of scene_query.h has none. Surfaces are sheets: queries may also look at them from
 * inside. A sphere is a capsule without length; there is one formula for both.
 *
 * Threads: pure functions.
 */
#ifndef RICO_PRIMITIVE_H
#define RICO_PRIMITIVE_H

#include "ellipsoid.h"

#include <ricochet/scene_query.h>

/* Spheres and capsules are around the origin, a capsule's segment on the z axis; the front is
 * outside. A plane is z = 0, and its front is +z. Fields are as in rico_shape_def. half_length
 * is used for capsules only, radius not for planes. */
typedef struct rico__primitive {
    rico_shape_kind kind; /* RICO_SHAPE_SPHERE, RICO_SHAPE_CAPSULE or RICO_SHAPE_PLANE */
    float radius;
    float half_length;
} rico__primitive;

/* The closest hit of a ray, by the contract of rico_ray: rays that hit nothing by it hit
 * nothing here. normal: unit, towards the ray's origin. A convex surface that is first hit from
 * behind is not hit from the front further on. So a caller that skips back faces may just drop
 * the answer. */
bool rico__primitive_raycast(const rico__primitive *primitive, const rico_ray *ray, float *t,
                             rico_vec3 *normal, bool *back_face);

/* The same without rounding ray and answer to float, for rays that were turned into the shape's
 * space. The ray is finite, and its direction not zero. */
bool rico__primitive_cast(const rico__primitive *primitive, const double origin[3],
                          const double direction[3], double t_max, double *t, double normal[3],
                          bool *back_face);

/* An interval of t; empty when begin > end. */
typedef struct rico__interval {
    double begin, end;
} rico__interval;

/* Where o + t d, for any t, is in the solid capsule (radius >= 0) around the segment on z. */
rico__interval rico__capsule_cross(const double o[3], const double d[3], double radius,
                                   double half_length);

/* The nearest point of the surface. normal: unit, on the front. behind: the point is inside, or
 * below the plane. From a sphere's centre or a capsule's segment many points are equally near:
 * then the one along +z for a sphere, +x for a capsule. The point of the query is finite. */
typedef struct rico__primitive_nearest {
    double distance;
    double point[3], normal[3];
    bool behind;
} rico__primitive_nearest;

rico__primitive_nearest rico__primitive_nearest_to(const rico__primitive *primitive,
                                                   const double point[3]);

/* The first contact of an ellipsoid that moves; fields as in rico_sweep_hit. Depth: a move by
 * it along normal ends the overlap. It is the least such move, unless the ellipsoid's centre is
 * so deep that the ellipsoid meets the sphere's centre or the capsule's segment. */
typedef struct rico__contact {
    double t; /* 0..1 */
    double point[3], normal[3];
    double depth;
    bool overlaps;
} rico__contact;

/* False when nothing is met for 0 <= t <= 1. The result is exact within rounding for a ball
 * against all kinds, and for any ellipsoid against a plane. Others are never late (ellipsoid.h
 * says why), and at most 1e-5 of the smallest radius early. A motion of zero asks for overlap.
 * All numbers are finite, radii > 0. */
bool rico__primitive_sweep(const rico__primitive *primitive, const rico__ellipsoid *ellipsoid,
                           const double motion[3], rico__contact *contact);

/* Whether the surface touches the closed box; touching within rounding counts. The box is
 * finite. */
bool rico__primitive_touches_box(const rico__primitive *primitive, const rico_box *box);

/* The bounds, rounded outwards. A plane's are FLT_MAX wide. */
rico_box rico__primitive_bounds(const rico__primitive *primitive);

/* The plane's part over the box's rectangle, as two triangles of nine floats each, fronts
 * up. */
void rico__primitive_plane_triangles(const rico_box *box, float corners[2][9]);

#endif
