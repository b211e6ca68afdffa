#include "edit_boxes.h"

#include "bits.h"
#include "four.h"
#include "vec.h"

#include <string.h>

/* --- The list ----------------------------------------------------------------------------- */

static size_t node_room(uint32_t capacity)
{
    return capacity / (RICO__EDIT_FAN - 1u) + RICO__EDIT_LEVELS;
}

static void free_room(rico__edit_boxes *list, rico__memory *memory)
{
    rico__memory_release(memory, list->items, list->capacity, sizeof *list->items,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, list->keys, (size_t)2 * list->capacity, sizeof *list->keys,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, list->nodes, node_room(list->capacity), sizeof *list->nodes,
                         RICO_CACHE_LINE);
}

/* False: there is no memory, and all is as it was. */
static bool make_room(rico__edit_boxes *list, uint32_t capacity, rico__memory *memory)
{
    rico__edit_boxes more = *list;
    more.capacity = capacity;
    more.items = rico__memory_reserve(memory, capacity, sizeof *more.items, RICO_CACHE_LINE);
    more.keys =
        rico__memory_reserve(memory, (size_t)2 * capacity, sizeof *more.keys, RICO_CACHE_LINE);
    more.nodes =
        rico__memory_reserve(memory, node_room(capacity), sizeof *more.nodes, RICO_CACHE_LINE);
    if (more.items == NULL || more.keys == NULL || more.nodes == NULL) {
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
}

void rico__edit_boxes_add(rico__edit_boxes *list, const rico__edit_box *edit,
                          rico__memory *memory)
{
    list->levels = 0;
    if (list->count == list->capacity &&
        (memory == NULL || list->capacity == RICO__MOST_EDIT_BOXES ||
         !make_room(list, 2 * list->capacity, memory)))
        join(list, edit);
    else
        list->items[list->count++] = *edit;
}

/* --- The tree ----------------------------------------------------------------------------- */

/* Of ten bits, each third one of thirty. */
static uint32_t spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

static uint32_t part_of(float lo, float hi, float from, float to)
{
    float size = to - from;
    float at = size > 0.0f ? (lo * 0.5f + hi * 0.5f - from) / size : 0.0f;
    return (uint32_t)(float_clamp(at, 0.0f, 1.0f) * 1023.0f);
}

static uint32_t place_on_curve(const rico_box *box, const rico_box *all)
{
    return spread_bits(part_of(box->lo.x, box->hi.x, all->lo.x, all->hi.x)) |
           spread_bits(part_of(box->lo.y, box->hi.y, all->lo.y, all->hi.y)) << 1 |
           spread_bits(part_of(box->lo.z, box->hi.z, all->lo.z, all->hi.z)) << 2;
}

/* By the eight bits from `shift` on; the order of equals stays. */
static void sort_by(const uint64_t *from, uint64_t *to, uint32_t count, uint32_t shift)
{
    uint32_t ends[257] = {0};
    for (uint32_t i = 0; i < count; ++i)
        ends[(from[i] >> shift & 255u) + 1] += 1;
    for (uint32_t b = 1; b < 256; ++b)
        ends[b] += ends[b - 1];
    for (uint32_t i = 0; i < count; ++i)
        to[ends[from[i] >> shift & 255u]++] = from[i];
}

static void order(rico__edit_boxes *list)
{
    uint64_t *keys = list->keys, *other = list->keys + list->capacity;
    rico_box all = list->items[0].box;
    for (uint32_t i = 1; i < list->count; ++i)
        all = boxes_join(&all, &list->items[i].box);
    for (uint32_t i = 0; i < list->count; ++i)
        keys[i] = (uint64_t)place_on_curve(&list->items[i].box, &all) << 32 | i;
    for (uint32_t shift = 32; shift < 64; shift += 16) {
        sort_by(keys, other, list->count, shift);
        sort_by(other, keys, list->count, shift + 8);
    }
}

static const rico__edit_box *item_at(const rico__edit_boxes *list, uint32_t place)
{
    return &list->items[(uint32_t)list->keys[place]];
}

static void put(rico__edit_node *node, uint32_t at, const rico_box *box, bool wakes)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    for (int a = 0; a < 3; ++a) {
        node->lo[a][at] = lo[a];
        node->hi[a][at] = hi[a];
    }
    node->wakes |= (uint32_t)wakes << at;
}

static rico_box box_of(const rico__edit_node *node)
{
    float lo[3], hi[3];
    for (int a = 0; a < 3; ++a) {
        lo[a] = node->lo[a][0];
        hi[a] = node->hi[a][0];
        for (uint32_t i = 1; i < RICO__EDIT_FAN; ++i) {
            lo[a] = float_min(lo[a], node->lo[a][i]);
            hi[a] = float_max(hi[a], node->hi[a][i]);
        }
    }
    return (rico_box){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

static uint32_t places_below(const rico__edit_boxes *list, uint32_t level)
{
    return level > 0 ? list->first[level] - list->first[level - 1] : list->count;
}

static void make_level(rico__edit_boxes *list, uint32_t level)
{
    const float never = __builtin_inff();
    const rico_box nothing = {{never, never, never}, {-never, -never, -never}};
    const uint32_t count = places_below(list, level);
    rico__edit_node *node = &list->nodes[list->first[level]];
    for (uint32_t i = 0; i < count; i += RICO__EDIT_FAN, ++node) {
        node->wakes = 0;
        for (uint32_t k = 0; k < RICO__EDIT_FAN; ++k) {
            if (i + k >= count) {
                put(node, k, &nothing, false);
            } else if (level == 0) {
                const rico__edit_box *item = item_at(list, i + k);
                put(node, k, &item->box, item->wakes);
            } else {
                const rico__edit_node *below = &list->nodes[list->first[level - 1] + i + k];
                const rico_box box = box_of(below);
                put(node, k, &box, below->wakes != 0);
            }
        }
    }
    list->first[level + 1] = (uint32_t)(node - list->nodes);
}

void rico__edit_boxes_sort(rico__edit_boxes *list)
{
    if (list->levels > 0 || list->count <= RICO__EDIT_BOXES)
        return;
    order(list);
    list->first[0] = 0;
    do
        make_level(list, list->levels++);
    while (list->first[list->levels] - list->first[list->levels - 1] > 1);
}

/* --- Asking ------------------------------------------------------------------------------- */

typedef struct asked {
    const rico__edit_boxes *list;
    const rico_box *box;
    bool to_wake;
    rico__edit_fn *visit;
    void *user;
} asked;

static bool visit_item(const asked *a, uint32_t number)
{
    const rico__edit_box *item = &a->list->items[number];
    return (item->wakes || !a->to_wake) && boxes_meet(&item->box, a->box) &&
           a->visit(a->user, number);
}

/* Which of what a node holds the box meets: as boxes_meet. */
static uint32_t meet_node(const rico__edit_node *node, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    uint32_t met = 0;
    for (uint32_t i = 0; i < RICO__EDIT_FAN; i += 4) {
        v4i all = v4_load(&node->lo[0][i]) <= v4_set(hi[0]);
        all &= v4_load(&node->hi[0][i]) >= v4_set(lo[0]);
        for (int a = 1; a < 3; ++a) {
            all &= v4_load(&node->lo[a][i]) <= v4_set(hi[a]);
            all &= v4_load(&node->hi[a][i]) >= v4_set(lo[a]);
        }
        met |= v4_bits(all) << i;
    }
    return met;
}

/* Below a node of that level. */
static bool visit_below(const asked *a, uint32_t level, uint32_t number)
{
    const rico__edit_node *node = &a->list->nodes[a->list->first[level] + number];
    uint32_t met = meet_node(node, a->box);
    for (met &= a->to_wake ? node->wakes : ~0u; met != 0; met &= met - 1) {
        const uint32_t below = number * RICO__EDIT_FAN + bits_lowest64(met);
        if (level == 0 ? a->visit(a->user, (uint32_t)a->list->keys[below])
                       : visit_below(a, level - 1, below))
            return true;
    }
    return false;
}

bool rico__edit_boxes_each(const rico__edit_boxes *list, const rico_box *box, bool to_wake,
                           rico__edit_fn *visit, void *user)
{
    const asked a = {list, box, to_wake, visit, user};
    if (list->levels > 0)
        return visit_below(&a, list->levels - 1, 0);
    for (uint32_t i = 0; i < list->count; ++i)
        if (visit_item(&a, i))
            return true;
    return false;
}

static bool stop(void *user, uint32_t edit)
{
    (void)user;
    (void)edit;
    return true;
}

bool rico__edit_boxes_meet(const rico__edit_boxes *list, const rico_box *box, bool to_wake)
{
    return rico__edit_boxes_each(list, box, to_wake, stop, NULL);
}
