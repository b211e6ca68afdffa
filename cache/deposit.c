/* Deposits: slots of one pool, and what a merge needs to find them. */
#include <ricochet/cache.h>

#include "cache_table.h"
#include "check.h"

static uint32_t most_lines(const rico_cache *cache)
{
    return cache->deposit_bytes / RICO_CACHE_LINE;
}

/* The first line of the region behind those that were taken. */
static uint32_t line_at(const rico_cache *cache, const rico__cache_region *region,
                        uint64_t taken)
{
    return region->begin * most_lines(cache) + (uint32_t)(taken >> 32);
}

/* Takes a chunk of slots, and lines for them. A region has as many lines as the longest
 * payloads in all its slots need. So a worker that gets slots also gets lines for them. The
 * cursor may run over the end; nothing beyond the end is merged. */
static bool take_chunk(const rico_cache *cache, rico__cache_region *region,
                       rico__cache_worker *worker)
{
    uint32_t slots = region->end - region->begin;
    uint64_t lines = RICO__CACHE_CHUNK * most_lines(cache);
    /* Relaxed: after a stale value the fetch_add still decides. Without this check the cursor
     * of a full region would go on counting and could wrap round to 0. */
    if ((uint32_t)rico__atomic_load_relaxed64(&region->cursor) >= slots)
        return false;
    uint64_t taken = rico__atomic_fetch_add64(&region->cursor, lines << 32 | RICO__CACHE_CHUNK);
    if ((uint32_t)taken >= slots)
        return false;
    worker->slot = region->begin + (uint32_t)taken;
    worker->slot_end = uint_min(worker->slot + RICO__CACHE_CHUNK, region->end);
    worker->line = line_at(cache, region, taken);
    return true;
}

/* Takes one slot. Returns false when all but the last chunk are taken. fetch_add would not do:
 * the end is before that of the slots, and a slot that is taken beyond it but not filled would
 * be merged. Each round but the last means that another thread took a slot, so the number of
 * slots bounds the rounds. */
static bool take_slot(const rico_cache *cache, rico__cache_region *region, uint32_t lines,
                      uint32_t *slot, uint32_t *line)
{
    uint64_t taken, next;
    do {
        taken = rico__atomic_load_relaxed64(&region->cursor);
        if ((uint32_t)taken >= region->end - region->begin - RICO__CACHE_CHUNK)
            return false;
        next = taken + ((uint64_t)lines << 32 | 1u);
    } while (!rico__atomic_cas64(&region->cursor, taken, next));
    *slot = region->begin + (uint32_t)taken;
    *line = line_at(cache, region, taken);
    return true;
}

/* Takes a slot of any region. Regions together have deposit_capacity slots for these calls. */
static bool take_any_slot(rico_cache *cache, uint32_t lines, uint32_t *slot, uint32_t *line)
{
    for (uint32_t r = 0; r < cache->worker_count; ++r)
        if (take_slot(cache, &cache->regions[r], lines, slot, line))
            return true;
    return false;
}

/* Whether the worker has a slot: of its own region, or else of another. Merging skips the slots
 * that it leaves empty. */
static bool has_own_slot(rico_cache *cache, rico__cache_worker *worker)
{
    if (worker->slot < worker->slot_end)
        return true;
    for (uint32_t tried = 0; tried < cache->worker_count; ++tried) {
        if (take_chunk(cache, &cache->regions[worker->region], worker))
            return true;
        worker->region = (worker->region + 1) % cache->worker_count;
    }
    worker->slot = worker->slot_end = 0;
    return false;
}

/* Rounded up. The result is exact: bytes and units are below 2^11, so the rate's rounding does
 * not show. */
static uint32_t units_of(const rico_cache *cache, uint32_t bytes)
{
    return (uint32_t)((uint64_t)(bytes + cache->unit_bytes - 1) * cache->unit_rate >> 24);
}

static uint32_t lines_of(uint32_t payload_bytes)
{
    uint32_t bytes = (uint32_t)sizeof(rico__cache_deposit) + payload_bytes;
    return (bytes + RICO_CACHE_LINE - 1) / RICO_CACHE_LINE;
}

static bool can_be_payload(const rico_cache *cache, const void *payload, uint32_t bytes)
{
    return RICO_REQUIRE(cache != NULL && (payload != NULL || bytes == 0)) &&
           RICO_REQUIRE(!cache->merging) &&
           RICO_REQUIRE(bytes <= cache->payload_bytes && bytes % 8 == 0);
}

static bool is_no_key(rico_cache_key key)
{
    return (key & 7) > RICO_WHOLE_CELL;
}

static bool refuse(rico_cache *cache)
{
    rico__atomic_fetch_add64(&cache->refused, 1);
    return false;
}

/* Returns false. A key with direction 7 is either RICO_NO_KEY or was not made by this
 * library. */
static bool refuse_key(rico_cache *cache, rico_cache_key key)
{
    return RICO_REQUIRE(key == RICO_NO_KEY) && refuse(cache);
}

/* Fills all of a slot but the payload's bytes. It writes zeros up to whole units, or a little
 * further, so that one write is enough for short units, whatever the number of bytes. Returns
 * the bytes of the units. */
static inline uint32_t fill_slot(rico_cache *cache, uint32_t slot, uint32_t line,
                                 rico_cache_key key, const rico_cache_info *info,
                                 uint32_t bytes)
{
    rico__cache_deposit *deposit = rico__cache_deposit_at(cache, line);
    uint8_t *payload = rico__cache_deposit_payload(deposit);
    uint32_t units = units_of(cache, bytes), end = units * cache->unit_bytes;
    deposit->info = *info;
    do
        memset(payload + bytes, 0, RICO__CACHE_ZEROS);
    while ((bytes += RICO__CACHE_ZEROS) < end);
    cache->arrivals[slot] = (rico__cache_entry){.key = key,
                                                .bucket = rico__cache_bucket(cache, key),
                                                .deposit = line & 0x3ffffffu,
                                                .units = units & 0x3fu};
    return end;
}

bool rico_cache_deposit_part(rico_cache *cache, rico_cache_key key, const rico_cache_info *info,
                             const void *payload, uint32_t bytes)
{
    uint32_t slot, line;
    if (!RICO_REQUIRE(info != NULL) || !can_be_payload(cache, payload, bytes))
        return false;
    uint32_t lines = lines_of(units_of(cache, bytes) * cache->unit_bytes + RICO__CACHE_ZEROS);
    if (is_no_key(key))
        return refuse_key(cache, key);
    if (!take_any_slot(cache, lines, &slot, &line))
        return refuse(cache);
    rico__cache_copy_payload(rico__cache_deposit_payload(rico__cache_deposit_at(cache, line)),
                             payload, bytes);
    fill_slot(cache, slot, line, key, info, bytes);
    return true;
}

void *rico_cache_deposit_open(rico_cache *cache, uint32_t worker)
{
    if (!RICO_REQUIRE(cache != NULL && worker < cache->worker_count && !cache->merging))
        return NULL;
    rico__cache_worker *own = &cache->workers[worker];
    if (!has_own_slot(cache, own)) {
        refuse(cache);
        return NULL;
    }
    own->open = true;
    return rico__cache_deposit_payload(rico__cache_deposit_at(cache, own->line));
}

bool rico_cache_deposit_close(rico_cache *cache, uint32_t worker, rico_cache_key key,
                              const rico_cache_info *info, uint32_t bytes)
{
    if (!RICO_REQUIRE(cache != NULL && worker < cache->worker_count && info != NULL) ||
        !RICO_REQUIRE(bytes <= cache->payload_bytes && bytes % 8 == 0))
        return false;
    rico__cache_worker *own = &cache->workers[worker];
    if (!RICO_REQUIRE(own->open && own->slot < own->slot_end)) /* merges take all slots */
        return false;
    own->open = false;
    if (is_no_key(key))
        return refuse_key(cache, key);
    /* The zeros behind this deposit's units may lie in the next one; they are written before
     * it. */
    own->line += lines_of(fill_slot(cache, own->slot, own->line, key, info, bytes));
    own->slot += 1;
    return true;
}

bool rico_cache_deposit_by(rico_cache *cache, uint32_t worker, rico_cache_key key,
                           const rico_cache_info *info, const void *payload, uint32_t bytes)
{
    if (!can_be_payload(cache, payload, bytes))
        return false;
    void *to = rico_cache_deposit_open(cache, worker);
    if (to == NULL)
        return false;
    rico__cache_copy_payload(to, payload, bytes);
    return rico_cache_deposit_close(cache, worker, key, info, bytes);
}

bool rico_cache_deposit(rico_cache *cache, rico_cache_key key, const rico_cache_info *info,
                        const void *payload)
{
    if (!RICO_REQUIRE(cache != NULL))
        return false;
    return rico_cache_deposit_part(cache, key, info, payload, cache->payload_bytes);
}

static int compare_words(const uint8_t *a, const uint8_t *b, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += (uint32_t)sizeof(uint32_t)) {
        uint32_t word_a, word_b;
        memcpy(&word_a, a + at, sizeof word_a);
        memcpy(&word_b, b + at, sizeof word_b);
        if (word_a != word_b)
            return word_a < word_b ? -1 : 1;
    }
    return 0;
}

/* Compares by age in the merge of `frame`: frame numbers begin anew at 0 after 2^32. */
static int compare_infos(const rico_cache_info *a, const rico_cache_info *b, uint32_t frame)
{
    if (a->frame != b->frame)
        return frame - a->frame < frame - b->frame ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    if (a->impact != b->impact)
        return a->impact < b->impact ? -1 : 1;
    if (a->collider != b->collider)
        return a->collider < b->collider ? -1 : 1;
    if (a->triangle != b->triangle)
        return a->triangle < b->triangle ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    return 0;
}

int rico__cache_compare(const rico_cache *cache, const rico_cache_info *a,
                        const uint8_t *payload_a, uint32_t units_a, const rico_cache_info *b,
                        const uint8_t *payload_b, uint32_t units_b)
{
    int order = compare_infos(a, b, cache->frame);
    if (order != 0)
        return order;
    if (units_a != units_b)
        return units_a < units_b ? -1 : 1;
    return compare_words(payload_a, payload_b, units_a * cache->unit_bytes);
}
