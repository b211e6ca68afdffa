#include "coverage.h"

#include "record.h"
#include "vec.h"

#include <string.h>

#define MAX_CELLS RICO__COVERAGE_CELLS
#define NOWHERE (1 << 28) /* far from every cell: an empty scene's range is there */

rico_result rico__coverage_init(rico__coverage *coverage, rico__memory *memory)
{
    *coverage = (rico__coverage){.margin = RICO__LEAST_MARGIN};
    coverage->cells =
        rico__memory_reserve(memory, 2 * MAX_CELLS, sizeof *coverage->cells, RICO_CACHE_LINE);
    if (coverage->cells == NULL)
        return RICO_OUT_OF_MEMORY;
    coverage->boxes = coverage->cells + MAX_CELLS;
    return RICO_OK;
}

void rico__coverage_free(rico__coverage *coverage, rico__memory *memory)
{
    rico__memory_release(memory, coverage->cells, 2 * MAX_CELLS, sizeof *coverage->cells,
                         RICO_CACHE_LINE);
    *coverage = (rico__coverage){0};
}

float rico__coverage_margin(float radius)
{
    static const float most[] = {RICO__SMALL_RADIUS, 0.05f, 0.11f, 0.21f, 0.31f, 0.51f, 0.76f};
    static const float margin[] = {
        RICO__LEAST_MARGIN, 0.06f, 0.12f, 0.22f, 0.32f, 0.52f, 0.77f, 1.01f};
    uint32_t i = 0;
    while (i < sizeof most / sizeof *most && radius > most[i])
        ++i;
    return margin[i];
}

static uint32_t child_of(const int32_t cell[3])
{
    return (uint32_t)((cell[0] & 1) | (cell[1] & 1) << 1 | (cell[2] & 1) << 2);
}

/* The place of the cell of level 0 that a cell of level 0 or 1 is in. */
static bool find_parent(const rico__coverage *coverage, const int32_t cell[3], uint32_t level,
                        size_t *index)
{
    const int32_t parent[3] = {cell[0] >> level, cell[1] >> level, cell[2] >> level};
    uint32_t beyond;
    return coverage->shift == 0 && rico__coverage_find(coverage, parent, index, &beyond);
}

static void set_distance(int32_t *word, uint32_t distance)
{
    *word = rico__coverage_with_distance(*word, distance);
}

void rico__coverage_divide(rico__coverage *coverage, const int32_t cell[3], uint32_t level)
{
    size_t index;
    uint32_t bit = level == 0 ? RICO__NOTE_WHOLE : RICO__NOTE_DIVIDED + child_of(cell);
    if (find_parent(coverage, cell, level, &index))
        coverage->cells[index] |= 1 << bit;
}

void rico__coverage_empty(rico__coverage *coverage, const int32_t cell[3], uint32_t level)
{
    size_t index;
    if (!find_parent(coverage, cell, level, &index))
        return;
    if (level == 1)
        coverage->cells[index] |= 1 << (RICO__NOTE_EMPTY + child_of(cell));
    else if (rico__coverage_distance(coverage->cells[index]) == 0)
        set_distance(&coverage->cells[index], 1);
}

/* Where what lies from lo to hi begins and ends, on a line of that length from `from` on. */
static uint32_t steps_between(float lo, float hi, float from, float length)
{
    const float most = (float)RICO__BOX_STEPS, per_metre = most / length;
    uint32_t first = (uint32_t)float_clamp((lo - from) * per_metre, 0.0f, most);
    uint32_t end = (uint32_t)float_clamp((hi - from) * per_metre + 1.0f, 0.0f, most);
    return first | ((uint32_t)RICO__BOX_STEPS - end) << RICO__BOX_BITS;
}

void rico__coverage_bound(rico__coverage *coverage, const int32_t cell[3], const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z},
                hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    const float edge = coverage->edge, margin = coverage->margin;
    const float length = edge + 2.0f * margin;
    uint32_t word = RICO__BOX_KNOWN;
    for (int a = 0; a < 3; ++a) {
        float from = (float)cell[a] * edge - margin;
        word |= steps_between(lo[a], hi[a], from, length) << 2 * RICO__BOX_BITS * a;
    }
    rico__coverage_set_box(coverage, cell, (int32_t)word);
}

void rico__coverage_set_box(rico__coverage *coverage, const int32_t cell[3], int32_t word)
{
    size_t index;
    if (find_parent(coverage, cell, 0, &index))
        coverage->boxes[index] = word;
}

int32_t rico__coverage_box(const rico__coverage *coverage, const int32_t cell[3])
{
    size_t index;
    return find_parent(coverage, cell, 0, &index) ? coverage->boxes[index] : 0;
}

bool rico__coverage_box_is_sound(int32_t word)
{
    bool sound = ((uint32_t)word & ~(2u * RICO__BOX_KNOWN - 1u)) == 0;
    for (int a = 0; a < 3; ++a) {
        int32_t axis = word >> 2 * RICO__BOX_BITS * a;
        int32_t before = axis & RICO__BOX_STEPS,
                after = axis >> RICO__BOX_BITS & RICO__BOX_STEPS;
        sound = sound && before + after <= RICO__BOX_STEPS;
    }
    return sound && (word == 0 || (word & RICO__BOX_KNOWN) != 0);
}

/* The cells whose records' boxes reach into the bounds; false when they are too many. */
static bool choose_range(rico__coverage *coverage, const rico_box *bounds, float cell_size)
{
    const float lo[3] = {bounds->lo.x, bounds->lo.y, bounds->lo.z};
    const float hi[3] = {bounds->hi.x, bounds->hi.y, bounds->hi.z};
    float size = cell_size * (float)(1u << coverage->shift);
    uint64_t cells = 1;
    for (int a = 0; a < 3; ++a) {
        float first = (lo[a] - coverage->margin) / size - 1.0f;
        float last = (hi[a] + coverage->margin) / size + 1.0f;
        if (!(last - first < (float)MAX_CELLS))
            return false;
        coverage->lo[a] = (int32_t)first - 1;
        coverage->size[a] = (uint32_t)((int32_t)last + 1 - coverage->lo[a] + 1);
        cells *= coverage->size[a];
        if (cells > MAX_CELLS)
            return false;
    }
    return true;
}

static int32_t *row_at(const rico__coverage *coverage, uint32_t y, uint32_t z)
{
    return coverage->cells + ((size_t)z * coverage->size[1] + y) * coverage->size[0];
}

static bool is_occupied(const rico_scene *scene, const rico_box *box)
{
    return rico_scene_occupied_layers(scene, RICO__STILL_LAYERS, box);
}

/* 0 where there is geometry in the box of a record of the cell, else far. Nothing else is known. */
static void fill_row(const rico__coverage *coverage, const rico_scene *scene, float cell_size,
                     uint32_t first, uint32_t end, uint32_t y, uint32_t z)
{
    int32_t *row = row_at(coverage, y, z);
    float size = cell_size * (float)(1u << coverage->shift);
    memset(coverage->boxes + (row - coverage->cells) + first, 0, (end - first) * sizeof *row);
    for (uint32_t x = first; x < end; ++x) {
        rico__cell cell =
            rico__record_cell_at(coverage->lo[0] + (int32_t)x, coverage->lo[1] + (int32_t)y,
                                 coverage->lo[2] + (int32_t)z, 0, size);
        rico_box box = rico__record_box(&cell, coverage->margin);
        row[x] =
            rico__coverage_with_distance(0, is_occupied(scene, &box) ? 0 : RICO__COVERAGE_FAR);
    }
}

/* The smallest distance, plus 1, of the cell's neighbours that come before it (step = -1: after
 * it) in the order of rows; beyond the range there is nothing. */
static uint32_t nearest_neighbour(const rico__coverage *coverage, int32_t x, int32_t y,
                                  int32_t z, int32_t step)
{
    static const int8_t before[13][3] = {{-1, 0, 0},   {-1, -1, 0}, {0, -1, 0},  {1, -1, 0},
                                         {-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {-1, 0, -1},
                                         {0, 0, -1},   {1, 0, -1},  {-1, 1, -1}, {0, 1, -1},
                                         {1, 1, -1}};
    uint32_t least = RICO__COVERAGE_FAR;
    for (int n = 0; n < 13; ++n) {
        uint32_t nx = (uint32_t)(x + step * before[n][0]);
        uint32_t ny = (uint32_t)(y + step * before[n][1]);
        uint32_t nz = (uint32_t)(z + step * before[n][2]);
        if (nx >= coverage->size[0] || ny >= coverage->size[1] || nz >= coverage->size[2])
            continue;
        uint32_t distance = rico__coverage_distance(row_at(coverage, ny, nz)[nx]) + 1u;
        least = distance < least ? distance : least;
    }
    return least;
}

/* A part of the range: from lo up to, without, hi. */
typedef struct part {
    int32_t lo[3], hi[3];
} part;

static part whole_range(const rico__coverage *coverage)
{
    part all = {.lo = {0}};
    for (int a = 0; a < 3; ++a)
        all.hi[a] = (int32_t)coverage->size[a];
    return all;
}

/* One of the two passes of a distance transform; for distances that count diagonals as 1, two
 * passes are exact. Cells around the part have theirs, and keep them. */
static void spread(const rico__coverage *coverage, const part *in, int32_t step)
{
    for (int32_t k = in->lo[2]; k < in->hi[2]; ++k)
        for (int32_t j = in->lo[1]; j < in->hi[1]; ++j)
            for (int32_t i = in->lo[0]; i < in->hi[0]; ++i) {
                int32_t x = step > 0 ? i : in->lo[0] + in->hi[0] - 1 - i;
                int32_t y = step > 0 ? j : in->lo[1] + in->hi[1] - 1 - j;
                int32_t z = step > 0 ? k : in->lo[2] + in->hi[2] - 1 - k;
                int32_t *own = row_at(coverage, (uint32_t)y, (uint32_t)z) + x;
                uint32_t least = nearest_neighbour(coverage, x, y, z, step);
                if (least < rico__coverage_distance(*own))
                    set_distance(own, least);
            }
}

static void fill(rico__coverage *coverage, const rico_scene *scene, float cell_size)
{
    part all = whole_range(coverage);
    for (uint32_t z = 0; z < coverage->size[2]; ++z)
        for (uint32_t y = 0; y < coverage->size[1]; ++y)
            fill_row(coverage, scene, cell_size, 0, coverage->size[0], y, z);
    spread(coverage, &all, 1);
    spread(coverage, &all, -1);
}

static size_t cell_count(const rico__coverage *coverage)
{
    return (size_t)coverage->size[0] * coverage->size[1] * coverage->size[2];
}

/* What is in a scene is within 1e6 m of the origin, and room around it within twice that. What is not, all the
 * same, has no cells; NaN is in none. */
#define REACH 2.0e6f

static rico_vec3 within_reach(rico_vec3 p)
{
    return vec3(float_clamp(p.x, -REACH, REACH), float_clamp(p.y, -REACH, REACH),
                float_clamp(p.z, -REACH, REACH));
}

static void place(rico__coverage *coverage, const rico_box *bounds, float cell_size)
{
    for (int a = 0; a < 3; ++a) {
        coverage->lo[a] = NOWHERE;
        coverage->size[a] = 0;
    }
    coverage->shift = 0;
    coverage->rate = 1.0f / cell_size * (float)(1u << RICO__FINEST_LEVEL);
    coverage->edge = cell_size;
    if (!(bounds->lo.x <= bounds->hi.x))
        return;
    const rico_box within = {within_reach(bounds->lo), within_reach(bounds->hi)};
    while (!choose_range(coverage, &within, cell_size))
        coverage->shift += 1; /* ends: the reach is 77 cells of 2^20 * 0.05 m wide */
    coverage->edge = cell_size * (float)(1u << coverage->shift);
}

/* An eighth of each side on either side, and some cells. */
static rico_box with_spare(const rico_box *bounds, float cell_size)
{
    rico_vec3 size = vec3_sub(bounds->hi, bounds->lo);
    float some = 4.0f * cell_size;
    rico_vec3 spare = vec3_mad(vec3(some, some, some), size, 0.125f);
    return (rico_box){vec3_sub(bounds->lo, spare), vec3_add(bounds->hi, spare)};
}

static bool reaches(const rico__coverage *coverage, const int32_t at[3], const rico_box *box)
{
    rico__cell cell = rico__record_cell_at(at[0], at[1], at[2], 0, coverage->edge);
    rico_box near = rico__record_box(&cell, coverage->margin);
    const float rounding = RICO__EDIT_ROUNDING;
    const rico_vec3 more = {rounding, rounding, rounding};
    near = (rico_box){vec3_sub(near.lo, more), vec3_add(near.hi, more)};
    return boxes_meet(&near, box);
}

/* What was known of cells that are in both, and not near what has changed. */
static void take_notes(rico__coverage *coverage, const rico__coverage *old,
                       const int32_t *words, size_t count, const rico_box *changed)
{
    if (coverage->shift != 0 || old->shift != 0)
        return;
    for (uint32_t z = 0; z < coverage->size[2]; ++z)
        for (uint32_t y = 0; y < coverage->size[1]; ++y)
            for (uint32_t x = 0; x < coverage->size[0]; ++x) {
                const int32_t cell[3] = {coverage->lo[0] + (int32_t)x,
                                         coverage->lo[1] + (int32_t)y,
                                         coverage->lo[2] + (int32_t)z};
                size_t to, from;
                uint32_t beyond;
                if (!rico__coverage_find(old, cell, &from, &beyond) ||
                    !rico__coverage_find(coverage, cell, &to, &beyond) ||
                    reaches(coverage, cell, changed))
                    continue;
                coverage->cells[to] = rico__coverage_with_distance(
                    words[from], rico__coverage_distance(coverage->cells[to]));
                coverage->boxes[to] = words[count + from];
            }
}

void rico__coverage_rebuild(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                            const rico_box *bounds, bool spare, const rico_box *changed,
                            rico__memory *memory)
{
    const rico__coverage old = *coverage;
    size_t kept = cell_count(&old);
    int32_t *words = NULL;
    if (changed != NULL && memory != NULL && kept > 0)
        words = rico__memory_allocate(memory, 2 * kept, sizeof *words, RICO_CACHE_LINE);
    if (words != NULL) {
        memcpy(words, old.cells, kept * sizeof *words);
        memcpy(words + kept, old.boxes, kept * sizeof *words);
    }
    place(coverage, bounds, cell_size);
    if (spare && coverage->size[0] > 0) {
        uint32_t shift = coverage->shift;
        rico_box wider = with_spare(bounds, cell_size);
        place(coverage, &wider, cell_size);
        if (coverage->shift != shift)
            place(coverage, bounds, cell_size);
    }
    fill(coverage, scene, cell_size);
    if (words == NULL)
        return;
    take_notes(coverage, &old, words, kept, changed);
    rico__memory_release(memory, words, 2 * kept, sizeof *words, RICO_CACHE_LINE);
}

void rico__coverage_build(rico__coverage *coverage, const rico_scene *scene, float cell_size)
{
    rico_scene_stats stats = rico_scene_get_stats(scene);
    rico__coverage_rebuild(coverage, scene, cell_size, &stats.bounds, false, NULL, NULL);
}

/* --- After an edit ------------------------------------------------------------------------ */

/* Distances are exact so far around an edit, in cells: farther out, those of what was removed stay. */
#define EXACT_AROUND 8

/* The cells whose records' boxes touch the box; false when they are not all in the range. */
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

/* At most r in cells that are r from the part; true when one was more. */
static bool lower_shell(const rico__coverage *coverage, const part *from, int32_t r)
{
    bool any = false;
    part out = grown_part(coverage, from, r);
    for (int32_t z = out.lo[2]; z < out.hi[2]; ++z)
        for (int32_t y = out.lo[1]; y < out.hi[1]; ++y) {
            int32_t *row = row_at(coverage, (uint32_t)y, (uint32_t)z);
            bool side = z == from->lo[2] - r || z == from->hi[2] + r - 1 ||
                        y == from->lo[1] - r || y == from->hi[1] + r - 1;
            int32_t width = from->hi[0] - from->lo[0] + 2 * r - 1;
            int32_t x = from->lo[0] - r;
            for (int32_t stride = side ? 1 : width; x < from->hi[0] + r; x += stride) {
                if (x < out.lo[0] || x >= out.hi[0] ||
                    (int32_t)rico__coverage_distance(row[x]) <= r)
                    continue;
                set_distance(&row[x], (uint32_t)r);
                any = true;
            }
        }
    return any;
}

/* Looks at the cells again; the smallest part that holds those with geometry, false = none. */
static bool look_at(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                    const part *cells, part *full)
{
    bool any = false;
    for (int32_t z = cells->lo[2]; z < cells->hi[2]; ++z)
        for (int32_t y = cells->lo[1]; y < cells->hi[1]; ++y) {
            const int32_t *row = row_at(coverage, (uint32_t)y, (uint32_t)z);
            fill_row(coverage, scene, cell_size, (uint32_t)cells->lo[0], (uint32_t)cells->hi[0],
                     (uint32_t)y, (uint32_t)z);
            for (int32_t x = cells->lo[0]; x < cells->hi[0]; ++x) {
                const int32_t at[3] = {x, y, z};
                bool occupied = rico__coverage_distance(row[x]) == 0;
                for (int a = 0; a < 3 && occupied; ++a) {
                    full->lo[a] = any && full->lo[a] < at[a] ? full->lo[a] : at[a];
                    full->hi[a] = any && full->hi[a] > at[a] ? full->hi[a] : at[a] + 1;
                }
                any = any || occupied;
            }
        }
    return any;
}

/* Distances differ by 1 at most from cell to cell, as long as they were not looked at again: beyond
 * a shell around those in which none is too large, none is. */
static void lower_around(const rico__coverage *coverage, const part *cells, const part *full)
{
    int32_t around = 0;
    for (int a = 0; a < 3; ++a) {
        int32_t low = full->lo[a] - cells->lo[a], high = cells->hi[a] - full->hi[a];
        around = low > around ? low : around;
        around = high > around ? high : around;
    }
    for (int32_t r = 1; r < (int32_t)RICO__COVERAGE_FAR; ++r)
        if (!lower_shell(coverage, full, r) && r > around)
            return;
}

static void spread_anew(const rico__coverage *coverage, const part *in)
{
    for (int32_t z = in->lo[2]; z < in->hi[2]; ++z)
        for (int32_t y = in->lo[1]; y < in->hi[1]; ++y) {
            int32_t *row = row_at(coverage, (uint32_t)y, (uint32_t)z);
            for (int32_t x = in->lo[0]; x < in->hi[0]; ++x)
                if (rico__coverage_distance(row[x]) != 0)
                    set_distance(&row[x], RICO__COVERAGE_FAR);
        }
    spread(coverage, in, 1);
    spread(coverage, in, -1);
}

bool rico__coverage_update(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                           const rico_box *box)
{
    part cells, full;
    if (coverage->size[0] == 0 || !cells_of(coverage, box, &cells) ||
        2 * part_cells(&cells) > cell_count(coverage))
        return false;
    part near = grown_part(coverage, &cells, EXACT_AROUND);
    if (look_at(coverage, scene, cell_size, &cells, &full))
        lower_around(coverage, &cells, &full);
    spread_anew(coverage, &near);
    return true;
}
