/* Forgetting the records of some cells, after an edit of what was there. */
#include "cache_table.h"
#include "check.h"
#include "prefetch.h"

static rico_cache_key key_at(const rico_cache *cache, uint32_t bucket, uint32_t way)
{
    return cache->lines[bucket].keys[way];
}

static void drop(rico_cache *cache, uint32_t bucket, uint32_t way)
{
    rico__cache_shard *shard = &cache->shards[rico__cache_shard_of(cache, bucket)];
    shard->units_used -= *rico__cache_size_of(cache, rico__cache_record(bucket, way));
    shard->record_count -= 1;
    rico__cache_clear(cache, bucket, way);
}

static void drop_key(rico_cache *cache, uint32_t bucket, rico_cache_key key)
{
    const uint32_t way = rico__cache_way(&cache->lines[bucket], key);
    if (way < RICO__CACHE_WAYS)
        drop(cache, bucket, way);
}

/* The part of the range whose cells have keys; lo > hi if there is none. Its ends are far from
 * the limits of their type, and the product of its three sizes is far below 2^64. */
static rico_cache_range within_keys(const rico_cache_range *range)
{
    rico_cache_range r = *range;
    static const int32_t limit[3] = {RICO__CACHE_XY_LIMIT, RICO__CACHE_XY_LIMIT,
                                     RICO__CACHE_Z_LIMIT};
    for (int a = 0; a < 3; ++a) {
        r.lo[a] = r.lo[a] > -limit[a] ? r.lo[a] : -limit[a];
        r.hi[a] = r.hi[a] < limit[a] ? r.hi[a] : limit[a] - 1;
    }
    if (r.direction > RICO_WHOLE_CELL)
        r.hi[0] = r.lo[0] - 1;
    return r;
}

/* The cells of a range within the keys; 0 if it is empty. */
static uint64_t cell_count(const rico_cache_range *range)
{
    uint64_t cells = 1;
    for (int a = 0; a < 3; ++a)
        cells *= range->lo[a] <= range->hi[a]
                     ? (uint64_t)((int64_t)range->hi[a] - range->lo[a] + 1)
                     : 0;
    return cells;
}

/* Keys are all over the table, so lines are fetched this many keys ahead. */
#define AHEAD 16u

/* All cells of the range must have keys. */
static void drop_cells(rico_cache *cache, const rico_cache_range *range)
{
    rico_cache_key keys[AHEAD];
    uint32_t buckets[AHEAD], count = 0;
    if (cell_count(range) == 0)
        return;
    for (int32_t z = range->lo[2]; z <= range->hi[2]; ++z)
        for (int32_t y = range->lo[1]; y <= range->hi[1]; ++y)
            for (int32_t x = range->lo[0]; x <= range->hi[0]; ++x) {
                const uint32_t place = count++ % AHEAD;
                if (count > AHEAD)
                    drop_key(cache, buckets[place], keys[place]);
                keys[place] = rico_cache_key_of_cell(x, y, z, range->direction);
                buckets[place] = rico__cache_bucket(cache, keys[place]);
                prefetch_line(&cache->lines[buckets[place]]);
            }
    for (uint32_t i = 0; i < count && i < AHEAD; ++i)
        drop_key(cache, buckets[i], keys[i]);
}

static bool holds(const rico_cache_range *range, rico_cache_key key)
{
    int32_t at[3];
    uint32_t direction;
    rico_cache_key_cell(key, &at[0], &at[1], &at[2], &direction);
    bool in = direction == range->direction;
    for (int a = 0; a < 3; ++a)
        in = in && at[a] >= range->lo[a] && at[a] <= range->hi[a];
    return in;
}

static bool any_holds(const rico_cache_range *ranges, uint32_t count, rico_cache_key key)
{
    for (uint32_t i = 0; i < count; ++i)
        if (holds(&ranges[i], key))
            return true;
    return false;
}

static void drop_by_walk(rico_cache *cache, const rico_cache_range *ranges, uint32_t count)
{
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket)
        for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way) {
            rico_cache_key key = key_at(cache, bucket, way);
            if (key != RICO_NO_KEY && any_holds(ranges, count, key))
                drop(cache, bucket, way);
        }
}

void rico_cache_forget_if(rico_cache *cache, rico_cache_test *test, void *user)
{
    if (!RICO_REQUIRE(cache != NULL && !cache->merging && test != NULL))
        return;
    if (rico_cache_get_stats(cache).record_count == 0)
        return;
    for (uint32_t bucket = 0; bucket < cache->bucket_count; ++bucket)
        for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way) {
            rico_cache_key key = key_at(cache, bucket, way);
            if (key != RICO_NO_KEY && test(user, key))
                drop(cache, bucket, way);
        }
}

void rico_cache_forget_cells(rico_cache *cache, const rico_cache_range *ranges, uint32_t count)
{
    uint64_t cells = 0;
    if (!RICO_REQUIRE(cache != NULL && !cache->merging && (count == 0 || ranges != NULL)))
        return;
    if (rico_cache_get_stats(cache).record_count == 0)
        return;
    for (uint32_t i = 0; i < count && cells <= cache->bucket_count; ++i) {
        rico_cache_range range = within_keys(&ranges[i]);
        cells += cell_count(&range);
    }
    if (cells > cache->bucket_count) {
        drop_by_walk(cache, ranges, count);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        rico_cache_range range = within_keys(&ranges[i]);
        drop_cells(cache, &range);
    }
}
