/* cell_size.h - how large the cells of a grid are. */
#ifndef RICO_CELL_SIZE_H
#define RICO_CELL_SIZE_H

#include "triangle.h"

/* How many references (entries of triangles in cells) a grid may hold: a few per triangle, and
 * an allowance that small scenes may spend. With it a large floor does not decide how large the
 * cells at a small figurine are. */
#define RICO_REFERENCES_PER_TRIANGLE 16
#define RICO_REFERENCES_FREE 65536

/* The references per triangle that a chosen cell size aims at. Measured on Emerald Rapids,
 * AVX-512, gcc 12, at 4.0, 4.7, 5.6 and 6.0:
 * - Short rays (up to 3.75 m) took 84, 84, 87, 85 ns in Sponza and 76, 80, 72, 71 in Recast's
 *   dungeon.
 * - Contact rays took 72, 68, 68, 67 and 79, 76, 72, 71 in the same two.
 *
 * Sponza and the dungeon take 67 bytes per triangle at 4.5. At 3.9 the forest is 4 to 7 %
 * slower, the dungeon a tenth. */
#define RICO_REFERENCES_AIM 4.5

/* The triangles for each brick that a chosen cell size may be expected to make. Half of the
 * bricks are shared: Sponza has 110 triangles per brick, a dungeon 130, a pine wood 170. A
 * brick takes 400 bytes with its first node. Dense objects in Sponza take 69.0 bytes per
 * triangle without this limit, 62.0 at 50, 58.8 at 80. Rays at them take 5 % less time at 50.
 * From 52 on cells grow in Sponza, too. */
#define RICO_TRIANGLES_PER_BRICK 50.0

static inline uint64_t rico__reference_limit(uint32_t triangle_count)
{
    return (uint64_t)triangle_count * RICO_REFERENCES_PER_TRIANGLE + RICO_REFERENCES_FREE;
}

/* The cell size of a grid. wanted: the host's size, or 0 to choose. The result is at least as
 * large as the bounds (at most RICO_GRID_MAX_DIM cells per axis) and the expected number of
 * references require. It follows from the triangles alone: `count` of those below `high` that
 * are no holes. */
float rico__cell_size(const rico__triangles *triangles, uint32_t high, uint32_t count,
                      const rico_box *bounds, float wanted);

#endif
