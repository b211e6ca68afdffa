/* stress_patch.h - a patch of bumpy ground that comes and goes in a streaming world. */
#ifndef RICO_BENCH_STRESS_PATCH_H
#define RICO_BENCH_STRESS_PATCH_H

#include <ricochet/scene_query.h>

#define STRESS_PATCH_SIDE 16u /* squares along an edge */
#define STRESS_PATCH_VERTICES ((STRESS_PATCH_SIDE + 1) * (STRESS_PATCH_SIDE + 1))
#define STRESS_PATCH_TRIANGLES (2 * STRESS_PATCH_SIDE * STRESS_PATCH_SIDE)

typedef struct stress_patch {
    float positions[3 * STRESS_PATCH_VERTICES];
    uint32_t indices[3 * STRESS_PATCH_TRIANGLES];
} stress_patch;

/* 3 m wide, around the origin, up to 30 cm high; seeds differ in their bumps. The mesh points into
 * the patch. */
rico_mesh stress_patch_make(uint64_t seed, stress_patch *out);

#endif
