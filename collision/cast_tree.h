/* cast_tree.h - rays against the nodes and bundles of a brick's tree: part of cast_body.h. */
#ifndef RICO_CAST_TREE_H
#define RICO_CAST_TREE_H

#include "cast_walk.h"

/* --- nodes --- */

/* By the bits of a ray's negative axes: the rows of a node's boxes where it enters along x, y,
 * z, and those where it leaves. */
static const uint8_t box_rows[8][8] = {
    {0, 1, 2, 3, 4, 5}, {3, 1, 2, 0, 4, 5}, {0, 4, 2, 3, 1, 5}, {3, 4, 2, 0, 1, 5},
    {0, 1, 5, 3, 4, 2}, {3, 1, 5, 0, 4, 2}, {0, 4, 5, 3, 1, 2}, {3, 4, 5, 0, 1, 2},
};

/* Bit c: the ray meets the box of child c. begin[c] is where. */
ALWAYS_INLINE uint32_t meet_boxes(const group *g, uint32_t i, const rico__node *node,
                                  float begin[RICO_FAN])
{
    uint32_t met = 0;
    const uint8_t *rows = box_rows[g->negative[i]];
    for (uint32_t c = 0; c < RICO_FAN; c += RICO_LANES) {
        vf from = vf_set(0.0f), to = vf_load_same(&g->limit[i]);
        for (uint32_t k = 0; k < 3; ++k) {
            vf inverse = vf_load_same(&g->inverse[k][i]), base = vf_load_same(&node->base[k]);
            vf rate = vf_load_same(&node->scale[k]) * inverse;
            vf first = (base - vf_load_same(&g->near[k][i])) * inverse;
            vf last = first + vf_load_same(&g->widen[k][i]);
            vf near = vi_to_float(vi_load_u8(&node->box[rows[k]][c]));
            vf far = vi_to_float(vi_load_u8(&node->box[rows[3 + k]][c]));
            from = vf_max(vf_mad_loose(near, rate, first), from);
            to = vf_min(vf_mad_loose(far, rate, last), to);
        }
        vf_store(begin + c, from);
        met |= (vm_bits(vf_le(from, to)) & ((1u << RICO_LANES) - 1u)) << c;
    }
    /* A pad that is larger than the boxes meets the empty ones, too. */
    return met & ((2u << (node->count - 1)) - 1u);
}

/* Nodes below those just tested, until they are listed. So no branch depends on whether a node
 * has any nodes below it. */
typedef struct below {
    union {
        float s[RICO_FAN];
        uint32_t bits[RICO_FAN];
    } begin[BELOW + 1];
    const rico__node *node[BELOW + 1];
    uint32_t met[BELOW + 1], ray[BELOW + 1], unit[BELOW + 1];
    uint32_t count;
} below;

static void list_below(group *g, below *from)
{
    node_list *nodes = &g->nodes;
    uint32_t count = nodes->count;
    for (uint32_t k = 0; k < from->count; ++k) {
        uint32_t met = from->met[k];
        lanes16_pack(nodes->begin + count, from->begin[k].bits, 0, met);
        lanes16_pack(nodes->unit + count, from->node[k]->child, from->unit[k] << 4, met);
        count += lanes16_fill(nodes->ray + count, from->ray[k], met);
    }
    for (uint32_t n = nodes->count; n < count; ++n) {
        nodes->unit[n] >>= 4;
        fetch_node(g, nodes->unit[n]);
    }
    nodes->count = count;
    from->count = 0;
}

/* Tests rays against nodes. Bundles go to the list of bundles, nodes to the list of nodes. Ends
 * early when there may be no more room for bundles, or there are more than `most` nodes.
 * Returns how many it tested. */
static uint32_t node_wave(group *g, const uint32_t *unit, const uint32_t *ray, uint32_t count,
                          uint32_t most)
{
    bundle_list *bundles = &g->bundles;
    below inner;
    uint32_t leaf_count = bundles->count, n = 0;
    inner.count = 0;
    for (; n < count && leaf_count <= BUNDLES - RICO_FAN && g->nodes.count <= most; ++n) {
        uint32_t i = ray[n], k = inner.count;
        const rico__node *node = (const rico__node *)(const void *)arena_at(g, unit[n]);
        uint32_t met = meet_boxes(g, i, node, inner.begin[k].s);
        uint32_t leaves = met & node->leaves;
        lanes16_pack(bundles->place + leaf_count, node->child, unit[n] << 4, leaves);
        leaf_count += lanes16_fill(bundles->ray + leaf_count, i, leaves);
        inner.met[k] = met & ~leaves;
        inner.node[k] = node;
        inner.ray[k] = i;
        inner.unit[k] = unit[n];
        inner.count = k + (met != leaves);
        if (inner.count == BELOW)
            list_below(g, &inner);
    }
    bundles->count = leaf_count;
    list_below(g, &inner);
    return n;
}

/* Tests a wave of nodes from the list's end, as many as there is room for. The nodes below them
 * take their place. */
static void inner_wave(group *g)
{
    node_list *nodes = &g->nodes;
    uint32_t room = (NODES - nodes->count) / (RICO_FAN - 1);
    uint32_t take = uint_min(uint_min(nodes->count, NODE_WAVE), room);
    take = uint_min(take, (BUNDLES - g->bundles.count) / RICO_FAN);
    RICO_ASSERT(take > 0);
    uint32_t unit[NODE_WAVE], ray[NODE_WAVE], count = 0, first = nodes->count - take;
    for (uint32_t n = first; n < nodes->count; ++n) {
        float begin;
        memcpy(&begin, &nodes->begin[n], sizeof begin);
        unit[count] = nodes->unit[n];
        ray[count] = nodes->ray[n];
        count += begin <= g->limit[nodes->ray[n]];
    }
    nodes->count = first;
    node_wave(g, unit, ray, count, NODES);
}

/* --- bundles --- */

/* Fetches all lines of a bundle, except the last one of a bundle of 16 triangles. */
ALWAYS_INLINE void fetch_bundle(const group *g, uint32_t place)
{
    const uint8_t *p = arena_at(g, place >> 4);
    for (uint32_t line = 0; line < 7; ++line)
        __builtin_prefetch(p + 64 * line);
}

/* How a ray along axis kz sees a bundle's numbers. In its plane a corner is (x, y), with
 *     x = number x * x_step - number z * x_shear + x_base
 * and y in the same way. */
typedef struct view {
    vf x_step, y_step, x_shear, y_shear, x_base, y_base;
    vf error, least;   /* what an edge function may be wrong by: edges' bound * error + least */
    vf s_step, s_base; /* along the ray: number z * s_step + s_base */
    vf limit;
} view;

ALWAYS_INLINE view view_bundle(const group *g, uint32_t i, const rico__bundle *b, uint32_t kx,
                               uint32_t ky, uint32_t kz)
{
    vf x = vf_load_same(&b->base[kx]) - vf_load_same(&g->frame[i].origin[0]);
    vf y = vf_load_same(&b->base[ky]) - vf_load_same(&g->frame[i].origin[1]);
    vf z = vf_load_same(&b->base[kz]) - vf_load_same(&g->frame[i].origin[2]);
    vf shear_x = vf_load_same(&g->frame[i].shear[0]);
    vf shear_y = vf_load_same(&g->frame[i].shear[1]);
    vf pad = vf_load_same(&g->pad[i]), depth_step = vf_load_same(&b->scale[kz]);
    vf sign = vf_load_same(&g->sign[i]);
    vf across = vf_mad_loose(pad, vf_set(8.0f), vf_load_same(&b->extent));
    return (view){.x_step = vf_load_same(&b->scale[kx]),
                  .y_step = vf_load_same(&b->scale[ky]),
                  .x_shear = shear_x * depth_step,
                  .y_shear = shear_y * depth_step,
                  .x_base = vf_nmad_loose(shear_x, z, x),
                  .y_base = vf_nmad_loose(shear_y, z, y),
                  .error = vf_load_same(&b->error) + pad,
                  .s_step = depth_step * sign,
                  .s_base = z * sign,
                  .limit = vf_load_same(&g->limit[i]),
                  .least = across * across * vf_set(1.0f / 1048576.0f)};
}

/* Bit t: the ray may hit triangle t. A point in a triangle whose corners move by up to `error`
 * is in the triangle grown by as much. So either no edge function is below minus |edge| x
 * error, or none is above plus that. */
ALWAYS_INLINE uint32_t meet_bundle(const group *g, uint32_t i, const rico__bundle *b,
                                   uint32_t count)
{
    const int32_t *order = g->frame[i].order;
    const uint32_t kx = (uint32_t)order[0], ky = (uint32_t)order[1], kz = (uint32_t)order[2];
    view v = view_bundle(g, i, b, kx, ky, kz);
    const uint16_t *rows = rico__bundle_row(b, count, 0),
                   *edges = rows + RICO_BUNDLE_EDGES * count;
    const uint16_t *from[3] = {rows + kx * count, rows + ky * count, rows + kz * count};
    const size_t next = 3 * count;
    uint32_t missed = 0;
    for (uint32_t c = 0; c < count; c += RICO_LANES) {
        vf x[3], y[3], z[3];
        for (uint32_t j = 0; j < 3; ++j) {
            x[j] = vf_load_u16(from[0] + j * next + c);
            y[j] = vf_load_u16(from[1] + j * next + c);
            z[j] = vf_load_u16(from[2] + j * next + c);
            x[j] = vf_mad_loose(x[j], v.x_step, vf_nmad_loose(z[j], v.x_shear, v.x_base));
            y[j] = vf_mad_loose(y[j], v.y_step, vf_nmad_loose(z[j], v.y_shear, v.y_base));
        }
        vf low = vf_mad_loose(vf_min(vf_min(z[0], z[1]), z[2]), v.s_step, v.s_base);
        vf high = vf_mad_loose(vf_max(vf_max(z[0], z[1]), z[2]), v.s_step, v.s_base);
        vm beyond = vf_gt(vf_min(low, high), v.limit + v.error);
        vm before = vf_lt(vf_max(low, high), -v.error);
        vf slack = vf_mad_loose(vf_load_upper(edges + c), v.error, v.least);
        vf u = vf_nmad_loose(y[2], x[1], x[2] * y[1]);
        vf w = vf_nmad_loose(y[0], x[2], x[0] * y[2]);
        vf q = vf_nmad_loose(y[1], x[0], x[1] * y[0]);
        vf least = vf_min(vf_min(u, w), q), most = vf_max(vf_max(u, w), q);
        vm aside = vm_and(vf_lt(least, -slack), vf_gt(most, slack));
        missed |= vm_bits(vm_or(aside, vm_or(beyond, before))) << c;
    }
    return ~missed & ((2u << (count - 1)) - 1u);
}

#endif
