/* The order of records from back to front. */
#include "testing.h"

#include "depth_sort.h"

enum { MOST = 500 };

/* Sorts so many depths from `from` on, `apart` from each other and in mixed order. */
static void check_sorts(float from, float apart, uint32_t count)
{
    static float depths[MOST];
    static uint32_t order[MOST], spare[MOST];
    for (uint32_t i = 0; i < count; ++i)
        depths[i] = from + apart * (float)((i * 211u + 7u) % count);
    rico__depth_sort(depths, count, order, spare);
    for (uint32_t i = 1; i < count; ++i)
        CHECK_MSG(depths[order[i - 1]] > depths[order[i]], "%g, then %g",
                  (double)depths[order[i - 1]], (double)depths[order[i]]);
}

/* Depths are rounded to a 65536th of the range between the nearest and the farthest. So the
 * order must be as fine far away and behind the eye as near it. */
TEST(depth_sort, is_as_fine_far_away_and_behind_the_eye_as_near_it)
{
    check_sorts(0.0f, 0.01f, MOST);
    check_sorts(1000.0f, 0.001f, MOST);
    check_sorts(-1000.0f, 0.001f, MOST);
    check_sorts(-2.0f, 0.01f, MOST);
    check_sorts(1000.0f, 1.0f, 1);
}
