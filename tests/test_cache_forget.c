/* Forgetting the records of some cells. */
#include "cache_fixture.h"

/* Keys of a 6 x 6 x 6 block of cells around the origin, in two directions. */
static uint32_t fill(rico_cache *cache)
{
    uint32_t count = 0;
    for (int32_t x = -3; x < 3; ++x)
        for (int32_t y = -3; y < 3; ++y)
            for (int32_t z = -3; z < 3; ++z)
                for (uint32_t d = 2; d < 4; ++d)
                    count += put_frame(cache, rico_cache_key_of_cell(x, y, z, d), 1);
    merge(cache, 1);
    return count;
}

static bool is_in(const rico_cache_range *r, const int32_t at[3], uint32_t direction)
{
    bool in = r->direction == direction;
    for (int a = 0; a < 3; ++a)
        in = in && at[a] >= r->lo[a] && at[a] <= r->hi[a];
    return in;
}

static void check_forgets(const rico_cache_range *ranges, uint32_t count)
{
    rico_cache *cache = make(1 << 20, 16, 1);
    CHECK_EQ(fill(cache), 432);
    uint32_t left = 0;
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 432);
    uint64_t each = rico_cache_get_stats(cache).record_bytes / 432;
    CHECK(each > 38);
    rico_cache_forget_cells(cache, ranges, count);
    for (int32_t x = -3; x < 3; ++x)
        for (int32_t y = -3; y < 3; ++y)
            for (int32_t z = -3; z < 3; ++z)
                for (uint32_t d = 2; d < 4; ++d) {
                    const int32_t at[3] = {x, y, z};
                    bool gone = false;
                    for (uint32_t i = 0; i < count; ++i)
                        gone = gone || is_in(&ranges[i], at, d);
                    CHECK_EQ(rico_cache_find(cache, rico_cache_key_of_cell(x, y, z, d), 0,
                                             NULL) == NULL,
                             gone);
                    left += !gone;
                }
    CHECK_EQ(rico_cache_get_stats(cache).record_count, left);
    CHECK_EQ(rico_cache_get_stats(cache).record_bytes, left * each);
    rico_cache_destroy(cache);
}

TEST(cache, forgets_the_records_of_some_cells_and_keeps_the_others)
{
    const rico_cache_range few[] = {{2, {-1, -2, 0}, {1, 0, 0}}, {3, {2, 2, 2}, {2, 2, 2}}};
    check_forgets(few, 2);
    const rico_cache_range none[] = {{2, {1, 0, 0}, {0, 5, 5}}, {5, {-3, -3, -3}, {2, 2, 2}}};
    check_forgets(none, 2);
    check_forgets(NULL, 0);
}

static bool is_low(void *user, rico_cache_key key)
{
    int32_t z;
    rico_cache_key_cell(key, NULL, NULL, &z, NULL);
    *(uint32_t *)user += 1;
    return z < -1;
}

TEST(cache, forgets_the_records_that_pass_a_test_and_asks_once_for_each)
{
    rico_cache *cache = make(1 << 20, 16, 1);
    uint32_t asked = 0;
    CHECK_EQ(fill(cache), 432);
    rico_cache_forget_if(cache, is_low, &asked);
    CHECK_EQ(asked, 432);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 288);
    for (int32_t z = -3; z < 3; ++z)
        CHECK_EQ(rico_cache_find(cache, rico_cache_key_of_cell(1, -2, z, 3), 0, NULL) == NULL,
                 z < -1);
    rico_cache_destroy(cache);
}

/* Whatever number of cache lines is being prefetched, none is left out at the end. */
TEST(cache, forgets_all_cells_of_ranges_of_any_length)
{
    for (int32_t y = 0; y < 6; ++y)
        for (int32_t x = 0; x < 6; ++x) {
            const rico_cache_range some[] = {{2, {-3, -3, -3}, {x - 3, y - 3, -3}},
                                             {3, {x - 3, y - 3, -1}, {2, 2, 0}}};
            check_forgets(some, 2);
        }
}

TEST(cache, forgets_by_a_walk_where_cells_are_more_than_records)
{
    const rico_cache_range many[] = {
        {3, {-1000000, -1000000, -1}, {1000000, 1000000, 1}},
        {2, {INT32_MIN, INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX, INT32_MAX}}};
    check_forgets(many, 1);
    check_forgets(many, 2);
}

/* The last cells of the type hold no key, and looking for them takes no time. */
TEST(cache, forgets_cells_up_to_the_end_of_their_type)
{
    const int32_t least = INT32_MIN, most = INT32_MAX;
    for (int a = 0; a < 3; ++a) {
        rico_cache_range ranges[] = {{2, {0, 0, 0}, {2, 2, 2}}, {3, {-1, -2, -3}, {1, 1, 1}}};
        for (int k = 0; k < 2; ++k)
            ranges[k].lo[a] = ranges[k].hi[a] = k == 0 ? most : least;
        check_forgets(ranges, 2);
        ranges[0].lo[a] = -1;
        ranges[1].hi[a] = 1;
        check_forgets(ranges, 2);
        ranges[0].lo[a] = most; /* empty, from one end to the other */
        ranges[0].hi[a] = least;
        check_forgets(ranges, 2);
    }
}

/* The ranges hold 2^64 cells together, or have a direction that no key has. */
TEST(cache, forgets_many_cells_by_a_walk_however_they_add_up)
{
    const rico_cache_range half = {3, {-1, INT32_MIN, 0}, {INT32_MAX - 1, INT32_MAX, 0}};
    const rico_cache_range halves[] = {half, half};
    check_forgets(halves, 2);
    const rico_cache_range none[] = {{9, {INT32_MIN, INT32_MIN, 0}, {INT32_MAX, INT32_MAX, 9}},
                                     {UINT32_MAX, {INT32_MAX, 0, 0}, {INT32_MAX, 1, 1}}};
    check_forgets(none, 2);
}

/* Deposits payloads of all lengths, more than there is room for. */
static void crowd_with(rico_cache *cache, int32_t from, uint32_t frame)
{
    const uint64_t payload[8] = {(uint64_t)from, 2, 3, 4, 5, 6, 7, 8};
    for (int32_t i = 0; i < 4000; ++i) {
        const rico_cache_info info = {.frame = frame, .rank = (uint32_t)i % 7};
        rico_cache_deposit_part(cache, rico_cache_key_of_cell(from + i, i % 5, 3, 2), &info,
                                payload, 8u * (uint32_t)(i * 7 % 9));
        if (i % 500 == 499)
            merge(cache, frame + (uint32_t)i / 500);
    }
}

TEST(cache, that_has_forgotten_all_is_as_a_new_one)
{
    rico_cache_def def = rico_cache_def_default();
    rico_cache *used = NULL, *fresh = NULL;
    def.table_bytes = 1 << 17;
    def.payload_bytes = 64;
    CHECK_EQ(rico_cache_create(&def, &used), RICO_OK);
    CHECK_EQ(rico_cache_create(&def, &fresh), RICO_OK);
    crowd_with(used, -90000, 1);
    CHECK(rico_cache_get_stats(used).evicted > 100);
    rico_cache_forget(used, 0);
    CHECK_EQ(rico_cache_get_stats(used).record_count, 0);
    CHECK_EQ(rico_cache_get_stats(used).record_bytes, rico_cache_get_stats(fresh).record_bytes);
    crowd_with(used, 5, 20);
    crowd_with(fresh, 5, 20);
    CHECK(rico_cache_get_stats(fresh).evicted > 100);
    CHECK_EQ(rico_cache_get_stats(used).record_bytes, rico_cache_get_stats(fresh).record_bytes);
    CHECK_EQ(rico_cache_hash(used), rico_cache_hash(fresh));
    rico_cache_destroy(used);
    rico_cache_destroy(fresh);
}

TEST(cache, moves_records_to_other_cells)
{
    rico_cache *cache = make(1 << 20, 16, 1);
    for (int32_t x = 0; x < 500; ++x)
        for (uint32_t d = 2; d < 4; ++d)
            put(cache, rico_cache_key_of_cell(x, -x, 7, d), (rico_cache_info){.frame = 3},
                (uint32_t)x * 10 + d);
    merge(cache, 3);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 1000);
    const rico_cache_step by[RICO_WHOLE_CELL + 1] = {[2] = {5, 6, -7}, [3] = {-1, 0, 1000000}};
    CHECK_EQ(rico_cache_move_cells(cache, by), RICO_OK);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 1000);
    for (int32_t x = 0; x < 500; ++x) {
        CHECK_EQ(tag_of(cache, rico_cache_key_of_cell(x + 5, 6 - x, 0, 2)), x * 10 + 2);
        CHECK_EQ(tag_of(cache, rico_cache_key_of_cell(x - 1, -x, 1000007, 3)), x * 10 + 3);
    }
    const rico_cache_step out[RICO_WHOLE_CELL + 1] = {[2] = {0, 0, 0}, [3] = {0, 0, 1 << 20}};
    CHECK_EQ(rico_cache_move_cells(cache, out), RICO_OK);
    CHECK_EQ(rico_cache_get_stats(cache).record_count, 500);
    rico_cache_destroy(cache);
}
