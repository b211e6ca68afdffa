/* memory.h - the allocator of one object, with its byte counts.
 *
 * Owner: the object (world, pool, scene, cache) embeds a rico__memory by value.
 * Threads: creation, edits and destruction are single-threaded by contract; so are the counts.
 */
#ifndef RICO_MEMORY_H
#define RICO_MEMORY_H

#include <ricochet/hooks.h>
#include <ricochet/result.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rico__memory {
    rico_allocator hooks;
    size_t live_bytes;
    size_t peak_bytes;
    uint64_t allocation_count;
    /* The size of the last request that the host's function could not serve. */
    size_t refused_bytes;
    /* Writes one byte of each page of a block when it is allocated, also in memory that is
     * lent. */
    bool prefault;
    /* NULL, or a flag that is true while the host's functions run: these may not edit the
     * owner. */
    bool *busy;
} rico__memory;

#define RICO_CACHE_LINE 64u

/* Checks a host's allocator that `call` takes as def.allocator. Errors: RICO_OUT_OF_RANGE if it
 * has only one of its two functions. */
rico_result rico__memory_check(const rico_allocator *hooks, const rico_log *log,
                               const char *call);

/* hooks may be NULL: then libc allocates. */
void rico__memory_init(rico__memory *memory, const rico_allocator *hooks);

/* Returns hooks for an object that this object owns. They use the same allocator, and their
 * memory is counted here, too. The rico__memory must stay in its place as long as the hooks are
 * used. */
rico_allocator rico__memory_lend(rico__memory *memory);

/* Returns zeroed memory. NULL when the allocator has none, when count or size is 0, or when
 * their product is more than SIZE_MAX / 2. alignment: a power of two; almost all callers want
 * RICO_CACHE_LINE. */
void *rico__memory_allocate(rico__memory *memory, size_t count, size_t size, size_t alignment);

/* The same, but the content is undefined. This is for large arrays that are mostly written in
 * part: on most systems, pages that nobody has written take no memory. */
void *rico__memory_reserve(rico__memory *memory, size_t count, size_t size, size_t alignment);

/* Writes to each page of a block that has not been written yet. Pages that took no memory until
 * then take it now. */
void rico__memory_touch(void *block, size_t bytes);

/* count, size and alignment must be those of the allocation. NULL is ignored. */
void rico__memory_release(rico__memory *memory, void *block, size_t count, size_t size,
                          size_t alignment);

#endif
