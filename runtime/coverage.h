/* coverage.h - which cells of level 0 have geometry near: a bit per cell.
 *
 * Most cells that particles enter are empty; this answers for them from a few KiB, without the
 * table of records and without the scene. Each bit is the scene's own answer for the cell's box,
 * so that a world without coverage (too large for one) has the same results.
 *
 * Owner: the world. Threads: built in edits, read-only in steps.
 */
#ifndef RICO_COVERAGE_H
#define RICO_COVERAGE_H

#include "memory.h"

#include <ricochet/scene.h>

typedef struct rico__coverage {
    int32_t lo[3];
    uint32_t size[3]; /* cells; 0 = no coverage */
    uint64_t *bits;
    size_t word_count;
    bool known;
} rico__coverage;

/* Builds it anew for the scene; without memory, or for a scene of more than 2^20 cells, there is
 * none. */
void rico__coverage_build(rico__coverage *coverage, rico__memory *memory,
                          const rico_scene *scene, float cell_size);
void rico__coverage_free(rico__coverage *coverage, rico__memory *memory);

/* True = certainly no geometry in the record's box of the cell at p. False when not known. */
static inline bool rico__coverage_is_empty(const rico__coverage *coverage,
                                           const int32_t cell[3])
{
    if (!coverage->known)
        return false;
    uint32_t x = (uint32_t)cell[0] - (uint32_t)coverage->lo[0];
    uint32_t y = (uint32_t)cell[1] - (uint32_t)coverage->lo[1];
    uint32_t z = (uint32_t)cell[2] - (uint32_t)coverage->lo[2];
    if (x >= coverage->size[0] || y >= coverage->size[1] || z >= coverage->size[2])
        return true;
    size_t bit = ((size_t)z * coverage->size[1] + y) * coverage->size[0] + x;
    return (coverage->bits[bit / 64] >> (bit % 64) & 1) == 0;
}

#endif
