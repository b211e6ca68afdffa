/* Separating axes (Akenine-Moeller 2001) for eight cells at once. In each of the three
 * projections the lanes are the three edges, and the cells follow one after the other. The
 * triangle's plane comes last. Numbers are in cells from the block's corner, so floats have
 * room for them; they are rounded by less than the slack. */
#include "cell_block.h"

#define X_FIRST 0x55u /* bits of the cells with i = 0, and so on */
#define Y_FIRST 0x33u
#define Z_FIRST 0x0fu

/* A triangle's corners along one axis, and the edges from each to the next. */
typedef struct along {
    v4 corner, edge, last; /* last: the corner that is not on the edge */
} along;

static inline along along_axis(v4 corner)
{
    v4 next = {corner[1], corner[2], corner[0], corner[0]};
    return (along){corner, next - corner, {corner[2], corner[0], corner[1], corner[1]}};
}

/* Bit i + 2 j: no edge separates the triangle from the cell that is i along a and j along b. */
static inline uint32_t meet_projection(const along *a, const along *b, float half)
{
    v4 zero = v4_set(0.0f), middle = v4_set(0.5f);
    v4 radius = (v4_abs(a->edge) + v4_abs(b->edge)) * v4_set(half);
    v4 last = a->edge * (b->last - b->corner) - b->edge * (a->last - a->corner);
    v4 lo = v4_min(last, zero) - radius, hi = v4_max(last, zero) + radius;
    v4 first = a->edge * (middle - b->corner) - b->edge * (middle - a->corner);
    uint32_t met = 0;
    for (uint32_t cell = 0; cell < 4; ++cell) {
        v4 at = first;
        if (cell & 1)
            at = at - b->edge;
        if (cell & 2)
            at = at + a->edge;
        met |= (uint32_t)((v4_bits((at >= lo) & (at <= hi)) & 7u) == 7u) << cell;
    }
    return met;
}

/* The bit of each cell that touches the plane, as in the block. `weight` bounds the rounding of
 * the normal. */
static inline uint32_t meet_plane(const along axes[3], float half)
{
    float normal[3], radius = 0.0f, weight = 0.0f, first = 0.0f;
    for (int k = 0; k < 3; ++k) {
        const along *p = &axes[(k + 1) % 3], *q = &axes[(k + 2) % 3];
        float left = p->edge[0] * q->edge[1], right = q->edge[0] * p->edge[1];
        normal[k] = left - right;
        radius += __builtin_fabsf(normal[k]);
        weight += __builtin_fabsf(left) + __builtin_fabsf(right);
        first += normal[k] * (0.5f - axes[k].corner[0]);
    }
    v4 reach = v4_set(radius * half + weight * RICO_BLOCK_SLACK);
    v4 at = v4_set(first) + (v4){0.0f, normal[0], normal[1], normal[0] + normal[1]};
    uint32_t low = v4_bits(v4_abs(at) <= reach);
    return low | v4_bits(v4_abs(at + v4_set(normal[2])) <= reach) << 4;
}

/* From bits along one axis and another (2 x 2) to the block's bits. */
static inline uint32_t spread_xy(uint32_t met)
{
    return met | met << 4;
}

static inline uint32_t spread_xz(uint32_t met)
{
    return (met & 3u) * 5u | (met >> 2) * 0x50u;
}

static inline uint32_t spread_yz(uint32_t met)
{
    return (met & 1u) * 0x03u | (met >> 1 & 1u) * 0x0cu | (met >> 2 & 1u) * 0x30u |
           (met >> 3) * 0xc0u;
}

static uint32_t meet_cells(const v4 corner[3], float half)
{
    v4 x, y, z;
    v4_turn3(corner[0], corner[1], corner[2], &x, &y, &z);
    const along axes[3] = {along_axis(x), along_axis(y), along_axis(z)};
    return spread_xy(meet_projection(&axes[0], &axes[1], half)) &
           spread_xz(meet_projection(&axes[0], &axes[2], half)) &
           spread_yz(meet_projection(&axes[1], &axes[2], half)) & meet_plane(axes, half);
}

/* The cells of the block that the triangle's box touches; 0 if it needs more than two along an
 * axis. */
static uint32_t take_cells(const rico__grid *grid, const double lo[3], const double hi[3],
                           double pad, int32_t cell[3])
{
    static const uint32_t first_bits[3] = {X_FIRST, Y_FIRST, Z_FIRST};
    uint32_t bits = 0xff;
    for (int k = 0; k < 3; ++k) {
        double last = (double)(grid->dims[k] - 1), from = lo[k] - pad, to = hi[k] + pad;
        from = from > 0.0 ? from : 0.0;
        to = to > 0.0 ? to : 0.0;
        cell[k] = (int32_t)(from < last ? from : last);
        int32_t more = (int32_t)(to < last ? to : last) - cell[k];
        if (more > 1)
            return 0;
        bits &= more ? 0xffu : first_bits[k];
    }
    return bits;
}

bool rico__cell_block_of(const rico__grid *grid, uint32_t id, rico__cell_block *block)
{
    const rico__face *face = &grid->triangles.faces[id];
    v4 corner[3];
    for (uint32_t j = 0; j < 3; ++j)
        corner[j] = rico__face_corner(&grid->triangles, face, j);
    v4 least = v4_min(corner[0], v4_min(corner[1], corner[2]));
    v4 most = v4_max(corner[0], v4_max(corner[1], corner[2]));
    const double base[3] = {grid->base.x, grid->base.y, grid->base.z};
    double scale = 1.0 / (double)grid->cell_size, lo[3], hi[3], longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        lo[k] = ((double)least[k] - base[k]) * scale;
        hi[k] = ((double)most[k] - base[k]) * scale;
        longest = hi[k] - lo[k] > longest ? hi[k] - lo[k] : longest;
    }
    double pad = (double)grid->pad + longest * RICO_PAD_PER_EXTENT;
    block->bits = take_cells(grid, lo, hi, pad, block->cell);
    /* If the box touches only one cell, or two side by side, the triangle touches them, too. */
    if ((block->bits & (block->bits - 1)) == 0 || bits_count64(block->bits) == 2)
        return block->bits != 0;
    v4 from = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 3; ++k)
        from[k] = (float)(lo[k] - (double)block->cell[k]);
    for (int j = 0; j < 3; ++j)
        corner[j] = (corner[j] - least) * v4_set((float)scale) + from;
    block->bits &= meet_cells(corner, 0.5f + (float)pad + RICO_BLOCK_SLACK);
    return true;
}
