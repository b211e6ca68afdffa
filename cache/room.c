/* The memory of a group's payloads: units, taken in rows. Where a payload lies is nobody's business:
 * what fits by its size is made to fit. */
#include "cache_table.h"
#include "check.h"

#define WORDS (RICO__CACHE_UNITS / 64)
#define MOST_RECORDS (RICO__CACHE_GROUP * RICO__CACHE_STRIDE)

static uint32_t buckets_in(const rico_cache *cache, uint32_t group)
{
    return uint_min(cache->bucket_count - group * RICO__CACHE_GROUP, RICO__CACHE_GROUP);
}

/* Takes or frees `units`, 32 at most, from `first` on. */
static void set_units(rico__cache_units *all, uint32_t first, uint32_t units, bool taken)
{
    uint64_t mask = ((uint64_t)1 << units) - 1;
    uint32_t word = first / 64, shift = first % 64;
    uint64_t low = mask << shift, high = shift > 32 ? mask >> (64 - shift) : 0;
    all->taken[word] ^= low;
    if (high != 0)
        all->taken[word + 1] ^= high;
    all->free += taken ? 0u - units : units;
}

void rico__cache_begin_units(rico_cache *cache, uint32_t group)
{
    rico__cache_units *all = &cache->units[group];
    uint32_t units = buckets_in(cache, group) * (cache->room_bytes / cache->unit_bytes);
    for (uint32_t w = 0; w < WORDS; ++w) {
        uint32_t in_word = uint_min(units - uint_min(units, w * 64), 64);
        all->taken[w] = in_word == 64 ? 0 : ~(uint64_t)0 << in_word;
    }
    all->free = units;
}

void rico__cache_free_units(rico_cache *cache, uint32_t bucket, uint32_t first, uint32_t units)
{
    set_units(&cache->units[bucket / RICO__CACHE_GROUP], first, units, false);
}

/* The first row of free units that is long enough, or RICO__CACHE_UNITS. Rows of 2, 4, ... units are
 * found by laying rows of half as many beside each other; units is 32 at most. */
static uint32_t find_row(const uint64_t *taken, uint32_t units)
{
    uint64_t row[WORDS + 1] = {~taken[0], ~taken[1], ~taken[2], ~taken[3], 0};
    for (uint32_t length = 1, step = 0; step < 5; ++step) { /* always 5: lengths are random */
        uint32_t shift = uint_min(length, units - length);
        for (uint32_t w = 0; w < WORDS; ++w)
            row[w] &= row[w] >> shift | row[w + 1] << 1 << (63 - shift);
        length += shift;
    }
    for (uint32_t w = 0; w < WORDS; ++w)
        if (row[w] != 0)
            return w * 64 + bits_lowest64(row[w]);
    return RICO__CACHE_UNITS;
}

/* The group's records that have payloads, as record indices, in the order of their places. */
static uint32_t records_by_place(const rico_cache *cache, uint32_t group,
                                 uint32_t records[MOST_RECORDS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < buckets_in(cache, group) * RICO__CACHE_STRIDE; ++i) {
        const rico__cache_line *line =
            &cache->lines[group * RICO__CACHE_GROUP + i / RICO__CACHE_STRIDE];
        uint32_t way = i % RICO__CACHE_STRIDE;
        if (way == RICO__CACHE_WAYS || line->keys[way] == RICO_NO_KEY ||
            (line->bare >> way & 1))
            continue;
        uint32_t at = count++;
        for (; at > 0; --at) {
            const rico__cache_line *other =
                &cache->lines[group * RICO__CACHE_GROUP + records[at - 1] / RICO__CACHE_STRIDE];
            if (other->place[records[at - 1] % RICO__CACHE_STRIDE] < line->place[way])
                break;
            records[at] = records[at - 1];
        }
        records[at] = i;
    }
    return count;
}

void rico__cache_close_gaps(rico_cache *cache, uint32_t group)
{
    uint32_t records[MOST_RECORDS], end = 0;
    uint32_t first = group * RICO__CACHE_GROUP;
    uint32_t count = records_by_place(cache, group, records);
    uint8_t *payloads = rico__cache_group_payloads(cache, first);
    for (uint32_t i = 0; i < count; ++i) {
        rico__cache_line *line = &cache->lines[first + records[i] / RICO__CACHE_STRIDE];
        uint8_t *place = &line->place[records[i] % RICO__CACHE_STRIDE];
        uint32_t units = cache->sizes[rico__cache_record(first, records[i])];
        memmove(payloads + (size_t)end * cache->unit_bytes,
                payloads + (size_t)*place * cache->unit_bytes,
                (size_t)units * cache->unit_bytes);
        *place = (uint8_t)end;
        end += units;
    }
    rico__cache_begin_units(cache, group);
    for (uint32_t at = 0; at < end; at += 32)
        set_units(&cache->units[group], at, uint_min(end - at, 32), true);
}

uint32_t rico__cache_take_units(rico_cache *cache, uint32_t bucket, uint32_t units)
{
    rico__cache_units *all = &cache->units[bucket / RICO__CACHE_GROUP];
    uint32_t first = find_row(all->taken, units);
    if (first < RICO__CACHE_UNITS)
        set_units(all, first, units, true);
    return first;
}
