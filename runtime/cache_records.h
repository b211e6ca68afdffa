/* cache_records.h - what the calls of world_cache.h share. */
#ifndef RICO_CACHE_RECORDS_H
#define RICO_CACHE_RECORDS_H

#include "state.h"

#include <ricochet/world_cache.h>

/* RICO_OK; else RICO_BUSY or RICO_NO_SCENE, with a message that names the call. */
rico_result rico__cache_is_there(rico_world *world, const char *call);

/* RICO_OK; else RICO_NOT_FINITE, or RICO_OUT_OF_RANGE (lo > hi), with a message that names the
 * member. */
rico_result rico__check_box(const rico_world *world, const rico_box *box, const char *call);

/* When some records found no room: the world_def.cache_bytes that holds `records` records like
 * those in the cache, but for a few in 10000. In whole MiB, and more than it is. */
uint64_t rico__cache_bytes_for(const rico_world *world, uint64_t records);

/* Whether the key is a mark that its cell is divided. *level: the cell's level, of a mark or a
 * record. */
static inline bool rico__key_is_mark(rico_cache_key key, uint32_t *level)
{
    uint32_t direction = (uint32_t)(key & 7);
    bool is_mark = direction < RICO__KEY_OF_LEVEL(RICO__RECORD_LEVELS - 1);
    *level = is_mark ? RICO__KEY_OF_DIVIDED(0) - direction : RICO__KEY_OF_LEVEL(0) - direction;
    return is_mark;
}

#endif
