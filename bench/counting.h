/* counting.h - an allocator that counts: the memory that a world holds, and whether a step asked
 * for more. */
#ifndef RICO_BENCH_COUNTING_H
#define RICO_BENCH_COUNTING_H

#include <ricochet/hooks.h>
#include <stdint.h>

/* Owner: the benchmark; must outlive the world. Threads: as for rico_allocator, the thread that
 * edits or steps the world. */
typedef struct counting {
    uint64_t live_bytes, allocations;
    uint32_t fail_in; /* which allocation fails: 1 = the next one, 0 = none */
    uint32_t failed;  /* so far */
} counting;

rico_allocator counting_allocator(counting *c);

#endif
