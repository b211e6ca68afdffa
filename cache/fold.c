/* The deposits of one group into the table: replacement, admission, eviction (cache.h, steps 2 to
 * 4). */
#include "cache_table.h"
#include "check.h"

#define HANDLED 0x3ffffffu /* entry.deposit: replaced a record, or was dropped */
#define NO_VICTIM UINT32_MAX

static rico_cache_key key_of(const rico_cache *cache, size_t record)
{
    return cache->lines[record / RICO__CACHE_STRIDE].keys[record % RICO__CACHE_STRIDE];
}

static size_t first_of_group(uint32_t bucket)
{
    return rico__cache_record(bucket / RICO__CACHE_GROUP * RICO__CACHE_GROUP, 0);
}

static uint32_t records_in_group(const rico_cache *cache, uint32_t bucket)
{
    uint32_t first = bucket / RICO__CACHE_GROUP * RICO__CACHE_GROUP;
    return uint_min(cache->bucket_count - first, RICO__CACHE_GROUP) * RICO__CACHE_STRIDE;
}

/* --- Room ---------------------------------------------------------------------------------- */

void rico__cache_clear(rico_cache *cache, uint32_t bucket, uint32_t way)
{
    rico__cache_line *line = &cache->lines[bucket];
    uint8_t *units = &cache->sizes[rico__cache_record(bucket, way)];
    if (*units > 0)
        rico__cache_free_units(cache, bucket, line->place[way], *units);
    *units = 0;
    line->keys[way] = RICO_NO_KEY;
}

static void evict(rico_cache *cache, rico__cache_shard *shard, size_t record)
{
    shard->units_used -= cache->sizes[record];
    rico__cache_clear(cache, (uint32_t)(record / RICO__CACHE_STRIDE),
                      (uint32_t)(record % RICO__CACHE_STRIDE));
    shard->evicted += 1;
    shard->record_count -= 1;
}

/* Whether record a goes before b: the oldest use, then the smallest key. */
static bool goes_before(const rico_cache *cache, size_t a, size_t b)
{
    uint32_t used_a = cache->last_used[a], used_b = cache->last_used[b];
    return used_a < used_b || (used_a == used_b && key_of(cache, a) < key_of(cache, b));
}

/* The way of a full bucket that goes first, of those not used this frame; NO_VICTIM. */
static uint32_t victim_of(const rico_cache *cache, size_t first)
{
    uint32_t victim = NO_VICTIM;
    for (uint32_t i = 0; i < RICO__CACHE_WAYS; ++i)
        if (cache->last_used[first + i] != cache->frame &&
            (victim == NO_VICTIM || goes_before(cache, first + i, first + victim)))
            victim = i;
    return victim;
}

/* Units that victims would free. Bucket by bucket: loops of eight become vectors. */
static uint32_t evictable_units(const rico_cache *cache, uint32_t bucket)
{
    size_t first = first_of_group(bucket);
    uint32_t count = records_in_group(cache, bucket), units = 0;
    for (uint32_t i = 0; i < count; i += RICO__CACHE_STRIDE) {
        const uint32_t *used = cache->last_used + first + i;
        const uint8_t *sizes = cache->sizes + first + i;
        for (uint32_t k = 0; k < RICO__CACHE_STRIDE; ++k)
            units += used[k] == cache->frame ? 0u : sizes[k];
    }
    return units;
}

static uint32_t free_units(const rico_cache *cache, uint32_t bucket)
{
    return cache->units[bucket / RICO__CACHE_GROUP].free;
}

static bool can_have_room(const rico_cache *cache, uint32_t bucket, uint32_t units)
{
    uint32_t free = free_units(cache, bucket);
    return free >= units || free + evictable_units(cache, bucket) >= units;
}

/* When the group's records were last used, those that may go and have payload; others: never. */
#define GROUP_RECORDS (RICO__CACHE_GROUP * RICO__CACHE_STRIDE)
typedef struct victims {
    uint32_t used[GROUP_RECORDS];
} victims;

static void list_victims(const rico_cache *cache, size_t first, uint32_t count, victims *list)
{
    memset(list, 0xff, sizeof *list);
    for (uint32_t i = 0; i < count; i += RICO__CACHE_STRIDE) {
        const uint32_t *used = cache->last_used + first + i;
        const uint8_t *sizes = cache->sizes + first + i;
        for (uint32_t k = 0; k < RICO__CACHE_STRIDE; ++k) {
            bool stays = (used[k] == cache->frame) | (sizes[k] == 0);
            list->used[i + k] = used[k] | (stays ? UINT32_MAX : 0);
        }
    }
}

/* The one that goes first, which leaves the list. There is one. */
static uint32_t next_victim(const rico_cache *cache, size_t first, victims *list)
{
    uint32_t oldest = UINT32_MAX, victim = NO_VICTIM;
    for (uint32_t i = 0; i < GROUP_RECORDS; ++i)
        oldest = list->used[i] < oldest ? list->used[i] : oldest;
    for (uint32_t i = 0; i < GROUP_RECORDS; ++i)
        if (list->used[i] == oldest &&
            (victim == NO_VICTIM || goes_before(cache, first + i, first + victim)))
            victim = i;
    list->used[victim] = UINT32_MAX;
    return victim;
}

/* can_have_room must be true. */
static void make_room(rico_cache *cache, rico__cache_shard *shard, uint32_t bucket,
                      uint32_t units)
{
    victims list;
    size_t first = first_of_group(bucket);
    if (free_units(cache, bucket) >= units)
        return;
    list_victims(cache, first, records_in_group(cache, bucket), &list);
    while (free_units(cache, bucket) < units)
        evict(cache, shard, first + next_victim(cache, first, &list));
}

/* --- One record ---------------------------------------------------------------------------- */

void rico__cache_write(rico__cache_copies *copies, uint32_t left)
{
    for (; copies->count > left; --copies->count) {
        const rico__cache_copy *copy = &copies->copy[copies->first++ % RICO__CACHE_COPIES];
        *copy->info = copy->deposit->info;
        rico__cache_copy_payload(copy->to, rico__cache_deposit_payload(copy->deposit),
                                 (size_t)copy->deposit->units * copies->unit_bytes);
    }
}

/* Memory that is written without being fetched first would be waited for. What waits to be written is
 * of this frame, so that nobody compares or evicts it; but payloads may be moved. */
static void write_later(rico_cache *cache, rico__cache_copies *copies, uint32_t bucket,
                        uint32_t way, rico__cache_deposit *deposit)
{
    uint8_t *to = rico__cache_payload(cache, bucket, way);
    size_t bytes = (size_t)deposit->units * cache->unit_bytes;
    rico_cache_info *info = rico__cache_info_of(cache, bucket, way);
    rico__cache_write(copies, RICO__CACHE_COPIES - 1);
    copies->copy[(copies->first + copies->count++) % RICO__CACHE_COPIES] =
        (rico__cache_copy){to, info, deposit};
    rico__cache_fetch_to_write(info);
    for (size_t at = 0; at < bytes; at += RICO_CACHE_LINE)
        rico__cache_fetch_to_write(to + at);
}

static uint32_t take_units(rico_cache *cache, rico__cache_copies *copies, uint32_t bucket,
                           uint32_t units)
{
    uint32_t first = rico__cache_take_units(cache, bucket, units);
    if (first < RICO__CACHE_UNITS)
        return first;
    rico__cache_write(copies, 0);
    rico__cache_close_gaps(cache, bucket / RICO__CACHE_GROUP, units);
    first = rico__cache_take_units(cache, bucket, units);
    RICO_ASSERT(first < RICO__CACHE_UNITS);
    return first;
}

/* The way has no units yet, and there is room. */
static void store(rico_cache *cache, rico__cache_copies *copies, uint32_t bucket, uint32_t way,
                  rico__cache_deposit *deposit)
{
    rico__cache_line *line = &cache->lines[bucket];
    size_t record = rico__cache_record(bucket, way);
    uint32_t bare = 1u << way;
    line->bare = (uint8_t)(deposit->units == 0 ? line->bare | bare : line->bare & ~bare);
    if (deposit->units > 0) {
        line->place[way] = (uint8_t)take_units(cache, copies, bucket, deposit->units);
        cache->sizes[record] = (uint8_t)deposit->units; /* of an empty way: 0 */
    }
    line->keys[way] = deposit->key;
    cache->last_used[record] = cache->frame;
    write_later(cache, copies, bucket, way, deposit);
}

/* False: it does not beat the record, or there is no room for it. */
static bool replace(rico_cache *cache, rico__cache_shard *shard, rico__cache_copies *copies,
                    uint32_t bucket, uint32_t way, rico__cache_deposit *deposit)
{
    size_t record = rico__cache_record(bucket, way);
    uint32_t had = cache->sizes[record], used = cache->last_used[record];
    if (rico__cache_compare(cache, &deposit->info, rico__cache_deposit_payload(deposit),
                            deposit->units, rico__cache_info_of(cache, bucket, way),
                            rico__cache_payload(cache, bucket, way), had) >= 0)
        return false;
    uint32_t more = deposit->units - uint_min(had, deposit->units);
    cache->last_used[record] = cache->frame; /* it is no victim of its own */
    if (more > 0 && !can_have_room(cache, bucket, more)) {
        cache->last_used[record] = used;
        return false;
    }
    make_room(cache, shard, bucket, more);
    rico__cache_clear(cache, bucket, way);
    store(cache, copies, bucket, way, deposit);
    shard->units_used += deposit->units - had;
    return true;
}

static void insert(rico_cache *cache, rico__cache_shard *shard, rico__cache_copies *copies,
                   uint32_t bucket, rico__cache_deposit *deposit)
{
    size_t first = rico__cache_record(bucket, 0);
    uint32_t way = rico__cache_way(&cache->lines[bucket], RICO_NO_KEY);
    bool is_full = way == RICO__CACHE_WAYS;
    if (is_full)
        way = victim_of(cache, first);
    if (way == NO_VICTIM || !can_have_room(cache, bucket, deposit->units)) {
        shard->dropped += 1;
        return;
    }
    if (is_full)
        evict(cache, shard, first + way);
    make_room(cache, shard, bucket, deposit->units);
    store(cache, copies, bucket, way, deposit);
    shard->inserted += 1;
    shard->record_count += 1;
    shard->units_used += deposit->units;
}

/* --- Admission ----------------------------------------------------------------------------- */

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

/* Replacements go first: what they touch is used in this frame and so safe from insertions. */
static void fold_replacements(rico_cache *cache, rico__cache_shard *shard,
                              rico__cache_copies *copies, rico__cache_entry *entries,
                              uint32_t count)
{
    rico_cache_key last = RICO_NO_KEY;
    for (uint32_t i = 0; i < count; ++i) {
        rico__cache_entry *entry = &entries[i];
        bool is_double = entry->key == last;
        uint32_t way = rico__cache_way(&cache->lines[entry->bucket], entry->key);
        last = entry->key;
        if (!is_double && way == RICO__CACHE_WAYS)
            continue;
        rico__cache_deposit *deposit = rico__cache_deposit_at(cache, entry->deposit);
        if (!is_double && replace(cache, shard, copies, entry->bucket, way, deposit))
            shard->replaced += 1;
        else
            shard->dropped += 1;
        entry->deposit = HANDLED;
    }
}

/* A bucket's new keys. */
static void fold_insertions(rico_cache *cache, rico__cache_shard *shard,
                            rico__cache_copies *copies, const rico__cache_entry *entries,
                            uint32_t count)
{
    candidates list = {.count = 0};
    for (uint32_t i = 0; i < count; ++i)
        if (entries[i].deposit != HANDLED)
            shard->dropped += !offer(&list, rico__cache_deposit_at(cache, entries[i].deposit));
    for (uint32_t i = 0; i < list.count; ++i)
        insert(cache, shard, copies, entries[0].bucket, list.deposit[i]);
}

void rico__cache_fold(rico_cache *cache, rico__cache_shard *shard, rico__cache_copies *copies,
                      rico__cache_entry *entries, uint32_t count)
{
    fold_replacements(cache, shard, copies, entries, count);
    if (count == 1 && entries[0].deposit != HANDLED) {
        insert(cache, shard, copies, entries[0].bucket,
               rico__cache_deposit_at(cache, entries[0].deposit));
        return;
    }
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && entries[end].bucket == entries[i].bucket; ++end)
            continue;
        fold_insertions(cache, shard, copies, entries + i, end - i);
    }
}
