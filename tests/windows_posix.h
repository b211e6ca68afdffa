/* windows_posix.h - the parts of POSIX that tests use, for Windows. It is included before
 * everything else (tests/meson.build). */
#ifndef RICO_TESTS_WINDOWS_POSIX_H
#define RICO_TESTS_WINDOWS_POSIX_H

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"

/* On Windows, aligned blocks are freed by another function. So all blocks are made and freed by
 * that family. */
static inline int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = _aligned_malloc(bytes, alignment);
    return *block != NULL ? 0 : ENOMEM;
}

static inline void *windows_calloc(size_t count, size_t size)
{
    void *block =
        size == 0 || count <= SIZE_MAX / size ? _aligned_malloc(count * size, 16) : NULL;
    return block != NULL ? memset(block, 0, count * size) : NULL;
}

#define malloc(bytes) _aligned_malloc(bytes, 16)
#define calloc(count, size) windows_calloc(count, size)
#define realloc(block, bytes) _aligned_realloc(block, bytes, 16)
#define aligned_alloc(alignment, bytes) _aligned_malloc(bytes, alignment)
#define free(block) _aligned_free(block)

#define setenv(name, value, overwrite) _putenv_s(name, value)
#define unsetenv(name) _putenv_s(name, "")

/* Windows sleeps for whole milliseconds, mostly 16. The compiler library's function does not
 * sleep at all when asked for less. */
static inline int windows_nanosleep(const struct timespec *time)
{
    const uint64_t begin = rico__clock_ns();
    const uint64_t length = (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
    while (rico__clock_ns() - begin < length)
        sched_yield();
    return 0;
}

#define nanosleep(time, left) windows_nanosleep(time)

/* There are no alarms: only the runner ends a test that hangs. */
static inline unsigned alarm(unsigned seconds)
{
    (void)seconds;
    return 0;
}

#endif
