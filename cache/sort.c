/* A shard's deposits in order. */
#include "bits.h"
#include "cache_table.h"

#define MOST_BITS 8u
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
                               a->units, &deposit_b->info,
                               rico__cache_deposit_payload(deposit_b), b->units) < 0;
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

/* Two digits of the bucket, counted from the shard's first: its leading bits, if it has more. */
typedef struct digits {
    uint32_t first, shift, bits; /* bits: of each */
} digits;

static uint32_t lead_of(const digits *d, const rico__cache_entry *entry)
{
    return (entry->bucket - d->first) >> d->shift;
}

/* Enough that few share their leading bits; few, since a step's merge of some deposits must not pay for
 * many bins. */
static digits digits_for(const rico_cache *cache, uint32_t shard)
{
    uint32_t count = cache->shards[shard].count;
    uint32_t end = rico__cache_first_group(cache, shard + 1) * RICO__CACHE_GROUP;
    digits d = {.first = rico__cache_first_group(cache, shard) * RICO__CACHE_GROUP, .bits = 4};
    while (d.bits < MOST_BITS && count >> (2 * d.bits - 4) != 0)
        d.bits += 1;
    while ((end - d.first) >> d.shift >> (2 * d.bits) != 0)
        d.shift += 1;
    return d;
}

static void end_to_begin(uint32_t *counts, uint32_t bins)
{
    for (uint32_t b = 0, begin = 0; b < bins; ++b) {
        uint32_t count = counts[b];
        counts[b] = begin;
        begin += count;
    }
}

/* By the low digit into scratch, and back by the high one. Buckets are hashed, so that few are left to
 * be told apart, unless a host means harm. */
static void sort_by_digits(const digits *d, rico__cache_entry *entries,
                           rico__cache_entry *scratch, uint32_t count)
{
    uint32_t low[1u << MOST_BITS], high[1u << MOST_BITS], mask = (1u << d->bits) - 1;
    memset(low, 0, sizeof *low << d->bits);
    memset(high, 0, sizeof *high << d->bits);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t lead = lead_of(d, &entries[i]);
        low[lead & mask] += 1;
        high[lead >> d->bits] += 1;
    }
    end_to_begin(low, mask + 1);
    end_to_begin(high, mask + 1);
    for (uint32_t i = 0; i < count; ++i)
        scratch[low[lead_of(d, &entries[i]) & mask]++] = entries[i];
    for (uint32_t i = 0; i < count; ++i)
        entries[high[lead_of(d, &scratch[i]) >> d->bits]++] = scratch[i];
}

static void sort_runs(const rico_cache *cache, const digits *d, rico__cache_entry *entries,
                      rico__cache_entry *scratch, uint32_t count)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t lead = lead_of(d, &entries[i]);
        for (end = i + 1; end < count && lead_of(d, &entries[end]) == lead; ++end)
            continue;
        if (end - i > FEW)
            sort_many(cache, entries + i, scratch + i, end - i);
        else if (end - i > 1)
            sort_few(cache, entries + i, end - i);
    }
}

rico__cache_entry *rico__cache_sort(rico_cache *cache, uint32_t shard_index)
{
    const rico__cache_shard *shard = &cache->shards[shard_index];
    rico__cache_entry *entries = cache->entries + shard->entry_begin;
    rico__cache_entry *scratch = cache->scratch + shard->entry_begin;
    if (shard->count <= FEW) {
        sort_few(cache, entries, shard->count);
        return entries;
    }
    digits d = digits_for(cache, shard_index);
    sort_by_digits(&d, entries, scratch, shard->count);
    sort_runs(cache, &d, entries, scratch, shard->count);
    return entries;
}
