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

/* Sets or clears `units` bits from `first` on. */
static void set_bits(uint64_t *words, uint32_t first, uint32_t units, bool value)
{
    for (uint32_t left = units, at = first; left > 0;) {
        uint32_t part = uint_min(left, 64 - at % 64);
        uint64_t bits = (part == 64 ? ~(uint64_t)0 : ((uint64_t)1 << part) - 1) << at % 64;
        words[at / 64] = value ? words[at / 64] | bits : words[at / 64] & ~bits;
        at += part;
        left -= part;
    }
}

void rico__cache_begin_units(rico_cache *cache, uint32_t group)
{
    uint32_t units = buckets_in(cache, group) * (cache->room_bytes / cache->unit_bytes);
    memset(&cache->units[group], 0, sizeof cache->units[group]);
    set_bits(cache->units[group].taken, units, RICO__CACHE_UNITS - units, true);
}

void rico__cache_free_units(rico_cache *cache, uint32_t bucket, uint32_t first, uint32_t units)
{
    set_bits(cache->units[bucket / RICO__CACHE_GROUP].taken, first, units, false);
}

uint32_t rico__cache_free_count(const rico_cache *cache, uint32_t bucket)
{
    const uint64_t *taken = cache->units[bucket / RICO__CACHE_GROUP].taken;
    uint32_t count = 0;
    for (uint32_t w = 0; w < WORDS; ++w)
        count += bits_count64(~taken[w]);
    return count;
}

/* The first row of free units that is long enough, or RICO__CACHE_UNITS. Rows of 2, 4, ... units are
 * found by laying rows of half as many beside each other; units is 32 at most. */
static uint32_t find_row(const uint64_t *taken, uint32_t units)
{
    uint64_t row[WORDS + 1] = {~taken[0], ~taken[1], ~taken[2], ~taken[3], 0};
    for (uint32_t length = 1; length < units;) {
        uint32_t shift = uint_min(length, units - length);
        for (uint32_t w = 0; w < WORDS; ++w)
            row[w] &= row[w] >> shift | row[w + 1] << (64 - shift);
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

/* All free units are at the end then. */
static void close_gaps(rico_cache *cache, uint32_t group)
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
    set_bits(cache->units[group].taken, 0, end, true);
}

uint32_t rico__cache_take_units(rico_cache *cache, uint32_t bucket, uint32_t units)
{
    uint32_t group = bucket / RICO__CACHE_GROUP;
    uint64_t *taken = cache->units[group].taken;
    uint32_t first = find_row(taken, units);
    if (first == RICO__CACHE_UNITS) {
        close_gaps(cache, group);
        first = find_row(taken, units);
    }
    RICO_ASSERT(first < RICO__CACHE_UNITS);
    set_bits(taken, first, units, true);
    return first;
}
