#include "coverage.h"

#include "record.h"
#include "vec.h"

#include <string.h>

#define MAX_CELLS (1u << 20)
#define READ_PAST 3u      /* bytes, by kernels */
#define NOWHERE (1 << 28) /* far from every cell: an empty scene's range is there */

rico_result rico__coverage_init(rico__coverage *coverage, rico__memory *memory)
{
    *coverage = (rico__coverage){0};
    coverage->distance =
        rico__memory_allocate(memory, MAX_CELLS + READ_PAST, 1, RICO_CACHE_LINE);
    coverage->notes =
        rico__memory_allocate(memory, MAX_CELLS, sizeof *coverage->notes, RICO_CACHE_LINE);
    return coverage->distance != NULL && coverage->notes != NULL ? RICO_OK : RICO_OUT_OF_MEMORY;
}

void rico__coverage_free(rico__coverage *coverage, rico__memory *memory)
{
    rico__memory_release(memory, coverage->distance, MAX_CELLS + READ_PAST, 1, RICO_CACHE_LINE);
    rico__memory_release(memory, coverage->notes, MAX_CELLS, sizeof *coverage->notes,
                         RICO_CACHE_LINE);
    *coverage = (rico__coverage){0};
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

void rico__coverage_divide(rico__coverage *coverage, const int32_t cell[3], uint32_t level)
{
    size_t index;
    uint32_t bit = level == 0 ? RICO__NOTE_WHOLE : RICO__NOTE_DIVIDED + child_of(cell);
    if (find_parent(coverage, cell, level, &index))
        coverage->notes[index] |= 1 << bit;
}

void rico__coverage_empty(rico__coverage *coverage, const int32_t cell[3], uint32_t level)
{
    size_t index;
    if (!find_parent(coverage, cell, level, &index))
        return;
    if (level == 1)
        coverage->notes[index] |= 1 << (RICO__NOTE_EMPTY + child_of(cell));
    else if (coverage->distance[index] == 0)
        coverage->distance[index] = 1;
}

/* The cells whose records' boxes reach into the bounds; false when they are too many. */
static bool choose_range(rico__coverage *coverage, const rico_box *bounds, float cell_size)
{
    const float lo[3] = {bounds->lo.x, bounds->lo.y, bounds->lo.z};
    const float hi[3] = {bounds->hi.x, bounds->hi.y, bounds->hi.z};
    float size = cell_size * (float)(1u << coverage->shift);
    uint64_t cells = 1;
    for (int a = 0; a < 3; ++a) {
        float first = (lo[a] - RICO__RECORD_MARGIN) / size - 1.0f;
        float last = (hi[a] + RICO__RECORD_MARGIN) / size + 1.0f;
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

static uint8_t *row_at(const rico__coverage *coverage, uint32_t y, uint32_t z)
{
    return coverage->distance + ((size_t)z * coverage->size[1] + y) * coverage->size[0];
}

/* 0 where there is geometry in the box of a record of the cell, else far. */
static void fill_row(const rico__coverage *coverage, const rico_scene *scene, float cell_size,
                     uint32_t y, uint32_t z)
{
    uint8_t *row = row_at(coverage, y, z);
    float size = cell_size * (float)(1u << coverage->shift);
    for (uint32_t x = 0; x < coverage->size[0]; ++x) {
        rico__cell cell =
            rico__record_cell_at(coverage->lo[0] + (int32_t)x, coverage->lo[1] + (int32_t)y,
                                 coverage->lo[2] + (int32_t)z, 0, size);
        rico_box box = rico__record_box(&cell);
        row[x] = rico_scene_occupied(scene, &box) ? 0 : RICO__COVERAGE_FAR;
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
        uint32_t distance = row_at(coverage, ny, nz)[nx] + 1u;
        least = distance < least ? distance : least;
    }
    return least;
}

/* One of the two passes of a distance transform; for distances that count diagonals as 1, two
 * passes are exact. */
static void spread(const rico__coverage *coverage, int32_t step)
{
    int32_t size[3];
    for (int a = 0; a < 3; ++a)
        size[a] = (int32_t)coverage->size[a];
    for (int32_t k = 0; k < size[2]; ++k)
        for (int32_t j = 0; j < size[1]; ++j)
            for (int32_t i = 0; i < size[0]; ++i) {
                int32_t x = step > 0 ? i : size[0] - 1 - i;
                int32_t y = step > 0 ? j : size[1] - 1 - j;
                int32_t z = step > 0 ? k : size[2] - 1 - k;
                uint8_t *own = row_at(coverage, (uint32_t)y, (uint32_t)z) + x;
                uint32_t least = nearest_neighbour(coverage, x, y, z, step);
                *own = least < *own ? (uint8_t)least : *own;
            }
}

void rico__coverage_build(rico__coverage *coverage, const rico_scene *scene, float cell_size)
{
    rico_scene_stats stats = rico_scene_get_stats(scene);
    for (int a = 0; a < 3; ++a) {
        coverage->lo[a] = NOWHERE;
        coverage->size[a] = 0;
    }
    coverage->shift = 0;
    coverage->rate = 1.0f / cell_size * (float)(1u << RICO__FINEST_LEVEL);
    coverage->edge = cell_size;
    if (stats.triangle_count == 0)
        return;
    while (!choose_range(coverage, &stats.bounds, cell_size))
        coverage->shift += 1; /* ends: scenes are 2e6 m wide at most, cells 0.05 m at least */
    coverage->edge = cell_size * (float)(1u << coverage->shift);
    for (uint32_t z = 0; z < coverage->size[2]; ++z)
        for (uint32_t y = 0; y < coverage->size[1]; ++y)
            fill_row(coverage, scene, cell_size, y, z);
    spread(coverage, 1);
    spread(coverage, -1);
    memset(coverage->notes, 0,
           sizeof *coverage->notes * coverage->size[0] * coverage->size[1] * coverage->size[2]);
}
