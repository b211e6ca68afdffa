#define _DEFAULT_SOURCE /* madvise */
#include "memory.h"

#include "log.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

/* Tables of megabytes are walked at random. With small pages, and twice so in a virtual
 * machine, most of the waiting is then for page tables. */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define LEAST_PAGE_BYTES 4096u

#if defined(_WIN32)

static void *libc_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    return _aligned_malloc(bytes, alignment);
}

static void libc_release(void *user, void *block, size_t bytes, size_t alignment)
{
    (void)user, (void)bytes, (void)alignment;
    _aligned_free(block);
}

#else

static void *libc_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    void *block = NULL;
    bool huge = bytes >= 2 * HUGE_PAGE_BYTES;
    size_t at_least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    if (posix_memalign(&block, huge ? HUGE_PAGE_BYTES : at_least, bytes) != 0)
        return NULL;
#if defined(MADV_HUGEPAGE)
    if (huge)
        (void)madvise(block, bytes & ~(HUGE_PAGE_BYTES - 1), MADV_HUGEPAGE); /* only a hint */
#endif
    return block;
}

static void libc_release(void *user, void *block, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    free(block);
}

#endif

rico_result rico__memory_check(const rico_allocator *hooks, const rico_log *log,
                               const char *call)
{
    if ((hooks->allocate == NULL) == (hooks->release == NULL))
        return RICO_OK;
    return rico__fail(
        log, RICO_OUT_OF_RANGE, call,
        "def.allocator has only one of allocate and release, expected both or neither");
}

void rico__memory_init(rico__memory *memory, const rico_allocator *hooks)
{
    *memory = (rico__memory){.hooks = {libc_allocate, libc_release, NULL}};
    if (hooks != NULL && hooks->allocate != NULL && hooks->release != NULL)
        memory->hooks = *hooks;
}

void rico__memory_touch(void *block, size_t bytes)
{
    if (bytes == 0)
        return;
    volatile unsigned char *at = block;
    for (size_t i = 0; i < bytes; i += LEAST_PAGE_BYTES)
        at[i] = 0;
    at[bytes - 1] = 0;
}

/* Calls the host's function. Calls that it makes back into the library see that the owner is
 * busy. */
static void *host_allocate(const rico__memory *memory, size_t bytes, size_t alignment)
{
    const rico_allocator *hooks = &memory->hooks;
    if (memory->busy == NULL || *memory->busy)
        return hooks->allocate(hooks->user, bytes, alignment);
    *memory->busy = true;
    void *block = hooks->allocate(hooks->user, bytes, alignment);
    *memory->busy = false;
    return block;
}

static void host_release(const rico__memory *memory, void *block, size_t bytes,
                         size_t alignment)
{
    const bool marks = memory->busy != NULL && !*memory->busy;
    if (marks)
        *memory->busy = true;
    memory->hooks.release(memory->hooks.user, block, bytes, alignment);
    if (marks)
        *memory->busy = false;
}

static void *counted(rico__memory *memory, size_t bytes, size_t alignment)
{
    void *block = host_allocate(memory, bytes, alignment);
    if (block == NULL) {
        memory->refused_bytes = bytes;
        return NULL;
    }
    memory->live_bytes += bytes;
    memory->allocation_count += 1;
    if (memory->live_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->live_bytes;
    if (memory->prefault)
        rico__memory_touch(block, bytes);
    return block;
}

static void *lent_allocate(void *user, size_t bytes, size_t alignment)
{
    return counted(user, bytes, alignment);
}

static void lent_release(void *user, void *block, size_t bytes, size_t alignment)
{
    rico__memory *memory = user;
    memory->live_bytes -= bytes;
    host_release(memory, block, bytes, alignment);
}

rico_allocator rico__memory_lend(rico__memory *memory)
{
    return (rico_allocator){lent_allocate, lent_release, memory};
}

void *rico__memory_reserve(rico__memory *memory, size_t count, size_t size, size_t alignment)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / 2 / size)
        return NULL;
    return counted(memory, count * size, alignment);
}

void *rico__memory_allocate(rico__memory *memory, size_t count, size_t size, size_t alignment)
{
    void *block = rico__memory_reserve(memory, count, size, alignment);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

void rico__memory_release(rico__memory *memory, void *block, size_t count, size_t size,
                          size_t alignment)
{
    if (block == NULL)
        return;
    memory->live_bytes -= count * size;
    host_release(memory, block, count * size, alignment);
}
