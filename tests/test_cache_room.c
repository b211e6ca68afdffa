/* Memory for a group's payloads: it is taken, freed and moved together, and never lost. */
#include "cache_fixture.h"
#include "cache_table.h"
#include "random.h"

#define UNIT 16u
#define LONGEST 160u
#define KEYS 400u

static rico_cache *one_group(void)
{
    rico_cache_def def = rico_cache_def_default();
    def.payload_bytes = LONGEST;
    def.payload_unit = UNIT;
    def.payload_room = 3 * LONGEST; /* for the seven records of a bucket */
    def.table_bytes = 8 * (336 + def.payload_room);
    def.deposit_capacity = 64;
    def.shard_count = 1;
    rico_cache *cache = NULL;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    CHECK_EQ(cache->group_count, 1);
    return cache;
}

static uint32_t bytes_of(uint32_t k)
{
    return 8 * (rico__random_u32(5, k, 0) % (LONGEST / 8 + 1));
}

static rico_cache_key key_at(uint32_t k)
{
    return rico_cache_key_of_cell((int32_t)k, 3, -7, RICO_WHOLE_CELL);
}

/* Checks that no two payloads share a unit, that all other units are free, and that those from
 * `end` on are free. */
static void check_units(const rico_cache *cache)
{
    rico__cache_units *all = &cache->units[0];
    uint64_t taken[RICO__CACHE_UNITS / 64] = {0};
    uint32_t used = 0, end = 0;
    for (uint32_t b = 0; b < cache->bucket_count; ++b)
        for (uint32_t way = 0; way < RICO__CACHE_WAYS; ++way) {
            const rico__cache_line *line = &cache->lines[b];
            uint32_t size = *rico__cache_size_of(cache, rico__cache_record(b, way));
            CHECK((line->keys[way] != RICO_NO_KEY && (line->bare >> way & 1) == 0) ==
                  (size > 0));
            for (uint32_t u = line->place[way]; u < line->place[way] + size; ++u) {
                CHECK((taken[u / 64] >> u % 64 & 1) == 0);
                taken[u / 64] |= (uint64_t)1 << u % 64;
                end = u + 1 > end ? u + 1 : end;
            }
            used += size;
        }
    rico__cache_map_units(all);
    CHECK_EQ(rico__cache_units_free(all), all->total - used);
    CHECK_EQ(all->end, end);
    for (uint32_t u = 0; u < all->total; ++u)
        CHECK((all->taken[u / 64] >> u % 64 & 1) == (taken[u / 64] >> u % 64 & 1));
}

static void check_payloads(rico_cache *cache)
{
    for (uint32_t k = 0; k < KEYS; ++k) {
        const uint8_t *payload = rico_cache_find(cache, key_at(k), 0, NULL);
        for (uint32_t i = 0; payload != NULL && i < bytes_of(k); ++i)
            CHECK_EQ(payload[i], (uint8_t)(k + i));
    }
}

TEST(cache, payloads_that_are_moved_together_stay_whole_and_apart)
{
    rico_cache *cache = one_group();
    uint32_t frame = 0;
    for (uint32_t round = 0; round < 600; ++round) {
        uint32_t deposits = 1 + rico__random_u32(6, round, 0) % 6;
        for (uint32_t i = 0; i < deposits; ++i) {
            uint32_t k = rico__random_u32(6, round, 1 + i) % KEYS;
            uint8_t payload[LONGEST];
            for (uint32_t at = 0; at < LONGEST; ++at)
                payload[at] = (uint8_t)(k + at);
            rico_cache_info info = {.frame = frame, .version = 1 + k % 2};
            CHECK(rico_cache_deposit_part(cache, key_at(k), &info, payload, bytes_of(k)));
        }
        rico_cache_merge_begin(cache, frame++);
        rico_cache_merge_range(cache, 0, 1);
        rico_cache_merge_end(cache);
        check_units(cache);
        if (round % 20 == 0)
            check_payloads(cache);
    }
    CHECK(rico_cache_get_stats(cache).evicted > 500);
    rico_cache_forget(cache, 1);
    check_units(cache);
    check_payloads(cache);
    rico_cache_forget(cache, 0);
    check_units(cache);
    CHECK_EQ(cache->units[0].end, 0);
    rico_cache_destroy(cache);
}

static rico_cache *roomy(uint32_t unit)
{
    rico_cache_def def = rico_cache_def_default();
    def.payload_bytes = 896;
    def.payload_unit = unit;
    def.payload_room = 1024;
    def.table_bytes = 4u << 20;
    def.deposit_capacity = 1024;
    def.shard_count = 4;
    rico_cache *cache = NULL;
    CHECK_EQ(rico_cache_create(&def, &cache), RICO_OK);
    return cache;
}

/* A payload length of any size, so that payloads begin anywhere in a cache line. */
static uint32_t roomy_bytes(uint32_t k)
{
    return 8 * (rico__random_u32(7, k, 0) % 113);
}

static void deposit_roomy(rico_cache *cache, uint32_t k)
{
    uint8_t payload[896];
    rico_cache_info info = {.frame = 1, .triangle = k};
    for (uint32_t at = 0; at < sizeof payload; ++at)
        payload[at] = (uint8_t)(k + at);
    CHECK(rico_cache_deposit_part(cache, key_at(k), &info, payload, roomy_bytes(k)));
}

static void merge_now(rico_cache *cache)
{
    rico_cache_merge_begin(cache, 1);
    rico_cache_merge_range(cache, 0, rico_cache_shard_count(cache));
    rico_cache_merge_end(cache);
}

static void check_writing(uint32_t unit)
{
    rico_cache *at_once = roomy(unit), *bit_by_bit = roomy(unit);
    const uint32_t count = 1000;
    for (uint32_t k = 0; k < count; ++k) {
        deposit_roomy(at_once, k);
        deposit_roomy(bit_by_bit, k);
        if (k % 10 != 9)
            continue;
        merge_now(bit_by_bit);
        CHECK(!bit_by_bit->streams);
    }
    merge_now(at_once);
    CHECK(at_once->streams);
    CHECK_EQ(rico_cache_hash(at_once), rico_cache_hash(bit_by_bit));
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; ++k) {
        rico_cache_info info;
        const uint8_t *payload = rico_cache_find(at_once, key_at(k), 0, &info);
        found += payload != NULL && info.triangle == k;
        for (uint32_t at = 0; payload != NULL && at < roomy_bytes(k); ++at)
            CHECK_EQ(payload[at], (uint8_t)(k + at));
    }
    CHECK_EQ(found, count);
    rico_cache_destroy(at_once);
    rico_cache_destroy(bit_by_bit);
}

/* Units of half a cache line, one line and several lines. */
TEST(cache, merges_that_are_larger_than_caches_write_what_small_ones_do)
{
    for (uint32_t unit = 32; unit <= 128; unit *= 2)
        check_writing(unit);
}

/* Units so small that room for seven of the longest payloads would be more than a bucket can
 * have. */
TEST(cache, payloads_of_any_size_have_room_by_default)
{
    for (uint32_t unit = 8; unit <= 64; unit *= 2)
        for (uint32_t bytes = unit; bytes <= 1024; bytes += unit) {
            rico_cache_def def = rico_cache_def_default();
            rico_cache *cache;
            def.payload_bytes = bytes;
            def.payload_unit = unit;
            def.table_bytes = 64 << 10;
            /* A payload longer than 32 units does not fit in any bucket. */
            CHECK_EQ(rico_cache_create(&def, &cache),
                     bytes <= 32 * unit ? RICO_OK : RICO_OUT_OF_RANGE);
            rico_cache_destroy(cache);
        }
}
