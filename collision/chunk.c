/* Makes a binary tree (chunk_plan.c), then puts up to 16 of its subtrees under each node. */
#include "chunk.h"
#include "cell_block.h"
#include "grid.h"
#include "slab.h"
#include "vec.h"

#include <string.h>

/* Half the surface of a box; 0 for an empty one. */
static inline float box_area(const float lo[3], const float hi[3])
{
    float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    return x >= 0.0f ? x * y + y * z + z * x : 0.0f;
}

/* Chooses the children of a wide node: opens the largest inner one until there are 16. */
static uint32_t choose_children(const rico__chunk_scratch *scratch, uint32_t index,
                                uint32_t children[RICO_FAN])
{
    uint32_t count = 1;
    children[0] = index;
    while (count < RICO_FAN) {
        float most = -1.0f;
        uint32_t open = 0;
        for (uint32_t i = 0; i < count; ++i) {
            const rico__chunk_split *s = &scratch->splits[children[i]];
            float area = box_area(s->lo, s->hi);
            if (s->left != 0 && area > most) {
                most = area;
                open = i;
            }
        }
        if (most < 0.0f)
            break;
        const rico__chunk_split *s = &scratch->splits[children[open]];
        memmove(&children[open + 2], &children[open + 1],
                (count - open - 1) * sizeof children[0]);
        children[open] = s->left;
        children[open + 1] = s->right;
        count += 1;
    }
    return count;
}

static uint32_t units_of_bundle(uint32_t count)
{
    return (uint32_t)((RICO_BUNDLE_BYTES(count) + RICO_ARENA_UNIT - 1) / RICO_ARENA_UNIT);
}

/* Nodes begin at cache lines: chunks are multiples of four units, and so are the parts before
 * each node. */
static uint32_t to_line(uint32_t units)
{
    return (units + 3u) & ~3u;
}

static uint32_t units_of_fan(uint32_t count)
{
    return (uint32_t)((RICO_NODE_BYTES(count) + RICO_ARENA_UNIT - 1) / RICO_ARENA_UNIT);
}

static uint32_t units_of_node(const rico__chunk_scratch *scratch, uint32_t index)
{
    uint32_t children[RICO_FAN], count = choose_children(scratch, index, children);
    uint32_t units = units_of_fan(count);
    for (uint32_t i = 0; i < count; ++i)
        if (scratch->splits[children[i]].left == 0)
            units += units_of_bundle(scratch->splits[children[i]].count);
    units = to_line(units);
    for (uint32_t i = 0; i < count; ++i)
        if (scratch->splits[children[i]].left != 0)
            units += units_of_node(scratch, children[i]);
    return units;
}

uint32_t rico__chunk_plan(rico__chunk_scratch *scratch, uint32_t count)
{
    rico__chunk_divide(scratch, count);
    return units_of_node(scratch, 0);
}

/* --- writing --- */

typedef struct writer {
    const rico__chunk_scratch *scratch;
    const rico__triangles *triangles;
    uint8_t *arena;
    uint32_t unit;  /* the next free unit */
    uint32_t level; /* nodes above the current one */
    rico__chunk_counts *counts;
} writer;

static uint32_t float_bits_up(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits + 0xffffu) >> 16; /* x is positive: rounds up to a float with 16 bits fewer */
}

/* An upper bound of |dx| + |dy| of an edge, seen along any axis with shears of at most 1. */
static float edge_bound(const rico__face_corners *t, float corner_error)
{
    float most = 0.0f;
    for (int j = 0; j < 3; ++j) {
        const float *a = t->at[j], *b = t->at[j < 2 ? j + 1 : 0];
        float x = __builtin_fabsf(a[0] - b[0]), y = __builtin_fabsf(a[1] - b[1]);
        float z = __builtin_fabsf(a[2] - b[2]);
        most = float_max(most, x + y + z + float_max(x, float_max(y, z)));
    }
    return most * 1.000001f + 4.0f * corner_error;
}

/* From coordinates to a bundle's words, per element. Words are off by half a step, and by a
 * hundredth of a step through rounding. */
typedef struct row_frame {
    v4 base, rate;
} row_frame;

static void write_row(rico__bundle *bundle, uint32_t count, uint32_t i, const row_frame *f,
                      const rico__face_corners *t, uint32_t id)
{
    uint16_t *rows = (uint16_t *)(void *)(bundle->ids + count);
    bundle->ids[i] = id;
    for (uint32_t j = 0; j < 3; ++j) {
        v4 at = (v4_load(t->at[j]) - f->base) * f->rate + v4_set(0.5f);
        v4i whole = v4_to_int(at);
        for (uint32_t k = 0; k < 3; ++k)
            rows[(3 * j + k) * count + i] = (uint16_t)whole[k];
    }
    rows[RICO_BUNDLE_EDGES * count + i] = (uint16_t)float_bits_up(edge_bound(t, bundle->error));
}

static void load_corners(const writer *w, const rico__chunk_split *leaf,
                         rico__face_corners corners[RICO_FAN])
{
    for (uint32_t i = 0; i < leaf->count; ++i) {
        const rico__face *face = &w->triangles->faces[w->scratch->entries[leaf->first + i].id];
        for (uint32_t j = 0; j < 3; ++j)
            v4_store(corners[i].at[j], rico__face_corner(w->triangles, face, j));
    }
}

/* slack: how much larger the box in the node is than the triangles' parts, summed over the
 * axes. */
static void write_bundle(writer *w, const rico__chunk_split *leaf,
                         const rico__face_corners *corners, float slack)
{
    rico__bundle *bundle =
        (rico__bundle *)(void *)(w->arena + (size_t)w->unit * RICO_ARENA_UNIT);
    const rico__chunk_entry *entries = w->scratch->entries + leaf->first;
    v4 lo = v4_load(corners[0].at[0]), hi = lo;
    float extent = slack, steps = 0.0f;
    row_frame frame = {v4_set(0.0f), v4_set(0.0f)};
    for (uint32_t i = 0; i < leaf->count; ++i)
        for (uint32_t j = 0; j < 3; ++j) {
            v4 corner = v4_load(corners[i].at[j]);
            lo = v4_min(lo, corner);
            hi = v4_max(hi, corner);
        }
    for (int k = 0; k < 3; ++k) {
        bundle->base[k] = lo[k];
        bundle->scale[k] = float_max((hi[k] - lo[k]) * (1.0f / 65534.0f), 1.0e-30f);
        extent += hi[k] - lo[k];
        steps += bundle->scale[k];
        frame.base[k] = bundle->base[k];
        frame.rate[k] = 1.0f / bundle->scale[k];
    }
    /* A corner in the ray's plane is a sum of two numbers of 16 bits, made of floats up to 256
     * times the extent. Its error is half a step each, and six roundings of 2^-24 x 256
     * extents. */
    bundle->error = 8.0f * steps + extent * (64.0f / 16777216.0f);
    bundle->extent = extent;
    for (uint32_t i = 0; i < leaf->count; ++i)
        write_row(bundle, leaf->count, i, &frame, &corners[i], entries[i].id);
    w->unit += units_of_bundle(leaf->count);
    w->counts->bundles += 1;
}

static void write_frame(rico__node *node, const rico__chunk_split *split)
{
    for (int k = 0; k < 3; ++k) {
        float lo = split->lo[k], hi = split->hi[k];
        /* The box is 254 steps wide: so rounding outwards never needs more than 255. */
        node->base[k] = lo;
        node->scale[k] = float_max((hi - lo) * (1.0f / 254.0f), 1.0e-30f);
        float largest = float_max(__builtin_fabsf(lo), __builtin_fabsf(hi));
        node->scale[k] = float_max(node->scale[k], largest * (1.0f / 16777216.0f));
    }
}

static void write_box(rico__node *node, uint32_t i, const rico__chunk_split *child)
{
    for (int k = 0; k < 3; ++k) {
        double lo = ((double)child->lo[k] - node->base[k]) / (double)node->scale[k];
        double hi = ((double)child->hi[k] - node->base[k]) / (double)node->scale[k];
        int32_t first = (int32_t)(lo - 0.001), last = (int32_t)(hi + 1.001);
        node->box[k][i] = (uint8_t)(first > 0 ? first : 0);
        node->box[3 + k][i] = (uint8_t)(last < 255 ? last : 255);
    }
}

static const rico__node *write_node(writer *w, uint32_t index)
{
    uint32_t unit = w->unit, children[RICO_FAN];
    uint32_t count = choose_children(w->scratch, index, children);
    rico__node *node = (rico__node *)(void *)(w->arena + (size_t)unit * RICO_ARENA_UNIT);
    write_frame(node, &w->scratch->splits[index]);
    memset(node->box[0], 255, 3 * sizeof node->box[0]); /* lo above hi: empty */
    node->count = (uint16_t)count;
    w->unit += units_of_fan(count);
    w->level += 1;
    w->counts->nodes += 1;
    w->counts->levels = uint_max(w->counts->levels, w->level);
    float slack = 4.0f * (node->scale[0] + node->scale[1] + node->scale[2]);
    for (uint32_t i = 0; i < count; ++i) {
        const rico__chunk_split *child = &w->scratch->splits[children[i]];
        write_box(node, i, child);
        if (child->left == 0) {
            node->leaves = (uint16_t)(node->leaves | 1u << i);
            node->child[i] = (w->unit - unit) << 4 | (child->count - 1);
            rico__face_corners corners[RICO_FAN];
            load_corners(w, child, corners);
            write_bundle(w, child, corners, slack);
            rico__slab_of_triangles(node, i, corners, child->count);
        }
    }
    w->unit = to_line(w->unit);
    for (uint32_t i = 0; i < count; ++i)
        if (w->scratch->splits[children[i]].left != 0) {
            node->child[i] = (w->unit - unit) << 4;
            const rico__node *below = write_node(w, children[i]);
            rico__slab_of_node(node, i, below);
        }
    w->level -= 1;
    return node;
}

void rico__chunk_write(const rico__chunk_scratch *scratch, const rico__triangles *triangles,
                       uint8_t *arena, uint32_t unit, rico__chunk_counts *counts)
{
    writer w = {scratch, triangles, arena, unit, 0, counts};
    write_node(&w, 0);
}

void rico__chunk_each(const uint8_t *arena, uint32_t root, rico__bundle_fn *visit, void *user)
{
    const rico__node *node =
        (const rico__node *)(const void *)(arena + (size_t)root * RICO_ARENA_UNIT);
    for (uint32_t i = 0; i < node->count; ++i) {
        uint32_t at = root + (node->child[i] >> 4);
        if (node->leaves >> i & 1)
            visit(user,
                  (const rico__bundle *)(const void *)(arena + (size_t)at * RICO_ARENA_UNIT),
                  (node->child[i] & 15u) + 1);
        else
            rico__chunk_each(arena, at, visit, user);
    }
}
