#include "edit_boxes.h"

#include "vec.h"

#include <string.h>

/* --- The list ----------------------------------------------------------------------------- */

static void free_room(rico__edit_boxes *list, rico__memory *memory)
{
    rico__memory_release(memory, list->items, list->capacity, sizeof *list->items,
                         RICO_CACHE_LINE);
    rico__box_tree_free(&list->tree, memory);
}

/* False: there is no memory, and nothing has changed. */
static bool make_room(rico__edit_boxes *list, uint32_t capacity, rico__memory *memory)
{
    rico__edit_boxes more = *list; /* what is noted of its edits stays noted */
    more.capacity = capacity;
    more.tree = (rico__box_tree){.keys = NULL};
    more.items = rico__memory_reserve(memory, capacity, sizeof *more.items, RICO_CACHE_LINE);
    if (more.items == NULL || !rico__box_tree_reserve(&more.tree, memory, capacity)) {
        free_room(&more, memory);
        return false;
    }
    if (list->count > 0)
        memcpy(more.items, list->items, list->count * sizeof *more.items);
    free_room(list, memory);
    *list = more;
    return true;
}

rico_result rico__edit_boxes_init(rico__edit_boxes *list, rico__memory *memory)
{
    *list = (rico__edit_boxes){.items = NULL};
    return make_room(list, RICO__EDIT_BOXES, memory) ? RICO_OK : RICO_OUT_OF_MEMORY;
}

void rico__edit_boxes_free(rico__edit_boxes *list, rico__memory *memory)
{
    free_room(list, memory);
    *list = (rico__edit_boxes){.items = NULL};
}

static float extent(const rico_box *box)
{
    rico_vec3 size = vec3_sub(box->hi, box->lo);
    return size.x + size.y + size.z;
}

uint32_t rico__edit_boxes_nearest(const rico_box *box, const rico__edit_box *items,
                                  uint32_t count)
{
    const uint32_t first = count > RICO__EDIT_BOXES ? count - RICO__EDIT_BOXES : 0;
    uint32_t best = first;
    float least = __builtin_inff();
    for (uint32_t i = first; i < count; ++i) {
        rico_box both = boxes_join(&items[i].box, box);
        float more = extent(&both) - extent(&items[i].box);
        if (more < least) {
            least = more;
            best = i;
        }
    }
    return best;
}

static void join(rico__edit_boxes *list, const rico__edit_box *edit)
{
    rico__edit_box *to =
        &list->items[rico__edit_boxes_nearest(&edit->box, list->items, list->count)];
    to->place = boxes_join(&to->place, &edit->place);
    to->box = boxes_join(&to->box, &edit->box);
    to->wakes |= edit->wakes;
    to->forgets |= edit->forgets;
    to->asks |= edit->asks;
    to->relabels = false; /* it is not one collider any more: it concerns all particles */
    list->others = true;
}

void rico__edit_boxes_add(rico__edit_boxes *list, const rico__edit_box *edit,
                          rico__memory *memory)
{
    list->tree.levels = 0;
    list->others |= !edit->relabels;
    list->labels |= edit->relabels ? edit->before ^ edit->after : 0;
    if (list->count == list->capacity &&
        (memory == NULL || list->capacity == RICO__MOST_EDIT_BOXES ||
         !make_room(list, 2 * list->capacity, memory)))
        join(list, edit);
    else
        list->items[list->count++] = *edit;
}

void rico__edit_boxes_clear(rico__edit_boxes *list)
{
    list->count = list->tree.levels = 0;
    list->labels = 0;
    list->others = false;
}

/* --- The tree ----------------------------------------------------------------------------- */

static bool box_of(const void *items, uint32_t number, rico_box *box)
{
    const rico__edit_box *item = (const rico__edit_box *)items + number;
    *box = item->box;
    return item->wakes;
}

void rico__edit_boxes_sort(rico__edit_boxes *list)
{
    if (list->tree.levels == 0 && list->count > RICO__EDIT_BOXES)
        rico__box_tree_make(&list->tree, list->count, box_of, list->items);
}

/* --- Asking ------------------------------------------------------------------------------- */

bool rico__edit_boxes_each(const rico__edit_boxes *list, const rico_box *box, bool to_wake,
                           rico__box_fn *visit, void *user)
{
    if (list->tree.levels > 0)
        return rico__box_tree_each(&list->tree, box, to_wake, visit, user);
    for (uint32_t i = 0; i < list->count; ++i) {
        const rico__edit_box *item = &list->items[i];
        if ((item->wakes || !to_wake) && boxes_meet(&item->box, box) && visit(user, i))
            return true;
    }
    return false;
}

static bool stop(void *user, uint32_t edit)
{
    (void)user;
    (void)edit;
    return true;
}

bool rico__edit_boxes_any(const rico__edit_boxes *list, const rico_box *box, bool to_wake)
{
    return rico__edit_boxes_each(list, box, to_wake, stop, NULL);
}

typedef struct concern {
    const rico__edit_boxes *list;
    uint32_t ignored;
} concern;

static bool concerns(void *user, uint32_t edit)
{
    const concern *c = user;
    return rico__edit_concerns(&c->list->items[edit], c->ignored);
}

bool rico__edit_boxes_meet(const rico__edit_boxes *list, const rico_box *box, bool to_wake,
                           uint32_t ignored)
{
    concern c = {list, ignored};
    return rico__edit_boxes_concern(list, ignored) &&
           rico__edit_boxes_each(list, box, to_wake, concerns, &c);
}
