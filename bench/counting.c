#include "counting.h"

#include <stdlib.h>

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    counting *c = user;
    void *memory = NULL;
    if (c->fail_in > 0 && --c->fail_in == 0) {
        c->failed += 1;
        return NULL;
    }
    size_t least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    if (posix_memalign(&memory, least, bytes) != 0)
        return NULL;
    c->live_bytes += bytes;
    c->allocations += 1;
    return memory;
}

static void release(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)alignment;
    ((counting *)user)->live_bytes -= bytes;
    free(memory);
}

rico_allocator counting_allocator(counting *c)
{
    return (rico_allocator){allocate, release, c};
}
