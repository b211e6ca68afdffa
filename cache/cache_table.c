/* Walks over the whole table: forgetting, hashing, visiting. */
#include "cache_table.h"
#include "check.h"

static void forget_bucket(rico_cache *cache, uint32_t bucket, uint32_t version)
{
    rico__cache_shard *shard = &cache->shards[rico__cache_shard_of(cache, bucket)];
    for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way) {
        if (cache->lines[bucket].keys[way] == RICO_NO_KEY)
            continue;
        if (rico__cache_info_of(cache, bucket, way)->version == version)
            continue;
        shard->record_count -= 1;
        shard->units_used -= *rico__cache_size_of(cache, rico__cache_record(bucket, way));
        rico__cache_clear(cache, bucket, way);
    }
}

static bool group_is_empty(const rico_cache *cache, uint32_t first, uint32_t end)
{
    uint32_t ways = 0;
    for (uint32_t bucket = first; bucket < end; ++bucket)
        ways += bits_count64(rico__cache_ways(&cache->lines[bucket], RICO_NO_KEY));
    return ways == (end - first) * RICO__CACHE_WAYS;
}

/* Forgets all records of a group. Its units become as they were at the beginning; they are not
 * given back one record after the other. Groups that hold nothing are only read. */
static void forget_group(rico_cache *cache, uint32_t group)
{
    const uint32_t first = group * RICO__CACHE_GROUP;
    const uint32_t end = uint_min(first + RICO__CACHE_GROUP, cache->bucket_count);
    if (group_is_empty(cache, first, end))
        return;
    for (uint32_t bucket = first; bucket < end; ++bucket)
        for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way)
            cache->lines[bucket].keys[way] = RICO_NO_KEY;
    memset(cache->units[group].sizes, 0, sizeof cache->units[group].sizes);
    rico__cache_begin_units(cache, group);
}

static void forget_all(rico_cache *cache)
{
    for (uint32_t group = 0; group < cache->group_count; ++group)
        forget_group(cache, group);
    for (uint32_t i = 0; i < cache->shard_count; ++i)
        cache->shards[i].record_count = cache->shards[i].units_used = 0;
}

void rico_cache_forget(rico_cache *cache, uint32_t version)
{
    if (!RICO_REQUIRE(cache != NULL && !cache->merging))
        return;
    if (rico_cache_get_stats(cache).record_count == 0)
        return;
    if (version == 0) {
        forget_all(cache);
        return;
    }
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket)
        forget_bucket(cache, bucket, version);
}

/* Lists the occupied ways of a bucket in key order. Returns their number. */
static uint32_t sorted_ways(const rico_cache_key *keys, uint32_t ways[RICO__CACHE_WAYS])
{
    uint32_t count = 0;
    for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way) {
        if (keys[way] == RICO_NO_KEY)
            continue;
        uint32_t at = count++;
        for (; at > 0 && keys[ways[at - 1]] > keys[way]; --at)
            ways[at] = ways[at - 1];
        ways[at] = way;
    }
    return count;
}

static void hash_record(rico__hash *hash, const rico_cache *cache, uint32_t bucket,
                        uint32_t way)
{
    const rico_cache_info *info = rico__cache_info_of(cache, bucket, way);
    size_t record = rico__cache_record(bucket, way);
    const uint32_t bytes = *rico__cache_size_of(cache, record) * cache->unit_bytes;
    const uint32_t header[] = {
        info->frame,    info->rank,    info->impact, info->collider,
        info->triangle, info->version, bytes,        cache->last_used[record]};
    rico__hash_u64(hash, cache->lines[bucket].keys[way]);
    rico__hash_words(hash, header, sizeof header / sizeof header[0]);
    uint32_t words[1024 / sizeof(uint32_t)]; /* payload_bytes is at most 1024 */
    memcpy(words, rico__cache_payload(cache, bucket, way), bytes);
    rico__hash_words(hash, words, bytes / sizeof(uint32_t));
}

uint64_t rico_cache_hash(const rico_cache *cache)
{
    if (!RICO_REQUIRE(cache != NULL && !cache->merging))
        return 0;
    rico__hash hash;
    rico__hash_init(&hash, 0);
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket) {
        uint32_t ways[RICO__CACHE_WAYS];
        uint32_t count = sorted_ways(cache->lines[bucket].keys, ways);
        for (uint32_t i = 0; i < count; ++i)
            hash_record(&hash, cache, bucket, ways[i]);
    }
    return rico__hash_value(&hash);
}

/* A walk fetches records this many buckets ahead, because payloads lie apart. */
#define WALK_AHEAD 4u

static void fetch_bucket(const rico_cache *cache, uint32_t bucket)
{
    for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way)
        if (cache->lines[bucket].keys[way] != RICO_NO_KEY)
            prefetch_line(rico__cache_payload(cache, bucket, way));
}

void rico_cache_walk(const rico_cache *cache, rico_cache_visit *visit, void *user)
{
    if (!RICO_REQUIRE(cache != NULL && !cache->merging && visit != NULL))
        return;
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket) {
        uint32_t ways[RICO__CACHE_WAYS];
        if (bucket + WALK_AHEAD < cache->bucket_count)
            fetch_bucket(cache, bucket + WALK_AHEAD);
        uint32_t count = sorted_ways(cache->lines[bucket].keys, ways);
        for (uint32_t i = 0; i < count; ++i)
            visit(user, cache->lines[bucket].keys[ways[i]],
                  rico__cache_info_of(cache, bucket, ways[i]),
                  rico__cache_payload(cache, bucket, ways[i]),
                  *rico__cache_size_of(cache, rico__cache_record(bucket, ways[i])) *
                      cache->unit_bytes);
    }
}
