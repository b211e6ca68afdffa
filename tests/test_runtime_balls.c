/* Balls of mode cached, of all sizes: large ones touch surfaces several cells away from their
 * centres. */
#include "runtime_balls.h"

#include "record.h"
#include "runtime_floor.h"
#include "runtime_isa.h"

static const float radii[] = {0.01f, 0.05f, 0.1f, 0.2f, 0.5f, 1.0f};
#define RADII (sizeof radii / sizeof *radii)

/* How deep balls of any size may be for a step or two, in metres. */
#define DEPTH 0.035f

static void check_yard(const yard *y, float radius, float cell_size, bool baked)
{
    rico_world *world = yard_world(y, 1, cell_size);
    rico_effect_id e = add_balls(world, y, radius);
    if (baked)
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    float ever = run_balls(world, e, y, radius, 120);
    CHECK_MSG(ever < DEPTH, "%g m on %g, slope %g, cells of %g m, baked %d: %g m deep",
              (double)radius, (double)y->floor, (double)y->slope, (double)cell_size, baked,
              (double)ever);
    CHECK(deepest(world, e, y, radius) > -0.5f);
    rico_world_destroy(world);
}

/* How far from their radius balls may be or lie on a level floor. It is 12 micrometres, whether
 * records are baked or made on the way. */
#define OFF 5.0e-5f

static void check_lying(const yard *y, float radius, bool baked)
{
    rico_world *world = yard_world(y, 1, 1.0f);
    rico_effect_id e = add_balls(world, y, radius);
    if (baked)
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    float ever = run_balls(world, e, y, radius, 180);
    uint32_t count = 0;
    CHECK_MSG(ever < OFF, "%g m on %g, baked %d: %g m deep", (double)radius, (double)y->floor,
              baked, (double)ever);
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t k = 0; k < v.count; ++k, ++count) {
            const float off = v.pz[k] - y->floor - radius;
            CHECK_MSG(off > -OFF && off < OFF, "%g m on %g, baked %d: lies %g m off",
                      (double)radius, (double)y->floor, baked, (double)off);
        }
    CHECK_EQ(count, BALLS);
    CHECK_EQ(rico_world_get_stats(world).sleeping, BALLS);
    rico_world_destroy(world);
}

TEST(balls, lie_at_their_radius_on_floors_below_borders_of_cells)
{
    static const yard y = {.floor = 0.95f};
    for (uint32_t i = 0; i < RADII; ++i)
        check_lying(&y, radii[i], true);
}

TEST(balls, lie_at_their_radius_where_nothing_was_known_before)
{
    static const yard y = {.floor = 0.95f};
    for (uint32_t i = 0; i < RADII; ++i)
        check_lying(&y, radii[i], false);
}

TEST(balls, lie_at_their_radius_on_floors_above_borders_of_cells)
{
    static const yard y = {.floor = 1.05f};
    for (uint32_t i = 0; i < RADII; ++i)
        check_lying(&y, radii[i], i % 2 != 0);
}

TEST(balls, stay_within_walls_of_other_cells)
{
    static const yard y = {.floor = 0.95f, .walls = true};
    for (uint32_t i = 1; i < RADII; ++i)
        check_yard(&y, radii[i], 1.0f, i % 2 != 0);
}

TEST(balls, stay_on_slopes_that_end_at_walls)
{
    static const yard y[] = {{.floor = 0.97f, .slope = 0.4f, .walls = true},
                             {.floor = 0.97f, .slope = 0.9f, .walls = true}};
    for (uint32_t i = 1; i < RADII; ++i)
        check_yard(&y[i % 2], radii[i], 1.0f, i % 2 == 0);
}

/* In cells of 2 m, planes may be farther away than 16 bits of a record can say, so these cells
 * are divided. */
TEST(balls, do_so_in_cells_of_all_sizes)
{
    static const yard y = {.floor = 0.45f, .walls = true};
    check_yard(&y, 0.1f, 0.3f, true);
    check_yard(&y, 0.2f, 0.5f, false);
    for (uint32_t i = 3; i < RADII; ++i) {
        check_yard(&y, radii[i], 1.2f, true);
        check_yard(&y, radii[i], 2.0f, true);
    }
}

/* --- Edges -------------------------------------------------------------------------------- */

/* Half size of a solid box, which no ball's centre may enter. */
static const rico_vec3 box_half = {2.0f, 0.1f, 0.5f};

static uint32_t count_in_box(const rico_world *world, rico_effect_id e)
{
    uint32_t count = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            count += fabsf(v.px[i]) < box_half.x - 0.005f &&
                     fabsf(v.py[i]) < box_half.y - 0.005f &&
                     fabsf(v.pz[i] - 2.0f) < box_half.z - 0.005f;
    return count;
}

/* Balls fall fast and drift towards a side of the box very slowly. They touch the plane of that
 * side above the box, and come down to the side while they touch it. */
static void rain_on_box(float radius)
{
    static const yard y = {.walls = true};
    rico_world *world = yard_world(&y, 1, 1.0f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = box_half;
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &def.shape), RICO_OK);
    def.motion.transform = at(0.0f, 0.0f, 2.0f);
    CHECK(rico_world_add_collider(world, &def).index1 != 0);
    rico_recipe r = ball_recipe(radius);
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.2f, 0.3f, 0.1f};
    r.burst_count = 800;
    r.max_particles = 800;
    r.speed = (rico_range){0.0f, 1.0f};
    r.spread = 0.52f;
    r.restitution = 0.5f;
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    rico_effect_id e = rico_effect_spawn(world, recipe, at(0.0f, 0.0f, 3.2f));
    for (int step = 0; step < 90; ++step) {
        run_steps(world, 1);
        uint32_t inside = count_in_box(world, e);
        CHECK_MSG(inside == 0, "%g m: %u of 800 in step %d", (double)radius, inside, step);
    }
    rico_world_destroy(world);
}

TEST(balls, that_rain_past_the_edges_of_a_box_do_not_end_inside)
{
    static const float of[] = {0.02f, 0.03f, 0.05f, 0.07f, 0.1f};
    for (size_t i = 0; i < sizeof of / sizeof *of; ++i)
        rain_on_box(of[i]);
}

/* --- Several sizes ------------------------------------------------------------------------ */

TEST(balls, of_two_sizes_lie_beside_each_other_whichever_came_first)
{
    static const yard y = {.floor = 0.95f, .walls = true};
    for (int large = 0; large < 2; ++large) {
        const float size[2] = {large == 0 ? 0.5f : 0.01f, large == 0 ? 0.01f : 0.5f};
        rico_world *world = yard_world(&y, 1, 1.0f);
        rico_effect_id first = add_balls(world, &y, size[0]),
                       second = add_balls(world, &y, size[1]);
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        float ever = run_balls(world, first, &y, size[0], 120);
        CHECK_MSG(ever < DEPTH, "%g m: %g m deep", (double)size[0], (double)ever);
        ever = deepest(world, second, &y, size[1]);
        CHECK_MSG(ever < DEPTH, "%g m: %g m deep", (double)size[1], (double)ever);
        rico_world_destroy(world);
    }
}

static uint32_t asleep(const rico_world *world)
{
    return rico_world_get_stats(world).sleeping;
}

/* Small balls rest and fly when a recipe of large balls is added. Records that were made for
 * small balls must be discarded; what small balls know of their own paths stays true, so they
 * must go on as before. */
TEST(balls, come_to_where_small_ones_rest_and_fly_which_go_on)
{
    static const yard y = {.floor = 0.95f};
    rico_world *world = yard_world(&y, 1, 1.0f);
    rico_effect_id resting = add_balls(world, &y, 0.01f);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    run_steps(world, 300);
    const uint32_t sleepers = asleep(world);
    CHECK_EQ(sleepers, BALLS);
    rico_effect_id flying = add_balls(world, &y, 0.02f);
    run_steps(world, 20);
    CHECK(rico_world_get_stats(world).cache_records > 100);
    reason[0] = 0;
    rico_effect_id large = add_balls(world, &y, 0.5f);
    CHECK_EQ(rico_world_get_stats(world).cache_records, 0);
    CHECK_MSG(strstr(reason, "recipe.radius is 0.5") != NULL, "%s", reason);
    CHECK(run_balls(world, flying, &y, 0.02f, 60) < DEPTH);
    CHECK(asleep(world) >= sleepers);
    CHECK(run_balls(world, large, &y, 0.5f, 60) < DEPTH);
    CHECK(deepest(world, resting, &y, 0.01f) < 0.001f);
    rico_world_destroy(world);
}

/* Changing a recipe counts as adding one. Records are discarded only when a recipe of mode
 * cached needs a wider margin than before. Smaller radii, other modes and the recipe's removal
 * discard nothing. */
TEST(balls, have_records_made_anew_only_where_they_are_larger)
{
    static const yard y = {.floor = 0.95f};
    rico_world *world = yard_world(&y, 1, 1.0f);
    rico_recipe r = ball_recipe(0.01f);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    static const struct {
        float radius;
        rico_collision_mode mode;
        bool anew;
    } turns[] = {{0.02f, RICO_COLLIDE_CACHED, false}, {0.6f, RICO_COLLIDE_EXACT, false},
                 {0.05f, RICO_COLLIDE_CACHED, true},  {0.04f, RICO_COLLIDE_CACHED, false},
                 {0.2f, RICO_COLLIDE_CACHED, true},   {0.15f, RICO_COLLIDE_CACHED, false},
                 {0.01f, RICO_COLLIDE_CACHED, false}, {0.21f, RICO_COLLIDE_CACHED, false}};
    for (uint32_t i = 0; i < sizeof turns / sizeof *turns; ++i) {
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        uint64_t before = rico_world_get_stats(world).cache_records;
        const uint32_t version = world->edits.version;
        r.radius = turns[i].radius;
        r.mode = turns[i].mode;
        CHECK_EQ(rico_world_change_recipe(world, id, &r), RICO_OK);
        CHECK_EQ(rico_world_get_stats(world).cache_records, turns[i].anew ? 0 : before);
        CHECK_EQ(world->edits.version != version, turns[i].anew);
    }
    CHECK_EQ(rico_world_remove_recipe(world, id), RICO_OK);
    CHECK(world->coverage.margin >= 0.22f);
    rico_world_destroy(world);
}

TEST(balls, that_grow_while_they_fly_land_at_their_new_radius)
{
    static const yard y = {.floor = 0.95f, .walls = true};
    rico_world *world = yard_world(&y, 1, 1.0f);
    rico_effect_id e = add_balls(world, &y, 0.01f);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    run_steps(world, 3);
    rico_recipe r = ball_recipe(0.5f);
    CHECK_EQ(rico_world_change_recipe(world, (rico_recipe_id){1, 1}, &r), RICO_OK);
    CHECK(run_balls(world, e, &y, 0.5f, 120) < DEPTH);
    rico_world_destroy(world);
}

/* --- What records are --------------------------------------------------------------------- */

TEST(balls, have_margins_of_few_steps_that_cover_them)
{
    uint32_t steps = 0;
    float before = RICO__LEAST_MARGIN;
    for (int mm = 0; mm <= 1000; ++mm) {
        float radius = (float)mm / 1000.0f, margin = rico__coverage_margin(radius);
        CHECK_MSG(margin >= radius + 0.0099f && margin >= before, "%d mm: %g m", mm,
                  (double)margin);
        CHECK(mm > 20 || margin == RICO__LEAST_MARGIN);
        CHECK(mm < 50 || margin < 2.0f * radius + 0.021f);
        steps += margin > before;
        before = margin;
    }
    CHECK(steps <= 7);
}

/* A triangle across the diagonal of the cell at the origin, `offset` away from the cell's
 * centre. */
static rico_triangle across(float offset)
{
    const float x = 1.7320508f * offset;
    return (rico_triangle){.a = {x, 0.0f, 0.0f}, .b = {0.0f, x, 0.0f}, .c = {0.0f, 0.0f, x}};
}

TEST(balls, have_records_of_what_they_touch_and_16_bits_can_say)
{
    const float margin = rico__coverage_margin(1.0f);
    const rico_triangle planes[] = {across(2.3f), across(1.85f), across(-1.85f), across(-2.1f)};
    rico__record record;
    rico__cell cell = {.state = CELL_RECORDED, .half = 0.5f};
    rico__record_build(&record, &cell, margin, NULL, planes, 4, 4);
    CHECK(record.count == 2 && record.crowded == 0);
    rico__surfaces s = rico__record_surfaces(&record);
    for (int k = 0; k < 2; ++k)
        CHECK(fabsf(fabsf((float)s.planes[6 + k] / RICO__LENGTH_UNIT) - 1.85f) < 0.001f);
    cell.half = 1.0f;
    rico__record_build(&record, &cell, margin, NULL, planes, 4, 4);
    CHECK(record.count == 0 && record.crowded == 1 && rico__record_divides(&cell, margin));
    rico__record_build(&record, &cell, RICO__LEAST_MARGIN, NULL, planes + 1, 2, 2);
    CHECK(record.count == 2 && record.crowded == 0);
}

static uint64_t yard_hash(uint32_t workers)
{
    static const yard y = {.floor = 0.95f, .slope = 0.3f, .walls = true};
    rico_world *world = yard_world(&y, workers, 1.0f);
    add_balls(world, &y, 0.2f);
    add_balls(world, &y, 0.01f);
    run_steps(world, 30);
    add_balls(world, &y, 0.5f);
    run_steps(world, 50);
    uint64_t hash = rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(balls, do_the_same_for_any_number_of_workers_on_every_isa)
{
    const uint64_t expected = yard_hash(1);
    CHECK_EQ(yard_hash(2), expected);
    CHECK_EQ(yard_hash(4), expected);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(yard_hash(1) == expected, "differs with %s", rico__isa_name((rico__isa)isa));
}

/* Hills have more triangles near a cell than its record for large balls holds. Such balls must
 * ask the scene, and a bake must not divide cells for nothing. */
TEST(balls, of_half_a_metre_lie_on_hills)
{
    const float radius = 0.5f;
    rico_world *world = small_world(1, true);
    rico_recipe r = ball_recipe(radius);
    r.speed.hi = 1.0f;
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(3.0f, 3.0f, 2.5f));
    rico_bake_report report;
    CHECK_EQ(rico_world_bake(world, NULL, &report), RICO_OK);
    CHECK_MSG(report.cells < 20000, "%d", (int)report.cells);
    float deep = -1.0e9f;
    for (int i = 0; i < 120; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                deep = fmaxf(deep, radius + terrain_height(v.px[k], v.py[k]) - v.pz[k]);
    }
    CHECK_MSG(deep > -0.1f && deep < 0.1f, "%g m deep", (double)deep);
    rico_world_destroy(world);
}

/* A level floor of so many small squares that large balls ask the scene in most cells. Returns
 * how deep the deepest ball ever is in it. */
static float deepest_in_squares(float radius, rico_on_collision on_collision)
{
    static const yard nowhere = {.floor = -100.0f}, y = {.floor = 0.95f};
    rico_world *world = yard_world(&nowhere, 1, 1.0f);
    add_floor_of_squares(world, 4.5f, 90, y.floor);
    rico_recipe r = ball_recipe(radius);
    r.on_collision = on_collision;
    const rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, y.floor + radius + 1.2f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    float deep = -1.0e9f;
    for (int i = 0; i < 90; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                if (fabsf(v.px[k]) < 4.4f && fabsf(v.py[k]) < 4.4f)
                    deep = fmaxf(deep, y.floor + radius - v.pz[k]);
    }
    rico_world_destroy(world);
    return deep;
}

TEST(balls, do_not_sink_into_floors_of_small_squares)
{
    for (uint32_t i = 2; radii[i] < 1.0f; ++i)
        for (int slide = 0; slide < 2; ++slide) {
            const rico_on_collision what =
                slide ? RICO_ON_COLLISION_SLIDE : RICO_ON_COLLISION_BOUNCE;
            const float deep = deepest_in_squares(radii[i], what);
            CHECK_MSG(deep < OFF, "%g m, slide %d: %g m deep", (double)radii[i], slide,
                      (double)deep);
        }
}

/* A round crest along y, of strips of small squares. Its top is at the origin. */
#define CREST 2.0f

static void add_crest(rico_world *world)
{
    enum { SIDE = 40, ROW = SIDE + 1 };
    static float corners[3 * ROW * ROW];
    static uint32_t indices[6 * SIDE * SIDE];
    for (uint32_t i = 0; i < ROW * ROW; ++i) {
        const float x = 0.1f * (float)(i % ROW) - 2.0f;
        corners[3 * i] = x;
        corners[3 * i + 1] = 0.1f * (float)(i / ROW) - 2.0f;
        corners[3 * i + 2] = sqrtf(CREST * CREST - x * x) - CREST;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t a = i / SIDE * ROW + i % SIDE, c = a + ROW;
        const uint32_t square[6] = {a, a + 1, c + 1, a, c + 1, c};
        memcpy(indices + 6 * (size_t)i, square, sizeof square);
    }
    const rico_mesh mesh = {.positions = corners,
                            .vertex_count = ROW * ROW,
                            .indices = indices,
                            .triangle_count = 2 * SIDE * SIDE};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
}

/* What the rays of their steps meet is farther down the slope than what they touch. */
TEST(balls, of_half_a_metre_do_not_sink_into_a_crest)
{
    static const yard nowhere = {.floor = -100.0f};
    const float radius = 0.5f;
    rico_world *world = yard_world(&nowhere, 1, 1.0f);
    add_crest(world);
    rico_recipe r = ball_recipe(radius);
    r.size = (rico_vec3){0.6f, 1.0f, 0.02f};
    r.speed.hi = 0.2f;
    r.friction = 0.4f;
    const rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, radius + 0.1f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    float deep = -1.0e9f;
    for (int i = 0; i < 120; ++i) {
        rico_world_step(world, 1.0f / 60.0f);
        rico_view v = rico_effect_view(world, e);
        while (rico_view_next(&v))
            for (uint32_t k = 0; k < v.count; ++k)
                deep = fmaxf(deep, CREST + radius - hypotf(v.px[k], v.pz[k] + CREST));
    }
    CHECK_MSG(deep < 0.012f, "%g m deep", (double)deep);
    rico_world_destroy(world);
}

/* --- Saved caches ------------------------------------------------------------------------- */

static rico_result load_into(const yard *y, float radius, const bytes *b, uint64_t *records)
{
    rico_world *world = yard_world(y, 1, 1.0f);
    rico_recipe r = ball_recipe(radius);
    CHECK(rico_world_add_recipe(world, &r).index1 != 0);
    reason[0] = 0;
    rico_result result = rico_world_load_cache(world, b->data, b->count);
    *records = rico_world_get_stats(world).cache_records;
    rico_world_destroy(world);
    return result;
}

TEST(balls, have_saved_caches_of_their_own)
{
    static const yard y = {.floor = 0.95f};
    static const float size[] = {0.01f, 0.2f, 0.5f};
    for (int from = 0; from < 3; ++from) {
        rico_world *world = yard_world(&y, 1, 1.0f);
        rico_recipe r = ball_recipe(size[from]);
        CHECK(rico_world_add_recipe(world, &r).index1 != 0);
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        const uint64_t all = rico_world_get_stats(world).cache_records;
        bytes b = saved(world);
        rico_world_destroy(world);
        for (int to = 0; to < 3; ++to) {
            uint64_t records;
            rico_result result = load_into(&y, size[to], &b, &records);
            CHECK_EQ(result, from == to ? RICO_OK : RICO_BAD_FILE);
            CHECK_EQ(records, from == to ? all : 0);
            CHECK(from == to || strstr(reason, "radius") != NULL);
        }
        free(b.data);
    }
}

/* The floor has squares of 5 cm, so the scene's cells are small and the cell above the border
 * is known to be empty. Balls enter the floor's cell without having stopped at the border. */
TEST(balls, find_a_fine_floor_just_below_a_border_where_nothing_was_known_before)
{
    static const yard nowhere = {.floor = -100.0f}, y = {.floor = 0.96f};
    rico_world *world = yard_world(&nowhere, 1, 1.0f);
    add_floor_of_squares(world, 4.0f, 160, y.floor);
    rico_effect_id e = add_balls(world, &y, 0.01f);
    uint32_t below = 0, above = 0;
    for (int i = 0; i < 90; ++i)
        rico_world_step(world, 1.0f / 60.0f);
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t k = 0; k < v.count; ++k) {
            const bool over = fabsf(v.px[k]) < 3.9f && fabsf(v.py[k]) < 3.9f;
            below += over && v.pz[k] < 0.9f;
            above += over && v.pz[k] >= 0.9f;
        }
    CHECK_MSG(below == 0 && above > BALLS / 2, "%u below, %u above", below, above);
    rico_world_destroy(world);
}

/* Each comes to the cell of the wall in the step in which it reaches the wall: the record of that
 * cell is not there yet. */
TEST(balls, that_go_along_a_slope_do_not_pass_the_wall_at_its_end)
{
    static const float of[] = {0.005f, 0.01f, 0.015f, 0.02f, 0.025f, 0.05f, 0.25f};
    static const yard y = {.floor = 0.97f, .slope = 0.577f, .walls = true};
    for (uint32_t i = 0; i < 3 * sizeof of / sizeof *of; ++i) {
        const float radius = of[i / 3];
        rico_world *world = yard_world(&y, 1, 1.0f);
        rico_recipe r = ball_recipe(radius);
        r.rolls = i % 3 == 1;
        r.on_collision = i % 3 == 0 ? RICO_ON_COLLISION_SLIDE : RICO_ON_COLLISION_BOUNCE;
        if (i % 3 == 2)
            r.restitution = r.friction = 0.0f;
        const rico_recipe_id id = rico_world_add_recipe(world, &r);
        const float top = y.floor + 2.0f * y.slope + radius + 1.2f;
        const rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, top));
        const float ever = run_balls(world, e, &y, radius, 120);
        CHECK_MSG(ever < 0.01f, "%g m, kind %u: %g m deep", (double)radius, i % 3,
                  (double)ever);
        rico_world_destroy(world);
    }
}
