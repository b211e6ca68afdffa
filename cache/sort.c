/* Sorts deposits: into shards when a merge begins, and exactly in each shard. */
#include "bits.h"
#include "cache_table.h"

/* Per entry: how many moves insertion may make. Bins that need more are crowded. */
#define MOVES 8u
#define MOST_DIGIT_BITS 10u
#define FEW 8u /* so few entries are sorted by insertion alone */

static void count_region(rico_cache *cache, const rico__cache_region *region)
{
    const rico__cache_entry *arrivals = cache->arrivals + region->begin;
    uint32_t slots = rico__cache_slots_of(region);
    for (uint32_t i = 0; i < slots; ++i)
        if (arrivals[i].key != RICO_NO_KEY)
            cache->shards[rico__cache_shard_of(cache, arrivals[i].bucket)].count += 1;
}

static void divide_region(rico_cache *cache, const rico__cache_region *region)
{
    const rico__cache_entry *arrivals = cache->arrivals + region->begin;
    uint32_t slots = rico__cache_slots_of(region);
    for (uint32_t i = 0; i < slots; ++i) {
        if (arrivals[i].key == RICO_NO_KEY)
            continue;
        rico__cache_shard *shard =
            &cache->shards[rico__cache_shard_of(cache, arrivals[i].bucket)];
        cache->entries[shard->entry_begin + shard->count++] = arrivals[i];
    }
}

/* One thread does this, so it does no more than needed: shards are sorted on all threads. */
void rico__cache_divide(rico_cache *cache)
{
    uint32_t begin = 0;
    for (uint32_t r = 0; r < cache->worker_count; ++r)
        count_region(cache, &cache->regions[r]);
    for (uint32_t s = 0; s < cache->shard_count; ++s) {
        cache->shards[s].entry_begin = begin;
        begin += cache->shards[s].count;
        cache->shards[s].count = 0;
    }
    for (uint32_t r = 0; r < cache->worker_count; ++r)
        divide_region(cache, &cache->regions[r]);
}

/* ---- By digits ---- */

/* A bucket's number in its shard, without its lowest bits if there are many, is two digits. */
typedef struct digits {
    uint32_t first, drop, low_bits, high_bits;
} digits;

/* 0 for 0. */
static uint32_t length_of(uint32_t n)
{
    return n == 0 ? 0 : bits_highest64(n) + 1;
}

/* The digits have 16 values per entry, or name the bucket. So few neighbours are in the wrong
 * order afterwards: a branch for these is mispredicted. */
static digits digits_of(const rico_cache *cache, uint32_t shard, uint32_t count)
{
    uint32_t first = rico__cache_first_group(cache, shard) * RICO__CACHE_GROUP;
    uint32_t end = rico__cache_first_group(cache, shard + 1) * RICO__CACHE_GROUP;
    uint32_t all = length_of(end - first - 1);
    uint32_t bits = uint_min(uint_min(all, length_of(count) + 4), 2 * MOST_DIGIT_BITS);
    return (digits){first, all - bits, bits - bits / 2, bits / 2};
}

static uint32_t number_of(const digits *d, const rico__cache_entry *entry)
{
    return (entry->bucket - d->first) >> d->drop;
}

/* Turns counts into the places where the entries of each value begin. */
static void count_to_begin(uint32_t *count, uint32_t bits)
{
    for (uint32_t i = 0, begin = 0; i < 1u << bits; ++i) {
        uint32_t here = count[i];
        count[i] = begin;
        begin += here;
    }
}

/* Sorts by the low digit into `spare`, then by the high digit back into `entries`. Nothing
 * depends on what the entries are, so no branch is mispredicted. */
static void sort_by_digits(const digits *d, rico__cache_entry *entries,
                           rico__cache_entry *spare, uint32_t count)
{
    uint32_t low[1u << MOST_DIGIT_BITS], high[1u << MOST_DIGIT_BITS];
    uint32_t low_mask = (1u << d->low_bits) - 1;
    memset(low, 0, sizeof *low << d->low_bits);
    memset(high, 0, sizeof *high << d->high_bits);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = number_of(d, &entries[i]);
        low[number & low_mask] += 1;
        high[number >> d->low_bits] += 1;
    }
    count_to_begin(low, d->low_bits);
    count_to_begin(high, d->high_bits);
    for (uint32_t i = 0; i < count; ++i)
        spare[low[number_of(d, &entries[i]) & low_mask]++] = entries[i];
    for (uint32_t i = 0; i < count; ++i)
        entries[high[number_of(d, &spare[i]) >> d->low_bits]++] = spare[i];
}

/* ---- Exactly ---- */

/* The order is by bucket, key, conflict rule. Entries that compare equal are equal deposits. */
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

/* Returns false if there is too much to move; some entries have been moved by then. */
static bool insert_each(const rico_cache *cache, rico__cache_entry *entries, uint32_t count)
{
    uint32_t moves = MOVES * count;
    for (uint32_t i = 1, at; i < count; ++i) {
        if (entries[i - 1].bucket < entries[i].bucket)
            continue;
        rico__cache_entry entry = entries[i];
        for (at = i; at > 0 && is_before(cache, &entry, &entries[at - 1]); --at)
            entries[at] = entries[at - 1];
        entries[at] = entry;
        if (moves < i - at)
            return false;
        moves -= i - at;
    }
    return true;
}

/* The entry goes down from `at` to where no entry below it comes after it. */
static void sift(const rico_cache *cache, rico__cache_entry *heap, uint32_t count, uint32_t at,
                 rico__cache_entry entry)
{
    for (uint32_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        if (below + 1 < count && is_before(cache, &heap[below], &heap[below + 1]))
            below += 1;
        if (!is_before(cache, &entry, &heap[below]))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = entry;
}

/* Uses a heap: libc's qsort may allocate, and quicksort has a worst case that a host's data
 * could meet. */
static void sort_crowded(const rico_cache *cache, rico__cache_entry *entries, uint32_t count)
{
    for (uint32_t i = count / 2; i > 0; --i)
        sift(cache, entries, count, i - 1, entries[i - 1]);
    for (uint32_t i = count; i > 1; --i) {
        rico__cache_entry entry = entries[i - 1];
        entries[i - 1] = entries[0];
        sift(cache, entries, i - 1, 0, entry);
    }
}

rico__cache_entry *rico__cache_sort(rico_cache *cache, uint32_t shard_index)
{
    const rico__cache_shard *shard = &cache->shards[shard_index];
    rico__cache_entry *entries = cache->entries + shard->entry_begin;
    if (shard->count > FEW) {
        digits d = digits_of(cache, shard_index, shard->count);
        sort_by_digits(&d, entries, cache->arrivals + shard->entry_begin, shard->count);
    }
    if (!insert_each(cache, entries, shard->count))
        sort_crowded(cache, entries, shard->count);
    return entries;
}
