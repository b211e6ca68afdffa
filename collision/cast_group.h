/* cast_group.h - a group of rays on its way: part of cast_body.h.
 *
 * Owner: a kernel's stack. Threads: one. Order: rays as in the batch.
 */
#ifndef RICO_CAST_GROUP_H
#define RICO_CAST_GROUP_H

#include "bits.h"
#include "cast.h"
#include "check.h"
#include "chunk.h"
#include "quads.h"
#include "simd.h"
#include "vec.h"

#include <float.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    /* Fewer rays than this go one by one: 5 rays take 10 to 15 % less time in this way. */
    FEW = 7,
    RAYS = 128, /* rays of a group */
    /* Nodes that wait: RAYS and a node's children, and 15 more for each open level. */
    NODES = RAYS + RICO_FAN * RICO_CHUNK_LEVELS,
    NODE_WAVE = 48,
    BELOW = 16, /* nodes whose children wait to be listed */
    /* Levels of nodes that are tested before their bundles: most trees have no more. */
    LEVELS = 2,
    BLOCKS = RAYS / RICO_LANES,
    BUNDLES = 64 * RICO_FAN, /* a full list is worked off, too */
    PAIRS = 192,             /* of ray and triangle; a full list is worked off */
    BUNDLES_AHEAD = 12,      /* how far bundles are fetched ahead */
};

/* A component of the direction counts as zero, and its borders are never reached, if it is
 * smaller than this share of the largest. It moves the ray by less than 1e-6 cells on its way
 * through the largest grid. */
#define PARALLEL 1.0e-12f
#define NEVER 1.0e18f
#define OVER (-FLT_MAX) /* limit of a ray that has ended: before any border or box */

/* The pad, as a share of the ray's length: 6 x 2^-24 for a hit moved by rounded corners, 6 for
 * the box test, 2 for s of the best hit, and as many again. */
#define PAD_PER_LENGTH (32.0f / 16777216.0f)

/* Lists of rays and what waits for them, with room for a whole vector behind the end. */
typedef struct node_list {
    uint32_t unit[NODES + RICO_FAN];
    uint32_t begin[NODES + RICO_FAN]; /* s at which the box begins: a float's bits */
    uint32_t ray[NODES + RICO_FAN];
    uint32_t count;
} node_list;

typedef struct bundle_list {
    uint32_t place[BUNDLES + RICO_FAN]; /* unit << 4 | triangles - 1 */
    uint32_t ray[BUNDLES + RICO_FAN];
    uint32_t count;
} bundle_list;

typedef struct pair_list {
    uint32_t id[PAIRS + RICO_FAN];
    uint32_t ray[PAIRS + RICO_FAN];
    uint32_t corner[PAIRS + RICO_FAN][4]; /* vertices of the triangle; the last is unused */
    uint32_t count;
} pair_list;

/* A ray's frame (ray_triangle.h): x, y, z are the axes kx, ky, kz. */
typedef struct seen_frame {
    float origin[4];  /* x, y, z; the direction along z */
    float shear[4];   /* of x and y; t_max; the last is unused */
    int32_t order[4]; /* kx, ky, kz, kz */
} seen_frame;

typedef struct group {
    uint32_t steps[RAYS];

    seen_frame frame[RAYS];
    float best_t[RAYS]; /* t_max as given, until there is a hit */
    uint32_t best_id[RAYS];

    /* For boxes. near: the origin moved ahead by the pad, so that boxes begin early. widen: by
     * how much later they then end. */
    float near[3][RAYS], widen[3][RAYS], inverse[3][RAYS];
    uint32_t negative[RAYS]; /* bit k: the ray moves down axis k */
    float s_per_t[RAYS];
    float limit[RAYS]; /* s of the best hit so far, or of the ray's end */
    float pad[RAYS];
    float sign[RAYS]; /* of s along the axis kz */

    /* For the walk, in bricks. */
    float origin[3][RAYS]; /* local */
    float next[3][RAYS];   /* s of the borders ahead */
    int32_t brick[3][RAYS];
    /* Bit l of block b stands for ray b * RICO_LANES + l. walking: it walks on. seeking: it has
     * not come to a brick with triangles yet. */
    uint32_t walking[BLOCKS], seeking[BLOCKS];
    /* bricks' roots, their rays */
    uint32_t root_unit[RAYS + RICO_FAN], root_ray[RAYS + RICO_FAN];
    uint32_t root_count;

    node_list nodes;
    bundle_list bundles;
    pair_list pairs;
    const rico__grid *grid;
    const rico__cast_filter *filter; /* NULL = everything is seen */
    const rico_ray *rays;
    vi ignored; /* what rays ignore: not 0 in a lane where a ray ignores something */
    bool any;   /* a ray ends at its first hit */
} group;

_Static_assert(sizeof(group) <= 56 * 1024,
               "with its callers, a query takes 80 KiB of stack at most");

#endif
