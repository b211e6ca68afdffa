/* Checks the statistics of a scene against the test's own counts. */
#include "collision_fixture.h"

#include "chunk.h"

/* Counts nodes, bundles and levels by the test's own walk through the arena. */
static uint32_t count_tree(const rico__grid *grid, uint32_t unit, rico_scene_stats *sum)
{
    const rico__node *node =
        (const rico__node *)(const void *)(grid->arena + (size_t)unit * RICO_ARENA_UNIT);
    uint32_t below = 0;
    sum->node_count += 1;
    for (uint32_t i = 0; i < node->count; ++i) {
        if (node->leaves >> i & 1) {
            sum->bundle_count += 1;
            sum->reference_count += (node->child[i] & 15u) + 1;
            continue;
        }
        uint32_t depth = count_tree(grid, unit + (node->child[i] >> 4), sum);
        below = depth > below ? depth : below;
    }
    return below + 1;
}

TEST(collision, counts_cells_nodes_bundles_levels_and_duplicates_as_they_are)
{
    fixture_random random = {41};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 2.0f, 400);
    mesh_sphere(&mesh, 0.1f, 5); /* dense: several levels */
    rico_scene *scene = scene_of(&mesh, 0.25f);
    const rico__grid *grid = scene_grid(scene);
    rico_scene_stats stats = rico_scene_get_stats(scene), sum = {0};
    for (uint32_t i = 0; i < grid->brick_count; ++i) {
        uint32_t levels =
            grid->bricks[i].root ? count_tree(grid, grid->bricks[i].root, &sum) : 0;
        sum.level_count = levels > sum.level_count ? levels : sum.level_count;
    }
    CHECK_EQ(stats.node_count, sum.node_count);
    CHECK_EQ(stats.bundle_count, sum.bundle_count);
    CHECK_EQ(stats.level_count, sum.level_count);
    CHECK(stats.level_count >= 3);
    CHECK_EQ(stats.reference_count, sum.reference_count);
    /* Bounds on the entries of a triangle, from the bricks that it touches. At most, these are
     * the bricks in whose slightly grown boxes a gather would find it. At least, these are the
     * bricks that it touches exactly. */
    uint64_t touched = 0, near = 0, cells = 0;
    for (uint32_t id = 0; id < mesh.triangle_count; ++id) {
        rico__triangle t = scene_triangle(scene, id);
        for (uint32_t i = 0; i < grid->brick_count; ++i) {
            float lo[3], hi[3];
            for (int k = 0; k < 3; ++k) {
                lo[k] =
                    (&grid->base.x)[k] + (float)(8 * grid->bricks[i].at[k]) * grid->cell_size;
                hi[k] = lo[k] + 8.0f * grid->cell_size;
            }
            rico_box box = {vec3(lo[0], lo[1], lo[2]), vec3(hi[0], hi[1], hi[2])};
            rico_vec3 grow = vec3(0.02f, 0.02f, 0.02f);
            touched += oracle_touches(t.v, &box);
            box = (rico_box){vec3_sub(box.lo, grow), vec3_add(box.hi, grow)};
            near += oracle_touches(t.v, &box);
        }
    }
    CHECK_MSG(stats.reference_count >= touched && stats.reference_count <= near,
              "%llu, expected %llu..%llu", (unsigned long long)stats.reference_count,
              (unsigned long long)touched, (unsigned long long)near);
    CHECK(touched > mesh.triangle_count && near < 2 * touched);
    for (int32_t z = 0; z < grid->dims[2]; ++z)
        for (int32_t y = 0; y < grid->dims[1]; ++y)
            for (int32_t x = 0; x < grid->dims[0]; ++x) {
                rico_vec3 at = vec3((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f);
                at = vec3_mad(grid->base, at, grid->cell_size);
                rico_box point = {at, at};
                cells += rico_scene_occupied(scene, &point);
            }
    CHECK_EQ(stats.cell_count, cells);
    CHECK(stats.cell_size == 0.25f && stats.build_ns > 0);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

typedef struct counted {
    uint64_t live, calls;
} counted;

static void *counted_allocate(void *user, size_t bytes, size_t alignment)
{
    counted *c = user;
    void *block = NULL;
    c->live += bytes;
    c->calls += 1;
    return posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment,
                          bytes) == 0
               ? block
               : NULL;
}

static void counted_release(void *user, void *block, size_t bytes, size_t alignment)
{
    (void)alignment;
    ((counted *)user)->live -= bytes;
    free(block);
}

TEST(collision, counts_its_bytes_triangles_colliders_and_what_it_dropped)
{
    counted memory = {0};
    rico_scene_def def = rico_scene_def_default();
    def.allocator = (rico_allocator){counted_allocate, counted_release, &memory};
    rico_scene *scene = NULL;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    const float positions[] = {0,   0, 0, 1,      0, 0, 0, 1,        0,
                               NAN, 0, 0, 2.0e6f, 0, 0, 0, INFINITY, 0};
    const uint32_t indices[] = {0, 1, 2, 0, 1, 3, 0, 1, 6, 2, 1, 4, 0, 0,
                                1, 9, 3, 4, 2, 1, 0, 5, 1, 2, 0, 1, 99};
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 6, .indices = indices, .triangle_count = 9};
    rico_mesh_report report = {9, 9, 9};
    rico_collider_id first, second;
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, &report, &first),
             RICO_OK);
    CHECK_EQ(report.kept, 3);
    CHECK_EQ(report.dropped_index, 3);
    CHECK_EQ(report.dropped_not_finite, 3);
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, &second),
             RICO_OK);
    rico_scene_stats stats = rico_scene_get_stats(scene);
    CHECK_EQ(stats.triangle_count, 6);
    CHECK_EQ(stats.collider_count, 2);
    CHECK_EQ(stats.bytes, memory.live);
    CHECK_EQ(stats.level_count, 1);
    CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    CHECK_EQ(rico_scene_remove(scene, second), RICO_OK);
    stats = rico_scene_get_stats(scene);
    CHECK_EQ(stats.triangle_count, 3);
    CHECK_EQ(stats.hole_count, 3);
    CHECK_EQ(stats.collider_count, 1);
    CHECK_EQ(stats.bytes, memory.live);
    CHECK(stats.bounds.lo.x == 0.0f && stats.bounds.hi.x == 1.0f);
    CHECK_EQ(rico_scene_remove(scene, first), RICO_OK);
    CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    stats = rico_scene_get_stats(scene);
    CHECK_EQ(stats.node_count + stats.bundle_count + stats.level_count + stats.hole_count, 0);
    rico_scene_destroy(scene);
    CHECK_EQ(memory.live, 0);
}
