/* prefetch.h - fetching memory that is needed soon.
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

#endif
