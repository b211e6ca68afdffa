/* Deposits: slots of one pool, and what merge needs to find them. */
#include <ricochet/cache.h>

#include "cache_table.h"
#include "check.h"

/* The number of a free slot, and its first line; false when all are taken. As many lines are there
 * as the longest payloads need, so whoever gets a number has its lines. */
static bool take_slot(rico_cache *cache, uint32_t lines, uint32_t *index, uint32_t *line)
{
    /* Relaxed: a stale value only sends us to the fetch_add, which decides. Without this look
     * the cursor of a full pool would go on counting and could wrap round to 0. */
    if ((uint32_t)rico__atomic_load_relaxed64(&cache->deposit_cursor) >=
        cache->deposit_capacity)
        return false;
    uint64_t taken =
        rico__atomic_fetch_add64(&cache->deposit_cursor, (uint64_t)lines << 32 | 1u);
    *index = (uint32_t)taken;
    *line = (uint32_t)(taken >> 32);
    return *index < cache->deposit_capacity;
}

static uint32_t units_of(const rico_cache *cache, uint32_t bytes)
{
    return (bytes + cache->unit_bytes - 1) / cache->unit_bytes;
}

static uint32_t lines_of(const rico_cache *cache, uint32_t units)
{
    uint32_t bytes = (uint32_t)sizeof(rico__cache_deposit) + units * cache->unit_bytes;
    return (bytes + RICO_CACHE_LINE - 1) / RICO_CACHE_LINE;
}

/* The payload into the deposit, in whole units. */
static void fill(const rico_cache *cache, rico__cache_deposit *deposit, const void *payload,
                 uint32_t bytes)
{
    uint8_t *to = rico__cache_deposit_payload(deposit);
    if (bytes > 0)
        memcpy(to, payload, bytes);
    memset(to + bytes, 0, deposit->units * cache->unit_bytes - bytes);
}

bool rico_cache_deposit_part(rico_cache *cache, rico_cache_key key, const rico_cache_info *info,
                             const void *payload, uint32_t bytes)
{
    uint32_t index, line;
    if (!RICO_REQUIRE(info != NULL && (payload != NULL || bytes == 0) && !cache->merging))
        return false;
    if (!RICO_REQUIRE(bytes <= cache->payload_bytes && bytes % 8 == 0))
        return false;
    uint32_t units = units_of(cache, bytes);
    if (key == RICO_NO_KEY || !take_slot(cache, lines_of(cache, units), &index, &line)) {
        rico__atomic_fetch_add64(&cache->refused, 1);
        return false;
    }
    rico__cache_deposit *deposit = rico__cache_deposit_at(cache, line);
    deposit->key = key;
    deposit->info = *info;
    deposit->units = units;
    fill(cache, deposit, payload, bytes);
    cache->arrivals[index] = (rico__cache_entry){.key = key,
                                                 .bucket = rico__cache_bucket(cache, key),
                                                 .deposit = line & 0x3ffffffu,
                                                 .units = units & 0x3fu};
    return true;
}

bool rico_cache_deposit(rico_cache *cache, rico_cache_key key, const rico_cache_info *info,
                        const void *payload)
{
    return rico_cache_deposit_part(cache, key, info, payload, cache->payload_bytes);
}

static int compare_words(const uint8_t *a, const uint8_t *b, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += (uint32_t)sizeof(uint32_t)) {
        uint32_t word_a, word_b;
        memcpy(&word_a, a + at, sizeof word_a);
        memcpy(&word_b, b + at, sizeof word_b);
        if (word_a != word_b)
            return word_a < word_b ? -1 : 1;
    }
    return 0;
}

static int compare_infos(const rico_cache_info *a, const rico_cache_info *b)
{
    if (a->frame != b->frame)
        return a->frame > b->frame ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    if (a->impact != b->impact)
        return a->impact < b->impact ? -1 : 1;
    if (a->collider != b->collider)
        return a->collider < b->collider ? -1 : 1;
    if (a->triangle != b->triangle)
        return a->triangle < b->triangle ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    return 0;
}

int rico__cache_compare(const rico_cache *cache, const rico_cache_info *a,
                        const uint8_t *payload_a, uint32_t units_a, const rico_cache_info *b,
                        const uint8_t *payload_b, uint32_t units_b)
{
    int order = compare_infos(a, b);
    if (order != 0)
        return order;
    if (units_a != units_b)
        return units_a < units_b ? -1 : 1;
    return compare_words(payload_a, payload_b, units_a * cache->unit_bytes);
}
