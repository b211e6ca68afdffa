/* test_cache.c - the cache's promises, and the cache against a model of its documented rules.
 *
 * The model (struct model) is arrays and qsort, written from cache.h alone; it shares one thing
 * with the cache: which bucket a key is in (rico__cache_bucket), which is no rule but a choice.
 */
#include "testing.h"

#include <ricochet/cache.h>

#include "cache_table.h"
#include "random.h"

#include <pthread.h>

#define WORDS 4 /* of payload, in most tests */
#define PAYLOAD (WORDS * sizeof(uint32_t))

/* ---- Small helpers ---- */

typedef struct draw {
    uint64_t seed;
    uint32_t serial;
} draw;

static uint32_t below(draw *d, uint32_t n)
{
    return (uint32_t)(((uint64_t)rico__random_u32(d->seed, d->serial++, 0) * n) >> 32);
}

static void quiet(void *user, rico_log_level level, const char *text)
{
    (void)level;
    (void)text;
    *(int *)user += 1;
}

static rico_cache *make(uint64_t table_bytes, uint32_t shards, uint32_t workers)
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

static rico_cache_key cell(int32_t x)
{
    return rico_cache_key_of_cell(x, 0, 0, RICO_WHOLE_CELL);
}

static void merge(rico_cache *cache, uint32_t frame)
{
    rico_cache_merge_begin(cache, frame);
    rico_cache_merge_range(cache, 0, rico_cache_shard_count(cache));
    rico_cache_merge_end(cache);
}

/* A deposit whose payload is {tag, 0, 0, 0}. */
static bool put(rico_cache *cache, rico_cache_key key, rico_cache_info info, uint32_t tag)
{
    uint32_t payload[WORDS] = {tag};
    return rico_cache_deposit(cache, key, &info, payload);
}

static bool put_frame(rico_cache *cache, rico_cache_key key, uint32_t frame)
{
    return put(cache, key, (rico_cache_info){.frame = frame}, 0);
}

/* The first payload word, or UINT32_MAX. */
static uint32_t tag_of(rico_cache *cache, rico_cache_key key)
{
    const uint32_t *payload = rico_cache_find(cache, key, 0, NULL);
    return payload != NULL ? payload[0] : UINT32_MAX;
}

/* Keys x[0..count) of one bucket, ascending. */
static void keys_of_one_bucket(const rico_cache *cache, rico_cache_key *keys, uint32_t count)
{
    uint32_t found = 0;
    for (int32_t x = 0; found < count; ++x)
        if (rico__cache_bucket(cache, cell(x)) == rico__cache_bucket(cache, cell(0)))
            keys[found++] = cell(x);
}

/* ---- Keys ---- */

TEST(cache, packs_and_unpacks_every_cell_and_direction)
{
    const int32_t xy[] = {-(1 << 19), -12345, -1, 0, 1, 54321, (1 << 19) - 1};
    const int32_t zs[] = {-(1 << 20), -77, -1, 0, 1, 99, (1 << 20) - 1};
    rico_cache_key previous = 0;
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 7; ++j)
            for (int k = 0; k < 7; ++k)
                for (uint32_t d = 0; d <= RICO_WHOLE_CELL; ++d) {
                    rico_cache_key key = rico_cache_key_of_cell(xy[i], xy[j], zs[k], d);
                    int32_t x, y, z;
                    uint32_t direction;
                    rico_cache_key_cell(key, &x, &y, &z, &direction);
                    CHECK(x == xy[i] && y == xy[j] && z == zs[k] && direction == d);
                    CHECK(key != RICO_NO_KEY && (key > previous || i + j + k + (int)d == 0));
                    previous = key;
                }
}

TEST(cache, gives_no_key_outside_its_limits)
{
    CHECK(rico_cache_key_of_cell(1 << 19, 0, 0, 0) == RICO_NO_KEY);
    CHECK(rico_cache_key_of_cell(-(1 << 19) - 1, 0, 0, 0) == RICO_NO_KEY);
    CHECK(rico_cache_key_of_cell(0, INT32_MAX, 0, 0) == RICO_NO_KEY);
    CHECK(rico_cache_key_of_cell(0, INT32_MIN, 0, 0) == RICO_NO_KEY);
    CHECK(rico_cache_key_of_cell(0, 0, 1 << 20, 0) == RICO_NO_KEY);
    CHECK(rico_cache_key_of_cell(0, 0, -(1 << 20) - 1, 0) == RICO_NO_KEY);
    CHECK(rico_cache_key_of_cell(0, 0, 0, 7) == RICO_NO_KEY);
    rico_cache *cache = make(4096, 1, 1);
    const float bad[] = {NAN, INFINITY, -INFINITY, 3.0e38f, -3.0e38f, 262144.0f, -262144.5f};
    for (int i = 0; i < 7; ++i) {
        CHECK(rico_cache_key_at(cache, (rico_vec3){bad[i], 0, 0}, 0) == RICO_NO_KEY);
        CHECK(rico_cache_key_at(cache, (rico_vec3){0, bad[i], 0}, 0) == RICO_NO_KEY);
        CHECK(rico_cache_key_at(cache, (rico_vec3){0, 0, bad[i] * 8}, 0) == RICO_NO_KEY);
    }
    CHECK(rico_cache_key_at(cache, (rico_vec3){262143.9f, -262144.0f, 0}, 0) != RICO_NO_KEY);
    CHECK(rico_cache_key_at(cache, (rico_vec3){0, 0, 0}, 7) == RICO_NO_KEY);
    CHECK(rico_cache_find(cache, RICO_NO_KEY, 0, NULL) == NULL);
    rico_cache_destroy(cache);
}

TEST(cache, floors_negative_positions_instead_of_folding_them)
{
    rico_cache *cache = make(4096, 1, 1);
    CHECK(rico_cache_key_at(cache, (rico_vec3){-0.1f, 0, 0}, 6) == cell(-1));
    CHECK(rico_cache_key_at(cache, (rico_vec3){0.1f, 0, 0}, 6) == cell(0));
    CHECK(rico_cache_key_at(cache, (rico_vec3){-0.0f, 0, 0}, 6) == cell(0));
    CHECK(rico_cache_key_at(cache, (rico_vec3){-0.5f, 0, 0}, 6) == cell(-1));
    CHECK(rico_cache_key_at(cache, (rico_vec3){-1.0e-30f, 0, 0}, 6) == cell(-1));
    CHECK(rico_cache_key_at(cache, (rico_vec3){0, 0, -0.01f}, 6) ==
          rico_cache_key_of_cell(0, 0, -1, 6));
    rico_cache_destroy(cache);
}

/* cell * size is exact in double: 21 + 24 bits. */
TEST(cache, cell_is_the_exact_floor_and_its_box_holds_the_position)
{
    const float sizes[] = {0.01f, 0.1f, 0.25f, 0.3f, 0.77f, 2.0f, 3.3f, 1000.0f};
    draw d = {1, 0};
    for (int s = 0; s < 8; ++s) {
        rico_cache_def def = rico_cache_def_default();
        def.table_bytes = 4096;
        def.cell_size = (rico_vec3){sizes[s], sizes[s], sizes[s]};
        rico_cache *cache;
        CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
        for (int i = 0; i < 3000; ++i) {
            int32_t at = (int32_t)below(&d, 1u << 20) - (1 << 19);
            float boundary = (float)((double)(at / (1 + i % 999)) * (double)sizes[s]);
            float x =
                i % 3 == 0 ? boundary : nextafterf(boundary, i % 3 == 1 ? -INFINITY : INFINITY);
            rico_cache_key key = rico_cache_key_at(cache, (rico_vec3){x, 0, 0}, 0);
            if (key == RICO_NO_KEY)
                continue;
            int32_t cx;
            rico_cache_key_cell(key, &cx, NULL, NULL, NULL);
            CHECK((double)cx * (double)sizes[s] <= (double)x);
            CHECK((double)(cx + 1) * (double)sizes[s] > (double)x);
            rico_box box = rico_cache_key_box(cache, key);
            CHECK(box.lo.x <= x && x <= box.hi.x && box.lo.y == 0.0f && box.hi.z == sizes[s]);
        }
        rico_cache_destroy(cache);
    }
}

TEST(cache, direction_is_the_nearest_axis_with_ties_to_x_then_y)
{
    const struct {
        rico_vec3 v;
        uint32_t direction;
    } cases[] = {
        {{1, 0, 0}, 0},     {{-1, 0, 0}, 1},       {{0, 1, 0}, 2},         {{0, -1, 0}, 3},
        {{0, 0, 1}, 4},     {{0, 0, -1}, 5},       {{1, 1, 1}, 0},         {{-1, 1, 1}, 1},
        {{0, 1, 1}, 2},     {{0, -1, 1}, 3},       {{1, 0.5f, -1}, 0},     {{0, 0, 0}, 0},
        {{-0.0f, 0, 0}, 0}, {{NAN, 0, -1}, 5},     {{NAN, -1, NAN}, 3},    {{NAN, NAN, NAN}, 0},
        {{2, -3, 2.9f}, 3}, {{INFINITY, 0, 1}, 0}, {{1, 2, -INFINITY}, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        CHECK_EQ(rico_cache_direction(cases[i].v), cases[i].direction);
}

TEST(cache, one_line_serves_all_directions_of_a_cell_and_cells_spread_evenly)
{
    rico_cache *cache = make(1u << 20, 1, 1);
    uint32_t *load = calloc(cache->bucket_count, sizeof *load);
    uint32_t cells = 0;
    for (int32_t x = -60; x < 60; ++x)
        for (int32_t y = -60; y < 60; ++y, ++cells) {
            uint32_t bucket = rico__cache_bucket(cache, rico_cache_key_of_cell(x, y, 0, 0));
            for (uint32_t dir = 1; dir < 7; ++dir)
                CHECK_EQ(rico__cache_bucket(cache, rico_cache_key_of_cell(x, y, 0, dir)),
                         bucket);
            load[bucket] += 1;
        }
    /* A fair hash gives a Poisson distribution: variance = mean. */
    double mean = (double)cells / cache->bucket_count, variance = 0;
    for (uint32_t i = 0; i < cache->bucket_count; ++i)
        variance += (load[i] - mean) * (load[i] - mean) / cache->bucket_count;
    CHECK_NEAR(variance / mean, 1.0, 0.1);
    free(load);
    rico_cache_destroy(cache);
}

TEST(cache, every_bucket_is_in_exactly_one_shard)
{
    for (uint32_t buckets = 1; buckets < 5000; buckets = buckets * 5 / 4 + 1)
        for (uint32_t shards = 1; shards <= 1024; shards *= 2) {
            rico_cache table = {.bucket_count = buckets, .shard_count = shards};
            table.group_count = (buckets + 7) / 8;
            CHECK_EQ(rico__cache_first_group(&table, 0), 0);
            CHECK_EQ(rico__cache_first_group(&table, shards), table.group_count);
            for (uint32_t b = 0; b < buckets; ++b) {
                uint32_t shard = rico__cache_shard_of(&table, b);
                CHECK(b / 8 >= rico__cache_first_group(&table, shard) &&
                      b / 8 < rico__cache_first_group(&table, shard + 1));
            }
        }
}

/* ---- Deposits and merges ---- */

TEST(cache, finds_a_deposit_after_the_merge_and_not_before)
{
    rico_cache *cache = make(4096, 4, 1);
    rico_cache_info info = {7, 1, 2, 3, 4, 5}, found;
    CHECK(put(cache, cell(-3), info, 42));
    CHECK_EQ(tag_of(cache, cell(-3)), UINT32_MAX);
    merge(cache, 7);
    const uint32_t *payload = rico_cache_find(cache, cell(-3), 0, &found);
    CHECK(payload != NULL && payload[0] == 42 && memcmp(&found, &info, sizeof info) == 0);
    CHECK(rico_cache_find(cache, cell(3), 0, &found) == NULL);
    CHECK(rico_cache_find(cache, rico_cache_key_of_cell(-3, 0, 0, 0), 0, &found) == NULL);
    rico_cache_destroy(cache);
}

TEST(cache, is_frozen_during_the_frame)
{
    rico_cache *cache = make(4096, 4, 1);
    put(cache, cell(1), (rico_cache_info){.frame = 1}, 10);
    merge(cache, 1);
    const uint32_t *payload = rico_cache_find(cache, cell(1), 0, NULL);
    uint64_t hash = rico_cache_hash(cache);
    for (int32_t x = 0; x < 200; ++x)
        put(cache, cell(x), (rico_cache_info){.frame = 2}, 20);
    CHECK(payload == rico_cache_find(cache, cell(1), 0, NULL) && payload[0] == 10);
    CHECK(hash == rico_cache_hash(cache));
    merge(cache, 2);
    CHECK_EQ(tag_of(cache, cell(1)), 20);
    CHECK(hash != rico_cache_hash(cache));
    rico_cache_destroy(cache);
}

TEST(cache, fetching_ahead_changes_nothing)
{
    rico_cache *cache = make(4096, 4, 1), *other = make(4096, 4, 1);
    for (uint32_t frame = 1; frame <= 20; ++frame) {
        for (int32_t x = -4; x < 4; ++x) {
            rico_cache_prefetch(cache, cell(x));
            rico_cache_prefetch_record(cache, cell(x));
            put_frame(cache, cell(x * (int32_t)frame), frame);
            put_frame(other, cell(x * (int32_t)frame), frame);
        }
        rico_cache_prefetch(cache, RICO_NO_KEY);
        rico_cache_prefetch_record(cache, RICO_NO_KEY);
        merge(cache, frame);
        merge(other, frame);
        CHECK(rico_cache_hash(cache) == rico_cache_hash(other));
    }
    CHECK_EQ(rico_cache_get_stats(cache).hits + rico_cache_get_stats(cache).misses, 0);
    CHECK(rico_cache_get_stats(cache).evicted > 0);
    rico_cache_destroy(cache);
    rico_cache_destroy(other);
}

TEST(cache, each_criterion_of_the_conflict_rule_decides)
{
    /* Each row beats the one below it by one criterion; later fields say the opposite. */
    const rico_cache_info order[] = {
        {9, 0, 9, 9, 9, 9}, {8, 1, 9, 9, 9, 9}, {8, 0, 1, 9, 9, 9}, {8, 0, 2, 3, 9, 9},
        {8, 0, 2, 4, 5, 9}, {8, 0, 2, 4, 6, 7}, {8, 0, 2, 4, 6, 8}, {8, 0, 2, 4, 6, 8},
    };
    const uint32_t tag[] = {80, 70, 60, 50, 40, 30, 1, 0x01000000};
    for (int winner = 0; winner < 8; ++winner)
        for (int loser = winner + 1; loser < 8; ++loser)
            for (int flip = 0; flip < 4; ++flip) {
                /* flip 0, 1: both in one merge; 2, 3: one after the other */
                rico_cache *cache = make(4096, 1, 1);
                int first = flip & 1 ? loser : winner, second = flip & 1 ? winner : loser;
                put(cache, cell(5), order[first], tag[first]);
                if (flip >= 2)
                    merge(cache, 9);
                put(cache, cell(5), order[second], tag[second]);
                merge(cache, 9);
                CHECK_EQ(tag_of(cache, cell(5)), tag[winner]);
                rico_cache_destroy(cache);
            }
}

TEST(cache, compares_the_last_payload_word)
{
    for (int flip = 0; flip < 2; ++flip) {
        rico_cache *cache = make(4096, 1, 1);
        uint32_t payload[2][WORDS] = {{1, 2, 3, 4}, {1, 2, 3, 5}};
        rico_cache_info info = {.frame = 1};
        rico_cache_deposit(cache, cell(0), &info, payload[flip]);
        rico_cache_deposit(cache, cell(0), &info, payload[!flip]);
        merge(cache, 1);
        CHECK_EQ(((const uint32_t *)rico_cache_find(cache, cell(0), 0, NULL))[3], 4);
        rico_cache_destroy(cache);
    }
}

TEST(cache, forgets_the_oldest_when_full)
{
    rico_cache *cache = make(4096, 2, 1);
    rico_cache_key keys[10];
    keys_of_one_bucket(cache, keys, 10);
    for (uint32_t i = 0; i < 8; ++i) { /* keys[3] first, then round */
        put_frame(cache, keys[(i + 3) % 8], i);
        merge(cache, i);
    }
    CHECK(tag_of(cache, keys[3]) == 0); /* used now: keys[4] becomes the oldest */
    put_frame(cache, keys[8], 8);
    merge(cache, 8);
    put_frame(cache, keys[9], 9);
    merge(cache, 9);
    for (uint32_t i = 0; i < 10; ++i)
        CHECK_EQ(tag_of(cache, keys[i]) == 0, i != 4 && i != 5);
    CHECK_EQ(rico_cache_get_stats(cache).evicted, 2);
    rico_cache_destroy(cache);
}

TEST(cache, equally_old_records_go_by_smallest_key)
{
    rico_cache *cache = make(4096, 2, 1);
    rico_cache_key keys[9];
    keys_of_one_bucket(cache, keys, 9);
    for (uint32_t i = 0; i < 8; ++i) { /* one by one, so that the smallest has the last way */
        put_frame(cache, keys[8 - i], 1);
        merge(cache, 1);
    }
    put_frame(cache, keys[0], 2);
    merge(cache, 2);
    for (uint32_t i = 0; i < 9; ++i)
        CHECK_EQ(tag_of(cache, keys[i]) == 0, i != 1);
    rico_cache_destroy(cache);
}

TEST(cache, never_evicts_what_was_used_this_frame)
{
    rico_cache *cache = make(4096, 2, 2);
    rico_cache_key keys[24];
    keys_of_one_bucket(cache, keys, 24);
    for (uint32_t i = 0; i < 8; ++i)
        put_frame(cache, keys[8 + i], 1);
    merge(cache, 1);
    for (uint32_t i = 0; i < 7; ++i) /* all but keys[15], by two workers */
        CHECK(rico_cache_find(cache, keys[8 + i], i % 2, NULL) != NULL);
    for (uint32_t i = 0; i < 8; ++i) {
        put(cache, keys[i], (rico_cache_info){.frame = 2}, 1);
        put(cache, keys[16 + i], (rico_cache_info){.frame = 2, .rank = i == 5}, 1);
    }
    merge(cache, 2);
    for (uint32_t i = 0; i < 24; ++i) /* the complete record got the one place */
        CHECK_EQ(tag_of(cache, keys[i]) != UINT32_MAX, (i >= 8 && i < 15) || i == 21);
    CHECK_EQ(rico_cache_get_stats(cache).dropped, 15);
    rico_cache_destroy(cache);
}

TEST(cache, a_replaced_record_is_safe_from_new_ones_in_its_frame)
{
    rico_cache *cache = make(4096, 2, 1);
    rico_cache_key keys[16];
    keys_of_one_bucket(cache, keys, 16);
    for (uint32_t i = 0; i < 8; ++i)
        put_frame(cache, keys[i + 8], 1);
    merge(cache, 1);
    for (uint32_t i = 0; i < 8; ++i) {
        put(cache, keys[i], (rico_cache_info){.frame = 2, .rank = 1}, 1);
        put(cache, keys[i + 8], (rico_cache_info){.frame = 2}, 1);
    }
    merge(cache, 2);
    for (uint32_t i = 0; i < 16; ++i)
        CHECK_EQ(tag_of(cache, keys[i]), i < 8 ? UINT32_MAX : 1);
    rico_cache_destroy(cache);
}

TEST(cache, refuses_and_counts_what_is_over_capacity)
{
    rico_cache_def def = rico_cache_def_default();
    def.deposit_capacity = 5;
    rico_cache *cache;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    for (uint32_t frame = 1; frame <= 3; ++frame) {
        for (int32_t x = 0; x < 8; ++x)
            CHECK_EQ(put_frame(cache, cell(x), frame), x < 5);
        CHECK(!put_frame(cache, RICO_NO_KEY, frame));
        merge(cache, frame);
    }
    rico_cache_stats stats = rico_cache_get_stats(cache);
    CHECK_EQ(stats.deposits, 15);
    CHECK_EQ(stats.deposits_refused, 12);
    CHECK_EQ(stats.record_count, 5);
    rico_cache_destroy(cache);
}

TEST(cache, forgets_records_of_other_versions)
{
    rico_cache *cache = make(8192, 4, 1);
    for (int32_t x = 0; x < 30; ++x)
        put(cache, cell(x), (rico_cache_info){.frame = 1, .version = 1 + (uint32_t)x % 3}, 0);
    merge(cache, 1);
    rico_cache_forget(cache, 2);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 10);
    for (int32_t x = 0; x < 30; ++x)
        CHECK_EQ(tag_of(cache, cell(x)) == 0, x % 3 == 1);
    put_frame(cache, cell(0), 2);
    rico_cache_forget(cache, 0); /* with marks set and a deposit waiting */
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 0);
    merge(cache, 2);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 1);
    rico_cache *fresh = make(8192, 4, 1);
    put_frame(fresh, cell(0), 2);
    merge(fresh, 2);
    CHECK(rico_cache_hash(fresh) == rico_cache_hash(cache));
    rico_cache_destroy(fresh);
    rico_cache_destroy(cache);
}

/* ---- Definitions and memory ---- */

TEST(cache, refuses_bad_definitions)
{
    rico_cache_def def = {0};
    rico_cache *cache = (rico_cache *)(void *)&def;
    int messages = 0;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_UNINITIALIZED_DEF);
    CHECK(cache == NULL);
#define REFUSED(field, value)                                                                  \
    do {                                                                                       \
        def = rico_cache_def_default();                                                        \
        def.log = (rico_log){quiet, &messages};                                                \
        def.field = (value);                                                                   \
        cache = (rico_cache *)(void *)&def;                                                    \
        CHECK_EQ(rico_cache_create(&def, &cache), RICO_OUT_OF_RANGE);                          \
        CHECK(cache == NULL && messages == 1);                                                 \
        messages = 0;                                                                          \
    } while (0)
    REFUSED(cell_size.x, 0.009f);
    REFUSED(cell_size.y, NAN);
    REFUSED(cell_size.z, 1000.1f);
    REFUSED(table_bytes, 4095);
    REFUSED(table_bytes, (1ULL << 36) + 1);
    REFUSED(payload_bytes, 0);
    REFUSED(payload_bytes, 12);
    REFUSED(payload_bytes, 1032);
    REFUSED(shard_count, 0);
    REFUSED(shard_count, 3);
    REFUSED(shard_count, 2048);
    REFUSED(deposit_capacity, 0);
    REFUSED(deposit_capacity, (1u << 20) + 1);
    REFUSED(worker_count, 0);
    REFUSED(worker_count, 257);
#undef REFUSED
    def = rico_cache_def_default();
    def.log = (rico_log){quiet, &messages};
    def.table_bytes = 4096;
    def.payload_bytes = 480; /* a bucket needs 288 + 8 * 480 = 4128 */
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OUT_OF_RANGE);
    def.payload_bytes = 472;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    rico_cache_destroy(cache);
    rico_cache_destroy(NULL);
}

typedef struct ledger {
    size_t live;
    int calls, fail_at;
} ledger;

static void *ledger_allocate(void *user, size_t bytes, size_t alignment)
{
    ledger *l = user;
    void *block = NULL;
    if (++l->calls == l->fail_at || posix_memalign(&block, alignment, bytes) != 0)
        return NULL;
    l->live += bytes;
    return block;
}

static void ledger_release(void *user, void *block, size_t bytes, size_t alignment)
{
    ledger *l = user;
    (void)alignment;
    l->live -= bytes;
    free(block);
}

TEST(cache, leaves_nothing_behind_when_any_allocation_fails)
{
    int messages = 0, fail_at = 1;
    for (;; ++fail_at) {
        ledger l = {.fail_at = fail_at};
        rico_cache_def def = rico_cache_def_default();
        def.table_bytes = 4096;
        def.allocator = (rico_allocator){ledger_allocate, ledger_release, &l};
        def.log = (rico_log){quiet, &messages};
        rico_cache *cache = (rico_cache *)(void *)&def;
        rico_result result = rico_cache_create(&def, &cache);
        if (result == RICO_OK) {
            rico_cache_destroy(cache);
            CHECK_EQ(l.live, 0);
            break;
        }
        CHECK(result == RICO_OUT_OF_MEMORY && cache == NULL && l.live == 0);
    }
    CHECK_EQ(messages, fail_at - 1);
    CHECK(fail_at > 8);
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

TEST(cache, never_exceeds_its_bytes_and_never_allocates_after_creation)
{
    const uint64_t sizes[] = {4096, 4097, 5000, 8191, 65536, 100003, 1u << 20};
    for (uint32_t round = 0; round < 7 * 4 * 3; ++round) {
        ledger l = {0};
        rico_cache_def def = rico_cache_def_default();
        def.table_bytes = sizes[round % 7];
        def.payload_bytes = (const uint32_t[]){8, 16, 40, 472}[round / 7 % 4];
        def.worker_count = (const uint32_t[]){1, 3, 256}[round / 28];
        def.shard_count = 64;
        def.deposit_capacity = 1000;
        def.allocator = (rico_allocator){ledger_allocate, ledger_release, &l};
        rico_cache *cache;
        CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
        rico_cache_stats stats = rico_cache_get_stats(cache);
        size_t bucket = 288 + 8 * def.payload_bytes, buckets = def.table_bytes / bucket;
        CHECK_EQ(stats.table_bytes, buckets * bucket);
        CHECK_EQ(stats.record_capacity, buckets * 8);
        size_t known = buckets * bucket + def.worker_count * round_up(buckets) +
                       1000 * (32 + round_up(40 + def.payload_bytes)) +
                       64 * (64 + def.worker_count);
        CHECK(stats.bytes == l.live && l.live >= known && l.live < known + 640);
        int calls = l.calls;
        uint8_t payload[472] = {0};
        for (uint32_t frame = 1; frame <= 5; ++frame) {
            rico_cache_info info = {.frame = frame};
            for (uint32_t i = 0; i < 1000; ++i) {
                rico_cache_key key = cell((int32_t)(i * frame));
                rico_cache_find(cache, key, i % def.worker_count, NULL);
                rico_cache_deposit(cache, key, &info, payload);
            }
            merge(cache, frame);
            stats = rico_cache_get_stats(cache);
            CHECK(stats.record_count <= stats.record_capacity && stats.record_count > 0);
        }
        CHECK_EQ(l.calls, calls);
        rico_cache_destroy(cache);
        CHECK_EQ(l.live, 0);
    }
}

TEST(cache, table_size_does_not_depend_on_the_number_of_workers)
{
    rico_cache *one = make(100000, 1, 1), *many = make(100000, 1, 256);
    CHECK_EQ(one->bucket_count, many->bucket_count);
    rico_cache_destroy(one);
    rico_cache_destroy(many);
}

static int assert_count;

static void count_assert(const char *expression, const char *file, int line)
{
    (void)expression;
    (void)file;
    (void)line;
    assert_count += 1;
}

TEST(cache, misuse_is_reported_and_changes_nothing)
{
    rico_cache *cache = make(4096, 4, 2);
    put_frame(cache, cell(0), 5);
    merge(cache, 5);
    uint64_t hash = rico_cache_hash(cache);
    uint32_t payload[WORDS] = {0};
    rico_assert_set_handler(count_assert);
    CHECK(rico_cache_find(cache, cell(0), 2, NULL) == NULL);
    CHECK(!rico_cache_deposit(cache, cell(0), NULL, payload));
    rico_cache_merge_begin(cache, 4);
    rico_cache_merge_range(cache, 0, 4);
    rico_cache_merge_end(cache);
    CHECK_EQ(assert_count, 5);
    rico_cache_merge_begin(cache, 5);
    rico_cache_merge_range(cache, 0, 5);
    rico_cache_merge_range(cache, 3, 2);
    rico_cache_forget(cache, 0);
    CHECK(!put_frame(cache, cell(0), 6));
    rico_cache_merge_end(cache);
    CHECK_EQ(assert_count, 9);
    rico_assert_set_handler(NULL);
    CHECK(rico_cache_hash(cache) == hash);
    rico_cache_destroy(cache);
}

/* ---- Against the model ---- */

#define MODEL_CAPACITY 1024
#define SCENARIO_FRAMES 6
#define SCENARIO_DEPOSITS 250
#define SCENARIO_FINDS 60
#define UNIVERSE 160

typedef struct model_record {
    uint64_t order[8 + WORDS]; /* key, then the conflict rule: the smaller array wins */
    rico_cache_key key;
    rico_cache_info info;
    uint32_t payload[WORDS];
    uint32_t last_used, bucket;
} model_record;

typedef struct model {
    model_record records[MODEL_CAPACITY];
    uint32_t count;
    uint64_t inserted, replaced, evicted, dropped;
} model;

typedef struct scenario {
    uint64_t table_bytes;
    uint32_t deposit_count[SCENARIO_FRAMES], find_count[SCENARIO_FRAMES];
    uint32_t merge_frame[SCENARIO_FRAMES];
    model_record deposits[SCENARIO_FRAMES][SCENARIO_DEPOSITS];
    rico_cache_key finds[SCENARIO_FRAMES][SCENARIO_FINDS];
    model after[SCENARIO_FRAMES];
    uint64_t hash[SCENARIO_FRAMES];
} scenario;

static int by_order(const void *a, const void *b)
{
    const model_record *ra = a, *rb = b;
    for (int i = 0; i < 8 + WORDS; ++i)
        if (ra->order[i] != rb->order[i])
            return ra->order[i] < rb->order[i] ? -1 : 1;
    return 0;
}

static int by_admission(const void *a, const void *b)
{
    const model_record *ra = a, *rb = b;
    if (ra->info.rank != rb->info.rank)
        return ra->info.rank > rb->info.rank ? -1 : 1;
    return ra->key < rb->key ? -1 : ra->key > rb->key;
}

static int by_bucket(const void *a, const void *b)
{
    const model_record *ra = a, *rb = b;
    if (ra->bucket != rb->bucket)
        return ra->bucket < rb->bucket ? -1 : 1;
    return ra->key < rb->key ? -1 : ra->key > rb->key;
}

static model_record *model_find(model *m, rico_cache_key key)
{
    for (uint32_t i = 0; i < m->count; ++i)
        if (m->records[i].key == key)
            return &m->records[i];
    return NULL;
}

static void model_insert(model *m, const model_record *record, uint32_t frame)
{
    uint32_t in_bucket = 0;
    model_record *victim = NULL;
    for (uint32_t i = 0; i < m->count; ++i) {
        model_record *other = &m->records[i];
        if (other->bucket != record->bucket)
            continue;
        in_bucket += 1;
        if (other->last_used != frame &&
            (victim == NULL || other->last_used < victim->last_used ||
             (other->last_used == victim->last_used && other->key < victim->key)))
            victim = other;
    }
    if (in_bucket == 8 && victim == NULL) {
        m->dropped += 1;
        return;
    }
    m->inserted += 1;
    m->evicted += in_bucket == 8;
    victim = in_bucket < 8 ? &m->records[m->count++] : victim;
    *victim = *record;
    victim->last_used = frame;
}

static void model_merge(model *m, const model_record *deposits, uint32_t count,
                        const rico_cache_key *finds, uint32_t find_count, uint32_t frame)
{
    static model_record sorted[SCENARIO_DEPOSITS], fresh[SCENARIO_DEPOSITS];
    uint32_t fresh_count = 0;
    for (uint32_t i = 0; i < find_count; ++i)
        if (model_find(m, finds[i]) != NULL)
            model_find(m, finds[i])->last_used = frame;
    memcpy(sorted, deposits, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], by_order);
    for (uint32_t i = 0; i < count; ++i) {
        model_record *old = model_find(m, sorted[i].key);
        if (i > 0 && sorted[i].key == sorted[i - 1].key) {
            m->dropped += 1;
        } else if (old == NULL) {
            fresh[fresh_count++] = sorted[i];
        } else if (by_order(&sorted[i], old) < 0) {
            *old = sorted[i];
            old->last_used = frame;
            m->replaced += 1;
        } else {
            m->dropped += 1;
        }
    }
    qsort(fresh, fresh_count, sizeof fresh[0], by_admission);
    for (uint32_t i = 0; i < fresh_count; ++i)
        model_insert(m, &fresh[i], frame);
}

static uint64_t model_hash(const model *m)
{
    static model sorted;
    sorted = *m;
    qsort(sorted.records, m->count, sizeof m->records[0], by_bucket);
    rico__hash hash;
    rico__hash_init(&hash, 0);
    for (uint32_t i = 0; i < m->count; ++i) {
        const model_record *r = &sorted.records[i];
        rico__hash_u64(&hash, r->key);
        rico__hash_words(&hash, &r->info.frame, 6);
        rico__hash_u32(&hash, r->last_used);
        rico__hash_words(&hash, r->payload, WORDS);
    }
    return rico__hash_value(&hash);
}

static rico_cache_key universe_key(uint32_t i)
{
    return rico_cache_key_of_cell((int32_t)(i / 7) % 5 - 2, (int32_t)(i / 35) - 2, -1, i % 7);
}

/* Few values per field, so that every criterion decides often and equal deposits happen. */
static model_record random_deposit(draw *d, const rico_cache *like, uint32_t frame)
{
    model_record r = {.key = universe_key(below(d, UNIVERSE))};
    r.info = (rico_cache_info){frame - below(d, 8) / 6,
                               below(d, 2),
                               below(d, 2),
                               below(d, 2),
                               below(d, 2),
                               below(d, 2)};
    for (int i = 0; i < WORDS; ++i)
        r.payload[i] = below(d, 2) * 0x80000000u;
    r.bucket = rico__cache_bucket(like, r.key);
    const uint64_t head[8] = {
        r.key,           UINT32_MAX - r.info.frame, 1 - r.info.rank, r.info.impact,
        r.info.collider, r.info.triangle,           r.info.version,  0};
    memcpy(r.order, head, sizeof head);
    for (int i = 0; i < WORDS; ++i)
        r.order[8 + i] = r.payload[i];
    return r;
}

static void write_scenario(scenario *s, draw *d)
{
    static model m;
    memset(&m, 0, sizeof m);
    s->table_bytes = 4096 + below(d, below(d, 3) == 0 ? 60000 : 4096);
    rico_cache *like = make(s->table_bytes, 1, 1);
    uint32_t frame = 1;
    for (uint32_t f = 0; f < SCENARIO_FRAMES; ++f, frame += below(d, 3)) {
        s->merge_frame[f] = frame;
        s->deposit_count[f] = below(d, SCENARIO_DEPOSITS + 1);
        s->find_count[f] = below(d, SCENARIO_FINDS + 1);
        for (uint32_t i = 0; i < s->deposit_count[f]; ++i)
            s->deposits[f][i] = random_deposit(d, like, frame);
        for (uint32_t i = 0; i < s->find_count[f]; ++i)
            s->finds[f][i] = universe_key(below(d, UNIVERSE));
        model_merge(&m, s->deposits[f], s->deposit_count[f], s->finds[f], s->find_count[f],
                    frame);
        s->after[f] = m;
        s->hash[f] = model_hash(&m);
    }
    rico_cache_destroy(like);
}

static void check_find(rico_cache *cache, model *m, rico_cache_key key, uint32_t worker)
{
    rico_cache_info info;
    const void *payload = rico_cache_find(cache, key, worker, &info);
    const model_record *expected = model_find(m, key);
    CHECK((payload != NULL) == (expected != NULL));
    if (expected != NULL)
        CHECK(memcmp(&info, &expected->info, sizeof info) == 0 &&
              memcmp(payload, expected->payload, PAYLOAD) == 0);
}

/* The shards in random ranges, the later ranges first in half of the cases. */
static void merge_in_pieces(rico_cache *cache, uint32_t frame, draw *d)
{
    uint32_t shards = rico_cache_shard_count(cache);
    uint32_t a = below(d, shards + 1), b = a + below(d, shards + 1 - a);
    const uint32_t cut[4] = {0, a, b, shards};
    rico_cache_merge_begin(cache, frame);
    uint32_t turn = below(d, 2) * 2;
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t piece = turn == 0 ? i : turn - i;
        rico_cache_merge_range(cache, cut[piece], cut[piece + 1]);
    }
    rico_cache_merge_end(cache);
}

static void play_frame(rico_cache *cache, scenario *s, uint32_t f, uint32_t workers, draw *d)
{
    static model empty;
    for (uint32_t i = 0; i < s->find_count[f]; ++i)
        check_find(cache, f == 0 ? &empty : &s->after[f - 1], s->finds[f][i],
                   below(d, workers));
    model_record *deposits = s->deposits[f];
    for (uint32_t i = s->deposit_count[f]; i > 0; --i) { /* Fisher-Yates as we go */
        uint32_t j = below(d, i);
        model_record chosen = deposits[j];
        deposits[j] = deposits[i - 1];
        deposits[i - 1] = chosen;
        CHECK(rico_cache_deposit(cache, chosen.key, &chosen.info, chosen.payload));
    }
    merge_in_pieces(cache, s->merge_frame[f], d);
    CHECK(rico_cache_hash(cache) == s->hash[f]);
}

static void play_scenario(scenario *s, uint32_t shards, uint32_t workers, draw *d)
{
    rico_cache *cache = make(s->table_bytes, shards, workers);
    for (uint32_t f = 0; f < SCENARIO_FRAMES; ++f)
        play_frame(cache, s, f, workers, d);
    model *last = &s->after[SCENARIO_FRAMES - 1];
    rico_cache_stats stats = rico_cache_get_stats(cache);
    CHECK(stats.inserted == last->inserted && stats.replaced == last->replaced);
    CHECK(stats.evicted == last->evicted && stats.dropped == last->dropped);
    CHECK(stats.deposits == stats.inserted + stats.replaced + stats.dropped);
    CHECK(stats.record_count == last->count);
    CHECK(stats.record_count == stats.inserted - stats.evicted);
    for (uint32_t i = 0; i < UNIVERSE; ++i)
        check_find(cache, last, universe_key(i), i % workers);
    uint64_t looked_up = UNIVERSE;
    for (uint32_t f = 0; f < SCENARIO_FRAMES; ++f)
        looked_up += s->find_count[f];
    stats = rico_cache_get_stats(cache);
    CHECK(stats.hits + stats.misses == looked_up);
    rico_cache_destroy(cache);
}

TEST(cache, any_order_shards_ranges_and_workers_give_what_the_model_gives)
{
    static scenario s;
    draw d = {2012, 0};
    uint64_t evicted = 0, dropped = 0;
    for (uint32_t round = 0; round < 300; ++round) {
        write_scenario(&s, &d);
        evicted += s.after[SCENARIO_FRAMES - 1].evicted;
        dropped += s.after[SCENARIO_FRAMES - 1].dropped;
        for (uint32_t variant = 0; variant < 3; ++variant)
            play_scenario(&s, 1u << (round + variant * 3) % 7, 1 + below(&d, 9), &d);
        if (round % 50 == 0)
            play_scenario(&s, 1024, 256, &d);
    }
    CHECK(evicted > 10000 && dropped > 10000); /* the hard cases were met */
}

/* ---- Threads ---- */

#define THREADS 4
#define DEPOSITS_PER_THREAD 800

typedef struct part {
    pthread_t thread;
    rico_cache *cache;
    uint32_t index, frame, hits;
} part;

/* Four threads deposit for the same few thousand places, and look up meanwhile. */
static void *deposit_part(void *user)
{
    part *p = user;
    draw d = {100 + p->frame, p->index * DEPOSITS_PER_THREAD * 4};
    for (uint32_t i = 0; i < DEPOSITS_PER_THREAD; ++i) {
        rico_cache_info info = {
            .frame = p->frame, .rank = below(&d, 2), .impact = below(&d, 2)};
        put(p->cache, cell((int32_t)below(&d, 3000)), info, below(&d, 2));
        p->hits += rico_cache_find(p->cache, cell((int32_t)i), p->index, NULL) != NULL;
    }
    return NULL;
}

static void *merge_part(void *user)
{
    part *p = user;
    uint32_t shards = rico_cache_shard_count(p->cache);
    rico_cache_merge_range(p->cache, p->index * shards / THREADS,
                           (p->index + 1) * shards / THREADS);
    return NULL;
}

static void run_parts(part *parts, void *(*body)(void *), bool in_threads)
{
    for (uint32_t i = 0; i < THREADS; ++i)
        if (in_threads)
            pthread_create(&parts[i].thread, NULL, body, &parts[i]);
        else
            body(&parts[i]);
    for (uint32_t i = 0; i < THREADS && in_threads; ++i)
        pthread_join(parts[i].thread, NULL);
}

static uint64_t run_frames(rico_cache *cache, bool in_threads, uint32_t frames)
{
    part parts[THREADS];
    for (uint32_t frame = 1; frame <= frames; ++frame) {
        for (uint32_t i = 0; i < THREADS; ++i)
            parts[i] = (part){.cache = cache, .index = i, .frame = frame};
        run_parts(parts, deposit_part, in_threads);
        rico_cache_merge_begin(cache, frame);
        run_parts(parts, merge_part, in_threads);
        rico_cache_merge_end(cache);
    }
    return rico_cache_hash(cache);
}

TEST(cache, four_threads_give_what_one_gives)
{
    for (uint32_t shards = 1; shards <= 64; shards *= 4) {
        rico_cache *serial = make(300000, 16, THREADS);
        rico_cache *parallel = make(300000, shards, THREADS);
        CHECK(run_frames(serial, false, 25) == run_frames(parallel, true, 25));
        rico_cache_stats a = rico_cache_get_stats(serial), b = rico_cache_get_stats(parallel);
        CHECK(a.hits == b.hits && a.misses == b.misses && a.inserted == b.inserted);
        CHECK_EQ(b.deposits, 25 * THREADS * DEPOSITS_PER_THREAD);
        CHECK_EQ(b.deposits, b.inserted + b.replaced + b.dropped);
        CHECK(b.evicted > 100);
        rico_cache_destroy(serial);
        rico_cache_destroy(parallel);
    }
}

static void *overfill_part(void *user)
{
    part *p = user;
    for (uint32_t i = 0; i < DEPOSITS_PER_THREAD; ++i)
        p->hits += put_frame(p->cache, cell((int32_t)(p->index * DEPOSITS_PER_THREAD + i)), 1);
    return NULL;
}

TEST(cache, threads_that_overfill_the_pool_lose_exactly_the_excess)
{
    rico_cache_def def = rico_cache_def_default();
    def.deposit_capacity = 1000;
    rico_cache *cache;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    part parts[THREADS];
    for (uint32_t i = 0; i < THREADS; ++i)
        parts[i] = (part){.cache = cache, .index = i};
    run_parts(parts, overfill_part, true);
    merge(cache, 1);
    rico_cache_stats stats = rico_cache_get_stats(cache);
    CHECK_EQ(parts[0].hits + parts[1].hits + parts[2].hits + parts[3].hits, 1000);
    CHECK_EQ(stats.deposits, 1000);
    CHECK_EQ(stats.deposits_refused, THREADS * DEPOSITS_PER_THREAD - 1000);
    CHECK_EQ(stats.record_count, 1000);
    rico_cache_destroy(cache);
}
