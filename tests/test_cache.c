/* test_cache.c - the cache's promises about deposits, merges and memory. */
#include "cache_fixture.h"


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
            rico_cache_prefetch(cache, cell(x), 0);
            rico_cache_prefetch_record(cache, cell(x));
            put_frame(cache, cell(x * (int32_t)frame), frame);
            put_frame(other, cell(x * (int32_t)frame), frame);
        }
        rico_cache_prefetch(cache, RICO_NO_KEY, 0);
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

TEST(cache, finding_many_is_finding_each)
{
    for (uint32_t count = 0; count < 80; ++count) {
        rico_cache *cache = make(8192, 4, 3), *other = make(8192, 4, 3);
        rico_cache_key keys[80];
        const void *payloads[80];
        for (int32_t x = 0; x < 60; ++x) {
            rico_cache_info info = {.frame = 1};
            rico_cache_deposit_part(cache, cell(x), &info, &info, (uint32_t)(x % 3) * 8);
            rico_cache_deposit_part(other, cell(x), &info, &info, (uint32_t)(x % 3) * 8);
        }
        merge(cache, 1);
        merge(other, 1);
        for (uint32_t i = 0; i < count; ++i)
            keys[i] = i % 7 == 3 ? RICO_NO_KEY : cell((int32_t)(i * 37 % 100));
        rico_cache_find_many(cache, keys, count, 1, payloads);
        for (uint32_t i = 0; i < count; ++i) {
            const void *one = rico_cache_find(other, keys[i], 1, NULL);
            CHECK((one == NULL) == (payloads[i] == NULL));
            CHECK(rico_cache_find(cache, keys[i], 2, NULL) == payloads[i]);
            CHECK(rico_cache_find(other, keys[i], 2, NULL) == one);
        }
        rico_cache_stats a = rico_cache_get_stats(cache), b = rico_cache_get_stats(other);
        CHECK(a.hits == b.hits && a.misses == b.misses);
        CHECK(memcmp(cache->marks, other->marks, 3 * (size_t)cache->mark_stride) == 0);
        rico_cache_destroy(cache);
        rico_cache_destroy(other);
    }
}

static rico_cache_key way_of(int32_t x, uint32_t direction)
{
    return rico_cache_key_of_cell(x, 0, 0, direction);
}

/* The first payload word, UINT32_MAX if none. *turned is the flag that was returned, or 2 when
 * the flag was not written. */
static uint32_t either_of(rico_cache *cache, rico_cache_key key, uint32_t direction,
                          int *turned)
{
    bool is_turned = false, is_straight = true;
    const uint32_t *payload = rico_cache_find_either(cache, key, direction, 0, &is_turned);
    CHECK(payload == rico_cache_find_either(cache, key, direction, 0, &is_straight));
    *turned = is_turned == is_straight ? is_turned : 2;
    return payload != NULL ? payload[0] : UINT32_MAX;
}

TEST(cache, finds_a_key_or_else_the_other_direction_of_its_cell)
{
    rico_cache *cache = make(65536, 4, 1);
    /* Cell x has directions 6 and 2 by its two lowest bits, directions 5 and 0 by the next two. */
    for (int32_t x = 0; x < 16; ++x) {
        static const uint32_t direction[4] = {6, 2, 5, 0};
        for (uint32_t k = 4; k-- > 0;)
            if ((x >> k & 1) != 0)
                put(cache, way_of(x, direction[k]), (rico_cache_info){.frame = 1}, 10 + k);
    }
    merge(cache, 1);
    for (int32_t x = -1; x < 17; ++x) {
        int turned, bits = x >= 0 && x < 16 ? x & 3 : 0;
        uint32_t tag = either_of(cache, way_of(x, 6), 2, &turned);
        CHECK_EQ(tag, bits & 1 ? 10 : bits & 2 ? 11 : UINT32_MAX);
        CHECK_EQ(turned, bits & 1 ? 0 : bits & 2 ? 1 : 2);
        tag = either_of(cache, way_of(x, 2), 6, &turned);
        CHECK_EQ(tag, bits & 2 ? 11 : bits & 1 ? 10 : UINT32_MAX);
        CHECK_EQ(turned, bits & 2 ? 0 : bits & 1 ? 1 : 2);
        tag = either_of(cache, way_of(x, 6), 6, &turned); /* the key itself */
        CHECK_EQ(tag, bits & 1 ? 10 : UINT32_MAX);
        CHECK_EQ(turned, bits & 1 ? 0 : 2);
    }
    rico_cache_destroy(cache);
}

TEST(cache, does_not_find_another_cell_in_the_bucket_instead)
{
    rico_cache *cache = make(4096, 2, 1);
    rico_cache_key keys[8]; /* one too many */
    int turned;
    keys_of_one_bucket(cache, keys, 8);
    for (uint32_t i = 1; i < 8; ++i)
        put_frame(cache, rico_cache_key_turned(keys[i], 1 + i % 3), 1);
    merge(cache, 1);
    for (uint32_t direction = 0; direction <= RICO_WHOLE_CELL; ++direction)
        CHECK_EQ(either_of(cache, keys[0], direction, &turned), UINT32_MAX);
    for (uint32_t i = 1; i < 8; ++i)
        for (uint32_t direction = 0; direction <= RICO_WHOLE_CELL; ++direction)
            CHECK_EQ(either_of(cache, keys[i], direction, &turned) == 0,
                     direction == 1 + i % 3);
    rico_cache_destroy(cache);
}

TEST(cache, having_no_key_finds_neither)
{
    rico_cache *cache = make(4096, 2, 1);
    for (int32_t x = 0; x < 40; ++x)
        put_frame(cache, way_of(x, (uint32_t)x % 7), 1);
    merge(cache, 1);
    for (uint32_t direction = 0; direction <= RICO_WHOLE_CELL; ++direction) {
        int turned;
        CHECK_EQ(either_of(cache, RICO_NO_KEY, direction, &turned), UINT32_MAX);
        CHECK_EQ(turned, 2);
    }
    rico_cache_stats stats = rico_cache_get_stats(cache);
    CHECK_EQ(stats.hits, 0);
    CHECK_EQ(stats.misses, 14);
    rico_cache_destroy(cache);
}

/* A bucket holds two directions of three cells. After a look-up, which of them are safe from
 * eviction? */
TEST(cache, finding_either_uses_only_what_it_returns)
{
    for (int other = 0; other < 2; ++other) {
        rico_cache *cache = make(4096, 2, 2);
        rico_cache_key keys[12];
        int turned = 0;
        keys_of_one_bucket(cache, keys, 12);
        for (uint32_t i = 0; i < 3; ++i) {
            put_frame(cache, keys[i], 1);
            put_frame(cache, rico_cache_key_turned(keys[i], 2), 1);
        }
        merge(cache, 1);
        rico_cache_key used = other != 0 ? rico_cache_key_turned(keys[0], 2) : keys[0];
        CHECK_EQ(either_of(cache, used, other != 0 ? 6 : 2, &turned), 0);
        CHECK_EQ(turned, 0);
        for (uint32_t i = 4; i < 12; ++i) /* six places can be evicted */
            put_frame(cache, keys[i], 2);
        merge(cache, 2);
        CHECK_EQ(rico_cache_get_stats(cache).evicted, 5);
        for (uint32_t i = 0; i < 3; ++i) {
            CHECK_EQ(tag_of(cache, keys[i]) == 0, i == 0 && other == 0);
            CHECK_EQ(tag_of(cache, rico_cache_key_turned(keys[i], 2)) == 0,
                     i == 0 && other != 0);
        }
        rico_cache_destroy(cache);
    }
}

TEST(cache, finding_the_other_direction_uses_that)
{
    rico_cache *cache = make(4096, 2, 2);
    rico_cache_key keys[12];
    bool turned = false;
    keys_of_one_bucket(cache, keys, 12);
    for (uint32_t i = 0; i < 7; ++i)
        put_frame(cache, rico_cache_key_turned(keys[i], 2), 1);
    merge(cache, 1);
    CHECK(rico_cache_find_either(cache, keys[3], 2, 1, &turned) != NULL && turned);
    for (uint32_t i = 0; i < 7; ++i)
        put_frame(cache, keys[i + 4], 2);
    merge(cache, 2);
    for (uint32_t i = 0; i < 7; ++i)
        CHECK_EQ(tag_of(cache, rico_cache_key_turned(keys[i], 2)) == 0, i == 3);
    CHECK_EQ(rico_cache_get_stats(cache).hits, 2);
    CHECK_EQ(rico_cache_get_stats(cache).dropped, 1);
    rico_cache_destroy(cache);
}

TEST(cache, each_criterion_of_the_conflict_rule_decides)
{
    /* Each row beats the one below it by one criterion; later criteria favour the other. */
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
    rico_cache_key keys[9];
    keys_of_one_bucket(cache, keys, 9);
    for (uint32_t i = 0; i < 7; ++i) { /* keys[3] first, then round */
        put_frame(cache, keys[(i + 3) % 7], i);
        merge(cache, i);
    }
    CHECK(tag_of(cache, keys[3]) == 0); /* used now, so keys[4] becomes the oldest */
    put_frame(cache, keys[7], 8);
    merge(cache, 8);
    put_frame(cache, keys[8], 9);
    merge(cache, 9);
    for (uint32_t i = 0; i < 9; ++i)
        CHECK_EQ(tag_of(cache, keys[i]) == 0, i != 4 && i != 5);
    CHECK_EQ(rico_cache_get_stats(cache).evicted, 2);
    rico_cache_destroy(cache);
}

TEST(cache, equally_old_records_go_by_smallest_key)
{
    rico_cache *cache = make(4096, 2, 1);
    rico_cache_key keys[8];
    keys_of_one_bucket(cache, keys, 8);
    for (uint32_t i = 0; i < 7; ++i) { /* one by one, so that the smallest has the last way */
        put_frame(cache, keys[7 - i], 1);
        merge(cache, 1);
    }
    put_frame(cache, keys[0], 2);
    merge(cache, 2);
    for (uint32_t i = 0; i < 8; ++i)
        CHECK_EQ(tag_of(cache, keys[i]) == 0, i != 1);
    rico_cache_destroy(cache);
}

TEST(cache, never_evicts_what_was_used_this_frame)
{
    rico_cache *cache = make(4096, 2, 2);
    rico_cache_key keys[21];
    keys_of_one_bucket(cache, keys, 21);
    for (uint32_t i = 0; i < 7; ++i)
        put_frame(cache, keys[7 + i], 1);
    merge(cache, 1);
    for (uint32_t i = 0; i < 6; ++i) /* all but keys[13], by two workers */
        CHECK(rico_cache_find(cache, keys[7 + i], i % 2, NULL) != NULL);
    for (uint32_t i = 0; i < 7; ++i) {
        put(cache, keys[i], (rico_cache_info){.frame = 2}, 1);
        put(cache, keys[14 + i], (rico_cache_info){.frame = 2, .rank = i == 5}, 1);
    }
    merge(cache, 2);
    for (uint32_t i = 0; i < 21; ++i) /* the complete record got the one place */
        CHECK_EQ(tag_of(cache, keys[i]) != UINT32_MAX, (i >= 7 && i < 13) || i == 19);
    CHECK_EQ(rico_cache_get_stats(cache).dropped, 13);
    rico_cache_destroy(cache);
}

TEST(cache, a_replaced_record_is_safe_from_new_ones_in_its_frame)
{
    rico_cache *cache = make(4096, 2, 1);
    rico_cache_key keys[14];
    keys_of_one_bucket(cache, keys, 14);
    for (uint32_t i = 0; i < 7; ++i)
        put_frame(cache, keys[i + 7], 1);
    merge(cache, 1);
    for (uint32_t i = 0; i < 7; ++i) {
        put(cache, keys[i], (rico_cache_info){.frame = 2, .rank = 1}, 1);
        put(cache, keys[i + 7], (rico_cache_info){.frame = 2}, 1);
    }
    merge(cache, 2);
    for (uint32_t i = 0; i < 14; ++i)
        CHECK_EQ(tag_of(cache, keys[i]), i < 7 ? UINT32_MAX : 1);
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

TEST(cache, workers_deposit_what_one_would_and_are_not_refused_too_early)
{
    for (uint32_t each = 0; each <= 40; ++each) {
        rico_cache_def def = rico_cache_def_default();
        def.deposit_capacity = 40;
        def.worker_count = 5;
        rico_cache *cache, *other;
        CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
        CHECK_EQ(rico_cache_create(&def, &other), RICO_OK);
        for (uint32_t frame = 1; frame < 4; ++frame) {
            for (uint32_t i = 0; i < 40; ++i) {
                rico_cache_info info = {.frame = frame, .triangle = i};
                uint32_t worker = i % (1 + each % 5), bytes = (i % 3) * 8;
                rico_cache_key key = cell((int32_t)(i * each));
                CHECK(rico_cache_deposit_by(cache, worker, key, &info, &info, bytes));
                CHECK(rico_cache_deposit_part(other, key, &info, &info, bytes));
                CHECK_EQ(rico_cache_get_stats(cache).deposits, (frame - 1) * 40 + i + 1);
            }
            merge(cache, frame);
            merge(other, frame);
            CHECK(rico_cache_hash(cache) == rico_cache_hash(other));
        }
        uint32_t taken = 120;
        for (uint32_t i = 0; i < 2000; ++i) {
            rico_cache_info info = {.frame = 5};
            taken += rico_cache_deposit_by(cache, i % 5, cell((int32_t)i), &info, NULL, 0);
        }
        merge(cache, 5);
        rico_cache_stats stats = rico_cache_get_stats(cache);
        CHECK_EQ(stats.deposits, stats.inserted + stats.replaced + stats.dropped);
        CHECK(stats.deposits >= 160 && stats.deposits <= 160 + 5 * 16 &&
              stats.record_count > 0);
        CHECK_EQ(stats.deposits, taken);
        CHECK_EQ(stats.deposits + stats.deposits_refused, 120 + 2000);
        rico_cache_destroy(cache);
        rico_cache_destroy(other);
    }
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
        bool finite = isfinite((double)(value));                                               \
        CHECK_EQ(rico_cache_create(&def, &cache),                                              \
                 finite ? RICO_OUT_OF_RANGE : RICO_NOT_FINITE);                                \
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
    REFUSED(payload_unit, 12);
    REFUSED(payload_unit, 24);
    REFUSED(payload_room, 8);   /* less than one payload */
    REFUSED(payload_room, 120); /* half a unit */
    REFUSED(payload_room, 33 * 16);
    REFUSED(spread_directions, 8);
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
    def.payload_bytes = 536; /* a bucket needs 264 + 128 + 7 * 536 = 4144 */
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OUT_OF_RANGE);
    def.payload_bytes = 528;
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
    CHECK_EQ(fail_at, 3); /* the cache, and one block for all of its arrays */
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

TEST(cache, never_exceeds_its_bytes_and_never_allocates_after_creation)
{
    /* 9408: 24 buckets and 3 groups, to the byte. */
    const uint64_t sizes[] = {4096, 4097, 5000, 8191, 9408, 65536, 100003, 1u << 20};
    for (uint32_t round = 0; round < 8 * 4 * 3; ++round) {
        ledger l = {0};
        rico_cache_def def = rico_cache_def_default();
        def.table_bytes = sizes[round % 8];
        def.payload_bytes = (const uint32_t[]){8, 16, 40, 472}[round / 8 % 4];
        def.worker_count = (const uint32_t[]){1, 3, 256}[round / 32];
        def.shard_count = 64;
        def.deposit_capacity = 1000;
        def.allocator = (rico_allocator){ledger_allocate, ledger_release, &l};
        rico_cache *cache;
        CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
        rico_cache_stats stats = rico_cache_get_stats(cache);
        size_t bucket = 264 + 7 * def.payload_bytes, buckets = stats.record_capacity / 7;
        size_t table = buckets * bucket + (buckets + 7) / 8 * 128;
        CHECK_EQ(stats.table_bytes, table);
        CHECK(table <= def.table_bytes);
        CHECK((buckets + 1) * bucket + (buckets + 8) / 8 * 128 > def.table_bytes);
        size_t known =
            table + def.worker_count * round_up(buckets) +
            (1000 + 16 * def.worker_count) * (32 + round_up(48 + def.payload_bytes)) +
            64 * (64 + 2 * def.worker_count);
        CHECK(stats.bytes == l.live && l.live >= known && l.live < known + 2048);
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
            CHECK(stats.record_bytes <= stats.table_bytes);
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
