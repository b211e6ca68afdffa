/* cache_table.h - the table behind rico_cache, and which thread may touch what.
 *
 * A record has the index bucket * 8 + way. A bucket has seven ways; its eighth index is not
 * used. A way is empty when its key is RICO_NO_KEY. A key is in the bucket that
 * rico__cache_bucket names, at most once, in any way: which way it is carries no meaning.
 *
 * Buckets are hashed by position, so a range of buckets is a range of the hash's top bits.
 * Eight buckets are a group: their marks fill a 64-bit word, and their payloads share memory.
 * Shard s owns the groups
 *   ceil(s / r) <= group < ceil((s + 1) / r)
 * where r is S / G, for S shards and G groups, rounded down to a multiple of 2^-32. The last
 * shard has what is left. So no word of marks and no payload memory is shared between shards.
 * With G < S some shards are empty.
 *
 * A group's payload memory is cut into units, 256 at most. Bit u of `taken`: unit u holds
 * payload, or does not exist. Where a payload lies carries no meaning, either: what fits by its
 * size is made to fit, by moving other payloads.
 */
#ifndef RICO_CACHE_TABLE_H
#define RICO_CACHE_TABLE_H

#include <ricochet/cache.h>

#include "atomics.h"
#include "bits.h"
#include "hash.h"
#include "memory.h"
#include "prefetch.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define RICO__CACHE_WAYS 7u
#define RICO__CACHE_STRIDE 8u /* of record indices, per bucket */
#define RICO__CACHE_GROUP 8u
#define RICO__CACHE_UNITS 256u /* of a group, at most */

/* A bucket: all that a look-up reads. It is aligned to its size, which is a cache line. */
typedef struct rico__cache_line {
    _Alignas(RICO_CACHE_LINE) rico_cache_key keys[RICO__CACHE_WAYS];
    uint8_t place[RICO__CACHE_WAYS]; /* first unit of the payload */
    uint8_t bare;                    /* bit = way: it has no payload */
} rico__cache_line;

/* Which of a group's `total` units hold payload: none from `end` on, and all before it except
 * `gaps`. Most rows of units are simply taken at `end`, which touches the first line only. So
 * bits exist for units below `mapped` only, and all units from there to `end` are taken
 * (rico__cache_map_units). The last words of `taken` are 0, because the bits of a row are set
 * in two words, even for a row of no units at the very end. */
typedef struct rico__cache_units {
    _Alignas(2 * RICO_CACHE_LINE) uint8_t sizes[RICO__CACHE_GROUP * RICO__CACHE_WAYS];
    uint16_t gaps, end, mapped, total;
    uint64_t taken[RICO__CACHE_UNITS / 64 + 2];
} rico__cache_units;

/* Marks wait at most this many frames before they are counted. In frame f it is the turn of the
 * marks on cache lines f, f + TURNS, ... of each worker's, so that each shard has some. */
#define RICO__CACHE_TURNS 32u
#define RICO__CACHE_TURN_GROUPS (RICO_CACHE_LINE / RICO__CACHE_GROUP) /* on a cache line */

/* Owner: the cache. Threads: written between merges by the one thread that has this worker
 * index; merge_begin writes hits_merged, hit_after and marked, and takes the slots back. Order:
 * only sums are reported. */
typedef struct rico__cache_worker {
    _Alignas(RICO_CACHE_LINE) uint64_t hits;
    uint64_t misses;
    uint64_t hits_merged; /* hits at the last merge */
    /* Frame of the last merge before the latest hits. */
    uint32_t hit_after;
    bool marked; /* it may have marks; false = surely none */
    /* The slots that the worker has taken and not yet filled, and where the lines of the next
     * one begin. */
    uint32_t slot, slot_end, line;
    uint32_t region; /* where it takes the next slots: its own region until that is full */
    bool open;       /* a deposit is not closed yet */
} rico__cache_worker;

/* Slots of the pool, and as many lines as the longest payloads in them need. There is one
 * region per worker: it writes to the same lines frame after frame, and waits for no other as
 * long as its own region lasts. The last CHUNK slots of each region are for workers, which may
 * leave so many empty.
 * Owner: the cache. Threads: those that deposit; emptied by merge_begin. Order: arrival, which
 * the merge sorts away. */
typedef struct rico__cache_region {
    /* Low half: slots taken; it may run over the end by a chunk per thread. High half: their
     * lines. */
    _Alignas(RICO_CACHE_LINE) rico__atomic64 cursor;
    uint32_t begin, end; /* slots */
} rico__cache_region;

/* Owner: the cache. Threads: merge_begin writes the range of the entries; the one thread that
 * merges this shard writes all fields. Order: entries come in order of arrival, which the merge
 * sorts away. */
typedef struct rico__cache_shard {
    _Alignas(RICO_CACHE_LINE) uint32_t entry_begin; /* its deposits, in entries */
    uint32_t count;
    uint32_t record_count;
    uint32_t units_used;
    uint64_t inserted, replaced, evicted, dropped;
} rico__cache_shard;

/* A deposit: this header, then its payload, whose last unit is filled up with zeros. A deposit
 * takes whole lines, so that two threads that fill neighbours do not share one. Deposits lie
 * one after the other, so that few lines are in use. */
typedef struct rico__cache_deposit {
    rico_cache_info info;
} rico__cache_deposit;

/* Bytes of zeros that are written at once, and that may be written behind a deposit. */
#define RICO__CACHE_ZEROS 24u

/* What merge sorts: one per deposit. */
typedef struct rico__cache_entry {
    rico_cache_key key;
    uint32_t bucket;
    uint32_t deposit : 26; /* its first line */
    uint32_t units : 6;
} rico__cache_entry;

/* Cells with coordinates from -limit to limit - 1 have keys (cache.h). */
#define RICO__CACHE_XY_LIMIT ((int32_t)1 << 19)
#define RICO__CACHE_Z_LIMIT ((int32_t)1 << 20)

/* Owner: rico_cache_create and _destroy. Threads: the first part is constant while the cache
 * lives; the other fields as said at each. Order: buckets ascending, keys ascending within a
 * bucket. */
struct rico_cache {
    uint32_t bucket_count;
    uint32_t payload_bytes;
    uint32_t unit_bytes, room_bytes; /* bytes of payload memory: of a unit; per bucket */
    uint32_t spread_directions;
    uint32_t worker_count;
    uint32_t mark_stride; /* bytes of marks per worker: bucket_count rounded up to a line */
    /* Table: read by look-ups, written by the merge of the owning shard. */
    rico__cache_line *lines;
    rico_cache_info *infos; /* RICO__CACHE_WAYS per bucket, without a gap */
    /* Frame of the merge that counted the record as found, or deposited it. */
    uint32_t *last_used;
    rico__cache_units *units; /* of each group; sizes: units of each payload */
    uint8_t *payloads;
    /* marks[worker * mark_stride + bucket], bit = way. That worker writes them between merges.
     * The merge of the owning shard reads and clears them when there are deposits for the group
     * or it is the group's turn. */
    uint8_t *marks;
    rico__cache_worker *workers;
    rico__cache_region *regions; /* as many as workers */
    rico__cache_shard *shards;
    uint8_t *deposits;
    /* By slot: written with the deposit. Shards use it when they sort, as they do `entries`. */
    rico__cache_entry *arrivals;
    rico__cache_entry *entries; /* as many as arrivals; written by merges */
    uint32_t shard_count;
    uint32_t group_count;
    uint64_t shard_rate; /* shards per group, times 2^32: saves a division per deposit */
    uint32_t deposit_capacity;
    /* deposit_capacity, and the slots that workers may have taken and not filled. */
    uint32_t slot_capacity;
    uint32_t unit_rate; /* units per byte, times 2^24, rounded up */
    /* Bytes of the longest deposit, in whole lines, with what may be written behind it. */
    uint32_t deposit_bytes;
    rico_vec3 cell_size;
    uint32_t frame; /* of the last merge; written by merge_begin */
    /* In a merge, the frames after this one, up to the merge's own, have their turns. */
    uint32_t turns_from;
    bool any_marked; /* one of the workers may have marks */
    bool merging;
    bool prefaulted;
    bool streams; /* payloads go past the CPU's caches; written by merge_begin */
    uint64_t deposits_merged;
    rico__memory memory;
    uint8_t *block; /* all arrays in one block, so that they share huge pages */
    size_t block_bytes;
    /* On a line of its own: threads that deposit write it while others look up. */
    _Alignas(RICO_CACHE_LINE) rico__atomic64 refused;
};

/* The bucket of a key. The hash is three rounds of MurmurHash3's mixing (xor-shift, multiply)
 * on the packed position and the bits of the direction that are spread. A last xor-shift would
 * not reach the top bits, which are the only ones used. bucket_count need not be a power of
 * two: the bucket is floor(hash32 * bucket_count / 2^32). */
static inline uint32_t rico__cache_bucket(const rico_cache *cache, rico_cache_key key)
{
    uint64_t spread = (uint64_t)(key & cache->spread_directions) << 61;
    uint64_t hash = rico__mix64(key >> 3 | spread) * 0x9e3779b97f4a7c15ULL;
    return (uint32_t)(((hash >> 32) * cache->bucket_count) >> 32);
}

/* rico_cache.shard_rate; groups > 0. */
static inline uint64_t rico__cache_shard_rate(uint32_t shards, uint32_t groups)
{
    return ((uint64_t)shards << 32) / groups;
}

static inline uint32_t rico__cache_shard_of(const rico_cache *cache, uint32_t bucket)
{
    uint64_t group = bucket / RICO__CACHE_GROUP;
    return (uint32_t)(group * cache->shard_rate >> 32);
}

/* The first group of a shard. For shard_count, the number of groups. */
static inline uint32_t rico__cache_first_group(const rico_cache *cache, uint32_t shard)
{
    uint64_t scaled = ((uint64_t)shard << 32) + cache->shard_rate - 1;
    return shard == cache->shard_count ? cache->group_count
                                       : (uint32_t)(scaled / cache->shard_rate);
}

/* Bit 2 i: way i holds the key. It has no branches, because which way it is cannot be
 * predicted. Halves of keys are compared, because SSE2 has no comparison of 64 bits. The last
 * eight bytes of a line are not a key. */
static inline uint32_t rico__cache_ways(const rico__cache_line *line, rico_cache_key key)
{
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi64x((long long)key), *keys = (const __m128i *)line;
    __m128i a = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(keys), wanted),
                                _mm_cmpeq_epi32(_mm_load_si128(keys + 1), wanted));
    __m128i b = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(keys + 2), wanted),
                                _mm_cmpeq_epi32(_mm_load_si128(keys + 3), wanted));
    /* Both halves of a key are equal: words of all ones. */
    __m128i both = _mm_packs_epi16(_mm_and_si128(a, _mm_srli_epi32(a, 16)),
                                   _mm_and_si128(b, _mm_srli_epi32(b, 16)));
    return (uint32_t)_mm_movemask_epi8(both) & 0x1555u;
#else
    const rico_cache_key *keys = line->keys; /* written out: gcc -O2 does not unroll a loop */
    uint32_t low = (uint32_t)(keys[0] == key) | (uint32_t)(keys[1] == key) << 2 |
                   (uint32_t)(keys[2] == key) << 4 | (uint32_t)(keys[3] == key) << 6;
    uint32_t high = (uint32_t)(keys[4] == key) | (uint32_t)(keys[5] == key) << 2 |
                    (uint32_t)(keys[6] == key) << 4;
    return high << 8 | low;
#endif
}

/* The way that holds the key, or RICO__CACHE_WAYS. RICO_NO_KEY finds the first empty way. */
static inline uint32_t rico__cache_way(const rico__cache_line *line, rico_cache_key key)
{
    return bits_lowest64(1u << 2 * RICO__CACHE_WAYS | rico__cache_ways(line, key)) / 2;
}

/* The ways that are empty (bit 2 i), and in *known the ways that hold the key. Of keys in the
 * table, only RICO_NO_KEY ends in 32 ones: it alone has direction 7. */
static inline uint32_t rico__cache_empty_ways(const rico__cache_line *line, rico_cache_key key,
                                              uint32_t *known)
{
#if defined(__SSE2__)
    const __m128 *keys = (const __m128 *)(const void *)line;
    const __m128i ones = _mm_set1_epi32(-1), low = _mm_set1_epi32((int)(uint32_t)key),
                  high = _mm_set1_epi32((int)(uint32_t)(key >> 32));
    __m128i low_a = _mm_castps_si128(_mm_shuffle_ps(keys[0], keys[1], 0x88));
    __m128i low_b = _mm_castps_si128(_mm_shuffle_ps(keys[2], keys[3], 0x88));
    __m128i high_a = _mm_castps_si128(_mm_shuffle_ps(keys[0], keys[1], 0xdd));
    __m128i high_b = _mm_castps_si128(_mm_shuffle_ps(keys[2], keys[3], 0xdd));
    __m128i same_a = _mm_and_si128(_mm_cmpeq_epi32(low_a, low), _mm_cmpeq_epi32(high_a, high));
    __m128i same_b = _mm_and_si128(_mm_cmpeq_epi32(low_b, low), _mm_cmpeq_epi32(high_b, high));
    __m128i empty =
        _mm_packs_epi32(_mm_cmpeq_epi32(low_a, ones), _mm_cmpeq_epi32(low_b, ones));
    *known = (uint32_t)_mm_movemask_epi8(_mm_packs_epi32(same_a, same_b)) & 0x1555u;
    return (uint32_t)_mm_movemask_epi8(empty) & 0x1555u;
#else
    *known = rico__cache_ways(line, key);
    return rico__cache_ways(line, RICO_NO_KEY);
#endif
}

static inline uint32_t rico__cache_units_free(const rico__cache_units *all)
{
    return (uint32_t)all->total - all->end + all->gaps;
}

static inline size_t rico__cache_record(uint32_t bucket, uint32_t way)
{
    return (size_t)bucket * RICO__CACHE_STRIDE + way;
}

static inline rico_cache_info *rico__cache_info_of(const rico_cache *cache, uint32_t bucket,
                                                   uint32_t way)
{
    return &cache->infos[(size_t)bucket * RICO__CACHE_WAYS + way];
}

/* The units of the payloads of the bucket's ways; 0: no payload. */
static inline uint8_t *rico__cache_sizes_of(const rico_cache *cache, uint32_t bucket)
{
    return cache->units[bucket / RICO__CACHE_GROUP].sizes +
           bucket % RICO__CACHE_GROUP * RICO__CACHE_WAYS;
}

static inline uint8_t *rico__cache_size_of(const rico_cache *cache, size_t record)
{
    return rico__cache_sizes_of(cache, (uint32_t)(record / RICO__CACHE_STRIDE)) +
           record % RICO__CACHE_STRIDE;
}

/* The payload memory of the bucket's group. */
static inline uint8_t *rico__cache_group_payloads(const rico_cache *cache, uint32_t bucket)
{
    return cache->payloads +
           (size_t)(bucket / RICO__CACHE_GROUP) * RICO__CACHE_GROUP * cache->room_bytes;
}

/* The payload of a record without payload: no thread writes to it. */
extern const uint8_t rico__cache_nothing[RICO_CACHE_LINE];

/* Where the record's payload begins, if it has any. */
static inline uint8_t *rico__cache_place(const rico_cache *cache, uint32_t bucket, uint32_t way)
{
    return rico__cache_group_payloads(cache, bucket) +
           (size_t)cache->lines[bucket].place[way] * cache->unit_bytes;
}

static inline uint8_t *rico__cache_payload(const rico_cache *cache, uint32_t bucket,
                                           uint32_t way)
{
    uint8_t *payload = rico__cache_place(cache, bucket, way);
    return (cache->lines[bucket].bare >> way & 1) != 0
               ? (uint8_t *)(uintptr_t)rico__cache_nothing
               : payload;
}

/* The same by arithmetic on bits. gcc makes a branch of the condition above. That is good where
 * the payload is read at once, because the read begins before the line has arrived. It is bad
 * where no pattern says which records are bare. */
static inline uint8_t *rico__cache_payload_of_many(const rico_cache *cache, uint32_t bucket,
                                                   uint32_t way)
{
    const uintptr_t payload = (uintptr_t)rico__cache_place(cache, bucket, way);
    const uintptr_t bare = 0 - (uintptr_t)(cache->lines[bucket].bare >> way & 1);
    return (uint8_t *)(((uintptr_t)rico__cache_nothing & bare) | (payload & ~bare));
}

/* Reads the bucket's keys, and fetches the record's info and payload if the key is there. */
static inline void rico__cache_fetch_record(const rico_cache *cache, uint32_t bucket,
                                            rico_cache_key key)
{
    uint32_t way = rico__cache_way(&cache->lines[bucket], key);
    if (way == RICO__CACHE_WAYS)
        return;
    const rico_cache_info *info = rico__cache_info_of(cache, bucket, way);
    prefetch_line(&info->frame); /* 24 bytes: a quarter of them cross a line */
    prefetch_line(&info->version);
    prefetch_line(rico__cache_payload(cache, bucket, way));
}

static inline rico__cache_deposit *rico__cache_deposit_at(const rico_cache *cache,
                                                          uint32_t line)
{
    return (rico__cache_deposit *)(void *)(cache->deposits + (size_t)line * RICO_CACHE_LINE);
}

#define RICO__CACHE_CHUNK 16u /* slots that a worker takes at once */

/* The slots taken since the last merge. */
static inline uint32_t rico__cache_slots_of(const rico__cache_region *region)
{
    return uint_min((uint32_t)rico__atomic_load64(&region->cursor),
                    region->end - region->begin);
}

static inline uint32_t rico__cache_slot_count(const rico_cache *cache)
{
    uint32_t slots = 0;
    for (uint32_t r = 0; r < cache->worker_count; ++r)
        slots += rico__cache_slots_of(&cache->regions[r]);
    return slots;
}

static inline uint8_t *rico__cache_deposit_payload(const rico__cache_deposit *deposit)
{
    return (uint8_t *)(uintptr_t)(deposit + 1);
}

/* Copies a payload; bytes: a multiple of 8. Payloads are short, and their lengths vary. A call
 * that chooses how to copy each would take longer than the copy. */
static inline void rico__cache_copy_payload(uint8_t *to, const uint8_t *from, size_t bytes)
{
    size_t at = 0;
    for (; at + 32 <= bytes; at += 32)
        memcpy(to + at, from + at, 32);
    for (; at < bytes; at += 8)
        memcpy(to + at, from + at, 8);
}

/* The conflict rule of cache.h: negative when a beats b, 0 when they are equal in
 * everything. */
int rico__cache_compare(const rico_cache *cache, const rico_cache_info *a,
                        const uint8_t *payload_a, uint32_t units_a, const rico_cache_info *b,
                        const uint8_t *payload_b, uint32_t units_b);

/* sort.c: divides the deposits in the slots among the shards. */
void rico__cache_divide(rico_cache *cache);
/* Sorts the shard's deposits by bucket, key and conflict rule. */
rico__cache_entry *rico__cache_sort(rico_cache *cache, uint32_t shard);

/* A record on its way into the table, which already has its key: only the copy is left. Owner:
 * the thread that merges a shard. A batch touches about four lines per record, which must stay
 * in the first cache until they are written. */
#define RICO__CACHE_BATCH 32u
typedef struct rico__cache_copy {
    const rico__cache_deposit *from;
    rico_cache_info *info;
    uint8_t *to; /* the payload's place. Without payload: a place where a cache line begins */
    uint32_t units;
} rico__cache_copy;

/* a where `yes` is 1, b where it is 0. By arithmetic on bits: compilers make a branch of a
 * condition. */
static inline const void *rico__cache_either(uint32_t yes, const void *a, const void *b)
{
    uintptr_t mask = (uintptr_t)0 - yes;
    return (const void *)(((uintptr_t)a & mask) | ((uintptr_t)b & ~mask));
}

/* A payload on its way to another place in its group. */
typedef struct rico__cache_move {
    uint8_t *to;
    const uint8_t *from;
    size_t bytes;
} rico__cache_move;

#define RICO__CACHE_MOVES 64u
typedef struct rico__cache_fold {
    rico_cache *cache;
    rico__cache_shard *shard;
    const rico__cache_entry *end;      /* of the shard's entries */
    uint32_t inserted, inserted_units; /* to be added to the shard's counts */
    uint32_t count, move_count; /* moves are done first, in their order */
    rico__cache_copy copies[RICO__CACHE_BATCH];
    rico__cache_move moves[RICO__CACHE_MOVES];
} rico__cache_fold;

/* write.c: does the moves and copies that wait. */
void rico__cache_write(rico__cache_fold *fold);

/* Fetches what a copy writes besides whole lines: the info, and the ends of the payload, unless
 * these are ends of lines. They go into the first cache: the CPU waits for a store to a line
 * that is in the second cache only. */
static inline void rico__cache_fetch_ends(const rico__cache_copy *copy, size_t unit_bytes)
{
    const uint8_t *end = copy->to + copy->units * unit_bytes;
    prefetch_line(copy->from);
    prefetch_line(&copy->info->frame);
    prefetch_line(&copy->info->version);
    prefetch_line(
        rico__cache_either((uintptr_t)copy->to % RICO_CACHE_LINE != 0, copy->to, copy->info));
    prefetch_line(rico__cache_either((uintptr_t)end % RICO_CACHE_LINE != 0, end, copy->info));
}

/* Lets the record's info and payload be copied later, by rico__cache_write at the latest. */
static inline void rico__cache_write_later(rico__cache_fold *fold,
                                           const rico__cache_entry *entry, uint32_t way)
{
    const rico_cache *cache = fold->cache;
    if (fold->count == RICO__CACHE_BATCH)
        rico__cache_write(fold);
    rico__cache_copy *copy = &fold->copies[fold->count++];
    uint32_t units = entry->units,
             first = cache->lines[entry->bucket].place[way] & (0u - (units > 0));
    copy->from = rico__cache_deposit_at(cache, entry->deposit);
    copy->info = rico__cache_info_of(cache, entry->bucket, way);
    copy->to = rico__cache_group_payloads(cache, entry->bucket) +
               (size_t)first * cache->unit_bytes;
    copy->units = units;
    rico__cache_fetch_ends(copy, cache->unit_bytes);
}

void rico__cache_move_later(rico__cache_fold *fold, uint8_t *to, const uint8_t *from,
                            size_t bytes);
void rico__cache_move_now(rico__cache_fold *fold);

/* room.c: takes `units` units in a row from the bucket's group, and returns the first of them.
 * Returns RICO__CACHE_UNITS when no row of free units is long enough. units > 0. */
uint32_t rico__cache_take_units(rico_cache *cache, uint32_t bucket, uint32_t units);
/* From now on bits exist for all units below `end`. */
void rico__cache_map_units(rico__cache_units *all);
void rico__cache_free_units(rico_cache *cache, uint32_t bucket, uint32_t first, uint32_t units);
/* Moves payloads of the group, so that `units` of its free units are in a row. That many must
 * be free, but no row of that length, as rico__cache_take_units says. */
void rico__cache_close_gaps(rico__cache_fold *fold, uint32_t group, uint32_t units);
/* Marks, for ever, the units that the group does not have. */
void rico__cache_begin_units(rico_cache *cache, uint32_t group);

/* fold.c: puts a shard's deposits into the table. Entries are sorted by bucket, key and
 * conflict rule; the call changes them. */
void rico__cache_fold_deposits(rico_cache *cache, rico__cache_shard *shard,
                               rico__cache_entry *entries, uint32_t count);

/* fold.c: empties the way. */
void rico__cache_clear(rico_cache *cache, uint32_t bucket, uint32_t way);

#endif
