/* volume.h - ellipsoids and balls through a grid's trees: the interface between queries and the
 * kernels, one per instruction set.
 *
 * A query sees each box of a tree through a probe, which gives a key. The key is a lower bound
 * of the value of touching anything in the box below its slab (slab.h). Nodes are opened in the
 * order of their keys, the least first, and each with its bundles, which lie behind it. What
 * has a key above the query's limit is left out. The query tests triangles itself, in double,
 * and lowers the limit.
 *
 * Lanes only ever reject: a key never exceeds the exact one of a triangle's part in the box. So
 * kernels need not agree in the last bit, and neither the tree's shape nor the order of the
 * walk shows in an answer.
 *
 * The key of a ball (nearest point) is the distance in metres. The key of a sweep is in a space
 * where the ellipsoid is the unit sphere. For what the sphere touches at its start it is the
 * distance of the centre - 1, in -1..0. Otherwise it is the distance to the contact, 0 or more.
 *
 * Threads: pure functions of the grid and the query. Scratch: under 32 KiB of stack.
 */
#ifndef RICO_VOLUME_H
#define RICO_VOLUME_H

#include "chunk.h"
#include "cpu.h"
#include "grid.h"

/* How a query sees boxes. Of a ball only center and limit matter. */
typedef struct rico__probe {
    double center[3]; /* in the grid's space, at the start */
    /* From the grid's space to the one where the ellipsoid is the unit sphere. */
    float matrix[3][3];
    float way[3];     /* in that space: unit vector; any when there is no motion */
    float inverse[3]; /* 1 / |way|, at most 1e18 */
    /* The same in the grid's space. */
    double metric[3][3]; /* matrix transposed . matrix */
    double advance[3];   /* what the matrix turns into way */
    double lift[3];      /* metric . advance: times a place, its distance along the way */
    double stretch[3];   /* lengths of the matrix's columns */
    float limit;         /* keys above it are not wanted */
    bool sweeps;         /* true: a sweep; false: a ball */
} rico__probe;

typedef struct rico__volume_kernel {
    rico__isa isa;
    /* Returns the bits of children, or of triangles in a bundle, that have keys up to the
     * limit; key[i] is set for those. from: the key of the bundle's box. Its value does not
     * matter to whether the keys of triangles are true bounds, only to how close they are. */
    uint32_t (*boxes)(const rico__probe *probe, const rico__node *node, float key[RICO_FAN]);
    uint32_t (*triangles)(const rico__probe *probe, const rico__bundle *bundle, uint32_t count,
                          float from, float key[RICO_FAN]);
} rico__volume_kernel;

extern const rico__volume_kernel rico__volume_scalar;
extern const rico__volume_kernel rico__volume_sse2;
extern const rico__volume_kernel rico__volume_avx2;
extern const rico__volume_kernel rico__volume_avx512;
extern const rico__volume_kernel rico__volume_neon;

/* The kernel of an instruction set that this CPU has, as rico__cast_kernel.isa; the scalar
 * kernel when it was not built. */
const rico__volume_kernel *rico__volume_for_isa(rico__isa isa);

/* Calls test for the triangles of a grid with keys up to probe->limit, which test may lower.
 * The same triangle may come several times. key: the triangle's. Returns the steps: nodes and
 * bundles met. */
typedef void rico__volume_fn(void *query, uint32_t id, float key);
uint32_t rico__volume_walk(const rico__grid *grid, const rico__volume_kernel *kernel,
                           const rico__probe *probe, rico__volume_fn *test, void *query);

#endif
