#include "coverage.h"

#include "record.h"
#include "vec.h"

#define MAX_CELLS (1u << 20)

void rico__coverage_free(rico__coverage *coverage, rico__memory *memory)
{
    rico__memory_release(memory, coverage->bits, coverage->word_count, sizeof(uint64_t), 64);
    *coverage = (rico__coverage){0};
}

/* The range of cells whose boxes reach into the scene's bounds; false when they are too many. */
static bool choose_range(rico__coverage *coverage, const rico_box *bounds, float cell_size)
{
    const float lo[3] = {bounds->lo.x, bounds->lo.y, bounds->lo.z};
    const float hi[3] = {bounds->hi.x, bounds->hi.y, bounds->hi.z};
    uint64_t cells = 1;
    for (int a = 0; a < 3; ++a) {
        float first = (lo[a] - RICO__RECORD_MARGIN) / cell_size - 1.0f;
        float last = (hi[a] + RICO__RECORD_MARGIN) / cell_size + 1.0f;
        if (!(last - first < (float)MAX_CELLS) || !(__builtin_fabsf(first) < 1.0e6f))
            return false;
        coverage->lo[a] = (int32_t)first - 1;
        coverage->size[a] = (uint32_t)((int32_t)last + 1 - coverage->lo[a] + 1);
        cells *= coverage->size[a];
        if (cells > MAX_CELLS)
            return false;
    }
    return true;
}

static void fill_row(rico__coverage *coverage, const rico_scene *scene, float cell_size,
                     uint32_t y, uint32_t z)
{
    for (uint32_t x = 0; x < coverage->size[0]; ++x) {
        rico__cell cell =
            rico__record_cell_at(coverage->lo[0] + (int32_t)x, coverage->lo[1] + (int32_t)y,
                                 coverage->lo[2] + (int32_t)z, 0, cell_size);
        rico_box box = rico__record_box(&cell);
        size_t bit = ((size_t)z * coverage->size[1] + y) * coverage->size[0] + x;
        if (rico_scene_occupied(scene, &box))
            coverage->bits[bit / 64] |= (uint64_t)1 << (bit % 64);
    }
}

void rico__coverage_build(rico__coverage *coverage, rico__memory *memory,
                          const rico_scene *scene, float cell_size)
{
    rico__coverage_free(coverage, memory);
    rico_scene_stats stats = rico_scene_get_stats(scene);
    if (stats.triangle_count == 0) {
        coverage->known = true; /* size 0: everything is empty */
        return;
    }
    if (!choose_range(coverage, &stats.bounds, cell_size))
        return;
    size_t cells = (size_t)coverage->size[0] * coverage->size[1] * coverage->size[2];
    coverage->word_count = (cells + 63) / 64;
    coverage->bits = rico__memory_allocate(memory, coverage->word_count, sizeof(uint64_t), 64);
    if (coverage->bits == NULL)
        return;
    for (uint32_t z = 0; z < coverage->size[2]; ++z)
        for (uint32_t y = 0; y < coverage->size[1]; ++y)
            fill_row(coverage, scene, cell_size, y, z);
    coverage->known = true;
}
