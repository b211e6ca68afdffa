/* box_tree.h - finds which of thousands of boxes a given box meets, without testing each.
 *
 * The boxes are put in the order of their centres on a curve, eight to a node. Their owner
 * makes the tree once per step, of all boxes that exist then. Nothing is kept from one tree to
 * the next, so no history makes it worse.
 *
 * Owner: the list of edits, or of bodies. Threads: made by the stepping thread, then read by
 * any. Order: visits follow the curve, and nothing may depend on that: callers want any box,
 * want all of them, or sort them.
 */
#ifndef RICO_BOX_TREE_H
#define RICO_BOX_TREE_H

#include "memory.h"

#include <ricochet/types.h>

#define RICO__BOX_FAN 8u
#define RICO__BOX_LEVELS 11u /* enough for any count of 32 bits */

/* RICO__BOX_FAN boxes in their order, or nodes of the level below. */
typedef struct rico__box_node {
    float lo[3][RICO__BOX_FAN], hi[3][RICO__BOX_FAN]; /* unused ones are NaN, which nothing meets */
    uint32_t marked;                                  /* one bit per box */
} rico__box_node;

typedef struct rico__box_tree {
    /* In order. A key is a place on the curve and a box's number. There is room for twice the
     * capacity, to sort them. */
    uint64_t *keys;
    rico__box_node *nodes;
    uint32_t capacity;
    uint32_t number_bits; /* of a key, the lowest ones */
    /* The first node of each level, from the lowest on. levels = 0: there is no tree. */
    uint32_t first[RICO__BOX_LEVELS + 1], levels;
} rico__box_tree;

/* Reserves room for `capacity` boxes, in a tree that has none. False: no memory. */
bool rico__box_tree_reserve(rico__box_tree *tree, rico__memory *memory, uint32_t capacity);
void rico__box_tree_free(rico__box_tree *tree, rico__memory *memory);

/* Finds the box with this number; returns whether it has the mark. A box with lo.x > hi.x is
 * left out. */
typedef bool rico__box_source(const void *user, uint32_t number, rico_box *box);

/* Makes the tree of boxes 0..count - 1; count is at most the capacity. */
void rico__box_tree_make(rico__box_tree *tree, uint32_t count, rico__box_source *source,
                         const void *user);

/* Calls `visit` for each box that meets `box` (boxes_meet), until it returns true. Returns true
 * if a call did. to_marked: only for boxes with the mark. There must be a tree. */
typedef bool rico__box_fn(void *user, uint32_t number);
bool rico__box_tree_each(const rico__box_tree *tree, const rico_box *box, bool to_marked,
                         rico__box_fn *visit, void *user);

#endif
