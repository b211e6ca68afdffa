/* primitive.h - sphere, capsule and plane by formula, each in a space of its own.
 *
 * All is worked out in double from the numbers given, without tolerances where the contract of
 * scene_query.h knows none. Surfaces are sheets: they have an inside that can be looked at from.
 * A sphere is a capsule without length; there is one formula for both.
 *
 * Threads: pure functions.
 */
#ifndef RICO_PRIMITIVE_H
#define RICO_PRIMITIVE_H

#include "ellipsoid.h"

#include <ricochet/scene_query.h>

/* Sphere and capsule: around the origin, a capsule's segment on the z axis; the front is outside.
 * Plane: z = 0, the front is +z. Fields as in rico_shape_def; half_length matters to capsules
 * only, radius not to planes. */
typedef struct rico__primitive {
    rico_shape_kind kind; /* RICO_SHAPE_SPHERE, RICO_SHAPE_CAPSULE or RICO_SHAPE_PLANE */
    float radius;
    float half_length;
} rico__primitive;

/* The closest hit of a ray, by the contract of rico_ray (what hits nothing, hits nothing here).
 * normal: unit, towards the origin. A convex surface that is first hit from behind is not hit
 * from the front further on, so a caller that skips back faces may just drop the answer. */
bool rico__primitive_raycast(const rico__primitive *primitive, const rico_ray *ray, float *t,
                             rico_vec3 *normal, bool *back_face);

/* The same without rounding ray and answer to float, for rays that were turned into the shape's
 * space. Finite, the direction not zero. */
bool rico__primitive_cast(const rico__primitive *primitive, const double origin[3],
                          const double direction[3], double t_max, double *t, double normal[3],
                          bool *back_face);

/* Of t; empty when begin > end. */
typedef struct rico__interval {
    double begin, end;
} rico__interval;

/* Where o + t d, for any t, is in the solid capsule (radius >= 0) around the segment on z. */
rico__interval rico__capsule_cross(const double o[3], const double d[3], double radius,
                                   double half_length);

/* The nearest point of the surface. normal: unit, on the front; behind: the point is inside, or
 * below the plane. From a sphere's centre or a capsule's segment many are equally near: then along
 * +z for a sphere, +x for a capsule. The point is finite. */
typedef struct rico__primitive_nearest {
    double distance;
    double point[3], normal[3];
    bool behind;
} rico__primitive_nearest;

rico__primitive_nearest rico__primitive_nearest_to(const rico__primitive *primitive,
                                                   const double point[3]);

/* First contact of an ellipsoid that moves; fields as in rico_sweep_hit. Depth: moving by it along
 * normal ends the overlap; least among such moves unless the centre of what moves is that deep that
 * it meets the sphere's centre or the capsule's segment. */
typedef struct rico__contact {
    double t; /* 0..1 */
    double point[3], normal[3];
    double depth;
    bool overlaps;
} rico__contact;

/* False when nothing is met for 0 <= t <= 1. Exact within rounding for a sphere against all and for
 * any ellipsoid against a plane; others never late and at most 1e-5 of the smallest radius early,
 * see ellipsoid.h. A motion of zero asks for overlap. All finite, radii > 0. */
bool rico__primitive_sweep(const rico__primitive *primitive, const rico__ellipsoid *ellipsoid,
                           const double motion[3], rico__contact *contact);

/* Whether the surface touches the closed box; touching by rounding counts. The box is finite. */
bool rico__primitive_touches_box(const rico__primitive *primitive, const rico_box *box);

/* Rounded outwards. A plane's is FLT_MAX wide. */
rico_box rico__primitive_bounds(const rico__primitive *primitive);

/* The plane's part over the box's rectangle as two triangles, nine floats each, fronts up. */
void rico__primitive_plane_triangles(const rico_box *box, float corners[2][9]);

#endif
