/* A tree over boxes gives the same answers as testing every box. */
#include "testing.h"

#include "box_tree.h"
#include "random_boxes.h"
#include "vec.h"

#include <string.h>

#define MOST 3000u

/* Boxes of which some are large, far away, equal to others, marked or empty. */
typedef struct boxes {
    rico_box items[MOST];
    bool marked[MOST];
    uint32_t times[MOST], all;
} boxes;

static void draw_all(boxes *b, uint32_t count, uint32_t *serial)
{
    for (uint32_t i = 0; i < count; ++i) {
        b->items[i] =
            draw_box(serial, i % 100 == 99 ? 1.0e6f : 50.0f, i % 50 == 0 ? 40.0f : 2.0f);
        if (i % 7 == 6)
            b->items[i] = b->items[i - 1];
        if (i % 11 == 10)
            b->items[i].lo.x = b->items[i].hi.x + 1.0f;
        b->marked[i] = draw(serial, 0.0f, 1.0f) < 0.3f;
    }
}

static bool source(const void *user, uint32_t number, rico_box *box)
{
    const boxes *b = user;
    *box = b->items[number];
    return b->marked[number];
}

static bool count(void *user, uint32_t number)
{
    boxes *b = user;
    b->times[number] += 1;
    b->all += 1;
    return false;
}

static bool stop_at_second(void *user, uint32_t number)
{
    boxes *b = user;
    b->times[number] += 1;
    b->all += 1;
    return b->all == 2;
}

static void check_question(const rico__box_tree *tree, boxes *b, uint32_t n,
                           const rico_box *box, bool to_marked)
{
    uint32_t expected = 0;
    memset(b->times, 0, sizeof b->times);
    b->all = 0;
    CHECK(!rico__box_tree_each(tree, box, to_marked, count, b));
    for (uint32_t i = 0; i < n; ++i) {
        const bool meets = b->items[i].lo.x <= b->items[i].hi.x &&
                           (b->marked[i] || !to_marked) && boxes_meet(&b->items[i], box);
        expected += meets;
        CHECK_EQ(b->times[i], meets);
    }
    CHECK_EQ(b->all, expected);
    b->all = 0;
    CHECK_EQ(rico__box_tree_each(tree, box, to_marked, stop_at_second, b), expected >= 2);
    CHECK_EQ(b->all, expected < 2 ? expected : 2);
}

TEST(box_tree, answers_as_a_look_at_each_box_does)
{
    static const uint32_t counts[] = {1, 2, 8, 9, 65, 500, MOST};
    static boxes b;
    const float inf = __builtin_inff(), nan = __builtin_nanf("");
    const rico_box all = {{-inf, -inf, -inf}, {inf, inf, inf}},
                   none = {{nan, nan, nan}, {nan, nan, nan}};
    uint32_t serial = 0;
    rico__memory memory;
    rico__memory_init(&memory, NULL);
    for (uint32_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        rico__box_tree tree;
        CHECK(rico__box_tree_reserve(&tree, &memory, counts[n]));
        draw_all(&b, counts[n], &serial);
        rico__box_tree_make(&tree, counts[n], source, &b);
        for (uint32_t q = 0; q < (TEST_IS_SLOW ? 20 : 200); ++q) {
            rico_box box = draw_box(&serial, 60.0f, q % 10 == 0 ? 100.0f : 3.0f);
            check_question(&tree, &b, counts[n], &box, q % 2 == 1);
        }
        check_question(&tree, &b, counts[n], &all, false);
        check_question(&tree, &b, counts[n], &all, true);
        check_question(&tree, &b, counts[n], &none, false);
        rico__box_tree_free(&tree, &memory);
    }
    CHECK_EQ(memory.live_bytes, 0);
}

TEST(box_tree, of_no_boxes_is_met_by_none)
{
    static boxes b;
    const float inf = __builtin_inff();
    const rico_box all = {{-inf, -inf, -inf}, {inf, inf, inf}};
    rico__memory memory;
    rico__box_tree tree;
    rico__memory_init(&memory, NULL);
    CHECK(rico__box_tree_reserve(&tree, &memory, 3));
    for (uint32_t i = 0; i < 3; ++i)
        b.items[i] = (rico_box){{1.0f, 0.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}};
    rico__box_tree_make(&tree, 3, source, &b);
    check_question(&tree, &b, 3, &all, false);
    rico__box_tree_free(&tree, &memory);
}
