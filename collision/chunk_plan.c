/* How a brick's triangles are divided: into a binary tree, by the surface area heuristic (Wald
 * 2007: binned). The cost of a split counts in bundles begun, because a ray takes as long for a
 * bundle of one triangle as for one of sixteen. */
#define RICO_LANES 4
#include "chunk.h"
#include "four.h"
#include "simd.h"

#include <float.h>

/* Bins for a node's triangles. A small node has fewer, because evaluating them costs more than
 * filling them. */
enum { BINS = 16, FEW_BINS = 8, FEW_ENTRIES = 32 };

/* In a large node, this many triangles choose the border for all. */
#define SAMPLES 512u

/* The cost of a bundle's place in a node, in bundles: splitting 16 triangles or fewer pays when
 * the parts are smaller by this much. Contact rays in Sponza took 5 % longer at 0.0 and at
 * 0.6. */
#define SPLIT_COST 0.3f

/* A box in two vectors. Their last elements are not used. */
typedef struct wide_box {
    vf lo, hi;
} wide_box;

/* What the bins hold, for each axis in turn: the costs of all three are computed at once. */
typedef struct bins {
    wide_box box[BINS][3];
    vi count[BINS]; /* element k: of axis k */
    uint32_t used;
} bins;

typedef struct split_choice {
    float cost;
    int axis; /* -1 = none */
    float at; /* in bins; what is below goes left */
} split_choice;

typedef struct planner {
    rico__chunk_scratch *scratch;
    vf first, rate; /* of the current bins */
    bins bins;
} planner;

static inline wide_box wide_empty(void)
{
    return (wide_box){vf_set(__builtin_inff()), vf_set(-__builtin_inff())};
}

static inline wide_box wide_add(wide_box a, wide_box b)
{
    return (wide_box){vf_min(a.lo, b.lo), vf_max(a.hi, b.hi)};
}

/* The entry's box, and words that follow it, which are not used (wide_box). */
static inline wide_box wide_of(const rico__chunk_entry *e)
{
    return (wide_box){vf_load(e->lo), vf_load(e->hi)};
}

/* Half the surface of a box; 0 for an empty one. */
static inline float wide_area(wide_box b)
{
    vf side = b.hi - b.lo;
    float x = side[0], y = side[1], z = side[2];
    return x >= 0.0f ? x * y + y * z + z * x : 0.0f;
}

/* The areas of three boxes. The last element is not used. */
static inline vf wide_areas(const wide_box b[3])
{
    vf first = b[0].hi - b[0].lo, second = b[1].hi - b[1].lo, third = b[2].hi - b[2].lo;
    vf low = V4_SHUFFLE(first, second, 0, 4, 1, 5);
    vf high = V4_SHUFFLE(first, second, 2, 6, 2, 6);
    vf x = V4_SHUFFLE(low, third, 0, 1, 4, 4);
    vf y = V4_SHUFFLE(low, third, 2, 3, 5, 5);
    vf z = V4_SHUFFLE(high, third, 0, 1, 6, 6);
    return vf_select(vf_ge(x, vf_set(0.0f)), x * y + y * z + z * x, vf_set(0.0f));
}

static inline vf bundles(vi count)
{
    return vi_to_float((count + (int32_t)(RICO_FAN - 1)) >> 4);
}

_Static_assert(RICO_FAN == 16, "counts of bundles are shifts");

/* Chooses the cheapest border between bins, over all axes. */
static void choose_border(const bins *b, const wide_box *node, vi axes, int32_t count,
                          split_choice *best)
{
    vf right_cost[BINS], least = vf_set(best->cost), at = vf_set(0.0f);
    vf extra = vf_set(count <= (int32_t)RICO_FAN ? SPLIT_COST * wide_area(*node) : 0.0f);
    wide_box box[3] = {wide_empty(), wide_empty(), wide_empty()};
    vi right = vi_set(0), left = vi_set(0);
    for (uint32_t i = b->used - 1; i > 0; --i) {
        for (int k = 0; k < 3; ++k)
            box[k] = wide_add(box[k], b->box[i][k]);
        right += b->count[i];
        right_cost[i] = wide_areas(box) * bundles(right);
    }
    box[0] = box[1] = box[2] = wide_empty();
    for (uint32_t i = 1; i < b->used; ++i) {
        for (int k = 0; k < 3; ++k)
            box[k] = wide_add(box[k], b->box[i - 1][k]);
        left += b->count[i - 1];
        vf cost = wide_areas(box) * bundles(left) + right_cost[i] + extra;
        vi better = (cost < least) & (left > 0) & (left < count) & axes;
        least = (vf)(((vi)cost & better) | ((vi)least & ~better));
        at = (vf)(((vi)vf_set((float)i) & better) | ((vi)at & ~better));
    }
    for (int k = 0; k < 3; ++k)
        if (least[k] < best->cost)
            *best = (split_choice){least[k], k, at[k]};
}

/* One entry of a stretch, drawn by the stretch's number. A fixed place could always meet the
 * same column of a mesh that is stored in rows. */
static inline uint32_t sample_of(uint32_t stretch, uint32_t length)
{
    return stretch * length + (uint32_t)((uint64_t)(stretch * 0x9e3779b9u) * length >> 32);
}

/* Fills the bins. Each entry in a bin stands for `length` entries. */
static void fill_bins(planner *p, const rico__chunk_entry *entries, uint32_t count,
                      uint32_t length)
{
    bins *b = &p->bins;
    vf last = vf_set((float)(b->used - 1));
    for (uint32_t i = 0; i < b->used; ++i) {
        b->box[i][0] = b->box[i][1] = b->box[i][2] = wide_empty();
        b->count[i] = vi_set(0);
    }
    for (uint32_t i = 0; i < count; ++i) {
        wide_box box = wide_of(&entries[sample_of(i, length)]);
        /* Elements of axes without a rate are not used. */
        vf at = (box.lo + box.hi - p->first) * p->rate;
        vi to = vf_to_int(vf_min(vf_max(at, vf_set(0.0f)), last));
        for (int k = 0; k < 3; ++k) {
            wide_box *in = &b->box[to[k]][k];
            *in = wide_add(*in, box);
            ((int32_t *)&b->count[to[k]])[k] += (int32_t)length;
        }
    }
}

/* centres: the box around the middles of the entries' boxes, times two. */
static split_choice choose_split(planner *p, const rico__chunk_split *node, const wide_box *box,
                                 const wide_box *centres)
{
    p->bins.used = node->count <= FEW_ENTRIES ? FEW_BINS : BINS;
    p->first = centres->lo;
    p->rate = vf_set((float)p->bins.used * 0.999f) / (centres->hi - centres->lo);
    vi axes = (p->rate > vf_set(0.0f)) & (p->rate <= vf_set(FLT_MAX));
    uint32_t length = node->count < 2 * SAMPLES ? 1 : node->count / SAMPLES;
    uint32_t count = node->count / length;
    fill_bins(p, p->scratch->entries + node->first, count, length);
    /* A bundle that does not fit has infinite cost. */
    split_choice best = {node->count <= RICO_FAN ? wide_area(*box) : __builtin_inff(), -1,
                         0.0f};
    choose_border(&p->bins, box, axes, (int32_t)(count * length), &best);
    return best;
}

/* Stable: the order within a side stays, so the tree follows from the entries' order. Each
 * entry is written to both sides, and one of them keeps it: no branch depends on its side. */
static uint32_t part_entries(planner *p, const rico__chunk_split *node,
                             const split_choice *choice)
{
    rico__chunk_entry *entries = p->scratch->entries + node->first;
    rico__chunk_entry *spare = p->scratch->spare;
    if (choice->axis < 0)
        return node->count / 2;
    uint32_t left = 0, right = 0;
    float first = p->first[choice->axis], rate = p->rate[choice->axis];
    for (uint32_t i = 0; i < node->count; ++i) {
        rico__chunk_entry entry = entries[i];
        float at = (entry.lo[choice->axis] + entry.hi[choice->axis] - first) * rate;
        uint32_t goes_left = at < choice->at;
        entries[left] = entry;
        spare[right] = entry;
        left += goes_left;
        right += 1 - goes_left;
    }
    memcpy(entries + left, spare, right * sizeof *spare);
    return left;
}

static uint32_t add_split(rico__chunk_scratch *scratch, uint32_t first, uint32_t count)
{
    scratch->splits[scratch->split_count] = (rico__chunk_split){.first = first, .count = count};
    return scratch->split_count++;
}

static wide_box measure_node(const rico__chunk_scratch *scratch, rico__chunk_split *node,
                             wide_box *centres)
{
    wide_box box = wide_empty();
    *centres = wide_empty();
    for (uint32_t i = node->first; i < node->first + node->count; ++i) {
        wide_box entry = wide_of(&scratch->entries[i]);
        vf centre = entry.lo + entry.hi;
        box = wide_add(box, entry);
        *centres = wide_add(*centres, (wide_box){centre, centre});
    }
    for (int k = 0; k < 3; ++k) {
        node->lo[k] = box.lo[k];
        node->hi[k] = box.hi[k];
    }
    return box;
}

static void plan_node(planner *p, uint32_t index, int depth)
{
    rico__chunk_split *node = &p->scratch->splits[index];
    wide_box centres, box = measure_node(p->scratch, node, &centres);
    if (node->count <= 1)
        return;
    split_choice choice = {0.0f, -1, 0.0f};
    if (depth < RICO_CHUNK_AREA_LEVELS)
        choice = choose_split(p, node, &box, &centres);
    if (choice.axis < 0 && node->count <= RICO_FAN)
        return;
    uint32_t left = part_entries(p, node, &choice);
    node->left = add_split(p->scratch, node->first, left);
    node->right = add_split(p->scratch, node->first + left, node->count - left);
    plan_node(p, node->left, depth + 1);
    plan_node(p, node->right, depth + 1);
}

void rico__chunk_divide(rico__chunk_scratch *scratch, uint32_t count)
{
    planner p = {.scratch = scratch};
    scratch->split_count = 0;
    plan_node(&p, add_split(scratch, 0, count), 0);
}
