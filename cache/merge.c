/* Merging: marks, then deposits, into the table; a shard at a time.
 *
 * A shard's result is a function of its buckets, its marks and its set of deposits: marks are
 * combined by OR, deposits are sorted by a total order before any of them is applied, and each
 * bucket is then folded by the rule in cache.h. Buckets do not see each other, so how they are
 * grouped into shards, and shards into ranges, leaves no trace.
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
    return rico__cache_compare(&deposit_a->info, rico__cache_deposit_payload(deposit_a),
                               &deposit_b->info, rico__cache_deposit_payload(deposit_b),
                               cache->payload_bytes) < 0;
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

/* ---- Folding one bucket ---- */

/* New keys that compete for a bucket's places: at most as many as it has ways, the best first
 * by (higher rank, smaller key). */
typedef struct candidates {
    rico__cache_deposit *deposit[RICO__CACHE_WAYS];
    uint32_t count;
} candidates;

/* Offers come in ascending key order, so among equal ranks the earlier stays in front. Returns
 * false when somebody (perhaps the new one) found no place. */
static bool offer(candidates *list, rico__cache_deposit *deposit)
{
    uint32_t at = list->count;
    while (at > 0 && list->deposit[at - 1]->info.rank < deposit->info.rank)
        --at;
    bool is_full = list->count == RICO__CACHE_WAYS;
    if (at == RICO__CACHE_WAYS)
        return false;
    for (uint32_t i = is_full ? RICO__CACHE_WAYS - 1 : list->count; i > at; --i)
        list->deposit[i] = list->deposit[i - 1];
    list->deposit[at] = deposit;
    list->count += !is_full;
    return !is_full;
}

static void store(rico_cache *cache, size_t record, rico__cache_deposit *deposit)
{
    cache->keys[record] = deposit->key;
    cache->infos[record] = deposit->info;
    cache->last_used[record] = cache->frame;
    memcpy(rico__cache_payload(cache, record), rico__cache_deposit_payload(deposit),
           cache->payload_bytes);
}

static bool replace_if_better(rico_cache *cache, size_t record, rico__cache_deposit *deposit)
{
    if (rico__cache_compare(&deposit->info, rico__cache_deposit_payload(deposit),
                            &cache->infos[record], rico__cache_payload(cache, record),
                            cache->payload_bytes) >= 0)
        return false;
    store(cache, record, deposit);
    return true;
}

/* Of the records not used this frame, the one with the oldest use, then the smallest key; or
 * RICO__CACHE_WAYS. */
static uint32_t victim_way(const rico_cache *cache, uint32_t bucket)
{
    const rico_cache_key *keys = cache->keys + rico__cache_record(bucket, 0);
    const uint32_t *used = cache->last_used + rico__cache_record(bucket, 0);
    uint32_t victim = RICO__CACHE_WAYS;
    for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way) {
        if (used[way] == cache->frame)
            continue;
        if (victim == RICO__CACHE_WAYS || used[way] < used[victim] ||
            (used[way] == used[victim] && keys[way] < keys[victim]))
            victim = way;
    }
    return victim;
}

static void insert(rico_cache *cache, rico__cache_shard *shard, uint32_t bucket,
                   rico__cache_deposit *deposit)
{
    const rico_cache_key *keys = cache->keys + rico__cache_record(bucket, 0);
    uint32_t way = rico__cache_way(keys, RICO_NO_KEY);
    if (way == RICO__CACHE_WAYS) {
        way = victim_way(cache, bucket);
        if (way == RICO__CACHE_WAYS) {
            shard->dropped += 1;
            return;
        }
        shard->evicted += 1;
        shard->record_count -= 1;
    }
    store(cache, rico__cache_record(bucket, way), deposit);
    shard->inserted += 1;
    shard->record_count += 1;
}

/* The entries are one bucket's, sorted. Replacements go first: what they touch is used in this
 * frame and so safe from the insertions. */
static void fold_bucket(rico_cache *cache, rico__cache_shard *shard,
                        const rico__cache_entry *entries, uint32_t count)
{
    uint32_t bucket = entries[0].bucket;
    const rico_cache_key *keys = cache->keys + rico__cache_record(bucket, 0);
    candidates list = {.count = 0};
    for (uint32_t i = 0; i < count; ++i) {
        if (i > 0 && entries[i].key == entries[i - 1].key) {
            shard->dropped += 1;
            continue;
        }
        rico__cache_deposit *deposit = rico__cache_deposit_at(cache, entries[i].deposit);
        uint32_t way = rico__cache_way(keys, entries[i].key);
        if (way == RICO__CACHE_WAYS)
            shard->dropped += !offer(&list, deposit);
        else if (replace_if_better(cache, rico__cache_record(bucket, way), deposit))
            shard->replaced += 1;
        else
            shard->dropped += 1;
    }
    for (uint32_t i = 0; i < list.count; ++i)
        insert(cache, shard, bucket, list.deposit[i]);
}

/* Two steps ahead of the fold: first the lines that every deposit needs; then, with the keys at
 * hand, those of the record that the conflict rule will read. */
static void fetch_bucket(const rico_cache *cache, const rico__cache_entry *entry)
{
    size_t record = rico__cache_record(entry->bucket, 0);
    rico__cache_fetch(cache->keys + record);
    rico__cache_fetch(cache->last_used + record);
    rico__cache_fetch(rico__cache_deposit_at(cache, entry->deposit));
}

static void fold_entries(rico_cache *cache, rico__cache_shard *shard,
                         const rico__cache_entry *entries, uint32_t count)
{
    uint32_t bucket_fetched = 0, record_fetched = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && entries[end].bucket == entries[i].bucket; ++end)
            continue;
        for (; bucket_fetched < uint_min(end + 2 * FETCH_AHEAD, count); ++bucket_fetched)
            fetch_bucket(cache, &entries[bucket_fetched]);
        for (; record_fetched < uint_min(end + FETCH_AHEAD, count); ++record_fetched)
            rico__cache_fetch_record(cache, entries[record_fetched].bucket,
                                     entries[record_fetched].key);
        fold_bucket(cache, shard, entries + i, end - i);
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
