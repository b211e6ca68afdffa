/* A binary tree by the surface area heuristic (Wald 2007: binned), then up to 16 of its subtrees
 * under each node. What a split costs counts in bundles begun, because a bundle of one triangle
 * takes a ray as long as one of sixteen. */
#define RICO_LANES 4
#include "chunk.h"
#include "grid.h"
#include "simd.h"
#include "slab.h"
#include "vec.h"

#include <string.h>

/* Bins of a node's triangles; of a small one's, where counting them costs more than filling them. */
enum { BINS = 16, FEW_BINS = 8, FEW_ENTRIES = 32, DEPTH_MAX = 64 };

/* Cost of a bundle's place in a node, in bundles: splitting 16 triangles or fewer pays when the
 * parts are this much smaller. Contact rays in Sponza took 5 % longer at 0.0 and at 0.6. */
#define SPLIT_COST 0.3f

/* A box in two vectors; their last elements are nobody's. */
typedef struct wide_box {
    vf lo, hi;
} wide_box;

typedef struct bin {
    wide_box box;
    uint32_t count;
} bin;

typedef struct split_choice {
    float cost;
    int axis; /* -1 = none */
    uint32_t at;
} split_choice;

static void box_clear(float lo[3], float hi[3])
{
    for (int k = 0; k < 3; ++k) {
        lo[k] = __builtin_inff();
        hi[k] = -__builtin_inff();
    }
}

static inline void box_add(float lo[3], float hi[3], const float more_lo[3],
                           const float more_hi[3])
{
    for (int k = 0; k < 3; ++k) {
        lo[k] = float_min(lo[k], more_lo[k]);
        hi[k] = float_max(hi[k], more_hi[k]);
    }
}

/* Half the surface; 0 for no box. */
static inline float box_area(const float lo[3], const float hi[3])
{
    float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    return x >= 0.0f ? x * y + y * z + z * x : 0.0f;
}

static inline wide_box wide_empty(void)
{
    return (wide_box){vf_set(__builtin_inff()), vf_set(-__builtin_inff())};
}

static inline wide_box wide_add(wide_box a, wide_box b)
{
    return (wide_box){vf_min(a.lo, b.lo), vf_max(a.hi, b.hi)};
}

/* The entry's box, and words that follow it: see wide_box. */
static inline wide_box wide_of(const rico__chunk_entry *e)
{
    return (wide_box){vf_load(e->lo), vf_load(e->hi)};
}

static inline float wide_area(wide_box b)
{
    vf side = b.hi - b.lo;
    float x = side[0], y = side[1], z = side[2];
    return x >= 0.0f ? x * y + y * z + z * x : 0.0f;
}

static inline float bundles(uint32_t count)
{
    return (float)((count + RICO_FAN - 1) / RICO_FAN);
}

/* The cheapest border between the bins of one axis. */
static void choose_border(const bin *bins, uint32_t bin_count, int axis, float parent_area,
                          uint32_t count, split_choice *best)
{
    float right_cost[BINS];
    float extra = count <= RICO_FAN ? SPLIT_COST * parent_area : 0.0f;
    uint32_t right = 0, left = 0;
    wide_box box = wide_empty();
    for (uint32_t i = bin_count - 1; i > 0; --i) {
        box = wide_add(box, bins[i].box);
        right += bins[i].count;
        right_cost[i] = wide_area(box) * bundles(right);
    }
    box = wide_empty();
    for (uint32_t i = 1; i < bin_count; ++i) {
        box = wide_add(box, bins[i - 1].box);
        left += bins[i - 1].count;
        if (left == 0 || left == count)
            continue;
        float cost = wide_area(box) * bundles(left) + right_cost[i] + extra;
        if (cost < best->cost)
            *best = (split_choice){cost, axis, i};
    }
}

typedef struct planner {
    rico__chunk_scratch *scratch;
    uint32_t bin_count;
    float first[4], rate[4]; /* of the bins at hand */
} planner;

static inline uint32_t bin_of(const planner *p, const rico__chunk_entry *e, int axis)
{
    float at = (e->lo[axis] + e->hi[axis] - p->first[axis]) * p->rate[axis];
    uint32_t last = p->bin_count - 1;
    return at < (float)last ? (uint32_t)(at > 0.0f ? at : 0.0f) : last;
}

/* Chooses the range of the bins and puts the node's entries in them. */
static void fill_bins(planner *p, const rico__chunk_entry *entries, uint32_t count,
                      bin bins[3][BINS])
{
    wide_box centres = wide_empty();
    for (uint32_t i = 0; i < count; ++i) {
        wide_box box = wide_of(&entries[i]);
        vf centre = box.lo + box.hi;
        centres = wide_add(centres, (wide_box){centre, centre});
    }
    p->bin_count = count <= FEW_ENTRIES ? FEW_BINS : BINS;
    vf rate = vf_set((float)p->bin_count * 0.999f) / (centres.hi - centres.lo);
    vf last = vf_set((float)(p->bin_count - 1));
    vf_store(p->first, centres.lo);
    vf_store(p->rate, rate);
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t i = 0; i < p->bin_count; ++i)
            bins[axis][i] = (bin){.box = wide_empty()};
    for (uint32_t i = 0; i < count; ++i) {
        wide_box box = wide_of(&entries[i]);
        /* As bin_of, but for axes without a rate, which nobody asks about. */
        vf at = (box.lo + box.hi - centres.lo) * rate;
        vi to = vf_to_int(vf_min(vf_max(at, vf_set(0.0f)), last));
        for (int axis = 0; axis < 3; ++axis) {
            bin *b = &bins[axis][to[axis]];
            b->box = wide_add(b->box, box);
            b->count += 1;
        }
    }
}

static split_choice choose_split(planner *p, const rico__chunk_split *node)
{
    float area = box_area(node->lo, node->hi);
    bin bins[3][BINS];
    fill_bins(p, p->scratch->entries + node->first, node->count, bins);
    /* Nothing is as dear as a bundle that does not fit. */
    split_choice best = {node->count <= RICO_FAN ? area : __builtin_inff(), -1, 0};
    for (int axis = 0; axis < 3; ++axis)
        if (p->rate[axis] > 0.0f && float_is_finite(p->rate[axis]))
            choose_border(bins[axis], p->bin_count, axis, area, node->count, &best);
    return best;
}

/* Stable: the order within a side stays, so that the tree follows from the entries' order. */
static uint32_t part_entries(planner *p, const rico__chunk_split *node,
                             const split_choice *choice)
{
    rico__chunk_entry *entries = p->scratch->entries + node->first;
    rico__chunk_entry *spare = p->scratch->spare;
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < node->count; ++i) {
        bool goes_left = i < node->count / 2;
        if (choice->axis >= 0)
            goes_left = bin_of(p, &entries[i], choice->axis) < choice->at;
        if (goes_left)
            entries[left++] = entries[i];
        else
            spare[right++] = entries[i];
    }
    memcpy(entries + left, spare, right * sizeof *spare);
    return left;
}

static uint32_t add_split(rico__chunk_scratch *scratch, uint32_t first, uint32_t count)
{
    rico__chunk_split *node = &scratch->splits[scratch->split_count];
    *node = (rico__chunk_split){.first = first, .count = count};
    wide_box box = wide_empty();
    for (uint32_t i = first; i < first + count; ++i)
        box = wide_add(box, wide_of(&scratch->entries[i]));
    for (int k = 0; k < 3; ++k) {
        node->lo[k] = box.lo[k];
        node->hi[k] = box.hi[k];
    }
    return scratch->split_count++;
}

static void plan_node(planner *p, uint32_t index, int depth)
{
    rico__chunk_split *node = &p->scratch->splits[index];
    if (node->count <= 1)
        return;
    split_choice choice = {0.0f, -1, 0};
    if (depth < DEPTH_MAX)
        choice = choose_split(p, node);
    if (choice.axis < 0 && node->count <= RICO_FAN)
        return;
    uint32_t left = part_entries(p, node, &choice);
    uint32_t a = add_split(p->scratch, node->first, left);
    uint32_t b = add_split(p->scratch, node->first + left, node->count - left);
    node->left = a;
    node->right = b;
    plan_node(p, a, depth + 1);
    plan_node(p, b, depth + 1);
}

/* The children of a wide node: the largest inner one is opened until there are 16. */
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

/* Nodes keep to cache lines: chunks are multiples of four units, and so are the parts before
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
    planner p = {.scratch = scratch};
    scratch->split_count = 0;
    plan_node(&p, add_split(scratch, 0, count), 0);
    return units_of_node(scratch, 0);
}

/* --- writing --- */

typedef struct writer {
    const rico__chunk_scratch *scratch;
    const rico__triangles *triangles;
    uint8_t *arena;
    uint32_t unit;  /* next free one */
    uint32_t level; /* nodes above the one at hand */
    rico__chunk_counts *counts;
} writer;

static uint32_t float_bits_up(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits + 0xffffu) >> 16; /* positive: the next float with 16 bits fewer */
}

/* Upper bound of |dx| + |dy| of an edge seen along any axis with shears of at most 1. */
static float edge_bound(const float *v, float corner_error)
{
    double most = 0.0;
    for (int j = 0; j < 3; ++j) {
        const float *a = v + 3 * j, *b = v + 3 * ((j + 1) % 3);
        double x = __builtin_fabs((double)a[0] - b[0]), y = __builtin_fabs((double)a[1] - b[1]);
        double z = __builtin_fabs((double)a[2] - b[2]);
        double largest = x > y ? (x > z ? x : z) : (y > z ? y : z);
        double bound = x + y + z + largest;
        most = bound > most ? bound : most;
    }
    return (float)(most * 1.000001) + 4.0f * corner_error;
}

static void write_row(rico__bundle *bundle, uint32_t count, uint32_t i, const float *v,
                      uint32_t id)
{
    uint16_t *rows = (uint16_t *)(void *)(bundle->ids + count);
    bundle->ids[i] = id;
    for (uint32_t r = 0; r < RICO_BUNDLE_EDGES; ++r) {
        double at = ((double)v[r] - bundle->base[r % 3]) / (double)bundle->scale[r % 3];
        rows[r * count + i] = at < 65535.0 ? (uint16_t)(at + 0.5) : 65535u;
    }
    rows[RICO_BUNDLE_EDGES * count + i] = (uint16_t)float_bits_up(edge_bound(v, bundle->error));
}

/* slack: how much larger than the triangles' parts the box in the node is, summed over axes. */
static void write_bundle(writer *w, const rico__chunk_split *leaf, float slack)
{
    rico__bundle *bundle =
        (rico__bundle *)(void *)(w->arena + (size_t)w->unit * RICO_ARENA_UNIT);
    const rico__chunk_entry *entries = w->scratch->entries + leaf->first;
    float lo[3], hi[3], extent = slack, steps = 0.0f;
    box_clear(lo, hi);
    for (uint32_t i = 0; i < leaf->count; ++i)
        for (uint32_t j = 0; j < 3; ++j) {
            const rico__face *face = &w->triangles->faces[entries[i].id];
            const float *corner = rico__face_vertex(w->triangles, face, j)->at;
            box_add(lo, hi, corner, corner);
        }
    for (int k = 0; k < 3; ++k) {
        bundle->base[k] = lo[k];
        bundle->scale[k] = float_max((hi[k] - lo[k]) * (1.0f / 65534.0f), 1.0e-30f);
        extent += hi[k] - lo[k];
        steps += bundle->scale[k];
    }
    /* A corner in the ray's plane is a sum of two numbers of 16 bits, made of floats up to 256
     * times the extent: half a step each, and six roundings of 2^-24 x 256 extents. */
    bundle->error = 8.0f * steps + extent * (64.0f / 16777216.0f);
    bundle->extent = extent;
    for (uint32_t i = 0; i < leaf->count; ++i) {
        const rico__chunk_entry *e = &entries[i];
        rico__triangle triangle = rico__triangle_at(w->triangles, e->id);
        write_row(bundle, leaf->count, i, triangle.v, e->id);
    }
    w->unit += units_of_bundle(leaf->count);
    w->counts->bundles += 1;
}

static void write_frame(rico__node *node, const rico__chunk_split *split)
{
    for (int k = 0; k < 3; ++k) {
        float lo = split->lo[k], hi = split->hi[k];
        /* A little more than 255 steps, so that rounding never leaves a box. */
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
            write_bundle(w, child, slack);
            rico__slab_of_triangles(node, i, w->triangles, w->scratch->entries + child->first,
                                    child->count);
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
