#include "box_tree.h"

#include "bits.h"
#include "four.h"
#include "vec.h"

#include <string.h>

static size_t node_room(uint32_t capacity)
{
    return capacity / (RICO__BOX_FAN - 1u) + RICO__BOX_LEVELS;
}

void rico__box_tree_free(rico__box_tree *tree, rico__memory *memory)
{
    rico__memory_release(memory, tree->keys, (size_t)2 * tree->capacity, sizeof *tree->keys,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, tree->nodes, node_room(tree->capacity), sizeof *tree->nodes,
                         RICO_CACHE_LINE);
    *tree = (rico__box_tree){.keys = NULL};
}

bool rico__box_tree_reserve(rico__box_tree *tree, rico__memory *memory, uint32_t capacity)
{
    *tree = (rico__box_tree){.capacity = capacity};
    tree->keys =
        rico__memory_reserve(memory, (size_t)2 * capacity, sizeof *tree->keys, RICO_CACHE_LINE);
    tree->nodes =
        rico__memory_reserve(memory, node_room(capacity), sizeof *tree->nodes, RICO_CACHE_LINE);
    if (tree->keys != NULL && tree->nodes != NULL)
        return true;
    rico__box_tree_free(tree, memory);
    return false;
}

/* --- The curve ---------------------------------------------------------------------------- */

#define MOST_AXIS_BITS 16u

static uint32_t number_at(const rico__box_tree *tree, uint32_t place)
{
    return (uint32_t)(tree->keys[place] & (((uint64_t)1 << tree->number_bits) - 1));
}

static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 1;
    while (bits < 32 && count > (uint32_t)1 << bits)
        ++bits;
    return bits;
}

/* Spreads 21 bits over every third bit of 63. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t part_of(float at, float from, float to, uint32_t bits)
{
    float size = to - from;
    float part = size > 0.0f ? (at - from) / size : 0.0f;
    return (uint64_t)(float_clamp(part, 0.0f, 1.0f) * (float)((1u << bits) - 1u));
}

static uint64_t place_on_curve(rico_vec3 p, const rico_box *all, uint32_t bits)
{
    return spread_bits(part_of(p.x, all->lo.x, all->hi.x, bits)) |
           spread_bits(part_of(p.y, all->lo.y, all->hi.y, bits)) << 1 |
           spread_bits(part_of(p.z, all->lo.z, all->hi.z, bits)) << 2;
}

static rico_vec3 middle(const rico_box *box)
{
    return vec3_mad(vec3_scale(box->lo, 0.5f), box->hi, 0.5f);
}

/* Sorts by the eight bits from `shift` on. The order of equal keys stays. */
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

/* Makes the keys of all numbers that have boxes, in order; returns how many. Places on the
 * curve are relative to the bounds of all centres. So a box that is large or far away makes
 * them coarser for all; therefore a key uses as many bits as there is room for. */
static uint32_t order(rico__box_tree *tree, uint32_t count, rico__box_source *source,
                      const void *user)
{
    rico_box all = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}, box;
    uint32_t there = 0;
    tree->number_bits = bits_for(count);
    for (uint32_t i = 0; i < count; ++i) {
        source(user, i, &box);
        if (box.lo.x > box.hi.x)
            continue;
        const rico_vec3 at = middle(&box);
        all.lo = there == 0 ? at : vec3_min(all.lo, at);
        all.hi = there == 0 ? at : vec3_max(all.hi, at);
        tree->keys[there++] = i;
    }
    const uint32_t bits = tree->number_bits,
                   axis = (64 - bits) / 3 < MOST_AXIS_BITS ? (64 - bits) / 3 : MOST_AXIS_BITS;
    for (uint32_t k = 0; k < there; ++k) {
        source(user, (uint32_t)tree->keys[k], &box);
        tree->keys[k] |= place_on_curve(middle(&box), &all, axis) << bits;
    }
    uint64_t *from = tree->keys, *to = tree->keys + tree->capacity;
    for (uint32_t shift = bits; shift < bits + 3 * axis; shift += 8) {
        sort_by(from, to, there, shift);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != tree->keys)
        memcpy(tree->keys, from, there * sizeof *from);
    return there;
}

/* --- The nodes ---------------------------------------------------------------------------- */

static void put(rico__box_node *node, uint32_t at, const rico_box *box, bool marked)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    for (int a = 0; a < 3; ++a) {
        node->lo[a][at] = lo[a];
        node->hi[a][at] = hi[a];
    }
    node->marked |= (uint32_t)marked << at;
}

static rico_box box_of(const rico__box_node *node)
{
    float lo[3], hi[3];
    for (int a = 0; a < 3; ++a) {
        lo[a] = node->lo[a][0];
        hi[a] = node->hi[a][0];
        for (uint32_t i = 1; i < RICO__BOX_FAN; ++i) {
            lo[a] = float_min(node->lo[a][i], lo[a]); /* a NaN as first operand is ignored */
            hi[a] = float_max(node->hi[a][i], hi[a]);
        }
    }
    return (rico_box){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

/* Makes a level above `count` boxes or nodes: at least one node. */
static void make_level(rico__box_tree *tree, uint32_t level, uint32_t count,
                       rico__box_source *source, const void *user)
{
    const float never = __builtin_nanf("");
    const rico_box nothing = {{never, never, never}, {never, never, never}};
    rico__box_node *node = &tree->nodes[tree->first[level]];
    for (uint32_t i = 0; i == 0 || i < count; i += RICO__BOX_FAN, ++node) {
        node->marked = 0;
        for (uint32_t k = 0; k < RICO__BOX_FAN; ++k) {
            rico_box box = nothing;
            bool marked = false;
            if (i + k < count && level == 0) {
                marked = source(user, number_at(tree, i + k), &box);
            } else if (i + k < count) {
                const rico__box_node *below = &tree->nodes[tree->first[level - 1] + i + k];
                box = box_of(below);
                marked = below->marked != 0;
            }
            put(node, k, &box, marked);
        }
    }
    tree->first[level + 1] = (uint32_t)(node - tree->nodes);
}

void rico__box_tree_make(rico__box_tree *tree, uint32_t count, rico__box_source *source,
                         const void *user)
{
    uint32_t below = order(tree, count, source, user);
    tree->levels = 0;
    tree->first[0] = 0;
    do {
        make_level(tree, tree->levels, below, source, user);
        below = tree->first[tree->levels + 1] - tree->first[tree->levels];
        tree->levels += 1;
    } while (below > 1);
}

/* --- Asking ------------------------------------------------------------------------------- */

typedef struct asked {
    const rico__box_tree *tree;
    const rico_box *box;
    bool to_marked;
    rico__box_fn *visit;
    void *user;
} asked;

/* Which of the node's boxes meet the box, as by boxes_meet. */
static uint32_t meet_node(const rico__box_node *node, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    uint32_t met = 0;
    for (uint32_t i = 0; i < RICO__BOX_FAN; i += 4) {
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

/* Visits what is below a node of that level. */
static bool visit_below(const asked *a, uint32_t level, uint32_t number)
{
    const rico__box_node *node = &a->tree->nodes[a->tree->first[level] + number];
    uint32_t met = meet_node(node, a->box);
    for (met &= a->to_marked ? node->marked : ~0u; met != 0; met &= met - 1) {
        const uint32_t below = number * RICO__BOX_FAN + bits_lowest64(met);
        if (level == 0 ? a->visit(a->user, number_at(a->tree, below))
                       : visit_below(a, level - 1, below))
            return true;
    }
    return false;
}

bool rico__box_tree_each(const rico__box_tree *tree, const rico_box *box, bool to_marked,
                         rico__box_fn *visit, void *user)
{
    const asked a = {tree, box, to_marked, visit, user};
    return visit_below(&a, tree->levels - 1, 0);
}
