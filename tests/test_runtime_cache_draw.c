/* What is drawn of the cache, and the boxes that limit bakes and drawings. */
#include "runtime_bake.h"

typedef struct drawn {
    uint32_t lines;
    double length;
    bool off;
} drawn;

static void see_line(void *user, rico_vec3 a, rico_vec3 b, rico_vec3 normal)
{
    drawn *d = user;
    float dx = b.x - a.x, dy = b.y - a.y;
    d->lines += 1;
    d->length += (double)sqrtf(dx * dx + dy * dy);
    d->off = d->off || fabsf(a.z - 0.25f) > 1.0e-3f || fabsf(b.z - 0.25f) > 1.0e-3f ||
             fabsf(normal.z) < 0.999f || fabsf(a.x) > 1.42f || fabsf(a.y) > 1.42f;
}

TEST(bake, draws_the_surfaces_that_are_known)
{
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    rico_box all = {{-9.0f, -9.0f, -9.0f}, {9.0f, 9.0f, 9.0f}};
    rico_box corner = {{1.1f, 1.1f, 0.0f}, {1.2f, 1.2f, 1.0f}};
    drawn none = {0}, every = {0}, one = {0};
    CHECK_EQ(rico_world_draw_cache(world, &all, see_line, &none), RICO_OK);
    CHECK_EQ(none.lines, 0);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    CHECK_EQ(rico_world_draw_cache(world, &all, see_line, &every), RICO_OK);
    CHECK_EQ(rico_world_draw_cache(world, &corner, see_line, &one), RICO_OK);
    CHECK(!every.off && !one.off);
    /* 16 cells: at least the outline (2.7 m on each side), and each border between cells twice */
    CHECK(every.lines > 48 && every.length > 4 * 2.7 + 2 * 3 * 2 * 2.7);
    CHECK(one.lines >= 6 && one.lines < every.lines / 4);
    rico_world_destroy(world);
}

/* Both calls must refuse the box with this result and these words on the log. */
static void check_box_refused(rico_world *world, rico_box box, rico_result result,
                              const char *words)
{
    drawn none = {0};
    for (int draws = 0; draws < 2; ++draws) {
        rico_world_bake(world, NULL, NULL);
        CHECK_EQ(rico_world_load_cache(world, "", 1), RICO_BAD_FILE); /* another last result */
        reason[0] = '\0';
        CHECK_EQ(draws ? rico_world_draw_cache(world, &box, see_line, &none)
                       : rico_world_bake(world, &box, NULL),
                 result);
        CHECK_EQ(rico_world_last_result(world), result);
        CHECK_MSG(strstr(reason, words) != NULL &&
                      strstr(reason, draws ? "rico_world_draw_cache" : "rico_world_bake") !=
                          NULL,
                  "'%s' for '%s'", reason, words);
        CHECK_EQ(none.lines, 0);
    }
}

TEST(bake, boxes_that_are_none_are_refused_by_name)
{
    rico_world *world = plain_world(1, 0.25f, 1.0f, SMALL_CACHE);
    const rico_vec3 lo = {-9.0f, -9.0f, -9.0f}, hi = {9.0f, 9.0f, 9.0f};
    check_box_refused(world, (rico_box){{NAN, -9.0f, -9.0f}, hi}, RICO_NOT_FINITE, "box.lo.x");
    check_box_refused(world, (rico_box){lo, {9.0f, 9.0f, INFINITY}}, RICO_NOT_FINITE,
                      "box.hi.z");
    check_box_refused(world, (rico_box){lo, {9.0f, -9.5f, 9.0f}}, RICO_OUT_OF_RANGE,
                      "box.lo.y is -9, expected at most box.hi.y");
    rico_world_destroy(world);
}
