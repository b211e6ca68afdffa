/* The triangle is cut into slabs along one axis, each slab's polygon into columns along a
 * second; the cells touched in a column are those that the polygon's extent along the third
 * spans, because a convex piece leaves no gaps. That is exact triangle/box overlap without 13
 * axes per cell: cost follows the columns, which are few when the third axis is the triangle's
 * longest. Everything in double and in local coordinates. */
#include "triangle_cells.h"

/* A corner is displaced by at most 6 * 2^-24 of its distance from the ray's origin; the part of
 * that distance which is the triangle's own size is paid for here, the rest by grid->pad. */
#define PAD_PER_EXTENT (8.0 / 16777216.0)

/* A triangle cut by four half spaces has at most seven corners; a degenerate one, whose corners
 * wiggle by rounding, at most half as many again with each cut: 3, 4, 6, 9, 13. */
typedef struct polygon {
    double corner[13][3];
    int count;
} polygon;

typedef struct extent {
    double lo, hi;
} extent;

typedef struct cell_range {
    int32_t first, last;
} cell_range;

static extent polygon_extent(const polygon *p, int axis)
{
    extent e = {p->corner[0][axis], p->corner[0][axis]};
    for (int i = 1; i < p->count; ++i) {
        double x = p->corner[i][axis];
        e.lo = x < e.lo ? x : e.lo;
        e.hi = x > e.hi ? x : e.hi;
    }
    return e;
}

/* Keeps the part where sign * x[axis] >= sign * bound (Sutherland and Hodgman 1974). */
static void clip_half(const polygon *in, polygon *out, int axis, double bound, double sign)
{
    out->count = 0;
    for (int i = 0; i < in->count; ++i) {
        const double *from = in->corner[i];
        const double *to = in->corner[i + 1 < in->count ? i + 1 : 0];
        double depth = sign * (from[axis] - bound), next = sign * (to[axis] - bound);
        if (depth >= 0.0) {
            double *kept = out->corner[out->count++];
            kept[0] = from[0];
            kept[1] = from[1];
            kept[2] = from[2];
        }
        if ((depth < 0.0) != (next < 0.0)) {
            double share = depth / (depth - next);
            double *cut = out->corner[out->count++];
            for (int k = 0; k < 3; ++k)
                cut[k] = from[k] + (to[k] - from[k]) * share;
        }
    }
}

static void clip_slab(const polygon *in, polygon *out, int axis, double lo, double hi)
{
    polygon half;
    clip_half(in, &half, axis, lo, 1.0);
    clip_half(&half, out, axis, hi, -1.0);
}

/* Cells whose padded side meets the extent. The bounds lie half a cell inside the grid, so the
 * clamp only keeps an absurd pad in range. */
static cell_range range_of(extent e, double pad, int32_t dim)
{
    double last = (double)(dim - 1);
    double lo = e.lo - pad, hi = e.hi + pad;
    lo = lo > 0.0 ? lo : 0.0;
    hi = hi > 0.0 ? hi : 0.0;
    cell_range range = {(int32_t)(lo < last ? lo : last), (int32_t)(hi < last ? hi : last)};
    return range;
}

typedef struct cutter {
    const rico__grid *grid;
    rico__cell_run_fn *visit;
    void *user;
    double pad;
    int outer, middle, inner;
} cutter;

static bool cut_columns(const cutter *c, const polygon *slab, int32_t outer_cell)
{
    const int32_t *dims = c->grid->dims;
    cell_range columns = range_of(polygon_extent(slab, c->middle), c->pad, dims[c->middle]);
    for (int32_t j = columns.first; j <= columns.last; ++j) {
        polygon column;
        const polygon *piece = slab;
        if (columns.first != columns.last) {
            clip_slab(slab, &column, c->middle, j - c->pad, j + 1 + c->pad);
            if (column.count == 0)
                continue;
            piece = &column;
        }
        cell_range cells = range_of(polygon_extent(piece, c->inner), c->pad, dims[c->inner]);
        rico__cell_run run = {.axis = c->inner, .last = cells.last};
        run.cell[c->outer] = outer_cell;
        run.cell[c->middle] = j;
        run.cell[c->inner] = cells.first;
        if (!c->visit(c->user, &run))
            return false;
    }
    return true;
}

static bool cut_slabs(const cutter *c, const polygon *whole)
{
    cell_range slabs =
        range_of(polygon_extent(whole, c->outer), c->pad, c->grid->dims[c->outer]);
    if (slabs.first == slabs.last)
        return cut_columns(c, whole, slabs.first);
    for (int32_t i = slabs.first; i <= slabs.last; ++i) {
        polygon slab;
        clip_slab(whole, &slab, c->outer, i - c->pad, i + 1 + c->pad);
        if (slab.count > 0 && !cut_columns(c, &slab, i))
            return false;
    }
    return true;
}

bool rico__triangle_cells(const rico__grid *grid, const rico__triangle *triangle,
                          rico__cell_run_fn *visit, void *user)
{
    const double base[3] = {grid->base.x, grid->base.y, grid->base.z};
    double scale = 1.0 / (double)grid->cell_size;
    polygon whole = {.count = 3};
    for (int i = 0; i < 9; ++i)
        whole.corner[i / 3][i % 3] = (triangle->v[i] - base[i % 3]) * scale;
    double longest = -1.0;
    int inner = 0;
    for (int k = 0; k < 3; ++k) {
        extent e = polygon_extent(&whole, k);
        if (e.hi - e.lo > longest) {
            longest = e.hi - e.lo;
            inner = k;
        }
    }
    cutter c = {.grid = grid,
                .visit = visit,
                .user = user,
                .pad = (double)grid->pad + longest * PAD_PER_EXTENT,
                .inner = inner,
                .outer = (inner + 1) % 3,
                .middle = (inner + 2) % 3};
    return cut_slabs(&c, &whole);
}

/* Moves a hit on the triangle by rounding, per extent: the box must hold it all the same. */
void rico__triangle_part(const rico__triangle *triangle, const double lo[3], const double hi[3],
                         float part_lo[3], float part_hi[3])
{
    polygon piece = {.count = 3};
    for (int i = 0; i < 9; ++i) {
        double x = (double)triangle->v[i];
        piece.corner[i / 3][i % 3] = x;
    }
    double longest = 0.0;
    extent whole[3];
    for (int k = 0; k < 3; ++k) {
        whole[k] = polygon_extent(&piece, k);
        longest = whole[k].hi - whole[k].lo > longest ? whole[k].hi - whole[k].lo : longest;
    }
    /* What is cut stays within what it was cut from: sides that hold it all are left out. */
    for (int side = 0; side < 6; ++side) {
        int k = side >> 1;
        polygon cut;
        if (side & 1 ? whole[k].hi <= hi[k] : whole[k].lo >= lo[k])
            continue;
        clip_half(&piece, &cut, k, side & 1 ? hi[k] : lo[k], side & 1 ? -1.0 : 1.0);
        if (cut.count > 0)
            piece = cut; /* else it touches by the last rounding only: more is no harm */
    }
    for (int k = 0; k < 3; ++k) {
        extent e = polygon_extent(&piece, k);
        double size = e.hi > -e.lo ? e.hi : -e.lo;
        double pad = longest * PAD_PER_EXTENT + size * (1.0 / 8388608.0);
        part_lo[k] = (float)(e.lo - pad);
        part_hi[k] = (float)(e.hi + pad);
    }
}
