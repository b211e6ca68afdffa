/* cache.h - the collision-plane cache: a fixed-size table of records keyed by place.
 *
 * During a frame the table is frozen: any thread may look up, nobody writes. New records are
 * deposited into slots, without locks, and become visible when the frame's merge
 * folds them in. What the table holds after a merge depends on what it held before, the set of
 * accepted deposits and the set of records found since the last merge: not on their order, the
 * number of shards, how shards were split over threads, or the number of workers.
 *
 * A record is header + payload of any size up to one fixed at creation; payloads share memory, so
 * that small ones leave room for more records. The cache never gives the payload a meaning: it
 * copies it, compares it word by word as the last tie-break, and hashes it. Every byte counts
 * there, so padding must be set.
 *
 * The scheme is Frykholm's (Hack Day Report, 2012): a hash keyed by quantised position, three
 * murmur rounds, a direction, the oldest dropped. Here the hash chooses a bucket of
 * seven records, one cache line of keys, from the position alone: all directions of a cell are
 * found in one line. Eight buckets share the memory of their payloads.
 *
 * Misuse (NULL where it is not allowed, a worker that there is not, a call during a merge) goes
 * to the assert handler (hooks.h); when that returns, the call has done nothing and gives NULL,
 * RICO_NO_KEY, false or zeros. Only the calls for each key of a batch, rico_cache_prefetch,
 * rico_cache_prefetch_record and rico_cache_find_either_in, do not look whether there is a cache; they and
 * rico_cache_find and rico_cache_find_either do not look whether it is merged.
 */
#ifndef RICOCHET_CACHE_H
#define RICOCHET_CACHE_H

#include <ricochet/export.h>
#include <ricochet/hooks.h>
#include <ricochet/result.h>
#include <ricochet/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_cache rico_cache;

typedef struct rico_cache_def {
    uint32_t cookie;        /* set by rico_cache_def_default */
    rico_vec3 cell_size;    /* metres per axis, 0.01..1000 [0.5, 0.5, 2.0] */
    uint64_t table_bytes;   /* memory of the table, 4 KiB..64 GiB [16 MiB]; never exceeded;
                               must hold one bucket */
    uint32_t payload_bytes; /* of a record at most, a multiple of 8, 8..1024 [16] */
    uint32_t payload_unit;  /* payloads take whole units of so many bytes: a multiple of 8 that
                                  divides payload_bytes; 0 = payload_bytes [0] */
    uint32_t payload_room;  /* bytes for the payloads of a bucket, whole units, at least
                                  payload_bytes, at most 32 units; eight buckets share theirs.
                                  0 = 7 * payload_bytes, room for all, or those
                                  32 units where they are less [0] */
    uint32_t
        spread_directions; /* keys of a cell whose directions differ in these bits are in buckets
                                   of their own, 0..7 [0] */
    uint32_t shard_count;  /* a power of two, 1..1024 [16] */
    uint32_t deposit_capacity; /* deposits between two merges, all shards, 1..2^20 [4096] */
    uint32_t worker_count;     /* who may mark records as used, 1..256 [1] */
    rico_allocator allocator;
    rico_log log;
} rico_cache_def;

RICO_API rico_cache_def rico_cache_def_default(void);

/* Reserves all memory; but for rico_cache_move_cells, nothing else here allocates. With B buckets of 7 records:
 *   table_bytes >= B * (264 + payload_room) + 128 * (B / 8 rounded up)
 *                                        keys, infos, last use, payloads and what is free of them
 *   all bytes    = that + worker_count * (B rounded up to 64)               used marks
 *                + (deposit_capacity + 16 * worker_count)
 *                      * (32 + (48 + payload_bytes rounded up to 64))
 *                + 4 * (so many again, or shard_count if that is more, rounded up to a power of two;
 *                      at most 2^16)
 *                + 64 * (shard_count + 2 * worker_count) + at most 2 KiB
 * B is the largest that table_bytes allows. It follows from table_bytes and the payloads' sizes
 * only: were the marks part of table_bytes, what is evicted would depend on the number of workers.
 * Errors: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE, RICO_NOT_FINITE (cell_size), RICO_OUT_OF_MEMORY;
 * *out is then NULL. */
RICO_API rico_result rico_cache_create(const rico_cache_def *def, rico_cache **out);
RICO_API void rico_cache_destroy(rico_cache *cache); /* NULL is ignored */

/* Has the system hand out the table's pages, most of which take no memory until a record is written there: of 128 MiB in
 * 13 to 340 ms, which merges would wait for (256 records lie in all of its 64 huge pages). Once, while there is no record;
 * else it does nothing. Not during a frame. */
RICO_API void rico_cache_prefault(rico_cache *cache);

/* A place: cell coordinates (the exact floor of position over cell size, so that negative
 * coordinates do not fold) and a direction, packed. Directions: 0..5 = +x -x +y -y +z -z, the
 * principal axis nearest to a vector (ties: x before y before z; -0 and NaN count as +0);
 * 6 = the whole cell. Coordinates outside [-2^19, 2^19) (x, y) or [-2^20, 2^20) (z) cells,
 * positions that are not finite, and directions over 6 give RICO_NO_KEY. Keys order by x, then
 * y, z, direction. Threads: pure functions. */
typedef uint64_t rico_cache_key;
#define RICO_NO_KEY UINT64_MAX
#define RICO_WHOLE_CELL 6u

RICO_API rico_cache_key rico_cache_key_at(const rico_cache *cache, rico_vec3 position,
                                          uint32_t direction);
/* Inline, because callers that know their cell make several keys per look-up. */
static inline rico_cache_key rico_cache_key_of_cell(int32_t x, int32_t y, int32_t z,
                                                    uint32_t direction)
{
    uint32_t ux = (uint32_t)x + (1u << 19), uy = (uint32_t)y + (1u << 19);
    uint32_t uz = (uint32_t)z + (1u << 20);
    if ((ux | uy) >= 1u << 20 || uz >= 1u << 21 || direction > RICO_WHOLE_CELL)
        return RICO_NO_KEY;
    return ((uint64_t)ux << 44) | ((uint64_t)uy << 24) | ((uint64_t)uz << 3) | direction;
}
/* The same cell, another direction (0..6); the key is not RICO_NO_KEY. */
static inline rico_cache_key rico_cache_key_turned(rico_cache_key key, uint32_t direction)
{
    return (key & ~(rico_cache_key)7) | direction;
}
/* Any of the four may be NULL. RICO_NO_KEY has direction 7. */
RICO_API void rico_cache_key_cell(rico_cache_key key, int32_t *x, int32_t *y, int32_t *z,
                                  uint32_t *direction);
RICO_API uint32_t rico_cache_direction(rico_vec3 vector);

/* The box of the key's cell, rounded to float: it holds every position that has this key. */
RICO_API rico_box rico_cache_key_box(const rico_cache *cache, rico_cache_key key);

/* What the conflict rule and the eviction know of a record. */
typedef struct rico_cache_info {
    uint32_t frame;    /* when it was deposited */
    uint32_t rank;     /* 1 = complete cell record, 0 = single plane */
    uint32_t impact;   /* quantised time of impact, smaller wins */
    uint32_t collider; /* whose surface; smaller wins */
    uint32_t triangle; /* smaller wins */
    uint32_t version;  /* scene version that it was made from */
} rico_cache_info;

/* Look up. Returns the payload (valid until the next merge or forget) or NULL; RICO_NO_KEY is a
 * miss; info may be NULL, and is written on a hit only. The payload is aligned to 8 bytes, and
 * to the largest power of two up to 64 that divides payload_unit; only as many bytes as were
 * deposited may be read of it, or 64 that are zero where those were none. A hit marks the record as
 * used by the worker (worker < worker_count) without any shared store.
 * Threads: any, outside merges; a worker index by one thread at a time. */
RICO_API const void *rico_cache_find(rico_cache *cache, rico_cache_key key, uint32_t worker,
                                     rico_cache_info *info);

/* Looks up keys[0..count) and fetches ahead by itself: payloads[i] is what rico_cache_find would give
 * for keys[i]. The cheapest way to ask for many. Threads: as rico_cache_find. */
RICO_API void rico_cache_find_many(rico_cache *cache, const rico_cache_key *keys,
                                   uint32_t count, uint32_t worker, const void **payloads);

/* The key's record or, where there is none, the one of the same cell with the other direction
 * (0..6), at the price of one look-up: both are in one bucket, so the directions must not differ in
 * the bits of spread_directions (those that do are not found). *turned tells which it is; it is
 * required, and written on a hit only. Otherwise as rico_cache_find. */
RICO_API const void *rico_cache_find_either(rico_cache *cache, rico_cache_key key,
                                            uint32_t direction, uint32_t worker, bool *turned);

/* Fetches the key's bucket into L1 ahead of rico_cache_find by the same worker: call it for a batch of
 * keys (32 to 64), then look them up. Any key is allowed. Returns the bucket, for
 * rico_cache_find_either_in. Threads: as rico_cache_find. */
RICO_API uint32_t rico_cache_prefetch(const rico_cache *cache, rico_cache_key key,
                                      uint32_t worker);

/* rico_cache_find_either for a key whose bucket is known: what rico_cache_prefetch gave for it. */
RICO_API const void *rico_cache_find_either_in(rico_cache *cache, uint32_t bucket,
                                               rico_cache_key key, uint32_t direction,
                                               uint32_t worker, bool *turned);

/* The optional second step for a batch, with its buckets in L1: fetches the info and the first
 * line of the payload of each record that is there. Worth it when infos are asked for (26
 * instead of 65 ns per look-up at 64 MiB, cache/README.md). Marks and counts nothing. Threads:
 * as rico_cache_find. */
RICO_API void rico_cache_prefetch_record(const rico_cache *cache, rico_cache_key key);

/* Deposits a copy of payload_bytes bytes at payload. Returns false when deposit_capacity is
 * used up or the key is RICO_NO_KEY (nothing is stored then; counted). Another key of direction 7 is
 * misuse: it is asserted, not stored and not counted. Which deposits are
 * refused depends on the order of arrival: a caller that needs determinism stays under the
 * capacity (the runtime does, by its query budget).
 * Conflict rule, a total order: newer frame beats older; within a frame higher rank, then
 * smaller impact, collider, triangle, version, then fewer units of payload, then payload compared
 * as unsigned 32-bit words in order, smaller first. Equal deposits are one.
 * Threads: any number, together with look-ups, not with merge. */
RICO_API bool rico_cache_deposit(rico_cache *cache, rico_cache_key key,
                                 const rico_cache_info *info, const void *payload);

/* The same with a shorter payload: bytes is a multiple of 8, 0..payload_bytes; what is left of its
 * last unit counts as zero. payload may be NULL when bytes is 0. */
RICO_API bool rico_cache_deposit_part(rico_cache *cache, rico_cache_key key,
                                      const rico_cache_info *info, const void *payload,
                                      uint32_t bytes);

/* The same by a worker (worker < worker_count, by one thread at a time), who takes places for 16
 * deposits at once, so that workers do not wait for each other. Workers are not refused before they
 * have made deposit_capacity deposits together, and may be accepted then; to the two calls above
 * their places count as used up. */
RICO_API bool rico_cache_deposit_by(rico_cache *cache, uint32_t worker, rico_cache_key key,
                                    const rico_cache_info *info, const void *payload,
                                    uint32_t bytes);

/* The same in two steps, without a copy. Open gives payload_bytes bytes, aligned to 8, that nobody else
 * uses, for the worker to build its next payload in; NULL, and counted, when the capacity is used up.
 * Close deposits the first `bytes` of them; without it, or with RICO_NO_KEY, nothing is deposited.
 * Between the two, no other deposit by this worker, and no merge. */
RICO_API void *rico_cache_deposit_open(rico_cache *cache, uint32_t worker);
RICO_API bool rico_cache_deposit_close(rico_cache *cache, uint32_t worker, rico_cache_key key,
                                       const rico_cache_info *info, uint32_t bytes);

/* Merge: rico_cache_merge_begin once, then rico_cache_merge_range over all shards (disjoint
 * ranges, any threads), then rico_cache_merge_end once. No look-ups or deposits meanwhile. Begin
 * returns false when there is nothing to do for any shard, neither deposits nor hits: then ranges may be left out.
 * frame is the current frame's number; it never decreases (asserted), but goes on at 0 after 2^32 - 1: one that is 2^31
 * or more ahead of the last merge's is less. All three only touch
 * memory reserved at creation; cost follows the deposits plus 1 bit per 32 records and worker that
 * had hits.
 *
 * For each group of eight buckets that share their payloads' memory, in this order:
 * 1. Records that were found become used in `frame`: where there are deposits, and where it is the group's turn. Group g
 *    has its turn in the frames f with f mod 32 = g / 8 mod 32; a merge has the turns of all frames since the one before.
 * 2. Of the deposits of one key, the first in the conflict rule stays; the others are dropped.
 * 3. One whose key is in the table replaces that record if it beats it by the conflict rule
 *    (and becomes used in `frame`), else it is dropped. Records are replaced in the order of their
 *    buckets and keys.
 * 4. The rest are new keys. They are admitted bucket by bucket, the first seven of a bucket by
 *    higher rank, then smaller key: each takes an empty place, else that of a victim of its bucket,
 *    and becomes used in `frame`.
 * A longer payload than there is room for, and a record without a place, need victims: of the
 * group's records with payload (of the bucket's records, for a place) that are not used in `frame`,
 * the one with the oldest use, then the smallest key, and so on. When even all of them would not do, the deposit is dropped,
 * and nobody is evicted: a record used or deposited in this frame never is. */
RICO_API bool rico_cache_merge_begin(rico_cache *cache, uint32_t frame);
RICO_API void rico_cache_merge_range(rico_cache *cache, uint32_t shard_begin,
                                     uint32_t shard_end);
RICO_API void rico_cache_merge_end(rico_cache *cache);
RICO_API uint32_t rico_cache_shard_count(const rico_cache *cache);

/* Forgets every record whose version is not `version` (0 = all). Deposits not merged yet stay.
 * Not during a frame; walks the whole table. */
RICO_API void rico_cache_forget(rico_cache *cache, uint32_t version);

/* Cells from lo to hi, both among them, and one direction. Any numbers: empty where lo > hi, and cells
 * and directions that no key has hold no records. */
typedef struct rico_cache_range {
    uint32_t direction;
    int32_t lo[3], hi[3];
} rico_cache_range;

/* Forgets the records of the ranges' cells. Deposits not merged yet stay. Not during a frame; asks for
 * each key of the ranges, or walks the table, whichever is less: that takes time by the cells, and never
 * more than rico_cache_forget and a look at each range per record. */
RICO_API void rico_cache_forget_cells(rico_cache *cache, const rico_cache_range *ranges,
                                      uint32_t count);

/* Forgets every record whose key passes the test, which is asked once for each. Deposits not merged yet stay. Not during
 * a frame; walks the whole table. */
typedef bool rico_cache_test(void *user, rico_cache_key key);
RICO_API void rico_cache_forget_if(rico_cache *cache, rico_cache_test *test, void *user);

typedef struct rico_cache_step {
    int32_t x, y, z; /* cells */
} rico_cache_step;

/* Moves every record to another cell, by so many cells for each direction; those that would leave
 * the range of keys are forgotten. All count as used in the frame of the last merge, and as inserted; what has no room
 * in its new bucket is dropped as by merges, of deposit_capacity records each in the order of the old buckets. Allocates a copy of what there is,
 * for its own time. Not during a frame, with no deposits waiting. Errors: RICO_OUT_OF_MEMORY;
 * all is forgotten then. NULL is misuse (RICO_OUT_OF_RANGE), and so is a call during a merge (RICO_BUSY). */
RICO_API rico_result rico_cache_move_cells(rico_cache *cache,
                                           const rico_cache_step by[RICO_WHOLE_CELL + 1]);

/* Hash over all records with their last use, bucket by bucket, in key order within each: equal
 * tables, equal hashes. Deposits not merged yet, used marks and statistics are not in it.
 * Threads: between frames; walks the whole table. */
RICO_API uint64_t rico_cache_hash(const rico_cache *cache);

/* Calls visit for each record, in the order of rico_cache_hash. bytes: of its payload, whole units.
 * Threads: between frames; walks the whole table. */
typedef void rico_cache_visit(void *user, rico_cache_key key, const rico_cache_info *info,
                              const void *payload, uint32_t bytes);
RICO_API void rico_cache_walk(const rico_cache *cache, rico_cache_visit *visit, void *user);

/* Once merged: deposits = inserted + replaced + dropped, and without rico_cache_forget
 * and rico_cache_move_cells record_count = inserted - evicted. */
typedef struct rico_cache_stats {
    uint64_t hits, misses;                         /* look-ups since creation */
    uint64_t deposits;                             /* accepted into shards since creation */
    uint64_t deposits_refused;                     /* over capacity, or no key */
    uint64_t inserted, replaced, evicted, dropped; /* by merges, since creation; dropped = lost
                                                      the conflict rule or found no victim */
    uint32_t record_count;                         /* now */
    uint32_t record_capacity;                      /* places; payload_room may allow fewer */
    uint64_t record_bytes; /* of the records that are there: 38 and the payload's units each */
    uint64_t table_bytes;  /* keys, infos, last uses and payloads; <= the def's */
    uint64_t bytes;        /* all memory of the cache */
} rico_cache_stats;

/* Threads: between frames. */
RICO_API rico_cache_stats rico_cache_get_stats(const rico_cache *cache);

#ifdef __cplusplus
}
#endif
#endif
