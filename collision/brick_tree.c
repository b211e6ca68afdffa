/* Sorts bricks in Morton order, and cuts ranges of them into the children of nodes. A range is
 * cut at the highest bit in which its keys differ, the longest piece first, until each piece
 * fits a node (Lauterbach and others 2009, made wide). Whole pieces take the room that is left.
 * A tree by areas would be a little better and take many times as long: the brick's own tree
 * does the fine work. */
#include "brick_tree.h"
#include "chunk.h"
#include "slab.h"

#include <string.h>

#define KEY_SHIFT 28u /* the bits below it are the brick's index */
#define DIGIT_BITS 12u
#define DIGITS 3u

typedef struct range {
    uint32_t first, count;
} range;

typedef struct bounds64 {
    double lo[3], hi[3];
} bounds64;

/* Moves bit i of a 12-bit number to bit 3 i. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 16) & 0x00ff0000ffu;
    x = (x | x << 8) & 0x0f00f00f00fu;
    x = (x | x << 4) & 0x0c30c30c30c3u;
    return (x | x << 2) & 0x249249249249u;
}

/* The reverse of spread. */
static uint32_t gather_bits(uint64_t x)
{
    x &= 0x249249249249u;
    x = (x | x >> 2) & 0x0c30c30c30c3u;
    x = (x | x >> 4) & 0x0f00f00f00fu;
    x = (x | x >> 8) & 0x00ff0000ffu;
    return (uint32_t)((x | x >> 16) & 0xfffu);
}

static uint64_t key_of(const rico__brick *brick)
{
    return spread(brick->at[0]) | spread(brick->at[1]) << 1 | spread(brick->at[2]) << 2;
}

/* Radix sort by the keys. There are three digits, so the result is in `spare`. */
static void sort_keys(uint64_t *keys, uint64_t *spare, uint32_t count)
{
    for (uint32_t digit = 0; digit < DIGITS; ++digit) {
        uint32_t first[1u << DIGIT_BITS], shift = KEY_SHIFT + digit * DIGIT_BITS, sum = 0;
        memset(first, 0, sizeof first);
        for (uint32_t i = 0; i < count; ++i)
            first[keys[i] >> shift & ((1u << DIGIT_BITS) - 1u)] += 1;
        for (uint32_t i = 0; i < 1u << DIGIT_BITS; ++i) {
            uint32_t here = first[i];
            first[i] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; ++i)
            spare[first[keys[i] >> shift & ((1u << DIGIT_BITS) - 1u)]++] = keys[i];
        uint64_t *sorted = spare;
        spare = keys;
        keys = sorted;
    }
}

/* Where a range of two or more is cut: at the first key that has the highest bit that
 * differs. */
static uint32_t cut_of(const uint64_t *keys, range r)
{
    uint32_t last = r.first + r.count - 1;
    uint32_t bit = bits_highest64(keys[r.first] ^ keys[last]);
    uint32_t lo = r.first, hi = last; /* keys[lo] lacks the bit, keys[hi] has it */
    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (keys[middle] >> bit & 1)
            hi = middle;
        else
            lo = middle;
    }
    return hi;
}

/* Makes room for several pieces in the place of one: its single bricks, or its two parts. */
static uint32_t replace_piece(range *pieces, uint32_t count, uint32_t at, uint32_t by)
{
    memmove(&pieces[at + by], &pieces[at + 1], (count - at - 1) * sizeof pieces[0]);
    return count + by - 1;
}

static uint32_t piece_to_cut(const range *pieces, uint32_t count)
{
    uint32_t longest = 0;
    for (uint32_t i = 1; i < count; ++i)
        if (pieces[i].count > pieces[longest].count)
            longest = i;
    return longest;
}

/* The largest piece whose single bricks all have room in the node; `count` if there is none. */
static uint32_t piece_to_take(const range *pieces, uint32_t count)
{
    uint32_t best = count, room = RICO_FAN - count + 1;
    for (uint32_t i = 0; i < count; ++i)
        if (pieces[i].count > 1 && pieces[i].count <= room &&
            (best == count || pieces[i].count > pieces[best].count))
            best = i;
    return best;
}

/* Cuts pieces until none is larger than a node. If cutting went on until there are 16, the
 * pieces would become nodes of two or three bricks each. */
static uint32_t cut_into_children(const uint64_t *keys, range r, range children[RICO_FAN])
{
    uint32_t count = 1;
    children[0] = r;
    while (count < RICO_FAN) {
        uint32_t at = piece_to_cut(children, count);
        range whole = children[at];
        if (whole.count <= RICO_FAN)
            break;
        uint32_t cut = cut_of(keys, whole);
        count = replace_piece(children, count, at, 2);
        children[at] = (range){whole.first, cut - whole.first};
        children[at + 1] = (range){cut, whole.first + whole.count - cut};
    }
    for (uint32_t at; (at = piece_to_take(children, count)) < count;) {
        range whole = children[at];
        count = replace_piece(children, count, at, whole.count);
        for (uint32_t i = 0; i < whole.count; ++i)
            children[at + i] = (range){whole.first + i, 1};
    }
    return count;
}

static uint32_t count_nodes(const uint64_t *keys, range r)
{
    range children[RICO_FAN];
    uint32_t count = cut_into_children(keys, r, children), nodes = 1;
    for (uint32_t i = 0; i < count; ++i)
        if (children[i].count > 1)
            nodes += count_nodes(keys, children[i]);
    return nodes;
}

/* The box around all boxes of the node, and what rounding adds to them. */
static bounds64 bounds_of_node(const rico__node *node)
{
    bounds64 b;
    for (int k = 0; k < 3; ++k) {
        b.lo[k] = (double)node->base[k];
        b.hi[k] = (double)node->base[k] + 255.0 * (double)node->scale[k];
    }
    return b;
}

static void write_boxes(rico__node *node, const bounds64 *boxes, uint32_t count)
{
    const double far = __builtin_inf();
    bounds64 all = {{far, far, far}, {-far, -far, -far}};
    for (uint32_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            all.lo[k] = boxes[i].lo[k] < all.lo[k] ? boxes[i].lo[k] : all.lo[k];
            all.hi[k] = boxes[i].hi[k] > all.hi[k] ? boxes[i].hi[k] : all.hi[k];
        }
    memset(node->box[0], 255, 3 * sizeof node->box[0]); /* lo above hi: empty */
    for (int k = 0; k < 3; ++k) {
        double largest = __builtin_fabs(all.lo[k]) > __builtin_fabs(all.hi[k])
                             ? __builtin_fabs(all.lo[k])
                             : __builtin_fabs(all.hi[k]);
        /* Rounding moves base by up to a 64th of a step. So the rounded base and scale are used
         * below; what rounding there remains is far below a hundredth of a step. */
        double step = (all.hi[k] - all.lo[k]) / 250.0 + largest * 0x1p-18 + 1.0e-30;
        node->base[k] = (float)(all.lo[k] - step);
        node->scale[k] = (float)step;
        for (uint32_t i = 0; i < count; ++i) {
            double lo = (boxes[i].lo[k] - (double)node->base[k]) / (double)node->scale[k];
            double hi = (boxes[i].hi[k] - (double)node->base[k]) / (double)node->scale[k];
            node->box[k][i] = (uint8_t)(lo - 0.01);
            node->box[3 + k][i] = (uint8_t)(hi + 1.01);
        }
    }
    node->count = (uint16_t)count;
}

static const rico__node *child_of(const rico__grid *grid, const rico__node *node, uint32_t i)
{
    size_t place = node->child[i] >> 4;
    if (!(node->leaves >> i & 1))
        return &grid->tops[place];
    return (const rico__node *)(const void *)(grid->arena + place * RICO_ARENA_UNIT);
}

typedef struct tree_writer {
    rico__grid *grid;
    const uint64_t *keys;
} tree_writer;

static bounds64 write_top(tree_writer *w, range r)
{
    rico__grid *grid = w->grid;
    range children[RICO_FAN];
    bounds64 boxes[RICO_FAN];
    rico__node *node = &grid->tops[grid->top_count++];
    uint32_t count = cut_into_children(w->keys, r, children);
    for (uint32_t i = 0; i < count; ++i) {
        if (children[i].count > 1) {
            node->child[i] = grid->top_count << 4;
            boxes[i] = write_top(w, children[i]);
            continue;
        }
        uint32_t brick = (uint32_t)w->keys[children[i].first] & ((1u << KEY_SHIFT) - 1u);
        uint32_t root = grid->bricks[brick].root;
        node->leaves = (uint16_t)(node->leaves | 1u << i);
        node->child[i] = root << 4;
        boxes[i] = bounds_of_node(
            (const rico__node *)(const void *)(grid->arena + (size_t)root * RICO_ARENA_UNIT));
    }
    write_boxes(node, boxes, count);
    for (uint32_t i = 0; i < count; ++i)
        rico__slab_of_node(node, i, child_of(grid, node, i));
    return bounds_of_node(node);
}

void rico__brick_tree_release(rico__grid *grid, rico__memory *memory)
{
    rico__memory_release(memory, grid->tops, grid->top_count, sizeof *grid->tops,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, grid->keys, grid->key_count, sizeof *grid->keys,
                         RICO_CACHE_LINE);
    grid->tops = NULL;
    grid->keys = NULL;
    grid->top_count = grid->key_count = 0;
}

static uint32_t count_keys(const rico__grid *grid)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < grid->brick_count; ++i)
        count += grid->bricks[i].root != 0;
    return count;
}

/* Lists the keys of the bricks that have triangles. */
static void list_keys(const rico__grid *grid, uint64_t *keys)
{
    for (uint32_t i = 0, count = 0; i < grid->brick_count; ++i)
        if (grid->bricks[i].root != 0)
            keys[count++] = key_of(&grid->bricks[i]) << KEY_SHIFT | i;
}

static bool make_keys(rico__grid *grid, uint32_t count, rico__memory *memory)
{
    uint64_t *room = rico__memory_allocate(memory, count, sizeof *room, RICO_CACHE_LINE);
    if (room == NULL)
        return false;
    grid->keys = rico__memory_allocate(memory, count, sizeof *grid->keys, RICO_CACHE_LINE);
    if (grid->keys != NULL) {
        grid->key_count = count;
        list_keys(grid, room);
        sort_keys(room, grid->keys, count);
    }
    rico__memory_release(memory, room, count, sizeof *room, RICO_CACHE_LINE);
    return grid->keys != NULL;
}

bool rico__brick_tree_build(rico__grid *grid, rico__memory *memory)
{
    rico__brick_tree_release(grid, memory);
    const uint32_t count = count_keys(grid);
    if (count == 0)
        return true;
    if (!make_keys(grid, count, memory))
        return false;
    const range all = {0, count};
    const uint32_t nodes = count_nodes(grid->keys, all);
    grid->tops = rico__memory_allocate(memory, nodes, sizeof *grid->tops, RICO_CACHE_LINE);
    if (grid->tops == NULL) {
        rico__brick_tree_release(grid, memory);
        return false;
    }
    tree_writer w = {grid, grid->keys};
    write_top(&w, all);
    return true;
}

/* --- the bricks of a box --- */

/* Finds the place that bricks from the first to the last of a range can have, and whether it
 * meets the box. */
static bool range_meets(const uint64_t *keys, range r, const int32_t lo[3], const int32_t hi[3])
{
    const uint64_t first = keys[r.first] >> KEY_SHIFT,
                   last = keys[r.first + r.count - 1] >> KEY_SHIFT;
    const uint64_t below =
        first == last ? 0 : ((uint64_t)2 << bits_highest64(first ^ last)) - 1;
    bool meets = true;
    for (int k = 0; k < 3; ++k) {
        const int32_t from = (int32_t)gather_bits((first & ~below) >> k);
        const int32_t to = (int32_t)gather_bits((last | below) >> k);
        meets = meets && from <= hi[k] && to >= lo[k];
    }
    return meets;
}

bool rico__bricks_each(const rico__grid *grid, const int32_t lo[3], const int32_t hi[3],
                       rico__brick_fn *visit, void *user)
{
    range left[RICO_BRICK_TREE_LEVELS +
               1]; /* one for each bit that was cut at, and the current one */
    uint32_t count = 0;
    if (grid->key_count > 0)
        left[count++] = (range){0, grid->key_count};
    while (count > 0) {
        const range r = left[--count];
        if (!range_meets(grid->keys, r, lo, hi))
            continue;
        if (r.count == 1) {
            uint64_t index = grid->keys[r.first] & (((uint64_t)1 << KEY_SHIFT) - 1u);
            if (visit(user, &grid->bricks[index]))
                return true;
            continue;
        }
        const uint32_t cut = cut_of(grid->keys, r);
        left[count++] = (range){cut, r.first + r.count - cut};
        left[count++] = (range){r.first, cut - r.first};
    }
    return false;
}
