/* Shapes of every kind in one scene. Each answer must be the best of the answers of scenes with
 * one collider each, for every kind of query. */
#include "collision_fixture.h"

#include <ricochet/scene_query.h>

enum { KINDS = 7, COLLIDERS = 40 };

typedef struct zoo {
    fixture_random random;
    fixture_mesh ball;
    float heights[25], points[30];
    rico_scene *all, *alone[COLLIDERS];
    rico_motion motions[COLLIDERS];
    rico_shape_kind kinds[COLLIDERS];
} zoo;

static rico_shape_def shape_of(zoo *z, rico_shape_kind kind)
{
    rico_shape_def def = rico_shape_def_default();
    def.kind = kind;
    def.surface = (uint16_t)(100 + kind);
    def.mesh = mesh_view(&z->ball);
    def.mesh.smooth_angle = 1.0f;
    def.height_field = (rico_height_field){z->heights, 5, 5, 0.3f, 0.2f};
    def.hull = (rico_hull){z->points, 10};
    def.half_size = vec3(0.4f, 0.2f, 0.3f);
    def.radius = 0.35f;
    def.half_length = 0.5f;
    return def;
}

static zoo *zoo_create(uint64_t seed)
{
    zoo *z = calloc(1, sizeof *z);
    const rico_box room = {vec3(-3.0f, -3.0f, -3.0f), vec3(3.0f, 3.0f, 3.0f)};
    z->random.state = seed;
    mesh_sphere(&z->ball, 0.4f, 2);
    for (int i = 0; i < 25; ++i)
        z->heights[i] = random_between(&z->random, -0.1f, 0.1f);
    for (int i = 0; i < 30; ++i)
        z->points[i] = random_between(&z->random, -0.4f, 0.4f);
    z->all = scene_create_quiet(0.0f);
    for (int i = 0; i < COLLIDERS; ++i) {
        z->kinds[i] = (rico_shape_kind)(i % KINDS);
        rico_shape_def shape = shape_of(z, z->kinds[i]);
        rico_collider_def def = rico_collider_def_default();
        def.motion.transform =
            (rico_transform){random_in_box(&z->random, &room), random_rotation(&z->random),
                             random_between(&z->random, 0.5f, 2.0f)};
        if (i > KINDS && i % 3 == 0) /* hits tie */
            def.motion = z->motions[i - KINDS];
        def.motion.velocity = vec3((float)i, 0.0f, 0.0f);
        z->motions[i] = def.motion;
        z->alone[i] = scene_create_quiet(0.0f);
        for (int s = 0; s < 2; ++s) {
            rico_scene *scene = s == 0 ? z->all : z->alone[i];
            CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
            CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
        }
    }
    return z;
}

static void zoo_destroy(zoo *z)
{
    for (int i = 0; i < COLLIDERS; ++i)
        rico_scene_destroy(z->alone[i]);
    rico_scene_destroy(z->all);
    mesh_free(&z->ball);
    free(z);
}

static rico_vec3 anywhere(zoo *z)
{
    const rico_box room = {vec3(-4.0f, -4.0f, -4.0f), vec3(4.0f, 4.0f, 4.0f)};
    return random_in_box(&z->random, &room);
}

static void check_ray(zoo *z, const rico_filter *filter, uint32_t *kinds_hit)
{
    rico_ray ray = {.origin = anywhere(z),
                    .t_max = random_between(&z->random, 0.1f, 8.0f),
                    .direction = random_direction(&z->random),
                    .ignore = random_below(&z->random, 3 * COLLIDERS)};
    if (random_below(&z->random, 2) == 0) { /* at a collider */
        uint32_t at = random_below(&z->random, COLLIDERS);
        ray.direction = vec3_sub(z->motions[at].transform.position, ray.origin);
        ray.t_max = 1.5f;
    }
    rico_ray rays[9], free_ray = ray;
    rico_hit hits[9], best = {.t = ray.t_max, .triangle = RICO_NO_TRIANGLE};
    free_ray.ignore = 0;
    for (uint32_t i = 0; i < COLLIDERS; ++i) {
        rico_hit hit = rico_scene_raycast(z->alone[i], filter, &free_ray);
        if (hit.collider == 0 || i + 1 == ray.ignore || (best.collider != 0 && hit.t >= best.t))
            continue;
        best = hit;
        best.collider = i + 1;
    }
    for (int i = 0; i < 9; ++i)
        rays[i] = ray;
    rico_scene_raycast_batch(z->all, filter, rays, hits, 9);
    for (int i = 0; i < 9; i += 8) {
        CHECK(hit_equal(&hits[i], &best));
        CHECK_EQ(hits[i].surface, best.surface);
        CHECK(memcmp(&hits[i].velocity, &best.velocity, sizeof best.velocity) == 0);
    }
    CHECK_EQ(rico_scene_blocked(z->all, filter, &ray), best.collider != 0);
    if (best.collider != 0) {
        CHECK_EQ(best.surface, 100 + z->kinds[best.collider - 1]);
        CHECK_EQ(rico_scene_surface_number(z->all, best.collider, best.triangle), best.surface);
        CHECK_NEAR(vec3_length(best.normal), 1.0, 1.0e-6);
        kinds_hit[z->kinds[best.collider - 1]] += 1;
    }
}

static void check_near(zoo *z, const rico_filter *filter)
{
    rico_vec3 p = anywhere(z);
    float radius = random_below(&z->random, 4) == 0 ? INFINITY : 1.0f;
    uint32_t ignore = random_below(&z->random, 2 * COLLIDERS);
    rico_nearest best = {.distance = radius, .triangle = RICO_NO_TRIANGLE};
    for (uint32_t i = 0; i < COLLIDERS; ++i) {
        rico_nearest found = rico_scene_nearest(z->alone[i], filter, p, radius, 0);
        if (found.collider == 0 || i + 1 == ignore ||
            (best.collider != 0 && found.distance >= best.distance))
            continue;
        best = found;
        best.collider = i + 1;
    }
    rico_nearest found = rico_scene_nearest(z->all, filter, p, radius, ignore);
    CHECK_EQ(found.collider, best.collider);
    CHECK_EQ(found.triangle, best.triangle);
    CHECK(found.distance == best.distance && found.back_face == best.back_face);
    CHECK(memcmp(&found.point, &best.point, sizeof best.point) == 0);
    CHECK(memcmp(&found.normal, &best.normal, sizeof best.normal) == 0);
    if (found.collider != 0)
        CHECK_NEAR(vec3_length(vec3_sub(found.point, p)), found.distance, 2.0e-6);
}

static void check_sweep(zoo *z, const rico_filter *filter)
{
    float r = random_between(&z->random, 0.05f, 0.3f);
    rico_sweep sweep = {.center = anywhere(z),
                        .radii = {r, random_between(&z->random, 0.5f, 1.0f) * r, r},
                        .rotation = random_rotation(&z->random),
                        .motion = vec3_scale(random_direction(&z->random), 2.0f),
                        .ignore = random_below(&z->random, 2 * COLLIDERS)};
    rico_sweep free_sweep = sweep;
    rico_sweep_hit best = {.t = 1.0f, .triangle = RICO_NO_TRIANGLE};
    bool overlaps = false;
    free_sweep.ignore = 0;
    for (uint32_t i = 0; i < COLLIDERS; ++i) {
        rico_sweep_hit hit = rico_scene_sweep(z->alone[i], filter, &free_sweep);
        if (hit.collider == 0 || i + 1 == sweep.ignore)
            continue;
        overlaps |= hit.overlaps;
        if (best.collider != 0 && hit.t >= best.t)
            continue;
        best = hit;
        best.collider = i + 1;
    }
    rico_sweep_hit hit = rico_scene_sweep(z->all, filter, &sweep);
    CHECK(hit.t == best.t && hit.overlaps == overlaps);
    if (overlaps) /* the deepest in radii wins, which answers do not tell */
        return;
    CHECK_EQ(hit.collider, best.collider);
    CHECK_EQ(hit.triangle, best.triangle);
    CHECK_EQ(hit.surface, best.surface);
    CHECK(memcmp(&hit.point, &best.point, sizeof best.point) == 0);
    CHECK(memcmp(&hit.normal, &best.normal, sizeof best.normal) == 0);
    CHECK(memcmp(&hit.velocity, &best.velocity, sizeof best.velocity) == 0);
}

/* A row of boxes gets the same answers as the boxes one by one. */
static void check_row(const zoo *z, const rico_box *first)
{
    rico_box boxes[9];
    bool occupied[9];
    for (uint32_t i = 0; i < 9; ++i) {
        const rico_vec3 by = vec3(0.3f * (float)i, 0.0f, 0.0f);
        boxes[i] = (rico_box){vec3_add(first->lo, by), vec3_add(first->hi, by)};
    }
    rico_scene_occupied_row(z->all, UINT32_MAX, boxes, 9, 0.0f, occupied);
    for (uint32_t i = 0; i < 9; ++i)
        CHECK_EQ(occupied[i], rico_scene_occupied_closely(z->all, UINT32_MAX, &boxes[i], 0.0f));
}

static void check_gather(zoo *z)
{
    static rico_triangle all[20000], one[20000];
    rico_vec3 lo = anywhere(z), size = vec3(0.3f, 0.4f, 0.5f);
    rico_box box = {lo, vec3_add(lo, size)};
    uint32_t count = rico_scene_gather(z->all, NULL, &box, all, 20000), n = 0;
    bool occupied = rico_scene_occupied(z->all, &box), any = false;
    for (uint32_t i = 0; i < COLLIDERS; ++i) {
        uint32_t found = rico_scene_gather(z->alone[i], NULL, &box, one, 20000);
        any |= rico_scene_occupied(z->alone[i], &box);
        for (uint32_t t = 0; t < found; ++t, ++n) {
            one[t].collider = i + 1;
            CHECK(n < count && memcmp(&one[t], &all[n], sizeof *one) == 0);
        }
    }
    CHECK_EQ(n, count);
    CHECK(occupied || !any);
    CHECK(occupied || n == 0);
    CHECK(rico_scene_occupied_closely(z->all, UINT32_MAX, &box, 0.0f) || n == 0);
    check_row(z, &box);
}

TEST(collision, a_scene_of_every_kind_of_shape_answers_as_the_best_of_one_scene_each)
{
    static const rico_filter filters[] = {{.layers = UINT32_MAX},
                                          {.layers = UINT32_MAX, .skip_back_faces = true},
                                          {.layers = UINT32_MAX, .smooth_normals = true}};
    zoo *z = zoo_create(307);
    uint32_t kinds_hit[KINDS] = {0};
    for (int i = 0; i < FIXTURE_REPEATS(3000); ++i) {
        const rico_filter *filter = &filters[i % 3];
        check_ray(z, filter, kinds_hit);
        check_near(z, filter);
        check_sweep(z, filter);
        check_gather(z);
    }
    for (int kind = 0; kind < KINDS; ++kind)
        CHECK_MSG(kinds_hit[kind] > 0, "no shape of kind %d was hit", kind);
    rico_scene_stats stats = rico_scene_get_stats(z->all);
    CHECK_EQ(stats.shape_count, COLLIDERS);
    CHECK(stats.bounds.hi.x < 10.0f);
    zoo_destroy(z);
}

TEST(collision, planes_come_and_go_and_move)
{
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    rico_collider_id ids[3];
    rico_ray ray = {vec3(1.0e5f, 3.0f, 50.0f), 100.0f, vec3(0.0f, 0.0f, -1.0f), 0};
    rico_box box = {vec3(-1.0f, -1.0f, 4.9f), vec3(1.0f, 1.0f, 5.1f)};
    shape.kind = RICO_SHAPE_PLANE;
    CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
    for (int i = 0; i < 3; ++i) {
        def.motion.transform.position.z = (float)i;
        CHECK_EQ(rico_scene_add(scene, &def, &ids[i]), RICO_OK);
    }
    CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, 3);
    CHECK(!rico_scene_occupied(scene, &box));
    def.motion.transform.position.z = 5.0f;
    CHECK_EQ(rico_scene_move(scene, &ids[1], &def.motion, 1), RICO_OK);
    CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, 2);
    CHECK(rico_scene_occupied(scene, &box));
    CHECK_EQ(rico_scene_gather(scene, NULL, &box, NULL, 0), 2);
    CHECK_EQ(rico_scene_remove(scene, ids[1]), RICO_OK);
    CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, 3);
    CHECK_EQ(rico_scene_remove(scene, ids[0]), RICO_OK);
    CHECK_EQ(rico_scene_remove(scene, ids[2]), RICO_OK);
    CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, 0);
    rico_scene_destroy(scene);
}

/* Hundreds of kilometres away a place on a plane is off by centimetres, once it is rounded. */
TEST(collision, planes_far_away_touch_the_boxes_on_them)
{
    fixture_random random = {907};
    for (int round = 0; round < 50; ++round) {
        rico_scene *scene = scene_create_quiet(0.0f);
        rico_shape_def shape = rico_shape_def_default();
        rico_collider_def def = rico_collider_def_default();
        rico_collider_id id;
        const rico_vec3 at = vec3(3.0e5f, -2.0e5f, 1.0e5f), half = vec3(0.05f, 0.05f, 0.05f);
        shape.kind = RICO_SHAPE_PLANE;
        CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
        def.motion.transform.position = at;
        def.motion.transform.rotation = random_rotation(&random);
        CHECK_EQ(rico_scene_add(scene, &def, &id), RICO_OK);
        const rico_quat turn = def.motion.transform.rotation;
        const rico_vec3 up = quat_rotate(turn, vec3(0.0f, 0.0f, 1.0f));
        for (int i = 0; i < 100; ++i) {
            const rico_vec3 along = vec3(random_between(&random, -1000.0f, 1000.0f),
                                         random_between(&random, -1000.0f, 1000.0f), 0.0f);
            const rico_vec3 p = vec3_add(at, quat_rotate(turn, along));
            const rico_vec3 off = vec3_mad(p, up, i % 2 == 0 ? 20.0f : -20.0f);
            const rico_box on = {vec3_sub(p, half), vec3_add(p, half)};
            const rico_box beside = {vec3_sub(off, half), vec3_add(off, half)};
            CHECK(rico_scene_occupied(scene, &on));
            CHECK(!rico_scene_occupied(scene, &beside));
        }
        rico_scene_destroy(scene);
    }
}

/* A faceted ball with smooth normals has the normals of the sphere it approximates. */
TEST(collision, smooth_normals_of_placed_and_merged_meshes_are_those_of_the_curve)
{
    fixture_random random = {311};
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 3);
    rico_mesh view = mesh_view(&mesh);
    view.smooth_angle = 1.0f;
    rico_filter smooth = {.layers = UINT32_MAX, .smooth_normals = true};
    for (int how = 0; how < 3; ++how) {
        rico_scene *scene = scene_create_quiet(0.0f);
        rico_collider_def def = rico_collider_def_default();
        rico_shape_def shape = rico_shape_def_default();
        shape.mesh = view;
        CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
        def.motion.transform.rotation = random_rotation(&random);
        if (how < 2)
            scene_add(scene, &mesh, (rico_transform){{9.0f, 0, 0}, {0, 0, 0, 1}, 1.0f});
        if (how < 2)
            CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
                     RICO_OK);
        else
            CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
        if (how == 1)
            CHECK_EQ(rico_scene_merge(scene), RICO_OK);
        double flat = 0.0;
        for (int i = 0; i < 500; ++i) {
            rico_vec3 out = random_direction(&random);
            rico_ray ray = {vec3_scale(out, 3.0f), 5.0f, vec3_neg(out), 0};
            rico_hit hit = rico_scene_raycast(scene, &smooth, &ray);
            CHECK(hit.collider != 0);
            CHECK_MSG(vec3_dot(hit.normal, out) > 0.9999f, "way %d: off by %g", how,
                      (double)vec3_dot(hit.normal, out));
            hit = rico_scene_raycast(scene, NULL, &ray);
            flat = fmax(flat, 1.0 - (double)vec3_dot(hit.normal, out));
        }
        CHECK(flat > 1.0e-3);
        rico_scene_destroy(scene);
    }
    mesh_free(&mesh);
}

TEST(collision, tells_the_surface_of_a_triangle_and_of_none)
{
    const float corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    const uint16_t surfaces[] = {7, 9};
    rico_mesh mesh = {.positions = corners,
                      .vertex_count = 4,
                      .indices = faces,
                      .triangle_count = 2,
                      .surfaces = surfaces};
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene;
    rico_collider_id id;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    CHECK_EQ(rico_scene_add_mesh(scene, &mesh, RICO_TRANSFORM_IDENTITY, NULL, &id), RICO_OK);
    CHECK_EQ(rico_scene_surface_number(scene, id.index1, 0), 7);
    CHECK_EQ(rico_scene_surface_number(scene, id.index1, 1), 9);
    CHECK_EQ(rico_scene_surface_number(scene, id.index1, 2), 0);
    CHECK_EQ(rico_scene_surface_number(scene, id.index1, RICO_NO_TRIANGLE), 0);
    CHECK_EQ(rico_scene_surface_number(scene, 0, 0), 0);
    CHECK_EQ(rico_scene_surface_number(scene, 1000000, 0), 0);
    CHECK_EQ(rico_scene_remove(scene, id), RICO_OK);
    CHECK_EQ(rico_scene_surface_number(scene, id.index1, 0), 0);
    rico_scene_destroy(scene);
}
