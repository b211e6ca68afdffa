/* Puts deposits into the table: replacement, admission, eviction (cache.h, steps 2 to 4), a
 * group at a time. Infos and payloads are written later. */
#include "bits.h"
#include "cache_table.h"
#include "check.h"

#define HANDLED 0x3ffffffu /* entry.deposit: it replaced a record, or was dropped */
#define NO_VICTIM UINT32_MAX

/* How many entries ahead of its fold the memory that a deposit reads is fetched into the second
 * cache, and from there into the first; the same for what its victims need. The second cache
 * can wait for more lines at a time, but the CPU waits for a store that misses the first. */
#define FETCH_AHEAD 40
#define NEAR_AHEAD 12
#define LOOK_AHEAD 16
#define FOLD_AT_ONCE 8
#define WAYS_AT_ONCE 32u /* larger batches belong to one crowded group: a malicious host */

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
    uint8_t *units = rico__cache_size_of(cache, rico__cache_record(bucket, way));
    if (*units > 0)
        rico__cache_free_units(cache, bucket, line->place[way], *units);
    *units = 0;
    line->keys[way] = RICO_NO_KEY;
}

static void evict(rico_cache *cache, rico__cache_shard *shard, size_t record)
{
    shard->units_used -= *rico__cache_size_of(cache, record);
    rico__cache_clear(cache, (uint32_t)(record / RICO__CACHE_STRIDE),
                      (uint32_t)(record % RICO__CACHE_STRIDE));
    shard->evicted += 1;
    shard->record_count -= 1;
}

/* Frame numbers begin anew at 0 after 2^32, so ages are compared, not numbers. */
static uint32_t frames_since(const rico_cache *cache, uint32_t frame)
{
    return cache->frame - frame;
}

/* Whether record a goes before b: the oldest use, then the smallest key. */
static bool goes_before(const rico_cache *cache, size_t a, size_t b)
{
    uint32_t unused_a = frames_since(cache, cache->last_used[a]);
    uint32_t unused_b = frames_since(cache, cache->last_used[b]);
    return unused_a > unused_b || (unused_a == unused_b && key_of(cache, a) < key_of(cache, b));
}

/* The way of a full bucket that goes first, among those not used this frame; or NO_VICTIM. */
static uint32_t victim_of(const rico_cache *cache, size_t first)
{
    uint32_t victim = NO_VICTIM;
    for (uint32_t i = 0; i < RICO__CACHE_WAYS; ++i)
        if (cache->last_used[first + i] != cache->frame &&
            (victim == NO_VICTIM || goes_before(cache, first + i, first + victim)))
            victim = i;
    return victim;
}

static uint32_t free_units(const rico_cache *cache, uint32_t bucket)
{
    return rico__cache_units_free(&cache->units[bucket / RICO__CACHE_GROUP]);
}

/* Whether enough units are free, or victims would free them. Mostly one or two buckets are
 * enough to know. */
static bool can_have_room(const rico_cache *cache, uint32_t bucket, uint32_t units)
{
    size_t first = first_of_group(bucket);
    uint32_t count = records_in_group(cache, bucket), had = free_units(cache, bucket);
    for (uint32_t i = 0; i < count && had < units; i += RICO__CACHE_STRIDE) {
        const uint32_t *used = cache->last_used + first + i;
        const uint8_t *sizes = rico__cache_size_of(cache, first + i);
        for (uint32_t k = 0; k < RICO__CACHE_WAYS; ++k)
            had += used[k] == cache->frame ? 0u : sizes[k];
    }
    return had >= units;
}

/* The last uses of the group's records that may be evicted and have payload: a smaller number
 * was unused for longer. Of all other records: UINT32_MAX. */
#define GROUP_RECORDS (RICO__CACHE_GROUP * RICO__CACHE_STRIDE)
typedef struct victims {
    _Alignas(16) uint32_t used[GROUP_RECORDS];
} victims;

static void list_victims(const rico_cache *cache, size_t first, uint32_t count, victims *list)
{
    memset(list, 0xff, sizeof *list);
    for (uint32_t i = 0; i < count; i += RICO__CACHE_STRIDE) {
        const uint32_t *used = cache->last_used + first + i;
        const uint8_t *sizes = rico__cache_size_of(cache, first + i);
        for (uint32_t k = 0; k < RICO__CACHE_WAYS; ++k) {
            bool stays = (used[k] == cache->frame) | (sizes[k] == 0);
            list->used[i + k] = ~frames_since(cache, used[k]) | (stays ? UINT32_MAX : 0);
        }
    }
}

/* Bit i: used[i] equals `used`. */
static uint64_t which_are(const victims *list, uint32_t used)
{
    uint64_t are = 0;
#if defined(__SSE2__)
    const __m128i *at = (const __m128i *)(const void *)list->used,
                  that = _mm_set1_epi32((int)used);
    for (uint32_t i = 0; i < GROUP_RECORDS; i += 16, at += 4) {
        __m128i a = _mm_packs_epi32(_mm_cmpeq_epi32(at[0], that), _mm_cmpeq_epi32(at[1], that));
        __m128i b = _mm_packs_epi32(_mm_cmpeq_epi32(at[2], that), _mm_cmpeq_epi32(at[3], that));
        are |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)) << i;
    }
#else
    for (uint32_t i = 0; i < GROUP_RECORDS; ++i)
        are |= (uint64_t)(list->used[i] == used) << i;
#endif
    return are;
}

/* Returns the victim that goes first, and removes it from the list. There must be one. */
static uint32_t next_victim(const rico_cache *cache, size_t first, victims *list)
{
    uint32_t oldest = UINT32_MAX;
    for (uint32_t i = 0; i < GROUP_RECORDS; ++i)
        oldest = list->used[i] < oldest ? list->used[i] : oldest;
    uint64_t all = which_are(list, oldest);
    uint32_t victim = bits_lowest64(all);
    for (all &= all - 1; all != 0; all &= all - 1)
        if (key_of(cache, first + bits_lowest64(all)) < key_of(cache, first + victim))
            victim = bits_lowest64(all);
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

static uint32_t take_units(rico__cache_fold *fold, uint32_t bucket, uint32_t units)
{
    uint32_t first = rico__cache_take_units(fold->cache, bucket, units);
    if (first < RICO__CACHE_UNITS)
        return first;
    rico__cache_close_gaps(fold, bucket / RICO__CACHE_GROUP, units);
    first = rico__cache_take_units(fold->cache, bucket, units);
    RICO_ASSERT(first < RICO__CACHE_UNITS);
    return first;
}

/* Stores a deposit in a way that has no units yet. There must be room for it. */
static void store(rico__cache_fold *fold, const rico__cache_entry *entry, uint32_t way)
{
    rico_cache *cache = fold->cache;
    rico__cache_line *line = &cache->lines[entry->bucket];
    size_t record = rico__cache_record(entry->bucket, way);
    uint32_t bare = 1u << way;
    cache->last_used[record] = cache->frame;
    if (entry->units == 0) {
        line->bare = (uint8_t)(line->bare | bare);
    } else {
        line->bare = (uint8_t)(line->bare & ~bare);
        line->place[way] = (uint8_t)take_units(fold, entry->bucket, entry->units);
        *rico__cache_size_of(cache, record) = (uint8_t)entry->units; /* of an empty way: 0 */
    }
    line->keys[way] = entry->key;
    rico__cache_write_later(fold, entry, way);
}

/* Returns false if the deposit does not beat the record, or if there is no room for it. */
static bool replace(rico__cache_fold *fold, const rico__cache_entry *entry, uint32_t way)
{
    rico_cache *cache = fold->cache;
    uint32_t bucket = entry->bucket, units = entry->units;
    rico__cache_deposit *deposit = rico__cache_deposit_at(cache, entry->deposit);
    size_t record = rico__cache_record(bucket, way);
    uint32_t had = *rico__cache_size_of(cache, record), used = cache->last_used[record];
    rico__cache_move_now(fold);
    if (rico__cache_compare(cache, &deposit->info, rico__cache_deposit_payload(deposit), units,
                            rico__cache_info_of(cache, bucket, way),
                            rico__cache_payload(cache, bucket, way), had) >= 0)
        return false;
    uint32_t more = units - uint_min(had, units);
    cache->last_used[record] = cache->frame; /* it must not be its own victim */
    if (more > 0 && !can_have_room(cache, bucket, more)) {
        cache->last_used[record] = used;
        return false;
    }
    make_room(cache, fold->shard, bucket, more);
    rico__cache_clear(cache, bucket, way);
    store(fold, entry, way);
    fold->shard->units_used += units - had;
    return true;
}

/* Makes a place for a deposit when its bucket has no empty way, or when too few units are free
 * at the end of its group. Returns the way, or NO_VICTIM if the deposit was dropped. */
static uint32_t make_place(rico__cache_fold *fold, const rico__cache_entry *entry)
{
    rico_cache *cache = fold->cache;
    size_t first = rico__cache_record(entry->bucket, 0);
    uint32_t way = rico__cache_way(&cache->lines[entry->bucket], RICO_NO_KEY);
    bool is_full = way == RICO__CACHE_WAYS;
    if (is_full)
        way = victim_of(cache, first);
    if (way == NO_VICTIM || !can_have_room(cache, entry->bucket, entry->units)) {
        fold->shard->dropped += 1;
        return NO_VICTIM;
    }
    if (is_full)
        evict(cache, fold->shard, first + way);
    make_room(cache, fold->shard, entry->bucket, entry->units);
    return way;
}

static void count_insertion(rico__cache_fold *fold, uint32_t units)
{
    fold->inserted += 1;
    fold->inserted_units += units;
}

/* Not inline, since saving registers for it would cost each insertion. */
__attribute__((noinline)) static void insert_hard(rico__cache_fold *fold,
                                                  const rico__cache_entry *entry)
{
    uint32_t way = make_place(fold, entry);
    if (way == NO_VICTIM)
        return;
    store(fold, entry, way);
    count_insertion(fold, entry->units);
}

/* Inserts into the empty way, with units from the group's end on; RICO__CACHE_WAYS: there is
 * none. Deposits with and without payload take the same path, since nothing predicts which
 * comes next. */
static inline void insert_at(rico__cache_fold *fold, const rico__cache_entry *entry,
                             uint32_t way)
{
    rico_cache *cache = fold->cache;
    rico__cache_line *line = &cache->lines[entry->bucket];
    rico__cache_units *all = &cache->units[entry->bucket / RICO__CACHE_GROUP];
    uint32_t units = entry->units, first = all->end;
    if (way == RICO__CACHE_WAYS || first + units > all->total) {
        insert_hard(fold, entry);
        return;
    }
    count_insertion(fold, units);
    cache->last_used[rico__cache_record(entry->bucket, way)] = cache->frame;
    line->keys[way] = entry->key;
    all->end = (uint16_t)(first + units);
    all->sizes[entry->bucket % RICO__CACHE_GROUP * RICO__CACHE_WAYS + way] = (uint8_t)units;
    line->place[way] = (uint8_t)first;
    line->bare = (uint8_t)((line->bare & ~(1u << way)) | (uint32_t)(units == 0) << way);
    rico__cache_write_later(fold, entry, way);
}

static void insert(rico__cache_fold *fold, const rico__cache_entry *entry)
{
    insert_at(fold, entry, rico__cache_way(&fold->cache->lines[entry->bucket], RICO_NO_KEY));
}

/* --- Admission ----------------------------------------------------------------------------- */

/* New keys that compete for a bucket's places: at most as many as it has ways. The best come
 * first, by (higher rank, smaller key). */
typedef struct candidates {
    const rico__cache_entry *entry[RICO__CACHE_WAYS];
    uint32_t rank[RICO__CACHE_WAYS];
    uint32_t count;
} candidates;

/* Offers come in ascending key order, so among equal ranks the earlier stays in front. Returns
 * false when a candidate, perhaps the new one, found no place. */
static bool offer(candidates *list, const rico__cache_entry *entry, uint32_t rank)
{
    uint32_t at = list->count;
    while (at > 0 && list->rank[at - 1] < rank)
        --at;
    bool is_full = list->count == RICO__CACHE_WAYS;
    if (at == RICO__CACHE_WAYS)
        return false;
    for (uint32_t i = is_full ? RICO__CACHE_WAYS - 1 : list->count; i > at; --i) {
        list->entry[i] = list->entry[i - 1];
        list->rank[i] = list->rank[i - 1];
    }
    list->entry[at] = entry;
    list->rank[at] = rank;
    list->count += !is_full;
    return !is_full;
}

/* Bit 2 i: the info of way i of bucket b lies on one cache line. Infos lie without gaps, so the
 * answer repeats after eight buckets. */
#define INFO sizeof(rico_cache_info)
#define INFO_BEGIN(b, i) (((b)*RICO__CACHE_WAYS + (i)) * INFO % RICO_CACHE_LINE)
#define FITS(b, i) ((INFO_BEGIN(b, i) + INFO <= RICO_CACHE_LINE) << 2 * (i))
#define FITTING(b)                                                                             \
    (FITS(b, 0) | FITS(b, 1) | FITS(b, 2) | FITS(b, 3) | FITS(b, 4) | FITS(b, 5) | FITS(b, 6))
static const uint16_t fitting[] = {FITTING(0), FITTING(1), FITTING(2), FITTING(3),
                                   FITTING(4), FITTING(5), FITTING(6), FITTING(7)};

/* Of the empty ways (bit 2 i), one whose info touches one line only if there is one; or
 * RICO__CACHE_WAYS. */
static uint32_t choose_way(uint32_t empty, uint32_t bucket)
{
    uint32_t best = empty & fitting[bucket % 8];
    uint64_t all = (uint64_t)(empty | 1u << 2 * RICO__CACHE_WAYS) << 32 | best;
    return bits_lowest64(all) % 32 / 2;
}

/* Finds an empty way for each entry. Returns whether one of them may be a replacement. */
static bool find_ways(const rico_cache *cache, const rico__cache_entry *entries, uint32_t count,
                      uint8_t *ways)
{
    uint32_t any = 0, known;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bucket = entries[i].bucket;
        uint32_t empty = rico__cache_empty_ways(&cache->lines[bucket], entries[i].key, &known);
        ways[i] = (uint8_t)choose_way(empty, bucket);
        any |= known;
    }
    return any != 0;
}

/* Replacements go first: their records count as used in this frame, so insertions cannot evict
 * them. */
static void fold_replacements(rico__cache_fold *fold, rico__cache_entry *entries,
                              uint32_t count)
{
    rico_cache_key last = RICO_NO_KEY;
    for (uint32_t i = 0; i < count; ++i) {
        rico__cache_entry *entry = &entries[i];
        bool is_double = entry->key == last;
        uint32_t way = rico__cache_way(&fold->cache->lines[entry->bucket], entry->key);
        last = entry->key;
        if (!is_double && way == RICO__CACHE_WAYS)
            continue;
        if (!is_double && replace(fold, entry, way))
            fold->shard->replaced += 1;
        else
            fold->shard->dropped += 1;
        entry->deposit = HANDLED;
    }
}

/* Folds a bucket's new keys. */
static void fold_insertions(rico__cache_fold *fold, const rico__cache_entry *entries,
                            uint32_t count)
{
    candidates list = {.count = 0};
    for (uint32_t i = 0; i < count; ++i) {
        if (entries[i].deposit == HANDLED)
            continue;
        const rico__cache_deposit *deposit =
            rico__cache_deposit_at(fold->cache, entries[i].deposit);
        bool is_double = i > 0 && entries[i].key == entries[i - 1].key;
        if (is_double || !offer(&list, &entries[i], deposit->info.rank))
            fold->shard->dropped += 1;
    }
    for (uint32_t i = 0; i < list.count; ++i)
        insert(fold, list.entry[i]);
}

/* --- In order ------------------------------------------------------------------------------ */

static void fetch_entry(const rico_cache *cache, const rico__cache_entry *entry)
{
    prefetch_line_far(&cache->lines[entry->bucket]);
    prefetch_line_far(&cache->last_used[rico__cache_record(entry->bucket, 0)]);
    prefetch_line_far(&cache->units[entry->bucket / RICO__CACHE_GROUP]);
}

static void fetch_near(const rico_cache *cache, const rico__cache_entry *entry)
{
    prefetch_line(&cache->lines[entry->bucket]);
    prefetch_line(&cache->last_used[rico__cache_record(entry->bucket, 0)]);
    prefetch_line(&cache->units[entry->bucket / RICO__CACHE_GROUP]);
}

/* Fetches what making room in the group reads, if too few units are free. The group's units
 * have arrived by now. */
static void fetch_victims(const rico_cache *cache, const rico__cache_entry *entry)
{
    uint32_t group = entry->bucket / RICO__CACHE_GROUP, first = group * RICO__CACHE_GROUP;
    if (rico__cache_units_free(&cache->units[group]) >= entry->units)
        return;
    prefetch_line_far(cache->units[group].taken);
    for (uint32_t i = 0; i < uint_min(RICO__CACHE_GROUP, cache->bucket_count - first); ++i) {
        prefetch_line_far(&cache->lines[first + i]);
        prefetch_line_far(&cache->last_used[rico__cache_record(first + i, 0)]);
    }
}

/* Fetches for one later entry per entry that is folded. A CPU can have only so many fetches
 * under way, and waits before it begins another. */
static inline void fetch_ahead(const rico__cache_fold *fold, const rico__cache_entry *entry)
{
    if (fold->end - entry > FETCH_AHEAD) {
        fetch_entry(fold->cache, entry + FETCH_AHEAD);
        fetch_near(fold->cache, entry + NEAR_AHEAD);
        fetch_victims(fold->cache, entry + LOOK_AHEAD);
        return;
    }
    if (fold->end - entry > NEAR_AHEAD)
        fetch_near(fold->cache, entry + NEAR_AHEAD);
    if (fold->end - entry > LOOK_AHEAD)
        fetch_victims(fold->cache, entry + LOOK_AHEAD);
}

/* Folds new keys. Buckets are hashed, so most of them have one. `ways`: the empty way of each
 * entry's bucket, before this. */
static void fold_new(rico__cache_fold *fold, const rico__cache_entry *entries, uint32_t count,
                     const uint8_t *ways)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        end = i + 1;
        fetch_ahead(fold, &entries[i]);
        if (end == count || entries[end].bucket != entries[i].bucket) {
            insert_at(fold, &entries[i], ways[i]);
            continue;
        }
        for (; end < count && entries[end].bucket == entries[i].bucket; ++end)
            fetch_ahead(fold, &entries[end]);
        fold_insertions(fold, entries + i, end - i);
    }
}

/* The first place from `end` on where a group begins, or `count`: so batches hold whole
 * groups. */
static uint32_t whole_groups(const rico__cache_entry *entries, uint32_t count, uint32_t end)
{
    for (; end < count; ++end)
        if (entries[end].bucket / RICO__CACHE_GROUP !=
            entries[end - 1].bucket / RICO__CACHE_GROUP)
            return end;
    return count;
}

/* Folds a group that may have replacements. */
static void fold_group(rico__cache_fold *fold, rico__cache_entry *entries, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        fetch_ahead(fold, &entries[i]);
    fold_replacements(fold, entries, count);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && entries[end].bucket == entries[i].bucket;)
            end += 1;
        fold_insertions(fold, entries + i, end - i);
    }
}

static void fold_groups(rico__cache_fold *fold, rico__cache_entry *entries, uint32_t count)
{
    uint8_t ways[WAYS_AT_ONCE];
    if (count <= WAYS_AT_ONCE && !find_ways(fold->cache, entries, count, ways)) {
        fold_new(fold, entries, count, ways); /* so groups need not be told apart */
        return;
    }
    for (uint32_t i = 0, end; i < count; i = end) {
        end = whole_groups(entries, count, i + 1);
        fold_group(fold, entries + i, end - i);
    }
}

void rico__cache_fold_deposits(rico_cache *cache, rico__cache_shard *shard,
                               rico__cache_entry *entries, uint32_t count)
{
    rico__cache_fold fold;
    fold.cache = cache;
    fold.shard = shard;
    fold.end = entries + count;
    fold.count = fold.move_count = fold.inserted = fold.inserted_units = 0;
    for (uint32_t i = 0; i < uint_min(FETCH_AHEAD, count); ++i)
        fetch_entry(cache, &entries[i]);
    for (uint32_t i = 0, end; i < count; i = end) {
        end = whole_groups(entries, count, i + FOLD_AT_ONCE);
        fold_groups(&fold, entries + i, end - i);
    }
    rico__cache_write(&fold);
    if (cache->streams)
        stream_end();
    shard->inserted += fold.inserted;
    shard->record_count += fold.inserted;
    shard->units_used += fold.inserted_units;
}
