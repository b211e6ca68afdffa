/* The triangle is cut into slabs along one axis, and each slab's polygon into columns along a
 * second. A column's touched cells are those that the polygon spans along the third axis,
 * because a convex piece leaves no gaps. That is exact triangle/box overlap without 13 axes per
 * cell. The cost follows the columns, which are few when the third axis is the triangle's
 * longest. Extents need no polygons, only their edges. All numbers are in double and in local
 * coordinates. */
#include "triangle_cells.h"
#include "cell_block.h"
#include "vec.h"

typedef struct extent {
    double lo, hi;
} extent;

typedef struct cell_range {
    int32_t first, last;
} cell_range;

static inline void extent_add(extent *e, double x)
{
    e->lo = x < e->lo ? x : e->lo;
    e->hi = x > e->hi ? x : e->hi;
}

static inline extent extent_of(double a, double b, double c)
{
    extent e = {a, a};
    extent_add(&e, b);
    extent_add(&e, c);
    return e;
}

/* The cells whose padded side meets the extent. The bounds lie half a cell inside the grid, so
 * the clamp only keeps an absurd pad in range. */
static inline cell_range range_of(extent e, double pad, int32_t dim)
{
    double last = (double)(dim - 1);
    double lo = e.lo - pad, hi = e.hi + pad;
    lo = lo > 0.0 ? lo : 0.0;
    hi = hi > 0.0 ? hi : 0.0;
    cell_range range = {(int32_t)(lo < last ? lo : last), (int32_t)(hi < last ? hi : last)};
    return range;
}

/* A point's coordinates along two axes: that across the columns, and that along which they
 * run. */
typedef struct point {
    double middle, inner;
} point;

/* An edge from the smaller `middle` to the larger one. */
typedef struct edge {
    point from, to;
    double slope; /* of inner over middle; not finite where it is not used */
} edge;

/* The edges of a slab's polygon: the triangle's edges in the slab, and those where either
 * border cuts it. A border meets at most three edges, where a corner on it counts twice. */
#define EDGES_MAX 9u

typedef struct outline {
    edge edges[EDGES_MAX];
    uint32_t count;
    extent middle;
} outline;

static void add_edge(outline *o, point a, point b)
{
    point from = a.middle <= b.middle ? a : b, to = a.middle <= b.middle ? b : a;
    extent_add(&o->middle, from.middle);
    extent_add(&o->middle, to.middle);
    o->edges[o->count++] =
        (edge){from, to, (to.inner - from.inner) / (to.middle - from.middle)};
}

/* A border of a slab, with the first point in which an edge met it. */
typedef struct border {
    double at;
    point first;
    bool met;
} border;

static void meet_border(outline *o, border *b, point at)
{
    if (b->met)
        add_edge(o, b->first, at);
    else
        b->first = at;
    b->met = true;
}

typedef struct cutter {
    const rico__grid *grid;
    rico__cell_run_fn *visit;
    void *user;
    double pad;
    double corner[3][3]; /* of the triangle */
    extent extents[3];
    int outer, middle, inner;
} cutter;

static point point_of(const cutter *c, int corner)
{
    return (point){c->corner[corner][c->middle], c->corner[corner][c->inner]};
}

static point point_between(point a, point b, double share)
{
    return (point){a.middle + (b.middle - a.middle) * share,
                   a.inner + (b.inner - a.inner) * share};
}

/* Adds the part of an edge that is between two borders. */
static void cut_edge(const cutter *c, int i, int j, border *lo, border *hi, outline *o)
{
    bool turned = c->corner[i][c->outer] > c->corner[j][c->outer];
    int low = turned ? j : i, high = turned ? i : j;
    double from = c->corner[low][c->outer], to = c->corner[high][c->outer];
    point a = point_of(c, low), b = point_of(c, high), first = a, last = b;
    if (to < lo->at || from > hi->at)
        return;
    if (from < lo->at)
        first = point_between(a, b, (lo->at - from) / (to - from));
    if (to > hi->at)
        last = point_between(a, b, (hi->at - from) / (to - from));
    add_edge(o, first, last);
    if (from <= lo->at)
        meet_border(o, lo, first);
    if (to >= hi->at)
        meet_border(o, hi, last);
}

static void cut_slab(const cutter *c, double from, double to, outline *o)
{
    border lo = {.at = from}, hi = {.at = to};
    o->count = 0;
    o->middle = (extent){__builtin_inf(), -__builtin_inf()};
    for (int i = 0; i < 3; ++i)
        cut_edge(c, i, i < 2 ? i + 1 : 0, &lo, &hi, o);
}

/* The extent along `inner` of the part of the outline that is in a column. lo above hi: nothing
 * is. */
static extent inner_extent(const outline *o, double from, double to)
{
    extent e = {__builtin_inf(), -__builtin_inf()};
    for (uint32_t i = 0; i < o->count; ++i) {
        const edge *p = &o->edges[i];
        if (p->to.middle < from || p->from.middle > to)
            continue;
        double first = p->from.inner, last = p->to.inner;
        if (p->from.middle < from)
            first += (from - p->from.middle) * p->slope;
        if (p->to.middle > to)
            last = p->from.inner + (to - p->from.middle) * p->slope;
        extent_add(&e, first);
        extent_add(&e, last);
    }
    return e;
}

static bool visit_run(const cutter *c, int32_t outer, int32_t middle, extent inner)
{
    cell_range cells = range_of(inner, c->pad, c->grid->dims[c->inner]);
    rico__cell_run run = {.axis = c->inner, .last = cells.last};
    run.cell[c->outer] = outer;
    run.cell[c->middle] = middle;
    run.cell[c->inner] = cells.first;
    return c->visit(c->user, &run);
}

static bool cut_columns(const cutter *c, const outline *o, int32_t outer)
{
    cell_range columns = range_of(o->middle, c->pad, c->grid->dims[c->middle]);
    for (int32_t j = columns.first; j <= columns.last; ++j) {
        extent inner = inner_extent(o, j - c->pad, j + 1 + c->pad);
        if (inner.lo <= inner.hi && !visit_run(c, outer, j, inner))
            return false;
    }
    return true;
}

static bool cut_slabs(const cutter *c)
{
    const int32_t *dims = c->grid->dims;
    cell_range slabs = range_of(c->extents[c->outer], c->pad, dims[c->outer]);
    cell_range columns = range_of(c->extents[c->middle], c->pad, dims[c->middle]);
    if (slabs.first == slabs.last && columns.first == columns.last)
        return visit_run(c, slabs.first, columns.first, c->extents[c->inner]);
    for (int32_t i = slabs.first; i <= slabs.last; ++i) {
        outline o;
        cut_slab(c, i - c->pad, i + 1 + c->pad, &o);
        if (o.count > 0 && !cut_columns(c, &o, i))
            return false;
    }
    return true;
}

bool rico__triangle_cells(const rico__grid *grid, const rico__triangle *triangle,
                          rico__cell_run_fn *visit, void *user)
{
    const double base[3] = {grid->base.x, grid->base.y, grid->base.z};
    double scale = 1.0 / (double)grid->cell_size, longest = -1.0;
    cutter c = {.grid = grid, .visit = visit, .user = user};
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j)
            c.corner[j][k] = (triangle->v[3 * j + k] - base[k]) * scale;
        c.extents[k] = extent_of(c.corner[0][k], c.corner[1][k], c.corner[2][k]);
        double size = c.extents[k].hi - c.extents[k].lo;
        if (size > longest) {
            longest = size;
            c.inner = k;
        }
    }
    c.pad = (double)grid->pad + longest * RICO_PAD_PER_EXTENT;
    c.outer = (c.inner + 1) % 3;
    c.middle = (c.inner + 2) % 3;
    return cut_slabs(&c);
}

/* --- the part in a box --- */

/* A triangle cut by six half spaces has at most nine corners. A degenerate one, whose corners
 * wiggle by rounding, gets at most half as many more with each cut: 3, 4, 6, 9, 13, 19, 28. */
typedef struct polygon {
    double corner[28][3];
    int count;
} polygon;

static extent polygon_extent(const polygon *p, int axis)
{
    extent e = {p->corner[0][axis], p->corner[0][axis]};
    for (int i = 1; i < p->count; ++i)
        extent_add(&e, p->corner[i][axis]);
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

/* Cutting only makes a part smaller, so sides of the box that hold the whole triangle are
 * skipped. */
static void cut_part(const rico__triangles *triangles, uint32_t id, const rico__part_box *box,
                     extent part[3])
{
    polygon pieces[2];
    uint32_t at = 0;
    pieces[0].count = 3;
    for (uint32_t j = 0; j < 3; ++j) {
        const float *p = rico__face_vertex(triangles, &triangles->faces[id], j)->at;
        for (int k = 0; k < 3; ++k)
            pieces[0].corner[j][k] = (double)p[k];
    }
    for (int side = 0; side < 6; ++side) {
        int k = side >> 1;
        double bound = side & 1 ? box->hi[k] : box->lo[k];
        if (side & 1 ? part[k].hi <= bound : part[k].lo >= bound)
            continue;
        polygon *cut = &pieces[1 - at];
        clip_half(&pieces[at], cut, k, bound, side & 1 ? -1.0 : 1.0);
        if (cut->count > 0)
            at = 1 - at; /* else it touches by the last rounding only: more is no harm */
    }
    for (int k = 0; k < 3; ++k)
        part[k] = polygon_extent(&pieces[at], k);
}

rico__part_box rico__part_box_of(const double lo[3], const double hi[3])
{
    rico__part_box box = {.inner_lo = v4_set(-__builtin_inff()),
                          .inner_hi = v4_set(__builtin_inff())};
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = lo[k];
        box.hi[k] = hi[k];
        box.inner_lo[k] = (float)lo[k];
        box.inner_hi[k] = (float)hi[k];
    }
    return box;
}

void rico__triangle_part(const rico__triangles *triangles, uint32_t id,
                         const rico__part_box *box, rico__chunk_entry *entry)
{
    const rico__face *face = &triangles->faces[id];
    v4 a = rico__face_corner(triangles, face, 0);
    v4 b = rico__face_corner(triangles, face, 1);
    v4 c = rico__face_corner(triangles, face, 2);
    v4 lo = v4_min(a, v4_min(b, c)), hi = v4_max(a, v4_max(b, c)), size = hi - lo;
    float longest = float_max(size[0], float_max(size[1], size[2]));
    /* Touching counts as crossing, whatever the sides were rounded to. */
    if ((v4_bits((lo > box->inner_lo) & (hi < box->inner_hi)) & 7u) != 7u) {
        extent part[3];
        for (int k = 0; k < 3; ++k)
            part[k] = (extent){(double)lo[k], (double)hi[k]};
        cut_part(triangles, id, box, part);
        for (int k = 0; k < 3; ++k) {
            lo[k] = (float)part[k].lo;
            hi[k] = (float)part[k].hi;
        }
    }
    /* Rounding moves a hit, per extent, and bounds by the last bit. The grown box holds them
     * all the same. */
    v4 pad = v4_set(longest * (float)(RICO_PAD_PER_EXTENT * 1.001)) +
             v4_max(v4_abs(lo), v4_abs(hi)) * v4_set(1.0f / 4194304.0f);
    lo = lo - pad;
    hi = hi + pad;
    memcpy(entry->lo, &lo, sizeof entry->lo);
    memcpy(entry->hi, &hi, sizeof entry->hi);
    entry->id = id;
}
