/* Saved caches whose checksum is right but whose content is not. */
#include "runtime_bake.h"

/* Lists places of words in the heads and headers of the first records. */
static uint32_t list_heads(const bytes *b, size_t *at, uint32_t most)
{
    uint32_t count = 0;
    for (size_t record = 48; record + 8 < b->count;) {
        uint32_t payload;
        memcpy(&payload, b->data + record + 16, sizeof payload);
        for (uint32_t word = 0; word < (payload > 0 ? 8u : 6u) && count < most; ++word)
            at[count++] = record + 4 * word;
        record += 24 + payload;
    }
    return count;
}

/* Every second forgery is in a head or a header. */
TEST(bake, forged_records_are_refused_or_do_no_harm)
{
    bytes b = small_file();
    size_t heads[256];
    uint32_t refused = 0, taken = 0, count = list_heads(&b, heads, 256),
             rounds = test_rounds(300);
    for (uint32_t round = 0; round < rounds; ++round) {
        uint64_t draw = rico__mix64(round + 77);
        size_t at = round % 2 == 0 ? heads[draw % count] : 48 + draw % ((b.count - 56) / 4) * 4;
        uint32_t old, values[] = {0, 1, UINT32_MAX, 25, (uint32_t)(draw >> 32)};
        memcpy(&old, b.data + at, sizeof old);
        set_word(&b, at, values[round % 5]);
        seal(&b);
        rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
        rico_result result = rico_world_load_cache(world, b.data, b.count);
        CHECK(result == RICO_OK || result == RICO_BAD_FILE);
        refused += result == RICO_BAD_FILE;
        taken += result == RICO_OK;
        if (result == RICO_OK && round % 3 == 0) {
            add_fountains(world, 0.0f);
            run_steps(world, 20);
        }
        rico_world_destroy(world);
        set_word(&b, at, old);
    }
    CHECK_MSG(refused > rounds / 8 && taken > rounds / 8, "%u refused, %u taken", refused,
              taken);
    free(b.data);
}

/* Finds the first record in the file that is not empty. */
static size_t find_record(const bytes *b)
{
    for (size_t record = 48; record + 8 < b->count;) {
        uint32_t payload;
        memcpy(&payload, b->data + record + 16, sizeof payload);
        if (payload > 0)
            return record + 24;
        record += 24;
    }
    CHECK(false);
    return 0;
}

TEST(bake, records_of_which_a_byte_has_a_value_that_none_has_are_refused)
{
    const struct {
        size_t at;
        unsigned char value;
    } forgeries[] = {{offsetof(rico__record, count), 0},
                     {offsetof(rico__record, count), RICO__RECORD_SURFACES + 1},
                     {offsetof(rico__record, crowded), 1},
                     {offsetof(rico__record, crowded), 2},
                     {offsetof(rico__record, mixed), 2},
                     {offsetof(rico__record, mixed), 255},
                     {offsetof(rico__record, reserved), 1}};
    bytes b = small_file();
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    const size_t record = find_record(&b);
    for (uint32_t k = 0; k < sizeof forgeries / sizeof *forgeries; ++k) {
        unsigned char *byte = b.data + record + forgeries[k].at, old = *byte;
        *byte = forgeries[k].value;
        seal(&b);
        CHECK_MSG(rico_world_load_cache(world, b.data, b.count) == RICO_BAD_FILE, "forgery %u",
                  k);
        CHECK_EQ(rico_world_get_stats(world).cache_records, 0);
        *byte = old;
    }
    seal(&b);
    CHECK_EQ(rico_world_load_cache(world, b.data, b.count), RICO_OK);
    free(b.data);
    rico_world_destroy(world);
}
