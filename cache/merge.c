/* Merging: marks, then deposits, into the table; a shard at a time.
 *
 * A shard's result is a function of its buckets, its marks and its set of deposits. Marks are
 * combined by OR. Deposits are sorted by a total order before any of them is applied. Then each
 * group of buckets is folded by the rule in cache.h (fold.c). Groups do not see each other. So
 * it does not show how they are divided into shards, and shards into ranges.
 *
 * The last use of a record is not read before a deposit comes to its group, and the same
 * records are found frame after frame. So marks wait for a deposit, or for their group's turn.
 */
#include <ricochet/cache.h>

#include "bits.h"
#include "cache_table.h"
#include "check.h"

/* Turns slots that workers took and did not fill into deposits of no key. Returns their
 * number. */
static uint32_t close_slots(rico_cache *cache)
{
    uint32_t empty = 0;
    for (uint32_t w = 0; w < cache->worker_count; ++w) {
        rico__cache_worker *worker = &cache->workers[w];
        for (; worker->slot < worker->slot_end; ++worker->slot, ++empty)
            cache->arrivals[worker->slot].key = RICO_NO_KEY;
        worker->slot = worker->slot_end = 0;
        worker->region = w;
    }
    return empty;
}

/* Returns the lines that were taken. */
static uint64_t empty_regions(rico_cache *cache)
{
    uint64_t lines = 0;
    for (uint32_t r = 0; r < cache->worker_count; ++r) {
        lines += rico__atomic_load64(&cache->regions[r].cursor) >> 32;
        rico__atomic_store64(&cache->regions[r].cursor, 0);
    }
    return lines;
}

/* When a merge writes more than this, its data have left the CPU's caches before they are
 * read. */
#define STREAM_BYTES (256u << 10)

/* Finds the workers that may have marks: those whose latest hits are not older than all
 * turns. */
static bool find_marked(rico_cache *cache)
{
    bool any = false;
    for (uint32_t w = 0; w < cache->worker_count; ++w) {
        rico__cache_worker *worker = &cache->workers[w];
        if (worker->hits != worker->hits_merged)
            worker->hit_after = cache->frame;
        worker->hits_merged = worker->hits;
        worker->marked =
            worker->hits > 0 && cache->frame - worker->hit_after < RICO__CACHE_TURNS;
        any |= worker->marked;
    }
    return any;
}

bool rico_cache_merge_begin(rico_cache *cache, uint32_t frame)
{
    if (!RICO_REQUIRE(cache != NULL && !cache->merging && frame - cache->frame <= INT32_MAX))
        return false;
    cache->merging = true;
    cache->any_marked = find_marked(cache);
    cache->turns_from = frame - uint_min(frame - cache->frame, RICO__CACHE_TURNS);
    cache->frame = frame;
    uint32_t slots = rico__cache_slot_count(cache);
    cache->deposits_merged += slots - close_slots(cache);
    if (slots > 0) /* else all shards are empty, as the last merge left them */
        rico__cache_divide(cache);
    cache->streams = empty_regions(cache) * RICO_CACHE_LINE > STREAM_BYTES;
    return slots > 0 || cache->any_marked;
}

/* ---- Used marks ---- */

/* Byte i of the word in memory is the group's bucket i, so bit b is the group's record b. */
static uint64_t load_marks(const uint8_t *group_marks)
{
    uint64_t word;
    memcpy(&word, group_marks, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Setting the same frame twice changes nothing, so workers need not be combined first. A record
 * may have been forgotten since it was marked. Its mark then lands on an empty way, whose last
 * use is never read. */
static void use_marked(rico_cache *cache, uint32_t begin, uint32_t end)
{
    for (uint32_t worker = 0; worker < cache->worker_count; ++worker) {
        if (!cache->workers[worker].marked)
            continue;
        uint8_t *marks = cache->marks + (size_t)worker * cache->mark_stride;
        for (uint32_t group = begin; group < end; ++group) {
            uint8_t *group_marks = marks + (size_t)group * RICO__CACHE_GROUP;
            uint64_t marked = load_marks(group_marks);
            if (marked == 0)
                continue;
            memset(group_marks, 0, sizeof marked);
            uint32_t *used =
                cache->last_used + rico__cache_record(group * RICO__CACHE_GROUP, 0);
            for (; marked != 0; marked &= marked - 1)
                used[bits_lowest64(marked)] = cache->frame;
        }
    }
}

/* The first group whose marks begin a cache line that has its turn in the frame. The search
 * starts with the line that holds the marks of group `begin`. */
static uint32_t first_in_turn(uint32_t begin, uint32_t frame)
{
    uint32_t line = begin / RICO__CACHE_TURN_GROUPS;
    return (line + (frame - line) % RICO__CACHE_TURNS) * RICO__CACHE_TURN_GROUPS;
}

static void fetch_marks(const rico_cache *cache, uint32_t group)
{
    for (uint32_t w = 0; w < cache->worker_count; ++w)
        if (cache->workers[w].marked)
            prefetch_line(cache->marks + (size_t)w * cache->mark_stride +
                          (size_t)group * RICO__CACHE_GROUP);
}

/* Counts the marks of those of the shard's groups that have their turn in the frame. Other
 * workers wrote these marks, so all are fetched before any is needed. */
static void use_in_turn(rico_cache *cache, uint32_t shard_index, uint32_t frame)
{
    const uint32_t step = RICO__CACHE_TURNS * RICO__CACHE_TURN_GROUPS;
    const uint32_t begin = rico__cache_first_group(cache, shard_index);
    const uint32_t end = rico__cache_first_group(cache, shard_index + 1);
    const uint32_t first = first_in_turn(begin, frame);
    for (uint32_t group = first; group < end; group += step)
        fetch_marks(cache, group);
    for (uint32_t group = first; group < end; group += step)
        use_marked(cache, uint_max(begin, group),
                   uint_min(end, group + RICO__CACHE_TURN_GROUPS));
}

static void use_in_turns(rico_cache *cache, uint32_t shard_index)
{
    for (uint32_t frame = cache->turns_from; frame != cache->frame; ++frame)
        use_in_turn(cache, shard_index, frame + 1);
}

/* Counts the marks of the groups that have deposits. The entries are sorted. */
static void use_where_deposited(rico_cache *cache, const rico__cache_entry *entries,
                                uint32_t count)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t group = entries[i].bucket / RICO__CACHE_GROUP;
        if (group != last)
            use_marked(cache, group, group + 1);
        last = group;
    }
}

static void merge_shard(rico_cache *cache, uint32_t shard_index)
{
    rico__cache_shard *shard = &cache->shards[shard_index];
    if (cache->any_marked)
        use_in_turns(cache, shard_index);
    if (shard->count == 0)
        return;
    rico__cache_entry *entries = rico__cache_sort(cache, shard_index);
    if (cache->any_marked)
        use_where_deposited(cache, entries, shard->count);
    rico__cache_fold_deposits(cache, shard, entries, shard->count);
    shard->count = 0;
}

void rico_cache_merge_range(rico_cache *cache, uint32_t shard_begin, uint32_t shard_end)
{
    if (!RICO_REQUIRE(cache != NULL && cache->merging && shard_begin <= shard_end &&
                      shard_end <= cache->shard_count))
        return;
    for (uint32_t i = shard_begin; i < shard_end; ++i)
        merge_shard(cache, i);
}

void rico_cache_merge_end(rico_cache *cache)
{
    if (!RICO_REQUIRE(cache != NULL && cache->merging))
        return;
    for (uint32_t i = 0; i < cache->shard_count; ++i)
        if (!RICO_REQUIRE(cache->shards[i].count == 0)) /* the caller left it out */
            cache->shards[i].count = 0;
    cache->merging = false;
}
