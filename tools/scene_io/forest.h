/* forest.h - a generated pine wood on gentle hills: hundreds of thousands of small, loose
 * triangles at all angles, the opposite of architecture. Needs no file.
 */
#ifndef RIO_FOREST_H
#define RIO_FOREST_H

#include "mesh_file.h"

/* Half the side of the ground, metres. */
#define RIO_FOREST_HALF 25.0f

/* The parts of the mesh, in the order of its triangles. */
typedef struct rio_forest_parts {
    uint32_t trees;
    uint32_t ground;  /* triangles 0..ground-1: one sheet without holes */
    uint32_t wood;    /* trunks and branches, mixed with the foliage */
    uint32_t foliage; /* needle cards: two triangles each, open, seen from both sides */
} rio_forest_parts;

/* The mesh: z up, metres, 50 x 50 x about 15 m, 100 to 200 trees, at least 300,000 triangles of
 * foliage. Trees stand in the ground and may reach into each other, as real trees do. The ground
 * and the trunks are counter-clockwise seen from outside. The same seed gives the same bits.
 * parts may be NULL. Errors: RICO_OUT_OF_MEMORY; *out is then zeroed. */
rico_result rio_forest_create(uint64_t seed, rio_mesh *out, rio_forest_parts *parts);

/* Height of the ground at x, y. */
float rio_forest_ground(uint64_t seed, float x, float y);

#endif
