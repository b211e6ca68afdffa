/* Walks over the whole table: forgetting and hashing. */
#include "cache_table.h"
#include "check.h"

static uint32_t forget_group(rico_cache *cache, uint32_t group, uint32_t version)
{
    size_t begin = (size_t)group * RICO__CACHE_GROUP * RICO__CACHE_WAYS;
    size_t end = begin + RICO__CACHE_GROUP * RICO__CACHE_WAYS;
    size_t record_count = (size_t)cache->bucket_count * RICO__CACHE_WAYS;
    uint32_t forgotten = 0;
    for (size_t i = begin; i < end && i < record_count; ++i) {
        if (cache->keys[i] == RICO_NO_KEY)
            continue;
        if (version != 0 && cache->infos[i].version == version)
            continue;
        cache->keys[i] = RICO_NO_KEY;
        forgotten += 1;
    }
    return forgotten;
}

void rico_cache_forget(rico_cache *cache, uint32_t version)
{
    if (!RICO_REQUIRE(!cache->merging))
        return;
    for (uint32_t shard = 0; shard < cache->shard_count; ++shard) {
        uint32_t end = rico__cache_first_group(cache, shard + 1);
        for (uint32_t group = rico__cache_first_group(cache, shard); group < end; ++group)
            cache->shards[shard].record_count -= forget_group(cache, group, version);
    }
}

/* The occupied ways of a bucket in key order; returns how many. */
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

static void hash_record(rico__hash *hash, const rico_cache *cache, size_t record)
{
    const rico_cache_info *info = &cache->infos[record];
    const uint32_t header[] = {info->frame,
                               info->rank,
                               info->impact,
                               info->collider,
                               info->triangle,
                               info->version,
                               cache->last_used[record]};
    rico__hash_u64(hash, cache->keys[record]);
    rico__hash_words(hash, header, sizeof header / sizeof header[0]);
    uint32_t words[1024 / sizeof(uint32_t)]; /* payload_bytes is at most 1024 */
    memcpy(words, rico__cache_payload(cache, record), cache->payload_bytes);
    rico__hash_words(hash, words, cache->payload_bytes / sizeof(uint32_t));
}

uint64_t rico_cache_hash(const rico_cache *cache)
{
    rico__hash hash;
    rico__hash_init(&hash, 0);
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket) {
        uint32_t ways[RICO__CACHE_WAYS];
        uint32_t count = sorted_ways(cache->keys + rico__cache_record(bucket, 0), ways);
        for (uint32_t i = 0; i < count; ++i)
            hash_record(&hash, cache, rico__cache_record(bucket, ways[i]));
    }
    return rico__hash_value(&hash);
}
