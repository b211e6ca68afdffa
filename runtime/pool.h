/* pool.h - the memory of particle blocks.
 *
 * One region, reserved at creation and cut into units of 128 bytes, which is what a block's header takes;
 * a run of them is a block: its header, its streams, its requests. So one budget is for all of these,
 * and nothing is lost to headers of blocks that there could be.
 *
 * Owner: the world. Threads: the stepping thread only, in plan and report (and in edits between
 * steps). Order: next fit from the last allocation; which block sits where never reaches a
 * result, because nothing is hashed or ordered by unit.
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
    uint32_t run_count;     /* that are given out */
    uint32_t cleared_units; /* from the first on: those that were ever used, and before them */
} rico__pool;

/* unit_count > 0. RICO_OUT_OF_MEMORY leaves nothing behind. */
rico_result rico__pool_init(rico__pool *pool, rico__memory *memory, uint32_t unit_count);
void rico__pool_free(rico__pool *pool, rico__memory *memory);

/* Bytes that a pool of so many units takes. */
uint64_t rico__pool_bytes(uint32_t unit_count);

/* The first of so many units in a row, at least 1; RICO__NO_BLOCK when there are none. What is in them was left by
 * others, or is zero. */
uint32_t rico__pool_acquire(rico__pool *pool, uint32_t units);
void rico__pool_release(rico__pool *pool, uint32_t unit, uint32_t units);

#endif
