/* chunk.h - a brick's triangles, as a tree that a ray can be tested against 16 at a time.
 *
 * A node has up to 16 children with boxes in 8 bits. A child is another node, or a bundle of up
 * to 16 triangles with corners in 16 bits. The place of a child is counted in units of 16 bytes
 * from the node that names it, so a chunk can be moved as it is.
 *
 * Quantised numbers only reject. A box holds the part of the triangle in the brick (grown by
 * its padding), plus what rounding moves a hit per extent of the triangle. What rounding moves
 * it per distance from the ray's origin is added by the ray. The corners of a bundle are those
 * of whole triangles. A ray is tested against each triangle grown by an error that bounds
 * quantisation and rounding. So all triangles are accepted that the exact test could accept.
 *
 *   node     base 3, scale 3 floats, count and leaves u16, unused u32; boxes; children; slabs
 *            (children and slabs: of count)
 *   bundle   base 3, scale 3 floats, error, extent; a row of ids; rows of 16-bit words: x, y, z of
 *            the first corners, of the second, of the third, and the edges' bounds as upper
 *            halves of floats
 */
#ifndef RICO_CHUNK_H
#define RICO_CHUNK_H

#include "check.h"
#include "triangle.h"

#include <stddef.h>

#define RICO_FAN 16u /* children of a node, triangles of a bundle */

typedef struct rico__node {
    float base[3], scale[3]; /* of a box's bytes, metres */
    uint16_t count;          /* children; the boxes of other places are empty */
    uint16_t leaves;         /* bit i: child i is a bundle */
    uint32_t unused;
    uint8_t box[6][RICO_FAN]; /* lo x, y, z, hi x, y, z */
    /* For each of count children: the units from this node to the child << 4, and in the low
     * bits the triangles of a bundle - 1. Behind them are slabs (slab.h): 4 rows of count
     * bytes, for volumes only. */
    uint32_t child[2 * RICO_FAN];
} rico__node;

_Static_assert(sizeof(rico__node) == 256, "a node is up to four cache lines");

/* In a chunk, a node ends with the last of its slabs. */
#define RICO_NODE_BYTES(count) (offsetof(rico__node, child) + 8u * (count))

typedef struct rico__bundle {
    float base[3], scale[3]; /* corner = base + scale * 16-bit number */
    float error; /* of a corner seen along a ray: quantisation, and rounding per extent */
    /* Extent of all corners, summed over the axes, with the box around them. */
    float extent;
    uint32_t ids[]; /* count ids, then 10 rows of count 16-bit words */
} rico__bundle;

#define RICO_BUNDLE_BYTES(count) (sizeof(rico__bundle) + 24u * (count))

static inline uint32_t rico__bundle_id(const rico__bundle *bundle, uint32_t count, uint32_t i)
{
    RICO_ASSERT(i < count);
    (void)count;
    return bundle->ids[i];
}

#define RICO_BUNDLE_EDGES 9u /* the row of the edges' bounds */

/* Row r of 16-bit words; axis k of corner j is row 3 j + k. */
static inline const uint16_t *rico__bundle_row(const rico__bundle *bundle, uint32_t count,
                                               uint32_t r)
{
    return (const uint16_t *)(const void *)(bundle->ids + count) + r * count;
}

/* The corners of one triangle; each ends with a 0. */
typedef struct rico__face_corners {
    float at[3][4];
} rico__face_corners;

/* A triangle in a brick, on the way to its bundle, with the box of its part. */
typedef struct rico__chunk_entry {
    float lo[3], hi[3];
    uint32_t id;
    uint32_t unused;
} rico__chunk_entry;

/* One node of the binary tree that is made on the way. */
typedef struct rico__chunk_split {
    float lo[3], hi[3];
    uint32_t first, count; /* entries */
    uint32_t left, right;  /* 0 = a leaf */
} rico__chunk_split;

/* Room for building. Owner: the code that builds. It has `capacity` entries, as many spare
 * ones, and twice as many splits. */
typedef struct rico__chunk_scratch {
    rico__chunk_entry *entries; /* reordered by the plan */
    rico__chunk_entry *spare;
    rico__chunk_split *splits;
    uint32_t capacity, split_count;
} rico__chunk_scratch;

/* Makes the binary tree of the scratch's first count entries (1 or more). */
void rico__chunk_divide(rico__chunk_scratch *scratch, uint32_t count);

/* The same, and returns the units that the chunk will take. */
uint32_t rico__chunk_plan(rico__chunk_scratch *scratch, uint32_t count);

/* Most levels of a brick's tree: 64 that are chosen by areas, then halves of 2^28 triangles. */
enum { RICO_CHUNK_AREA_LEVELS = 64, RICO_CHUNK_LEVELS = RICO_CHUNK_AREA_LEVELS + 28 };

/* What trees consist of. levels: nodes on the longest path down. */
typedef struct rico__chunk_counts {
    uint32_t nodes, bundles, levels;
} rico__chunk_counts;

/* Writes the planned chunk to arena[unit...], which is zeroed and large enough. The bits follow
 * from the entries alone. The chunk's nodes, bundles and levels are added to counts. */
void rico__chunk_write(const rico__chunk_scratch *scratch, const rico__triangles *triangles,
                       uint8_t *arena, uint32_t unit, rico__chunk_counts *counts);

/* Calls visit for every bundle of the tree at a root. */
typedef void rico__bundle_fn(void *user, const rico__bundle *bundle, uint32_t count);
void rico__chunk_each(const uint8_t *arena, uint32_t root, rico__bundle_fn *visit, void *user);

#endif
