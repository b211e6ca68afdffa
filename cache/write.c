/* Copying the infos and payloads of records that have their places: in batches, by length. */
#include "cache_table.h"

#define LAG 8u /* copies between the fetch of what is written to and the copy */
#define LENGTHS (RICO__CACHE_UNITS / RICO__CACHE_GROUP + 1)

_Static_assert(RICO__CACHE_BATCH < 256, "ends are bytes");

/* Shorter ones first: a loop that ends where the one before it did is not mispredicted, and lengths are
 * random otherwise. */
static void sort_by_length(const rico__cache_fold *fold, uint8_t *order)
{
    uint8_t ends[LENGTHS] = {0};
    for (uint32_t i = 0; i < fold->count; ++i)
        ends[fold->units[i]] += 1;
    for (uint32_t u = 0, begin = 0; u < LENGTHS; ++u) {
        uint32_t count = ends[u];
        ends[u] = (uint8_t)begin;
        begin += count;
    }
    for (uint32_t i = 0; i < fold->count; ++i)
        order[ends[fold->units[i]]++] = (uint8_t)i;
}

static uint8_t *payload_of(const rico_cache *cache, size_t record)
{
    uint32_t bucket = (uint32_t)(record / RICO__CACHE_STRIDE);
    uint32_t place = cache->lines[bucket].place[record % RICO__CACHE_STRIDE];
    return rico__cache_group_payloads(cache, bucket) + (size_t)place * cache->unit_bytes;
}

/* Memory that is written without being fetched first is waited for, line by line. */
static void fetch_payload(const rico__cache_fold *fold, uint32_t i)
{
    size_t bytes = (size_t)fold->units[i] * fold->cache->unit_bytes;
    const uint8_t *to = payload_of(fold->cache, fold->copies[i].record);
    size_t at = (uintptr_t)to % RICO_CACHE_LINE;
    if (bytes == 0)
        return;
    for (to -= at, bytes += at, at = 0; at < bytes; at += RICO_CACHE_LINE)
        rico__cache_fetch_to_write(to + at);
}

static rico_cache_info *info_of(const rico_cache *cache, size_t record)
{
    return rico__cache_info_of(cache, (uint32_t)(record / RICO__CACHE_STRIDE),
                               (uint32_t)(record % RICO__CACHE_STRIDE));
}

static void copy(const rico__cache_fold *fold, uint32_t i)
{
    const rico_cache *cache = fold->cache;
    rico__cache_deposit *deposit = rico__cache_deposit_at(cache, fold->copies[i].deposit);
    *info_of(cache, fold->copies[i].record) = deposit->info;
    rico__cache_copy_payload(payload_of(cache, fold->copies[i].record),
                             rico__cache_deposit_payload(deposit),
                             (size_t)fold->units[i] * cache->unit_bytes);
}

void rico__cache_write(rico__cache_fold *fold)
{
    uint8_t order[RICO__CACHE_BATCH];
    uint32_t count = fold->count;
    rico__cache_move_now(fold);
    sort_by_length(fold, order);
    for (uint32_t i = 0; i < uint_min(LAG, count); ++i)
        fetch_payload(fold, order[i]);
    for (uint32_t i = 0; i < count; ++i) {
        if (i + LAG < count)
            fetch_payload(fold, order[i + LAG]);
        copy(fold, order[i]);
    }
    fold->count = 0;
}

void rico__cache_write_later(rico__cache_fold *fold, size_t record,
                             const rico__cache_entry *entry)
{
    if (fold->count == RICO__CACHE_BATCH)
        rico__cache_write(fold);
    fold->copies[fold->count] = (rico__cache_copy){(uint32_t)record, entry->deposit};
    fold->units[fold->count++] = (uint8_t)entry->units;
    rico__cache_fetch_to_write(info_of(fold->cache, record));
    rico__cache_fetch(rico__cache_deposit_at(fold->cache, entry->deposit));
}

void rico__cache_move_now(rico__cache_fold *fold)
{
    for (uint32_t i = 0; i < fold->move_count; ++i)
        memmove(fold->moves[i].to, fold->moves[i].from, fold->moves[i].bytes);
    fold->move_count = 0;
}

void rico__cache_move_later(rico__cache_fold *fold, uint8_t *to, const uint8_t *from,
                            size_t bytes)
{
    if (fold->move_count == RICO__CACHE_BATCH)
        rico__cache_move_now(fold);
    fold->moves[fold->move_count++] = (rico__cache_move){to, from, bytes};
    for (size_t at = 0; at < bytes; at += RICO_CACHE_LINE)
        rico__cache_fetch_to_write(from + at);
}
