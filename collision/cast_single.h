/* cast_single.h - one ray on its own: part of cast_body.h.
 *
 * Waves of one ray would wait at the end of each, and a group takes long to set up. So the ray
 * goes depth first instead, brick by brick. The next brick is looked up and fetched before the
 * present one is tested. Most rays start in the grid, and many end in the brick in which they
 * start. Those need neither the borders of the grid nor those of the bricks.
 *
 * Where the time goes: a short ray is one chain of some 300 cycles from its numbers to brick,
 * node, bundle, triangle and hit. It is hidden by the next ray's chain, as far as the CPU sees
 * ahead. So instructions count (680 a ray in a dungeon, AVX-512), not vectors.
 */
#ifndef RICO_CAST_SINGLE_H
#define RICO_CAST_SINGLE_H

#include "cast_single_tree.h"

/* kx, ky, kz, kz by kz. */
static const int32_t axis_order[3][4] = {{1, 2, 0, 0}, {2, 0, 1, 1}, {0, 1, 2, 2}};

/* The walk, in bricks. */
typedef struct single_path {
    float origin[4], inverse[4];
    float next[4]; /* s of the borders ahead */
    int32_t brick[4];
    uint32_t negative; /* bit k: the ray moves down axis k */
} single_path;

/* --- setup --- */

/* The ray's frame, as in rico__ray_frame_init. size: of the direction's components. largest:
 * the largest of them, in every lane. */
ALWAYS_INLINE void single_frame(single *r, single_lanes *l, v4 size, v4 largest)
{
    const int32_t *order = axis_order[bits_lowest64(v4_bits(size == largest))];
    v4 direction = v4_load_ordered(&r->ray->direction, order);
    v4 along = {direction[2], direction[2], direction[2], direction[2]};
    v4i down = (v4i)along >> 31;
    v4_store(l->seen, v4_load_ordered(&r->ray->origin, order));
    v4_store(l->shear, direction / along);
    r->order = order;
    r->along = along[0];
    r->down = ((v4)(down & (v4i)v4_set(-1.0f)))[0];
    r->up = ((v4)(~down & (v4i)v4_set(1.0f)))[0];
    r->best = single_key(r->t_max, RICO_NO_TRIANGLE);
}

/* s per distance along each axis; NEVER for an axis along which the ray does not move. */
ALWAYS_INLINE v4 single_inverse(v4 direction, v4 largest)
{
    v4 inverse = largest / direction;
    v4i moves = v4_abs(inverse) <= v4_set(1.0f / PARALLEL);
    return v4_select(moves, inverse, v4_set(NEVER));
}

/* Sets the numbers that box tests need. */
ALWAYS_INLINE void single_slopes(single *r, single_lanes *l, v4 origin, v4 inverse)
{
    /* box_rows in bytes. */
    static const uint8_t rows[8][8] = {
        {0, 16, 32, 48, 64, 80}, {48, 16, 32, 0, 64, 80}, {0, 64, 32, 48, 16, 80},
        {48, 64, 32, 0, 16, 80}, {0, 16, 80, 48, 64, 32}, {48, 16, 80, 0, 64, 32},
        {0, 64, 80, 48, 16, 32}, {48, 64, 80, 0, 16, 32},
    };
    v4i sign = (v4i)inverse & INT32_MIN;
    v4 pad = v4_set(r->limit * PAD_PER_LENGTH);
    r->pad = pad[0];
    r->rows = rows[v4_bits(sign) & 7u];
    v4_store(l->inverse, inverse);
    v4_store(l->near, origin + (v4)((v4i)pad | sign));
    v4_store(l->widen, (pad + pad) * v4_abs(inverse));
}

/* --- the walk --- */

/* Starts the walk. origin: local, in bricks. */
ALWAYS_INLINE void single_start(single_path *p, v4 origin, v4 inverse, v4i brick)
{
    v4i ahead = brick + 1 + ((v4i)inverse >> 31);
    p->negative = v4_bits((v4i)inverse);
    v4_store(p->origin, origin);
    v4_store(p->inverse, inverse);
    v4_store(p->next, (v4_from_int(ahead) - origin) * inverse);
    memcpy(p->brick, &brick, sizeof brick);
}

/* Goes to the next brick, which begins at *entry. False: there is none up to the end. */
ALWAYS_INLINE bool single_step(const rico__grid *grid, single_path *p, float end, float *entry)
{
    uint32_t axis = first_axis(p->next[0], p->next[1], p->next[2], entry);
    int32_t down = (int32_t)(p->negative >> axis & 1);
    int32_t brick = p->brick[axis] + 1 - 2 * down;
    if (!(*entry <= end) || (uint32_t)brick >= rico__grid_bricks(grid, (int)axis))
        return false;
    p->brick[axis] = brick;
    p->next[axis] = ((float)(brick + 1 - down) - p->origin[axis]) * p->inverse[axis];
    return true;
}

/* The root of a brick's tree, or NULL. */
ALWAYS_INLINE const rico__node *single_root(const rico__grid *grid, int32_t x, int32_t y,
                                            int32_t z)
{
    uint32_t root = rico__grid_root(grid, (uint32_t)x, (uint32_t)y, (uint32_t)z);
    const void *at = grid->arena + (size_t)root * RICO_ARENA_UNIT;
    return root != 0 ? at : NULL;
}

/* Returns the root of the first brick with triangles, from the one with this root on; NULL:
 * there is none. alone: the ray does not leave that brick, and the path is not used. */
ALWAYS_INLINE const rico__node *single_seek(single *r, single_path *p, const rico__node *root,
                                            bool alone)
{
    const float end = r->limit * r->per_metre;
    float entry;
    r->steps = 1;
    while (root == NULL && !alone && single_step(r->grid, p, end, &entry)) {
        root = single_root(r->grid, p->brick[0], p->brick[1], p->brick[2]);
        r->steps += 1;
    }
    return root;
}

/* Tests the ray against the bricks from the one with this root on. */
ALWAYS_INLINE void single_walk(single *r, const single_lanes *l, single_path *p,
                               const rico__node *root, bool alone)
{
    single_nodes nodes;
    for (;;) {
        const rico__node *next = NULL;
        float entry = 0.0f;
        bool more = !alone && single_step(r->grid, p, r->limit * r->per_metre, &entry);
        if (more) {
            next = single_root(r->grid, p->brick[0], p->brick[1], p->brick[2]);
            single_fetch(next, NODE_LINES);
        }
        if (root != NULL)
            single_tree(r, l, root, &nodes);
        if (!more || !(entry <= r->limit * r->per_metre))
            return;
        r->steps += 1;
        root = next;
    }
}

/* --- all of it --- */

/* Numbers that are needed in every case. Vectors have x, y, z; the last lane has no meaning. */
typedef struct single_begin {
    v4 origin, direction, size, largest;
    v4 cells; /* the origin, local */
    v4i dims;
} single_begin;

ALWAYS_INLINE single_begin single_read(const rico__grid *grid, const rico_ray *ray)
{
    single_begin b;
    b.origin = v4_load(ray);
    b.direction = (v4)((v4i)v4_load(&ray->direction) & (v4i){-1, -1, -1, 0});
    b.size = v4_abs(b.direction);
    b.largest = v4_most_or_nan(b.size);
    b.cells = (b.origin - v4_load(&grid->base)) * v4_set(grid->inverse_cell_size);
    b.dims = (v4i)v4_load(grid->dims);
    return b;
}

/* False: the ray hits nothing by contract. The origin is not checked. As bits, NaN is above
 * infinity here. */
ALWAYS_INLINE bool single_is_valid(const single_begin *b, const rico_ray *ray)
{
    const uint32_t least = bits_of(RICO_RAY_MIN_DIRECTION);
    const uint32_t most = bits_of(RICO_RAY_MAX_DIRECTION), infinity = 0x7f800000u;
    return bits_of(b->largest[0]) - least <= most - least &&
           bits_of(ray->t_max) - 1u < infinity;
}

/* Whether the origin is too far out to walk. */
ALWAYS_INLINE bool single_is_far(const rico__grid *grid, const single_begin *b)
{
    v4 reach = v4_set(grid->reach), dims = v4_from_int(b->dims);
    return (v4_bits((b->cells <= reach) & (dims - b->cells <= reach)) & 7u) != 7u;
}

/* Casts a ray whose origin is too far out. Slow, and rare. */
static NOINLINE uint64_t single_far(const rico__grid *grid, const rico__cast_filter *filter,
                                    const rico_ray *ray, uint32_t *steps)
{
    rico__ray_frame frame;
    if (!rico__ray_frame_init(&frame, ray))
        return RICO_NO_TRIANGLE;
    rico__ray_best best = rico__cast_far(grid, filter, &frame, steps);
    return single_key(best.t, best.id);
}

/* Finds where a ray from outside enters the grid, and in which brick. False: it does not
 * enter. */
ALWAYS_INLINE bool single_enter(single *r, single_path *p, const single_begin *b, v4 inverse)
{
    const v4 per_brick = v4_set(1.0f / RICO_BRICK_CELLS);
    v4 origin = b->cells * per_brick;
    v4 top = v4_from_int(b->dims) * per_brick;
    v4 at_lo = -origin * inverse, at_hi = (top - origin) * inverse;
    v4 begin = v4_min(at_lo, at_hi), end = v4_max(at_lo, at_hi);
    begin[3] = 0.0f;
    end[3] = r->t_max * b->largest[0] * r->per_metre;
    begin = v4_most(begin);
    end = v4_least(end);
    if (!(begin[0] <= end[0]))
        return false;
    r->limit = end[0] * r->grid->cell_size * RICO_BRICK_CELLS;
    v4i moves = v4_abs(inverse) < v4_set(NEVER);
    v4 slope = (v4)((v4i)(b->direction / b->largest) & moves);
    v4 last = v4_from_int((b->dims - 1) >> RICO_BRICK_SHIFT);
    v4 at = v4_max(origin + begin * slope, v4_set(0.0f));
    single_start(p, origin, inverse, v4_to_int(v4_min(at, last)));
    return true;
}

/* Starts a ray from inside the grid. True: the ray does not leave its brick, and has no path.
 * (Where it ends is rounded by less than what cells are padded by, like the borders of a
 * path.) */
ALWAYS_INLINE bool single_inside(single *r, single_path *p, const single_begin *b, v4 inverse,
                                 v4i brick)
{
    /* All of the grid is within reach, and the ray may be infinite. */
    float longest = r->grid->reach * r->grid->cell_size;
    r->limit = float_min(r->t_max * r->s_per_t, longest);
    v4 origin = b->cells * v4_set(1.0f / RICO_BRICK_CELLS), low = v4_from_int(brick);
    v4 end = origin + b->direction * v4_set(r->t_max * r->per_metre);
    if ((v4_within(end, low, low + v4_set(1.0f)) & 7u) == 7u)
        return true;
    single_start(p, origin, inverse, brick);
    return false;
}

ALWAYS_INLINE void single_cast(single *r, const rico__grid *grid,
                               const rico__cast_filter *filter, const rico_ray *ray, bool any)
{
    single_lanes lanes;
    single_path path;
    single_begin b = single_read(grid, ray);
    *r = (single){.grid = grid, .filter = filter, .ray = ray, .any = any};
    r->best = RICO_NO_TRIANGLE;
    r->per_metre = grid->inverse_cell_size * (1.0f / RICO_BRICK_CELLS);
    if (!single_is_valid(&b, ray))
        return;
    r->t_max = float_min(ray->t_max, FLT_MAX);
    r->s_per_t = b.largest[0];
    const rico__node *root;
    const v4 inverse = single_inverse(b.direction, b.largest);
    bool alone = false;
    if ((v4_within(b.cells, v4_set(0.0f), v4_from_int(b.dims)) & 7u) == 7u) {
        v4i brick = v4_to_int(b.cells) >> RICO_BRICK_SHIFT;
        root = single_root(grid, brick[0], brick[1], brick[2]);
        alone = single_inside(r, &path, &b, inverse, brick);
    } else {
        if (single_is_far(grid, &b)) {
            uint32_t steps = 0;
            r->best = single_far(grid, filter, ray, &steps);
            r->steps = steps;
            return;
        }
        if (!single_enter(r, &path, &b, inverse))
            return;
        root = single_root(grid, path.brick[0], path.brick[1], path.brick[2]);
    }
    root = single_seek(r, &path, root, alone);
    if (root == NULL)
        return;
    single_fetch(root, NODE_LINES);
    single_frame(r, &lanes, b.size, b.largest);
    single_slopes(r, &lanes, b.origin, inverse);
    single_walk(r, &lanes, &path, root, alone);
}

/* As rico__ray_hit. The answer is returned, and not written through a pointer. So the caller
 * passes on the place of its own answer, and what has just been written is not copied. */
ALWAYS_INLINE rico_hit single_answer(const single *r)
{
    static const int32_t xyz[4] = {0, 1, 2, 2};
    static const double signs[2] = {1.0, -1.0};
    const rico__triangles *triangles = &r->grid->triangles;
    if (!single_found(r))
        return (rico_hit){.t = r->ray->t_max, .triangle = RICO_NO_TRIANGLE, .steps = r->steps};
    const rico__face *face = &triangles->faces[(uint32_t)r->best];
    v4d corner[3];
    for (uint32_t j = 0; j < 3; ++j)
        corner[j] = v4_to_double(v4_load_ordered(rico__face_vertex(triangles, face, j), xyz));
    v4d n = v4d_cross(corner[1] - corner[0], corner[2] - corner[0]);
    v4d direction = v4_to_double(v4_load_ordered(&r->ray->direction, xyz));
    double squares, along;
    v4d_sums3(n * n, n * direction, &squares, &along);
    bool back = along > 0.0;
    double scale = signs[back] / __builtin_sqrt(squares);
    v4 normal = v4_from_double(n * (v4d){scale, scale, scale, scale});
    return (rico_hit){.t = single_t(r),
                      .collider = rico__face_vertex(triangles, face, 0)->collider,
                      .triangle = face->triangle,
                      .back_face = back,
                      .normal = {normal[0], normal[1], normal[2]},
                      .steps = r->steps};
}

static rico_hit closest_one(const rico__grid *grid, const rico__cast_filter *filter,
                            const rico_ray *ray)
{
    single r;
    single_cast(&r, grid, filter, ray, false);
    return single_answer(&r);
}

static bool blocked_one(const rico__grid *grid, const rico__cast_filter *filter,
                        const rico_ray *ray)
{
    single r;
    single_cast(&r, grid, filter, ray, true);
    return single_found(&r);
}

#endif
