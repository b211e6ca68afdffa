/* faulty_rays.h - a host's ray caster that sometimes returns nonsense: NaN, infinity, distances
 * behind or beyond the ray, normals of no length or along the ray, or no hit at all.
 *
 * An answer depends on the ray alone, so that its world is the same on any number of threads.
 * Owner: the code that opened it; it must stay where it is and outlive the world. Threads: any.
 */
#ifndef RICO_BENCH_FAULTY_RAYS_H
#define RICO_BENCH_FAULTY_RAYS_H

#include <ricochet/ray_caster.h>
#include <ricochet/scene.h>

#include <pthread.h>
#include <stdint.h>

typedef struct faulty_rays {
    rico_scene *scene;    /* gives the sensible answers */
    pthread_mutex_t lock; /* protects `spoiled` */
    uint64_t spoiled;     /* answers that were nonsense */
} faulty_rays;

/* False: out of memory; nothing stays behind. */
bool faulty_rays_open(faulty_rays *rays, const rico_mesh *mesh, rico_allocator allocator);
void faulty_rays_close(faulty_rays *rays); /* a zeroed one is ignored */

rico_ray_caster faulty_rays_caster(faulty_rays *rays);

#endif
