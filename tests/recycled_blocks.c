/* Keeps large blocks of memory when they are freed, and hands them out again. It is for tests
 * under sanitizers, which map each new block and its shadow. Tests make a thousand worlds of the
 * same sizes, and half of their time went to pages touched for the first time.
 *
 * Linked with --wrap=posix_memalign and --wrap=free. AddressSanitizer still reports an access to
 * a freed block until the block is used again; blocks are reused oldest first. LeakSanitizer
 * still reports lost blocks: the address of a block in use is stored in a form that
 * LeakSanitizer does not take for a pointer.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONS
#endif
#endif

#ifdef POISONS
#include <sanitizer/asan_interface.h>
#endif

#define LEAST_BYTES ((size_t)32 << 10) /* smaller ones are not mapped one by one */
#define MOST_FREE ((size_t)256 << 20)
#define BLOCKS 4096u
#define HIDDEN ((uintptr_t)1 << 63)
#define FILLED 4096u /* bytes of a reused block that are filled with meaningless values */

int __real_posix_memalign(void **block, size_t alignment, size_t bytes);
void __real_free(void *block);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
void __wrap_free(void *block);

typedef struct kept {
    uintptr_t address; /* 0 = unused; HIDDEN set: in use */
    size_t bytes, alignment;
    uint64_t freed; /* number of the call that freed it */
} kept;

static struct {
    pthread_mutex_t lock;
    kept blocks[BLOCKS];
    uint32_t count;
    uint64_t calls;
    size_t free_bytes;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_free(const kept *k)
{
    return k->address != 0 && (k->address & HIDDEN) == 0;
}

/* The free block that was freed first; of exactly that size and alignment, unless bytes is 0. */
static kept *find_free(size_t bytes, size_t alignment)
{
    kept *found = NULL;
    for (uint32_t i = 0; i < pool.count; ++i) {
        kept *k = &pool.blocks[i];
        bool fits = bytes == 0 || (k->bytes == bytes && k->alignment == alignment);
        if (is_free(k) && fits && (found == NULL || k->freed < found->freed))
            found = k;
    }
    return found;
}

static kept *find_at(uintptr_t address)
{
    for (uint32_t i = 0; i < pool.count; ++i)
        if (pool.blocks[i].address == address)
            return &pool.blocks[i];
    return NULL;
}

static void *use_again(kept *k)
{
    void *block = (void *)k->address;
    pool.free_bytes -= k->bytes;
    k->address |= HIDDEN;
#ifdef POISONS
    __asan_unpoison_memory_region(block, k->bytes);
#endif
    memset(block, 0xbe, FILLED);
    return block;
}

/* Notes a block in use. Without room for a note, the block is later freed as any other. */
static void note(void *block, size_t bytes, size_t alignment)
{
    kept *k = find_at(0);
    if (k == NULL && pool.count < BLOCKS)
        k = &pool.blocks[pool.count++];
    if (k != NULL)
        *k = (kept){(uintptr_t)block | HIDDEN, bytes, alignment, 0};
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (bytes < LEAST_BYTES)
        return __real_posix_memalign(block, alignment, bytes);
    pthread_mutex_lock(&pool.lock);
    kept *k = find_free(bytes, alignment);
    int result = 0;
    if (k != NULL)
        *block = use_again(k);
    else if ((result = __real_posix_memalign(block, alignment, bytes)) == 0)
        note(*block, bytes, alignment);
    pthread_mutex_unlock(&pool.lock);
    return result;
}

static void let_go(kept *k)
{
    void *block = (void *)k->address;
    pool.free_bytes -= k->bytes;
    k->address = 0;
#ifdef POISONS
    __asan_unpoison_memory_region(block, k->bytes);
#endif
    __real_free(block);
}

/* Returns false when the block is not one of the noted ones. */
static bool keep(void *block)
{
    kept *k = find_at((uintptr_t)block | HIDDEN);
    if (k == NULL && find_at((uintptr_t)block) != NULL) {
        fputs("recycled_blocks: freed twice\n", stderr);
        abort();
    }
    if (k == NULL)
        return false;
    k->address = (uintptr_t)block;
    k->freed = ++pool.calls;
    pool.free_bytes += k->bytes;
#ifdef POISONS
    __asan_poison_memory_region(block, k->bytes);
#endif
    while (pool.free_bytes > MOST_FREE)
        let_go(find_free(0, 0));
    return true;
}

void __wrap_free(void *block)
{
    pthread_mutex_lock(&pool.lock);
    bool ours = block != NULL && keep(block);
    pthread_mutex_unlock(&pool.lock);
    if (!ours)
        __real_free(block);
}
