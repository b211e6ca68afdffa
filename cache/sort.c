/* A shard's deposits in order. */
#include "bits.h"
#include "cache_table.h"

#define MOST_BINS 256u
#define FEW 16u /* are sorted by insertion */

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

/* Bottom up: libc's qsort may allocate, and quicksort has a worst case that a host's data could
 * meet. */
static void sort_many(const rico_cache *cache, rico__cache_entry *entries,
                      rico__cache_entry *scratch, uint32_t count)
{
    rico__cache_entry *from = entries, *to = scratch;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t at = 0; at < count; at += 2 * width)
            merge_runs(cache, from + at, uint_min(width, count - at),
                       uint_min(2 * width, count - at), to + at);
        rico__cache_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries)
        memcpy(entries, from, count * sizeof *entries);
}

static void sort_few(const rico_cache *cache, rico__cache_entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        rico__cache_entry entry = entries[i];
        uint32_t at = i;
        if (entries[i - 1].bucket < entry.bucket)
            continue;
        for (; at > 0 && is_before(cache, &entry, &entries[at - 1]); --at)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

/* Where each bin has few, all of them in one go: most are in place already. */
static void sort_bins(const rico_cache *cache, rico__cache_entry *entries,
                      rico__cache_entry *scratch, const uint32_t *ends, uint32_t bins)
{
    uint32_t most = ends[0];
    for (uint32_t b = 1; b < bins; ++b)
        most = uint_max(most, ends[b] - ends[b - 1]);
    if (most <= FEW) {
        sort_few(cache, entries, ends[bins - 1]);
        return;
    }
    for (uint32_t b = 0, begin = 0; b < bins; begin = ends[b++])
        sort_many(cache, entries + begin, scratch + begin, ends[b] - begin);
}

/* About one entry for each: a step's merge of a few deposits must not pay for many bins. */
static uint32_t bins_for(uint32_t count)
{
    uint32_t bins = FEW;
    while (bins < count && bins < MOST_BINS)
        bins *= 2;
    return bins;
}

/* By the leading bits of the bucket, counted from the shard's first; then bin by bin. Buckets are
 * hashed, so that bins are of a few each, unless a host means harm. */
static rico__cache_entry *sort_by_bins(rico_cache *cache, uint32_t shard_index)
{
    const rico__cache_shard *shard = &cache->shards[shard_index];
    rico__cache_entry *from = cache->entries + shard->entry_begin;
    rico__cache_entry *to = cache->scratch + shard->entry_begin;
    uint32_t first = rico__cache_first_group(cache, shard_index) * RICO__CACHE_GROUP;
    uint32_t end = rico__cache_first_group(cache, shard_index + 1) * RICO__CACHE_GROUP;
    uint32_t shift = 0, bins = bins_for(shard->count), ends[MOST_BINS + 1];
    memset(ends, 0, (bins + 1) * sizeof *ends);
    while ((end - first) >> shift >= bins)
        shift += 1;
    for (uint32_t i = 0; i < shard->count; ++i)
        ends[((from[i].bucket - first) >> shift) + 1] += 1;
    for (uint32_t b = 0; b < bins; ++b)
        ends[b + 1] += ends[b];
    for (uint32_t i = 0; i < shard->count; ++i)
        to[ends[(from[i].bucket - first) >> shift]++] = from[i];
    sort_bins(cache, to, from, ends, bins);
    return to;
}

rico__cache_entry *rico__cache_sort(rico_cache *cache, uint32_t shard_index)
{
    const rico__cache_shard *shard = &cache->shards[shard_index];
    rico__cache_entry *entries = cache->entries + shard->entry_begin;
    if (shard->count > FEW)
        return sort_by_bins(cache, shard_index);
    sort_few(cache, entries, shard->count);
    return entries;
}
