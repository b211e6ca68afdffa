/* Moving all cells, for a world whose origin moves. */
#include "cache_table.h"
#include "check.h"

/* A record on its way: this, then its payload. */
typedef struct moved_record {
    rico_cache_key key;
    rico_cache_info info;
} moved_record;

static rico_cache_key moved_key(rico_cache_key key,
                                const rico_cache_step by[RICO_WHOLE_CELL + 1])
{
    int32_t x, y, z;
    uint32_t direction;
    rico_cache_key_cell(key, &x, &y, &z, &direction);
    const rico_cache_step *step = &by[direction];
    /* Steps are as far as cells go at most, so that sums stay in their type. */
    return rico_cache_key_of_cell(x + step->x, y + step->y, z + step->z, direction);
}

static size_t record_bytes(const rico_cache *cache)
{
    return sizeof(moved_record) + cache->payload_bytes;
}

/* Bucket by bucket, by key in each: where a record lay leaves no trace. Returns how many. */
static uint32_t take_out(rico_cache *cache, const rico_cache_step by[RICO_WHOLE_CELL + 1],
                         uint8_t *to)
{
    uint32_t count = 0;
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket) {
        const rico_cache_key *keys = cache->keys + rico__cache_record(bucket, 0);
        rico_cache_key last = 0;
        for (;;) {
            uint32_t next = RICO__CACHE_WAYS;
            for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way)
                if (keys[way] != RICO_NO_KEY && keys[way] >= last &&
                    (next == RICO__CACHE_WAYS || keys[way] < keys[next]))
                    next = way;
            if (next == RICO__CACHE_WAYS)
                break;
            last = keys[next] + 1;
            size_t record = rico__cache_record(bucket, next);
            moved_record moved = {moved_key(keys[next], by), cache->infos[record]};
            uint8_t *at = to + (size_t)count++ * record_bytes(cache);
            memcpy(at, &moved, sizeof moved);
            memcpy(at + sizeof moved, rico__cache_payload(cache, record), cache->payload_bytes);
        }
    }
    return count;
}

static void merge_now(rico_cache *cache)
{
    rico_cache_merge_begin(cache, cache->frame);
    rico_cache_merge_range(cache, 0, cache->shard_count);
    rico_cache_merge_end(cache);
}

static void put_in(rico_cache *cache, const uint8_t *from, uint32_t count)
{
    uint32_t room = cache->deposit_capacity;
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t *at = from + (size_t)i * record_bytes(cache);
        moved_record moved;
        memcpy(&moved, at, sizeof moved);
        if (moved.key == RICO_NO_KEY)
            continue;
        rico_cache_deposit(cache, moved.key, &moved.info, at + sizeof moved);
        if (--room > 0)
            continue;
        merge_now(cache);
        room = cache->deposit_capacity;
    }
    merge_now(cache);
}

static bool is_far(int32_t step)
{
    return step < -(1 << 21) || step > 1 << 21;
}

static bool is_in_reach(const rico_cache_step by[RICO_WHOLE_CELL + 1])
{
    for (uint32_t d = 0; d <= RICO_WHOLE_CELL; ++d)
        if (is_far(by[d].x) || is_far(by[d].y) || is_far(by[d].z))
            return false;
    return true;
}

rico_result rico_cache_move_cells(rico_cache *cache,
                                  const rico_cache_step by[RICO_WHOLE_CELL + 1])
{
    if (!RICO_REQUIRE(cache != NULL && by != NULL && !cache->merging))
        return RICO_BUSY;
    if (!is_in_reach(by)) {
        rico_cache_forget(cache, 0);
        return RICO_OK;
    }
    size_t bytes = record_bytes(cache);
    merge_now(cache); /* what was marked has the old keys */
    uint32_t records = 0;
    for (uint32_t i = 0; i < cache->shard_count; ++i)
        records += cache->shards[i].record_count;
    uint8_t *moved = rico__memory_allocate(&cache->memory, (size_t)records + 1, bytes, 8);
    if (moved == NULL) {
        rico_cache_forget(cache, 0);
        return RICO_OUT_OF_MEMORY;
    }
    uint32_t count = take_out(cache, by, moved);
    rico_cache_forget(cache, 0);
    put_in(cache, moved, count);
    rico__memory_release(&cache->memory, moved, (size_t)records + 1, bytes, 8);
    return RICO_OK;
}
