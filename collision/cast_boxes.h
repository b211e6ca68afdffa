/* cast_boxes.h - boxes against a brick's tree: part of cast_body.h. */
#ifndef RICO_CAST_BOXES_H
#define RICO_CAST_BOXES_H

#include "cast_tree.h"

/* --- boxes --- */

/* The box, grown by more than the rounding of what is compared with it. */
typedef struct query_box {
    float lo[3], hi[3];
} query_box;

ALWAYS_INLINE uint32_t overlap_boxes(const query_box *q, const rico__node *node)
{
    uint32_t met = 0;
    for (uint32_t c = 0; c < RICO_FAN; c += RICO_LANES) {
        vm apart = vf_gt(vf_set(0.0f), vf_set(1.0f));
        for (int k = 0; k < 3; ++k) {
            vf base = vf_set(node->base[k]), scale = vf_set(node->scale[k]);
            vf lo = vf_mad_loose(vi_to_float(vi_load_u8(&node->box[k][c])), scale, base);
            vf hi = vf_mad_loose(vi_to_float(vi_load_u8(&node->box[k + 3][c])), scale, base);
            apart = vm_or(apart, vf_gt(lo, vf_set(q->hi[k])));
            apart = vm_or(apart, vf_lt(hi, vf_set(q->lo[k])));
        }
        met |= (vm_bits(vm_not(apart)) & ((1u << RICO_LANES) - 1u)) << c;
    }
    return met & ((2u << (node->count - 1)) - 1u);
}

ALWAYS_INLINE uint32_t overlap_triangles(const query_box *q, const rico__bundle *b,
                                         uint32_t count)
{
    uint32_t met = 0;
    for (uint32_t c = 0; c < count; c += RICO_LANES) {
        vm apart = vf_gt(vf_set(0.0f), vf_set(1.0f));
        for (uint32_t k = 0; k < 3; ++k) {
            vf p = vf_load_u16(rico__bundle_row(b, count, k) + c);
            vf r = vf_load_u16(rico__bundle_row(b, count, 3 + k) + c);
            vf s = vf_load_u16(rico__bundle_row(b, count, 6 + k) + c);
            vf base = vf_set(b->base[k]), scale = vf_set(b->scale[k]), one = vf_set(1.0f);
            vf lo = vf_mad_loose(vf_min(vf_min(p, r), s) - one, scale, base);
            vf hi = vf_mad_loose(vf_max(vf_max(p, r), s) + one, scale, base);
            apart = vm_or(apart, vf_gt(lo, vf_set(q->hi[k])));
            apart = vm_or(apart, vf_lt(hi, vf_set(q->lo[k])));
        }
        met |= (vm_bits(vm_not(apart)) & ((1u << RICO_LANES) - 1u)) << c;
    }
    return met & ((2u << (count - 1)) - 1u);
}

static void overlap_node(const rico__grid *grid, uint32_t unit, const query_box *q,
                         rico__ids_fn *visit, void *user)
{
    const uint8_t *p = grid->arena + (size_t)unit * RICO_ARENA_UNIT;
    const rico__node *node = (const rico__node *)(const void *)p;
    uint32_t met = overlap_boxes(q, node);
    for (uint32_t bits = met; bits != 0; bits &= bits - 1) {
        uint32_t child = node->child[bits_lowest64(bits)];
        __builtin_prefetch(p + (size_t)(child >> 4) * RICO_ARENA_UNIT);
        __builtin_prefetch(p + (size_t)(child >> 4) * RICO_ARENA_UNIT + 128);
    }
    for (; met != 0; met &= met - 1) {
        uint32_t c = bits_lowest64(met), child = node->child[c];
        if (!(node->leaves >> c & 1)) {
            overlap_node(grid, unit + (child >> 4), q, visit, user);
            continue;
        }
        const rico__bundle *b =
            (const rico__bundle *)(const void *)(p + (size_t)(child >> 4) * RICO_ARENA_UNIT);
        uint32_t count = (child & 15u) + 1, ids[RICO_FAN], taken = 0;
        for (uint32_t in = overlap_triangles(q, b, count); in != 0; in &= in - 1)
            ids[taken++] = b->ids[bits_lowest64(in)];
        visit(user, ids, taken);
    }
}

static void overlap(const rico__grid *grid, uint32_t root, const rico_box *box,
                    rico__ids_fn *visit, void *user)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    query_box q;
    for (int k = 0; k < 3; ++k) {
        /* Coordinates are at most 1e6 m. Beyond that, nothing is near a border of the box. */
        q.lo[k] = lo[k] - __builtin_fabsf(lo[k]) * (8.0f / 16777216.0f) - 1.0e-30f;
        q.hi[k] = hi[k] + __builtin_fabsf(hi[k]) * (8.0f / 16777216.0f) + 1.0e-30f;
    }
    overlap_node(grid, root, &q, visit, user);
}

#endif
