/* Coverage after an edit: cells are looked at again, and the distances around them follow. */
#include "coverage.h"

#include <string.h>

typedef rico__coverage_part part;

static void set_distance(int32_t *row, int32_t x, uint32_t distance)
{
    row[x] = rico__coverage_with_distance(row[x], distance);
}

/* This many cells of a row are worked on at a time. */
#define STRIP 64

/* Around an edit, distances are exact for this many cells. Farther out, distances to what was
 * removed stay. */
#define EXACT_AROUND 8

/* Finds the cells whose records' boxes touch the box. False: they are not all in the range. */
static bool cells_of(const rico__coverage *coverage, const rico_box *box, part *cells)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    const float reach = coverage->margin + RICO__EDIT_ROUNDING;
    for (int a = 0; a < 3; ++a) {
        float first = (lo[a] - reach) / coverage->edge;
        float last = (hi[a] + reach) / coverage->edge;
        float begin = (float)coverage->lo[a];
        if (!(first >= begin && last < begin + (float)coverage->size[a]))
            return false;
        cells->lo[a] = (int32_t)(first - begin);
        cells->hi[a] = (int32_t)(last - begin) + 1;
    }
    return true;
}

static part grown_part(const rico__coverage *coverage, const part *from, int32_t by)
{
    part to;
    for (int a = 0; a < 3; ++a) {
        int32_t size = (int32_t)coverage->size[a];
        to.lo[a] = from->lo[a] > by ? from->lo[a] - by : 0;
        to.hi[a] = from->hi[a] + by < size ? from->hi[a] + by : size;
    }
    return to;
}

static size_t part_cells(const part *p)
{
    size_t cells = 1;
    for (int a = 0; a < 3; ++a)
        cells *= (size_t)(p->hi[a] - p->lo[a]);
    return cells;
}

/* Makes distances at most r in cells that are r from the part. Returns whether one was more. */
static bool lower_shell(const rico__coverage *coverage, const part *from, int32_t r)
{
    bool any = false;
    part out = grown_part(coverage, from, r);
    for (int32_t z = out.lo[2]; z < out.hi[2]; ++z)
        for (int32_t y = out.lo[1]; y < out.hi[1]; ++y) {
            int32_t *row = rico__coverage_row(coverage, (uint32_t)y, (uint32_t)z);
            bool side = z == from->lo[2] - r || z == from->hi[2] + r - 1 ||
                        y == from->lo[1] - r || y == from->hi[1] + r - 1;
            int32_t width = from->hi[0] - from->lo[0] + 2 * r - 1;
            int32_t x = from->lo[0] - r;
            for (int32_t stride = side ? 1 : width; x < from->hi[0] + r; x += stride) {
                if (x < out.lo[0] || x >= out.hi[0] ||
                    (int32_t)rico__coverage_distance(row[x]) <= r)
                    continue;
                set_distance(row, x, (uint32_t)r);
                any = true;
            }
        }
    return any;
}

/* What looking again has found. full: the smallest part that holds all cells that have geometry
 * now and had none (any = false: there are none). less: other cells have lost theirs. */
typedef struct change {
    part full;
    bool any, less;
} change;

/* Looks at cells of a row, STRIP at most. A cell that has lost its geometry gets distance 1 for
 * the time being. Other empty cells keep their distance. */
static void look_at_row(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                        int32_t first, int32_t end, int32_t y, int32_t z, change *c)
{
    int32_t before[STRIP], *row = rico__coverage_row(coverage, (uint32_t)y, (uint32_t)z);
    memcpy(before, row + first, (size_t)(end - first) * sizeof *before);
    rico__coverage_fill(coverage, scene, cell_size, first, end, y, z);
    for (int32_t x = first; x < end; ++x) {
        const int32_t at[3] = {x, y, z};
        const uint32_t was = rico__coverage_distance(before[x - first]);
        const bool occupied = rico__coverage_distance(row[x]) == 0;
        if (!occupied)
            set_distance(row, x, was == 0 ? 1 : was);
        c->less = c->less || (!occupied && was == 0);
        if (!occupied || was == 0)
            continue;
        for (int a = 0; a < 3; ++a) {
            c->full.lo[a] = c->any && c->full.lo[a] < at[a] ? c->full.lo[a] : at[a];
            c->full.hi[a] = c->any && c->full.hi[a] > at[a] ? c->full.hi[a] : at[a] + 1;
        }
        c->any = true;
    }
}

static change look_at(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                      const part *cells)
{
    change c = {.any = false};
    for (int32_t z = cells->lo[2]; z < cells->hi[2]; ++z)
        for (int32_t y = cells->lo[1]; y < cells->hi[1]; ++y)
            for (int32_t x = cells->lo[0]; x < cells->hi[0]; x += STRIP) {
                const int32_t end = x + STRIP < cells->hi[0] ? x + STRIP : cells->hi[0];
                look_at_row(coverage, scene, cell_size, x, end, y, z, &c);
            }
    return c;
}

/* Treats all of the part as occupied, which is the most that it can be. Distances differ by at
 * most 1 from cell to cell. So beyond a shell in which no distance is too large, none is. */
static void lower_around(const rico__coverage *coverage, const part *full)
{
    for (int32_t z = full->lo[2]; z < full->hi[2]; ++z)
        for (int32_t y = full->lo[1]; y < full->hi[1]; ++y) {
            int32_t *row = rico__coverage_row(coverage, (uint32_t)y, (uint32_t)z);
            for (int32_t x = full->lo[0]; x < full->hi[0]; ++x)
                if (rico__coverage_distance(row[x]) > 1)
                    set_distance(row, x, 1);
        }
    for (int32_t r = 1; r < (int32_t)RICO__COVERAGE_FAR; ++r)
        if (!lower_shell(coverage, full, r))
            return;
}

static void spread_anew(const rico__coverage *coverage, const part *in)
{
    for (int32_t z = in->lo[2]; z < in->hi[2]; ++z)
        for (int32_t y = in->lo[1]; y < in->hi[1]; ++y) {
            int32_t *row = rico__coverage_row(coverage, (uint32_t)y, (uint32_t)z);
            for (int32_t x = in->lo[0]; x < in->hi[0]; ++x)
                if (rico__coverage_distance(row[x]) != 0)
                    set_distance(row, x, RICO__COVERAGE_FAR);
        }
    rico__coverage_spread(coverage, in);
}

static part joined(const part *p, const part *q)
{
    part both;
    for (int a = 0; a < 3; ++a) {
        both.lo[a] = p->lo[a] < q->lo[a] ? p->lo[a] : q->lo[a];
        both.hi[a] = p->hi[a] > q->hi[a] ? p->hi[a] : q->hi[a];
    }
    return both;
}

/* Finds the part to which joining the new one adds the fewest cells. *more: how many cells the
 * joined part has beyond those of both. */
static uint32_t best_part(const rico__coverage *coverage, const part *new, int64_t *more)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < coverage->later_count; ++i) {
        const part both = joined(&coverage->later[i], new);
        const int64_t cells = (int64_t)part_cells(&both) - (int64_t)part_cells(new) -
                              (int64_t)part_cells(&coverage->later[i]);
        if (i == 0 || cells < *more) {
            *more = cells;
            best = i;
        }
    }
    return best;
}

/* Edits in one place have their distances worked out only once. */
static void spread_later(rico__coverage *coverage, part in)
{
    while (coverage->later_count > 0) {
        int64_t more = 0;
        const uint32_t best = best_part(coverage, &in, &more);
        if (more > 0 && coverage->later_count < RICO__COVERAGE_PARTS)
            break;
        in = joined(&in, &coverage->later[best]);
        coverage->later[best] = coverage->later[--coverage->later_count];
    }
    coverage->later[coverage->later_count++] = in;
}

void rico__coverage_settle(rico__coverage *coverage)
{
    size_t cells = 0;
    if (coverage->later_count == 0)
        return;
    part all = coverage->later[0];
    for (uint32_t i = 0; i < coverage->later_count; ++i) {
        cells += part_cells(&coverage->later[i]);
        all = joined(&all, &coverage->later[i]);
    }
    if (cells > part_cells(&all)) {
        coverage->later[0] = all;
        coverage->later_count = 1;
    }
    for (uint32_t i = 0; i < coverage->later_count; ++i)
        spread_anew(coverage, &coverage->later[i]);
    coverage->later_count = 0;
}

/* This many cells are looked at in about a millisecond. */
#define FEW_CELLS 16384.0f

bool rico__coverage_has_room(const rico__coverage *coverage, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    float count = 1.0f;
    part cells;
    if (coverage->size[0] == 0 || cells_of(coverage, box, &cells))
        return true;
    for (int a = 0; a < 3; ++a) {
        const float begin = (float)coverage->lo[a], end = begin + (float)coverage->size[a];
        const float first = lo[a] / coverage->edge - 2.0f, last = hi[a] / coverage->edge + 2.0f;
        count *= (last > end ? last : end) - (first < begin ? first : begin);
    }
    return count <= FEW_CELLS;
}

bool rico__coverage_update(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                           const rico_box *box)
{
    part cells;
    if (coverage->size[0] == 0 || !cells_of(coverage, box, &cells) ||
        2 * part_cells(&cells) > rico__coverage_cell_count(coverage))
        return false;
    const change c = look_at(coverage, scene, cell_size, &cells);
    if (c.any)
        lower_around(coverage, &c.full);
    if (c.any || c.less)
        spread_later(coverage, grown_part(coverage, &cells, EXACT_AROUND));
    return true;
}
