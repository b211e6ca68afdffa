/* cache_case.h - a cache filled like a world's: keys of cells near surfaces, and records of the
 * sizes that worlds deposit. */
#ifndef RICO_BENCH_CACHE_CASE_H
#define RICO_BENCH_CACHE_CASE_H

#include <ricochet/cache.h>

/* A record is as in the runtime: a header and 36 bytes per surface, surfaces in fours, 24 at
 * most. */
#define CACHE_CASE_MOST_BYTES 864u

typedef struct cache_case {
    rico_cache *cache;
    uint32_t filled; /* number of cells whose records fill about three quarters of the table */
    uint32_t frame;
    uint32_t deposits; /* per frame */
} cache_case;

/* False: out of memory. Afterwards the table holds the records of cells 0 .. filled - 1. */
bool cache_case_open(cache_case *c, uint64_t mebibytes, uint32_t deposits, uint32_t workers);
/* Makes the table hold the records of the first `cells` cells, and no others. */
void cache_case_refill(cache_case *c, uint32_t cells);
void cache_case_close(cache_case *c);

/* Cells on sheets 1 m apart, like floors and walls. Neighbours by number are neighbours in
 * space. */
rico_cache_key cache_case_key(uint32_t cell);

/* Length of the cell's record in bytes. */
uint32_t cache_case_bytes(uint32_t cell);

/* Deposits the cell's record. */
void cache_case_deposit(cache_case *c, uint32_t cell, uint32_t worker);

/* A random number below n, from a counter. */
uint32_t cache_case_random(uint64_t counter, uint32_t n);

#endif
