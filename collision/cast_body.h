/* cast_body.h - the waves, written once.
 *
 * Included by cast_<isa>.c, which defines RICO_LANES, KERNEL(name) and KERNEL_ISA before.
 *
 * Along the ray the kernel counts s: metres along the ray's largest axis. So numbers are of the
 * scene's size, whatever the direction's length. It is made safe against rounding:
 * - Bricks are integers that only move in the ray's direction. The s of a border is computed
 *   from the border, never summed up. At that s the exact ray is within the grid's pad of the
 *   border. So at any s the ray is within the pad of the brick that the walk is in.
 * - A hit is final when the walk has left the last brick that begins before it.
 * - Boxes are tested with the ray grown by its pad: what rounding moves a hit, and s, over its
 *   length.
 * - Each step moves one integer by one towards its end. So walks are bounded by the grid's
 *   dimensions, whatever the floats are.
 */
#include "cast_answer.h"
#include "cast_boxes.h"
#include "cast_pairs.h"
#include "cast_single.h"
#include "cast_tree.h"
#include "cast_walk.h"

/* Tests the bundles that wait, and then the triangles that they leave. */
static void bundle_wave(group *g)
{
    const bundle_list *bundles = &g->bundles;
    pair_list *pairs = &g->pairs;
    for (uint32_t n = 0; n < bundles->count && n < BUNDLES_AHEAD; ++n)
        fetch_bundle(g, bundles->place[n]);
    for (uint32_t n = 0; n < bundles->count; ++n) {
        fetch_bundle(g, bundles->place[uint_min(n + BUNDLES_AHEAD, bundles->count - 1)]);
        uint32_t i = bundles->ray[n], place = bundles->place[n];
        const rico__bundle *b = (const rico__bundle *)(const void *)arena_at(g, place >> 4);
        uint32_t met = meet_bundle(g, i, b, (place & 15u) + 1);
        g->steps[i] += 1;
        lanes16_pack(pairs->id + pairs->count, b->ids, 0, met);
        pairs->count += lanes16_fill(pairs->ray + pairs->count, i, met);
        if (pairs->count > PAIRS - RICO_FAN)
            pair_wave(g);
    }
    pair_wave(g);
}

/* Casts the rays from i on that are in the mask: they start too far out to walk. */
static void cast_far_rays(group *g, uint32_t i, uint32_t far)
{
    for (; far != 0; far &= far - 1) {
        uint32_t n = i + bits_lowest64(far);
        rico__ray_frame frame;
        if (!rico__ray_frame_init(&frame, &g->rays[n]))
            continue;
        rico__ray_best best = rico__cast_far(g->grid, g->filter, &frame, &g->steps[n]);
        g->best_id[n] = best.id;
        if (best.id != RICO_NO_TRIANGLE)
            g->best_t[n] = best.t;
    }
}

/* Sets up the group of the rays, and takes them to their first bricks with triangles. */
static void start_rays(group *g, uint32_t count)
{
    g->root_count = 0;
    for (uint32_t block = 0; block < BLOCKS; ++block) {
        g->walking[block] = g->seeking[block] = 0;
        if (block * RICO_LANES < count)
            cast_far_rays(g, block * RICO_LANES, start_block(g, block, count));
    }
    seek_bricks(g);
}

/* Tests the rays against the trees of the bricks that they have come to, from the first on.
 * Returns for how many it did. */
static uint32_t ask_trees(group *g, uint32_t first)
{
    const uint32_t room = BUNDLES - NODE_WAVE * RICO_FAN, count = g->root_count - first;
    g->nodes.count = g->bundles.count = 0;
    uint32_t done = node_wave(g, g->root_unit + first, g->root_ray + first, count, RAYS);
    for (int level = 1; level < LEVELS && g->nodes.count > 0; ++level)
        if (g->bundles.count <= room)
            inner_wave(g);
    bundle_wave(g);
    while (g->nodes.count > 0) {
        g->bundles.count = 0;
        inner_wave(g);
        bundle_wave(g);
    }
    return done;
}

/* Finds the best hits of the rays, or any hits. */
static void cast_group(group *g, const rico__cast_filter *filter, const rico_ray *rays,
                       uint32_t count)
{
    g->rays = rays;
    g->ignored = vi_set(0);
    g->filter = rico__cast_filter_for(filter, 1);
    start_rays(g, count);
    g->filter = rico__cast_filter_for(filter, vm_bits(vi_ne(g->ignored, vi_set(0))));
    for (; g->root_count > 0; next_bricks(g))
        for (uint32_t first = 0; first < g->root_count;)
            first += ask_trees(g, first);
}

/* Separate from closest and blocked, so that a few rays do without the group's stack. */
static NOINLINE void closest_groups(const rico__grid *grid, const rico__cast_filter *filter,
                                    const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    _Alignas(RICO_CACHE_LINE) group g;
    g.grid = grid;
    g.pairs.count = 0;
    g.any = false;
    for (uint32_t first = 0; first < count; first += RAYS) {
        uint32_t size = uint_min(count - first, RAYS);
        cast_group(&g, filter, rays + first, size);
        answer_rays(&g, hits + first, size);
    }
}

static NOINLINE void blocked_groups(const rico__grid *grid, const rico__cast_filter *filter,
                                    const rico_ray *rays, bool *is_blocked, uint32_t count)
{
    _Alignas(RICO_CACHE_LINE) group g;
    g.grid = grid;
    g.pairs.count = 0;
    g.any = true;
    for (uint32_t first = 0; first < count; first += RAYS) {
        uint32_t size = uint_min(count - first, RAYS);
        cast_group(&g, filter, rays + first, size);
        for (uint32_t i = 0; i < size; ++i)
            is_blocked[first + i] = g.best_id[i] != RICO_NO_TRIANGLE;
    }
}

static void closest(const rico__grid *grid, const rico__cast_filter *filter,
                    const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    if (count >= FEW)
        closest_groups(grid, filter, rays, hits, count);
    for (uint32_t i = 0; i < count && count < FEW; ++i)
        hits[i] = closest_one(grid, rico__cast_filter_for(filter, rays[i].ignore), &rays[i]);
}

static void blocked(const rico__grid *grid, const rico__cast_filter *filter,
                    const rico_ray *rays, bool *is_blocked, uint32_t count)
{
    if (count >= FEW)
        blocked_groups(grid, filter, rays, is_blocked, count);
    for (uint32_t i = 0; i < count && count < FEW; ++i)
        is_blocked[i] =
            blocked_one(grid, rico__cast_filter_for(filter, rays[i].ignore), &rays[i]);
}

const rico__cast_kernel KERNEL(rico__cast) = {KERNEL_ISA, closest,     blocked,
                                              overlap,    closest_one, blocked_one};
