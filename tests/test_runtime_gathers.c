/* One gather of a crowded cell makes the records of its parts, equal to those that gathers of
 * each part would make. */
#include "gathers.h"
#include "random.h"
#include "runtime_terrain.h"
#include "stages.h"
#include "vec.h"

#define MOST 400u

/* The cell of level 0 at the origin has so many small triangles, and a large one through all of
 * it. Two thirds of the small ones are crowded in two of its parts. */
static rico_world *crowded_world(uint32_t triangles)
{
    static float corners[9 * MOST];
    static uint32_t indices[3 * MOST];
    static const float middle[3][3] = {
        {0.4f, 0.68f, 0.3f}, {0.7f, 0.2f, 0.7f}, {0.5f, 0.5f, 0.5f}};
    for (uint32_t i = 0; i < 3 * triangles; ++i) {
        uint32_t crowd = i / 3 % 3;
        float spread = crowd < 2 ? 0.08f : 0.45f;
        for (uint32_t a = 0; a < 3; ++a)
            corners[3 * i + a] = middle[crowd][a] +
                                 rico__random_range(9, i / 3, a, -spread, spread) +
                                 rico__random_range(10, i, a, -0.04f, 0.04f);
        indices[i] = i;
    }
    const float large[9] = {-3.0f, -3.0f, 0.1f, 4.0f, -3.0f, 0.4f, 0.5f, 4.0f, 0.9f};
    memcpy(corners, large, sizeof large);
    rico_mesh mesh = {.positions = corners,
                      .vertex_count = 3 * triangles,
                      .indices = indices,
                      .triangle_count = triangles};
    rico_world *world = small_world(1, false);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    run_steps(world, 1);
    return world;
}

/* Makes one query about the cell or its group; the part at `finest` is wanted. */
static rico__query ask_for(rico_world *world, const int32_t finest[3], uint32_t cells,
                           bool group)
{
    world->queries[0] =
        (rico__query){.kind = QUERY_GATHER,
                      .key = rico__record_key(finest, 0),
                      .finest = rico__record_key(finest, RICO__RECORD_LEVELS - 1),
                      .cells = cells,
                      .group = group};
    world->query_count = 1;
    rico__query_answer(world);
    rico__merge_cache(world, world->records);
    return world->queries[0];
}

static rico__query ask(rico_world *world, const int32_t finest[3], uint32_t cells)
{
    return ask_for(world, finest, cells, false);
}

/* Checks that the table says of the cell what a gather of the cell alone would say. True when
 * the cell is divided. */
static bool check_cell(rico_world *world, const rico__cell *cell, uint32_t *known)
{
    rico_triangle triangles[RICO__RECORD_SURFACES];
    rico_box box = rico__record_box(cell, world->coverage.margin);
    uint32_t count =
        rico_scene_gather(world->scene, NULL, &box, triangles, RICO__RECORD_SURFACES);
    bool divided = count > RICO__RECORD_SURFACES && cell->level + 1 < RICO__RECORD_LEVELS;
    const rico__record *record = rico_cache_find(
        world->records, divided ? rico__record_divided_key(cell->key, cell->level) : cell->key,
        0, NULL);
    rico__record fresh;
    rico__record_build(&fresh, cell, world->coverage.margin, NULL, triangles,
                       count < RICO__RECORD_SURFACES ? count : RICO__RECORD_SURFACES, count);
    *known += record != NULL;
    CHECK(record != NULL || !rico_scene_occupied(world->scene, &box));
    CHECK(divided || record == NULL || memcmp(record, &fresh, rico__record_bytes(&fresh)) == 0);
    return divided;
}

static rico__cell cell_at(const rico_world *world, int32_t x, int32_t y, int32_t z,
                          uint32_t level)
{
    rico__cell cell = rico__record_cell_at(x, y, z, level, world->def.cell_size);
    cell.key = rico_cache_key_of_cell(x, y, z, RICO__KEY_OF_LEVEL(level));
    return cell;
}

/* Checks the parts of the cell, and within the part that has `finest` its parts. */
static void check_parts(rico_world *world, const int32_t finest[3], uint32_t *known)
{
    bool divided = true;
    for (uint32_t level = 1; divided; ++level) {
        int32_t wanted[3];
        for (int a = 0; a < 3; ++a)
            wanted[a] = rico__record_coarsen(finest[a], level);
        divided = false;
        for (int32_t i = 0; i < 8; ++i) {
            int32_t x = (wanted[0] & ~1) + (i & 1), y = (wanted[1] & ~1) + (i >> 1 & 1);
            int32_t z = (wanted[2] & ~1) + (i >> 2);
            rico__cell cell = cell_at(world, x, y, z, level);
            if (check_cell(world, &cell, known) && x == wanted[0] && y == wanted[1] &&
                z == wanted[2])
                divided = true;
        }
    }
}

/* Checks that searches begin at the right level in all parts of the cell at the origin. */
static void check_coverage(rico_world *world)
{
    const int32_t origin[3] = {0, 0, 0};
    size_t index;
    uint32_t beyond, known = 0, divided = 0;
    CHECK(rico__coverage_find(&world->coverage, origin, &index, &beyond));
    for (int32_t i = 0; i < 8; ++i) {
        rico__cell cell = cell_at(world, i & 1, i >> 1 & 1, i >> 2, 1);
        const int32_t finest[3] = {4 * cell.at[0], 4 * cell.at[1], 4 * cell.at[2]};
        bool is_divided = check_cell(world, &cell, &known);
        CHECK_EQ(rico__coverage_level(&world->coverage, index, finest), is_divided ? 2 : 1);
        divided += is_divided;
    }
    CHECK(divided >= 2); /* not only the wanted one */
}

TEST(runtime, one_gather_makes_the_records_of_all_parts_of_a_crowded_cell)
{
    rico_world *world = crowded_world(120);
    const int32_t finest[3] = {3, 5, 2};
    rico__query query = ask(world, finest, RICO__GATHER_DEPOSITS);
    uint32_t known = 0;
    CHECK_EQ(query.units, 2); /* of 64 triangles each */
    CHECK((query.divided & 3u) == 3 && query.last_level >= 2);
    check_parts(world, finest, &known);
    CHECK(known >= 8);
    check_coverage(world);
    rico_world_destroy(world);
}

TEST(runtime, a_gather_with_little_room_goes_only_where_it_is_wanted)
{
    rico_world *world = crowded_world(120);
    const int32_t finest[3] = {3, 5, 2};
    uint64_t before = rico_cache_get_stats(world->records).record_count;
    rico__query query = ask(world, finest, RICO__RECORD_LEVELS);
    uint32_t known = 0;
    rico__cell cell = cell_at(world, 0, 1, 0, 1);
    CHECK(check_cell(world, &cell, &known) || known == 1);
    CHECK(rico_cache_get_stats(world->records).record_count - before <= RICO__RECORD_LEVELS);
    CHECK(query.units >= 3); /* two, and one or more for each part */
    rico_world_destroy(world);
}

TEST(runtime, more_triangles_than_one_gather_keeps_are_gathered_part_by_part)
{
    rico_world *world = crowded_world(MOST);
    const int32_t finest[3] = {3, 5, 2};
    rico__query query = ask(world, finest, RICO__GATHER_DEPOSITS);
    uint32_t known = 0;
    rico__cell cell = cell_at(world, 0, 1, 0, 1);
    check_cell(world, &cell, &known);
    CHECK_EQ(known, 1);
    CHECK(query.units >= 5 && query.units <= 8); /* four for the cell, then it stops */
    CHECK(query.last_level >= 1);
    rico_world_destroy(world);
}

static rico_vec3 place_on(const rico_triangle *t, uint32_t n)
{
    float u = rico__random_range(11, n, 0, 0.0f, 1.0f);
    float v = rico__random_range(11, n, 1, 0.0f, 1.0f - u);
    rico_vec3 ab = vec3_sub(t->b, t->a), ac = vec3_sub(t->c, t->a);
    return vec3_mad(vec3_mad(t->a, ab, u), ac, v);
}

/* Checks that everything in the record's cube is in coverage's box of the cell. Returns which
 * share of the cube is outside the box, 0 to 1. */
static float check_box(rico_world *world, const rico__cell *cell)
{
    const float length = 1.0f + 2.0f * world->coverage.margin;
    rico_triangle t[MOST];
    rico_box cube = rico__record_box(cell, world->coverage.margin);
    uint32_t count = rico_scene_gather(world->scene, NULL, &cube, t, MOST);
    int32_t word = rico__coverage_box(&world->coverage, cell->at);
    if (count == 0)
        return 0.0f;
    CHECK((word & RICO__BOX_KNOWN) != 0 && rico__coverage_box_is_sound(word));
    float lo[3], hi[3], whole = 1.0f;
    for (int a = 0; a < 3; ++a) {
        int32_t axis = word >> 2 * RICO__BOX_BITS * a;
        float from = a == 0 ? cube.lo.x : a == 1 ? cube.lo.y : cube.lo.z;
        lo[a] = from + length * (float)(axis & RICO__BOX_STEPS) / RICO__BOX_STEPS;
        hi[a] = from + length -
                length * (float)(axis >> RICO__BOX_BITS & RICO__BOX_STEPS) / RICO__BOX_STEPS;
        whole *= (hi[a] - lo[a]) / length;
    }
    for (uint32_t i = 0; i < count * 300; ++i) {
        rico_vec3 p = place_on(&t[i / 300], i);
        bool in_cube = p.x >= cube.lo.x && p.x <= cube.hi.x && p.y >= cube.lo.y &&
                       p.y <= cube.hi.y && p.z >= cube.lo.z && p.z <= cube.hi.z;
        bool in_box = p.x > lo[0] - 1e-5f && p.x < hi[0] + 1e-5f && p.y > lo[1] - 1e-5f &&
                      p.y < hi[1] + 1e-5f && p.z > lo[2] - 1e-5f && p.z < hi[2] + 1e-5f;
        CHECK(!in_cube || in_box);
    }
    return 1.0f - whole;
}

/* Checks the cell and, if it is divided, its parts. Returns how many records and marks there
 * are. */
static uint32_t check_all_of(rico_world *world, const rico__cell *cell)
{
    uint32_t known = 0;
    if (!check_cell(world, cell, &known))
        return known;
    for (uint32_t i = 0; i < 8; ++i) {
        rico__cell part = rico__gather_part(world, cell->key, i);
        known += check_all_of(world, &part);
    }
    return known;
}

/* One query must make the records of all eight cells of a group, at one unit per 64 triangles. */
TEST(runtime, one_gather_makes_all_records_of_a_group_of_cells)
{
    for (uint32_t triangles = 20; triangles <= 140; triangles += 60) {
        rico_world *world = crowded_world(triangles);
        float left_out = 0.0f;
        const int32_t finest[3] = {9, 5, 2}; /* beside the crowded cell */
        rico__query query = ask_for(world, finest, RICO__MOST_DEPOSITS, true);
        CHECK_EQ(query.units, (triangles + 63) / 64);
        uint32_t known = 0;
        for (uint32_t i = 0; i < 8; ++i) {
            rico__cell fellow = rico__gather_fellow(world, query.key, i);
            known += check_all_of(world, &fellow);
            left_out += check_box(world, &fellow);
        }
        CHECK_MSG(left_out > 0.5f, "%g of eight", (double)left_out);
        CHECK(known >= 8 || triangles < 80);
        CHECK(query.group_divided == (triangles > 24 ? 1 : 0));
        if (triangles > 24)
            check_coverage(world);
        rico_world_destroy(world);
    }
}

TEST(runtime, a_group_with_too_many_triangles_is_gathered_cell_by_cell)
{
    rico_world *world = crowded_world(MOST);
    const int32_t finest[3] = {9, 5, 2};
    rico__query query = ask_for(world, finest, RICO__MOST_DEPOSITS, true);
    uint32_t known = 0;
    rico__cell wanted = cell_at(world, 1, 0, 0, 0), other = cell_at(world, 0, 0, 0, 0);
    check_cell(world, &wanted, &known);
    CHECK_EQ(known, 1);
    CHECK_EQ(query.units, 5); /* four in vain */
    CHECK(rico_cache_find(world->records, rico__record_divided_key(other.key, 0), 0, NULL) ==
          NULL);
    rico_world_destroy(world);
}

TEST(runtime, a_gather_makes_no_more_records_than_it_may)
{
    rico_world *world = crowded_world(140);
    const int32_t finest[3] = {3, 5, 2};
    uint64_t before = rico_cache_get_stats(world->records).record_count;
    ask_for(world, finest, RICO__GATHER_DEPOSITS, true);
    CHECK(rico_cache_get_stats(world->records).record_count - before <= RICO__GATHER_DEPOSITS);
    rico_world_destroy(world);
}

/* All effects begin at once, so more groups are wanted than a step gathers. The other queries
 * must make the records of their own cells only. */
TEST(runtime, a_step_gathers_no_more_than_so_many_groups)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.rate = 600.0f;
    r.queries_per_frame = 4.0f;
    rico_recipe_id recipe = rico_world_add_recipe(world, &r);
    for (int i = 0; i < 64; ++i) /* each in a group of its own */
        rico_effect_spawn(world, recipe,
                          at((float)(i % 8) * 2.4f - 8.4f, (float)(i / 8) * 2.4f - 8.4f, 0.5f));
    uint32_t most = 0, single = 0;
    for (int step = 0; step < 20; ++step) {
        run_steps(world, 1);
        uint32_t groups = 0;
        for (uint32_t q = 0; q < world->query_count; ++q) {
            const rico__query *query = &world->queries[q];
            groups += query->kind == QUERY_GATHER && query->group;
            single += query->kind == QUERY_GATHER && !query->group;
        }
        most = groups > most ? groups : most;
    }
    CHECK_EQ(most, RICO__GROUPS_PER_STEP);
    CHECK(single > 0);
    rico_world_destroy(world);
}

/* --- Many at once -------------------------------------------------------------------------- */

/* Bursts over a floor at forty places, in a world that knows nothing: more groups than one step
 * gathers. A cell whose group is left out must be gathered by itself, in time. */
TEST(runtime, gathers_of_more_groups_than_a_step_makes_leave_no_cell_out)
{
    const float e = 60.0f;
    const float corners[] = {-e, -e, 0.0f, e, -e, 0.0f, e, e, 0.0f, -e, e, 0.0f};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 16384;
    def.cache_bytes = 4 << 20;
    def.classic_cache_bytes = 64 << 10;
    def.worker_count = 1;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.9f, 0.9f, 0.0f};
    r.rate = 0.0f;
    r.burst_count = 256;
    r.speed = (rico_range){-4.0f, -3.0f};
    r.spread = 0.2f;
    r.lifetime = (rico_range){9.0f, 9.0f};
    r.queries_per_frame = 30.0f;
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    for (int i = 0; i < 40; ++i)
        CHECK(rico_effect_spawn(
                  world, id,
                  at(8.0f * (float)(i % 8) - 27.0f, 8.0f * (float)(i / 8) - 15.0f, 0.09f))
                  .index1 != 0);
    rico_world_step(world, 1.0f / 60.0f);
    rico_world_stats stats = rico_world_get_stats(world);
    CHECK(stats.queries_wanted > 200 && stats.queries_granted == stats.queries_wanted);
    rico_world_step(world, 1.0f / 60.0f);
    stats = rico_world_get_stats(world);
    CHECK_MSG(stats.queries_wanted == 0, "%u of what was granted was not asked",
              stats.queries_wanted);
    rico_world_destroy(world);
}
