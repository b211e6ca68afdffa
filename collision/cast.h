/* cast.h - rays through the grid, many at a time: the interface between the scene and the
 * kernels, one per instruction set.
 *
 * A kernel takes a group of rays and works in waves: each ray's next brick; each ray and node
 * against 16 boxes; each ray and bundle against 16 triangles; each ray and triangle that is
 * left, exactly. What waits is in lists, so that loops are long and their ends predicted. What
 * a wave will read is fetched by the wave before. A short ray meets a brick or two, a node in
 * each, a bundle and a triangle; without waves it would wait for each of these in turn. The
 * first fetch of each wave is waited for all the same, so groups are as large as the stack
 * allows.
 *
 * A ray on its own, or one of a few, is cast depth first by code of its own (cast_single.h).
 *
 * Lanes only ever reject; rico__ray_test decides. So kernels need not agree in the last bit,
 * and the hits are the same all the same.
 *
 * Threads: pure functions of the grid and the rays. Scratch: under 60 KiB of stack.
 */
#ifndef RICO_CAST_H
#define RICO_CAST_H

#include "cpu.h"
#include "grid.h"
#include "ray_triangle.h"

typedef void rico__ids_fn(void *user, const uint32_t *ids, uint32_t count);

/* What a query does not see. The filter is tested where a hit would be taken: a hit that does
 * not pass does not exist. Faces with RICO_FACE_FLAT are never seen, nor is what a ray ignores,
 * whatever the filter. */
typedef struct rico__cast_filter {
    const uint32_t *layers; /* of colliders, by slot - 1; NULL = all are seen */
    uint32_t wanted;        /* layers; a collider with none of them is not seen */
    uint32_t unwanted;      /* layers; a collider with any of them is not seen */
    bool skip_back_faces;
    /* The query ignores a collider. Not used for rays, each of which says so itself. */
    bool ignores;
} rico__cast_filter;

static inline bool rico__bits_pass(uint32_t layers, uint32_t wanted, uint32_t unwanted)
{
    return (layers & wanted) != 0 && (layers & unwanted) == 0;
}

/* Whether the collider in the slot is seen, by its layers. */
static inline bool rico__cast_layers_pass(const rico__cast_filter *filter, uint32_t slot)
{
    return filter->layers == NULL ||
           rico__bits_pass(filter->layers[slot - 1], filter->wanted, filter->unwanted);
}

/* id: of a face; ignore, direction: of the ray. */
static inline bool rico__cast_passes(const rico__cast_filter *filter,
                                     const rico__triangles *triangles, uint32_t id,
                                     uint32_t ignore, rico_vec3 direction)
{
    uint32_t slot = rico__face_vertex(triangles, &triangles->faces[id], 0)->collider;
    if (slot == ignore || !rico__cast_layers_pass(filter, slot))
        return false;
    return !filter->skip_back_faces || !rico__ray_meets_back(triangles, id, direction);
}

/* A kernel that is given no filter still needs one for what a ray ignores. */
static inline const rico__cast_filter *rico__cast_filter_for(const rico__cast_filter *filter,
                                                             uint32_t ignored)
{
    static const rico__cast_filter none = {.layers = NULL};
    return filter != NULL || ignored == 0 ? filter : &none;
}

/* rico__ray_test, and the filter; NULL = everything is seen. */
static inline void rico__cast_test(const rico__cast_filter *filter,
                                   const rico__ray_frame *frame,
                                   const rico__triangles *triangles, uint32_t id,
                                   rico__ray_best *best)
{
    rico__ray_best with = *best;
    rico__ray_test(frame, triangles, id, &with);
    if (filter != NULL && with.id != best->id) {
        const float *d = frame->direction;
        rico_vec3 direction = {d[0], d[1], d[2]};
        if (!rico__cast_passes(filter, triangles, id, frame->ignore, direction))
            return;
    }
    *best = with;
}

typedef struct rico__cast_kernel {
    rico__isa isa;
    /* Finds closest hits. The grid is not empty; filter NULL = everything is seen. steps counts
     * bricks and bundles. The caller fills in surface, moving and velocity. */
    void (*closest)(const rico__grid *grid, const rico__cast_filter *filter,
                    const rico_ray *rays, rico_hit *hits, uint32_t count);
    /* Whether there is a hit at all: a ray ends at the first hit that it finds. */
    void (*blocked)(const rico__grid *grid, const rico__cast_filter *filter,
                    const rico_ray *rays, bool *blocked, uint32_t count);
    /* Calls visit with the ids of a tree's triangles whose boxes touch the box, and of some
     * whose boxes do not. */
    void (*overlap)(const rico__grid *grid, uint32_t root, const rico_box *box,
                    rico__ids_fn *visit, void *user);
    /* The same for a ray on its own, without the setup of a group. */
    rico_hit (*closest_one)(const rico__grid *grid, const rico__cast_filter *filter,
                            const rico_ray *ray);
    bool (*blocked_one)(const rico__grid *grid, const rico__cast_filter *filter,
                        const rico_ray *ray);
} rico__cast_kernel;

extern const rico__cast_kernel rico__cast_scalar;
extern const rico__cast_kernel rico__cast_sse2;
extern const rico__cast_kernel rico__cast_avx2;
extern const rico__cast_kernel rico__cast_avx512;
extern const rico__cast_kernel rico__cast_neon;

/* NULL when the kernel is not built, or this CPU lacks the instruction set. */
const rico__cast_kernel *rico__cast_for_isa(rico__isa isa);

/* The best kernel, by rico__cpu_isa. */
const rico__cast_kernel *rico__cast_for_cpu(void);

/* Casts a ray whose origin is so far away that rounding exceeds the padding of the cells: tests
 * every brick near the ray, in memory order. Slow; never used for rays that start in the
 * scene. */
rico__ray_best rico__cast_far(const rico__grid *grid, const rico__cast_filter *filter,
                              const rico__ray_frame *frame, uint32_t *steps);

#endif
