/* brick_tree.h - a tree over all bricks of a grid, for queries with volume.
 *
 * A ray walks from brick to brick; an ellipsoid can be larger than thousands of them. The tree
 * has nodes like those inside bricks (chunk.h), so that one traversal goes from the whole grid
 * to triangles. A child is a node of the tree (its index << 4) or, with its bit in `leaves`, a
 * brick's root (its arena unit << 4).
 *
 * The bricks' keys are kept beside the tree, in the same order. They are for boxes so large, or
 * cells so small, that most of the bricks that would be looked up do not exist.
 *
 * Owner: the grid; the tree is made at the end of its build. Code that moves chunks, or changes
 * the coordinates in them, makes the tree anew. Order: follows from the bricks' places alone.
 */
#ifndef RICO_BRICK_TREE_H
#define RICO_BRICK_TREE_H

#include "grid.h"

/* There is at most one level per bit of a brick's key, since each level splits at a bit. */
#define RICO_BRICK_TREE_LEVELS 36u

/* Makes the tree and the keys; what the grid had before is released. False: no memory; the grid
 * then has no tree and no keys. */
bool rico__brick_tree_build(rico__grid *grid, rico__memory *memory);

void rico__brick_tree_release(rico__grid *grid, rico__memory *memory);

/* Calls visit for the bricks with triangles whose coordinates are in lo..hi, both included, in
 * the order of the tree, until visit returns true. Returns whether it did. The time goes by the
 * bricks that exist. For fewer than RICO_MANY_BRICKS coordinates, looking them up one by one is
 * faster. */
#define RICO_MANY_BRICKS 512
typedef bool rico__brick_fn(void *user, const rico__brick *brick);
bool rico__bricks_each(const rico__grid *grid, const int32_t lo[3], const int32_t hi[3],
                       rico__brick_fn *visit, void *user);

#endif
