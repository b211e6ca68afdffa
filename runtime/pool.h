/* pool.h - the memory of particle blocks.
 *
 * One region, reserved at creation and cut into units of 128 bytes, the size of a block's
 * header. A run of units is a block: its header, its streams, its requests. So one budget
 * serves all of these, and no memory is lost to headers of blocks that might exist.
 *
 * Owner: the world. Threads: the stepping thread only, in plan and report (and in edits between
 * steps). Order: next fit, from the last allocation or the lowest unit released since. Which
 * block sits where never reaches a result, because nothing is hashed or ordered by unit.
 */
#ifndef RICO_POOL_H
#define RICO_POOL_H

#include "memory.h"

#include <ricochet/result.h>

#define RICO__UNIT_BYTES 128u
#define RICO__NO_BLOCK UINT32_MAX

typedef struct rico__pool {
    unsigned char *region;
    uint64_t *used; /* one bit per unit */
    uint32_t unit_count;
    uint32_t next_unit; /* where the next search starts */
    uint32_t used_units;
    uint32_t run_count;     /* runs that are given out */
    uint32_t cleared_units; /* from the first on: those ever used, and all before them */
} rico__pool;

/* Reserves the region. unit_count > 0. RICO_OUT_OF_MEMORY leaves nothing behind. */
rico_result rico__pool_init(rico__pool *pool, rico__memory *memory, uint32_t unit_count);
void rico__pool_free(rico__pool *pool, rico__memory *memory);

/* Bytes that a pool of `unit_count` units takes. */
uint64_t rico__pool_bytes(uint32_t unit_count);

/* Takes `units` units in a row, at least 1. Returns the first; RICO__NO_BLOCK: there is no such
 * run. The memory holds what other blocks left, or zeros. */
uint32_t rico__pool_acquire(rico__pool *pool, uint32_t units);
void rico__pool_release(rico__pool *pool, uint32_t unit, uint32_t units);

#endif
