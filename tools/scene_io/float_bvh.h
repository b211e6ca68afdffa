/* float_bvh.h - a small ray caster over a mesh, for pictures without a rico_scene and for tests
 * of this library. A plain tree in single precision; not meant as a competitor in benchmarks.
 */
#ifndef RIO_FLOAT_BVH_H
#define RIO_FLOAT_BVH_H

#include "camera.h"

typedef struct rio_bvh rio_bvh;

/* Copies what it needs. Triangles with bad indices or corners are left out. Errors:
 * RICO_EMPTY_MESH, RICO_OUT_OF_MEMORY; *out is then NULL. */
rico_result rio_bvh_create(const rico_mesh *mesh, rio_bvh **out);
void rio_bvh_destroy(rio_bvh *bvh); /* NULL is ignored */

/* A rio_cast_fn; user is the rio_bvh. The collider of every hit is 1. Threads: any. */
void rio_bvh_cast(void *user, const rico_ray *rays, rico_hit *hits, uint32_t count);

#endif
