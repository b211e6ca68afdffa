/* slab.h - beside its box, a child of a node has a plane that nothing of it reaches beyond, at
 * right angles to what its fronts look at: boxes stick out of slopes, planes do not.
 *
 * Behind a node's children are, in rows of node->count bytes, the plane's normal as three numbers of -127..127 (plus
 * RICO_SLAB_ZERO), and how far up the box it lies along it, 0..255. A normal of zero is no plane.
 *
 *     normal . p <= normal . middle + rise,   rise = radius * (height * 2 / 255 - 1)
 *
 * with the middle of the child's box and its radius along the normal, the sum of |normal| * half.
 * Only questions with volume look at slabs, and only to reject.
 */
#ifndef RICO_SLAB_H
#define RICO_SLAB_H

#include "chunk.h"

#define RICO_SLAB_ZERO 128
#define RICO_SLAB_UNIT 127 /* length of a normal, about */

/* A row: normal x, y, z, height. */
static inline const uint8_t *rico__slab_row(const rico__node *node, uint32_t row)
{
    return (const uint8_t *)(node->child + node->count) + row * node->count;
}

static inline uint8_t *rico__slab_at(rico__node *node, uint32_t row, uint32_t i)
{
    return (uint8_t *)(node->child + node->count) + row * node->count + i;
}

static inline double rico__slab_number(const rico__node *node, uint32_t row, uint32_t i)
{
    return (double)rico__slab_row(node, row)[i] - (row < 3 ? RICO_SLAB_ZERO : 0);
}

/* Of a child whose box is written. corners: of its triangles. */
void rico__slab_of_triangles(rico__node *node, uint32_t i, const rico__face_corners *corners,
                             uint32_t count);
void rico__slab_of_node(rico__node *node, uint32_t i, const rico__node *child);

#endif
