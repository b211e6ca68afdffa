/* Queries made to go wrong or to take very long. */
#include "collision_crowd.h"

/* Out of range in the world, but not in the plane's space, which is 1000 times smaller. */
TEST(collision, a_ray_that_is_out_of_range_in_the_world_hits_no_plane_either)
{
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.kind = RICO_SHAPE_PLANE;
    CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
    def.motion.transform.scale = 1000.0f;
    CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
    const rico_vec3 down = {0.0f, 0.0f, -1.0f};
    const rico_ray rays[] = {{vec3(0.0f, 0.0f, 1.0f), 9.0f, down, 0},
                             {vec3(0.0f, 0.0f, 1.0f), 9.0f, vec3_scale(down, 1.1e30f), 0},
                             {vec3(1.1e9f, 0.0f, 1.0f), 9.0f, down, 0},
                             {vec3(0.0f, 0.0f, 1.0f), 9.0f, vec3(NAN, 0.0f, -1.0f), 0}};
    rico_hit hits[4];
    bool blocked[4];
    rico_scene_raycast_batch(scene, NULL, rays, hits, 4);
    rico_scene_blocked_batch(scene, NULL, rays, blocked, 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_EQ(hits[i].collider, i == 0);
        CHECK_EQ(blocked[i], i == 0);
        CHECK_EQ(rico_scene_raycast(scene, NULL, &rays[i]).collider, i == 0);
        CHECK_EQ(rico_scene_blocked(scene, NULL, &rays[i]), i == 0);
    }
    rico_scene_destroy(scene);
}

/* --- how long queries may take, in steps --- */

/* Ridges with triangles in rows along x, and a few high posts that make the grid high. */
static rico_scene *make_ridges(void)
{
    fixture_mesh mesh = {0};
    enum { SIDE = 96 };
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        mesh_vertex(&mesh, vec3(0.5f * (float)(i % SIDE), 0.5f * (float)(i / SIDE),
                                i / SIDE % 2 ? 0.25f : 0.0f));
    for (uint32_t i = 0; i + SIDE + 1 < SIDE * SIDE; ++i) {
        if (i % SIDE == SIDE - 1)
            continue;
        mesh_triangle(&mesh, i, i + 1, i + SIDE + 1);
        mesh_triangle(&mesh, i, i + SIDE + 1, i + SIDE);
    }
    for (int i = 0; i < 8; ++i) {
        rico_vec3 at = vec3(5.0f * (float)i, 6.0f * (float)i, -10.0f);
        mesh_box(&mesh, at, vec3_add(at, vec3(0.25f, 0.25f, 40.0f)));
    }
    rico_scene *scene = scene_of(&mesh, 0.1f);
    mesh_free(&mesh);
    return scene;
}

static int more_units(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* A walk goes in one direction along each axis, so it meets at most `length` bricks. In each
 * brick it meets at most the nodes and bundles that fit into the brick's tree. */
static uint64_t walk_bound(const rico__grid *grid, uint32_t *length)
{
    uint32_t *units = calloc(grid->brick_count, sizeof *units);
    *length = 0;
    for (int axis = 0; axis < 3; ++axis)
        *length += rico__grid_bricks(grid, axis);
    for (uint32_t i = 0; i < grid->brick_count; ++i)
        units[i] = grid->bricks[i].unit_count;
    qsort(units, grid->brick_count, sizeof *units, more_units);
    uint64_t bound = *length;
    for (uint32_t i = 0; i < grid->brick_count && i < *length; ++i)
        bound += units[i];
    free(units);
    return bound;
}

/* Rays along rows of bricks or from corner to corner of the grid, exactly on borders or a little
 * off. They start inside the grid, beside it, or far away. */
static rico_ray long_ray(fixture_random *random, const rico__grid *grid)
{
    const float brick = grid->cell_size * 8.0f;
    static const float tilts[] = {0.0f, -0.0f, 1.0e-7f, -1.0e-7f, 1.0e-3f, 1.0e-30f};
    static const float outs[] = {0.0f, 1.0f, 300.0f};
    rico_ray ray = {.t_max = INFINITY};
    uint32_t axis = random_below(random, 3);
    bool diagonal = random_below(random, 3) == 0;
    for (uint32_t k = 0; k < 3; ++k) {
        float row = (float)random_below(random, rico__grid_bricks(grid, (int)k) + 1);
        float *o = &ray.origin.x + k, *d = &ray.direction.x + k;
        bool back = random_below(random, 2) != 0;
        float size = (float)grid->dims[k] * grid->cell_size;
        *o = (&grid->base.x)[k] + row * brick;
        *d = tilts[random_below(random, 6)];
        if (k == axis || diagonal) {
            *o = (&grid->base.x)[k] + (back ? size : 0.0f);
            *o += (back ? 1.0f : -1.0f) * outs[random_below(random, 3)];
            *d = (back ? -1.0f : 1.0f) * (diagonal ? size : 1.0f);
        }
    }
    return ray;
}

TEST(collision, rays_along_whole_rows_of_cells_stay_below_the_bound_of_their_walk)
{
    enum { RAYS = 4000 };
    static rico_ray rays[RAYS];
    static rico_hit hits[RAYS];
    fixture_random random = {401};
    rico_scene *scene = make_ridges();
    const rico__grid *grid = scene_grid(scene);
    uint32_t length, count = (uint32_t)FIXTURE_REPEATS(RAYS), longest = 0;
    uint64_t bound = walk_bound(grid, &length);
    for (uint32_t i = 0; i < count; ++i)
        rays[i] = long_ray(&random, grid);
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        scene->cast = rico__cast_for_isa((rico__isa)isa);
        if (scene->cast == NULL)
            continue;
        rico_scene_raycast_batch(scene, NULL, rays, hits, count);
        for (uint32_t i = 0; i < count; ++i) {
            rico_hit alone = rico_scene_raycast(scene, NULL, &rays[i]);
            CHECK_MSG(hits[i].steps <= bound && alone.steps <= bound, "ray %u: %u, %u steps", i,
                      hits[i].steps, alone.steps);
            longest = alone.steps > longest ? alone.steps : longest;
            CHECK(hit_equal(&alone, &hits[i]));
        }
    }
    CHECK_MSG(longest > length / 2, "the longest of %u is only %u long", length, longest);
    rico_scene_destroy(scene);
}

static void count_bundle(void *user, const rico__bundle *bundle, uint32_t count)
{
    (void)bundle;
    (void)count;
    *(uint32_t *)user += 1;
}

/* From 9e8 m, rounding is larger than the scene, and all bundles are met. */
TEST(collision, rays_from_very_far_look_at_each_brick_once)
{
    fixture_random random = {403};
    rico_scene *scene = make_ridges();
    const rico__grid *grid = scene_grid(scene);
    uint32_t all = grid->brick_count;
    for (uint32_t i = 0; i < grid->brick_count; ++i)
        if (grid->bricks[i].root != 0)
            rico__chunk_each(grid->arena, grid->bricks[i].root, count_bundle, &all);
    CHECK(all > grid->brick_count + 1000);
    for (int i = 0; i < FIXTURE_REPEATS(300); ++i) {
        rico_vec3 to = random_in_box(&random, &grid->bounds);
        rico_vec3 from = vec3_scale(random_direction(&random), i % 2 ? 9.0e8f : 1.0e5f);
        rico_ray ray = {from, INFINITY, vec3_sub(to, from), 0};
        rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
        CHECK_MSG(i % 2 ? hit.steps == all : hit.steps < all / 2, "%u steps of %u", hit.steps,
                  all);
    }
    rico_scene_destroy(scene);
}

TEST(collision, sweeps_of_a_large_scene_meet_each_node_and_bundle_once)
{
    fixture_random random = {409};
    rico_scene *scene = make_ridges();
    const rico__grid *grid = scene_grid(scene);
    uint64_t bound = (uint64_t)grid->top_count + grid->live_units;
    uint32_t most = 0;
    for (int i = 0; i < FIXTURE_REPEATS(200); ++i) {
        static const float radii[] = {1.0e-3f, 0.05f, 1.0f, 100.0f, 1000.0f};
        float radius = radii[i % 5], ratio = i % 2 ? 0.02f : 1.0f;
        rico_ray ray = long_ray(&random, grid);
        rico_sweep sweep = {.center = ray.origin,
                            .radii = vec3(radius, radius * ratio, radius),
                            .rotation = random_rotation(&random)};
        sweep.radii.y = sweep.radii.y < 1.0e-4f ? 1.0e-4f : sweep.radii.y;
        sweep.motion = vec3_scale(vec3_normalize(ray.direction), i % 3 ? 9.0e3f : 0.2f);
        rico_sweep_hit hit = rico_scene_sweep(scene, NULL, &sweep);
        CHECK_MSG(hit.steps <= bound, "%u steps", hit.steps);
        most = hit.steps > most ? hit.steps : most;
    }
    CHECK_MSG(most > 10, "at most %u of %u nodes", most, grid->top_count);
    rico_scene_destroy(scene);
}

/* Each body is asked once, so a ray takes few steps: 50 at most, 7 on the average. */
TEST(collision, rays_through_a_crowd_ask_each_body_once)
{
    crowd *c = crowd_create(419);
    for (int i = 0; i < 200; ++i)
        crowd_add(c, i % 25 == 0);
    uint64_t sum = 0;
    uint32_t most = 0, rays = (uint32_t)FIXTURE_REPEATS(3000);
    for (uint32_t i = 0; i < rays; ++i) {
        rico_ray ray = crowd_ray(c);
        rico_hit hit = rico_scene_raycast(c->scene, NULL, &ray);
        CHECK_MSG(hit.steps <= 60, "%u steps", hit.steps);
        most = hit.steps > most ? hit.steps : most;
        sum += hit.steps;
    }
    CHECK_MSG(most > 10 && sum < rays * 8u, "%u at most, %u of %u rays", most, (unsigned)sum,
              rays);
    crowd_destroy(c);
}

/* The square of the rotation's length is above the limit as a float and below it as a double. */
TEST(collision, a_body_whose_rotation_is_barely_legal_is_where_it_was_placed)
{
    const rico_quat barely = {0x1.b28f86p-1f, 0x1.9bd63ep-4f, 0x1.032f62p-1f, -0x1.b27d44p-4f};
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 3);
    for (int kind = 0; kind < 2; ++kind) {
        rico_scene *scene = scene_create_quiet(0.0f);
        rico_shape_def shape = rico_shape_def_default();
        rico_collider_def def = rico_collider_def_default();
        shape.kind = kind == 0 ? RICO_SHAPE_MESH : RICO_SHAPE_SPHERE;
        shape.mesh = mesh_view(&mesh);
        shape.radius = 1.0f;
        CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
        def.motion.transform.position.x = 5.0f;
        def.motion.transform.rotation = barely;
        CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
        rico_nearest near =
            rico_scene_nearest(scene, NULL, vec3(7.0f, 0.0f, 0.0f), INFINITY, 0);
        rico_sweep sweep = {.center = vec3(8.0f, 0.0f, 0.0f),
                            .radii = vec3(0.5f, 0.5f, 0.5f),
                            .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                            .motion = vec3(-3.0f, 0.0f, 0.0f)};
        rico_sweep_hit hit = rico_scene_sweep(scene, NULL, &sweep);
        CHECK_NEAR(near.distance, 1.0, 0.02);
        CHECK_NEAR(hit.t, 0.5, 0.02);
        rico_scene_destroy(scene);
    }
    mesh_free(&mesh);
}
