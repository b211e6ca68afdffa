/* prefetch.h - fetching memory that is needed soon, and the end of what goes past the caches.
 *
 * gcc 12 takes a function that does nothing but __builtin_prefetch for pure, and deletes its calls: the
 * empty asm keeps them. Who does something else besides may use the builtin.
 */
#ifndef RICO_PREFETCH_H
#define RICO_PREFETCH_H

/* The line of the address, for reading. */
static inline void prefetch_line(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("" : : "r"(address));
}

/* The same into the second cache only: the first can wait for fewer lines at a time. */
static inline void prefetch_line_far(const void *address)
{
    __builtin_prefetch(address, 0, 2);
    __asm__ volatile("" : : "r"(address));
}

/* The same, for writing a part of it. */
static inline void prefetch_line_to_write(void *address)
{
    __builtin_prefetch(address, 1);
    __asm__ volatile("" : : "r"(address));
}

/* What was stored past the caches is seen by others before anything that is stored later. Waits until it
 * is in memory: not for each block. */
static inline void stream_end(void)
{
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}

#endif
