/* grid.h - the sparse hash grid: which triangles touch which cell of space.
 *
 * Space is cut into cubic cells; 8 x 8 x 8 of them are a brick; only bricks that a triangle
 * touches exist, found through an open-addressing hash of their coordinates. A brick knows its
 * occupied cells as bits (one cache line); the rank of a bit leads to the cell's list of
 * triangle ids, ascending.
 *
 *     slots[hash(brick)] -> bricks[i].mask, first_cell -> cell_first[c], cell_first[c + 1]
 *                                                      -> references[...] -> triangles[id]
 *
 * Local coordinates are (p - base) / cell_size: cells are unit cubes with integer corners, the
 * bounds of all triangles lie at least half a cell inside 0..dims.
 *
 * Why answers do not depend on the grid. A triangle's cells are padded (see pad below) by more
 * than all rounding errors of a walk together, so every cell that a walk is in at the time of a
 * hit lists the triangle. What decides is the ray-triangle test alone.
 *
 * Owner:   the scene; rico__grid_build makes it whole, rico__grid_release frees it.
 * Threads: immutable between edits; any number of readers.
 * Order:   bricks in the order in which triangles, by id, first touched them; ids in a cell
 *          ascending; both follow from the triangles alone.
 */
#ifndef RICO_GRID_H
#define RICO_GRID_H

#include "memory.h"
#include "triangle.h"

#include <ricochet/result.h>

#define RICO_BRICK_CELLS 8 /* per axis */
#define RICO_BRICK_SHIFT 3

/* Cells per axis. 2^15 cells are 4096 bricks: three brick coordinates fit a 36-bit key. */
#define RICO_GRID_MAX_DIM 32768

#define RICO_NO_BRICK UINT32_MAX

typedef struct rico__brick {
    uint64_t mask[8];    /* bit x + 8 y of word z: the cell holds triangles */
    uint16_t rank[8];    /* occupied cells in the words before */
    uint32_t first_cell; /* index in cell_first of the brick's first occupied cell */
    uint32_t cell_count;
    uint16_t at[3]; /* brick coordinates */
    uint16_t unused[17];
} rico__brick;

_Static_assert(sizeof(rico__brick) == 128, "a brick is two cache lines, the mask is the first");

typedef struct rico__grid {
    rico_vec3 base; /* local origin */
    float cell_size, inverse_cell_size;

    /* In cells. While every point of the grid is within reach of a ray's origin (largest
     * component), a hit lies within pad of the triangle, and a walk within pad of the ray. */
    float reach, pad;
    int32_t dims[3]; /* cells per axis; 0 = there are no triangles */
    rico_box bounds; /* of all triangles; lo > hi when there are none */

    uint64_t *slots;                 /* brick key << 28 | brick index; all ones = free */
    uint32_t slot_count, slot_shift; /* slot_count = 2^(64 - slot_shift) */
    rico__brick *bricks;
    uint32_t brick_count, brick_capacity;
    uint32_t *cell_first; /* cell_count + 1 offsets into references */
    uint32_t cell_count;
    uint32_t *references; /* triangle ids */
    uint32_t reference_count;

    const rico__triangle *triangles; /* the scene's */
    uint32_t triangle_count;
} rico__grid;

/* Builds the grid of the triangles with cells of cell_size metres, or of a size chosen from the
 * triangles when it is 0. Cells are made larger where the memory bound asks for it
 * (cell_size.h). triangles must stay in place while the grid lives.
 * Errors: RICO_OUT_OF_MEMORY; *grid is then empty and owns nothing. */
rico_result rico__grid_build(rico__grid *grid, rico__memory *memory,
                             const rico__triangle *triangles, uint32_t triangle_count,
                             float cell_size);

void rico__grid_release(rico__grid *grid, rico__memory *memory);

/* Bits of v that are set. Written out because baseline x86-64 has no instruction for it and the
 * compiler's builtin is then a call. */
static inline uint32_t rico__bit_count(uint64_t v)
{
    v = v - ((v >> 1) & 0x5555555555555555u);
    v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)((v * 0x0101010101010101u) >> 56);
}

static inline uint64_t rico__brick_key(uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)x | (uint64_t)y << 12 | (uint64_t)z << 24;
}

/* Fibonacci hashing: the top bits of a product with 2^64 / golden ratio. */
static inline uint32_t rico__brick_slot(const rico__grid *grid, uint64_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> grid->slot_shift);
}

/* Index of the brick, or RICO_NO_BRICK. At least half of the slots are free, so the search
 * ends. The grid must not be empty. */
static inline uint32_t rico__brick_find(const rico__grid *grid, uint64_t key)
{
    uint32_t at = rico__brick_slot(grid, key);
    for (;;) {
        uint64_t slot = grid->slots[at];
        if (slot >> 28 == key && slot != UINT64_MAX)
            return (uint32_t)slot & 0x0fffffffu;
        if (slot == UINT64_MAX)
            return RICO_NO_BRICK;
        at = (at + 1) & (grid->slot_count - 1);
    }
}

/* Index in cell_first of an occupied cell; bit = x + 8 y + 64 z within the brick. */
static inline uint32_t rico__brick_cell(const rico__brick *brick, uint32_t bit)
{
    uint64_t below = brick->mask[bit >> 6] & (((uint64_t)1 << (bit & 63)) - 1);
    return brick->first_cell + brick->rank[bit >> 6] + rico__bit_count(below);
}

#endif
