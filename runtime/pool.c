#include "pool.h"

#include "bits.h"

#include <string.h>

static uint32_t word_count(uint32_t unit_count)
{
    return (unit_count + 63) / 64;
}

uint64_t rico__pool_bytes(uint32_t unit_count)
{
    return (uint64_t)unit_count * RICO__UNIT_BYTES +
           (uint64_t)word_count(unit_count) * sizeof(uint64_t);
}

rico_result rico__pool_init(rico__pool *pool, rico__memory *memory, uint32_t unit_count)
{
    *pool = (rico__pool){.unit_count = unit_count};
    pool->region = rico__memory_reserve(memory, unit_count, RICO__UNIT_BYTES, 4096);
    pool->used = rico__memory_allocate(memory, word_count(unit_count), sizeof(uint64_t), 64);
    if (pool->region != NULL && pool->used != NULL)
        return RICO_OK;
    rico__pool_free(pool, memory);
    return RICO_OUT_OF_MEMORY;
}

void rico__pool_free(rico__pool *pool, rico__memory *memory)
{
    rico__memory_release(memory, pool->region, pool->unit_count, RICO__UNIT_BYTES, 4096);
    rico__memory_release(memory, pool->used, word_count(pool->unit_count), sizeof(uint64_t),
                         64);
    *pool = (rico__pool){0};
}

/* The first unit in [unit, end) that is used, or that is free (used = false); end when there is
 * none. Goes word by word, because a block is about 80 units. */
static uint32_t find_unit(const rico__pool *pool, uint32_t unit, uint32_t end, bool used)
{
    const uint64_t turned = used ? 0 : UINT64_MAX;
    while (unit < end) {
        uint64_t word = (pool->used[unit / 64] ^ turned) >> (unit % 64);
        if (word != 0)
            return uint_min(unit + bits_lowest64(word), end);
        unit = (unit / 64 + 1) * 64;
    }
    return end;
}

/* The first run of `units` free units in [begin, end), or end. */
static uint32_t find_run(const rico__pool *pool, uint32_t begin, uint32_t end, uint32_t units)
{
    uint32_t first = find_unit(pool, begin, end, false);
    while (units <= end - first) {
        uint32_t stop = find_unit(pool, first, first + units, true);
        if (stop == first + units)
            return first;
        first = find_unit(pool, stop, end, false);
    }
    return end;
}

static void mark(rico__pool *pool, uint32_t unit, uint32_t units, bool used)
{
    for (uint32_t end = unit + units; unit < end;) {
        uint32_t low = unit % 64, count = uint_min(64 - low, end - unit);
        uint64_t bits = UINT64_MAX >> (64 - count) << low;
        if (used)
            pool->used[unit / 64] |= bits;
        else
            pool->used[unit / 64] &= ~bits;
        unit += count;
    }
}

/* Zeroes memory before it is first used, because vectors read lanes past a block's particles. */
static void clear_up_to(rico__pool *pool, uint32_t end)
{
    if (end <= pool->cleared_units)
        return;
    memset(pool->region + (size_t)pool->cleared_units * RICO__UNIT_BYTES, 0,
           (size_t)(end - pool->cleared_units) * RICO__UNIT_BYTES);
    pool->cleared_units = end;
}

/* Memory that was used before comes first, because the system takes time to give new memory. No
 * unit that was released since is below next_unit. So all searches between two releases
 * together pass over the used units once. Returns unit_count when there is no such run. */
static uint32_t find_units(const rico__pool *pool, uint32_t units)
{
    uint32_t found = find_run(pool, pool->next_unit, pool->cleared_units, units);
    if (found < pool->cleared_units || units <= pool->unit_count - pool->cleared_units)
        return found;
    return find_run(pool, 0, pool->unit_count, units);
}

uint32_t rico__pool_acquire(rico__pool *pool, uint32_t units)
{
    if (units > pool->unit_count - pool->used_units)
        return RICO__NO_BLOCK;
    uint32_t found = find_units(pool, units);
    if (found == pool->unit_count)
        return RICO__NO_BLOCK;
    mark(pool, found, units, true);
    pool->used_units += units;
    pool->run_count += 1;
    pool->next_unit = found + units;
    clear_up_to(pool, found + units);
    return found;
}

void rico__pool_release(rico__pool *pool, uint32_t unit, uint32_t units)
{
    mark(pool, unit, units, false);
    pool->used_units -= units;
    pool->run_count -= 1;
    pool->next_unit = uint_min(pool->next_unit, unit);
}
