/* Distances to the next geometry, checked by asking the scene about each cell. */
#include "testing.h"

#include "coverage.h"
#include "random.h"
#include "record.h"
#include "vec.h"

/* For a cell of level 0. */
static uint32_t distance_at(const rico__coverage *coverage, const int32_t cell[3])
{
    size_t index;
    uint32_t distance;
    return rico__coverage_find(coverage, cell, &index, &distance)
               ? rico__coverage_distance(coverage->cells[index])
               : distance;
}

/* For a cell of level 1. */
static uint32_t level_at(const rico__coverage *coverage, const int32_t cell[3])
{
    const int32_t parent[3] = {cell[0] >> 1, cell[1] >> 1, cell[2] >> 1};
    const int32_t finest[3] = {cell[0] * 4, cell[1] * 4 + 3, cell[2] * 4 + 1};
    size_t index;
    uint32_t beyond;
    if (!rico__coverage_find(coverage, parent, &index, &beyond) ||
        rico__coverage_distance(coverage->cells[index]) > 0)
        return 0;
    return rico__coverage_level(coverage, index, finest);
}

typedef struct covered {
    rico_scene *scene;
    rico__memory memory;
    rico__coverage coverage;
    float cell_size;
} covered;

static float number(uint32_t serial, uint32_t use, float lo, float hi)
{
    return rico__random_range(17, serial, use, lo, hi);
}

/* Random triangles of up to 2 * size, within `spread` on each axis. */
static void cover(covered *c, uint32_t round, uint32_t count, const float spread[3], float size,
                  float cell_size)
{
    float positions[9 * 64];
    uint32_t indices[3 * 64];
    for (uint32_t i = 0; i < 3 * count; ++i) {
        indices[i] = i;
        for (uint32_t a = 0; a < 3; ++a)
            positions[3 * i + a] = number(round * 64 + i / 3, a, -spread[a], spread[a]) +
                                   number(round * 64 + i / 3, 3 * (i % 3) + a + 3, -size, size);
    }
    *c = (covered){.cell_size = cell_size};
    rico_scene_def def = rico_scene_def_default();
    CHECK_EQ(rico_scene_create(&def, &c->scene), RICO_OK);
    rico_mesh mesh = {.positions = positions,
                      .vertex_count = 3 * count,
                      .indices = indices,
                      .triangle_count = count};
    if (count > 0)
        CHECK_EQ(rico_scene_add_mesh(c->scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL),
                 RICO_OK);
    rico__memory_init(&c->memory, NULL);
    CHECK_EQ(rico__coverage_init(&c->coverage, &c->memory), RICO_OK);
    rico__coverage_build(&c->coverage, c->scene, cell_size);
}

static void uncover(covered *c)
{
    rico__coverage_free(&c->coverage, &c->memory);
    CHECK_EQ(c->memory.live_bytes, 0);
    rico_scene_destroy(c->scene);
}

/* How far beyond the range cells of coverage (blocks of cells, in large worlds) are checked. */
#define AROUND 4

/* The cells with geometry in the boxes of their records. */
typedef struct survey {
    int32_t (*at)[3];
    uint32_t count;
    int32_t lo[3], hi[3];
} survey;

static survey survey_of(const covered *c)
{
    survey s = {.at = NULL};
    uint32_t capacity = 0;
    float size = c->cell_size * (float)(1u << c->coverage.shift);
    for (int a = 0; a < 3; ++a) {
        s.lo[a] = c->coverage.lo[a] - AROUND;
        s.hi[a] = c->coverage.lo[a] + (int32_t)c->coverage.size[a] - 1 + AROUND;
    }
    for (int32_t z = s.lo[2]; z <= s.hi[2]; ++z)
        for (int32_t y = s.lo[1]; y <= s.hi[1]; ++y)
            for (int32_t x = s.lo[0]; x <= s.hi[0]; ++x) {
                rico__cell cell = rico__record_cell_at(x, y, z, 0, size);
                rico_box box = rico__record_box(&cell, c->coverage.margin);
                if (!rico_scene_occupied(c->scene, &box))
                    continue;
                if (s.count == capacity) {
                    capacity = 2 * capacity + 64;
                    s.at = realloc(s.at, capacity * sizeof *s.at);
                }
                memcpy(s.at[s.count++], (const int32_t[3]){x, y, z}, sizeof *s.at);
            }
    return s;
}

static uint32_t apart(const int32_t a[3], const int32_t b[3])
{
    int32_t most = 0;
    for (int k = 0; k < 3; ++k) {
        int32_t off = a[k] > b[k] ? a[k] - b[k] : b[k] - a[k];
        most = off > most ? off : most;
    }
    return (uint32_t)most;
}

static uint32_t nearest(const survey *s, const int32_t at[3])
{
    uint32_t least = RICO__COVERAGE_FAR;
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t distance = apart(s->at[i], at);
        least = distance < least ? distance : least;
    }
    return least;
}

/* How many cells a cell of coverage is outside the range. */
static uint32_t beyond_range(const rico__coverage *c, const int32_t at[3])
{
    int32_t inside[3];
    for (int a = 0; a < 3; ++a) {
        int32_t last = c->lo[a] + (int32_t)c->size[a] - 1;
        inside[a] = at[a] < c->lo[a] ? c->lo[a] : at[a] > last ? last : at[a];
    }
    uint32_t out = apart(inside, at);
    return out < RICO__COVERAGE_FAR ? out : RICO__COVERAGE_FAR;
}

/* Within the range the distance is exact; outside, it is the distance to the range. */
static void check_cell(const covered *c, const survey *s, const int32_t at[3], uint32_t serial)
{
    uint32_t shift = c->coverage.shift, fine = (1u << shift) - 1u;
    int32_t cell[3];
    for (uint32_t a = 0; a < 3; ++a) /* any cell of level 0 of the block */
        cell[a] = (int32_t)((uint32_t)at[a] << shift) +
                  (int32_t)(rico__random_u32(18, serial, a) & fine);
    uint32_t got = distance_at(&c->coverage, cell), most = nearest(s, at);
    uint32_t beyond = beyond_range(&c->coverage, at);
    CHECK_MSG(got == (beyond > 0 ? beyond : most) && got <= most,
              "%d %d %d: %u, expected %u, %u out of the range", at[0], at[1], at[2], got, most,
              beyond);
    size_t index;
    uint32_t out;
    CHECK_EQ(rico__coverage_find(&c->coverage, cell, &index, &out), beyond == 0);
    CHECK_EQ(out, beyond);
}

/* Checks so many cells, or all if there are fewer. */
static void check_cells(const covered *c, uint32_t samples)
{
    survey s = survey_of(c);
    uint64_t size[3], cells = 1;
    for (int a = 0; a < 3; ++a) {
        size[a] = (uint64_t)(s.hi[a] - s.lo[a] + 1);
        cells *= size[a];
    }
    CHECK(s.count > 0);
    bool all = cells <= samples;
    for (uint32_t i = 0; i < (all ? (uint32_t)cells : samples); ++i) {
        uint64_t pick = all ? i : rico__random_u32(19, i, 0) % cells;
        const int32_t at[3] = {s.lo[0] + (int32_t)(pick % size[0]),
                               s.lo[1] + (int32_t)(pick / size[0] % size[1]),
                               s.lo[2] + (int32_t)(pick / size[0] / size[1])};
        check_cell(c, &s, at, i);
    }
    free(s.at);
}

TEST(coverage, distance_is_that_to_the_nearest_cell_with_geometry)
{
    for (uint32_t round = 0; round < 30; ++round) {
        covered c;
        const float spread[3] = {number(round, 60, 0.1f, 5.0f), number(round, 61, 0.1f, 5.0f),
                                 number(round, 62, 0.1f, 3.0f)};
        cover(&c, round, 1 + round % 7, spread, number(round, 63, 0.01f, 0.6f),
              number(round, 64, 0.3f, 1.2f));
        CHECK_EQ(c.coverage.shift, 0);
        check_cells(&c, 6000);
        uncover(&c);
    }
}

TEST(coverage, distance_counts_blocks_of_cells_in_worlds_too_large)
{
    static const uint32_t shifts[] = {4, 3, 1};
    static const float cell_sizes[] = {0.05f, 0.05f, 0.5f};
    static const float spreads[3][3] = {{40.0f, 40.0f, 40.0f}, /* wide in all directions */
                                        {30.0f, 15.0f, 3.0f},
                                        {60.0f, 60.0f, 30.0f}};
    uint32_t blocks = 0;
    for (uint32_t round = 0; round < 3; ++round) {
        covered c;
        cover(&c, 100 + round, 12, spreads[round], 0.3f, cell_sizes[round]);
        CHECK(c.coverage.shift > 0 && c.coverage.shift <= shifts[round] + 1);
        CHECK(c.coverage.size[0] * c.coverage.size[1] * c.coverage.size[2] <= 1u << 20);
        blocks += c.coverage.shift;
        check_cells(&c, 4000);
        uncover(&c);
    }
    CHECK(blocks >= 5);
}

/* Whether a record of the cell would hold anything. If so, checks that coverage agrees. */
static bool is_occupied(const covered *c, const int32_t cell[3])
{
    rico__cell place = rico__record_cell_at(cell[0], cell[1], cell[2], 0, c->cell_size);
    rico_box box = rico__record_box(&place, c->coverage.margin);
    if (rico_scene_gather(c->scene, NULL, &box, NULL, 0) == 0)
        return false;
    CHECK_EQ(distance_at(&c->coverage, cell), 0);
    return true;
}

TEST(coverage, no_cell_whose_record_has_triangles_is_said_to_be_empty)
{
    uint32_t occupied = 0;
    for (uint32_t round = 0; round < 40; ++round) {
        covered c;
        const float spread[3] = {4.0f, 4.0f, 2.0f};
        const float wide[3] = {30.0f, 30.0f, 30.0f};
        bool large = round % 4 == 3;
        cover(&c, 200 + round, 20, large ? wide : spread, 0.4f, large ? 0.05f : 0.5f);
        for (uint32_t i = 0; i < 2000; ++i) {
            /* A place near a corner of a triangle. */
            float near[3];
            int32_t cell[3];
            for (uint32_t a = 0; a < 3; ++a) {
                near[a] = number((200 + round) * 64 + i % 20, a, -(large ? wide : spread)[a],
                                 (large ? wide : spread)[a]) +
                          number(i, 70 + a, -0.5f, 0.5f);
                cell[a] = (int32_t)floorf(near[a] / c.cell_size);
            }
            occupied += is_occupied(&c, cell);
        }
        uncover(&c);
    }
    CHECK(occupied > 5000);
}

TEST(coverage, reaches_as_far_around_what_is_there_as_the_widest_margin)
{
    covered c;
    uint32_t occupied = 0;
    const float spread[3] = {0.3f, 0.3f, 0.3f};
    cover(&c, 77, 5, spread, 0.1f, 0.1f);
    c.coverage.margin = rico__coverage_margin(1.0f);
    rico__coverage_build(&c.coverage, c.scene, c.cell_size);
    for (int32_t i = 0; i < 17 * 17 * 17; ++i) {
        const int32_t cell[3] = {i % 17 * 2 - 16, i / 17 % 17 * 2 - 16, i / 289 * 2 - 16};
        occupied += is_occupied(&c, cell);
    }
    CHECK_MSG(occupied > 1000, "%u", occupied);
    uncover(&c);
}

TEST(coverage, far_away_is_far_and_an_empty_scene_is_nowhere)
{
    covered c, none;
    const float spread[3] = {1.0f, 1.0f, 1.0f};
    cover(&c, 1, 4, spread, 0.2f, 0.5f);
    cover(&none, 1, 0, spread, 0.2f, 0.5f);
    for (int a = 0; a < 3; ++a)
        for (int sign = -1; sign <= 1; sign += 2) {
            int32_t cell[3] = {0, 0, 0};
            for (cell[a] = sign * 300; cell[a] > -(1 << 21) && cell[a] < 1 << 21;
                 cell[a] *= 3) {
                CHECK_EQ(distance_at(&c.coverage, cell), RICO__COVERAGE_FAR);
                CHECK_EQ(distance_at(&none.coverage, cell), RICO__COVERAGE_FAR);
                CHECK_EQ(level_at(&c.coverage, cell), 0);
            }
        }
    for (int32_t i = 0; i < 27; ++i) {
        const int32_t cell[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        CHECK_EQ(distance_at(&none.coverage, cell), RICO__COVERAGE_FAR);
        rico__coverage_divide(&none.coverage, cell, 0); /* there is no place for a note */
        CHECK_EQ(level_at(&none.coverage, cell), 0);
    }
    uncover(&c);
    uncover(&none);
}

/* ---- Divided cells ---- */

#define NOTED 6 /* cells of level 0 per axis, from -3 on */

typedef struct notes {
    bool whole[NOTED][NOTED][NOTED], child[2 * NOTED][2 * NOTED][2 * NOTED];
} notes;

static void check_levels(const covered *c, const notes *n)
{
    for (int z = 0; z < 2 * NOTED; ++z)
        for (int y = 0; y < 2 * NOTED; ++y)
            for (int x = 0; x < 2 * NOTED; ++x) {
                const int32_t cell[3] = {x - NOTED, y - NOTED, z - NOTED};
                uint32_t level = !n->whole[z / 2][y / 2][x / 2] ? 0 : n->child[z][y][x] ? 2 : 1;
                const int32_t parent[3] = {cell[0] >> 1, cell[1] >> 1, cell[2] >> 1};
                if (distance_at(&c->coverage, parent) > 0)
                    level = 0; /* there is nothing to divide */
                CHECK_EQ(level_at(&c->coverage, cell), level);
            }
}

TEST(coverage, remembers_which_cells_are_divided)
{
    covered c;
    const float spread[3] = {2.5f, 2.5f, 2.5f};
    static notes n;
    memset(&n, 0, sizeof n);
    cover(&c, 7, 60, spread, 0.5f, 1.0f);
    CHECK_EQ(c.coverage.shift, 0);
    check_levels(&c, &n);
    for (uint32_t i = 0; i < 60; ++i) {
        int32_t x = (int32_t)(rico__random_u32(23, i, 0) % NOTED);
        int32_t y = (int32_t)(rico__random_u32(23, i, 1) % NOTED);
        int32_t z = (int32_t)(rico__random_u32(23, i, 2) % NOTED);
        const int32_t cell[3] = {x - NOTED / 2, y - NOTED / 2, z - NOTED / 2};
        rico__coverage_divide(&c.coverage, cell, 0);
        n.whole[z][y][x] = true;
        for (int32_t k = 0; k < 8; ++k) {
            if ((rico__random_u32(23, i, 3) >> k & 1) == 0)
                continue;
            int32_t fx = 2 * x + (k & 1), fy = 2 * y + (k >> 1 & 1), fz = 2 * z + (k >> 2);
            const int32_t part[3] = {fx - NOTED, fy - NOTED, fz - NOTED};
            rico__coverage_divide(&c.coverage, part, 1);
            n.child[fz][fy][fx] = true;
        }
        check_levels(&c, &n);
    }
    /* Notes are kept until the scene changes. */
    memset(&n, 0, sizeof n);
    rico__coverage_build(&c.coverage, c.scene, 1.0f);
    check_levels(&c, &n);
    uncover(&c);
}

/* For a cell of level 1 in a cell whose distance is 0. */
static bool is_empty(const rico__coverage *coverage, const int32_t cell[3])
{
    const int32_t parent[3] = {cell[0] >> 1, cell[1] >> 1, cell[2] >> 1};
    const int32_t finest[3] = {cell[0] * 4 + 1, cell[1] * 4, cell[2] * 4 + 3};
    size_t index;
    uint32_t beyond;
    CHECK(rico__coverage_find(coverage, parent, &index, &beyond));
    return rico__coverage_child_empty(coverage, index, finest);
}

TEST(coverage, remembers_which_cells_turned_out_empty)
{
    covered c;
    const float spread[3] = {2.5f, 2.5f, 2.5f};
    cover(&c, 7, 60, spread, 0.5f, 1.0f);
    uint32_t whole = 0, parts = 0;
    int32_t noted[3] = {0, 0, 0};
    for (int32_t i = 0; i < NOTED * NOTED * NOTED; ++i) {
        const int32_t at[3] = {i % NOTED - 3, i / NOTED % NOTED - 3, i / NOTED / NOTED - 3};
        uint32_t before = distance_at(&c.coverage, at);
        if (i % 2 == 0) {
            rico__coverage_empty(&c.coverage, at, 0);
            CHECK_EQ(distance_at(&c.coverage, at), before > 0 ? before : 1);
            if (before == 0)
                memcpy(noted, at, sizeof noted);
            whole += before == 0;
        } else if (before == 0) {
            int32_t k = i / 2 % 8;
            const int32_t part[3] = {2 * at[0] + (k & 1), 2 * at[1] + (k >> 1 & 1),
                                     2 * at[2] + (k >> 2)};
            rico__coverage_empty(&c.coverage, part, 1);
            for (int32_t n = 0; n < 8; ++n) {
                const int32_t child[3] = {2 * at[0] + (n & 1), 2 * at[1] + (n >> 1 & 1),
                                          2 * at[2] + (n >> 2)};
                CHECK_EQ(is_empty(&c.coverage, child), n == k);
            }
            CHECK_EQ(distance_at(&c.coverage, at), 0);
            CHECK_EQ(level_at(&c.coverage, part), 0);
            parts += 1;
        }
    }
    CHECK(whole > 10 && parts > 10);
    rico__coverage_build(&c.coverage, c.scene, 1.0f); /* until the scene changes */
    const int32_t part[3] = {2 * noted[0], 2 * noted[1], 2 * noted[2]};
    CHECK_EQ(distance_at(&c.coverage, noted), 0);
    CHECK(!is_empty(&c.coverage, part));
    uncover(&c);
}

/* Gets where the box of the cell's contents begins and ends. False: it is unknown. */
static bool box_of(const rico__coverage *coverage, const int32_t cell[3], float lo[3],
                   float hi[3])
{
    size_t index;
    uint32_t beyond;
    if (!rico__coverage_find(coverage, cell, &index, &beyond) || coverage->boxes[index] == 0)
        return false;
    float step = (coverage->edge + 2.0f * RICO__LEAST_MARGIN) / (float)RICO__BOX_STEPS;
    for (int a = 0; a < 3; ++a) {
        uint32_t word = (uint32_t)coverage->boxes[index] >> 2 * RICO__BOX_BITS * a;
        uint32_t after = word >> RICO__BOX_BITS & RICO__BOX_STEPS;
        float corner = (float)cell[a] * coverage->edge - RICO__LEAST_MARGIN;
        lo[a] = corner + (float)(word & RICO__BOX_STEPS) * step;
        hi[a] = corner + (float)(RICO__BOX_STEPS - (int)after) * step;
    }
    return true;
}

TEST(coverage, keeps_boxes_until_the_scene_changes_there)
{
    covered c;
    const float spread[3] = {2.5f, 2.5f, 2.5f};
    uint32_t known = 0;
    cover(&c, 11, 30, spread, 0.4f, 1.0f);
    for (int32_t i = 0; i < 6 * 6 * 6; ++i) {
        const int32_t at[3] = {i % 6 - 3, i / 6 % 6 - 3, i / 36 - 3};
        float lo[3], hi[3], place[6];
        CHECK(!box_of(&c.coverage, at, lo, hi));
        for (uint32_t a = 0; a < 3; ++a) {
            float x = (float)at[a] - RICO__LEAST_MARGIN;
            place[a] = x + number((uint32_t)i, 40 + a, 0.0f, 0.5f);
            place[3 + a] = place[a] + number((uint32_t)i, 50 + a, 0.0f, 0.56f);
        }
        rico_box box = {{place[0], place[1], place[2]}, {place[3], place[4], place[5]}};
        rico__coverage_bound(&c.coverage, at, &box);
        if (!box_of(&c.coverage, at, lo, hi))
            continue; /* out of the range */
        CHECK(rico__coverage_box_is_sound(rico__coverage_box(&c.coverage, at)));
        for (uint32_t a = 0; a < 3; ++a) {
            CHECK(lo[a] <= place[a] + 1.0e-6f && lo[a] > place[a] - 0.035f);
            CHECK(hi[a] >= place[3 + a] - 1.0e-6f && hi[a] < place[3 + a] + 0.035f);
        }
        known += 1;
    }
    CHECK(known > 150);
    /* Boxes are kept until the scene changes there. */
    uint32_t kept = 0, forgotten = 0;
    rico_box edited = {{-2.9f, -2.9f, -2.9f}, {-1.1f, 0.9f, 0.9f}};
    CHECK(rico__coverage_update(&c.coverage, c.scene, 1.0f, &edited));
    for (int32_t i = 0; i < 6 * 6 * 6; ++i) {
        const int32_t at[3] = {i % 6 - 3, i / 6 % 6 - 3, i / 36 - 3};
        float lo[3], hi[3];
        bool there = box_of(&c.coverage, at, lo, hi);
        bool within = at[0] <= -2 && at[1] <= 0 && at[2] <= 0;
        CHECK(!(within && there));
        forgotten += within && distance_at(&c.coverage, at) == 0;
        kept += there;
    }
    CHECK(kept > 20 && forgotten > 5);
    uncover(&c);
}

TEST(coverage, notes_no_divisions_where_cells_are_blocks_or_out_of_range)
{
    covered blocks, cells;
    const float wide[3] = {40.0f, 40.0f, 40.0f}, spread[3] = {1.0f, 1.0f, 1.0f};
    cover(&blocks, 9, 12, wide, 0.3f, 0.05f);
    cover(&cells, 9, 12, spread, 0.3f, 0.5f);
    CHECK(blocks.coverage.shift > 0);
    for (int32_t i = -200; i < 200; ++i) {
        const int32_t cell[3] = {i, 2 * i, -i}, outside[3] = {1000 + i, i, -4000};
        const int32_t below[3] = {2 * i, 4 * i, -2 * i};
        rico__coverage_divide(&blocks.coverage, cell, 0);
        rico__coverage_divide(&cells.coverage, outside, 0);
        rico__coverage_empty(&blocks.coverage, cell, 0);
        rico__coverage_empty(&cells.coverage, outside, 0);
        CHECK_EQ(level_at(&blocks.coverage, below), 0);
        CHECK_EQ(level_at(&cells.coverage, outside), 0);
    }
    uncover(&blocks);
    uncover(&cells);
}

/* Adds triangles around a place; returns their box. */
static rico_box add_around(covered *c, uint32_t round, rico_vec3 place)
{
    float positions[9 * 8];
    uint32_t indices[3 * 8];
    rico_box box = {{1e9f, 1e9f, 1e9f}, {-1e9f, -1e9f, -1e9f}};
    for (uint32_t i = 0; i < 24; ++i) {
        float *p = &positions[3 * i];
        indices[i] = i;
        p[0] = place.x + number(round, 3 * i, -2.0f, 2.0f);
        p[1] = place.y + number(round, 3 * i + 1, -2.0f, 2.0f);
        p[2] = place.z + number(round, 3 * i + 2, -2.0f, 2.0f);
        box.lo = vec3_min(box.lo, vec3(p[0], p[1], p[2]));
        box.hi = vec3_max(box.hi, vec3(p[0], p[1], p[2]));
    }
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 24, .indices = indices, .triangle_count = 8};
    CHECK_EQ(rico_scene_add_mesh(c->scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_OK);
    return box;
}

/* Compares cells after a rebuild with coverage made at once. Returns how many have notes. */
static uint32_t check_as_at_once(covered *c, const rico_box *changed)
{
    rico__coverage anew;
    rico_box bounds = rico_scene_get_stats(c->scene).bounds;
    rico__coverage_rebuild(&c->coverage, c->scene, c->cell_size, &bounds, true, changed,
                           &c->memory);
    CHECK_EQ(rico__coverage_init(&anew, &c->memory), RICO_OK);
    rico__coverage_rebuild(&anew, c->scene, c->cell_size, &bounds, true, NULL, NULL);
    CHECK(memcmp(anew.lo, c->coverage.lo, sizeof anew.lo) == 0 &&
          memcmp(anew.size, c->coverage.size, sizeof anew.size) == 0 &&
          anew.shift == c->coverage.shift);
    uint32_t noted = 0;
    size_t cells = (size_t)anew.size[0] * anew.size[1] * anew.size[2];
    for (size_t i = 0; i < cells; ++i) {
        CHECK_EQ(rico__coverage_distance(c->coverage.cells[i]),
                 rico__coverage_distance(anew.cells[i]));
        noted += c->coverage.cells[i] != anew.cells[i] && c->coverage.boxes[i] != 0;
    }
    rico__coverage_free(&anew, &c->memory);
    return noted;
}

TEST(coverage, of_a_range_that_grows_is_what_it_would_be_at_once)
{
    /* Rows of many cells, then blocks of cells. */
    const float spread[2][3] = {{150.0f, 4.0f, 4.0f}, {40.0f, 40.0f, 40.0f}};
    const float sizes[2] = {1.0f, 0.05f};
    for (uint32_t v = 0; v < 2; ++v) {
        covered c;
        cover(&c, 13 + v, 60, spread[v], 0.4f, sizes[v]);
        add_around(&c, 5 + v, vec3(0.0f, 0.0f, 0.0f)); /* scenes of a single mesh know less */
        rico__coverage_build(&c.coverage, c.scene, sizes[v]);
        CHECK_EQ(c.coverage.shift > 0, v == 1);
        survey s = survey_of(&c);
        const rico_box box = {{0.0f, 0.0f, 0.0f}, {0.3f, 0.3f, 0.3f}};
        for (uint32_t i = 0; i < s.count; ++i) {
            rico__coverage_divide(&c.coverage, s.at[i], 0);
            rico__coverage_bound(&c.coverage, s.at[i], &box);
        }
        rico_box changed = add_around(&c, 1 + v, vec3(spread[v][0] + 30.0f, 1.0f, -1.0f));
        CHECK_EQ(check_as_at_once(&c, &changed), v == 0 ? s.count : 0);
        changed = add_around(&c, 3 + v, vec3(-0.9f * spread[v][0], 0.0f, 1.0f));
        uint32_t noted = check_as_at_once(&c, &changed);
        CHECK(v == 1 ? noted == 0 : noted < s.count && noted > s.count / 2);
        free(s.at);
        uncover(&c);
    }
}

TEST(coverage, goes_along_with_the_origin_by_whole_cells)
{
    const float spread[2][3] = {{9.0f, 5.0f, 4.0f}, {40.0f, 40.0f, 40.0f}};
    const float sizes[2] = {0.5f, 0.0625f};
    for (uint32_t v = 0; v < 2; ++v) {
        covered c;
        cover(&c, 21 + v, 60, spread[v], 0.4f, sizes[v]);
        const int32_t whole = 1 << c.coverage.shift, by[3] = {5 * whole, -3 * whole, 2 * whole};
        const int32_t part[3] = {by[0], by[1] + 1, by[2]};
        rico__coverage before = c.coverage, anew;
        survey s = survey_of(&c);
        rico__coverage_divide(&c.coverage, s.at[0], 0);
        CHECK_EQ(rico__coverage_shift(&c.coverage, part), v == 0);
        c.coverage = before;
        CHECK(rico__coverage_shift(&c.coverage, by));
        rico_vec3 origin =
            vec3((float)-by[0] * sizes[v], (float)-by[1] * sizes[v], (float)-by[2] * sizes[v]);
        CHECK_EQ(rico_scene_shift_origin(c.scene, origin), RICO_OK);
        CHECK_EQ(rico__coverage_init(&anew, &c.memory), RICO_OK);
        rico__coverage_build(&anew, c.scene, sizes[v]);
        free(s.at);
        s = survey_of(&c);
        CHECK(s.count > 50);
        uint32_t divided = 0;
        for (uint32_t i = 0; i < s.count; ++i) {
            const int32_t child[3] = {2 * s.at[i][0], 2 * s.at[i][1], 2 * s.at[i][2]};
            divided += v == 0 && level_at(&c.coverage, child) == 1;
            const int32_t at[3] = {s.at[i][0] * whole, s.at[i][1] * whole, s.at[i][2] * whole};
            const int32_t beside[3] = {at[0] + 2 * whole, at[1] - whole, at[2]};
            CHECK_EQ(distance_at(&c.coverage, at), 0);
            CHECK_EQ(distance_at(&c.coverage, beside), distance_at(&anew, beside));
        }
        CHECK_EQ(divided, v == 0 ? 1 : 0); /* notes move along, too */
        free(s.at);
        rico__coverage_free(&anew, &c.memory);
        uncover(&c);
    }
    covered empty;
    cover(&empty, 1, 0, spread[0], 1.0f, 1.0f);
    CHECK(!rico__coverage_shift(&empty.coverage, (const int32_t[3]){1, 1, 1}));
    uncover(&empty);
}
