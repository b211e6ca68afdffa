/* edit_boxes.h - where edits were, and which of them a box meets.
 *
 * Up to RICO__EDIT_BOXES edits are tested one by one. More of them make a tree (box_tree.h)
 * when the step begins, so that no particle and no record is tested against thousands.
 *
 * Owner: the world's edits. Threads: as edits.h. Order: as they were added; callers want any of
 * them, or all.
 */
#ifndef RICO_EDIT_BOXES_H
#define RICO_EDIT_BOXES_H

#include "box_tree.h"

#include <ricochet/result.h>
#include <ricochet/types.h>

#include <stdbool.h>
#include <stdint.h>

#define RICO__EDIT_BOXES 64u /* room at first */
/* Most edits of one step. With more, or without memory, edits that are near each other are
 * joined. */
#define RICO__MOST_EDIT_BOXES (1u << 16)

typedef struct rico__edit_box {
    rico_box place; /* as the edit named it */
    rico_box box;   /* with room around it for how far paths may be off */
    bool wakes;     /* else only paths are looked at again */
    bool forgets;   /* its records are still to be forgotten */
    bool asks;      /* the next step asks for the records of its cells: bake.c */
    /* Cells of level 0 for which that has been done; coverage's cells in the box that were
     * passed on the way. */
    uint32_t asked, passed;
    /* Only the layers of a collider have changed, from `before` to `after`. */
    bool relabels;
    uint32_t before, after;
} rico__edit_box;

/* Whether the edit matters to particles that ignore these layers. */
static inline bool rico__edit_concerns(const rico__edit_box *edit, uint32_t ignored)
{
    return !edit->relabels || ((edit->before & ignored) != 0) != ((edit->after & ignored) != 0);
}

typedef struct rico__edit_boxes {
    rico__edit_box *items;
    uint32_t count, capacity;
    rico__box_tree tree; /* no levels: there is no tree */
    uint32_t labels; /* layers that edits with `relabels` have changed */
    bool others;     /* there are edits without `relabels` */
} rico__edit_boxes;

rico_result rico__edit_boxes_init(rico__edit_boxes *list, rico__memory *memory);
void rico__edit_boxes_free(rico__edit_boxes *list, rico__memory *memory);

/* Adds an edit. memory: for more room, NULL = none. */
void rico__edit_boxes_add(rico__edit_boxes *list, const rico__edit_box *edit, rico__memory *memory);

/* For a list of boxes without room for more: which of the last ones grows least if it takes in
 * the box. */
uint32_t rico__edit_boxes_nearest(const rico_box *box, const rico__edit_box *items, uint32_t count);

/* Makes the tree, if one is wanted. Adding or moving boxes undoes it. */
void rico__edit_boxes_sort(rico__edit_boxes *list);

void rico__edit_boxes_clear(rico__edit_boxes *list);

/* False: no edit matters to particles that ignore these layers. */
static inline bool rico__edit_boxes_concern(const rico__edit_boxes *list, uint32_t ignored)
{
    return list->others || (list->labels & ignored) != 0;
}

/* Calls `visit` for the edits that the box meets, until it returns true. Returns true if a call
 * did. to_wake: only for edits that wake. */
bool rico__edit_boxes_each(const rico__edit_boxes *list, const rico_box *box, bool to_wake,
                           rico__box_fn *visit, void *user);

/* Whether the box meets edits that matter to particles that ignore these layers; whether it
 * meets any edits. */
bool rico__edit_boxes_meet(const rico__edit_boxes *list, const rico_box *box, bool to_wake,
                           uint32_t ignored);
bool rico__edit_boxes_any(const rico__edit_boxes *list, const rico_box *box, bool to_wake);

#endif
