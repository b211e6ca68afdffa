/* cache_table.h - the table behind rico_cache, and who may touch what.
 *
 * Record r = bucket * 8 + way; its key, info, last use and payload are at index r of four
 * parallel arrays. A way is empty when its key is RICO_NO_KEY. A key is in the bucket that
 * rico__cache_bucket names, at most once, in any way: which way carries no meaning.
 *
 * Buckets are hashed by position, so a bucket range is a range of the hash's top bits. Eight
 * buckets (whose marks fill a 64-bit word) are a group; shard s owns the groups
 *   ceil(s * G / S) <= group < ceil((s + 1) * G / S)        (G groups, S shards)
 * so that no word of marks is shared between shards. With G < S some shards are empty.
 */
#ifndef RICO_CACHE_TABLE_H
#define RICO_CACHE_TABLE_H

#include <ricochet/cache.h>

#include "atomics.h"
#include "bits.h"
#include "hash.h"
#include "memory.h"

#define RICO__CACHE_WAYS 8u
#define RICO__CACHE_GROUP 8u

/* Owner: the cache. Threads: written by the one thread that has this worker index, between
 * merges; hits_merged by merge_end. Order: only sums are reported. */
typedef struct rico__cache_worker {
    _Alignas(RICO_CACHE_LINE) uint64_t hits;
    uint64_t misses;
    uint64_t hits_merged; /* hits at the last merge: equal = this worker has no marks */
} rico__cache_worker;

/* Owner: the cache. Threads: head and count by depositors under lock, between merges; all else
 * (and those two) by the one thread that merges this shard. Order: the list is in order of
 * arrival, which merge sorts away. */
typedef struct rico__cache_shard {
    _Alignas(RICO_CACHE_LINE) rico__spinlock lock;
    uint32_t head;        /* deposit index + 1, 0 = empty list */
    uint32_t count;       /* of deposits in the list */
    uint32_t entry_begin; /* where this shard sorts, in entries and scratch */
    uint32_t record_count;
    uint64_t inserted, replaced, evicted, dropped;
} rico__cache_shard;

/* A deposit: this header, then payload_bytes bytes; deposit_bytes apart, so that two threads
 * that fill neighbours do not share a line. */
typedef struct rico__cache_deposit {
    rico_cache_key key;
    rico_cache_info info;
    uint32_t bucket;
    uint32_t next; /* index + 1 in the shard's list, 0 = last */
} rico__cache_deposit;

/* What merge sorts: one per deposit. */
typedef struct rico__cache_entry {
    rico_cache_key key;
    uint32_t bucket;
    uint32_t deposit; /* index */
} rico__cache_entry;

/* Owner: rico_cache_create and _destroy. Threads: the first part is constant while the cache
 * lives; arrays as said at each. Order: buckets ascending, keys ascending within a bucket. */
struct rico_cache {
    uint32_t bucket_count;
    uint32_t payload_bytes;
    uint32_t worker_count;
    uint32_t mark_stride; /* bytes of marks per worker: bucket_count rounded up to a line */
    /* Table: read by look-ups, written by the merge of the owning shard. */
    rico_cache_key *keys;
    rico_cache_info *infos;
    uint32_t *last_used; /* frame of the merge that saw it found or deposited */
    uint8_t *payloads;
    /* marks[worker * mark_stride + bucket], bit = way: written by that worker between merges;
     * read and cleared by the merge of the owning shard. */
    uint8_t *marks;
    rico__cache_worker *workers;
    rico__cache_shard *shards;
    uint8_t *deposits;
    rico__cache_entry *entries, *scratch; /* deposit_capacity each, written by merges */
    uint32_t shard_count;
    uint32_t group_count;
    uint32_t deposit_capacity;
    uint32_t deposit_bytes;
    rico_vec3 cell_size;
    uint32_t frame; /* of the last merge; written by merge_begin */
    bool merging;
    uint64_t deposits_merged;
    rico__memory memory;
    /* Taken slots; may run over deposit_capacity by one per thread. On a line of its own: all
     * depositors write it while others look up. */
    _Alignas(RICO_CACHE_LINE) rico__atomic32 deposit_cursor;
    rico__atomic64 refused;
};

/* Three rounds of MurmurHash3's mixing (xor-shift, multiply) on the packed position; a last
 * xor-shift would not reach the top bits, the only ones used. bucket_count need not be a power
 * of two: floor(hash32 * bucket_count / 2^32). */
static inline uint32_t rico__cache_bucket(const rico_cache *cache, rico_cache_key key)
{
    uint64_t hash = rico__mix64(key >> 3) * 0x9e3779b97f4a7c15ULL;
    return (uint32_t)(((hash >> 32) * cache->bucket_count) >> 32);
}

static inline uint32_t rico__cache_shard_of(const rico_cache *cache, uint32_t bucket)
{
    uint64_t group = bucket / RICO__CACHE_GROUP;
    return (uint32_t)(group * cache->shard_count / cache->group_count);
}

/* First group of a shard; of shard_count: the number of groups. */
static inline uint32_t rico__cache_first_group(const rico_cache *cache, uint32_t shard)
{
    uint64_t scaled = (uint64_t)shard * cache->group_count;
    return (uint32_t)((scaled + cache->shard_count - 1) / cache->shard_count);
}

/* The way that holds key, or RICO__CACHE_WAYS. RICO_NO_KEY finds the first empty way. Eight
 * independent compares into a bit each, without branches: which way it is cannot be predicted.
 * Written out, because gcc -O2 keeps a loop a loop. */
static inline uint32_t rico__cache_way(const rico_cache_key *keys, rico_cache_key key)
{
    uint32_t low = (uint32_t)(keys[0] == key) | (uint32_t)(keys[1] == key) << 1 |
                   (uint32_t)(keys[2] == key) << 2 | (uint32_t)(keys[3] == key) << 3;
    uint32_t high = (uint32_t)(keys[4] == key) | (uint32_t)(keys[5] == key) << 1 |
                    (uint32_t)(keys[6] == key) << 2 | (uint32_t)(keys[7] == key) << 3;
    return bits_lowest64(1u << RICO__CACHE_WAYS | high << 4 | low);
}

/* Bit i = way i holds a record of the key's cell, of any direction. */
static inline uint32_t rico__cache_ways_of_cell(const rico_cache_key *keys, rico_cache_key key)
{
    uint32_t low = (uint32_t)((keys[0] ^ key) < 8) | (uint32_t)((keys[1] ^ key) < 8) << 1 |
                   (uint32_t)((keys[2] ^ key) < 8) << 2 | (uint32_t)((keys[3] ^ key) < 8) << 3;
    uint32_t high = (uint32_t)((keys[4] ^ key) < 8) | (uint32_t)((keys[5] ^ key) < 8) << 1 |
                    (uint32_t)((keys[6] ^ key) < 8) << 2 | (uint32_t)((keys[7] ^ key) < 8) << 3;
    return high << 4 | low;
}

/* The empty asm is needed: gcc 12 takes a function that does nothing but prefetch for pure, and
 * deletes the calls. */
static inline void rico__cache_fetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("" : : "r"(address));
}

static inline size_t rico__cache_record(uint32_t bucket, uint32_t way)
{
    return (size_t)bucket * RICO__CACHE_WAYS + way;
}

static inline uint8_t *rico__cache_payload(const rico_cache *cache, size_t record)
{
    return cache->payloads + record * cache->payload_bytes;
}

/* Reads the bucket's keys; fetches what comes next if key is there. */
static inline void rico__cache_fetch_record(const rico_cache *cache, uint32_t bucket,
                                            rico_cache_key key)
{
    uint32_t way = rico__cache_way(cache->keys + rico__cache_record(bucket, 0), key);
    if (way == RICO__CACHE_WAYS)
        return;
    size_t record = rico__cache_record(bucket, way);
    rico__cache_fetch(&cache->infos[record].frame); /* 24 bytes: a quarter cross a line */
    rico__cache_fetch(&cache->infos[record].version);
    rico__cache_fetch(rico__cache_payload(cache, record));
}

static inline rico__cache_deposit *rico__cache_deposit_at(const rico_cache *cache,
                                                          uint32_t index)
{
    return (rico__cache_deposit *)(void *)(cache->deposits +
                                           (size_t)index * cache->deposit_bytes);
}

static inline uint8_t *rico__cache_deposit_payload(rico__cache_deposit *deposit)
{
    return (uint8_t *)(deposit + 1);
}

/* The conflict rule of cache.h: negative when a beats b, 0 when they are equal in everything.
 */
int rico__cache_compare(const rico_cache_info *a, const uint8_t *payload_a,
                        const rico_cache_info *b, const uint8_t *payload_b,
                        uint32_t payload_bytes);

#endif
