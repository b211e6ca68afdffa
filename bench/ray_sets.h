/* ray_sets.h - the rays that are cast: the same for a seed and a mesh on every machine, whatever
 * the grid.
 *
 * set | origin                                              | direction   | length
 * a   | 0..2 m off a surface                                | falling     | 0.125..3.75 m
 * s   | those of a, in the Morton order of 0.5 m cells      |             |
 * b   | as a                                                | uniform     | 2 m
 * l   | as a                                                | uniform     | the scene's diagonal
 * v   | 0..5 cm off a surface                               | uniform     | 0.02..0.2 m
 * d   | weighted by the number of triangles within 15 cm    | falling     | 0.125..3.75 m
 *
 * Off a surface: from a random point, uniform by area, along the normal to a random side. If a
 * surface is in between, another try is made. So origins are where a particle can be.
 * d: a point in the 15 cm ball around a point of a random triangle (all triangles equally
 * likely), in front of that triangle and visible from it.
 * Falling: 70 % in a cone of 60 degrees around straight down, 30 % uniform. Lengths are those of
 * 0.5..15 m/s in 0.25 s. All directions are unit vectors.
 */
#ifndef RICO_BENCH_RAY_SETS_H
#define RICO_BENCH_RAY_SETS_H

#include <ricochet/scene_query.h>

/* Number of rays that share an origin, to save time. They point in different directions and are
 * a quarter of the set apart. */
#define RAY_SHARE 4u

/* Set s is sorted, then cut into runs that are dealt like cards: the first twentieth of the set
 * has every twentieth run, and so on. Rays of a run are neighbours. Yet every twentieth covers
 * the whole scene, and costs the same on average. */
#define RAY_RUN 2500u
#define RAY_DEAL 20u

typedef enum ray_set {
    RAY_SET_A,
    RAY_SET_S,
    RAY_SET_B,
    RAY_SET_L,
    RAY_SET_V,
    RAY_SET_D,
    RAY_SET_COUNT
} ray_set;

/* "a".. "d" */
const char *ray_set_name(ray_set set);

/* Owner: the code that created it. Keeps data that the sets share. */
typedef struct ray_maker ray_maker;

/* count: rays per set, a multiple of RAY_RUN x RAY_DEAL. The mesh must outlive the maker and
 * have no broken triangles. NULL: out of memory, or no triangle has an area. */
ray_maker *ray_maker_create(const rico_mesh *mesh, uint32_t count, uint64_t seed);
void ray_maker_destroy(ray_maker *maker); /* NULL is ignored */

/* Fills rays with `count` rays; uses every core. False: out of memory. */
bool ray_maker_fill(ray_maker *maker, ray_set set, rico_ray *rays);

#endif
