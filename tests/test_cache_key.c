/* test_cache_key.c - positions and their keys, buckets and shards. */
#include "cache_fixture.h"

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
    /* A fair hash gives a Poisson distribution, in which variance equals mean. */
    double mean = (double)cells / cache->bucket_count, variance = 0;
    for (uint32_t i = 0; i < cache->bucket_count; ++i)
        variance += (load[i] - mean) * (load[i] - mean) / cache->bucket_count;
    CHECK_NEAR(variance / mean, 1.0, 0.1);
    free(load);
    rico_cache_destroy(cache);
}

TEST(cache, directions_that_differ_in_spread_bits_do_not_crowd_one_bucket)
{
    rico_cache_def def = rico_cache_def_default();
    def.spread_directions = 3;
    rico_cache *cache;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    uint32_t same = 0;
    for (int32_t x = -500; x < 500; ++x)
        for (uint32_t a = 0; a < 7; ++a)
            for (uint32_t b = 0; b < a; ++b) {
                bool equal = rico__cache_bucket(cache, rico_cache_key_of_cell(x, 1, 2, a)) ==
                             rico__cache_bucket(cache, rico_cache_key_of_cell(x, 1, 2, b));
                if ((a & 3) == (b & 3))
                    CHECK(equal);
                else
                    same += equal;
            }
    CHECK(same < 20);
    rico_cache_destroy(cache);
}

TEST(cache, every_bucket_is_in_exactly_one_shard)
{
    for (uint32_t buckets = 1; buckets < 5000; buckets = buckets * 5 / 4 + 1)
        for (uint32_t shards = 1; shards <= 1024; shards *= 2) {
            rico_cache table = {.bucket_count = buckets, .shard_count = shards};
            table.group_count = (buckets + 7) / 8;
            table.shard_rate = rico__cache_shard_rate(shards, table.group_count);
            CHECK_EQ(rico__cache_first_group(&table, 0), 0);
            CHECK_EQ(rico__cache_first_group(&table, shards), table.group_count);
            for (uint32_t b = 0; b < buckets; ++b) {
                uint32_t shard = rico__cache_shard_of(&table, b);
                CHECK(b / 8 >= rico__cache_first_group(&table, shard) &&
                      b / 8 < rico__cache_first_group(&table, shard + 1));
            }
        }
}
