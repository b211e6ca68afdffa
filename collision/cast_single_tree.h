/* cast_single_tree.h - one ray and a brick's tree: part of cast_body.h.
 *
 * The tests of cast_tree.h and cast_pairs.h for a ray that waits for each answer: numbers in
 * registers instead of a group's rows, chains as short as they can be, and few branches. What
 * waits is on a stack; a near node is taken first.
 */
#ifndef RICO_CAST_SINGLE_TREE_H
#define RICO_CAST_SINGLE_TREE_H

#include "cast_tree.h"
#include "four.h"

#define NOINLINE __attribute__((noinline))

/* While fewer than SINGLE_FEW nodes wait, the nearest of the latest ones is taken first; else
 * the latest. So at most 15 more wait for each level that is open. */
enum {
    SINGLE_LOOK = 8,
    SINGLE_FEW = 256,
    SINGLE_NODES = SINGLE_FEW + RICO_FAN * RICO_CHUNK_LEVELS,
};

/* Numbers that are spread over lanes: by axis, and by axis of the frame (kx, ky, kz). */
typedef struct single_lanes {
    float inverse[4], near[4], widen[4]; /* as in a group */
    float seen[4], shear[4];             /* the origin; the slopes of x and y */
} single_lanes;

/* One ray on its way. Owner: the call's stack, mostly its registers. */
typedef struct single {
    const rico__grid *grid;
    const rico__cast_filter *filter; /* NULL = everything is seen */
    const rico_ray *ray;
    const uint8_t *rows;  /* where in a node's boxes the ray's six rows are */
    const int32_t *order; /* kx, ky, kz, kz */
    uint64_t best;        /* bits of t, then id: hits in their order, as one number */
    float limit, pad, s_per_t;
    float along, t_max; /* of the frame */
    float up, down;     /* 1 and 0 for a ray that goes up its axis kz, else 0 and -1 */
    float per_metre;    /* bricks */
    uint32_t steps;
    bool any; /* ends at its first hit */
} single;

typedef struct single_nodes {
    const rico__node *node[SINGLE_NODES];
    float begin[SINGLE_NODES];
} single_nodes;

ALWAYS_INLINE uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ALWAYS_INLINE uint64_t single_key(float t, uint32_t id)
{
    return (uint64_t)bits_of(t) << 32 | id;
}

ALWAYS_INLINE float single_t(const single *r)
{
    uint32_t bits = (uint32_t)(r->best >> 32);
    float t;
    memcpy(&t, &bits, sizeof t);
    return t;
}

ALWAYS_INLINE bool single_found(const single *r)
{
    return (uint32_t)r->best != RICO_NO_TRIANGLE;
}

enum { NODE_LINES = 3, BUNDLE_LINES = 6 };

/* Fetches `lines` lines; `at` may be NULL. */
ALWAYS_INLINE void single_fetch(const void *at, uint32_t lines)
{
    for (uintptr_t line = 0; line < lines; ++line)
        __builtin_prefetch((const void *)((uintptr_t)at + 64 * line));
}

/* As meet_boxes. */
ALWAYS_INLINE uint32_t single_boxes(const single *r, const single_lanes *l,
                                    const rico__node *node, float begin[RICO_FAN])
{
    uint32_t met = 0;
    vf rate[3], first[3], last[3], limit = vf_set(r->limit);
    for (uint32_t k = 0; k < 3; ++k) {
        vf inverse = vf_load_same(&l->inverse[k]);
        rate[k] = vf_set(node->scale[k]) * inverse;
        first[k] = (vf_load_same(&node->base[k]) - vf_set(l->near[k])) * inverse;
        last[k] = first[k] + vf_set(l->widen[k]);
    }
    for (uint32_t c = 0; c < RICO_FAN; c += RICO_LANES) {
        vf enter[3], leave[3];
        for (uint32_t k = 0; k < 3; ++k) {
            vf near = vi_to_float(vi_load_u8(&node->box[0][0] + r->rows[k] + c));
            vf far = vi_to_float(vi_load_u8(&node->box[0][0] + r->rows[3 + k] + c));
            enter[k] = vf_mad_loose(near, rate[k], first[k]);
            leave[k] = vf_mad_loose(far, rate[k], last[k]);
        }
        vf from = vf_max(vf_max(enter[0], vf_set(0.0f)), vf_max(enter[1], enter[2]));
        vf to = vf_min(vf_min(leave[0], limit), vf_min(leave[1], leave[2]));
        vf_store(begin + c, from);
        met |= (vm_bits(vf_le(from, to)) & ((1u << RICO_LANES) - 1u)) << c;
    }
    return met & ((2u << (node->count - 1)) - 1u);
}

/* As view_bundle, but depth is a coordinate on its axis, not a distance along it. */
typedef struct single_view {
    vf x_step, y_step, z_step, x_shear, y_shear, x_base, y_base, z_base;
    vf error, least, z_from, z_to;
} single_view;

ALWAYS_INLINE single_view single_see(const single *r, const single_lanes *l,
                                     const rico__bundle *b)
{
    const size_t kx = (uint32_t)r->order[0], ky = (uint32_t)r->order[1];
    const size_t kz = (uint32_t)r->order[2];
    vf shear_x = vf_load_same(&l->shear[0]), shear_y = vf_load_same(&l->shear[1]);
    vf x = vf_load_same(&b->base[kx]) - vf_set(l->seen[0]);
    vf y = vf_load_same(&b->base[ky]) - vf_set(l->seen[1]);
    vf z = vf_load_same(&b->base[kz]) - vf_set(l->seen[2]);
    vf z_step = vf_load_same(&b->scale[kz]);
    float error = b->error + r->pad, across = r->pad * 8.0f + b->extent;
    return (single_view){.x_step = vf_load_same(&b->scale[kx]),
                         .y_step = vf_load_same(&b->scale[ky]),
                         .z_step = z_step,
                         .x_shear = shear_x * z_step,
                         .y_shear = shear_y * z_step,
                         .x_base = vf_nmad_loose(shear_x, z, x),
                         .y_base = vf_nmad_loose(shear_y, z, y),
                         .z_base = z,
                         .error = vf_set(error),
                         .least = vf_set(across * across * (1.0f / 1048576.0f)),
                         .z_from = vf_set(r->limit * r->down - error),
                         .z_to = vf_set(r->limit * r->up + error)};
}

/* As meet_bundle, for a bundle of last + 1 triangles. */
ALWAYS_INLINE uint32_t single_bundle(const single *r, const single_lanes *l,
                                     const rico__bundle *b, uint32_t last)
{
    const size_t row = (size_t)last + 1;
    const uint16_t *rows = rico__bundle_row(b, last + 1, 0);
    const uint16_t *px = rows + (uint32_t)r->order[0] * row;
    const uint16_t *py = rows + (uint32_t)r->order[1] * row;
    const uint16_t *pz = rows + (uint32_t)r->order[2] * row;
    single_view v = single_see(r, l, b);
    uint32_t met = 0;
    for (uint32_t c = 0; c <= last; c += RICO_LANES) {
        vf x[3], y[3], z[3];
        for (uint32_t j = 0; j < 3; ++j) {
            x[j] = vf_load_u16(px + 3 * row * j + c);
            y[j] = vf_load_u16(py + 3 * row * j + c);
            z[j] = vf_load_u16(pz + 3 * row * j + c);
            x[j] = vf_mad_loose(x[j], v.x_step, vf_nmad_loose(z[j], v.x_shear, v.x_base));
            y[j] = vf_mad_loose(y[j], v.y_step, vf_nmad_loose(z[j], v.y_shear, v.y_base));
        }
        vf low = vf_mad_loose(vf_min(vf_min(z[0], z[1]), z[2]), v.z_step, v.z_base);
        vf high = vf_mad_loose(vf_max(vf_max(z[0], z[1]), z[2]), v.z_step, v.z_base);
        vm apart = vm_or(vf_gt(low, v.z_to), vf_lt(high, v.z_from));
        vf slack = vf_load_upper(rows + RICO_BUNDLE_EDGES * row + c);
        slack = vf_mad_loose(slack, v.error, v.least);
        vf u = vf_nmad_loose(y[2], x[1], x[2] * y[1]);
        vf w = vf_nmad_loose(y[0], x[2], x[0] * y[2]);
        vf q = vf_nmad_loose(y[1], x[0], x[1] * y[0]);
        vf under = vf_min(vf_min(u, w), q), over = vf_max(vf_max(u, w), q);
        vm aside = vm_and(vf_lt(under, -slack), vf_gt(over, slack));
        met |= (vm_bits(vm_not(vm_or(aside, apart))) & ((1u << RICO_LANES) - 1u)) << c;
    }
    return met & ((2u << last) - 1u);
}

/* rico__ray_test: exactly the operations of its second half, so exactly its bits. Which half
 * rejects cannot be predicted, so the first half is left out. */
ALWAYS_INLINE void single_test(single *r, const single_lanes *l, uint32_t id)
{
    const rico__triangles *triangles = &r->grid->triangles;
    const rico__face *face = &triangles->faces[id];
    v4 corner[3], x, y, z;
    for (uint32_t j = 0; j < 3; ++j)
        corner[j] = v4_load_ordered(rico__face_vertex(triangles, face, j), r->order);
    v4_turn3(corner[0], corner[1], corner[2], &x, &y, &z);
    z = z - v4_set(l->seen[2]);
    x = (x - v4_set(l->seen[0])) - v4_set(l->shear[0]) * z;
    y = (y - v4_set(l->seen[1])) - v4_set(l->shear[1]) * z;
    v4d x2 = v4_to_double((v4){x[2], x[0], x[1], x[1]});
    v4d x1 = v4_to_double((v4){x[1], x[2], x[0], x[0]});
    v4d y2 = v4_to_double((v4){y[2], y[0], y[1], y[1]});
    v4d y1 = v4_to_double((v4){y[1], y[2], y[0], y[0]});
    v4d uvw = x2 * y1 - y2 * x1, zero = {0.0, 0.0, 0.0, 0.0}; /* the last one twice */
    double sum, at;
    v4d_sums3(uvw, uvw * v4_to_double(z), &sum, &at);
    double t64 = at / (sum * r->along);
    uint32_t hit = (uint32_t)(v4d_ge(uvw, zero) == 15u) | (uint32_t)(v4d_ge(zero, uvw) == 15u);
    hit &= (uint32_t)(t64 <= (double)r->t_max) & ~(face->corner[0] >> 31);
    if (r->filter != NULL && hit != 0)
        hit = rico__cast_passes(r->filter, triangles, id, r->ray->ignore, r->ray->direction);
    /* -0 becomes 0 before it is rounded. So the bits of a t that lies behind the origin are
     * larger than all others. */
    uint64_t key = single_key((float)(t64 + 0.0), id) | ((uint64_t)hit - 1);
    r->best = key < r->best ? key : r->best;
}

/* Fetches some of a bundle's faces and corners. The others are mostly near them in memory, and
 * it takes a while to find out which ones will be needed. */
ALWAYS_INLINE void single_fetch_faces(const single *r, const rico__bundle *b, uint32_t last)
{
    const rico__triangles *triangles = &r->grid->triangles;
    for (uint32_t quarter = 0; quarter <= 4; ++quarter)
        __builtin_prefetch(&triangles->faces[b->ids[last * quarter / 4]]);
    for (uint32_t quarter = 1; quarter < 4; ++quarter)
        __builtin_prefetch(
            rico__face_vertex(triangles, &triangles->faces[b->ids[last * quarter / 4]], 0));
}

ALWAYS_INLINE void single_leaf(single *r, const single_lanes *l, const rico__bundle *b,
                               uint32_t last)
{
    single_fetch_faces(r, b, last);
    uint32_t met = single_bundle(r, l, b, last);
    r->steps += 1;
    if (met == 0)
        return;
    do {
        single_test(r, l, b->ids[bits_lowest64(met)]);
        met &= met - 1;
    } while (met != 0);
    r->limit = float_min(r->limit, single_t(r) * r->s_per_t);
    if (r->any && single_found(r))
        r->limit = OVER;
}

/* Takes the nearest of the latest nodes that wait off the list. */
ALWAYS_INLINE const rico__node *single_pop(single_nodes *nodes, uint32_t *count, float *begin)
{
    uint32_t last = *count - 1, best = last, n = last > SINGLE_LOOK ? last - SINGLE_LOOK : 0;
    for (n = last < SINGLE_FEW ? n : last; n < last; ++n)
        best = nodes->begin[n] < nodes->begin[best] ? n : best;
    const rico__node *node = nodes->node[best];
    *begin = nodes->begin[best];
    nodes->node[best] = nodes->node[last];
    nodes->begin[best] = nodes->begin[last];
    *count = last;
    return node;
}

/* A child lies a number of units of 16 bytes behind its node. */
ALWAYS_INLINE const void *single_child(const rico__node *node, uint32_t c)
{
    return (const uint8_t *)node + (node->child[c] & ~15u);
}

ALWAYS_INLINE void single_push(single_nodes *nodes, uint32_t *count, const rico__node *node,
                               float begin)
{
    RICO_ASSERT(*count < SINGLE_NODES);
    single_fetch(node, NODE_LINES);
    nodes->node[*count] = node;
    nodes->begin[*count] = begin;
    *count += 1;
}

/* Tests the ray against the tree below a node. nodes: scratch. */
ALWAYS_INLINE void single_tree(single *r, const single_lanes *l, const rico__node *node,
                               single_nodes *nodes)
{
    uint32_t count = 0;
    for (;;) {
        float begin[RICO_FAN], first;
        uint32_t met = single_boxes(r, l, node, begin), leaves = met & node->leaves, rest;
        for (uint32_t inner = met ^ leaves; inner != 0; inner &= inner - 1) {
            uint32_t c = bits_lowest64(inner);
            single_push(nodes, &count, single_child(node, c), begin[c]);
        }
        for (; leaves != 0; leaves = rest) {
            uint32_t c = bits_lowest64(leaves);
            rest = leaves & (leaves - 1);
            /* The next one or, where there is none, the same again: neither can be
             * predicted. */
            single_fetch(single_child(node, bits_lowest64(rest != 0 ? rest : leaves)),
                         BUNDLE_LINES);
            if (begin[c] <= r->limit)
                single_leaf(r, l, single_child(node, c), node->child[c] & 15u);
        }
        do {
            if (count == 0)
                return;
            node = single_pop(nodes, &count, &first);
        } while (first > r->limit);
    }
}

#endif
