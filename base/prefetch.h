/* prefetch.h - fetching memory that is needed soon, and the fence that ends stores past the
 * caches.
 *
 * gcc 12 considers a function pure if it does nothing but __builtin_prefetch, and deletes calls
 * of it; the empty asm keeps them. A function that also does something else may use the
 * builtin.
 */
#ifndef RICO_PREFETCH_H
#define RICO_PREFETCH_H

/* Fetches the line of the address, for reading. */
static inline void prefetch_line(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("" : : "r"(address));
}

/* The same into the second cache only. The first cache can wait for fewer lines at a time. */
static inline void prefetch_line_far(const void *address)
{
    __builtin_prefetch(address, 0, 2);
    __asm__ volatile("" : : "r"(address));
}

/* The same into the first cache, for writing a part of the line. */
static inline void prefetch_line_to_write(void *address)
{
    __builtin_prefetch(address, 1);
    __asm__ volatile("" : : "r"(address));
}

/* Ends stores past the caches: other threads see them before anything that is stored later. It
 * waits until they are in memory, so do not call it for each block. */
static inline void stream_end(void)
{
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}

#endif
