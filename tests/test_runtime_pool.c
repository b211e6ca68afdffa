/* The block pool against a slow, obvious owner of every unit. */
#include "pool.h"
#include "random.h"
#include "runtime_terrain.h"

#include "state.h"

TEST(runtime, gives_out_pool_units_once_and_takes_them_back)
{
    enum { UNITS = 1000, HEADERS = 200 };
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    rico__pool pool;
    CHECK_EQ(rico__pool_init(&pool, &memory, UNITS, HEADERS), RICO_OK);
    static uint32_t owner[UNITS]; /* header + 1 */
    static uint32_t unit_of[HEADERS], units_of[HEADERS];
    memset(owner, 0, sizeof owner);
    memset(units_of, 0, sizeof units_of);
    uint32_t refused = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        uint32_t pick = rico__random_u32(3, round, 1) % HEADERS;
        if (units_of[pick] != 0 && round % 3 != 0) {
            for (uint32_t i = 0; i < units_of[pick]; ++i)
                owner[unit_of[pick] + i] = 0;
            rico__pool_release(&pool, pick, unit_of[pick], units_of[pick]);
            units_of[pick] = 0;
            continue;
        }
        uint32_t want = 1 + rico__random_u32(3, round, 2) % 17, unit = 0;
        uint32_t header = rico__pool_acquire(&pool, want, &unit);
        if (header == RICO__NO_BLOCK) {
            refused += 1;
            continue;
        }
        CHECK(header < HEADERS && units_of[header] == 0 && unit + want <= UNITS);
        for (uint32_t i = 0; i < want; ++i) {
            CHECK(owner[unit + i] == 0);
            owner[unit + i] = header + 1;
        }
        unit_of[header] = unit;
        units_of[header] = want;
    }
    CHECK(refused > 0); /* the pool was full at times */
    for (uint32_t h = 0; h < HEADERS; ++h)
        if (units_of[h] != 0)
            rico__pool_release(&pool, h, unit_of[h], units_of[h]);
    CHECK_EQ(pool.used_units, 0);
    uint32_t unit;
    CHECK(rico__pool_acquire(&pool, UNITS, &unit) != RICO__NO_BLOCK);
    rico__pool_free(&pool, &memory);
    CHECK_EQ(memory.live_bytes, 0);
}
