/* closed_bodies.h - closed meshes to be hit by rays from inside. */
#ifndef CLOSED_BODIES_H
#define CLOSED_BODIES_H

#include "collision_fixture.h"

/* A mesh without holes, and points inside it. The triangles are split into one run per seed. All
 * points between a seed and a triangle of its run are inside. */
typedef struct closed_body {
    char name[64];
    fixture_mesh mesh;
    rico_vec3 *seeds;
    uint32_t seed_count;
    float cell_size; /* cell size of the scene, 0 = chosen by it */
} closed_body;

/* Body number i: every shape in every place. The numbers are the same on every machine. */
uint32_t closed_body_count(void);
closed_body closed_body_make(uint32_t i);
void closed_body_free(closed_body *body);

#endif
