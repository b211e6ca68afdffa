/* pool.h - the memory of particle blocks.
 *
 * One region, reserved at creation and cut into units of 1 KiB; a block is a run of units. Next
 * to it the block headers, in a fixed array.
 *
 * Owner: the world. Threads: the stepping thread only, in plan and report (and in edits between
 * steps). Order: next fit from the last allocation; which block sits where never reaches a
 * result, because nothing is hashed or ordered by unit or block index.
 */
#ifndef RICO_POOL_H
#define RICO_POOL_H

#include "memory.h"

#include <ricochet/result.h>

#define RICO__UNIT_BYTES 1024u
#define RICO__NO_BLOCK UINT32_MAX

typedef struct rico__pool {
    unsigned char *region;
    uint64_t *used; /* one bit per unit */
    uint32_t unit_count;
    uint32_t next_unit; /* where the next search starts */
    uint32_t used_units;
    uint32_t *free_headers; /* stack of free block indices */
    uint32_t free_header_count;
    uint32_t header_count;
} rico__pool;

/* unit_count > 0. RICO_OUT_OF_MEMORY leaves nothing behind. */
rico_result rico__pool_init(rico__pool *pool, rico__memory *memory, uint32_t unit_count,
                            uint32_t header_count);
void rico__pool_free(rico__pool *pool, rico__memory *memory);

/* A block of `units` consecutive units: its header index, and its first unit in *unit.
 * RICO__NO_BLOCK when there is no such run or no header. */
uint32_t rico__pool_acquire(rico__pool *pool, uint32_t units, uint32_t *unit);
void rico__pool_release(rico__pool *pool, uint32_t header, uint32_t unit, uint32_t units);

static inline float *rico__pool_data(const rico__pool *pool, uint32_t unit)
{
    return (float *)(void *)(pool->region + (size_t)unit * RICO__UNIT_BYTES);
}

#endif
