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
    size_t refused_bytes; /* that the host's function had not, the last time */
    bool prefault; /* a byte of each page is written when it is taken; of lent memory, too */
    bool *busy; /* NULL, or true while the host's functions run: they may not edit the owner */
} rico__memory;

#define RICO_CACHE_LINE 64u

/* For the `call` that takes a host's allocator as def.allocator. Errors: RICO_OUT_OF_RANGE, if it has one of its two
 * functions only. */
rico_result rico__memory_check(const rico_allocator *hooks, const rico_log *log,
                               const char *call);

/* hooks may be NULL (libc). */
void rico__memory_init(rico__memory *memory, const rico_allocator *hooks);

/* Hooks for an object that this one owns: from the same allocator, and counted here, too. The memory
 * stays in its place for as long. */
rico_allocator rico__memory_lend(rico__memory *memory);

/* Zeroed memory, or NULL when the allocator has none, bytes is 0 or count * size overflows.
 * alignment: a power of two; RICO_CACHE_LINE is what almost everybody wants. */
void *rico__memory_allocate(rico__memory *memory, size_t count, size_t size, size_t alignment);

/* The same, but what is in it is anything: of large arrays that are mostly written in part, pages that
 * nobody has written take no memory on most systems. */
void *rico__memory_reserve(rico__memory *memory, size_t count, size_t size, size_t alignment);

/* Writes to each page of what nobody has written yet: what takes no memory until then, takes it now. */
void rico__memory_touch(void *block, size_t bytes);

/* Same count, size and alignment as the allocation. NULL is ignored. */
void rico__memory_release(rico__memory *memory, void *block, size_t count, size_t size,
                          size_t alignment);

#endif
