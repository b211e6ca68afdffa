/* ray_brute.h - tests every triangle in double precision: the oracle for a few rays. */
#ifndef RICO_BENCH_RAY_BRUTE_H
#define RICO_BENCH_RAY_BRUTE_H

#include <ricochet/scene_query.h>

/* The closest crossing of the ray with a triangle of the mesh, two-sided, 0 < t <= t_max; false =
 * none. Shares no code with the library or with a peer. *triangle may be NULL. */
bool ray_brute_closest(const rico_mesh *mesh, const rico_ray *ray, double *t,
                       uint32_t *triangle);

/* Finds the triangles that come near the ray: their boxes touch it when they are grown by far more
 * than what rounding to floats moves a triangle or a ray. So no float test can hit another one.
 * Writes their indices, at most `capacity`, in order. Returns how many there are. */
uint32_t ray_brute_near(const rico_mesh *mesh, const rico_ray *ray, uint32_t *triangles,
                        uint32_t capacity);

#endif
