/* Sorts deposits: into bins of neighbouring groups when a merge begins, and exactly in each
 * shard. */
#include "bits.h"
#include "cache_table.h"

#define MOVES                                                                                  \
    8u /* per entry: how many moves insertion may make; bins that need more are crowded */

/* A shard's groups share 2^bits bins, evenly, in their order. */
static uint32_t bin_of(const rico_cache *cache, uint32_t bucket, uint32_t bits)
{
    return (uint32_t)(bucket / RICO__CACHE_GROUP * cache->shard_rate >> (32 - bits));
}

uint32_t rico__cache_bin_bits(uint32_t shards, uint32_t slots)
{
    uint32_t bits = 0;
    while (shards << bits < uint_min(slots, RICO__CACHE_BINS))
        bits += 1;
    return bits;
}

/* Turns counts into the places where bins begin, and sets where each shard's entries begin. */
static void end_to_begin(rico_cache *cache, uint32_t bits)
{
    uint32_t *bin = cache->bins, begin = 0;
    for (uint32_t s = 0; s < cache->shard_count; ++s) {
        rico__cache_shard *shard = &cache->shards[s];
        shard->entry_begin = begin;
        for (uint32_t *end = bin + (1u << bits); bin < end; ++bin) {
            uint32_t count = *bin;
            *bin = begin;
            begin += count;
        }
        shard->count = begin - shard->entry_begin;
    }
}

static void count_region(rico_cache *cache, const rico__cache_region *region, uint32_t bits)
{
    const rico__cache_entry *arrivals = cache->arrivals + region->begin;
    uint32_t slots = rico__cache_slots_of(region);
    for (uint32_t i = 0; i < slots; ++i)
        if (arrivals[i].key != RICO_NO_KEY)
            cache->bins[bin_of(cache, arrivals[i].bucket, bits)] += 1;
}

static void divide_region(rico_cache *cache, const rico__cache_region *region, uint32_t bits)
{
    const rico__cache_entry *arrivals = cache->arrivals + region->begin;
    uint32_t slots = rico__cache_slots_of(region);
    for (uint32_t i = 0; i < slots; ++i)
        if (arrivals[i].key != RICO_NO_KEY)
            cache->entries[cache->bins[bin_of(cache, arrivals[i].bucket, bits)]++] =
                arrivals[i];
}

/* Sorts by counting, in one pass. Buckets are hashed, so bins have about one deposit each,
 * unless a host is malicious. */
void rico__cache_divide(rico_cache *cache, uint32_t slots)
{
    uint32_t bits = rico__cache_bin_bits(cache->shard_count, slots);
    memset(cache->bins, 0, (size_t)cache->shard_count * sizeof *cache->bins << bits);
    for (uint32_t r = 0; r < cache->worker_count; ++r)
        count_region(cache, &cache->regions[r], bits);
    end_to_begin(cache, bits);
    for (uint32_t r = 0; r < cache->worker_count; ++r)
        divide_region(cache, &cache->regions[r], bits);
}

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
    if (!insert_each(cache, entries, shard->count))
        sort_crowded(cache, entries, shard->count);
    return entries;
}
