/* cast_single.h - one ray on its own: part of cast_body.h.
 *
 * Waves of one ray would wait at the end of each. The same boxes and bundles, depth first, and
 * rico__ray_test itself for what is left.
 */
#ifndef RICO_CAST_SINGLE_H
#define RICO_CAST_SINGLE_H

#include "cast_tree.h"

typedef enum start { START_WALK, START_FAR, START_OVER } start;

/* Makes ray 0 of the group; like start_lanes. */
static start start_single(group *g, const rico__ray_frame *frame)
{
    const rico__grid *grid = g->grid;
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    float largest = __builtin_fabsf(frame->direction[frame->kz]);
    float per_brick = grid->inverse_cell_size * (1.0f / RICO_BRICK_CELLS);
    float begin = 0.0f, end = frame->t_max * largest * per_brick, slope[3];
    uint32_t negative = 0;
    bool near = true;
    for (int k = 0; k < 3; ++k) {
        float cells = (frame->origin[k] - base[k]) * grid->inverse_cell_size;
        near &= cells <= grid->reach;
        near &= (float)grid->dims[k] - cells <= grid->reach;
        slope[k] = frame->direction[k] / largest;
        bool moves = __builtin_fabsf(slope[k]) > PARALLEL;
        slope[k] = moves ? slope[k] : 0.0f;
        float inverse = moves ? 1.0f / slope[k] : NEVER;
        negative |= (uint32_t)(slope[k] < 0.0f) << k;
        float origin = cells * (1.0f / RICO_BRICK_CELLS);
        float top = (float)grid->dims[k] * (1.0f / RICO_BRICK_CELLS);
        float at_lo = -origin * inverse, at_hi = (top - origin) * inverse;
        begin = float_max(float_min(at_lo, at_hi), begin);
        end = float_min(float_max(at_lo, at_hi), end);
        g->origin[k][0] = origin;
        g->inverse[k][0] = inverse;
    }
    if (!near)
        return START_FAR;
    if (!(begin <= end))
        return START_OVER;
    g->negative[0] = negative;
    g->s_per_t[0] = largest;
    g->limit[0] = end * (grid->cell_size * RICO_BRICK_CELLS);
    g->pad[0] = g->limit[0] * PAD_PER_LENGTH;
    for (uint32_t k = 0; k < 3; ++k) {
        float at = g->origin[k][0] + begin * slope[k];
        at = float_clamp(at, 0.0f, (float)(rico__grid_bricks(grid, (int)k) - 1));
        g->brick[k][0] = (int32_t)at;
        g->next[k][0] = border(g, k, 0);
        g->near[k][0] = frame->origin[k] + (negative >> k & 1 ? -g->pad[0] : g->pad[0]);
        g->widen[k][0] = (g->pad[0] + g->pad[0]) * __builtin_fabsf(g->inverse[k][0]);
    }
    g->sign[0] = frame->direction[frame->kz] < 0.0f ? -1.0f : 1.0f;
    g->frame[0].order[0] = (int32_t)frame->kx;
    g->frame[0].order[1] = (int32_t)frame->ky;
    g->frame[0].order[2] = (int32_t)frame->kz;
    g->frame[0].shear[0] = frame->shear_x;
    g->frame[0].shear[1] = frame->shear_y;
    g->frame[0].origin[0] = frame->origin[frame->kx];
    g->frame[0].origin[1] = frame->origin[frame->ky];
    g->frame[0].origin[2] = frame->origin[frame->kz];
    return START_WALK;
}

static void single_bundle(group *g, const rico__ray_frame *frame, uint32_t unit, uint32_t count,
                          rico__ray_best *best)
{
    const rico__bundle *b = (const rico__bundle *)(const void *)arena_at(g, unit);
    uint32_t met = meet_bundle(g, 0, b, count);
    for (uint32_t left = met; left != 0; left &= left - 1)
        fetch_corners(g, b->ids[bits_lowest64(left)]);
    for (; met != 0; met &= met - 1) {
        uint32_t id = b->ids[bits_lowest64(met)];
        rico__cast_test(g->filter, frame, &g->grid->triangles, id, best);
    }
    g->limit[0] = float_min(g->limit[0], best->t * g->s_per_t[0]);
    if (g->any & (best->id != RICO_NO_TRIANGLE))
        g->limit[0] = OVER;
    g->steps[0] += 1;
}

static void single_tree(group *g, const rico__ray_frame *frame, uint32_t root,
                        rico__ray_best *best)
{
    node_list *nodes = &g->nodes;
    nodes->unit[0] = root;
    nodes->begin[0] = 0;
    nodes->count = 1;
    while (nodes->count > 0) {
        uint32_t unit = nodes->unit[--nodes->count];
        float first, begin[RICO_FAN];
        memcpy(&first, &nodes->begin[nodes->count], sizeof first);
        if (first > g->limit[0])
            continue;
        const rico__node *node = (const rico__node *)(const void *)arena_at(g, unit);
        uint32_t met = meet_boxes(g, 0, node, begin);
        for (uint32_t bits = met; bits != 0; bits &= bits - 1)
            __builtin_prefetch(arena_at(g, unit + (node->child[bits_lowest64(bits)] >> 4)));
        for (; met != 0; met &= met - 1) {
            uint32_t c = bits_lowest64(met), child = node->child[c];
            if (node->leaves >> c & 1) {
                if (begin[c] <= g->limit[0])
                    single_bundle(g, frame, unit + (child >> 4), (child & 15u) + 1, best);
                continue;
            }
            nodes->unit[nodes->count] = unit + (child >> 4);
            memcpy(&nodes->begin[nodes->count++], &begin[c], sizeof begin[c]);
        }
    }
}

static rico__ray_best cast_single(group *g, const rico__ray_frame *frame)
{
    rico__ray_best best = {frame->t_max, RICO_NO_TRIANGLE};
    const rico__grid *grid = g->grid;
    const float per_metre = grid->inverse_cell_size * (1.0f / RICO_BRICK_CELLS);
    start how = start_single(g, frame);
    g->steps[0] = 0;
    if (how == START_FAR)
        return rico__cast_far(grid, g->filter, frame, &g->steps[0]);
    while (how == START_WALK) {
        uint32_t root = root_of(g, 0);
        g->steps[0] += 1;
        if (root != 0)
            single_tree(g, frame, root, &best);
        float least;
        uint32_t axis = first_axis(g->next[0][0], g->next[1][0], g->next[2][0], &least);
        if (!(least <= g->limit[0] * per_metre))
            break;
        g->brick[axis][0] += 1 - 2 * (int32_t)(g->negative[0] >> axis & 1);
        if ((uint32_t)g->brick[axis][0] >= rico__grid_bricks(grid, (int)axis))
            break;
        g->next[axis][0] = border(g, axis, 0);
    }
    return best;
}

static rico__ray_best single_best(group *g, const rico_ray *ray)
{
    rico__ray_frame frame;
    g->steps[0] = 0;
    if (!rico__ray_frame_init(&frame, ray))
        return (rico__ray_best){0.0f, RICO_NO_TRIANGLE};
    return cast_single(g, &frame);
}

#endif
