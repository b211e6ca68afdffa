/* cell_bits.h - one bit for each of coverage's cells, by its place in the array. Marks the
 * cells that edits still ask for (rico__edits_await) and, in between, those that edits touch
 * (edits.c).
 *
 * Owner: the world. Threads: edits, and the stepping thread in plan; read-only in simulate.
 * Order: none.
 */
#ifndef RICO_CELL_BITS_H
#define RICO_CELL_BITS_H

#include "coverage.h"

#include <string.h>

#define RICO__CELL_BIT_WORDS (RICO__COVERAGE_CELLS / 32 + 1)

static inline void rico__cell_bits_clear(uint32_t *bits, size_t cells)
{
    memset(bits, 0, (cells / 32 + 1) * sizeof *bits);
}

static inline void rico__cell_bit_set(uint32_t *bits, size_t cell)
{
    bits[cell / 32] |= 1u << cell % 32;
}

static inline bool rico__cell_bit(const uint32_t *bits, size_t cell)
{
    return (bits[cell / 32] >> cell % 32 & 1u) != 0;
}

#endif
