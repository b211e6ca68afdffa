/* Results of a build: cells of triangles, nodes over bricks, bricks at dense objects, and
 * corners that triangles share. */
#include "collision_fixture.h"

#include "brick_tree.h"
#include "cell_block.h"
#include "triangle_cells.h"

enum { SIDE = 24, TOUCHED = SIDE * SIDE * SIDE };

/* --- cells --- */

typedef struct cell_set {
    uint8_t visits[TOUCHED];
    uint32_t count;
} cell_set;

static uint32_t cell_number(const int32_t cell[3])
{
    return (uint32_t)(cell[0] + SIDE * (cell[1] + SIDE * cell[2]));
}

static bool note_run(void *user, const rico__cell_run *run)
{
    cell_set *set = user;
    int32_t cell[3] = {run->cell[0], run->cell[1], run->cell[2]};
    for (; cell[run->axis] <= run->last; ++cell[run->axis]) {
        set->visits[cell_number(cell)] += 1;
        set->count += 1;
    }
    return true;
}

/* A grid with cells of 1 m. */
static rico__grid grid_with(rico__vertex vertices[3], const rico__face *face, float pad)
{
    return (rico__grid){.cell_size = 1.0f,
                        .inverse_cell_size = 1.0f,
                        .pad = pad,
                        .dims = {SIDE, SIDE, SIDE},
                        .triangles = {vertices, face}};
}

/* Small and large triangles, some flat along an axis, some with corners on borders of cells. */
static void random_corners(fixture_random *random, rico__vertex vertices[3])
{
    const float sizes[] = {0.01f, 0.3f, 0.8f, 1.0f, 2.5f, 9.0f};
    float size = sizes[random_below(random, 6)], step = 0.0f;
    uint32_t flat = random_below(random, 8);
    if (random_below(random, 3) == 0)
        step = random_below(random, 2) ? 1.0f : 0.25f;
    for (int k = 0; k < 3; ++k) {
        float middle = random_between(random, 10.0f, 13.0f);
        for (int j = 0; j < 3; ++j) {
            float at = middle + random_between(random, -size, size);
            if (step > 0.0f)
                at = step * (float)(int)(at / step);
            vertices[j].at[k] = flat == (uint32_t)k && j > 0 ? vertices[0].at[k] : at;
        }
    }
}

static void cells_of(cell_set *set, const rico__grid *grid)
{
    rico__triangle triangle = rico__triangle_at(&grid->triangles, 0);
    memset(set, 0, sizeof *set);
    CHECK(rico__triangle_cells(grid, &triangle, note_run, set));
}

static rico_box padded_cell(const int32_t cell[3], float pad)
{
    rico_vec3 lo = {(float)cell[0] - pad, (float)cell[1] - pad, (float)cell[2] - pad};
    rico_vec3 hi = {(float)cell[0] + 1.0f + pad, (float)cell[1] + 1.0f + pad,
                    (float)cell[2] + 1.0f + pad};
    return (rico_box){lo, hi};
}

/* Tests the cells around the triangle's box; the triangle can be in no other. */
static void check_cells(const cell_set *set, const rico__triangle *triangle, float pad)
{
    const float slack = 1.0e-4f;
    rico_box box = rico__triangle_bounds(triangle);
    int32_t lo[3] = {(int32_t)box.lo.x - 1, (int32_t)box.lo.y - 1, (int32_t)box.lo.z - 1};
    int32_t hi[3] = {(int32_t)box.hi.x + 1, (int32_t)box.hi.y + 1, (int32_t)box.hi.z + 1};
    uint32_t count = 0;
    int32_t cell[3];
    for (cell[2] = lo[2]; cell[2] <= hi[2]; ++cell[2])
        for (cell[1] = lo[1]; cell[1] <= hi[1]; ++cell[1])
            for (cell[0] = lo[0]; cell[0] <= hi[0]; ++cell[0]) {
                uint32_t visits = set->visits[cell_number(cell)];
                rico_box at = padded_cell(cell, visits != 0 ? pad + slack : pad - slack);
                CHECK(visits <= 1);
                CHECK_MSG((visits != 0) == oracle_touches(triangle->v, &at),
                          "cell %d %d %d: %u visits", cell[0], cell[1], cell[2], visits);
                count += visits;
            }
    CHECK_EQ(count, set->count);
}

TEST(collision, a_triangle_is_in_every_cell_that_it_touches_once_and_in_no_other)
{
    const float pad = 0.006f;
    fixture_random random = {81};
    cell_set *set = calloc(1, sizeof *set);
    for (int round = 0; round < FIXTURE_MANY(4000); ++round) {
        rico__vertex vertices[3] = {{.collider = 7}, {.collider = 7}, {.collider = 7}};
        const rico__face face = {{0, 1, 2}, 0};
        random_corners(&random, vertices);
        rico__grid grid = grid_with(vertices, &face, pad);
        rico__triangle triangle = rico__triangle_at(&grid.triangles, 0);
        cells_of(set, &grid);
        CHECK(set->count > 0);
        check_cells(set, &triangle, pad);
    }
    free(set);
}

/* The block holds all cells of the runs, and only cells of runs with a wider pad. */
TEST(collision, a_block_has_the_cells_of_a_small_triangles_runs)
{
    const float pad = 0.006f;
    fixture_random random = {82};
    cell_set *set = calloc(2, sizeof *set), *wide = set + 1;
    uint32_t blocks = 0, cells = 0, more = 0;
    for (int round = 0; round < FIXTURE_MANY(40000); ++round) {
        rico__vertex vertices[3] = {
            {.collider = 7}, {.collider = 0x7f800001u}, {.collider = 1}};
        const rico__face face = {{0, 1, 2}, 0};
        rico__cell_block block;
        random_corners(&random, vertices);
        rico__grid grid = grid_with(vertices, &face, pad);
        cells_of(set, &grid);
        grid.pad = pad + 3.0f * RICO_BLOCK_SLACK;
        cells_of(wide, &grid);
        grid.pad = pad;
        if (!rico__cell_block_of(&grid, 0, &block))
            continue;
        blocks += 1;
        for (int32_t i = 0; i < 8; ++i) {
            const int32_t cell[3] = {block.cell[0] + (i & 1), block.cell[1] + (i >> 1 & 1),
                                     block.cell[2] + (i >> 2)};
            bool in = block.bits >> i & 1;
            set->count -= set->visits[cell_number(cell)];
            CHECK_MSG(in || set->visits[cell_number(cell)] == 0, "round %d: too few", round);
            CHECK_MSG(!in || wide->visits[cell_number(cell)] == 1, "round %d: too many", round);
            cells += in;
            more += in && set->visits[cell_number(cell)] == 0;
        }
        CHECK_MSG(set->count == 0, "round %d: the triangle is larger than its block", round);
    }
    CHECK(blocks > (uint32_t)FIXTURE_MANY(40000) / 4);
    CHECK_MSG(more < cells / 1000, "%u of %u cells more", more, cells);
    free(set);
}

/* --- bricks --- */

TEST(collision, nodes_over_bricks_are_full)
{
    fixture_random random = {83};
    for (int round = 0; round < 4; ++round) {
        fixture_mesh mesh = {0};
        mesh_scatter(&mesh, &random, 4.0f, 200 << 2 * round);
        rico_scene *scene = scene_of(&mesh, 0.05f);
        const rico__grid *grid = scene_grid(scene);
        uint32_t bricks = grid->brick_count;
        CHECK_MSG(grid->top_count * 6 <= bricks + 12, "%u nodes for %u bricks", grid->top_count,
                  bricks);
        CHECK_MSG(grid->top_count * (RICO_FAN - 1) + 1 >= bricks, "%u nodes for %u bricks",
                  grid->top_count, bricks);
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}

/* A floor of tiles with a fine ball on it: nearly all triangles belong to the ball. */
TEST(collision, a_dense_object_does_not_cut_a_floor_to_pieces)
{
    fixture_mesh floor = {0}, ball = {0}, both = {0};
    mesh_sphere(&ball, 0.1f, 6);
    for (uint32_t i = 0; i < 1600; ++i) {
        float x = (float)(i % 40), y = (float)(i / 40);
        rico_vec3 a = {x, y, 0.0f}, b = {x + 1.0f, y, 0.0f}, c = {x, y + 1.0f, 0.0f};
        mesh_loose(&floor, a, b, c);
        mesh_loose(&floor, b, vec3(x + 1.0f, y + 1.0f, 0.0f), c);
    }
    for (uint32_t pass = 0; pass < 2; ++pass) {
        const fixture_mesh *from = pass ? &ball : &floor;
        for (uint32_t i = 0; i < from->triangle_count; ++i)
            mesh_loose(&both, mesh_corner(from, i, 0), mesh_corner(from, i, 1),
                       mesh_corner(from, i, 2));
    }
    rico_scene *scene = scene_of(&both, 0.0f);
    const rico__grid *grid = scene_grid(scene);
    rico_scene_stats stats = rico_scene_get_stats(scene);
    CHECK(stats.triangle_count > 80000);
    CHECK_MSG(grid->brick_count * 40 < stats.triangle_count, "%u bricks", grid->brick_count);
    CHECK_MSG(stats.bytes < (size_t)stats.triangle_count * 75, "%zu bytes for %u triangles",
              stats.bytes, stats.triangle_count);
    rico_scene_destroy(scene);
    mesh_free(&floor);
    mesh_free(&ball);
    mesh_free(&both);
}

/* --- corners --- */

/* The same triangles, once in a mesh without other vertices and once using few of very many
 * vertices, some of which are NaN. */
TEST(collision, a_mesh_may_be_a_small_part_of_its_vertices)
{
    enum { SPREAD = 97 };
    fixture_random random = {84};
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 3);
    uint32_t count = mesh.vertex_count * SPREAD;
    float *positions = malloc(3 * sizeof(float) * count);
    uint32_t *indices = malloc(3 * sizeof(uint32_t) * mesh.triangle_count);
    for (uint32_t i = 0; i < 3 * count; ++i)
        positions[i] = i % 2 ? __builtin_nanf("") : 5.0f;
    for (uint32_t i = 0; i < mesh.vertex_count; ++i)
        memcpy(positions + 3 * SPREAD * i, mesh.positions + 3 * i, 3 * sizeof(float));
    for (uint32_t i = 0; i < 3 * mesh.triangle_count; ++i)
        indices[i] = mesh.indices[i] * SPREAD;
    rico_mesh sparse = {.positions = positions,
                        .vertex_count = count,
                        .indices = indices,
                        .triangle_count = mesh.triangle_count};
    rico_scene *plain = scene_of(&mesh, 0.0f), *other = scene_create_quiet(0.0f);
    CHECK_EQ(rico_scene_add_mesh(other, &sparse, RICO_TRANSFORM_IDENTITY, NULL, NULL), RICO_OK);
    CHECK_EQ(rico_scene_get_stats(plain).bytes, rico_scene_get_stats(other).bytes);
    for (int i = 0; i < 1000; ++i) {
        rico_ray ray = ray_near_surface(&random, plain);
        rico_hit a = rico_scene_raycast(plain, NULL, &ray);
        rico_hit b = rico_scene_raycast(other, NULL, &ray);
        CHECK(hit_equal(&a, &b));
    }
    rico_scene_destroy(plain);
    rico_scene_destroy(other);
    free(positions);
    free(indices);
    mesh_free(&mesh);
}
