#include "coverage.h"

#include "record.h"
#include "vec.h"

#include <string.h>

#define MAX_CELLS RICO__COVERAGE_CELLS
#define NOWHERE (1 << 28) /* far from every cell; the range of an empty scene is there */

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

/* Finds the place of the cell of level 0 that a cell of level 0 or 1 is in. */
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

/* Where the stretch from lo to hi begins and ends, on a line of that length from `from` on. */
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

/* Sets the range to the cells whose records' boxes reach into the bounds. False: they are too
 * many. */
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

typedef rico__coverage_part part;

/* This many cells of a row are asked about at a time. */
#define ASKED 32u

/* Sets distance 0 where there is geometry in the box of the cell's record, else far. Nothing
 * else is known then. */
static void fill_row(const rico__coverage *coverage, const rico_scene *scene, float cell_size,
                     uint32_t first, uint32_t end, uint32_t y, uint32_t z)
{
    int32_t *row = rico__coverage_row(coverage, y, z);
    float size = cell_size * (float)(1u << coverage->shift);
    memset(coverage->boxes + (row - coverage->cells) + first, 0, (end - first) * sizeof *row);
    for (uint32_t x = first, count; x < end; x += count) {
        rico_box boxes[ASKED];
        bool occupied[ASKED];
        count = uint_min(end - x, ASKED);
        for (uint32_t i = 0; i < count; ++i) {
            rico__cell cell = rico__record_cell_at(coverage->lo[0] + (int32_t)(x + i),
                                                   coverage->lo[1] + (int32_t)y,
                                                   coverage->lo[2] + (int32_t)z, 0, size);
            boxes[i] = rico__record_box(&cell, coverage->margin);
        }
        rico_scene_occupied_row(scene, RICO__STILL_LAYERS, boxes, count, RICO__NEAR_ROOM,
                                occupied);
        for (uint32_t i = 0; i < count; ++i)
            row[x + i] = rico__coverage_with_distance(0, occupied[i] ? 0 : RICO__COVERAGE_FAR);
    }
}

static part whole_range(const rico__coverage *coverage)
{
    part all = {.lo = {0}};
    for (int a = 0; a < 3; ++a)
        all.hi[a] = (int32_t)coverage->size[a];
    return all;
}

/* This many cells of a row are worked on at a time. */
#define STRIP 256

/* Finds the rows beside row (y, z) that come before it (step = -1: after it). Returns how many
 * are in the range. */
static uint32_t rows_before(const rico__coverage *coverage, int32_t y, int32_t z, int32_t step,
                            const int32_t *rows[4])
{
    static const int8_t beside[4][2] = {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    uint32_t count = 0;
    for (int n = 0; n < 4; ++n) {
        uint32_t ny = (uint32_t)(y + step * beside[n][0]);
        uint32_t nz = (uint32_t)(z + step * beside[n][1]);
        if (ny < coverage->size[1] && nz < coverage->size[2])
            rows[count++] = rico__coverage_row(coverage, ny, nz);
    }
    return count;
}

/* Finds the smallest distances in the rows at x, x + 1, ... Beyond the range there is
 * nothing. */
static void find_least(const rico__coverage *coverage, const int32_t *const *rows,
                       uint32_t count, int32_t x, int32_t cells, uint32_t *least)
{
    const int32_t size = (int32_t)coverage->size[0];
    const int32_t first = x < 0 ? -x : 0, end = x + cells > size ? size - x : cells;
    for (int32_t k = 0; k < cells; ++k)
        least[k] = RICO__COVERAGE_FAR;
    for (uint32_t r = 0; r < count; ++r)
        for (int32_t k = first; k < end; ++k) {
            uint32_t distance = rico__coverage_distance(rows[r][x + k]);
            least[k] = distance < least[k] ? distance : least[k];
        }
}

/* For the cells of a row from `from` up to, but not including, `to`, in the order of the step:
 * makes each distance at most 1 more than the smallest among the neighbours that come before
 * it. */
static void spread_row(const rico__coverage *coverage, int32_t from, int32_t to, int32_t y,
                       int32_t z, int32_t step)
{
    const int32_t *rows[4];
    const uint32_t count = rows_before(coverage, y, z, step, rows);
    int32_t *own = rico__coverage_row(coverage, (uint32_t)y, (uint32_t)z);
    int32_t x = step > 0 ? from : to - 1;
    uint32_t before = RICO__COVERAGE_FAR; /* distance of the cell before it in the row */
    if (x - step >= 0 && x - step < (int32_t)coverage->size[0])
        before = rico__coverage_distance(own[x - step]);
    for (int32_t left = to - from; left > 0; left -= STRIP) {
        uint32_t least[STRIP + 2];
        const int32_t cells = left < STRIP ? left : STRIP;
        const int32_t lowest = step > 0 ? x : x - cells + 1;
        find_least(coverage, rows, count, lowest - 1, cells + 2, least);
        for (int32_t n = 0; n < cells; ++n, x += step) {
            const uint32_t *at = &least[x - lowest];
            uint32_t nearest = at[0] < at[1] ? at[0] : at[1];
            nearest = at[2] < nearest ? at[2] : nearest;
            nearest = before < nearest ? before : nearest;
            before = rico__coverage_distance(own[x]);
            if (nearest + 1 < before) {
                before = nearest + 1;
                set_distance(&own[x], before);
            }
        }
    }
}

/* One of the two passes of a distance transform. Two passes are exact for distances that count
 * diagonals as 1. Cells around the part have their distances, and keep them. */
static void spread(const rico__coverage *coverage, const part *in, int32_t step)
{
    for (int32_t k = in->lo[2]; k < in->hi[2]; ++k)
        for (int32_t j = in->lo[1]; j < in->hi[1]; ++j)
            spread_row(coverage, in->lo[0], in->hi[0],
                       step > 0 ? j : in->lo[1] + in->hi[1] - 1 - j,
                       step > 0 ? k : in->lo[2] + in->hi[2] - 1 - k, step);
}

/* What was known while the range was another one, with cells of the same size. Beyond that
 * range there was nothing. */
typedef struct known {
    const rico__coverage *old;
    const int32_t *words; /* of all its cells; then their boxes */
    size_t count;
    part changed; /* in the new range: what was known is not true here any more */
} known;

/* Takes cells from `first` up to, but not including, `end` from the old row, if there was
 * one. */
static void keep_row(const rico__coverage *coverage, const known *k, int32_t first, int32_t end,
                     int32_t y, int32_t z)
{
    const rico__coverage *old = k->old;
    int32_t *row = rico__coverage_row(coverage, (uint32_t)y, (uint32_t)z);
    int32_t *boxes = coverage->boxes + (row - coverage->cells);
    const uint32_t by = (uint32_t)(y + coverage->lo[1] - old->lo[1]);
    const uint32_t bz = (uint32_t)(z + coverage->lo[2] - old->lo[2]);
    const bool was = by < old->size[1] && bz < old->size[2];
    const size_t begin = was ? ((size_t)bz * old->size[1] + by) * old->size[0] : 0;
    for (int32_t x = first; x < end; ++x) {
        const uint32_t bx = (uint32_t)(x + coverage->lo[0] - old->lo[0]);
        const bool kept = was && bx < old->size[0];
        const int32_t word = kept ? k->words[begin + bx] : -1;
        const bool occupied = kept && rico__coverage_distance(word) == 0;
        row[x] =
            rico__coverage_with_distance(kept ? word : 0, occupied ? 0 : RICO__COVERAGE_FAR);
        boxes[x] = kept ? k->words[k->count + begin + bx] : 0;
    }
}

/* k: NULL = nothing is known. */
static void fill(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                 const known *k)
{
    part all = whole_range(coverage);
    const part *changed = k != NULL ? &k->changed : &all;
    for (int32_t z = 0; z < all.hi[2]; ++z)
        for (int32_t y = 0; y < all.hi[1]; ++y) {
            const bool here = z >= changed->lo[2] && z < changed->hi[2] &&
                              y >= changed->lo[1] && y < changed->hi[1];
            const int32_t from = here ? changed->lo[0] : all.hi[0];
            const int32_t to = here ? changed->hi[0] : all.hi[0];
            if (k != NULL) {
                keep_row(coverage, k, 0, from, y, z);
                keep_row(coverage, k, to, all.hi[0], y, z);
            }
            fill_row(coverage, scene, cell_size, (uint32_t)from, (uint32_t)to, (uint32_t)y,
                     (uint32_t)z);
        }
    spread(coverage, &all, 1);
    spread(coverage, &all, -1);
}

/* Everything in a scene is within 1e6 m of the origin, and room around it within twice that.
 * What is farther out all the same has no cells; NaN is in none. */
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
    coverage->later_count = 0;
    coverage->rate = 1.0f / cell_size * (float)(1u << RICO__FINEST_LEVEL);
    coverage->edge = cell_size;
    if (!(bounds->lo.x <= bounds->hi.x))
        return;
    const rico_box within = {within_reach(bounds->lo), within_reach(bounds->hi)};
    while (!choose_range(coverage, &within, cell_size))
        coverage->shift += 1; /* this ends: the reach is 77 cells of 2^20 * 0.05 m wide */
    coverage->edge = cell_size * (float)(1u << coverage->shift);
}

/* Adds an eighth of the size on each side, and some cells. */
static rico_box with_spare(const rico_box *bounds, float cell_size)
{
    rico_vec3 size = vec3_sub(bounds->hi, bounds->lo);
    float some = 4.0f * cell_size;
    rico_vec3 spare = vec3_mad(vec3(some, some, some), size, 0.125f);
    return (rico_box){vec3_sub(bounds->lo, spare), vec3_add(bounds->hi, spare)};
}

/* The cells of the range whose records' boxes the box may touch, and some more. */
static part cells_near(const rico__coverage *coverage, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    const float reach = coverage->margin + RICO__EDIT_ROUNDING;
    part near;
    for (int a = 0; a < 3; ++a) {
        const float size = (float)coverage->size[a], begin = (float)coverage->lo[a];
        near.lo[a] =
            (int32_t)float_clamp((lo[a] - reach) / coverage->edge - begin - 1.0f, 0.0f, size);
        near.hi[a] =
            (int32_t)float_clamp((hi[a] + reach) / coverage->edge - begin + 2.0f, 0.0f, size);
        near.hi[a] = near.hi[a] > near.lo[a] ? near.hi[a] : near.lo[a];
    }
    return near;
}

bool rico__coverage_rebuild(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                            const rico_box *bounds, bool spare, const rico_box *changed,
                            rico__memory *memory)
{
    const rico__coverage old = *coverage;
    size_t kept = rico__coverage_cell_count(&old);
    int32_t *words = NULL;
    if (changed != NULL && memory != NULL && kept > 0)
        words = rico__memory_reserve(memory, 2 * kept, sizeof *words, RICO_CACHE_LINE);
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
    if (words == NULL) {
        fill(coverage, scene, cell_size, NULL);
        return changed == NULL || memory == NULL || kept == 0;
    }
    const known k = {&old, words, kept, cells_near(coverage, changed)};
    fill(coverage, scene, cell_size, coverage->shift == old.shift ? &k : NULL);
    rico__memory_release(memory, words, 2 * kept, sizeof *words, RICO_CACHE_LINE);
    return true;
}

void rico__coverage_build(rico__coverage *coverage, const rico_scene *scene, float cell_size)
{
    rico_scene_stats stats = rico_scene_get_stats(scene);
    rico__coverage_rebuild(coverage, scene, cell_size, &stats.bounds, false, NULL, NULL);
}

bool rico__coverage_shift(rico__coverage *coverage, const int32_t by[3])
{
    const int32_t whole = (int32_t)(1u << coverage->shift), most = NOWHERE / 2;
    for (int a = 0; a < 3; ++a)
        if (by[a] % whole != 0 || by[a] > most || by[a] < -most || coverage->lo[a] > most ||
            coverage->lo[a] < -most)
            return false;
    for (int a = 0; a < 3; ++a)
        coverage->lo[a] += by[a] / whole;
    return true;
}

/* --- For edits (coverage_edits.c) ----------------------------------------------------------- */

void rico__coverage_fill(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                         int32_t first, int32_t end, int32_t y, int32_t z)
{
    fill_row(coverage, scene, cell_size, (uint32_t)first, (uint32_t)end, (uint32_t)y,
             (uint32_t)z);
}

void rico__coverage_spread(const rico__coverage *coverage, const rico__coverage_part *in)
{
    spread(coverage, in, 1);
    spread(coverage, in, -1);
}
