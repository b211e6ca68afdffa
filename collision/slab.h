/* slab.h - planes beside the boxes of a node's children, for volumes.
 *
 * Beside its box, a child of a node has a plane that nothing of it reaches beyond. The plane is
 * at right angles to the direction in which the child's fronts look. Boxes stick out of slopes;
 * planes do not.
 *
 * Behind a node's children are rows of node->count bytes. Three have the plane's normal as
 * numbers of -127..127 (plus RICO_SLAB_ZERO). The fourth has how far up the box the plane lies
 * along it, 0..255. A normal of zero is no plane.
 *
 *     normal . p <= normal . middle + rise,   rise = radius * (height * 2 / 255 - 1)
 *
 * Here middle is the middle of the child's box, and radius is the box's radius along the
 * normal: the sum of |normal| * half. Only queries with volume use slabs, and only to reject.
 */
#ifndef RICO_SLAB_H
#define RICO_SLAB_H

#include "chunk.h"

#define RICO_SLAB_ZERO 128
#define RICO_SLAB_UNIT 127 /* length of a normal, about */

/* A row of the slabs: normal x, y, z, or height. */
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

/* Writes the slab of a child whose box is written. corners: those of its triangles. */
void rico__slab_of_triangles(rico__node *node, uint32_t i, const rico__face_corners *corners,
                             uint32_t count);
void rico__slab_of_node(rico__node *node, uint32_t i, const rico__node *child);

#endif
