/* cache.h - the collision cache: a table of fixed size, with records of what is in cells of
 * space.
 *
 * Use, frame by frame:
 *
 * 1. During a frame the table is frozen. Any thread may look up records, and no thread changes
 *    them.
 * 2. Meanwhile, threads deposit new records into slots, without locks.
 * 3. The merge at the end of the frame folds the deposits into the table. Then they can be
 *    found.
 *
 * A record is an info (rico_cache_info) and a payload. Payloads may have any size up to one
 * that is fixed at creation. They share memory, so small payloads leave room for more records.
 * The cache gives the payload no meaning. It copies the payload, compares it word by word as
 * the last tie-break, and hashes it. Every byte counts there, so the host must set padding
 * bytes, too.
 *
 * The table is a hash table. The hash of the position alone chooses a bucket of seven records,
 * whose keys are one cache line. So all directions of a cell are found in one line (but see
 * rico_cache_def.spread_directions). Eight buckets are a group, and share the memory of their
 * payloads.
 *
 * Determinism: what the table holds after a merge depends on three things only: what it held
 *   before, the set of accepted deposits, and the set of records that were found since the last
 *   merge. It does not depend on their order, on the number of shards or workers, or on how
 *   shards were divided among threads.
 * Errors: misuse goes to the assert handler (hooks.h). Misuse is NULL where it is not allowed,
 *   a worker index out of range, or a call during a merge that must not be made then. When the
 *   handler returns, the call has done nothing, and returns NULL, RICO_NO_KEY, false or zeros.
 *   The calls that are made for each key of a batch check less. rico_cache_prefetch,
 *   rico_cache_prefetch_record and rico_cache_find_either_in do not check whether the cache is
 *   NULL. These three, rico_cache_find and rico_cache_find_either do not check whether a merge
 *   is in progress.
 * Source: Frykholm, Hack Day Report, 2012: a hash keyed by quantised position, three murmur
 *   rounds, a direction, the oldest record dropped.
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

/* --- creation ----------------------------------------------------------------------------- */

typedef struct rico_cache_def {
    uint32_t cookie; /* set by rico_cache_def_default */

    rico_vec3 cell_size; /* edges of a cell along x, y and z; metres; 0.01..1000 [0.5, 0.5, 2.0] */

    /* Memory of the table, which is never exceeded; bytes; 4 KiB..64 GiB. It must hold at least
     * one bucket (rico_cache_create). [16 MiB] */
    uint64_t table_bytes;

    /* Largest payload of a record; bytes; a multiple of 8, 8..1024. [16] */
    uint32_t payload_bytes;

    /* Payloads take whole units of this size; bytes; a multiple of 8 that divides
     * payload_bytes. 0: payload_bytes. [0] */
    uint32_t payload_unit;

    /* Memory for the payloads of a bucket; bytes. Eight buckets share theirs. It is a whole
     * number of units, at least payload_bytes, at most 32 units. 0: 7 * payload_bytes, which is
     * room for all, or 32 units where that is less. [0] */
    uint32_t payload_room;

    /* Direction bits that choose the bucket, too; 0..7. Keys of a cell whose directions differ
     * in these bits are in buckets of their own. [0] */
    uint32_t spread_directions;

    uint32_t shard_count;      /* a power of two, 1..1024 [16] */
    uint32_t deposit_capacity; /* deposits between two merges, of all shards; 1..2^20 [4096] */
    uint32_t worker_count;     /* workers, which may mark records as used; 1..256 [1] */

    rico_allocator allocator; /* hooks.h */
    rico_log log;             /* hooks.h */
} rico_cache_def;

/* Returns a definition with all fields at their defaults. */
RICO_API rico_cache_def rico_cache_def_default(void);

/* Creates an empty cache and reserves all its memory. On failure *out is NULL.
 *
 * No other call of this header allocates, except rico_cache_move_cells.
 *
 * The table has B buckets of 7 records. B is the largest number that table_bytes allows:
 *
 *   table_bytes >= B * (264 + payload_room) + 128 * ceil(B / 8)
 *
 * This memory holds keys, infos, last uses, payloads, and which of the payloads' units are
 * free. All memory of the cache is
 *
 *   that sum
 *   + worker_count * roundup(B, 64)                                used marks
 *   + slots * (32 + roundup(48 + payload_bytes, 64))               deposits
 *   + 64 * (shard_count + 2 * worker_count)
 *   + at most 2 KiB
 *
 * where slots is deposit_capacity + 16 * worker_count, and roundup(n, 64) rounds up to a
 * multiple of 64.
 *
 * Determinism: B follows from table_bytes and the payloads' sizes only. Used marks are not part
 *   of table_bytes, since what is evicted would then depend on the number of workers.
 * Errors:
 *   RICO_UNINITIALIZED_DEF: def was not made by rico_cache_def_default.
 *   RICO_OUT_OF_RANGE: a field of def, which the log names.
 *   RICO_NOT_FINITE: cell_size.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 */
RICO_API rico_result rico_cache_create(const rico_cache_def *def, rico_cache **out);

/* Destroys the cache. NULL is ignored. */
RICO_API void rico_cache_destroy(rico_cache *cache);

/* Makes the operating system hand out the table's pages now.
 *
 * Otherwise most pages take no memory until a record is written there, and merges wait for
 * them. 256 records are enough to touch all 64 huge pages of a table of 128 MiB. The call works
 * once, and only while there is no record; otherwise it does nothing.
 *
 * Threads: not during a frame.
 * Cost: 13 to 340 ms for 128 MiB.
 */
RICO_API void rico_cache_prefault(rico_cache *cache);

/* --- keys --------------------------------------------------------------------------------- */

/* The key of a record: cell coordinates and a direction, packed.
 *
 * - A cell coordinate is the exact floor of position / cell size. So cells on both sides of 0
 *   are different cells.
 * - Directions 0..5 are +x, -x, +y, -y, +z, -z. Direction 6 is the whole cell
 *   (RICO_WHOLE_CELL).
 * - Keys are ordered by x, then y, z and direction.
 *
 * Range: cell coordinates [-2^19, 2^19) for x and y, [-2^20, 2^20) for z. Cells outside,
 *   positions that are not finite, and directions above 6 have the key RICO_NO_KEY.
 * Threads: the functions of keys are pure.
 */
typedef uint64_t rico_cache_key;
#define RICO_NO_KEY UINT64_MAX
#define RICO_WHOLE_CELL 6u

/* Returns the key of the cell that holds `position`, with a direction. */
RICO_API rico_cache_key rico_cache_key_at(const rico_cache *cache, rico_vec3 position,
                                          uint32_t direction);

/* Returns the key of a cell with a direction. It is inline, because callers that know their
 * cell make several keys per look-up. */
static inline rico_cache_key rico_cache_key_of_cell(int32_t x, int32_t y, int32_t z,
                                                    uint32_t direction)
{
    uint32_t ux = (uint32_t)x + (1u << 19), uy = (uint32_t)y + (1u << 19);
    uint32_t uz = (uint32_t)z + (1u << 20);
    if ((ux | uy) >= 1u << 20 || uz >= 1u << 21 || direction > RICO_WHOLE_CELL)
        return RICO_NO_KEY;
    return ((uint64_t)ux << 44) | ((uint64_t)uy << 24) | ((uint64_t)uz << 3) | direction;
}

/* Returns the key of the same cell with another direction, 0..6. `key` must not be
 * RICO_NO_KEY. */
static inline rico_cache_key rico_cache_key_turned(rico_cache_key key, uint32_t direction)
{
    return (key & ~(rico_cache_key)7) | direction;
}

/* Gets the cell coordinates and the direction of a key. Any of the four pointers may be NULL.
 * RICO_NO_KEY has direction 7. */
RICO_API void rico_cache_key_cell(rico_cache_key key, int32_t *x, int32_t *y, int32_t *z,
                                  uint32_t *direction);

/* Returns the direction, 0..5, of the axis nearest to a vector. Among equals x comes before y,
 * and y before z. -0 and NaN count as +0. */
RICO_API uint32_t rico_cache_direction(rico_vec3 vector);

/* Returns the box of the key's cell, rounded to floats. It holds every position that has this
 * key. */
RICO_API rico_box rico_cache_key_box(const rico_cache *cache, rico_cache_key key);

/* --- look-ups ----------------------------------------------------------------------------- */

/* What the cache knows of a record besides its key and payload, for the conflict rule
 * (rico_cache_deposit) and for rico_cache_forget. */
typedef struct rico_cache_info {
    uint32_t frame;    /* in which the record was deposited */
    uint32_t rank;     /* 1: a complete record of the cell; 0: a single plane */
    uint32_t impact;   /* quantised time of impact; the smaller wins */
    uint32_t collider; /* whose surface it is; the smaller wins */
    uint32_t triangle; /* the smaller wins */
    uint32_t version;  /* scene version that the record was made from */
} rico_cache_info;

/* Looks up a record. Returns its payload, or NULL when there is none.
 *
 * RICO_NO_KEY is never found. `info` may be NULL; it is written on a hit only. A hit marks the
 * record as used, for this worker, without any store to memory that workers share.
 *
 * The payload is aligned to 8 bytes, and to the largest power of two up to 64 that divides
 * payload_unit. Only as many bytes may be read as were deposited. Of a record that was
 * deposited with 0 bytes, 64 bytes may be read, which are zero.
 *
 * Range: worker < worker_count.
 * Threads: any, but not during a merge. One thread at a time may use a worker index.
 * Lifetime: the payload is valid until the next merge, forget or move.
 */
RICO_API const void *rico_cache_find(rico_cache *cache, rico_cache_key key, uint32_t worker,
                                     rico_cache_info *info);

/* Looks up keys[0..count) and writes to payloads[i] what rico_cache_find returns for keys[i].
 *
 * It prefetches by itself, and is the cheapest way to look up many keys.
 *
 * Threads: as rico_cache_find.
 */
RICO_API void rico_cache_find_many(rico_cache *cache, const rico_cache_key *keys,
                                   uint32_t count, uint32_t worker, const void **payloads);

/* Looks up a key and, where it has no record, the same cell with another direction, 0..6.
 *
 * *turned is true when the record is the one of the other direction. `turned` must not be NULL;
 * it is written on a hit only. Otherwise as rico_cache_find.
 *
 * Both records are in one bucket. So the two directions must not differ in the bits of
 * spread_directions: where they do, the record of the other direction is not found.
 *
 * Cost: one look-up.
 */
RICO_API const void *rico_cache_find_either(rico_cache *cache, rico_cache_key key,
                                            uint32_t direction, uint32_t worker, bool *turned);

/* Prefetches the bucket of a key into the L1 cache, for a look-up by the same worker.
 *
 * Call it for a batch of 32 to 64 keys, then look them up. Any key is allowed. Returns the
 * bucket, for rico_cache_find_either_in.
 *
 * Threads: as rico_cache_find.
 */
RICO_API uint32_t rico_cache_prefetch(const rico_cache *cache, rico_cache_key key,
                                      uint32_t worker);

/* Looks up as rico_cache_find_either, in a bucket that is known already: the one that
 * rico_cache_prefetch returned for the key. */
RICO_API const void *rico_cache_find_either_in(rico_cache *cache, uint32_t bucket,
                                               rico_cache_key key, uint32_t direction,
                                               uint32_t worker, bool *turned);

/* Prefetches the info and the first line of the payload of a key's record, if there is one.
 *
 * This is an optional second step for a batch whose buckets are in the L1 cache. It is worth it
 * when infos are asked for: a look-up then takes 26 instead of 65 ns in a table of 64 MiB
 * (cache/README.md). It marks no record as used and counts nothing.
 *
 * Threads: as rico_cache_find.
 */
RICO_API void rico_cache_prefetch_record(const rico_cache *cache, rico_cache_key key);

/* --- deposits ----------------------------------------------------------------------------- */

/* Deposits a record with a payload of payload_bytes bytes, which it copies. Returns whether it
 * was accepted.
 *
 * A deposit is refused when deposit_capacity is used up, or when the key is RICO_NO_KEY. Then
 * nothing is stored, and rico_cache_stats.deposits_refused counts it. Another key with
 * direction 7 is misuse: it is asserted, not stored and not counted.
 *
 * The conflict rule decides between deposits and records of one key. It is a total order:
 *
 * - The newer frame wins.
 * - Within a frame, the higher rank wins.
 * - Then the smaller impact, collider, triangle and version win, in this order.
 * - Then the payload with fewer units wins.
 * - Then the payload that is smaller, compared as unsigned 32-bit words in order, wins.
 *
 * Equal deposits count as one.
 *
 * Threads: any number of threads, together with look-ups, but not during a merge.
 * Determinism: which deposits are refused depends on the order of arrival. A caller that needs
 *   determinism stays below deposit_capacity, as the runtime does by its query budget.
 */
RICO_API bool rico_cache_deposit(rico_cache *cache, rico_cache_key key,
                                 const rico_cache_info *info, const void *payload);

/* Deposits a record with a shorter payload. Otherwise as rico_cache_deposit.
 *
 * The rest of the payload's last unit counts as zero. `payload` may be NULL when `bytes` is 0.
 *
 * Range: bytes is a multiple of 8, 0..payload_bytes.
 */
RICO_API bool rico_cache_deposit_part(rico_cache *cache, rico_cache_key key,
                                      const rico_cache_info *info, const void *payload,
                                      uint32_t bytes);

/* Deposits a record as a worker. Otherwise as rico_cache_deposit_part.
 *
 * A worker reserves slots for 16 deposits at once, so that workers do not wait for each other.
 * Workers are not refused before they have made deposit_capacity deposits together. They may
 * still be accepted after that. For rico_cache_deposit and rico_cache_deposit_part, all slots
 * that workers have reserved count as used up.
 *
 * Range: worker < worker_count.
 * Threads: one thread at a time may use a worker index.
 */
RICO_API bool rico_cache_deposit_by(rico_cache *cache, uint32_t worker, rico_cache_key key,
                                    const rico_cache_info *info, const void *payload,
                                    uint32_t bytes);

/* Begins a deposit as a worker, without a copy: returns memory in which to build the payload.
 *
 * The memory has payload_bytes bytes, is aligned to 8, and nobody else uses it. The call
 * returns NULL, and counts a refusal, when the capacity is used up (rico_cache_deposit_by).
 *
 * rico_cache_deposit_close ends the deposit. Between the two calls, this worker must not make
 * other deposits, and no merge may begin. Without a close, nothing is deposited.
 *
 * Lifetime: until rico_cache_deposit_close.
 */
RICO_API void *rico_cache_deposit_open(rico_cache *cache, uint32_t worker);

/* Deposits the first `bytes` bytes of the memory that rico_cache_deposit_open returned. Returns
 * whether the deposit was accepted.
 *
 * With RICO_NO_KEY nothing is deposited. Otherwise as rico_cache_deposit_by.
 */
RICO_API bool rico_cache_deposit_close(rico_cache *cache, uint32_t worker, rico_cache_key key,
                                       const rico_cache_info *info, uint32_t bytes);

/* --- merging ------------------------------------------------------------------------------ */

/* Begins a merge, which folds all deposits into the table.
 *
 * A merge is three steps:
 *
 * 1. rico_cache_merge_begin, once.
 * 2. rico_cache_merge_range, over all shards. Ranges must not overlap, and may run on any
 *    threads.
 * 3. rico_cache_merge_end, once.
 *
 * No look-up and no deposit may run meanwhile. All three only touch memory that was reserved at
 * creation.
 *
 * rico_cache_merge_begin returns false when there is nothing to do for any shard, neither
 * deposits nor hits. Then step 2 may be left out.
 *
 * `frame` is the number of the current frame. It must never decrease (asserted), but it goes on
 * at 0 after 2^32 - 1: a number that is 2^31 or more ahead of the last merge's counts as less.
 *
 * The rules, for each group of eight buckets, in this order:
 *
 * 1. Records that were found become used in `frame`. This happens in groups that have deposits,
 *    and in groups that have their turn. Group g has its turn in frame f when f mod 32 equals
 *    floor(g / 8) mod 32. A merge has the turns of all frames since the merge before it.
 * 2. Of the deposits of one key, the first in the order of the conflict rule stays. The others
 *    are dropped.
 * 3. A deposit whose key is in the table replaces that record if it wins by the conflict rule,
 *    and becomes used in `frame`. Otherwise it is dropped. Replacements are made in the order
 *    of buckets and keys.
 * 4. The other deposits are new keys, which are admitted bucket by bucket. At most seven are
 *    admitted to a bucket: first those of higher rank, then those of smaller key. Each takes an
 *    empty place, or else the place of a victim in its bucket, and becomes used in `frame`.
 *
 * Eviction: a payload that is longer than the free room needs victims among the group's records
 *   with payload. A record that finds no empty place needs a victim among its bucket's records.
 *   A record that is used in `frame` is never a victim. The record with the oldest use goes
 *   first; among equals, the one with the smallest key. When even all possible victims would
 *   not make enough room, the deposit is dropped and nothing is evicted. So a record that was
 *   used or deposited in this frame is never evicted.
 *
 * Threads: any thread may make each of the calls; ranges may run at the same time. All ranges
 *   come after rico_cache_merge_begin has returned, and before rico_cache_merge_end.
 * Cost: time by the deposits, plus 1 bit per 32 records for each worker that had hits.
 */
RICO_API bool rico_cache_merge_begin(rico_cache *cache, uint32_t frame);

/* Merges the shards from shard_begin up to, but not including, shard_end. */
RICO_API void rico_cache_merge_range(rico_cache *cache, uint32_t shard_begin,
                                     uint32_t shard_end);

/* Ends a merge. */
RICO_API void rico_cache_merge_end(rico_cache *cache);

/* Returns the number of shards. */
RICO_API uint32_t rico_cache_shard_count(const rico_cache *cache);

/* --- forgetting and moving ---------------------------------------------------------------- */

/* Forgets every record whose version is not `version`. 0 forgets all records.
 *
 * Deposits that are not merged yet stay.
 *
 * Threads: not during a frame.
 * Cost: a walk over the whole table.
 */
RICO_API void rico_cache_forget(rico_cache *cache, uint32_t version);

/* The cells from `lo` to `hi`, both included, with one direction. Any numbers are allowed. A
 * range with lo > hi is empty. Cells and directions that have no key have no records. */
typedef struct rico_cache_range {
    uint32_t direction;
    int32_t lo[3], hi[3];
} rico_cache_range;

/* Forgets the records of the cells in `count` ranges.
 *
 * Deposits that are not merged yet stay.
 *
 * Threads: not during a frame.
 * Cost: the call looks up each key of the ranges, or walks over the table, whichever is less.
 *   So it takes time by the cells, but never more than rico_cache_forget plus a look at each
 *   range per record.
 */
RICO_API void rico_cache_forget_cells(rico_cache *cache, const rico_cache_range *ranges,
                                      uint32_t count);

/* Returns whether the record with this key is to be forgotten. */
typedef bool rico_cache_test(void *user, rico_cache_key key);

/* Forgets every record whose key passes the test. The test is called once for each record.
 *
 * Deposits that are not merged yet stay.
 *
 * Threads: not during a frame.
 * Cost: a walk over the whole table.
 */
RICO_API void rico_cache_forget_if(rico_cache *cache, rico_cache_test *test, void *user);

/* A move by a number of cells along each axis. */
typedef struct rico_cache_step {
    int32_t x, y, z;
} rico_cache_step;

/* Moves every record to another cell: records of direction d move by by[d].
 *
 * - Records that would leave the range of keys are forgotten.
 * - All other records count as used in the frame of the last merge, and as inserted.
 * - They come to their new buckets by merges of deposit_capacity records each, in the order of
 *   the old buckets. A record that finds no room there is dropped, as in any merge.
 *
 * No deposits may be waiting for a merge. The call allocates a copy of all records, and
 * releases it before it returns.
 *
 * Threads: not during a frame.
 * Errors:
 *   RICO_OUT_OF_MEMORY: all records are forgotten then.
 *   RICO_OUT_OF_RANGE: a pointer is NULL, which is misuse.
 *   RICO_BUSY: a merge is in progress, which is misuse.
 */
RICO_API rico_result rico_cache_move_cells(rico_cache *cache,
                                           const rico_cache_step by[RICO_WHOLE_CELL + 1]);

/* --- state -------------------------------------------------------------------------------- */

/* Returns a hash of all records with their last use, bucket by bucket, in the order of keys
 * within each.
 *
 * Equal tables have equal hashes. Deposits that are not merged yet, used marks and statistics
 * are not part of it.
 *
 * Threads: between frames.
 * Cost: a walk over the whole table.
 */
RICO_API uint64_t rico_cache_hash(const rico_cache *cache);

/* Gets one record. `bytes` is the size of its payload, in whole units. */
typedef void rico_cache_visit(void *user, rico_cache_key key, const rico_cache_info *info,
                              const void *payload, uint32_t bytes);

/* Calls `visit` for each record, in the order of rico_cache_hash.
 *
 * Threads: between frames.
 * Cost: a walk over the whole table.
 */
RICO_API void rico_cache_walk(const rico_cache *cache, rico_cache_visit *visit, void *user);

/* Statistics. Once all deposits are merged, deposits = inserted + replaced + dropped. As long
 * as no call has forgotten or moved records (rico_cache_forget, rico_cache_forget_cells,
 * rico_cache_forget_if, rico_cache_move_cells), record_count = inserted - evicted. */
typedef struct rico_cache_stats {
    uint64_t hits, misses; /* look-ups since creation */

    uint64_t deposits;         /* accepted since creation */
    uint64_t deposits_refused; /* over capacity, or without a key */

    /* What merges did with deposits, since creation. A deposit is dropped when it lost by the
     * conflict rule or found no victim. */
    uint64_t inserted, replaced, evicted, dropped;

    uint32_t record_count;    /* records in the table */
    uint32_t record_capacity; /* places for records; payload_room may allow fewer */

    uint64_t record_bytes; /* of the records in the table: 38 and the payload's units for each */
    uint64_t table_bytes;  /* keys, infos, last uses and payloads; <= the definition's */
    uint64_t bytes;        /* all memory of the cache */
} rico_cache_stats;

/* Returns the cache's statistics.
 *
 * Threads: between frames.
 */
RICO_API rico_cache_stats rico_cache_get_stats(const rico_cache *cache);

#ifdef __cplusplus
}
#endif
#endif
