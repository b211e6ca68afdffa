/* box_tree.h - which of thousands of boxes a box meets, without a look at each.
 *
 * They are put in the order of their centres on a curve, eight to a node, by whoever has them: once a step, of all that
 * there are then. Nothing is kept from one time to the next, so that no history makes it worse.
 *
 * Owner: the list of edits, or of bodies. Threads: made by the stepping thread, then read by any. Order: who asks is told
 * in the curve's, which is nobody's business: he wants any, all, or puts them in order.
 */
#ifndef RICO_BOX_TREE_H
#define RICO_BOX_TREE_H

#include "memory.h"

#include <ricochet/types.h>

#define RICO__BOX_FAN 8u
#define RICO__BOX_LEVELS 11u /* for all that 32 bits can count */

/* So many of them in their order, or nodes of the level below. */
typedef struct rico__box_node {
    float lo[3][RICO__BOX_FAN], hi[3][RICO__BOX_FAN]; /* of those that are not, NaN: nothing meets them */
    uint32_t marked;                                  /* a bit for each */
} rico__box_node;

typedef struct rico__box_tree {
    uint64_t *keys; /* in their order: a place on the curve, and the number; twice as many, to sort them */
    rico__box_node *nodes;
    uint32_t capacity;
    uint32_t number_bits; /* of a key, the lowest ones */
    uint32_t first[RICO__BOX_LEVELS + 1], levels; /* of nodes, from the lowest on; 0 levels = there is no tree */
} rico__box_tree;

/* Room for so many boxes, in a tree that has none. */
bool rico__box_tree_reserve(rico__box_tree *tree, rico__memory *memory, uint32_t capacity);
void rico__box_tree_free(rico__box_tree *tree, rico__memory *memory);

/* The box of a number, and whether it has the mark. One with lo.x > hi.x is left out. */
typedef bool rico__box_source(const void *user, uint32_t number, rico_box *box);

/* Of the numbers below count, which is at most the capacity. */
void rico__box_tree_make(rico__box_tree *tree, uint32_t count, rico__box_source *source, const void *user);

/* Calls visit for each whose box meets this one (boxes_meet; to_marked: for those with the mark), until it returns true:
 * then true. There is a tree. */
typedef bool rico__box_fn(void *user, uint32_t number);
bool rico__box_tree_each(const rico__box_tree *tree, const rico_box *box, bool to_marked, rico__box_fn *visit,
                         void *user);

#endif
