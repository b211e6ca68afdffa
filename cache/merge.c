/* Merging: marks, then deposits, into the table; a shard at a time.
 *
 * A shard's result is a function of its buckets, its marks and its set of deposits: marks are
 * combined by OR, deposits are sorted by a total order before any of them is applied, and each
 * group of buckets is then folded by the rule in cache.h (fold.c). Groups do not see each other, so
 * how they are divided into shards, and shards into ranges, leaves no trace.
 */
#include <ricochet/cache.h>

#include "bits.h"
#include "cache_table.h"
#include "check.h"

/* Entries between the fetch of a record, and of a bucket, and their use. On an EPYC, 64 MiB: 4
 * is 5 % slower, 16 no faster. */
#define FETCH_AHEAD 8

void rico_cache_merge_begin(rico_cache *cache, uint32_t frame)
{
    if (!RICO_REQUIRE(!cache->merging && frame >= cache->frame))
        return;
    cache->merging = true;
    cache->frame = frame;
    uint32_t total = 0;
    for (uint32_t i = 0; i < cache->shard_count; ++i) {
        cache->shards[i].entry_begin = total;
        total += cache->shards[i].count;
    }
    RICO_ASSERT(total <= cache->deposit_capacity);
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

/* Setting the same frame twice changes nothing, so workers need not be combined first. The mark
 * of a record that was forgotten since lands on an empty way, whose last use nobody reads. */
static void use_marked(rico_cache *cache, uint32_t shard_index)
{
    uint32_t begin = rico__cache_first_group(cache, shard_index);
    uint32_t end = rico__cache_first_group(cache, shard_index + 1);
    for (uint32_t worker = 0; worker < cache->worker_count; ++worker) {
        if (cache->workers[worker].hits == cache->workers[worker].hits_merged)
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

/* ---- Sorting ---- */

/* Bucket, key, conflict rule: entries that compare equal are equal deposits. */
static bool is_before(const rico_cache *cache, const rico__cache_entry *a,
                      const rico__cache_entry *b)
{
    if (a->bucket != b->bucket)
        return a->bucket < b->bucket;
    if (a->key != b->key)
        return a->key < b->key;
    rico__cache_deposit *deposit_a = rico__cache_deposit_at(cache, a->deposit);
    rico__cache_deposit *deposit_b = rico__cache_deposit_at(cache, b->deposit);
    return rico__cache_compare(cache, &deposit_a->info, rico__cache_deposit_payload(deposit_a),
                               deposit_a->units, &deposit_b->info,
                               rico__cache_deposit_payload(deposit_b), deposit_b->units) < 0;
}

static void merge_runs(const rico_cache *cache, const rico__cache_entry *from, uint32_t middle,
                       uint32_t end, rico__cache_entry *to)
{
    uint32_t left = 0, right = middle;
    while (left < middle && right < end) {
        bool take_right = is_before(cache, &from[right], &from[left]);
        *to++ = from[take_right ? right : left];
        right += take_right;
        left += !take_right;
    }
    memcpy(to, from + left, (middle - left) * sizeof *to);
    memcpy(to + (middle - left), from + right, (end - right) * sizeof *to);
}

/* Merge sort, bottom up: libc's qsort may allocate, and quicksort has a worst case that a
 * host's data could meet. Returns which of the two arrays holds the result. */
static rico__cache_entry *sort_entries(const rico_cache *cache, rico__cache_entry *entries,
                                       rico__cache_entry *scratch, uint32_t count)
{
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t at = 0; at < count; at += 2 * width)
            merge_runs(cache, entries + at, uint_min(width, count - at),
                       uint_min(2 * width, count - at), scratch + at);
        rico__cache_entry *swap = entries;
        entries = scratch;
        scratch = swap;
    }
    return entries;
}

static void gather_entries(const rico_cache *cache, const rico__cache_shard *shard,
                           rico__cache_entry *entries)
{
    for (uint32_t next = shard->head; next != 0;) {
        const rico__cache_deposit *deposit = rico__cache_deposit_at(cache, next - 1);
        *entries++ = (rico__cache_entry){deposit->key, deposit->bucket, next - 1};
        next = deposit->next;
    }
}

/* ---- Folding ---- */

/* Two steps ahead of the fold: first the lines that every deposit needs; then, with the keys at
 * hand, those of the record that the conflict rule will read. */
static void fetch_bucket(const rico_cache *cache, const rico__cache_entry *entry)
{
    rico__cache_fetch(&cache->lines[entry->bucket]);
    rico__cache_fetch(&cache->units[entry->bucket / RICO__CACHE_GROUP]);
    rico__cache_fetch(rico__cache_deposit_at(cache, entry->deposit));
}

static void fold_entries(rico_cache *cache, rico__cache_shard *shard,
                         rico__cache_entry *entries, uint32_t count)
{
    uint32_t bucket_fetched = 0, record_fetched = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t group = entries[i].bucket / RICO__CACHE_GROUP;
        for (end = i + 1; end < count && entries[end].bucket / RICO__CACHE_GROUP == group;
             ++end)
            continue;
        for (; bucket_fetched < uint_min(end + 2 * FETCH_AHEAD, count); ++bucket_fetched)
            fetch_bucket(cache, &entries[bucket_fetched]);
        for (; record_fetched < uint_min(end + FETCH_AHEAD, count); ++record_fetched)
            rico__cache_fetch_record(cache, entries[record_fetched].bucket,
                                     entries[record_fetched].key);
        rico__cache_fold(cache, shard, entries + i, end - i);
    }
}

static void merge_shard(rico_cache *cache, uint32_t shard_index)
{
    rico__cache_shard *shard = &cache->shards[shard_index];
    use_marked(cache, shard_index);
    uint32_t count = shard->count;
    rico__cache_entry *entries = cache->entries + shard->entry_begin;
    gather_entries(cache, shard, entries);
    entries = sort_entries(cache, entries, cache->scratch + shard->entry_begin, count);
    fold_entries(cache, shard, entries, count);
    shard->head = 0;
    shard->count = 0;
}

void rico_cache_merge_range(rico_cache *cache, uint32_t shard_begin, uint32_t shard_end)
{
    if (!RICO_REQUIRE(cache->merging && shard_begin <= shard_end &&
                      shard_end <= cache->shard_count))
        return;
    for (uint32_t i = shard_begin; i < shard_end; ++i)
        merge_shard(cache, i);
}

void rico_cache_merge_end(rico_cache *cache)
{
    if (!RICO_REQUIRE(cache->merging))
        return;
    for (uint32_t i = 0; i < cache->shard_count; ++i)
        (void)RICO_REQUIRE(cache->shards[i].count == 0); /* a shard was left out */
    for (uint32_t i = 0; i < cache->worker_count; ++i)
        cache->workers[i].hits_merged = cache->workers[i].hits;
    uint32_t taken = rico__atomic_load32(&cache->deposit_cursor);
    cache->deposits_merged += uint_min(taken, cache->deposit_capacity);
    rico__atomic_store32(&cache->deposit_cursor, 0);
    cache->merging = false;
}
