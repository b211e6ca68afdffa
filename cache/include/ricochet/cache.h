/* cache.h - the collision-plane cache: a fixed-size table of records keyed by place.
 *
 * During a frame the table is frozen: any thread may look up, nobody writes. New records are
 * deposited into shards (each under its spin lock) and become visible when the frame's merge
 * folds them in. What the table holds after a merge depends on the set of deposits and of used
 * marks alone: not on their order, the number of shards, or the number of workers.
 *
 * A record is header + payload of a size fixed at creation; the cache never looks inside the
 * payload.
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
    uint64_t table_bytes;   /* memory of the table, 4 KiB..64 GiB [16 MiB]; never exceeded */
    uint32_t payload_bytes; /* per record, a multiple of 8, 8..1024 [16] */
    uint32_t shard_count;   /* a power of two, 1..1024 [16] */
    uint32_t deposit_capacity; /* deposits per frame over all shards, 1..2^20 [4096] */
    uint32_t worker_count;  /* who may mark records as used, 1..256 [1] */
    rico_allocator allocator;
    rico_log log;
} rico_cache_def;

RICO_API rico_cache_def rico_cache_def_default(void);

/* Errors: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE, RICO_OUT_OF_MEMORY; *out is then NULL. */
RICO_API rico_result rico_cache_create(const rico_cache_def *def, rico_cache **out);
RICO_API void rico_cache_destroy(rico_cache *cache); /* NULL is ignored */

/* A place: cell coordinates (floor of position over cell size, so that negative coordinates do
 * not fold) and a direction, packed. Directions: 0..5 = +x -x +y -y +z -z, the principal axis
 * nearest to a vector (ties: x before y before z); 6 = the whole cell. Coordinates outside
 * +-2^19 (x, y) or +-2^20 (z) cells, and positions that are not finite, give RICO_NO_KEY. */
typedef uint64_t rico_cache_key;
#define RICO_NO_KEY UINT64_MAX
#define RICO_WHOLE_CELL 6u

RICO_API rico_cache_key rico_cache_key_at(const rico_cache *cache, rico_vec3 position,
                                          uint32_t direction);
RICO_API rico_cache_key rico_cache_key_of_cell(int32_t x, int32_t y, int32_t z,
                                               uint32_t direction);
RICO_API void rico_cache_key_cell(rico_cache_key key, int32_t *x, int32_t *y, int32_t *z,
                                  uint32_t *direction);
RICO_API uint32_t rico_cache_direction(rico_vec3 vector);

/* The box of the key's cell. */
RICO_API rico_box rico_cache_key_box(const rico_cache *cache, rico_cache_key key);

/* What the conflict rule and the eviction know of a record. */
typedef struct rico_cache_info {
    uint32_t frame;     /* when it was deposited */
    uint32_t rank;      /* 1 = complete cell record, 0 = single plane */
    uint32_t impact;    /* quantised time of impact, smaller wins */
    uint32_t collider;  /* whose surface; smaller wins */
    uint32_t triangle;  /* smaller wins */
    uint32_t version;   /* scene version that it was made from */
} rico_cache_info;

/* Look up. Returns the payload (valid until the next merge) or NULL; *info may be NULL. A hit
 * marks the record as used by the worker (worker < worker_count) without any shared store.
 * Threads: any, between begin_frame and merge; a worker index by one thread at a time. */
RICO_API const void *rico_cache_find(rico_cache *cache, rico_cache_key key, uint32_t worker,
                                     rico_cache_info *info);

/* Fetches the key's bucket into L1 ahead of rico_cache_find. */
RICO_API void rico_cache_prefetch(const rico_cache *cache, rico_cache_key key);

/* Deposits a copy of payload_bytes bytes at payload. Returns false when the frame's
 * deposit_capacity is used up or the key is RICO_NO_KEY (nothing is stored then; counted).
 * Conflict rule, a total order: newer frame beats older; within a frame higher rank, then
 * smaller impact, collider, triangle, version, then payload words compared in order.
 * Threads: any number, together with look-ups, not with merge. */
RICO_API bool rico_cache_deposit(rico_cache *cache, rico_cache_key key,
                                 const rico_cache_info *info, const void *payload);

/* Merge: rico_cache_merge_begin once, then rico_cache_merge_range over all shards (disjoint
 * ranges, any threads), then rico_cache_merge_end once. No look-ups or deposits meanwhile.
 * frame is the current frame's number; it never decreases.
 * When a bucket is full, the victim is the record that was not used this frame, then the one
 * with the oldest use, then the smallest key; a record used this frame is never evicted for a
 * new one: the deposit is dropped and counted. */
RICO_API void rico_cache_merge_begin(rico_cache *cache, uint32_t frame);
RICO_API void rico_cache_merge_range(rico_cache *cache, uint32_t shard_begin,
                                     uint32_t shard_end);
RICO_API void rico_cache_merge_end(rico_cache *cache);
RICO_API uint32_t rico_cache_shard_count(const rico_cache *cache);

/* Forgets every record whose version is not `version` (0 = all). Not during a frame. */
RICO_API void rico_cache_forget(rico_cache *cache, uint32_t version);

/* Hash over all records in key order of buckets: equal tables, equal hashes. */
RICO_API uint64_t rico_cache_hash(const rico_cache *cache);

typedef struct rico_cache_stats {
    uint64_t hits, misses;      /* look-ups since creation */
    uint64_t deposits;          /* accepted into shards since creation */
    uint64_t deposits_refused;  /* over capacity, or no key */
    uint64_t inserted, replaced, evicted, dropped; /* by merges, since creation; dropped = lost
                                                      the conflict rule or found no victim */
    uint32_t record_count;      /* now */
    uint32_t record_capacity;
    uint64_t table_bytes;       /* records, keys and marks */
    uint64_t bytes;             /* all memory of the cache */
} rico_cache_stats;

RICO_API rico_cache_stats rico_cache_get_stats(const rico_cache *cache);

#ifdef __cplusplus
}
#endif
#endif
