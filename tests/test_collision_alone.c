/* A ray cast alone has a path of its own through the grid. It is checked against every triangle,
 * on every instruction set. */
#include "collision_fixture.h"

#include "cast.h"

/* Asks for the closest hit and for any hit, with every kernel and through the scene. */
static void check_alone(const oracle *o, const rico_ray *ray)
{
    const rico__grid *grid = scene_grid(o->scene);
    const rico_filter all = rico_filter_default();
    rico_hit expected = oracle_raycast(o, ray), hit;
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__cast_kernel *kernel = rico__cast_for_isa((rico__isa)isa);
        if (kernel == NULL)
            continue;
        hit = kernel->closest_one(grid, NULL, ray);
        CHECK_MSG(hit_equal(&hit, &expected),
                  "%s, from (%a %a %a) along (%a %a %a) to %a: triangle %u, expected %u",
                  rico__isa_name((rico__isa)isa), (double)ray->origin.x, (double)ray->origin.y,
                  (double)ray->origin.z, (double)ray->direction.x, (double)ray->direction.y,
                  (double)ray->direction.z, (double)ray->t_max, hit.triangle,
                  expected.triangle);
        CHECK_EQ(kernel->blocked_one(grid, NULL, ray), expected.collider != 0);
    }
    hit = rico_scene_raycast(o->scene, NULL, ray);
    CHECK(hit_equal(&hit, &expected));
    hit = rico_scene_raycast(o->scene, &all, ray);
    CHECK(hit_equal(&hit, &expected));
    CHECK_EQ(rico_scene_blocked(o->scene, NULL, ray), expected.collider != 0);
    CHECK_EQ(rico_scene_blocked(o->scene, &all, ray), expected.collider != 0);
}

/* A coordinate on, or just beside, the border of a brick, or anywhere in it. */
static float near_border(fixture_random *random, const rico__grid *grid, int k, uint32_t brick)
{
    const float side = grid->cell_size * RICO_BRICK_CELLS;
    float border = (&grid->base.x)[k] + (float)brick * side;
    switch (random_below(random, 5)) {
    case 0:
        return border;
    case 1:
        return nextafterf(border, INFINITY);
    case 2:
        return nextafterf(border, -INFINITY);
    default:
        return border + random_between(random, 0.0f, side);
    }
}

/* A ray from a brick, or from beside the grid, to a brick at most two farther on. t_max ends it
 * at that brick, before or beyond it, or is infinite. */
static rico_ray border_ray(fixture_random *random, const rico__grid *grid)
{
    static const float times[] = {1.0f, 1.0f, 1.0f, 0.5f, 3.0f, INFINITY};
    static const float lengths[] = {1.0f, 1.0f, 1.0e-3f, 1.0e3f, 1.0e20f, 1.0e-20f};
    rico_ray ray = {.t_max = times[random_below(random, 6)]};
    float length = lengths[random_below(random, 6)];
    for (int k = 0; k < 3; ++k) {
        uint32_t bricks = rico__grid_bricks(grid, k);
        uint32_t from = random_below(random, bricks + 1);
        uint32_t to = from + random_below(random, 3);
        float *o = &ray.origin.x + k, *d = &ray.direction.x + k;
        *o = near_border(random, grid, k, from);
        *d = (near_border(random, grid, k, to > 0 ? to - 1 : to) - *o) * length;
        if (random_below(random, 4) == 0)
            *d = random_below(random, 2) == 0 ? 0.0f : -0.0f;
    }
    ray.t_max /= length;
    return ray;
}

/* A ray at a corner or the middle of an edge of a triangle: for ties and triangles without area. */
static rico_ray aimed_ray(fixture_random *random, const rico_scene *scene)
{
    rico__triangle triangle = scene_random_triangle(scene, random);
    const float *v = triangle.v;
    rico_vec3 a = vec3(v[0], v[1], v[2]), b = vec3(v[3], v[4], v[5]);
    rico_vec3 to = random_below(random, 2) == 0 ? a : vec3_scale(vec3_add(a, b), 0.5f);
    rico_ray ray = ray_near_surface(random, scene);
    ray.direction = vec3_sub(to, ray.origin);
    ray.t_max = 1.5f;
    return ray;
}

/* Adds triangles whose three corners lie on a line. */
static void add_flat(fixture_mesh *mesh, fixture_random *random, float size, int count)
{
    const rico_box box = {vec3(-size, -size, -size), vec3(size, size, size)};
    for (int i = 0; i < count; ++i) {
        rico_vec3 a = random_in_box(random, &box), d = random_direction(random);
        mesh_loose(mesh, a, vec3_mad(a, d, 0.2f), vec3_mad(a, d, i % 2 ? 0.4f : 0.2f));
    }
}

static void check_scene(const fixture_mesh *mesh, float cell_size, uint64_t seed, int count)
{
    fixture_random random = {seed};
    rico_scene *scene = scene_of(mesh, cell_size);
    const rico__grid *grid = scene_grid(scene);
    oracle o = oracle_create(scene);
    int hits = 0;
    for (int i = 0; i < FIXTURE_REPEATS(count); ++i) {
        rico_ray ray = border_ray(&random, grid);
        check_alone(&o, &ray);
        ray = aimed_ray(&random, scene);
        check_alone(&o, &ray);
        ray = ray_near_surface(&random, scene);
        check_alone(&o, &ray);
        hits += rico_scene_raycast(scene, NULL, &ray).collider != 0;
    }
    CHECK_MSG(hits > FIXTURE_REPEATS(count) / 16, "only %d hits", hits);
    oracle_destroy(&o);
    rico_scene_destroy(scene);
}

TEST(collision, a_ray_alone_is_exact_where_it_starts_or_ends_on_the_border_of_a_brick)
{
    fixture_mesh mesh = {0};
    fixture_random random = {701};
    mesh_scatter(&mesh, &random, 2.0f, 3000);
    add_flat(&mesh, &random, 2.0f, 500);
    check_scene(&mesh, 0.05f, 703, 3000);
    check_scene(&mesh, 0.3f, 709, 3000); /* bricks of 2.4 m: few, with many triangles */
    mesh_free(&mesh);
}

/* A dense ball in one brick: nested nodes, of which the nearest are visited first. */
TEST(collision, a_ray_alone_is_exact_in_a_deep_tree)
{
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 0.5f, 5);
    check_scene(&mesh, 0.5f, 719, 3000);
    mesh_free(&mesh);
}

/* Rays that hit nothing by contract, and rays that are just legal. */
TEST(collision, a_ray_alone_that_is_out_of_range_hits_nothing)
{
    static const float odd[] = {0.0f,     -0.0f,    1.0e-31f, 1.0e-30f, 1.0f,  1.0e30f,
                                1.01e30f, INFINITY, NAN,      1.0e-40f, -1.0f, 9.9e8f};
    enum { ODD = sizeof odd / sizeof odd[0] };
    fixture_mesh mesh = {0};
    fixture_random random = {727};
    mesh_scatter(&mesh, &random, 2.0f, 500);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    oracle o = oracle_create(scene);
    for (int i = 0; i < FIXTURE_REPEATS(6000); ++i) {
        rico_ray ray = ray_near_surface(&random, scene);
        float *number = &ray.origin.x + random_below(&random, 7); /* t_max, too */
        *number = odd[random_below(&random, ODD)];
        if (i % 3 == 0)
            *(&ray.direction.x + random_below(&random, 3)) = odd[random_below(&random, ODD)];
        check_alone(&o, &ray);
    }
    oracle_destroy(&o);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}
