/* cell_box.h - which of a grid's cells a box overlaps, and whether they are occupied.
 *
 * Threads: pure functions of the grid.
 */
#ifndef RICO_CELL_BOX_H
#define RICO_CELL_BOX_H

#include "brick_tree.h"
#include "vec.h"

/* Cells from lo to hi, both included. Brick coordinates are these >> RICO_BRICK_SHIFT. */
typedef struct cell_box {
    int32_t lo[3], hi[3];
} cell_box;

/* The cells that a box overlaps. The range is padded, so that it holds the cell of any point of
 * the box in spite of rounding. False when the box holds nothing by contract or lies beside the
 * grid. */
static inline bool cells_of_box(const rico__grid *grid, const rico_box *box, cell_box *cells)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    const float base[3] = {grid->base.x, grid->base.y, grid->base.z};
    bool ordered = true;
    float sum = 0.0f; /* finite when all sides are: each is at most a sixteenth of FLT_MAX */
    for (int k = 0; k < 3; ++k) {
        float last = (float)(grid->dims[k] - 1);
        float from = (lo[k] - base[k]) * grid->inverse_cell_size - grid->pad;
        float to = (hi[k] - base[k]) * grid->inverse_cell_size + grid->pad;
        sum += lo[k] * 0.0625f - hi[k] * 0.0625f;
        ordered &= lo[k] <= hi[k];
        ordered &= to >= 0.0f;
        ordered &= from <= last + 1.0f;
        cells->lo[k] = (int32_t)float_clamp(from, 0.0f, last);
        cells->hi[k] = (int32_t)float_clamp(to, 0.0f, last);
    }
    return ordered && float_is_finite(sum);
}

/* The cells lo..hi of an axis, as bits of the brick at coordinate `at`: a byte. */
static inline uint64_t axis_bits(const cell_box *cells, int axis, int32_t at)
{
    int32_t first = cells->lo[axis] - at * RICO_BRICK_CELLS;
    int32_t last = cells->hi[axis] - at * RICO_BRICK_CELLS;
    first = first > 0 ? first : 0;
    last = last < 7 ? last : 7;
    return (0xffu >> (7 - last)) & (0xffu << first) & 0xffu;
}

/* Moves bit i of a run of bits in a byte to bit 8 i. The product has a copy of the byte every 7
 * bits. Copies overlap in bits 0 and 7 only, and the one run that has both is all ones. */
static inline uint64_t rows_of(uint64_t byte)
{
    uint64_t every = 0x0101010101010101u;
    return byte == 0xffu ? every : (byte * 0x0002040810204081u) & every;
}

/* The part of a range of cells that lies in one brick: bits within a mask word, and which
 * words. */
typedef struct brick_part {
    uint64_t bits, words;
} brick_part;

static inline brick_part part_of_brick(const cell_box *cells, const int32_t at[3])
{
    brick_part part = {.bits = rows_of(axis_bits(cells, 1, at[1])) * axis_bits(cells, 0, at[0]),
                       .words = axis_bits(cells, 2, at[2])};
    return part;
}

/* Tests all words, wherever the box begins. A loop over those in range would end at a place
 * that cannot be predicted, which costs more. */
static inline bool part_occupied(const rico__brick *brick, const brick_part *part)
{
    uint64_t found = 0;
    for (int z = 0; z < RICO_BRICK_CELLS; ++z)
        found |= brick->mask[z] & (0 - (part->words >> z & 1));
    return (found & part->bits) != 0;
}

static inline bool brick_occupied(const rico__brick *brick, const cell_box *cells)
{
    const int32_t at[3] = {brick->at[0], brick->at[1], brick->at[2]};
    const brick_part part = part_of_brick(cells, at);
    return part_occupied(brick, &part);
}

static inline const rico__brick *brick_at(const rico__grid *grid, const int32_t at[3])
{
    uint64_t key = rico__brick_key((uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
    uint32_t index = rico__brick_find(grid, key);
    return index == RICO_NO_BRICK ? NULL : &grid->bricks[index];
}

/* Steps through the bricks from lo to hi, x fastest. Start with at = lo. */
static inline bool next_brick(const int32_t lo[3], const int32_t hi[3], int32_t at[3])
{
    if (++at[0] <= hi[0])
        return true;
    at[0] = lo[0];
    if (++at[1] <= hi[1])
        return true;
    at[1] = lo[1];
    return ++at[2] <= hi[2];
}

/* Calls visit for the bricks of the range, in no order, until visit returns true. Returns
 * whether it did. */
static inline bool each_brick(const rico__grid *grid, const cell_box *cells,
                              rico__brick_fn *visit, void *user)
{
    int32_t lo[3], hi[3], at[3];
    int64_t count = 1;
    for (int k = 0; k < 3; ++k) {
        lo[k] = at[k] = cells->lo[k] >> RICO_BRICK_SHIFT;
        hi[k] = cells->hi[k] >> RICO_BRICK_SHIFT;
        count *= hi[k] - lo[k] + 1;
    }
    if (count >= RICO_MANY_BRICKS)
        return rico__bricks_each(grid, lo, hi, visit, user);
    do {
        const rico__brick *brick = brick_at(grid, at);
        if (brick != NULL && visit(user, brick))
            return true;
    } while (next_brick(lo, hi, at));
    return false;
}

#endif
