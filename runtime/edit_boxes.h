/* edit_boxes.h - where edits were, and which of them a box meets.
 *
 * Up to RICO__EDIT_BOXES of them are asked one by one; more make a tree (box_tree.h) when the step begins, so that
 * neither a particle nor a record is held against thousands.
 *
 * Owner: the world's edits. Threads: as edits.h. Order: as they were added; who asks wants any of them, or all.
 */
#ifndef RICO_EDIT_BOXES_H
#define RICO_EDIT_BOXES_H

#include "box_tree.h"

#include <ricochet/result.h>
#include <ricochet/types.h>

#include <stdbool.h>
#include <stdint.h>

#define RICO__EDIT_BOXES 64u           /* there is room for */
#define RICO__MOST_EDIT_BOXES (1u << 16) /* of one step; with more, or without memory, those that are near are joined */

typedef struct rico__edit_box {
    rico_box place; /* that was named */
    rico_box box;   /* with room around it for what paths may be off */
    bool wakes;     /* else only paths are looked at again */
    bool forgets;   /* records there are still to be forgotten */
    bool asks;      /* the next step asks for the records of its cells: bake.c */
    uint32_t asked, passed; /* cells of level 0 of which that has been done; of coverage's that it meets, those it came by */
    bool relabels;  /* only the layers of a collider have changed, from `before` to `after` */
    uint32_t before, after;
} rico__edit_box;

/* Whether it is any matter to who ignores these layers. */
static inline bool rico__edit_concerns(const rico__edit_box *edit, uint32_t ignored)
{
    return !edit->relabels || ((edit->before & ignored) != 0) != ((edit->after & ignored) != 0);
}

typedef struct rico__edit_boxes {
    rico__edit_box *items;
    uint32_t count, capacity;
    rico__box_tree tree; /* without levels: there is none */
    uint32_t labels; /* that some of those that relabel have changed */
    bool others;     /* there are others than those */
} rico__edit_boxes;

rico_result rico__edit_boxes_init(rico__edit_boxes *list, rico__memory *memory);
void rico__edit_boxes_free(rico__edit_boxes *list, rico__memory *memory);

/* memory: for more room, NULL = none. */
void rico__edit_boxes_add(rico__edit_boxes *list, const rico__edit_box *edit, rico__memory *memory);

/* Of those in a list of boxes with room for no more, the last ones: which grows least by the box. */
uint32_t rico__edit_boxes_nearest(const rico_box *box, const rico__edit_box *items, uint32_t count);

/* Makes the tree, if it is wanted. Adding or moving boxes undoes it. */
void rico__edit_boxes_sort(rico__edit_boxes *list);

void rico__edit_boxes_clear(rico__edit_boxes *list);

/* False: none of them is any matter to who ignores these layers. */
static inline bool rico__edit_boxes_concern(const rico__edit_boxes *list, uint32_t ignored)
{
    return list->others || (list->labels & ignored) != 0;
}

/* Calls visit for the edits that the box meets (to_wake: for those that wake), until it returns true: then true. */
bool rico__edit_boxes_each(const rico__edit_boxes *list, const rico_box *box, bool to_wake,
                           rico__box_fn *visit, void *user);

/* Whether there are any that concern who ignores these layers; or anybody at all. */
bool rico__edit_boxes_meet(const rico__edit_boxes *list, const rico_box *box, bool to_wake,
                           uint32_t ignored);
bool rico__edit_boxes_any(const rico__edit_boxes *list, const rico_box *box, bool to_wake);

#endif
