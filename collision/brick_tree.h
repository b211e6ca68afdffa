/* brick_tree.h - a tree over all bricks of a grid, for questions with volume.
 *
 * A ray walks from brick to brick; an ellipsoid can be larger than thousands of them. The tree
 * has nodes like those inside bricks (chunk.h), so that one traversal goes from the whole grid to
 * triangles. A child is a node of the tree (its index << 4) or, with its bit in `leaves`, a
 * brick's root (its arena unit << 4).
 *
 * Beside it stand the bricks' keys in the same order, for boxes that are so large, or cells so small, that
 * most of the bricks that would have to be looked for are not there.
 *
 * Owner: the grid; made at the end of its build. Whoever moves chunks or changes the coordinates
 * in them makes the tree anew. Order: follows from the bricks' places alone.
 */
#ifndef RICO_BRICK_TREE_H
#define RICO_BRICK_TREE_H

#include "grid.h"

/* Levels are at most one per bit of a brick's key: each level splits at a bit. */
#define RICO_BRICK_TREE_LEVELS 36u

/* False: no memory; the grid then has no tree and no keys. What it had is released. */
bool rico__brick_tree_build(rico__grid *grid, rico__memory *memory);

void rico__brick_tree_release(rico__grid *grid, rico__memory *memory);

/* Calls visit for the bricks with triangles whose coordinates are from lo to hi, both in, in the order of the
 * tree, until it returns true; returns whether it did. In time by those that are there: bricks looked for one
 * after the other are faster where there are fewer than RICO_MANY_BRICKS of them. */
#define RICO_MANY_BRICKS 512
typedef bool rico__brick_fn(void *user, const rico__brick *brick);
bool rico__bricks_each(const rico__grid *grid, const int32_t lo[3], const int32_t hi[3],
                       rico__brick_fn *visit, void *user);

#endif
