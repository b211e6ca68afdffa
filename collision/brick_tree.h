/* brick_tree.h - a tree over all bricks of a grid, for questions with volume.
 *
 * A ray walks from brick to brick; an ellipsoid can be larger than thousands of them. The tree
 * has nodes like those inside bricks (chunk.h), so that one traversal goes from the whole grid to
 * triangles. A child is a node of the tree (its index << 4) or, with its bit in `leaves`, a
 * brick's root (its arena unit << 4).
 *
 * Owner: the grid; made at the end of its build. Whoever moves chunks or changes the coordinates
 * in them makes the tree anew. Order: follows from the bricks' places alone.
 */
#ifndef RICO_BRICK_TREE_H
#define RICO_BRICK_TREE_H

#include "grid.h"

/* Levels are at most one per bit of a brick's key: each level splits at a bit. */
#define RICO_BRICK_TREE_LEVELS 36u

/* False: no memory; the grid then has no tree. A tree that it had is released. */
bool rico__brick_tree_build(rico__grid *grid, rico__memory *memory);

void rico__brick_tree_release(rico__grid *grid, rico__memory *memory);

#endif
