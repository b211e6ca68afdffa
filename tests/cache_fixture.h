/* cache_fixture.h - shared by the tests of the cache: making a cache, filling it, looking
 * records up. */
#ifndef RICO_CACHE_FIXTURE_H
#define RICO_CACHE_FIXTURE_H

#include "testing.h"

#include <ricochet/cache.h>

#include "cache_table.h"
#include "random.h"

#define WORDS 4 /* words of payload, in most tests */
#define PAYLOAD (WORDS * sizeof(uint32_t))

typedef struct draw {
    uint64_t seed;
    uint32_t serial;
} draw;

static inline uint32_t below(draw *d, uint32_t n)
{
    return (uint32_t)(((uint64_t)rico__random_u32(d->seed, d->serial++, 0) * n) >> 32);
}

static inline void quiet(void *user, rico_log_level level, const char *text)
{
    (void)level;
    (void)text;
    *(int *)user += 1;
}

/* An assert handler that counts. A test that sets it resets the count to 0. */
static int assert_count;

static inline void count_assert(const char *expression, const char *file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    assert_count += 1;
}

static inline rico_cache *make(uint64_t table_bytes, uint32_t shards, uint32_t workers)
{
    rico_cache_def def = rico_cache_def_default();
    def.table_bytes = table_bytes;
    def.payload_bytes = PAYLOAD;
    def.shard_count = shards;
    def.worker_count = workers;
    rico_cache *cache = NULL;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    return cache;
}

static inline rico_cache_key cell(int32_t x)
{
    return rico_cache_key_of_cell(x, 0, 0, RICO_WHOLE_CELL);
}

static inline void merge(rico_cache *cache, uint32_t frame)
{
    rico_cache_merge_begin(cache, frame);
    rico_cache_merge_range(cache, 0, rico_cache_shard_count(cache));
    rico_cache_merge_end(cache);
}

/* A deposit whose payload is {tag, 0, 0, 0}. */
static inline bool put(rico_cache *cache, rico_cache_key key, rico_cache_info info,
                       uint32_t tag)
{
    uint32_t payload[WORDS] = {tag};
    return rico_cache_deposit(cache, key, &info, payload);
}

static inline bool put_frame(rico_cache *cache, rico_cache_key key, uint32_t frame)
{
    return put(cache, key, (rico_cache_info){.frame = frame}, 0);
}

/* The first payload word of the record; UINT32_MAX: no record. */
static inline uint32_t tag_of(rico_cache *cache, rico_cache_key key)
{
    const uint32_t *payload = rico_cache_find(cache, key, 0, NULL);
    return payload != NULL ? payload[0] : UINT32_MAX;
}

/* Keys x[0..count) of one bucket, ascending. */
static inline void keys_of_one_bucket(const rico_cache *cache, rico_cache_key *keys,
                                      uint32_t count)
{
    uint32_t found = 0;
    for (int32_t x = 0; found < count; ++x)
        if (rico__cache_bucket(cache, cell(x)) == rico__cache_bucket(cache, cell(0)))
            keys[found++] = cell(x);
}

#endif
