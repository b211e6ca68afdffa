#include "cache_case.h"

#include <string.h>

/* Of 1,000 records of a warm cache in Sponza (1,000 effects, 1,000,000 particles, 61,000
 * records), the number that have each length. Marks and empty cells have no bytes, crowded cells
 * only the header. */
static const struct {
    uint32_t share, bytes;
} sizes[] = {{403, 0},  {107, 8},  {43, 56},  {46, 88},  {34, 120}, {30, 152}, {19, 184},
             {24, 216}, {40, 248}, {20, 280}, {24, 312}, {19, 344}, {16, 376}, {16, 408},
             {21, 440}, {18, 472}, {14, 504}, {16, 536}, {19, 568}, {13, 600}, {13, 632},
             {11, 664}, {11, 696}, {12, 728}, {11, 760}};

uint32_t cache_case_random(uint64_t counter, uint32_t n)
{
    uint64_t x = (counter + 1) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (uint32_t)(((x >> 32) * n) >> 32);
}

uint32_t cache_case_bytes(uint32_t cell)
{
    uint32_t left = cache_case_random((uint64_t)cell << 20, 1000), i = 0;
    for (; left >= sizes[i].share; ++i)
        left -= sizes[i].share;
    return sizes[i].bytes;
}

rico_cache_key cache_case_key(uint32_t cell)
{
    int32_t x = (int32_t)(cell & 63u), y = (int32_t)(cell >> 6 & 63u);
    return rico_cache_key_of_cell(x - 32, y - 32, (int32_t)(cell >> 12) - 100, RICO_WHOLE_CELL);
}

void cache_case_deposit(cache_case *c, uint32_t cell, uint32_t worker)
{
    void *payload = rico_cache_deposit_open(c->cache, worker);
    uint32_t bytes = cache_case_bytes(cell);
    if (payload == NULL)
        return;
    memset(payload, (int)(cell & 255u), bytes);
    rico_cache_info info = {.frame = c->frame, .rank = 1, .triangle = cell, .version = 1};
    rico_cache_deposit_close(c->cache, worker, cache_case_key(cell), &info, bytes);
}

static void merge(cache_case *c)
{
    rico_cache_merge_begin(c->cache, c->frame++);
    rico_cache_merge_range(c->cache, 0, rico_cache_shard_count(c->cache));
    rico_cache_merge_end(c->cache);
}

void cache_case_refill(cache_case *c, uint32_t cells)
{
    rico_cache_forget(c->cache, 0);
    for (uint32_t cell = 0; cell < cells; ++cell) {
        cache_case_deposit(c, cell, 0);
        if (cell % c->deposits == c->deposits - 1)
            merge(c);
    }
    merge(c);
}

bool cache_case_open(cache_case *c, uint64_t mebibytes, uint32_t deposits, uint32_t workers)
{
    rico_cache_def def = rico_cache_def_default();
    def.table_bytes = mebibytes << 20;
    def.payload_bytes = CACHE_CASE_MOST_BYTES;
    def.payload_unit = 32; /* as runtime/record.h */
    def.payload_room = 1024;
    def.deposit_capacity = deposits;
    def.worker_count = workers;
    *c = (cache_case){.frame = 1, .deposits = deposits};
    if (rico_cache_create(&def, &c->cache) != RICO_OK)
        return false;
    c->filled = rico_cache_get_stats(c->cache).record_capacity / 2u;
    cache_case_refill(c, c->filled);
    return true;
}

void cache_case_close(cache_case *c)
{
    rico_cache_destroy(c->cache);
    memset(c, 0, sizeof *c);
}
