/* test_cache_misuse.c - calls that break the cache's contract are reported and have no effect. */
#include "cache_fixture.h"

static void visit_none(void *user, rico_cache_key key, const rico_cache_info *info,
                       const void *payload, uint32_t bytes)
{
    (void)user, (void)key, (void)info, (void)payload, (void)bytes;
}

TEST(cache, misuse_is_reported_and_changes_nothing)
{
    rico_cache *cache = make(4096, 4, 2);
    put_frame(cache, cell(0), 5);
    merge(cache, 5);
    uint64_t hash = rico_cache_hash(cache);
    uint32_t payload[WORDS] = {0};
    assert_count = 0;
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
    const rico_cache_key key = cell(0);
    const void *found = NULL;
    rico_cache_find_many(cache, &key, 1, 0, &found);
    CHECK(found == NULL && rico_cache_hash(cache) == 0);
    rico_cache_walk(cache, visit_none, NULL);
    CHECK_EQ(rico_cache_get_stats(cache).record_capacity, 0);
    rico_cache_prefault(cache);
    rico_cache_merge_end(cache);
    CHECK_EQ(assert_count, 14);
    rico_assert_set_handler(NULL);
    CHECK(rico_cache_hash(cache) == hash);
    rico_cache_destroy(cache);
}

TEST(cache, deposits_are_closed_once)
{
    rico_cache *cache = make(4096, 4, 2);
    const rico_cache_info info = {.frame = 1};
    CHECK(rico_cache_deposit_open(cache, 1) != NULL);
    CHECK(rico_cache_deposit_close(cache, 1, cell(1), &info, 0));
    assert_count = 0;
    rico_assert_set_handler(count_assert);
    CHECK(!rico_cache_deposit_close(cache, 1, cell(2), &info, 0));
    rico_assert_set_handler(NULL);
    CHECK_EQ(assert_count, 1);
    merge(cache, 1);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 1);
    rico_cache_destroy(cache);
}

/* The call must cause one assert. */
#define REPORTED(call)                                                                         \
    do {                                                                                       \
        int before = assert_count;                                                             \
        call;                                                                                  \
        CHECK_MSG(assert_count == before + 1, "%s: %d", #call, assert_count - before);         \
    } while (0)

TEST(cache, calls_without_a_cache_are_reported_and_give_nothing)
{
    rico_cache_info info = {.frame = 1};
    uint64_t payload[2] = {0};
    rico_cache_key key = cell(1);
    const void *found = payload;
    const rico_cache_range range = {6, {0, 0, 0}, {1, 1, 1}};
    const rico_cache_step by[RICO_WHOLE_CELL + 1] = {{0, 0, 0}};
    bool turned = false;
    assert_count = 0;
    rico_assert_set_handler(count_assert);
    REPORTED(CHECK(rico_cache_find(NULL, key, 0, &info) == NULL));
    REPORTED(rico_cache_find_many(NULL, &key, 1, 0, &found));
    REPORTED(CHECK(rico_cache_find_either(NULL, key, 1, 0, &turned) == NULL));
    REPORTED(CHECK(!rico_cache_deposit(NULL, key, &info, payload)));
    REPORTED(CHECK(!rico_cache_deposit_part(NULL, key, &info, payload, 8)));
    REPORTED(CHECK(!rico_cache_deposit_by(NULL, 0, key, &info, payload, 8)));
    REPORTED(CHECK(rico_cache_deposit_open(NULL, 0) == NULL));
    REPORTED(CHECK(!rico_cache_deposit_close(NULL, 0, key, &info, 8)));
    REPORTED(CHECK(!rico_cache_merge_begin(NULL, 1)));
    REPORTED(rico_cache_merge_range(NULL, 0, 1));
    REPORTED(rico_cache_merge_end(NULL));
    REPORTED(rico_cache_forget(NULL, 0));
    REPORTED(rico_cache_forget_cells(NULL, &range, 1));
    REPORTED(rico_cache_forget_if(NULL, NULL, NULL));
    REPORTED(CHECK_EQ(rico_cache_move_cells(NULL, by), RICO_OUT_OF_RANGE));
    REPORTED(CHECK_EQ(rico_cache_hash(NULL), 0));
    REPORTED(rico_cache_walk(NULL, visit_none, NULL));
    REPORTED(CHECK_EQ(rico_cache_get_stats(NULL).record_capacity, 0));
    REPORTED(CHECK_EQ(rico_cache_shard_count(NULL), 0));
    REPORTED(CHECK(rico_cache_key_at(NULL, (rico_vec3){0, 0, 0}, 0) == RICO_NO_KEY));
    REPORTED(CHECK(rico_cache_key_box(NULL, key).hi.x == 0.0f));
    rico_assert_set_handler(NULL);
    CHECK(found == payload && !turned);
}

TEST(cache, what_is_null_or_no_key_is_reported_and_changes_nothing)
{
    rico_cache *cache = make(4096, 4, 1), *none = cache;
    rico_cache_def def = rico_cache_def_default();
    rico_cache_info info = {.frame = 1};
    uint64_t payload[2] = {0};
    rico_cache_key key = cell(1), bad = key | 7;
    const void *found = NULL;
    put_frame(cache, key, 1);
    merge(cache, 1);
    uint64_t hash = rico_cache_hash(cache);
    assert_count = 0;
    rico_assert_set_handler(count_assert);
    REPORTED(CHECK_EQ(rico_cache_create(NULL, &none), RICO_UNINITIALIZED_DEF));
    CHECK(none == NULL);
    REPORTED(CHECK_EQ(rico_cache_create(&def, NULL), RICO_UNINITIALIZED_DEF));
    REPORTED(rico_cache_find_many(cache, NULL, 1, 0, &found));
    REPORTED(rico_cache_find_many(cache, &key, 1, 0, NULL));
    rico_cache_find_many(cache, NULL, 0, 0, NULL);
    REPORTED(CHECK(rico_cache_find_either(cache, key, 1, 0, NULL) == NULL));
    REPORTED(rico_cache_walk(cache, NULL, NULL));
    REPORTED(CHECK_EQ(rico_cache_move_cells(cache, NULL), RICO_OUT_OF_RANGE));
    REPORTED(CHECK(!rico_cache_deposit(cache, bad, &info, payload)));
    REPORTED(CHECK(!rico_cache_deposit_by(cache, 0, bad, &info, payload, 8)));
    rico_assert_set_handler(NULL);
    rico_cache_stats stats = rico_cache_get_stats(cache);
    CHECK(stats.deposits == 1 && stats.deposits_refused == 0 && stats.hits == 0);
    merge(cache, 1);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 1);
    CHECK(rico_cache_hash(cache) == hash);
    rico_cache_destroy(cache);
}
