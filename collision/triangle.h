/* triangle.h - one triangle of the scene, and its exact overlap with a box. */
#ifndef RICO_TRIANGLE_H
#define RICO_TRIANGLE_H

#include <ricochet/types.h>

/* Owner: the scene's one array, ordered by (collider slot, triangle in mesh): a triangle's id
 * is its index there, so comparing ids is comparing (collider, triangle).
 * Threads: immutable between edits. */
typedef struct rico__triangle {
    float v[9];        /* a, b, c as placed; finite, at most 1e6 m */
    uint32_t collider; /* slot + 1 */
    uint32_t triangle; /* index in its mesh */
    uint32_t flat;     /* 1 = has no normal, see ray_triangle.h */
} rico__triangle;

_Static_assert(sizeof(rico__triangle) == 48, "four triangles are three cache lines");

/* True when the triangle and the closed box have a point in common: the separating axis theorem
 * with 3 box faces, the triangle's plane and 9 edge pairs (Akenine-Moeller 2001), in double.
 * Rounding (under 1e-12 of the numbers that enter) counts as touching, so that a triangle that
 * touches exactly is never missed. The box is finite, lo <= hi. */
bool rico__triangle_touches_box(const rico__triangle *triangle, const rico_box *box);

rico_box rico__triangle_bounds(const rico__triangle *triangle);

#endif
