/* The block pool compared with a slow, simple table of each unit's owner. */
#include "pool.h"
#include "random.h"
#include "runtime_terrain.h"

#include <string.h>

enum { UNITS = 10007, RUNS = 200, LONGEST = 170 };

static uint32_t owner[UNITS]; /* run + 1 */
static uint32_t unit_of[RUNS], units_of[RUNS];

static void own(uint32_t run, uint32_t was, uint32_t is)
{
    for (uint32_t i = 0; i < units_of[run]; ++i) {
        CHECK(owner[unit_of[run] + i] == was);
        owner[unit_of[run] + i] = is;
    }
}

static bool is_there(uint32_t units)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < UNITS && length < units; ++i)
        length = owner[i] == 0 ? length + 1 : 0;
    return length == units;
}

TEST(runtime, gives_out_pool_units_once_and_takes_them_back)
{
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    rico__pool pool;
    CHECK_EQ(rico__pool_init(&pool, &memory, UNITS), RICO_OK);
    CHECK_EQ(memory.live_bytes, rico__pool_bytes(UNITS));
    uint32_t refused = 0, used = 0, runs = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        uint32_t pick = rico__random_u32(3, round, 1) % RUNS;
        if (units_of[pick] != 0 && round % 3 != 0) {
            own(pick, pick + 1, 0);
            rico__pool_release(&pool, unit_of[pick], units_of[pick]);
            used -= units_of[pick];
            runs -= 1;
            units_of[pick] = 0;
        } else if (units_of[pick] == 0) {
            uint32_t want = 1 + rico__random_u32(3, round, 2) % LONGEST;
            uint32_t unit = rico__pool_acquire(&pool, want);
            CHECK((unit != RICO__NO_BLOCK) == is_there(want));
            refused += unit == RICO__NO_BLOCK;
            if (unit == RICO__NO_BLOCK)
                continue;
            CHECK(unit + want <= UNITS);
            unit_of[pick] = unit;
            units_of[pick] = want;
            own(pick, 0, pick + 1);
            used += want;
            runs += 1;
        }
        CHECK(pool.used_units == used && pool.run_count == runs);
    }
    CHECK(refused > 0); /* the pool was full at times */
    for (uint32_t r = 0; r < RUNS; ++r)
        if (units_of[r] != 0)
            rico__pool_release(&pool, unit_of[r], units_of[r]);
    CHECK_EQ(pool.used_units, 0);
    CHECK(rico__pool_acquire(&pool, UNITS) == 0);
    rico__pool_free(&pool, &memory);
    CHECK_EQ(memory.live_bytes, 0);
}

/* The system takes time to hand out new memory, in the frame that first touches it. So units
 * that were used before must be given out first. */
TEST(runtime, pool_units_that_were_used_before_come_before_new_ones)
{
    enum { SOME = 20, LENGTH = 80 };
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    rico__pool pool;
    uint32_t units[SOME];
    CHECK_EQ(rico__pool_init(&pool, &memory, UNITS), RICO_OK);
    for (uint32_t round = 0; round < 30; ++round) {
        for (uint32_t i = 0; i < SOME; ++i)
            units[i] = rico__pool_acquire(&pool, LENGTH);
        CHECK_EQ(pool.cleared_units, SOME * LENGTH);
        for (uint32_t i = 0; i < SOME; ++i) /* in varied order */
            rico__pool_release(&pool, units[(i * 7 + round) % SOME], LENGTH);
    }
    for (uint32_t i = 0; i < SOME; ++i)
        units[i] = rico__pool_acquire(&pool, LENGTH);
    rico__pool_release(&pool, units[5], LENGTH);
    CHECK_EQ(rico__pool_acquire(&pool, LENGTH + 1), SOME * LENGTH); /* where it fits */
    rico__pool_release(&pool, units[7], LENGTH);
    CHECK_EQ(rico__pool_acquire(&pool, LENGTH), units[7]);
    rico__pool_free(&pool, &memory);
}
