/* stream_limit.h - a limit: how fast an update's memory can be read and written without any
 * update.
 *
 * Per particle it reads 44 bytes (position, velocity, age, own plane) and writes 28 (position,
 * velocity, age), whatever the library really stores. One thread.
 */
#ifndef RICO_BENCH_STREAM_LIMIT_H
#define RICO_BENCH_STREAM_LIMIT_H

#include <stdint.h>

typedef struct stream_limit stream_limit;

stream_limit *stream_limit_create(uint32_t particles); /* NULL: out of memory */
void stream_limit_destroy(stream_limit *s);

/* One pass over all particles. */
void stream_limit_pass(stream_limit *s);

#endif
