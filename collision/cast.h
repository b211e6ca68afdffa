/* cast.h - rays through the grid, many at a time: the interface between the scene and the
 * kernels, one per instruction set.
 *
 * A kernel takes a group of rays and works in waves: each ray's next brick; each ray and node
 * against 16 boxes; each ray and bundle against 16 triangles; each ray and triangle that is left,
 * exactly. What waits is in lists, so that loops are long and their ends foreseen, and what a
 * wave will read is fetched by the one before: a short ray meets a brick or two, a node in each
 * and a bundle, and otherwise waits for each of these in turn.
 *
 * All that is done in lanes only rejects; rico__ray_test decides. So kernels need not agree in
 * the last bit, and the hits are the same all the same.
 *
 * Threads: pure functions of the grid and the rays. Scratch: under 64 KiB of stack.
 */
#ifndef RICO_CAST_H
#define RICO_CAST_H

#include "cpu.h"
#include "grid.h"
#include "ray_triangle.h"

typedef void rico__ids_fn(void *user, const uint32_t *ids, uint32_t count);

/* What is not there. Looked at where a hit would be taken: a hit that does not pass never was.
 * Faces with RICO_FACE_FLAT are never there, whatever the filter. */
typedef struct rico__cast_filter {
    const uint32_t *layers; /* of colliders, by slot - 1; NULL = all are there */
    uint32_t wanted;        /* layers; a collider with none of them is not there */
    bool skip_back_faces;
    bool ignores; /* some ray's `ignore` is not 0 */
} rico__cast_filter;

typedef struct rico__cast_kernel {
    rico__isa isa;
    /* Closest hits; the grid is not empty. steps counts bricks, nodes and bundles. */
    void (*closest)(const rico__grid *grid, const rico_ray *rays, rico_hit *hits,
                    uint32_t count);
    /* Calls visit with the ids of a tree's triangles whose boxes meet the box, and of some whose
     * do not. */
    void (*overlap)(const rico__grid *grid, uint32_t root, const rico_box *box,
                    rico__ids_fn *visit, void *user);
} rico__cast_kernel;

extern const rico__cast_kernel rico__cast_scalar;
extern const rico__cast_kernel rico__cast_sse2;
extern const rico__cast_kernel rico__cast_avx2;
extern const rico__cast_kernel rico__cast_avx512;
extern const rico__cast_kernel rico__cast_neon;

/* NULL when it is not built or this CPU lacks it. */
const rico__cast_kernel *rico__cast_for_isa(rico__isa isa);

/* The best there is, by rico__cpu_isa. */
const rico__cast_kernel *rico__cast_for_cpu(void);

/* For rays whose origin is so far away that rounding exceeds the padding of the cells: every
 * brick near the ray, in memory order. Slow; never for rays that start in the scene. */
rico__ray_best rico__cast_far(const rico__grid *grid, const rico__ray_frame *frame,
                              uint32_t *steps);

#endif
