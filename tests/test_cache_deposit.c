/* Deposits that are built in place, and the batches in which merges write records. */
#include "cache_fixture.h"

#include "hash.h"

#define UNIT 16u
#define LONGEST 160u
#define KEYS 900u
#define DEPOSITS 400u

static rico_cache *make_small(uint32_t shards, uint32_t workers)
{
    rico_cache_def def = rico_cache_def_default();
    def.payload_bytes = LONGEST;
    def.payload_unit = UNIT;
    def.payload_room = 32 * UNIT; /* for the seven records of a bucket */
    def.table_bytes = 40000;
    def.deposit_capacity = DEPOSITS;
    def.shard_count = shards;
    def.worker_count = workers;
    rico_cache *cache = NULL;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    return cache;
}

/* Builds a payload that depends on the key, except for its first byte. That byte decides between
 * two payloads of a key. */
static void build(uint8_t *payload, uint32_t k, uint32_t first, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; ++at)
        payload[at] = (uint8_t)(at == 0 ? first : 7 * k + at);
}

static void put_in_place(rico_cache *cache, uint32_t worker, const rico_cache_info *info,
                         uint32_t k, uint32_t first)
{
    uint8_t *payload = rico_cache_deposit_open(cache, worker);
    CHECK(payload != NULL && (uintptr_t)payload % 8 == 0);
    memset(payload, 0xa5, LONGEST); /* bytes beyond its length must not count */
    if (k % 5 == 0)
        CHECK(rico_cache_deposit_open(cache, worker) == (void *)payload); /* begun again */
    build(payload, k, first, info->impact);
    CHECK(rico_cache_deposit_close(cache, worker, cell((int32_t)k), info, info->impact));
}

/* Each record's payload belongs to its key, whatever was moved and copied around it. */
static void check_payload(void *user, rico_cache_key key, const rico_cache_info *info,
                          const void *payload, uint32_t bytes)
{
    uint8_t expected[LONGEST];
    int32_t x;
    (void)user;
    rico_cache_key_cell(key, &x, NULL, NULL, NULL);
    CHECK_EQ(bytes, (info->impact + UNIT - 1) / UNIT * UNIT);
    build(expected, (uint32_t)x, bytes > 0 ? *(const uint8_t *)payload : 0, info->impact);
    CHECK(memcmp(payload, expected, info->impact) == 0);
}

TEST(cache, what_is_built_in_place_or_copied_is_the_same_in_any_batches)
{
    static const uint32_t shards[3] = {1, 4, 64};
    rico_cache *caches[3];
    draw d = {.seed = 11};
    for (int c = 0; c < 3; ++c)
        caches[c] = make_small(shards[c], 3);
    for (uint32_t frame = 1; frame <= 30; ++frame) {
        uint32_t count = 1 + below(&d, frame % 3 == 0 ? 40 : DEPOSITS);
        for (uint32_t i = 0; i < count; ++i) {
            /* All payloads of a key of one age have one length, so that bytes decide; those of
             * the next age differ. */
            uint32_t k = below(&d, KEYS), first = below(&d, 256), age = (frame + k) / 5;
            rico_cache_info info = {.frame = age, .impact = 8 * ((3 * age + k) % 21)};
            uint8_t payload[LONGEST];
            build(payload, k, first, info.impact);
            put_in_place(caches[0], 0, &info, k, first);
            put_in_place(caches[1], i % 3, &info, k, first);
            CHECK(rico_cache_deposit_by(caches[2], i % 2, cell((int32_t)k), &info, payload,
                                        info.impact));
        }
        for (int c = 0; c < 3; ++c)
            merge(caches[c], frame);
        uint64_t hash = rico_cache_hash(caches[0]);
        CHECK(hash == rico_cache_hash(caches[1]) && hash == rico_cache_hash(caches[2]));
        rico_cache_walk(caches[0], check_payload, NULL);
    }
    rico_cache_stats stats = rico_cache_get_stats(caches[0]);
    CHECK(stats.evicted > 1000 && stats.replaced > 300);
    for (int c = 0; c < 3; ++c)
        rico_cache_destroy(caches[c]);
}

static void hash_record(void *user, rico_cache_key key, const rico_cache_info *info,
                        const void *payload, uint32_t bytes)
{
    rico__hash *hash = user;
    rico__hash_u64(hash, key);
    rico__hash_u32(hash, info->triangle);
    rico__hash_words(hash, payload, bytes / sizeof(uint32_t));
}

/* A hash of the records held, not of when they were deposited and found. */
static uint64_t hash_of_records(const rico_cache *cache)
{
    rico__hash hash;
    rico__hash_init(&hash, 1);
    rico_cache_walk(cache, hash_record, &hash);
    return rico__hash_value(&hash);
}

TEST(cache, goes_on_as_before_when_frames_begin_anew_at_0)
{
    const uint32_t begin[2] = {100, UINT32_MAX - 15};
    rico_cache *caches[2] = {make_small(4, 1), make_small(4, 1)};
    draw d = {.seed = 12};
    for (int c = 0; c < 2; ++c)
        merge(caches[c], begin[c] / 2); /* the caches have been in use for a long time */
    for (uint32_t frame = 1; frame <= 60; ++frame) {
        for (uint32_t i = 0; i < DEPOSITS / 4; ++i) {
            uint32_t k = below(&d, KEYS), ago = below(&d, 3), looked_up = below(&d, KEYS);
            uint8_t payload[LONGEST];
            build(payload, k, i, LONGEST);
            for (int c = 0; c < 2; ++c) {
                rico_cache_info info = {.frame = begin[c] + frame - ago, .triangle = frame};
                rico_cache_find(caches[c], cell((int32_t)looked_up), 0, NULL);
                CHECK(rico_cache_deposit_part(caches[c], cell((int32_t)k), &info, payload,
                                              8 * (k % 21)));
            }
        }
        for (int c = 0; c < 2; ++c)
            merge(caches[c], begin[c] + frame);
        CHECK(hash_of_records(caches[0]) == hash_of_records(caches[1]));
    }
    rico_cache_stats stats = rico_cache_get_stats(caches[1]);
    CHECK(stats.evicted > 1000 && stats.replaced > 300 && stats.hits > 300);
    for (int c = 0; c < 2; ++c)
        rico_cache_destroy(caches[c]);
}

TEST(cache, a_full_pool_opens_no_deposit_and_what_is_not_closed_is_none)
{
    rico_cache *cache = make_small(4, 2);
    rico_cache_info info = {.frame = 1};
    uint32_t opened = 0;
    CHECK(rico_cache_deposit_open(cache, 1) != NULL);
    CHECK(!rico_cache_deposit_close(cache, 1, RICO_NO_KEY, &info, 8));
    while (opened < 2 * DEPOSITS && rico_cache_deposit_open(cache, 0) != NULL) {
        memset(rico_cache_deposit_open(cache, 0), 0, 8);
        CHECK(rico_cache_deposit_close(cache, 0, cell((int32_t)opened++), &info, 8));
    }
    CHECK(opened >= DEPOSITS && opened <= DEPOSITS + 16);
    CHECK_EQ(rico_cache_get_stats(cache).deposits, opened);
    CHECK_EQ(rico_cache_get_stats(cache).deposits_refused, 2);
    merge(cache, 1);
    rico_cache_stats stats = rico_cache_get_stats(cache);
    CHECK_EQ(stats.inserted + stats.dropped, opened);
    CHECK(rico_cache_deposit_open(cache, 0) != NULL);
    rico_cache_destroy(cache);
}

/* Merges all shards, or none. Returns whether there was anything to do. */
static bool merge_or_not(rico_cache *cache, uint32_t frame, bool ranges)
{
    bool any = rico_cache_merge_begin(cache, frame);
    if (ranges)
        rico_cache_merge_range(cache, 0, rico_cache_shard_count(cache));
    rico_cache_merge_end(cache);
    return any;
}

TEST(cache, a_merge_says_when_there_is_nothing_to_do)
{
    rico_cache *cache = make(4096, 4, 2);
    CHECK(!merge_or_not(cache, 1, false));
    put_frame(cache, cell(0), 5);
    CHECK(merge_or_not(cache, 2, true));
    CHECK(!merge_or_not(cache, 3, false));
    CHECK(rico_cache_find(cache, cell(7), 0, NULL) == NULL);
    uint64_t hash = rico_cache_hash(cache);
    CHECK(!merge_or_not(cache, 4, true)); /* with ranges there is nothing to do, either */
    CHECK(rico_cache_hash(cache) == hash);
    CHECK(rico_cache_find(cache, cell(0), 1, NULL) != NULL); /* a hit, by another worker */
    uint32_t counted = 0;
    for (uint32_t frame = 5; frame < 37; ++frame) { /* each frame is the turn of other groups */
        CHECK(merge_or_not(cache, frame, true));
        counted += rico_cache_hash(cache) != hash;
        hash = rico_cache_hash(cache);
    }
    CHECK_EQ(counted, 1);
    CHECK(!merge_or_not(cache, 37, false));
    rico_cache_destroy(cache);
}

TEST(cache, shards_that_a_merge_left_out_are_reported_and_not_merged_by_the_next)
{
    rico_cache *cache = make(4096, 4, 2);
    uint64_t hash = rico_cache_hash(cache);
    put_frame(cache, cell(0), 5);
    assert_count = 0;
    rico_assert_set_handler(count_assert);
    CHECK(merge_or_not(cache, 5, false));
    CHECK_EQ(assert_count, 1);
    CHECK(!merge_or_not(cache, 6, true));
    CHECK_EQ(assert_count, 1);
    rico_assert_set_handler(NULL);
    CHECK(rico_cache_hash(cache) == hash);
    put_frame(cache, cell(0), 7);
    CHECK(merge_or_not(cache, 7, true));
    CHECK(rico_cache_find(cache, cell(0), 0, NULL) != NULL);
    rico_cache_destroy(cache);
}
