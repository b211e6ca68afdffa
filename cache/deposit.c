/* Deposits: one pool of slots, a list per shard. */
#include <ricochet/cache.h>

#include "cache_table.h"
#include "check.h"

/* The index of a free slot, or false when all are taken. */
static bool take_slot(rico_cache *cache, uint32_t *index)
{
    /* Relaxed: a stale value only sends us to the fetch_add, which decides. Without this look
     * the cursor of a full pool would go on counting and could wrap round to 0. */
    if (rico__atomic_load_relaxed32(&cache->deposit_cursor) >= cache->deposit_capacity)
        return false;
    *index = rico__atomic_fetch_add32(&cache->deposit_cursor, 1);
    return *index < cache->deposit_capacity;
}

/* The payload into the deposit, in whole units. */
static void fill(const rico_cache *cache, rico__cache_deposit *deposit, const void *payload,
                 uint32_t bytes)
{
    uint8_t *to = rico__cache_deposit_payload(deposit);
    deposit->units = (bytes + cache->unit_bytes - 1) / cache->unit_bytes;
    if (bytes > 0)
        memcpy(to, payload, bytes);
    memset(to + bytes, 0, deposit->units * cache->unit_bytes - bytes);
}

static void enlist(rico_cache *cache, rico__cache_deposit *deposit, uint32_t index)
{
    rico__cache_shard *shard = &cache->shards[rico__cache_shard_of(cache, deposit->bucket)];
    rico__spinlock_lock(&shard->lock);
    deposit->next = shard->head;
    shard->head = index + 1;
    shard->count += 1;
    rico__spinlock_unlock(&shard->lock);
}

bool rico_cache_deposit_part(rico_cache *cache, rico_cache_key key, const rico_cache_info *info,
                             const void *payload, uint32_t bytes)
{
    uint32_t index;
    if (!RICO_REQUIRE(info != NULL && (payload != NULL || bytes == 0) && !cache->merging))
        return false;
    if (!RICO_REQUIRE(bytes <= cache->payload_bytes && bytes % 8 == 0))
        return false;
    if (key == RICO_NO_KEY || !take_slot(cache, &index)) {
        rico__atomic_fetch_add64(&cache->refused, 1);
        return false;
    }
    rico__cache_deposit *deposit = rico__cache_deposit_at(cache, index);
    deposit->key = key;
    deposit->info = *info;
    deposit->bucket = rico__cache_bucket(cache, key);
    fill(cache, deposit, payload, bytes);
    enlist(cache, deposit, index);
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
