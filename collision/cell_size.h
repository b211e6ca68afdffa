/* cell_size.h - how large the cells of a grid are. */
#ifndef RICO_CELL_SIZE_H
#define RICO_CELL_SIZE_H

#include "triangle.h"

/* References (entries of triangles in cells) that a grid may hold: a few per triangle, and an
 * allowance that small scenes may spend to keep a floor from ruling over a figurine. */
#define RICO_REFERENCES_PER_TRIANGLE 16
#define RICO_REFERENCES_FREE 65536

/* References per triangle that a chosen cell size aims at. Short rays (up to 3.75 m; Zen 5, gcc
 * 12) took 206, 193, 198, 207 ns in Sponza at 3.0, 3.7, 4.8, 5.9; and 265, 230, 213, 205, 217 in
 * Recast's dungeon at 3.2, 4.2, 5.8, 8.8, 13. */
#define RICO_REFERENCES_AIM 4.0

static inline uint64_t rico__reference_limit(uint32_t triangle_count)
{
    return (uint64_t)triangle_count * RICO_REFERENCES_PER_TRIANGLE + RICO_REFERENCES_FREE;
}

/* wanted: the host's size, or 0 to choose. The result is at least as large as the bounds (at
 * most RICO_GRID_MAX_DIM cells per axis) and the expected number of references ask for. It
 * follows from the triangles alone: the count of those below high that are no holes. */
float rico__cell_size(const rico__triangles *triangles, uint32_t high, uint32_t count,
                      const rico_box *bounds, float wanted);

#endif
