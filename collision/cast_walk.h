/* cast_walk.h - rays made ready, and taken from brick to brick: part of cast_body.h. */
#ifndef RICO_CAST_WALK_H
#define RICO_CAST_WALK_H

#include "cast_group.h"

/* --- setup --- */

/* Lanes of component k (of rico_ray's eight words) of the rays at places. */
ALWAYS_INLINE vf ray_words(const rico_ray *rays, vi at, int k)
{
    return vf_gather(&rays[0].origin.x + k, at * (int32_t)(sizeof(rico_ray) / sizeof(float)));
}

enum { WORD_ORIGIN = 0, WORD_T_MAX = 3, WORD_DIRECTION = 4 };

/* Orders the rays by their largest axis: what follows then rarely changes from one axis to
 * another. Lanes past count repeat the last ray. */
static void sort_rays(group *g, const rico_ray *rays, uint32_t count)
{
    uint32_t order[3][RAYS + RICO_FAN], sorted[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i += RICO_LANES) {
        uint32_t place[RICO_FAN];
        for (uint32_t k = 0; k < RICO_LANES; ++k)
            place[k] = uint_min(i + k, count - 1);
        vi at = vi_load((const int32_t *)place);
        vf x = vf_abs(ray_words(rays, at, WORD_DIRECTION));
        vf y = vf_abs(ray_words(rays, at, WORD_DIRECTION + 1));
        vf z = vf_abs(ray_words(rays, at, WORD_DIRECTION + 2));
        uint32_t lanes = uint_min(count - i, RICO_LANES), all = (2u << (lanes - 1)) - 1u;
        vm second = vf_gt(y, x), third = vf_gt(z, vf_select(second, y, x));
        uint32_t bits[3];
        bits[2] = vm_bits(third) & all;
        bits[1] = vm_bits(second) & ~bits[2] & all;
        bits[0] = ~(bits[1] | bits[2]) & all;
        for (uint32_t k = 0; k < 3; ++k) {
            lanes16_pack(order[k] + sorted[k], place, 0, bits[k]);
            sorted[k] += (uint32_t)__builtin_popcount(bits[k]);
        }
    }
    uint32_t n = 0;
    for (uint32_t k = 0; k < 3; n += sorted[k], ++k)
        memcpy(g->index + n, order[k], sorted[k] * sizeof order[k][0]);
    for (; n % RICO_LANES != 0; ++n)
        g->index[n] = g->index[n - 1];
}

/* Of three, the one of each lane's axis. */
typedef struct axis_choice {
    vm y, z;
} axis_choice;

ALWAYS_INLINE vf choose_axis(axis_choice c, vf x, vf y, vf z)
{
    return vf_select(c.z, z, vf_select(c.y, y, x));
}

typedef struct lanes_ray {
    vf origin[3], direction[3], size[3], t_max;
    vf largest;
    axis_choice axis;
} lanes_ray;

/* Rays that hit nothing by contract; like rico__ray_frame_init. False for NaN. */
ALWAYS_INLINE vm is_valid(const lanes_ray *r)
{
    vm valid = vm_and(vf_ge(r->largest, vf_set(RICO_RAY_MIN_DIRECTION)),
                      vf_gt(r->t_max, vf_set(0.0f)));
    for (int k = 0; k < 3; ++k) {
        vm near = vf_le(vf_abs(r->origin[k]), vf_set(RICO_RAY_MAX_ORIGIN));
        vm finite = vf_le(r->size[k], vf_set(RICO_RAY_MAX_DIRECTION));
        valid = vm_and(valid, vm_and(near, finite));
    }
    return valid;
}

ALWAYS_INLINE void store_frame(group *g, uint32_t i, const lanes_ray *r)
{
    const vf *o = r->origin, *d = r->direction;
    axis_choice axis = r->axis;
    vf along = choose_axis(axis, d[0], d[1], d[2]);
    vf_store(g->along + i, along);
    vf_store(g->shear_x + i, choose_axis(axis, d[1], d[2], d[0]) / along);
    vf_store(g->shear_y + i, choose_axis(axis, d[2], d[0], d[1]) / along);
    vf_store(g->frame_origin[0] + i, choose_axis(axis, o[1], o[2], o[0]));
    vf_store(g->frame_origin[1] + i, choose_axis(axis, o[2], o[0], o[1]));
    vf_store(g->frame_origin[2] + i, choose_axis(axis, o[0], o[1], o[2]));
    vf_store(g->t_max + i, r->t_max);
    vf_store(g->best_t + i, r->t_max);
    vi_store(g->axis + i,
             vi_select(axis.z, vi_set(2), vi_select(axis.y, vi_set(1), vi_set(0))));
    vi_store((int32_t *)g->best_id + i, vi_set((int32_t)RICO_NO_TRIANGLE));
    vf_store(g->s_per_t + i, r->largest);
}

/* Where in the grid each ray begins and ends; *far: lanes whose origin is out of reach. */
ALWAYS_INLINE vm store_walk(group *g, uint32_t i, const lanes_ray *r, vm *far)
{
    const rico__grid *grid = g->grid;
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    const vf per_brick = vf_set(1.0f / RICO_BRICK_CELLS), zero = vf_set(0.0f);
    vf begin = zero, slope[3], inverse[3], origin[3];
    vf end = r->t_max * r->largest * (vf_set(grid->inverse_cell_size) * per_brick);
    vm near = vf_ge(zero, zero);
    vi negative = vi_set(0);
    for (int k = 0; k < 3; ++k) {
        vf cells = (r->origin[k] - vf_set(base[k])) * vf_set(grid->inverse_cell_size);
        vf dim = vf_set((float)grid->dims[k]), reach = vf_set(grid->reach);
        near = vm_and(near, vm_and(vf_le(cells, reach), vf_le(dim - cells, reach)));
        slope[k] = r->direction[k] / r->largest;
        vm moves = vf_gt(vf_abs(slope[k]), vf_set(PARALLEL));
        slope[k] = vf_select(moves, slope[k], zero);
        inverse[k] = vf_set(1.0f) / vf_select(moves, slope[k], vf_set(1.0f / NEVER));
        negative |= vi_select(vf_lt(slope[k], zero), vi_set(1 << k), vi_set(0));
        origin[k] = cells * per_brick;
        vf at_lo = -origin[k] * inverse[k], at_hi = (dim * per_brick - origin[k]) * inverse[k];
        begin = vf_max(vf_min(at_lo, at_hi), begin);
        end = vf_min(vf_max(at_lo, at_hi), end);
    }
    vf limit = end * vf_set(grid->cell_size * RICO_BRICK_CELLS);
    vf pad = limit * vf_set(PAD_PER_LENGTH);
    vi_store((int32_t *)g->negative + i, negative);
    vf_store(g->limit + i, limit);
    vf_store(g->pad + i, pad);
    for (int k = 0; k < 3; ++k) {
        vf at = origin[k] + begin * slope[k];
        at = vf_min(vf_max(at, zero), vf_set((float)(rico__grid_bricks(grid, k) - 1)));
        vi brick = vf_to_int(at), down = negative >> k & 1;
        vf shift = vf_select(vf_lt(slope[k], zero), -pad, pad);
        vi_store(g->brick[k] + i, brick);
        vf_store(g->next[k] + i, (vi_to_float(brick + 1 - down) - origin[k]) * inverse[k]);
        vf_store(g->origin[k] + i, origin[k]);
        vf_store(g->inverse[k] + i, inverse[k]);
        vf_store(g->near[k] + i, r->origin[k] + shift);
        vf_store(g->widen[k] + i, (pad + pad) * vf_abs(inverse[k]));
    }
    *far = vm_not(near);
    return vf_le(begin, end);
}

/* Makes the rays of the group from i on. Bits of those that walk; *far: of
 * those that are out of reach. */
ALWAYS_INLINE uint32_t start_lanes(group *g, const rico_ray *rays, uint32_t i, uint32_t *far)
{
    vi at = vi_load((const int32_t *)g->index + i);
    lanes_ray r;
    for (int k = 0; k < 3; ++k) {
        r.origin[k] = ray_words(rays, at, WORD_ORIGIN + k);
        r.direction[k] = ray_words(rays, at, WORD_DIRECTION + k);
        r.size[k] = vf_abs(r.direction[k]);
    }
    /* The first of the largest. */
    vm y = vf_gt(r.size[1], r.size[0]);
    vf largest = vf_select(y, r.size[1], r.size[0]);
    vm z = vf_gt(r.size[2], largest);
    r.axis = (axis_choice){y, z};
    r.largest = vf_select(z, r.size[2], largest);
    vf t_max = ray_words(rays, at, WORD_T_MAX);
    r.t_max = vf_min(t_max, vf_set(FLT_MAX));
    vm valid = vm_and(is_valid(&r), vf_gt(t_max, vf_set(0.0f)));
    /* What is not valid is computed with, and must not trap integers. */
    r.t_max = vf_select(valid, r.t_max, vf_set(1.0f));
    r.largest = vf_select(valid, r.largest, vf_set(1.0f));
    for (int k = 0; k < 3; ++k) {
        r.origin[k] = vf_select(valid, r.origin[k], vf_set(0.0f));
        r.direction[k] = vf_select(valid, r.direction[k], vf_set(1.0f));
    }
    store_frame(g, i, &r);
    vm beyond, walks = store_walk(g, i, &r, &beyond);
    const uint32_t lanes = (1u << RICO_LANES) - 1u;
    *far = vm_bits(vm_and(valid, beyond)) & lanes;
    return vm_bits(vm_and(vm_and(valid, walks), vm_not(beyond))) & lanes;
}

/* s at which ray i leaves its brick along one axis, in bricks. */
ALWAYS_INLINE float border(const group *g, uint32_t axis, uint32_t i)
{
    int32_t at = g->brick[axis][i] + 1 - (int32_t)(g->negative[i] >> axis & 1);
    return ((float)at - g->origin[axis][i]) * g->inverse[axis][i];
}

/* --- the walk --- */

/* The axis of the smallest, the first of equals. Arithmetic, because nothing can foresee it. */
ALWAYS_INLINE uint32_t first_axis(float x, float y, float z, float *least)
{
    uint32_t second = y < x;
    float m = float_min(y, x);
    uint32_t third = z < m;
    *least = float_min(z, m);
    return (second & (third - 1)) | third << 1;
}

ALWAYS_INLINE uint32_t root_of(const group *g, uint32_t i)
{
    return rico__grid_root(g->grid, (uint32_t)g->brick[0][i], (uint32_t)g->brick[1][i],
                           (uint32_t)g->brick[2][i]);
}

/* Takes each ray of the list to its next brick; those without one drop out. Where there are
 * triangles goes to the nodes, the others stay in the list. No branches on what is found. */
static uint32_t step_rays(group *g, uint32_t *list, uint32_t count)
{
    const rico__grid *grid = g->grid;
    const float per_metre = grid->inverse_cell_size * (1.0f / RICO_BRICK_CELLS);
    const uint32_t bricks[3] = {rico__grid_bricks(grid, 0), rico__grid_bricks(grid, 1),
                                rico__grid_bricks(grid, 2)};
    uint32_t kept = 0, found = g->root_count;
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t i = list[n];
        float least;
        uint32_t axis = first_axis(g->next[0][i], g->next[1][i], g->next[2][i], &least);
        int32_t step = 1 - 2 * (int32_t)(g->negative[i] >> axis & 1);
        int32_t at = g->brick[axis][i] + step;
        bool inside = (uint32_t)at < bricks[axis];
        bool alive = (least <= g->limit[i] * per_metre) & inside;
        g->brick[axis][i] = inside ? at : g->brick[axis][i];
        g->next[axis][i] = border(g, axis, i);
        uint32_t root = root_of(g, i);
        g->root_unit[found] = root;
        g->root_ray[found] = i;
        found += alive & (root != 0);
        g->steps[i] += alive;
        list[kept] = i;
        kept += alive & (root == 0);
    }
    g->root_count = found;
    return kept;
}

ALWAYS_INLINE const uint8_t *arena_at(const group *g, uint32_t unit)
{
    return g->grid->arena + (size_t)unit * RICO_ARENA_UNIT;
}

ALWAYS_INLINE void fetch_node(const group *g, uint32_t unit)
{
    const uint8_t *p = arena_at(g, unit);
    __builtin_prefetch(p);
    __builtin_prefetch(p + 64);
    __builtin_prefetch(p + 128);
}

/* The next brick with triangles of every ray that still walks, behind those found. */
static void next_bricks(group *g, uint32_t found)
{
    uint32_t waiting = g->walking_count;
    g->root_count = found;
    while (waiting > 0)
        waiting = step_rays(g, g->walking, waiting);
    g->walking_count = g->root_count;
    for (uint32_t n = 0; n < g->root_count; ++n) {
        g->walking[n] = g->root_ray[n];
        fetch_node(g, g->root_unit[n]);
    }
}

/* The bricks in which rays start; walks: a bit for each that does. */
static void first_bricks(group *g, uint64_t walks)
{
    uint32_t waiting = 0, found = 0;
    for (; walks != 0; walks &= walks - 1) {
        uint32_t i = bits_lowest64(walks), root = root_of(g, i);
        g->root_unit[found] = root;
        g->root_ray[found] = i;
        found += root != 0;
        g->walking[waiting] = i;
        waiting += root == 0;
        g->steps[i] = 1;
    }
    g->walking_count = waiting;
    next_bricks(g, found);
}

#endif
