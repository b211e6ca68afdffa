/* runtime_extents.h - random tables of what mode exact knows about cells. */
#ifndef RUNTIME_EXTENTS_H
#define RUNTIME_EXTENTS_H

#include "extents.h"
#include "random.h"

/* Words of all numbers, for cells of 1 m around the origin. The words of number 0 say that
 * nothing is near. */
static int32_t extent_cells[64], extent_words[8 * RICO__EXTENT_PARTS];

/* A quarter of the entries says "nothing" or "unknown"; the others have one of the given
 * numbers. */
static inline int32_t some_entry(uint32_t random, uint32_t first, uint32_t count)
{
    static const int32_t without_words[2] = {RICO__EXTENT_NOTHING, RICO__EXTENT_UNKNOWN};
    uint32_t number = random % 8;
    if (number < 2)
        return without_words[number];
    return RICO__EXTENT_ENTRY(first + number % count, random >> 8 & 127u,
                              128u | (random >> 16 & 127u));
}

/* Fills the tables. When cells are divided twice (shift > 0), numbers 2 and 3 hold entries in
 * place of words. */
static inline rico__extents some_extents(uint32_t shift)
{
    for (uint32_t i = 0; i < 64; ++i)
        extent_cells[i] = some_entry(rico__random_u32(6, i, 0), 2, shift > 0 ? 1 : 6);
    for (uint32_t i = 0; i < 8 * RICO__EXTENT_PARTS; ++i) {
        uint32_t word = rico__random_u32(6, i, 1);
        if (i % 2 == 0) /* this extent begins in the first quarter and ends in the last */
            word = (word & ~0x00c00c0cu) | 0xc000c0c0u;
        extent_words[i] = i < RICO__EXTENT_PARTS ? 0x00ff0f0f : (int32_t)word;
    }
    for (uint32_t i = 0; i < RICO__EXTENT_PARTS && shift > 0; ++i) {
        extent_words[2 * RICO__EXTENT_PARTS + i] = some_entry(rico__random_u32(6, i, 2), 3, 1);
        extent_words[3 * RICO__EXTENT_PARTS + i] = some_entry(rico__random_u32(6, i, 3), 4, 4);
    }
    return (rico__extents){.lo = {-2, -2, -2},
                           .size = {4, 4, 4},
                           .shift = shift,
                           .edge = 0.25f,
                           .rate = 4.0f,
                           .cells = extent_cells,
                           .words = extent_words};
}

#endif
