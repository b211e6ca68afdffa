/* closed_bodies.h - closed meshes to shoot at from inside. */
#ifndef CLOSED_BODIES_H
#define CLOSED_BODIES_H

#include "collision_fixture.h"

/* A mesh without holes, and points inside it. The triangles are cut into one run per seed; whatever
 * lies between a seed and a triangle of its run is inside. */
typedef struct closed_body {
    char name[64];
    fixture_mesh mesh;
    rico_vec3 *seeds;
    uint32_t seed_count;
    float cell_size; /* to be stored with, 0 = chosen */
} closed_body;

/* Body number i: every shape in every place. The same for everybody. */
uint32_t closed_body_count(void);
closed_body closed_body_make(uint32_t i);
void closed_body_free(closed_body *body);

#endif
