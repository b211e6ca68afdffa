/* collision_volumes.h - shared by tests of sweeps and nearest points: another way to compute
 * distances, and difficult meshes. */
#ifndef COLLISION_VOLUMES_H
#define COLLISION_VOLUMES_H

#include "collision_fixture.h"

typedef struct point64 {
    long double x, y, z;
} point64;

/* Distance of a point from a triangle, by the regions of its plane (Ericson 2005, 5.1.5). It
 * takes the least over all features, so that slivers are safe. *nearest may be NULL. */
long double volume_distance(const point64 corner[3], point64 p, point64 *nearest);

/* Adds slivers, needles, duplicates, coplanar neighbours, huge triangles among tiny ones, and
 * flat ones. */
void mesh_nasty(fixture_mesh *mesh, fixture_random *random, int count);

/* Peaks of a rough field, 2 m wide, whose triangles share corners, so that contacts are ties.
 * The triangles come in a random order. */
void mesh_peaks(fixture_mesh *mesh, fixture_random *random, uint32_t side);

/* Instruction sets of this CPU: calls fn with each. */
typedef void isa_fn(void *user, int isa);
void each_isa(isa_fn *call, void *user);

#endif
