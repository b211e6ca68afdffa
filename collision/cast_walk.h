/* cast_walk.h - setting up rays, and taking them from brick to brick: part of cast_body.h. */
#ifndef RICO_CAST_WALK_H
#define RICO_CAST_WALK_H

#include "cast_group.h"

/* --- setup --- */

/* Chooses the one of three that belongs to each lane's axis. */
typedef struct axis_choice {
    vm y, z;
} axis_choice;

ALWAYS_INLINE vf choose_axis(axis_choice c, vf x, vf y, vf z)
{
    return vf_select(c.z, z, vf_select(c.y, y, x));
}

typedef struct lanes_ray {
    vf origin[3], direction[3], size[3], t_max, given; /* t_max as given */
    vf largest, sign; /* of the component along the largest axis */
    vf shear_x, shear_y;
    axis_choice axis;
} lanes_ray;

/* False for rays that hit nothing by contract, as rico__ray_frame_init, and for NaN. */
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

ALWAYS_INLINE void store_frame(group *g, uint32_t i, lanes_ray *r)
{
    const vf *o = r->origin, *d = r->direction;
    axis_choice axis = r->axis;
    vf along = choose_axis(axis, d[0], d[1], d[2]);
    r->shear_x = choose_axis(axis, d[1], d[2], d[0]) / along;
    r->shear_y = choose_axis(axis, d[2], d[0], d[1]) / along;
    r->sign = vf_select(vf_lt(along, vf_set(0.0f)), vf_set(-1.0f), vf_set(1.0f));
    vf x = choose_axis(axis, o[1], o[2], o[0]), y = choose_axis(axis, o[2], o[0], o[1]);
    vf z = choose_axis(axis, o[0], o[1], o[2]);
    vf_store(g->sign + i, r->sign);
    const size_t stride = sizeof g->frame[0] / sizeof(float);
    vf_store_quads(g->frame[i].origin, stride, x, y, z, along);
    vf_store_quads(g->frame[i].shear, stride, r->shear_x, r->shear_y, r->t_max, r->t_max);
    vf_store(g->best_t + i, r->given);
    vi kz = vi_select(axis.z, vi_set(2), vi_select(axis.y, vi_set(1), vi_set(0)));
    vi kx = vi_select(axis.z, vi_set(0), vi_select(axis.y, vi_set(2), vi_set(1)));
    vi ky = vi_select(axis.z, vi_set(1), vi_select(axis.y, vi_set(0), vi_set(2)));
    vf_store_quads((float *)g->frame[i].order, stride, (vf)kx, (vf)ky, (vf)kz, (vf)kz);
    vi_store((int32_t *)g->steps + i, vi_set(0));
    vi_store((int32_t *)g->best_id + i, vi_set((int32_t)RICO_NO_TRIANGLE));
    vf_store(g->s_per_t + i, r->largest);
}

/* The direction per distance along its largest axis, and its inverse. Shears are just that
 * except for the sign, and along the axis both are the sign. So there are two divisions instead
 * of six. */
ALWAYS_INLINE void find_slopes(const lanes_ray *r, vf slope[3], vf inverse[3])
{
    const vf zero = vf_set(0.0f), one = vf_set(1.0f), never = vf_set(NEVER);
    vf x = r->shear_x * r->sign, y = r->shear_y * r->sign;
    vm x_moves = vf_gt(vf_abs(x), vf_set(PARALLEL)),
       y_moves = vf_gt(vf_abs(y), vf_set(PARALLEL));
    vf per_x = vf_select(x_moves, one / vf_select(x_moves, x, one), never);
    vf per_y = vf_select(y_moves, one / vf_select(y_moves, y, one), never);
    x = vf_select(x_moves, x, zero);
    y = vf_select(y_moves, y, zero);
    slope[0] = choose_axis(r->axis, r->sign, y, x);
    slope[1] = choose_axis(r->axis, x, r->sign, y);
    slope[2] = choose_axis(r->axis, y, x, r->sign);
    inverse[0] = choose_axis(r->axis, r->sign, per_y, per_x);
    inverse[1] = choose_axis(r->axis, per_x, r->sign, per_y);
    inverse[2] = choose_axis(r->axis, per_y, per_x, r->sign);
}

typedef struct lanes_walk {
    vi brick[3];
    vf next[3];
} lanes_walk;

/* Finds where in the grid each ray begins and ends. *far: lanes whose origin is out of
 * reach. */
ALWAYS_INLINE vm store_walk(group *g, uint32_t i, const lanes_ray *r, lanes_walk *w, vm *far)
{
    const rico__grid *grid = g->grid;
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    const vf per_brick = vf_set(1.0f / RICO_BRICK_CELLS), zero = vf_set(0.0f);
    vf begin = zero, slope[3], inverse[3], origin[3];
    vf end = r->t_max * r->largest * (vf_set(grid->inverse_cell_size) * per_brick);
    vm near = vf_ge(zero, zero);
    vi negative = vi_set(0);
    find_slopes(r, slope, inverse);
    for (int k = 0; k < 3; ++k) {
        vf cells = (r->origin[k] - vf_set(base[k])) * vf_set(grid->inverse_cell_size);
        vf dim = vf_set((float)grid->dims[k]), reach = vf_set(grid->reach);
        near = vm_and(near, vm_and(vf_le(cells, reach), vf_le(dim - cells, reach)));
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
        vi down = negative >> k & 1;
        vf shift = vf_select(vf_lt(slope[k], zero), -pad, pad);
        w->brick[k] = vf_to_int(at);
        w->next[k] = (vi_to_float(w->brick[k] + 1 - down) - origin[k]) * inverse[k];
        vi_store(g->brick[k] + i, w->brick[k]);
        vf_store(g->next[k] + i, w->next[k]);
        vf_store(g->origin[k] + i, origin[k]);
        vf_store(g->inverse[k] + i, inverse[k]);
        vf_store(g->near[k] + i, r->origin[k] + shift);
        vf_store(g->widen[k] + i, (pad + pad) * vf_abs(inverse[k]));
    }
    *far = vm_not(near);
    return vf_le(begin, end);
}

/* Makes lanes of rays as they are given. Returns the mask of the valid ones. */
ALWAYS_INLINE vm take_rays(lanes_ray *r, const vf o[4], const vf d[4])
{
    for (int k = 0; k < 3; ++k) {
        r->origin[k] = o[k];
        r->direction[k] = d[k];
        r->size[k] = vf_abs(d[k]);
    }
    /* The first of the largest components. */
    vm y = vf_gt(r->size[1], r->size[0]);
    vf largest = vf_select(y, r->size[1], r->size[0]);
    vm z = vf_gt(r->size[2], largest);
    r->axis = (axis_choice){y, z};
    r->largest = vf_select(z, r->size[2], largest);
    r->given = o[3];
    r->t_max = vf_min(r->given, vf_set(FLT_MAX));
    vm valid = vm_and(is_valid(r), vf_gt(r->given, vf_set(0.0f)));
    /* Lanes that are not valid are computed, too, and their conversions to integers must not
     * trap. */
    r->t_max = vf_select(valid, r->t_max, vf_set(1.0f));
    r->largest = vf_select(valid, r->largest, vf_set(1.0f));
    for (int k = 0; k < 3; ++k) {
        r->origin[k] = vf_select(valid, r->origin[k], vf_set(0.0f));
        r->direction[k] = vf_select(valid, r->direction[k], vf_set(1.0f));
    }
    return valid;
}

/* --- the walk --- */

/* The axis of the smallest, the first of equals. It is computed, because nothing can predict
 * it. */
ALWAYS_INLINE uint32_t first_axis(float x, float y, float z, float *least)
{
    uint32_t second = y < x;
    float m = float_min(y, x);
    uint32_t third = z < m;
    *least = float_min(z, m);
    return (second & (third - 1)) | third << 1;
}

/* The roots of the bricks that a block of rays is in; 0 where there is none. */
ALWAYS_INLINE vi block_roots(const group *g, const vi brick[3])
{
    const rico__grid *grid = g->grid;
    const int32_t x_count = (int32_t)rico__grid_bricks(grid, 0);
    const int32_t y_count = (int32_t)rico__grid_bricks(grid, 1);
    if (grid->root_capacity != 0)
        return vi_gather((const int32_t *)grid->roots,
                         brick[0] + (brick[1] + brick[2] * y_count) * x_count);
    vi root;
    for (int l = 0; l < RICO_LANES; ++l)
        root[l] = (int32_t)rico__grid_root(grid, (uint32_t)brick[0][l], (uint32_t)brick[1][l],
                                           (uint32_t)brick[2][l]);
    return root;
}

/* Takes the rays of a block that are in the mask to their next bricks. Returns the mask of
 * those that have one. */
ALWAYS_INLINE vm step_lanes(const group *g, uint32_t i, vm rays, vi brick[3], vf next[3])
{
    const rico__grid *grid = g->grid;
    const vf per_metre = vf_set(grid->inverse_cell_size * (1.0f / RICO_BRICK_CELLS));
    vm y = vf_lt(next[1], next[0]);
    vf least = vf_min(next[1], next[0]);
    vm z = vf_lt(next[2], least);
    least = vf_min(next[2], least);
    vi axis = vi_select(z, vi_set(2), vi_select(y, vi_set(1), vi_set(0)));
    vi down = vi_load((const int32_t *)g->negative + i) >> axis & 1;
    vi from = vi_select(z, brick[2], vi_select(y, brick[1], brick[0]));
    vi end = vi_select(z, vi_set((int32_t)rico__grid_bricks(grid, 2)),
                       vi_select(y, vi_set((int32_t)rico__grid_bricks(grid, 1)),
                                 vi_set((int32_t)rico__grid_bricks(grid, 0))));
    vi to = from + 1 - 2 * down;
    rays = vm_and(rays, vf_le(least, vf_load(g->limit + i) * per_metre));
    rays = vm_and(rays, vm_and(vi_ne(to, vi_set(-1)), vi_ne(to, end)));
    vf origin = choose_axis((axis_choice){y, z}, vf_load(g->origin[0] + i),
                            vf_load(g->origin[1] + i), vf_load(g->origin[2] + i));
    vf inverse = choose_axis((axis_choice){y, z}, vf_load(g->inverse[0] + i),
                             vf_load(g->inverse[1] + i), vf_load(g->inverse[2] + i));
    vf border = (vi_to_float(to + 1 - down) - origin) * inverse;
    for (int k = 0; k < 3; ++k) {
        vm along = vm_and(rays, vm_not(vi_ne(axis, vi_set(k))));
        brick[k] = vi_select(along, to, brick[k]);
        next[k] = vf_select(along, border, next[k]);
    }
    return rays;
}

/* Whether rays leave the bricks that they are in before they end. */
ALWAYS_INLINE vm leave_bricks(const group *g, uint32_t i, const vf next[3])
{
    const vf per_metre = vf_set(g->grid->inverse_cell_size * (1.0f / RICO_BRICK_CELLS));
    vf least = vf_min(next[2], vf_min(next[1], next[0]));
    return vf_le(least, vf_load(g->limit + i) * per_metre);
}

/* Looks into the bricks that the rays of a block that are in the mask have come to. Lists the
 * bricks with triangles; rays at the others stay in `seeking`. */
ALWAYS_INLINE void enter_bricks(group *g, uint32_t block, vm rays, const vi brick[3],
                                const vf next[3])
{
    const uint32_t i = block * RICO_LANES;
    uint32_t lane[RICO_FAN] = {0}, unit[RICO_FAN] = {0};
    vi roots = block_roots(g, brick);
    uint32_t in = vm_bits(rays), full = vm_bits(vi_ne(roots, vi_set(0))) & in;
    uint32_t on = vm_bits(leave_bricks(g, i, next));
    vi steps = vi_load((const int32_t *)g->steps + i);
    vi_store((int32_t *)g->steps + i, steps + vi_select(rays, vi_set(1), vi_set(0)));
    vi_store((int32_t *)unit, roots);
    for (uint32_t l = 0; l < RICO_LANES; ++l)
        lane[l] = i + l;
    lanes16_pack(g->root_unit + g->root_count, unit, 0, full);
    lanes16_pack(g->root_ray + g->root_count, lane, 0, full);
    g->root_count += (uint32_t)__builtin_popcount(full);
    g->walking[block] |= full & on;
    g->seeking[block] = in & ~full & on;
}

ALWAYS_INLINE void load_rays(const rico_ray *rays, vf o[4], vf d[4])
{
    const float *origin[RICO_LANES], *direction[RICO_LANES];
    RICO_UNROLL
    for (uint32_t l = 0; l < RICO_LANES; ++l) {
        origin[l] = &rays[l].origin.x;
        direction[l] = &rays[l].direction.x;
    }
    vf_load_quads(origin, o);
    vf_load_quads(direction, d);
}

/* Sets up a block of the group's rays, and looks into their first bricks. Lanes past count
 * repeat the last ray. Returns bits of the rays that start out of reach. */
ALWAYS_INLINE uint32_t start_block(group *g, uint32_t block, uint32_t count)
{
    const uint32_t i = block * RICO_LANES, lanes = (1u << RICO_LANES) - 1u;
    const uint32_t all = count - i < RICO_LANES ? (1u << (count - i)) - 1u : lanes;
    const rico_ray *rays = &g->rays[i];
    rico_ray padded[RICO_LANES];
    for (uint32_t l = 0; l < RICO_LANES && all != lanes; ++l)
        padded[l] = rays[uint_min(l, count - i - 1)];
    rays = all == lanes ? rays : padded;
    lanes_ray r;
    lanes_walk w;
    vf o[4], d[4];
    load_rays(rays, o, d);
    g->ignored = g->ignored | (vi)d[3];
    vm valid = take_rays(&r, o, d);
    store_frame(g, i, &r);
    vm beyond, walks = store_walk(g, i, &r, &w, &beyond);
    uint32_t walking = vm_bits(vm_and(vm_and(valid, walks), vm_not(beyond))) & all;
    g->walking[block] = 0;
    enter_bricks(g, block, vm_from_bits(walking), w.brick, w.next);
    return vm_bits(vm_and(valid, beyond)) & all;
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

/* Takes the rays that seek a brick with triangles to their next brick. */
static void step_block(group *g, uint32_t block)
{
    const uint32_t i = block * RICO_LANES;
    vi brick[3];
    vf next[3];
    for (int k = 0; k < 3; ++k) {
        brick[k] = vi_load(g->brick[k] + i);
        next[k] = vf_load(g->next[k] + i);
    }
    vm rays = step_lanes(g, i, vm_from_bits(g->seeking[block]), brick, next);
    for (int k = 0; k < 3; ++k) {
        vi_store(g->brick[k] + i, brick[k]);
        vf_store(g->next[k] + i, next[k]);
    }
    enter_bricks(g, block, rays, brick, next);
}

/* Lists the blocks with rays that seek, because no branch could predict which these are. */
ALWAYS_INLINE uint32_t list_seeking(const group *g, uint32_t list[BLOCKS])
{
    uint32_t count = 0;
    for (uint32_t block = 0; block < BLOCKS; ++block) {
        list[count] = block;
        count += g->seeking[block] != 0;
    }
    return count;
}

/* Takes all rays that seek to a brick with triangles, a step of all blocks at a time: one block
 * waits for the roots of its bricks while others compute. */
static void seek_bricks(group *g)
{
    uint32_t list[BLOCKS], count;
    while ((count = list_seeking(g, list)) > 0)
        for (uint32_t n = 0; n < count; ++n)
            step_block(g, list[n]);
    for (uint32_t n = 0; n < g->root_count; ++n)
        fetch_node(g, g->root_unit[n]);
}

/* Takes every ray that still walks to its next brick with triangles. */
static void next_bricks(group *g)
{
    g->root_count = 0;
    for (uint32_t block = 0; block < BLOCKS; ++block) {
        g->seeking[block] = g->walking[block];
        g->walking[block] = 0;
    }
    seek_bricks(g);
}

#endif
