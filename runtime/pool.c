#include "pool.h"

#include "bits.h"

static uint32_t word_count(uint32_t unit_count)
{
    return (unit_count + 63) / 64;
}

rico_result rico__pool_init(rico__pool *pool, rico__memory *memory, uint32_t unit_count,
                            uint32_t header_count)
{
    *pool = (rico__pool){.unit_count = unit_count, .header_count = header_count};
    /* Page alignment: the streams of a block then sit at known places within a page. */
    pool->region = rico__memory_allocate(memory, unit_count, RICO__UNIT_BYTES, 4096);
    pool->used = rico__memory_allocate(memory, word_count(unit_count), sizeof(uint64_t), 64);
    pool->free_headers = rico__memory_allocate(memory, header_count, sizeof(uint32_t), 64);
    if (pool->region == NULL || pool->used == NULL || pool->free_headers == NULL) {
        rico__pool_free(pool, memory);
        return RICO_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < header_count; ++i)
        pool->free_headers[i] = header_count - 1 - i;
    pool->free_header_count = header_count;
    return RICO_OK;
}

void rico__pool_free(rico__pool *pool, rico__memory *memory)
{
    rico__memory_release(memory, pool->region, pool->unit_count, RICO__UNIT_BYTES, 4096);
    rico__memory_release(memory, pool->used, word_count(pool->unit_count), sizeof(uint64_t),
                         64);
    rico__memory_release(memory, pool->free_headers, pool->header_count, sizeof(uint32_t), 64);
    *pool = (rico__pool){0};
}

/* First run of `units` free units in [begin, end), or end. Full words are skipped whole. */
static uint32_t find_run(const rico__pool *pool, uint32_t begin, uint32_t end, uint32_t units)
{
    uint32_t length = 0;
    uint32_t unit = begin;
    while (unit < end) {
        uint64_t word = pool->used[unit / 64];
        if (word == UINT64_MAX) {
            unit = (unit / 64 + 1) * 64;
            length = 0;
            continue;
        }
        length = (word >> (unit % 64) & 1) != 0 ? 0 : length + 1;
        ++unit;
        if (length == units)
            return unit - units;
    }
    return end;
}

static void mark(rico__pool *pool, uint32_t unit, uint32_t units, bool used)
{
    for (uint32_t i = unit; i < unit + units; ++i) {
        uint64_t bit = (uint64_t)1 << (i % 64);
        if (used)
            pool->used[i / 64] |= bit;
        else
            pool->used[i / 64] &= ~bit;
    }
}

uint32_t rico__pool_acquire(rico__pool *pool, uint32_t units, uint32_t *unit)
{
    if (pool->free_header_count == 0 || units > pool->unit_count - pool->used_units)
        return RICO__NO_BLOCK;
    uint32_t found = find_run(pool, pool->next_unit, pool->unit_count, units);
    if (found == pool->unit_count) {
        found = find_run(pool, 0, pool->unit_count, units);
        if (found == pool->unit_count)
            return RICO__NO_BLOCK;
    }
    mark(pool, found, units, true);
    pool->used_units += units;
    pool->next_unit = found + units;
    *unit = found;
    return pool->free_headers[--pool->free_header_count];
}

void rico__pool_release(rico__pool *pool, uint32_t header, uint32_t unit, uint32_t units)
{
    mark(pool, unit, units, false);
    pool->used_units -= units;
    pool->free_headers[pool->free_header_count++] = header;
}
